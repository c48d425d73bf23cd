#!/usr/bin/env python3
"""Networks as PyTorch saves them, and what they compute: `python3 exchange.py` writes all files.

`exchange.safetensors` holds the state dict of `layers.0 = Linear(4, 3)` and `layers.1 = Linear(3, 2)` with a tanh
between, `exchange-cnn.safetensors` that of a convolution, a batch normalization that has seen some batches, and a
linear layer; `exchange.json` rows x and both networks' values of them. Needs torch and safetensors.
"""

import json
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import nn

torch.manual_seed(8)


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 3), nn.Linear(3, 2)])

    def forward(self, x):
        return self.layers[1](torch.tanh(self.layers[0](x)))


class Cnn(nn.Module):
    """Rows of 16 numbers as pictures of 4 x 4."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 3, 3)
        self.norm = nn.BatchNorm2d(3)
        self.head = nn.Linear(12, 2)

    def forward(self, x):
        x = torch.relu(self.norm(self.conv(x.reshape(-1, 1, 4, 4))))
        return self.head(x.flatten(1))


folder = Path(__file__).parent
made = {"made_with": f"torch {torch.__version__}"}
for name, network, width in [("exchange", Mlp(), 4), ("exchange-cnn", Cnn(), 16)]:
    for _ in range(3):
        network(1.0 + 2.0 * torch.randn(20, width))
    network.eval()
    save_file(network.state_dict(), folder / f"{name}.safetensors")
    x = torch.randn(5, width)
    made[name] = {"x": x.flatten().tolist(), "z": network(x).flatten().tolist()}
(folder / "exchange.json").write_text(json.dumps(made, indent=1) + "\n")
