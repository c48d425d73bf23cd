"""The search for settings, of every method that has some."""

import numpy as np
import pytest
from sklearn import clone
from sklearn.datasets import load_diabetes, load_wine
from sklearn.model_selection import train_test_split

from burn_nca import MLKR, Metric, NCAClassifier, NeighborhoodComponentsAnalysis, methods, tune

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

WINE = load_wine(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)
QUICK = {"folds": 2, "repeats": 1, "most_candidates": 2, "max_iter": 8, "random_state": 0}


def test_a_search_chooses_settings_that_fit_again():
    X, X_test, y, y_test = train_test_split(*WINE, random_state=0, stratify=WINE[1])
    estimator, search = tune(X, y, n_components=2, folds=3, repeats=1, most_candidates=3, random_state=0)
    assert len(search["trials"]) == 3 and search["choice"]["accuracy"] > 0.9
    assert estimator.score(X_test, y_test) > 0.9
    # The settings are those of the fit that the search ended with.
    again = clone(estimator).fit(X, y)
    np.testing.assert_allclose(again.transform(X_test), estimator.transform(X_test), atol=1e-8)


@pytest.mark.parametrize("info", methods(), ids=lambda info: info["name"])
def test_every_method_with_settings_is_tuned(info):
    name, task = info["name"], info["task"]
    X, y = DIABETES if task == "numbers" else WINE
    given = {"pairs": [(row, row + 3) for row in range(0, 150, 2)]} if task == "pairs" else {"y": y}
    if name == "euclidean":
        with pytest.raises(ValueError, match="Euclidean has none; fit it as it is"):
            tune(X, estimator=Metric(name), **QUICK, **given)
        return
    small = {"members": 2, "width": 16, "epochs": 5} if name.startswith("modern") else {}
    estimator, search = tune(X, estimator=Metric(name, **small), **QUICK, **given)
    assert len(search["trials"]) == 2 and isinstance(estimator, Metric)
    again = clone(estimator).fit(X, **given)
    np.testing.assert_allclose(again.transform(X[:20]), estimator.transform(X[:20]), atol=1e-8)


def test_settings_of_a_method_are_chosen_and_what_is_given_stays():
    estimator, search = tune(*WINE, estimator=Metric("lca", n_components=2, trainer="em"), folds=2, repeats=1)
    tried = [trial["candidate"]["settings"] for trial in search["trials"]]
    assert {one["local_scales"] for one in tried} == {"true", "false"} and len(tried) == 4
    assert all(set(one) == {"local_scales", "targets"} for one in tried)
    chosen = tried[search["choice"]["trial"]]
    assert str(estimator.local_scales).lower() == chosen["local_scales"] and str(estimator.targets) == chosen["targets"]
    assert estimator.n_components == 2


def test_numbers_are_compared_by_r2():
    X, X_test, y, y_test = train_test_split(*DIABETES, random_state=0)
    estimator, search = tune(X, y, estimator=MLKR(2, random_state=0), folds=3, repeats=1, most_candidates=4)
    assert isinstance(estimator, MLKR) and 0.3 < search["choice"]["accuracy"] < 1
    assert estimator.score(X_test, y_test) > 0.3
    np.testing.assert_allclose(clone(estimator).fit(X, y).predict(X_test), estimator.predict(X_test), atol=1e-6)


def test_a_random_start_that_is_chosen_is_drawn_again():
    starts = {"n_components": 1, "init": "random", "max_iter": 5, "random_state": 3}
    for estimator in [NCAClassifier(**starts), Metric("nca", **starts), MLKR(**starts)]:
        X, y = DIABETES if isinstance(estimator, MLKR) else WINE
        a, b = (clone(estimator).fit(X, y).components_ for _ in range(2))
        np.testing.assert_array_equal(a, b)


def test_a_budget_that_ends_before_the_first_trial_leaves_the_usual_settings():
    estimator, search = tune(*WINE, n_components=2, budget=1e-9, random_state=0)
    assert search["choice"] is None and estimator.criterion == "g" and estimator.score(*WINE) > 0.9


def test_what_cannot_be_tuned_is_refused_in_words():
    with pytest.raises(TypeError, match="give an NCAClassifier, an MLKR, a Metric or the name of a method"):
        tune(*WINE, estimator=NeighborhoodComponentsAnalysis())
    with pytest.raises(ValueError, match="pairs are given, and classes are learned from"):
        tune(*WINE, pairs=[(0, 1)])
    with pytest.raises(ValueError, match="sample_weight weighs rows of classes or numbers, and these are pairs"):
        tune(WINE[0], estimator="pairs", pairs=[(0, 1)], sample_weight=np.ones(178))
    with pytest.raises(ValueError, match="leave early_stopping and stop_at out"):
        tune(*WINE, stop_at=3)
