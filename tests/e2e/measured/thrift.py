#!/usr/bin/env python3
"""A call that comes very often is not unwound where each walk would cost much: it is counted and timed
all the same, and the summary says so.  Where walks are cheap nothing is left out."""

import collections
import os

import harness
import summary_reader
from harness import Directory

CALLS = 300000


def run(directory, mode):
    summary = os.path.join(directory, "out.tsprof")
    result = harness.run_ranks([harness.program("polls"), mode, str(CALLS)], 1, cwd=directory,
                               settings={"TSPROF_OUTPUT": summary})
    harness.check_run(result, summary)
    visits = collections.Counter()
    for row in harness.export(summary, "callpaths", "--total", "--metric", "visits"):
        if row["callpath"].endswith("MPI_Iprobe"):
            visits[row["callpath"]] += int(float(row["value"]))
    content = summary_reader.Summary(summary)
    return content, visits, " ".join(content.locations[0].notes)


def test_cheap_walks(tap):
    with Directory() as directory:
        content, visits, notes = run(directory, "plain")
        tap.equal(list(visits.values()), [CALLS], "every call has its call path")
        tap.ok("poll_often" in list(visits)[0], "that of its caller", visits)
        tap.equal(notes, "", "there is nothing to say")


def test_expensive_walks(tap):
    with Directory() as directory:
        content, visits, notes = run(directory, "coroutine")
        tap.equal(sum(visits.values()), CALLS, "coroutine: every call is counted")
        found = {path: count for path, count in visits.items() if "poll_often" in path}
        tap.ok(0 < sum(found.values()) < CALLS, "coroutine: some have their call path", visits)
        tap.ok(all(path.split(";")[-2] == "poll_often" for path in found),
               "coroutine: the right one", visits)
        tap.ok(visits["MPI_Iprobe"] > 0, "coroutine: others have none", visits)
        tap.ok("without their call paths" in notes, "coroutine: the summary says so", notes)
        tap.equal(summary_reader.problems(content), [], "coroutine: times add up")


if __name__ == "__main__":
    harness.main()
