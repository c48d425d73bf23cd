#!/usr/bin/env python3
"""Times of one machine with a GPU: burn-nca on its backends, the same sums in PyTorch, and whole fits.

    cargo build --release -p benches --features cuda && cargo build --release -p burn-nca-cli --features cuda,wgpu
    python3 benches/gpu.py [--mnist FOLDER] [--only sums|losses|fits] [--out FILE]

All of a row is timed in turn on the same machine. Memory is that of the GPU at its peak, less what was taken before, as
nvidia-smi tells it every 20 ms. Results are added to benches/results/gpu.json, from which docs/performance.md is made.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
LIMIT = 120  # seconds of one measurement


def gpu_query(what):
    line = subprocess.run(["nvidia-smi", f"--query-gpu={what}", "--format=csv,noheader,nounits"],
                          capture_output=True, text=True, check=True)
    return line.stdout.strip().splitlines()[0]


class GpuMemory:
    """The peak of the GPU's memory while a block of statements runs, in MiB."""

    def __enter__(self):
        self.before = self.peak = int(gpu_query("memory.used"))
        self.process = subprocess.Popen(
            ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits", "-lms", "20"],
            stdout=subprocess.PIPE, text=True)
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()
        return self

    def read(self):
        for line in self.process.stdout:
            self.peak = max(self.peak, int(line))

    def __exit__(self, *_):
        self.process.kill()
        self.thread.join()

    @property
    def mib(self):
        return self.peak - self.before


def run(command, **options):
    """The last line that a command prints, as JSON; why there is none in its place."""
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=LIMIT, check=False,
                              **options)
    except subprocess.TimeoutExpired:
        return {"failed": f"more than {LIMIT} s"}
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        return {"failed": next((line for line in lines if "rror" in line or "panicked" in line), lines[-1])[:300]}
    return json.loads(done.stdout.strip().splitlines()[-1])


def sums():
    """Value and gradient of f over all rows."""
    cases = [(10000, 64, 2), (60000, 64, 2), (60000, 64, 32), (250000, 64, 2)]
    for n, d, k in cases:
        row = {"points": n, "features": d, "dim": k}
        repeat = 20 if n <= 10000 else 5
        ours = ["--points", n, "--features", d, "--dim", k]
        ways = {"cuda": ["--device", "cuda", "--repeat", repeat], "wgpu": ["--device", "wgpu", "--repeat", repeat],
                "cpu": ["--device", "flex", "--repeat", 5 if n <= 10000 else 1]}
        if n <= 10000:
            ways["cuda plain"] = ["--device", "cuda", "--plain", "--repeat", 3]
        if n > 60000:
            del ways["cpu"]
        for name, options in ways.items():
            with GpuMemory() as memory:
                found = run([PROGRAMS / "measure", "value-gradient", *ours, *options])
            row[name] = {key: found[key] for key in ("seconds", "failed", "value") if key in found} | {"mib": memory.mib}
        with GpuMemory() as memory:
            found = run([sys.executable, __file__, "--torch", n, d, k, repeat])
        row["torch"] = found | {"mib": memory.mib}
        yield row


def losses():
    """Value and gradient of batch losses, and the stochastic rule."""
    for loss in ("nca", "sup-con", "rule"):
        row = {"loss": loss, "queries": 1024, "candidates": 65536, "dim": 64}
        for device in ("cuda", "wgpu", "flex"):
            found = run([PROGRAMS / "measure", "batch-loss", loss, "--device", device])
            row[device] = {key: found[key] for key in ("seconds", "failed", "value") if key in found}
        yield row


def fits(mnist):
    """Whole commands on MNIST, from reading the files to the report."""
    train = ",".join(str(mnist / f"train-{part}-ubyte.gz") for part in ("images-idx3", "labels-idx1"))
    test = ",".join(str(mnist / f"t10k-{part}-ubyte.gz") for part in ("images-idx3", "labels-idx1"))
    common = ["--test", test, "--dim", "32", "--seed", "0"]
    cases = {
        "mini-batches": [*common, "--optimizer", "adam"],
        "all pairs, 30 iterations": [*common, "--optimizer", "lbfgs", "--max-iterations", "30"],
        "network": [*common, "--encoder", "mlp"],
    }
    for name, options in cases.items():
        for device in ("cuda", "wgpu", "flex"):
            if device == "flex" and name.startswith("all"):
                continue
            with tempfile.TemporaryDirectory() as folder:
                command = [PROGRAMS / "nca", "fit", train, *options, "--device", device, "--out", f"{folder}/run"]
                started = time.perf_counter()
                try:
                    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=200,
                                          check=False)
                except subprocess.TimeoutExpired:
                    yield {"fit": name, "device": device, "failed": "more than 200 s"}
                    continue
                row = {"fit": name, "device": device, "command_seconds": time.perf_counter() - started}
                if done.returncode:
                    row["failed"] = done.stderr.strip()[-400:]
                else:
                    row["printed"] = done.stdout[-1500:]
                yield row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mnist", type=Path, help="the folder with the four files of MNIST, for the fits")
    parser.add_argument("--only", choices=("sums", "losses", "fits"), action="append")
    parser.add_argument("--out", type=Path, default=ROOT / "benches" / "results" / "gpu.json")
    parser.add_argument("--torch", nargs=4, type=int, metavar=("N", "D", "K", "REPEAT"), help="one time of PyTorch")
    arguments = parser.parse_args()
    if arguments.torch:
        from peers.compare import torch_value_gradient

        n, d, k, repeat = arguments.torch
        print(json.dumps({"seconds": torch_value_gradient(n, d, k, 10, repeat, "cuda")}))
        return
    parts = arguments.only or ["sums", "losses", *(["fits"] if arguments.mnist else [])]
    report = json.loads(arguments.out.read_text()) if arguments.out.exists() else {}
    report["machine"] = {"gpu": gpu_query("name"), "driver": gpu_query("driver_version"), "cores": os.cpu_count(),
                         "processor": platform.machine()}
    for part in parts:
        rows = {"sums": sums, "losses": losses, "fits": lambda: fits(arguments.mnist)}[part]
        report[part] = []
        for row in rows():
            report[part].append(row)
            print(json.dumps(row), flush=True)
            temporary = arguments.out.with_suffix(".tmp")
            temporary.write_text(json.dumps(report, indent=1) + "\n")
            temporary.replace(arguments.out)


if __name__ == "__main__":
    main()
