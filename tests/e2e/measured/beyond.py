#!/usr/bin/env python3
"""Functions outside the MPI standard are not measured: `tsprof info` names those that a program
refers to, and does so for no other program."""

import os

import harness
from harness import Directory


def info(directory, name):
    """What `tsprof info` says of a program, and the program's standard output."""
    summary = os.path.join(directory, name + ".tsprof")
    result = harness.run_ranks([harness.program(name)], 2, cwd=directory,
                               settings={"TSPROF_OUTPUT": summary})
    harness.check_run(result, summary)
    return harness.tsprof("info", summary).stdout, result.stdout


def test_named(tap):
    with Directory() as directory:
        said, output = info(directory, "beyond")
        tap.ok(output.count(b"device: ") == 2, "the function is called", output.decode())
        lines = [line for line in said.splitlines() if line.startswith("unmeasured")]
        tap.equal([line.split() for line in lines],
                  ["unmeasured calls of MPIX_Query_cuda_support, outside the MPI standard: "
                   "their time is computation".split()], "it is named")
        said, _ = info(directory, "stencil")
        tap.ok("unmeasured" not in said and "MPIX" not in said,
               "a program without such calls has no such line", said)


if __name__ == "__main__":
    harness.main()
