#!/usr/bin/env python3
"""tsprof export --format cubex: the file is built like one of Score-P's, element by element, and
what CubeLib makes of it has the numbers of the other exports for every iteration, rank, call path
and metric, however iterations are stored.

data/scorep.cubex.xz is a profile with clusters that Score-P 8.4 wrote, scorep-expanded.csv.xz what
CubeLib 4.8.2 printed of it with iterations in the place of clusters (its first nodes).
differing.cubex.xz has clusters that differ in their call paths, as tsprof once wrote them, of which
CubeLib makes what differing-expanded.csv.xz has."""

import collections
import contextlib
import csv
import io
import lzma
import os
import re

import cli_command
import cube_reader
import export_formats
import harness
from cli_command import Sample
from harness import Directory

DATA = os.path.join(harness.HERE, "data")
REFERENCE = os.path.join(DATA, "scorep.cubex.xz")

# What the reference has not, but CubeLib's grammar: the call site of a node, and facts about
# processes and threads.
MORE_SHAPES = {'<cnode id="*" line="*" calleeId="*">', '<cnode id="*" line="*" mod="*" calleeId="*">',
               '<dim size="*" periodic="*"/>'}
MORE_ATTRIBUTES = {"cnode": {"line", "mod"}}
MORE_CHILDREN = {("locationgroup", "attr"), ("location", "attr"), ("metric", "metric"),
                 ("region", "attr")}
ORDER = {"locationgroup": ["name", "rank", "type", "attr", "location"],
         "location": ["name", "rank", "type", "attr"],
         "metric": ["disp_name", "uniq_name", "dtype", "uom", "url", "descr", "metric"]}

# Metrics that other tools know by another name than tsprof.
NAMES = {"computation": "comp", "mpi_setup": "mpi_init_exit",
         "mpi_sync_rma_active": "mpi_rma_sync_active",
         "mpi_sync_rma_passive": "mpi_rma_sync_passive", "bytes_rcvd": "bytes_received",
         "bytes_coll_out": "bytes_sent_coll", "bytes_coll_in": "bytes_received_coll",
         "bytes_io_read": "io_bytes_read", "bytes_io_written": "io_bytes_written"}


def needs_libxml():
    with open(os.path.join(harness.TOP_BUILDDIR, "config.status")) as file:
        if not re.search(r'S\["HAVE_LIBXML_TRUE"\]=""', file.read()):
            raise harness.Skip("tsprof was built without libxml2")


def cubex(directory, summary, *options, status=0, name="out.cubex"):
    needs_libxml()
    out = os.path.join(directory, name)
    if os.path.exists(out):
        os.remove(out)
    result = harness.tsprof("export", summary, "--format", "cubex", "-o", out, *options)
    if result.status != status:
        raise harness.Failure("export %s: status %d\n%s"
                              % (" ".join(options), result.status, result.stderr))
    return out if status == 0 else result


def escaped(name):
    """A name as XML can hold it: as on a terminal."""
    out = ""
    for character in name:
        code = ord(character)
        if 0xDC80 <= code <= 0xDCFF:
            out += "\\x%02x" % (code - 0xDC00)
        elif character == "\t":
            out += " "
        elif code < 0x20 or 0x7F <= code < 0xA0:
            out += "".join("\\x%02x" % byte for byte in character.encode())
        else:
            out += "\ufffd" if code in (0xFFFE, 0xFFFF) else character
    return out


# Structure


def shape(line):
    """A line of an anchor without what it says."""
    return re.sub(r">[^<>]*<", ">*<", re.sub(r'"[^"]*"', '"*"', line))


def lines_of(profile):
    return profile.members["anchor.xml"].decode("utf-8").splitlines()


