#!/usr/bin/env python3
"""Programs compiled with -finstrument-functions: each function is visited as often as it was
entered, takes the time that it took, and stands in the call tree once."""

import collections
import os
import re

import counts
import harness
import summary_reader
from harness import Directory, Failure

ROUNDS = 100
# Of the two clocks.
CLOCK_ERROR = 1e-3


def values_by_function(summary, metric):
    values = collections.Counter()
    for row in harness.export(summary, "callpaths", "--total", "--metric", metric):
        function = harness.plain_name(harness.split_callpath(row["callpath"])[-1])
        values[function] += harness.number(row["value"])
    return values


def run(directory, name, arguments=(), rounds=ROUNDS, **settings):
    """The summary, and what the program stated: name, visits and bounds of the time in ns."""
    summary = os.path.join(directory, "out.tsprof")
    result = harness.run_ranks([harness.program(name), str(rounds)] + list(arguments), 1,
                               settings=dict(settings, TSPROF_OUTPUT=summary), cwd=directory)
    harness.check_run(result, summary)
    lines = [line.split() for line in result.stdout.decode().splitlines()]
    return summary, {line[0]: [int(part) for part in line[1:]] for line in lines}


def check_visits(tap, name, summary, stated):
    visits = values_by_function(summary, "visits")
    for function, (entered, _, _) in stated.items():
        tap.equal(visits[function], entered, "%s: visits of %s" % (name, function))


def check_exact(tap, name, summary):
    info = harness.tsprof("info", summary).stdout
    for what in "accounting", "totals":
        line = [line for line in info.splitlines() if line.startswith(what)]
        tap.ok(line and "exact" in line[0], "%s: %s" % (name, what), info)


def library():
    return harness.program("libinstrumented.so")


def test_c(tap):
    """With samples and without, in iterations that are marked or found, with aliases."""
    for name in "instrumented_0", "instrumented_2":
        for label, arguments, settings in (
                ("not sampled", (), {"TSPROF_RATE": "0"}),
                ("sampled", (), {"TSPROF_RATE": "1000"}),
                ("marked", ("mark",), {"TSPROF_RATE": "1000"}),
                ("no main loop", (), {"TSPROF_ITERATION": "markers"}),
                ("aliases", (), {"TSPROF_VISITS": "exact"})):
            with Directory() as directory:
                summary, stated = run(directory, name, (library(),) + arguments, **settings)
                tap.ok(len(stated) > 12, name + ": functions", stated)
                check_visits(tap, "%s, %s" % (name, label), summary, stated)
                check_exact(tap, "%s, %s" % (name, label), summary)


def test_times(tap):
    """What a function computes is no less than it says itself, and no more than its caller."""
    for name in "instrumented_0", "instrumented_2":
        with Directory() as directory:
            summary, stated = run(directory, name, (library(),), TSPROF_RATE="0")
            computed = values_by_function(summary, "computation")
            for function in "computes", "around":
                _, least, most = stated[function]
                tap.ok(computed[function] * 1e9 >= least * (1 - CLOCK_ERROR),
                       "%s: time of %s" % (name, function), (computed[function], least))
                tap.ok(not most or computed[function] * 1e9 <= most * (1 + CLOCK_ERROR),
                       "%s: no more of %s" % (name, function), (computed[function], most))
            tap.ok(computed["program"] < computed["computes"] / 10,
                   name + ": little is outside", computed["program"])


def test_samples_divide(tap):
    """What a function calls that tells nothing has its share of the time."""
    with Directory() as directory:
        summary, _ = run(directory, "instrumented_0", (library(),), 20 * ROUNDS,
                         TSPROF_RATE="1000", TSPROF_ITERATION="markers")
        shares = {True: 0, False: 0}
        for row in harness.export(summary, "callpaths", "--total", "--metric", "computation"):
            path = list(map(harness.plain_name, harness.split_callpath(row["callpath"])))
            if "around" in path:
                shares["compute" in path] += harness.number(row["value"])
        # It is nearly all, but for what follows the last sample.
        tap.ok(shares[True] > 0.5 * sum(shares.values()), "time of what tells nothing", shares)
        tap.ok(sum(shares.values()) > 20 * ROUNDS * 150e-6, "time of all", shares)


def test_paths(tap):
    """Calls that MPI, samples and functions tell of are on the same paths."""
    with Directory() as directory:
        summary, _ = run(directory, "instrumented_2", (library(),), TSPROF_RATE="1000",
                         TSPROF_ITERATION="markers")
        paths = {}
        for row in harness.export(summary, "callpaths", "--total", "--metric", "visits"):
            path = tuple(map(harness.plain_name, harness.split_callpath(row["callpath"])))
            paths[path] = paths.get(path, 0) + harness.number(row["value"])
        begin = ("program", "main", "calls_all")
        for path, visits in ((("leaf",), ROUNDS), (("leaf", "MPI_Barrier"), ROUNDS),
                             (("middle",), ROUNDS), (("middle", "leaf"), 3 * ROUNDS),
                             (("middle", "leaf", "MPI_Barrier"), 3 * ROUNDS),
                             (("around", "computes"), ROUNDS),
                             (("catches_jump", "passes_through", "jumps_out"), ROUNDS),
                             (("catches_jump", "jumps_out", "leaf"), ROUNDS),
                             (("catches_jump", "tiny"), ROUNDS)):
            found = {p: v for p, v in paths.items() if p[-len(path) - 2:] == begin[1:] + path}
            tap.equal(list(found.values()), [visits], "visits of " + ";".join(path))


