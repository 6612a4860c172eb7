#!/usr/bin/env python3
"""The rate of samples is limited where they would take too much of the processor time."""

import os

import harness
import summary_reader
from harness import Directory, Skip
from sampling import perf_is_allowed

RATE, LIMITED = 1000, "fewer samples were taken than TSPROF_RATE asks for"


def run(directory, preload):
    """The summary of a rank that computes for two seconds, and what was said on standard error."""
    summary = os.path.join(directory, "out.tsprof")
    command = [harness.mpirun(), "-n", "1", "env",
               "LD_PRELOAD=" + " ".join(preload + [harness.LIBRARY]), harness.program("turns"),
               "--iterations", "20", "--size", "100000"]
    result = harness.execute(command, cwd=directory, settings={
        "TSPROF_OUTPUT": summary, "TSPROF_RATE": str(RATE), "TSPROF_TIMER": "perf"})
    harness.check_run(result, summary)
    return summary_reader.Summary(summary), result.stderr.decode(), summary


def test_slow_timers(tap):
    if not perf_is_allowed():
        raise Skip("perf events are not allowed here")
    with Directory() as directory:
        slow = os.path.join(harness.PROGRAMS, "libslow_timers.so")
        content, said, summary = run(directory, [slow])
        location, = content.locations
        costs = location.costs
        # Two calls of 300 us for each sample, 20 times that between samples once that is known.
        tap.ok(costs["sample_period_ns"] > 4e6, "samples are fewer than was asked for",
               "one in %d ns" % costs["sample_period_ns"])
        # Two seconds, and what sampling itself takes; they are random, at most 200 a second.
        tap.ok(costs["samples"] < 1000, "which the summary says", str(costs["samples"]))
        tap.ok(any(LIMITED in note for note in location.notes), "a note says why",
               "\n".join(location.notes))
        tap.ok("TSPROF_RATE=%d: limited to " % RATE in said, "so does a message", said)
        tap.equal(summary_reader.problems(content), [], "times and totals are exact")


def test_as_asked_for(tap):
    """Or else note and period agree, whatever this machine is like."""
    with Directory() as directory:
        content, said, summary = run(directory, [])
        location, = content.locations
        limited = any(LIMITED in note for note in location.notes)
        tap.ok(limited == ("limited to " in said), "note and message agree", said)
        tap.ok(limited or location.costs["sample_period_ns"] < 1.1e9 / 125,
               "without a limit samples come as they were asked for, or with the tick",
               str(location.costs["sample_period_ns"]))


if __name__ == "__main__":
    harness.main()
