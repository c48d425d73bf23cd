#!/usr/bin/env python3
"""Which penalty and which start serve networks, numeric targets and pairs: a split of each seed, by `nca fit`.

    cargo build --release --workspace && python3 benches/other_defaults.py --data DIR [--program NCA]

Networks of one hidden layer of 64 to two dimensions, 1-NN accuracy; numeric targets by MLKR with a square map, R² of the
kernel rule (of classified sets one feature is the target of the others); pairs of rows of one class, the share of
held-out partners among the ten nearest. Each set is standardized; the first setting of a task is the default. Every fit
is kept in benches/results/other-defaults.json, and the same command resumes after an interruption; `tables.py` writes the
tables of docs/results.md.
"""

import argparse
import csv
import json
import os
import random
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benches" / "results" / "other-defaults.json"
KEEL = ["--target", "label", "--ignore", "fold"]
WEIGHTS, SPREAD = ["--penalty", "weights"], ["--penalty", "spread"]
SCALED = ["--start-perplexity", "15"]
# Sets of which the first feature is predicted from the others.
MORE = ("bupa", "cleveland", "glass", "newthyroid", "vowel")
TASKS = {
    "networks": {
        "options": ["--encoder", "mlp", "--dim", "2", "--max-iterations", "100"],
        "measure": "nn_test",
        "sets": {"rings": [], **{f"keel/{name}.csv": KEEL for name in ("newthyroid", "cleveland", "pima", "bupa", "glass", "vehicle", "vowel")}},
        "settings": {
            "weights 0.001": ["--l2", "0.001", *WEIGHTS],
            "weights 0.001, px 15": ["--l2", "0.001", *WEIGHTS, *SCALED],
            "spread 0.01, px 15": ["--l2", "0.01", *SPREAD, *SCALED],
            "spread 0.001": ["--l2", "0.001", *SPREAD],
        },
    },
    "numbers": {
        "options": ["--task", "regression", "--max-iterations", "100"],
        "measure": "r2_test",
        "sets": {
            "housing.csv": [],
            "keel/pima.csv": ["--target", "f01", "--ignore", "fold,label"],
            "keel/vehicle.csv": ["--target", "f00", "--ignore", "fold,label"],
            **{f"keel/{name}.csv": ["--target", "f00", "--ignore", "fold,label"] for name in MORE},
        },
        "settings": {
            "weights 0.02": ["--l2", "0.02", *WEIGHTS],
            "weights 0.02, px 15": ["--l2", "0.02", *WEIGHTS, *SCALED],
            "spread 0.01": ["--l2", "0.01", *SPREAD],
            "spread 0.01, px 15": ["--l2", "0.01", *SPREAD, *SCALED],
            "spread 0.001, px 15": ["--l2", "0.001", *SPREAD, *SCALED],
        },
    },
    "pairs": {
        "options": ["--max-iterations", "100"],
        "measure": "recall_10_test",
        "sets": {"keel/glass.csv": ["label", "fold"], "keel/newthyroid.csv": ["label", "fold"], "ionosphere.csv": ["label"]},
        "settings": {
            "no penalty": ["--l2", "0"],
            "weights 0.01": ["--l2", "0.01", *WEIGHTS],
            "no penalty, px 15": ["--l2", "0", *SCALED],
            "spread 0.01": ["--l2", "0.01", *SPREAD],
            "spread 0.01, px 15": ["--l2", "0.01", *SPREAD, *SCALED],
        },
    },
}


def pairs_of(path, seed, folder):
    """A file of pairs of rows of one class: each row with two others, drawn by the seed."""
    draw = random.Random(seed)
    members = {}
    with open(path, newline="") as file:
        for number, row in enumerate(csv.DictReader(file), 1):
            members.setdefault(row["label"], []).append(number)
    lines = []
    for rows in members.values():
        for row in rows:
            others = [other for other in rows if other != row]
            lines += [f"{row},{other},1\n" for other in draw.sample(others, min(2, len(others)))]
    target = Path(folder) / "pairs.csv"
    target.write_text("".join(lines))
    return str(target)


def fit(program, data, options, measure):
    command = [program, "fit", data, "--no-tune", "--format", "json", "--quiet", *options]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    rows = report["comparison"]["rows"]
    euclidean = next((row[measure] for row in rows if row["method"] == "Euclidean"), None)
    return {"score": rows[-1][measure], "euclidean": euclidean, "iterations": report["iterations"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    parser.add_argument("--program", default=str(target / "release" / "nca"))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--tasks", nargs="+", default=list(TASKS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    runs = json.loads(arguments.out.read_text()) if arguments.out.exists() else []
    done = {(run["task"], run["set"], run["setting"], run["seed"]) for run in runs}
    for seed in range(arguments.seeds):
        for task in arguments.tasks:
            spec = TASKS[task]
            for name, given in spec["sets"].items():
                data = str(arguments.data / name) if name.endswith(".csv") else name
                with tempfile.TemporaryDirectory() as folder:
                    if task == "pairs":
                        ignored = [f"--ignore={','.join(given)}", "--pairs", pairs_of(data, seed, folder)]
                    for setting, options in spec["settings"].items():
                        key = (task, name, setting, seed)
                        if key in done:
                            continue
                        options = [*spec["options"], *(ignored if task == "pairs" else given), *options, "--seed", str(seed)]
                        found = fit(arguments.program, data, options, spec["measure"])
                        runs.append(dict(zip(("task", "set", "setting", "seed"), key)) | found)
                        temporary = arguments.out.with_suffix(".tmp")
                        temporary.write_text("[\n" + ",\n".join(json.dumps(run) for run in runs) + "\n]\n")
                        temporary.replace(arguments.out)


if __name__ == "__main__":
    main()
