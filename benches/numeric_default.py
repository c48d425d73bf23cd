#!/usr/bin/env python3
"""The default for numbers on tables of UCI that none of it was chosen on, three splits each, through the program `nca`.

    cargo build --release --locked -p burn-nca-cli
    python3 benches/numeric_default.py target/release/nca DIR > benches/results/numeric-default.json

`DIR/NAME.csv.gz` has the target in `y`, and `DIR/NAME-test-masks.csv.gz` a column per split, 1 for a test row (those of
treforevans/uci_datasets). The error is the root of the mean squared error in standard deviations of the target. Columns 3
and 4 of the masks served to choose the candidates; these are 5 to 7.
"""

import csv
import gzip
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

SETS = ["servo", "autompg", "machine", "autos", "stock", "energy", "concrete", "airfoil", "skillcraft", "parkinsons"]
SPLITS = [5, 6, 7]
# The options of the fit and of the predictions.
SETTINGS = {
    "Euclidean, 5-NN": (["--method", "euclidean"], ["--rule", "knn", "--neighbors", "5"]),
    "MLKR, l2 0.02": (["--no-tune"], []),
    "default": ([], []),
}


def rows(path):
    with gzip.open(path, "rt") as file:
        return list(csv.reader(file))


def call(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stdout


def error(program, table, mask, split, options, rule):
    header, *body = table
    is_test = [float(row[split]) > 0.5 for row in mask[1:]]
    y = header.index("y")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part, wanted in (("train", False), ("test", True)):
            with open(folder / f"{part}.csv", "w", newline="") as file:
                csv.writer(file).writerows([header] + [row for row, test in zip(body, is_test) if test == wanted])
        fit = ["--target", "y", "--task", "regression", "--test-size", "0", "--no-baselines", "-q", "--out", folder / "m"]
        call(program, "fit", folder / "train.csv", *fit, *options)
        lines = call(program, "predict", folder / "m", folder / "test.csv", *rule).splitlines()
    predicted = [float(row["y"]) for row in csv.DictReader(lines)]
    truth = [float(row[y]) for row, test in zip(body, is_test) if test]
    squares = statistics.mean((a - b) ** 2 for a, b in zip(predicted, truth))
    return squares**0.5 / statistics.pstdev(float(row[y]) for row in body)


def main():
    program, folder = sys.argv[1], Path(sys.argv[2])
    cells = {}
    for name in SETS:
        table, mask = rows(folder / f"{name}.csv.gz"), rows(folder / f"{name}-test-masks.csv.gz")
        cells[name] = {
            setting: statistics.mean(error(program, table, mask, split, *options) for split in SPLITS)
            for setting, options in SETTINGS.items()
        }
        print(name, cells[name], file=sys.stderr)
    cells["mean"] = {setting: statistics.mean(cell[setting] for cell in cells.values()) for setting in SETTINGS}
    print(json.dumps(cells, indent=1))


if __name__ == "__main__":
    main()
