#!/usr/bin/env python3
"""tsprof compare: every figure against one computed here, in fractions, from the definitions in
doc/compression.md and the independent reader; a summary is no different from itself; files that have
little or nothing in common; files that are wrong."""

import collections
import csv
import io
import math
import os
import random
from fractions import Fraction

import badfiles
import cli_command
import harness
import summary_reader
from harness import Directory

IRRELEVANT = {"time", "overhead", "preempted", "samples", "samples_failed"}
COUNTS = {"visits", "syncs", "comms", "bytes", "io_ops"}
FIGURES = ("iteration_mean", "iteration_max", "iteration_rms", "iteration_worst",
           "callpath_mean", "callpath_worst")
LIMITS = (("0", 0), ("0.00001", Fraction(1, 10**5)), ("0.0001", Fraction(1, 10**4)),
          ("0.001", Fraction(1, 1000)), ("0.01", Fraction(1, 100)), ("0.1", Fraction(1, 10)))
EVERYTHING = (0, 1 << 64)


# The figures, computed anew


class Side:
    """What a summary says of the chosen iterations, ranks and threads, by names."""

    def __init__(self, content):
        self.content = content
        self.names = [metric.name for metric in content.metrics]
        self.paths, self.is_mpi = [], {}
        for node in content.nodes:
            region = content.regions[node.region]
            module = "" if region.module is None else content.modules[region.module][0]
            around = () if node.parent is None else self.paths[node.parent]
            path = around + ((region.name, region.kind, os.path.basename(module), node.line),)
            self.paths.append(path)
            self.is_mpi[path] = region.kind == 1

    def metrics(self):
        """Name, unit and scale, names from the outermost on, and if measured."""
        found = {}
        for metric in self.content.metrics:
            around = [metric.name]
            at = metric
            while at.parent is not None:
                at = self.content.metrics[at.parent]
                around.insert(0, at.name)
            found[metric.name] = ((metric.unit, metric.scale), around, metric.measured)
        return found

    def used(self):
        """Names of the metrics that are not zero in the whole run of some location."""
        return {name for location in self.content.locations
                for name, value in self.inclusive(location.whole).items() if value}

    def inclusive(self, profile):
        totals = [0] * len(self.names)
        for (_, metric), value in profile.items():
            totals[metric] += value
        for m in reversed(range(len(totals))):
            if self.content.metrics[m].parent is not None:
                totals[self.content.metrics[m].parent] += totals[m]
        return dict(zip(self.names, totals))

    def profiles(self, phase, ranks, threads, iterations):
        """{(rank, thread, iteration): (totals by metric, {path: {metric: value}})}"""
        found = {}
        for place, location in zip(self.content.places, self.content.locations):
            if not (within(place.rank, ranks) and within(place.thread, threads)):
                continue
            for series in location.series:
                if self.content.phases[series.phase].name == phase:
                    decoded = [self.decode(cluster) for cluster in series.clusters]
                    for iteration, cluster in enumerate(unroll(series.map)):
                        if cluster is not None and within(iteration, iterations):
                            found[place.rank, place.thread, iteration] = decoded[cluster]
        return found

    def decode(self, cluster):
        totals = {name: Fraction(value, cluster.size)
                  for name, value in self.inclusive(cluster.profile).items()}
        cells = collections.defaultdict(collections.Counter)
        for (node, metric), value in cluster.profile.items():
            cells[self.paths[node]][self.names[metric]] += Fraction(value, cluster.size)
        return totals, cells


def within(number, limits):
    return limits[0] <= number <= limits[1]


def unroll(runs):
    return [cluster for length, cluster in runs for _ in range(length)]


def add_cells(total, cells):
    for path, values in cells.items():
        for metric, value in values.items():
            total[path][metric] += value


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def group_means(by_metric, groups, figure):
    """Averages over the metrics of each group; of the worst, the largest."""
    found = {}
    for group, members in groups.items():
        values = [by_metric[m] for m in by_metric if m in members]
        if values:
            found[group] = max(values) if figure.endswith("worst") else mean(values)
    return found


