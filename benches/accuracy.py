#!/usr/bin/env python3
"""Held-out 1-NN accuracy of `nca fit SET --dim 2 --seed 0..9`, of what it chooses and of the baselines that it fits.

    cargo build --release -p burn-nca-cli && python3 benches/accuracy.py

Writes benches/results/accuracy.json.
"""

import json
import os
import statistics
import subprocess
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NCA = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "nca"
SEEDS = range(10)
BASELINES = ("Euclidean", "PCA", "LDA")


def main():
    rows = []
    for name in ("iris", "wine", "balance", "rings", "digits"):
        found, chosen = {}, Counter()
        for seed in SEEDS:
            command = [str(NCA), "fit", name, "--dim", "2", "--seed", str(seed), "--format", "json", "--quiet"]
            report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            scores = {row["method"].split(",")[0]: row["nn_test"] for row in report["comparison"]["rows"]}
            network = report["tuning"]["trials"][0]["network"]
            chosen["network" if network else report["method"]] += 1
            for method in BASELINES:
                found.setdefault(method, []).append(scores[method])
            found.setdefault("chosen", []).append(scores[report["method"]])
        row = {"data": name, "splits": len(SEEDS), "methods": chosen}
        for method, values in found.items():
            row[method] = {
                "mean": statistics.mean(values),
                "standard_error": statistics.stdev(values) / len(values) ** 0.5,
            }
        rows.append(row)
        print(name, {m: round(100 * row[m]["mean"], 1) for m in found}, dict(chosen))
    target = ROOT / "benches" / "results" / "accuracy.json"
    temporary = target.with_suffix(".tmp")
    temporary.write_text(json.dumps(rows, indent=1) + "\n")
    temporary.replace(target)


if __name__ == "__main__":
    main()
