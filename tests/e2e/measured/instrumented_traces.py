#!/usr/bin/env python3
"""The events of functions that tell when they are entered and left: an archive has as many as the
profile has visits, on the same call paths and in the same iterations, and they are nested."""

import collections
import json
import os

import harness
import instrumented
import summary_reader
from archive_reader import Archive
from harness import Directory

ROUNDS = "20"


def trace(directory, name, arguments=(), choice="all", ranks=1, rounds=ROUNDS, **settings):
    """The summary, the archive, and what the program stated: visits by function."""
    summary = os.path.join(directory, "out.tsprof")
    result = harness.run_ranks(
        [harness.program(name)] + ([rounds] if rounds else []) + list(arguments), ranks,
        cwd=directory, settings=dict({"TSPROF_OUTPUT": summary, "TSPROF_TRACE": choice,
                                      "TSPROF_RATE": "0"}, **settings))
    harness.check_run(result, summary)
    lines = [line.split() for line in result.stdout.decode().splitlines()]
    return summary, Archive(os.path.join(directory, "out.otf2")), lines


def told(summary):
    """The names of functions that tell."""
    return {region.name for region in summary_reader.Summary(summary).regions
            if region.group == "INSTRUMENTED"}


def visits_of_summary(summary, names, phase=None):
    """{(rank, iteration, call path): visits} of the functions NAMES."""
    options = ["--phase", phase] if phase else ["--total"]
    visits = collections.Counter()
    for row in harness.export(summary, "callpaths", "--metric", "visits", *options):
        path = harness.split_callpath(row["callpath"])
        if path[-1] in names:
            visits[int(row["rank"]), int(row["iteration"]) if phase else None,
                   ";".join(path)] += int(harness.number(row["value"]))
    return {key: value for key, value in visits.items() if value}


def visits_of_archive(archive, names, phase=None):
    visits = collections.Counter()
    for thread in archive.threads.values():
        for (path, iteration), count in thread.functions.items():
            if path.rpartition(";")[2] in names and (not phase or iteration is not None):
                visits[thread.rank, iteration if phase else None, path] += count
    return dict(visits)


def difference(left, right):
    """What the two do not have in common, to be empty."""
    return sorted(set(left.items()) ^ set(right.items()), key=str)[:4]


def problems(archive, names):
    """What is wrong with the order of events. A function that leaves by a jump to where it says so
    has no frame any more that a sample could find, and is still open."""
    return [text for text in archive.problems
            if not any("a sample in" in text and "while %s is open" % name in text
                       for name in names)]


def compare(tap, label, summary, archive):
    names = told(summary)
    tap.ok(len(names) > 3, label + ": functions tell", names)
    tap.equal(problems(archive, names), [], label + ": events are nested and in order")
    visits = visits_of_archive(archive, names)
    tap.ok(visits, label + ": there are events")
    tap.equal(difference(visits, visits_of_summary(summary, names)), [], label + ": visits")


def test_equal_to_profile(tap):
    """In three languages, left by exceptions and jumps, on threads, from libraries, inlined."""
    for name in ("instrumented_0", "instrumented_2", "instrumented_cxx_0", "instrumented_cxx_2",
                 "instrumented_f_0", "instrumented_f_2", "instrumented_solver"):
        if not harness.is_built(name):
            tap.skip(name, "not built")
            continue
        arguments = [instrumented.library()] if name in ("instrumented_0", "instrumented_2") else []
        for rate in "0", "1000":
            with Directory() as directory:
                summary, archive, _ = trace(directory, name, arguments, TSPROF_RATE=rate,
                                            TSPROF_ITERATION="markers")
                compare(tap, "%s, %s samples" % (name, rate), summary, archive)


