"""Exported graphs compute what the library computes, in onnxruntime."""

import json

import numpy as np
import onnxruntime
import pytest
from sklearn.datasets import load_diabetes, load_wine

from burn_nca import MLKR, Metric, NCAClassifier, NeighborhoodComponentsAnalysis, _burn_nca
from burn_nca._base import SETTINGS

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

X, Y = load_wine(return_X_y=True)


def run(path, rows):
    session = onnxruntime.InferenceSession(path)
    names = [output.name for output in session.get_outputs()]
    return session, dict(zip(names, session.run(None, {"features": rows})))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("scaling", ["standardize", "minmax", "none"])
def test_embedding_and_rule_are_those_of_the_model(tmp_path, dtype, scaling):
    rows = X.astype(dtype)
    init = "auto" if scaling == "standardize" else "lda"
    model = NCAClassifier(2, rule="soft", scaling=scaling, init=init, max_iter=20).fit(rows, Y)
    path = tmp_path / "model.onnx"
    model.to_onnx(path, with_neighbors=True)
    session, found = run(path, rows)
    z = model.transform(rows)
    assert np.abs(found["embedding"] - z).max() <= 1e-6 * max(1, np.abs(z).max())
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(rows), atol=1e-6)
    np.testing.assert_array_equal(found["label"], model.predict(rows).astype(str))
    # Any number of rows.
    np.testing.assert_allclose(run(path, rows[:1])[1]["embedding"], found["embedding"][:1], atol=1e-6)
    texts = session.get_modelmeta().custom_metadata_map
    assert json.loads(texts["classes"]) == ["0", "1", "2"]
    assert len(json.loads(texts["features"])) == 13 and texts["method"] == "nca"


@pytest.mark.parametrize("k", [1, 2, 4, 5, 500])
@pytest.mark.parametrize("weighted", [False, True])
def test_votes_are_those_of_the_model(tmp_path, k, weighted):
    weights = np.random.default_rng(0).integers(1, 4, len(X)).astype(float) if weighted else None
    rows = X.astype("float32")
    model = NCAClassifier(2, n_neighbors=k, max_iter=5).fit(rows, Y, sample_weight=weights)
    model.to_onnx(tmp_path / "model.onnx", with_neighbors=True)
    new = rows + np.random.default_rng(1).normal(size=rows.shape).astype("float32")
    for some in (rows, new):
        found = run(tmp_path / "model.onnx", some)[1]
        np.testing.assert_allclose(found["probabilities"], model.predict_proba(some), atol=1e-12)
        np.testing.assert_array_equal(found["label"], model.predict(some).astype(str))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("k", [1, 3, 5, 10])
@pytest.mark.parametrize("method", ["nca", "ncfs"])
def test_equal_distances_vote_as_in_the_model(tmp_path, method, k, dtype):
    generator = np.random.default_rng(0)
    rows = generator.integers(0, 4, (150, 3)).astype(dtype)
    y = (rows.sum(axis=1) + generator.integers(0, 2, 150)).astype(int) % 3
    settings = {"encoder": "diagonal"} if method == "nca" else {}
    model = Metric(method, n_neighbors=k, max_iter=3, **settings).fit(rows, y)
    model.to_onnx(tmp_path / "model.onnx", with_neighbors=True)
    found = run(tmp_path / "model.onnx", rows)[1]
    np.testing.assert_array_equal(found["label"], model.predict(rows).astype(str))
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(rows), atol=1e-12)


@pytest.mark.parametrize("method", ["nca", "ncfs", "modern"])
def test_every_distance_votes(tmp_path, method):
    settings = {"members": 2, "epochs": 3} if method == "modern" else {"max_iter": 5}
    model = Metric(method, random_state=0, **settings).fit(X, Y)
    model.to_onnx(tmp_path / "model.onnx", with_neighbors=True)
    found = run(tmp_path / "model.onnx", X)[1]
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(X), atol=1e-5)
    np.testing.assert_array_equal(found["label"], model.predict(X).astype(str))


@pytest.mark.parametrize("method", ["mlkr", "fsrnca"])
def test_means_of_neighbors_are_those_of_the_model(tmp_path, method):
    rows, y = load_diabetes(return_X_y=True)
    model = Metric(method, rule="knn", n_neighbors=7, max_iter=5).fit(rows, y)
    model.to_onnx(tmp_path / "model.onnx", with_neighbors=True)
    found = run(tmp_path / "model.onnx", rows)[1]
    np.testing.assert_allclose(found["prediction"][:, 0], model.predict(rows), rtol=1e-9)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("method", ["ncfs", "vsm", "gvsm", "lca-classifier", "lmnn"])
def test_the_rule_of_every_method_is_in_the_graph(tmp_path, method, dtype):
    rows = X.astype(dtype)
    model = Metric(method, rule="soft", max_iter=5, random_state=0).fit(rows, Y)
    model.to_onnx(tmp_path / "model.onnx", with_neighbors=True)
    new = np.concatenate([rows[::3] + np.float32(0.1), rows[:5]]).astype(dtype)
    found = run(tmp_path / "model.onnx", new)[1]
    z = model.transform(new)
    assert np.abs(found["embedding"] - z).max() <= 1e-6 * max(1, np.abs(z).max())
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(new), atol=1e-5 if dtype == "float32" else 1e-9)
    np.testing.assert_array_equal(found["label"], model.predict(new).astype(str))


def test_numbers_by_absolute_differences(tmp_path):
    rows, y = load_diabetes(return_X_y=True)
    model = Metric("fsrnca", rule="soft", max_iter=5).fit(rows, y)
    model.to_onnx(tmp_path / "model.onnx", with_neighbors=True)
    found = run(tmp_path / "model.onnx", rows[:50])[1]
    np.testing.assert_allclose(found["prediction"][:, 0], model.predict(rows[:50]), rtol=1e-6)


def test_numbers_are_predicted(tmp_path):
    rows, y = load_diabetes(return_X_y=True)
    model = MLKR(2, max_iter=10).fit(rows, y)
    model.to_onnx(tmp_path / "model.onnx", with_neighbors=True)
    found = run(tmp_path / "model.onnx", rows)[1]
    np.testing.assert_allclose(found["prediction"][:, 0], model.predict(rows), rtol=1e-6)


def test_without_neighbors_the_graph_only_embeds(tmp_path):
    model = NeighborhoodComponentsAnalysis(2, init="pca", max_iter=5).fit(X, Y)
    model.to_onnx(tmp_path / "model.onnx")
    assert list(run(tmp_path / "model.onnx", X)[1]) == ["embedding"]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("encoder", ["relu", "tanh", "logistic", "diagonal"])
def test_every_encoder_is_expressed(tmp_path, encoder, dtype):
    rows = X.astype(dtype)
    kind = "diagonal" if encoder == "diagonal" else "mlp"
    settings = {
        **SETTINGS,
        "encoder": kind,
        "n_components": 13 if kind == "diagonal" else 3,
        "hidden": [7, 5],
        "activation": encoder if kind == "mlp" else "relu",
        "scaling": "standardize",
        "criterion": "g",
        "dtype": dtype,
        "max_iter": 10,
    }
    model = _burn_nca.fit_classes(rows, None, (Y.astype(np.int64), ["a", "b", "c"], None), settings)
    model.set_decision()
    model.to_onnx(tmp_path / "model.onnx", True)
    found, z = run(tmp_path / "model.onnx", rows)[1], model.transform(rows)
    assert np.abs(found["embedding"] - z).max() <= 1e-6 * max(1, np.abs(z).max())
    np.testing.assert_allclose(found["probabilities"], model.class_probabilities(rows), atol=1e-5)
