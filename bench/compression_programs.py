"""Clustering of programs of tests/programs: each is measured once with every iteration kept, and
then clustered off line by both methods; `tsprof compare` gives the errors.

For the errors of entire iterations there is also the best that clustering by totals off line
reaches, inside the equivalence classes that tsprof had.
"""

import csv
import glob
import io
import os
import subprocess
import tempfile

import numpy

import compression_tables as tables
import offline_clustering
from compression_synthetic import rebuilt, relative

BUILD = os.path.abspath(os.environ.get("TOP_BUILDDIR", "."))
MPIRUN = os.environ.get("MPIRUN") or "mpirun"
RUNTIME = os.path.join(BUILD, "libprof/.libs/libtsprof.so")
TSPROF = os.path.join(BUILD, "utils/tsprof")
RANKS = 2

# Iterations and size: a few milliseconds an iteration; that of stencil grows with its number.
PROGRAMS = {
    "stencil": (200, 96),
    "wavefront": (500, 150),
    "particles": (500, 1500),
    "workers": (150, 6),
    "collectives": (1500, 500),
    "templates": (600, 100000),
    "shifting": (400, 250000),
    "heat_f08": (500, 1000),
}
EQUIVALENCES = ("strong", "weak", "hybrid")

# Rows of tsprof compare that the tables have: figure and group, and a short name.
FIGURES = {
    ("iteration_mean", "all"): "mean",
    ("iteration_max", "all"): "max",
    ("iteration_mean", "count"): "mean_count",
    ("iteration_max", "count"): "max_count",
    ("callpath_mean", "time"): "path_time",
    ("callpath_mean", "mpi_time"): "path_mpi_time",
    ("callpath_mean", "computation"): "path_computation",
    ("callpath_mean", "count"): "path_count",
    ("callpath_mean", "mpi_count"): "path_mpi_count",
    ("phantom_paths", "all"): "phantom",
    ("phantom_paths", "mpi"): "phantom_mpi",
    ("phantom_paths", "com"): "phantom_com",
}
QUANTILES = ("callpath_over_0", "callpath_over_0.00001", "callpath_over_0.0001",
             "callpath_over_0.001", "callpath_over_0.01", "callpath_over_0.1",
             "callpath_reaching_1")
QUANTILE_GROUPS = ("mpi_time", "mpi_count", "computation")

# What says nothing about the program, and `time`, which contains some of it.
LEFT_OUT = {"time", "overhead", "preempted", "samples", "samples_failed"}


def tsprof(*arguments):
    return subprocess.run([TSPROF, *map(str, arguments)], stdout=subprocess.PIPE, check=True,
                          text=True).stdout


def table(*arguments):
    return list(csv.DictReader(io.StringIO(tsprof(*arguments, "--format", "csv"))))


def measure(name, directory):
    """The summary of a run that keeps every iteration."""
    iterations, size = PROGRAMS[name]
    environment = dict(os.environ, TSPROF_VERBOSE="0", TSPROF_CLUSTERS="0", TSPROF_MEMORY="1G",
                       TSPROF_RATE=os.environ.get("RATE", "1000"),
                       TSPROF_OUTPUT=os.path.join(directory, name + ".tsprof"))
    program = os.path.join(BUILD, "tests/programs", name)
    subprocess.run([MPIRUN, "-n", str(RANKS), "env", "LD_PRELOAD=" + RUNTIME, program,
                    "--iterations", str(iterations), "--size", str(size)],
                   env=environment, cwd=directory, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, check=True)
    return glob.glob(os.path.join(directory, name + "*.tsprof"))[0]


