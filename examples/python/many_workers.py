"""NCA over several processes of Dask: a table larger than a worker's memory, and training with averaged gradients.

    pip install burn-nca "dask[distributed]" scikit-learn
    python3 many_workers.py [ROWS] [WORKERS]

1. A classifier is fitted on a sample, and pickled to the workers. `transform` and `predict_proba` run on one partition
   of the table after the other, in processes whose memory limit is less than the table; the result is that of one
   process.
2. Mini-batch training: each worker holds its part of the table and gives its share of every batch; all get the joined
   batch, and each gives the gradient of its share's terms (`burn_nca.value_and_gradient`). Their mean is the gradient
   of the batch, so that the map after any number of steps is that of one process on the joined batches.

Nothing here is of Dask alone: the same two functions run in Ray or joblib.
"""

import pickle
import sys
import time

import dask
import numpy as np
from dask.distributed import Client, LocalCluster

from burn_nca import NCAClassifier, value_and_gradient

FEATURES, CLASSES, PART = 200, 5, 10_000


def rows(first, last):
    """Rows `first` to `last` of a made-up table, the same wherever they are made."""
    parts = []
    for part in range(first // PART, -(-last // PART)):
        random = np.random.default_rng(part)
        y = random.integers(0, CLASSES, PART)
        X = random.normal(size=(PART, FEATURES)).astype(np.float32)
        X[:, :3] += 2.5 * np.stack([np.cos(y), np.sin(y), y - 2], axis=1)
        start = part * PART
        parts.append((X[max(first - start, 0) : last - start], y[max(first - start, 0) : last - start]))
    return np.concatenate([X for X, _ in parts]), np.concatenate([y for _, y in parts])


# ------------------------------------------------------------------------------------------------ predict


def predicted(model, first, last):
    """What a worker does with its partition; only what is asked for comes back."""
    X, _ = rows(first, last)
    return model.transform(X), model.predict_proba(X).astype(np.float32)


# ------------------------------------------------------------------------------------------------ train


def share(X, y, size, seed):
    """Some rows of a worker's part of the table: its share of a batch."""
    chosen = np.random.default_rng(seed).choice(len(X), size, replace=False)
    return X[chosen], y[chosen]


def gradient_of_share(A, batch, worker, workers, criterion="g", l2=0.01):
    """The mean gradient over the terms of one worker's share of a joined batch, all rows of which are neighbors."""
    X, y = batch
    size = len(X) // workers
    own = (worker * size, (worker + 1) * size)
    value, gradient = value_and_gradient(A, X, y, rows=own, criterion=criterion, l2=l2)
    return value / size, gradient / size


def joined(shares):
    """The batch that the shares of all workers make."""
    return np.concatenate([X for X, _ in shares]), np.concatenate([y for _, y in shares])


def train(client, parts, *, steps=60, batch=1000, rate=0.05, dimensions=2):
    """Synchronous steps: the engine gathers the shares, hands the batch round, and its workers' gradients are averaged.

    `parts` are (X, y) by worker; without a `client` this process does the work of all. Gives A and the value of each
    step.
    """
    workers = len(parts)
    A = np.eye(dimensions, parts[0][0].shape[1])
    if client is not None:
        places = list(client.scheduler_info(n_workers=-1)["workers"])[:workers]
        parts = [client.scatter(part, workers=[place]) for part, place in zip(parts, places)]
    values = []
    for step in range(steps):
        if client is None:
            whole = joined([share(X, y, batch // workers, [step, w]) for w, (X, y) in enumerate(parts)])
            found = [value_and_gradient(A, *whole, criterion="g", l2=0.01)]
            found = [(value / len(whole[0]), gradient / len(whole[0])) for value, gradient in found]
        else:
            shares = [
                client.submit(share_of, part, batch // workers, [step, w], workers=[place], pure=False)
                for w, (part, place) in enumerate(zip(parts, places))
            ]
            whole = client.scatter(joined(client.gather(shares)), broadcast=True)
            found = client.gather([
                client.submit(gradient_of_share, A, whole, w, workers, workers=[place], pure=False)
                for w, place in enumerate(places)
            ])
        values.append(np.mean([value for value, _ in found]))
        A = A - rate * np.mean([gradient for _, gradient in found], axis=0)
    return A, values


def share_of(part, size, seed):
    return share(*part, size, seed)


# ------------------------------------------------------------------------------------------------ main


def main(n=1_000_000, workers=2):
    megabytes = n * FEATURES * 4 / 1e6
    limit = 0.75 * megabytes
    dask.config.set({"distributed.worker.memory.spill": False, "distributed.worker.memory.target": False})
    X, y = rows(0, 500)
    model = NCAClassifier(2, rule="soft", random_state=0, max_iter=50).fit(X, y)
    print(f"table: {n} rows x {FEATURES} features, {megabytes:.0f} MB as float32; each worker may take {limit:.0f} MB")
    print(f"model: {len(pickle.dumps(model)) / 1e3:.0f} kB pickled, fitted on {len(X)} rows in {model.summary_['seconds']:.1f} s")

    with LocalCluster(
        n_workers=workers, threads_per_worker=1, memory_limit=f"{limit:.0f}MB", dashboard_address=None
    ) as cluster, Client(cluster) as client:
        bounds = [(first, min(first + PART, n)) for first in range(0, n, PART)]
        started = time.perf_counter()
        on_workers = client.scatter(model, broadcast=True)
        found = client.gather([client.submit(predicted, on_workers, *bound) for bound in bounds])
        over_workers = time.perf_counter() - started
        started = time.perf_counter()
        equal = all(
            np.array_equal(z, z_alone) and np.array_equal(p, p_alone)
            for (z, p), (z_alone, p_alone) in zip(found, (predicted(model, *bound) for bound in bounds))
        )
        one_process = time.perf_counter() - started
        print(f"transform and predict_proba, {workers} workers: {over_workers:.1f} s; one process: {one_process:.1f} s")
        print(f"equal to one process: {equal}")

        parts = [rows(part * PART, part * PART + PART) for part in range(workers)]
        parts = [(X.astype(np.float64), y) for X, y in parts]
        started = time.perf_counter()
        A, values = train(client, parts)
        over_workers = time.perf_counter() - started
        started = time.perf_counter()
        A_alone, _ = train(None, parts)
        one_process = time.perf_counter() - started
        print(f"60 steps of 1000 rows, {workers} workers: {over_workers:.1f} s; one process: {one_process:.1f} s")
        print(f"objective per row: {values[0]:.4f} at first, {values[-1]:.4f} at last")
        print(f"largest difference of A from one process: {np.abs(A - A_alone).max():.1e}")
    return equal, np.abs(A - A_alone).max()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
