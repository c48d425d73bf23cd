#!/usr/bin/env python3
"""Reference numbers of the closed-form baselines, from scikit-learn, numpy and scipy.

    python3 baselines.py > baselines.json

The unit tests of `src/baseline` read baselines.json. The data are scikit-learn's bundled iris and wine.
Signs follow the crate's rule: the entry of largest magnitude of each direction is positive.
"""
import json

import numpy as np
import scipy.linalg
import sklearn
from sklearn.covariance import ledoit_wolf_shrinkage
from sklearn.datasets import load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

SHRINKAGE = 0.1


def fixed_signs(directions):
    """Columns turned so that the entry of largest magnitude is positive."""
    largest = np.abs(directions).argmax(0)
    return directions * np.sign(directions[largest, np.arange(directions.shape[1])])


def sq_distances(z):
    """Squared distances of the first ten rows to each other."""
    return ((z[:10, None] - z[None, :10]) ** 2).sum(-1)


def inverse_root(covariance):
    values, vectors = np.linalg.eigh(covariance)
    return vectors / np.sqrt(values)


def reference(x, y):
    n, d = x.shape
    classes = np.unique(y)
    means = np.stack([x[y == c].mean(0) for c in classes])
    centered = x - means[y]
    within = centered.T @ centered / n
    total = np.cov(x.T, bias=True)

    pca = PCA(2, svd_solver="full").fit(x)
    lda = LinearDiscriminantAnalysis(solver="svd", n_components=2).fit(x, y)
    by_eigen = LinearDiscriminantAnalysis(solver="eigen", n_components=2).fit(x, y)
    assert np.allclose(np.abs(lda.scalings_), np.abs(by_eigen.scalings_[:, :2]), rtol=1e-8)

    shrunk = (1 - SHRINKAGE) * within + SHRINKAGE * np.trace(within) / d * np.eye(d)
    values, vectors = scipy.linalg.eigh(total - within, shrunk)
    return {
        "columns": d,
        "features": x.ravel().tolist(),
        "labels": y.tolist(),
        "total_covariance": total.ravel().tolist(),
        "within_covariance": within.ravel().tolist(),
        "whitening_sq_distances": sq_distances(x @ inverse_root(total)).ravel().tolist(),
        "rca_sq_distances": sq_distances(x @ inverse_root(within)).ravel().tolist(),
        "pca_directions": fixed_signs(pca.components_.T).ravel().tolist(),
        "pca_variance": pca.explained_variance_.tolist(),
        "pca_variance_ratio": pca.explained_variance_ratio_.tolist(),
        "lda_scalings": fixed_signs(lda.scalings_).ravel().tolist(),
        "lda_explained_ratio": lda.explained_variance_ratio_.tolist(),
        "shrinkage": SHRINKAGE,
        "shrunk_lda_scalings": fixed_signs(vectors[:, ::-1][:, :2]).ravel().tolist(),
        "shrunk_lda_variance_ratio": values[::-1][:2].tolist(),
        "ledoit_wolf_shrinkage": ledoit_wolf_shrinkage(centered, assume_centered=True),
    }


if __name__ == "__main__":
    sets = {"iris": load_iris(return_X_y=True), "wine": load_wine(return_X_y=True)}
    made_with = {"scikit-learn": sklearn.__version__, "numpy": np.__version__, "scipy": scipy.__version__}
    print(json.dumps({"made_with": made_with, **{name: reference(*xy) for name, xy in sets.items()}}))
