#!/usr/bin/env python3
"""Weights from Burn to Python and back, in PyTorch's layout.

    cargo run --release -p train-with-burn
    python3 examples/exchange_weights.py runs/train-with-burn/encoder.safetensors back.safetensors

Reads the network that Rust wrote, embeds a row of 64 pixels, doubles the embedding (the last layer), and writes the
network back; in Rust: `load_weights(MlpConfig::new(64, vec![128], 8).init(&device), Path::new("back.safetensors"))`.
Uses PyTorch where it is installed, else numpy; needs the package safetensors.
"""

import sys

import numpy as np
from safetensors.numpy import load_file, save_file

source, destination = sys.argv[1:3]
state = load_file(source)
count = len(state) // 2
pixels = np.linspace(0.0, 1.0, state["layers.0.weight"].shape[1], dtype=np.float32)


def numpy_network(x):
    for at in range(count):
        x = state[f"layers.{at}.weight"] @ x + state[f"layers.{at}.bias"]
        if at + 1 < count:
            x = np.maximum(x, 0.0)
    return x


print("numpy:  ", numpy_network(pixels))

try:
    import torch

    class Network(torch.nn.Module):
        def __init__(self):
            super().__init__()
            sizes = [state[f"layers.{at}.weight"].shape for at in range(count)]
            self.layers = torch.nn.ModuleList(torch.nn.Linear(d, k) for k, d in sizes)

        def forward(self, x):
            for layer in self.layers[:-1]:
                x = torch.relu(layer(x))
            return self.layers[-1](x)

    network = Network()
    network.load_state_dict({name: torch.from_numpy(value) for name, value in state.items()})
    print("PyTorch:", network(torch.from_numpy(pixels)).detach().numpy())
except ImportError:
    print("PyTorch is not installed; the layers are the same")

last = f"layers.{count - 1}"
doubled = {name: 2 * value if name.startswith(last) else value for name, value in state.items()}
save_file(doubled, destination)
