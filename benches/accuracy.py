#!/usr/bin/env python3
"""Held-out 1-NN accuracy of `nca fit SET --dim 2 --seed 0..9`, compared with the baselines the program fits.

    cargo build --release --workspace && python3 benches/accuracy.py

Writes benches/results/accuracy.json.
"""

import json
import os
import statistics
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NCA = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "nca"
SEEDS = range(10)


def main():
    rows = []
    for name in ("iris", "wine", "balance", "rings", "digits"):
        found = {}
        for seed in SEEDS:
            command = [str(NCA), "fit", name, "--dim", "2", "--seed", str(seed), "--format", "json", "--quiet"]
            report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            comparison = report["comparison"]
            for row in comparison["rows"] if isinstance(comparison, dict) else comparison:
                found.setdefault(row["method"].split(",")[0], []).append(row["nn_test"])
        row = {"data": name, "splits": len(SEEDS)}
        for method, values in found.items():
            row[method] = {
                "mean": statistics.mean(values),
                "standard_error": statistics.stdev(values) / len(values) ** 0.5,
            }
        rows.append(row)
        print(name, {m: round(100 * row[m]["mean"], 1) for m in found})
    target = ROOT / "benches" / "results" / "accuracy.json"
    temporary = target.with_suffix(".tmp")
    temporary.write_text(json.dumps(rows, indent=1) + "\n")
    temporary.replace(target)


if __name__ == "__main__":
    main()
