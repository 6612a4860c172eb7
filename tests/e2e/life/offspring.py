#!/usr/bin/env python3
"""Processes that MPI_Comm_spawn starts are a job of their own: each leaves a summary under a name of
its own, with its world, its topologies and all that it did, also together with its parents."""

import glob
import os

import harness
import summary_reader
from harness import Directory


def check_counts(tap, label, directory, name, summary, ranks):
    stated = harness.total_of(harness.read_counts(directory, ranks, name))
    difference = harness.differences(
        harness.measured_counts(harness.export(summary, "callpaths", "--total")), stated)
    tap.ok(stated and not difference, label + ": counts", difference or "nothing was stated")


def check_summary(tap, label, directory, name, path, ranks):
    content = summary_reader.Summary(path)
    tap.equal(content.state, 1, label + ": complete")
    tap.ok(not summary_reader.problems(content), label + ": times and totals are exact")
    tap.equal(sorted({place.rank for place in content.places}), list(range(ranks)),
              label + ": ranks of its own world")
    check_counts(tap, label, directory, name, path, ranks)
    tap.equal([(t.name, t.members, t.grid) for t in content.topologies],
              [("own ring", list(range(ranks)), [(ranks, True)])],
              label + ": topologies of its own world")
    tap.equal(content.topologies_left_out, 1, label + ": one with others in it is counted")


def try_family(tap, directory, children, parents_file, childrens_file):
    """Under the same names as whoever was there before."""
    command = [harness.program("offspring"), "--size", str(children)]
    plain = harness.run_plain(command, 2, cwd=directory)
    if b"no spawn" in plain.stdout:
        raise harness.Skip("this MPI starts no processes here")
    before = set(glob.glob(os.path.join(directory, "*.tsprof")))
    # What is spawned inherits from the launcher, not from those that ask for it.
    result = harness.run_all(
        command + ["--counts", os.path.join(directory, "counts")], 2, cwd=directory,
        settings={"TSPROF_OUTPUT": os.path.join(directory, "out.tsprof")})
    tap.equal((result.status, result.stdout), (0, plain.stdout), "status and output")
    written = set(glob.glob(os.path.join(directory, "*.tsprof"))) - before
    tap.equal(sorted(map(os.path.basename, written)), sorted([parents_file, childrens_file]),
              "one summary of each job")
    for file, name, ranks in ((parents_file, "counts", 2),
                              (childrens_file, "counts.child", children)):
        check_summary(tap, file, directory, name, os.path.join(directory, file), ranks)


def test_summaries(tap):
    with Directory() as directory:
        try_family(tap, directory, 2, "out.tsprof", "out.spawn1.tsprof")
        try_family(tap, directory, 1, "out.1.tsprof", "out.spawn2.tsprof")


if __name__ == "__main__":
    harness.main()
