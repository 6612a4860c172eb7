#!/usr/bin/env python3
"""Call paths where code is hard to walk through: libraries that come and go at one address, code
without call-frame information, programs in other languages."""

import collections
import os

import harness
from harness import Directory, Skip

RATE = {"TSPROF_RATE": "1000"}
PLUGINS = 40


def run(directory, command, ranks=1, settings=None):
    """Runs a program that does not state counts; its output, and the rows of its call paths."""
    summary = os.path.join(directory, "out.tsprof")
    settings = dict(RATE, TSPROF_OUTPUT=summary, **(settings or {}))
    result = harness.run_ranks(command, ranks, settings=settings, cwd=directory)
    harness.check_run(result, summary)
    return result.stdout.decode(), harness.export(summary, "callpaths", "--total")


def sums(rows, metric):
    """{call path: value, summed over ranks}"""
    found = collections.Counter()
    for row in rows:
        if row["metric"] == metric:
            found[row["callpath"]] += harness.number(row["value"])
    return found


def of_path(values, *regions):
    """The sum over call paths that hold these regions in this order and end in the last."""
    total = 0
    for path, value in values.items():
        names = iter(harness.split_callpath(path))
        if path.endswith(regions[-1]) and all(region in names for region in regions):
            total += value
    return total


def plugin(colour):
    return harness.program("plugin_%s.so" % colour)


def run_plugins(tap, directory, *more):
    said, rows = run(directory, [harness.program("plugins"), str(PLUGINS), plugin("red"),
                                 plugin("blue")] + list(more))
    if "at one address" not in said:
        raise Skip("the loader gives the plugins different addresses")
    paths = sorted({row["callpath"] for row in rows})
    lost = [path for path in paths if "[" in path]
    tap.equal(lost, [], "no call path ends early or in unknown code")
    mixed = [path for path in paths if "red_" in path and "blue_" in path]
    tap.equal(mixed, [], "no call path leads through both plugins")
    tap.equal(sum(sums(rows, "samples_failed").values()), 0, "every sample reached the root")
    return rows


def test_libraries_at_one_address_are_told_apart(tap):
    with Directory() as directory:
        rows = run_plugins(tap, directory)
    visits, samples = sums(rows, "visits"), sums(rows, "samples")
    for colour in ("red", "blue"):
        names = {name: "%s_%s" % (colour, name)
                 for name in ("begin", "compute", "exchange", "end")}
        tap.equal(of_path(visits, "main", "run_plugin", "run", names["exchange"],
                          "MPI_Allreduce"), 3 * PLUGINS // 2, colour + ": its calls of MPI")
        tap.equal(of_path(visits, "main", "run_plugin", names["begin"], "MPI_Comm_size"),
                  PLUGINS // 2, colour + ": those while it is loaded")
        tap.equal(of_path(visits, "main", "run_plugin", names["end"], "MPI_Comm_rank"),
                  PLUGINS // 2, colour + ": those while it is unloaded")
        tap.ok(of_path(samples, "main", "run_plugin", "run", names["compute"]) > 0,
               colour + ": samples of its computation")
    nameless = [path for path in visits if "plugin_" in path.replace("run_plugin", "")]
    tap.equal(nameless, [], "every function of theirs has its name")


def test_a_file_that_was_replaced_gives_no_wrong_names(tap):
    """Both plugins are loaded from one file name: in the end it is that of the blue one."""
    with Directory() as directory:
        rows = run_plugins(tap, directory, "--as", "./current.so")
    visits = sums(rows, "visits")
    tap.equal(of_path(visits, "main", "run_plugin", "run", "blue_exchange", "MPI_Allreduce"),
              3 * PLUGINS // 2, "calls from the one that is still there")
    nameless = sum(value for path, value in visits.items()
                   if path.endswith("MPI_Allreduce") and "current.so.0+0x" in path)
    tap.equal(nameless, 3 * PLUGINS // 2, "calls from the other, without names")


if __name__ == "__main__":
    harness.main()
