"""The report of a fit, as `nca fit --out` writes it."""

import json
from html import escape
from pathlib import Path

import numpy as np

from . import _burn_nca
from ._data import as_targets, row_weights


class Report:
    """The quality of a metric: its scores next to those of Euclidean distance, PCA and LDA, its embedding, its map.

    Attributes
    ----------
    values : dict
        All numbers, as in the `report.json` of the program `nca`.

    html : str
        One page, without scripts from elsewhere. A notebook shows it.
    """

    def __init__(self, values, html):
        self.values = values
        self.html = html

    def save(self, path):
        """Writes the page to a file, replacing an existing one."""
        Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self):
        return f'<iframe srcdoc="{escape(self.html)}" style="width:100%;height:40em;border:0"></iframe>'


def report(estimator, X, y, X_test, y_test, sample_weight):
    """The report of a fitted estimator; see `MetricEstimator.report`."""
    model = estimator.model_
    train = estimator._rows(X)
    rows, targets = train, np.asarray(y)
    if (X_test is None) != (y_test is None):
        raise ValueError("X_test and y_test belong together; give both or neither")
    if X_test is not None:
        rows = np.concatenate([rows, estimator._rows(X_test)])
        targets = np.concatenate([targets, np.asarray(y_test)])
    if len(targets) != len(rows):
        raise ValueError(f"{len(targets)} targets for {len(rows)} rows; give one per row")
    if len(train) != len(model.references()):
        raise ValueError(f"X has {len(train)} rows, and the fit had {len(model.references())}; give the rows of the fit")
    names = model.class_names
    if names:
        numbers = {name: number for number, name in enumerate(names)}
        unknown = {str(label) for label in targets} - numbers.keys()
        if unknown:
            raise ValueError(f"the class {min(unknown)!r} was not in the fit; leave its rows out")
        labels = np.array([numbers[str(label)] for label in targets], dtype=np.int64)
        given = (labels, names)
    elif model.target_names:
        labels, given = None, as_targets(targets)
    else:
        raise ValueError("the fit had no targets to measure by; a report needs classes or numbers")
    weights = row_weights(train, None if labels is None else labels[: len(train)], sample_weight)
    if weights is not None:
        weights = np.concatenate([weights, np.ones(len(rows) - len(train))])
    k = min(getattr(estimator, "n_neighbors", None) or 5, len(train))
    text, html = _burn_nca.report(model, rows, (*given, weights), len(train), repr(estimator), k)
    return Report(json.loads(text), html)
