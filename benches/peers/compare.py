#!/usr/bin/env python3
"""Times scikit-learn's NCA, the same in PyTorch, and burn-nca side by side and prints ratios.

All are timed in turn, round by round, in one run on one machine, so that a ratio holds when the machine's
speed drifts. Needs scikit-learn, and PyTorch for its column; the Rust side is `cargo build --release --workspace`, or the
shorter one of benches/README.md.

    python3 benches/peers/compare.py [--pairs 5] [--quick]

Results are written to benches/results/peers.json, from which the README's table is made.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import sklearn
from sklearn.datasets import load_digits
from sklearn.neighbors import NeighborhoodComponentsAnalysis
from sklearn.preprocessing import StandardScaler

try:
    import torch
except ImportError:
    torch = None

ROOT = Path(__file__).resolve().parents[2]
MEASURE = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "measure"


def measure(*arguments):
    line = subprocess.run([str(MEASURE), *map(str, arguments)], check=True, capture_output=True, text=True)
    return json.loads(line.stdout)


def sklearn_value_gradient(n, d, k, classes, repeat):
    rng = np.random.default_rng(1)
    x = rng.uniform(-1, 1, (n, d))
    y = np.sort(np.arange(n) % classes)
    mask = y[:, None] == y[None, :]
    a = rng.uniform(-0.3, 0.3, (k, d))
    nca = NeighborhoodComponentsAnalysis(n_components=k)
    nca.n_iter_ = 1
    seconds = []
    for run in range(repeat + 1):
        started = time.perf_counter()
        nca._loss_grad_lbfgs(a.ravel(), x, mask, -1.0)
        if run:
            seconds.append(time.perf_counter() - started)
    return statistics.median(seconds)


def torch_value_gradient(n, d, k, classes, repeat, device="cpu"):
    """f as one writes it in PyTorch: all n x n probabilities in memory, distances by a matrix product, f32."""
    rng = np.random.default_rng(1)
    x = torch.from_numpy(rng.uniform(-1, 1, (n, d)).astype(np.float32)).to(device)
    y = (torch.arange(n) % classes).to(device)
    same = y[:, None] == y[None, :]
    a = torch.from_numpy(rng.uniform(-0.3, 0.3, (k, d)).astype(np.float32)).to(device).requires_grad_()
    seconds = []
    for run in range(repeat + 1):
        started = time.perf_counter()
        a.grad = None
        z = x @ a.T
        squares = (z * z).sum(1)
        logits = 2.0 * z @ z.T - squares[:, None] - squares[None, :]
        logits.diagonal().fill_(-torch.inf)
        (-(torch.softmax(logits, 1) * same).sum()).backward()
        a.grad.cpu()  # a GPU is waited for
        if run:
            seconds.append(time.perf_counter() - started)
    return statistics.median(seconds)


PEERS = {"sklearn": sklearn_value_gradient, "torch": torch_value_gradient}


def peak_mib(peer, n, d, k):
    """The peak memory of a process that evaluates a peer once."""
    code = subprocess.run([sys.executable, __file__, "--peer", peer, *map(str, (n, d, k))], check=True,
                          capture_output=True, text=True)
    return float(code.stdout)


def compare_value_gradient(n, d, k, pairs):
    rows = {"sklearn": [], "f32": [], "f64": [], "plain": [], "plain_f64": [], "torch": []}
    peaks = {}
    repeat = 20 if n <= 2000 else 5
    common = ["value-gradient", "--points", n, "--features", d, "--dim", k, "--repeat", repeat]
    for _ in range(pairs):
        rows["sklearn"].append(sklearn_value_gradient(n, d, k, 10, repeat if n < 10000 else 2))
        if torch:
            rows["torch"].append(torch_value_gradient(n, d, k, 10, repeat if n < 10000 else 2))
        for name, options in (("f32", []), ("f64", ["--double"]), ("plain", ["--plain"]),
                              ("plain_f64", ["--plain", "--double"])):
            found = measure(*common, *options)
            rows[name].append(found["seconds"])
            peaks[name] = found["peak_mib"]
    peaks["sklearn"] = peak_mib("sklearn", n, d, k)
    if torch:
        peaks["torch"] = peak_mib("torch", n, d, k)
    result = {"points": n, "features": d, "dim": k}
    result.update((f"peak_mib_{name}", peak) for name, peak in peaks.items())
    for name, seconds in rows.items():
        if seconds:
            result[f"seconds_{name}"] = statistics.median(seconds)
    for name, peer, ours in (("f32", "sklearn", "f32"), ("f64", "sklearn", "f64"), ("torch", "torch", "f32"),
                              ("plain", "plain", "f32")):
        ratios = [theirs / own for theirs, own in zip(rows[peer], rows[ours])]
        if ratios:
            result[f"ratio_{name}"] = statistics.median(ratios)
            result[f"ratio_{name}_range"] = [min(ratios), max(ratios)]
    return result


def sklearn_fit(x, y, k, max_iter):
    nca = NeighborhoodComponentsAnalysis(n_components=k, init="auto", max_iter=max_iter, tol=1e-5, random_state=0)
    started = time.perf_counter()
    nca.fit(x, y)
    seconds = time.perf_counter() - started
    mask = y[:, None] == y[None, :]
    loss, _ = nca._loss_grad_lbfgs(nca.components_.ravel(), x, mask, 1.0)
    return seconds, float(loss), int(nca.n_iter_)


def compare_fit(k, pairs, max_iter=100):
    digits = load_digits()
    x = StandardScaler().fit_transform(digits.data)
    y = digits.target
    peer, ours = [], {"f64": [], "f32": []}
    for _ in range(pairs):
        peer.append(sklearn_fit(x, y, k, max_iter))
        for name, options in (("f64", ["--double"]), ("f32", [])):
            until = ["--max-iterations", 400, "--until", peer[-1][1]]
            ours[name].append(measure("fit", "digits", "--dim", k, *until, *options))
    seconds, f, iterations = (statistics.median(column) for column in zip(*peer))
    report = {"data": "digits", "dim": k, "sklearn": {"seconds": seconds, "f": f, "iterations": iterations}}
    for name, fits in ours.items():
        ratios = [theirs[0] / own["seconds"] for theirs, own in zip(peer, fits)]
        report[name] = {
            "seconds": statistics.median(fit["seconds"] for fit in fits),
            "reached": all(own["f"] >= theirs[1] for theirs, own in zip(peer, fits)),
            "f": fits[-1]["f"],
            "iterations": fits[-1]["iterations"],
            "ratio": statistics.median(ratios),
            "ratio_range": [min(ratios), max(ratios)],
        }
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="small sizes only")
    parser.add_argument("--peer", nargs=4, metavar=("NAME", "N", "D", "K"), help="print the peak memory of one peer")
    arguments = parser.parse_args()
    if arguments.peer:
        name, (n, d, k) = arguments.peer[0], map(int, arguments.peer[1:])
        PEERS[name](n, d, k, 10, 1)
        # Not ru_maxrss, which begins with what the process had that started this one.
        status = Path("/proc/self/status").read_text()
        print(int(status.split("VmHWM:")[1].split()[0]) / 1024)
        return
    sizes = [(500, 64, 2), (1797, 64, 2)] if arguments.quick else [
        (500, 64, 2), (1797, 64, 2), (1797, 64, 32), (5000, 64, 2), (5000, 64, 32), (10000, 64, 2),
    ]
    report = {
        "machine": {"processor": platform.machine(), "cores": os.cpu_count(), "load": os.getloadavg()[0]},
        "sklearn": sklearn.__version__,
        "numpy": np.__version__,
        "torch": torch.__version__ if torch else None,
        "value_gradient": [],
        "fit": [],
    }
    print(f"scikit-learn {sklearn.__version__}, {os.cpu_count()} cores; ratio = scikit-learn / burn-nca")
    print(f"{'n':>6} {'d':>4} {'k':>4} {'sklearn s':>10} {'f32 s':>9} {'ratio':>7} {'f64 s':>9} {'ratio':>7}")
    for n, d, k in sizes:
        row = compare_value_gradient(n, d, k, max(1, arguments.pairs if n <= 5000 else 2))
        report["value_gradient"].append(row)
        print(
            f"{n:6} {d:4} {k:4} {row['seconds_sklearn']:10.4f} {row['seconds_f32']:9.4f} {row['ratio_f32']:7.1f}"
            f" {row['seconds_f64']:9.4f} {row['ratio_f64']:7.1f}   plain f32 {row['seconds_plain']:.4f} s"
            + (f"   PyTorch {row['seconds_torch']:.4f} s, {row['ratio_torch']:.1f} times burn-nca's f32" if torch else "")
        )
    row = compare_fit(2, max(1, arguments.pairs // 2))
    report["fit"].append(row)
    print(f"fit of digits to k = 2: scikit-learn {row['sklearn']['seconds']:.2f} s (f = {row['sklearn']['f']:.1f})")
    for name in ("f64", "f32"):
        ours, verb = row[name], "reaches it" if row[name]["reached"] else "ends"
        print(f"  burn-nca {name} {verb} at f = {ours['f']:.1f} in {ours['seconds']:.2f} s: ratio {ours['ratio']:.1f}")
    target = ROOT / "benches" / "results" / "peers.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_suffix(".tmp")
    temporary.write_text(json.dumps(report, indent=1) + "\n")
    temporary.replace(target)
    print(f"written to {target.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
