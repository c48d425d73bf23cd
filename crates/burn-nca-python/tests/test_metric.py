"""Every method of the library through one class."""

import pickle

import numpy as np
import pytest
from quick import few_steps
from sklearn import clone
from sklearn.datasets import load_diabetes, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

from burn_nca import Metric, methods

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

WINE = load_wine(return_X_y=True)


@pytest.mark.parametrize("info", methods(), ids=lambda info: info["name"])
def test_every_method_learns_from_what_it_says(info):
    numbers = info["task"] == "numbers"
    X, y = load_diabetes(return_X_y=True) if numbers else WINE
    metric = few_steps(info["name"])
    if info["task"] == "pairs":
        with pytest.raises(ValueError, match="learns from pairs; give fit"):
            metric.fit(X, y)
        metric.fit(X[:150], pairs=[(row, row + 3) for row in range(100)])
        assert np.isfinite(metric.transform(X[:150])).all()
        return
    z = metric.fit_transform(X[:150], y[:150])
    assert np.isfinite(z).all() and metric.get_feature_names_out().shape == (z.shape[1],)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(metric)).transform(X[:150]), z)
    if info["task"] is not None:
        assert metric.predict(X[:150]).shape == (150,)
        assert 0 <= metric.score(X[:150], y[:150]) <= 1


def test_pairs_draw_their_rows_together():
    random = np.random.default_rng(0)
    slow, noise = np.repeat(random.normal(size=40), 2), random.normal(size=80)
    X = np.stack([slow, noise], axis=1)
    pairs = [(row, row + 1) for row in range(0, 80, 2)]
    metric = Metric("pairs", n_components=1, random_state=0).fit(X, pairs=pairs)
    slow_weight, noise_weight = np.abs(metric.components_[0])
    assert slow_weight > 5 * noise_weight
    weighted = Metric("pairs", n_components=1, random_state=0).fit(X, pairs=[(a, b, 1.0) for a, b in pairs])
    np.testing.assert_array_equal(weighted.components_, metric.components_)
    assert not hasattr(metric, "classes_")
    for wrong, message in [
        ([(0, 80)], "pairs names row 80; X has the rows 0 to 79"),
        ([(0, 1.5)], "pairs names row 1.5"),
        ([(0, 1, 2, 3)], "pairs has 4 columns"),
        ([(0, 1, -1.0)], "weight"),
        ([(3, 3)], "3"),
    ]:
        with pytest.raises(ValueError, match=message):
            Metric("pairs").fit(X, pairs=wrong)
    with pytest.raises(ValueError, match="'nca' learns from classes; give fit"):
        Metric("nca").fit(X, slow > 0, pairs=pairs)


def test_settings_of_a_method_are_parameters():
    metric = Metric("nca", n_components=2, criterion="f", max_iter=10)
    assert metric.get_params()["criterion"] == "f"
    assert clone(metric).get_params() == metric.get_params()
    grid = GridSearchCV(metric, {"criterion": ["f", "g"], "repulsion": [0.0, 0.1]}, cv=3)
    assert grid.fit(*WINE).best_score_ > 0.9
    with pytest.raises(ValueError, match='no setting "criterium" \\(did you mean "criterion"'):
        Metric("nca", criterium="f").fit(*WINE)
    with pytest.raises(ValueError, match="there is no method 'ncaa'"):
        Metric("ncaa").fit(*WINE)


def test_networks_are_maps_too():
    metric = Metric("nca", n_components=2, encoder="mlp", hidden=[8], max_iter=20, random_state=0)
    assert metric.fit(*WINE).components_ is None and metric.score(*WINE) > 0.9


def test_a_network_without_layers_is_the_one_that_generalizes():
    X, y = WINE
    held_out = np.arange(len(y)) % 3 == 0
    network = Metric("nca", n_components=2, encoder="mlp", random_state=0).fit(X[~held_out], y[~held_out])
    assert network.n_iter_ == 300 and network.score(X[held_out], y[held_out]) > 0.93
    with pytest.raises(ValueError, match="'lbfgs', 'cg', 'adam', 'sgd'"):
        Metric("nca", encoder="mlp", optimizer="newton").fit(X, y)


def test_a_fit_that_did_not_converge_names_its_method_and_the_setting():
    with pytest.warns(ConvergenceWarning, match=r"^\[Metric\] lmnn did not converge: the limit of iterations was reached; raise max_iter\.$"):
        Metric(method="lmnn", max_iter=1).fit(*WINE)
