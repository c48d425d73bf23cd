"""What is copied on the way in and out."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_wine

from burn_nca import NCAClassifier, NeighborhoodComponentsAnalysis

X, Y = load_wine(return_X_y=True)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_are_read_in_any_order_of_memory(dtype):
    rows = X.astype(dtype)
    wide = np.zeros((2 * len(X), 20), dtype=dtype)
    wide[::2, 3:16] = rows
    moved = np.zeros(rows.nbytes + 1, dtype=np.uint8)[1:].view(dtype).reshape(rows.shape)
    moved[:] = rows
    model = NCAClassifier(2, random_state=0)
    z = model.fit(rows, Y).transform(rows)
    for same in [np.asfortranarray(rows), wide[::2, 3:16], rows[::-1][::-1], moved]:
        np.testing.assert_array_equal(model.transform(same), z)
        np.testing.assert_array_equal(model.fit(same, Y).transform(rows), z)


def test_many_rows_are_embedded_as_few_are():
    # More than are read at a time, in an array that may be at any byte, too.
    rows = np.tile(X, (100, 1))
    nca = NeighborhoodComponentsAnalysis(2, init="pca", max_iter=2).fit(X, Y)
    z = nca.transform(rows)
    np.testing.assert_allclose(z, rows @ nca.components_.T, rtol=1e-12)
    moved = np.zeros(rows.nbytes + 1, dtype=np.uint8)[1:].view(np.float64).reshape(rows.shape)
    moved[:] = rows
    np.testing.assert_array_equal(nca.transform(moved), z)


PROGRAM = """
import sys
import numpy as np
from burn_nca import NeighborhoodComponentsAnalysis

def status(name):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(name))

X = np.random.RandomState(0).randint(0, 9, (100_000, 50)).astype(sys.argv[1])
nca = NeighborhoodComponentsAnalysis(2, init="random", max_iter=1).fit(X[:500], X[:500, 0])
nca.transform(X[:10_000])
with open("/proc/self/clear_refs", "w") as peaks:
    peaks.write("5")
before = status("VmRSS")
nca.transform(X)
print(X.nbytes / 1024, status("VmHWM") - before)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_large_table_is_not_there_twice_to_be_embedded(dtype):
    run = subprocess.run([sys.executable, "-c", PROGRAM, dtype], capture_output=True, text=True, check=True)
    table, added = map(float, run.stdout.split())
    assert added < 0.7 * table  # 8 MiB or so, whatever the number of rows
