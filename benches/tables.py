#!/usr/bin/env python3
"""Writes the tables of the README, of docs/results.md, of the guide and of the MNIST example from
benches/results/*.json, between markers such as `<!-- results -->` and `<!-- /results -->`.

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
    beside = bool(report.get("torch"))

    def torch_cells(row):
        return [f"{1e3 * row['seconds_torch']:.1f}", f"{row['ratio_torch']:.1f}"] if beside else []

    rows = [
        [
            row["points"], row["features"], row["dim"], f"{1e3 * row['seconds_f32']:.1f}",
            f"{1e3 * row['seconds_f64']:.1f}", f"{1e3 * row['seconds_sklearn']:.1f}", f"{row['ratio_f32']:.1f}",
            f"{row['ratio_f64']:.1f}", *torch_cells(row),
        ]
        for row in report["value_gradient"]
    ]
    head = ["n", "d", "k", "ours f32, ms", "ours f64, ms", "scikit-learn, ms", "over f32", "over f64"]
    head += ["PyTorch f32, ms", "over f32"] if beside else []
    version = report.get("torch", "").split("+")[0] if beside else ""
    torch = f" and PyTorch {version} (f32, all n x n probabilities in memory)" if beside else ""
    lines = [
        f"Value and gradient of f over all points, random data, 10 classes, {report['machine']['cores']} cores "
        f"(load average {report['machine']['load']:.1f} before it began); "
        f"scikit-learn {report['sklearn']} (f64){torch} timed in the same run "
        "(`python3 benches/peers/compare.py`). Over: their time over ours.",
        "",
        *table(head, rows, words=0),
    ]
    for row in report["fit"]:
        peer = row["sklearn"]
        sentences = [
            f"A whole fit of the bundled digits (all 1797 rows, standardized, 64 features) to k = {row['dim']}: "
            f"scikit-learn takes {peer['seconds']:.1f} s to f = {peer['f']:.1f}."
        ]
        for name in ("f64", "f32"):
            ours = row[name]
            sentences.append(
                f"In {name} we reach it in {ours['seconds']:.2f} s, {ours['ratio']:.0f} times as fast."
                if ours["reached"]
                else f"In {name} the fit ends after {ours['seconds']:.2f} s at another optimum, f = {ours['f']:.1f}."
            )
        lines += [" ".join(sentences), ""]
    return lines


def memory():
    rows = read("memory.json")
    cells = ", ".join(f"{row['peak_mib']:.0f} MiB at n = {row['points']}" for row in rows or [])
    line = (
        "Peak memory of the whole process for value and gradient, 784 features to k = 32, f32, features included "
        f"(`python3 benches/sweep.py --memory`): {cells}. It grows linearly with n."
    )
    return [line, ""] if rows else []


def accuracy():
    rows = read("accuracy.json")
    if not rows:
        return []
    methods = ["Euclidean", "PCA", "LDA", "NCA"]
    return [
        f"Held-out 1-NN accuracy in %, mean and standard error over {rows[0]['splits']} stratified 70/30 splits "
        "(`nca fit SET --dim 2 --seed 0` to `9`, `python3 benches/accuracy.py`): all features by Euclidean distance, "
        "and two dimensions by PCA, LDA and NCA, by what `nca fit` chooses without options.",
        "",
        *table(["set", *methods], [[row["data"], *(points(row[m]) for m in methods)] for row in rows]),
    ]


def regression():
    lines = []
    plain = "Euclidean, k-NN"
    for name, found in (read("regression.json") or {}).items():
        splits = [found["splits"][key] for key in sorted(found["splits"])]
        rows = []
        for method in sorted(splits[0], key=lambda method: -sum(split[method]["r2"] for split in splits)):
            r2, rmse = (estimate([split[method][score] for split in splits]) for score in ("r2", "rmse"))
            gain = estimate([split[method]["r2"] - split[plain]["r2"] for split in splits])
            rows.append([method, points(r2, "", 3, 1), points(rmse, "", 2, 1), points(gain, "+", 3, 1)])
        lines += [
            f"{name}: {found['rows']} rows, {found['columns']} features, R2 and RMSE on the test rows, mean and "
            f"standard error over {len(splits)} 70/30 splits; difference: R2 less that of Euclidean k-NN on the same "
            "split (`measure regression`, see benches/README.md).",
            "",
            *table(["method", "R2", "RMSE", "difference in R2"], rows),
        ]
    return lines


ENTROPY_RULES = {
    "nearest": "1-NN", "cross_validated": "k by CV", "arithmetic": "k, arithmetic", "geometric": "k, geometric",
    "median": "k, median", "local": "k_i local", "soft": "soft rule",
}


def entropy_k():
    """Test accuracy by k from the entropy, on every set."""
    report = read("entropy-k.json")
    if report is None:
        return []
    rows = []
    for result in report["results"]:
        if result["criterion"] != "F" or result["dim"] != result["features"]:
            continue
        cells = []
        for rule in ENTROPY_RULES:
            k = result["mean_k"][rule]
            shown = "" if k is None or rule == "nearest" else f" ({k:.1f})"
            cells.append(points(result["accuracy"][rule]) + shown)
        rows.append([f"{result['data']} ({result['splits']})", *cells])
    return [
        "k read off the perplexity exp(H_i): test accuracy in %, mean and standard error over the splits; plain NCA "
        "(f, square A) on the training part. k by CV: leave-one-out on the training part, k up to 50; arithmetic, "
        "geometric, median: one k, that mean of the training rows' perplexities; local: a k for each test row; in "
        "brackets the mean k (`measure entropy-k --data DIR --out benches/results/entropy-k.json`).",
        "",
        *table(["set (splits)", *ENTROPY_RULES.values()], rows),
    ]


def entropy_differences():
    """The same rules for four fits, over all sets, less k by cross-validation."""
    report = read("entropy-k.json")
    if report is None:
        return []
    rows = []
    for criterion in ("F", "G"):
        for square in (True, False):
            of_fit = lambda r: r["criterion"] == criterion and (r["dim"] == r["features"]) == square
            fits = [result for result in report["results"] if of_fit(result)]
            if fits:
                found = [over_sets([fit["minus_cross_validated"][rule] for fit in fits]) for rule in ENTROPY_RULES]
                name = f"{criterion.lower()}, {'square A' if square else 'two dimensions'} ({len(fits)})"
                rows.append([name, *(points(number, "+") for number in found)])
    return [
        "Test accuracy less that of k by cross-validation on the same split, in points: mean over the sets and its "
        "standard error, for each fit (`measure entropy-k`, see benches/README.md).",
        "",
        *table(["fit (sets)", *ENTROPY_RULES.values()], rows),
    ]


PLAIN, DEFAULT, TUNED = "f, l2 0", "g, l2 0.01", "tuned"


FIXED = {
    "Euclidean": "Euclidean",
    "before: g, l2 0.01 of the weights": "before",
    "f, l2 0, start auto": "plain",
    "f, l2 0, start auto of perplexity 15": "f, px 15",
    "g, l2 0, start auto of perplexity 15": "g, px 15",
    "g, l2 0.01 of the spread, start auto of perplexity 15": "usual",
    "LDA without a step": "LDA",
    "tune, 4 s": "tune",
    "default": "default",
}


USUAL = next(method for method, name in FIXED.items() if name == "usual")


def lead(folds, others):
    """By how many standard errors, paired over the folds, the first are more accurate."""
    found = estimate([a - b for a, b in zip(folds, others)])
    if abs(found["mean"]) <= 1e-9:
        return 0.0
    return found["mean"] / found["standard_error"] if found["standard_error"] else found["mean"] * float("inf")


def default_of(task):
    """What the rule of `TuneConfig::handful` chooses by the accuracies inside the training rows (equal ones: the first)."""
    compared = {run["method"]: run["compared"] for run in task["runs"] if run.get("compared")}
    best = max(compared, key=lambda method: round(sum(compared[method]), 9))
    chosen = best if lead(compared[best], compared[USUAL]) > 1 else USUAL
    return "Euclidean" if lead(compared[chosen], compared["Euclidean"]) < 2 else chosen


def defaults():
    """The default of `nca fit` beside fixed settings: sets that nothing was chosen on, then those that were looked at."""
    lines = [
        "3-NN accuracy on test rows in %, means over folds (KEEL: the published ten, the others: those of "
        "benches/README.md); square A. Usual: g, start of perplexity 15, l2 0.01 of the spread; before: g, l2 0.01 of "
        "||A||², the default until then; plain: the method of the paper; default: what `nca fit` chooses of Euclidean, LDA, "
        "usual, plain and the two of perplexity 15, by cross-validation inside the training rows, without a budget; tune: a "
        "search of four seconds (`--tune --budget 4`), which differs from run to run and between machines. "
        "Differences are paired over the folds, in points (`measure defaults --tune`).",
        "",
    ]
    measured = False
    for name, title in (
        ("defaults-unseen.json", "Sets that nothing was chosen on"),
        ("defaults.json", "Sets that the lead over Euclidean distance was chosen on, and nothing else"),
        ("defaults-seen.json", "Sets that the candidates and the rule were chosen on"),
    ):
        done = read(name)
        for scaling in ("min-max", "standardized") if done else ():
            tasks = [task for task in done if task["scaling"] == scaling]
            if tasks:
                measured = True
                lines += [f"{title}, {scaling}:", "", *defaults_table(tasks)]
    return lines if measured else ["Not measured yet.", ""]


def defaults_table(tasks):
    sets = {}
    for task in tasks:
        accuracies = {run["method"]: run["accuracy"] for run in task["runs"]}
        sets.setdefault(task["set"], []).append({**accuracies, "default": accuracies[default_of(task)]})
    pairs = ("Euclidean", "before: g, l2 0.01 of the weights", "f, l2 0, start auto", "tune, 4 s")

    def cells(folds):
        own = [estimate([fold[m] for fold in folds if m in fold]) for m in FIXED]
        return own, [estimate([fold["default"] - fold[m] for fold in folds if m in fold]) for m in pairs]

    found = {f"{name} ({len(folds)})": cells(folds) for name, folds in sets.items()}
    found["mean"] = [[over_sets(column) for column in zip(*part)] for part in zip(*found.values())]
    rows = [
        [name, *(points(cell and {**cell, "standard_error": None}) for cell in own), *(points(c, "+", 2) for c in paired)]
        for name, (own, paired) in found.items()
    ]
    less = [f"default less {other}" for other in ("Euclidean", "before", "plain", "tune")]
    return table(["set (folds)", *FIXED.values(), *less], rows)


OTHER = {
    "networks": ("networks of one hidden layer of 64 to two dimensions: 1-NN accuracy on the test rows in %", 100, 1),
    "numbers": ("numeric targets by MLKR, square A: R² of the kernel rule on the test rows", 1, 3),
    "pairs": ("pairs of rows of one class: held-out partners among the ten nearest rows in %", 100, 1),
}


def other_defaults():
    """Penalties and starts of networks, numbers and pairs, beside Euclidean distance."""
    runs = read("other-defaults.json")
    if not runs:
        return ["`python3 benches/other_defaults.py --data DIR` measures it.", ""]
    lines = []
    for task, (title, unit, digits) in OTHER.items():
        of_task = [run for run in runs if run["task"] == task]
        sets = list(dict.fromkeys(run["set"] for run in of_task))
        seeds = len({run["seed"] for run in of_task})

        def means(setting):
            field = "euclidean" if setting == "Euclidean" else "score"
            own = lambda name: [r for r in of_task if r["set"] == name and setting in (r["setting"], "Euclidean")]
            return [estimate(list({r["seed"]: r[field] for r in own(name)}.values())) for name in sets]

        def row(setting):
            found = means(setting)
            cells = [*found, over_sets(found)]
            return [setting, *(points({**cell, "standard_error": None}, "", digits, unit) for cell in cells)]

        settings = list(dict.fromkeys(run["setting"] for run in of_task))
        names = [name.split("/")[-1].removesuffix(".csv") for name in sets]
        lines += [
            f"{title[0].upper()}{title[1:]}, mean over {seeds} splits of 30 % (`python3 benches/other_defaults.py --data DIR`). "
            "The first row is the default.",
            "",
            *table([task, *names, "mean"], [row(setting) for setting in [*settings, "Euclidean"]]),
        ]
    return lines


def tuning():
    """Tuned NCA beside plain NCA, the defaults and the baselines, on the sets that were measured."""
    done = read("tune.json")
    if not done:
        return ["Not measured yet.", ""]
    lines = [
        "1-NN accuracy on the test rows in %, mean and standard error over the splits (in brackets). Plain: NCA as the "
        "paper and scikit-learn have it (f, no penalty); g, l2 0.01: the default of that time, of ||A||²; tuned: "
        "`nca fit --tune` of that time, which sees training rows only. Differences are paired over the splits, in points; the last "
        "row is the plain mean over the sets (`measure tune`, see benches/README.md).",
        "",
    ]
    for rank, title, others in (("Square", "Square A", ["Euclidean"]), ("Two", "Two dimensions", ["PCA", "LDA"])):
        of_rank = [task for task in done if task["rank"] == rank]
        if of_rank:
            lines += [f"{title}:", "", *tuning_table(of_rank, others)]
    lines += tuning_large()
    if (RESULTS / "tune.md").exists():
        lines += ["All fixed settings, and what the search chose: [tune.md](../benches/results/tune.md).", ""]
    return lines


def tuning_large():
    """The sets on which a search takes long: few splits, and a budget."""
    done = read("tune-large.json")
    if not done:
        return []
    rows = []
    for rank, title, other in (("Square", "square A", "Euclidean"), ("Two", "two dimensions", "LDA")):
        for name in sorted({task["set"] for task in done}):
            of_set = [task for task in done if (task["set"], task["rank"]) == (name, rank)]
            splits = [{run["method"]: run["accuracy"] for run in task["runs"]} for task in of_set]
            seconds = [run["seconds"] for task in of_set for run in task["runs"] if run["method"] == TUNED]
            if splits:
                cells = [points(estimate([split[m] for split in splits])) for m in (other, PLAIN, TUNED)]
                less = [points(estimate([s[TUNED] - s[m] for s in splits]), "+", 2) for m in (PLAIN, other)]
                of = f"{name}, {title} ({len(splits)})"
                rows.append([of, *cells, *less, f"{min(seconds):.0f} to {max(seconds):.0f}"])
    return [
        "Larger sets on few splits, with a budget (`measure tune --without-fixed`; digits `--budget 90`, usps `--budget "
        "120`; two searches at a time on 2 cores, beside other programs; the first candidate is always finished, and the "
        "last fit comes on top). Closed form: Euclidean distance for a square A, LDA for two dimensions.",
        "",
        *table(
            [
                "set, map (splits)", "closed form", "plain", "tuned", "tuned less plain", "tuned less closed form",
                "seconds of a search",
            ],
            rows,
        ),
    ]


def tuning_table(tasks, others):
    sets = {}
    for task in tasks:
        sets.setdefault(task["set"], []).append({run["method"]: run["accuracy"] for run in task["runs"]})
    methods = [*others, PLAIN, DEFAULT, TUNED]
    pairs = [(DEFAULT, PLAIN), (TUNED, PLAIN), (TUNED, others[-1])]

    def cells(splits):
        own = [estimate([split[m] for split in splits if m in split]) for m in methods]
        paired = [estimate([s[a] - s[b] for s in splits if a in s and b in s]) for a, b in pairs]
        return own, paired

    found = {f"{name} ({len(splits)})": cells(splits) for name, splits in sets.items()}
    found["mean"] = [[over_sets(column) for column in zip(*part)] for part in zip(*found.values())]
    rows = [
        [name, *(points(cell) for cell in own), *(points(cell, "+", 2) for cell in paired)]
        for name, (own, paired) in found.items()
    ]
    differences = ["g, l2 0.01 less plain", "tuned less plain", f"tuned less {others[-1]}"]
    return table(["set (splits)", *others, "plain", "g, l2 0.01", "tuned", *differences], rows)


SQUARE = ["nca-square", "nca-diagonal", "rca", "whitened", "euclidean"]
RANK_TWO = ["nca-rank2", "lda-rca", "lda", "lda-unit", "pca"]


def nca_2004():
    """Figure 1 of the paper: every method on every set, and the differences to scikit-learn's NCA."""
    report = read("nca-2004.json")
    if report is None:
        return ["Not measured yet.", ""]
    sets = [found["name"] for found in report["sets"]]
    mean = {(row["set"], row["method"]): row["test"] for row in report["means"]}
    lines = [
        "Figure 1: 1-NN accuracy on the test rows in %, mean and standard error over the splits (in brackets), with "
        "the plain method of the paper and scikit-learn's stopping rule, in 64-bit numbers "
        "(`cargo run --release -p nca-2004 -- --data DIR --peer benches/results/sklearn-nca-2004.json`).",
        "",
    ]
    for title, methods in (("Square A", SQUARE), ("Rank 2", RANK_TWO)):
        rows = []
        for name in sets:
            found = [mean.get((name, method)) for method in methods]
            if any(found):
                most = max(cell["splits"] for cell in found if cell)
                rows.append([f"{name} ({most})", *(points(cell, digits=2) for cell in found)])
        lines += [f"{title}:", "", *table(["set (splits)", *methods], rows)]
    paired = {(row["set"], row["method"]): row["test"] for row in report["paired"]}
    if paired:
        columns = ["nca-square", "nca-rank2"]
        rows = [[name, *(points(paired.get((name, m)), "+", 2) for m in columns)] for name in sets]
        lines += ["Test accuracy less that of scikit-learn's NCA on the same splits, in points, paired:", ""]
        lines += table(["set", *columns], rows)
    return lines


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


