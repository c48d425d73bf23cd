#!/usr/bin/env python3
"""A network as PyTorch would save it, and what it computes: `python3 exchange.py` writes both files.

`exchange.safetensors` holds the state dict of `torch.nn` layers `layers.0 = Linear(4, 3)` and `layers.1 =
Linear(3, 2)` (weights `[out, in]`), `exchange.json` rows x and the embedding tanh network of them. Needs numpy and
safetensors; the layout is PyTorch's, PyTorch itself is not needed.
"""

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

rng = np.random.default_rng(8)
state = {
    "layers.0.weight": rng.normal(size=(3, 4)).astype(np.float32),
    "layers.0.bias": rng.normal(size=3).astype(np.float32),
    "layers.1.weight": rng.normal(size=(2, 3)).astype(np.float32),
    "layers.1.bias": rng.normal(size=2).astype(np.float32),
}
x = rng.normal(size=(5, 4)).astype(np.float32)
hidden = np.tanh(x @ state["layers.0.weight"].T + state["layers.0.bias"])
z = hidden @ state["layers.1.weight"].T + state["layers.1.bias"]

folder = Path(__file__).parent
save_file(state, folder / "exchange.safetensors")
(folder / "exchange.json").write_text(
    json.dumps({"x": x.ravel().tolist(), "z": z.ravel().tolist()}, indent=1) + "\n"
)