class Comparison:
    """All rows of one phase: {(figure, group, metric): value}."""

    def __init__(self, a, b, phase, metrics=None, ranks=EVERYTHING, threads=EVERYTHING,
                 iterations=EVERYTHING):
        self.a, self.b = Side(a), Side(b)
        self.choose_metrics(metrics)
        self.rows = {}
        ours = self.a.profiles(phase, ranks, threads, iterations)
        theirs = self.b.profiles(phase, ranks, threads, iterations)
        places = {(p.rank, p.thread) for p in a.places} & {(p.rank, p.thread) for p in b.places}
        both = sorted(set(ours) & set(theirs))
        self.pairs = [(key, ours[key], theirs[key]) for key in both]
        self.state("compared", "iterations", "", len({key[2] for key in both}))
        self.state("compared", "ranks", "", len({key[0] for key in both}))
        self.state("compared", "profiles", "", len(both))
        for figure, one, other in (("only_in_a", ours, theirs), ("only_in_b", theirs, ours)):
            self.state(figure, "profiles", "",
                       sum(key[:2] in places for key in set(one) - set(other)))
        self.compare_iterations()
        self.compare_paths()
        self.state_what_b_says(b, phase, ranks, threads, iterations)

    def choose_metrics(self, chosen):
        known, others = self.a.metrics(), self.b.metrics()
        used = self.a.used() | self.b.used()
        self.entire, self.by_path = [], []
        self.groups = collections.defaultdict(set)
        self.klass = {}
        for name, (unit, around, measured) in known.items():
            if name not in others or others[name][0] != unit or name not in used:
                continue
            relevant = name not in IRRELEVANT
            if name in chosen if chosen else relevant:
                self.entire.append(name)
            below = relevant and set(chosen or ()) & set(around)
            if measured and others[name][2] and (name in chosen or below if chosen else relevant):
                self.by_path.append(name)
            self.klass[name] = ("count" if around[0] in COUNTS else
                                "time" if around[0] == "time" and relevant else "other")
            groups = ["all", self.klass[name]]
            groups += ["mpi_time"] if "mpi" in around else []
            groups += ["computation"] if name == "computation" else []
            for group in groups:
                self.groups[group].add(name)
        self.groups.pop("other", None)

    def state(self, figure, group, metric, value):
        self.rows[figure, group, metric] = value

    def state_by_metric(self, figure, by_metric, groups=None):
        for metric, value in by_metric.items():
            self.state(figure, self.klass[metric], metric, value)
        for group, value in group_means(by_metric, groups or self.groups, figure).items():
            self.state(figure, group, "", value)

    def compare_iterations(self):
        figures = {figure: {} for figure in FIGURES[:4]}
        for metric in self.entire:
            by_iteration = collections.defaultdict(dict)
            for (rank, _, iteration), (a, _), (b, _) in self.pairs:
                sums = by_iteration[iteration].setdefault(rank, [0, 0])
                sums[0] += a[metric]
                sums[1] += b[metric]
            if not any(a[metric] for _, (a, _), _ in self.pairs):
                continue
            for figure, over_ranks in (("iteration_mean", mean), ("iteration_max", max)):
                lines = [[over_ranks([sums[side] for sums in ranks.values()])
                          for ranks in by_iteration.values()] for side in (0, 1)]
                figures[figure][metric] = (
                    mean(abs(a - b) for a, b in zip(*lines)) / max(map(abs, lines[0])))
            errors = [abs(a[metric] - b[metric]) for _, (a, _), (b, _) in self.pairs]
            largest = max(abs(a[metric]) for _, (a, _), _ in self.pairs)
            figures["iteration_rms"][metric] = (
                math.sqrt(mean(e * e for e in errors)) / float(largest))
            figures["iteration_worst"][metric] = max(errors) / largest
        for figure in FIGURES[:4]:
            self.state_by_metric(figure, figures[figure])

    def ranks(self):
        """The call paths of each rank and iteration on both sides."""
        found = {}
        for (rank, _, iteration), (_, a), (_, b) in self.pairs:
            sums = found.setdefault((rank, iteration), (
                collections.defaultdict(collections.Counter),
                collections.defaultdict(collections.Counter)))
            add_cells(sums[0], a)
            add_cells(sums[1], b)
        return found.values()

    def compare_paths(self):
        ranks = self.ranks()
        is_mpi = {**self.a.is_mpi, **self.b.is_mpi}
        largest = collections.Counter()
        for a, _ in ranks:
            for values in a.values():
                for metric in self.by_path:
                    largest[metric] = max(largest[metric], abs(values.get(metric, 0)))
        errors = {False: collections.defaultdict(list), True: collections.defaultdict(list)}
        quantised = collections.defaultdict(list)
        for a, b in ranks:
            for path in set(a) | set(b):
                self.compare_path(a.get(path, {}), b.get(path, {}), is_mpi[path], largest,
                                  errors, quantised)
        self.state_path_errors(errors, largest)
        for group, values in quantised.items():
            for name, limit in LIMITS:
                self.state("callpath_over_" + name, group, "",
                           Fraction(sum(v > limit for v in values), len(values)))
            self.state("callpath_reaching_1", group, "",
                       Fraction(sum(v >= 1 for v in values), len(values)))
        self.state_extras("phantom_paths", [(b, a) for a, b in ranks], is_mpi)
        self.state_extras("missing_paths", ranks, is_mpi)

    def compare_path(self, a, b, is_mpi, largest, errors, quantised):
        of_path = collections.defaultdict(list)
        for metric in self.by_path:
            error = abs(a.get(metric, 0) - b.get(metric, 0))
            if not a.get(metric, 0) and not b.get(metric, 0):
                continue
            relative = error / largest[metric] if largest[metric] else 1
            errors[is_mpi][metric].append(error)
            if metric in self.groups["mpi_time"]:
                of_path["mpi_time"].append(relative)
            elif metric == "computation":
                of_path["computation"].append(relative)
            elif self.klass[metric] == "count" and is_mpi:
                of_path["mpi_count"].append(relative)
        for group, values in of_path.items():
            quantised[group].append(mean(values))

    def state_path_errors(self, errors, largest):
        for figure, average in (("callpath_mean", mean), ("callpath_worst", max)):
            all_paths, mpi_paths = {}, {}
            for metric in self.by_path:
                if not largest[metric]:
                    continue
                all_paths[metric] = (
                    average(errors[False][metric] + errors[True][metric]) / largest[metric])
                if errors[True][metric]:
                    mpi_paths[metric] = average(errors[True][metric]) / largest[metric]
            self.state_by_metric(figure, all_paths)
            counts = {m: v for m, v in mpi_paths.items() if self.klass[m] == "count"}
            for group, value in group_means(counts, {"mpi_count": counts}, figure).items():
                self.state(figure, group, "", value)

    def state_extras(self, figure, ranks, is_mpi):
        every, extra = collections.Counter(), collections.Counter()
        for one, other in ranks:
            calling = {path[:n] for path in one if is_mpi[path] for n in range(1, len(path))}
            for path in one:
                kind = "mpi" if is_mpi[path] else "com" if path in calling else "usr"
                for group in ("all", kind):
                    every[group] += 1
                    extra[group] += path not in other
        for group in every:
            self.state(figure, group, "", Fraction(extra[group], every[group]))


    def state_what_b_says(self, b, phase, ranks, threads, iterations):
        """Call paths with a value that may not have occurred, by the shares of whole clusters."""
        shown, phantoms = collections.Counter(), collections.Counter()
        for place, location in zip(b.places, b.locations):
            for series in location.series:
                if b.phases[series.phase].name != phase or not within(place.rank, ranks) or \
                        not within(place.thread, threads):
                    continue
                chosen = collections.Counter(
                    cluster for number, cluster in enumerate(unroll(series.map))
                    if within(number, iterations))
                for number, cluster in enumerate(series.clusters):
                    for node in {node for node, _ in cluster.profile}:
                        least, _ = cluster.presence.get(node, (cluster.size, cluster.size))
                        is_mpi = b.regions[b.nodes[node].region].kind == 1
                        for group in ("all", "mpi") if is_mpi else ("all",):
                            shown[group] += chosen[number]
                            phantoms[group] += chosen[number] * \
                                Fraction(cluster.size - least, cluster.size)
        for group in shown:
            self.state("phantom_paths_stated", group, "", Fraction(phantoms[group], shown[group]))


