#!/usr/bin/env python3
"""Functions outside the MPI standard, and those that Fortran bindings do by themselves, that a program refers to are named as not measured: those that
there are, once each, whether the program or a library of its own has them; none where the files of
these are gone."""

import json
import os
import shutil

import harness
import summary_reader
from harness import Directory

FUNCTION = "MPIX_Query_cuda_support"


def named(directory, command, ranks=2):
    """The fact, and what info says."""
    summary = os.path.join(directory, "out.tsprof")
    result = harness.run_ranks(command, ranks, cwd=directory, settings={"TSPROF_OUTPUT": summary})
    harness.check_run(result, summary)
    info = harness.tsprof("info", summary).stdout.splitlines()
    facts = json.loads(harness.tsprof("info", summary, "--format", "json").stdout)["facts"]
    fact = dict(summary_reader.Summary(summary).run).get("not_measured")
    return fact, facts.get("not_measured"), [line for line in info if line.startswith("not measured")]


def test_named(tap):
    with Directory() as directory:
        fact, in_json, lines = named(directory, [harness.program("outside")])
        tap.equal(fact, FUNCTION, "the one that is there, and not the one that is nowhere")
        tap.equal(in_json, FUNCTION, "in info --format json")
        tap.equal(lines, ["not measured %s, outside the MPI standard" % FUNCTION], "in info")


def test_none(tap):
    with Directory() as directory:
        tap.equal(named(directory, [harness.program("stencil"), "--iterations", "2"]), (None, None, []),
                  "nothing of a program that has none")


def test_fortran(tap):
    """Open MPI's bindings set attributes and create keys without any function in C; MPICH's do not."""
    for name, end in (("pattern_mpif", "_"), ("pattern_mpi_f08", "_f08_")):
        program = harness.program(name)
        with Directory() as directory:
            fact, _, lines = named(directory, [program, os.path.join(directory, "data")])
        if harness.MPI != "openmpi":
            tap.equal(fact, None, name + ": all is measured")
            continue
        wanted = {"mpi_%s_%s%s" % (kind, what, end) for kind in ("comm", "type", "win")
                  for what in ("get_attr", "set_attr", "create_keyval")}
        tap.equal(set((fact or "").split()), wanted, name + ": what is not measured")
        tap.ok(len(lines) == 1 and lines[0].endswith(
            ", which MPI's bindings for Fortran do by themselves"), name + ": in info", lines)


def test_files_that_are_gone(tap):
    with Directory() as directory:
        own = shutil.copy(harness.program("outside"), directory)
        tap.equal(named(directory, [own, own], 1), (None, None, []),
                  "nothing is known of a program that was removed")


if __name__ == "__main__":
    harness.main()
