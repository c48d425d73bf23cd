"""A learned metric with its classification rule."""

from sklearn.base import ClassifierMixin

from . import _burn_nca
from ._base import MetricEstimator
from ._data import only_weights, taken
from ._rules import ClassRules


class NCAClassifier(ClassRules, ClassifierMixin, MetricEstimator):
    """Classification by neighborhood components analysis: scaling, the learned map and a rule in one estimator.

    The defaults are those that the library recommends: standardized features, criterion g, a small penalty of the
    embedding's spread, and a start at which a row has 15 neighbors in effect.

    Parameters
    ----------
    n_components : int, default=None
        Embedding dimensions; None keeps the number of features.

    rule : {'knn', 'soft'}, default='knn'
        'knn': the majority of the `n_neighbors` nearest training rows; ties go to the nearest.
        'soft': the rule of the paper, all training rows weighted by ``p_ij``. The rule is saved and exported, too.

    n_neighbors : int, default=5
        Neighbors that vote; all training rows where there are fewer.

    scaling : {'standardize', 'minmax', 'none'}, default='standardize'
        How features are scaled, learned on the training rows.

    init, warm_start, max_iter, tol, callback, verbose, random_state, device, dtype, optimizer, batch_size, \
            momentum, sums
        As in :class:`NeighborhoodComponentsAnalysis`. `warm_start` starts from `components_`; 'random' draws with the
        deviation ``1/sqrt(n_features)``, at which a row of standardized features sees several neighbors.

    criterion : {'f', 'g'}, default='g'
        f: the expected number of rows that are classified correctly; g: the log-probability that all are.

    l2 : float, default=0.01
        Weight of the penalty ``l2 * n_samples * what``.

    penalty : {'spread', 'weights'}, default='spread'
        What the penalty weighs: the total variance of the embedding, which does not depend on the units of the
        features, or the map's own entries, ``||components_||²``.

    start_perplexity : 'auto', float or None, default='auto'
        Scales the start so that a row has this many neighbors in effect, on average; None leaves it as it is. A warm
        start stays as it is. 'auto' is 15, in up to five dimensions a thirtieth of the rows (of at most 50,000) if that
        is more.

    stop_at : int, default=None
        End after this many steps, as planned; 0 keeps the start. :func:`tune` finds such numbers.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.

    components_ : ndarray of shape (n_components, n_features)
        The learned map on the scaled features.

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

    __metadata_request__fit = {"sample_weight": None}

    def __init__(
        self,
        n_components=None,
        *,
        rule="knn",
        n_neighbors=5,
        scaling="standardize",
        init="auto",
        warm_start=False,
        max_iter=200,
        tol=1e-5,
        callback=None,
        verbose=0,
        random_state=None,
        criterion="g",
        l2=0.01,
        penalty="spread",
        start_perplexity="auto",
        device="cpu",
        dtype=None,
        optimizer="lbfgs",
        batch_size=1000,
        momentum=0.9,
        stop_at=None,
        sums="auto",
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
        self.momentum = momentum
        self.stop_at = stop_at
        self.sums = sums

    def fit(self, X, y, **params):
        """Learns the metric.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        y : array-like of shape (n_samples,)
            Their classes.

        **params
            `sample_weight`, array-like of shape (n_samples,) or 'balanced': how much the term of each row counts in what is learned,
            and its voice in predictions; only their ratios matter. 'balanced' lets each class as a whole count alike. A
            weight of 2 is not the row given twice: copies
            of a row are neighbors of each other.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        X, classes = self._given(X, y, sample_weight=only_weights(params))
        settings = self._fit_settings(X)
        model = _burn_nca.fit_classes(X, self._names(), classes, settings, self._steps())
        return self._take(model)

    # What a search for settings asks for, too.

    def _method(self):
        return "nca", {"criterion": self.criterion.upper()}

    def _given(self, X, y, **given):
        self._check_settings()
        self._check_rule()
        X, targets, self.classes_ = taken(self, X, y, "classes", **given)
        self._check_components(X)
        return X, targets

    def _fit_settings(self, X):
        return self._settings(X, **self._start(X))