GVSM = ["untrained", "standardized", "vsm", "gvsm", "gvsm-penalized", "nca-diagonal", "nca-square"]


def gvsm_2002():
    """Figures 3 and 4: accuracy against the correlation of the noise."""
    report = read("gvsm-2002.json")
    if report is None:
        return ["Not measured yet.", ""]
    lines = []
    for figure, noise in (("figure-3", "0.3 and 0.5"), ("figure-4", "0.55 and 0.7")):
        rows = []
        for point in (point for point in report["points"] if point["figure"] == figure):
            found = {row["method"]: row for row in point["means"]}
            cells = [points(found.get(name)) for name in GVSM]
            rows.append([point["correlation"], f"{100 * point['bayes']:.1f}", *cells])
        seeds = {cell["seed"] for cell in report["cells"]}
        lines += [
            f"Figure {figure[-1]}, noise {noise}: accuracy on 1000 test rows in %, from 100 training rows, mean and "
            f"standard error over {len(seeds)} seeds (`cargo run --release -p gvsm-2002 -- --seeds {len(seeds)}`).",
            "",
            *table(["alpha", "Bayes limit", *GVSM], rows, words=0),
        ]
    return lines


LCA = ["euclidean", "pca", "lmnn", "lca", "lca-from-lda", "nca", "nca-usual", "nca-tuned"]


