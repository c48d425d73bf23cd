#!/usr/bin/env python3
"""Writes the README's tables from benches/results/*.json, between the markers `<!-- results -->` and
`<!-- /results -->`.

    python3 benches/tables.py
"""

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benches" / "results"


def read(name):
    path = RESULTS / name
    return json.loads(path.read_text()) if path.exists() else None


def peers():
    report = read("peers.json")
    if report is None:
        return []
    lines = [
        f"Value and gradient of f over all points, random data, 10 classes, {report['machine']['cores']} cores, "
        f"scikit-learn {report['sklearn']} (f64) timed in the same run "
        "(`python3 benches/peers/compare.py`). Ratio: scikit-learn's time over ours.",
        "",
        "| n | d | k | scikit-learn, ms | ours f32, ms | ratio | ours f64, ms | ratio |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in report["value_gradient"]:
        lines.append(
            f"| {row['points']} | {row['features']} | {row['dim']} | {1e3 * row['seconds_sklearn']:.1f} "
            f"| {1e3 * row['seconds_f32']:.1f} | {row['ratio_f32']:.1f} "
            f"| {1e3 * row['seconds_f64']:.1f} | {row['ratio_f64']:.1f} |"
        )
    lines.append("")
    for row in report["fit"]:
        peer, ours, whole = row["sklearn"], row["until_sklearn_f"], row["whole_fit"]
        reached = "reach it" if ours["f"] >= peer["f"] else "do not reach it"
        lines += [
            f"A whole fit of the bundled digits (all 1797 rows, standardised, 64 features) to k = {row['dim']}: "
            f"scikit-learn takes {peer['seconds']:.1f} s to f = {peer['f']:.1f}; we {reached} "
            f"(f = {ours['f']:.1f}) in {ours['seconds']:.1f} s, {row['ratio']:.1f} times as fast, and end at "
            f"f = {whole['f']:.1f} after {whole['seconds']:.1f} s.",
            "",
        ]
    return lines


def memory():
    rows = read("memory.json")
    if not rows:
        return []
    cells = ", ".join(f"{row['peak_mib']:.0f} MiB at n = {row['points']}" for row in rows)
    return [
        "Peak memory of the whole process for value and gradient, 784 features to k = 32, f32, features included "
        f"(`python3 benches/sweep.py --memory`): {cells}. It grows linearly with n.",
        "",
    ]


def accuracy():
    rows = read("accuracy.json")
    if not rows:
        return []
    methods = ["Euclidean", "PCA", "LDA", "NCA"]
    lines = [
        f"Held-out 1-NN accuracy in %, mean and standard error over {rows[0]['splits']} stratified 70/30 splits "
        "(`nca fit SET --dim 2 --seed 0` to `9`, `python3 benches/accuracy.py`): all features by Euclidean distance, "
        "and two dimensions by PCA, LDA and NCA with its default settings (f, no penalty).",
        "",
        "| set | " + " | ".join(methods) + " |",
        "|---|" + "---:|" * len(methods),
    ]
    for row in rows:
        cells = [f"{100 * row[m]['mean']:.1f} ± {100 * row[m]['standard_error']:.1f}" for m in methods]
        lines.append(f"| {row['data']} | " + " | ".join(cells) + " |")
    lines.append("")
    return lines


def main():
    readme = ROOT / "README.md"
    text = readme.read_text()
    start, end = "<!-- results -->", "<!-- /results -->"
    before, rest = text.split(start, 1)
    after = rest.split(end, 1)[1] if end in rest else rest
    body = "\n".join(["", *accuracy(), *peers(), *memory()])
    temporary = readme.with_suffix(".tmp")
    temporary.write_text(f"{before}{start}\n{body}{end}{after}")
    temporary.replace(readme)


if __name__ == "__main__":
    main()