# Running


def measure(directory, name, ranks, arguments=(), settings=None, label="out"):
    """The path of the summary LABEL.tsprof of a program."""
    summary = os.path.join(directory, label + ".tsprof")
    result = harness.run_ranks([harness.program(name)] + list(arguments), ranks, cwd=directory,
                               settings=dict(settings or {}, TSPROF_OUTPUT=summary))
    harness.check_run(result, summary)
    return summary


def measure_pair(directory, name, ranks, arguments=(), clusters="8", settings=None):
    """A with every iteration, B another measurement in few clusters."""
    return [measure(directory, name, ranks, arguments,
                    dict(settings or {}, TSPROF_CLUSTERS=count), label)
            for label, count in (("a", "0"), ("b", clusters))]


def compare(a, b, *options):
    """{phase: {(figure, group, metric): text of the value}}"""
    result = harness.tsprof("compare", a, b, "--format", "csv", *options)
    if (result.status, result.stderr) != (0, ""):
        raise harness.Failure("status %d\n%s" % (result.status, result.stderr))
    phases = collections.defaultdict(dict)
    reader = csv.reader(io.StringIO(result.stdout))
    if next(reader) != ["phase", "figure", "group", "metric", "value"]:
        raise harness.Failure("another header: " + result.stdout.splitlines()[0])
    for phase, figure, group, metric, value in reader:
        if (figure, group, metric) in phases[phase]:
            raise harness.Failure("twice: " + str((phase, figure, group, metric)))
        phases[phase][figure, group, metric] = value
    return phases


