"""Writes the files of the folders parquet and arrow: one table by many writers, and tables of odd types.

    pip install pyarrow==26.0.1 pandas==3.1.1 polars==2.1.0 duckdb==2.0.0 && python3 columnar.py
"""

import datetime
import decimal
import pathlib

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

ROOT = pathlib.Path(__file__).resolve().parent
PARQUET, ARROW = ROOT / "parquet", ROOT / "arrow"

rng = np.random.default_rng(0)
mixed = pd.DataFrame({
    "width": np.round(rng.normal(5, 1, 12), 3),
    "count": rng.integers(0, 9, 12),
    "city": pd.Categorical(["Rome", "Oslo", "São, Paulo"] * 4),
    "open": rng.integers(0, 2, 12).astype(bool),
    "note": ['say "a"', "b\nc", "", None] * 3,
    "y": ["u", "v"] * 6,
})
mixed.loc[2, "width"] = np.nan
for codec in ["snappy", "gzip", "lz4"]:
    mixed.to_parquet(PARQUET / f"mixed-{codec}.parquet", compression=codec)
mixed.to_parquet(PARQUET / "mixed-v2.parquet", version="2.6", data_page_version="2.0", compression="zstd", row_group_size=5)
for codec in ["lz4", "zstd"]:
    mixed.to_feather(ARROW / f"mixed-{codec}.feather", compression=codec)
table = pa.Table.from_pandas(mixed, preserve_index=False)
with pa.ipc.new_stream(ARROW / "mixed.arrows", table.schema) as stream:
    for batch in table.to_batches(max_chunksize=5):
        stream.write_batch(batch)
of_polars = pl.from_pandas(mixed)
of_polars.write_parquet(PARQUET / "mixed-polars.parquet")
of_polars.write_ipc(ARROW / "mixed-polars.arrow")
of_polars.write_ipc_stream(ARROW / "mixed-polars.arrows", compression="zstd")
duckdb.sql(f"copy (select * from mixed) to '{PARQUET}/mixed-duckdb.parquet' (format parquet)")

shuffled = mixed.sample(frac=1, random_state=1).drop(columns=["note", "open"]).dropna()
shuffled.to_parquet(PARQUET / "index-unnamed.parquet")
shuffled.rename_axis("id").to_parquet(PARQUET / "index-named.parquet")

types = pa.table({
    "i8": pa.array([1, -2, None], pa.int8()),
    "u64": pa.array([2**63, 1, 2], pa.uint64()),
    "f16": pa.array(np.array([1.5, 2, 0.1], np.float16)),
    "f32": pa.array([0.1, 1e-30, 3e38], pa.float32()),
    "f64": pa.array([0.1, 5e-324, float("nan")]),
    "decimal": pa.array([decimal.Decimal("12.30"), None, decimal.Decimal("-0.05")], pa.decimal128(9, 2)),
    "date": pa.array([datetime.date(2024, 1, 31)] * 3),
    "time": pa.array([datetime.datetime(2024, 1, 31, 12, 30)] * 3, pa.timestamp("us", tz="Europe/Lisbon")),
    "bytes": pa.array([b"\x00\x01", b"", None]),
    "large": pa.array(["a", "b", "c"], pa.large_string()),
    "view": pa.array(["a much longer text than twelve", "b", None], pa.string_view()),
    "list": pa.array([[1.5, 2], None, [3, 4]], pa.list_(pa.float32())),
    "fixed": pa.array([[1, 2, 3], [4, 5, 6], None], pa.list_(pa.int16(), 3)),
    "struct": pa.array([{"a": 1, "b": "x"}] * 3),
    "nothing": pa.nulls(3),
    "dictionary": pa.array(["x", "y", None]).dictionary_encode(),
    "runs": pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array([1.0, 2.0])),
    "y": ["a", "b", "a"],
})
with pa.ipc.new_file(ARROW / "types.arrow", types.schema) as file:
    file.write_table(types)
pq.write_table(types.drop(["runs"]), PARQUET / "types.parquet")
ragged = pa.table({"x": pa.array([[1, 2], [3]], pa.list_(pa.float64())), "y": ["a", "b"]})
pq.write_table(ragged, PARQUET / "ragged.parquet")
pq.write_table(pa.table({"x": pa.array([], pa.float64()), "y": pa.array([], pa.string())}), PARQUET / "empty.parquet")
pq.write_table(pa.table({"one": pa.array([1.0, None, 3.0])}), PARQUET / "single.parquet")
pq.write_table(pa.table({"5.1": [1.0, 2.0], "3.5": [1.0, 2.0], "y": ["a", "b"]}), PARQUET / "numbers.parquet")
for name, table in {"none": pa.table({}), "commas": pa.table({"a": ["1,5", "2,5"], "b": [0.5, 1.5], "y": ["u", "v"]})}.items():
    with pa.ipc.new_stream(ARROW / f"{name}.arrows", table.schema) as stream:
        stream.write_table(table)
