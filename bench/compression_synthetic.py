"""Clustering of synthetic series: errors on line, by both methods, and off line."""

import concurrent.futures
import hashlib
import json
import os
import subprocess

import numpy

import compression_tables as tables
import offline_clustering
import synthetic

BUILD = os.path.abspath(os.environ.get("TOP_BUILDDIR", "."))
SEEDS = int(os.environ.get("SEEDS", "4"))
JOBS = int(os.environ.get("JOBS", str(os.cpu_count())))
FIGURES = ("mean", "max", "own")


def online(values, method, count):
    """The cluster of each iteration, as the library finds it."""
    command = [os.path.join(BUILD, "bench/cluster_series"), method, str(count),
               str(values.shape[1]), "0"]
    output = subprocess.run(command, input=numpy.ascontiguousarray(values).tobytes(),
                            stdout=subprocess.PIPE, check=True).stdout
    return numpy.array(output.split(), dtype=int)


def rebuilt(values, owner):
    """Every iteration as the mean of its cluster."""
    owner = numpy.unique(owner, return_inverse=True)[1]
    sizes = numpy.bincount(owner)
    return numpy.stack([numpy.bincount(owner, column) / sizes for column in values.T], 1)[owner]


def relative(true, copy):
    """Mean absolute error of each metric as a share of its maximum, averaged over the metrics."""
    axes = tuple(range(true.ndim - 1))
    highest = numpy.abs(true).max(axis=axes)
    used = highest > 0
    return float((numpy.abs(true - copy).mean(axis=axes)[used] / highest[used]).mean())


def figures(series, copy):
    """Errors of the mean over ranks, of the maximum over ranks, and of the ranks themselves."""
    return (relative(series.mean(axis=0), copy.mean(axis=0)),
            relative(series.max(axis=0), copy.max(axis=0)),
            relative(series, copy))


def offline(series):
    """The smallest of each figure that any way reaches, by number of clusters."""
    ranks = [offline_clustering.clusterings(values, tables.COUNTS) for values in series]
    best = {}
    for count in tables.COUNTS:
        ways = [figures(series, numpy.stack([rebuilt(values, rank[count][way])
                                             for values, rank in zip(series, ranks)]))
                for way in range(len(ranks[0][count]))]
        best[count] = [min(column) for column in zip(*ways)]
    return best


def cached_offline(series, results):
    """The same, kept from run to run while neither the series nor the code changes."""
    digest = hashlib.sha256(series.tobytes())
    for module in (offline_clustering, ):
        with open(module.__file__, "rb") as file:
            digest.update(file.read())
    path = os.path.join(results, "offline-" + digest.hexdigest()[:24] + ".json")
    if not os.path.exists(path):
        best = offline(series)
        with open(path + ".new", "w") as file:
            json.dump(best, file)
        os.rename(path + ".new", path)
    with open(path) as file:
        return {int(count): found for count, found in json.load(file).items()}


def evaluate(kind, seed, results):
    """Rows of the table: kind, seed, clusters, way, and the three figures."""
    series = synthetic.make(kind, seed)
    best = cached_offline(series, results)
    rows = []
    for count in tables.COUNTS:
        rows.append([kind, seed, count, "offline", *best[count]])
        for method in tables.METHODS:
            copy = numpy.stack([rebuilt(values, online(values, method, count))
                                for values in series])
            rows.append([kind, seed, count, method, *figures(series, copy)])
    return rows


def show(rows):
    print("Synthetic series, %d iterations of %d metrics on %d ranks, averages of %d seeds: mean"
          % (synthetic.ITERATIONS, synthetic.METRICS, synthetic.RANKS, SEEDS))
    print("absolute error, per cent of the largest value, of the mean over ranks, of the maximum")
    print("over ranks and of each rank by itself; best: off line; the others as multiples of it;")
    print("gain: ours as a multiple of the published")
    print(f"{'kind':<10}{'clusters':>8}{'best, %':>24}{'published':>21}{'ours':>21}{'gain':>21}")
    ratios = {"offline": [], "szebenyi": []}
    for kind in synthetic.KINDS:
        for count in tables.COUNTS:
            means = {way: numpy.mean([row[4:] for row in rows if row[0] == kind and
                                      row[2] == count and row[3] == way], axis=0)
                     for way in ("offline",) + tables.METHODS}
            print(f"{kind:<10}{count:>8}"
                  + "".join(f"{100 * figure:>8.3f}" for figure in means["offline"])
                  + "".join(f"{ratio:>7.2f}" for ratio in means["szebenyi"] / means["offline"])
                  + "".join(f"{ratio:>7.2f}" for ratio in means["adaptive"] / means["offline"])
                  + "".join(f"{ratio:>7.2f}" for ratio in means["adaptive"] / means["szebenyi"]))
            for way, cases in ratios.items():
                cases += [(f"{kind} {count} {figure}", ratio) for figure, ratio in
                          zip(FIGURES, means["adaptive"] / means[way])]
    tables.show_misses(ratios["offline"], 1.15, "ours / best off line")
    tables.show_misses(ratios["szebenyi"], 1.005, "ours / published")


def main(results):
    jobs = [(kind, seed) for seed in range(SEEDS) for kind in synthetic.KINDS]
    rows = []
    with concurrent.futures.ProcessPoolExecutor(JOBS) as pool:
        for found in pool.map(evaluate, *zip(*jobs), [results] * len(jobs)):
            rows += found
    tables.write(results, "synthetic", ("kind", "seed", "clusters", "way") + FIGURES, rows)
    show(rows)
