#!/usr/bin/env python3
"""A main loop that is found has the same iterations as with markers put into it by hand, less the
first: iteration by iteration the same numbers of messages, collectives, accesses and bytes, on
every rank."""

import os

import harness
import loop_cases
import summary_reader
from harness import Directory

STEPS = 60
MANY = ["--iterations", str(STEPS)]

# Name, arguments, phase that is marked.
PROGRAMS = (
    ("stencil", MANY + ["--size", "200"], "timestep"),
    ("wavefront", MANY + ["--size", "100"], "timestep"),
    ("particles", MANY + ["--size", "300"], "timestep"),
    ("workers", MANY, "round"),
    ("collectives", MANY + ["--size", "2000"], "step"),
    ("neighborhood", MANY, "step"),
    ("onesided", MANY, "step"),
    ("files", MANY, "step"),
    ("intercomm", MANY, "step"),
    ("templates", MANY + ["--size", "30000"], "timestep"),
    ("shifting", MANY, "step"),
    ("heat_mpif", MANY + ["--size", "100"], "timestep"),
    ("heat_f08", MANY + ["--size", "100"], "timestep"),
)


def is_counted(metric):
    return metric.startswith(("comms_", "syncs_", "bytes_", "colls"))


def iterations(summary, phase):
    """By rank, what was counted in each iteration of PHASE: a list of dictionaries by metric; None
    for one without a profile, as looking for the loop may leave some where others use the
    processors, too."""
    content = summary_reader.Summary(summary)
    names = [metric.name for metric in content.metrics]
    found = {}
    for location in content.locations:
        for series in location.series:
            if content.phases[series.phase].name != phase or location.place.thread:
                continue
            counts = found[location.place.rank] = []
            for length, cluster in series.map:
                if cluster is None:
                    counts += length * [None]
                    continue
                each = {}
                for (_, metric), value in series.clusters[cluster].profile.items():
                    if is_counted(names[metric]):
                        each[names[metric]] = each.get(names[metric], 0) + value
                counts += length * [each]
    return found


def measure(program, directory, name):
    place = os.path.join(directory, name)
    os.makedirs(place)
    # Each iteration has a cluster of its own.
    return loop_cases.measure([(2, program)], place, {"TSPROF_CLUSTERS": "1000",
                                                      "TSPROF_MEMORY": "256M"})[1]


def test_counts_and_bytes(tap):
    for name, arguments, phase in PROGRAMS:
        if not os.path.exists(os.path.join(harness.PROGRAMS, name)):
            tap.skip(name, "not built")
            continue
        with Directory() as directory:
            marked = iterations(measure([harness.program(name)] + arguments, directory, "marked"),
                                phase)
            found = iterations(measure([loop_cases.unmarked("unmarked/" + name)] + arguments,
                                       directory, "found"), "main loop")
        tap.ok(bool(marked) and all(len(each) == STEPS and sum(map(len, each)) >= STEPS
                                    for each in marked.values()),
               name + ": what is marked is there, and counted")
        for rank, each in sorted(marked.items()):
            got = found.get(rank, [])
            wanted = [None if one is None else other for one, other in zip(got, each[1:])]
            tap.ok(got == wanted and len(got) == STEPS - 1 and 2 * got.count(None) < STEPS,
                   "%s, rank %d: the same but for the first" % (name, rank),
                   "%s\n%s" % (got, each[1:]))


if __name__ == "__main__":
    harness.main()
