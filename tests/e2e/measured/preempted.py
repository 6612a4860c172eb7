#!/usr/bin/env python3
"""The metric `preempted`: how long ranks were ready to run and had no processor.

tests/programs/turns.c says of its iterations how long they took, how much processor time they had,
and how long they slept at least.  What a rank had no processor for is at most the rest; where it
never sleeps, and the system gives processors to others, it is most of that.
"""

import contextlib
import os
import re

import harness
import summary_reader
from harness import Directory

# What the program's own readings and tsprof's may differ by, which are not taken at the same instants.
SLACK_NS = 20e6


@contextlib.contextmanager
def processors(count):
    """What is started meanwhile runs on at most so many processors."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:count])
    try:
        yield min(count, len(before))
    finally:
        os.sched_setaffinity(0, before)


def run(directory, ranks, iterations, computes_us, sleeps_us, clusters="0"):
    """By rank, in nanoseconds: wall, processor time, sleep, and `preempted` in the iterations."""
    summary = os.path.join(directory, "out.tsprof")
    command = [harness.program("turns"), "--iterations", str(iterations),
               "--size", str(computes_us), "--seed", str(sleeps_us)]
    result = harness.run_ranks(command, ranks, cwd=directory, settings={
        "TSPROF_OUTPUT": summary, "TSPROF_VERBOSE": "0", "TSPROF_CLUSTERS": clusters})
    harness.check_run(result, summary)
    stated = {}
    for line in result.stdout.decode().splitlines():
        rank, *values = (int(word) for word in line.split())
        stated[rank] = values
    content = summary_reader.Summary(summary)
    found = {}
    for location in content.locations:
        found[location.place.rank] = sum(in_profile(content, cluster.profile)
                                   for series in location.series for cluster in series.clusters)
    return [stated[rank] + [found[rank]] for rank in range(ranks)], content, summary


def in_profile(content, profile):
    names = [metric.name for metric in content.metrics]
    return sum(v for (_, m), v in profile.items() if names[m] == "preempted")


def where(content):
    """Regions that have the metric."""
    names = [metric.name for metric in content.metrics]
    return {content.callpath(node).split(";")[-1] for location in content.locations
            for (node, metric), value in location.whole.items()
            if value and names[metric] == "preempted"}


def check(tap, name, rows, content):
    tap.equal(summary_reader.problems(content), [], name + ": sums are exact")
    for rank, (wall, used, slept, preempted) in enumerate(rows):
        tap.ok(0 <= preempted <= wall - used - slept + SLACK_NS + 0.02 * wall,
               "%s: rank %d, no more than it had no processor for" % (name, rank),
               "%d of %d ns, %d on a processor, %d asleep" % (preempted, wall, used, slept))


def test_more_ranks_than_processors(tap):
    for clusters in ("0", "4"):
        with Directory() as directory, processors(2):
            rows, content, summary = run(directory, 8, 30, 3000, 0, clusters)
            name = "8 ranks, %s clusters" % clusters
            check(tap, name, rows, content)
            wall, used, _, preempted = (sum(column) for column in zip(*rows))
            tap.ok(preempted > 0.3 * wall, name + ": a large part of the time",
                   "%.2f" % (preempted / wall))
            # Open MPI's ranks may sleep where they share processors.
            tap.ok(harness.MPI != "mpich" or preempted > 0.6 * (wall - used),
                   name + ": most of what they had no processor for",
                   "%.2f" % (preempted / (wall - used)))
            tap.ok(where(content) <= {"program", "turn"}, name + ": on paths of phases",
                   str(where(content)))
            said = harness.tsprof("report", summary).stdout
            tap.ok("had no processor for" in said, name + ": the report says so", said)
            use = float(re.search(r"^processor use +([\d.]+) %", said, re.M)[1])
            lacked = sum(in_profile(content, location.whole) for location in content.locations)
            lived = sum(location.wall_ns for location in content.locations)
            tap.ok(abs(use - 100 * (1 - lacked / lived)) < 0.06,
                   name + ": processor use is what is left of the time",
                   "%.1f %%, %.2f" % (use, 100 * (1 - lacked / lived)))


def test_a_rank_of_its_own(tap):
    with Directory() as directory:
        rows, content, _ = run(directory, 1, 20, 5000, 0)
        check(tap, "one rank", rows, content)


def test_a_rank_that_sleeps(tap):
    """Nor is it preempted while it does."""
    with Directory() as directory:
        rows, content, summary = run(directory, 1, 20, 1000, 10000)
        check(tap, "asleep", rows, content)
        (wall, used, _, _), = rows
        tap.ok(wall - used > 0.19e9, "asleep: the rank had no processor for long")
        location, = content.locations
        much = in_profile(content, location.whole) >= 0.05 * location.wall_ns
        said = harness.tsprof("report", summary).stdout
        tap.equal("had no processor for" in said, much, "asleep: the report speaks of it from 5 % on")


if __name__ == "__main__":
    harness.main()
