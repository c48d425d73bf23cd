"""The program nca, which is compiled into the library that the classes use."""

import sys

from ._burn_nca import run_program


def main():
    sys.exit(run_program(sys.argv))
