"""The report of a fit."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.model_selection import train_test_split

from burn_nca import MLKR, Metric, NCAClassifier

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_the_report_says_what_the_classifier_scores():
    X, X_test, y, y_test = train_test_split(*load_wine(return_X_y=True), random_state=0)
    model = NCAClassifier(n_components=2, random_state=0).fit(X, y)
    report = model.report(X, y, X_test, y_test)
    rows = {row["method"]: row for row in report.values["comparison"]["rows"]}
    assert {"Euclidean", "PCA"} <= rows.keys()
    learned = report.values["comparison"]["rows"][-1]
    assert learned["knn_test"] == pytest.approx(model.score(X_test, y_test))
    assert "<html" in report.html and "iframe" in report._repr_html_()
    assert report.values["command"].startswith("NCAClassifier(")


def test_numbers_have_a_report_and_pairs_have_none(tmp_path):
    X, y = load_diabetes(return_X_y=True)
    report = MLKR(n_components=2, max_iter=5, random_state=0).fit(X[:200], y[:200]).report(X[:200], y[:200])
    assert np.isfinite(report.values["comparison"]["rows"][-1]["r2_train"])
    report.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == report.html
    film = [[0.0, 5.0], [1.0, 0.0], [2.0, 9.0], [3.0, 2.0]]
    pairs = Metric("pairs").fit(film, pairs=[(0, 1), (1, 2), (2, 3)])
    with pytest.raises(ValueError, match="no targets to measure by"):
        pairs.report(film, [0, 0, 1, 1])


def test_rows_that_were_not_fitted_are_refused():
    X, y = load_wine(return_X_y=True)
    model = NCAClassifier(n_components=2, random_state=0, max_iter=3).fit(X, y)
    with pytest.raises(ValueError, match="give the rows of the fit"):
        model.report(X[:50], y[:50])
    with pytest.raises(ValueError, match="was not in the fit"):
        model.report(X, y, X[:2], [7, 7])
