#!/usr/bin/env python3
"""Uses a learned metric in Python: the exported map is one plain linear layer on raw features.

    nca fit iris --dim 2 --out runs/iris
    nca export runs/iris --to A.safetensors
    python3 examples/load_in_python.py A.safetensors 5.1 3.5 1.4 0.2

Needs numpy and safetensors. In PyTorch: `torch.nn.Linear(d, k).load_state_dict(load_file(path))`.
"""

import sys

import numpy as np
from safetensors.numpy import load_file

layer = load_file(sys.argv[1])
x = np.array([float(value) for value in sys.argv[2:]], dtype=np.float32)
print(layer["weight"] @ x + layer["bias"])