def lca_2012():
    """Table 1: the error of 3-NN, with what the paper printed."""
    report = read("lca-2012.json")
    if report is None:
        return ["Not measured yet.", ""]
    mean = {(row["set"], row["method"]): row for row in report["means"]}

    def words(found):
        if found is None:
            return "-"
        error = found["standard_error"]
        text = f"{found['error']:.2f}" + ("" if error is None else f" ± {error:.2f}")
        return text if found["printed"] is None else f"{text} ({found['printed']:.2f})"

    def row(found):
        cells = [mean.get((found["name"], method)) for method in LCA]
        most = max((cell["splits"] for cell in cells if cell), default=0)
        return [f"{found['name']} ({most})", *(words(cell) for cell in cells)]

    return [
        "Table 1 of the LCA paper: test error of 3-NN in %, mean and standard error over the splits (in brackets), and in "
        "brackets what the paper prints (`cargo run --release -p lca-2012 -- --data DATA`).",
        "",
        *table(["set (splits)", *LCA], [row(found) for found in report["sets"] if any((found["name"], m) in mean for m in LCA)]),
    ]


def methods():
    """Every method for classes on the same splits."""
    report = read("methods.json")
    if report is None:
        return ["`python3 benches/methods.py target/release/nca benches/results/methods.json` makes this table.", ""]
    cells = report["cells"]
    sets = list(dict.fromkeys(cell["set"] for cell in cells))
    names = list(dict.fromkeys(cell["method"] for cell in cells))

    def shown(name, data):
        found = [cell["knn_test"] for cell in cells if (cell["method"], cell["set"]) == (name, data)]
        return points(estimate(found)) if found else "-"

    def seconds(name):
        found = sorted(cell["seconds"] for cell in cells if cell["method"] == name)
        return f"{found[len(found) // 2]:.2g}"

    splits = len({cell["seed"] for cell in cells})
    head = ["method", *(data.split(":")[0] for data in sets), "seconds"]
    rows = [[f"`{name}`", *(shown(name, data) for data in sets), seconds(name)] for name in names]
    return [
        f"Accuracy on 30 % held-out rows in %, mean and standard error over {splits} splits; 3-NN, or the rule of the method "
        "where it has one; median seconds of a fit (`python3 benches/methods.py`).",
        "",
        *table(head, rows),
    ]


