"""Targets: rare, single, numeric and doubtful classes; constant, missing and extreme numbers."""

import numpy as np

from tools import blobs, case, check, header_of, near, rows_of

FEATURES, LABELS = blobs()
HEADER, ROWS = header_of(3), rows_of(FEATURES, LABELS)


def classes(place, names, name="t.csv"):
    return place.table(name, HEADER, [[*row[:3], label] for row, label in zip(ROWS, names)])


def numbers(place, values, name="t.csv"):
    return place.table(name, [*HEADER[:3], "y"], [[*row[:3], value] for row, value in zip(ROWS, values)])


def names_of(run):
    return sorted(entry["name"] for entry in run.ok().json["data"]["classes"])


@case("a class of one row", "tpot#1128, FEDOT#1307", "kept in the training rows and named; the others are split")
def _(place):
    classes(place, ["rare", *(row[3] for row in ROWS[1:])])
    run = place.fit("t.csv").says("a single training row", "rare")
    rare = next(entry for entry in run.json["data"]["classes"] if entry["name"] == "rare")
    check((rare["train"], rare["test"]) == (1, 0), rare)


@case("every row a class of its own", "ludwig#2831", "refused with the cure")
def _(place):
    classes(place, [f"k{at}" for at in range(60)])
    place.fit("t.csv").refused("60 classes", "two rows")


@case("one class", "tabpfn-client#73", "refused with the class")
def _(place):
    classes(place, ["only"] * 60)
    place.fit("t.csv").refused('"only"', "at least two classes")
    place.write("one.csv", "a,class\n1,x\n")
    place.fit("one.csv").refused()


@case("more neighbors than rows", "kknn#9", "refused with the number there is; all of them are accepted")
def _(place):
    classes(place, [row[3] for row in ROWS])
    place.fit("t.csv", "--neighbors", "1000").refused("1000", "42")
    place.fit("t.csv", "--neighbors", "42").ok()
    place.fit("t.csv", "--out", "m").ok()
    place.nca("predict", "m", "t.csv", "--neighbors", "43").refused("42")


