#!/usr/bin/env python3
"""Visits, messages, collectives and bytes are what the programs say they did, call path by call
path: for every iteration when every iteration is kept, for the whole run always."""

import os

import harness
from harness import COUNTING_PROGRAMS, Directory, Failure


def check_whole_run(tap, name, directory, summary, ranks):
    stated = harness.total_of(harness.read_counts(directory, ranks))
    measured = harness.measured_counts(harness.export(summary, "callpaths", "--total"))
    difference = harness.differences(measured, stated)
    tap.ok(stated and not difference, name, difference or "the program stated nothing")


def check_iterations(tap, name, directory, summary, ranks):
    stated = {key: value for key, value in harness.read_counts(directory, ranks).items()
              if key[1] >= 0}
    measured = harness.measured_counts(harness.export(summary, "callpaths"))
    difference = harness.differences(measured, stated)
    tap.ok(stated and not difference, name, difference or "the program stated nothing")


def check_only_mpi_communicates(tap, name, summary):
    """Bytes and messages belong to MPI functions and to nothing else."""
    wrong = [
        row["callpath"] + ": " + row["metric"]
        for row in harness.export(summary, "callpaths", "--total")
        if row["metric"] in harness.COUNTED_METRICS - {"visits"}
        and not harness.suffix_of(row["callpath"])
    ]
    tap.ok(not wrong, name, "\n".join(wrong))


def try_program(tap, program, ranks, clusters, arguments=()):
    label = "%s, %d ranks" % (program.name, ranks)
    settings = {} if clusters is None else {"TSPROF_CLUSTERS": str(clusters)}
    with Directory() as directory:
        try:
            _, summary = harness.profile(directory, program.name, ranks, arguments, settings)
            if clusters == 0:
                check_iterations(tap, label + ": each iteration, all kept", directory, summary,
                                 ranks)
                check_only_mpi_communicates(tap, label + ": only MPI communicates", summary)
            kind = "default" if clusters is None else "at most %s" % (clusters or "all")
            check_whole_run(tap, "%s: whole run, %s clusters" % (label, kind), directory,
                            summary, ranks)
        except Failure as failure:
            tap.ok(False, label, failure)


def try_all(tap, clusters, ranks_most, arguments=()):
    for program, ranks in harness.some((program, ranks) for program in COUNTING_PROGRAMS
                                       for ranks in harness.ranks_of(program, ranks_most)):
        if harness.is_built(program.name):
            try_program(tap, program, ranks, clusters, arguments)
        else:
            tap.skip(program.name, "not built")


def test_every_iteration_kept(tap):
    try_all(tap, 0, 4)


# Each process has clusters of its own, whatever the number of ranks.


def test_four_clusters(tap):
    try_all(tap, 4, 2)


def test_default_clusters(tap):
    """More iterations than clusters."""
    try_all(tap, None, 2, ("--iterations", "80"))


def test_another_seed_and_size(tap):
    for program in COUNTING_PROGRAMS:
        if program.name in ("particles", "workers", "collectives"):
            try_program(tap, program, 2, 0, ("--seed", "7", "--size", "17"))


def test_visits_of_functions_are_lower_bounds(tap):
    """However many MPI calls a function makes, it was not entered more often than it was."""
    iterations = 30
    entered = {"main": 1, "program_start": 1, "place_processes": 1, "make_column_type": 1,
               "release": 1, "program_end": 1, "exchange_columns": 2 * iterations,
               "exchange_rows": iterations, "reduce_residual": iterations,
               "write_checkpoint": iterations // 10}
    with Directory() as directory:
        _, summary = harness.profile(directory, "stencil", 1)
        for row in harness.export(summary, "callpaths", "--total", "--metric", "visits"):
            function = harness.split_callpath(row["callpath"])[-1]
            if function in entered:
                visits = harness.number(row["value"])
                tap.ok(1 <= visits <= entered[function], "visits of " + function,
                       "%d, but entered %d times" % (visits, entered[function]))


def test_fortran_bindings_agree(tap):
    """All three bindings arrive at the same calls with the same numbers."""
    names = ["heat_mpif", "heat_mpi", "heat_f08"]
    if not all(harness.is_built(name) for name in names):
        raise harness.Skip("no Fortran compiler")
    found = {}
    for name in names:
        with Directory() as directory:
            _, summary = harness.profile(directory, name, 2, settings={"TSPROF_CLUSTERS": "0"})
            rows = harness.export(summary, "callpaths")
            # Names of procedures look different, but the calls are the same.
            found[name] = {}
            for (rank, i, function, call, metric), value in harness.measured_counts(
                    rows).items():
                found[name][rank, i, function, call, metric] = value
    for other in names[1:]:
        difference = harness.differences(found[other], found[names[0]])
        tap.ok(found[other] and not difference,
               "%s measures the same as %s" % (other, names[0]), difference)


def test_preloaded_into_mpirun_as_well(tap):
    """The plain form of the manual gives the same numbers."""
    with Directory() as directory:
        _, summary = harness.profile(directory, "stencil", 2, run=harness.run_all,
                                     settings={"TSPROF_CLUSTERS": "0"})
        check_iterations(tap, "stencil with LD_PRELOAD for mpirun", directory, summary, 2)
        tap.equal(sorted(os.listdir(directory)), ["counts.0", "counts.1", "out.tsprof"],
                  "nothing but the summary is written")


if __name__ == "__main__":
    harness.main()
