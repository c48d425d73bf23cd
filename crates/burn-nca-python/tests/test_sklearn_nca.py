"""scikit-learn's tests of its NeighborhoodComponentsAnalysis, with ours in its place.

The tests are those that the installed scikit-learn carries; their module is imported, and the class it tests is
exchanged.
"""

import pytest
from sklearn.neighbors.tests import test_nca as theirs

import burn_nca

# Why a test does not apply. Each reaches into a private function of scikit-learn's class; what it is about is
# tested by `test_burn_nca.py` through what is public.
DO_NOT_APPLY = {
    "test_toy_example_collapse_points": "calls _loss_grad_lbfgs",
    "test_finite_differences": "calls _loss_grad_lbfgs",
}


@pytest.fixture(autouse=True)
def ours_in_place_of_theirs(monkeypatch):
    ours = burn_nca.NeighborhoodComponentsAnalysis
    monkeypatch.setattr(theirs, "NeighborhoodComponentsAnalysis", ours)


globals().update(
    (name, test)
    for name, test in vars(theirs).items()
    if name.startswith("test_") and name not in DO_NOT_APPLY
)


def test_those_that_do_not_apply_are_still_there_and_private():
    for name, reason in DO_NOT_APPLY.items():
        code = getattr(theirs, name).__code__
        names = set(code.co_names) | {
            name for part in code.co_consts if hasattr(part, "co_names") for name in _names(part)
        }
        assert reason.removeprefix("calls ") in names


def _names(code):
    inner = [name for part in code.co_consts if hasattr(part, "co_names") for name in _names(part)]
    return [*code.co_names, *inner]
