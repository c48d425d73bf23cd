"""The objective of a batch and its gradient, for training loops of one's own."""

import numpy as np
from sklearn.utils import check_array, check_consistent_length

from . import _burn_nca
from ._data import FLOATS, encoded


def value_and_gradient(A, X, y, *, rows=None, criterion="f", l2=0.0, device="cpu"):
    """What some rows of a batch add to the objective that is minimized, and its gradient in the map.

    By automatic differentiation in the library. The parts of a batch add up to the whole, so that several workers may
    take a part of the rows each: the sum of what they find is what one worker finds for all rows.

    Parameters
    ----------
    A : array-like of shape (n_components, n_features)
        The map.

    X : array-like of shape (n_samples, n_features)
        The rows of the batch: each row chooses its neighbor among all others.

    y : array-like of shape (n_samples,)
        Their classes.

    rows : (int, int), default=None
        The first of the rows whose terms are added up, and the one after the last; None: all.

    criterion : {'f', 'g'}, default='f'
        f: minus the expected number of rows that are classified correctly; g: minus the log-probability that all are.

    l2 : float, default=0.0
        Weight of the penalty ``l2 * ||A||²`` of each row.

    device : str, default='cpu'
        What computes; see :func:`burn_nca.devices`.

    Returns
    -------
    value : float
        The sum over `rows`; a row without another of its class in the batch adds the penalty only.

    gradient : ndarray of shape (n_components, n_features)
        Its gradient, in the number type of `X`.

    Examples
    --------
    >>> import numpy as np
    >>> from burn_nca import value_and_gradient
    >>> X, y = np.array([[0.0], [0.5], [2.0], [2.5]]), [0, 0, 1, 1]
    >>> value, gradient = value_and_gradient([[1.0]], X, y)
    >>> parts = [value_and_gradient([[1.0]], X, y, rows=part) for part in [(0, 3), (3, 4)]]
    >>> bool(np.isclose(sum(value for value, _ in parts), value))
    True
    """
    X = check_array(X, dtype=FLOATS)
    A = check_array(A, dtype=X.dtype)
    check_consistent_length(X, y)
    _, labels, _ = encoded(np.asarray(y))
    rows = (0, len(X)) if rows is None else rows
    return _burn_nca.value_and_gradient(A, X, labels, tuple(rows), criterion, l2, device)
