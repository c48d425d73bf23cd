#!/usr/bin/env python3
"""Writes the table of README.md from results/*.json, between markers.

    python3 examples/face-pose/tables.py
"""

import json
from pathlib import Path

HERE = Path(__file__).resolve().parent

# The runs that the README shows; the others are in the folder.
SHOWN = (
    "lfw-cnn-mirrored", "lfw-cnn", "lfw-mlp-start-10", "lfw-mlp-start-10-seed-1", "lfw-mlp-short", "synthetic-mlp",
    "synthetic-mlp-start-1", "synthetic-mlp-start-10",
)


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
        "| faces | network | start | steps | seed | angle | distance | pairs, k-NN | PCA, k-NN | supervised |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    runs = dict(read(HERE / "results"))
    for run in (runs[name] for name in SHOWN):
        score, plan = scores(run), run["settings"]["plan"]
        lines.append(
            f"| {run['faces']['name'].split('-')[0]} | {network(run)} | {plan['start_scale']:g} | {run['pairs']['steps']} "
            f"| {plan['seed']} | {score['angle']:.3f} | {score['radius']:.3f} | {errors(run, 'pairs, k-NN')} "
            f"| {errors(run, 'PCA, k-NN')} | {errors(run, 'supervised poses, network outputs')} |"
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
    readme.write_text(text)


if __name__ == "__main__":
    main()
