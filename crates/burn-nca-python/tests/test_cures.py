"""The cure of every message of the package's own: what it asks for is done, and then accepted."""

import ast
import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

from burn_nca import MLKR, Metric, NCAClassifier, Nearest, methods, tune, value_and_gradient

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

X, Y = (rows[::4] for rows in load_iris(return_X_y=True))
T = X[:, 0] + X[:, 2]
PAIRS = [(row, row + 1) for row in range(0, 30, 2)]
ONES = np.ones(len(X))


def fit(estimator, *rows, **settings):
    """A call that fits these rows, or the usual ones."""
    given = {name: settings.pop(name) for name in ("pairs", "sample_weight", "weights") if name in settings}
    return lambda: estimator(**settings).fit(*(rows or (X, Y)), **given)


def classifier(**settings):
    return fit(NCAClassifier, **{"max_iter": 3, **settings})


def numbers(**settings):
    return fit(MLKR, X, T, max_iter=3, **settings)


def metric(method, *rows, **settings):
    few = {} if method in ("lda", "pca", "?") else {"max_iter": 3}
    return fit(partial(Metric, method), *rows, **few, **settings)


def report(*rows):
    return lambda: NCAClassifier(max_iter=3).fit(X, Y).report(*rows)


def tuned(y=Y, **settings):
    few = {"folds": 2, "repeats": 1, "most_candidates": 1, "max_iter": 3}
    return lambda: tune(X, y, **few, **settings)


def neighbors(algorithm):
    return lambda: Nearest(2, algorithm=algorithm).fit(X).kneighbors()


def gradient(A, **rows):
    return lambda: value_and_gradient(A, X, Y, **rows)


SMALL = ([[1.0, 2], [2, 1], [3, 2], [4, 1]], ["u", "v", "u", "v"])
A = np.eye(2, 4)

# What a message asks for, the call that is refused, and the calls that do so.
CASES = [
    (
        "give 'auto', a number from 1, or None",
        classifier(start_perplexity="best"),
        *(classifier(start_perplexity=perplexity) for perplexity in ("auto", 2.0, None)),
    ),
    ("give a function or None", classifier(callback=3), classifier(callback=print), classifier(callback=None)),
    ("give an array (n_components, n_features)", classifier(init=[1.0]), classifier(init=A)),
    (
        "leave it out; weights of pairs are the third column of pairs",
        metric("pairs", X, pairs=PAIRS, sample_weight=ONES),
        metric("pairs", X, pairs=PAIRS),
        metric("pairs", X, pairs=[(*pair, 2.0) for pair in PAIRS]),
    ),
    ("leave it out", metric("pca", X, sample_weight=ONES), metric("pca", X)),
    ("give them to Metric('pairs')", tuned(pairs=PAIRS), metric("pairs", X, pairs=PAIRS)),
    ("weigh rows of two classes", classifier(sample_weight=1.0 * (Y == 0)), classifier(sample_weight=1.0 * (Y < 2))),
    (
        "give a weight per row or None",
        numbers(sample_weight="balanced"),
        numbers(sample_weight=ONES),
        numbers(sample_weight=None),
    ),
    (
        "give a weight per row, 'balanced' or None",
        classifier(sample_weight="heavy"),
        *(classifier(sample_weight=weights) for weights in (ONES, "balanced", None)),
    ),
    ("it takes sample_weight", classifier(weights=ONES), classifier(sample_weight=ONES)),
    (
        "give two rows each, and a weight if you like",
        metric("pairs", X, pairs=[(0,), (1,)]),
        metric("pairs", X, pairs=[(0, 1), (1, 2)]),
        metric("pairs", X, pairs=[(0, 1, 0.5), (1, 2, 1.0)]),
    ),
    (
        f"X has the rows 0 to {len(X) - 1}",
        metric("pairs", X, pairs=[(0, len(X))]),
        metric("pairs", X, pairs=[(0, len(X) - 1)]),
    ),
    ("give fit(X, pairs=...)", metric("pairs"), metric("pairs", X, pairs=PAIRS)),
    (
        "give fit(X, y), or method='pairs'",
        metric("nca", X, pairs=PAIRS),
        metric("nca"),
        metric("pairs", X, pairs=PAIRS),
    ),
    ("the methods are " + ", ".join(info["name"] for info in methods()), metric("?"), metric("nca")),
    ("give both or neither", report(X, Y, X), report(X, Y, X, Y), report(X, Y)),
    ("give one per row", report(X, Y[1:]), report(X, Y)),
    ("give the rows of the fit", report(X[1:], Y[1:]), report(X, Y)),
    ("leave its rows out", report(X, Y, X[:9], [7, *Y[1:9]]), report(X, Y, X[1:9], Y[1:9])),
    (
        "a report needs classes or numbers",
        lambda: metric("pairs", X, pairs=PAIRS)().report(X, Y),
        report(X, Y),
        lambda: numbers()().report(X, T),
    ),
    ("give one of 'knn', 'soft'", classifier(rule="vote"), classifier(rule="knn"), classifier(rule="soft")),
    (
        "give an NCAClassifier, an MLKR, a Metric or the name of a method",
        tuned(estimator=Nearest()),
        tuned(estimator=NCAClassifier()),
        tuned(estimator=MLKR(), y=T),
        tuned(estimator=Metric("nca")),
        tuned(estimator="nca"),
    ),
    ("give 'f' or 'g'", tuned(criteria=["h"]), tuned(criteria=["f"]), tuned(criteria=["g"])),
    ("give one of 'f', 'g'", classifier(criterion="h"), classifier(criterion="f"), classifier(criterion="g")),
    ("give one of 'auto', 'brute', 'tree'", neighbors("grid"), *map(neighbors, ["auto", "brute", "tree"])),
    ("give A (n_components, n_features), X", gradient(A[:, :3]), gradient(A)),
    ("give a part of the 38 rows of the batch", gradient(A, rows=(3, 3)), gradient(A, rows=(3, 4))),
    # Settings of the library by the names of parameters.
    (
        "give shrinkage=0.01",
        metric("lda", *SMALL, n_components=1),
        metric("lda", *SMALL, n_components=1, shrinkage=0.01),
    ),
    (
        "give n_components=4, or give encoder='linear'",
        metric("nca", encoder="diagonal", n_components=1),
        metric("nca", encoder="diagonal", n_components=4),
        metric("nca", encoder="linear", n_components=1),
    ),
    (
        "give n_components=2, or give sums='auto'",
        classifier(n_components=3, sums="fourier"),
        classifier(n_components=2, sums="fourier"),
        classifier(n_components=3, sums="auto"),
    ),
    ("give init='auto'", metric("gvsm", init="lda"), metric("gvsm", init="auto")),
]

