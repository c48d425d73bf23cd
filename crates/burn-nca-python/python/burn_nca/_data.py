"""Rows and targets as scikit-learn checks them and as the compiled module takes them.

Rows of float32 or float64 are handed over as they are, in any order of memory: the compiled module reads them
through a view. Other numbers become float64 here.
"""

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

FLOATS = (np.float64, np.float32)


def taken(estimator, X, y, task, *, sample_weight=None, pairs=None):
    """Rows and targets of a fit.

    Parameters
    ----------
    estimator : estimator
        Learns `n_features_in_` and the names of the columns.

    X, y, sample_weight, pairs
        As given to `fit`.

    task : {'classes', 'numbers', 'pairs', None}
        What is learned from.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        float32 or float64.

    targets : tuple, list or None
        As the compiled module takes them.

    classes : ndarray or None
        The classes, of labels.
    """
    if sample_weight is not None and task not in ("classes", "numbers"):
        cure = "; weights of pairs are the third column of pairs" if task == "pairs" else ""
        raise ValueError(
            f"sample_weight weighs rows of classes or numbers, and these are {task or 'rows alone'}; leave it out{cure}"
        )
    if pairs is not None and task != "pairs":
        raise ValueError(f"pairs are given, and {task} are learned from here; give them to Metric('pairs')")
    if task == "classes":
        X, y = validate_data(estimator, X, y, dtype=FLOATS, ensure_min_samples=2)
        classes, labels, names = encoded(y)
        weights = row_weights(X, labels, sample_weight)
        if weights is not None and len(classes) > 1 and len(np.unique(labels[weights > 0])) == 1:
            raise ValueError("only one class has rows whose sample_weight is above 0; weigh rows of two classes or more")
        return X, (labels, names, weights), classes
    if task == "numbers":
        X, y = validate_data(
            estimator, X, y, dtype=FLOATS, ensure_min_samples=3, multi_output=True, y_numeric=True
        )
        estimator._one_column = y.ndim == 1
        if isinstance(sample_weight, str):
            raise ValueError(f"sample_weight is {sample_weight!r}, which is of classes; give a weight per row or None")
        return X, (*as_targets(y), row_weights(X, None, sample_weight)), None
    if task == "pairs":
        X = validate_data(estimator, X, dtype=FLOATS, ensure_min_samples=2)
        return X, as_pairs(pairs, len(X)), None
    return validate_data(estimator, X, dtype=FLOATS), None, None


def only_weights(params):
    """The `sample_weight` among the keyword arguments of `fit`, which takes no others.

    It is no argument of its own, as scikit-learn reads such an argument as a promise: that a row of weight 2 is the row
    given twice. Here it is not: the second would be the nearest neighbor of the first.
    """
    weights = params.pop("sample_weight", None)
    for name in params:
        raise TypeError(f"fit() got an unexpected keyword argument {name!r}; it takes sample_weight")
    return weights


def row_weights(X, labels, sample_weight):
    """How much the term of each row counts; 'balanced' lets each class as a whole count alike."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, str):
        if sample_weight != "balanced":
            raise ValueError(f"sample_weight is {sample_weight!r}; give a weight per row, 'balanced' or None")
        return 1 / np.bincount(labels)[labels]
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    return np.ascontiguousarray(weights)


def encoded(y):
    """Labels of classes as the compiled module takes them.

    Returns the classes in order, the number of each row's class, and the names of the classes.
    """
    check_classification_targets(y)
    classes, labels = np.unique(y, return_inverse=True)
    return classes, labels.astype(np.int64, copy=False), [str(name) for name in classes]


def as_targets(y):
    """Numbers to learn from as the compiled module takes them: `[n, m]`, with a name for each column."""
    targets = np.asarray(y.reshape(len(y), -1), dtype=np.float64)
    return targets, [f"y{column + 1}" for column in range(targets.shape[1])]


def as_pairs(pairs, rows):
    """Pairs of rows as the compiled module takes them: `[(row, row, weight)]`."""
    pairs = check_array(pairs, dtype=np.float64, input_name="pairs")
    if pairs.shape[1] not in (2, 3):
        raise ValueError(f"pairs has {pairs.shape[1]} columns; give two rows each, and a weight if you like")
    ends = pairs[:, :2]
    wrong = (ends != np.floor(ends)) | (ends < 0) | (ends >= rows)
    if wrong.any():
        raise ValueError(f"pairs names row {ends[wrong][0]:g}; X has the rows 0 to {rows - 1}")
    weights = pairs[:, 2] if pairs.shape[1] == 3 else np.ones(len(pairs))
    return [(int(a), int(b), float(weight)) for (a, b), weight in zip(ends, weights)]
