#!/usr/bin/env python3
"""What delays others is charged to the functions that samples show, also where no call of MPI is
made in them: `compute_forces` of particles computes for longer on one rank than on the other."""

import collections
import csv
import os

import harness
import waits_command
from harness import Directory, Failure

ARGUMENTS = ("--iterations", "200", "--size", "2000")
FUNCTION = "compute_forces"


def record(directory, choice):
    summary = os.path.join(directory, "out.tsprof")
    result = harness.run_ranks(
        [harness.program("particles"), *ARGUMENTS], 2, cwd=directory,
        settings={"TSPROF_OUTPUT": summary, "TSPROF_TRACE": choice, "TSPROF_RATE": "1000"})
    if result.status != 0:
        raise Failure(result.stderr.decode("utf-8", "replace"))
    return summary, os.path.join(directory, "out.otf2")


def by_function(summary, metric):
    """{innermost function: value}, over all ranks."""
    result = harness.tsprof("export", summary, "--what", "callpaths", "--total", "--metric",
                            metric)
    if result.status != 0:
        raise Failure(result.stderr)
    values = collections.Counter()
    for row in csv.DictReader(result.stdout.splitlines()):
        values[row["callpath"].rpartition(";")[2]] += harness.number(row["value"])
    return values


def share(values):
    return values[FUNCTION] / max(sum(values.values()), 1e-9)


def charged(waits, metric):
    """Likewise; not to functions of MPI, in which ranks are preempted on a busy machine."""
    return collections.Counter({name: value for name, value in by_function(waits, metric).items()
                                if not name.startswith("MPI_")})


def test_all(tap):
    """A trace of the whole run has the computation that the profile of the run has."""
    with Directory() as directory:
        summary, archive = record(directory, "all")
        waits = waits_command.analyse(archive)
        for metric in ("delay", "critical_path"):
            values = charged(waits, metric)
            tap.ok(share(values) > 0.7, "%s is charged to %s" % (metric, FUNCTION),
                   values.most_common(4))
        whole, divided = by_function(summary, "computation"), by_function(waits, "computation")
        tap.ok(abs(share(whole) - share(divided)) < 0.05,
               "%s has the part of computation that the profile says" % FUNCTION,
               "%s and %s" % (share(whole), share(divided)))
        measured = harness.number(by_function(summary, "time").total())
        told = harness.number(by_function(waits, "time").total())
        tap.ok(abs(measured - told) < 0.02 * measured, "and no time is lost or added",
               "%s and %s" % (measured, told))
        tap.equal(by_function(waits, "samples").total() > 100, True, "samples are counted")


def test_chosen(tap):
    with Directory() as directory:
        _, archive = record(directory, "slowest:8")
        waits = waits_command.analyse(archive)
        for metric in ("delay", "critical_path"):
            values = charged(waits, metric)
            tap.equal(values.most_common(1)[0][0], FUNCTION,
                      "slowest:8: most of %s is charged to it" % metric)


if __name__ == "__main__":
    harness.main()
