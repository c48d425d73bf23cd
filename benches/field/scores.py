"""Scores: rows and groups that are on both sides, weights, ties, and figures against an independent computation."""

import numpy as np

from tools import blobs, case, check, header_of, near, rows_of

FEATURES, LABELS = blobs()
HEADER, ROWS = header_of(3), rows_of(FEATURES, LABELS)


def coin_rows(count=90, seed=5):
    """Features without a relation to their classes."""
    draw = np.random.default_rng(seed)
    return [[*(f"{value:.5f}" for value in draw.normal(size=4)), "ab"[draw.integers(2)]] for _ in range(count)]


def visits(seed=8):
    """Three near copies of each of 60 patients, whose classes are tosses of a coin."""
    draw = np.random.default_rng(seed)
    patients, labels = draw.normal(size=(60, 4)), draw.integers(0, 2, 60)
    return [[f"p{at}", *(f"{value:.5f}" for value in patients[at] + 1e-3 * draw.normal(size=4)), "ab"[labels[at]]]
            for at in range(60) for _ in range(3)]


@case("test rows that are training rows", "FIELD 2", "counted, wherever a score is printed")
def _(place):
    rows = coin_rows()
    place.table("t.csv", header_of(4), rows)
    place.fit("t.csv", "--test", "t.csv").says("90")
    check("training" in place.fit("t.csv", "--test", "t.csv").warnings, "no warning")
    place.table("thrice.csv", header_of(4), [row for row in rows for _ in range(3)])
    run = place.fit("thrice.csv")
    check("training" in run.warnings or "more than once" in run.warnings or "duplicate" in run.warnings, run.warnings[-200:])
    place.table("half.csv", header_of(4), rows[:30] + coin_rows(30, 6))
    run = place.fit("t.csv", "--test", "half.csv").ok()
    check("30" in run.warnings, run.warnings[-200:])
    place.table("few.csv", header_of(4), rows[:1] + coin_rows(5, 6))
    place.fit("t.csv", "--test", "few.csv").says("1 of 6 test rows is also a training row")


@case("test rows that are training rows, of one feature", "FIELD 2", "never excused by few values where no two are equal")
def _(place):
    draw = np.random.default_rng(5)
    rows = [[f"{value:.5f}", draw.integers(2), "ab"[draw.integers(2)]] for value in draw.normal(size=90)]
    tables = {
        "one.csv": (["x", "class"], [[row[0], row[2]] for row in rows]),
        "bit.csv": (["x", "bit", "class"], rows),
        "number.csv": (["x", "y"], [[row[0], f"{draw.normal():.4f}"] for row in rows]),
    }
    for name, table in tables.items():
        place.table(name, *table)
        task = ["--task", "regression"] if name == "number.csv" else []
        run = place.fit(name, "--test", name, *task).says("all 90 test rows are also training rows", "optimistic")
        check("few values" not in run.warnings, run.warnings[-200:])
    header, rows = tables["one.csv"]
    place.table("thrice.csv", header, [row for row in rows for _ in range(3)])
    place.fit("thrice.csv").says("test rows are also training rows", "optimistic").is_silent_on("few values")


@case("test rows that are rounded training rows", "own", "counted, be it by f32 or to six decimals")
def _(place):
    draw = np.random.default_rng(5)
    features, labels = draw.normal(size=(90, 4)), draw.integers(0, 2, 90)
    place.table("t.csv", header_of(4), [[*map(repr, map(float, row)), "ab"[label]] for row, label in zip(features, labels)])
    place.table("six.csv", header_of(4), rows_of(features[:30], labels, digits=6))
    place.table("f32.csv", header_of(4), [[*map(str, row), "ab"[label]] for row, label in
                                          zip(features[:30].astype(np.float32), labels)])
    place.fit("t.csv", "--test-size", "0", "--out", "m").ok()
    for name in ("six.csv", "f32.csv"):
        place.fit("t.csv", "--test", name).says("all 30 test rows are also training rows", "but for rounding")
        place.nca("evaluate", "m", name).says("all 30 rows are also training rows")
    place.write("p.csv", "\n".join(f"{at},{at + 1}" for at in range(1, 30, 2)))
    place.nca("fit", "t.csv", "--ignore", "class", "--pairs", "p.csv", "--dim", "1", "--test-size", "0", "-q",
              "--max-iterations", "2", "--out", "pairs").ok()
    place.nca("evaluate", "pairs", "six.csv", "--pairs", "p.csv").says("all 15 pairs are also training pairs")
    place.table("new.csv", header_of(4), rows_of(features[:30] + 1e-3, labels, digits=6))
    place.nca("evaluate", "m", "new.csv").is_silent_on("training rows")


