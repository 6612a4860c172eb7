#!/usr/bin/env python3
"""tsprof suggest: sizes are what the program called, and the setting chooses what was suggested."""

import json
import os
import re

import harness
import summary_reader
import synthetic
from harness import Directory

GOLDEN = os.path.join(harness.TOP_SRCDIR, "tests", "golden")


def suggest(*arguments):
    result = harness.tsprof("suggest", *arguments)
    if result.status != 0 or result.stderr:
        raise harness.Failure("suggest %s: status %d\n%s" % (arguments, result.status,
                                                             result.stderr))
    return result.stdout


def suggestions(*arguments):
    return json.loads(suggest(*arguments, "--format", "json"))


def numbers(ranges):
    return [i for first, last in ranges for i in range(first, last + 1)]


def chosen(setting):
    """The phase and the iterations of a setting."""
    phase, iterations = re.fullmatch(r"TSPROF_TRACE=([\w.]+):([\d,-]+)", setting).groups()
    ranges = [part.split("-") for part in iterations.split(",")]
    return phase, numbers([(int(part[0]), int(part[-1])) for part in ranges])


def check_sizes(tap, summary, is_event):
    visits = {}
    for row in harness.export(summary, "callpaths", "--metric", "visits"):
        last = harness.split_callpath(row["callpath"])[-1]
        if is_event(last):
            key = int(row["iteration"]), int(row["rank"])
            visits[key] = visits.get(key, 0) + float(row["value"])
    found = suggestions(summary)
    tap.ok(len(found["suggestions"]) >= 1, "there are some", found)
    for one in found["suggestions"] + [found]:
        wanted = [sum(visits[i, rank] for i in numbers(one["iterations"]))
                  for rank in range(2)]
        tap.equal((one["events"], one["most_events"]), (sum(wanted), max(wanted)),
                  "events of %s" % one["iterations"])
        tap.equal((one["bytes"], one["most_bytes"]), (24 * sum(wanted), 24 * max(wanted)),
                  "and their bytes")


def test_sizes_are_the_calls_of_the_iterations(tap):
    """Every MPI call is one event; so is the marker of an iteration."""
    with Directory() as directory:
        _, summary = harness.profile(directory, "stencil", 2, ["--iterations", "30"],
                                  {"TSPROF_RATE": "0"})
        check_sizes(tap, summary, lambda name: name.startswith("MPI_") or name == "timestep")


def test_functions_that_tell(tap):
    """Each of their visits is one event, too."""
    with Directory() as directory:
        _, summary = harness.profile(directory, "instrumented_particles", 2, [],
                                     {"TSPROF_RATE": "0", "TSPROF_CLUSTERS": "0"})
        names = {region.name for region in summary_reader.Summary(summary).regions
                 if region.group == "INSTRUMENTED"}
        tap.ok(len(names) > 3, "functions tell", names)
        check_sizes(tap, summary, lambda name: name.startswith("MPI_") or name == "timestep" or
                    name in names)


def test_the_setting_is_all_of_them(tap):
    with Directory() as directory:
        summary = synthetic.make(directory, "--ranks", "8", "--iterations", "1000")
        found, said = suggestions(summary), suggest(summary)
        together = sorted(set(sum((numbers(one["iterations"]) for one in found["suggestions"]),
                                  [])))
        tap.equal(chosen(found["setting"]), ("timestep", together), "the setting")
        tap.equal(numbers(found["iterations"]), together, "and the list")
        tap.equal(said.splitlines()[-1], found["setting"], "the text ends with it")
        tap.equal(len(found["suggestions"]), 8, "eight, if nothing else is asked for")
        tap.ok(any(i % 100 == 99 for i in together), "a checkpoint is among them", together)
        tap.ok(found["suggestions"][0]["reason"] == "typical", "what is usual comes first", found)
        two = suggestions(summary, "--top", "2")
        tap.equal(two["suggestions"], found["suggestions"][:2], "--top 2: the first two")
        some = suggestions(summary, "--iterations", "200-299")
        tap.ok(all(200 <= i <= 299 for i in numbers(some["iterations"])), "only iterations chosen",
               some["iterations"])


def test_what_cannot_be_suggested(tap):
    grids, plain = (os.path.join(GOLDEN, name) for name in ("grids.tsprof", "plain.tsprof"))
    with Directory() as directory:
        derived = os.path.join(directory, "mean.tsprof")
        harness.tsprof("mean", plain, "--phase", "timestep", "-o", derived)
        for arguments, status, words in (
                ((grids,), 1, "has no iterations to choose from"),
                ((derived,), 1, "calculated from other summaries"),
                ((plain, "--phase", "nothing"), 2, "nothing"),
                ((plain, "--format", "csv"), 2, "--format takes text or json"),
                ((os.path.join(directory, "absent"),), 1, "absent")):
            result = harness.tsprof("suggest", *arguments)
            tap.ok((result.status, result.stdout) == (status, "") and words in result.stderr
                   and result.stderr.count("\n") == 1, words, result.stderr)


def test_without_a_file_the_newest_is_meant(tap):
    with Directory() as directory:
        synthetic.make(directory, "--ranks", "2", "--iterations", "50")
        result = harness.tsprof("suggest", cwd=directory)
        tap.ok(result.status == 0 and "the newest summary here is made.tsprof" in result.stderr,
               "which is said", result.stderr)


if __name__ == "__main__":
    harness.main()
