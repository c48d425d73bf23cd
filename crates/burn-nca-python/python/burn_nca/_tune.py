"""Settings by cross-validation inside the training rows."""

import json
from typing import NamedTuple

from sklearn.base import clone

from . import _burn_nca
from ._classifier import NCAClassifier
from ._metric import Metric


class Tuned(NamedTuple):
    """What a search found.

    Attributes
    ----------
    estimator : NCAClassifier, MLKR or Metric
        Fitted on all rows with the best settings.

    search : dict
        Every trial with its held-out scores, what was chosen and why.
    """

    estimator: object
    search: dict


def tune(
    X,
    y=None,
    *,
    estimator=None,
    pairs=None,
    sample_weight=None,
    folds=5,
    repeats=2,
    criteria=None,
    l2=None,
    dimensions=None,
    most_candidates=None,
    budget=None,
    **settings,
):
    """Chooses settings by cross-validation, and fits all rows with the best.

    Tried are criterion, penalty, start and number of steps, and what the method has of its own, such as ``local_scales``
    of 'lca' (``tried`` of :func:`methods`) unless it is given. Classes are compared by the accuracy of 1-NN on the rows
    held out (of a method with a rule of its own, by that rule), numbers by R² of the kernel rule, pairs by the
    log probability of the pairs held out.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows to learn from; what is to test on must stay outside.

    y : array-like of shape (n_samples,) or (n_samples, n_targets), default=None
        Their classes or numbers, as the method learns from them.

    estimator : NCAClassifier, MLKR, Metric or str, default=None
        What to tune, or the name of a method (:func:`methods`) with settings; None: an :class:`NCAClassifier`.
        Its settings are kept but for those that are searched.

    pairs : array-like of shape (n_pairs, 2) or (n_pairs, 3), default=None
        As in :meth:`Metric.fit`.

    sample_weight : array-like of shape (n_samples,) or 'balanced', default=None
        As in :meth:`NCAClassifier.fit`.

    folds, repeats : int, default=5 and 2
        The cross-validation.

    criteria : list of {'f', 'g'}, default=None
        Criteria to try, the likelier first, of methods that have one; None: g, then f.

    l2 : list of float, default=None
        Penalties to try, the likelier first; None: those of the library.

    dimensions : list of int, default=None
        Embedding dimensions to try; None: `n_components` alone. Without both, 'lca', 'lda' and 'pca' try fewer, too.

    most_candidates : int, default=None
        The most settings that are tried; None: 12.

    budget : float, default=None
        Seconds after which the search ends.

    **settings
        Parameters of the estimator, such as `n_components`, `scaling`, `max_iter`, `random_state`.

    Returns
    -------
    tuned : Tuned
        The fitted estimator, and the search.

    Examples
    --------
    >>> from burn_nca import tune
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> tuned = tune(X, y, estimator="mlkr", n_components=2, folds=2, repeats=1, most_candidates=1, max_iter=5)
    >>> bool(tuned.search["choice"]["accuracy"] > 0.3)
    True
    """
    estimator = _estimator(estimator, settings)
    given = {"pairs": pairs, "sample_weight": sample_weight}
    X, targets = estimator._given(X, y, **{name: value for name, value in given.items() if value is not None})
    grid = {
        "folds": folds,
        "repeats": repeats,
        "criteria": criteria,
        "l2": l2,
        "dimensions": dimensions,
        "most_candidates": most_candidates,
        "budget": budget,
    }
    method, own = estimator._method()
    settings = estimator._fit_settings(X)
    model, search, chosen = _burn_nca.tune(method, own, X, estimator._names(), targets, settings, grid)
    chosen = json.loads(chosen)
    found = {
        "n_components": chosen["d_output"],
        "l2": chosen["l2"],
        "penalty": (chosen["penalty"] or "weights").lower(),
        "start_perplexity": chosen["start_perplexity"],
        "stop_at": chosen["stop_at"],
    }
    found.update({name: _value(text) for name, text in chosen.get("settings", {}).items()})
    if not isinstance(chosen["start"], dict) or "Given" not in chosen["start"]:
        found["init"] = _start(chosen["start"])
    if chosen["criterion"] is not None:
        found["criterion"] = chosen["criterion"] if isinstance(estimator, Metric) else chosen["criterion"].lower()
    estimator.set_params(**found)
    estimator._take(model)
    return Tuned(estimator, json.loads(search))


def _estimator(estimator, settings):
    if estimator is None:
        return NCAClassifier(**settings)
    if isinstance(estimator, str):
        return Metric(estimator, **settings)
    if not hasattr(estimator, "_fit_settings"):
        raise TypeError(
            f"estimator is {estimator!r}; give an NCAClassifier, an MLKR, a Metric or the name of a method"
        )
    return clone(estimator).set_params(**settings)


def _value(text):
    """A setting as the library reads it, as a parameter."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _start(start):
    """A start as the library writes it, as `init` takes it."""
    return (start if isinstance(start, str) else next(iter(start))).lower()
