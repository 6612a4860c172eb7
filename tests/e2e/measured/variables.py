#!/usr/bin/env python3
"""A variable that tsprof does not know and a value that makes no sense are named, with the
nearest known name, and the default is used; what makes sense is used and recorded."""

import os
import re

import harness
import summary_reader
from harness import Directory


def run(directory, settings, ranks=1, output="out.tsprof"):
    """Returns what was said and the facts about the run."""
    summary = os.path.join(directory, output)
    command = [harness.program("stencil"), "--iterations", "5"]
    result = harness.run_ranks(command, ranks, cwd=directory,
                               settings=dict({"TSPROF_OUTPUT": summary}, **settings))
    harness.check_run(result, summary)
    return result.stderr.decode(), summary_reader.Summary(summary).run


def complaints(said, variable):
    return [line for line in said.splitlines() if variable in line]


def test_good_values(tap):
    for name, value, shown in (("CLUSTERS", "3", "3"), ("CLUSTERS", "0", "0"),
                               ("CLUSTERS", "auto", "auto"), ("RATE", "0", "0"),
                               ("RATE", "250", "250"), ("EQUIVALENCE", "hybrid", "hybrid"),
                               ("CLUSTERING", "szebenyi", "szebenyi"),
                               ("MEMORY", "8M", None), ("VERBOSE", "2", "2")):
        with Directory() as directory:
            said, facts = run(directory, {"TSPROF_" + name: value})
            label = "TSPROF_%s=%s" % (name, value)
            tap.equal(facts.get("setting.%s.source" % name), "environment",
                      label + " is taken from the environment")
            if shown:
                tap.equal(facts.get("setting." + name), shown, label + " is in force")
            tap.equal([l for l in complaints(said, "TSPROF_" + name) if "default" in l], [],
                      label + ": no complaint")


def test_bad_values(tap):
    for name, value, standard in (("CLUSTERS", "banana", "auto"), ("CLUSTERS", "-3", "auto"),
                                  ("CLUSTERS", "99999999", "auto"), ("CLUSTERS", "12x", "auto"),
                                  ("CLUSTERS", "", "auto"), ("RATE", "20000", "100"),
                                  ("RATE", "1e3", "100"), ("EQUIVALENCE", "strict", "auto"),
                                  ("CLUSTERING", "ward", "adaptive"),
                                  ("MEMORY", "12", None), ("MEMORY", "lots", None),
                                  ("TRACE_MEMORY", "12", None), ("TRACE_MEMORY", "lots", None),
                                  ("TRACE_MEMORY", "-1M", None)):
        with Directory() as directory:
            said, facts = run(directory, {"TSPROF_" + name: value})
            label = "TSPROF_%s=%s" % (name, value)
            about = complaints(said, "TSPROF_" + name)
            tap.equal(len(about), 1, label + ": one complaint")
            tap.ok(about and value in about[0], label + ": it shows the value", said)
            tap.equal(facts.get("setting.%s.source" % name), "default",
                      label + ": the default is used")
            if standard:
                tap.equal(facts.get("setting." + name), standard,
                          label + ": the default is %s" % standard)


def test_unknown_variables(tap):
    for unknown, nearest in (("TSPROF_CLUSTER", "TSPROF_CLUSTERS"),
                             ("TSPROF_CLUSTRES", "TSPROF_CLUSTERS"),
                             ("TSPROF_RATES", "TSPROF_RATE"),
                             ("TSPROF_OUTPT", "TSPROF_OUTPUT"),
                             ("TSPROF_VERBOSITY", "TSPROF_VERBOSE")):
        with Directory() as directory:
            said, _ = run(directory, {unknown: "1"})
            about = [l for l in said.splitlines()
                     if {unknown, nearest} <= set(re.findall(r"\w+", l))]
            tap.equal(len(about), 1, "%s: one complaint names %s" % (unknown, nearest))


def test_unknown_variable_like_nothing(tap):
    with Directory() as directory:
        said, _ = run(directory, {"TSPROF_XYZZY_PLUGH": "1"})
        tap.equal(len(complaints(said, "TSPROF_XYZZY_PLUGH")), 1, "one complaint names it")


def test_complaints_come_once_per_run(tap):
    with Directory() as directory:
        said, _ = run(directory, {"TSPROF_CLUSTRES": "1", "TSPROF_RATE": "many"}, ranks=2)
        tap.equal(len(complaints(said, "TSPROF_CLUSTRES")), 1, "unknown variable, 2 ranks")
        tap.equal(len(complaints(said, "TSPROF_RATE")), 1, "bad value, 2 ranks")


def test_others_variables_are_none_of_our_business(tap):
    with Directory() as directory:
        said, _ = run(directory, {"TSPROFILE": "1", "MY_TSPROF_RATE": "x"})
        tap.equal(complaints(said, "TSPROFILE") + complaints(said, "MY_TSPROF_RATE"), [],
                  "no complaint")


def test_silence(tap):
    with Directory() as directory:
        said, _ = run(directory, {"TSPROF_VERBOSE": "0", "TSPROF_CLUSTRES": "1"}, ranks=2)
        tap.equal(said, "", "TSPROF_VERBOSE=0 says nothing")


def test_one_line_per_run(tap):
    with Directory() as directory:
        said, _ = run(directory, {}, ranks=2)
        lines = said.splitlines()
        tap.ok(len(lines) == 1 and "out.tsprof" in lines[0],
               "one line per run, with the summary's name", said)


def test_patterns_of_the_output(tap):
    with Directory() as directory:
        run(directory, {"TSPROF_OUTPUT": os.path.join(directory, "%e-%n.tsprof")}, ranks=2,
            output="stencil-2.tsprof")
        tap.equal(os.listdir(directory), ["stencil-2.tsprof"], "%e-%n")


def test_default_output(tap):
    with Directory() as directory:
        command = [harness.program("stencil"), "--iterations", "5"]
        harness.run_ranks(command, 2, cwd=directory)
        names = os.listdir(directory)
        tap.ok(len(names) == 1 and names[0].startswith("stencil.")
               and names[0].endswith(".tsprof"), "one file stencil.JOB.tsprof", names)


def test_existing_files_are_not_overwritten(tap):
    with Directory() as directory:
        path = os.path.join(directory, "out.tsprof")
        with open(path, "w") as file:
            file.write("precious")
        command = [harness.program("stencil"), "--iterations", "5"]
        for turn in (1, 2):
            harness.run_ranks(command, 2, settings={"TSPROF_OUTPUT": path}, cwd=directory)
            with open(path) as file:
                tap.equal(file.read(), "precious", "the existing file is untouched")
            tap.equal(len(os.listdir(directory)), 1 + turn,
                      "the summary of run %d has a name of its own" % turn)


if __name__ == "__main__":
    harness.main()
