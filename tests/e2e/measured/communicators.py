#!/usr/bin/env python3
"""Communicators come and go by the hundred thousand, and memory does not grow with them."""

import os
import re

import harness
from harness import Directory, Failure

# What the process may grow by more than without tsprof, from a tenth of the communicators to
# the last: new names, places and clusters of iterations, and nothing for each communicator.
MOST_KIB = 512


def grown_kib(result):
    match = re.search(rb"^grown by (-?\d+) KiB$", result.stdout, re.M)
    if result.status != 0 or not match:
        raise Failure("status %d\n%s\n%s" % (result.status, result.stdout, result.stderr))
    return int(match.group(1))


def test_hundred_thousand(tap):
    with Directory() as directory:
        command = [harness.program("communicators"), "--iterations", "20000"]
        settings = {"LD_PRELOAD": harness.LIBRARY,
                    "TSPROF_OUTPUT": os.path.join(directory, "out.tsprof")}
        plain = harness.execute(command)
        measured = harness.execute(command, settings=settings)
        tap.equal(measured.stdout.splitlines()[0], plain.stdout.splitlines()[0], "same result")
        more = grown_kib(measured) - grown_kib(plain)
        tap.ok(more <= MOST_KIB, "at most %d KiB for 90000 communicators" % MOST_KIB,
               "%d KiB" % more)
        rows = harness.export(settings["TSPROF_OUTPUT"], "callpaths", "--total", "--metric",
                              "visits")
        freed = [row["value"] for row in rows if row["callpath"].endswith(";MPI_Comm_free")]
        tap.equal(sum(map(harness.number, freed)), 100000, "all of them were counted")


if __name__ == "__main__":
    harness.main()