def differences(got, wanted):
    """In words; zero has to be zero, and everything else right to eleven digits."""
    found = []
    for key in sorted(set(got) | set(wanted)):
        if key not in got or key not in wanted:
            found.append("%s: %s, wanted %s" % (key, got.get(key), wanted.get(key)))
        elif not math.isclose(float(got[key]), float(wanted[key]), rel_tol=1e-11):
            found.append("%s: %s, wanted %.17g" % (key, got[key], float(wanted[key])))
    return found


def check(tap, label, a, b, phase, options=(), **choices):
    """One phase of a comparison; returns its rows as computed here."""
    wanted = Comparison(summary_reader.Summary(a), summary_reader.Summary(b), phase, **choices)
    found = differences(compare(a, b, *options)[phase], wanted.rows)
    tap.ok(not found, "%s: all %d figures" % (label, len(wanted.rows)), "\n".join(found))
    return wanted.rows


# Figures


def test_figures_of_programs(tap):
    for name, ranks, phase, arguments in (
            ("stencil", 2, "timestep", ("--iterations", "30")),
            ("particles", 2, "timestep", ("--iterations", "30")),
            ("workers", 3, "round", ("--iterations", "12")),
            ("collectives", 1, "step", ("--iterations", "12"))):
        with Directory() as directory:
            a, b = measure_pair(directory, name, ranks, arguments)
            rows = check(tap, name, a, b, phase)
            tap.ok(any(value for key, value in rows.items() if key[0] == "iteration_rms"),
                   name + ": some error there is")
            check(tap, name + " the other way round", b, a, phase)