@case("new visits of the patients of the fit", "FIELD 3", "nca evaluate says that their group was learned from")
def _(place):
    names = ["patient", "x", "y", "z", "u", "class"]
    place.table("t.csv", names, visits())
    place.fit("t.csv", "--groups", "patient", "--test-size", "0", "--out", "m").ok()
    rows = [[row[0], f"{float(row[1]) + 0.01:.5f}", *row[2:]] for row in visits()[::3]]
    place.table("new.csv", names, rows)
    place.nca("evaluate", "m", "new.csv").says("60 of 60 rows are of a group of training rows")
    place.table("others.csv", names, [["new" + row[0], *row[1:]] for row in rows])
    place.nca("evaluate", "m", "others.csv").is_silent_on("group")


@case("training rows of a table that is gone", "own", "counted by their embedding")
def _(place):
    rows, new = coin_rows(60), coin_rows(20, 6)
    place.table("t.csv", header_of(4), rows)
    place.fit("t.csv", "--test-size", "0", "--out", "m").ok()
    place.table("t.csv", header_of(4), rows + new)
    place.nca("evaluate", "m", "t.csv").says("60 of 80 rows are also training rows", "on the other 20 rows")
    place.table("new.csv", header_of(4), new)
    place.nca("evaluate", "m", "new.csv").is_silent_on("training rows")
    draw = np.random.default_rng(3)
    counts = np.where(draw.random((60, 20)) < 0.4, draw.integers(1, 9, (60, 20)), 0)
    entries = [f"{row + 1} {column + 1} {counts[row, column]}" for row, column in np.argwhere(counts)]
    place.write("s.mtx", "\n".join(["%%MatrixMarket matrix coordinate real general", f"60 20 {len(entries)}", *entries]))
    place.table("y.csv", ["y"], [[row[4]] for row in rows])
    place.fit("s.mtx,y.csv", "--test-size", "0", "--out", "s").ok()
    place.nca("evaluate", "s", "s.mtx,y.csv").says("all 60 rows are also training rows")


@case("groups that are spelled in two ways", "own", "7 and 7.0 are one group; names that differ in case are hinted at")
def _(place):
    rows = [[row[0][1:] + ["", ".0", ""][at % 3], *row[1:]] for at, row in enumerate(visits())]
    place.table("t.csv", ["patient", "x", "y", "z", "u", "class"], rows)
    place.fit("t.csv", "--groups", "patient").says("the 60 groups").is_silent_on("are also training rows")
    rows = [[["P7", "p7"][at % 2] if row[0] == "p7" else row[0], *row[1:]] for at, row in enumerate(visits())]
    place.table("t.csv", ["patient", "x", "y", "z", "u", "class"], rows)
    place.fit("t.csv", "--groups", "patient").says("differ in case", '"p7" and "P7"')


@case("visits of patients", "FIELD 3", "leave-one-out leaves the group out: 50 %, not 100 %")
def _(place):
    place.table("t.csv", ["patient", "x", "y", "z", "u", "class"], visits())
    report = place.fit("t.csv", "--groups", "patient", "--test-size", "0").ok().json
    check(report["accuracy"]["train"] < 0.75, f"accuracy.train is {report['accuracy']['train']:.2f}")
    report = place.fit("t.csv", "--groups", "patient", "--neighbors", "cv").ok().json
    check(report["accuracy"]["train"] < 0.75, f"accuracy.train is {report['accuracy']['train']:.2f}")
    check(report["f"] / report["data"]["train"] < 0.75, f"f is {report['f']:.0f} of {report['data']['train']}")


