"""The program nca, as the wheel installs it."""

import json
import subprocess
import sysconfig
from pathlib import Path

from burn_nca import NCAClassifier, load

NCA = Path(sysconfig.get_path("scripts")) / "nca"


def run(*arguments):
    return subprocess.run([NCA, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=60)


def test_it_fits_a_bundled_set_and_writes_a_run(tmp_path):
    out = tmp_path / "run"
    done = run("fit", "iris", "--dim", "2", "-q", "--format", "json", "--out", out)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["command"].startswith("nca fit iris --dim 2 ")
    assert (out / "report.html").stat().st_size > 0
    assert isinstance(load(out / "model"), NCAClassifier)


def test_wrong_usage_and_errors_have_their_exit_codes():
    assert run("--version").stdout.startswith("nca ")
    assert run("fit", "iris", "--no-such-option").returncode == 2
    failed = run("fit", "no.csv")
    assert failed.returncode == 1 and failed.stderr.startswith("error: "), failed.stderr
