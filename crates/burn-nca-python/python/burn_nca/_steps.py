"""Notifications and callbacks after every step of a fit."""

import sys
import time


class Steps:
    """Reports every step of a fit, and calls the user's callback after it."""

    def __init__(self, estimator):
        self.name = type(estimator).__name__
        self.verbose = estimator.verbose
        self.callback = estimator.callback
        self.started = time.time()

    def header(self):
        header = f"{'Iteration':>10} {'Objective Value':>20} {'Time(s)':>10}"
        print(f"[{self.name}]")
        print(f"[{self.name}] {header}\n[{self.name}] {'-' * len(header)}")

    def __call__(self, transformation, iteration, value):
        if self.callback is not None:
            self.callback(transformation, iteration)
        if self.verbose:
            # What is minimized is the negative of the paper's objective.
            seconds, self.started = time.time() - self.started, time.time()
            print(f"[{self.name}] {iteration:>10} {-value:>20.6e} {seconds:>10.2f}")
            sys.stdout.flush()
