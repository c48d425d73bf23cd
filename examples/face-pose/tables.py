#!/usr/bin/env python3
"""Writes the tables of README.md from results/*.json and results/search/*.json, between markers.

    python3 examples/face-pose/tables.py
"""

import json
from pathlib import Path

HERE = Path(__file__).resolve().parent

# What an option of prototype.py is if it is not given.
DEFAULTS = {"steps": 3000, "pairs": 256, "learning_rate": 1e-3, "start_scale": 1.0, "seed": 0}


def read(folder):
    return [(path.stem, json.loads(path.read_text())) for path in sorted(folder.glob("*.json"))]


def scores(run):
    return run["test_scores"] or {"angle": float("nan"), "radius": float("nan")}


def errors(run, method):
    for row in run["errors"]:
        if row["method"] == method:
            return f"{row['error']['degrees']:.2f}° / {row['error']['pixels']:.2f}"
    return ""


def network(run):
    return run["settings"]["network"] + (", mirrored" if run["settings"]["mirror"] else "")


def main_table():
    lines = [
        "| faces | network | start | steps | seed | angle | distance | pairs, k-NN | PCA, k-NN | told poses, k-NN "
        "| told poses, outputs | seconds |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for _, run in read(HERE / "results"):
        score = scores(run)
        seconds = run["pairs"]["seconds"]
        lines.append(
            f"| {run['faces']['name'].split('-')[0]} | {network(run)} "
            f"| {run['settings']['plan']['start_scale']:g} | {run['pairs']['steps']} | {run['settings']['plan']['seed']} "
            f"| {score['angle']:.3f} | {score['radius']:.3f} | {errors(run, 'pairs, k-NN')} "
            f"| {errors(run, 'PCA, k-NN')} | {errors(run, 'told poses, k-NN')} "
            f"| {errors(run, 'told poses, its outputs')} | {seconds:.0f} |"
        )
    return lines


def search_table():
    lines = [
        "| run | options of `prototype.py` | loss | angle | distance | k-NN |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for name, run in read(HERE / "results" / "search"):
        options = []
        for key, value in run["settings"].items():
            if value is True:
                options.append(f"--{key.replace('_', '-')}")
            elif value is not False and value != DEFAULTS[key]:
                options.append(f"--{key.replace('_', '-')} {value}")
        lines.append(
            f"| {name} | `{' '.join(options) or '-'}` | {run['loss']:.3f} | {abs(run['angle']):.3f} "
            f"| {run['radius']:.3f} | {run['degrees']:.2f}° / {run['pixels']:.2f} |"
        )
    return lines


def replace(text, name, lines):
    start, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    before, rest = text.split(start)
    _, after = rest.split(end)
    return before + start + "\n\n" + "\n".join(lines) + "\n\n" + end + after


def main():
    readme = HERE / "README.md"
    text = readme.read_text()
    text = replace(text, "results", main_table())
    text = replace(text, "search", search_table())
    readme.write_text(text)


if __name__ == "__main__":
    main()
