#!/usr/bin/env python3
"""Times an epoch of modern NCA: burn-nca and the same arithmetic written plainly in PyTorch, in turn, f32.

Both learn networks of the published form (periodic embeddings of numbers, one residual block, Euclidean distances, AdamW) from
the same random table of the size of TALENT's bank, 7 numbers and 44 indicators (which are not embedded, as published), by
batches of 1024 rows that see half of the others as candidates, and classify the held-out fifth after each epoch. burn-nca
learns the five members of its model side by side, PyTorch one network with all threads: an epoch is that of one network, a fit
five times three epochs. Needs PyTorch, NumPy and the release program (`cargo build --release -p burn-nca-cli`).

    python3 benches/peers/modern.py [--rows 28934] [--numbers 7] [--indicators 44] [--pairs 3]

Results are written to benches/results/modern-speed.json. Memory is the peak of each process until it has learned, and of the
whole process, which evaluates and draws the model in burn-nca and ends with the fit in PyTorch.
"""

import argparse
import json
import math
import os
import platform
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
NCA = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "nca"
BATCH, CANDIDATES, SIZE, WIDTH = 1024, 0.5, 128, 256
FREQUENCIES, EMBEDDED, DROPOUT = 16, 8, 0.1
EPOCHS = (1, 3)
MEMBERS = 5


def table(rows, numbers, indicators):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(rows, numbers)).astype(np.float32)
    x = np.column_stack([x, rng.random(size=(rows, indicators)) < 0.2]).astype(np.float32)
    y = (x[:, 0] + 0.5 * np.sin(3 * x[:, 1]) + 0.5 * rng.normal(size=rows) > 0).astype(np.int64)
    return x, y


def network(torch, numbers, indicators):
    nn = torch.nn

    class Modern(nn.Module):
        def __init__(self):
            super().__init__()
            self.frequencies = nn.Parameter(0.1 * torch.randn(numbers, FREQUENCIES))
            self.embed = nn.Linear(2 * FREQUENCIES, EMBEDDED)
            self.linear = nn.Linear(numbers * EMBEDDED + indicators, SIZE)
            block = [nn.BatchNorm1d(SIZE), nn.Linear(SIZE, WIDTH), nn.ReLU(), nn.Dropout(DROPOUT), nn.Linear(WIDTH, SIZE)]
            self.block = nn.Sequential(*block)
            self.norm = nn.BatchNorm1d(SIZE)

        def forward(self, x):
            angles = 2 * math.pi * x[:, :numbers, None] * self.frequencies
            waves = torch.cat([torch.cos(angles), torch.sin(angles)], -1)
            embedded = torch.relu(self.embed(waves)).flatten(1)
            z = self.linear(torch.cat([embedded, x[:, numbers:]], 1))
            return self.norm(z + self.block(z))

    return Modern()


def torch_seconds(rows, numbers, indicators, epochs):
    import torch

    torch.manual_seed(0)
    x, y = (torch.from_numpy(part) for part in table(rows, numbers, indicators))
    kept = torch.randperm(rows)
    held, train = kept[: rows // 5], kept[rows // 5 :]
    targets = torch.nn.functional.one_hot(y[train]).float()
    x_train, x_held = x[train], x[held]
    model = network(torch, numbers, indicators)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, weight_decay=0.0002)
    seconds = []
    for _ in range(epochs):
        started = time.perf_counter()
        model.train()
        order = torch.randperm(len(train))
        for at in range(0, len(train), BATCH):
            batch = order[at : at + BATCH]
            others = torch.cat([order[:at], order[at + BATCH :]])
            others = others[torch.randperm(len(others))[: math.ceil(CANDIDATES * len(others))]]
            seen = torch.cat([batch, others])
            z = model(x_train[seen])
            logits = -torch.cdist(z[: len(batch)], z)
            logits = logits.clone().fill_diagonal_(-torch.inf)
            p = torch.softmax(logits, 1) @ targets[seen]
            loss = -torch.log((p * targets[batch]).sum(1) + 1e-7).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            references = torch.cat([model(part) for part in x_train.split(BATCH)])
            for part in x_held.split(BATCH):
                (torch.softmax(-torch.cdist(model(part), references), 1) @ targets).argmax(1)
        seconds.append(time.perf_counter() - started)
    return sum(seconds)


def of_torch(sizes, epochs):
    """Seconds and peak MiB of a process of its own, twice: it ends with the fit."""
    words = [sys.executable, __file__, "--torch", *map(str, (*sizes, epochs))]
    seconds, peak = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    return [seconds, peak, peak]


def of_nca(data, epochs):
    words = [str(NCA), "fit", data, "--method", "modern", "--test-size", "0", "--format", "json"]
    words += ["--set", f"members={MEMBERS}", "--set", f"epochs={epochs}"]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    report, of_fit = json.loads(done.stdout), re.findall(r"training [^(]*\((\d+) MiB\)", done.stderr)
    return [report["seconds"] / MEMBERS, int(of_fit[-1]), report["peak_memory_bytes"] / 2**20]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=28934)
    parser.add_argument("--numbers", type=int, default=7)
    parser.add_argument("--indicators", type=int, default=44)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--torch", nargs=4, type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.torch:
        seconds = torch_seconds(*args.torch)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps([seconds, peak]))
        return
    sizes = (args.rows, args.numbers, args.indicators)
    x, y = table(*sizes)
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/t.csv"
        header = ",".join([*(f"x{column}" for column in range(x.shape[1])), "y"])
        np.savetxt(data, np.column_stack([x, y]), fmt=["%.6g"] * x.shape[1] + ["%d"], delimiter=",", header=header,
                   comments="")
        found = {"nca": [], "torch": []}
        for _ in range(args.pairs):
            for name, run in (("nca", lambda epochs: of_nca(data, epochs)),
                              ("torch", lambda epochs: of_torch(sizes, epochs))):
                first, last = (run(epochs) for epochs in EPOCHS)
                epoch = (last[0] - first[0]) / (EPOCHS[1] - EPOCHS[0])
                found[name].append({"epoch": epoch, "fit": MEMBERS * last[0], "fit_mib": last[1], "peak_mib": last[2]})
                print(name, found[name][-1], flush=True)
    median = {name: {key: statistics.median(one[key] for one in runs) for key in runs[0]} for name, runs in found.items()}
    results = {
        "command": "python3 benches/peers/modern.py " + " ".join(sys.argv[1:]),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "rows": args.rows,
        "numbers": args.numbers,
        "indicators": args.indicators,
        "epochs_of_fit": EPOCHS[1],
        "runs": found,
        "median": median,
    }
    (ROOT / "benches" / "results" / "modern-speed.json").write_text(json.dumps(results, indent=1) + "\n")
    print(json.dumps(median, indent=1))


if __name__ == "__main__":
    main()
