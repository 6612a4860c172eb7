#!/usr/bin/env python3
"""The command alone, on a small summary written here from doc/format.md and with launchers that
only say how they were started."""

import os
import re
import shutil
import struct
import subprocess
import time
import zlib

import harness
from harness import Directory

COMMANDS = ("run", "exec", "config", "info", "list", "report", "plot", "suggest", "score", "waits", "whatif", "export", "html", "compare", "diff",
            "mean", "join", "compress", "merge")


# A summary


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def signed(value):
    return varint(value * 2 if value >= 0 else -value * 2 - 1)


def text(value):
    """Bytes that are no UTF-8 are written as "\\udc80" to "\\udcff"."""
    value = value.encode("utf-8", "surrogateescape")
    return varint(len(value)) + value


def table(items):
    return varint(len(items)) + b"".join(items)


METRICS = (("time", 0, "s", 9), ("computation", 1, "s", 9), ("mpi", 1, "s", 9),
           ("mpi_collective", 3, "s", 9), ("overhead", 1, "s", 9), ("visits", 0, "occ", 0),
           ("bytes", 0, "bytes", 0), ("samples", 0, "occ", 0), ("samples_failed", 8, "occ", 0))
COMPUTATION, COLLECTIVE, OVERHEAD, VISITS, BYTES, SAMPLES, FAILED = 1, 3, 4, 5, 6, 7, 8

REGIONS = (("program", 3, "", 0, 0, ""), ("main", 0, "/src/main.c", 3, 1, ""),
           ("step", 2, "", 0, 0, ""), ("f(int, char)", 0, "a,b.cc", 9, 1, ""),
           ("MPI_Allreduce", 1, "", 0, 0, "COLL"), ("bad\x1b[2J\nname", 0, "", 0, 0, ""),
           ("[stopped]", 3, "", 0, 0, ""))
BUILD = ""
# Parent + 1, region, line.  Nodes 3 and 4 have the same path.
NODES = ((0, 0, 0), (1, 1, 0), (2, 2, 5), (3, 3, 6), (3, 3, 7), (4, 4, 10), (2, 5, 1),
         (1, 6, 0), (8, 3, 0))


def profile(cells):
    out, before = [], 0
    for node, metric, value in cells:
        out.append(varint(node - before) + varint(metric) + signed(value))
        before = node
    return table(out)


def times(cells):
    return sum(value for _, metric, value in cells if metric <= OVERHEAD)


def add(*profiles):
    total = {}
    for cells in profiles:
        for node, metric, value in cells:
            total[node, metric] = total.get((node, metric), 0) + value
    return [(node, metric, total[node, metric]) for node, metric in sorted(total)]


OUTSIDE = [(1, COMPUTATION, 5000000), (6, COMPUTATION, 1000000), (6, OVERHEAD, 1)]
# Three iterations: 0 and 2 are alike, 1 takes longer.
USUAL = [(3, COMPUTATION, 2000000), (3, VISITS, 2), (4, COMPUTATION, 1000001), (4, VISITS, 1),
         (5, COLLECTIVE, 500000), (5, VISITS, 3), (5, BYTES, 9)]
SLOW = [(3, COMPUTATION, 2000000), (3, VISITS, 1), (5, COLLECTIVE, 1500000), (5, VISITS, 1),
        (5, BYTES, 1 << 60)]


def cluster(size, cells, mpi_spread):
    """Its iterations differ in `mpi` only."""
    spreads = [mpi_spread if i == MAXIMUM_MPI else 0.0 for i in range(len(MAXIMA))]
    return (varint(size) + varint(0) + varint(times(cells)) + profile(cells)
            + (struct.pack("<%dd" % len(spreads), *spreads) if size > 1 else b""))


# The largest values of an iteration: of time, computation, mpi, mpi_collective, visits, bytes.
MAXIMA = ((0, 5000000), (1, 4000000), (1, 1500000), (1, 1500000), (2, 6), (1, 1 << 60))
MAXIMUM_MPI = 2

# What is more where samples were taken, and where they failed in iteration 1; what that cost.
SAMPLED = [(1, SAMPLES, 98), (6, OVERHEAD, 99999)]
FAILING = [(8, FAILED, 2)]
COSTS = {"calls": 7, "samples": 100, "samples_in_mpi": 2, "handler_ns": 40000, "markers": 4,
         "marker_ns": 10000, "arming_ns": 10200, "saves": 2, "saving_ns": 6000,
         "sample_period_ns": 10000000, "memory_bytes": 1000000, "resident_most_bytes": 64000000, "stall.save.21": 1,
         "stall.save.22": 1, "stall.save.longest_ns": 5500000, "stall.call.11": 3,
         "stall.call.longest_ns": 2500}

# What a second thread does in one iteration, and in its cluster of one.
HELP = [(3, COMPUTATION, 4000000), (3, VISITS, 1)]


def series(clusters, runs, mpi_spread):
    return (varint(0) + varint(0) + varint(3) + varint(1) + text("szebenyi") + varint(2)
            + table([varint(step) + varint(value) for step, value in MAXIMA]) + varint(0)
            + table([cluster(size, cells, mpi_spread) for size, cells in clusters])
            + table([varint(length) + varint(number) for length, number in runs]))


