#!/usr/bin/env python3
"""`tsprof compress` makes of a run that kept every iteration what the runtime would have made of
it, bit for bit; nothing else changes; and the errors that the summary states are the true ones."""

import collections
import fractions
import math
import os
import re
import subprocess

import harness
import summary_reader
from harness import Directory

RANKS = 2
# What is run: iterations of one phase on two ranks; nested ones; threads that come and go.
RUNS = {"stencil": (2, "stencil", "--iterations", "100"), "particles": (2, "particles"),
        "templates": (2, "templates"), "workers": (2, "workers", "--iterations", "70"),
        "nested": (1, "nesting", "nested"), "lives": (1, "threads", "lives"),
        "sometimes": (2, "sometimes")}
METHODS = ("szebenyi", "adaptive")
EQUIVALENCES = ("none", "strong", "weak", "hybrid", "auto", "communication", "similar")
REPLAY = os.path.join(harness.TOP_BUILDDIR, "tests", "unit", "compress", "replay")


class Run:
    """A program's summary with every iteration, measured once."""

    contents = {}

    def __init__(self, directory, name):
        self.directory = directory
        self.path = os.path.join(directory, name + ".tsprof")
        if name not in Run.contents:
            Run.contents[name] = self.measure(*RUNS[name])
        with open(self.path, "wb") as file:
            file.write(Run.contents[name])
        self.summary = summary_reader.Summary(self.path)

    def measure(self, ranks, program, *arguments):
        result = harness.run_ranks(
            [harness.program(program)] + list(arguments), ranks, cwd=self.directory,
            settings={"TSPROF_CLUSTERS": "0", "TSPROF_RATE": "1000", "TSPROF_OUTPUT": self.path})
        harness.check_run(result, self.path)
        with open(self.path, "rb") as file:
            return file.read()

    def compress(self, *options):
        """The summary that comes out, and its path."""
        out = os.path.join(self.directory, "compressed.tsprof")
        if os.path.exists(out):
            os.unlink(out)
        result = harness.tsprof("compress", self.path, "-o", out, *options)
        if (result.status, result.stdout, result.stderr) != (0, "", ""):
            raise harness.Failure("tsprof compress %s: %s" % (options, result))
        return summary_reader.Summary(out), out


def both_series(before, after):
    for old, new in zip(before.locations, after.locations):
        for a, b in zip(old.series, new.series):
            yield a, b


def members(series):
    """The cluster of each iteration, None where there is no profile of it."""
    return [cluster for length, cluster in series.map for _ in range(length)]


def by_iteration(series):
    """The profile of each iteration as a cluster of its own, None where there is none."""
    return [None if c is None else series.clusters[c] for c in members(series)]


def visits(summary, profile):
    metric = metric_number(summary, "visits")
    nodes = {node for node, _ in profile}
    return {node: profile.get((node, metric), 0) for node in nodes}


def metric_number(summary, name):
    return [metric.name for metric in summary.metrics].index(name)


def kinds(summary, profile):
    """1 for paths with a call to MPI below them and 2 for these, by node."""
    nodes = {node for node, _ in profile}
    found = {}
    for node in nodes:
        if summary.regions[summary.nodes[node].region].kind != 1:
            continue
        found[node] = 2
        above = summary.nodes[node].parent
        while above is not None and above not in found:
            found[above] = 1
            above = summary.nodes[above].parent
    return {node: found.get(node, 0) for node in nodes}


# Nothing but the series changes


def section_bytes(summary, kind):
    return [summary.content(s) for s in summary.sections
            if s.kind == kind]


def sums(series):
    total = {}
    for cluster in series.clusters:
        summary_reader.add(total, cluster.profile)
    return {cell: value for cell, value in total.items() if value}


def compare_all_but_series(tap, label, before, after):
    for kind in range(2, 8):
        tap.ok(section_bytes(before, kind) == section_bytes(after, kind),
               "%s: section %s is the same" % (label, summary_reader.KINDS[kind]))
    for old, new in zip(before.locations, after.locations):
        tap.equal([new._replace(series=None)], [old._replace(series=None)],
                  label + ": nothing else of the location changes")
    for a, b in both_series(before, after):
        tap.equal((b.phase, b.nested_in, summary_reader.iterations(b)),
                  (a.phase, a.nested_in, summary_reader.iterations(a)),
                  label + ": phase and iterations are the same")
        tap.ok(sums(a) == sums(b), label + ": the sums over all clusters are the same")
        tap.equal(sum(c.wall_ns for c in b.clusters), sum(c.wall_ns for c in a.clusters),
                  label + ": so is the time")


