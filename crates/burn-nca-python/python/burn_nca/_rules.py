"""How the training rows decide about the class of others."""

import numbers

import numpy as np
from sklearn.utils import check_scalar
from sklearn.utils.validation import check_is_fitted

RULES = ("knn", "stochastic")


class ClassRules:
    """Prediction of classes by the `rule` of an estimator: 'knn' (`n_neighbors` of them) or 'stochastic'."""

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
        check_is_fitted(self)
        return self.classes_.take(self.predict_proba(X).argmax(axis=1))

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
        if self.rule == "stochastic":
            return self.model_.class_probabilities(rows)
        k = min(self.n_neighbors, len(self.model_.reference_labels()))
        return self.model_.vote_shares(rows, k)

    def predict_log_proba(self, X):
        """The logarithm of :meth:`predict_proba`; by the stochastic rule exact where the probability underflows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        log_p : ndarray of shape (n_samples, n_classes)
            Logarithms, in the order of `classes_`.
        """
        if self.rule == "stochastic":
            rows = self._rows(X)
            return self.model_.class_probabilities(rows, log=True)
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _check_rule(self):
        check_scalar(self.n_neighbors, "n_neighbors", numbers.Integral, min_val=1)
        if self.rule not in RULES:
            raise ValueError(f"rule is {self.rule!r}; give one of {', '.join(map(repr, RULES))}")
