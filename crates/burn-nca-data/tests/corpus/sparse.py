"""Writes the sparse tables of the folder npz.

    pip install scipy==1.17.1 && python3 sparse.py
"""

import pathlib

import numpy as np
import scipy.sparse as sparse

FOLDER = pathlib.Path(__file__).resolve().parent / "npz"
table = sparse.csr_array(np.array([[0, 3, 0, 0], [4, 0, 0, 1.5], [0, 0, 0, 0], [0, -2, 5, 0], [1, 0, 0, 7]]))
for name in ["csr", "csc", "coo", "bsr"]:
    sparse.save_npz(FOLDER / f"{name}.npz", table.asformat(name), compressed=name != "csr")
