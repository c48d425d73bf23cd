"""scikit-learn's own checks of an estimator, all of them; none is skipped that its own classes do not skip."""

import functools
from unittest import SkipTest

import pytest
from sklearn.base import is_classifier, is_regressor
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neighbors import NeighborhoodComponentsAnalysis as Theirs
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

from burn_nca import MLKR, Metric, NCAClassifier, NeighborhoodComponentsAnalysis

pytestmark = pytest.mark.filterwarnings("ignore")

ESTIMATORS = [
    NeighborhoodComponentsAnalysis(),
    NeighborhoodComponentsAnalysis(criterion="g", l2=0.01, n_components=1),
    NCAClassifier(),
    NCAClassifier(rule="soft"),
    MLKR(),
    *(Metric(method, members=2, width=16, epochs=8, random_state=0) for method in ("modern", "modern-regression")),
]


def has_own_settings(estimator):
    """What a class cannot pass whose signature does not list the settings of its method."""
    if not isinstance(estimator, Metric):
        return {}
    return {"check_no_attributes_set_in_init": "settings of the method are attributes, too"}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=has_own_settings)
def test_check(estimator, check):
    try:
        check(estimator)
    except SkipTest:
        assert check.func.__name__ in skipped_by_theirs(kind(estimator))
        raise


def kind(estimator):
    """The class of scikit-learn's that does the same."""
    if is_classifier(estimator):
        return KNeighborsClassifier
    return KNeighborsRegressor if is_regressor(estimator) else Theirs


@functools.cache
def skipped_by_theirs(theirs):
    """The checks that a class of scikit-learn's own skips here."""
    checks = check_estimator(theirs(), on_skip=None, on_fail=None)
    return {check["check_name"] for check in checks if check["status"] == "skipped"}
