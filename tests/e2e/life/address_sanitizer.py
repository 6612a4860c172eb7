#!/usr/bin/env python3
"""Programs that are built with the address sanitizer, which wants to be loaded first, start, and do
the same as without tsprof."""

import os
import subprocess

import harness
import summary_reader
from harness import Directory, Failure, Skip


def build(directory):
    path = os.path.join(directory, "stencil")
    sources = os.path.join(harness.TOP_SRCDIR, "tests", "programs")
    result = subprocess.run(
        harness.mpicc() + ["-w", "-g", "-O1", "-fsanitize=address", "-I" + sources,
                           "-I" + os.path.join(harness.TOP_SRCDIR, "include"),
                           "-o", path, os.path.join(sources, "stencil.c"), "-lm"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if "asan" in result.stdout:
        raise Skip("there is no address sanitizer: " + result.stdout)
    if result.returncode != 0:
        raise Failure(result.stdout)
    return path


def test_job(tap):
    with Directory() as directory:
        program = build(directory)
        summary = os.path.join(directory, "out.tsprof")
        plain = harness.run_plain([program], 2, cwd=directory)
        # MPICH leaks some memory, which the sanitizer may say, with an exit status of its own.
        result = harness.execute([harness.COMMAND, "run", "-n", "2", program], cwd=directory,
                                 settings={"TSPROF_OUTPUT": summary})
        tap.equal((result.status, result.stdout), (plain.status, plain.stdout),
                  "status and output are those without tsprof")
        content = summary_reader.Summary(summary)
        tap.equal(len(content.locations), 2, "both ranks are measured")
        tap.equal(summary_reader.problems(content), [], "and the summary is exact")


if __name__ == "__main__":
    harness.main()
