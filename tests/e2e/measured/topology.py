#!/usr/bin/env python3
"""Topologies of communicators are in the summary as the program made them, with their names, and
each once; hosts and their ranks are told; and however many there are, memory and file stay small."""

import os
import socket
import struct
import zlib

import harness
import summary_reader
from harness import Directory

CARTESIAN, GRAPH, DISTRIBUTED = 1, 2, 3


def measure(directory, arguments=(), ranks=4, settings=None, output="out.tsprof"):
    summary = os.path.join(directory, output)
    result = harness.run_ranks(
        [harness.program("grids")] + list(arguments), ranks, cwd=directory,
        settings=dict({"TSPROF_OUTPUT": summary}, **(settings or {})))
    harness.check_run(result, summary)
    return summary


def by_name(content):
    return {topology.name: topology for topology in content.topologies}


def test_every_kind(tap):
    with Directory() as directory:
        content = summary_reader.Summary(measure(directory))
        got = [(t.name, t.times, t.kind, t.members, t.grid) for t in content.topologies]
        wanted = [
            ("plate", 1, CARTESIAN, [0, 1, 2, 3], [(2, True), (2, False)]),
            ("copy of plate", 1, CARTESIAN, [0, 1, 2, 3], [(2, True), (2, False)]),
            ("row", 1, CARTESIAN, [0, 1], [(2, False)]),
            ("row", 1, CARTESIAN, [2, 3], [(2, False)]),
            ("", 1, CARTESIAN, [0, 2], [(2, True)]),
            ("", 1, CARTESIAN, [1, 3], [(2, True)]),
            ("line", 1, CARTESIAN, [0, 1, 2], [(3, False)]),
            ("chord", 1, GRAPH, [0, 1, 2, 3], []),
            ("ring", 1, DISTRIBUTED, [0, 1, 2, 3], []),
            ("spokes \u00e9", 1, DISTRIBUTED, [0, 1, 2, 3], []),
        ]
        tap.equal(sorted(got), sorted(wanted), "name, kind, members and grid of each")
        tap.equal(content.topologies_left_out, 0, "none is left out")


def test_neighbors(tap):
    with Directory() as directory:
        found = by_name(summary_reader.Summary(measure(directory)))
        tap.equal(sorted(found["chord"].neighborhoods),
                  [(0, [], [(1, None), (3, None), (2, None)]), (1, [], [(0, None), (2, None)]),
                   (2, [], [(1, None), (3, None), (0, None)]), (3, [], [(0, None), (2, None)])],
                  "neighbours in a graph")
        tap.equal(sorted(found["ring"].neighborhoods),
                  [(r, [((r + 3) % 4, 10 + (r + 3) % 4)], [((r + 1) % 4, 10 + r)])
                   for r in range(4)],
                  "neighbours in a distributed graph, with weights")
        spokes = {member: (sorted(sources), destinations)
                  for member, sources, destinations in found["spokes \u00e9"].neighborhoods}
        tap.equal(spokes, {0: ([(1, None), (2, None), (3, None)], []),
                           1: ([], [(0, None)]), 2: ([], [(0, None)]), 3: ([], [(0, None)])},
                  "who receives knows its sources")
        tap.equal([t.neighborhoods for t in found.values() if t.kind == CARTESIAN],
                  [[]] * 5, "those of grids follow from the grid")


def test_info_and_export(tap):
    with Directory() as directory:
        summary = measure(directory)
        said = harness.tsprof("info", summary).stdout
        system = os.uname()
        for line in ("hosts        %s: ranks 0-3; %d x " % (
                         socket.gethostname(), os.sysconf("SC_NPROCESSORS_CONF")),
                     ", %s %s %s\n" % (system.sysname, system.release, system.machine),
                     "plate: Cartesian 2 (periodic) x 2, 4 ranks: 0-3",
                     "row: Cartesian 2, 2 ranks: 2,3",
                     "Cartesian 2 (periodic), 2 ranks: 1,3",
                     "line: Cartesian 3, 3 ranks: 0-2",
                     "chord: graph with 10 edges, 4 ranks: 0-3",
                     "ring: distributed graph with 4 weighted edges, 4 ranks: 0-3"):
            tap.ok(line in said, "info says: " + line, said)
        rows = harness.export(summary, "topologies")
        plate = [(row["member"], row["rank"], row["coordinates"]) for row in rows
                 if row["name"] == "plate"]
        tap.equal(plate, [("0", "0", "0 0"), ("1", "1", "0 1"), ("2", "2", "1 0"),
                          ("3", "3", "1 1")], "coordinates of each member of a grid")
        column = [(row["member"], row["rank"], row["coordinates"]) for row in rows
                  if row["name"] == "" and row["kind"] == "cartesian"]
        tap.equal(sorted(column), [("0", "0", "0"), ("0", "1", "0"), ("1", "2", "1"),
                                   ("1", "3", "1")], "members are not ranks of the world")
        chosen = harness.export(summary, "topologies", "--rank", "3")
        tap.equal({row["rank"] for row in chosen}, {"3"}, "--rank chooses")


