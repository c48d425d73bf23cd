"""Every method of the library through one class."""

import pickle

import numpy as np
import pytest
from sklearn import clone
from sklearn.datasets import load_diabetes, load_wine
from sklearn.model_selection import GridSearchCV

from burn_nca import Metric, methods

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

WINE = load_wine(return_X_y=True)


@pytest.mark.parametrize("info", methods(), ids=lambda info: info["name"])
def test_every_method_learns_from_what_it_says(info):
    numbers = info["task"] == "numbers"
    X, y = load_diabetes(return_X_y=True) if numbers else WINE
    metric = Metric(info["name"], max_iter=5, random_state=0)
    if info["task"] == "pairs":
        with pytest.raises(ValueError, match="learns from pairs"):
            metric.fit(X, y)
        return
    z = metric.fit_transform(X[:150], y[:150])
    assert np.isfinite(z).all() and metric.get_feature_names_out().shape == (z.shape[1],)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(metric)).transform(X[:150]), z)
    if info["task"] is not None:
        assert metric.predict(X[:150]).shape == (150,)
        assert 0 <= metric.score(X[:150], y[:150]) <= 1


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
