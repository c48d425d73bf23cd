"""What the package promises beyond scikit-learn's checks."""

import json
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_diabetes, load_digits, load_iris, load_wine
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.neighbors import NeighborhoodComponentsAnalysis as Theirs
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from burn_nca import MLKR, NCAClassifier, Nearest, NeighborhoodComponentsAnalysis, load

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

IRIS = load_iris(return_X_y=True)
WINE = load_wine(return_X_y=True)
GALLERY = Path(__file__).parents[2] / "burn-nca-learn" / "tests" / "gallery" / "v1-methods"


def log_p(A, X, y):
    """log p_i of every row, in the plainest way."""
    z = X @ A.T
    d = ((z[:, None] - z[None]) ** 2).sum(axis=2)
    np.fill_diagonal(d, np.inf)
    p = np.exp(-(d - d.min(axis=1, keepdims=True)))
    return np.log((p * (y[:, None] == y)).sum(axis=1) / p.sum(axis=1))


def test_the_value_is_that_of_the_paper_for_both_criteria():
    X, y = IRIS
    for criterion, value in [("f", lambda q: -np.exp(q).sum()), ("g", lambda q: -q.sum())]:
        nca = NeighborhoodComponentsAnalysis(2, criterion=criterion, l2=0.01, max_iter=20).fit(X, y)
        penalty = 0.01 * len(X) * (nca.components_**2).sum()
        expected = value(log_p(nca.components_, X, y)) + penalty
        assert nca.summary_["value"] == pytest.approx(expected, rel=1e-10)


def test_three_points_collapse_as_the_optimum_says():
    # scikit-learn's test_toy_example_collapse_points through what is public.
    two = np.random.RandomState(42).randn(2, 5)
    X, y = np.vstack([two, two.mean(axis=0)]), [0, 0, 1]
    nca = NeighborhoodComponentsAnalysis(random_state=42)
    z = nca.fit_transform(X, y)
    np.testing.assert_array_almost_equal(z - z[0], 0.0)
    assert abs(nca.summary_["value"] + 1) < 1e-10


def test_the_optimum_is_no_worse_than_scikit_learns():
    X, y = StandardScaler().fit_transform(WINE[0]), WINE[1]
    options = {"n_components": 2, "max_iter": 100, "random_state": 0}
    ours = NeighborhoodComponentsAnalysis(**options).fit(X, y)
    theirs = Theirs(**options).fit(X, y)
    f = [np.exp(log_p(nca.components_, X, y)).sum() for nca in (ours, theirs)]
    assert f[0] >= f[1] - 0.01


@pytest.mark.parametrize("estimator", [NeighborhoodComponentsAnalysis(2), NCAClassifier(2)])
def test_float32_stays_float32(estimator):
    X, y = IRIS[0].astype(np.float32), IRIS[1]
    estimator = clone(estimator).fit(X, y)
    assert estimator.components_.dtype == estimator.transform(X).dtype == np.float32
    forced = clone(estimator).set_params(dtype="float64").fit(X, y)
    assert forced.components_.dtype == forced.transform(X).dtype == np.float64
    # Without a penalty the optimum lies far out: how far depends on the last digits.
    np.testing.assert_allclose(estimator.transform(X[:5]), forced.transform(X[:5]), rtol=0.05)


def test_far_columns_are_embedded_about_the_origin():
    # The library moves far columns to their means before it fits; A x is what scikit-learn's class gives.
    X = IRIS[0] + 1e6
    nca = NeighborhoodComponentsAnalysis(2, init="pca", max_iter=3).fit(X, IRIS[1])
    np.testing.assert_allclose(nca.transform(X), X @ nca.components_.T, rtol=1e-12)


@pytest.mark.parametrize("library", [pd, pl])
def test_tables_keep_the_names_of_their_columns(library, tmp_path):
    names = ["a", "b", "c", "d"]
    table = library.DataFrame(dict(zip(names, IRIS[0].T)))
    nca = NeighborhoodComponentsAnalysis(2).fit(table, IRIS[1])
    assert nca.feature_names_in_.tolist() == names
    assert list(nca.get_feature_names_out()) == [f"neighborhoodcomponentsanalysis{i}" for i in (0, 1)]
    np.testing.assert_array_equal(nca.transform(table), nca.model_.transform(IRIS[0], uncentered=True))
    with pytest.raises(ValueError, match="feature names"):
        nca.transform(table[names[::-1]])
    kind = {pd: "pandas", pl: "polars"}[library]
    out = clone(nca).set_output(transform=kind).fit(table, IRIS[1]).transform(table)
    assert isinstance(out, library.DataFrame)
    nca.save(tmp_path / "model")
    assert load(tmp_path / "model").feature_names_in_.tolist() == names


