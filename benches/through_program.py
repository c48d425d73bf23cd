"""Predictions through the program `nca`, for the scripts of this folder."""

import csv
import json
import subprocess
import tempfile
import time
from pathlib import Path


def call(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stdout


def predicted(program, header, parts, options, rule=()):
    """The rows that are predicted for the second of the parts by a fit of the first, the seconds of the fit, and its report."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part, rows in zip(("train", "test"), parts):
            with open(folder / f"{part}.csv", "w", newline="") as file:
                csv.writer(file).writerows([header] + rows)
        fit = ["--test-size", "0", "--no-baselines", "-q", "--out", folder / "m", *options]
        started = time.perf_counter()
        call(program, "fit", folder / "train.csv", *fit)
        seconds = time.perf_counter() - started
        lines = call(program, "predict", folder / "m", folder / "test.csv", *rule).splitlines()
        report = json.loads((folder / "m" / "report.json").read_text())
    return list(csv.DictReader(lines)), seconds, report
