"""Runs the fuzz targets for longer than a test can, and adds up how long each was run.

    python3 benches/fuzz.py SECONDS [--runners 2] [--only NAME ...] [--results benches/results/fuzz.json]
    python3 benches/fuzz.py --each 60 --tests-build --results FILE       # a minute each, as the tests are built

The targets are tests (`crates/*/tests/**/fuzz*`) that damage files by a seed; `cargo test` runs a few hundred of each. Here
they are built optimized, with debug assertions and checks for overflow as in a test, and run in turns, the one with the
least processor time first, each time with another seed, until SECONDS are over or until each has had so many processor
seconds. The results hold processor seconds, files and runs of each target over all calls. A target that fails is named
with its seed, its output is kept in target/fuzz, and the exit code is 1.
"""

import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Name: the package, its test binary, the test.
TARGETS = {
    "CSV": ("burn-nca-data", "fuzz", "csv_files"),
    "IDX": ("burn-nca-data", "fuzz", "idx_files"),
    "NPY": ("burn-nca-data", "fuzz", "npy_files"),
    "NPZ": ("burn-nca-data", "fuzz", "npz_files"),
    "Matrix Market": ("burn-nca-data", "fuzz", "matrix_market_files"),
    "pairs": ("burn-nca-data", "fuzz", "pair_lists"),
    "splits": ("burn-nca-data", "fuzz", "splits"),
    "model folder": ("burn-nca-learn", "fuzz", "damaged_models"),
    "report, by the program": ("burn-nca-cli", "nca", "fuzz::a_damaged_report_is_drawn_or_refused"),
    "model, by the program": ("burn-nca-cli", "nca", "fuzz::a_damaged_model_answers_or_is_refused"),
    "Parquet": ("burn-nca-data", "fuzz", "parquet_files"),
    "Arrow": ("burn-nca-data", "fuzz", "arrow_files"),
}
# These need the feature `parquet`.
COLUMNAR = {"Parquet", "Arrow"}
OPTIMIZED = [
    "burn-nca", "burn-nca-deep", "burn-nca-learn", "burn-nca-data", "burn-nca-files", "burn-nca-program", "burn-nca-report",
    "burn-nca-cli",
]
# Of the clock, that a run of a target should take.
RUN_SECONDS = 60
# In however short a run: the program's targets expect that some damage does no harm.
LEAST_FILES = 20


def build(optimized, columnar):
    """Builds the test binaries; the path of each by package and name."""
    # The packages that `cargo test` takes, so that what it has built is used.
    command = ["cargo", "test", "--test", "fuzz", "--test", "nca", "--no-run", "--locked", "--message-format",
               "json-render-diagnostics"]
    if columnar:
        command += ["--features", "burn-nca-cli/parquet"]
    if optimized:
        command += [word for name in OPTIMIZED for word in ("--config", f"profile.dev.package.{name}.opt-level=2")]
    lines = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    binaries = {}
    for message in map(json.loads, lines):
        if message.get("reason") == "compiler-artifact" and message.get("executable") and message["profile"]["test"]:
            manifest = pathlib.Path(message["manifest_path"])
            binaries[manifest.parent.name, message["target"]["name"]] = (message["executable"], manifest.parent)
    return binaries


def run(binary, test, seconds, seed):
    """Runs a target for so long; its exit code, output and processor seconds, those of its children included."""
    path, folder = binary
    environment = {**os.environ, "BURN_NCA_FUZZ": str(LEAST_FILES), "BURN_NCA_FUZZ_SECONDS": str(seconds),
                   "BURN_NCA_FUZZ_SEED": str(seed), "RAYON_NUM_THREADS": "1"}
    # On a disk more than half of the time goes into writing the files.
    if os.access("/dev/shm", os.W_OK):
        environment.setdefault("TMPDIR", "/dev/shm")
    command = [path, "--exact", test, "--test-threads", "1", "--nocapture"]
    child = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, output, usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", type=float, nargs="?", default=float("inf"), help="of the clock, for all together")
    parser.add_argument("--each", type=float, default=float("inf"), metavar="SECONDS",
                        help="of a processor, for each target, those in the results included")
    parser.add_argument("--tests-build", action="store_true", help="as `cargo test` builds them, not optimized")
    parser.add_argument("--runners", type=int, default=2)
    parser.add_argument("--first-seed", type=int, default=0, metavar="SEED", help="added to the seed of each run")
    parser.add_argument("--only", choices=TARGETS, action="append", metavar="NAME", help="may be given several times")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "benches/results/fuzz.json")
    options = parser.parse_args()
    if math.isinf(min(options.seconds, options.each)):
        parser.error("say for how many SECONDS, or how many for --each target")
    names = options.only or list(TARGETS)
    binaries = build(not options.tests_build, not COLUMNAR.isdisjoint(names))
    results = json.loads(options.results.read_text()) if options.results.exists() else {}
    for name in names:
        results.setdefault(name, {"seconds": 0.0, "files": 0, "runs": 0})
    end, lock, busy, failures = time.monotonic() + options.seconds, threading.Lock(), set(), []

    def save():
        part = options.results.with_suffix(".part")
        part.write_text(json.dumps(results, indent=1) + "\n")
        part.replace(options.results)

    def runner():
        while time.monotonic() < end:
            with lock:
                free = [name for name in names if name not in busy and results[name]["seconds"] < options.each]
                if not free:
                    return
                name = min(free, key=lambda name: results[name]["seconds"])
                busy.add(name)
                seed = options.first_seed + 1 + results[name]["runs"] + 1000 * list(TARGETS).index(name)
                results[name]["runs"] += 1
            package, target, test = TARGETS[name]
            left = min(RUN_SECONDS, end - time.monotonic(), options.each - results[name]["seconds"])
            code, output, seconds = run(binaries[package, target], test, math.ceil(max(left, 0)), seed)
            count = sum(int(number) for number in re.findall(r": of (\d+) files", output))
            with lock:
                busy.discard(name)
                results[name]["seconds"] = round(results[name]["seconds"] + seconds, 1)
                results[name]["files"] += count
                save()
                print(f"{name}: {count} files, seed {seed}, {seconds:.0f} s, exit code {code}", flush=True)
                if code:
                    kept = ROOT / "target/fuzz" / f"{test.replace('::', '-')}-{seed}.txt"
                    kept.parent.mkdir(parents=True, exist_ok=True)
                    kept.write_text(output)
                    failures.append(kept)

    runners = [threading.Thread(target=runner) for _ in range(options.runners)]
    for thread in runners:
        thread.start()
    for thread in runners:
        thread.join()
    for kept in failures:
        print(f"a target failed: {kept}", file=sys.stderr)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
