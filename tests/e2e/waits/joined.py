#!/usr/bin/env python3
"""`tsprof waits --with`: waiting in traced iterations, put into the summary of the whole run."""

import collections
import os

import harness
import numbered
import summary_reader
import waits_command
from harness import Directory, Failure

RANKS = 3


def record(directory, name, ranks, program, *arguments, **settings):
    """(summary, archive) of a run."""
    summary = os.path.join(directory, name + ".tsprof")
    result = harness.run_ranks([harness.program(program), *arguments], ranks, cwd=directory,
                               settings=dict({"TSPROF_OUTPUT": summary}, **settings))
    if result.status != 0:
        raise Failure(result.stderr.decode("utf-8", "replace"))
    return summary, os.path.join(directory, name + ".otf2")


def join(archive, run, out, status=0):
    result = harness.tsprof("waits", archive, "--with", run, "-o", out)
    if result.status != status:
        raise Failure("waits --with: status %d: %s" % (result.status, result.stderr))
    return result.stderr


def inclusive(content, profile):
    """{(call path, metric's name): value}, inclusive over metrics."""
    sums = collections.Counter()
    for (node, metric), value in profile.items():
        while metric is not None:
            sums[content.callpath(node), content.metrics[metric].name] += value
            metric = content.metrics[metric].parent
    return +sums


def clusters(content, location):
    """{iteration of timestep: cluster}"""
    series = next(series for series in location.series
                  if content.phases[series.phase].name == "timestep")
    found, iteration = {}, 0
    for length, cluster in series.map:
        if cluster is not None and cluster < len(series.clusters):
            found.update((number, series.clusters[cluster])
                         for number in range(iteration, iteration + length))
        iteration += length
    return found


def traced(facts):
    """The iterations that the fact lists."""
    found = set()
    for part in facts["traced.timestep"].split(","):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found


def waits_in(content, profile, known):
    """The metrics that the run does not have, summed over call paths."""
    sums = collections.Counter()
    for (_, name), value in inclusive(content, profile).items():
        if name not in known:
            sums[name] += value
    return sums


def check_joined(tap, label, run, waits, joined):
    before, found, after = (summary_reader.Summary(path) for path in (run, waits, joined))
    tap.equal(summary_reader.problems(after), [], label + "the summary is sound")
    names = {metric.name for metric in before.metrics}
    changed = [key for location, other in zip(before.locations, after.locations)
               for key, value in inclusive(before, location.whole).items()
               if inclusive(after, other.whole).get(key) != value]
    tap.equal(changed[:3], [], label + "no value of the run changes")
    cut = int(after.run["joined.cut_ns"])
    tap.ok(10 * cut <= sum(pair.ns for pair in found.pairs),
           label + "there is time for nearly all of the waiting", cut)
    numbers = traced(after.run)
    tap.equal(after.run["joined.left_out"], "0", label + "all traced iterations are there")
    different = []
    for location, other in zip(found.locations, after.locations):
        mine, theirs = clusters(found, location), clusters(after, other)
        tap.equal(set(mine), numbers, label + "those that the fact lists were traced")
        for number in numbers:
            tap.equal(theirs[number].size, 1, label + "iteration %d stands alone" % number)
            wanted = waits_in(found, mine[number].profile, names)
            got = waits_in(after, theirs[number].profile, names)
            different += ["%d: %s: %d, not %d" % (number, name, got[name], wanted[name])
                          for name in set(wanted) | set(got)
                          if abs(got[name] - wanted[name]) > cut]
        untraced = set(theirs) - numbers
        different += ["%d: %s" % (number, dict(waits_in(after, theirs[number].profile, names)))
                      for number in untraced
                      if waits_in(after, theirs[number].profile, names)]
    tap.equal(different[:5], [], label + "traced iterations have their waiting, others none")
    return after


def test_clusters(tap):
    """Iterations that shared clusters, and such that did not."""
    for amount in ("3", "0"):
        with Directory() as directory:
            run, archive = record(directory, "run", RANKS, "particles", "--iterations", "60",
                                  TSPROF_CLUSTERS=amount, TSPROF_TRACE="slowest:4")
            waits = waits_command.analyse(archive)
            joined = os.path.join(directory, "joined.tsprof")
            tap.equal(join(archive, run, joined), "", "nothing to complain of")
            label = "%s clusters: " % amount
            check_joined(tap, label, run, waits, joined)
            info = harness.tsprof("info", joined)
            tap.ok(info.status == 0 and "NOT EXACT" not in info.stdout,
                   label + "all adds up", info.stdout)
            for what in ("waits", "causes", "instances"):
                tap.equal(len(waits_command.table(joined, what)),
                          len(waits_command.table(waits, what)),
                          label + "who waits for whom: " + what)
            tap.ok(numbered.check(tap, joined, label + "paths by number") > 0, label + "paths")
            said = " ".join(harness.tsprof("report", joined).stdout.split())
            tap.ok("of timestep, which were traced, ranks wait for each other for" in said,
                   label + "the report says when", said)


def test_readers(tap):
    """All commands read it."""
    with Directory() as directory:
        run, archive = record(directory, "run", RANKS, "particles", "--iterations", "30",
                              TSPROF_TRACE="slowest:2")
        joined = os.path.join(directory, "joined.tsprof")
        join(archive, run, joined)

        def out(name):
            return os.path.join(directory, name)
        for command in (("report", joined), ("report", joined, "--phase", "timestep"),
                        ("html", joined, "-o", out("a.html")),
                        ("plot", joined, "--kind", "graph", "--metric", "mpi_wait_nxn", "-o",
                         out("a.svg")),
                        ("diff", joined, run), ("mean", joined, joined, "-o", out("m.tsprof")),
                        ("compress", joined, "--clusters", "4", "-o", out("c.tsprof")),
                        ("suggest", joined), ("export", joined, "--what", "callpaths"),
                        ("export", joined, "--format", "cubex", "-o", out("a.cubex")),
                        ("export", joined, "--what", "iterations", "--format", "json")):
            result = harness.tsprof(*command)
            tap.ok(result.status == 0 and not result.stderr, " ".join(command[:1] + command[2:3]),
                   result.stderr)


def test_refused(tap):
    """Summaries of other runs, and such that were not measured."""
    with Directory() as directory:
        run, archive = record(directory, "run", 2, "particles", "--iterations", "20",
                              TSPROF_TRACE="slowest:2")
        out = os.path.join(directory, "out.tsprof")
        others = (record(directory, "program", 2, "wavefront", "--iterations", "2")[0],
                  record(directory, "ranks", 3, "particles", "--iterations", "20")[0],
                  waits_command.analyse(archive))
        for other, why in zip(others, ("its program is", "its ranks is", "not the summary of a run")):
            said = join(archive, other, out, status=1)
            tap.ok(why in said and not os.path.exists(out), why, said)
        joined = os.path.join(directory, "joined.tsprof")
        join(archive, run, joined)
        tap.ok("not the summary of a run" in join(archive, joined, out, status=1), "not twice")
        result = harness.tsprof("waits", archive, "--with", run, "-o", run, "--force")
        tap.ok(result.status == 1 and summary_reader.Summary(run).metrics,
               "the summary is not replaced by itself", result.stderr)


if __name__ == "__main__":
    harness.main()
