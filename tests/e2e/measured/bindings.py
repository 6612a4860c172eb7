#!/usr/bin/env python3
"""The same pattern of communication, of files and of windows, in C and by each binding of Fortran,
does the same and counts the same: metric by metric, MPI function by MPI function, caller by caller."""

import os
import re

import exercise
import harness
from harness import Directory, Failure

BINDINGS = ("pattern_mpif", "pattern_mpi", "pattern_mpi_f08")
CALLERS = ("pattern_", "post_two")


def is_compared(call, metric):
    """How often the program polls is a matter of time.  What Open MPI's bindings do about attributes
    is behind no C function that could be measured."""
    unseen = r"MPI_\w+_([gs]et_attr|create_keyval)" if harness.MPI == "openmpi" else r"$"
    return not (metric == "visits" and re.match(r"MPI_(Test|Waitsome)|" + unseen, call))


def run(name, ranks):
    with Directory() as directory:
        summary = os.path.join(directory, "out.tsprof")
        command = [harness.program(name), os.path.join(directory, "pattern.data")]
        plain = harness.run_plain(command, ranks, cwd=directory)
        result = harness.run_ranks(command, ranks, cwd=directory, settings={
            "TSPROF_VERBOSE": "1", "TSPROF_OUTPUT": summary})
        harness.check_run(result, summary)
        counts = {key: value for key, value in exercise.measured(summary, CALLERS).items()
                  if is_compared(*key[2:])}
        return plain, result, counts


def test_bindings(tap):
    if not all(harness.is_built(name) for name in BINDINGS):
        raise harness.Skip("no Fortran compiler")
    for ranks in (2, 3):
        plain, result, wanted = run("pattern", ranks)
        tap.equal(result.stdout, plain.stdout, "C, %d ranks: same output" % ranks)
        tap.ok(len(wanted) > 150 * ranks, "C, %d ranks: calls were counted" % ranks, len(wanted))
        for name in BINDINGS:
            label = "%s, %d ranks: " % (name, ranks)
            try:
                _, result, counts = run(name, ranks)
                tap.equal(result.stdout, plain.stdout, label + "same output as C")
                difference = harness.differences(counts, wanted)
                tap.ok(not difference, label + "same counts as C", difference)
            except Failure as failure:
                tap.ok(False, label, failure)


if __name__ == "__main__":
    harness.main()