# Texts without a case, and why.
UNTRIED = {"a label is negative": "the estimators number the classes themselves"}


def message(refused):
    with pytest.raises((ValueError, TypeError)) as caught:
        refused()
    return str(caught.value)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0][:40])
def test_what_a_message_asks_for_is_accepted(case):
    cure, refused, *cured = case
    text = message(refused)
    assert cure in text.partition("; ")[2]
    for call in cured:
        call()


def texts(source):
    """The texts of a source but for its comments and docstrings, each as the words between its values."""
    code = source.read_text(encoding="utf-8")
    if source.suffix == ".rs":
        code = re.sub(r"\\\n\s*", "", re.sub(r"(?m)^\s*//.*$", "", code))
        yield from (re.split(r"\{.*?\}", text) for text in re.findall(r'"((?:[^"\\]|\\.)*)"', code))
        return
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.JoinedStr):
            yield [part.value if isinstance(part, ast.Constant) else "" for part in node.values]
        elif isinstance(node, (ast.Call, ast.IfExp)):
            constants = [child.value for child in ast.iter_child_nodes(node) if isinstance(child, ast.Constant)]
            yield from ([text] for text in constants if isinstance(text, str))


def test_every_text_with_a_cure_is_tried_or_has_a_reason_why_not():
    crate = Path(__file__).parents[1]
    sources = [*crate.glob("python/burn_nca/*.py"), *crate.glob("src/*.rs")]
    found = [words for source in sources for words in texts(source) if any("; " in part for part in words)]
    said = [message(refused) for _, refused, *_ in CASES]
    patterns = {"{}".join(words): ".*".join(map(re.escape, words)) for words in found}
    tried = {text for text, pattern in patterns.items() if any(re.search(pattern, one, re.S) for one in said)}
    reasons = {text for text in patterns if text.startswith(tuple(UNTRIED))}
    assert tried.isdisjoint(reasons) and len(reasons) == len(UNTRIED)
    assert len(sources) > 20 and tried | reasons == patterns.keys()