def location(rank, thread=0, more_wall=0, costs=None, mpi_spread=0.0):
    """Threads but the first take part in the last iteration only: the first two say 0."""
    slow, outside = SLOW, OUTSIDE
    if costs and "samples" in costs:
        slow, outside = add(SLOW, FAILING), add(OUTSIDE, SAMPLED)
    if thread == 0:
        clusters, runs = [(2, USUAL), (1, slow)], [(1, 1), (1, 2), (1, 1)]
    else:
        clusters, runs = [(1, HELP)], [(2, 0), (1, 1)]
    whole = add(outside, *[cells for _, cells in clusters])
    notes = [text("a note")] if (rank, thread) != (0, 0) else []
    place = varint(rank) + varint(thread) + varint(1) + varint(99) + text("")
    return (place + varint(times(whole) + more_wall) + varint(1700000000 * 10**9) + table(notes)
            + profile(whole) + profile(outside) + table([series(clusters, runs, mpi_spread)])
            + table([text(key) + varint(value) for key, value in (costs or {}).items()]))


PROCESSES = ((0, 0), (1, 0))
THREADS = ((0, 0), (0, 1), (1, 0))


def summary(places=PROCESSES, more_wall=0, costs=None, mpi_spread=0.0):
    """PLACES are pairs of rank and thread."""
    none = 0xFFFFFFFF
    sections = [
        (1, none, table([text("program") + text("toy"), text("command") + text("./toy \x1b[1m"),
                         text("timer") + text("cpu")])),
        (2, none, table([text(name) + varint(parent) + text(unit) + varint(scale) + varint(1)
                         + text("") for name, parent, unit, scale in METRICS])),
        (3, none, table([text("/bin/toy") + text(BUILD)])),
        (4, none, table([text(name) + varint(kind) + text(file) + varint(line) + varint(module)
                         + varint(0) + text(group)
                         for name, kind, file, line, module, group in REGIONS])),
        (5, none, table([b"".join(varint(n) for n in node) for node in NODES])),
        (6, none, table([text("host") + table([])])),
        (7, none, table([text("step") + varint(2) + varint(1)])),
    ] + [(8, number, location(*place, more_wall, costs, mpi_spread))
         for number, place in enumerate(places)]
    content, entries = b"", b""
    front = 64 + 48 * len(sections)
    for kind, place, section in sections:
        version = {8: 3, 6: 2}.get(kind, 1)
        entry = struct.pack("<IIIIQQQI", kind, version, place, 0, front + len(content),
                            len(section), len(section), zlib.crc32(section))
        entries += entry + struct.pack("<I", zlib.crc32(entry))
        content += section
    header = b"TSPROF\r\n" + struct.pack("<IIQQI24x", 2, 1, front + len(content), 7,
                                         len(sections))
    return header + struct.pack("<I", zlib.crc32(header)) + entries + content


class Sample(Directory):
    """A directory with a summary in it."""

    def __init__(self, places=PROCESSES, costs=None, mpi_spread=0.0):
        self.content = summary(places, costs=costs, mpi_spread=mpi_spread)

    def __enter__(self):
        directory = Directory.__enter__(self)
        self.file = self.write("toy.tsprof", self.content)
        self.directory = directory
        return self

    def write(self, name, content, mode=0o644):
        path = os.path.join(self.path, name)
        with open(path, "wb") as file:
            file.write(content)
        os.chmod(path, mode)
        return path


def lines(sample, *options):
    result = harness.tsprof("export", sample.file, *options)
    if result.status != 0:
        raise harness.Failure(result.stderr)
    return result.stdout.splitlines()


# Help


def test_help(tap):
    result = harness.tsprof("--help")
    tap.equal(result.status, 0, "tsprof --help: status 0")
    listed = re.findall(r"^  (\w+) +\S", result.stdout.partition("Commands:\n")[2], re.M)
    tap.equal(sorted(listed), sorted(COMMANDS), "tsprof --help lists all commands")
    for command in COMMANDS:
        about = harness.tsprof(command, "--help")
        tap.ok(about.status == 0 and about.stdout.startswith("usage: tsprof %s" % command),
               "tsprof %s --help says how to use it" % command, about)
        tap.ok(max(map(len, about.stdout.splitlines())) <= 80,
               "tsprof %s --help: at most 80 columns" % command, about.stdout)
    result = harness.tsprof("--version")
    tap.ok(result.status == 0 and
           re.fullmatch(r"tsprof \d+\.\d+\.\d+( \(git \S+\))?\n", result.stdout),
           "tsprof --version prints the version", result.stdout)


