#!/usr/bin/env python3
"""scikit-learn's NCA on the sets and splits of examples/nca-2004, one number a split.

    OPENBLAS_NUM_THREADS=1 python3 benches/peers/nca_2004.py --data DIR [--sets iris,wine] [--splits N]

DIR holds the sets as CSV files (USPS as an IDX pair) and `splits/SET.csv`; its `baselines.json`, where there is
one, has the means that the results are checked against. Features are standardized on the training part;
`NeighborhoodComponentsAnalysis(init="auto", tol=1e-5, max_iter=...)` is fitted with as many components as
features ("nca-square") and with two ("nca-rank2"); 1-NN accuracy is taken on the test part and leave-one-out on
the training part.

Writes benches/results/sklearn-nca-2004.json after each set; sets that are there already are kept.
`test_row_sums` identifies the splits: the sum of the test rows' numbers (from 0) of each.
"""

import argparse
import gzip
import json
import platform
import re
import struct
import time
import warnings
from pathlib import Path

import numpy as np
import sklearn
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import NeighborhoodComponentsAnalysis

TARGET = Path(__file__).resolve().parents[1] / "results" / "sklearn-nca-2004.json"
# The sets, cheap ones first, with the limit of iterations that the baselines were computed with.
MAX_ITER = {
    "iris": 200, "wine": 200, "ionosphere": 200, "balance": 200, "housing-q3": 200, "housing-q4": 200,
    "digits": 100, "usps": 50,
}
MEANS = {"nca-square": "nca-auto", "nca-rank2": "nca2-auto"}


def read_idx(path):
    with gzip.open(path) as file:
        blob = file.read()
    zero, code, ndim = struct.unpack(">HBB", blob[:4])
    if (zero, code) != (0, 8):
        raise SystemExit(f"{path} does not hold unsigned bytes")
    shape = struct.unpack(">" + "I" * ndim, blob[4 : 4 + 4 * ndim])
    return np.frombuffer(blob, np.uint8, offset=4 + 4 * ndim).reshape(shape)


def load(data, name):
    if name == "usps":
        images, labels = (read_idx(data / f"usps/usps11000-{part}-ubyte.gz") for part in ("images-idx3", "labels-idx1"))
        return images.reshape(len(images), -1) / 255.0, labels.astype(int)
    table = np.loadtxt(data / f"{name}.csv", delimiter=",", skiprows=1)
    return table[:, :-1], table[:, -1].astype(int)


def standardize(train, test):
    mean, deviation = train.mean(0), train.std(0)
    deviation[deviation < 1e-12] = 1.0
    return (train - mean) / deviation, (test - mean) / deviation


def nearest_accuracy(reference, reference_y, query, query_y, leave_one_out=False):
    """1-NN accuracy by the formula of the baselines, so that ties fall as they did there."""
    squares = np.einsum("ij,ij->i", reference, reference)
    hits = 0
    for start in range(0, len(query), 2000):
        part = query[start : start + 2000]
        distance = squares[None, :] - 2.0 * (part @ reference.T)
        if leave_one_out:
            distance[np.arange(len(part)), start + np.arange(len(part))] = np.inf
        hits += int((reference_y[distance.argmin(1)] == query_y[start : start + 2000]).sum())
    return hits / len(query)


def run_split(x, y, role, seed, max_iter):
    train, test = np.flatnonzero(role == 1), np.flatnonzero(role == 2)
    xtr, xte = standardize(x[train], x[test])
    ytr, yte = y[train], y[test]
    found = {}
    for method, rank in (("nca-square", x.shape[1]), ("nca-rank2", 2)):
        started = time.perf_counter()
        nca = NeighborhoodComponentsAnalysis(
            n_components=rank, init="auto", tol=1e-5, max_iter=max_iter, random_state=seed
        ).fit(xtr, ytr)
        seconds = time.perf_counter() - started
        a = nca.components_.T
        found[method] = {
            "test": nearest_accuracy(xtr @ a, ytr, xte @ a, yte),
            "train": nearest_accuracy(xtr @ a, ytr, xtr @ a, ytr, leave_one_out=True),
            "seconds": round(seconds, 4),
            "iterations": int(nca.n_iter_),
        }
    return found


def run_set(data, name, count):
    x, y = load(data, name)
    roles = np.loadtxt(data / "splits" / f"{name}.csv", delimiter=",", skiprows=1, dtype=int, ndmin=2).T[:count]
    splits = [run_split(x, y, role, seed, MAX_ITER[name]) for seed, role in enumerate(roles)]
    methods = {
        method: {key: [split[method][key] for split in splits] for key in splits[0][method]} for method in MEANS
    }
    sums = [int(np.flatnonzero(role == 2).sum()) for role in roles]
    return {"max_iter": MAX_ITER[name], "test_row_sums": sums, "methods": methods}


def check(name, found, baselines):
    """Compares with the means of the baselines; says so where they are not the same."""
    for method, theirs in MEANS.items():
        for part in ("test", "train"):
            ours = float(np.mean(found["methods"][method][part]))
            mean = baselines[name]["methods"][theirs][part]
            word = "same" if abs(ours - mean) < 1e-9 else f"baselines.json has {100 * mean:.3f}"
            print(f"  {name} {method} {part}: {100 * ours:.3f} % ({word})", flush=True)


def write(document):
    temporary = TARGET.with_suffix(".tmp")
    text = json.dumps(document, indent=1)
    # One list a line.
    text = re.sub(r"\[[^\]]*\]", lambda found: " ".join(found.group().split()), text)
    temporary.write_text(text + "\n")
    temporary.replace(TARGET)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", default=",".join(MAX_ITER))
    parser.add_argument("--splits", type=int)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    document = json.loads(TARGET.read_text()) if TARGET.exists() else {"sets": {}}
    document.update(program="scikit-learn", version=sklearn.__version__, machine=platform.machine())
    means = arguments.data / "baselines.json"
    sections = json.loads(means.read_text()) if means.exists() else {}
    baselines = {**sections.get("small", {}), **sections.get("usps", {})}
    for name in arguments.sets.split(","):
        if name not in document["sets"]:
            document["sets"][name] = run_set(arguments.data, name, arguments.splits)
            write(document)
        if name in baselines and arguments.splits is None:
            check(name, document["sets"][name], baselines)


if __name__ == "__main__":
    main()
