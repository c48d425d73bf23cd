"""Writes a large table of generated rows: two NumPy files, and the same as CSV where that is asked for.

    python3 benches/large.py 1000000 --out million [--csv]

50 features, 7 classes (others with --features and --classes): normal clouds of unit variance, whose centers differ in the first
10 columns. The names are
OUT-x.npy (float32), OUT-y.npy and OUT.csv. Python alone is needed.
"""

import argparse
import array
import random

INFORMATIVE = 10


def header(kind, shape):
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", type=int)
    parser.add_argument("--out", required=True)
    parser.add_argument("--csv", action="store_true")
    parser.add_argument("--features", type=int, default=50)
    parser.add_argument("--classes", type=int, default=7)
    arguments = parser.parse_args()
    rows, features, classes = arguments.rows, arguments.features, arguments.classes
    centers = random.Random(1)
    centers = [
        [centers.gauss(0, 1) if column < INFORMATIVE else 0.0 for column in range(features)]
        for _ in range(classes)
    ]
    # The rows of one number are the same in a table of any length.
    normal = random.Random(2).gauss
    columns = ",".join(f"x{column + 1}" for column in range(features))
    with open(f"{arguments.out}-x.npy", "wb") as x, open(f"{arguments.out}-y.npy", "wb") as y:
        text = open(f"{arguments.out}.csv", "w") if arguments.csv else None  # noqa: SIM115
        if text:
            text.write(f"{columns},class\n")
        x.write(header("<f4", (rows, features)))
        y.write(header("|u1", (rows,)))
        for row in range(rows):
            of_class = row % classes
            values = [center + normal(0, 1) for center in centers[of_class]]
            x.write(array.array("f", values).tobytes())
            y.write(bytes([of_class]))
            if text:
                text.write(",".join([f"{value:.5f}" for value in values]) + f",{of_class}\n")


main()
