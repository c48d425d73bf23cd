"""Saved models: new rows in other orders, names with any characters, exports."""

import csv
import io
import json
import re

import numpy as np

from tools import blobs, case, check, header_of, near, rows_of

FEATURES, LABELS = blobs()
HEADER, ROWS = header_of(3), rows_of(FEATURES, LABELS)


@case("columns of new rows in another order", "scikit-learn#7242, xgboost#10748", "taken by name; others ignored; missing ones refused")
def _(place):
    place.table("t.csv", HEADER, ROWS)
    place.fit("t.csv", "--out", "m").ok()
    place.table("mixed.csv", ["x2", "more", "x0", "x1"], [[row[2], "text", *row[:2]] for row in ROWS])
    near(place.transform("m", "mixed.csv"), place.transform("m", "t.csv"), 1e-6, "embedding")
    place.table("less.csv", HEADER[:2], [row[:2] for row in ROWS])
    place.nca("predict", "m", "less.csv").refused('"x2"')
    place.table("upper.csv", ["X0", "X1", "X2"], [row[:3] for row in ROWS])
    place.nca("predict", "m", "upper.csv").refused('"X0"')


@case("names with commas, quotes and line ends", "polars#26024", "written so that a reader of CSV gets them back")
def _(place):
    names = ["red, blue", 'say "hi"', "two\nlines"]
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    place.table("t.csv", ['"x ""0"""', '"x,1"', "x2", "class"], [[*row[:3], quoted[label]] for row, label in zip(ROWS, LABELS)])
    place.fit("t.csv", "--out", "m").ok()
    found = place.predict("m", "t.csv")
    check(set(found) <= set(names) and len(found) == 60, sorted(set(found)))
    run = place.nca("predict", "m", "t.csv", "--probabilities").ok()
    header = next(csv.reader(io.StringIO(run.out)))
    check(header[1:] == [f"p_{name}" for name in sorted(names)], header)


@case("predictions and the votes of a loop", "kknn#9, caret#582", "the same classes; ties of votes go to the nearest")
def _(place):
    place.table("t.csv", HEADER, ROWS)
    place.fit("t.csv", "--test-size", "0", "--out", "m").ok()
    new = rows_of(*blobs(rows=15, seed=1))
    place.table("new.csv", HEADER, new)
    known, points = place.transform("m", "t.csv"), place.transform("m", "new.csv")
    for count in (1, 2, 4, 5, 59, 60):
        found = place.predict("m", "new.csv", "--neighbors", count)
        for at, (point, name) in enumerate(zip(points, found)):
            order = np.argsort(((known - point) ** 2).sum(1))[:count]
            votes = np.bincount(LABELS[order], minlength=3)
            winner = next(LABELS[row] for row in order if votes[LABELS[row]] == votes.max())
            check(name == "abc"[winner], f"k = {count}, row {at + 1}: {name} with votes {votes}")


@case("arrays for a model of named columns", "own", "taken by their order, and said; NaN filled in as in a table")
def _(place):
    place.table("t.csv", HEADER, ROWS)
    rows = np.array([[float(cell) for cell in row[:3]] for row in ROWS])
    np.save(place.folder / "x.npy", rows)
    place.fit("t.csv", "--missing", "mean", "--out", "m").ok()
    place.nca("transform", "m", "x.npy").says("x.npy: the columns of an array have no names", "x0, x1, x2")
    near(place.transform("m", "x.npy"), place.transform("m", "t.csv"), 1e-9, "embedding")
    np.save(place.folder / "y.npy", LABELS)
    rows[3, 1] = np.nan
    np.save(place.folder / "x.npy", rows)
    place.fit("x.npy,y.npy").refused("row 4", "--missing")
    place.fit("x.npy,y.npy", "--missing", "mean").says("(1 with")


@case("exported layer", "own", "weight and bias on raw features give the embedding")
def _(place):
    place.table("t.csv", HEADER, [[f"{1e6 + 1e3 * float(row[0])}", *row[1:]] for row in ROWS])
    place.fit("t.csv", "--dim", "2", "--out", "m").ok()
    place.nca("export", "m", "--to", "a.safetensors").ok()
    content = (place.folder / "a.safetensors").read_bytes()
    size = int.from_bytes(content[:8], "little")
    header, body = json.loads(content[8 : 8 + size]), content[8 + size :]

    def array(name):
        entry = header[name]
        kind = {"F32": "<f4", "F64": "<f8"}[entry["dtype"]]
        return np.frombuffer(body[slice(*entry["data_offsets"])], kind).reshape(entry["shape"]).astype(float)

    raw = np.array([line.split(",")[:3] for line in (place.folder / "t.csv").read_text().split()[1:]], float)
    near(raw @ array("weight").T + array("bias"), place.transform("m", "t.csv"), 1e-2, "embedding")


