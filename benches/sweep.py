#!/usr/bin/env python3
"""Time and memory of one value and gradient against n, k, block size and device.

    cargo build --release -p benches && python3 benches/sweep.py [--memory]

Writes benches/results/sweep.json (with --memory: memory.json, up to 60000 x 784 -> 32, several minutes).
"""

import argparse
import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MEASURE = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "measure"


def measure(**options):
    flags = [f for name, value in options.items() for f in (f"--{name}", str(value))]
    run = subprocess.run([str(MEASURE), "value-gradient", *flags], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        print(f"left out {options}: {run.stderr.strip().splitlines()[-1]}")
        return None
    return json.loads(run.stdout)


def write(name, rows):
    target = ROOT / "benches" / "results" / name
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_suffix(".tmp")
    temporary.write_text(json.dumps(rows, indent=1) + "\n")
    temporary.replace(target)
    print(f"written to {target.relative_to(ROOT)}")


def show(row):
    block = row["block"] or "auto"
    print(
        f"{row['device']:8} n {row['points']:6} d {row['features']:4} k {row['dim']:3} block {block!s:5}"
        f" {row['seconds']:9.4f} s {row['peak_mib']:8.0f} MiB"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memory", action="store_true", help="peak memory against n instead of time")
    if parser.parse_args().memory:
        cases = [{"points": n, "features": 784, "dim": 32, "repeat": 1} for n in (10000, 20000, 30000, 60000)]
        name = "memory.json"
    else:
        cases = [
            {"points": n, "dim": k, "repeat": 20 if n <= 2000 else 3}
            for n in (500, 1000, 2000, 5000, 10000)
            for k in (2, 32)
        ]
        cases += [{"points": 5000, "block": rows, "repeat": 5} for rows in (16, 64, 256, 1024)]
        cases += [{"points": 2000, "device": device, "repeat": 3} for device in ("flex", "ndarray", "wgpu")]
        name = "sweep.json"
    rows = []
    for case in cases:
        row = measure(**case)
        if row is not None:
            rows.append(row)
            show(row)
    write(name, rows)


if __name__ == "__main__":
    main()
