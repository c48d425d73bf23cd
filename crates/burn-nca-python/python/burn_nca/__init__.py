"""Neighborhood components analysis and its family, with scikit-learn's interface.

Everything is computed by the Rust library burn-nca; the classes here check their input as scikit-learn does.

- `NeighborhoodComponentsAnalysis`: in place of scikit-learn's, with its parameters and attributes.
- `NCAClassifier`: the learned metric with its k-NN or stochastic rule.
- `MLKR`: metric learning for kernel regression.
- `Metric`: any method of the library, by its name (`methods`).
- `Nearest`: the exact neighbor search.
- `tune`: settings by cross-validation.
- `value_and_gradient`: the objective of a batch and its gradient, for a training loop of one's own.
- `load`: a model that the program `nca` or one of these classes saved.
"""

from ._burn_nca import __version__, devices
from ._classifier import NCAClassifier
from ._explain import Explanation, LabelQuality, TargetQuality
from ._gradient import value_and_gradient
from ._metric import Metric, methods
from ._mlkr import MLKR
from ._nca import NeighborhoodComponentsAnalysis
from ._nearest import Nearest
from ._saved import load
from ._tune import Tuned, tune

__all__ = [
    "MLKR",
    "Explanation",
    "LabelQuality",
    "Metric",
    "NCAClassifier",
    "Nearest",
    "NeighborhoodComponentsAnalysis",
    "TargetQuality",
    "Tuned",
    "__version__",
    "devices",
    "load",
    "methods",
    "tune",
    "value_and_gradient",
]
