#!/usr/bin/env python3
"""Values and gradients of the batch losses, by numpy alone: `python3 losses.py > losses.json`.

Written from the papers' formulas with one loop over the anchors; gradients by the complex step (exact to
rounding), not by any automatic differentiation. Needs numpy.
"""

import json

import numpy as np

rng = np.random.default_rng(20)
N, K, C = 12, 3, 4
Z = rng.normal(size=(N, K))
PROXIES = rng.normal(size=(C, K))
LABELS = np.array([0, 1, 2, 0, 1, 1, 2, 0, 1, 2, 2, 3])  # class 3 has one row only
TEMPERATURES = {"sq_euclidean": 1.7, "euclidean": 0.6, "cosine": 0.2}


def similarity(kind, a, b):
    """s of row a and row b, analytic in both."""
    if kind == "cosine":
        return (a @ b) / np.sqrt((a @ a) * (b @ b))
    square = (a - b) @ (a - b)
    return -square if kind == "sq_euclidean" else -np.sqrt(square)


def weights(kind, t, row, others):
    return np.array([np.exp(similarity(kind, row, other) / t) for other in others])


def soft_nearest_neighbor(kind, t, z, _proxies):
    terms = []
    for i in range(N):
        w = weights(kind, t, z[i], z)
        others = np.arange(N) != i
        same = others & (LABELS == LABELS[i])
        if same.any():
            terms.append(-np.log(w[same].sum() / w[others].sum()))
    return sum(terms) / len(terms)


def sup_con(kind, t, z, _proxies):
    terms = []
    for i in range(N):
        w = weights(kind, t, z[i], z)
        others = np.arange(N) != i
        same = others & (LABELS == LABELS[i])
        if same.any():
            terms.append(-np.mean(np.log(w[same] / w[others].sum())))
    return sum(terms) / len(terms)


def proxy_nca(kind, t, z, proxies):
    probabilities = [weights(kind, t, z[i], proxies) for i in range(N)]
    return sum(-np.log(w[y] / w.sum()) for w, y in zip(probabilities, LABELS)) / N


def slope(function, x):
    """The gradient of an analytic function by the complex step."""
    gradient = np.zeros(x.shape)
    for at in np.ndindex(x.shape):
        step = x.astype(complex)
        step[at] += 1e-30j
        gradient[at] = function(step).imag / 1e-30
    return gradient


cases = []
for loss in [soft_nearest_neighbor, sup_con, proxy_nca]:
    for kind, t in TEMPERATURES.items():
        cases.append(
            {
                "loss": loss.__name__,
                "similarity": kind,
                "temperature": t,
                "value": float(loss(kind, t, Z, PROXIES)),
                "gradient": slope(lambda z: loss(kind, t, z, PROXIES), Z).ravel().tolist(),
                "proxy_gradient": slope(lambda p: loss(kind, t, Z, p), PROXIES).ravel().tolist()
                if loss is proxy_nca
                else [],
                "log_temperature_gradient": slope(
                    lambda log_t: loss(kind, np.exp(log_t[0]), Z, PROXIES), np.log([t])
                )[0],
            }
        )

print(
    json.dumps(
        {
            "columns": K,
            "embedding": Z.ravel().tolist(),
            "labels": LABELS.tolist(),
            "proxies": PROXIES.ravel().tolist(),
            "cases": cases,
        },
        indent=1,
    )
)