def test_iterations(tap):
    """Iteration by iteration, of all and of those that were chosen."""
    for choice, wanted in ("all", range(20)), ("3,5-6", (3, 5, 6)):
        with Directory() as directory:
            summary, archive, _ = trace(directory, "instrumented_2",
                                        [instrumented.library(), "mark"], choice,
                                        TSPROF_CLUSTERS="0")
            names = told(summary)
            tap.equal(archive.problems, [], choice + ": events are nested and in order")
            # Other threads follow the iterations of the first one.
            stated, found = ({key: value for key, value in visits.items()
                              if key[1] in wanted and "on_thread" not in key[2]}
                             for visits in (visits_of_summary(summary, names, "round"),
                                            visits_of_archive(archive, names, "round")))
            tap.equal({key[1] for key in stated}, set(wanted), choice + ": iterations")
            tap.equal(difference(found, stated), [], choice + ": visits")


def test_mpi_programs(tap):
    """Of several ranks, below calls of MPI as well."""
    for program in harness.COUNTING_PROGRAMS:
        if program.name in ("particles", "workers"):
            with Directory() as directory:
                summary, archive, _ = trace(directory, "instrumented_" + program.name, ranks=3,
                                            rounds=None)
                compare(tap, program.name, summary, archive)


def test_times(tap):
    """A function is open for as long as it says that it has computed."""
    with Directory() as directory:
        _, archive, lines = trace(directory, "instrumented_0", [instrumented.library()])
        own_ns = sum((thread.own_ns for thread in archive.threads.values()), collections.Counter())
        for name, _, least, most in lines:
            if int(least):
                tap.ok(own_ns[name] >= int(least) * (1 - instrumented.CLOCK_ERROR),
                       "as long: " + name, (own_ns[name], least))
            if int(most):
                tap.ok(own_ns[name] <= int(most) * (1 + instrumented.CLOCK_ERROR),
                       "no longer: " + name, (own_ns[name], most))


def test_size(tap):
    """What `tsprof score` says of the trace's size is about what it is."""
    with Directory() as directory:
        summary, _, _ = trace(directory, "instrumented_solver", ranks=2)
        scored = harness.tsprof("score", summary, "--format", "json").stdout
        stated = {row["type"]: row for row in json.loads(scored)["rows"]
                  if row["function"] is None}["ALL"]["most_trace_bytes"]
        written = max(os.path.getsize(os.path.join(directory, "out.otf2", "traces", "%d.evt" % rank))
                      for rank in range(2))
        tap.ok(0.5 * stated < written <= stated, "bytes of a rank", (written, stated))


def test_killed(tap):
    """What a killed job leaves has them, too."""
    with Directory() as directory:
        summary = os.path.join(directory, "out.tsprof")
        harness.run_ranks(["timeout", "-s", "KILL", "0.8", harness.program("instrumented_solver"),
                           "1000000"], 1, cwd=directory,
                          settings={"TSPROF_OUTPUT": summary, "TSPROF_TRACE": "all",
                                    "TSPROF_TRACE_MEMORY": "1M"})
        harness.tsprof("merge", directory, "-o", summary)
        archive = Archive(os.path.join(directory, "out.otf2"))
        names = told(summary)
        tap.equal(problems(archive, names), [], "events are nested and in order")
        found = sum(visits_of_archive(archive, names).values())
        tap.ok(found > 1000, "functions are entered", found)


def test_filtered(tap):
    """What TSPROF_FILTER leaves out is not in the archive."""
    with Directory() as directory:
        rules = os.path.join(directory, "filter")
        with open(rules, "w") as file:
            file.write("SCOREP_REGION_NAMES_BEGIN EXCLUDE tiny leaf SCOREP_REGION_NAMES_END")
        summary, archive, _ = trace(directory, "instrumented_2", [instrumented.library()],
                                    TSPROF_FILTER=rules, TSPROF_ITERATION="markers")
        names = told(summary)
        tap.equal(names & {"tiny", "leaf"}, set(), "they are left out")
        tap.equal(visits_of_archive(archive, {"tiny"}), {}, "and not in the archive")
        compare(tap, "the others", summary, archive)


if __name__ == "__main__":
    harness.main()