class Grammar:
    """What elements, attributes and children there are, and in which order."""

    def __init__(self, profile):
        self.attributes = collections.defaultdict(set)
        self.children = set()
        self.order = collections.defaultdict(list)
        for element in profile.anchor.iter():
            self.attributes[element.tag] |= set(element.attrib)
            for child in element:
                self.children.add((element.tag, child.tag))
                if child.tag not in self.order[element.tag]:
                    self.order[element.tag].append(child.tag)

    def problems(self, profile):
        found = set()
        for element in profile.anchor.iter():
            tag = element.tag
            more = set(element.attrib) - self.attributes[tag] - MORE_ATTRIBUTES.get(tag, set())
            if more:
                found.add("attributes %s of %s" % (sorted(more), tag))
            order, last = ORDER.get(tag, self.order[tag]), 0
            for child in element:
                if (tag, child.tag) not in self.children | MORE_CHILDREN:
                    found.add("%s in %s" % (child.tag, tag))
                elif child.tag in order:
                    place = order.index(child.tag)
                    if place < last:
                        found.add("%s comes late in %s" % (child.tag, tag))
                    last = max(last, place)
        return sorted(found)


def check_structure(tap, profile, label):
    reference = cube_reader.Profile(REFERENCE)
    found = Grammar(reference).problems(profile)
    tap.ok(not found, label + ": nested like the reference", "\n".join(found))
    known = {shape(line) for line in lines_of(reference)} | MORE_SHAPES
    strange = sorted({shape(line) for line in lines_of(profile)} - known)
    tap.ok(not strange, label + ": written like the reference, line by line", "\n".join(strange))
    names = [name for name in profile.members if name != "anchor.xml"]
    tap.ok(all(re.fullmatch(r"\d+\.(data|index)", name) for name in names)
           and list(profile.members)[-1] == "anchor.xml",
           label + ": members are called like the reference's", " ".join(profile.members))
    paradigms = {(r.paradigm, r.role) for r in profile.regions}
    tap.ok(paradigms <= {(r.paradigm, r.role) for r in reference.regions}
           | {("compiler", "function"), ("user", "phase")},
           label + ": regions are of kinds that Score-P has", paradigms)


def test_reader_is_like_cubelib(tap):
    """What the other tests rely on: the reader here expands clusters as CubeLib does."""
    for name, least in (("scorep", 3000), ("differing", 32)):
        check_like_printed(tap, os.path.join(DATA, name), least)


def is_printed(text, value):
    """Integers have all their digits, others six."""
    if isinstance(value, int):
        return text == "%d" % value
    return abs(float(text) - value) <= 1e-5 * abs(value)


def check_like_printed(tap, path, least):
    profile = cube_reader.Profile(path + ".cubex.xz")
    nodes = sorted((node for root in profile.expand() for node in cube_reader.walk(root)),
                   key=lambda node: node.made)
    metrics = {metric.name: metric for metric in profile.metrics}

    def inclusive(name, node, column):
        if metrics[name].type == "INCLUSIVE":
            return profile.stored(metrics[name], node, column)
        return sum(profile.value(metrics[name], below, column)
                   for below in cube_reader.walk(node))

    different, count = [], 0
    with lzma.open(path + "-expanded.csv.xz", "rt") as file:
        for row in csv.DictReader(file, skipinitialspace=True):
            node, column = nodes[int(row["Cnode ID"])], int(row["Thread ID"])
            got = {name: inclusive(name, node, column) for name in ("visits", "time")}
            count += 1
            if any(not is_printed(row[name], value) for name, value in got.items()):
                different.append("%r, here %r" % (row, got))
    tap.ok(count >= least and not different, "%s: %d values are CubeLib's own"
           % (os.path.basename(path), count), "\n".join(different))


# Numbers


def key_of(row):
    return NAMES.get(row["metric"], row["metric"])


def number(text):
    """Integers with all their digits."""
    return int(text) if re.fullmatch(r"-?\d+", text) else float(text)


