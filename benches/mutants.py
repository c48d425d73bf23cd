#!/usr/bin/env python3
"""Adds a run of cargo-mutants to benches/results/mutants.json, from where CONTRIBUTING.md has its table.

    cargo mutants -p burn-nca-data --shard 0/40 --sharding round-robin --cap-lints true -o OUT
    python3 benches/mutants.py burn-nca-data 0/40 OUT/mutants.out

A shard is one mutant in so many, of all files. What its first run killed stays on record: tests that are written for the
survivors of a shard say nothing of the others. A survivor keeps its `why` where one was written: what makes it no other
program, or what kills it outside of the tests of its crate.
"""

import argparse
import json
from pathlib import Path

RESULTS = Path(__file__).resolve().parent / "results" / "mutants.json"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("crate")
    parser.add_argument("shard")
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    names = {
        kind: (args.out / f"{kind}.txt").read_text().splitlines()
        for kind in ("caught", "missed", "timeout", "unviable")
    }
    all_runs = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    runs = all_runs.setdefault(args.crate, {})
    earlier = runs.get(args.shard, {})
    before = {one["mutant"]: one["why"] for one in earlier.get("survived", [])}
    killed = len(names["caught"]) + len(names["timeout"])
    runs[args.shard] = {
        "first_killed": earlier.get("first_killed", killed),
        "killed": killed,
        "survived": [{"mutant": name, "why": before.get(name, "")} for name in names["missed"]],
        "no_program": len(names["unviable"]),
    }
    RESULTS.write_text(json.dumps(all_runs, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
