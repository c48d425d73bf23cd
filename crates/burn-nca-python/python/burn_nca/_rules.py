"""How the training rows decide about the class of others."""

import numbers

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import check_scalar
from sklearn.utils.metaestimators import available_if

from ._explain import Explains

RULES = ("knn", "soft")

# Shares that differ by less are equal but for the rounding of their sums.
ALMOST = 1 - 1e-12


def has_classes(estimator):
    """Whether it learns from classes, or did."""
    return is_classifier(estimator) or hasattr(estimator, "classes_")


class ClassRules(Explains):
    """Prediction of classes by the `rule` of an estimator: 'knn' (`n_neighbors` of them) or 'soft'."""

    def predict(self, X):
        """The class of each row by the rule.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Classes.
        """
        rows = self._rows(X)
        self._check_rule()
        return self.classes_.take(self.model_.predict_classes(rows, self._decision()))

    @available_if(has_classes)
    def predict_proba(self, X):
        """The probability of each class by the rule: shares of votes, or sums of ``p_ij``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of `classes_`.
        """
        rows = self._rows(X)
        self._check_rule()
        k = self._decision()
        return self.model_.class_probabilities(rows) if k is None else self._votes(rows, k)

    @available_if(has_classes)
    def predict_log_proba(self, X):
        """The logarithm of :meth:`predict_proba`; by the soft rule exact where the probability underflows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        log_p : ndarray of shape (n_samples, n_classes)
            Logarithms, in the order of `classes_`.
        """
        rows = self._rows(X)
        if self._decision() is None:
            return self.model_.class_probabilities(rows, log=True)
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _votes(self, rows, k):
        """Shares of votes; of equal ones that of the nearest is the largest, by the last bit."""
        shares = self.model_.vote_shares(rows, k)
        most = shares.max(axis=1, keepdims=True)
        tied = np.flatnonzero((shares >= most * ALMOST).sum(axis=1) > 1)
        if len(tied):
            nearest = self.model_.predict_classes(rows[tied], k)
            shares[tied, nearest] = np.nextafter(most[tied, 0], 2)
        return shares

    def _decision(self):
        """The k of the neighbors that decide; None for the soft rule."""
        return None if self.rule == "soft" else min(self.n_neighbors, len(self.model_.references()))

    def _check_rule(self):
        check_scalar(self.n_neighbors, "n_neighbors", numbers.Integral, min_val=1)
        if self.rule not in RULES:
            raise ValueError(f"rule is {self.rule!r}; give one of {', '.join(map(repr, RULES))}")
