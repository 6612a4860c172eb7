#!/usr/bin/env python3
"""How well sampled shares of computation agree with those that a program knows.

Programs, figures and their statistics are those of tests/e2e/measured/sampling.py, which holds
the runtime to what is so on any machine.  On a quiet one more is so, and is measured here, with more and longer
runs: that figures are not too good either, run by run and all runs together; that wrong shares would
be rejected; and that as many iterations have no sample as gaps with an exponential distribution
leave empty.

Run by `make bench BENCH=shares`; needs a quiet machine.  Of figures that are outside their bounds
one in ten thousand is so by chance.
"""

import math
import os
import sys

SOURCE = os.environ.get("TOP_SRCDIR") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path[:0] = [os.path.join(SOURCE, "tests", "e2e", folder) for folder in ("", "measured")]

import sampling
import summary_reader
import threads
from sampling import (BLOCKS, CALLS, Case, LEVEL, PARTS, PLAIN, Run, deviation_of_numbers,
                      deviation_of_times, iterations, quantile, seconds, step)

RUNS = 3
CASES = [
    Case("plain", 100, "cpu", PLAIN + seconds(1.5), True, False),
    Case("frequent MPI calls", 100, "cpu", CALLS + seconds(1.5), True, False),
    Case("long MPI calls", 100, "cpu", BLOCKS + seconds(1.2), False, False),
    Case("in step", 100, "perf", step(10000) + seconds(1.2), False, True),
    Case("plain", 1000, "perf", PLAIN + seconds(0.8), True, True),
    Case("frequent MPI calls", 1000, "perf", CALLS + seconds(0.8), True, True),
    Case("long MPI calls", 1000, "perf", BLOCKS + seconds(0.8), False, True),
    Case("in step", 1000, "perf", step(1000) + seconds(0.8), False, True),
    Case("iterations, gap / 3", 1000, "perf", iterations(300, 3000), True, True),
    Case("iterations of a gap", 1000, "perf", iterations(1000, 1000), True, True),
    Case("iterations, 7 gaps", 1000, "perf", iterations(7000, 150), True, True),
    Case("iterations of a gap", 100, "cpu", iterations(10000, 150), True, False),
]
MOVED = 0.06  # from one of two shares to the other: that much is to be noticed


def column_sums(rows):
    return [sum(column) for column in zip(*rows)]


def together(runs):
    """All runs as one; each counts by its computation."""
    weights = [sum(run.seconds) for run in runs]
    truth = [[t / sum(run.truth) * weight for t in run.truth]
             for run, weight in zip(runs, weights)]
    variance = sum(w * w * run.variance for run, w in zip(runs, weights)) / sum(weights) ** 2
    lost = sum(w * run.lost for run, w in zip(runs, weights)) / sum(weights)
    return Run(column_sums(truth), column_sums(run.seconds for run in runs),
               column_sums(run.samples for run in runs), variance, lost, [])


def figures(case, runs):
    """(name, value, lowest, highest) of each; None: no lowest."""
    each = len(PARTS) - 1
    freedom = each * len(runs)
    low, high = quantile(freedom, LEVEL), quantile(freedom, 1 - LEVEL)
    whole = together(runs)
    yield ("times, run by run", sum(deviation_of_times(case, run) for run in runs),
           low if case.mixed else None, high)
    yield "times, all runs", deviation_of_times(case, whole), None, quantile(each, 1 - LEVEL)
    yield ("numbers, run by run", sum(deviation_of_numbers(case, run) for run in runs),
           low if case.mixed or case.exact else None, high)
    yield "numbers, all runs", deviation_of_numbers(case, whole), None, quantile(each, 1 - LEVEL)


def empty_iterations(case, runs):
    """The number of those without a sample, with bounds, like figures."""
    every = [i for run in runs for i in run.iterations]
    empty = sum(not i.samples for i in every)
    chance = [math.exp(-case.rate * i.processor) for i in every]
    mean, spread = sum(chance), sum(c * (1 - c) for c in chance) ** 0.5
    slack = 4 * spread + 0.01 * len(every)
    return "iterations without a sample", empty, mean - slack, mean + slack


def show(name, value, low, high):
    fits = (low is None or value >= low) and value <= high
    print(f"    {name:28}{value:9.1f}   from {0 if low is None else low:.1f} to {high:.1f}"
          f"{'' if fits else '   OUTSIDE'}", flush=True)


def measure(case):
    runs = [sampling.measure(case, seed) for seed in range(1, RUNS + 1)]
    whole = together(runs)
    print(f"{case.name}, {case.rate} Hz, {case.timer}: {sum(whole.samples):.0f} samples, "
          f"{100 * whole.lost:.1f} % of the time lost")
    for figure in figures(case, runs):
        show(*figure)
    if case.exact and runs[0].iterations:
        show(*empty_iterations(case, runs))
    return runs


def show_wrong_shares(runs):
    """All runs without iterations at 1000 Hz, against shares of which two are wrong."""
    case, whole = CASES[4], together(runs)
    limit = quantile(len(PARTS) - 1, 1 - LEVEL)
    print("Two shares wrong: rejected above %.1f" % limit)
    for moved in (MOVED, -MOVED):
        wrong = [t / sum(whole.truth) for t in whole.truth]
        wrong[1] += moved
        wrong[2] -= moved
        against = whole._replace(truth=wrong)
        print(f"    by {moved:+.2f}: times {deviation_of_times(case, against):.1f}, "
              f"numbers {deviation_of_numbers(case, against):.1f}")


def brief_threads():
    """Threads shorter than a tick: samples taken of those that their time asks for, run by run."""
    parts = []
    for _ in range(RUNS):
        with threads.Directory() as directory:
            stated, summary = threads.run(directory, ["brief", "600"], {"TSPROF_TIMER": "cpu"})
            content = summary_reader.Summary(summary)
            taken = sum(location.costs["samples"] for location in content.locations[1:])
            parts.append(taken / (stated[1, -1, "brief"] / 10))
    print("\nThreads shorter than a tick, 100 Hz: samples taken over those due (1, standard deviation "
          "0.1): " + ", ".join(f"{part:.2f}" for part in parts))


def main():
    print(f"\nSampled shares of computation, {RUNS} runs each: squared deviations over their variance")
    fast = []
    for case in CASES:
        if case.timer == "perf" and not sampling.perf_is_allowed():
            print(f"{case.name}, {case.rate} Hz: performance events are not allowed here")
            continue
        runs = measure(case)
        if case.rate == 1000 and not runs[0].iterations:
            fast += runs
    if fast:
        show_wrong_shares(fast)
    brief_threads()


if __name__ == "__main__":
    main()
