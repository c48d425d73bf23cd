"""Fits that take a moment."""

from burn_nca import Metric


def few_steps(method):
    """A metric that is learned by this method in a few steps."""
    few = {"members": 2, "epochs": 3} if method.startswith("modern") else {"max_iter": 5}
    return Metric(method, random_state=0, **few)