@case("rows in any order", "own", "the same map, up to rounding, and the same predictions")
def _(place):
    place.table("t.csv", HEADER, ROWS)
    place.table("back.csv", HEADER, ROWS[::-1])
    for name in ("t", "back"):
        place.fit(f"{name}.csv", "--test-size", "0", "--init", "identity", "--precision", "f64", "--out", name).ok()
    near(place.transform("t", "t.csv"), place.transform("back", "t.csv"), 1e-5, "embedding")


@case("the same command twice, on one thread and two", "caret#1250", "the same map to the last digit")
def _(place):
    place.table("t.csv", HEADER, ROWS)
    for name, threads in (("one", 1), ("two", 2), ("again", 2)):
        place.nca("fit", "t.csv", "-q", "--no-tune", "--no-baselines", "--out", name, threads=threads).ok()
    for name in ("two", "again"):
        near(place.transform(name, "t.csv"), place.transform("one", "t.csv"), 0, "embedding")


@case("probabilities of the classes", "own", "they add up to 1, and the class has the largest of the soft rule")
def _(place):
    place.table("t.csv", HEADER, ROWS)
    place.fit("t.csv", "--out", "m").ok()
    for rule in ("knn", "soft"):
        run = place.nca("predict", "m", "t.csv", "--rule", rule, "--probabilities").ok()
        rows = list(csv.DictReader(io.StringIO(run.out)))
        values = np.array([[float(row[f"p_{name}"]) for name in "abc"] for row in rows])
        near(values.sum(1), np.ones(60), 1e-5, "sums")
        if rule == "soft":
            check(["abc"[at] for at in values.argmax(1)] == [row["class"] for row in rows], "classes")


@case("a prediction for every row of the file", "mlr3learners#175", "as many as rows, in their order, or refused")
def _(place):
    place.table("t.csv", HEADER, ROWS)
    place.fit("t.csv", "--missing", "drop", "--out", "m").ok()
    place.table("new.csv", HEADER[:3], [["" if at == 3 else row[0], *row[1:3]] for at, row in enumerate(ROWS)])
    run = place.nca("predict", "m", "new.csv")
    if run.code == 0:
        rows = list(csv.reader(io.StringIO(run.out)))
        check(len(rows) == 61 or "row" in run.warnings, f"{len(rows) - 1} predictions for 60 rows: {run.err}")


@case("weights of the features of a saved model", "FIELD also seen", "nca info lists those that the fit listed")
def _(place):
    place.table("t.csv", HEADER, ROWS)
    place.nca("fit", "t.csv", "--method", "ncfs", "-q", "--out", "m").ok()
    run = place.nca("info", "m").ok()
    check(re.search(r"feature\s+weight|column\s+weight", run.out), "no weights in nca info")


@case("an option without effect", "FIELD also seen", "--reduce of a dense table reduces it, and its model takes the table")
def _(place):
    run = place.nca("fit", "wine", "--reduce", "3", "-q", "--no-tune", "--no-baselines", "--max-iterations", "2", "--out", "m").ok()
    check("13 columns are reduced to 3 by PCA" in run.err, run.err)
    place.nca("evaluate", "m", "wine").ok()


@case("a comma in the name of a file", "FIELD rough", "the report names the file")
def _(place):
    place.table("a,b.csv", HEADER, ROWS)
    name = place.fit("a,b.csv").ok().json["data"]["name"]
    check(name == "a,b", name)


@case("one of a thing", "FIELD rough", "singular")
def _(place):
    place.table("t.csv", ["x", "class"], [[row[0], row[3]] for row in ROWS])
    run = place.nca("fit", "t.csv", "--dim", "1", "-q", "--out", "m").ok()
    run = run.out + run.err + place.nca("info", "m").ok().out
    found = [words for words in ("1 dimensions", "1 features", "1 texts", "1 rows ", "1 classes") if f" {words}" in run]
    check(not found, found)


@case("the classes of an exported model", "FIELD rough", "one default rule: those of nca predict")
def _(place):
    place.table("t.csv", HEADER, rows_of(*blobs(rows=40, seed=3, spread=1.0)))
    place.fit("t.csv", "--out", "m").ok()
    place.table("new.csv", HEADER, rows_of(*blobs(rows=80, seed=3, spread=1.0)))
    default, found = place.predict("m", "new.csv"), {}
    for name, options in {"m": [], "knn": ["--rule", "knn"], "soft": ["--rule", "soft"]}.items():
        place.nca("export", "m", "--to", f"{name}.onnx", "--with-neighbors", *options).ok()
        found[name] = (place.folder / f"{name}.onnx").read_bytes()
    for rule in ("knn", "soft"):
        differ = sum(a != b for a, b in zip(default, place.predict("m", "new.csv", "--rule", rule)))
        check((found["m"] == found[rule]) == (differ == 0), f"{differ} of 240 classes by {rule} differ from those of predict, not so the files")
