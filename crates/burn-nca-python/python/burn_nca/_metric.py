"""Every method of the library behind one class."""

import json

from sklearn.utils import ClassifierTags, RegressorTags
from sklearn.utils.validation import check_is_fitted

from . import _burn_nca
from ._base import MetricEstimator
from ._data import only_weights, taken
from ._rules import ClassRules


def methods():
    """The methods that :class:`Metric` takes.

    Returns
    -------
    methods : list of dict
        Of each its `name`, `title`, what it learns from (`task`: 'classes', 'numbers', 'pairs', or None for rows
        alone), `when` to take it, and its `settings` with `name`, `help` and `default`.
    """
    return json.loads(_burn_nca.methods_json())


class Metric(ClassRules, MetricEstimator):
    """A metric learned by any method of the library, chosen by its name.

    Parameters
    ----------
    method : str, default='nca'
        One of the names of :func:`burn_nca.methods`.

    n_components : int, default=None
        Embedding dimensions; None: what the method proposes, or the number of features.

    encoder : {'linear', 'diagonal', 'mlp'}, default='linear'
        Which map.

    hidden : sequence of int or None, default=None
        Sizes of the hidden layers, plain ones, for ``encoder='mlp'``. None: of 'nca' and 'mlkr' a network that generalizes,
        256 and 128 units with batch normalization, dropout and noise, fitted by Adam; else 64 units.

    activation : {'relu', 'tanh', 'logistic'}, default='relu'
        What follows each hidden layer.

    rule : {'knn', 'soft'} or None, default=None
        How the training rows decide, as in :class:`NCAClassifier`; of numbers 'knn' is the mean of the neighbors.
        None: 'knn' for classes, 'soft' for numbers.

    n_neighbors : int, default=5
        Neighbors that decide by 'knn'.

    l2 : float or None, default=None
        Weight of the penalty; None: what the method recommends.

    penalty : {'weights', 'spread'}, default='weights'
        What the penalty weighs: the parameters of the map, or the total variance of the embedding.

    start_perplexity : float or None, default=None
        Scales the start so that a row has this many neighbors in effect, on average; None leaves it as it is.

    optimizer : {'lbfgs', 'cg', 'adam', 'sgd'} or None, default=None
        None: 'adam' for the network that generalizes, and for a map of 'nca' or 'mlkr' to three components or more where
        n_samples² * n_components is above 5e9, unless ``max_iter`` or ``batch_size`` is given; else 'lbfgs'.

    max_iter, batch_size : int or None, default=None
        Iterations, or passes over the rows in batches of so many. None: 200 and 1000; for the network that generalizes 600
        steps of half the rows, 2000 at most; for so many rows 400 steps of 2000.

    scaling, init, tol, callback, verbose, random_state, device, dtype, momentum, stop_at
        As in :class:`NCAClassifier`. What a method has no use for it refuses.

    **settings
        The settings of the method itself, such as ``criterion='F'`` of 'nca'.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, of a method that learns from classes.

    components_ : ndarray of shape (n_components, n_features) or None
        The learned map on the scaled features; None for a network.

    n_features_in_, feature_names_in_, n_iter_, random_state_, termination_, summary_
        As in :class:`NeighborhoodComponentsAnalysis`.

    Examples
    --------
    >>> from burn_nca import Metric
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> Metric("lda", n_components=2).fit(X, y).score(X, y) > 0.95
    True

    From pairs of rows that belong together, without a class:

    >>> film = [[0.0, 5.0], [1.0, 0.0], [2.0, 9.0], [3.0, 2.0]]
    >>> Metric("pairs").fit(film, pairs=[(0, 1), (1, 2), (2, 3)]).transform(film).shape
    (4, 2)
    """

    __metadata_request__fit = {"sample_weight": None}

    def __init__(
        self,
        method="nca",
        *,
        n_components=None,
        encoder="linear",
        hidden=None,
        activation="relu",
        rule=None,
        n_neighbors=5,
        scaling="standardize",
        init="auto",
        max_iter=None,
        tol=1e-5,
        callback=None,
        verbose=0,
        random_state=None,
        l2=None,
        device="cpu",
        dtype=None,
        optimizer=None,
        batch_size=None,
        momentum=0.9,
        penalty="weights",
        start_perplexity=None,
        stop_at=None,
        **settings,
    ):
        self.method = method
        self.n_components = n_components
        self.encoder = encoder
        self.hidden = hidden
        self.activation = activation
        self.rule = rule
        self.n_neighbors = n_neighbors
        self.scaling = scaling
        self.init = init
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
        self._own = tuple(settings)
        for name, value in settings.items():
            setattr(self, name, value)

    # A method has settings of its own, which the signature cannot list.

    def get_params(self, deep=True):
        """The parameters, those of the method among them."""
        return {**super().get_params(deep=deep), **{name: getattr(self, name) for name in self._own}}

    def set_params(self, **params):
        """Sets parameters, those of the method among them."""
        own = self._task_info()["settings"] if not params.keys() <= self.get_params().keys() else []
        names = {setting["name"] for setting in own}
        for name in [name for name in params if name in names and name not in self._own]:
            self._own += (name,)
            setattr(self, name, None)
        return super().set_params(**params)

    def fit(self, X, y=None, *, pairs=None, **params):
        """Learns the metric.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        y : array-like of shape (n_samples,) or (n_samples, n_targets), default=None
            Their classes or their numbers, as the method learns from them.

        pairs : array-like of shape (n_pairs, 2) or (n_pairs, 3), default=None
            Two rows each that belong together, counted from 0, and how much the pair weighs (1 without); of a method
            that learns from pairs.

        **params
            `sample_weight`, array-like of shape (n_samples,) or 'balanced', of a method that learns from classes or
            numbers:
            how much the term of each row counts in what is learned,
            and its voice in predictions; only their ratios matter. 'balanced' lets each class as a whole count alike. A
            weight of 2 is not the row given twice: copies
            of a row are neighbors of each other.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        X, targets = self._given(X, y, pairs=pairs, sample_weight=only_weights(params))
        method, own = self._method()
        settings = self._fit_settings(X)
        model = _burn_nca.fit_method(method, own, X, self._names(), targets, settings, self._steps())
        return self._take(model)

    # What a search for settings asks for, too.

    def _method(self):
        return self.method, {name: _as_text(getattr(self, name)) for name in self._own}

    def _given(self, X, y, *, pairs=None, **given):
        task = self._task_info()["task"]
        self._check_settings()
        if (task == "pairs") != (pairs is not None):
            cure = "give fit(X, pairs=...)" if task == "pairs" else "give fit(X, y), or method='pairs'"
            raise ValueError(f"{self.method!r} learns from {task or 'rows alone'}; {cure}")
        X, targets, classes = taken(self, X, y, task, pairs=pairs, **given)
        if classes is not None:
            self.classes_ = classes
        return X, targets

    def _fit_settings(self, X):
        init = self._check_init(X)
        if not isinstance(init, str):
            init = init.ravel().tolist()
        return self._settings(X, init=init, hidden=None if self.hidden is None else list(self.hidden))

    def predict(self, X):
        """The class, or the numbers, of each row by the rule.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_targets)
            Classes or numbers.
        """
        check_is_fitted(self)
        if hasattr(self, "classes_"):
            return super().predict(X)
        numbers = self.model_.predict_numbers(self._rows(X), self._decision())
        return numbers.ravel() if self._one_column else numbers

    def score(self, X, y):
        """The accuracy of the classes, or R² of the numbers.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Their classes or numbers.

        Returns
        -------
        score : float
            1 at best.
        """
        from sklearn.metrics import accuracy_score, r2_score

        measure = accuracy_score if hasattr(self, "classes_") else r2_score
        return measure(y, self.predict(X))

    def _task_info(self):
        for info in methods():
            if info["name"] == self.method:
                return info
        names = ", ".join(info["name"] for info in methods())
        raise ValueError(f"there is no method {self.method!r}; the methods are {names}")

    def _decision(self):
        if self.rule is None and not hasattr(self, "classes_"):
            return None
        return super()._decision()

    def _check_settings(self):
        super()._check_settings()
        self._check_rule()

    def _check_rule(self):
        if self.rule is not None:
            super()._check_rule()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        task = next((info["task"] for info in methods() if info["name"] == self.method), None)
        tags.target_tags.required = task is not None
        if task == "classes":
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        elif task == "numbers":
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
            tags.target_tags.multi_output = True
        return tags


def _as_text(value):
    """A setting as the library reads it: JSON, or a word."""
    return value if isinstance(value, str) else json.dumps(value)
