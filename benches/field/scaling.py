"""Columns of any magnitude, constant ones, collinear ones, and more features than rows."""

import numpy as np

from tools import blobs, case, check, header_of, near, rows_of

FEATURES, LABELS = blobs(rows=30)
HEADER = header_of(3)


def table(place, name, features, labels=LABELS):
    rows = [[*map(repr, map(float, row)), "abc"[label]] for row, label in zip(features, labels)]
    return place.table(name, header_of(features.shape[1]), rows)


@case("column that is constant but for rounding", "FIELD 1, scikit-learn#17794", "zero in every scaling and start, and named")
def _(place):
    draw = np.random.default_rng(11)
    labels = np.repeat([0, 1, 2], 40)
    centers = np.array([[6, 3, 2, 1, 1], [3, 6, 2, 1, 1], [3, 3, 5, 2, 1]]) * 2
    shares = np.array([draw.dirichlet(centers[label]) for label in labels])
    total = shares[:, 0] + shares[:, 1] + shares[:, 2] + shares[:, 3] + shares[:, 4]
    check(0 < np.ptp(total) < 1e-14, "the total is not constant but for rounding")
    table(place, "t.csv", np.c_[shares, total], labels)
    for options in (("--dim", "2"), ("--dim", "2", "--init", "lda"), ("--scale", "min-max"), ("--scale", "common")):
        run = place.fit("t.csv", *options).says("constant", "x5")
        weights = np.abs(np.array(run.json["matrix"]["rows"], float))
        check(weights.max() < 1e6, f"{' '.join(options)}: a weight of {weights.max():.1e}")
    place.nca("fit", "t.csv", "--method", "lda", "-q").says("constant", "x5")
    unscaled = ("--scale", "none", "--method", "euclidean", "--ignore")
    right = place.nca("fit", "t.csv", *unscaled, "x5", "-q", "--format", "json").ok().json["accuracy"]
    for far in (1, 1e6, 1e9):
        table(place, "far.csv", np.c_[shares, total, far * total], labels)
        found = place.nca("fit", "far.csv", *unscaled, "x5", "-q", "--format", "json").says("constant", "x6")
        check(found.json["accuracy"] == right, f"a constant of {far}: {found.json['accuracy']}, not {right}")


@case("columns of very small and very large magnitude", "scikit-learn#19726, gluonts#3312", "scaled as any other")
def _(place):
    table(place, "t.csv", FEATURES)
    plain = place.fit("t.csv").ok().json
    for factor in (1e-200, 1e-15, 1e-10, 1e20, 1e200):
        table(place, "t.csv", FEATURES * [factor, 1, 1])
        found = place.fit("t.csv").is_silent_on("constant").json
        near(found["g"], plain["g"], 1e-3, f"g with a column of {factor}")


@case("a large mean and a small spread", "scikit-learn#12333", "scaled as any other, from f32 arrays too")
def _(place):
    table(place, "t.csv", FEATURES)
    plain = place.fit("t.csv").ok().json
    table(place, "t.csv", FEATURES + [1.7e12, 0, 0])
    near(place.fit("t.csv").ok().json["g"], plain["g"], 1e-2, "g")
    draw = np.random.default_rng(0)
    wide = (1000 + draw.normal(size=(20_000, 2))).astype(np.float32)
    place.npy("x.npy", wide)
    place.npy("y.npy", (np.arange(20_000) % 2).astype(np.int8))
    place.nca("fit", "x.npy,y.npy", "--method", "euclidean", "-q", "--no-baselines", "--test-size", "0.001", "--out", "m").ok()
    place.npy("new.npy", wide[:100])
    split_mean = wide.astype(float).mean(0)
    near(place.transform("m", "new.npy"), wide[:100] - split_mean, 0.02, "embedding")


@case("a cell beyond f32", "FIELD rough", "not blamed on --learning-rate")
def _(place):
    features = FEATURES.copy()
    features[4, 1] = 1e39
    table(place, "t.csv", features)
    run = place.fit("t.csv", "--scale", "none", "--test-size", "0")
    check("--learning-rate" not in run.err, run.err.strip()[-200:])


@case("collinear columns", "scikit-learn#9506", "LDA starts and fits all the same")
def _(place):
    table(place, "t.csv", np.c_[FEATURES, FEATURES[:, 0] + FEATURES[:, 1], 2 * FEATURES[:, 2] - 1])
    for options in (("--dim", "2"), ("--dim", "2", "--init", "lda")):
        weights = np.array(place.fit("t.csv", *options).ok().json["matrix"]["rows"], float)
        check(np.isfinite(weights).all() and np.abs(weights).max() < 1e3, f"weights up to {np.abs(weights).max():.1e}")
    place.nca("fit", "t.csv", "--method", "lda", "-q").ok()