def test_pickles_and_clones():
    X, y = IRIS
    for estimator in [NeighborhoodComponentsAnalysis(2), NCAClassifier(2), Nearest()]:
        fitted = estimator.fit(X, y)
        again = pickle.loads(pickle.dumps(fitted))
        if hasattr(fitted, "transform"):
            np.testing.assert_array_equal(again.transform(X), fitted.transform(X))
        if hasattr(fitted, "predict_proba"):
            np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
        assert not hasattr(clone(fitted), "model_")
    # The model and its folder, not the training rows.
    assert len(pickle.dumps(NCAClassifier(2).fit(X, y))) < 60_000
    np.testing.assert_array_equal(again.kneighbors(X[:3])[1], fitted.kneighbors(X[:3])[1])


def test_saved_models_are_loaded_with_classes_and_rule(tmp_path):
    names = np.array(["setosa", "versicolor", "virginica"])
    fitted = NCAClassifier(2).fit(IRIS[0], names[IRIS[1]])
    fitted.save(tmp_path / "model")
    again = load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(IRIS[0]), fitted.predict(IRIS[0]))
    assert load_numbers(tmp_path).classes_.dtype.kind == "i"
    with pytest.raises(ValueError, match="already exists"):
        fitted.save(tmp_path / "model")
    with pytest.raises(ValueError, match="no model here"):
        load(tmp_path / "elsewhere")


def load_numbers(folder):
    NCAClassifier(2).fit(*IRIS).save(folder / "numbers")
    return load(folder / "numbers")


@pytest.mark.skipif(not GALLERY.is_dir(), reason="outside the repository")
def test_models_of_the_program_give_its_embeddings():
    expected = json.loads((GALLERY / "embeddings.json").read_text())
    queries = pd.DataFrame(
        [[0.057, 7.5, -0.466], [1.345, 4.477, 2.95], [2.974, 6.459, 0.563]], columns=["height", "weight", "width"]
    )
    for kind in ["diagonal", "euclidean", "lda", "lmnn", "mlkr", "nca", "network", "pairs", "weighted"]:
        np.testing.assert_allclose(load(GALLERY / kind).transform(queries), expected[kind], rtol=0, atol=1e-5)


def test_pipelines_searches_and_column_transformers():
    X, y = WINE
    pipeline = make_pipeline(
        StandardScaler(), NeighborhoodComponentsAnalysis(2, random_state=0), KNeighborsClassifier(3)
    )
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.9
    grid = GridSearchCV(NCAClassifier(), {"n_components": [1, 2], "rule": ["knn", "soft"]}, cv=3)
    assert grid.fit(X, y).best_params_["n_components"] == 2
    half = ColumnTransformer([("nca", NeighborhoodComponentsAnalysis(1), [0, 1, 2])], remainder="passthrough")
    assert half.fit(X, y).transform(X).shape == (178, 11)
    assert half.get_feature_names_out()[0] == "nca__neighborhoodcomponentsanalysis0"


def test_processes_of_joblib_fit_as_one_process_does():
    model = NCAClassifier(2, random_state=0)
    alone = cross_val_score(model, *WINE, cv=3)
    np.testing.assert_array_equal(cross_val_score(model, *WINE, cv=3, n_jobs=2), alone)


@pytest.mark.parametrize("rule", ["knn", "soft"])
def test_classifiers_classify(rule):
    X, X_test, y, y_test = train_test_split(*WINE, random_state=0, stratify=WINE[1])
    model = NCAClassifier(2, rule=rule, random_state=0).fit(X, y)
    assert model.score(X_test, y_test) > 0.9
    p = model.predict_proba(X_test)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(model.predict_log_proba(X_test), np.log(p))


@pytest.mark.parametrize("settings", [{}, {"n_neighbors": 3}, {"rule": "soft"}])
def test_the_rule_is_saved_and_pickled(settings, tmp_path):
    model = NCAClassifier(2, max_iter=5, **settings).fit(*WINE)
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert (again.rule, again.n_neighbors) == (model.rule, model.n_neighbors)
    for other in (again, pickle.loads(pickle.dumps(model)), pickle.loads(pickle.dumps(again))):
        np.testing.assert_array_equal(other.predict_proba(WINE[0]), model.predict_proba(WINE[0]))
    numbers = MLKR(2, max_iter=5, n_neighbors=settings.get("n_neighbors")).fit(*WINE)
    numbers.save(tmp_path / "numbers")
    assert load(tmp_path / "numbers").n_neighbors == numbers.n_neighbors


def test_a_start_in_few_dimensions_sees_a_share_of_the_rows():
    X, y = load_digits(return_X_y=True)
    settings = {"max_iter": 3, "random_state": 0}

    def learned(**others):
        return NCAClassifier(**settings, **others).fit(X, y).components_

    assert np.array_equal(learned(n_components=2), learned(n_components=2, start_perplexity=len(X) / 30))
    assert np.array_equal(learned(n_components=9), learned(n_components=9, start_perplexity=15))
    with pytest.raises(ValueError, match="start_perplexity is 'best'; give 'auto', a number from 1, or None"):
        learned(start_perplexity="best")