def expected_iterations(summary, phase, options):
    """{(path, iteration, rank, metric): value} of the table of call paths."""
    return {(escaped(row["callpath"]), int(row["iteration"]), int(row["rank"]), key_of(row)):
            number(row["value"])
            for row in harness.export(summary, "callpaths", "--phase", phase, *options)}


def expected_totals(summary, options):
    return {(escaped(row["callpath"]), int(row["rank"]), key_of(row)): number(row["value"])
            for row in harness.export(summary, "callpaths", "--total", *options)}


def measured(profile, first=0):
    """The same of a CUBE file: of its iterations, and of the whole run."""
    iterations = collections.defaultdict(int)
    totals = collections.defaultdict(int)
    clusters = profile.attributes.get("CLUSTERING") == "ON"
    for (path, iteration, column, metric), value in profile.own_values().items():
        path = ";".join(path[1:]) or path[0]
        rank = profile.places[column].process
        totals[path, rank, metric] += value
        if iteration is not None:
            iterations[path, iteration + (first if clusters else 0), rank, metric] += value
    return iterations, totals


# What doubles may differ by, as a share, once they are rounded; and sums over many iterations.
ROUNDED, ROUNDED_OFTEN = 1e-12, 1e-9


def compare(got, wanted, whole, share=ROUNDED):
    """Where they differ.  WHOLE: metrics whose values are integers and must be the same; the others
    may differ by rounding."""
    different = []
    for key in set(got) | set(wanted):
        a, b = got.get(key, 0), wanted.get(key, 0)
        limit = 0 if key[-1] in whole else share * (max(abs(a), abs(b)) + 1e-3)
        if abs(a - b) > limit:
            different.append("%r: %r, in the table %r" % (key, a, b))
    return different


def whole_metrics(profile):
    return {m.name for m in profile.metrics if m.dtype in cube_reader.INTEGERS}


def check_numbers(tap, directory, summary, phase, label, options=(), hows=("clusters", "nodes")):
    """Both ways to keep iterations of PHASE apart have the numbers of the tables."""
    wanted = expected_iterations(summary, phase, options)
    totals = expected_totals(summary, options)
    choice = () if "--phase" in options else ("--phase", phase)
    for how in hows:
        out = cubex(directory, summary, "--iterations", how, *choice, *options)
        profile = cube_reader.Profile(out)
        check_structure(tap, profile, "%s, %s" % (label, how))
        first = int(profile.attributes["tsprof::first iteration"])
        got, got_totals = measured(profile, first)
        different = compare(got, wanted, whole_metrics(profile))
        tap.ok(wanted and not different, "%s, %s: %d values of iterations"
               % (label, how, len(wanted)), "\n".join(sorted(different)))
        different = compare(got_totals, totals, whole_metrics(profile), ROUNDED_OFTEN)
        tap.ok(totals and not different, "%s, %s: %d values of the whole run"
               % (label, how, len(totals)), "\n".join(sorted(different)))


def test_clusters_of_a_small_summary(tap):
    """Means that are not whole, a cluster that one rank has and the other has not."""
    for label, places in (("processes", cli_command.PROCESSES), ("threads", cli_command.THREADS)):
        with Sample(places) as sample:
            check_numbers(tap, sample.path, sample.file, "step", label)
            profile = cube_reader.Profile(cubex(sample.path, sample.file))
            kinds = {m.name: m.dtype for m in profile.metrics}
            tap.equal(kinds["bytes"], "DOUBLE", label + ": 9 bytes in 2 iterations are fractions")
            tap.equal(kinds["visits"], "DOUBLE", label + ": and so are 3 visits")
            tap.equal(kinds["time"], "DOUBLE", label + ": times are fractions")


def profile_of(directory, name, arguments=(), ranks=2, settings=None):
    summary = os.path.join(directory, "out.tsprof")
    result = harness.run_ranks([harness.program(name)] + list(arguments), ranks, cwd=directory,
                               settings=dict({"TSPROF_OUTPUT": summary}, **(settings or {})))
    harness.check_run(result, summary)
    return summary


