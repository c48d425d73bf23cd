#!/usr/bin/env python3
"""The default on tables of categories, numbers and missing values, through the program `nca`, and scikit-learn's trees.

    cargo build --release --locked -p burn-nca-cli
    python3 benches/mixed_default.py target/release/nca ARFF > benches/results/mixed-default.json

`ARFF` is a checkout of github.com/renatopp/arff-datasets. 70 % training rows, means of three splits; the scores are those of
`larger_default.py`. The program is given the options of `OPTIONS`. That features of two values are 1 apart was chosen on the
sets of `CHOSEN`. That columns of names are left out, and that a truth value alone is a level, was decided because some of the
unseen tables were refused before; no accuracy was looked at.
"""

import random
import statistics
import warnings
from collections import Counter

from larger_default import compared, report, table

CHOSEN = ["credit.a", "credit.g", "heart.c", "lymph", "primary.tumor", "colic", "hepatitis", "tae"]
UNSEEN = {
    "classification": [
        "anneal", "audiology", "autos", "breast.cancer", "bridges.version1", "car", "cylinder.bands", "flags", "heart.h",
        "hypothyroid", "labor", "postoperative.patient.data", "sick", "solar.flare1", "solar.flare2", "soybean", "splice",
        "sponge", "tic-tac-toe", "vote", "zoo",
    ],
    "regression": ["abalone", "auto93", "autohorse", "breasttumor", "cloud", "cpu", "echomonths", "fishcatch"],
}
SPLITS = range(3)
OPTIONS = ["--missing", "median", "--missing-indicators", "--max-levels", "200"]


def rows_of(task, path):
    """The rows with a target; of classes that have three or more."""
    rows = [row for row in table(path) if row[-1] != "?"]
    if task == "regression":
        return rows
    counts = Counter(row[-1] for row in rows)
    # A class is a word, whatever it is called.
    return [[*row[:-1], "is " + row[-1]] for row in rows if counts[row[-1]] >= 3]


def measured(program, task, path):
    rows, of_splits = rows_of(task, path), []
    cut = round(0.7 * len(rows))
    for split in SPLITS:
        random.Random(split).shuffle(drawn := rows[:])
        of_splits.append(compared(program, task, (drawn[:cut], drawn[cut:]), OPTIONS))
    means = {name: statistics.mean(one[name] for one in of_splits) for name in of_splits[0] if name != "chosen"}
    return {"rows": cut, "features": len(rows[0]) - 1, **means, "chosen": [one["chosen"] for one in of_splits]}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    report({"chosen on": {"classification": CHOSEN}, "unseen": UNSEEN}, measured)