def broken_guarantees(summary, a, b):
    """Iterations whose call paths are not those that their cluster promises."""
    equivalence = EQUIVALENCES[b.equivalence]
    found = []
    for number, (one, c) in enumerate(zip(by_iteration(a), members(b))):
        if one is None:
            continue
        cluster = b.clusters[c]
        own, mean = visits(summary, one.profile), visits(summary, cluster.profile)
        own_kind, mean_kind = kinds(summary, one.profile), kinds(summary, cluster.profile)
        if equivalence in ("hybrid", "communication"):
            own = {node: v if own_kind[node] == 2 else 0 for node, v in own.items()
                   if own_kind[node]}
            mean = {node: v if mean_kind[node] == 2 else 0 for node, v in mean.items()
                    if mean_kind[node]}
        good = equivalence in ("none", "similar") or set(own) == set(mean)
        if equivalence in ("strong", "hybrid"):
            good = good and all(v * cluster.size == mean[node] for node, v in own.items())
        if not good:
            found.append("%s: iteration %d in cluster %d" % (equivalence, number, c))
    return found


def test_only_the_series_change(tap):
    with Directory() as directory:
        for name in RUNS:
            run = Run(directory, name)
            for clusters in ("8", "64"):
                label = "%s, %s clusters" % (name, clusters)
                after, path = run.compress("--clusters", clusters)
                found = summary_reader.problems(after)
                tap.ok(not found, label + ": what holds in every file holds", "\n".join(found))
                compare_all_but_series(tap, label, run.summary, after)
                tap.ok(RUNS[name][1] in run.summary.run["program"], label + ": is what was run")
                for a, b in both_series(run.summary, after):
                    tap.ok(len(b.clusters) <= int(clusters) and b.asked == int(clusters),
                           label + ": at most as many clusters")
                    found = broken_guarantees(after, a, b)
                    tap.ok(not found, label + ": call paths are as guaranteed",
                           "\n".join(found))
                result = harness.tsprof("info", path)
                tap.ok(result.status == 0 and result.stdout.count("\naccounting   exact") == 1
                       and result.stdout.count("\ntotals       exact") == 1,
                       label + ": info says exact", result)


def test_call_paths_are_as_guaranteed(tap):
    with Directory() as directory:
        run = Run(directory, "workers")
        for equivalence in EQUIVALENCES:
            after, _ = run.compress("--clusters", "4", "--equivalence", equivalence)
            for a, b in both_series(run.summary, after):
                wanted = {"auto": ("hybrid", "communication", "similar")}.get(
                    equivalence, (equivalence,))
                tap.ok(EQUIVALENCES[b.equivalence] in wanted, equivalence + ": is in force")
                found = broken_guarantees(after, a, b)
                tap.ok(not found, equivalence + ": call paths are as guaranteed",
                       "\n".join(found))


def test_settings_are_recorded(tap):
    with Directory() as directory:
        run = Run(directory, "stencil")
        after, _ = run.compress("--clusters", "7", "--clustering", "szebenyi", "--equivalence",
                                "weak")
        changed = {key: value for key, value in after.run.items()
                   if run.summary.run.get(key) != value}
        tap.equal(changed, {"setting.CLUSTERS": "7", "setting.CLUSTERS.source": "compress",
                            "setting.CLUSTERING": "szebenyi",
                            "setting.CLUSTERING.source": "compress",
                            "setting.EQUIVALENCE": "weak",
                            "setting.EQUIVALENCE.source": "compress"}, "settings")
        tap.equal(set(after.run), set(run.summary.run), "and no other facts")
        tap.equal({s.method for l in after.locations for s in l.series}, {"szebenyi"},
                  "the series say the method")


# The same as in the program


def dump(summary, series, clusters, method, equivalence):
    """Iterations as tests/unit/compress/replay.c reads them."""
    words = [clusters, METHODS.index(method), EQUIVALENCES.index(equivalence),
             len(summary.metrics)]
    times = summary.below("computation") | summary.below("mpi")
    chance = {metric_number(summary, name)
              for name in ("overhead", "preempted", "samples", "samples_failed")}
    for one in by_iteration(series):
        if one is None:
            words += ["skip", 1]
            continue
        cells = sorted(one.profile.items())
        paths, kind = sorted(visits(summary, one.profile).items()), kinds(summary, one.profile)
        words += ["iteration", one.wall_ns, len(cells)]
        for (node, metric), value in cells:
            compared = kind[node] == 2 and metric not in chance and \
                not summary.metrics[metric].counter
            words += [node * len(summary.metrics) + metric, value,
                      3 if metric in times else int(compared)]
        words.append(len(paths))
        for node, count in paths:
            words += [node, kind[node], count]
        words += summary.condensed(one)
    return " ".join(map(str, words)).encode()


Replayed = collections.namedtuple("Replayed", "equivalence classes maxima clusters map largest")


