#!/usr/bin/env python3
"""What CUBE's own tools show of tsprof export --format cubex, where they are installed: the same for
every node, thread and metric as the reader that the other tests use, and the same in total however
iterations are stored."""

import csv
import io
import os
import shutil

import cube_reader
import cubex
import harness
from harness import Directory

HOWS = ("clusters", "nodes", "sum")

# What cube_dump prints has six digits.
PRINTED = 1e-5


def tool(name, *arguments, cwd=None):
    """What one of CUBE's tools prints; it has to end well."""
    if not shutil.which(name):
        raise harness.Skip("%s is not installed" % name)
    result = harness.execute([name] + list(arguments), cwd=cwd)
    if result.status != 0:
        raise harness.Failure("%s %s: status %d\n%s" % (name, " ".join(arguments), result.status,
                                                        result.stderr.decode()))
    return result.stdout.decode()


def table(*arguments):
    printed = tool("cube_dump", "-s", "csv2", "-m", "all", "-x", "incl", *arguments)
    return list(csv.DictReader(io.StringIO(printed), skipinitialspace=True))


def is_near(a, b, share=PRINTED):
    return abs(a - b) <= share * max(abs(a), abs(b))


def check_values(tap, path, label):
    """Every value that cube_dump prints is that of the reader."""
    profile = cube_reader.Profile(path)
    nodes = sorted((node for root in profile.expand() for node in cube_reader.walk(root)),
                   key=lambda node: node.made)
    different, count = [], 0
    rows = table("-c", "all", "-z", "excl", path)
    for row in rows:
        node, column = nodes[int(row["Cnode ID"])], int(row["Thread ID"])
        for metric in profile.metrics:
            got, wanted = float(row[metric.name]), profile.value(metric, node, column)
            count += 1
            if not is_near(got, wanted):
                different.append("%s, %d, %s: %r, here %r" % (node.region.name, column, metric.name,
                                                              got, wanted))
    tap.ok(len(rows) == len(nodes) * len(profile.places) and not different,
           "%s: %d values are those of the reader" % (label, count), "\n".join(different))


def whole_run(path):
    """{metric: value} of the whole run, as cube_dump adds it up."""
    row, = table("-c", "roots", "-z", "incl", "-t", "aggr", path)
    return {name: float(value) for name, value in row.items() if name != "Cnode ID"}


def check_tools(tap, directory, summary, label, *options):
    totals = {}
    for how in HOWS:
        path = cubex.cubex(directory, summary, "--iterations", how, *options, name=how + ".cubex")
        check_values(tap, path, "%s, %s" % (label, how))
        totals[how] = whole_run(path)
    for how in HOWS[:-1]:
        different = {name: (value, totals["sum"][name]) for name, value in totals[how].items()
                     if not is_near(value, totals["sum"][name])}
        tap.ok(totals[how] and not different, "%s, %s: the whole run is that of the sum"
               % (label, how), different)


def test_small_summaries(tap):
    for label, ranks in (("differing", cubex.DIFFERING), ("absent", cubex.ABSENT),
                         ("alone", cubex.ALONE), ("apart", cubex.APART)):
        with cubex.sample_of(ranks) as sample:
            check_tools(tap, sample.path, sample.file, label)


def test_programs(tap):
    for name, arguments, ranks, settings, options in (
            ("stencil", (), 2, {}, ()),
            ("workers", (), 4, {"TSPROF_CLUSTERS": "4"}, ()),
            ("extremes", ("absent", "1"), 3, {"TSPROF_CLUSTERS": "3"}, ()),
            ("stencil", (), 4, {"TSPROF_ITERATION": "time:0.05"}, ("--phase", "0.05 s")),
            ("openmp", (), 2, {"OMP_NUM_THREADS": "2", "TSPROF_CLUSTERS": "5"}, ())):
        with Directory() as directory:
            summary = cubex.profile_of(directory, name, arguments, ranks, settings)
            check_tools(tap, directory, summary, " ".join((name,) + arguments + options), *options)


def test_tools_that_write(tap):
    """What they make of a file adds up to the same."""
    with cubex.sample_of(cubex.APART) as sample:
        path = cubex.cubex(sample.path, sample.file)
        wanted = whole_run(path)
        for command in (("cube_cut", "-o", "made", path), ("cube_mean", "-o", "made", path, path),
                        ("cube_clean", "-o", "made", path), ("cube_merge", "-o", "made", path, path)):
            tool(*command, cwd=sample.path)
            made = os.path.join(sample.path, "made.cubex")
            got = whole_run(made)
            tap.ok(got and all(is_near(got[name], wanted[name]) for name in got),
                   command[0] + ": the whole run", "%s\n%s" % (got, wanted))
            os.remove(made)
        for command in (("cube_info", path), ("cube_calltree", path), ("cube_sanity", path)):
            tap.ok(tool(*command), command[0] + " reads it")


if __name__ == "__main__":
    harness.main()