def test_both_compressed(tap):
    """Many iterations have the same clusters on both sides, and ranks the same numbers."""
    for clusters in ("1", "3"):
        with Directory() as directory:
            a, b = [measure(directory, "stencil", 2, ("--iterations", "40"),
                            {"TSPROF_CLUSTERS": clusters, "TSPROF_EQUIVALENCE": "none"}, label)
                    for label in ("a", "b")]
            check(tap, "%s clusters each" % clusters, a, b, "timestep")


def test_phantoms(tap):
    """Without equivalence, iterations have the call paths of others."""
    with Directory() as directory:
        a, b = measure_pair(directory, "templates", 2, ("--iterations", "21"), clusters="2",
                            settings={"TSPROF_EQUIVALENCE": "none", "TSPROF_RATE": "0"})
        rows = check(tap, "templates", a, b, "timestep")
        tap.ok(rows["phantom_paths", "mpi", ""] > 0, "there are phantoms of MPI", rows)
        stated = {first: check(tap, "templates, from iteration %d on" % first, a, b, "timestep",
                               ("--iteration", "%d-%d" % (first, first + 1)),
                               iterations=(first, first + 1))["phantom_paths_stated", "all", ""]
                  for first in range(0, 20, 2)}
        tap.ok(len(set(stated.values())) > 1, "what is stated is about the chosen iterations",
               stated)


def test_guarantees_of_equivalence(tap):
    """With it no MPI path is a phantom or missing, whatever else the runs differ in."""
    with Directory() as directory:
        a, b = measure_pair(directory, "stencil", 2, ("--iterations", "30"),
                            settings={"TSPROF_EQUIVALENCE": "strong", "TSPROF_RATE": "0"})
        rows = check(tap, "stencil", a, b, "timestep")
        for figure in ("phantom_paths", "missing_paths"):
            for group in ("mpi", "com"):
                tap.equal(rows[figure, group, ""], 0, "%s %s: none" % (figure, group))
        for figure in FIGURES:
            tap.equal(rows[figure, "count", ""], 0, figure + " of counts: none")


def test_several_phases(tap):
    with Directory() as directory:
        a, b = measure_pair(directory, "nesting", 2, ("nested",), clusters="2")
        phases = [phase.name for phase in summary_reader.Summary(a).phases if phase.kept]
        tap.ok(len(phases) > 1, "several phases are kept", phases)
        got = compare(a, b)
        tap.equal(sorted(got), sorted(phases), "each has figures")
        for phase in phases:
            check(tap, phase, a, b, phase)
        tap.equal(list(compare(a, b, "--phase", phases[1])), [phases[1]], "--phase chooses one")


def test_threads(tap):
    """Values of a rank are sums over its threads; the rms is that of single ones."""
    with Directory() as directory:
        a, b = measure_pair(directory, "threads", 1, ("pool", "30"), clusters="4")
        phase = next(p.name for p in summary_reader.Summary(a).phases if p.kept)
        check(tap, "all threads", a, b, phase)
        check(tap, "--thread 0", a, b, phase, ("--thread", "0"), threads=(0, 0))
        check(tap, "--thread 1-2", a, b, phase, ("--thread", "1-2"), threads=(1, 2))


def test_selections(tap):
    with Directory() as directory:
        a, b = measure_pair(directory, "stencil", 2, ("--iterations", "30"))
        check(tap, "--iteration", a, b, "timestep", ("--iteration", "7-20"), iterations=(7, 20))
        check(tap, "--rank", a, b, "timestep", ("--rank", "1"), ranks=(1, 1))
        check(tap, "--metric mpi", a, b, "timestep", ("--metric", "mpi"), metrics=["mpi"])
        check(tap, "two metrics", a, b, "timestep", ("--metric", "visits", "--metric", "bytes"),
              metrics=["visits", "bytes"])
        check(tap, "what else is left out", a, b, "timestep",
              ("--metric", "time", "--metric", "samples", "--metric", "mpi"),
              metrics=["time", "samples", "mpi"])


