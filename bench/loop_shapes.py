"""Whether iterations that tsprof finds have the series of those that are marked: the same programs with
markers and without, side by side.

    make bench BENCH=shapes

A border found lies somewhere inside the source's loop, so an iteration is the end of one and the
beginning of the next.  Series are compared where they fit best, at most SHIFTS iterations apart; the
figures are means over ranks: correlation, root mean square of the difference as a share of the mean.
Counts are what no two runs differ in: the sums over all that both have must be the same but for the
edges, and iterations are counted in which every count and byte is the same.

Then both are compressed: how far clusters are from what each of them had without (tsprof compare), and
what the compressed summary says of itself (tsprof info); of a second run with markers, too, since no two
runs are the same. Pictures of the compressed series, one beside
the other, are left in bench/loop_shapes: those in doc/ are made so.
"""

import csv
import glob
import io
import os
import re
import statistics
import subprocess

BUILD = os.path.abspath(os.environ.get("TOP_BUILDDIR", "."))
MPIRUN = os.environ.get("MPIRUN") or "mpirun"
RUNTIME = os.path.join(BUILD, "libprof/.libs/libtsprof.so")
TSPROF = os.path.join(BUILD, "utils/tsprof")
RESULTS = os.path.join(BUILD, "bench/loop_shapes")
RANKS = 2
SHIFTS = 3

PROGRAMS = {
    "stencil": ["--iterations", "200", "--size", "160"],
    "particles": ["--iterations", "400", "--size", "700"],
}
TIMES = ("computation", "mpi", "mpi_collective", "mpi_point2point")
# In the pictures: what no two runs differ in.
DRAWN = ("bytes", "comms")
PICTURE = 460, 300
CLUSTERS = 8, 64
KINDS = "marked", "found", "again"
ERRORS = ("time", "computation", "count")
# Not visits: the marked ones have one more, of the phase itself.
COUNTS = ("comms", "bytes")


def measure(name, kind, clusters):
    """The summary of a run of NAME with markers, or of the program without."""
    directory = "unmarked" if kind == "found" else ""
    output = os.path.join(RESULTS, "%s-%s-%s.tsprof" % (name, kind, clusters))
    for old in glob.glob(output):
        os.unlink(old)
    environment = dict(os.environ, TSPROF_VERBOSE="0", TSPROF_CLUSTERS=clusters, TSPROF_MEMORY="1G",
                       TSPROF_ITERATION="auto", TSPROF_OUTPUT=output)
    program = os.path.join(BUILD, "tests/programs", directory, name)
    subprocess.run([MPIRUN, "-n", str(RANKS), "env", "LD_PRELOAD=" + RUNTIME, program]
                   + PROGRAMS[name], env=environment, cwd=RESULTS, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, check=True)
    return output


def series_of(file):
    """By rank and metric, the values of the phase that has the most iterations and time."""
    text = subprocess.run([TSPROF, "export", file, "--what", "iterations", "--format", "csv"],
                          stdout=subprocess.PIPE, check=True, text=True).stdout
    found, time = {}, {}
    for row in csv.DictReader(io.StringIO(text)):
        key = row["phase"], int(row["rank"]), row["metric"]
        found.setdefault(key, {})[int(row["iteration"])] = float(row["value"])
        if row["metric"] == "time":
            time[row["phase"]] = time.get(row["phase"], 0) + float(row["value"])
    main = max(time, key=time.get)
    return {(rank, metric): [values[i] for i in sorted(values)]
            for (phase, rank, metric), values in found.items() if phase == main}


def overlap(marked, found, shift):
    """Both from where they have the same iterations: SHIFT of the marked ones are not in found."""
    first = marked[shift:] if shift >= 0 else marked
    second = found if shift >= 0 else found[-shift:]
    size = min(len(first), len(second))
    return first[:size], second[:size]


def correlation(a, b):
    if len(a) < 3 or len(set(a)) == 1 or len(set(b)) == 1:
        return 1.0 if a == b else float("nan")
    return statistics.correlation(a, b)


def difference(a, b):
    """Root mean square, as a share of the mean of A."""
    mean = statistics.fmean(a)
    return (statistics.fmean((x - y) ** 2 for x, y in zip(a, b)) ** 0.5 / mean) if mean else 0.0


def best_shift(marked, found, ranks):
    """Where the bytes that are moved fit best, for all ranks together: no noise is in them."""
    def misfit(shift):
        return sum(difference(*overlap(marked[rank, "bytes"], found[rank, "bytes"], shift))
                   for rank in ranks)
    return min(range(-SHIFTS, SHIFTS + 1), key=misfit)