@case("more features than rows", "scikit-learn#1649", "LDA starts with a shrinkage; the cure of --method lda works")
def _(place):
    draw = np.random.default_rng(0)
    labels = np.arange(24) % 3
    features = draw.normal(size=(24, 80))
    features[:, 0] += 4 * labels
    table(place, "t.csv", features, labels)
    for options in (("--dim", "2"), ("--dim", "2", "--init", "lda")):
        place.fit("t.csv", *options).says("18 training rows for 80 features")
    run = place.nca("fit", "t.csv", "--method", "lda", "-q")
    if run.code:
        run.refused("--set shrinkage=0.01")
        place.nca("fit", "t.csv", "--method", "lda", "--set", "shrinkage=0.01", "-q").ok()


@case("columns constant within the classes", "mlr3learners#230, caret#1133", "fitted: they separate the classes")
def _(place):
    table(place, "t.csv", np.c_[FEATURES, LABELS == 0, LABELS == 1])
    check(place.fit("t.csv", "--dim", "2").ok().json["accuracy"]["test"] > 0.95, "accuracy")
    run = place.nca("fit", "t.csv", "--method", "lda", "-q", "--no-baselines")
    if run.code:
        run.refused("--set shrinkage=0.01")
        place.nca("fit", "t.csv", "--method", "lda", "--set", "shrinkage=0.01", "-q").ok()


@case("start by LDA in more dimensions than it has", "metric-learn#221", "refused with the number; never fewer silently")
def _(place):
    table(place, "t.csv", FEATURES)
    place.fit("t.csv", "--init", "lda", "--dim", "3").refused("3 dimensions", "2")
    check(place.fit("t.csv", "--init", "lda", "--dim", "2").ok().json["embedding"]["dimension"] == 2, "dimensions")


@case("a column constant in the fit varies in new rows", "prophet#1817", "no effect; never a huge one")
def _(place):
    constant = np.full((len(FEATURES), 1), 14.62)
    table(place, "t.csv", np.c_[FEATURES, constant])
    place.fit("t.csv", "--out", "m").says("constant", "x3")
    place.write("new.csv", "x0,x1,x2,x3\n1,1,1,14.62\n1,1,1,15.62\n")
    first, second = place.transform("m", "new.csv")
    check(np.abs(first - second).max() < 10, f"moved by {np.abs(first - second).max():.1e}")


@case("scaling of the training rows alone", "own", "offsets and scales are those of the training rows")
def _(place):
    features = np.r_[FEATURES, FEATURES[:10] + 100]
    labels = np.r_[LABELS, LABELS[:10]]
    rows = [[*map(repr, map(float, row)), "train" if at < 90 else "test", "abc"[label]]
            for at, (row, label) in enumerate(zip(features, labels))]
    place.table("t.csv", [*HEADER[:3], "part", "class"], rows)
    place.nca("fit", "t.csv", "--split", "part", "--method", "euclidean", "-q", "--out", "m").ok()
    place.write("new.csv", "x0,x1,x2\n" + ",".join(map(repr, map(float, FEATURES.mean(0)))) + "\n")
    near(place.transform("m", "new.csv"), np.zeros((1, 3)), 1e-4, "the mean of the training rows")


@case("groups 10 000 apart in f32", "FIELD also seen", "f reaches that of f64, or f64 is asked for")
def _(place):
    values = [0, 0.5, 1.5, 2, 10000, 10000.5, 10001.5, 10002]
    place.table("t.csv", ["x", "class"], zip(values, "aabbbbaa"))
    options = ("--scale", "none", "--init", "identity", "--objective", "f", "--l2", "0", "--test-size", "0",
               "--max-iterations", "50")
    run = place.fit("t.csv", *options)
    asked = any("f64" in line for line in run.err.split("\n") if "Not converged" not in line)
    check(asked or run.ok().json["f"] > 7.9, f"f = {run.json['f']:.3f} of 8" if run.code == 0 else run.err)


@case("shares that add up in f32, as decimals", "FIELD 1", "zero, and named")
def _(place):
    rows = rows_of(FEATURES, LABELS)
    shares = np.random.default_rng(2).dirichlet(np.ones(5), len(rows)).astype(np.float32)
    total = np.cumsum(shares, axis=1, dtype=np.float32)[:, -1]
    check(len(set(total)) > 1, "the sums are equal")
    place.table("t.csv", ["total", *HEADER], [[total[at], *row] for at, row in enumerate(rows)])
    place.fit("t.csv", "--dim", "2").says("1 column is constant (but for rounding)", "total")
