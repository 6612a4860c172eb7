#!/usr/bin/env python3
"""Iterations that are very many, very short, empty, all different, or only on some ranks: the
accounts stay exact, memory stays what was allowed, and what was cut or lost is said."""

import os

import harness
import summary_reader
from harness import Directory


# A busy machine would have threads change over to another timer, and note it.
STEADY = {"TSPROF_TIMER": "cpu"}


def run(directory, arguments, ranks=1, settings=None):
    """{rank: (iterations, calls)} as the program says, the summary's file, and its content."""
    summary = os.path.join(directory, "out.tsprof")
    result = harness.run_ranks([harness.program("extremes")] + arguments, ranks, cwd=directory,
                               settings=dict(settings or {}, TSPROF_OUTPUT=summary))
    harness.check_run(result, summary)
    stated = {}
    for line in result.stdout.decode().splitlines():
        rank, iterations, calls = map(int, line.split())
        stated[rank] = (iterations, calls)
    return stated, summary, summary_reader.Summary(summary)


def visits(content, profile):
    """Calls of MPI_Comm_rank that CALL made, wherever it was called from."""
    metric = [m.name for m in content.metrics].index("visits")

    def name(node):
        return content.regions[content.nodes[node].region].name

    return sum(value for (node, m), value in profile.items() if m == metric
               and name(node) == "MPI_Comm_rank" and name(content.nodes[node].parent) == "call")


def check(tap, label, stated, summary, content, complete=True):
    """Exact, readable, and with all that was done; COMPLETE: every call on its own path."""
    found = summary_reader.problems(content)
    tap.ok(not found, label + ": times and totals are exact", "\n".join(found[:10]))
    info = harness.tsprof("info", summary)
    tap.equal(info.status, 0, label + ": info can read it")
    said = " ".join(harness.tsprof("report", summary).stdout.split())
    tap.equal(" have no profile: " in said,
              any(lost(series) for location in content.locations for series in location.series),
              label + ": the report says if iterations have none")
    for place, location in zip(content.places, content.locations):
        where = "%s, rank %d: " % (label, place.rank)
        iterations, calls = stated[place.rank]
        series = [s for s in location.series if content.phases[s.phase].name == "step"]
        tap.equal(sum(summary_reader.iterations(s) for s in series), iterations,
                  where + "all iterations are there")
        if complete:
            tap.equal(visits(content, location.whole), calls, where + "all calls are there")
        within = memory_setting(content)
        taken = bounded_memory(location)
        tap.ok(taken <= within, where + "no more memory than allowed",
               "%d of %d bytes" % (taken, within))
    return info.stdout


def bounded_memory(location):
    """What TSPROF_MEMORY bounds."""
    return location.costs["memory_bytes"] - location.costs["tables_bytes"]


def memory_setting(content):
    text = content.run["setting.MEMORY"]
    return int(text[:-1]) << {"K": 10, "M": 20}[text[-1]]


def try_mode(tap, arguments, ranks=1, settings=None, complete=True):
    """What `info` says and the content of the summary."""
    with Directory() as directory:
        label = " ".join(arguments + ["%s=%s" % pair for pair in (settings or {}).items()])
        stated, summary, content = run(directory, arguments, ranks, settings)
        said = check(tap, label, stated, summary, content, complete)
        return said, content


def lost(series):
    return sum(length for length, cluster in series.map if cluster is None)


def test_a_million(tap):
    """The default memory is enough for a million of iterations."""
    _, content = try_mode(tap, ["quick", "1000000"], settings=STEADY)
    tap.equal(content.locations[0].notes, [], "a million: nothing to note")
    tap.equal(len(content.locations[0].series[0].clusters) <= 64, True,
              "a million: no more clusters than allowed")


def test_a_million_in_little_memory(tap):
    """What does not fit is told, and the rest is exact."""
    said, content = try_mode(tap, ["quick", "1000000"], settings={"TSPROF_MEMORY": "1M"})
    series = content.locations[0].series[0]
    tap.equal(bool(lost(series)), "only in the whole-run profile" in said,
              "a million in 1M: lost iterations are told of")


def test_shortest(tap):
    _, content = try_mode(tap, ["empty", "200000"])
    tap.equal(lost(content.locations[0].series[0]), 0, "empty: no iteration is lost")
    try_mode(tap, ["empty", "1000"], settings={"TSPROF_CLUSTERS": "0"})


def test_new_trees(tap):
    """Whatever the equivalence: each iteration is a class of its own."""
    for equivalence in ("auto", "none", "strong", "weak", "hybrid"):
        said, content = try_mode(tap, ["new-trees", "1000"],
                                 settings={"TSPROF_EQUIVALENCE": equivalence,
                                           "TSPROF_CLUSTERS": "64"})
        series = content.locations[0].series[0]
        tap.equal(lost(series), 0, "new trees, %s: no iteration is lost" % equivalence)
        if equivalence in ("auto", "none"):
            tap.ok(len(series.clusters) <= 64, "new trees, %s: at most 64 clusters" % equivalence,
                   len(series.clusters))
        elif equivalence == "strong":
            tap.equal(len(series.clusters), 1000,
                      "new trees, strong: iterations are not mixed")


def test_new_trees_without_memory(tap):
    said, content = try_mode(tap, ["new-trees"], settings={"TSPROF_MEMORY": "1M"},
                             complete=False)
    tap.ok("no memory for more call paths" in said, "new trees in 1M: paths were joined", said)


def test_a_rank_without_iterations(tap):
    for absent in ("0", "1", "-1"):
        with Directory() as directory:
            stated, summary, content = run(directory, ["absent", absent], 2)
            check(tap, "absent " + absent, stated, summary, content)
            rows = harness.export(summary, "iterations", "--metric", "visits")
            tap.equal({row["rank"] for row in rows},
                      {str(r) for r in (0, 1) if stated[r][0]},
                      "absent %s: exported iterations are those of the other ranks" % absent)
            report = harness.tsprof("report", summary)
            tap.equal(report.status, 0, "absent %s: there is a report" % absent)


def test_many_paths(tap):
    """More than a hundred thousand call paths, also in the opposite order."""
    said, content = try_mode(tap, ["paths", "16"],
                             settings=dict(STEADY, TSPROF_MEMORY="256M", TSPROF_CLUSTERS="1"))
    tap.ok(len(content.nodes) > 100000, "many paths: all of them", len(content.nodes))
    tap.equal(["largest values" in note for note in content.locations[0].notes], [True],
              "many paths: only their largest values are too many, and that is noted")
    said, content = try_mode(tap, ["paths", "16"], complete=False)
    tap.ok(len(content.nodes) > 60000, "many paths, default: what clusters leave is for paths",
           len(content.nodes))
    tap.ok("no memory for more call paths" in said, "many paths, default: paths were joined",
           said)


def test_many_clusters(tap):
    _, content = try_mode(tap, ["various"], settings={"TSPROF_CLUSTERS": "1024"})
    series = content.locations[0].series[0]
    tap.equal(len(series.clusters), 1024, "1024 clusters: as many as allowed")
    tap.equal(lost(series), 0, "1024 clusters: no iteration is lost")


if __name__ == "__main__":
    harness.main()
