"""Totals, call paths and their presence: errors on line, by both methods, and off line.

The error of totals is as in compression_synthetic: of each metric the mean absolute error as a
share of its largest value, averaged over the metrics.  That of call paths is the same for the cells
of a metric where the iteration or its copy is not zero, as a share of the largest cell of the
metric.  Both together: the geometric mean of the two.  Off line Ward's method and k-means cluster by
totals, by cells, and by both with their variances made equal or as 1 to 0.4; the best is the least
of each figure that any of them reaches.  Phantoms: of the call paths that a copy of an iteration
shows the share that the iteration does not have.
"""

import collections
import concurrent.futures
import os
import subprocess
import tempfile

import numpy

import compression_programs as programs
import compression_tables as tables
import offline_clustering
import synthetic_paths
from compression_synthetic import BUILD, JOBS, SEEDS, rebuilt

FIGURES = ("totals", "paths", "together", "phantoms")
RATIOS = FIGURES[:3]  # best phantoms may be none

# What is clustered: totals iterations x metrics, cells iterations x cells, their metrics and paths.
Data = collections.namedtuple("Data", "totals cells metric_of path_of")


def error_of_totals(data, owner):
    highest = numpy.abs(data.totals).max(axis=0)
    used = highest > 0
    error = numpy.abs(data.totals - rebuilt(data.totals, owner)).mean(axis=0)
    return float((error[used] / highest[used]).mean())


def error_of_paths(data, owner):
    copy = rebuilt(data.cells, owner)
    there = (data.cells != 0) | (copy != 0)
    difference = numpy.abs(data.cells - copy)
    errors = []
    for metric in numpy.unique(data.metric_of):
        of = data.metric_of == metric
        highest = numpy.abs(data.cells[:, of]).max()
        if highest > 0:
            errors.append(difference[:, of].sum() / there[:, of].sum() / highest)
    return float(numpy.mean(errors))


def phantoms(data, owner):
    copy = rebuilt(data.cells, owner)
    true, shown = (numpy.add.reduceat(values != 0, data.path_of, axis=1) > 0
                   for values in (data.cells, copy))
    return float((shown & ~true).sum() / max(1, shown.sum()))


def figures(data, owner):
    totals, paths = error_of_totals(data, owner), error_of_paths(data, owner)
    return totals, paths, (totals * paths) ** 0.5, phantoms(data, owner)


def unit(points):
    """Scaled so that all variances add up to 1."""
    variance = points.var(axis=0).sum()
    return points / variance ** 0.5 if variance > 0 else points


def offline_points(data):
    totals = offline_clustering.scaled(data.totals, "maximum")
    cells = numpy.zeros_like(data.cells)
    for metric in numpy.unique(data.metric_of):
        of = data.metric_of == metric
        highest = numpy.abs(data.cells[:, of]).max()
        cells[:, of] = data.cells[:, of] / highest if highest > 0 else 0
    cells = cells[:, numpy.argsort(-cells.var(axis=0), kind="stable")[:200]]
    return [totals, cells, numpy.hstack([unit(totals), unit(cells)]),
            numpy.hstack([unit(totals), 0.4 ** 0.5 * unit(cells)])]


def offline(data, classes):
    """The smallest of each figure, by number of clusters; CLASSES: by number of clusters."""
    found = {count: [] for count in classes}
    for points in offline_points(data):
        points, wards = numpy.ascontiguousarray(points), {}
        for count, members in classes.items():
            key = members.tobytes()
            if key not in wards:
                wards[key] = offline_clustering.Ward(points, members)
            owner = wards[key].cut(count)
            shares = {c: len(numpy.unique(owner[members == c])) for c in numpy.unique(members)}
            rng = numpy.random.default_rng(count)
            for way in (owner, offline_clustering.kmeans_in_classes(points, members, shares, rng)):
                found[count].append(figures(data, way))
    return {count: [min(column) for column in zip(*ways)] for count, ways in found.items()}


def online(values, method, count):
    """The cluster of each iteration of a synthetic series."""
    totals = values.sum(axis=1)
    rows = numpy.hstack([totals, values.reshape(len(values), -1)])
    command = [os.path.join(BUILD, "bench/cluster_series"), method, str(count),
               str(values.shape[2]), str(values.shape[1])]
    output = subprocess.run(command, input=numpy.ascontiguousarray(rows, float).tobytes(),
                            stdout=subprocess.PIPE, check=True).stdout
    return numpy.array(output.split(), dtype=int)


