#!/usr/bin/env python3
"""tsprof export --paths numbered: every table of call paths, joined with the table of their names,
is what it is with names; and its size has nothing to do with how long names are."""

import contextlib
import csv
import io
import json
import os

import cli_command
import harness
from cli_command import Sample
from export_formats import hostile_regions

GOLDEN = os.path.join(harness.TOP_SRCDIR, "tests", "golden")
TABLES = (("callpaths", "--total"), ("callpaths",), ("largest",), ("presence",), ("waits",),
          ("causes",), ("instances",))
# Columns of call paths.
PATHS = ("callpath", "cause")
# The longest call path that a test has.
csv.field_size_limit(1 << 20)


def written(file, what, *options):
    result = harness.tsprof("export", file, "--what", what, *options)
    if result.status != 0 or result.stderr:
        raise harness.Failure("export %s: status %d\n%s" % (what, result.status, result.stderr))
    return result.stdout


def read(text):
    return list(csv.reader(io.StringIO(text, newline="")))


def names_of(file):
    """The names of a call path, by its number."""
    names = {}
    for path, parent, region, _, _ in read(written(file, "paths"))[1:]:
        names[path] = names.get(parent, []) + [region]
    return names


def joined(file, what, *options):
    """A table with numbers, and names in place of these."""
    names = names_of(file)
    rows = read(written(file, what, "--paths", "numbered", *options))
    columns = [i for i, name in enumerate(rows[0]) if name in PATHS]
    for row in rows[1:]:
        for i in columns:
            row[i] = ";".join(names[row[i]])
    return rows


def joined_json(file, what, *options):
    names = {}
    for row in json.loads(written(file, "paths", "--format", "json"))["rows"]:
        names[row["callpath"]] = names.get(row["parent"], []) + [row["region"]]
    document = json.loads(written(file, what, "--format", "json", "--paths", "numbered", *options))
    for row in document["rows"]:
        row.update((column, names[row[column]]) for column in PATHS if column in row)
    return document


def check(tap, file, label):
    """Returns how many rows there were to join."""
    count = 0
    for table in TABLES:
        named = read(written(file, *table))
        count += len(named) - 1
        tap.equal(joined(file, *table), named, "%s: %s" % (label, " ".join(table)))
        tap.equal(joined_json(file, *table),
                  json.loads(written(file, *table, "--format", "json")),
                  "%s: %s as JSON" % (label, " ".join(table)))
    return count


def test_joined_tables_are_the_named_ones(tap):
    for name in ("every", "presence", "templates", "threads"):
        tap.ok(check(tap, os.path.join(GOLDEN, name + ".tsprof"), name) > 10, "there is something")
    with Sample(cli_command.THREADS) as sample:
        check(tap, sample.file, "paths of several nodes")
    with hostile_regions(), Sample() as sample:
        check(tap, sample.file, "hostile names")


def test_places(tap):
    with Sample() as sample:
        rows = read(written(sample.file, "paths"))
        tap.equal(rows[:5],
                  [["callpath", "parent", "region", "file", "line"],
                   ["0", "", "program", "", ""], ["1", "", "main", "/src/main.c", "3"],
                   ["2", "1", "step", "", ""], ["3", "2", "f(int, char)", "a,b.cc", "9"]],
                  "number, parent, region and where it is")
        tap.equal(rows[5][2:], ["MPI_Allreduce", "a,b.cc", "10"], "MPI functions: who calls them")
        tap.equal([row[0] for row in rows[1:]], [str(i) for i in range(len(rows) - 1)],
                  "each once, parents first")
        tap.equal(written(sample.file, "paths", "--paths", "numbered"),
                  written(sample.file, "paths"), "--paths is of no importance there")
        tap.equal(written(sample.file, "callpaths", "--paths", "named"),
                  written(sample.file, "callpaths"), "names are the default")


@contextlib.contextmanager
def deep_names(length):
    """A summary of 60 functions that call each other, each with a name of LENGTH characters."""
    kept = cli_command.REGIONS, cli_command.NODES
    name = "solver::stage<" + "std::pair<int, " * (length // 16)
    name += "double" + " >" * (length // 16)
    functions = tuple(("%s%d" % (name, i), 0, "a.cc", i, 1, "") for i in range(60))
    first = len(kept[0])
    chain = tuple((8, 3, 0) if i == 0 else (len(kept[1]) + i, first + i, i) for i in range(60))
    cli_command.REGIONS, cli_command.NODES = kept[0] + functions, kept[1] + chain
    usual = cli_command.USUAL
    last = len(kept[1])
    cli_command.USUAL = usual + [(last + i, cli_command.COMPUTATION, 1000) for i in range(60)]
    try:
        with Sample() as sample:
            yield sample.file
    finally:
        cli_command.REGIONS, cli_command.NODES = kept
        cli_command.USUAL = usual


def test_size(tap):
    found = []
    for length in (32, 1600):
        with deep_names(length) as file:
            tap.equal(joined(file, "callpaths", "--total"),
                      read(written(file, "callpaths", "--total")), "names of %d" % length)
            found.append((written(file, "callpaths", "--paths", "numbered"),
                          len(written(file, "callpaths")), len(written(file, "paths"))))
    (short, _, _), (long, named, paths) = found
    tap.equal(long, short, "tables with numbers do not grow with names")
    tap.ok(paths < 60 * 2 * 1600, "every name is there once", paths)
    tap.ok(named > 50 * (len(long) + paths), "with names they are fifty times as large",
           (named, len(long), paths))


def test_refused(tap):
    with Sample() as sample:
        for options, words in ((("--what", "callpaths", "--paths", "short"),
                                ("short", "named", "numbered")),
                               (("--format", "folded", "--paths", "numbered"),
                                ("folded", "--paths", "csv", "json"))):
            result = harness.tsprof("export", sample.file, *options)
            tap.ok(result.status == 2 and result.stdout == "" and
                   all(word in result.stderr for word in words), " ".join(options), result.stderr)


if __name__ == "__main__":
    harness.main()
