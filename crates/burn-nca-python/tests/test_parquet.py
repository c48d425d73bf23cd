"""The Parquet file that `nca transform` writes, in an independent reader."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

FILE = Path(__file__).parents[2] / "burn-nca-data" / "tests" / "parquet" / "embedding.parquet"


@pytest.mark.skipif(not FILE.is_file(), reason="outside the repository")
def test_polars_reads_what_the_program_writes():
    # Byte for byte what the program writes: a test of the program compares it.
    table = pl.read_parquet(FILE)
    assert dict(table.schema) == {"plant": pl.String, "z1": pl.Float64, "z2": pl.Float64}
    assert table["plant"].to_list() == ["a", 'b, "ü"', ""]
    assert table["z1"].to_list() == [0.5, None, 1e-7]
    np.testing.assert_array_equal(table["z2"].drop_nulls(), [-2.0, 3.0])
