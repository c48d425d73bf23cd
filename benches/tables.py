#!/usr/bin/env python3
"""Writes the tables of the documents from benches/results/*.json, between markers such as `<!-- speed -->` and
`<!-- /speed -->`.

    python3 benches/tables.py
"""

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benches" / "results"


def read(name):
    path = RESULTS / name
    return json.loads(path.read_text()) if path.exists() else None


def table(head, rows, words=1):
    """A Markdown table; the first `words` columns hold words, the others numbers."""
    first, *rest = ["| " + " | ".join(str(cell) for cell in line) + " |" for line in (head, *rows)]
    return [first, "|" + "---|" * words + "---:|" * (len(head) - words), *rest, ""]


def estimate(values):
    """Mean and standard error of values (None for a single one); None without any."""
    n = len(values)
    if n == 0:
        return None
    mean = sum(values) / n
    squares = sum((value - mean) ** 2 for value in values)
    return {"mean": mean, "standard_error": (squares / (n - 1) / n) ** 0.5 if n > 1 else None}


def over_sets(estimates):
    """The plain mean over sets; errors of independent means add in squares."""
    if not estimates or None in estimates:
        return None
    n, errors = len(estimates), [found["standard_error"] for found in estimates]
    error = None if None in errors else sum(error**2 for error in errors) ** 0.5 / n
    return {"mean": sum(found["mean"] for found in estimates) / n, "standard_error": error}


def points(number, sign="", digits=1, unit=100):
    """A share in percent, or with the sign "+" a difference in points."""
    if number is None:
        return "-"
    # Adding 0 turns a -0 into 0.
    mean = f"{round(unit * number['mean'], digits) + 0.0:{sign}.{digits}f}"
    error = number["standard_error"]
    return mean if error is None else f"{mean} ± {unit * error:.{digits}f}"


def peers():
    report = read("peers.json")
    if report is None:
        return []

    def ratios(name):
        found = [row[f"ratio_{name}"] for row in report["value_gradient"] if f"ratio_{name}" in row]
        return f"{min(found):.0f} to {max(found):.0f} times"

    torch = f", {ratios('torch')} as PyTorch in f32" if report.get("torch") else ""
    lines = [
        f"Value and gradient of f over 500 to 10000 points: {ratios('f64')} as fast as scikit-learn in f64, {ratios('f32')} in "
        f"f32{torch} ([table](performance.md#exact-fits)).",
        "",
    ]
    for row in report["fit"]:
        peer = row["sklearn"]
        sentences = [
            f"A whole fit of the bundled digits (1797 x 64, standardized) to k = {row['dim']}: "
            f"scikit-learn takes {peer['seconds']:.1f} s to f = {peer['f']:.1f}."
        ]
        for name in ("f64", "f32"):
            ours = row[name]
            sentences.append(
                f"burn-nca in {name} reaches it in {ours['seconds']:.2f} s, {ours['ratio']:.0f} times as fast."
                if ours["reached"]
                else f"In {name} it ends after {ours['seconds']:.2f} s at another optimum, f = {ours['f']:.1f}."
            )
        lines += [" ".join(sentences), ""]
    return lines


def ways():
    report = read("peers.json")
    if report is None or "seconds_plain" not in report["value_gradient"][0]:
        return []
    names = {"f32": "fused f32", "plain": "plain f32", "f64": "fused f64", "sklearn": "scikit-learn f64"}
    names |= {"torch": "PyTorch f32"} if report.get("torch") else {}
    version = f", PyTorch {report['torch'].split('+')[0]} (all n x n probabilities)" if report.get("torch") else ""

    def cell(row, name):
        return f"{1e3 * row[f'seconds_{name}']:.1f}/{row[f'peak_mib_{name}']:.0f}"

    rows = [[row["points"], row["dim"], *(cell(row, name) for name in names)] for row in report["value_gradient"]]
    return [
        f"Milliseconds/MiB of value and gradient of f, 64 features, {report['machine']['cores']} cores, in turns with "
        f"scikit-learn {report['sklearn']}{version}; memory of the process, on the "
        "right with Python and its packages, some 640 (`python3 benches/peers/compare.py`).",
        "",
        *table(["n", "k", *names.values()], rows, words=0),
    ]


