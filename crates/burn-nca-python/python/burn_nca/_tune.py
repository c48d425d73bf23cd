"""Settings by cross-validation inside the training rows."""

import json
from typing import NamedTuple

from sklearn.utils.validation import validate_data

from . import _burn_nca
from ._base import FLOATS, encoded
from ._classifier import NCAClassifier


class Tuned(NamedTuple):
    """What a search found.

    Attributes
    ----------
    estimator : NCAClassifier
        Fitted on all rows with the best settings.

    search : dict
        Every trial with its held-out accuracies, what was chosen and why.
    """

    estimator: NCAClassifier
    search: dict


def tune(
    X,
    y,
    *,
    n_components=None,
    folds=5,
    repeats=2,
    criteria=None,
    l2=None,
    dimensions=None,
    most_candidates=None,
    budget=None,
    scaling="standardise",
    max_iter=200,
    random_state=None,
    device="cpu",
    dtype=None,
):
    """Chooses criterion, penalty, start and number of steps by cross-validation, and fits all rows with the best.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows to learn from; what is to test on must stay outside.

    y : array-like of shape (n_samples,)
        Their classes.

    n_components : int, default=None
        Embedding dimensions; None keeps the number of features.

    folds, repeats : int, default=5 and 2
        The cross-validation.

    criteria : list of {'f', 'g'}, default=None
        Criteria to try, the likelier first; None: g, then f.

    l2 : list of float, default=None
        Penalties to try, the likelier first; None: those of the library.

    dimensions : list of int, default=None
        Embedding dimensions to try; None: `n_components` alone.

    most_candidates : int, default=None
        The most settings that are tried; None: 12.

    budget : float, default=None
        Seconds after which the search ends.

    scaling, max_iter, random_state, device, dtype
        As in :class:`NCAClassifier`.

    Returns
    -------
    tuned : Tuned
        The fitted classifier, and the search.
    """
    estimator = NCAClassifier(
        n_components, scaling=scaling, max_iter=max_iter, random_state=random_state, device=device, dtype=dtype
    )
    estimator._check_settings()
    X, y = validate_data(estimator, X, y, dtype=FLOATS, order="C", ensure_min_samples=2)
    estimator.classes_, labels, class_names = encoded(y)
    estimator._check_components(X)
    grid = {
        "folds": folds,
        "repeats": repeats,
        "criteria": criteria,
        "l2": l2,
        "dimensions": dimensions,
        "most_candidates": most_candidates,
        "budget": budget,
    }
    settings = estimator._settings(X)
    model, search, winner = _burn_nca.tune(X, estimator._names(), labels, class_names, settings, grid)
    search, winner = json.loads(search), json.loads(winner)
    estimator.set_params(
        n_components=winner["d_output"],
        criterion=winner["criterion"].lower(),
        l2=winner["l2"],
        penalty=(winner["penalty"] or "weights").lower(),
        start_perplexity=winner["start_perplexity"],
        init=_start(winner["start"]),
        stop_at=search["choice"]["stop_at"],
    )
    estimator._take(model)
    return Tuned(estimator, search)


def _start(start):
    """A start as the library writes it, as `init` takes it."""
    return (start if isinstance(start, str) else next(iter(start))).lower()
