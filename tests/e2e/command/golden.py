#!/usr/bin/env python3
"""Summaries of earlier days are read as they were: tests/golden, see doc/format.md.

They are never made again for the same version of the format: a difference is a fault of what reads."""

import glob
import os
import re
import struct

import badfiles
import harness
import summary_reader

GOLDEN = os.path.join(harness.TOP_SRCDIR, "tests", "golden")
EXPORTS = {"callpaths": ["--total"], "iterations": [], "clusters": []}
FILES = ["alone", "every", "grids", "largest", "plain", "presence", "templates",
         "threads", "waits"]


def test_they_are_all_here(tap):
    found = sorted(os.path.basename(path)[:-7] for path in glob.glob(GOLDEN + "/*.tsprof"))
    tap.equal(found, FILES, "the files that were released")


def exports_of(name):
    """What is exported, and its options; largest values are not in files of before."""
    more = {"largest": ["largest"], "presence": ["largest", "presence"],
            "waits": ["largest", "waits", "causes", "instances"]}
    return dict(EXPORTS, **{what: [] for what in more.get(name, [])})


def test_exports_are_as_they_were(tap):
    for name in FILES:
        path = os.path.join(GOLDEN, name + ".tsprof")
        for what, options in exports_of(name).items():
            with open(os.path.join(GOLDEN, "%s.%s.csv" % (name, what)), encoding="utf-8") as file:
                wanted = file.read()
            result = harness.tsprof("export", path, "--what", what, "--format", "csv", *options)
            tap.ok((result.status, result.stdout) == (0, wanted), "%s: %s" % (name, what),
                   result.stderr or "another content")


def test_the_independent_reader_agrees(tap):
    for name in FILES:
        path = os.path.join(GOLDEN, name + ".tsprof")
        content = summary_reader.Summary(path)
        tap.equal(summary_reader.problems(content), [], name + ": sound")
        tap.equal(harness.disagreements(path), [], name + ": both readers find the same")


def test_what_they_hold(tap):
    content = {name: summary_reader.Summary(os.path.join(GOLDEN, name + ".tsprof"))
               for name in FILES}
    tap.equal([p.rank for p in content["grids"].places], [0, 1, 2, 3], "ranks")
    tap.ok(content["grids"].topologies and len(content["threads"].places) > 2,
           "topologies; threads")
    tap.equal([content[name].state for name in FILES], [2, 1, 1, 1, 2, 1, 1, 1, 1], "states")
    tap.equal({s.encoding for s in content["plain"].sections}, {0}, "stored sections")
    tap.ok(1 in {s.encoding for s in content["every"].sections}, "compressed sections")
    tap.equal({c.size for c in content["every"].locations[0].series[0].clusters}, {1},
              "every iteration")
    tap.equal([{s.version for s in content[name].sections
                if summary_reader.KINDS.get(s.kind) == "LOCATION"}
               for name in ("every", "largest", "presence")], [{3}, {4}, {5}],
              "versions of what a thread has")


def versions_read(path, section):
    """The versions of a section of which the command says that it reads them."""
    with open(path, "rb") as file:
        content = bytearray(file.read())
    struct.pack_into("<I", content, section.entry + 4, 1000)
    with harness.Directory() as directory:
        other = os.path.join(directory, "other.tsprof")
        with open(other, "wb") as file:
            file.write(badfiles.seal(content))
        said = harness.tsprof("info", other).stderr
    found = re.search(r"has version 1000; this tsprof reads versions? (\d+)(?: to (\d+)| only)", said)
    if not found:
        raise harness.Failure(said)
    return range(int(found.group(1)), int(found.group(2) or found.group(1)) + 1)


def test_every_version_that_is_read_is_here(tap):
    """Whoever makes a new version of a section adds a file that has it."""
    here, wanted = set(), {}
    for name in FILES:
        path = os.path.join(GOLDEN, name + ".tsprof")
        for section in summary_reader.Summary(path).sections:
            here.add((section.kind, section.version))
            if section.kind not in wanted:
                wanted[section.kind] = versions_read(path, section)
    for kind, name in sorted(summary_reader.KINDS.items()):
        tap.ok(kind in wanted, name + " is in a file")
        tap.equal([version for number, version in sorted(here) if number == kind],
                  list(wanted.get(kind, [])), name + ": every version that is read")


if __name__ == "__main__":
    harness.main()