def memory():
    rows = read("memory.json")
    cells = ", ".join(f"{row['peak_mib']:.0f} MiB at n = {row['points']}" for row in rows or [])
    line = (
        "Peak memory of the whole process for value and gradient, 784 features to k = 32, f32, features included "
        f"(`python3 benches/sweep.py --memory`): {cells}. It grows linearly with n."
    )
    return [line, ""] if rows else []


def gpu():
    """Sums over all pairs and losses of a batch on a GPU, and the same in PyTorch."""
    report = read("gpu.json")
    if report is None:
        return []
    names = {"cuda": "CUDA", "wgpu": "Vulkan"}

    def cell(found):
        if found is None:
            return "-"
        if "failed" in found:
            return "no memory"
        ms = 1e3 * found["seconds"]
        return f"{ms:.0f}" if ms >= 100 else f"{ms:.1f}"

    ways = {**names, "cuda plain": "CUDA, plain", "torch": "PyTorch", "cpu": "CPU"}
    rows = [
        [row["points"], row["dim"], *(cell(row.get(way)) for way in ways)]
        for row in report["sums"]
    ]
    machine, losses = report["machine"], report["losses"]
    largest = max((row for row in report["sums"] if "seconds" in row["torch"]), key=lambda row: row["points"])
    times = [
        f"{name} {', '.join(cell(row[way]) for row in losses)}" for way, name in {**names, "flex": "CPU"}.items()
    ]
    return [
        f"{machine['gpu']}, {machine['cores']} cores (`python3 benches/gpu.py`): value and gradient of f, f32, 64 features, "
        f"in ms. PyTorch holds all n x n probabilities, {largest['torch']['mib']} MiB of the GPU at n = {largest['points']} "
        f"(burn-nca: {largest['cuda']['mib']}).",
        "",
        *table(["n", "k", *ways.values()], rows, words=0),
        f"The batch losses {', '.join(row['loss'] for row in losses)} below, ms: {'; '.join(times)}.",
        "",
    ]


def times(methods):
    """`NCA 7, LDA 3`"""
    return ", ".join(f"{name} {count}" for name, count in sorted(methods.items(), key=lambda one: -one[1]))


def accuracy():
    rows = read("accuracy.json")
    if not rows:
        return []
    methods = ["Euclidean", "PCA", "LDA", "chosen"]
    return [
        f"Held-out 1-NN accuracy in %, mean and standard error over {rows[0]['splits']} stratified 70/30 splits "
        "(`python3 benches/accuracy.py`): Euclidean distance of all features; in two dimensions PCA, LDA, and what "
        "`nca fit SET --dim 2` chose.",
        "",
        *table(
            ["set", *methods, "times"],
            [[row["data"], *(points(row[m]) for m in methods), times(row["methods"])] for row in rows],
        ),
    ]


REGRESSION = {
    "MLKR, l2 0.02, kernel": "MLKR, l2 0.02",
    "MLKR, l2 by CV, kernel": "MLKR, l2 by CV",
    "MLKR, no l2, kernel": "MLKR, no penalty",
    "Euclidean, kernel": "Euclidean, kernel",
    "Euclidean, k-NN": "Euclidean, k-NN",
}


def regression():
    """R2 of some of the methods; all of them are in the file."""
    found = read("regression.json")
    rows = []
    for method, shown in REGRESSION.items():
        of_sets = [[split[method]["r2"] for split in one["splits"].values()] for one in found.values()]
        rows.append([shown, *(points(estimate(values), "", 3, 1) for values in of_sets)])
    sets = [f"{name} ({one['rows']} x {one['columns']})" for name, one in found.items()]
    splits = len(next(iter(found.values()))["splits"])
    return [
        f"R2 on the test rows, mean over {splits} 70/30 splits; the width of the Euclidean kernel, k and \"l2 by CV\" are "
        "chosen inside the training part (`target/release/measure regression housing.csv --name housing`).",
        "",
        *table(["method", *sets], rows),
    ]


PLAIN, DEFAULT, TUNED = "f, l2 0", "g, l2 0.01", "tuned"


FIXED = {
    "Euclidean": "Euclidean",
    "before: g, l2 0.01 of the weights": "before",
    "f, l2 0, start auto": "plain",
    "f, l2 0, start auto of perplexity 15": "f, px 15",
    "g, l2 0, start auto of perplexity 15": "g, px 15",
    "g, l2 0.01 of the spread, start auto of perplexity 15": "usual",
    "LDA": "LDA",
    "tune, 4 s": "tune",
    "default": "default",
}