def test_programs(tap):
    for name, arguments, ranks, phase in (
            ("stencil", (), 4, "timestep"), ("workers", (), 4, "round"),
            ("nesting", ("sequence",), 1, "first"), ("nesting", ("sequence",), 1, "second"),
            ("nesting", ("nested",), 1, "outer"), ("nesting", ("nested",), 1, "inner"),
            ("nesting", ("sometimes",), 1, "inner"), ("nesting", ("recursive",), 1, "level")):
        with Directory() as directory:
            summary = profile_of(directory, name, arguments, ranks, {"TSPROF_CLUSTERS": "4"})
            check_numbers(tap, directory, summary, phase,
                          " ".join((name,) + arguments + (phase,)))


def test_threads(tap):
    """CUBE's clusters are those of processes, ours those of threads."""
    with Directory() as directory:
        summary = profile_of(directory, "openmp", (), 2,
                             {"OMP_NUM_THREADS": "2", "TSPROF_CLUSTERS": "5"})
        check_numbers(tap, directory, summary, "timestep", "openmp")
        profile = cube_reader.Profile(cubex(directory, summary))
        tap.equal([(p.process, p.rank, p.name) for p in profile.places],
                  [(0, 0, "Master thread"), (0, 1, "Thread 1"), (1, 0, "Master thread"),
                   (1, 1, "Thread 1")], "threads are locations of their process")
        check_numbers(tap, directory, summary, "timestep", "openmp, thread 1",
                      ("--thread", "1"))


# Processes whose iterations differ


# Three kinds of iteration: `f` calls MPI_Allreduce, which also has bytes, or calls nothing.
BARE = [(3, cli_command.COMPUTATION, 700000), (3, cli_command.VISITS, 1)]
FULL, SLOW = cli_command.USUAL, cli_command.SLOW
# The clusters of a rank's three iterations, and which iteration is in which; the first is 1.
DIFFERING = {0: ([(2, BARE), (1, FULL)], [1, 1, 2]), 1: ([(2, BARE), (1, SLOW)], [1, 2, 1])}
ABSENT = {**DIFFERING, 2: ([], [])}
# As many clusters as iterations on one rank, and another without any.
ALONE = {0: ([(1, FULL), (1, SLOW), (1, FULL)], [1, 2, 3]), 1: ([], [])}
# The same, and others have fewer profiles than iterations.
APART = {0: ([(1, BARE), (1, FULL), (1, SLOW)], [1, 2, 3]),
         1: ([(1, SLOW), (1, BARE)], [1, 0, 2]), 2: ([(2, BARE)], [0, 1, 1]), 3: ([], [])}


@contextlib.contextmanager
def sample_of(ranks):
    """A summary with those clusters."""
    kept = cli_command.location
    varint, table, outside = cli_command.varint, cli_command.table, cli_command.OUTSIDE

    def location(rank, *_):
        clusters, places = ranks[rank]
        whole = cli_command.add(outside, *[cells for _, cells in clusters])
        series = [cli_command.series(clusters, [(1, place) for place in places], 0.0)]
        return (varint(rank) + varint(0) + varint(1) + varint(99) + cli_command.text("")
                + varint(cli_command.times(whole)) + varint(1700000000 * 10**9) + table([])
                + cli_command.profile(whole) + cli_command.profile(outside)
                + table(series if clusters else []) + table([]))

    cli_command.location = location
    try:
        with Sample([(rank, 0) for rank in ranks]) as sample:
            yield sample
    finally:
        cli_command.location = kept


def instances(profile):
    holder = profile.nodes[int(profile.attributes["CLUSTER ROOT CNODE ID"])]
    return holder.children


