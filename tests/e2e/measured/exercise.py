#!/usr/bin/env python3
"""Every function that mpi.h declares is called once, by tests/programs/every_call/exercise.c: it
does the same with and without tsprof, and the summary holds exactly what its row states.

One row of tests/programs/every_call/exercise.def for each function: neither more nor less."""

import collections
import glob
import os
import re

import harness
import mpi_table_complete
from harness import Directory, Failure

# Hundreds of operations, for each of which the ranks wait for each other.
TIMEOUT_S = 180

# Only Open MPI's own implementation of files has every function: ROMIO's there has no
# MPI_File_iread_all and its like.
FILES = {"OMPI_MCA_io": "ompio"}

# What a call has besides what it counts: times and samples.
NOT_COUNTED = frozenset("samples samples_failed".split())


def counted_metrics():
    """The measured metrics of common/metrics.def that are neither times nor samples."""
    with open(os.path.join(harness.TOP_SRCDIR, "common", "metrics.def")) as file:
        rows = re.findall(r"^METRIC\((\w+), \w+, (\w+), (\w+),", file.read(), re.M)
    return {metric for metric, unit, kind in rows
            if kind == "measured" and unit != "seconds"} - NOT_COUNTED


def listed_rows(program):
    """{function: how it is called, "" for a row of its own}"""
    result = harness.execute([program, "list"])
    rows = collections.Counter()
    how = {}
    for line in result.stdout.decode().splitlines():
        name, _, text = line.partition(" ")
        rows[name] += 1
        how[name] = text[len("elsewhere: "):] if text.startswith("elsewhere: ") else ""
    twice = [name for name in rows if rows[name] > 1]
    return how, twice


def stated(directory, ranks):
    """{(rank, function, call, metric): value} as the program says."""
    return {(rank, function, call, metric): value
            for (rank, _, function, call, metric), value
            in harness.read_counts(directory, ranks).items()}


def measured(summary, prefix):
    """The same as the summary says, of calls by functions whose names start so, and of the MPI
    functions that are counted without a call path."""
    metrics = counted_metrics()
    counts = collections.Counter()
    for row in harness.export(summary, "callpaths", "--total"):
        suffix = harness.suffix_of(row["callpath"])
        if not suffix or row["metric"] not in metrics:
            continue
        function, call = suffix
        if function.startswith(prefix) or (not function and call in ("MPI_Wtime", "MPI_Wtick")):
            counts[(int(row["rank"]), function, call, row["metric"])] += \
                harness.number(row["value"])
    return counts


def nested_calls(summary):
    """Call paths with something below an MPI function."""
    return sorted({
        row["callpath"] for row in harness.export(summary, "callpaths", "--total")
        if any(region.startswith("MPI_") for region in
               harness.split_callpath(row["callpath"])[:-1])})


def run(directory, program, ranks, mode, settings=None, start=harness.run_ranks):
    summary = os.path.join(directory, "out.tsprof")
    settings = dict({"TSPROF_VERBOSE": "1", "TSPROF_OUTPUT": summary}, **FILES,
                    **(settings or {}))
    command = [program, "--counts", os.path.join(directory, "counts"),
               "--directory", directory] + mode
    result = start(command, ranks, settings=settings, cwd=directory, timeout=TIMEOUT_S)
    # What was spawned leaves summaries, too, and has ended before.
    found = glob.glob(os.path.join(directory, "*.tsprof"))
    return result, max(found, key=os.path.getmtime) if found else summary


def run_without(command, ranks, settings, **options):
    return harness.run_plain(command, ranks, settings=FILES, **options)


def compare_rows(tap, label, directory, summary, ranks, prefix="call_"):
    """One point for each MPI function."""
    wanted = {key: value for key, value in stated(directory, ranks).items()
              if key[1].startswith(prefix) or not key[1]}
    got = measured(summary, prefix)
    wrong = collections.defaultdict(list)
    for key in sorted(set(wanted) | set(got)):
        if wanted.get(key, 0) != got.get(key, 0):
            wrong[key[2]].append("rank %d, %s, %s: measured %s, stated %s" % (
                key[0], key[1], key[3], got.get(key, 0), wanted.get(key, 0)))
    for call in sorted({key[2] for key in wanted} | set(wrong)):
        tap.ok(call not in wrong, "%s: %s" % (label, call), "\n".join(wrong[call]))


def test_one_row_a_function(tap):
    program = harness.program("exercise")
    header, _ = mpi_table_complete.preprocess(
        harness.mpicc(), os.path.join(harness.TOP_SRCDIR, "libprof", "calls", "mpi_calls.def"))
    declared = mpi_table_complete.declared_functions(header)
    how, twice = listed_rows(program)
    tap.ok("MPI_Send" in declared, "functions were found", sorted(declared)[:10])
    tap.equal(sorted(declared - set(how)), [], "every function has a row")
    tap.equal(sorted(set(how) - declared), [], "every row has a function")
    tap.equal(twice, [], "no function has two rows")


def try_rows(tap, program, ranks, mode=(), settings=None, start=harness.run_ranks, both=True):
    """With tsprof and, if BOTH, without, too."""
    label = " ".join([program, "%d ranks" % ranks] + list(mode) + list((settings or {}).values()))
    with Directory() as directory:
        try:
            plain = run(directory, harness.program(program), ranks, list(mode),
                        start=run_without)[0] if both else None
            result, summary = run(directory, harness.program(program), ranks, list(mode),
                                  settings, start)
            tap.equal(result.status, 0, label + ": exit status")
            if plain:
                compare_output(tap, label, plain, result)
            harness.check_run(result, summary)
            compare_rows(tap, label, directory, summary, ranks)
            tap.equal(nested_calls(summary), [], label + ": nothing is below an MPI function")
        except Failure as failure:
            tap.ok(False, label, failure)


def compare_output(tap, label, plain, result):
    tap.equal(plain.status, 0, label + ": exit status without tsprof")
    tap.ok(plain.stdout and result.stdout == plain.stdout, label + ": same output",
           first_difference(plain.stdout.decode(), result.stdout.decode()))


def first_difference(plain, with_tsprof):
    for a, b in zip(plain.splitlines(), with_tsprof.splitlines()):
        if a != b:
            return "without: %s\nwith:    %s" % (a, b)
    return "%d and %d bytes" % (len(plain), len(with_tsprof))


def test_rows(tap):
    try_rows(tap, "exercise", 2)


def test_three_ranks_sampled_quickly(tap):
    # On more ranks than processors it takes long, so once is enough.
    try_rows(tap, "exercise", 3, settings={"TSPROF_RATE": "1000"}, both=False)


def test_mpirun_and_children_preloaded(tap):
    """What MPI_Comm_spawn starts, where it starts anything, inherits the runtime."""
    try_rows(tap, "exercise", 2, start=harness.run_all)


def test_init_thread(tap):
    try_rows(tap, "exercise", 2, mode=["init-thread"])


def test_profiling_names(tap):
    """Where a program, or a Fortran binding, calls the PMPI_ names."""
    try_rows(tap, "exercise_pmpi", 2)


def test_abort(tap):
    with Directory() as directory:
        command = [harness.program("exercise"), "--directory", directory, "abort"]
        plain = harness.run_plain(command, 2)
        result, _ = run(directory, command[0], 2, ["abort"])
        tap.equal((plain.status, result.status), (3, 3), "abort: exit status")


if __name__ == "__main__":
    harness.main()
