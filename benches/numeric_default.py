#!/usr/bin/env python3
"""The default for numbers on tables of UCI that none of it was chosen on, three splits each, through the program `nca`.

    cargo build --release --locked -p burn-nca-cli
    python3 benches/numeric_default.py target/release/nca DIR > benches/results/numeric-default.json

`DIR/NAME.csv.gz` has the target in `y`, and `DIR/NAME-test-masks.csv.gz` a column per split without a header, 1 for a test
row (those of treforevans/uci_datasets). The error is the root of the mean squared error in standard deviations of the
target. Columns 3 and 4 of the masks served to choose the candidates; these are 5 to 7. Where scikit-learn is installed its
forest and its boosting are measured too.
"""

import csv
import gzip
import json
import statistics
import sys
from pathlib import Path

from through_program import predicted

SETS = ["servo", "autompg", "machine", "autos", "stock", "energy", "concrete", "airfoil", "skillcraft", "parkinsons"]
SPLITS = [5, 6, 7]
# The options of the fit and of the predictions.
SETTINGS = {
    "Euclidean, 5-NN": (["--method", "euclidean"], ["--rule", "knn", "--neighbors", "5"]),
    "MLKR, l2 0.02": (["--no-tune"], []),
    "default": ([], []),
}


def others():
    """scikit-learn's regressors with its own settings, but for the number of trees."""
    try:
        from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
    except ImportError:
        return {}
    return {
        "random forest": lambda: RandomForestRegressor(500, random_state=0),
        "boosting": lambda: HistGradientBoostingRegressor(random_state=0),
    }


def rows(path):
    with gzip.open(path, "rt") as file:
        return list(csv.reader(file))


def by_program(program, header, parts, options, rule):
    """The predictions for the second of the parts by a model of the first."""
    found, _, _ = predicted(program, header, parts, ["--target", "y", "--task", "regression", *options], rule)
    return [float(row["y"]) for row in found]


def by_model(model, y, parts):
    x, targets = (
        [[[float(value) for at, value in enumerate(row) if at != y] for row in body] for body in parts],
        [float(row[y]) for row in parts[0]],
    )
    return list(model.fit(x[0], targets).predict(x[1]))


def errors(program, table, mask, split):
    """The error of every setting and of every other model on one split."""
    header, *body = table
    is_test = [float(row[split]) > 0.5 for row in mask]
    parts = [[row for row, test in zip(body, is_test, strict=True) if test == wanted] for wanted in (False, True)]
    y = header.index("y")
    guesses = {name: by_program(program, header, parts, *options) for name, options in SETTINGS.items()}
    guesses |= {name: by_model(make(), y, parts) for name, make in others().items()}
    truth, deviation = [float(row[y]) for row in parts[1]], statistics.pstdev(float(row[y]) for row in body)
    squares = {name: statistics.mean((a - b) ** 2 for a, b in zip(values, truth)) for name, values in guesses.items()}
    return {name: square**0.5 / deviation for name, square in squares.items()}


def main():
    program, folder = sys.argv[1], Path(sys.argv[2])
    cells = {}
    for name in SETS:
        table, mask = rows(folder / f"{name}.csv.gz"), rows(folder / f"{name}-test-masks.csv.gz")
        splits = [errors(program, table, mask, split) for split in SPLITS]
        cells[name] = {way: statistics.mean(one[way] for one in splits) for way in splits[0]}
        print(name, cells[name], file=sys.stderr)
    cells["mean"] = {way: statistics.mean(cell[way] for cell in cells.values()) for way in cells[SETS[0]]}
    print(json.dumps(cells, indent=1))


if __name__ == "__main__":
    main()
