"""Neighborhood components analysis in place of scikit-learn's."""

import time

from . import _burn_nca
from ._base import MetricEstimator
from ._data import only_weights, taken


class NeighborhoodComponentsAnalysis(MetricEstimator):
    """Neighborhood components analysis: a linear map after which nearest neighbors are of one class.

    In place of :class:`sklearn.neighbors.NeighborhoodComponentsAnalysis`, with its parameters and attributes. The
    exact objective and gradient need memory for one block of rows, not for n x n numbers.

    Parameters
    ----------
    n_components : int, default=None
        Embedding dimensions; None keeps the number of features.

    init : {'auto', 'pca', 'lda', 'identity', 'random'} or ndarray of shape (n_components, n_features), \
            default='auto'
        Where the map starts. 'auto' is LDA where ``n_components <= min(n_features, n_classes - 1)``, else PCA where
        ``n_components < min(n_features, n_samples)``, else the identity. LDA is regularized where the scatter within
        classes is singular. 'random' draws from the standard normal distribution.

    warm_start : bool, default=False
        Whether a fit starts from the solution of the one before.

    max_iter : int, default=50
        The most steps; epochs for ``optimizer='adam'`` and ``'sgd'``.

    tol : float, default=1e-5
        Converged where the largest gradient component of the sum over all rows, or the relative change of the sum
        in a step, is no larger.

    callback : callable, default=None
        Called after every step with the transformation, flattened, and the number of the step. What it raises ends
        the fit.

    verbose : int, default=0
        1 prints a line a step.

    random_state : int, RandomState or None, default=None
        Seed of everything random.

    criterion : {'f', 'g'}, default='f'
        f: the expected number of rows that are classified correctly; g: the log-probability that all are.

    l2 : float, default=0.0
        Weight of the penalty ``l2 * n_samples * ||components_||²``; 0.01 often classifies new rows better.

    device : str, default='cpu'
        What computes; see :func:`burn_nca.devices`.

    dtype : {'float32', 'float64'} or None, default=None
        The number type of fit and embedding; None: float32 for float32 rows, else float64.

    optimizer : {'lbfgs', 'cg', 'adam', 'sgd'}, default='lbfgs'
        L-BFGS or conjugate gradients over all rows, or Adam or stochastic gradient descent over mini-batches.

    batch_size : int, default=1000
        Rows of a mini-batch, for ``optimizer='adam'`` and ``'sgd'``.

    momentum : float, default=0.9
        Share of the last step that is taken again, from 0 to below 1, for ``optimizer='sgd'``. Its learning rate is
        ``0.1 * (1 - momentum)`` times the sum of the squared entries of the start.

    sums : {'auto', 'plain', 'fused'}, default='auto'
        How sums over pairs of rows are computed: as they are defined and differentiated automatically, or in one
        operation; 'auto': the latter where the device has it. They agree up to rounding.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The learned map.

    n_features_in_ : int
        Number of features.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where they are all strings.

    n_iter_ : int
        Steps of the optimizer.

    random_state_ : RandomState
        The generator that the seed was drawn from.

    termination_ : str
        Why the fit stopped.

    summary_ : dict
        How the fit went, with every step.

    Notes
    -----
    As everywhere in scikit-learn, and unlike its own class, a fit that did not converge warns whatever `verbose` is.

    References
    ----------
    J. Goldberger, S. Roweis, G. Hinton, R. Salakhutdinov, Neighborhood Components Analysis, NIPS 17, 2004.

    Examples
    --------
    >>> from burn_nca import NeighborhoodComponentsAnalysis
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import train_test_split
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> X_train, X_test, y_train, y_test = train_test_split(
    ...     X, y, stratify=y, test_size=0.7, random_state=42)
    >>> nca = NeighborhoodComponentsAnalysis(random_state=42).fit(X_train, y_train)
    >>> knn = KNeighborsClassifier(n_neighbors=3).fit(nca.transform(X_train), y_train)
    >>> round(knn.score(nca.transform(X_test), y_test), 2)
    0.96
    """

    _uncentered = True
    __metadata_request__fit = {"sample_weight": None}

    def __init__(
        self,
        n_components=None,
        *,
        init="auto",
        warm_start=False,
        max_iter=50,
        tol=1e-5,
        callback=None,
        verbose=0,
        random_state=None,
        criterion="f",
        l2=0.0,
        device="cpu",
        dtype=None,
        optimizer="lbfgs",
        batch_size=1000,
        momentum=0.9,
        sums="auto",
    ):
        self.n_components = n_components
        self.init = init
        self.warm_start = warm_start
        self.max_iter = max_iter
        self.tol = tol
        self.callback = callback
        self.verbose = verbose
        self.random_state = random_state
        self.criterion = criterion
        self.l2 = l2
        self.device = device
        self.dtype = dtype
        self.optimizer = optimizer
        self.batch_size = batch_size
        self.momentum = momentum
        self.sums = sums

    def fit(self, X, y, **params):
        """Learns the map.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; pandas and polars tables keep the names of their columns.

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
        self._check_settings()
        X, classes, _ = taken(self, X, y, "classes", sample_weight=only_weights(params))
        self._check_components(X)
        # A random start is scikit-learn's: standard normal.
        settings = self._settings(X, random_scale=1.0, **self._start(X))
        started = time.time()
        if self.verbose:
            settings.update(self._told_start(X, classes, settings))
        model = _burn_nca.fit_classes(X, self._names(), classes, settings, self._steps())
        self._take(model)
        if self.verbose:
            print(f"[{type(self).__name__}] Training took {time.time() - started:8.2f}s.")
        return self

    def _told_start(self, X, classes, settings):
        """Computes the start on its own, to report it; the fit then starts from there."""
        started = time.time()
        _, names, _ = classes
        if len(names) < 2 or isinstance(settings["init"], list):
            return {}
        start, rule = _burn_nca.start(X, classes, settings)
        told = {"PCA": "principal", "LDA": "most discriminative"}.get(rule.split(" ")[0])
        if told is not None:
            print(f"Finding {told} components... done in {time.time() - started:5.2f}s")
        return {"init": start.ravel().tolist(), "n_components": start.shape[0]}