SIMPLEST = ("Euclidean", "LDA")


def default_of(task):
    """What `nca fit` chooses by the accuracies in the training rows: the highest mean, of equal ones the simplest."""
    compared = {run["method"]: run["compared"] for run in task["runs"] if run.get("compared")}
    order = [*SIMPLEST, *(method for method in compared if method not in SIMPLEST)]
    known = [method for method in order if method in compared]
    return max(known, key=lambda method: round(estimate(compared[method])["mean"], 9))


LISTS = {
    "defaults-unseen.json": "used for no choice",
    "defaults.json": "of KEEL",
}


def defaults():
    """The default of `nca fit` and fixed settings: means over two lists of sets."""
    rows = []
    for name, title in LISTS.items():
        done = read(name)
        for scaling in ("min-max", "standardized"):
            tasks = [task for task in done if task["scaling"] == scaling]
            rows.append([f"{len({task['set'] for task in tasks})} sets {title}, {scaling}", *defaults_means(tasks)])
    names = [name for name in FIXED.values() if name not in UNSHOWN]
    return [
        "3-NN accuracy in %, means over ten folds of each set, full map. plain: f without penalty, as in the paper; usual: g, "
        "start of perplexity 15, l2 0.01 of the spread; default: what `nca fit` chooses among linear maps. Last "
        "columns: default minus the other, paired over the folds, in points (`target/release/measure defaults --tune`).",
        "",
        *table(["sets", *names, "minus Euclidean", "minus plain"], rows),
    ]


UNSHOWN = ("before", "f, px 15", "g, px 15", "tune")


def class_default():
    """The default with modern NCA among its candidates, and scikit-learn's classifiers: means over two lists of sets."""
    rows = []
    for which, title in (("unseen", "used for no choice"), ("KEEL", "of KEEL")):
        sets = read("class-default.json")[which]
        names = list(next(iter(sets.values()))["accuracy"])
        means = [sum(found["accuracy"][name] for found in sets.values()) / len(sets) for name in names]
        modern = sum(found["chosen"].get("Modern NCA modern", 0) for found in sets.values())
        folds = sum(sum(found["chosen"].values()) for found in sets.values())
        rows.append([f"{len(sets)} sets {title}", *(f"{100 * mean:.1f}" for mean in means), f"{modern} of {folds}"])
    return [
        "Without `--dim` modern NCA is compared too, and predicts by its own rule where it is chosen; accuracy in %, "
        "standardized (`python3 benches/class_default.py target/release/nca KEEL UNSEEN`):",
        "",
        *table(["sets", *names, "modern chosen"], rows),
    ]


def larger_default():
    """The default and scikit-learn's trees on tables of thousands of rows, and on mixed ones: means over the sets."""
    rows = []
    for file, which in (("larger-default.json", ""), ("mixed-default.json", "mixed, ")):
        for task, kind in (("classification", "classes, %"), ("regression", "numbers, deviations")):
            sets = read(file)["unseen"][task].values()
            means = [sum(one[name] for one in sets) / len(sets) for name in ("default", "random forest", "boosting")]
            means = [f"{100 * mean:.1f}" if task == "classification" else f"{mean:.3f}" for mean in means]
            rows.append([f"{len(sets)}, {which}{kind}", *means, f"{max(one['seconds'] for one in sets):.0f}"])
    return [
        "Accuracy, or error in deviations, on tables used for no choice: 2000 to 16000 training rows; mixed, of numbers, "
        "words, gaps (`--missing median --missing-indicators --max-levels 200`); s: the slowest fit (`python3 "
        "benches/larger_default.py target/release/nca ARFF`, `mixed_default.py`):",
        "",
        *table(["sets", "default", "random forest", "boosting", "s"], rows),
    ]


def defaults_means(tasks):
    sets = {}
    for task in tasks:
        accuracies = {run["method"]: run["accuracy"] for run in task["runs"]}
        sets.setdefault(task["set"], []).append({**accuracies, "default": accuracies[default_of(task)]})

    def mean(value, methods):
        folds = [[fold for fold in found if all(m in fold for m in methods)] for found in sets.values()]
        return over_sets([estimate([value(fold) for fold in found]) for found in folds])

    own = [mean(lambda fold, m=m: fold[m], [m]) for m, name in FIXED.items() if name not in UNSHOWN]
    less = [mean(lambda fold, m=m: fold["default"] - fold[m], [m]) for m in ("Euclidean", "f, l2 0, start auto")]
    own = [points(cell and {**cell, "standard_error": None}) for cell in own]
    return [*own, *(points(cell, "+", 1) for cell in less)]


