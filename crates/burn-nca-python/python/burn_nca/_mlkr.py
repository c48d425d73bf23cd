"""Metric learning for kernel regression."""

from sklearn.base import RegressorMixin

from . import _burn_nca
from ._base import MetricEstimator
from ._data import only_weights, taken
from ._explain import Explains


class MLKR(Explains, RegressorMixin, MetricEstimator):
    """Metric learning for kernel regression: a linear map after which near rows have near targets.

    Parameters
    ----------
    n_components : int, default=None
        Embedding dimensions; None keeps the number of features.

    n_neighbors : int or None, default=None
        Predict by the mean of so many nearest training rows; None: by all, weighted by ``p_ij`` (the kernel rule
        that is learned).

    scaling : {'standardize', 'minmax', 'none'}, default='standardize'
        How features are scaled, learned on the training rows.

    init : {'auto', 'pca', 'identity', 'random'} or ndarray of shape (n_components, n_features), default='auto'
        Where the map starts; 'auto' is PCA where ``n_components < n_features``, else the identity; 'random'
        draws with the deviation ``1/sqrt(n_features)``.

    l2 : float, default=0.02
        Weight of the penalty ``l2 * n_samples * ||components_||²``, of targets that are standardized.

    penalty : {'weights', 'spread'}, default='weights'
        What the penalty weighs: ``||components_||²``, or the total variance of the embedding.

    start_perplexity : float or None, default=None
        Scales the start so that a row has this many neighbors in effect, on average; None leaves it as it is.

    stop_at : int, default=None
        End after this many steps, as planned; 0 keeps the start. :func:`tune` finds such numbers.

    warm_start, max_iter, tol, callback, verbose, random_state, device, dtype, optimizer, batch_size, momentum, sums
        As in :class:`NeighborhoodComponentsAnalysis`.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The learned map on the scaled features.

    n_features_in_, feature_names_in_, n_iter_, random_state_, termination_, summary_
        As in :class:`NeighborhoodComponentsAnalysis`.

    References
    ----------
    K. Weinberger, G. Tesauro, Metric Learning for Kernel Regression, AISTATS 2007.
    """

    __metadata_request__fit = {"sample_weight": None}

    def __init__(
        self,
        n_components=None,
        *,
        n_neighbors=None,
        scaling="standardize",
        init="auto",
        warm_start=False,
        max_iter=200,
        tol=1e-5,
        callback=None,
        verbose=0,
        random_state=None,
        l2=0.02,
        device="cpu",
        dtype=None,
        optimizer="lbfgs",
        batch_size=1000,
        momentum=0.9,
        penalty="weights",
        start_perplexity=None,
        stop_at=None,
        sums="auto",
    ):
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.scaling = scaling
        self.init = init
        self.warm_start = warm_start
        self.max_iter = max_iter
        self.tol = tol
        self.callback = callback
        self.verbose = verbose
        self.random_state = random_state
        self.l2 = l2
        self.device = device
        self.dtype = dtype
        self.optimizer = optimizer
        self.batch_size = batch_size
        self.momentum = momentum
        self.penalty = penalty
        self.start_perplexity = start_perplexity
        self.stop_at = stop_at
        self.sums = sums

    def fit(self, X, y, **params):
        """Learns the metric.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Their targets.

        **params
            `sample_weight`, array-like of shape (n_samples,): how much the term of each row counts in what is learned,
            and its number in predictions; only their ratios matter. A weight of 2 is not the row given twice: copies
            of a row are neighbors of each other.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        X, targets = self._given(X, y, sample_weight=only_weights(params))
        settings = self._fit_settings(X)
        model = _burn_nca.fit_method("mlkr", {}, X, self._names(), targets, settings, self._steps())
        return self._take(model)

    # What a search for settings asks for, too.

    def _method(self):
        return "mlkr", {}

    def _given(self, X, y, **given):
        self._check_settings()
        X, targets, _ = taken(self, X, y, "numbers", **given)
        self._check_components(X)
        return X, targets

    def _fit_settings(self, X):
        return self._settings(X, **self._start(X))

    def predict(self, X):
        """The targets of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_targets)
            Targets, in the shape of those of the fit.
        """
        rows = self._rows(X)
        targets = self.model_.predict_numbers(rows, self._decision())
        return targets.ravel() if self._one_column else targets

    def _decision(self):
        return None if self.n_neighbors is None else min(self.n_neighbors, len(self.model_.references()))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