def test_part_in_common(tap):
    """Other numbers of iterations and ranks: what both have is compared."""
    with Directory() as directory:
        a = measure(directory, "stencil", 2, ("--iterations", "30"), {"TSPROF_CLUSTERS": "0"}, "a")
        b = measure(directory, "stencil", 1, ("--iterations", "20"), {"TSPROF_CLUSTERS": "4"}, "b")
        for label, one, other, said in (
                ("more in A", a, b, ("1 rank that only A has", "10 profiles that only A has")),
                ("more in B", b, a, ("1 rank that only B has", "10 profiles that only B has",
                                     "A is compressed itself"))):
            rows = check(tap, label, one, other, "timestep")
            tap.equal([rows["compared", what, ""] for what in ("iterations", "ranks")], [20, 1],
                      label + ": 20 iterations of one rank")
            text = harness.tsprof("compare", one, other)
            for words in said:
                tap.ok(words in " ".join(text.stdout.split()), "%s: says: %s" % (label, words),
                       text.stdout)


def test_identity(tap):
    for name, arguments, ranks in (("workers", ("--iterations", "20"), 2),
                                   ("threads", ("pool", "40"), 1)):
        for clusters in ("0", "3"):
            with Directory() as directory:
                summary = measure(directory, name, ranks, arguments,
                                  {"TSPROF_CLUSTERS": clusters})
                (rows,) = compare(summary, summary).values()
                wrong = [(key, value) for key, value in rows.items()
                         if key[0] != "phantom_paths_stated" and
                         (float(value) != 0) != (key[0] == "compared")]
                tap.ok(len(rows) > 40 and not wrong,
                       "%s, %s clusters: no different from itself" % (name, clusters), wrong)


# The command


def test_text(tap):
    with Directory() as directory:
        a, b = measure_pair(directory, "stencil", 2, ("--iterations", "30"))
        result = harness.tsprof("compare", a, b)
        tap.equal((result.status, result.stderr), (0, ""), "status 0")
        wide = [line for line in result.stdout.splitlines()
                if len(line) > 80 and directory not in line]
        tap.ok(not wide, "lines of at most 80 columns", wide)
        tap.ok(not [line for line in result.stdout.splitlines() if line.endswith(" ")],
               "no blanks at the end of lines", result.stdout)
        rows = compare(a, b)["timestep"]
        shown = {}
        for line in result.stdout.splitlines():
            shown.setdefault(line[:31].strip(), line[31:].split())
        for label, group in (("times", "time"), ("MPI times", "mpi_time")):
            for column, figure in enumerate(FIGURES):
                value = 100 * float(rows[figure, group, ""])
                tap.ok(math.isclose(float(shown[label][column]), value, rel_tol=0.006,
                                    abs_tol=5e-5),
                       "%s of %s: %s is %s %%" % (figure, group, value, shown[label][column]))
        tap.ok(all(metric in shown for metric in ("execution", "mpi_collective", "bytes_sent")),
               "a row for every metric in use", result.stdout)
        tap.ok("bytes_put" not in shown and "overhead" not in shown, "and for no other")


def test_seventeen_digits(tap):
    with Directory() as directory:
        a, b = measure_pair(directory, "stencil", 1, ("--iterations", "20"))
        values = [value for rows in compare(a, b).values() for value in rows.values()]
        wrong = [value for value in values
                 if value != "%.17g" % float(value) and not value.isdigit()]
        tap.ok(not wrong and any(len(value) > 15 for value in values), "17 digits", wrong)