def tuning():
    """Tuned NCA, plain NCA and the closed forms: means over the sets, and two larger sets."""
    done = read("tune.json")
    rows = []
    for rank, title, other in (("Square", "full map", "Euclidean"), ("Two", "two dimensions", "LDA")):
        tasks = [task for task in done if task["rank"] == rank]
        rows.append(tuning_row(f"mean of {len({task['set'] for task in tasks})} sets, {title}", tasks, other))
        large = [task for task in read("tune-large.json") if task["rank"] == rank]
        for name in sorted({task["set"] for task in large}):
            rows.append(tuning_row(f"{name}, {title}", [task for task in large if task["set"] == name], other))
    return [
        "1-NN accuracy in %. plain: f without penalty, as in the paper; tuned: `nca fit --tune` as of the measurement, which "
        "uses training rows only; closed form: Euclidean distance for the full map, LDA for two dimensions. The six sets have "
        "40 splits; digits 5 and usps 3, with a budget of 90 and 120 s (`target/release/measure tune --data DIR --splits "
        "DIR/splits --out FILE`). Every set and setting: [tune.txt](../benches/results/tune.txt).",
        "",
        *table(["sets", "closed form", "plain", "g, l2 0.01", "tuned", "tuned minus plain", "tuned minus closed form"], rows),
    ]


def tuning_row(title, tasks, other):
    sets = {}
    for task in tasks:
        sets.setdefault(task["set"], []).append({run["method"]: run["accuracy"] for run in task["runs"]})

    def mean(value, *methods):
        folds = [[split for split in splits if all(m in split for m in methods)] for splits in sets.values()]
        return over_sets([estimate([value(split) for split in found]) for found in folds])

    own = [mean(lambda split, m=m: split[m], m) for m in (other, PLAIN, DEFAULT, TUNED)]
    less = [mean(lambda split, m=m: split[TUNED] - split[m], TUNED, m) for m in (PLAIN, other)]
    own = [points(cell and {**cell, "standard_error": None}) for cell in own]
    return [title, *own, *(points(cell, "+", 1) for cell in less)]


SQUARE = ["nca-square", "nca-diagonal", "rca", "whitened", "euclidean"]
RANK_TWO = ["nca-rank2", "lda-rca", "lda", "lda-unit", "pca"]


def nca_2004():
    """Figure 1 of the paper: every method on every set."""
    report = read("nca-2004.json")
    sets = [found["name"] for found in report["sets"]]
    mean = {(row["set"], row["method"]): row["test"] for row in report["means"]}
    errors = [mean[name, method]["standard_error"] for name in sets for method in (*SQUARE, *RANK_TWO)]
    shown = lambda cell: points({**cell, "standard_error": None})
    rows = [[name, *(shown(mean[name, method]) for method in (*SQUARE, *RANK_TWO))] for name in sets]
    paired = [row["test"]["mean"] for row in report["paired"]]
    return [
        "Figure 1: 1-NN accuracy on the test rows in %, mean over 40 splits (digits and usps: 10), plain NCA, f64; standard "
        f"errors are at most {100 * max(e for e in errors if e < 0.03):.1f} (PCA on balance: "
        f"{100 * max(errors):.1f}). First five columns: full map; last five: two dimensions "
        "(`cargo run --release -p nca-2004 -- --data DIR --peer benches/results/sklearn-nca-2004.json`).",
        "",
        *table(["set", *SQUARE, *RANK_TWO], rows),
        "Paired with scikit-learn's NCA on the same splits, the mean test accuracy differs by "
        f"{100 * min(paired):+.2f} to {100 * max(paired):+.2f} points.",
        "",
    ]


