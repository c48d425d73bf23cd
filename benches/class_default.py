#!/usr/bin/env python3
"""The default for classes on tables with given folds, through the program `nca`, and scikit-learn's classifiers.

    cargo build --release --locked -p burn-nca-cli
    python3 benches/class_default.py target/release/nca KEEL UNSEEN > benches/results/class-default.json

`KEEL` and `UNSEEN/keel` (which `unseen.py` writes) hold SET.csv with the class in `label` and the fold of each row in `fold`;
each fold is predicted once from the others. Accuracies are means of the folds; `seconds` is the wall time of a fit by the
default, comparison included, `chosen` what it chose. `tables.py` writes the table of docs/results.md.
"""

import collections
import csv
import json
import statistics
import sys
from pathlib import Path

from through_program import predicted

KEEL = ["bupa", "cleveland", "glass", "movement_libras", "newthyroid", "pima", "vehicle", "vowel"]
UNSEEN = [
    "biopsy",
    "breast_cancer",
    "crabs",
    "diabetes3",
    "leafshape",
    "oils",
    "oj",
    "olive",
    "penguins",
    "possum",
    "scat",
    "skulls",
]
# The options of the fit and of the predictions.
SETTINGS = {
    "Euclidean, 3-NN": (["--method", "euclidean"], ["--rule", "knn", "--neighbors", "3"]),
    "default": ([], []),
}


def others():
    """scikit-learn's classifiers with its own settings, but for the number of trees and of epochs."""
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
        from sklearn.neural_network import MLPClassifier
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
        from sklearn.svm import SVC
    except ImportError:
        return {}
    return {
        "random forest": lambda: RandomForestClassifier(500, random_state=0),
        "boosting": lambda: HistGradientBoostingClassifier(random_state=0),
        "SVM": lambda: make_pipeline(StandardScaler(), SVC()),
        "MLP": lambda: make_pipeline(StandardScaler(), MLPClassifier(max_iter=1000, random_state=0)),
    }


def by_program(program, train, test, header, options, rule):
    """The accuracy on the rows of `test`, the seconds of the fit, and what was chosen."""
    rows, seconds, report = predicted(program, header, (train, test), ["--target", "label", *options], rule)
    place = header.index("label")
    right = statistics.mean(guess["label"] == row[place] for guess, row in zip(rows, test))
    trials = (report.get("tuning") or {}).get("trials") or [{}]
    return right, seconds, " ".join(filter(None, [trials[0].get("method"), trials[0].get("criterion")]))


def measured(program, path):
    header, *body = list(csv.reader(path.open()))
    fold, label = header.index("fold"), header.index("label")
    columns = [at for at in range(len(header)) if at != fold]
    names = [header[at] for at in columns]
    cells, seconds, chosen = collections.defaultdict(list), [], collections.Counter()
    for one in sorted({row[fold] for row in body}):
        train, test = (
            [[row[at] for at in columns] for row in body if (row[fold] == one) == is_test] for is_test in (False, True)
        )
        for setting, options in SETTINGS.items():
            right, wall, choice = by_program(program, train, test, names, *options)
            cells[setting].append(right)
            if setting == "default":
                seconds.append(wall)
                chosen[choice] += 1
        x = [[float(row[at]) for at in columns if at != label] for row in body]
        parts = [[at for at, row in enumerate(body) if (row[fold] == one) == is_test] for is_test in (False, True)]
        for name, make in others().items():
            model = make().fit([x[at] for at in parts[0]], [body[at][label] for at in parts[0]])
            cells[name].append(model.score([x[at] for at in parts[1]], [body[at][label] for at in parts[1]]))
    accuracies = {name: statistics.mean(values) for name, values in cells.items()}
    return accuracies, {"seconds": statistics.mean(seconds), "chosen": dict(chosen)}


def main():
    program, keel, unseen = sys.argv[1:]
    found = {"KEEL": {}, "unseen": {}}
    for which, folder, sets in (("KEEL", Path(keel), KEEL), ("unseen", Path(unseen, "keel"), UNSEEN)):
        for name in sets:
            accuracies, default = measured(program, folder / f"{name}.csv")
            found[which][name] = {"accuracy": accuracies, **default}
            print(name, found[which][name], file=sys.stderr, flush=True)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
