#!/usr/bin/env python3
"""The gradient of sklears-neighbors 0.2.0's NCA against central differences (D13 of docs/peers.md). Needs numpy.

    python3 benches/peers/sklears_gradient.py

`theirs` is its `compute_gradient` (src/metric_learning.rs) in NumPy: 2 c (x_i - x_j)_l A_kl, summed, where the
gradient is -2 c (A (x_i - x_j))_k (x_i - x_j)_l. Its fit adds it to A, to climb.
"""

import numpy as np


def probabilities(A, X):
    z = X @ A.T
    p = np.exp(-((z[:, None] - z[None]) ** 2).sum(axis=2))
    np.fill_diagonal(p, 0)
    return p / p.sum(axis=1, keepdims=True)


def objective(A, X, y):
    return (probabilities(A, X) * (y[:, None] == y)).sum() / len(X)


def theirs(A, X, y):
    p = probabilities(A, X)
    same = (y[:, None] == y).astype(float)
    c = p * (same - (p * same).sum(axis=1, keepdims=True))
    return 2 * np.einsum("ij,ijl->l", c, X[:, None] - X[None])[None] * A / len(X)


def central(A, X, y, h=1e-6):
    gradient = np.zeros_like(A)
    for at in np.ndindex(A.shape):
        step = np.zeros_like(A)
        step[at] = h
        gradient[at] = (objective(A + step, X, y) - objective(A - step, X, y)) / (2 * h)
    return gradient


def cosine(seed):
    random = np.random.RandomState(seed)
    X, y, A = random.randn(12, 3), np.arange(12) % 3, random.uniform(-0.1, 0.1, (2, 3))
    a, b = theirs(A, X, y).ravel(), central(A, X, y).ravel()
    return a @ b / (np.linalg.norm(a) * np.linalg.norm(b))


cosines = [cosine(seed) for seed in range(100)]
print(f"cosine over 100 draws of 12 points: mean {np.mean(cosines):.2f}, from {min(cosines):.2f} to {max(cosines):.2f}")
