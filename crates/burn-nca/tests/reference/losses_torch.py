#!/usr/bin/env python3
"""The reference values of losses.json compared with PyTorch: `python3 losses_torch.py` prints the largest differences.

Values of SupCon and ProxyNCA++ by pytorch-metric-learning (SupConLoss, ProxyNCALoss), gradients of all losses by
PyTorch's automatic differentiation of the formulas. Needs torch and pytorch-metric-learning.
"""

import json
from pathlib import Path

import torch
from pytorch_metric_learning import distances, losses, reducers

torch.set_default_dtype(torch.float64)
reference = json.loads((Path(__file__).parent / "losses.json").read_text())
columns = reference["columns"]
labels = torch.tensor(reference["labels"])
same = (labels[:, None] == labels[None]) & ~torch.eye(len(labels), dtype=bool)


def similarities(kind, a, b):
    if kind == "cosine":
        return torch.nn.functional.normalize(a) @ torch.nn.functional.normalize(b).T
    squares = ((a[:, None] - b[None]) ** 2).sum(-1)
    # A row's distance to itself has no slope and is never used.
    return -squares if kind == "sq_euclidean" else -torch.sqrt(torch.where(squares > 0, squares, 1.0))


def value(case, z, proxies, log_t):
    logits = similarities(case["similarity"], z, proxies if case["loss"] == "proxy_nca" else z) / log_t.exp()
    if case["loss"] == "proxy_nca":
        return torch.nn.functional.cross_entropy(logits, labels)
    of_others = logits.masked_fill(torch.eye(len(labels), dtype=bool), -torch.inf).logsumexp(1)
    anchors = same.any(1)
    if case["loss"] == "soft_nearest_neighbor":
        terms = of_others - logits.masked_fill(~same, -torch.inf).logsumexp(1)
    else:
        terms = of_others - (logits * same).sum(1) / same.sum(1).clamp(min=1)
    return terms[anchors].mean()


def library(case, z, proxies):
    """The same loss of pytorch-metric-learning, where it has it; cosine of unit vectors, temperature by division."""
    t = case["temperature"]
    if (case["loss"], case["similarity"]) == ("sup_con", "cosine"):
        # Anchors without a partner are left out of its mean too.
        return losses.SupConLoss(temperature=t, reducer=reducers.AvgNonZeroReducer())(z, labels)
    if (case["loss"], case["similarity"]) == ("proxy_nca", "sq_euclidean"):
        loss = losses.ProxyNCALoss(
            len(proxies), columns, softmax_scale=1 / t, distance=distances.LpDistance(normalize_embeddings=False, power=2)
        )
        loss.proxies.data = proxies
        return loss(z, labels)
    return None


for case in reference["cases"]:
    z = torch.tensor(reference["embedding"]).reshape(-1, columns).requires_grad_()
    proxies = torch.tensor(reference["proxies"]).reshape(-1, columns).requires_grad_()
    log_t = torch.tensor(case["temperature"]).log().requires_grad_()
    found = value(case, z, proxies, log_t)
    found.backward()
    pairs = [(found, case["value"]), (z.grad, case["gradient"]), (log_t.grad, case["log_temperature_gradient"])]
    if case["loss"] == "proxy_nca":
        pairs.append((proxies.grad, case["proxy_gradient"]))
    apart = max((a.flatten() - torch.tensor(b).flatten()).abs().max().item() for a, b in pairs)
    theirs = library(case, z.detach(), proxies.detach())
    compared = "not in the library" if theirs is None else f"value {abs(theirs.item() - case['value']):.1e} apart"
    print(f"{case['loss']:22} {case['similarity']:13} autograd {apart:.1e} apart   pytorch-metric-learning: {compared}")