def replay(summary, series, *how):
    """What the library alone makes of the iterations."""
    done = subprocess.run([REPLAY], input=dump(summary, series, *how), stdout=subprocess.PIPE,
                          timeout=harness.COMMAND_TIMEOUT_S, check=True)
    lines = [line.split() for line in done.stdout.decode().splitlines()]
    count = len(summary.metrics)
    clusters = []
    for line in lines[3:-2]:
        size, klass, wall_ns, cells = map(int, line[1:5])
        numbers = list(map(int, line[5 : 5 + 2 * cells]))
        profile = {(cell // count, cell % count): value
                   for cell, value in zip(numbers[::2], numbers[1::2]) if value}
        clusters.append((size, klass, wall_ns, profile,
                         [float.fromhex(text) for text in line[5 + 2 * cells :]]))
    return Replayed(int(lines[0][1]), int(lines[1][1]),
                    [float.fromhex(text) for text in lines[2][1:]], clusters,
                    [None if c == "-1" else int(c) for c in lines[-2][1:]],
                    list(map(int, lines[-1][1:])))


def as_replayed(summary, series):
    """What the file says, in the same form."""
    def row(values):
        return [float(values.get(m, 0)) for m in range(len(summary.metrics))]
    return Replayed(series.equivalence, series.classes, row(series.maxima),
                    [(c.size, c.klass, c.wall_ns, c.profile, row(c.spreads))
                     for c in series.clusters], members(series),
                    [number for (node, metric), (value, iteration) in sorted(series.largest.items())
                     for number in (node * len(summary.metrics) + metric, value, iteration)])


def compare_with_replay(tap, run, clusters, method, equivalence):
    label = "%s clusters, %s, %s: " % (clusters, method, equivalence)
    after, _ = run.compress("--clusters", clusters, "--clustering", method, "--equivalence",
                            equivalence)
    for a, b in both_series(run.summary, after):
        wanted = replay(run.summary, a, clusters, method, equivalence)
        got = as_replayed(after, b)
        for field in Replayed._fields:
            tap.ok(getattr(got, field) == getattr(wanted, field), label + field,
                   "got    %.2000r\nwanted %.2000r" % (getattr(got, field),
                                                       getattr(wanted, field)))


def test_on_line_and_off_line_are_the_same(tap):
    if not os.path.exists(REPLAY):
        raise harness.Skip("tests/unit/compress/replay is not built")
    with Directory() as directory:
        for name in RUNS:
            run = Run(directory, name)
            for method in METHODS:
                compare_with_replay(tap, run, "64", method, "auto")
        for name in ("particles", "workers"):
            run = Run(directory, name)
            for method in METHODS:
                for equivalence in EQUIVALENCES:
                    compare_with_replay(tap, run, "8", method, equivalence)


def test_auto_takes_what_the_error_is_worth(tap):
    with Directory() as directory:
        run = Run(directory, "particles")
        after, path = run.compress("--clusters", "auto")
        tap.equal(after.run["setting.CLUSTERS"], "auto", "auto is recorded")
        for a, b in both_series(run.summary, after):
            tap.ok(64 <= b.asked <= 1024 and len(b.clusters) <= b.asked,
                   "auto: the series says what it came to", (b.asked, len(b.clusters)))
        last, _ = run.compress("--clusters", "auto", "--clusters", "2")
        tap.equal({len(s.clusters) for l in last.locations for s in l.series}, {2},
                  "the last --clusters holds")


# The errors are true


def true_spreads(summary, ones):
    """Exactly, in fractions."""
    values = [summary.condensed(one) for one in ones]
    spreads = []
    for column in zip(*values):
        mean = fractions.Fraction(sum(column), len(column))
        spreads.append(sum((value - mean) ** 2 for value in column))
    return spreads


def test_spreads_and_maxima_are_true(tap):
    with Directory() as directory:
        for name in RUNS:
            run = Run(directory, name)
            after, _ = run.compress("--clusters", "8")
            for a, b in both_series(run.summary, after):
                ones = by_iteration(a)
                largest = [max(map(abs, column)) for column in
                           zip(*(after.condensed(one) for one in ones if one))]
                wanted = {m: value for m, value in enumerate(largest) if value}
                tap.equal(b.maxima, wanted, name + ": maxima of the iterations")
                tap.equal(a.maxima, wanted, name + ": and so where every one was kept")
                wrong = []
                for c, cluster in enumerate(b.clusters):
                    inside = [one for one, m in zip(ones, members(b)) if m == c]
                    for metric, spread in enumerate(true_spreads(after, inside)):
                        said = cluster.spreads.get(metric, 0.0)
                        # A deviation of a billionth of the maximum is rounding.
                        slack = len(inside) * (1e-9 * b.maxima.get(metric, 0)) ** 2
                        if abs(said - spread) > 1e-9 * spread + slack:
                            wrong.append("cluster %d, metric %d: %r, not %r"
                                         % (c, metric, said, float(spread)))
                tap.ok(not wrong, name + ": spreads of the clusters", "\n".join(wrong))


STATED = ("comms_send", "bytes_sent", "syncs_send", "comms_coll", "bytes_coll_out")


def test_the_runtime_states_true_spreads(tap):
    """Against what the program says that it did in each iteration."""
    with Directory() as directory:
        _, path = harness.profile(directory, "particles", RANKS, (),
                                  {"TSPROF_CLUSTERS": "3", "TSPROF_EQUIVALENCE": "none"})
        summary = summary_reader.Summary(path)
        found = summary_reader.problems(summary)
        tap.ok(not found, "what holds in every file holds", "\n".join(found))
        done = collections.Counter()
        for (rank, iteration, _, _, metric), v in harness.read_counts(directory, RANKS).items():
            done[rank, iteration, metric] += v
        for rank, location in enumerate(summary.locations):
            (series,) = location.series
            tap.equal((len(series.clusters), series.asked, series.method),
                      (3, 3, "adaptive"), "rank %d: three clusters, as asked for" % rank)
            for metric in STATED:
                number = metric_number(summary, metric)
                stated = [done[rank, i, metric] for i in range(len(members(series)))]
                tap.equal(series.maxima.get(number, 0), max(stated),
                          "rank %d: maximum of %s" % (rank, metric))
                for c, cluster in enumerate(series.clusters):
                    inside = [v for v, m in zip(stated, members(series)) if m == c]
                    mean = fractions.Fraction(sum(inside), len(inside))
                    spread = float(sum((v - mean) ** 2 for v in inside))
                    said = cluster.spreads.get(number, 0.0)
                    tap.ok(abs(said - spread) <= 1e-9 * spread + 1e-9,
                           "rank %d, cluster %d: spread of %s" % (rank, c, metric),
                           (said, spread))


def exported(path, what):
    """Rows of an export without its header; call paths have no commas."""
    return [row.split(",") for row in
            harness.tsprof("export", path, "--what", what).stdout.splitlines()[1:]]


def test_the_runtime_counts_presence(tap):
    """Against what tests/programs/sometimes.c does; two lines that call one function are one call
    path of exports, so that there are bounds."""
    happens = {"main;step;MPI_Allreduce": lambda i: True,
               "main;step;checkpoint": lambda i: i % 3 == 0,
               "main;step;checkpoint;MPI_Barrier": lambda i: i % 3 == 0,
               "main;step;share": lambda i: i % 7 == 0,
               "main;step;share;MPI_Bcast": lambda i: i % 7 == 0}
    with Directory() as directory:
        path = os.path.join(directory, "out.tsprof")
        result = harness.run_ranks([harness.program("sometimes")], RANKS, cwd=directory,
                                   settings={"TSPROF_CLUSTERS": "2", "TSPROF_OUTPUT": path,
                                             "TSPROF_EQUIVALENCE": "none"})
        harness.check_run(result, path)
        cluster = {(int(rank), int(i)): c for _, rank, i, c, _ in exported(path, "clusters")}
        said = {(int(rank), int(i), callpath): (1.0, 1.0)
                for _, i, rank, callpath, _, _ in exported(path, "callpaths")
                if callpath in happens}
        told = {(int(rank), int(i), callpath): (float(least), float(most))
                for _, i, rank, callpath, least, most in exported(path, "presence")}
        wrong, bounds = [], 0
        for (rank, i, callpath), (least, most) in {**said, **told}.items():
            inside = [n for (r, n), c in cluster.items()
                      if (r, c) == (rank, cluster[rank, i])]
            if callpath not in happens:
                continue
            true = sum(map(happens[callpath], inside)) / len(inside)
            exact = not callpath.endswith("Bcast")
            bounds += least != most
            if not least - 1e-9 <= true <= most + 1e-9 or (exact and least != most):
                wrong.append("%s in %d on %d: %r of its cluster, not %r to %r"
                             % (callpath, i, rank, true, least, most))
        tap.ok(len(said) > 84 and not wrong, "in how many", "\n".join(wrong[:10]))
        tap.ok(bounds > 0, "two lines have bounds together", bounds)


def true_presence(ones):
    """In how many of the profiles each call path has a value, those above it included."""
    return collections.Counter(node for one in ones for node in {n for n, _ in one.profile})


def presence_faults(ones, cluster):
    """What a cluster says wrong of the nodes that have values in ONES, its iterations."""
    return ["node %d: %r, not %d of %d" % (node, cluster.presence.get(node), count, cluster.size)
            for node, count in true_presence(ones).items()
            if cluster.presence.get(node, (cluster.size,) * 2) != (count, count)]


def test_presence_is_true(tap):
    """Of call paths in clusters, for clusters of anything; and their share is what is stated."""
    partly = 0
    with Directory() as directory:
        for name in RUNS:
            run = Run(directory, name)
            after, path = run.compress("--clusters", "2", "--equivalence", "none")
            wrong, phantoms, shown = [], 0, 0
            for a, b in both_series(run.summary, after):
                ones = by_iteration(a)
                for c, cluster in enumerate(b.clusters):
                    inside = [one for one, m in zip(ones, members(b)) if m == c]
                    wrong += presence_faults(inside, cluster)
                    partly += len(cluster.presence)
                    nodes = {node for node, _ in cluster.profile}
                    shown += cluster.size * len(nodes)
                    phantoms += sum(cluster.size - count for node, count
                                    in true_presence(inside).items() if node in nodes)
            tap.ok(not wrong, name + ": presence in two clusters", "\n".join(wrong))
            compared = harness.tsprof("compare", run.path, path, "--format", "csv").stdout
            figures = {tuple(row.split(",")[1:3]): float(row.split(",")[4])
                       for row in compared.splitlines()[1:]}
            share = figures.get(("phantom_paths_stated", "all"))
            if phantoms and len(run.summary.phases) == 1:
                tap.ok(abs(share - phantoms / shown) < 1e-9, name + ": phantoms are stated",
                       (share, phantoms / shown))
    tap.ok(partly > 0, "some call paths did not occur in every iteration", partly)


def true_phantoms(before, after, is_chosen):
    """The share of the nodes that AFTER shows, of those that are chosen, which are not there."""
    shown, phantoms = 0, 0
    for a, b in both_series(before, after):
        for one, m in zip(by_iteration(a), members(b)):
            there = {node for node, _ in one.profile}
            nodes = {node for node, _ in b.clusters[m].profile if is_chosen(node)}
            shown += len(nodes)
            phantoms += len(nodes - there)
    return phantoms / shown


def stated_phantoms(after, is_chosen, iterations):
    """The same for some iterations, by the shares of whole clusters."""
    shown, phantoms = 0, 0
    for location in after.locations:
        for cluster in [by_iteration(location.series[0])[i] for i in iterations]:
            nodes = {node for node, _ in cluster.profile if is_chosen(node)}
            shown += len(nodes)
            phantoms += sum(1 - cluster.presence[node][0] / cluster.size
                            for node in nodes & set(cluster.presence))
    return phantoms / shown


def stated_percents(text):
    """What info or the report state: the shares of all call paths and of those of MPI."""
    found = re.search(r"([\d.]+) % of the call paths shown did not occur in the iteration "
                      r"\(of those of MPI ([\d.]+) %\)", " ".join(text.split()))
    return [float(share) for share in found.groups()] if found else None


def test_all_say_the_same_of_phantoms(tap):
    """compare, info and the report, of a run whose every iteration is known as well."""
    with Directory() as directory:
        run = Run(directory, "sometimes")
        after, path = run.compress("--clusters", "4", "--equivalence", "none")

        def is_mpi(node):
            return after.regions[after.nodes[node].region].kind == 1

        kinds, said = (lambda node: True, is_mpi), {}
        true = [true_phantoms(run.summary, after, kind) for kind in kinds]
        for row in harness.tsprof("compare", run.path, path, "--format", "csv").stdout.split():
            _, figure, group, _, value = row.split(",")
            said[figure, group] = value
        for figure in ("phantom_paths", "phantom_paths_stated"):
            got = [float(said[figure, group]) for group in ("all", "mpi")]
            tap.ok(true[0] > 0.05 and all(abs(x - y) < 1e-9 for x, y in zip(got, true)),
                   "compare: " + figure, (got, true))
        for command in ("info", "report"):
            percents = stated_percents(harness.tsprof(command, path).stdout)
            tap.ok(percents and all(abs(x - 100 * y) <= 0.0501 for x, y in zip(percents, true)),
                   command, (percents, true))
        pairs = {(i, i + 1): [stated_phantoms(after, kind, (i, i + 1)) for kind in kinds]
                 for i in range(83)}
        pair, shares = max(pairs.items(), key=lambda item: abs(item[1][0] - true[0]) *
                           (min(item[1]) > 0))
        percents = stated_percents(harness.tsprof("report", path, "--iteration",
                                                  "%d-%d" % pair).stdout)
        tap.ok(percents and all(abs(x - 100 * y) <= 0.0501 for x, y in zip(percents, shares)) and
               abs(shares[0] - true[0]) > 0.01, "the report of some iterations is about these",
               (pair, percents, shares, true))


def hidden_maxima(before, after):
    """Iteration, rank and metric of each largest time of a call path that is more than twice what
    is shown of it, by more than 0.2 % of a mean iteration: those first of which most is hidden."""
    times, found = before.below("computation") | before.below("mpi"), []
    for place, old, new in zip(before.places, before.locations, after.locations):
        for a, b in zip(old.series, new.series):
            ones, numbers = by_iteration(a), members(b)
            least = 0.002 * sum(cluster.wall_ns for cluster in b.clusters) / len(numbers)
            for cell in {cell for one in ones for cell in one.profile if cell[1] in times}:
                values = [one.profile.get(cell, 0) for one in ones]
                at = values.index(max(values))
                mean = b.clusters[numbers[at]]
                shown = fractions.Fraction(mean.profile.get(cell, 0), mean.size)
                if max(values) > 2 * shown and max(values) - shown > least:
                    found.append((max(values) - shown, at, place.rank,
                                  before.metrics[cell[1]].name))
    return [key[1:] for key in sorted(found, reverse=True)]


def test_info_names_what_means_hide(tap):
    """Call paths that took much longer in one iteration than its cluster shows."""
    hidden = 0
    with Directory() as directory:
        for name in ("sometimes", "particles", "workers"):
            run = Run(directory, name)
            after, path = run.compress("--clusters", "2", "--equivalence", "none")
            text = " ".join(harness.tsprof("info", path, "--top", "1000").stdout.split())
            said = [(int(iteration), int(rank), metric) for iteration, rank, metric in
                    re.findall(r"in iteration (\d+) on rank (\d+), shown as \S+ \S+: (\w+) of ",
                               text)]
            wanted = hidden_maxima(run.summary, after)
            hidden += len(wanted)
            tap.equal(said, wanted, name + ": all of them, the most hidden first")
            first = " ".join(harness.tsprof("info", path).stdout.split())
            tap.equal(first.count(", shown as "), min(3, len(wanted)), name + ": three of them")
            tap.equal("%d more call paths took longer" % (len(wanted) - 3) in first, len(wanted) > 3,
                      name + ": and how many there are")
    tap.ok(hidden > 0, "there are some", hidden)


def test_the_report_says_how_a_call_path_is_shown(tap):
    """In how many of the iterations it occurred, and how far off it is in a single one."""
    with Directory() as directory:
        run = Run(directory, "sometimes")
        after, path = run.compress("--clusters", "2", "--equivalence", "none")
        every = harness.tsprof("report", path, "--phase", "step").stdout.split("call path\n")[-1]
        words = " ".join(every.split("Errors and costs")[0].split())
        tap.ok("checkpoint occurred in 33.3 % of these" in words,
               "a third of them have MPI_Barrier", words)
        tap.ok("share occurred in 7.1 to 14.3 % of these" in words,
               "of two lines in a seventh there are bounds", words)
        tap.equal(words.count("occurred"), 2, "of what always occurs nothing is said")
        one = " ".join(harness.tsprof("report", path, "--iteration", "9").stdout.split())
        errors = {(after.callpath(node), after.metrics[metric].name): error for
                  (_, node, metric), error in true_path_errors(run.summary, after).items()}
        said = re.search(r"in main > step > checkpoint .*?off by ([\d.]+) (\w+) in a single one",
                         one)
        true = errors["main;step;checkpoint;MPI_Barrier", "mpi_sync_collective"]
        units = {"s": 1e9, "ms": 1e6, "µs": 1e3, "ns": 1}
        tap.ok(said and abs(float(said[1]) * units[said[2]] - true) < 0.006 * true,
               "MPI_Barrier is as far off as it is", (said and said[0], true))


def true_path_errors(before, after):
    """Root mean square of what call paths are off, by phase, node and metric, over all ranks."""
    squares, count = collections.Counter(), collections.Counter()
    for a, b in both_series(before, after):
        for one, m in zip(by_iteration(a), members(b)):
            if one is None:
                continue
            mean = b.clusters[m]
            count[b.phase] += 1
            for cell in set(one.profile) | set(mean.profile):
                off = one.profile.get(cell, 0) - fractions.Fraction(mean.profile.get(cell, 0),
                                                                    mean.size)
                squares[(b.phase,) + cell] += off * off
    return {cell: math.sqrt(value / count[cell[0]]) for cell, value in squares.items()}


def stated_path_errors(after):
    """The same from the sums of squares in the file, by doc/compression.md."""
    squares, count = collections.Counter(), collections.Counter()
    for location in after.locations:
        for series in location.series:
            count[series.phase] += sum(cluster.size for cluster in series.clusters)
            for cell, value in series.squares.items():
                means = sum(fractions.Fraction(c.profile.get(cell, 0)) ** 2 / c.size
                            for c in series.clusters)
                squares[(series.phase,) + cell] += fractions.Fraction(value) - means
    return {cell: math.sqrt(max(0, value) / count[cell[0]]) for cell, value in squares.items()}


def test_errors_of_call_paths_are_true(tap):
    """Those that the file's sums of squares state, and that info says."""
    with Directory() as directory:
        for name in RUNS:
            run = Run(directory, name)
            after, path = run.compress("--clusters", "4", "--equivalence", "none")
            wanted, stated = true_path_errors(run.summary, after), stated_path_errors(after)
            times = run.summary.below("computation") | run.summary.below("mpi")
            wanted = {cell: error for cell, error in wanted.items() if cell[2] in times}
            # A billionth of what is summed is rounding.
            wrong = ["%r: %r, not %r" % (cell, stated.get(cell), error)
                     for cell, error in wanted.items()
                     if abs(stated.get(cell, 0) - error) > 1e-3 * error + 100]
            tap.ok(wanted and not wrong, name + ": errors of call paths", "\n".join(wrong))
            if len(run.summary.phases) > 1 or name == "lives":
                continue
            worst = max(wanted, key=wanted.get)
            lines = [line for line in harness.tsprof("info", path).stdout.splitlines()
                     if line.startswith("path error")]
            tap.ok(len(lines) == 1 and after.metrics[worst[2]].name in lines[0],
                   name + ": info names the worst", (lines, after.callpath(worst[1])))


def errors_of_totals(before, after):
    """Root mean square error of totals as users see them, of the largest, by metric."""
    squares, largest, count = collections.Counter(), collections.Counter(), 0
    for a, b in both_series(before, after):
        for one, m in zip(by_iteration(a), members(b)):
            mean = b.clusters[m]
            count += 1
            shown = before.condensed(one._replace(hidden=0))
            for metric, (value, total) in enumerate(
                    zip(shown, before.condensed(mean._replace(hidden=0)))):
                squares[metric] += (value - fractions.Fraction(total, mean.size)) ** 2
                largest[metric] = max(largest[metric], value)
    return {before.metrics[m].name: math.sqrt(squares[m] / count) / largest[m]
            for m in squares if largest[m]}


def stated_errors(path):
    """What info says, as shares."""
    lines = harness.tsprof("info", path, "--top", "99").stdout
    words = re.search(r"^error .*?: root mean square, of the largest iteration: ([^\n]*)", lines,
                      re.MULTILINE).group(1)
    return {name: float(percent) / 100 for name, percent in
            re.findall(r"(\w+) ([0-9.]+) %", words)}


def test_stated_errors_are_true(tap):
    """Of programs with one phase on two ranks; one is in Fortran, whose bindings are not shown.
    Visits of frames that are not shown are known by cluster only, so where there are such frames the
    error of visits may be stated too large, but not too small."""
    runs = {"particles": RUNS["particles"], "stencil": RUNS["stencil"],
            "heat": (2, "heat_mpif", "--iterations", "120")}
    RUNS.update(heat=runs["heat"])
    hidden = 0
    try:
        with Directory() as directory:
            for name in runs:
                run = Run(directory, name)
                for clusters in ("3", "16"):
                    after, path = run.compress("--clusters", clusters, "--equivalence", "none")
                    true, stated = errors_of_totals(run.summary, after), stated_errors(path)
                    unseen = sum(cluster.hidden for location in after.locations
                                 for series in location.series for cluster in series.clusters)
                    wrong = ["%s: %.4f stated, %.4f true" % (metric, stated[metric], true[metric])
                             for metric in stated if metric in true and
                             not 0.99 * true[metric] - 6e-4 <= stated[metric] <=
                             (2 if unseen and metric == "visits" else 1.01)
                             * true[metric] + 6e-4]
                    tap.ok("visits" in stated and len(stated) > 5 and not wrong,
                           "%s, %s clusters: errors of totals" % (name, clusters),
                           "\n".join(wrong))
                hidden += unseen
    finally:
        del RUNS["heat"]
    tap.ok(hidden > 0, "some frames are not shown", hidden)


def test_largest_values_are_true(tap):
    """Of each call path, and the iteration that had it, whatever became of its cluster."""
    kept = most = 0
    with Directory() as directory:
        for name in RUNS:
            run = Run(directory, name)
            after, _ = run.compress("--clusters", "2", "--equivalence", "none")
            for a, b in both_series(run.summary, after):
                wanted = {}
                for i, one in enumerate(by_iteration(a)):
                    for cell, value in (one.profile if one else {}).items():
                        if value > wanted.get(cell, (0,))[0]:
                            wanted[cell] = value, i
                times = run.summary.below("computation") | run.summary.below("mpi")
                wanted = {cell: found for cell, found in wanted.items() if cell[1] in times}
                tap.equal(b.largest, wanted, name + ": largest values of two clusters")
                tap.ok(set(a.largest.items()) <= set(wanted.items()),
                       name + ": and those of the run", (a.largest, wanted))
                kept += len(a.largest)
                most += len(wanted)
        # Call paths that differ in return addresses alone have none of the run's.  A series of
        # a few samples may consist of such; all of them together do not.
        tap.ok(kept > most / 2, "runs have most of them", (kept, most))


def true_errors(before, after):
    """By metric name: root mean square and mean absolute error, of the largest value."""
    count, squares, absolutes, largest = 0, collections.Counter(), collections.Counter(), {}
    for a, b in both_series(before, after):
        for c in range(len(b.clusters)):
            inside = [one for one, m in zip(by_iteration(a), members(b)) if m == c]
            count += len(inside)
            for metric, column in enumerate(zip(*map(after.condensed, inside))):
                mean = fractions.Fraction(sum(column), len(column))
                squares[metric] += sum((value - mean) ** 2 for value in column)
                absolutes[metric] += sum(abs(value - mean) for value in column)
                largest[metric] = max(largest.get(metric, 0), max(map(abs, column)))
    return {after.metrics[m].name: (math.sqrt(squares[m] / count) / most,
                                    float(absolutes[m] / count) / most)
            for m, most in largest.items() if most}


def test_info_states_the_true_error(tap):
    with Directory() as directory:
        for name in ("stencil", "particles"):
            run = Run(directory, name)
            after, path = run.compress("--clusters", "4")
            errors = true_errors(run.summary, after)
            result = harness.tsprof("info", path, "--top", "1000")
            line = re.search(r"^error +\w+: .*$", result.stdout, re.M).group(0)
            said = dict(re.findall(r"(\w+) ([-.0-9e]+) %", line))
            tap.equal(set(said), set(errors) - {"time"}, name + ": every metric has its error")
            for metric, text in said.items():
                root, absolute = errors[metric]
                tap.ok(abs(float(text) - 100 * root) <= max(0.051, 0.06 * 100 * root),
                       "%s: %s is off by %s %%" % (name, metric, text), 100 * root)
                tap.ok(absolute <= root * (1 + 1e-12), "%s: less in the mean" % metric)
            every = harness.tsprof("info", run.path).stdout
            tap.ok(re.search(r"^error +\w+: none, every iteration has a profile of its own$",
                             every, re.M), name + ": no error where all are kept", every)


# What cannot be


def refused(tap, label, result, status, *words):
    tap.ok(result.status == status and len(result.stderr.splitlines()) == 1
           and all(word in result.stderr for word in words), label + " is refused", result)


def test_wrong_input(tap):
    with Directory() as directory:
        run = Run(directory, "stencil")
        good = ("--clusters", "8")
        _, out = run.compress(*good)
        other = os.path.join(directory, "other")
        refused(tap, "a clustered summary",
                harness.tsprof("compress", out, "-o", other, *good), 1, out,
                "TSPROF_CLUSTERS=0")
        refused(tap, "an output that is there",
                harness.tsprof("compress", run.path, "-o", out, *good), 1, out, "already")
        refused(tap, "the input as output",
                harness.tsprof("compress", run.path, "-o", run.path, *good), 1, "already")
        tap.ok(summary_reader.Summary(run.path), "and still whole")
        refused(tap, "an output that cannot be",
                harness.tsprof("compress", run.path, "-o", directory + "/no/out", *good), 1,
                "/no/out")
        damaged = os.path.join(directory, "damaged")
        with open(damaged, "wb") as file:
            file.write(Run.contents["stencil"][:-9])
        refused(tap, "a damaged summary",
                harness.tsprof("compress", damaged, "-o", other, *good), 1, damaged)
        refused(tap, "no summary",
                harness.tsprof("compress", directory + "/none", "-o", other, *good), 1, "/none")
        tap.ok(not os.path.exists(other), "no output is left behind")


def test_wrong_command_lines(tap):
    with Directory() as directory:
        run = Run(directory, "stencil")
        out = ("-o", os.path.join(directory, "out"))
        for options in ((), ("--clusters", "8"), out, out + ("--clusters", "0"),
                        out + ("--clusters", "many"), out + ("--clusters", "65537"),
                        out + ("--clusters", "automatic"),
                        out + ("--clusters", "8", "--clustering", "ward"),
                        out + ("--clusters", "8", "--equivalence", "strict"),
                        out + ("--clusters", "8", "--top", "3")):
            refused(tap, " ".join(("compress",) + options).replace(directory, ""),
                    harness.tsprof("compress", run.path, *options), 2, "compress")
        tap.ok(not os.path.exists(out[1]), "no output is left behind")


if __name__ == "__main__":
    harness.main()