@case("numbers read as classes", "scikit-learn#16987", "fractions refused with both cures; many whole numbers hinted at")
def _(place):
    classes(place, [f"{value:.3f}" for value in FEATURES[:, 0]])
    place.fit("t.csv").refused("--task regression", "--task classification")
    place.fit("t.csv", "--task", "regression").ok()
    classes(place, [at // 2 for at in range(60)])
    place.fit("t.csv").says("30 whole numbers", "--task regression")
    classes(place, [at % 10 for at in range(60)])
    place.fit("t.csv").is_silent_on("--task regression")


@case("classes written as 1.0, 2.0", "tigramite#446", "classes, and the same ones as 1, 2 in new rows")
def _(place):
    classes(place, [f"{label}.0" for label in LABELS])
    check(len(names_of(place.fit("t.csv", "--out", "m"))) == 3, "classes")
    classes(place, LABELS, "new.csv")
    place.nca("evaluate", "m", "new.csv").ok()


@case("classes true and false", "evalml#4062", "two classes, in any case and as 1 and 0 in new rows or refused")
def _(place):
    classes(place, [str(label == 0) for label in LABELS])
    check(names_of(place.fit("t.csv", "--out", "m")) == ["False", "True"], "classes")


@case("zero written four ways", "FIELD 7", "one class, or refused")
def _(place):
    classes(place, [("0", "-0", "0.0", "-0.0")[at % 4] if label == 0 else label for at, label in enumerate(LABELS)])
    run = place.fit("t.csv")
    check((run.code == 1 and "same number" in run.err) or len(names_of(run)) == 3, run.err)


@case("whole numbers above 2^53 as classes", "FIELD 10", "distinguished")
def _(place):
    for names in (["9007199254740992", "9007199254740993", "9007199254740994"],
                  ["1189850876250608328701", "1189850876250608328702", "1189850876250608328703"]):
        classes(place, [names[label] for label in LABELS])
        check(names_of(place.fit("t.csv")) == names, "classes")
    place.npy("x.npy", FEATURES)
    place.npy("y.npy", np.array([2**53, 2**53 + 1, 2**53 + 2])[LABELS])
    check(len(names_of(place.fit("x.npy,y.npy"))) == 3, "classes of an array")


@case("01234 and 1234 as classes", "FIELD 10, spark#55884", "two classes, or refused; never one silently")
def _(place):
    names = ("01234", "1234", "other")
    classes(place, [names[label] for label in LABELS])
    run = place.fit("t.csv")
    check(run.code == 1 or len(names_of(run)) == 3, "01234 and 1234 are one class")


@case("a class called NA", "FIELD 13", "a class, or a cure that the next run accepts")
def _(place):
    names = ("EU", "NA", "AS")
    classes(place, [names[label] for label in LABELS])
    run = place.fit("t.csv")
    if run.code and "--missing" in run.err:
        place.fit("t.csv", "--missing-values", "").ok()


@case("classes that differ in case", "FIELD rough", "hinted at")
def _(place):
    classes(place, [("No", "no")[at % 2] if label == 0 else f"yes{label}" for at, label in enumerate(LABELS)])
    run = place.fit("t.csv")
    check(run.code == 0 and "case" in run.warnings, run.warnings[-200:])


@case("-1 as the mark of rows without a class", "FIELD rough", "hinted at, and to be named by an option")
def _(place):
    classes(place, [-1 if at % 3 == 0 else label for at, label in enumerate(LABELS)])
    run = place.fit("t.csv").says("-1")
    check("-1" in run.warnings, run.warnings[-200:])


@case("rows without a class", "umap#1028", "left out of the fit and of all scores, and said")
def _(place):
    classes(place, ["" if at % 3 == 0 else row[3] for at, row in enumerate(ROWS)])
    run = place.fit("t.csv").says("20 rows have no class")
    check(run.json["data"]["train"] + run.json["data"]["test"] == 40, "rows")


@case("constant numeric target", "scikit-learn#17266", "refused; in held-out rows alone R² is undefined, and that is said")
def _(place):
    numbers(place, [3.5] * 60)
    place.fit("t.csv", "--task", "regression").refused("3.5", "nothing to learn")
    numbers(place, [3.5 if at else 4 for at in range(60)])
    for seed in range(4):
        run = place.fit("t.csv", "--task", "regression", "--seed", seed)
        check(run.code == 1 or "R² is undefined" in run.warnings, run.warnings)


@case("missing and infinite numeric target", "mlr3learners#175", "refused; rows are left out when asked; never filled")
def _(place):
    values = [f"{value:.4f}" for value in FEATURES[:, 0]]
    for mark in ("NaN", ""):
        numbers(place, [mark if at == 7 else value for at, value in enumerate(values)])
        place.fit("t.csv", "--task", "regression").refused("row 8", "--missing drop")
        place.fit("t.csv", "--task", "regression", "--missing", "mean").refused("never filled in")
        check(place.fit("t.csv", "--task", "regression", "--missing", "drop").ok().json["data"]["rows"] == 59, "rows")
    numbers(place, ["inf" if at == 7 else value for at, value in enumerate(values)])
    place.fit("t.csv", "--task", "regression").refused("row 8", "infinite")


@case("one extreme value of the target", "pycaret#1695, InnerEye-DeepLearning#373", "named: it makes R² what it is")
def _(place):
    values = 2 * FEATURES[:, 0]
    numbers(place, [1e6 if at == 5 else f"{value:.4f}" for at, value in enumerate(values)])
    place.fit("t.csv", "--task", "regression").says("of the variance of the target", "1000000 in row 6")
    numbers(place, [f"{value:.4f}" for value in values])
    place.fit("t.csv", "--task", "regression").is_silent_on("of the variance")


@case("numeric target in other units", "scikit-learn#29922", "the same R², whatever the unit")
def _(place):
    values = 2 * FEATURES[:, 0] + FEATURES[:, 1]
    scores = []
    for factor in (1.0, 1e-9, 1e9):
        numbers(place, [repr(float(factor * value)) for value in values])
        report = place.fit("t.csv", "--task", "regression", "--max-iterations", "50").ok().json
        scores.append(report["comparison"]["rows"][-1]["r2_test"])
    near(scores, [scores[0]] * 3, 0.02, "R² at 1, 1e-9 and 1e9 times the unit")


@case("two target columns", "umap#145", "refused with the columns there are; arrays of two columns too")
def _(place):
    place.table("t.csv", ["a", "b", "y1", "y2"], [[*row[:2], row[3], "uv"[at % 2]] for at, row in enumerate(ROWS)])
    place.fit("t.csv", "--target", "y1,y2").refused("y1", "y2")
    place.npy("x.npy", FEATURES)
    place.npy("y.npy", np.c_[LABELS, LABELS % 2])
    place.fit("x.npy,y.npy").refused("60 x 2", "one value per row")


@case("one-hot targets and row vectors", "FIELD 13", "read as classes, or a cure that the next run accepts")
def _(place):
    place.npy("x.npy", FEATURES)
    place.npy("y.npy", np.eye(3)[LABELS])
    place.fit("x.npy,y.npy").ok()
    place.npy("y.npy", LABELS[None, :])
    run = place.fit("x.npy,y.npy")
    check(run.code == 0 or "ravel" in run.err or "reshape" in run.err or "transpose" in run.err, run.err.strip()[-200:])