def slides():
    """The slides' iris table and their timing table."""
    report = read("slides.json")
    if report is None:
        return []
    head = ["iris, 3-NN of 105 test rows", "accuracy, %", "the slides, %", "scikit-learn 1.9.1, %"]
    percent = lambda row, name: f"{100 * row[name] / row['of']:.2f}"
    names = ("right", "printed", "scikit_learn")
    lines = table(head, [[row["method"], *(percent(row, name) for name in names)] for row in report["iris"]])
    head = ["f and its gradient", *(name for name, _ in report["timing"][0]["seconds"])]
    shape = lambda row: f"{row['set']} ({row['shape'][0]} x {row['shape'][1]})"
    rows = [[shape(row), *(f"{1000 * s:.3g} ms" for _, s in row["seconds"])] for row in report["timing"]]
    return [*lines, *table(head, rows)]


GVSM = ["standardized", "vsm", "gvsm", "gvsm-penalized", "nca-diagonal", "nca-square"]
CORRELATIONS = (0.0, 0.3, 0.5, 0.6, 0.8, 0.95)


def gvsm_2002():
    """Figures 3 and 4: accuracy against the correlation of the noise."""
    report = read("gvsm-2002.json")
    seeds = len({cell["seed"] for cell in report["cells"]})
    rows, errors = [], []
    for figure, noise in (("figure-3", "0.3/0.5"), ("figure-4", "0.55/0.7")):
        of_figure = [p for p in report["points"] if p["figure"] == figure and p["correlation"] in CORRELATIONS]
        for point in of_figure:
            found = {row["method"]: row for row in point["means"]}
            errors += [found[name]["standard_error"] for name in GVSM]
            cells = [points({**found[name], "standard_error": None}) for name in GVSM]
            rows.append([noise, point["correlation"], f"{100 * point['bayes']:.1f}", *cells])
    return [
        f"Accuracy on 1000 test rows in %, from 100 training rows, mean over {seeds} seeds, standard errors up to "
        f"{100 * max(errors):.1f} (`cargo run --release -p gvsm-2002 -- --seeds {seeds}`).",
        "",
        *table(["noise", "correlation", "Bayes limit", *GVSM], rows, words=0),
    ]


def mutants():
    """Of each crate the mutants that its tests killed at first and do now, and those that live without a reason."""

    def row(crate, shards):
        runs = list(shards.values())
        lived = [one for run in runs for one in run["survived"]]
        of = sum(run["killed"] for run in runs) + len(lived)
        first, now = (f"{100 * sum(run[name] for run in runs) / of:.0f} %" for name in ("first_killed", "killed"))
        return [crate, ", ".join(shards), of, first, now, sum(not one["why"] for one in lived)]

    rows = [row(crate, shards) for crate, shards in read("mutants.json").items()]
    return table(["crate", "shards", "mutants", "killed first", "killed now", "unexplained"], rows)


LCA = ["euclidean", "pca", "lmnn", "lmnn-passes", "lmnn-energies", "lmnn-passes-energies", "lca", "lca-passes"]
LCA += ["nca", "nca-usual", "nca-modern"]
LCA_TUNED = ["lca-tuned", "nca-tuned"]


def of_table_1(name, columns):
    """Rows of Table 1: the error of 3-NN, with what the paper printed."""
    report = read(name)
    mean = {(row["set"], row["method"]): row for row in report["means"]}

    def words(found):
        if found is None:
            return "-"
        printed = "" if found["printed"] is None else f" ({found['printed']:.2f})"
        return f"{found['error']:.2f}{printed}"

    def row(found):
        cells = [mean.get((found["name"], method)) for method in columns]
        splits = max((cell["splits"] for cell in cells if cell), default=0)
        error = max((cell["standard_error"] or 0 for cell in cells if cell), default=0)
        return [found["name"], splits, *(words(cell) for cell in cells), f"{error:.2f}" if error else "-"]

    return table(["set", "splits", *columns, "±"], [row(found) for found in report["sets"]])


def lca_2012():
    """Table 1, and what settings that a search or held-out rows chose reach."""
    tuned = read("lca-2012-tuned.json")
    found = {
        name: ", ".join(f"{row['set']} {row['error']:.2f}" for row in tuned["means"] if row["method"] == name)
        for name in LCA_TUNED
    }
    chosen = read("lca-2012-chosen.json")
    held_out = {}
    for one in chosen["choices"]:
        held_out.setdefault(one["rule"], []).append(f"{one['set']} {one['test']:.2f}")
    return [
        "Test error of 3-NN in %, mean over the splits, in brackets the value printed in the paper; last column: the largest "
        "standard error of the line.",
        "",
        *of_table_1("lca-2012.json", LCA),
        f"With settings chosen by 30 seconds of search, 5 minutes beyond 2000 rows (`{tuned['command']}`): "
        + "; ".join(f"`{name}` {errors}" for name, errors in found.items() if errors)
        + ".",
        "",
        f"LMNN with targets and steps that held-out rows choose for a set (`{chosen['command'].split(' && ')[0]}`, isolet, letters `--splits 2`): "
        + "; ".join(f"{rule} {', '.join(errors)}" for rule, errors in held_out.items())
        + ".",
        "",
    ]