def test_clusters_that_differ(tap):
    """CubeLib makes false nodes where the clusters of an iteration's processes have other call paths
    below the first level, so all clusters have all."""
    with sample_of(DIFFERING) as sample:
        check_numbers(tap, sample.path, sample.file, "step", "differing")
        profile = cube_reader.Profile(cubex(sample.path, sample.file))
        shapes = {tuple(node.region.name for node in cube_reader.walk(top) if node is not top)
                  for top in instances(profile)}
        tap.equal(shapes, {("f(int, char)", "MPI_Allreduce", "f(int, char)")},
                  "differing: all clusters have the same call paths")
        paths = [path for path, *_ in profile.own_values()]
        tap.ok(not any(path[-1:] == path[-2:-1] for path in paths),
               "differing: nothing is below itself", paths)


def test_process_without_an_iteration(tap):
    """It is mapped to an instance that it does not use, of which there are no more than iterations:
    CubeLib crashes if more nodes are stored than shown."""
    for label, ranks, wanted in (("absent", ABSENT, 2), ("alone", ALONE, 3), ("apart", APART, 3)):
        with sample_of(ranks) as sample:
            check_numbers(tap, sample.path, sample.file, "step", label)
            profile = cube_reader.Profile(cubex(sample.path, sample.file))
            tops = [node.number for node in instances(profile)]
            tap.equal(len(tops), wanted, label + ": as many instances as the process with most needs")
            rows = [profile.attributes["CLUSTER MAPPING %d" % i].split(",") for i in range(3)]
            for rank, (_, places) in ranks.items():
                used = {rows[i][rank] for i, place in enumerate(places) if place}
                unused = {rows[i][rank] for i in range(3) if i >= len(places) or not places[i]}
                tap.ok(not used & unused and {int(n) for n in used | unused} <= set(tops),
                       "%s: rank %d is mapped to others where it has no profile" % (label, rank),
                       "%s %s" % (used, unused))


def test_rank_without_iterations(tap):
    with Directory() as directory:
        summary = profile_of(directory, "extremes", ("absent", "1"), 3, {"TSPROF_CLUSTERS": "3"})
        check_numbers(tap, directory, summary, "step", "absent, measured")


def test_slices(tap):
    """Slices of time: as many clusters as iterations, and ranks end in different ones."""
    with Directory() as directory:
        summary = profile_of(directory, "stencil", (), 4, {"TSPROF_ITERATION": "time:0.05"})
        check_numbers(tap, directory, summary, "0.05 s", "slices")


def test_lost_iterations(tap):
    """Those that have no profile of their own are in the whole run only."""
    with Directory() as directory:
        summary = profile_of(directory, "extremes", ("various",), 1,
                             {"TSPROF_MEMORY": "1M", "TSPROF_CLUSTERS": "0",
                              "TSPROF_EQUIVALENCE": "strong"})
        clusters = harness.export(summary, "clusters")
        tap.ok(any(row["cluster"] == "" for row in clusters), "some are lost")
        check_numbers(tap, directory, summary, "step", "lost", hows=("clusters",))


def test_phase_in_several_places(tap):
    """The clusters of iterations that were begun in two places."""
    kept = cli_command.NODES
    # Nodes 2 and 4 are `step`, called from lines 5 and 8 of `main`.
    cli_command.NODES = ((0, 0, 0), (1, 1, 0), (2, 2, 5), (3, 3, 6), (2, 2, 8), (5, 4, 10),
                         (2, 5, 1), (1, 6, 0), (8, 3, 0))
    try:
        with Sample() as sample:
            check_numbers(tap, sample.path, sample.file, "step", "two places")
            profile = cube_reader.Profile(cubex(sample.path, sample.file))
            holder = profile.nodes[int(profile.attributes["CLUSTER ROOT CNODE ID"])]
            tap.equal((holder.parent.region.name, holder.region.name, holder.region.role),
                      ("main", "iterations of step", "artificial"),
                      "two places: are gathered where both are called from")
    finally:
        cli_command.NODES = kept