class Iterations:
    """The totals of a summary's iterations: an array ranks x iterations x metrics."""

    def __init__(self, file):
        rows = table("export", file, "--what", "iterations")
        self.phase = rows[0]["phase"]
        rows = [row for row in rows if row["phase"] == self.phase]
        names = sorted({row["metric"] for row in rows} - LEFT_OUT)
        number = {name: i for i, name in enumerate(names)}
        ranks = 1 + max(int(row["rank"]) for row in rows)
        count = 1 + max(int(row["iteration"]) for row in rows)
        self.metrics = names
        self.values = numpy.zeros((ranks, count, len(names)))
        for row in rows:
            if row["metric"] in number:
                self.values[int(row["rank"]), int(row["iteration"]), number[row["metric"]]] = \
                    float(row["value"])

    def members(self, file):
        """Cluster and class of every iteration in FILE: arrays ranks x iterations."""
        shape = self.values.shape[:2]
        cluster, kind = numpy.zeros(shape, int), numpy.zeros(shape, int)
        for row in table("export", file, "--what", "clusters"):
            if row["phase"] == self.phase:
                at = int(row["rank"]), int(row["iteration"])
                cluster[at], kind[at] = int(row["cluster"]), int(row["class"])
        return cluster, kind

    def figures(self, owners):
        """Errors of the mean and of the maximum over ranks, for the clusters of each rank."""
        copy = numpy.stack([rebuilt(values, owner) for values, owner in zip(self.values, owners)])
        return (relative(self.values.mean(axis=0), copy.mean(axis=0)),
                relative(self.values.max(axis=0), copy.max(axis=0)))


def offline(iterations, kinds):
    """The smallest errors of all ways, by number of clusters; KINDS: classes by number."""
    ranks = [offline_clustering.clusterings(values, tables.COUNTS,
                                            {count: kinds[count][rank] for count in kinds})
             for rank, values in enumerate(iterations.values)]
    best = {}
    for count in tables.COUNTS:
        ways = [iterations.figures([rank[count][way] for rank in ranks])
                for way in range(len(ranks[0][count]))]
        best[count] = [min(column) for column in zip(*ways)]
    return best


def compared(full, small, phase):
    rows = table("compare", full, small)
    return {(row["figure"], row["group"]): float(row["value"]) for row in rows
            if row["phase"] == phase and not row["metric"]}


def compress(full, method, count, directory, *more):
    small = os.path.join(directory, "small.tsprof")
    if os.path.exists(small):
        os.unlink(small)
    tsprof("compress", full, "--clusters", count, "--clustering", method, *more, "-o", small)
    return small


def class_counts(full, directory, phase):
    """Most equivalence classes that a rank has."""
    counts = []
    for equivalence in EQUIVALENCES:
        small = compress(full, "szebenyi", 65536, directory, "--equivalence", equivalence)
        classes = {}
        for row in table("export", small, "--what", "clusters"):
            if row["phase"] == phase:
                classes.setdefault(row["rank"], set()).add(row["class"])
        counts.append(max(map(len, classes.values())))
    return counts


class Results:
    """The rows of the tables that this part leaves."""

    def __init__(self):
        self.errors, self.quantised, self.classes, self.graph = [], [], [], []

    def add_program(self, name, directory):
        full = measure(name, directory)
        iterations = Iterations(full)
        counts = class_counts(full, directory, iterations.phase)
        self.classes.append([name, iterations.values.shape[1], *counts, os.path.getsize(full)])
        kinds = {}
        for method in tables.METHODS:
            for count in tables.COUNTS:
                small = compress(full, method, count, directory)
                owners, kinds[count] = iterations.members(small)
                self.add_errors(name, method, count, full, small, iterations, owners)
        # The classes are those of the last method, ours.
        for count, (mean, highest) in offline(iterations, kinds).items():
            self.errors.append([name, "offline", count, "", mean, highest])

    def add_errors(self, name, method, count, full, small, iterations, owners):
        found = compared(full, small, iterations.phase)
        self.errors.append([name, method, count, os.path.getsize(small)]
                           + [found.get(key, "") for key in FIGURES])
        self.quantised += [[name, method, count, group]
                           + [found.get((step, group), "") for step in QUANTILES]
                           for group in QUANTILE_GROUPS]
        if name == "particles" and count == 16:
            metric = iterations.metrics.index("execution")
            for rank, owner in enumerate(owners):
                values = iterations.values[rank][:, metric:metric + 1]
                self.graph += [[method, rank, i, a, b] for i, (a, b) in
                               enumerate(zip(values[:, 0], rebuilt(values, owner)[:, 0]))]

    def write(self, results):
        tables.write(results, "programs", ("program", "method", "clusters", "bytes",
                                           *FIGURES.values()),
                     [row + [""] * (4 + len(FIGURES) - len(row)) for row in self.errors])
        tables.write(results, "quantised", ("program", "method", "clusters", "group", *QUANTILES),
                     self.quantised)
        tables.write(results, "classes", ("program", "iterations", *EQUIVALENCES, "bytes"),
                     self.classes)
        tables.write(results, "graph", ("method", "rank", "iteration", "true", "rebuilt"),
                     self.graph)