# Neither another repository that the environment names, nor what its user has configured.
GIT_ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
GIT_ENVIRONMENT.update(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1")


def git(tree, *arguments):
    subprocess.run(["git", "-C", tree, "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env=GIT_ENVIRONMENT)


def test_version_of_a_checkout(tap):
    """What is compiled into the command, of trees that are none, or are at some commit."""
    script = os.path.join(harness.TOP_SRCDIR, "utils", "command", "revision.sh")

    def revision(tree):
        done = subprocess.run(["sh", script, tree], check=True, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        return re.search(r'command_revision\[\] = "(.*)";\n$', done.stdout).group(1)

    if not shutil.which("git"):
        raise harness.Skip("there is no git")
    with Directory() as directory:
        tree = os.path.join(directory, "tree")
        os.makedirs(os.path.join(tree, "tarball"))
        tap.equal(revision(tree), "", "a tree without git")
        git(tree, "init")
        tap.equal(revision(tree), "", "a checkout without commits")
        git(tree, "commit", "--allow-empty", "-m", "one")
        tap.ok(re.fullmatch("[0-9a-f]{7,}", revision(tree)), "a commit", revision(tree))
        tap.equal(revision(os.path.join(tree, "tarball")), "", "a tarball within a checkout")
        git(tree, "tag", "v1.2.3")
        tap.equal(revision(tree), "v1.2.3", "a release")
        os.environ["GIT_DIR"] = os.path.join(harness.TOP_SRCDIR, ".git")
        tap.equal(revision(tree), "v1.2.3", "whatever repository the environment names")
        del os.environ["GIT_DIR"]
        git(tree, "commit", "--allow-empty", "-m", "two")
        tap.ok(revision(tree).startswith("v1.2.3-1-g"), "one commit later", revision(tree))


# Exports


def test_export_of_iterations(tap):
    with Sample() as sample:
        got = lines(sample, "--what", "iterations", "--rank", "1", "--iteration", "0-1")
        tap.equal(got, [
            "phase,iteration,rank,metric,value",
            "step,0,1,time,0.0017500005", "step,0,1,computation,0.0015000005",
            "step,0,1,mpi,0.00025000000000000001",
            "step,0,1,mpi_collective,0.00025000000000000001", "step,0,1,overhead,0",
            "step,0,1,visits,3", "step,0,1,bytes,4.5",
            "step,1,1,time,0.0035000000000000001", "step,1,1,computation,0.002",
            "step,1,1,mpi,0.0015", "step,1,1,mpi_collective,0.0015", "step,1,1,overhead,0",
            "step,1,1,visits,2", "step,1,1,bytes,1152921504606846976",
        ], "means of clusters, zeros too, whole numbers exactly")


def test_export_of_callpaths(tap):
    with Sample() as sample:
        got = lines(sample, "--what", "callpaths", "--rank", "0", "--iteration", "1")
        tap.equal(got, [
            "phase,iteration,rank,callpath,metric,value",
            'step,1,0,"main;step;f(int, char)",time,0.002',
            'step,1,0,"main;step;f(int, char)",computation,0.002',
            'step,1,0,"main;step;f(int, char)",visits,1',
            'step,1,0,"main;step;f(int, char);MPI_Allreduce",time,0.0015',
            'step,1,0,"main;step;f(int, char);MPI_Allreduce",mpi,0.0015',
            'step,1,0,"main;step;f(int, char);MPI_Allreduce",mpi_collective,0.0015',
            'step,1,0,"main;step;f(int, char);MPI_Allreduce",visits,1',
            'step,1,0,"main;step;f(int, char);MPI_Allreduce",bytes,1152921504606846976',
        ], "exclusive over call paths, inclusive over metrics, no zeros")
        total = lines(sample, "--what", "callpaths", "--total", "--metric", "visits")
        tap.equal(total, [
            "phase,iteration,rank,callpath,metric,value",
            ',,0,"main;step;f(int, char)",visits,4',
            ',,0,"main;step;f(int, char);MPI_Allreduce",visits,4',
            ',,1,"main;step;f(int, char)",visits,4',
            ',,1,"main;step;f(int, char);MPI_Allreduce",visits,4',
        ], "the whole run, with nodes of the same path joined")


def test_export_of_clusters_and_regions(tap):
    with Sample() as sample:
        tap.equal(lines(sample, "--what", "clusters", "--rank", "0"),
                  ["phase,rank,iteration,cluster,class", "step,0,0,0,0", "step,0,1,1,0",
                   "step,0,2,0,0"], "clusters")
        got = harness.export(sample.file, "regions")
        tap.equal([tuple(row.values()) for row in got],
                  [(name.replace("\x1b", r"\x1b"), ("function", "mpi", "phase", "artificial")[kind],
                    file, str(line or ""), "/bin/toy" if module else "", group)
                   for name, kind, file, line, module, group in REGIONS],
                  "regions, quoted, with line breaks but without what a terminal obeys")


def test_selections(tap):
    with Sample() as sample:
        what = ("--what", "iterations")
        everything = lines(sample, *what)
        parts = [lines(sample, "--iteration", "0", *what)[1:],
                 lines(sample, "--iteration", "1-", *what)[1:]]
        tap.equal(sorted(everything[1:]), sorted(parts[0] + parts[1]), "A and A- make the whole")
        tap.equal(lines(sample, "--rank", "0-1", "--phase", "step", *what), everything,
                  "all ranks and the only phase are everything")
        tap.equal(len(lines(sample, "--metric", "time", "--metric", "bytes", *what)),
                  1 + 2 * 3 * 2, "several metrics")
        for wrong in (("--phase", "stepp"), ("--metric", "tim"), ("--rank", "2"),
                      ("--iteration", "3"), ("--rank", "1-0"), ("--rank", "x"),
                      ("--rank", "-1"), ("--iteration", "99999999999999999999"), ("--thread", "1"),
                      ("--thread", "1-0"),
                      ("--format", "xml"), ("--phase",)):
            result = harness.tsprof("export", sample.file, *(what + wrong))
            tap.ok(result.status == 2 and result.stdout == "" and wrong[-1] in result.stderr,
                   "%s: status 2 and a message" % " ".join(wrong), result)


def test_threads(tap):
    with Sample(THREADS) as sample:
        what = ("--what", "iterations", "--metric", "visits")
        tap.equal(lines(sample, *what)[1:],
                  ["step,0,0,visits,3", "step,0,1,visits,3", "step,1,0,visits,2",
                   "step,1,1,visits,2", "step,2,0,visits,4", "step,2,1,visits,3"],
                  "a rank's values are sums over its threads, where they took part")
        tap.equal(lines(sample, "--thread", "0", *what)[1:],
                  ["step,0,0,visits,3", "step,0,1,visits,3", "step,1,0,visits,2",
                   "step,1,1,visits,2", "step,2,0,visits,3", "step,2,1,visits,3"],
                  "--thread 0: those that initialised MPI")
        tap.equal(lines(sample, "--thread", "1", *what)[1:], ["step,2,0,visits,1"],
                  "--thread 1: neither ranks without it nor iterations it was absent from")
        tap.equal(lines(sample, "--thread", "0-", *what), lines(sample, *what),
                  "all threads are everything")
        whole = ("--what", "callpaths", "--total", "--metric", "computation", "--rank", "0")
        tap.equal([lines(sample, *whole, *chosen)[1] for chosen in
                   ((), ("--thread", "0"), ("--thread", "1"))],
                  [",,0,main,computation,0.01", ",,0,main,computation,0.0050000000000000001",
                   ",,0,main,computation,0.0050000000000000001"], "whole runs likewise")
        what = ("--what", "clusters", "--rank", "0")
        first = ["step,0,0,0,0", "step,0,1,1,0", "step,0,2,0,0"]
        tap.equal(lines(sample, *what)[1:], first, "clusters are those of thread 0")
        tap.equal(lines(sample, "--thread", "0-1", *what)[1:], first, "of the first chosen")
        tap.equal(lines(sample, "--thread", "1", *what)[1:],
                  ["step,0,0,,", "step,0,1,,", "step,0,2,0,0"],
                  "of another one if it is asked for, empty where it was absent")
        for command in ("report", "info"):
            result = harness.tsprof(command, sample.file, "--thread", "2")
            tap.ok(result.status == 2 and "no thread from 2 on; the last is 1" in result.stderr,
                   command + " --thread 2: status 2 and a message", result)
        result = harness.tsprof("report", sample.file)
        for words in ("toy: 2 ranks with 3 threads on 1 host", "sums over its threads",
                      "rank 0 thread 1: a note"):
            tap.ok(words in result.stdout, "report has: " + words, result.stdout)
        result = harness.tsprof("report", sample.file, "--thread", "0")
        tap.ok("toy: 2 ranks on 1 host" in result.stdout and "sums over" not in result.stdout,
               "report --thread 0 has no sums to speak of", result.stdout)


def test_force(tap):
    """--force replaces a file, but nothing that is read, no directory, and no link's target."""
    with Sample() as sample:
        def written(command, name, *options):
            out = os.path.join(sample.path, name)
            with open(out, "w") as file:
                file.write("old")
            result = harness.tsprof(command, *options, "-o", out)
            refused = result.status == 1 and "without --force" in result.stderr
            result = harness.tsprof(command, *options, "-o", out, "--force")
            with open(out, "rb") as file:
                replaced = result.status == 0 and not file.read().startswith(b"old")
            tap.ok(refused and replaced, "%s -o %s" % (command, name), result)

        written("export", "a.csv", sample.file, "--what", "clusters")
        written("export", "a.txt", sample.file, "--format", "folded")
        written("export", "a.cubex", sample.file, "--format", "cubex")
        written("html", "a.html", sample.file)
        written("plot", "a.svg", sample.file, "--kind", "graph")
        written("mean", "a.tsprof", sample.file)
        for command in (("export", sample.file, "--what", "clusters"), ("mean", sample.file),
                        ("diff", sample.file, sample.file)):
            result = harness.tsprof(*command, "-o", sample.file, "--force")
            with open(sample.file, "rb") as file:
                tap.ok(result.status == 1 and file.read() == summary(),
                       command[0] + ": not the summary that is read", result)
        kept, link = os.path.join(sample.path, "kept"), os.path.join(sample.path, "link")
        with open(kept, "w") as file:
            file.write("old")
        os.symlink(kept, link)
        result = harness.tsprof("export", sample.file, "--what", "clusters", "-o", link, "-f")
        with open(kept) as file:
            tap.ok(result.status == 1 and file.read() == "old", "not through a link", result)


def test_newest(tap):
    """Without a name report and info take the newest summary in the directory."""
    with Sample() as sample:
        place = os.path.join(sample.path, "here")
        os.mkdir(place)
        for command in ("report", "info"):
            result = harness.tsprof(command, cwd=place)
            tap.ok(result.status == 1 and "there is no summary" in result.stderr,
                   command + ": there may be none", result)
        for name, age in (("old.tsprof", 200), ("new.tsprof", 100), ("other.txt", 0)):
            shutil.copyfile(sample.file, os.path.join(place, name))
            os.utime(os.path.join(place, name), (time.time() - age,) * 2)
        os.mkdir(os.path.join(place, "directory.tsprof"))
        for command in ("report", "info"):
            result = harness.tsprof(command, cwd=place)
            named = harness.tsprof(command, "new.tsprof", cwd=place)
            tap.ok("the newest summary here is new.tsprof" in result.stderr and
                   result.stdout == named.stdout, command + ": the newest, and which it is", result)
        tap.equal(harness.tsprof("export", "--what", "clusters", cwd=place).status, 2,
                  "others want a name")


def test_output_file(tap):
    with Sample() as sample:
        out = os.path.join(sample.path, "out.csv")
        what = ("--what", "clusters")
        result = harness.tsprof("export", sample.file, "-o", out, *what)
        tap.ok(result.status == 0 and result.stdout == "", "-o is silent")
        with open(out) as file:
            tap.equal(file.read().splitlines(), lines(sample, *what), "and writes the same")
        result = harness.tsprof("export", sample.file, "-o", sample.file, *what)
        with open(sample.file, "rb") as file:
            tap.ok(result.status == 1 and file.read() == summary(),
                   "the summary is not overwritten", result)
        result = harness.tsprof("export", sample.file, "-o", sample.path + "/no/such", *what)
        tap.ok(result.status == 1 and "no/such" in result.stderr, "a place that is not there")
        for arguments in (["export", sample.file, "--what", "clusters"], ["info", sample.file],
                          ["report", sample.file], ["config"]):
            with open("/dev/full", "w") as full:
                result = subprocess.run([harness.COMMAND] + arguments, stdout=full,
                                        stderr=subprocess.PIPE, env=harness.environment())
            tap.ok(result.returncode == 1 and b"written" in result.stderr,
                   "a full disk: %s says so" % arguments[0])


# Reading for people


def test_report_is_for_a_terminal(tap):
    with Sample(THREADS) as sample:
        for options in ([], ["--metric", "bytes"], ["--top", "1"], ["--rank", "1"],
                        ["--phase", "step"], ["--thread", "1"]):
            result = harness.tsprof("report", sample.file, *options)
            label = " ".join(["report"] + options)
            widest = max(map(len, result.stdout.splitlines()))
            tap.ok(result.status == 0 and widest <= 80, "%s: at most 80 columns" % label,
                   "%d\n%s" % (widest, result.stdout + result.stderr))
            tap.ok(not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", result.stdout),
                   label + ": no control characters")
    with Sample() as sample:
        result = harness.tsprof("report", sample.file)
        for words in ("Where the time went", "Iterations of step: 3", "█", "Slowest iterations",
                      "+1.25 ms mpi_collective", "Hottest call paths", "a note",
                      r"bad\x1b[2J\x0aname"):
            tap.ok(words in result.stdout, "report has: " + words, result.stdout)
        result = harness.tsprof("report", sample.file, "--metric", "nothing")
        tap.equal(result.status, 2, "an unknown metric: status 2")


def test_info_checks_the_numbers(tap):
    with Sample() as sample:
        result = harness.tsprof("info", sample.file)
        tap.ok(result.status == 0
               and re.search(r"^accounting +exact: .* 2 of 2 locations .* 4 of 4 clusters",
                             result.stdout, re.M)
               and re.search(r"^totals +exact: .* 2 of 2 locations", result.stdout, re.M),
               "a good summary is exact", result)
        wrong = sample.write("wrong.tsprof", summary(more_wall=5))
        result = harness.tsprof("info", wrong)
        tap.ok(result.status == 1 and "accounting   NOT EXACT" in result.stdout
               and "rank 0: 5 ns less than the wall time" in result.stdout,
               "5 ns that nothing accounts for are found", result)


def info(sample, *options):
    result = harness.tsprof("info", sample.file, *options)
    if result.status != 0:
        raise harness.Failure(result.stderr)
    return result.stdout


def test_info_says_what_it_cost(tap):
    with Sample(costs=COSTS) as sample:
        said = info(sample, "--rank", "0")
        for line in ("cost         0.8 % of the run; memory 1.00 MB per process",
                     "memory       64.0 MB at most",
                     "calls        7 MPI calls, 6.29 µs each: 0.3 %",
                     "samples      102 taken every 10.0 ms of processor time, "
                     "2 not used (in MPI or tsprof), 392 ns each (100 ns to arm the timer): 0.3 %",
                     "timer        cpu",
                     "markers      4 of phases and iterations, 2.50 µs each: 0.08 %",
                     "saves        2 of what was measured so far, 3.00 µs each: 0.05 %",
                     "stalls       tsprof held up the program for 5.50 ms at most; by what it did:",
                     "  save       longest 5.50 ms: 1 from 2.10 ms, 1 from 4.19 ms",
                     "  call       longest 2.50 µs: 3 from 2.05 µs",
                     "resolution   shares of the computation: 1 % +/- 1.4 %, 10 % +/- 4.2 %",
                     "unwinding    2 of 100 samples did not reach the root: 2.0 %; "
                     "they stopped at f(int, char) in toy (2)"):
            tap.ok("\n%s\n" % line in said, "info says: " + line, said)
        said = info(sample)
        tap.ok("\ncalls        14 MPI calls, 6.29 µs each: 0.3 %\n" in said
               and "\n  save       longest 5.50 ms: 2 from 2.10 ms, 2 from 4.19 ms\n" in said,
               "all ranks together", said)
    newer = ("marker", "arming", "sav")
    older = {key: value for key, value in COSTS.items() if not key.startswith(newer)}
    with Sample(costs=older) as sample:
        said = info(sample, "--rank", "0")
        tap.ok("\ncalls        7 MPI calls with markers of phases, 8.57 µs each: 0.5 %\n" in said
               and "\nmarkers" not in said and "\nsaves" not in said and "to arm" not in said,
               "markers and saves that are not told apart", said)
    with Sample(costs={"calls": 7}) as sample:
        said = info(sample)
        tap.ok("\ncalls        14 MPI calls with markers of phases and samples, 0.14 ns each"
               in said and "\nsamples" not in said and "\nresolution" not in said,
               "a summary that tells of calls only", said)
    with Sample(costs={}) as sample:
        said = info(sample)
        tap.ok("\ncalls        0 MPI calls with markers of phases and samples: 8e-06 %\n" in said,
               "a summary that tells of nothing", said)


def spread(share):
    """Of two iterations that differ from their mean by a share of the largest one's MPI."""
    return 2 * (share * MAXIMA[MAXIMUM_MPI][1]) ** 2


def test_errors_are_judged(tap):
    """Two of the three iterations on each rank are in one cluster."""
    with Sample() as sample:
        said = info(sample)
        tap.ok("\nerror        step: root mean square, of the largest iteration: "
               "computation 0.0 %, mpi 0.0 %, mpi_collective 0.0 %, visits 0.0 %, bytes 0.0 %\n"
               in said and "trust" not in said, "no error", said)
        said = info(sample, "--top", "3")
        tap.ok("mpi 0.0 %, mpi_collective 0.0 %, 2 others at most 0.0 %\n" in said,
               "--top shortens the list", said)
        said = harness.tsprof("report", sample.file).stdout
        tap.ok("trust" not in said, "and none in the report", said)
    with Sample(mpi_spread=spread(0.06)) as sample:
        said = info(sample)
        tap.ok("mpi 4.9 %, computation 0.0 %" in said
               and "\n             small, but above 5 % in the clusters of iterations 0, 2 (2 of "
               "3): do not trust those; a larger TSPROF_CLUSTERS than 2, or auto, helps\n"
               in said, "a small one with bad clusters", said)
        said = harness.tsprof("report", sample.file).stdout
        tap.ok("trust" not in said, "it is not in the report", said)
    with Sample(mpi_spread=spread(0.1)) as sample:
        said = info(sample)
        tap.ok("mpi 8.2 %, computation 0.0 %" in said
               and "\n             TOO LARGE to trust single iterations, for mpi; above 5 % in "
               "the clusters of iterations 0, 2 (2 of 3); a larger TSPROF_CLUSTERS than 2, or "
               "auto, helps\n" in said, "a large one", said)
        said = harness.tsprof("report", sample.file).stdout
        tap.ok("\nDo not trust single iterations: the error of mpi is 8.2 % of its "
               "largest value. "
               in said.replace("\n  ", " "), "the report warns", said)


def test_info_lists_threads(tap):
    with Sample(costs=COSTS) as sample:
        tap.ok("thread" not in info(sample), "one thread per rank: no table")
    with Sample(THREADS, COSTS) as sample:
        said = info(sample)
        tap.ok("\nranks        2 with 3 threads in all on 1 host" in said, "threads are counted")
        tap.ok("\nphase        step: 3 iterations on 2 ranks with 3 threads, 1 to 2 clusters, "
               "1 class, equivalence hybrid, 2 without some thread\n" in said,
               "absent iterations are not called lost", said)
        rows = [line for line in said.splitlines() if re.match(r" +(rank|\d)", line)]
        tap.equal(rows, [
            " rank thread     wall computation      MPI overhead samples    calls  iterations",
            "    0      0  13.1 ms     11.0 ms  2.00 ms   100 µs     100        7           3",
            "    0      1  10.1 ms     10.0 ms        0   100 µs      98        7      1 of 3",
            "    1      0  13.1 ms     11.0 ms  2.00 ms   100 µs     100        7           3",
        ], "a row for each thread")
        said = info(sample, "--thread", "1")
        rows = [line for line in said.splitlines() if re.match(r" +\d", line)]
        tap.ok(len(rows) == 1 and rows[0].startswith("    0      1 "), "--thread: chosen rows",
               said)
        tap.ok("selected     1 of 3 threads" in said and "\ncalls        7 MPI" in said
               and " on 3 of 3 locations" in said,
               "the cost is that of the chosen, the checks are on all", said)
    with Sample([(0, thread) for thread in range(25)]) as sample:
        said = info(sample)
        rows = [line for line in said.splitlines() if re.match(r" +\d", line)]
        tap.ok(len(rows) == 20 and "\n  and 5 more; " in said, "20 rows and what is left out",
               said)
        rows = [line for line in info(sample, "--thread", "20-").splitlines()
                if re.match(r" +\d", line)]
        tap.equal([row.split()[1] for row in rows], ["20", "21", "22", "23", "24"],
                  "which can be asked for")


def test_failed_samples_are_told(tap):
    with Sample(costs=COSTS) as sample:
        said = harness.tsprof("report", sample.file).stdout
        tap.ok("Samples not followed to the root: 4 of 200, 2.0 %\n" in said
               and "         4     2.0  f(int, char) in toy\n" in said,
               "the report says how many and where", said)
        tap.equal(lines(sample, "--what", "iterations", "--metric", "samples_failed", "--rank",
                        "1")[1:],
                  ["step,0,1,samples_failed,0", "step,1,1,samples_failed,2",
                   "step,2,1,samples_failed,0"], "exports say in which iteration")
        said = harness.tsprof("report", sample.file, "--metric", "samples_failed").stdout
        tap.ok(re.search(r"^ +2 +0 +- +0  1$", said, re.M)
               and "+2 samples_failed in [stopped] > f\n" in said,
               "so does the report of that metric", said)
    with Sample() as sample:
        said = harness.tsprof("report", sample.file).stdout
        tap.ok("not followed" not in said and "+/-" not in said,
               "a run without samples has neither failures nor errors", said)


def test_config(tap):
    result = harness.tsprof("config")
    tap.ok(result.status == 0 and result.stderr == "", "config is silent about nothing")
    tap.ok(re.search(r"^TSPROF_CLUSTERS +auto +default$", result.stdout, re.M), "a default")
    result = harness.execute([harness.COMMAND, "config"],
                             settings={"TSPROF_CLUSTERS": "8", "TSPROF_RATE": "x",
                                       "TSPROF_CLUTSERS": "1"})
    said = result.stdout.decode()
    tap.ok(re.search(r"^TSPROF_CLUSTERS +8 +environment$", said, re.M), "a value")
    tap.ok(re.search(r"^TSPROF_RATE +100 +default$", said, re.M), "a bad value is not used")
    said = result.stderr.decode()
    tap.ok("TSPROF_RATE=x" in said, "but named", said)
    tap.ok("TSPROF_CLUTSERS" in said and "TSPROF_CLUSTERS?" in said, "so is a wrong name", said)


# Starting programs


def start(*arguments, **settings):
    result = harness.execute([harness.COMMAND] + list(arguments), settings=settings)
    return harness.Result(result.status, result.stdout.decode("utf-8", "replace"),
                          result.stderr.decode("utf-8", "replace"))


def test_exec_preloads_the_runtime(tap):
    with Sample() as sample:
        library = os.path.realpath(harness.LIBRARY)
        show = sample.write("show", b"#!/bin/sh\necho \"$LD_PRELOAD $*\"\nexit 7\n", 0o755)
        result = start("exec", show, "-n", "--", "a b", TSPROF_LIB=library)
        tap.equal((result.status, result.stdout), (7, library + " -n -- a b\n"),
                  "the program has its arguments, and gives the status")
        result = start("exec", "--", show)
        tap.equal(result.stdout, library + " \n", "the build tree's runtime is found")
        result = start("exec", show, LD_PRELOAD=library)
        tap.equal(result.stdout, library + " \n", "it is not preloaded twice")
        other = sample.write("libother.so", b"")
        result = start("exec", show, LD_PRELOAD=other)
        tap.ok(result.stdout.startswith(library + ":" + other), "what is there stays", result)
        result = start("exec", show, LD_PRELOAD="/x/libtsprof-y.so %s:/x/libtsprof.so" % other)
        tap.equal(result.stdout, library + ":" + other + " \n", "but no other runtime")
        result = start("exec", show, LD_PRELOAD="%s /x/libasan.so.8" % other)
        tap.equal(result.stdout, "/x/libasan.so.8:%s:%s \n" % (library, other),
                  "the address sanitizer comes first")


def test_exec_of_a_script_asks_the_launcher(tap):
    """Whose MPI a script uses shows in what the launcher put into the environment."""
    with Sample() as sample:
        show = sample.write("show", b"#!/bin/sh\necho \"$LD_PRELOAD\"\n", 0o755)
        for kind, variable in (("mpich", "MPI_LOCALNRANKS"), ("openmpi", "OMPI_COMM_WORLD_SIZE")):
            if kind not in harness.KINDS:
                tap.skip("a script under " + kind, "there is no runtime for it")
                continue
            result = start("exec", show, **{variable: "2"})
            tap.equal(result.stdout.strip(), os.path.realpath(harness.library_of(kind)),
                      "a script under " + kind)


def test_exec_says_what_is_missing(tap):
    with Sample() as sample:
        result = start("exec", "/no/such/program")
        tap.ok(result.status == 127 and "/no/such/program" in result.stderr, "the program: 127")
        plain = sample.write("plain", b"text")
        result = start("exec", plain)
        tap.ok(result.status == 126 and plain in result.stderr, "permission to run it: 126")
        result = start("exec", "true", TSPROF_LIB="/no/libtsprof.so")
        tap.ok(result.status == 127 and "/no/libtsprof.so" in result.stderr, "the runtime: 127")
        spaced = sample.write("a b.so", b"")
        result = start("exec", "true", TSPROF_LIB=spaced)
        tap.ok(result.status == 127 and "blank" in result.stderr, "a path that cannot be: 127")
        tap.equal(start("exec").status, 2, "the command line: 2")


ECHO = b"#!/bin/sh\necho \"$0\"\nfor a in \"$@\"; do echo \"<$a>\"; done\n"


def needs(library):
    """The shortest ELF file that asks the loader for a library."""
    strings = b"\0" + library.encode() + b"\0"
    at = 64 + 2 * 56
    dynamic = struct.pack("<QQQQQQ", 1, 1, 5, at + 48, 0, 0)
    size = at + len(dynamic) + len(strings)
    header = (b"\x7fELF\x02\x01\x01" + bytes(9)
              + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 0, 0, 64, 56, 2, 0, 0, 0))
    load = struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, size, size, 4096)
    table_at = struct.pack("<IIQQQQQQ", 2, 6, at, at, at, len(dynamic), len(dynamic), 8)
    return header + load + table_at + dynamic + strings


def test_run_starts_the_launcher(tap):
    with Sample() as sample:
        launcher = sample.write("launcher", ECHO, 0o755)
        program = sample.write("app", needs("libmpi.so.12"), 0o755)
        runs = (
            (["-n", "4", program, "-x", "a b"], ["-n", "4"], [program, "-x", "a b"]),
            (["-np", "4", program, "--", "y"], ["-n", "4"], [program, "--", "y"]),
            ([program], [], [program]),
            (["--", program, "-n", "1"], [], [program, "-n", "1"]),
            (["-n", "2", "-hosts", "a,b", "--", program, "--", "z"], ["-n", "2", "-hosts", "a,b"],
             [program, "--", "z"]),
        )
        for arguments, before, after in runs:
            result = start("run", *arguments, TSPROF_MPIRUN=launcher)
            got = re.findall(r"^<(.*)>$", result.stdout, re.M)
            label = "run " + " ".join(arguments).replace(program, "app")
            tap.ok(result.status == 0 and got[: len(before)] == before
                   and os.path.basename(got[len(before)]) in ("tsprof", "lt-tsprof")
                   and got[len(before) + 1 :] == ["exec", "--"] + after, label, result)
        for arguments in ([], ["-n"], ["-n", "x", program], ["-n", "2"],
                          ["-n", "2", "-hosts", "a", program]):
            result = start("run", *arguments, TSPROF_MPIRUN=launcher)
            tap.ok(result.status == 2 and result.stderr and not result.stdout,
                   "run %s: status 2" % " ".join(arguments).replace(program, "app"), result)
        result = start("run", "/no/such/app", TSPROF_MPIRUN=launcher)
        tap.ok(result.status == 127 and "/no/such/app" in result.stderr, "no program: 127")
        result = start("run", program, TSPROF_MPIRUN="/no/such/launcher")
        tap.ok(result.status == 127 and "/no/such/launcher" in result.stderr, "no launcher: 127")


def test_run_passes_settings_on(tap):
    """Open MPI's launcher keeps the environment from other hosts; MPICH's does not."""
    with Sample() as sample:
        launcher = sample.write("launcher", ECHO, 0o755)
        for library, kind, wanted in (
                ("libmpi.so.12", "mpich", ["exec"]),
                ("libmpi.so.40", "openmpi", ["env", "TSPROF_OUTPUT=a b %j", "exec"])):
            if kind not in harness.KINDS:
                tap.skip("settings of " + kind, "there is no runtime for it")
                continue
            program = sample.write("app", needs(library), 0o755)
            result = start("run", "-n", "2", program, TSPROF_MPIRUN=launcher,
                           TSPROF_OUTPUT="a b %j")
            got = [argument for argument in re.findall(r"^<(.*)>$", result.stdout, re.M)[2:-2]
                   if "/" not in argument]
            tap.equal(got, wanted, kind + ": what is before the program")


def test_run_finds_the_launcher_that_fits(tap):
    with Sample() as sample:
        for name in ("mpirun", "mpirun.mpich", "mpirun.openmpi"):
            sample.write(name, ECHO, 0o755)
        path = sample.path + ":/usr/bin:/bin"
        cases = (("libmpich.so.12", "mpirun.mpich"), ("libmpi.so.12", "mpirun.mpich"),
                 ("libmpi.so.40", "mpirun.openmpi"), ("libm.so.6", "mpirun"))
        for library, launcher in cases:
            program = sample.write("app", needs(library), 0o755)
            result = start("run", "-n", "2", program, PATH=path)
            kind = launcher.partition(".")[2]
            if kind and kind not in harness.KINDS:
                tap.ok(result.status == 127 and "libtsprof-%s.so" % kind in result.stderr,
                       "a program that needs %s needs its runtime" % library, result)
                continue
            tap.equal(result.stdout.split("\n")[0], os.path.join(sample.path, launcher),
                      "a program that needs %s is started with %s" % (library, launcher))
            tap.equal(bool(result.stderr), launcher == "mpirun",
                      "%s: a note only if nothing is known" % library)
        for broken in (b"#!/bin/sh\n", needs("libmpi.so.40")[:200], needs("libmpi.so.40")[:70]):
            program = sample.write("app", broken, 0o755)
            result = start("run", program, PATH=path)
            tap.equal(result.stdout.split("\n")[0], os.path.join(sample.path, "mpirun"),
                      "%d bytes that name no library" % len(broken))
        result = start("run", program, PATH="/no/such")
        tap.ok(result.status == 127 and "TSPROF_MPIRUN" in result.stderr, "no launcher at all")


if __name__ == "__main__":
    harness.main()
