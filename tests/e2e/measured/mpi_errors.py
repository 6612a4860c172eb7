#!/usr/bin/env python3
"""A program that provokes MPI errors gets the same codes, classes and texts with and without
tsprof, and what failed counts nothing but its visit."""

import os

import exercise
import harness
from harness import Directory


def test_same_errors(tap):
    with Directory() as directory:
        command = [harness.program("mpi_errors"), "--directory", directory]
        plain = harness.run_plain(command, 2)
        tap.ok(plain.status == 0 and plain.stdout.count(b"class") > 200, "errors were made",
               plain.stderr)
        for form, start in (("ranks", harness.run_ranks), ("mpirun", harness.run_all)):
            label = "preloaded for %s: " % form
            summary = os.path.join(directory, form + ".tsprof")
            settings = {"TSPROF_VERBOSE": "1", "TSPROF_OUTPUT": summary}
            counts = ["--counts", os.path.join(directory, "counts")]
            result = start(command + counts, 2, settings=settings)
            tap.equal(result.status, plain.status, label + "exit status")
            tap.ok(result.stdout == plain.stdout, label + "codes, classes and texts",
                   exercise.first_difference(plain.stdout.decode(), result.stdout.decode()))
            harness.check_run(result, summary)
            exercise.compare_rows(tap, label.rstrip(": "), directory, summary, 2, "provoke_")


if __name__ == "__main__":
    harness.main()
