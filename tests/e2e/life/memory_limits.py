#!/usr/bin/env python3
"""Jobs whose memory a control group limits, as batch systems do: what tsprof takes of it, and what is left
of a process that is ended for want of it."""

import glob
import os

import harness
import mortality
from harness import Directory
from memory_cgroup import MemoryGroup
from mortality import Case, Job

RANKS = 2
MB = 1000000
BUDGET = 8 << 20
# At the end, by doc/how-it-works.md: for each call path, and whatever else.
BYTES_A_PATH = 400
ELSE = 3 * MB


def job(group, directory, command, settings=None, measured=True):
    preload = ["env", "LD_PRELOAD=" + harness.LIBRARY] if measured else []
    return harness.execute(group.within() + [harness.mpirun(), "-n", str(RANKS), *preload, *command],
                           settings=settings, cwd=directory)


def most_without(directory, command):
    """How much memory a job takes without tsprof.  The first run has the files to read."""
    for _ in range(2):
        with MemoryGroup() as group:
            job(group, directory, command, measured=False)
            peak = group.peak()
    return peak


def try_within(tap, label, command, settings, more):
    """A job has as much memory as it takes without tsprof, and MORE bytes for each process."""
    with Directory() as directory:
        size = most_without(directory, command) + RANKS * more
        with MemoryGroup() as group:
            group.limit(size)
            result = job(group, directory, command, dict({"TSPROF_VERBOSE": "1"}, **settings))
            tap.equal((result.status, group.kills()), (0, 0),
                      "%s: %.0f MB more for each process are enough" % (label, more / MB))
        said = result.stderr.decode()
        tap.equal(len(glob.glob(os.path.join(directory, "*.tsprof"))), 1,
                  label + ": there is a summary")
        return said


def test_a_small_profile(tap):
    """A few megabytes, whatever TSPROF_MEMORY allows."""
    try_within(tap, "stencil", [harness.program("stencil")], {}, 5 * MB)


def test_a_large_profile(tap):
    """What TSPROF_MEMORY allows, and some hundred bytes for each call path at the end."""
    paths = 35000
    try_within(tap, "extremes", [harness.program("extremes"), "paths", "15"],
               {"TSPROF_MEMORY": str(BUDGET), "TSPROF_RATE": "0"}, BUDGET + ELSE + paths * BYTES_A_PATH)


def test_a_trace(tap):
    """Events are in memory that is mapped from files, which the system writes and takes back when there
    is no other; and the archive is written piece by piece."""
    command = [harness.program("mortal"), "--us", "0", "--iterations", "400", "--probes", "5000"]
    said = try_within(tap, "trace", command, {"TSPROF_TRACE": "all", "TSPROF_RATE": "0"}, 12 * MB)
    tap.ok("events of 4001612 MPI calls" in said, "trace: it has all events", said)


def hoard(case, directory):
    """A job of which one process takes memory until it is ended: how many are, what merge says, and what
    is wrong in the summary."""
    with MemoryGroup() as group:
        group.limit(200 * MB)
        with Job(directory, case, through=group.within()) as run:
            run.wait_until_started()
            run.wait_until_ended()
            told = [run.told(rank) for rank in range(RANKS)]
        result = harness.tsprof("merge", *glob.glob(os.path.join(directory, "*.parts")))
        return group.kills(), result, mortality.problems(os.path.join(directory, "out.tsprof"), case,
                                                         told, set())


def test_killed_for_want_of_memory(tap):
    """The process that the system ends leaves what it had done up to a second before."""
    case = Case("hoard", RANKS, 20000, 0, False, 8, 100, 1, None)
    for _ in range(3):
        with Directory() as directory:
            kills, result, problems = hoard(case, directory)
        # Where others had the processors it may have had to wait for one before it could save.
        if not problems or not all(mortality.TOO_FEW in problem for problem in problems):
            break
    tap.equal(kills, 1, "one process is ended for want of memory")
    tap.ok(result.status == 0 and "2 of 2 ranks" in result.stderr, "the parts are merged",
           result.stderr)
    tap.ok(not problems, "and all is right, up to the last second", "\n".join(problems))


if __name__ == "__main__":
    harness.main()
