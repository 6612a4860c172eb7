#!/usr/bin/env python3
"""A job that hangs: what it has done so far, and where every rank is, without its help."""

import os
import re
import signal
import time

import harness
import mortality
from harness import Directory
from mortality import Case

# Parts are there from a second after the start on.
LONG_ENOUGH = 70


def hanging(way, victim=None):
    return Case(way, 2, 20000, 0, False, 8, LONG_ENOUGH, victim, 0)


def wait_until_it_hangs(job, ranks):
    mortality.wait_for(lambda: all(job.told(rank).dies is not None for rank in ranks),
                       "the program comes to where it hangs")


def report(directory, wanted, seconds=15):
    """The first report that WANTED is in: a call that is under way is looked at after a while."""
    end = time.monotonic() + seconds
    while True:
        result = harness.tsprof("report", directory)
        said = result.stdout + result.stderr
        if re.search(wanted, said) or time.monotonic() > end:
            return result.status, said
        time.sleep(0.2)


def says(tap, directory, wanted, name):
    status, said = report(directory, wanted)
    tap.ok(status == 0 and re.search(wanted, said), name, "status %d\n%s" % (status, said))
    return said


def line_of(marker):
    """The line of mortal.c in which a text stands first."""
    source = os.path.join(harness.TOP_SRCDIR, "tests", "programs", "life", "mortal.c")
    with open(source) as file:
        for number, line in enumerate(file, 1):
            if marker in line:
                return number
    raise harness.Failure("mortal.c has no " + marker)


def test_deadlock(tap):
    """Both ranks wait for each other, and then all is stopped."""
    case = hanging("receive")
    place = r"MPI_Recv in hang_in_receive at mortal\.c:%d" % line_of("MPI_Recv(")
    with Directory() as directory, mortality.Job(directory, case) as job:
        wait_until_it_hangs(job, (0, 1))
        said = says(tap, directory, r"ranks 0-1: " + place, "both are in MPI_Recv")
        tap.ok("Where every rank is now" in said, "now", said)
        # A rank whose call path is not known yet has a line of its own.
        said = says(tap, directory, r"ranks 0-1: MPI_Recv .*\s+main > run > timestep > step > .*"
                    "MPI_Recv", "both with the call path, after a while")
        tap.ok(re.search(r"for [0-9.]+ m?s", said), "and since when", said)
        tap.ok(re.search(r"(?s)Iterations of timestep", said), "what was done so far is there",
               said)
        export = harness.tsprof("export", directory, "--what", "callpaths", "--total")
        tap.ok(export.status == 0 and "MPI_Sendrecv" in export.stdout, "it can be exported",
               export.stderr)
        info = harness.tsprof("info", directory)
        tap.equal(info.status, 0, "its numbers add up")
        for pid in job.pids():
            os.kill(pid, signal.SIGSTOP)
        says(tap, directory, r"ranks 0-1 \(stopped\): " + place, "stopped, and still in MPI_Recv")
        tap.ok(not any(mortality.is_gone(pid) for pid in job.pids()), "all are alive")
        for pid in job.pids():
            os.kill(pid, signal.SIGKILL)
        job.wait_until_ended()
        said = says(tap, directory, r"ranks 0-1 \(ended\): " + place,
                    "killed, they were there last")
        tap.ok("Where every rank was last" in said, "which is said", said)


def test_one_rank_is_stopped(tap):
    with Directory() as directory, mortality.Job(directory, hanging("stop", 1)) as job:
        wait_until_it_hangs(job, (1,))
        said = says(tap, directory, r"rank 0: MPI_Sendrecv in exchange at mortal\.c:\d+",
                    "one rank waits for the other")
        tap.ok(re.search(r"rank 1 \(stopped\): in the program", said), "which is stopped", said)


def test_running_job(tap):
    """Merging what a running job has done does not disturb it, and its parts stay."""
    case = Case("kill-all", 2, 1000, 2, True, 8, None, None, 0)
    with Directory() as directory, mortality.Job(directory, case) as job:
        job.wait_until_started()
        mortality.wait_for(lambda: len(mortality.parts(directory)) == 2, "there are parts")
        mortality.wait_for(lambda: harness.tsprof("info", directory).status == 0,
                           "both have saved something")
        out = os.path.join(directory, "so_far.tsprof")
        for i in range(5):
            result = harness.tsprof("merge", directory, "-o", out, "--remove")
            tap.equal(result.status, 0, "merged while it runs")
            tap.ok("still running" in result.stderr, "which is said", result.stderr)
            tap.equal(len(mortality.parts(directory)), 2, "the parts stay")
            told = [job.told(rank) for rank in (0, 1)]
            found = mortality.problems(out, case, told, least=False)
            tap.ok(not found, "what it had done by then is right", "\n".join(found))
            os.unlink(out)
            time.sleep(0.15 * i)
        tap.ok(not any(mortality.is_gone(pid) for pid in job.pids()), "it goes on")


if __name__ == "__main__":
    harness.main()
