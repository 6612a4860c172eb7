#!/usr/bin/env python3
"""MPI_Pcontrol marks iterations by levels from 5 on, or by names where TSPROF_PCONTROL says so; and
a program that means something else by it, with or without anything after the level, is none the
worse."""

import os

import harness
import summary_reader
from harness import Directory


def measure(directory, command, ranks=2, mode=None):
    summary = os.path.join(directory, "out.tsprof")
    settings = {"TSPROF_OUTPUT": summary, "TSPROF_CLUSTERS": "0", "TSPROF_ITERATION": "markers"}
    if mode:
        settings["TSPROF_PCONTROL"] = mode
    result = harness.run_ranks(command, ranks, settings=settings, cwd=directory)
    harness.check_run(result, summary)
    content = summary_reader.Summary(summary)
    return result, content


def iterations(content):
    """How many there are of each phase, on rank 0."""
    return {content.phases[series.phase].name: sum(length for length, _ in series.map)
            for series in content.locations[0].series}


def reductions(content, phase):
    """How often MPI_Allreduce was called in each iteration of a phase, on rank 0."""
    found = []
    for series in content.locations[0].series:
        if content.phases[series.phase].name != phase:
            continue
        for length, cluster in series.map:
            profile = series.clusters[cluster].profile
            found += length * [sum(
                value for (node, metric), value in profile.items()
                if content.metrics[metric].name == "visits"
                and content.callpath(node).endswith("MPI_Allreduce"))]
    return found


def visits(content, region):
    return sum(value for (node, metric), value in content.locations[0].whole.items()
               if content.metrics[metric].name == "visits"
               and content.callpath(node).split(";")[-1] == region)


def check_sound(tap, label, content):
    problems = summary_reader.problems(content)
    tap.ok(not problems, label + ": the summary is sound", "\n".join(problems))


def test_levels(tap):
    with Directory() as directory:
        result, content = measure(directory, [harness.program("pcontrol"), "levels"])
        tap.equal(iterations(content), {"pcontrol 7": 6, "pcontrol 9": 4},
                  "level N begins an iteration, -N or the next N ends it")
        tap.equal(visits(content, "MPI_Pcontrol"), 11 + 12 + 5,
                  "every call is counted, whatever it means")
        tap.equal(result.stderr.decode().count("phase"), 0, "nothing is wrong with the markers")
        inside = [content.callpath(node) for node in range(len(content.nodes))]
        tap.ok(any("pcontrol 7;" in path and path.endswith("communicate;MPI_Allreduce")
                   for path in inside), "call paths lead through the iteration", inside)
        check_sound(tap, "levels", content)


def test_levels_split_the_numbers(tap):
    with Directory() as directory:
        _, content = measure(directory, [harness.program("pcontrol"), "levels"])
        tap.equal(sorted(reductions(content, "pcontrol 7")), [1] * 5 + [9],
                  "what each iteration of level 7 did")
        tap.equal(reductions(content, "pcontrol 9"), [2] * 4,
                  "what each iteration of level 9 did")


def test_names_are_read_when_asked_for(tap):
    with Directory() as directory:
        _, content = measure(directory, [harness.program("pcontrol"), "names"], mode="names")
        tap.equal(iterations(content), {"solve": 5}, "five iterations of the name")
        check_sound(tap, "names", content)
    with Directory() as directory:
        _, content = measure(directory, [harness.program("pcontrol"), "names"])
        tap.equal(iterations(content), {}, "none by default")


def test_what_is_no_name_does_no_harm(tap):
    for mode in ("levels", "names", "off"):
        with Directory() as directory:
            plain = harness.run_plain([harness.program("pcontrol"), "bare"], 2)
            result, content = measure(directory, [harness.program("pcontrol"), "bare"],
                                      mode=mode)
            tap.equal(result.stdout, plain.stdout, mode + ": the program does what it does")
            tap.equal(visits(content, "MPI_Pcontrol"), 207, mode + ": every call is counted")
            tap.equal(iterations(content).keys() & {"", "x" * 5, "n" * 999, "n" * 255}, set(),
                      mode + ": no name that is none")
            check_sound(tap, mode, content)


def test_off(tap):
    with Directory() as directory:
        _, content = measure(directory, [harness.program("pcontrol"), "levels"], mode="off")
        tap.equal(iterations(content), {}, "TSPROF_PCONTROL=off marks nothing")
        tap.equal(visits(content, "MPI_Pcontrol"), 28, "the calls are counted all the same")


def test_fortran(tap):
    with Directory() as directory:
        result, content = measure(directory, [harness.program("pcontrol_f")])
        tap.equal(iterations(content), {"pcontrol 8": 6}, "levels from Fortran")
        tap.equal(reductions(content, "pcontrol 8"), [1] * 6, "what each iteration did")
        check_sound(tap, "Fortran", content)


if __name__ == "__main__":
    harness.main()