@case("few groups", "FIELD 9", "the default command fits with 2 to 6 of them")
def _(place):
    for count in range(2, 7):
        place.table("t.csv", ["site", *HEADER], [[f"s{at % count}", *row] for at, row in enumerate(ROWS)])
        place.nca("fit", "t.csv", "--groups", "site", "-q").ok()


@case("groups that are the classes", "FIELD 9", "that nothing is held out is said")
def _(place):
    place.table("t.csv", ["site", *HEADER], [[f"s{row[3]}", *row] for row in ROWS])
    run = place.fit("t.csv", "--groups", "site")
    check(run.code == 1 or "held out" in run.warnings, run.warnings[-200:])


@case("ties of whole numbers", "FIELD 4, scikit-learn#21006", "one metric is as good as itself, however it is scaled")
def _(place):
    grid = np.array(np.meshgrid(*[range(1, 6)] * 4)).reshape(4, -1).T
    sides = np.sign(grid[:, 0] * grid[:, 1] - grid[:, 2] * grid[:, 3])
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(grid))
        rows = [[*grid[at], "RBL"[sides[at] + 1]] for at in order]
        place.table("train.csv", header_of(4), rows[:437])
        place.table("test.csv", header_of(4), rows[437:])
        place.fit("train.csv", "--test-size", "0", "--init", "identity", "--start-perplexity", "15",
                  "--max-iterations", "0", "--out", f"m{seed}").ok()
        report = place.nca("evaluate", f"m{seed}", "test.csv", "--format", "json").ok().json
        found = report["accuracy"]["knn"], report["euclidean"]["knn"]
        check(found[0] == found[1], f"{found[0]:.3f} with the scaled identity, {found[1]:.3f} with Euclidean distance")


@case("rows of weight 0", "FIELD 5", "no vote: the same predictions as without them")
def _(place):
    rows = [[*row[:3], 0 if at % 4 == 0 else 1, "c" if at % 4 == 0 else row[3]] for at, row in enumerate(ROWS)]
    place.table("zero.csv", [*HEADER[:3], "w", "class"], rows)
    place.table("none.csv", HEADER, [[*row[:3], row[4]] for row in rows if row[3]])
    place.table("new.csv", HEADER[:3], [row[:3] for row in rows])
    same = ("--test-size", "0", "--scale", "none", "--init", "identity", "--start-perplexity", "0", "--max-iterations", "0")
    place.fit("zero.csv", "--weights", "w", *same, "--out", "zero").ok()
    place.fit("none.csv", *same, "--out", "none").ok()
    check(place.predict("zero", "new.csv") == place.predict("none", "new.csv"), "predictions differ")


@case("weights that are negative, missing or 0 throughout", "scikit-learn#21001", "refused with the row or the reason")
def _(place):
    for bad in ("-1", "one", "inf"):
        place.table("t.csv", ["w", *HEADER], [[bad if at == 4 else 1, *row] for at, row in enumerate(ROWS)])
        place.fit("t.csv", "--weights", "w").refused('"w"')
    place.table("t.csv", ["w", *HEADER], [[0, *row] for row in ROWS])
    place.fit("t.csv", "--weights", "w").refused("weight")


@case("classes of the test that no training row has", "FIELD 8", "a warning or a refusal; never 0.0 % alone")
def _(place):
    place.table("train.csv", HEADER, ROWS)
    place.table("test.csv", HEADER, [[*row[:3], row[3] + "."] for row in ROWS])
    run = place.fit("train.csv", "--test", "test.csv")
    check(run.code == 1 or "a." in run.warnings, f"accuracy {run.code or run.json['accuracy']['test']}, and nothing is said")
    place.table("part.csv", [*HEADER, "s"], [[*row[:3], "new" if at < 9 else row[3], "test" if at < 20 else "train"]
                                            for at, row in enumerate(ROWS)])
    run = place.fit("part.csv", "--split", "s", "--target", "class")
    check(run.code == 1 or "new" in run.warnings, "nothing is said of the class new")
    place.fit("train.csv", "--out", "m").ok()
    place.nca("evaluate", "m", "test.csv").refused()


