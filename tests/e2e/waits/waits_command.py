"""What `tsprof waits` finds in an archive, in the words of the second implementation."""

import collections
import csv
import os
import re

import harness
from harness import Failure

# The metrics that both have; the command's also has the time of calls and the like.
FOUND = re.compile("mpi_(latesender|lswo_|slow_slaves|overloaded_master_|latereceiver|barrier_|wait_|io_wait|nxn_|latebroadcast|early|"
                   "init_completion|finalize_wait|rma_(wait_at|early|late|sync_|comm_|pairsync))"
                   "|wait_|delay_|wavefront_|critical_|non_critical_|performance_impact|int(ra|er)_partition_")

# Where two overtaken messages arrive in one call, either may be the first.
TOGETHER = {"mpi_lswo_same": "mpi_lswo_different"}


def analyse(archive, *options):
    """The summary that the command makes; the caller removes it."""
    summary = os.path.join(os.path.dirname(archive), "waits.tsprof")
    result = harness.tsprof("waits", archive, "-o", summary, *options)
    if result.status != 0 or result.stderr:
        raise Failure("waits: status %d: %s" % (result.status, result.stderr))
    info = harness.tsprof("info", summary)
    if info.status != 0:
        raise Failure("info: " + info.stdout + info.stderr)
    return summary


def table(summary, what):
    """The rows of a table that `tsprof export` writes."""
    result = harness.tsprof("export", summary, "--what", what)
    if result.status != 0:
        raise Failure("export: " + result.stderr)
    return list(csv.DictReader(result.stdout.splitlines()))


def nanoseconds(row, column="time"):
    return round(float(row[column]) * 1e9)


def severities(archive, summary=None):
    """{(metric, call path, rank, None, None): ns, or a count}, inclusive, of the whole trace."""
    made = summary or analyse(archive)
    result = harness.tsprof("export", made, "--what", "callpaths", "--total")
    if not summary:
        os.unlink(made)
    values = collections.Counter()
    for row in csv.DictReader(result.stdout.splitlines()):
        if not FOUND.match(row["metric"]):
            continue
        value = float(row["value"])
        values[row["metric"], row["callpath"], int(row["rank"]), None, None] += (
            value if row["metric"].endswith("_count") else round(value * 1e9))
    return values


def by_call(values, metrics):
    """Of METRICS, summed over threads and iterations."""
    sums = collections.Counter()
    for (metric, path, rank, _, _), value in together(values, metrics).items():
        sums[metric, path, rank] += value
    return sums


def together(values, metrics):
    """Of METRICS, those as one that the two implementations tell apart in other ways."""
    sums = collections.Counter()
    for (metric, *where), value in values.items():
        if metric in metrics:
            sums[(TOGETHER.get(metric, metric), *where)] += value
    return sums


def profiles_of(location, content):
    """(iteration, profile): of each iteration that lies in no other, and of what is outside."""
    yield None, location.outside
    for series in location.series:
        first = 0
        for length, cluster in series.map if series.nested_in is None else ():
            if cluster is not None and cluster < len(series.clusters):
                yield ((content.phases[series.phase].name, first),
                       series.clusters[cluster].profile)
            first += length


def by_iteration(content):
    """{(metric, call path, rank, thread, iteration): ns, or a count}, inclusive over metrics, of a
    summary that the command has made and summary_reader has read."""
    values = collections.Counter()
    for location in content.locations:
        for iteration, profile in profiles_of(location, content):
            for (node, metric), value in profile.items():
                place = (content.callpath(node) if node else "", location.place.rank, location.place.thread,
                         iteration)
                while metric is not None:
                    values[(content.metrics[metric].name, *place)] += value
                    metric = content.metrics[metric].parent
    return collections.Counter({key: value for key, value in values.items()
                                if FOUND.match(key[0])})
