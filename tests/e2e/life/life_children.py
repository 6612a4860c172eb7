#!/usr/bin/env python3
"""Children of a measured process, however they are made: nothing of tsprof's is theirs, they
leave no summary, and the parent goes on being measured."""

import harness
import life

MODES = ("leave", "go-on", "exec", "spawn", "clone", "threads")


def try_mode(tap, mode, **options):
    def look(name, files, result):
        rows = [row for file in files for row in harness.export(
            file, "callpaths", "--total", "--metric", "visits")]
        after = [float(row["value"]) for row in rows if row["callpath"].endswith("after")]
        probes = [float(row["value"]) for row in rows
                  if row["callpath"].endswith("after;MPI_Iprobe")]
        tap.equal((after, probes), ([5.0], [5.0]), name + ": the parent's measurement goes on")
        inside = [row for row in rows if "in a child" in row["callpath"]]
        tap.equal(inside, [], name + ": nothing of a child is in it")

    life.both_ways(tap, mode, [harness.program("life_children"), mode], look=look, **options)


def test_modes(tap):
    for mode in MODES:
        try_mode(tap, mode, rates=("100", "10000"))


def test_large_process(tap):
    """A fork that takes longer than the time between two samples still comes to its end."""
    try_mode(tap, "large", rates=("10000",))


def test_children_that_start_mpi(tap):
    """Each is a program of its own, whose parent is not measured."""
    life.both_ways(tap, "children-start", [harness.program("life_children"), "children-start"],
                   wanted=2, rates=("100",))


if __name__ == "__main__":
    harness.main()
