#!/usr/bin/env python3
"""A program behaves the same with and without tsprof: output, exit status, errno, signals."""

import os
import re

import harness
from harness import COUNTING_PROGRAMS, Directory, Failure

QUIET = {"TSPROF_VERBOSE": "0", "TSPROF_RATE": "1000"}

# Modes of `endings` that end by MPI_Finalize, and those that do not.
FINALIZED = ("normal", "status", "late", "state", "timer", "errors", "children", "threads")
UNFINALIZED = ("exit", "quick-exit", "abort", "crash", "term", "fatal")


def text(output, ordered=True):
    """What was said, less what differs between any two runs: addresses, numbers of processes and
    errors, the stack that another library prints in a crash, and maybe the order of the ranks'
    lines."""
    result = harness.lasting(output).decode("utf-8", "replace")
    result = re.sub(r"0x[0-9a-f]+", "ADDRESS", result)
    result = re.sub(r"\bPID \d+", "PID", result)
    result = re.sub(r"\bAbort\(\d+\)", "Abort", result)
    result = re.sub(r"\[\w+:[\d :]+\]", "[PROCESS]", result)
    result = re.sub(r"\(tid: *\d+\)", "(tid)", result)
    lines = [line for line in result.splitlines()
             if not re.match(r" *\d+ +\S.*\[ADDRESS\]$", line)]
    return lines if ordered else sorted(lines)


def compare(tap, label, plain, measured, ordered=True):
    tap.equal(measured.status, plain.status, label + ": exit status")
    if ordered:
        tap.equal(measured.stdout, plain.stdout, label + ": stdout, byte for byte")
    else:
        tap.equal(text(measured.stdout, False), text(plain.stdout, False), label + ": stdout")
    tap.equal(text(measured.stderr, ordered), text(plain.stderr, ordered), label + ": stderr")


def try_command(tap, label, command, ranks, finalizes=True, ordered=True):
    with Directory() as directory:
        summary = os.path.join(directory, "out.tsprof")
        settings = dict(QUIET, TSPROF_OUTPUT=summary)
        plain = harness.run_plain(command, ranks, cwd=directory)
        tap.equal(os.listdir(directory), [], label + ": writes nothing of its own")
        for form, run in (("ranks", harness.run_ranks), ("mpirun", harness.run_all)):
            try:
                measured = run(command, ranks, settings=settings, cwd=directory)
            except Failure as failure:
                tap.ok(False, "%s, preloaded for %s" % (label, form), failure)
                continue
            compare(tap, "%s, preloaded for %s" % (label, form), plain, measured, ordered)
            if finalizes:
                tap.ok(os.path.exists(summary),
                       "%s, preloaded for %s: was measured" % (label, form))
            if os.path.exists(summary):
                os.unlink(summary)


def test_programs(tap):
    for program in harness.some(COUNTING_PROGRAMS):
        if harness.is_built(program.name):
            try_command(tap, program.name, [harness.program(program.name)], 2)
        else:
            tap.skip(program.name, "not built")


def test_usage(tap):
    """Help and wrong options end before MPI starts."""
    for arguments in (["-h"], ["--nonsense"]):
        try_command(tap, "stencil " + arguments[0], [harness.program("stencil")] + arguments, 1,
                    finalizes=False)


def test_endings_under_mpirun(tap):
    for mode in FINALIZED:
        try_command(tap, "endings " + mode, [harness.program("endings"), mode], 2,
                    ordered=False)


def run_alone(command, **options):
    """Open MPI's daemon sometimes loses what a process without a launcher says last, and says so
    instead."""
    for _ in range(20):
        result = harness.execute(command, **options)
        if b"ORTE_ERROR_LOG" not in result.stderr:
            break
    return result


def test_endings_without_launcher(tap):
    """Without mpirun, whose own status and words about a failed rank differ from run to run."""
    for mode in FINALIZED + UNFINALIZED:
        with Directory() as directory:
            command = [harness.program("endings"), mode]
            plain = run_alone(command, cwd=directory)
            left = set(os.listdir(directory))
            settings = dict(QUIET, LD_PRELOAD=harness.LIBRARY,
                            TSPROF_OUTPUT=os.path.join(directory, "out.tsprof"))
            measured = run_alone(command, settings=settings, cwd=directory)
            label = "endings %s without mpirun" % mode
            compare(tap, label, plain, measured)
            more = set(os.listdir(directory)) - left
            if mode in FINALIZED:
                tap.equal(more, {"out.tsprof"}, label + ": was measured")


def test_status_under_mpirun(tap):
    """What arrives at the shell after a normal end."""
    with Directory() as directory:
        for mode, status in (("normal", 0), ("status", 3)):
            result = harness.run_ranks([harness.program("endings"), mode], 2, cwd=directory,
                                       settings=QUIET)
            tap.equal(result.status, status, "endings %s: status" % mode)


def test_misuse(tap):
    for mode in ("never-begun", "wrong-order", "other-thread", "never-ended"):
        try_command(tap, "misuse " + mode, [harness.program("misuse"), mode], 2)


def test_singleton(tap):
    """Without any launcher."""
    with Directory() as directory:
        command = [harness.program("stencil"), "--iterations", "5"]
        plain = harness.execute(command, cwd=directory)
        settings = dict(QUIET, LD_PRELOAD=harness.LIBRARY,
                        TSPROF_OUTPUT=os.path.join(directory, "out.tsprof"))
        compare(tap, "stencil without mpirun", plain,
                harness.execute(command, settings=settings, cwd=directory))
        tap.equal(os.listdir(directory), ["out.tsprof"], "stencil without mpirun: was measured")


def test_unwritable_output(tap):
    """No place for the summary is tsprof's trouble, not the program's."""
    with Directory() as directory:
        command = [harness.program("stencil"), "--iterations", "5"]
        plain = harness.run_plain(command, 2)
        for output in (os.path.join(directory, "none", "out.tsprof"), directory, "/proc/none"):
            # Where it goes instead.
            settings = {"TSPROF_OUTPUT": output, "TMPDIR": directory}
            measured = harness.run_ranks(command, 2, settings=settings)
            label = "output to %s" % output.replace(directory, "DIRECTORY")
            tap.equal(measured.stdout, plain.stdout, label + ": stdout")
            tap.equal(measured.status, plain.status, label + ": exit status")
            tap.ok(output.encode() in measured.stderr, label + ": a message names it",
                   measured.stderr)


if __name__ == "__main__":
    harness.main()
