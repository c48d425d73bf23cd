"""Runs small tables of the shape of public reports through a program `nca`, and says of each whether it was right.

    python3 benches/field/run.py [PROGRAM] [--only WORD ...] [--list]

PROGRAM is target/debug/nca unless given. One line a case: ok or FAIL, its name, the report it has the shape of, and, where
it fails, what is right and what was found. The exit code is 1 if one fails. Needs NumPy.
"""

import argparse
import concurrent.futures
import os
import pathlib
import sys
import tempfile
import time

import columns  # noqa: F401
import files  # noqa: F401
import models  # noqa: F401
import scaling  # noqa: F401
import scores  # noqa: F401
import targets  # noqa: F401
from tools import CASES, Place, Wrong

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def run(program, entry):
    """The line of a case, and whether it is right."""
    name, source, expected, function = entry
    with tempfile.TemporaryDirectory(prefix="nca-field-") as folder:
        try:
            function(Place(program, folder))
            return True, f"ok    {name} ({source})"
        except Wrong as wrong:
            found = str(wrong)
        except Exception as error:  # a case whose program answers in another form fails, and the others go on
            found = f"{type(error).__name__}: {error}"
    return False, f"FAIL  {name} ({source})\n      right: {expected}\n      found: {found}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program", nargs="?", default=str(ROOT / "target/debug/nca"))
    parser.add_argument("--only", nargs="+", default=[], help="words of the names or reports of cases")
    parser.add_argument("--list", action="store_true", help="names what is right in each case and runs none")
    arguments = parser.parse_args()
    wanted = [entry for entry in CASES if all(word in " ".join(entry[:2]) for word in arguments.only)]
    if arguments.list:
        for name, source, expected, _ in wanted:
            print(f"{name} ({source}): {expected}")
        return 0
    program, start = os.path.abspath(arguments.program), time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failed = 0
        for right, line in pool.map(lambda entry: run(program, entry), wanted):
            failed += not right
            print(line, flush=True)
    print(f"{len(wanted) - failed} of {len(wanted)} cases right, {time.monotonic() - start:.0f} s")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