def methods():
    """Every method for classes on the same splits."""
    cells = read("methods.json")["cells"]
    sets = list(dict.fromkeys(cell["set"] for cell in cells))
    names = list(dict.fromkeys(cell["method"] for cell in cells))
    splits = len({cell["seed"] for cell in cells})

    def found(name, data):
        return estimate([cell["knn_test"] for cell in cells if (cell["method"], cell["set"]) == (name, data)])

    def seconds(name):
        times = sorted(cell["seconds"] for cell in cells if cell["method"] == name)
        return f"{times[len(times) // 2]:.2g}"

    error = max(found(name, data)["standard_error"] for name in names for data in sets)
    shown = lambda name, data: points({**found(name, data), "standard_error": None})
    return [
        f"Accuracy on 30 % held-out rows in %, mean over {splits} splits (standard errors up to {100 * error:.1f}); 3-NN, or "
        "the method's own rule; median seconds of a fit (`python3 benches/methods.py target/release/nca FILE`).",
        "",
        *table(
            ["method", *(data.split(":")[0] for data in sets), "seconds"],
            [[f"`{name}`", *(shown(name, data) for data in sets), seconds(name)] for name in names],
        ),
    ]


def guide(name, head, cells, words=1):
    """A table of the guide: a row of cells for each result of an experiment of `measure guide`."""
    report = read("guide.json")
    rows = [cells(row) for row in report[name]]
    note = f"Means over {report['splits']} stratified 70/30 splits, accuracies in % (`target/release/measure guide`)."
    return [*table(head, [row for row in rows if row], words), note, ""]


def percents(row, *names, digits=1):
    return [f"{100 * row[name]:.{digits}f}" for name in names]


def guide_objectives():
    head = ["set", "objective", "1-NN train", "1-NN test", "soft rule test", "perplexity"]
    scores = ("nn_train", "nn_test", "soft_test")

    def cells(row):
        shown = [row["set"], row["objective"], *percents(row, *scores), f"{row['perplexity']:.0f}"]
        return shown if row["set"] != "wine" else None

    return guide("objective", head, cells, words=2)


def guide_batches():
    size = lambda row: row.get("batch_size", "all rows, L-BFGS")
    cells = lambda row: [size(row), *percents(row, "nn_train", "nn_test")]
    return guide("batch_size", ["batch", "1-NN train", "1-NN test"], cells)


def guide_scales():
    head = ["scale of A", "perplexity at the start", "at the end", "1-NN train", "1-NN test"]

    def cells(row):
        start, end = row["start"], row["end"]
        return [row["scale"], *(f"{part['perplexity']:.4g}" for part in (start, end)), *percents(end, "nn_train", "nn_test")]

    return guide("scale", head, cells, words=0)


def exact_cost():
    """What one exact value and gradient costs, by the number of points."""
    sweep = [row for row in read("sweep.json") if row["block"] is None and row["device"] == "cpu"]
    dims = sorted({row["dim"] for row in sweep})
    found = {(row["points"], row["dim"]): row for row in sweep}
    rows = []
    for n in sorted({row["points"] for row in sweep}):
        of_n = [found[n, dim] for dim in dims]
        rows.append([n, *(f"{1000 * row['seconds']:.1f}" for row in of_n), *(f"{row['peak_mib']:.0f}" for row in of_n)])
    head = ["n", *(f"ms, k = {dim}" for dim in dims), *(f"MiB, k = {dim}" for dim in dims)]
    note = "f, f32, 64 features, CPU with 2 cores (`python3 benches/sweep.py`)."
    return [*table(head, rows, words=0), note, ""]