def guide(name, head, cells, words=1):
    """A table of the guide: a row of cells for each result of an experiment of `measure guide`."""
    report = read("guide.json")
    if report is None:
        return ["`target/release/measure guide > benches/results/guide.json` makes this table.", ""]
    note = f"Means over {report['splits']} stratified 70/30 splits, accuracies in % (`target/release/measure guide`)."
    return [*table(head, [cells(row) for row in report[name]], words), note, ""]


def percents(row, *names, digits=1):
    return [f"{100 * row[name]:.{digits}f}" for name in names]


def guide_objectives():
    head = ["set", "objective", "1-NN train", "1-NN test", "soft rule test", "mean p of the class", "perplexity"]
    scores = ("nn_train", "nn_test", "soft_test", "expected_test")
    cells = lambda row: [row["set"], row["objective"], *percents(row, *scores), f"{row['perplexity']:.1f}"]
    return guide("objective", head, cells, words=2)


def guide_batches():
    head = ["fit", "batch", "epochs", "1-NN train", "1-NN test", "soft rule test"]
    size = lambda row: [row.get("batch_size", "all rows"), row.get("epochs", "-")]
    cells = lambda row: [row["fit"], *size(row), *percents(row, "nn_train", "nn_test", "soft_test")]
    return guide("batch_size", head, cells)