def evaluate_series(kind, seed):
    values = synthetic_paths.make(kind, seed)
    cells = values.reshape(len(values), -1)
    metric_of = numpy.tile(numpy.arange(values.shape[2]), values.shape[1])
    path_of = numpy.arange(0, cells.shape[1], values.shape[2])
    data = Data(values.sum(axis=1), cells, metric_of, path_of)
    best = offline(data, {count: numpy.zeros(len(values), int) for count in tables.COUNTS})
    return [[kind, seed, count, way,
             *(best[count] if way == "offline" else figures(data, online(values, way, count)))]
            for count in tables.COUNTS for way in ("offline",) + tables.METHODS]


def read_program(file, iterations):
    """The iterations of every rank, with the call paths that the summary has: exports join some."""
    output = subprocess.run([os.path.join(BUILD, "bench/iteration_cells"), file],
                            stdout=subprocess.PIPE, check=True, text=True).stdout
    ranks = [{} for _ in iterations.values]
    for line in output.splitlines():
        rank, iteration, path, metric, value = line.split()
        if metric not in programs.LEFT_OUT:
            ranks[int(rank)].setdefault((int(path), metric), []).append((int(iteration), float(value)))
    return [make_data(totals, columns) for totals, columns in zip(iterations.values, ranks)]


def make_data(totals, columns):
    """COLUMNS: by call path and metric, the iterations that have a value, and these."""
    order = sorted(columns)
    cells = numpy.zeros((len(totals), len(order)))
    for at, key in enumerate(order):
        for iteration, value in columns[key]:
            cells[iteration, at] += value
    # Cells of one path side by side, and where each path begins.
    begins = [at for at, (path, _) in enumerate(order) if at == 0 or path != order[at - 1][0]]
    return Data(totals, cells, numpy.array([metric for _, metric in order]), numpy.array(begins))


def evaluate_program(name, numbers=tables.COUNTS):
    """Of one recording of a program, with these numbers of clusters."""
    with tempfile.TemporaryDirectory(prefix="tsprof-bench.") as directory:
        full = programs.measure(name, directory)
        iterations = programs.Iterations(full)
        ranks = read_program(full, iterations)
        owners, kinds = {}, {}
        for method in tables.METHODS:
            for count in numbers:
                small = programs.compress(full, method, count, directory)
                owners[method, count], kinds[count] = iterations.members(small)
    rows = []
    for rank, data in enumerate(ranks):
        counts = [count for count in numbers if count < len(data.totals)]
        best = offline(data, {count: kinds[count][rank] for count in counts})
        for count in counts:
            rows.append([name, rank, count, "offline", *best[count]])
            rows += [[name, rank, count, method, *figures(data, owners[method, count][rank])]
                     for method in tables.METHODS]
    return rows


# Errors below this are of no interest, however they compare.
NEGLIGIBLE = 0.0001


def show(rows):
    print("\nTotals and call paths, per cent of the largest values, averages of seeds or ranks: best of")
    print("each off line; published and ours as multiples of it: totals, paths, both together; then")
    print("phantoms, per cent of the call paths shown: fewest off line, published, ours")
    print(f"{'of':<12}{'clusters':>8}{'best, %':>24}{'published':>21}{'ours':>21}{'phantoms, %':>21}")
    ratios = {figure: [] for figure in RATIOS}
    for name in dict.fromkeys(row[0] for row in rows):
        for count in tables.COUNTS:
            means = {way: numpy.mean([row[4:] for row in rows if row[0] == name and
                                      row[2] == count and row[3] == way] or [[0] * len(FIGURES)], axis=0)
                     for way in ("offline",) + tables.METHODS}
            shown = {way: 100 * mean[3] for way, mean in means.items()}
            means = {way: mean[:3] for way, mean in means.items()}
            if means["offline"].min() < NEGLIGIBLE:
                continue
            best = means["offline"]
            print(f"{name:<12}{count:>8}" + "".join(f"{100 * figure:>8.3f}" for figure in best)
                  + "".join(f"{ratio:>7.2f}" for way in tables.METHODS for ratio in means[way] / best)
                  + "".join(f"{shown[way]:>7.2f}" for way in ("offline",) + tables.METHODS))
            for figure, ratio in zip(RATIOS, means["adaptive"] / best):
                ratios[figure].append((f"{name} {count}", ratio))
    for figure, cases in ratios.items():
        print("%s: mean %.3f" % (figure, numpy.mean([ratio for _, ratio in cases])), end="; ")
        tables.show_misses(cases, 1.1, "ours / best off line")


def main(results):
    jobs = [(kind, seed) for seed in range(SEEDS) for kind in synthetic_paths.KINDS]
    rows = []
    with concurrent.futures.ProcessPoolExecutor(JOBS) as pool:
        for found in pool.map(evaluate_series, *zip(*jobs)):
            rows += found
    for name in programs.PROGRAMS:
        if os.path.exists(os.path.join(BUILD, "tests/programs", name)):
            rows += evaluate_program(name)
    tables.write(results, "paths", ("of", "number", "clusters", "way") + FIGURES, rows)
    show(rows)
