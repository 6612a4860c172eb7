#!/usr/bin/env python3
"""TSPROF_VISITS=exact: functions that call MPI in every call are visited as often as they were
entered, and programs do not notice."""

import collections
import os

import harness
from harness import COUNTING_PROGRAMS, Directory, Failure

EXACT = {"TSPROF_VISITS": "exact", "TSPROF_RATE": "1000"}


def visits_by_function(rows):
    visits = collections.Counter()
    for row in rows:
        function = harness.plain_name(harness.split_callpath(row["callpath"])[-1])
        visits[int(row["rank"]), function] += harness.number(row["value"])
    return visits


def test_visits_are_entries(tap):
    """In loops, by recursion, through pointers, left by longjmp, around an iteration."""
    rounds = 1000
    with Directory() as directory:
        summary = os.path.join(directory, "out.tsprof")
        result = harness.run_ranks([harness.program("visits"), str(rounds)], 1,
                                   settings=dict(EXACT, TSPROF_OUTPUT=summary), cwd=directory)
        harness.check_run(result, summary)
        visits = visits_by_function(
            harness.export(summary, "callpaths", "--total", "--metric", "visits"))
        for line in result.stdout.decode().splitlines():
            function, entered = line.split()
            tap.equal(visits[0, function], int(entered), "visits of " + function)
        visits = visits_by_function(harness.export(summary, "callpaths", "--metric", "visits"))
        tap.equal(visits[0, "leaf"], 2 * rounds, "visits in iterations")


def test_visits_of_a_stencil(tap):
    iterations = 30
    entered = {"main": 1, "program_start": 1, "place_processes": 1, "make_column_type": 1,
               "release": 1, "program_end": 1, "exchange_columns": 2 * iterations,
               "exchange_rows": iterations, "reduce_residual": iterations,
               "write_checkpoint": iterations // 10}
    with Directory() as directory:
        _, summary = harness.profile(directory, "stencil", 2, settings=EXACT)
        visits = visits_by_function(
            harness.export(summary, "callpaths", "--total", "--metric", "visits"))
        for function, times in entered.items():
            for rank in range(2):
                tap.equal(visits[rank, function], times,
                          "visits of %s, rank %d" % (function, rank))


def test_programs_do_not_notice(tap):
    """C, C++ with exceptions and Fortran: same output, same counts."""
    for program in COUNTING_PROGRAMS:
        if not harness.is_built(program.name):
            tap.skip(program.name, "not built")
            continue
        ranks = min(program.ranks)
        with Directory() as directory:
            try:
                bare = harness.execute([harness.mpirun(), "-n", str(ranks),
                                        harness.program(program.name)], cwd=directory)
                result, summary = harness.profile(directory, program.name, ranks,
                                                  settings=EXACT)
            except Failure as failure:
                tap.ok(False, program.name, failure)
                continue
            tap.equal(result.stdout, bare.stdout, program.name + ": output")
            difference = harness.differences(
                harness.measured_counts(harness.export(summary, "callpaths", "--total")),
                harness.total_of(harness.read_counts(directory, ranks)))
            tap.ok(not difference, program.name + ": counts", difference)


if __name__ == "__main__":
    harness.main()
