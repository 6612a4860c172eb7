#!/usr/bin/env python3
"""A main loop that is found has the same iterations as with markers put into it by hand, less the
first: iteration by iteration the same numbers of messages, collectives, accesses and bytes, on
every rank.  So have programs of tests/programs/loop_shapes that mark their steps if they are asked to
(loops_contents.h)."""

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

# Shapes of real codes whose loops were not found rightly, how many iterations they are given, and what
# their steps are called.
SHAPES = (
    ("rounds-before", 200, "step"), ("rounds-after", 200, "step"),
    ("rounds-alone", 200, "step"), ("checkpoints-alone", 200, "step"),
    ("refinement", 25, "step"), ("multigrid", 6, "step"), ("printed", 100, "step"),
    ("transport", 20, "step"), ("gradients", 50, "step"), ("sums", 100, "step"),
    ("sums-apart", 100, "step"), ("cycles", 20, "cycle"), ("plain", 100, "step"),
    ("convergence", 60, "step"), ("patches", 100, "step"),
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


def measure(program, directory, name, **settings):
    place = os.path.join(directory, name)
    os.makedirs(place)
    # Each iteration has a cluster of its own.
    return loop_cases.measure([(2, program)], place, dict(settings, TSPROF_CLUSTERS="1000",
                                                          TSPROF_MEMORY="256M"))[1]


def check_same(tap, name, marked, found, steps):
    """MARKED and FOUND: see iterations."""
    tap.ok(bool(marked) and all(len(each) == steps and sum(map(len, each)) >= steps
                                for each in marked.values()),
           name + ": what is marked is there, and counted", str(marked)[:2000])
    for rank, each in sorted(marked.items()):
        got = found.get(rank, [])
        wanted = [None if one is None else other for one, other in zip(got, each[1:])]
        tap.ok(got == wanted and len(got) == steps - 1 and 2 * got.count(None) < steps,
               "%s, rank %d: the same but for the first" % (name, rank),
               "%s\n%s" % (got, each[1:]))


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
        check_same(tap, name, marked, found, STEPS)


def test_shapes_of_real_codes(tap):
    for name, count, phase in harness.some(SHAPES):
        program = [harness.program("loops"), name, str(count)]
        with Directory() as directory:
            marked = iterations(measure(program, directory, "marked", LOOPS_MARKED="1"), phase)
            found = iterations(measure(program, directory, "found"), "main loop")
        check_same(tap, name, marked, found, count)


if __name__ == "__main__":
    harness.main()
