"""The exact neighbor search."""

import numbers

from sklearn.base import BaseEstimator
from sklearn.utils import check_scalar
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _burn_nca
from ._data import FLOATS


class Nearest(BaseEstimator):
    """The exact nearest neighbors of rows, by Euclidean distance.

    Every algorithm gives the same neighbors; of equal distances the lower row comes first. Distances are computed
    in float64 whatever the rows are.

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbors of each query.

    algorithm : {'auto', 'brute', 'tree'}, default='auto'
        Matrix products, a tree of boxes in the principal directions ('boxes' means the same), or what is fastest.

    device : str, default='cpu'
        What computes; see :func:`burn_nca.devices`.

    Attributes
    ----------
    n_features_in_ : int
        Number of columns.

    n_samples_fit_ : int
        Number of rows that are searched.

    Examples
    --------
    >>> from burn_nca import Nearest
    >>> distances, rows = Nearest(n_neighbors=2).fit([[0.0], [1.0], [3.0]]).kneighbors([[2.5]])
    >>> distances.tolist(), rows.tolist()
    ([[0.5, 1.5]], [[2, 1]])
    """

    def __init__(self, n_neighbors=5, *, algorithm="auto", device="cpu"):
        self.n_neighbors = n_neighbors
        self.algorithm = algorithm
        self.device = device

    def fit(self, X, y=None):
        """Takes the rows to search.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        y : ignored

        Returns
        -------
        self : object
            The estimator.
        """
        check_scalar(self.n_neighbors, "n_neighbors", numbers.Integral, min_val=1)
        X = validate_data(self, X, dtype=FLOATS)
        self.n_samples_fit_ = len(X)
        self._fit_X = X
        self._search = _burn_nca.Neighbors(X, self.device)
        return self

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        """The nearest rows of each query, nearest first.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features), default=None
            Queries; None: the rows themselves, each among the others.

        n_neighbors : int, default=None
            Neighbors of each query; None: that of the estimator.

        return_distance : bool, default=True
            Whether to give the distances as well.

        Returns
        -------
        distances : ndarray of shape (n_queries, n_neighbors)
            Euclidean distances, ascending; only with `return_distance`.

        rows : ndarray of shape (n_queries, n_neighbors)
            Numbers of the rows.
        """
        check_is_fitted(self)
        if X is not None:
            X = validate_data(self, X, reset=False, dtype=FLOATS)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        distances, rows = self._search.search(X, k, self.algorithm)
        return (distances, rows) if return_distance else rows

    def __getstate__(self):
        state = dict(super().__getstate__())
        state.pop("_search", None)
        return state

    def __setstate__(self, state):
        super().__setstate__(state)
        if hasattr(self, "_fit_X"):
            self._search = _burn_nca.Neighbors(self._fit_X, self.device)