def per_cent(value):
    return f"{100 * value:.3f}" if isinstance(value, float) else "-"


# Errors below this are of no interest, however they compare.
NEGLIGIBLE = 0.0001


def show_ratios(found):
    """Where ours is worse than the others."""
    for way, limit, text, names in (
            ("offline", 1.15, "ours / best off line", ("mean", "max")),
            ("szebenyi", 1.005, "ours / published", ("mean", "max")),
            ("szebenyi", 1.005, "ours / published, call paths",
             ("path_mpi_time", "path_computation", "path_count", "path_mpi_count"))):
        cases = [(f"{name} {count:.0f} {figure}", found[name, count, "adaptive"][figure]
                  / found[name, count, way][figure])
                 for name, count, method in found if method == way for figure in names
                 if isinstance(found[name, count, way][figure], float)
                 and found[name, count, way][figure] > NEGLIGIBLE]
        tables.show_misses(cases, limit, text)


def show(results):
    print("\nEquivalence classes of a rank (tables 4.1, 8.1), and the summary of all iterations")
    print(f"{'program':<13}{'iterations':>10}{'strong':>8}{'weak':>8}{'hybrid':>8}{'bytes':>10}")
    for row in tables.read(results, "classes"):
        print(f"{row['program']:<13}{row['iterations']:>10.0f}{row['strong']:>8.0f}"
              f"{row['weak']:>8.0f}{row['hybrid']:>8.0f}{row['bytes']:>10.0f}")
    rows = tables.read(results, "programs")
    found = {(row["program"], row["clusters"], row["method"]): row for row in rows}
    print("\nErrors of programs, per cent of the largest value: of entire iterations, mean and")
    print("maximum over ranks (all metrics; off line, published, ours)")
    print(f"{'program':<13}{'clusters':>8}{'mean: off':>11}{'publ.':>9}{'ours':>9}"
          f"{'max: off':>11}{'publ.':>9}{'ours':>9}")
    for name, count in sorted({key[:2] for key in found}, key=lambda key: list(PROGRAMS).index(key[0])
                              * 1000 + key[1]):
        ways = [found[name, count, way] for way in ("offline",) + tables.METHODS]
        print(f"{name:<13}{count:>8.0f}" + "".join(
            f"{per_cent(way[figure]):>{11 if i == 0 else 9}}"
            for figure in ("mean", "max") for i, way in enumerate(ways)))
    show_ratios(found)
    shown = ("mean_count", "path_time", "path_computation", "path_mpi_time", "path_count",
             "path_mpi_count", "phantom", "phantom_mpi")
    print("\nThe same for counts alone, for single call paths, phantom call paths as a share of all,")
    print("and the summary's size: published / ours")
    print(f"{'program':<13}{'clusters':>8}{'counts':>15}{'path: time':>15}{'computation':>15}"
          f"{'MPI time':>15}{'counts':>15}{'MPI counts':>15}{'phantoms':>15}{'of MPI':>15}"
          f"{'bytes':>16}")
    for row in rows:
        if row["method"] != "szebenyi":
            continue
        ours = found[row["program"], row["clusters"], "adaptive"]
        print(f"{row['program']:<13}{row['clusters']:>8.0f}" + "".join(
            f"{per_cent(row[key]) + ' /' + per_cent(ours[key]).rjust(6):>15}" for key in shown)
              + f"{row['bytes']:>8.0f}{ours['bytes']:>8.0f}")


def main(results):
    found = Results()
    with tempfile.TemporaryDirectory(prefix="tsprof-bench.") as directory:
        for name in PROGRAMS:
            if os.path.exists(os.path.join(BUILD, "tests/programs", name)):
                found.add_program(name, directory)
    found.write(results)
    show(results)
