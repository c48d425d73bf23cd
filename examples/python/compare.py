#!/usr/bin/env python3
"""burn_nca compared with scikit-learn's NCA: accuracy, seconds and peak memory of the same fits, and a picture.

    pip install burn-nca matplotlib        # or the wheel of crates/burn-nca-python
    python3 examples/python/compare.py      # writes compare.md and compare.png next to itself

Each fit runs in a process of its own, so that peak memory is its own: the largest resident set less that before the
fit. Every set is standardized on its training rows and reduced to few dimensions from the same start (PCA), with
scikit-learn's defaults (criterion f, 50 steps); accuracy is 3-NN's on the test rows. `letters` is a mixture of
Gaussians of the size of the letters data (20000 rows, 16 features, 26 classes), of which as many are taken as
scikit-learn's n x n matrices leave room for. Seconds are those of the clock, and of all cores together (CPU), which say
more where the machine has other work: the load before each fit is listed next to them.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits, load_wine, make_blobs
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

SETS = {"wine": 2, "digits": 2, "letters-4000": 8, "letters": 8}
PEERS = ["scikit-learn", "burn_nca f64", "burn_nca f32", "burn_nca g, l2 0.01"]
# scikit-learn would hold several matrices of 14000 x 14000 doubles: more than 6 GB.
LEFT_OUT = {("letters", "scikit-learn")}


def data(name):
    if name == "wine":
        X, y = load_wine(return_X_y=True)
    elif name == "digits":
        X, y = load_digits(return_X_y=True)
    else:
        rows = 20000 if name == "letters" else int(name.removeprefix("letters-"))
        # Four clusters a class, which overlap.
        X, cluster = make_blobs(rows, 16, centers=104, cluster_std=4.0, random_state=0)
        y = cluster % 26
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)
    scaler = StandardScaler().fit(X)
    return scaler.transform(X), scaler.transform(X_test), y, y_test


def estimator(peer, k):
    settings = {"n_components": k, "init": "pca", "random_state": 0}
    if peer == "scikit-learn":
        from sklearn.neighbors import NeighborhoodComponentsAnalysis

        return NeighborhoodComponentsAnalysis(**settings)
    from burn_nca import NeighborhoodComponentsAnalysis

    settings["dtype"] = "float32" if "f32" in peer or "g," in peer else "float64"
    if "g," in peer:
        settings.update(criterion="g", l2=0.01)
    return NeighborhoodComponentsAnalysis(**settings)


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def one(name, peer):
    """One fit; prints what is measured as JSON."""
    warnings.simplefilter("ignore")
    X, X_test, y, y_test = data(name)
    model = estimator(peer, SETS[name])
    load = os.getloadavg()[0]
    before, started, cpu = peak(), time.perf_counter(), time.process_time()
    model.fit(X, y)
    seconds, megabytes = time.perf_counter() - started, peak() - before
    cpu = time.process_time() - cpu
    z, z_test = model.transform(X), model.transform(X_test)
    knn = KNeighborsClassifier(3).fit(z, y)
    result = {
        "set": name,
        "peer": peer,
        "rows": len(X),
        "accuracy": float(knn.score(z_test, y_test)),
        "raw": float(KNeighborsClassifier(3).fit(X, y).score(X_test, y_test)),
        "f": float(f(z.astype(np.float64), y)) if len(z) <= 4000 else None,
        "steps": int(model.n_iter_),
        "seconds": seconds,
        "cpu": cpu,
        "load": load,
        "megabytes": megabytes,
    }
    if name == "digits":
        result["z"], result["y"] = z_test.tolist(), y_test.tolist()
    print(json.dumps(result))


def f(z, y):
    """The mean probability that a row is classified correctly, in the plainest way."""
    total = 0.0
    for i in range(len(z)):
        d = ((z - z[i]) ** 2).sum(axis=1)
        d[i] = np.inf
        p = np.exp(d.min() - d)
        total += p[y == y[i]].sum() / p.sum()
    return total / len(z)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--one", nargs=2, metavar=("SET", "PEER"), help="a single fit, as JSON")
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    options = parser.parse_args()
    if options.one:
        return one(*options.one)
    results = []
    for name in options.sets:
        for peer in PEERS:
            if (name, peer) in LEFT_OUT:
                continue
            command = [sys.executable, __file__, "--one", name, peer]
            run = subprocess.run(command, capture_output=True, text=True, check=True)
            results.append(json.loads(run.stdout))
            print(row(results[-1]), flush=True)
        (options.out / "compare.md").write_text(table(results))
        if name == "digits":
            picture([result for result in results if result["set"] == "digits"], options.out / "compare.png")


def row(result):
    f = "-" if result["f"] is None else f"{result['f']:.4f}"
    return (
        f"| {result['set']} | {result['peer']} | {100 * result['accuracy']:.1f} | {f} | {result['steps']} | {result['seconds']:.2f} | {result['cpu']:.2f} "
        f"| {result['megabytes']:.0f} | {result['load']:.1f} |"
    )


def table(results):
    head = (
        "| set | program | 3-NN, % | f, training | steps | seconds | CPU s | peak, MB | load |\n"
        "|---|---|---|---|---|---|---|---|---|\n"
    )
    import sklearn

    import burn_nca

    versions = f"scikit-learn {sklearn.__version__}, burn_nca {burn_nca.__version__}, {os.cpu_count()} cores.\n\n"
    return versions + head + "".join(f"{row(result)}\n" for result in results)


def picture(results, path):
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(results), figsize=(4 * len(results), 4))
    for axis, result in zip(axes, results):
        z = np.array(result["z"])
        axis.scatter(z[:, 0], z[:, 1], c=result["y"], cmap="tab10", s=8)
        axis.set_title(f"{result['peer']}\n3-NN {100 * result['accuracy']:.1f} %, {result['seconds']:.1f} s")
        axis.set_xticks([])
        axis.set_yticks([])
    figure.suptitle("Digits: test rows in two dimensions")
    figure.tight_layout()
    figure.savefig(path, dpi=90)


if __name__ == "__main__":
    main()
