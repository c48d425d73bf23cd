"""A learnt metric with its classification rule."""

import numbers

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import check_scalar
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _burn_nca
from ._base import FLOATS, MetricEstimator
from ._nca import _Steps

RULES = ("knn", "stochastic")


class NCAClassifier(ClassifierMixin, MetricEstimator):
    """Classification by neighbourhood components analysis: scaling, the learnt map and a rule in one estimator.

    The defaults are those that classify new rows best on average: standardised features, criterion g, a small
    penalty.

    Parameters
    ----------
    n_components : int, default=None
        Embedding dimensions; None keeps the number of features.

    rule : {'knn', 'stochastic'}, default='knn'
        'knn': the majority of the `n_neighbors` nearest training rows; among equally many votes the lowest class.
        'stochastic': the rule of the paper, all training rows weighted by ``p_ij``.

    n_neighbors : int, default=5
        Neighbours that vote; all training rows where there are fewer.

    scaling : {'standardise', 'minmax', 'none'}, default='standardise'
        How features are scaled, learnt on the training rows.

    init, warm_start, max_iter, tol, callback, verbose, random_state, device, dtype, optimizer, batch_size
        As in :class:`NeighborhoodComponentsAnalysis`. `warm_start` starts from `components_`.

    criterion : {'f', 'g'}, default='g'
        f: the expected number of rows that are classified correctly; g: the log-probability that all are.

    l2 : float, default=0.01
        Weight of the penalty ``l2 * n_samples * ||components_||²``.

    penalty : {'weights', 'spread'}, default='weights'
        What the penalty weighs: the map's own entries, or the total variance of the embedding, which does not depend
        on the units of the features.

    start_perplexity : float, default=None
        Scales the start so that a row has this many neighbours in effect, on average; None leaves it as it is.

    stop_at : int, default=None
        End after this many steps, as planned; 0 keeps the start. :func:`tune` finds such numbers.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.

    components_ : ndarray of shape (n_components, n_features)
        The learnt map on the scaled features.

    n_features_in_, feature_names_in_, n_iter_, random_state_, termination_, summary_
        As in :class:`NeighborhoodComponentsAnalysis`.

    Examples
    --------
    >>> from burn_nca import NCAClassifier
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import cross_val_score
    >>> X, y = load_wine(return_X_y=True)
    >>> bool(cross_val_score(NCAClassifier(n_components=2), X, y).mean() > 0.9)
    True
    """

    def __init__(
        self,
        n_components=None,
        *,
        rule="knn",
        n_neighbors=5,
        scaling="standardise",
        init="auto",
        warm_start=False,
        max_iter=200,
        tol=1e-5,
        callback=None,
        verbose=0,
        random_state=None,
        criterion="g",
        l2=0.01,
        penalty="weights",
        start_perplexity=None,
        device="cpu",
        dtype=None,
        optimizer="lbfgs",
        batch_size=1000,
        stop_at=None,
    ):
        self.n_components = n_components
        self.rule = rule
        self.n_neighbors = n_neighbors
        self.scaling = scaling
        self.init = init
        self.warm_start = warm_start
        self.max_iter = max_iter
        self.tol = tol
        self.callback = callback
        self.verbose = verbose
        self.random_state = random_state
        self.criterion = criterion
        self.l2 = l2
        self.penalty = penalty
        self.start_perplexity = start_perplexity
        self.device = device
        self.dtype = dtype
        self.optimizer = optimizer
        self.batch_size = batch_size
        self.stop_at = stop_at

    def fit(self, X, y):
        """Learns the metric.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        y : array-like of shape (n_samples,)
            Their classes.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._check_settings()
        self._check_rule()
        X, y = validate_data(self, X, y, dtype=FLOATS, order="C", ensure_min_samples=2)
        check_classification_targets(y)
        self._check_components(X)
        self.classes_, labels = np.unique(y, return_inverse=True)
        settings = self._settings(X, **self._start(X))
        steps = _Steps(self) if self.verbose or self.callback is not None else None
        if self.verbose:
            steps.header()
        class_names = [str(name) for name in self.classes_]
        labels = labels.astype(np.int64)
        model = _burn_nca.fit_classes(X, self._names(), labels, class_names, settings, steps)
        return self._take(model)

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