def test_sum(tap):
    with Directory() as directory:
        summary = profile_of(directory, "stencil", (), 2)
        profile = cube_reader.Profile(cubex(directory, summary, "--iterations", "sum"))
        check_structure(tap, profile, "sum")
        got, totals = measured(profile)
        tap.ok(not got and "CLUSTERING" not in profile.attributes, "sum: no iterations")
        different = compare(totals, expected_totals(summary, ()), whole_metrics(profile))
        tap.ok(not different, "sum: the whole run", "\n".join(different))
        tap.ok({m.dtype for m in profile.metrics if m.name not in ("time",)
                and m.unit != "sec"} == {"UINT64"}, "sum: whole numbers are integers")


def test_difference(tap):
    """Values below 0, which unsigned numbers could not hold."""
    with Sample() as sample:
        out = os.path.join(sample.path, "difference.tsprof")
        done = harness.tsprof("diff", sample.file, "--iteration", "0-0", "--minus-iteration", "1-1",
                              "-o", out)
        tap.equal(done.status, 0, "difference: made")
        profile = cube_reader.Profile(cubex(sample.path, out))
        wanted = expected_totals(out, ())
        different = compare(measured(profile)[1], wanted, whole_metrics(profile))
        tap.ok(any(value < 0 for value in wanted.values()) and not different,
               "difference: every value, also below 0", "\n".join(different))
        kinds = {metric.name: metric.dtype for metric in profile.metrics}
        tap.ok("INT64" in kinds.values(), "difference: some are signed integers", kinds)


def test_selection(tap):
    """What is not chosen is still part of the whole run, but for ranks, threads and metrics."""
    with Directory() as directory:
        summary = profile_of(directory, "stencil", (), 4, {"TSPROF_CLUSTERS": "4"})
        for options in (("--rank", "2-3"), ("--metric", "mpi", "--metric", "bytes_sent"),
                        ("--rank", "1", "--metric", "visits")):
            check_numbers(tap, directory, summary, "timestep", " ".join(options), options)
        wanted = expected_iterations(summary, "timestep", ("--iteration", "7-11"))
        totals = expected_totals(summary, ())
        for how in ("clusters", "nodes"):
            profile = cube_reader.Profile(
                cubex(directory, summary, "--iteration", "7-11", "--iterations", how))
            check_structure(tap, profile, "part, " + how)
            got, got_totals = measured(profile, 7)
            different = compare(got, wanted, ())
            tap.ok(wanted and not different, "part, %s: its iterations" % how,
                   "\n".join(different))
            different = compare(got_totals, totals, (), ROUNDED_OFTEN)
            tap.ok(not different, "part, %s: the rest is still in the whole run" % how,
                   "\n".join(different))


def test_one_of_several_phases(tap):
    with Directory() as directory:
        summary = profile_of(directory, "nesting", ("nested",), 1)
        needs_libxml()
        out = os.path.join(directory, "out.cubex")
        result = harness.tsprof("export", summary, "--format", "cubex", "-o", out)
        tap.equal(result.status, 0, "two phases: exported")
        tap.ok("those of outer; --phase chooses" in result.stderr,
               "the one that takes longest, and that is said", result.stderr)
        os.remove(out)
        result = harness.tsprof("export", summary, "--format", "cubex", "-o", out,
                                "--phase", "inner")
        tap.equal(result.stderr, "", "nothing is said of one that was chosen")


# What else there is


