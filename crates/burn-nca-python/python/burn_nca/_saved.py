"""Models from folders."""

import json

import numpy as np

from ._burn_nca import Model
from ._classifier import NCAClassifier
from ._mlkr import MLKR
from ._nca import NeighborhoodComponentsAnalysis


def load(path, *, device="cpu"):
    """Loads a model that the program `nca` or an estimator saved.

    Parameters
    ----------
    path : str or path
        The folder of the model; in a run of `nca` that is the run's folder.

    device : str, default='cpu'
        What is to compute.

    Returns
    -------
    estimator : NCAClassifier, MLKR or NeighborhoodComponentsAnalysis
        For a model of classes, of numbers, or of pairs; the last only transforms.
    """
    model = Model.load(path, device)
    card = json.loads(model.card_json())
    if model.class_names:
        rule = {"rule": "soft"} if model.decision is None else {"n_neighbors": model.decision}
        estimator = NCAClassifier(card["d_output"], device=device, **rule)
        estimator.classes_ = _classes(model.class_names)
    elif model.target_names:
        estimator = MLKR(card["d_output"], n_neighbors=model.decision, device=device)
        estimator._one_column = len(model.target_names) == 1
    else:
        estimator = NeighborhoodComponentsAnalysis(card["d_output"], device=device)
        estimator._uncentered = False
    names = model.feature_names
    estimator.n_features_in_ = len(names)
    if names != [f"x{column + 1}" for column in range(len(names))]:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    estimator.model_ = model
    estimator.components_ = model.components()
    estimator.n_components_ = card["d_output"]
    estimator.n_iter_ = estimator.summary_["iterations"]
    return estimator


def _classes(names):
    """Class names as they were: whole numbers where all of them are."""
    try:
        whole = [int(name) for name in names]
    except ValueError:
        return np.array(names)
    return np.array(whole) if [str(number) for number in whole] == names else np.array(names)
