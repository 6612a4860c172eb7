#!/usr/bin/env python3
"""TSPROF_TIMER=auto: threads that share processors are sampled with performance events, from the
start if the launcher tells how many ranks there are, or else after a while.

Ranks of tests/programs/turns.c that take turns on two processors begin their turns with the
kernel's tick, and lose the processor at the next one, in MPI.  A timer on the tick hardly ever
finds them computing.  How much processor time they compute for is known.
"""

import os
import platform
import sys

import harness
import preempted
import summary_reader
from harness import Directory, Skip
from sampling import perf_is_allowed

RANKS, COMPUTES_US = 8, 1000
# Some 35 ms each on two processors.  Threads are looked at after one and three seconds.
ITERATIONS, UNTIL_FIRST_LOOK, FEW = 150, 100, 20
# By these launchers tell how many ranks they start on a host.
TELL = ("MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE")
CHANGED, STAYED = "sampled with performance events after a while", "performance events are refused"

# What runs a command without permission for performance events, as containers do.
REFUSE = """
import ctypes, os, struct, sys
number, command = int(sys.argv[1]), sys.argv[2:]
# Load the number of the system call; where it is this one, the error EACCES; else allow it.
code = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x0005000d), (0x06, 0, 0, 0x7fff0000)]
rows = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *row) for row in code))
program = struct.pack("HxxxxxxP", len(code), ctypes.addressof(rows))
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(38, 1, 0, 0, 0)
if libc.prctl(22, 2, program, 0, 0) != 0:
    sys.exit(77)
os.execvp(command[0], command)
"""


def run(directory, timer, prefix=(), told=False, iterations=ITERATIONS):
    """
    The summary, and of all ranks: processor time of the computation, and samples there.  TOLD: they
    know how many they are.
    """
    summary = os.path.join(directory, "out.tsprof")
    untold = [] if told else [word for name in TELL for word in ("-u", name)]
    command = list(prefix) + [harness.mpirun(), "-n", str(RANKS), "env", *untold,
                              "LD_PRELOAD=" + harness.LIBRARY, harness.program("turns"),
                              "--iterations", str(iterations), "--size", str(COMPUTES_US)]
    with preempted.processors(2) as processors:
        result = harness.execute(command, cwd=directory, settings={
            "TSPROF_OUTPUT": summary, "TSPROF_VERBOSE": "0", "TSPROF_TIMER": timer})
    if processors < 1 or result.status == 77:
        raise Skip("the system does not let a test refuse system calls")
    harness.check_run(result, summary)
    content = summary_reader.Summary(summary)
    taken = sum(location.costs["samples"] for location in content.locations)
    return content, RANKS * iterations * COMPUTES_US * 1e-6, taken, summary


def notes(content):
    return "\n".join(note for location in content.locations for note in location.notes)


def test_changes_over(tap):
    if not perf_is_allowed():
        raise Skip("perf events are not allowed here")
    with Directory() as directory:
        content, seconds, taken, summary = run(directory, "auto")
        tap.ok(notes(content).count(CHANGED) >= RANKS // 2, "most threads have changed over",
               notes(content))
        # 100 a second, from the second second on.
        tap.ok(taken > 0.25 * 100 * seconds, "computation is found where ranks share processors",
               "%d samples in %.2f s" % (taken, seconds))
        tap.equal(summary_reader.problems(content), [], "times and totals are exact")
        tap.equal(content.run["timer"], "cpu, perf", "the summary names both timers")
        tap.ok(CHANGED in harness.tsprof("info", summary).stdout.replace("\n", " "),
               "tsprof info says so")


def test_begins_with_events_if_ranks_share(tap):
    if not perf_is_allowed():
        raise Skip("perf events are not allowed here")
    if RANKS <= os.cpu_count():
        raise Skip("there are processors enough for %d ranks" % RANKS)
    with Directory() as directory:
        content, seconds, taken, _ = run(directory, "auto", told=True, iterations=UNTIL_FIRST_LOOK)
        tap.equal(content.run["timer"], "perf", "ranks that are known to share begin with events")
        tap.ok(CHANGED not in notes(content), "and change nothing later", notes(content))
        # 100 a second, less those that fall into system calls: on some machines, most.
        tap.ok(taken > 0.25 * 100 * seconds, "computation is found where ranks share processors",
               "%d samples in %.2f s" % (taken, seconds))
        tap.equal(summary_reader.problems(content), [], "times and totals are exact")


def test_refused_from_the_start(tap):
    number = {"x86_64": 298, "aarch64": 241}.get(platform.machine())
    if number is None or RANKS <= os.cpu_count():
        raise Skip("ranks do not share processors, or events cannot be refused here")
    with Directory() as directory:
        content, _, _, _ = run(directory, "auto", [sys.executable, "-c", REFUSE, str(number)],
                               told=True, iterations=FEW)
        tap.equal(content.run["timer"], "cpu", "where events are refused there are the ticks")


def test_stays_if_told(tap):
    with Directory() as directory:
        content, _, _, _ = run(directory, "cpu", iterations=UNTIL_FIRST_LOOK)
        tap.ok(CHANGED not in notes(content) and STAYED not in notes(content),
               "TSPROF_TIMER=cpu: nothing changes", notes(content))
        tap.equal(content.run["timer"], "cpu", "TSPROF_TIMER=cpu: the summary names that timer")


def test_stays_if_refused(tap):
    number = {"x86_64": 298, "aarch64": 241}.get(platform.machine())
    if number is None:
        raise Skip("the number of the system call is not known here")
    with Directory() as directory:
        content, _, _, _ = run(directory, "auto", [sys.executable, "-c", REFUSE, str(number)])
        tap.ok(STAYED in notes(content), "where events are refused the summary says so",
               notes(content))
        tap.ok(CHANGED not in notes(content), "and nothing else", notes(content))
        tap.equal(content.run["timer"], "cpu", "samples go on as they were")
        tap.equal(summary_reader.problems(content), [], "refused: times and totals are exact")


if __name__ == "__main__":
    harness.main()