def guide_scales():
    head = ["scale of A", "variance, start", "perplexity, start", "variance, end", "perplexity, end", "steps"]

    def cells(row):
        start, end = row["start"], row["end"]
        shown = [f"{part[name]:.4g}" for part in (start, end) for name in ("total_variance", "perplexity")]
        return [row["scale"], *shown, f"{end['iterations']:.0f}", *percents(end, "nn_train", "nn_test")]

    return guide("scale", [*head, "1-NN train", "1-NN test"], cells, words=0)


def exact_cost():
    """What one exact value and gradient costs, by the number of points."""
    sweep = [row for row in read("sweep.json") or [] if row["block"] is None and row["device"] == "cpu"]
    rows = [
        [row["points"], row["features"], row["dim"], f"{1000 * row['seconds']:.1f}", f"{row['peak_mib']:.0f}"]
        for row in sorted(sweep, key=lambda row: (row["dim"], row["points"]))
    ]
    # Of the large sizes the memory alone: their time was taken once.
    rows += [[r["points"], r["features"], r["dim"], "", f"{r['peak_mib']:.0f}"] for r in read("memory.json") or []]
    head = ["points n", "features", "k", "ms", "peak memory of the process, MiB"]
    note = "f, f32, CPU with 2 cores (`python3 benches/sweep.py`; the rows without a time, with `--memory`)."
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
    ("docs/results.md", "defaults", [defaults]),
    ("docs/results.md", "other-defaults", [other_defaults]),
    ("docs/results.md", "tuning", [tuning]),
    ("docs/results.md", "nca-2004", [nca_2004]),
    ("docs/results.md", "slides", [slides]),
    ("docs/results.md", "gvsm-2002", [gvsm_2002]),
    ("docs/results.md", "lca-2012", [lca_2012]),
    ("docs/results.md", "entropy-k", [entropy_k, entropy_differences]),
    ("docs/results.md", "regression", [regression]),
    ("docs/guide/choosing-an-objective.md", "objective", [guide_objectives]),
    ("docs/guide/batch-size-and-candidates.md", "batch-size", [guide_batches]),
    ("docs/guide/collapse-and-scale.md", "scale", [guide_scales]),
    ("docs/guide/exact-or-stochastic.md", "cost", [exact_cost]),
    ("docs/guide/evaluating-an-embedding.md", "rules", [entropy_differences]),
    ("docs/guide/choosing-a-method.md", "methods", [methods]),
    ("examples/gvsm-2002/README.md", "gvsm-2002", [gvsm_2002]),
    ("examples/lca-2012/README.md", "lca-2012", [lca_2012]),
    ("examples/mnist/README.md", "encoders", [mnist_encoders]),
    ("examples/mnist/README.md", "search", [mnist_search]),
]


def main():
    for path, name, makers in TABLES:
        fill(path, name, [line for make in makers for line in make()])


if __name__ == "__main__":
    main()
