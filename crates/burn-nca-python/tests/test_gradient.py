"""The gradient of a batch: by finite differences, and the same from several workers as from one."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from burn_nca import NeighborhoodComponentsAnalysis, value_and_gradient

X, Y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X)
A = 0.5 * np.random.RandomState(0).randn(2, 13)
EXAMPLE = Path(__file__).parents[3] / "examples" / "python" / "many_workers.py"


def naive(A, X, y, criterion, l2):
    """The paper's equations with nested sums."""
    z = X @ A.T
    total = 0.0
    for i in range(len(X)):
        weights = np.exp(-((z - z[i]) ** 2).sum(axis=1))
        weights[i] = 0
        same = (y == y[i]) & (np.arange(len(X)) != i)
        if same.any():
            p = weights[same].sum() / weights.sum()
            total -= p if criterion == "f" else np.log(p)
        total += l2 * (A**2).sum()
    return total


@pytest.mark.parametrize("criterion", ["f", "g"])
def test_value_and_gradient_are_those_of_the_equations(criterion):
    rows, y = X[::4], np.append(Y[::4][:-1], 7)  # the last row is alone in its class
    value, gradient = value_and_gradient(A, rows, y, criterion=criterion, l2=0.01)
    assert value == pytest.approx(naive(A, rows, y, criterion, 0.01), rel=1e-10)
    for at in np.ndindex(2, 5):
        step = np.zeros_like(A)
        step[at] = 1e-5
        ends = [naive(A + sign * step, rows, y, criterion, 0.01) for sign in (1, -1)]
        assert gradient[at] == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("criterion", ["f", "g"])
def test_the_parts_of_a_batch_add_up_to_the_whole(criterion):
    names = np.array(["a", "b", "c"])[Y]
    value, gradient = value_and_gradient(A, X, names, criterion=criterion, l2=0.1)
    parts = [value_and_gradient(A, X, names, rows=part, criterion=criterion, l2=0.1) for part in [(0, 50), (50, 51), (51, 178)]]
    assert sum(value for value, _ in parts) == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(sum(gradient for _, gradient in parts), gradient, rtol=1e-9, atol=1e-12)


def test_float32_stays_float32():
    value, gradient = value_and_gradient(A, X.astype(np.float32), Y)
    assert gradient.dtype == np.float32 and value == pytest.approx(value_and_gradient(A, X, Y)[0], rel=1e-5)


def test_an_array_at_any_byte_is_taken():
    # As it comes out of a message between processes.
    moved = np.zeros(X.nbytes + 1, dtype=np.uint8)[1:].view(np.float64).reshape(X.shape)
    moved[:] = X
    assert not moved.flags.aligned
    assert value_and_gradient(A, moved, Y)[0] == value_and_gradient(A, X, Y)[0]
    nca = NeighborhoodComponentsAnalysis(2, init=A, max_iter=5)
    np.testing.assert_array_equal(nca.fit(moved, Y).transform(moved), nca.fit(X, Y).transform(X))


def test_what_does_not_fit_is_refused_in_words():
    for changed, message in [
        ({"A": A[:, :5]}, "A is 2 x 5, X is 178 x 13"),
        ({"rows": (5, 5)}, r"rows is 5\.\.5; give a part of the 178 rows"),
        ({"rows": (0, 179)}, r"rows is 0\.\.179"),
        ({"criterion": "h"}, "criterion is \"h\"; give one of 'f', 'g'"),
    ]:
        given = {"A": A, "X": X, "y": Y, **changed}
        with pytest.raises(ValueError, match=message):
            value_and_gradient(**given)


@pytest.mark.skipif(not EXAMPLE.is_file(), reason="outside the repository")
def test_workers_of_dask_train_and_predict_as_one_process_does():
    pytest.importorskip("distributed")
    spec = importlib.util.spec_from_file_location("many_workers", EXAMPLE)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    from distributed import Client, LocalCluster

    parts = [example.rows(part * example.PART, part * example.PART + 500) for part in range(2)]
    parts = [(rows.astype(np.float64), y) for rows, y in parts]
    # Threads of one process: what the engine does with the gradients is the same.
    threads = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with LocalCluster(**threads) as cluster, Client(cluster) as client:
        A_workers, values = example.train(client, parts, steps=5, batch=200)
    A_alone, values_alone = example.train(None, parts, steps=5, batch=200)
    np.testing.assert_allclose(A_workers, A_alone, rtol=0, atol=1e-12)
    np.testing.assert_allclose(values, values_alone, rtol=1e-12)
    assert values[-1] < values[0]
