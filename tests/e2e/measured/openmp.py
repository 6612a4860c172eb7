#!/usr/bin/env python3
"""OpenMP: worker threads are locations, take part in the iterations, and their call paths are shown
under the parallel region of the thread that opened it, where there is only one place."""

import collections
import os

import harness
import summary_reader
from harness import Directory

THREADS = 3
ITERATIONS = 40


def samples_by_path(summary, threads):
    found = collections.Counter()
    for row in harness.export(summary, "callpaths", "--total", "--thread", threads):
        if row["metric"] == "samples":
            found[row["callpath"]] += int(float(row["value"]))
    return found


def samples_below(found, *path):
    """Samples on paths that go through these functions in this order, without gaps."""
    return sum(count for callpath, count in found.items()
               if ";" + ";".join(path) in ";" + callpath)


def test_places(tap):
    with Directory() as directory:
        summary = os.path.join(directory, "out.tsprof")
        result = harness.run_ranks(
            [harness.program("openmp"), str(THREADS), str(ITERATIONS)], 1,
            settings={"TSPROF_OUTPUT": summary, "TSPROF_RATE": "1000", "OMP_PROC_BIND": "false"},
            cwd=directory)
        harness.check_run(result, summary)
        content = summary_reader.Summary(summary)
        tap.equal(len(content.locations), THREADS, "every thread of the team is a location")
        tap.equal(summary_reader.problems(content), [], "times and totals are exact")
        for location in content.locations:
            tap.equal([summary_reader.iterations(series) for series in location.series],
                      [ITERATIONS], "a thread has the iterations of the first")
        workers = samples_by_path(summary, "1-%d" % (THREADS - 1))
        for label, path in (
                ("outside iterations", ("main", "assemble", "GOMP_parallel", "assemble._omp_fn.0")),
                ("inside", ("main", "timestep", "relax", "GOMP_parallel", "relax._omp_fn.0"))):
            below = samples_below(workers, *path)
            tap.ok(below > 0, "workers are below the region, " + label, workers)
            tap.equal(samples_below(workers, path[-1]), below, "and nowhere else, " + label)
        tap.ok(samples_below(workers, "norm._omp_fn.0") > 0, "the region with two callers is seen")
        tap.equal(samples_below(workers, "norm", "GOMP_parallel"), 0,
                  "but given to neither of them")
        tap.ok(all(path.startswith("main;timestep") or "timestep" not in path for path in workers),
               "iterations have one place", "\n".join(workers))


def test_unchanged(tap):
    with Directory() as directory:
        command = [harness.program("openmp"), "2", "5"]
        plain = harness.run_plain(command, 2, cwd=directory)
        measured = harness.run_ranks(command, 2, cwd=directory, settings={"TSPROF_VERBOSE": "0"})
        tap.equal((measured.status, measured.stdout), (plain.status, plain.stdout),
                  "two ranks of two threads give the same result")


if __name__ == "__main__":
    harness.main()
