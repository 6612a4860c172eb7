#!/usr/bin/env python3
"""Phases that nest in every way keep exact accounts, and wrong markers are reported once, with
name and place, and harm nothing."""

import os
import re

import harness
import summary_reader
from harness import Directory

# A call site: function or source line, or at least module and offset.
CALL_SITE = r"misuse\.c:\d+|misuse\+0x[0-9a-f]+|%s"


def measure(directory, command, settings=None):
    """One rank; returns the result and the content of the summary."""
    summary = os.path.join(directory, "out.tsprof")
    result = harness.run_ranks(command, 1, cwd=directory,
                               settings=dict(settings or {}, TSPROF_OUTPUT=summary))
    harness.check_run(result, summary)
    return result, summary_reader.Summary(summary)


def try_misuse(tap, mode, complaints):
    """COMPLAINTS: pairs of a phase and the function that holds the wrong marker."""
    with Directory() as directory:
        command = [harness.program("misuse"), mode]
        plain = harness.run_plain(command, 1)
        result, content = measure(directory, command)
        tap.equal((result.status, result.stdout), (plain.status, plain.stdout),
                  mode + ": the program's result is unchanged")
        found = summary_reader.problems(content)
        tap.ok(not found, mode + ": times and totals are exact", "\n".join(found))
        lines = [line for line in result.stderr.decode().splitlines() if "phase" in line]
        tap.equal(len(lines), len(set(lines)), mode + ": no message comes twice")
        for phase, function in complaints:
            about = [line for line in lines if re.search(r"\b%s\b" % phase, line)]
            if not tap.equal(len(about), 1, "%s: one message names %s" % (mode, phase)):
                print("# " + "\n# ".join(lines))
                continue
            tap.ok(re.search(CALL_SITE % function, about[0]),
                   "%s: the message about %s names the place" % (mode, phase), about[0])
        tap.equal(len(lines), len(complaints), mode + ": no other message")


def test_end_without_begin(tap):
    try_misuse(tap, "never-begun", [("orphan", "never_begun")])


def test_end_of_iteration_without_begin(tap):
    try_misuse(tap, "iteration-never-begun", [("orphan", "iteration_never_begun")])


def test_wrong_order(tap):
    # The outer end comes too early, and then there is nothing left for the inner one to end.
    try_misuse(tap, "wrong-order", [("outer", "wrong_order"), ("inner", "wrong_order")])


def test_other_thread(tap):
    try_misuse(tap, "other-thread", [("wanderer", "end_on_thread")])


def test_silence_when_asked_for(tap):
    with Directory() as directory:
        result, _ = measure(directory, [harness.program("misuse"), "wrong-order"],
                            {"TSPROF_VERBOSE": "0"})
        tap.equal(result.stderr, b"", "TSPROF_VERBOSE=0: no message")


def test_never_ended(tap):
    """Whatever is made of iterations that do not end, it adds up."""
    with Directory() as directory:
        command = [harness.program("misuse"), "never-ended"]
        plain = harness.run_plain(command, 1)
        result, content = measure(directory, command)
        tap.equal((result.status, result.stdout), (plain.status, plain.stdout),
                  "never-ended: the program's result is unchanged")
        found = summary_reader.problems(content)
        tap.ok(not found, "never-ended: times and totals are exact", "\n".join(found))


def visits_by_iteration(content, phase):
    """Visits of MPI_Comm_rank in each iteration, in order."""
    series = [s for s in content.locations[0].series
              if content.phases[s.phase].name == phase]
    if len(series) != 1:
        return "%d series of %s" % (len(series), phase)
    visits = [m.name for m in content.metrics].index("visits")
    result = []
    for length, cluster in series[0].map:
        profile = series[0].clusters[cluster].profile
        count = sum(value for (node, metric), value in profile.items()
                    if metric == visits
                    and content.callpath(node).endswith(";MPI_Comm_rank"))
        result += [count] * length
    return result


def try_nesting(tap, mode, wanted, settings=None, total=None):
    """WANTED: phase -> visits of each of its iterations."""
    with Directory() as directory:
        settings = dict(settings or {}, TSPROF_CLUSTERS="0")
        _, content = measure(directory, [harness.program("nesting"), mode], settings)
        found = summary_reader.problems(content)
        tap.ok(not found, mode + ": times and totals are exact", "\n".join(found))
        for phase, visits in wanted.items():
            tap.equal(visits_by_iteration(content, phase), visits,
                      "%s: visits of each iteration of %s" % (mode, phase))
        kept = {content.phases[s.phase].name for s in content.locations[0].series}
        tap.equal(kept, set(wanted), mode + ": no other phase has iterations")
        if total is not None:
            paths = [content.callpath(node) for node in range(len(content.nodes))]
            visits = [m.name for m in content.metrics].index("visits")
            got = sum(v for (node, metric), v in content.locations[0].whole.items()
                      if metric == visits and paths[node].endswith(";MPI_Comm_rank"))
            tap.equal(got, total, mode + ": visits of the whole run")


def test_one_after_the_other(tap):
    try_nesting(tap, "sequence", {"first": [1, 2, 3, 4, 5], "second": [10] * 3}, total=47)


def test_one_in_the_other(tap):
    try_nesting(tap, "nested",
                {"outer": [31, 34, 37, 40],
                 "inner": [10] * 3 + [11] * 3 + [12] * 3 + [13] * 3}, total=142)


def test_sometimes_nested(tap):
    # How the iterations of `inner` are divided between series is not the point; the sums are.
    with Directory() as directory:
        _, content = measure(directory, [harness.program("nesting"), "sometimes"])
        found = summary_reader.problems(content)
        tap.ok(not found, "sometimes: times and totals are exact", "\n".join(found))


def test_recursive(tap):
    with Directory() as directory:
        _, content = measure(directory, [harness.program("nesting"), "recursive"])
        found = summary_reader.problems(content)
        tap.ok(not found, "recursive: times and totals are exact", "\n".join(found))


def test_among_summed_phases(tap):
    try_nesting(tap, "phases", {"timestep": [4] * 6}, total=24)


def test_summing_an_iteration(tap):
    """TSPROF_PHASES decides at run time what is kept."""
    try_nesting(tap, "nested", {"outer": [31, 34, 37, 40]}, {"TSPROF_PHASES": "-inner"},
                total=142)


def test_keeping_a_phase(tap):
    with Directory() as directory:
        _, content = measure(directory, [harness.program("nesting"), "phases"],
                             {"TSPROF_PHASES": "assembly", "TSPROF_CLUSTERS": "0"})
        tap.equal(visits_by_iteration(content, "assembly"), [3] * 6,
                  "TSPROF_PHASES=assembly keeps a phase that is not marked as iteration")


def test_phases_are_on_call_paths(tap):
    with Directory() as directory:
        _, content = measure(directory, [harness.program("nesting"), "phases"])
        paths = [content.callpath(node) for node in range(len(content.nodes))]
        for wanted in (r"\bsolver;(\w+;)*timestep;(\w+;)*assembly;(\w+;)*visit;MPI_Comm_rank$",
                       r"\bsolver;(\w+;)*timestep;visit;MPI_Comm_rank$"):
            tap.ok(any(re.search(wanted, path) for path in paths),
                   "a call path %s" % wanted, "\n".join(paths))


if __name__ == "__main__":
    harness.main()