@case("precision@k, R-precision and MAP@R with classes of one row", "pytorch-metric-learning#74", "those of a loop over rows")
def _(place):
    rows = [list(row) for row in ROWS]
    rows[0][3] = "rare"
    place.table("t.csv", HEADER, rows)
    place.table("new.csv", HEADER, [*rows_of(*blobs(rows=8, seed=1)), [*rows[0][:3], "rare"]])
    place.fit("t.csv", "--test-size", "0", "--out", "m").ok()
    report = place.nca("evaluate", "m", "new.csv", "--neighbors", "3", "--format", "json").ok().json
    known, new = place.transform("m", "t.csv"), place.transform("m", "new.csv")
    known_names = [row[3] for row in rows]
    new_names = [line.split(",")[3] for line in (place.folder / "new.csv").read_text().split()[1:]]
    precision, r_precision, average = [], [], []
    for point, name in zip(new, new_names):
        order = np.argsort(((known - point) ** 2).sum(1), kind="stable")
        same = np.array([known_names[at] == name for at in order])
        relevant = same.sum()
        precision.append(same[:3].mean())
        r_precision.append(same[:relevant].mean())
        ranks = np.arange(1, relevant + 1)
        average.append((same[:relevant] * np.cumsum(same[:relevant]) / ranks).sum() / relevant)
    found = report["retrieval"]
    near([found["precision_at_k"], found["r_precision"], found["map_at_r"]],
         [np.mean(precision), np.mean(r_precision), np.mean(average)], 1e-6, "precision@3, R-precision, MAP@R")


@case("log loss, Brier score and f of the soft rule", "own", "those of a loop over rows")
def _(place):
    place.table("t.csv", HEADER, ROWS)
    place.table("new.csv", HEADER, rows_of(*blobs(rows=8, seed=1)))
    fit = place.fit("t.csv", "--test-size", "0", "--precision", "f64", "--out", "m").ok().json
    report = place.nca("evaluate", "m", "new.csv", "--format", "json").ok().json
    known, new = place.transform("m", "t.csv"), place.transform("m", "new.csv")
    truth = ["abc".index(line.split(",")[3]) for line in (place.folder / "new.csv").read_text().split()[1:]]

    def chances(points, skip):
        distances = ((points[:, None] - known[None]) ** 2).sum(2)
        if skip:
            np.fill_diagonal(distances, np.inf)
        weights = np.exp(distances.min(1, keepdims=True) - distances)
        of_class = np.stack([weights[:, LABELS == label].sum(1) for label in range(3)], 1)
        return of_class / of_class.sum(1, keepdims=True)

    own = chances(known, True)[np.arange(len(LABELS)), LABELS]
    near([fit["f"]], [own.sum()], 1e-4, "f")
    soft = chances(new, False)
    loss = -np.log(soft[np.arange(len(truth)), truth]).mean()
    brier = ((soft - np.eye(3)[truth]) ** 2).sum(1).mean()
    near([report["probabilities"]["log_loss"], report["probabilities"]["brier_score"]], [loss, brier], 1e-4, "scores")


@case("rows whose class has no training row left", "pytorch-metric-learning#129", "no NaN: refused, or counted as wrong")
def _(place):
    place.table("t.csv", HEADER, [row for row in ROWS if row[3] != "c"])
    place.table("new.csv", HEADER, ROWS)
    place.fit("t.csv", "--out", "m").ok()
    run = place.nca("evaluate", "m", "new.csv")
    if run.code == 0:
        check("NaN" not in run.out, run.out)
    else:
        run.refused('"c"')
