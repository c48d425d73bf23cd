"""What the estimators share: input as scikit-learn checks it, the compiled model, saving."""

import json
import numbers
import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, check_scalar
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _burn_nca
from ._data import FLOATS
from ._report import report
from ._steps import Steps

# Every setting of a fit, as the compiled module takes it.
SETTINGS = {
    "n_components": None,
    "encoder": "linear",
    "hidden": None,
    "activation": "relu",
    "init": "auto",
    "scaling": "none",
    "criterion": "f",
    "l2": 0.0,
    "penalty": "weights",
    "start_perplexity": None,
    "optimizer": "lbfgs",
    "max_iter": 50,
    "tol": 1e-5,
    "batch_size": 1000,
    "learning_rate": None,
    "momentum": 0.9,
    "stop_at": None,
    "random_scale": None,
    "seed": 0,
    "dtype": "float64",
    "sums": "auto",
    "device": "cpu",
}


class MetricEstimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """An estimator around a compiled model (`model_`): transforms rows, describes its fit, saves itself."""

    _uncentered = False

    def transform(self, X):
        """Embeds rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        X_embedded : ndarray of shape (n_samples, n_components)
            Their embedding, float32 where the fit was in float32.
        """
        rows = self._rows(X)
        return self.model_.transform(rows, uncentered=self._uncentered)

    def save(self, path):
        """Saves the model to a new folder, which the program `nca` reads as well.

        Parameters
        ----------
        path : str or path
            A folder that does not exist.
        """
        self._keep_decision()
        self.model_.save(path)

    def to_onnx(self, path, *, with_neighbors=False):
        """Writes scaling and map as an ONNX graph (opset 15), of any number of rows.

        The input is `features`, in float32 for a fit in float32, else float64. The output is `embedding`; with the
        neighbors also `probabilities` and `label` by the rule of :meth:`predict`, or `prediction` of numbers.

        Parameters
        ----------
        path : str or path
            The file; an existing one is replaced.

        with_neighbors : bool, default=False
            Whether to put the training rows into the file, so that it predicts.
        """
        self._keep_decision()
        self.model_.to_onnx(path, with_neighbors)

    def _keep_decision(self):
        """Gives the compiled model the rule of the estimator, to be saved with it."""
        check_is_fitted(self)
        if hasattr(self, "_decision") and (self.model_.class_names or self.model_.target_names):
            self.model_.set_decision(self._decision())

    def report(self, X, y, X_test=None, y_test=None, *, sample_weight=None):
        """The quality of the metric, compared with Euclidean distance, PCA and LDA on the same rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows of the fit, in their order.

        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Their classes or numbers.

        X_test, y_test : array-like, default=None
            Rows held out; without them the training rows are measured, each left out of the others.

        sample_weight : array-like of shape (n_samples,), 'balanced' or None, default=None
            As given to `fit`.

        Returns
        -------
        report : Report
            `values` (a dict), `html` (one page, which a notebook shows) and `save`.
        """
        check_is_fitted(self)
        return report(self, X, y, X_test, y_test, sample_weight)

    @property
    def summary_(self):
        """How the fit went: value, gradient, iterations, evaluations, seconds and every step."""
        check_is_fitted(self)
        return json.loads(self.model_.summary_json())

    @property
    def termination_(self):
        """Why the fit stopped, as a sentence."""
        check_is_fitted(self)
        if not self.model_.learned:
            return "Nothing was learned: no row has both a row of its class and one of another."
        return self.model_.termination()[0]

    @property
    def _n_features_out(self):
        return self.n_components_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    # What the classes below fit with.

    def _rows(self, X):
        """Rows to transform or predict, as the compiled module takes them."""
        check_is_fitted(self)
        return validate_data(self, X, reset=False, dtype=FLOATS)

    def _names(self):
        """The names of the columns, where they have some."""
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else list(names)

    def _settings(self, X, **others):
        """The settings of a fit of these rows."""
        settings = dict(SETTINGS)
        own = self.get_params(deep=False)
        settings.update((name, own[name]) for name in SETTINGS.keys() & own.keys())
        settings["seed"] = int(self.random_state_.randint(np.iinfo(np.int32).max))
        if settings["dtype"] is None:
            settings["dtype"] = "float32" if X.dtype == np.float32 else "float64"
        settings["dtype"] = np.dtype(settings["dtype"]).name
        settings.update(others)
        if settings["start_perplexity"] == "auto":
            k = settings["n_components"] or X.shape[1]
            settings["start_perplexity"] = _burn_nca.start_perplexity(len(X), k)
        return settings

    def _steps(self):
        """What the compiled module is to call after every step, if anything is to be reported."""
        if not self.verbose and self.callback is None:
            return None
        steps = Steps(self)
        if self.verbose:
            steps.header()
        return steps

    def _check_settings(self):
        """Refuses settings out of range, with scikit-learn's messages."""
        whole, real = numbers.Integral, numbers.Real
        if self.n_components is not None:
            check_scalar(self.n_components, "n_components", whole, min_val=1)
        if self.max_iter is not None:
            check_scalar(self.max_iter, "max_iter", whole, min_val=1)
        check_scalar(self.tol, "tol", real, min_val=0)
        if self.l2 is not None:
            check_scalar(self.l2, "l2", real, min_val=0)
        perplexity = getattr(self, "start_perplexity", None)
        if isinstance(perplexity, str) and perplexity != "auto":
            raise ValueError(f"start_perplexity is {perplexity!r}; give 'auto', a number from 1, or None")
        if perplexity is not None and perplexity != "auto":
            check_scalar(perplexity, "start_perplexity", real, min_val=1)
        if self.batch_size is not None:
            check_scalar(self.batch_size, "batch_size", whole, min_val=2)
        check_scalar(self.momentum, "momentum", real, min_val=0, max_val=1, include_boundaries="left")
        if self.callback is not None and not callable(self.callback):
            raise TypeError(f"callback is {self.callback!r}; give a function or None")
        self.random_state_ = check_random_state(self.random_state)

    def _check_init(self, X):
        """The start as the compiled module takes it: a name, or a matrix row by row."""
        init = self.init
        if isinstance(init, str):
            return init
        init = np.asarray(init, dtype=np.float64)
        if init.ndim != 2:
            raise ValueError(f"init has {init.ndim} dimensions; give an array (n_components, n_features)")
        if init.shape[1] != X.shape[1]:
            raise ValueError(
                f"The input dimensionality ({init.shape[1]}) of the given linear transformation `init` must match "
                f"the dimensionality of the given inputs `X` ({X.shape[1]})."
            )
        if init.shape[0] > init.shape[1]:
            raise ValueError(
                f"The output dimensionality ({init.shape[0]}) of the given linear transformation `init` cannot be "
                f"greater than its input dimensionality ({init.shape[1]})."
            )
        if self.n_components is not None and self.n_components != init.shape[0]:
            raise ValueError(
                f"The preferred dimensionality of the projected space `n_components` ({self.n_components}) does not "
                f"match the output dimensionality of the given linear transformation `init` ({init.shape[0]})!"
            )
        return init

    def _check_components(self, X):
        if self.n_components is not None and self.n_components > X.shape[1]:
            raise ValueError(
                f"The preferred dimensionality of the projected space `n_components` ({self.n_components}) cannot "
                f"be greater than the given data dimensionality ({X.shape[1]})!"
            )

    def _start(self, X):
        """The start with its `n_components`: that of the fit before (a warm start, at its scale), or what `init` says."""
        if self.warm_start and hasattr(self, "model_") and hasattr(self, "components_"):
            start = np.asarray(self.components_, dtype=np.float64)
            if start.shape[1] != X.shape[1]:
                raise ValueError(
                    f"The new inputs dimensionality ({X.shape[1]}) does not match the input dimensionality of the "
                    f"previously learned transformation ({start.shape[1]})."
                )
            return {"init": start.ravel().tolist(), "n_components": start.shape[0], "start_perplexity": None}
        start = self._check_init(X)
        if isinstance(start, str):
            return {"init": start}
        return {"init": start.ravel().tolist(), "n_components": start.shape[0]}

    def _take(self, model):
        """Keeps the compiled model, and warns where its fit did not converge."""
        self.model_ = model
        self.components_ = model.components()
        self.n_iter_ = self.summary_["iterations"]
        self.n_components_ = model.references().shape[1]
        sentence, converged, planned = model.termination()
        name = type(self).__name__
        if not model.learned:
            warnings.warn(f"[{name}] {self.termination_}", UserWarning, stacklevel=3)
        elif not (converged or planned):
            method = getattr(self, "method", name if name == "MLKR" else "NCA")
            reason = sentence.removeprefix("Not converged: ").replace("max_iterations", "max_iter")
            warnings.warn(f"[{name}] {method} did not converge: {reason}", ConvergenceWarning, stacklevel=3)
        return self
