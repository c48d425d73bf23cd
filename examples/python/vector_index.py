#!/usr/bin/env python3
"""Puts a learned embedding and its labels into a vector index (faiss), and classifies new rows with it.

    pip install burn-nca faiss-cpu
    python3 examples/python/vector_index.py

The index holds the training rows in 8 dimensions instead of 64; a query is embedded by the same model. The answers
are held against burn_nca's exact search.
"""

import tempfile
import time
import warnings
from pathlib import Path

import faiss
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from burn_nca import NCAClassifier, Nearest

warnings.simplefilter("ignore")  # 100 steps are enough here
X, y = load_digits(return_X_y=True)
X, X_new, y, y_new = train_test_split(X.astype(np.float32), y, test_size=0.3, stratify=y, random_state=0)
model = NCAClassifier(n_components=8, max_iter=100, random_state=0).fit(X, y)
z, z_new = model.transform(X), model.transform(X_new)  # float32, C order: what faiss takes

exact = Nearest(5).fit(z)
distances, neighbors = exact.kneighbors(z_new)

index = faiss.IndexHNSWFlat(z.shape[1], 32)  # squared Euclidean distance, 32 links a node
index.add(z)
with tempfile.TemporaryDirectory() as folder:  # as a service would load it
    path = str(Path(folder) / "digits.faiss")
    faiss.write_index(index, path)
    index = faiss.read_index(path)

started = time.perf_counter()
sq_distances, found = index.search(z_new, 5)
seconds = time.perf_counter() - started

votes = np.apply_along_axis(np.bincount, 1, y[found], minlength=10)
share = np.mean([len(set(a) & set(b)) / 5 for a, b in zip(found, neighbors)])
print(f"{index.ntotal} rows of {z.shape[1]} dimensions (of {X.shape[1]} features) in the index")
print(f"{100 * share:.2f} % of the true five neighbors found, {1e6 * seconds / len(z_new):.0f} µs a query")
print(f"accuracy: index {100 * (votes.argmax(1) == y_new).mean():.2f} %, model {100 * model.score(X_new, y_new):.2f} %")
