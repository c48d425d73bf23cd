#!/usr/bin/env python3
"""Counts the mutants of a crate that tests kill: benches/results/mutants.json, from where CONTRIBUTING.md has its table.

    python3 benches/mutants.py burn-nca 1/60     # the mutants 1, 61, 121, ... of the list of `cargo mutants`

Each is applied to a clone of this checkout's head, below the build folder, and tried by the crate's own tests; what they let
live, by those of the crates above it. A run that was stopped goes on where it was. `--survivors` tries those on record again,
after tests were written for them: "killed first" stays what it was, as such tests say nothing of other mutants. A survivor
keeps its `why` where one was written into the file: what makes it no other program, or what kills it elsewhere.
"""

import argparse
import json
import os
import signal
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benches" / "results" / "mutants.json"
BUILD = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "mutants"
TREE = BUILD / "tree"
ACCEPTANCE = ["-p", "acceptance", "--features", "acceptance/train"]
LEARN = ["-p", "burn-nca-deep", "-p", "burn-nca-learn", "--lib"]
BACKENDS = ["-p", "acceptance", "--features", "acceptance/backends", "--test", "backends"]

# The tests of a crate, first those that are built soonest.
STAGES = {
    "burn-nca-data": [["-p", "burn-nca-data", "--features", "readers,parquet"]],
    "burn-nca": [["-p", "burn-nca", "--lib", "--features", "flex,fourier"], ACCEPTANCE, LEARN],
    "burn-nca-fused": [["-p", "burn-nca-fused", "--features", "burn,flex,fourier"], ACCEPTANCE, LEARN],
}
# Folders whose code no other tests compile.
APART = {"crates/burn-nca-fused/src/operation/cube/": [BACKENDS]}
# Mutants are built often and run once.
QUICK = ["--config", "profile.dev.package.burn-nca-fused.opt-level=1"]
SECONDS = 900


def cargo(*arguments):
    """The exit status of cargo in the clone; none after so many seconds."""
    environment = {**os.environ, "CARGO_TARGET_DIR": str(BUILD / "build"), "RUSTFLAGS": "--cap-lints=allow"}
    command = ["cargo", *QUICK, *arguments]
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, cwd=TREE, env=environment, start_new_session=True, **quiet)
    try:
        return process.wait(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return None


def verdict(stages):
    """`no program`, or the packages whose tests kill the mutant in the clone, or nothing."""
    for number, stage in enumerate(stages):
        if cargo("test", "--locked", "--no-run", *stage) != 0:
            return "no program"
        if cargo("test", "--locked", *stage) != 0:
            return "own tests" if number == 0 else "tests above"
    return None


def stages(crate, file):
    """The tests of a mutant in a file of a crate."""
    apart = (found for folder, found in APART.items() if file.startswith(folder))
    return next(apart, STAGES[crate])


def git(*arguments, text=None):
    subprocess.run(["git", *arguments], cwd=TREE, input=text, text=True, check=True)


def mutants(crate):
    """All mutants of a crate: the name of each and the patch that makes it."""
    command = ["cargo", "mutants", "-p", crate, "--list", "--json", "--diff"]
    listed = subprocess.run(command, cwd=TREE, capture_output=True, text=True, check=True).stdout
    return [(one["name"], one["file"], one["diff"]) for one in json.loads(listed)]


def change(name):
    """What a mutant's name says without the place, which moves with the lines above."""
    return name.split(": ", 1)[1]


def patched(file, diff):
    """Applies the patch of a mutant; its head has the mutant's name where a file's belongs."""
    hunks = diff.split("\n", 2)[2]
    git("apply", "--recount", "--unidiff-zero", "-", text=f"--- a/{file}\n+++ b/{file}\n{hunks}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("crate", choices=STAGES)
    parser.add_argument("share", help="FIRST/STEP: every so many of them, from the first on")
    parser.add_argument("--survivors", action="store_true", help="only those on record that live and have no reason")
    args = parser.parse_args()
    if not TREE.exists():
        subprocess.run(["git", "clone", "--quiet", "--shared", str(ROOT), str(TREE)], check=True)
    git("fetch", "--quiet", "origin", "HEAD")
    git("reset", "--quiet", "--hard", "FETCH_HEAD")
    all_runs = json.loads(RESULTS.read_text())
    empty = {"first_killed": 0, "killed": 0, "survived": [], "no_program": 0}
    run = all_runs.setdefault(args.crate, {}).setdefault(args.share, empty)
    first, step = (int(number) for number in args.share.split("/"))
    chosen = mutants(args.crate)
    if args.survivors:
        lived = {change(one["mutant"]) for one in run["survived"] if not one["why"]}
        chosen = [one for one in chosen if change(one[0]) in lived]
    else:
        chosen = chosen[first::step][run["killed"] + len(run["survived"]) + run["no_program"] :]
    # Several places of a function may have mutants of one name: none of them may live.
    verdicts = {}
    for name, file, diff in chosen:
        patched(file, diff)
        found = verdict(stages(args.crate, file))
        git("checkout", "--quiet", ".")
        print(f"{found or 'LIVES'}: {name}", flush=True)
        if args.survivors:
            verdicts.setdefault(change(name), []).append(found)
            continue
        count(run, found)
        if not found:
            run["survived"].append({"mutant": name, "why": ""})
        run["first_killed"] += found in ("own tests", "tests above")
        save(all_runs)
    for name, found in verdicts.items():
        if all(found):
            run["survived"] = [one for one in run["survived"] if change(one["mutant"]) != name]
            count(run, max(found))
    save(all_runs)


def count(run, found):
    """Counts a mutant that does not live."""
    if found:
        run["no_program" if found == "no program" else "killed"] += 1


def save(all_runs):
    RESULTS.write_text(json.dumps(all_runs, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
