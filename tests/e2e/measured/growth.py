#!/usr/bin/env python3
"""The memory that `tsprof info` states is what a process grows by."""

import os
import re

import harness
from harness import Directory

# What two runs of the same program differ by without tsprof, in bytes: up to 8 KiB were seen.
NOISE_BYTES = 32 << 10
UNITS = {"bytes": 1, "kB": 1e3, "MB": 1e6}


def own_memory(directory, arguments, run, **options):
    file = os.path.join(directory, "own-memory")
    result = run([harness.program("extremes")] + arguments + [file], 1, cwd=directory, **options)
    tail = result.stderr.decode("utf-8", "replace")
    if result.status != 0 or not os.path.exists(file):
        raise harness.Failure("the program failed\n" + tail)
    with open(file) as content:
        text = content.read()
    if not text:
        raise harness.Skip("the system does not say what memory a process has")
    return int(text)


def check(tap, arguments, **settings):
    label = " ".join(arguments + ["%s=%s" % pair for pair in settings.items()])
    with Directory() as directory:
        summary = os.path.join(directory, "out.tsprof")
        bare = own_memory(directory, arguments, harness.run_plain)
        measured = own_memory(directory, arguments, harness.run_ranks,
                              settings=dict(settings, TSPROF_OUTPUT=summary))
        said = harness.tsprof("info", summary).stdout
    number, unit = re.search(r"memory ([\d.]+) (\w+) per process", said).groups()
    stated, grown = float(number) * UNITS[unit], measured - bare
    tap.ok(abs(stated - grown) <= 0.1 * grown + NOISE_BYTES,
           label + ": info states what the process grew by",
           "%d bytes stated, %d grown" % (stated, grown))


def test_few_call_paths(tap):
    check(tap, ["quick", "1000"])
    check(tap, ["quick", "1000000"])


def test_many_clusters(tap):
    check(tap, ["various", "3000"])
    check(tap, ["various", "3000"], TSPROF_CLUSTERS="0")


def test_many_call_paths(tap):
    check(tap, ["paths", "11"])
    check(tap, ["new-trees", "1000"])


def test_loops_looked_for(tap):
    """Until the end, when what looking has taken is given back."""
    check(tap, ["unmarked", "8"])
    check(tap, ["unmarked", "11"])


def test_without_a_main_loop(tap):
    check(tap, ["collectives", "200"], TSPROF_ITERATION="markers")


if __name__ == "__main__":
    harness.main()
