#!/usr/bin/env python3
"""Keeps the results of the MNIST example's runs in benches/results/mnist.json, for tables.py.

    target/release/mnist --data DIR --encoder linear --raw --out runs/mnist-linear
    python3 benches/mnist.py runs/mnist-linear runs/mnist-mlp runs/mnist-cnn

A run takes the place of an earlier one of the same encoder; the others stay.
"""

import json
import sys
from pathlib import Path

TARGET = Path(__file__).resolve().parent / "results" / "mnist.json"


def main():
    if len(sys.argv) < 2:
        sys.exit(f"no run; give folders of the MNIST example, such as runs/mnist-linear\n{__doc__}")
    kept = json.loads(TARGET.read_text()) if TARGET.exists() else {}
    for folder in sys.argv[1:]:
        results = json.loads((Path(folder) / "results.json").read_text())
        kept[results["recipe"]["encoder"]] = results
    temporary = TARGET.with_suffix(".tmp")
    temporary.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
    temporary.replace(TARGET)
    print(f"{', '.join(sorted(kept))} in {TARGET}")


if __name__ == "__main__":
    main()