def test_command_line(tap):
    with cli_command.Sample() as sample:
        for arguments, said in (
                ([], "two summaries"), ([sample.file], "two summaries"),
                ([sample.file] * 3, sample.file), ([sample.file] * 2 + ["--format", "xml"], "xml"),
                ([sample.file] * 2 + ["--metric", "tim"], "tim"),
                ([sample.file] * 2 + ["--phase", "stepp"], "stepp"),
                ([sample.file] * 2 + ["--rank", "2"], "rank"),
                ([sample.file] * 2 + ["--iteration", "3"], "iteration"),
                ([sample.file] * 2 + ["--what", "clusters"], "--what")):
            result = harness.tsprof("compare", *arguments)
            label = " ".join(arguments).replace(sample.file, "FILE")
            tap.ok(result.status == 2 and said in result.stderr and result.stdout == "",
                   "compare %s: status 2 and a message" % label, result)


def test_nothing_in_common(tap):
    with cli_command.Sample() as sample:
        others = [("another rank", sample.write("other.tsprof", cli_command.summary(((5, 0),))),
                   "different ranks")]
        if harness.is_built("stencil"):
            others.append(("another phase", measure(sample.path, "stencil", 1,
                                                    ("--iterations", "3")), "no iteration"))
            others.append(("no phase", measure(sample.path, "stencil", 1, ("--iterations", "3"),
                                               {"TSPROF_PHASES": "-timestep"}, "sum"),
                           "no iteration"))
        for label, other, why in others:
            for a, b in ((sample.file, other), (other, sample.file)):
                for options in ((), ("--format", "csv")):
                    result = harness.tsprof("compare", a, b, *options)
                    tap.ok(result.status == 1 and result.stdout == "" and why in result.stderr
                           and a in result.stderr and b in result.stderr
                           and len(result.stderr.splitlines()) == 1,
                           "%s: status 1 and why" % label, result)


def test_hostile_names(tap):
    """Names that would do something to a terminal do not reach it."""
    with cli_command.Sample() as sample:
        odd = sample.write("odd\x1b[2J.tsprof", sample.content)
        result = harness.tsprof("compare", odd, sample.file)
        tap.ok(result.status == 0 and "\x1b" not in result.stdout, "escaped", result)


# Bad files


def test_bad_files(tap):
    """On either side: a message that names the file, status 1."""
    with Directory() as directory:
        sample = badfiles.Sample(directory)
        good = sample.write(sample.content, "good.tsprof")
        size = len(sample.content)
        for label, content in (("empty", b""), ("text", b"hello\n" * 100),
                               ("half", sample.content[: size // 2]),
                               ("all but a byte", sample.content[:-1])):
            bad = sample.write(content)
            for a, b in ((good, bad), (bad, good), (bad, bad)):
                result = harness.tsprof("compare", a, b)
                tap.ok(result.status == 1 and result.stdout == "" and bad in result.stderr
                       and len(result.stderr.splitlines()) == 1, label, result)
        result = harness.tsprof("compare", good, os.path.join(directory, "missing.tsprof"))
        tap.ok(result.status == 1 and "missing.tsprof" in result.stderr, "missing", result)


def test_changed_content(tap):
    """Right checksums, wrong content: it may be compared or refused, but that must end well."""
    with Directory() as directory:
        sample = badfiles.PlainSample(directory)
        good = sample.write(sample.content, "good.tsprof")
        rng = random.Random(3)
        found, compared = [], 0
        for turn in range(50):
            section = rng.choice(sample.decoded.sections)
            content = bytearray(sample.content)
            for _ in range(rng.choice((1, 1, 4))):
                place = section.offset + rng.randrange(max(section.stored, 1))
                content[place] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
            bad = sample.write(badfiles.seal(content, section))
            for files in ((good, bad), (bad, good), (bad, bad)):
                result = harness.tsprof("compare", *files)
                compared += result.status == 0
                if result.status not in (0, 1) or (result.status == 1) != bool(result.stderr):
                    found.append("turn %d, section %d: %s" % (turn, section.kind, result))
        tap.ok(not found, "50 files with changed content", "\n".join(found))
        tap.ok(compared > 20, "%d of 150 were compared" % compared)


if __name__ == "__main__":
    harness.main()
