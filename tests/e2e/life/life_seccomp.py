#!/usr/bin/env python3
"""Programs that confine themselves by seccomp: tsprof makes no system call that would fail then or
end them, says what it ends, and keeps what it has."""

import re
import signal

import harness
import life
import part_reader
from harness import Directory, Skip

WAYS = ("prctl", "prctl-by-syscall", "syscall")
MEASUREMENT = b"the measurement ends here: the program confines itself by seccomp"
SAMPLING = b"sampling ends here: the program confines itself by seccomp"
VERBOSE = {"TSPROF_VERBOSE": "1"}


def check(tap, what, how, wanted, message, status=7):
    command = [harness.program("life_seccomp"), what, how]
    with Directory() as directory:
        plain = life.run(directory, command, False)
    if b"installed: -1" in plain.stdout:
        raise Skip("no filter can be installed here")
    name = what + ", " + how
    tap.equal(plain.status, status, name + ": works without tsprof")
    with Directory() as directory:
        measured = life.run(directory, command, True, VERBOSE)
        tap.equal((measured.status, measured.stdout), (plain.status, plain.stdout),
                  name + ": status and output")
        said = [line for line in measured.stderr.splitlines() if b"seccomp" in line]
        tap.ok(len(said) == (message is not None) and all(message in line for line in said),
               name + ": what ends is said, once", measured.stderr)
        tap.equal(len(life.summaries(directory)), wanted, name + ": a summary")
        life.is_exact(tap, name, directory)
        tap.equal(part_reader.directories(directory), [], name + ": no litter")


def test_harmless(tap):
    """Filters that deny what tsprof does not do change nothing."""
    check(tap, "harmless", "syscall", 1, None)
    check(tap, "child", "syscall", 1, None)


def test_samples(tap):
    for how in WAYS:
        check(tap, "kill-timers", how, 1, SAMPLING)


def test_files(tap):
    """A process alone writes its summary before the filter is there."""
    for what in ("kill-files", "deny-files", "by-argument"):
        check(tap, what, "syscall", 1, MEASUREMENT)


def test_strict(tap):
    for how in ("prctl", "syscall"):
        check(tap, "strict", how, 1, MEASUREMENT, status=-signal.SIGALRM)


def test_job(tap):
    """Some ranks, or all: nobody waits in vain, and the parts have what the summary lacks."""
    for ranks in ("0", "1", ""):
        name = "rank %s of 2" % ranks if ranks else "both ranks"
        command = [harness.program("life_seccomp"), "kill-files", "syscall"] + ranks.split()
        with Directory() as directory:
            result = life.run(directory, command, True, VERBOSE, ranks=2)
            tap.equal(result.status, 7, name + ": status")
            tap.equal(len(re.findall(MEASUREMENT, result.stderr)), 1 if ranks else 2,
                      name + ": it is said")
            # Rank 0 writes for all.
            tap.equal(len(life.summaries(directory)), 1 if ranks == "1" else 0,
                      name + ": the summary of the others")
            merged = harness.tsprof("merge", directory, "-o", directory + "/merged")
            tap.ok("2 of 2 ranks" in merged.stderr, name + ": all can be merged", merged.stderr)
            info = harness.tsprof("info", directory + "/merged")
            tap.equal(info.status, 0, name + ": its numbers add up")


if __name__ == "__main__":
    harness.main()
