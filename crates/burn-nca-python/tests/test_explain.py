"""The training rows and features behind a prediction, and training rows whose labels look wrong."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris

from burn_nca import MLKR, Metric, NCAClassifier

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

X, y = load_iris(return_X_y=True)


@pytest.mark.parametrize("rule", ["knn", "soft"])
def test_the_shares_of_all_training_rows_are_the_probabilities(rule):
    model = NCAClassifier(n_components=2, rule=rule, dtype=np.float64, max_iter=5, random_state=0).fit(X, y)
    found = model.explain(X[::20], n_neighbors=len(X), X_train=X)
    one_hot = np.eye(3)[y[found.indices]] * found.shares[..., None]
    np.testing.assert_allclose(one_hot.sum(axis=1), model.predict_proba(X[::20]), atol=1e-5)
    assert (y[found.rivals] != model.predict(X[::20])).all()
    few = model.explain(X[::20], n_neighbors=2)
    np.testing.assert_array_equal(few.indices, found.indices[:, :2])
    assert few.contributions is None and few.rivals is None
    # The nearest row of the predicted class against the rival, by the map itself.
    one = model.explain(X[77:78], n_neighbors=1, X_train=X)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    metric = model.components_.T @ model.components_
    parts = [d * (metric @ d) for d in (scaled[77] - scaled[[one.rivals[0], one.indices[0, 0]]])]
    if y[one.indices[0, 0]] == model.predict(X[77:78])[0]:
        np.testing.assert_allclose(one.contributions[0], parts[0] - parts[1], atol=1e-6)


def test_wrong_labels_come_first():
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    names[[3, 60]] = "virginica", "setosa"
    quality = NCAClassifier(random_state=0).fit(X, names).label_quality()
    assert set(quality.indices[:2]) == {3, 60} and (quality.p[:2] == 0).all()
    suggested = dict(zip(quality.indices, quality.suggested, strict=True))
    assert (suggested[3], suggested[60]) == ("setosa", "versicolor")
    assert len(quality.indices) == len(X) and (np.diff(quality.p) >= 0).all()


def test_numbers_are_explained_and_judged_by_their_residuals():
    rows, targets = load_diabetes(return_X_y=True)
    targets[7] += 1e4
    for model in (MLKR(n_components=2, max_iter=3, random_state=0), Metric("mlkr", n_components=2, max_iter=3)):
        model.fit(rows, targets)
        found = model.explain(rows[:5], n_neighbors=len(rows))
        means = (targets[found.indices] * found.shares).sum(axis=1)
        np.testing.assert_allclose(means, model.predict(rows[:5]), rtol=1e-4)
        quality = model.label_quality()
        assert quality.indices[0] == 7 and quality.residuals[0] > 10


def test_other_training_rows_are_refused():
    model = NCAClassifier(max_iter=2).fit(X, y)
    with pytest.raises(ValueError, match="149 training rows are given"):
        model.explain(X[:1], X_train=X[1:])
    with pytest.raises(ValueError, match="n_neighbors"):
        model.explain(X[:1], n_neighbors=0)
