#!/usr/bin/env python3
"""Every method for classes on the same splits of the bundled sets, through the program `nca`: the table of the guide's
page that compares them. Resumes where it was interrupted.

    python3 benches/methods.py target/release/nca benches/results/methods.json
"""

import json
import subprocess
import sys
from pathlib import Path

SETS = ["iris", "wine", "balance", "noisy-xor:alpha=.5,rows=400"]
SEEDS = 3

# The name in the table, and the options.
METHODS = {
    "euclidean": ["--method", "euclidean"],
    "whitening": ["--method", "whitening"],
    "rca": ["--method", "rca"],
    "lda": ["--method", "lda"],
    "nca, f": ["--method", "nca", "--objective", "f", "--l2", "0"],
    "nca": ["--method", "nca", "--no-tune"],
    "lmnn": ["--method", "lmnn"],
    "lca": ["--method", "lca"],
    "lca-classifier": ["--method", "lca-classifier"],
    "vsm": ["--method", "vsm"],
    "gvsm": ["--method", "gvsm"],
    "ncfs": ["--method", "ncfs"],
}


def cell(program, data, name, seed):
    command = [program, "fit", data, *METHODS[name], "--neighbors", "3", "--seed", str(seed), "-q", "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")
    report = json.loads(done.stdout)
    last = report["comparison"]["rows"][-1]
    names = ("dimension", "knn_test", "nn_train")
    return {"set": data, "method": name, "seed": seed, "seconds": report["seconds"], **{key: last[key] for key in names}}


def main():
    program, file = sys.argv[1], Path(sys.argv[2])
    cells = json.loads(file.read_text())["cells"] if file.exists() else []
    there = {(found["set"], found["method"], found["seed"]) for found in cells}
    for seed in range(SEEDS):
        for data in SETS:
            for name in METHODS:
                if (data, name, seed) not in there:
                    cells.append(cell(program, data, name, seed))
                    temporary = file.with_suffix(".tmp")
                    temporary.write_text(json.dumps({"cells": cells}, indent=1) + "\n")
                    temporary.replace(file)


if __name__ == "__main__":
    main()
