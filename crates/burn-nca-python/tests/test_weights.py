"""Weights of rows."""

import numpy as np
import pytest
import sklearn
from quick import few_steps
from sklearn import clone
from sklearn.datasets import load_diabetes, load_wine
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks
from sklearn.utils.class_weight import compute_sample_weight

from burn_nca import MLKR, Metric, NCAClassifier, NeighborhoodComponentsAnalysis, methods, tune

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning", "ignore::FutureWarning")

X, Y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X)
ESTIMATORS = [
    NeighborhoodComponentsAnalysis(2, init="pca", max_iter=20),
    NCAClassifier(2),
    Metric("nca", n_components=2),
]
CHECKS = [
    "check_sample_weights_pandas_series",
    "check_sample_weights_not_an_array",
    "check_sample_weights_list",
    "check_all_zero_sample_weights_error",
    "check_sample_weights_shape",
    "check_sample_weights_not_overwritten",
]


def log_p(A, rows, y):
    z = rows @ A.T
    d = ((z[:, None] - z[None]) ** 2).sum(axis=2)
    np.fill_diagonal(d, np.inf)
    p = np.exp(-(d - d.min(axis=1, keepdims=True)))
    return np.log((p * (y[:, None] == y)).sum(axis=1) / p.sum(axis=1))


def test_the_terms_of_the_objective_count_by_their_weights():
    weights = np.random.RandomState(0).uniform(0, 3, len(X))
    nca = NeighborhoodComponentsAnalysis(2, criterion="g", init="pca", max_iter=10, l2=0.01)
    nca.fit(X, Y, sample_weight=weights)
    w = weights / weights.mean()
    expected = -(w * log_p(nca.components_, X, Y)).sum() + 0.01 * len(X) * (nca.components_**2).sum()
    assert nca.summary_["value"] == pytest.approx(expected, rel=1e-10)
    # Only ratios matter.
    again = clone(nca).fit(X, Y, sample_weight=10 * weights)
    np.testing.assert_allclose(again.components_, nca.components_, rtol=1e-6)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_equal_weights_change_nothing(estimator):
    z = clone(estimator).set_params(random_state=0).fit(X, Y).transform(X)
    for weights in (np.ones(len(X)), 3):
        again = clone(estimator).set_params(random_state=0).fit(X, Y, sample_weight=weights)
        np.testing.assert_allclose(again.transform(X), z, atol=1e-6)
    weighted = clone(estimator).set_params(random_state=0).fit(X, Y, sample_weight=np.where(Y == 0, 5, 1))
    assert np.abs(weighted.transform(X) - z).max() > 1e-3


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_weights_are_taken_as_scikit_learn_takes_them(estimator, name):
    getattr(estimator_checks, name)(type(estimator).__name__, estimator)


@pytest.mark.xfail(strict=True, raises=AssertionError, reason="a copy of a row is its nearest neighbor")
def test_a_weight_is_not_a_copy_of_the_row():
    # So `sample_weight` is no argument of its own of `fit`, where scikit-learn reads it as the promise that it is.
    estimator_checks.check_sample_weight_equivalence_on_dense_data("NCAClassifier", NCAClassifier())


def rare():
    """Two classes that overlap, one of them rare."""
    random = np.random.RandomState(0)
    y = (np.arange(300) % 15 == 0).astype(int)
    return random.randn(300, 3) + y[:, None] * [1.2, 0, 0], y


def test_balanced_classes_count_alike():
    rows, y = rare()
    plain = NCAClassifier(1, random_state=0).fit(rows, y)
    for estimator in [NCAClassifier(1, random_state=0), Metric("nca", n_components=1, random_state=0)]:
        balanced = clone(estimator).fit(rows, y, sample_weight="balanced")
        given = clone(estimator).fit(rows, y, sample_weight=compute_sample_weight("balanced", y))
        np.testing.assert_allclose(balanced.transform(rows), given.transform(rows), atol=1e-5)
        share = (balanced.predict(rows) == 1).mean()
        assert share > (plain.predict(rows) == 1).mean() + 0.05
    with pytest.raises(ValueError, match="sample_weight is 'even'; give a weight per row, 'balanced'"):
        NCAClassifier().fit(rows, y, sample_weight="even")


