"""scikit-learn's own checks of an estimator, all of them."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from burn_nca import MLKR, NCAClassifier, NeighborhoodComponentsAnalysis

pytestmark = pytest.mark.filterwarnings("ignore")

ESTIMATORS = [
    NeighborhoodComponentsAnalysis(),
    NeighborhoodComponentsAnalysis(criterion="g", l2=0.01, n_components=1),
    NCAClassifier(),
    NCAClassifier(rule="stochastic"),
    MLKR(),
]


@parametrize_with_checks(ESTIMATORS)
def test_check(estimator, check):
    check(estimator)
