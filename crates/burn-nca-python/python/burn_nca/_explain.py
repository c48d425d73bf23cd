"""What predictions are made of, and training rows whose labels look wrong."""

import numbers
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_scalar
from sklearn.utils.validation import validate_data

from . import _burn_nca
from ._data import FLOATS


class Explanation(NamedTuple):
    """What the prediction of each row is made of; training rows are counted from 0, without those of weight 0."""

    indices: np.ndarray
    """The training rows of the largest share, largest first; -1 where there are fewer, (n_samples, n_neighbors)."""

    shares: np.ndarray
    """Their shares in the prediction; those of all training rows sum to 1."""

    distances: np.ndarray
    """How far they are, in the learned metric."""

    contributions: np.ndarray | None
    """How much nearer each feature makes those of the predicted class than the row of `rivals`, (n_samples, n_features)."""

    rivals: np.ndarray | None
    """The nearest training row of another class; -1 for numbers, which are compared with training rows on average."""


class LabelQuality(NamedTuple):
    """The training rows of a classifier, those first whose class the other rows contradict."""

    indices: np.ndarray
    """The training rows, without those of weight 0 and those that are alone in their class."""

    p: np.ndarray
    """The probability of their class by the other rows."""

    suggested: np.ndarray
    """The most probable other class."""

    suggested_p: np.ndarray
    """The probability of that."""


class TargetQuality(NamedTuple):
    """The training rows of a regressor, those first whose target is far from what the other rows predict."""

    indices: np.ndarray
    """The training rows, without those of weight 0."""

    residuals: np.ndarray
    """Target less prediction, in units of the spread of all residuals."""

    columns: np.ndarray
    """The target column of the residual."""

    predicted: np.ndarray
    """What the other rows predict of it."""


class Explains:
    """An estimator that predicts by its training rows, and tells by which."""

    def explain(self, X, *, n_neighbors=3, X_train=None):
        """The training rows that decide about each row, and the features that make them near.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        n_neighbors : int, default=3
            Training rows for each, at most.

        X_train : array-like of shape (n_training_rows, n_features), default=None
            The rows of the fit, in their order, without those of weight 0: with them features are explained, too.

        Returns
        -------
        explanation : Explanation
            `indices`, `shares`, `distances`, `contributions` and `rivals`.
        """
        rows = self._rows(X)
        check_scalar(n_neighbors, "n_neighbors", numbers.Integral, min_val=1)
        if X_train is not None:
            X_train = validate_data(self, X_train, reset=False, dtype=FLOATS)
        found = _burn_nca.explain(self.model_, rows, self._decision(), int(n_neighbors), X_train)
        *neighbors, contributions, rivals = found
        shape = (len(rows), n_neighbors)
        neighbors = (values.reshape(shape) for values in neighbors)
        if X_train is None:
            return Explanation(*neighbors, None, None)
        return Explanation(*neighbors, contributions.reshape(rows.shape), rivals)

    def label_quality(self) -> Any:
        """The training rows, those first whose label looks wrong, by the other rows.

        Returns
        -------
        quality : LabelQuality or TargetQuality
            Of classes `indices`, `p`, `suggested` and `suggested_p`; of numbers `indices`, `residuals`, `columns` and
            `predicted`.
        """
        self._keep_decision()
        indices, p, suggested, suggested_p = _burn_nca.label_quality(self.model_)
        if not hasattr(self, "classes_"):
            return TargetQuality(indices, p, suggested, suggested_p)
        return LabelQuality(indices, p, self.classes_.take(suggested), suggested_p)