def test_many_that_are_alike(tap):
    with Directory() as directory:
        sizes = {}
        for count in (100, 20000):
            summary = measure(directory, ["many", str(count)], 2, output="%d.tsprof" % count)
            content = summary_reader.Summary(summary)
            tap.equal(sum(t.times for t in content.topologies), count,
                      "%d communicators: all are counted" % count)
            tap.equal({(t.kind, tuple(t.members), tuple(t.grid)) for t in content.topologies},
                      {(CARTESIAN, (0, 1), ((2, True),))}, "%d: as one grid" % count)
            tap.equal(sorted(by_name(content)), ["", "tenth"], "%d: by their names" % count)
            tap.equal(content.topologies_left_out, 0, "%d: none is left out" % count)
            sizes[count] = next(s.decoded for s in content.sections if s.kind == 9)
        tap.ok(sizes[20000] < sizes[100] + 8, "the section does not grow with them", sizes)


def test_more_than_can_be_kept(tap):
    with Directory() as directory:
        content = summary_reader.Summary(measure(directory, ["shapes", "1000"], 2))
        kept = len(content.topologies)
        tap.equal(content.topologies_left_out, 1000 - kept, "what is left out is counted")
        tap.equal([t.grid for t in content.topologies],
                  [[(2, bool(i & 1))] + [(1, bool(i >> d & 1)) for d in range(1, 16)]
                   for i in range(kept)], "the first %d are kept" % kept)
        tap.ok(all("topologies" in " ".join(location.notes) for location in content.locations),
               "the notes say so")
        section = next(s.decoded for s in content.sections if s.kind == 9)
        tap.ok(section < 50 * kept, "the section is small", section)


def test_written_alone(tap):
    """Who writes its own summary knows its own neighbours, and all members."""
    with Directory() as directory:
        command = [harness.program("grids")]
        harness.run_ranks(command, 4, cwd=directory,
                          settings={"TSPROF_OUTPUT": os.path.join(directory, "out.tsprof"),
                                    "TSPROF_MERGE": "0"})
        content = summary_reader.Summary(os.path.join(directory, "out.rank1.tsprof"))
        found = by_name(content)
        tap.equal(found["plate"].members, [0, 1, 2, 3], "members of a grid")
        tap.equal(found["ring"].neighborhoods, [(1, [(0, 10)], [(2, 11)])],
                  "the process's own neighbours")
        said = harness.tsprof("info", os.path.join(directory, "out.rank1.tsprof")).stdout
        tap.ok("ring: distributed graph with 1 weighted edge of 1 of its ranks" in said,
               "info says whose they are", said)


def test_without_a_world(tap):
    """There are no ranks to tell members by: that is said, and the program is none the worse."""
    with Directory() as directory:
        result = harness.run_ranks([harness.program("grids"), "session"], 2, cwd=directory,
                                   settings={"TSPROF_OUTPUT": os.path.join(directory, "x.tsprof")})
        tap.equal((result.status, result.stdout.count(b"done")), (0, 2), "the program runs")
        path = os.path.join(directory, "x.rank1.tsprof")
        if not os.path.exists(path):
            raise harness.Skip("this MPI has no sessions")
        content = summary_reader.Summary(path)
        tap.equal((content.topologies, content.topologies_left_out > 0), ([], True),
                  "it is counted as left out")
        tap.ok("topologies" in " ".join(content.locations[0].notes), "a note says so")


def test_older_files_have_none(tap):
    with Directory() as directory:
        summary = measure(directory)
        content = bytearray(open(summary, "rb").read())
        entry = next(s.entry for s in summary_reader.Summary(summary).sections if s.kind == 9)
        struct.pack_into("<I", content, entry, 4242)
        struct.pack_into("<I", content, entry + 44, zlib.crc32(content[entry:entry + 44]))
        with open(summary, "wb") as file:
            file.write(content)
        said = harness.tsprof("info", summary)
        tap.equal((said.status, "topologies" in said.stdout), (0, False), "info says nothing of it")
        tap.equal(harness.export(summary, "topologies"), [], "nor does the export")


def test_they_outlive_clustering_off_line(tap):
    with Directory() as directory:
        summary = measure(directory, settings={"TSPROF_CLUSTERS": "0"})
        out = os.path.join(directory, "clustered.tsprof")
        result = harness.tsprof("compress", summary, "--clusters", "2", "-o", out)
        tap.equal(result.status, 0, "compress succeeds")
        tap.equal(summary_reader.Summary(out).topologies,
                  summary_reader.Summary(summary).topologies, "topologies are the same")


if __name__ == "__main__":
    harness.main()