def test_definitions(tap):
    with Directory() as directory:
        # A function that only a sample has seen is visited in one iteration of its cluster.
        summary = profile_of(directory, "stencil", (), 2, {"TSPROF_CLUSTERS": "4",
                                                          "TSPROF_RATE": "0"})
        profile = cube_reader.Profile(cubex(directory, summary))
        tap.equal({m.dtype for m in profile.metrics if m.unit != "sec"}, {"UINT64"},
                  "counts are integers where all iterations of a cluster count the same")
        regions = {region.name: region for region in profile.regions}
        rows = {row["region"]: row for row in harness.export(summary, "regions")}
        for name, paradigm, role in (
                ("MPI_Allreduce", "mpi", "all2all"), ("MPI_Sendrecv", "mpi", "point2point"),
                ("MPI_Gather", "mpi", "all2one"), ("MPI_Init", "mpi", "function"),
                ("timestep", "user", "dynamic"), ("setup", "user", "phase"),
                ("main", "compiler", "function"), ("program", "measurement", "artificial")):
            tap.equal((regions[name].paradigm, regions[name].role), (paradigm, role),
                      name + ": kind")
        tap.equal((regions["main"].mod, regions["main"].begin),
                  (rows["main"]["file"], int(rows["main"]["line"])), "main: file and line")
        tap.equal(regions["MPI_Init"].mod, "MPI", "MPI_Init: of MPI, as in Score-P's files")
        sites = {(node.region.name, node.line, os.path.basename(node.mod))
                 for node in profile.nodes.values() if node.region.name == "exchange_columns"}
        tap.ok(len({line for _, line, _ in sites}) == 2
               and {mod for _, _, mod in sites} == {"stencil.c"},
               "calls from two lines are two nodes, with file and line", sites)
        parents = {metric.name: metric.parent for metric in profile.metrics}
        tap.equal([parents[name] for name in ("time", "execution", "comp", "mpi",
                                              "mpi_communication", "mpi_point2point",
                                              "bytes_sent", "comms_coll", "visits")],
                  [None, "time", "execution", "execution", "mpi", "mpi_communication", "bytes",
                   "comms", None], "the metric tree")
        tap.equal({metric.unit for metric in profile.metrics}, {"sec", "occ", "bytes"}, "units")
        host = profile.places[0].host
        tap.ok(all(place.host == host for place in profile.places)
               and host in harness.tsprof("info", summary).stdout, "the host", host)
        tap.equal([profile.attributes["tsprof::" + key] for key in
                   ("phase", "iterations", "clustering", "clusters asked for", "program",
                    "state")],
                  ["timestep", "30", "adaptive", "4", "stencil", "complete"],
                  "what is said of the compression and the run")


def test_topologies(tap):
    with Directory() as directory:
        summary = profile_of(directory, "grids", (), 4)
        profile = cube_reader.Profile(cubex(directory, summary))
        check_structure(tap, profile, "grids")
        wanted = collections.defaultdict(dict)
        for row in harness.export(summary, "topologies"):
            if row["kind"] == "cartesian":
                wanted[row["topology"]][int(row["rank"])] = tuple(
                    int(c) for c in row["coordinates"].split())
        got = [({profile.places[column].process: at for column, at in coordinates.items()})
               for name, _, coordinates in profile.topologies[:-1]]
        tap.equal(sorted(map(sorted, (g.items() for g in got))),
                  sorted(map(sorted, (w.items() for w in wanted.values()))),
                  "coordinates of every Cartesian topology")
        named = {name: [d[1:] for d in dimensions] for name, dimensions, _ in profile.topologies}
        tap.equal((named["plate"], named["line"]), ([(2, True), (2, False)], [(3, False)]),
                  "names, sizes and periods")
        tap.ok("chord" not in named, "graphs have no place in CUBE")
        name, dimensions, coordinates = profile.topologies[-1]
        tap.equal((name, dimensions, coordinates),
                  ("Process x Thread", [("Process", 4, False), ("Thread", 1, False)],
                   {rank: (rank, 0) for rank in range(4)}), "and one that all have")


