#!/usr/bin/env python3
"""The default on tables of thousands of rows, 70 % of them training rows, through the program `nca`, and scikit-learn's trees.

    cargo build --release --locked -p burn-nca-cli
    python3 benches/larger_default.py target/release/nca ARFF > benches/results/larger-default.json

`ARFF` is a checkout of github.com/renatopp/arff-datasets. Classes: accuracy; numbers: the root of the mean squared error in
standard deviations of the target among the test rows. `seconds` is the wall time of the fit, comparison included, `chosen`
what it chose. The settings of the default were chosen on the sets of `CHOSEN`.
"""

import csv
import json
import random
import sys
from pathlib import Path

from through_program import predicted

CHOSEN = {
    "classification": ["waveform5000", "spambase", "optdigits", "pendigits"],
    "regression": ["kin8nm", "puma32H", "elevators"],
}
UNSEEN = {
    "classification": ["page.blocks", "nursery", "kr.vs.kp", "letter"],
    "regression": ["bank8FM", "bank32nh", "puma8NH", "cpu.small", "cal.housing", "pol", "house8L", "ailerons"],
}


def table(path):
    """The rows of an ARFF file without missing values, the target last."""
    rows = []
    lines = iter(path.read_text(encoding="latin1").splitlines())
    for line in lines:
        if line.strip().lower().startswith("@data"):
            break
    for line in filter(None, map(str.strip, lines)):
        if not line.startswith("%"):
            cells = next(csv.reader([line], quotechar="'", skipinitialspace=True))
            cells = [cell.strip() for cell in (cells if len(cells) > 1 else line.split())]
            # Some lines end with a comma.
            rows.append(cells if cells[-1] else cells[:-1])
    return rows


def score(task, guesses, truth):
    """The accuracy, or the error in deviations."""
    if task == "classification":
        return sum(map(str.__eq__, guesses, truth)) / len(truth)
    guesses, truth = [list(map(float, values)) for values in (guesses, truth)]
    mean = sum(truth) / len(truth)
    squares = sum((a - b) ** 2 for a, b in zip(guesses, truth)), sum((b - mean) ** 2 for b in truth)
    return (squares[0] / squares[1]) ** 0.5


def by_program(program, task, parts, options=()):
    """The predictions for the test rows, the seconds of the fit, and what was chosen."""
    header = [f"x{at}" for at in range(1, len(parts[0][0]))] + ["y"]
    options = ["--task", task, "--categorical", "auto", *options]
    found, seconds, report = predicted(program, header, parts, options)
    # Classes of too few rows leave nothing to compare.
    chosen = report["tuning"]["chosen"].split(":")[0] if report["tuning"] else "not compared"
    return [row["y"] for row in found], seconds, chosen


def by_trees(task, parts):
    """The predictions of scikit-learn's forest and boosting with their own settings, text as indicators; where a number is missing,
    the median for the forest."""
    import pandas
    from sklearn import ensemble, impute, pipeline

    kind = {"classification": "Classifier", "regression": "Regressor"}[task]
    sizes = [len(rows) for rows in parts]
    x = pandas.DataFrame([row[:-1] for rows in parts for row in rows]).replace("?", float("nan"))
    for column in x:
        numbers = pandas.to_numeric(x[column], errors="coerce")
        x[column] = numbers if numbers.isna().equals(x[column].isna()) else x[column]
    x = pandas.get_dummies(x.loc[:, x[: sizes[0]].notna().any()]).astype(float).to_numpy()
    y = [row[-1] if task == "classification" else float(row[-1]) for row in parts[0]]
    found = {}
    for name, make in (("random forest", "RandomForest"), ("boosting", "HistGradientBoosting")):
        model = getattr(ensemble, make + kind)(random_state=0)
        if make == "RandomForest":
            model = pipeline.make_pipeline(impute.SimpleImputer(strategy="median"), model)
        found[name] = list(model.fit(x[: sizes[0]], y).predict(x[sizes[0] :]))
    return found


def compared(program, task, parts, options=()):
    """The scores of the default and of the trees for the second of the parts, the seconds of the fit, and what was chosen."""
    truth = [row[-1] for row in parts[1]]
    guesses, seconds, chosen = by_program(program, task, parts, options)
    guesses = {"default": guesses, **by_trees(task, parts)}
    return {**{name: score(task, values, truth) for name, values in guesses.items()}, "seconds": seconds, "chosen": chosen}


def measured(program, task, path):
    rows = table(path)
    if task == "classification":
        # A class is a word, whatever it is called.
        rows = [[*row[:-1], "is " + row[-1]] for row in rows]
    random.Random(0).shuffle(rows)
    cut = round(0.7 * len(rows))
    return {"rows": cut, "features": len(rows[0]) - 1, **compared(program, task, (rows[:cut], rows[cut:]))}


def report(sets, measured):
    """Measures all sets, and prints what was found as JSON."""
    program, folder = sys.argv[1], Path(sys.argv[2])
    found = {}
    for which, tasks in sets.items():
        for task, names in tasks.items():
            for name in names:
                one = measured(program, task, folder / task / f"{name}.arff")
                found.setdefault(which, {}).setdefault(task, {})[name] = one
                print(name, one, file=sys.stderr, flush=True)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    report({"chosen on": CHOSEN, "unseen": UNSEEN}, measured)