def mnist_encoders():
    """Error of each encoder of the MNIST example."""
    runs = read("mnist.json")
    if not runs:
        return []
    rows = []
    for name in [name for name in ("linear", "mlp", "cnn") if name in runs]:
        recipe, last = runs[name]["recipe"], runs[name]["last"]
        numbers = [recipe["dim"], recipe["epochs"], runs[name]["parameters"]]
        numbers += [*percents(last, "error_1", "error_5", digits=2), f"{runs[name]['training_seconds']:.0f}"]
        rows.append([name, recipe["augment"], *numbers])
    head = ["encoder", "distortions", "k", "epochs", "parameters", "1-NN %", "5-NN %", "training, s"]
    return [
        f"Trained on and references, then classified: {'; '.join(sorted({run['split'] for run in runs.values()}))}. "
        "The majority of the nearest references decides, a tie goes to the nearest of the tied.",
        "",
        *table(head, rows, words=2),
    ]


# 5-NN on the last 10000 training digits with the first 50000 as references; the README of torchnca.
TORCHNCA = [
    ["torchnca's table: raw, scikit-learn", 784, "2.8", "155.25", "156.8"],
    ["torchnca's table: NCA-32, scikit-learn", 32, "3.3", "2.37", "6.4"],
]


def mnist_search():
    """Error, search and storage of raw pixels, principal components and the learned map."""
    found = (read("mnist.json") or {}).get("linear", {}).get("search")
    if not found:
        return []
    rows = []
    for row in found:
        numbers = [*percents(row["scores"], "error_5", digits=2), f"{row['scores']['search_seconds']:.2f}"]
        rows.append([f"{row['what']}, {row['method']}", row["dimensions"], *numbers, f"{row['megabytes']:.1f}"])
    seconds = {(row["what"], row["method"]): row["scores"]["search_seconds"] for row in found}
    ours, first = seconds[("linear-32", "auto")], found[0]["scores"]
    return [
        f"5-NN of {first['queries']} digits among {first['references']} references: error, seconds of the exact search "
        "(the fastest of three, its preparation included) and storage of the references as 32-bit floats.",
        "",
        *table(["what", "numbers a digit", "error %", "search, s", "storage, MB"], rows + TORCHNCA),
        f"The search of the learned 32 dimensions is {seconds[('raw', 'brute-force')] / ours:.0f} times as fast as "
        f"brute force on raw pixels, and {seconds[('raw', 'auto')] / ours:.0f} times as fast as the library's fastest "
        "exact search there. Torchnca's digits are others (the last 10000 training digits), on another machine.",
        "",
    ]


def fill(path, name, lines):
    """Writes `lines` between the markers `<!-- name -->` and `<!-- /name -->` of a file."""
    path = ROOT / path
    text = path.read_text()
    start, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    before, rest = text.split(start, 1)
    after = rest.split(end, 1)[1] if end in rest else rest
    temporary = path.with_suffix(".tmp")
    temporary.write_text("\n".join([f"{before}{start}", "", *lines]) + f"{end}{after}")
    temporary.replace(path)


TABLES = [
    ("README.md", "accuracy", [accuracy]),
    ("docs/results.md", "speed", [peers, memory]),
    ("docs/results.md", "defaults", [defaults, class_default, larger_default]),
    ("docs/results.md", "tuning", [tuning]),
    ("docs/results.md", "regression", [regression]),
    ("docs/performance.md", "cost", [exact_cost]),
    ("docs/performance.md", "ways", [ways]),
    ("docs/performance.md", "gpu", [gpu]),
    ("docs/guide/choosing-a-method.md", "methods", [methods]),
    ("docs/guide/choosing-a-method.md", "objective", [guide_objectives]),
    ("docs/guide/choosing-a-method.md", "batch-size", [guide_batches]),
    ("docs/guide/troubleshooting.md", "scale", [guide_scales]),
    ("examples/nca-2004/README.md", "nca-2004", [nca_2004]),
    ("examples/gvsm-2002/README.md", "gvsm-2002", [gvsm_2002]),
    ("examples/lca-2012/README.md", "lca-2012", [lca_2012]),
    ("CONTRIBUTING.md", "mutants", [mutants]),
    ("examples/slides/README.md", "slides", [slides]),
    ("examples/mnist/README.md", "encoders", [mnist_encoders]),
    ("examples/mnist/README.md", "search", [mnist_search]),
]


def main():
    for path, name, makers in TABLES:
        lines = [line for make in makers for line in make()]
        if lines:  # Without the measurements there is no table to fill.
            fill(path, name, lines)


if __name__ == "__main__":
    main()