def test_other_languages(tap):
    for name in "instrumented_cxx_0", "instrumented_cxx_2", "instrumented_f_0", "instrumented_f_2":
        if not harness.is_built(name):
            tap.skip(name, "not built")
            continue
        with Directory() as directory:
            summary, stated = run(directory, name, TSPROF_RATE="1000")
            check_visits(tap, name, summary, stated)
            check_exact(tap, name, summary)


def told(summary):
    """Of each thread the visits of instrumented functions, and its cost facts."""
    read = summary_reader.Summary(summary)
    visits = [metric.name for metric in read.metrics].index("visits")
    for location in read.locations:
        yield sum(value for (node, metric), value in location.whole.items()
                  if metric == visits
                  and read.regions[read.nodes[node].region].group == "INSTRUMENTED"), location.costs


def test_many_small_functions(tap):
    """Overloads and templates are told apart, and those that are inlined are counted."""
    with Directory() as directory:
        summary, stated = run(directory, "instrumented_solver")
        visits = collections.Counter()
        for row in harness.export(summary, "callpaths", "--total", "--metric", "visits"):
            name = harness.split_callpath(row["callpath"])[-1].replace(" ", "_")
            visits[name] += harness.number(row["value"])
        tap.equal({name: visits[name] for name in stated},
                  {name: entered for name, (entered, _, _) in stated.items()}, "visits")
        check_exact(tap, "solver", summary)
        report = harness.tsprof("report", summary, "--metric", "visits").stdout
        shown = [line for line in report.splitlines() if re.search(r"field<\w+>::operator\[\]", line)]
        tap.ok(shown and not any("≥" in line for line in shown), "reports show them as exact", report)
        for entered, costs in told(summary):
            # One more: main was entered before the measurement.
            tap.equal(entered, costs["entries"] + 1, "all are known to be instrumented")
            tap.ok(costs["entries"] < costs["telling_ns"] < 1e5 * costs["entries"],
                   "what telling took", costs)


def test_nothing_tells(tap):
    with Directory() as directory:
        summary = os.path.join(directory, "out.tsprof")
        result = harness.run_ranks([harness.program("catching")], 1, cwd=directory,
                                   settings={"TSPROF_OUTPUT": summary})
        harness.check_run(result, summary)
        tap.equal([(entered, costs["entries"], costs["telling_ns"])
                   for entered, costs in told(summary)], [(0, 0, 0)], "no function is")


def test_killed(tap):
    """What a killed job leaves says which functions tell."""
    with Directory() as directory:
        summary = os.path.join(directory, "out.tsprof")
        harness.run_ranks(["timeout", "-s", "KILL", "0.8", harness.program("instrumented_solver"),
                           "1000000"], 1, cwd=directory, settings={"TSPROF_OUTPUT": summary})
        harness.tsprof("merge", directory, "-o", summary)
        (entered, costs), = told(summary)
        tap.ok(entered > 1000 and costs["entries"] > 1000 and costs["telling_ns"] > 0,
               "functions are known to be instrumented", (entered, costs))


def test_program_does_not_notice(tap):
    """The same counts without tsprof, and the same end."""
    for name in "instrumented_0", "instrumented_2":
        with Directory() as directory:
            bare = harness.run_plain([harness.program(name), str(ROUNDS), library()], 1,
                                     cwd=directory)
            _, stated = run(directory, name, (library(),))
            counts = [line.split()[:2] for line in bare.stdout.decode().splitlines()]
            tap.equal([[each, str(stated[each][0])] for each in stated], counts, name)


def test_others_listen_too(tap):
    """A library that has such functions of its own hears what it does without tsprof."""
    command = [harness.program("instrumented_hooked")]
    plain = harness.run_plain(command, 1)
    with Directory() as directory:
        result = harness.run_ranks(command, 1, cwd=directory)
        tap.ok(b"heard 20" in plain.stdout, "it hears some 200 events", plain.stdout)
        tap.equal(result.stdout, plain.stdout, "with tsprof as many")


def test_others_listen_to_a_half(tap):
    source = os.path.join(harness.TOP_SRCDIR, "tests", "programs", "instrumented", "hooks.c")
    command = [harness.program("instrumented_hooked")]
    for half in ("ONLY_ENTER", "ONLY_EXIT"):
        with Directory() as directory:
            made = harness.execute(harness.mpicc() + ["-fPIC", "-shared", "-D" + half, source, "-o",
                                                      os.path.join(directory, "libhooks.so")])
            if made.status != 0:
                raise Failure(made.stderr)
            settings = {"LD_LIBRARY_PATH": directory}
            plain = harness.run_plain(command, 1, settings=settings)
            result = harness.run_ranks(command, 1, cwd=directory, settings=settings)
            tap.ok(b"heard 10" in plain.stdout, half + ": it hears some 100 events", plain.stdout)
            tap.equal(result.stdout, plain.stdout, half + ": with tsprof as many")


def test_slices(tap):
    """Where time is cut into slices, what a function waited stays its own, without a sample."""
    with Directory() as directory:
        summary = os.path.join(directory, "out.tsprof")
        result = harness.run_ranks([harness.program("instrumented_hooked")], 1, cwd=directory,
                                   settings={"TSPROF_OUTPUT": summary, "TSPROF_RATE": "0"})
        harness.check_run(result, summary)
        times = values_by_function(summary, "computation")
        tap.ok(times["waits"] >= 0.7, "it has its time", dict(times))


def test_mpi_programs(tap):
    """What programs of several ranks state of their MPI calls is found below their functions."""
    for program in harness.COUNTING_PROGRAMS:
        if program.name in ("particles", "workers"):
            for clusters in (0, 4):
                counts.try_program(tap, program._replace(name="instrumented_" + program.name), 3,
                                   clusters)


if __name__ == "__main__":
    harness.main()
