#!/usr/bin/env python3
"""What delays others is charged to the functions that samples show, also where no call of MPI is
made in them: `compute_forces` of particles computes for longer on one rank than on the other."""

import collections
import csv
import os
import re

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


def check_charged(tap, label, waits):
    """On a busy machine some is where ranks lacked a processor, wherever that is."""
    for metric in ("delay", "critical_path"):
        values = charged(waits, metric)
        tap.equal(values.most_common(1)[0][0], FUNCTION,
                  "%s: most of %s is charged to %s" % (label, metric, FUNCTION))


def test_all(tap):
    """A trace of the whole run has the computation that the profile of the run has."""
    with Directory() as directory:
        summary, archive = record(directory, "all")
        waits = waits_command.analyse(archive)
        check_charged(tap, "all", waits)
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
        check_charged(tap, "slowest:8", waits)
        check_words(tap, waits)


def test_told(tap):
    """Functions that tell when they are entered and left have these times, whatever samples say."""
    with Directory() as directory:
        summary = os.path.join(directory, "out.tsprof")
        result = harness.run_ranks(
            [harness.program("instrumented_particles"), "--iterations", "40", "--size", "500"], 2,
            cwd=directory, settings={"TSPROF_OUTPUT": summary, "TSPROF_TRACE": "all",
                                     "TSPROF_RATE": "1000"})
        if result.status != 0:
            raise Failure(result.stderr.decode("utf-8", "replace"))
        waits = waits_command.analyse(os.path.join(directory, "out.otf2"))
        exact, found = ({(row["function"], row["rank"]): float(row["total"])
                         for row in harness.export(one, "functions", "--metric", "time")}
                        for one in (summary, waits))
    for function in ("announce_clumps", "pick_ghosts", "counts_add", "compute_forces", "move",
                     "migrate"):
        for rank in ("0", "1"):
            # More is what measuring took, which is apart from the exact times.
            least, is_ = exact[function, rank], found.get((function, rank), 0)
            tap.ok(is_ >= 0.98 * least, "%s on rank %s has what it told" % (function, rank),
                   "%g s rather than %g" % (is_, least))


def check_words(tap, waits):
    """What is said of a trace: its program, which iterations it has, and nothing that it lacks."""
    report, info = harness.tsprof("report", waits).stdout, harness.tsprof("info", waits).stdout
    tap.ok(report.startswith("particles, as traced: 2 ranks"), "the report names the program",
           report[:80])
    tap.ok(re.search(r"\d+ of \d+ iterations of timestep were not traced", " ".join(report.split())),
           "it says how many iterations were not traced", report[-400:])
    tap.ok("not traced" in info and "lost" not in info, "so does info", info)
    tap.equal([word for word in ("processor use", "preempted", "Measuring took", "MPI calls with")
               if word in report + info], [], "nothing is said of what a trace does not tell")


if __name__ == "__main__":
    harness.main()
