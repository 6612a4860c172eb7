#!/usr/bin/env python3
"""Call paths that hold nothing, and lead to none that do, are not in the summary."""

import os

import harness
import summary_reader
from harness import Directory


def unused(content):
    """Call paths of the file without a value in any profile and without such a path below."""
    used = {0}
    for location in content.locations:
        profiles = [location.whole, location.outside]
        profiles += [c.profile for series in location.series for c in series.clusters]
        used.update(node for profile in profiles for node, _ in profile)
    for node in range(len(content.nodes) - 1, 0, -1):
        if node in used:
            used.add(content.nodes[node].parent)
    return [content.callpath(node) for node in range(len(content.nodes)) if node not in used]


def try_program(tap, name, arguments, ranks=1, settings=None):
    with Directory() as directory:
        summary = os.path.join(directory, "out.tsprof")
        settings = dict(settings or {}, TSPROF_OUTPUT=summary)
        result = harness.run_ranks([harness.program(name)] + arguments, ranks, cwd=directory,
                                   settings=settings)
        harness.check_run(result, summary)
        content = summary_reader.Summary(summary)
        label = " ".join([name] + arguments)
        tap.equal(unused(content), [], label + ": every call path is used")
        tap.equal(summary_reader.problems(content), [], label + ": times and totals are exact")
        return content


def test_programs(tap):
    for name, ranks in (("stencil", 2), ("workers", 2), ("collectives", 2), ("templates", 1)):
        try_program(tap, name, ["--iterations", "10"], ranks,
                    {"TSPROF_RATE": "1000", "TSPROF_CLUSTERS": "4"})


def test_nothing_was_joined(tap):
    content = try_program(tap, "extremes", ["quick", "1000"])
    tap.ok("[other call paths]" not in map(content.callpath, range(len(content.nodes))),
           "there is no place for what found no memory")
    content = try_program(tap, "extremes", ["new-trees"], settings={"TSPROF_MEMORY": "1M"})
    tap.ok("[other call paths]" in map(content.callpath, range(len(content.nodes))),
           "unless something was put there")


def test_memory(tap):
    """The most that a process had resident is noted for its first thread."""
    used = 16 << 20  # buffers of `behaviours`, all of which it writes to
    content = try_program(tap, "behaviours", ["plain", "10"], 2)
    most = [location.costs["resident_most_bytes"] for location in content.locations]
    tap.ok(len(most) == 2 and all(used < bytes_ < used + (100 << 20) for bytes_ in most),
           "what the program had, and not much more", most)
    content = try_program(tap, "threads", ["pool", "20"])
    tap.equal([location.costs["resident_most_bytes"] > 0 for location in content.locations],
              [location.place.thread == 0 for location in content.locations], "once for all threads")


def test_threads(tap):
    """A thread has call paths of iterations in which it then had no part."""
    for mode in ("pool", "lives", "span", "sleep", "nested"):
        try_program(tap, "threads", [mode, "200"], settings={"TSPROF_RATE": "1000"})
    if harness.is_built("openmp"):
        try_program(tap, "openmp", [], settings={"OMP_NUM_THREADS": "3", "TSPROF_RATE": "1000"})


if __name__ == "__main__":
    harness.main()