def test_ties_go_to_the_nearest():
    X = np.array([[0.0], [1.0], [5.0], [6.0]])
    model = NCAClassifier(rule="knn", n_neighbors=2, stop_at=0, init="identity").fit(X, [1, 0, 0, 1])
    assert model.predict([[0.1], [5.9]]).tolist() == [1, 1]


def test_regression_predicts_better_than_the_mean():
    X, X_test, y, y_test = train_test_split(*load_diabetes(return_X_y=True), random_state=0)
    for k in (None, 20):
        assert MLKR(2, n_neighbors=k).fit(X, y).score(X_test, y_test) > 0.3
    two = MLKR(2, max_iter=5).fit(X, np.column_stack([y, -y])).predict(X_test)
    assert two.shape == (len(X_test), 2)
    np.testing.assert_allclose(two[:, 0], -two[:, 1])


@pytest.mark.parametrize("optimizer", ["lbfgs", "cg", "adam", "sgd"])
def test_every_optimizer_learns(optimizer):
    X, y = StandardScaler().fit_transform(IRIS[0]), IRIS[1]
    nca = NeighborhoodComponentsAnalysis(2, init="pca", optimizer=optimizer, batch_size=50, max_iter=30)
    start = np.exp(log_p(clone(nca).set_params(max_iter=1).fit(X, y).components_, X, y)).sum()
    assert np.exp(log_p(nca.fit(X, y).components_, X, y)).sum() > start


def test_a_callback_sees_every_step_and_may_end_the_fit():
    seen = []
    nca = NeighborhoodComponentsAnalysis(2, max_iter=5, callback=lambda A, step: seen.append((step, A)))
    nca.fit(*IRIS)
    assert [step for step, _ in seen] == list(range(1, nca.n_iter_ + 1))
    np.testing.assert_array_equal(seen[-1][1].reshape(2, 4), nca.components_)

    def refuse(A, step):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        nca.set_params(callback=refuse).fit(*IRIS)


def test_other_threads_run_while_a_fit_does():
    X, y = load_digits(return_X_y=True)
    fit = threading.Thread(target=lambda: NeighborhoodComponentsAnalysis(2, max_iter=3, init="pca").fit(X, y))
    turns = 0
    fit.start()
    while fit.is_alive():
        time.sleep(0.001)
        turns += 1
    assert turns > 5


def test_ctrl_c_ends_a_fit():
    program = """
import signal
import numpy as np
from burn_nca import NeighborhoodComponentsAnalysis
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may start its background jobs without
X, y = np.random.RandomState(0).randn(2000, 20), np.arange(2000) % 7
print("fitting", flush=True)
NeighborhoodComponentsAnalysis(init="random", max_iter=10**6, tol=0).fit(X, y)
"""
    run = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert run.stdout.readline() == "fitting\n"
        time.sleep(0.5)
        run.send_signal(signal.SIGINT)
        _, error = run.communicate(timeout=60)
    finally:
        run.kill()
    assert run.returncode != 0 and "KeyboardInterrupt" in error


def test_rows_that_say_nothing_keep_the_start():
    with pytest.warns(UserWarning, match="Nothing was learned"):
        nca = NeighborhoodComponentsAnalysis(init="pca", n_components=1).fit(IRIS[0], np.zeros(150))
    assert nca.n_iter_ == 0 and nca.components_.shape == (1, 4)


def test_messages_name_the_value_and_the_cure():
    X, y = IRIS
    for settings, message in [
        ({"criterion": "h"}, "criterion is \"h\"; give one of 'f', 'g'"),
        ({"init": "best"}, "init is \"best\"; give one of"),
        ({"optimizer": "rmsprop"}, "optimizer is \"rmsprop\"; give one of 'lbfgs', 'cg', 'adam', 'sgd'"),
        ({"optimizer": "sgd", "momentum": 1.0}, "momentum == 1.0, must be < 1"),
        ({"l2": -1.0}, "l2 == -1.0, must be >= 0"),
        ({"max_iter": 0}, "max_iter == 0, must be >= 1"),
    ]:
        with pytest.raises(ValueError, match=message.replace("(", r"\(")):
            NeighborhoodComponentsAnalysis(**settings).fit(X, y)
    with pytest.raises(RuntimeError, match="available devices: cpu"):
        NeighborhoodComponentsAnalysis(device="abacus").fit(X, y)
    with pytest.raises(ValueError, match="rule is 'vote'"):
        NCAClassifier(rule="vote").fit(X, y)


@pytest.mark.parametrize("algorithm", ["auto", "brute", "tree", "boxes"])
def test_neighbors_are_those_of_scikit_learn(algorithm):
    X = np.random.RandomState(0).randn(500, 3)
    ours = Nearest(4, algorithm=algorithm).fit(X)
    theirs = NearestNeighbors(n_neighbors=4).fit(X)
    for queries in (X[:50] + 0.1, None):
        (d, rows), (d_theirs, rows_theirs) = ours.kneighbors(queries), theirs.kneighbors(queries)
        np.testing.assert_array_equal(rows, rows_theirs)
        np.testing.assert_allclose(d, d_theirs)