def compare(name, clusters):
    marked, found, again = (series_of(measure(name, kind, clusters)) for kind in KINDS)
    ranks = sorted({rank for rank, _ in marked})
    shift = best_shift(marked, found, ranks)
    print(f"{name}, {clusters or 'every iteration'} clusters: {len(marked[0, 'time'])} marked, "
          f"{len(found[0, 'time'])} found, {shift} later")
    print(f"  {'':<18}{'marked':>12}{'found':>12}{'correlation':>12}{'difference':>11}"
          f"{'two marked runs':>24}{'the same':>12}")
    for metric in TIMES + COUNTS:
        rows = [overlap(marked[rank, metric], found[rank, metric], shift) for rank in ranks]
        twice = [overlap(marked[rank, metric], again[rank, metric], 0) for rank in ranks]
        means = [statistics.fmean(statistics.fmean(row[i]) for row in rows) for i in (0, 1)]
        figures = [statistics.fmean(function(*row) for row in pairs)
                   for pairs in (rows, twice) for function in (correlation, difference)]
        same = sum(x == y for row in rows for x, y in zip(*row))
        print(f"  {metric:<18}{means[0]:>12.5g}{means[1]:>12.5g}{figures[0]:>12.4f}"
              f"{100 * figures[1]:>10.2f}%{figures[2]:>14.4f}{100 * figures[3]:>9.2f}%"
              + (f"{same:>7}/{sum(len(row[0]) for row in rows)}" if metric in COUNTS else ""))


def tsprof(*arguments):
    return subprocess.run([TSPROF] + list(arguments), stdout=subprocess.PIPE, check=True,
                          text=True).stdout


def anew(path):
    """PATH, where no file is now."""
    if os.path.exists(path):
        os.unlink(path)
    return path


def kept(name, kind):
    """The summary in which each iteration has a profile of its own."""
    return os.path.join(RESULTS, "%s-%s-0.tsprof" % (name, kind))


def compressed(name, kind, clusters):
    output = anew(os.path.join(RESULTS, "%s-%s-of-%d.tsprof" % (name, kind, clusters)))
    tsprof("compress", kept(name, kind), "--clusters", str(clusters), "-o", output)
    return output


def main_phase(file):
    """Of several loops the one that took longest."""
    text = tsprof("export", file, "--what", "iterations", "--metric", "time", "--format", "csv")
    time = {}
    for row in csv.DictReader(io.StringIO(text)):
        time[row["phase"]] = time.get(row["phase"], 0) + float(row["value"])
    return max(time, key=time.get)


def stated(file, phase):
    """What the summary says of the error of each metric."""
    text = tsprof("info", file, "--top", "99")
    line = re.search(r"^(?:error)? +%s: (.*%%.*)$" % re.escape(phase), text, re.M).group(1)
    return {metric: float(value) for metric, value in re.findall(r"(\w+) ([\d.]+) %", line)}


def errors(name, kind, clusters):
    """Per cent, by figure."""
    file = compressed(name, kind, clusters)
    phase = main_phase(file)
    text = tsprof("compare", kept(name, kind), file, "--phase", phase, "--format", "csv")
    found = {}
    for row in csv.DictReader(io.StringIO(text)):
        if not row["metric"]:
            found[row["figure"], row["group"]] = 100 * float(row["value"])
    return found, stated(file, phase)


def print_errors(name):
    print(f"  {name}: error of compression, per cent of the largest: mean over ranks (4.3), "
          "each call path (4.6), as stated")
    print("  " + "clusters".rjust(14) + "".join(group.rjust(13) for group in ERRORS)
          + "".join(("path " + group).rjust(17) for group in ERRORS)
          + "".join(("stated " + metric).rjust(20) for metric in ("computation", "bytes")))
    for clusters in CLUSTERS:
        for kind in KINDS:
            figures, said = errors(name, kind, clusters)
            print(f"  {kind:<8}{clusters:>6}"
                  + "".join(f"{figures.get(('iteration_mean', group), 0):>13.3f}" for group in ERRORS)
                  + "".join(f"{figures.get(('callpath_mean', group), 0):>17.3f}" for group in ERRORS)
                  + "".join(f"{said.get(metric, 0):>20.2f}" for metric in ("computation", "bytes")))


def drawn(name, kind, metric):
    """An SVG of the series in the most clusters."""
    file = os.path.join(RESULTS, "%s-%s-of-%d.tsprof" % (name, kind, CLUSTERS[-1]))
    return tsprof("plot", file, "--kind", "graph", "--metric", metric, "--phase", main_phase(file),
                  "--size", "%dx%d" % PICTURE)


def draw(name):
    """With markers on the left, found on the right."""
    width, height = PICTURE
    parts = []
    for column, kind in enumerate(("marked", "found")):
        for row, metric in enumerate(DRAWN):
            svg = drawn(name, kind, metric)
            svg = svg[svg.index("<svg"):].replace(
                "<svg", '<svg x="%d" y="%d"' % (column * width, row * height), 1)
            parts.append(svg)
    path = os.path.join(RESULTS, "main-loop-%s.svg" % name)
    with open(path, "w", encoding="utf-8") as file:
        file.write('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">\n'
                   % (2 * width, 2 * height, 2 * width, 2 * height) + "".join(parts) + "</svg>\n")
    print("  " + path)


def main():
    os.makedirs(RESULTS, exist_ok=True)
    print("\nSeries of iterations found against those that are marked")
    for name in PROGRAMS:
        for clusters in ("0", "64"):
            compare(name, clusters)
        print_errors(name)
        draw(name)
