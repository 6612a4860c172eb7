#!/usr/bin/env python3
"""Jobs of which only some processes are measured: they end, and what was measured is there."""

import glob
import os

import harness
from harness import Directory

ARGUMENTS = ["--iterations", "10"]


def run_some(directory, measured, plain, settings=None):
    """Ranks of one job, the first with the runtime, the rest without."""
    program = [harness.program("stencil")] + ARGUMENTS
    preloaded = ["env", "LD_PRELOAD=" + harness.LIBRARY] + program
    command = [harness.mpirun()]
    for count, part in ((measured, preloaded), (plain, program)):
        if count:
            command += ([":"] if len(command) > 1 else []) + ["-n", str(count)] + part
    settings = dict(settings or {}, TSPROF_OUTPUT=os.path.join(directory, "out.tsprof"))
    result = harness.execute(command, settings=settings, cwd=directory)
    return result, sorted(os.path.basename(f) for f in glob.glob(directory + "/*.tsprof"))


def plain_output(ranks):
    return harness.run_plain([harness.program("stencil")] + ARGUMENTS, ranks).stdout


def check(tap, name, result, ranks, directory, files, wanted):
    tap.equal(result.status, 0, name + ": the job ends well")
    tap.equal(result.stdout, plain_output(ranks), name + ": with the same result")
    tap.equal(files, wanted, name + ": each measured process leaves a summary of its own")
    for file in files:
        info = harness.tsprof("info", os.path.join(directory, file))
        tap.equal(info.status, 0, name + ": " + file + " is readable and its accounts are exact")


def test_one_of_two(tap):
    with Directory() as directory:
        result, files = run_some(directory, 1, 1)
        check(tap, "one of two", result, 2, directory, files, ["out.rank0.tsprof"])
        said = result.stderr.decode("utf-8", "replace")
        tap.equal(said.count("not all processes of the job are measured"), 1, "it says why")


def test_two_of_four(tap):
    with Directory() as directory:
        result, files = run_some(directory, 2, 2)
        check(tap, "two of four", result, 4, directory, files,
              ["out.rank0.tsprof", "out.rank1.tsprof"])


def test_on_request(tap):
    with Directory() as directory:
        result, files = run_some(directory, 2, 0, {"TSPROF_MERGE": "0"})
        check(tap, "on request", result, 2, directory, files,
              ["out.rank0.tsprof", "out.rank1.tsprof"])


if __name__ == "__main__":
    harness.main()