def test_weights_are_routed_as_metadata():
    rows, y = rare()
    weights = compute_sample_weight("balanced", y)
    alone = NCAClassifier(1, random_state=0).fit(rows, y, sample_weight=weights)
    named = make_pipeline(StandardScaler(), NCAClassifier(1, scaling="none", random_state=0))
    named.fit(rows, y, ncaclassifier__sample_weight=weights)
    np.testing.assert_allclose(np.abs(named.transform(rows)), np.abs(alone.transform(rows)), atol=1e-5)
    with sklearn.config_context(enable_metadata_routing=True):
        model = NCAClassifier(1, random_state=0).set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        scores = cross_validate(model, rows, y, cv=2, params={"sample_weight": weights})["test_score"]
        assert scores.shape == (2,)
        balanced = cross_validate(model.set_score_request(sample_weight=False), rows, y, cv=2, params={"sample_weight": "balanced"})
        assert balanced["test_score"].shape == (2,)
        model.set_score_request(sample_weight=True)
        grid = GridSearchCV(model, {"n_neighbors": [1, 5]}, cv=2)
        assert grid.fit(rows, y, sample_weight=weights).best_estimator_.n_components == 1


@pytest.mark.parametrize("info", methods(), ids=lambda info: info["name"])
def test_every_method_takes_weights_or_says_that_it_does_not(info):
    numbers = info["task"] == "numbers"
    rows, y = load_diabetes(return_X_y=True) if numbers else (X, Y)
    metric = few_steps(info["name"])
    weights = np.linspace(0.5, 1.5, len(rows))
    fit = {"pairs": [(0, 1), (2, 3)]} if info["task"] == "pairs" else {"y": y}
    if info["task"] in ("classes", "numbers") and info["name"] not in ("lca", "lca-classifier"):
        assert np.isfinite(metric.fit(rows, sample_weight=weights, **fit).transform(rows)).all()
        return
    with pytest.raises(ValueError, match="weight"):
        metric.fit(rows, sample_weight=weights, **fit)


def test_the_terms_of_numbers_count_by_their_weights():
    rows, y = load_diabetes(return_X_y=True)
    y = (y - y.mean()) / y.std()
    weights = np.random.RandomState(0).uniform(0, 3, len(rows))
    mlkr = MLKR(2, scaling="none", l2=0.0, max_iter=5).fit(rows, y, sample_weight=weights)
    z = mlkr.transform(rows)
    p = np.exp(-((z[:, None] - z[None]) ** 2).sum(axis=2)) * (1 - np.eye(len(rows)))
    w = weights / weights.mean()
    squares = w * (y - p @ y / p.sum(axis=1)) ** 2
    assert mlkr.summary_["value"] == pytest.approx(squares.sum(), rel=1e-6)
    again = MLKR(2, scaling="none", l2=0.0, max_iter=5).fit(rows, y, sample_weight=7 * weights)
    np.testing.assert_allclose(again.components_, mlkr.components_, rtol=1e-6)


def test_a_search_compares_weighted_fits():
    rows, y = rare()
    weights = compute_sample_weight("balanced", y)
    quick = {"n_components": 1, "folds": 2, "repeats": 1, "most_candidates": 1, "random_state": 0}
    tuned = tune(rows, y, sample_weight=weights, **quick).estimator
    again = clone(tuned).fit(rows, y, sample_weight=weights)
    np.testing.assert_allclose(again.transform(rows), tuned.transform(rows), atol=1e-6)


def test_other_arguments_of_fit_are_refused():
    for estimator in ESTIMATORS:
        with pytest.raises(TypeError, match="unexpected keyword argument 'weights'"):
            clone(estimator).fit(X, Y, weights=np.ones(len(X)))
    with pytest.raises(ValueError, match="sample_weight is 'balanced', which is of classes"):
        MLKR().fit(*load_diabetes(return_X_y=True), sample_weight="balanced")
    with pytest.raises(ValueError, match="egative"):
        NCAClassifier().fit(X, Y, sample_weight=-np.ones(len(X)))
