#!/usr/bin/env python3
"""Work that is put off, for long iterations or with TSPROF_COMPRESS_AT=collective, changes nothing of
what is measured."""

import accounting
import extremes
import harness
import phases
import summary_reader
import threads
from harness import COUNTING_PROGRAMS, Directory

LATER = {"TSPROF_COMPRESS_AT": "collective"}


def test_programs(tap):
    for program in COUNTING_PROGRAMS:
        if program.name in ("stencil", "workers", "collectives"):
            for clusters in (0, 4):
                accounting.try_program(tap, program, 2, clusters, LATER)


def counts(directory, moment, clusters):
    """Counts by iteration and call path, and the clusters of all iterations."""
    settings = {"TSPROF_COMPRESS_AT": moment, "TSPROF_CLUSTERS": clusters, "TSPROF_RATE": "0"}
    stated, summary, content = extremes.run(directory, ["collectives"], 2, settings)
    rows = [tuple(row.values()) for metric in ("visits", "bytes_coll_in", "syncs_coll")
            for row in harness.export(summary, "callpaths", "--metric", metric)]
    maps = [(content.phases[series.phase].name, series.map)
            for location in content.locations for series in location.series]
    return rows, maps, summary_reader.problems(content), stated


def test_same_iterations(tap):
    """Every iteration holds the same, nested or not, whatever collectives came."""
    got = {}
    for moment in ("iteration", "collective"):
        with Directory() as directory:
            got[moment] = counts(directory, moment, "0")
            tap.equal(got[moment][2], [], moment + ": times and totals are exact")
    for what, name in enumerate(("counts", "maps")):
        tap.equal(got["collective"][what], got["iteration"][what], "the same " + name)
    tap.ok(len(got["collective"][0]) > 1000, "and there are some")


def iterations_of(size, iterations):
    """Visits by iteration and call path in wavefront, and the summary as it was read."""
    settings = {"TSPROF_CLUSTERS": "0", "TSPROF_RATE": "0"}
    with Directory() as directory:
        _, summary = harness.profile(directory, "wavefront", 1, settings=settings,
                                     arguments=["--size", size, "--iterations", iterations])
        rows = [tuple(row.values()) for row in
                harness.export(summary, "callpaths", "--metric", "visits")]
        return rows, summary_reader.Summary(summary)


def test_long_iterations(tap):
    """Several that take milliseconds are put away together, the last ones at the end."""
    short, _ = iterations_of("8", "21")
    long, content = iterations_of("200", "21")
    series = [s for s in content.locations[0].series
              if content.phases[s.phase].name == "timestep"]
    tap.equal(len(series), 1, "there is one series")
    walls = sorted(cluster.wall_ns for cluster in series[0].clusters)
    tap.ok(len(walls) == 21 and walls[1] > 500_000, "its iterations are long", walls)
    tap.equal(long, short, "and have visited what short ones do")
    tap.ok(len(long) > 100, "of all of them", len(long))
    tap.equal(summary_reader.problems(content), [], "times and totals are exact")


def test_nested(tap):
    phases.try_nesting(tap, "sequence", {"first": [1, 2, 3, 4, 5], "second": [10] * 3}, LATER,
                       total=47)
    phases.try_nesting(tap, "nested",
                       {"outer": [31, 34, 37, 40],
                        "inner": [10] * 3 + [11] * 3 + [12] * 3 + [13] * 3}, LATER, total=142)
    phases.try_nesting(tap, "phases", {"timestep": [4] * 6}, LATER, total=24)


def test_threads(tap):
    for mode, iterations in (("pool", 100), ("lives", 100), ("own", 50), ("span", 20),
                             ("deserted", None)):
        threads.check_mode(tap, mode, LATER, iterations)
    threads.check_mode(tap, "pool", dict(LATER, TSPROF_RATE="10000"), 200)


def test_late_threads(tap):
    """Iterations that passed without a thread come after those that it still has to put away."""
    for mode, iterations in (("sleep", "20000"), ("nested", "4000")):
        with Directory() as directory:
            _, summary = threads.run(directory, [mode, iterations],
                                     dict(LATER, TSPROF_CLUSTERS="8"))
            threads.check_exact(tap, mode, summary)


def test_without_collectives(tap):
    """What no collective puts away is put away at the end, or when there is a lot."""
    for arguments in (["no-collective"], ["empty", "1000"], ["absent", "0"]):
        extremes.try_mode(tap, arguments, 2, LATER)


def test_without_memory(tap):
    """An iteration that finds no memory later is then moved to what lies outside."""
    settings = dict(LATER, TSPROF_MEMORY="1M", TSPROF_EQUIVALENCE="strong")
    for more in ({}, {"TSPROF_CLUSTERS": "0"}):
        said, content = extremes.try_mode(tap, ["new-trees"], settings=dict(settings, **more),
                                          complete=False)
        tap.ok("only in the whole-run profile" in said, "it is said", said)
        tap.ok(extremes.lost(content.locations[0].series[0]) > 0, "iterations were lost")


if __name__ == "__main__":
    harness.main()