def test_names(tap):
    """No name breaks the document, and all can be told."""
    with export_formats.hostile_regions() as regions, Sample() as sample:
        profile = cube_reader.Profile(cubex(sample.path, sample.file))
        check_structure(tap, profile, "names")
        names = {region.name for region in profile.regions}
        used = {regions[region][0] for _, region, _ in cli_command.NODES} - {"[stopped]"}
        tap.ok({escaped(name) for name in used} <= names, "every name, escaped",
               "%r\n%r" % (sorted(map(escaped, used)), sorted(names)))
        anchor = profile.members["anchor.xml"]
        tap.ok(not re.search(rb"[\x00-\x09\x0b-\x1f\x7f]", anchor), "no control character")
        tap.ok(not re.search(rb"&(?!lt;|gt;|amp;|quot;)", anchor),
               "only references to characters that CubeLib knows")


def test_long_name(tap):
    kept = cli_command.REGIONS
    name = "<&\u00e9" * 40000
    cli_command.REGIONS = ((name,) + kept[1][1:]).__class__((kept[0], (name,) + kept[1][1:])
                                                            + kept[2:])
    try:
        with Sample() as sample:
            profile = cube_reader.Profile(cubex(sample.path, sample.file))
            tap.ok(any(region.name == name for region in profile.regions),
                   "a name of 160 kB is kept")
    finally:
        cli_command.REGIONS = kept


def test_anchor_of_every_length(tap):
    """CubeLib does not find what follows a member of 512 bytes or a multiple: there is none."""
    kept = cli_command.REGIONS
    sizes = set()
    try:
        for length in range(1, 513, 1):
            cli_command.REGIONS = (kept[0], ("m" * length,) + kept[1][1:]) + kept[2:]
            with Sample() as sample:
                out = cubex(sample.path, sample.file, "--iterations", "sum", "--metric",
                            "visits")
                profile = cube_reader.Profile(out)
                sizes.add(len(profile.members["anchor.xml"]) % 512)
            # A name stands in the document twice.
            if length > 256 and 0 not in sizes and 1 in sizes:
                break
    finally:
        cli_command.REGIONS = kept
    tap.ok(0 not in sizes and 1 in sizes, "a byte more than 512 is written instead",
           sorted(sizes)[:5])


def test_same_file_again(tap):
    with Sample() as sample:
        contents = []
        for name in ("a.cubex", "b.cubex"):
            with open(cubex(sample.path, sample.file, name=name), "rb") as file:
                contents.append(file.read())
        tap.equal(contents[0], contents[1], "the same summary makes the same file")
        listed = harness.execute(["tar", "-tf", os.path.join(sample.path, "a.cubex")])
        tap.ok(listed.status == 0 and not listed.stderr, "tar reads it", listed.stderr)


def test_what_is_wrong_is_said(tap):
    with Sample() as sample:
        needs_libxml()
        for options, status, said in (
                ((), 2, "-o OUT.cubex is missing"),
                (("-o", "x.cubex", "--iterations", "all"), 2, "clusters, nodes or sum"),
                (("-o", "x.cubex", "--what", "clusters"), 2, "--what takes profile"),
                (("-o", "/no/such/x.cubex"), 1, "/no/such/x.cubex: cannot be written"),
                (("-o", "/dev/full"), 1, "/dev/full: cannot be written"),
                (("-o", sample.file), 1, "cannot be the output")):
            result = harness.tsprof("export", sample.file, "--format", "cubex", *options,
                                    cwd=sample.path)
            tap.ok(result.status == status and said in result.stderr,
                   "%s: status %d, %s" % (" ".join(options), status, said),
                   "%d %s" % (result.status, result.stderr))
        result = harness.tsprof("export", sample.file, "--what", "clusters", "--iterations", "sum")
        tap.ok(result.status == 2 and "csv does not take --iterations" in result.stderr,
               "--iterations of a table is refused", result.stderr)
        result = harness.tsprof("export", sample.file, "--format", "cubex", "-o", "x.cube",
                                cwd=sample.path)
        tap.ok(result.status == 0 and ".cubex" in result.stderr,
               "another ending is taken, and what follows is said", result.stderr)


if __name__ == "__main__":
    harness.main()
