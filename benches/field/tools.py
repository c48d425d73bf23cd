"""What a case has: a folder of its own, generators of small tables, and the program."""

import csv
import io
import json
import os
import pathlib
import subprocess

import numpy as np

CASES = []
QUICK = ["-q", "--no-tune", "--no-baselines", "--format", "json"]


def case(name, source, expected):
    """Registers a case: its name, the public report it has the shape of, and what is right."""

    def register(function):
        CASES.append((name, source, expected, function))
        return function

    return register


class Wrong(Exception):
    """What the program did instead of what is right."""


class Run:
    """What one run of the program came to."""

    def __init__(self, arguments, result):
        self.arguments, self.code = " ".join(map(str, arguments)), result.returncode
        self.out = result.stdout.decode(errors="replace")
        self.err = result.stderr.decode(errors="replace")

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def warnings(self):
        """Warnings and notes, as one text."""
        return "\n".join(line for line in self.err.split("\n") if line.startswith(("warning", "note")))

    def ok(self):
        check(self.code == 0, f"nca {self.arguments}: {self.err.strip()[-200:]}")
        return self

    def refused(self, *words):
        """Refused in one line that holds these words."""
        lines = [line for line in self.err.split("\n") if line.startswith("error")]
        check(self.code in (1, 2) and lines, f"nca {self.arguments} ends with {self.code}, not refused")
        for word in words:
            check(word in self.err, f"{word!r} is not in: {lines[0][-260:]}")
        return self

    def says(self, *words):
        self.ok()
        for word in words:
            check(word in self.err or word in self.out, f"nca {self.arguments} does not say {word!r}: {self.warnings[-260:]}")
        return self

    def is_silent_on(self, *words):
        self.ok()
        for word in words:
            check(word not in self.err, f"nca {self.arguments} says {word!r}")
        return self


def check(holds, message):
    if not holds:
        raise Wrong(message)


def near(found, expected, tolerance, what):
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    difference = np.abs(found - expected).max() if found.shape == expected.shape else np.inf
    check(difference <= tolerance, f"{what}: {found.ravel()[:4]} for {expected.ravel()[:4]}")


class Place:
    """A folder, and the program in it."""

    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)

    def write(self, name, content):
        """A file of text or bytes; its name."""
        content = content.encode() if isinstance(content, str) else content
        (self.folder / name).write_bytes(content)
        return name

    def table(self, name, header, rows, separator=","):
        """A delimited file whose cells are written as they are."""
        lines = [separator.join(map(str, line)) for line in ([header] if header else []) + list(rows)]
        return self.write(name, "\n".join(lines) + "\n")

    def npy(self, name, array):
        np.save(self.folder / name, array)
        return name

    def nca(self, *arguments, threads=1):
        command = [self.program, *map(str, arguments)]
        environment = {**os.environ, "RAYON_NUM_THREADS": str(threads)}
        result = subprocess.run(command, cwd=self.folder, capture_output=True, timeout=120, check=False, env=environment)
        return Run(arguments, result)

    def fit(self, data, *options):
        """A short fit, its report as JSON."""
        few = [] if "--max-iterations" in options else ["--max-iterations", "5"]
        return self.nca("fit", data, *QUICK, *few, *options)

    def predict(self, model, data, *options):
        """The predictions of a file."""
        run = self.nca("predict", model, data, *options).ok()
        return [row[-1] for row in csv.reader(io.StringIO(run.out))][1:]

    def transform(self, model, data):
        run = self.nca("transform", model, data).ok()
        return np.array([row.split(",") for row in run.out.strip().split("\n")[1:]], float)


def blobs(rows=20, columns=3, classes=3, seed=1, spread=3.0):
    """Clouds of so many rows each about random centers, in random order: features and classes."""
    draw = np.random.default_rng(seed)
    centers = draw.normal(size=(classes, columns)) * spread
    labels = np.repeat(np.arange(classes), rows)
    features = centers[labels] + draw.normal(size=(len(labels), columns))
    order = draw.permutation(len(labels))
    return features[order], labels[order]


def rows_of(features, labels, names="abcdefgh", digits=4):
    return [[f"{value:.{digits}f}" for value in row] + [names[label]] for row, label in zip(features, labels)]


def header_of(columns):
    return [f"x{column}" for column in range(columns)] + ["class"]
