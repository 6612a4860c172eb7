#!/usr/bin/env python3
"""Wait states of programs that draw what they do, and of others: what holds for all of them, and,
where there are two implementations, that both find the same.

WAITS_SEED=N repeats a seed, WAITS_RUNS=N tries more of them.
"""

import collections
import os
import random

import harness
import summary_reader
import waits_causes
import waits_command
import waits_oracle
from harness import Directory, Failure
from waits_trace import Trace


# Where somebody leaves a collective before the last has come, and messages of all kinds.
OTHERS = ("intercomm", "particles", "collectives", "random_messages")


def record(directory, ranks, name, *arguments):
    """The archive of a program; without samples, which only one of the implementations uses."""
    result = harness.run_ranks(
        [harness.program(name), *arguments], ranks, cwd=directory,
        settings={"TSPROF_OUTPUT": os.path.join(directory, "out.tsprof"), "TSPROF_TRACE": "all",
                  "TSPROF_RATE": "0"})
    archive = os.path.join(directory, "out.otf2")
    if result.status != 0 or not os.path.exists(archive):
        raise Failure(result.stderr.decode("utf-8", "replace"))
    return archive


def differences(first, second, slack_ns=1):
    """Where two implementations say different things; each is a dictionary of numbers by key."""
    return ["%s: %s and %s" % (key, first.get(key), second.get(key))
            for key in sorted(set(first) | set(second), key=repr)
            if abs(first.get(key, 0) - second.get(key, 0)) > slack_ns]


def on_critical_path(causes):
    """The critical path, and what all that processes do has to do with it."""
    values = collections.Counter(causes.impact)
    for (path, rank, thread, iteration), spent in causes.path.items():
        values["critical_path", path, rank, thread, iteration] += spent
    return values


def too_long(oracle):
    """Waits that are more than the calls in which they happen."""
    spent = collections.Counter()
    calls = {}
    for metric, call, value in oracle.found:
        if metric not in waits_causes.PARTS and not metric.endswith("_count"):
            spent[id(call)] += value
            calls[id(call)] = call
    return ["%r: %d of %d ns" % (calls[key], value, calls[key].leave - calls[key].enter)
            for key, value in spent.items() if value > calls[key].leave - calls[key].enter]


def too_large_parts(values):
    """Waits that are not part of what they should be part of."""
    found = []
    for part, whole in (("mpi_latesender_wo", "mpi_latesender"),
                        ("mpi_lswo_same", "mpi_latesender_wo"),
                        ("mpi_lswo_different", "mpi_latesender_wo"),
                        ("mpi_rma_early_fence", "mpi_rma_wait_at_fence"),
                        ("mpi_rma_late_complete", "mpi_rma_early_wait"),
                        ("mpi_rma_pairsync_unneeded_count", "mpi_rma_pairsync_count")):
        found += ["%s: %s of %s" % (key, value, values.get((whole, *key[1:])))
                  for key, value in values.items()
                  if key[0] == part and value > values.get((whole, *key[1:]), 0)]
    return found


def pair_of(row):
    return (row["metric"], row["callpath"], row["rank"], row["thread"], row["cause_rank"],
            row["cause_thread"])


def whom(metric, rank, cause):
    """What is compared: where a call waits for several, the other implementation has them all."""
    together = waits_command.TOGETHER
    if metric in together or metric in together.values():
        return together.get(metric, metric), rank, None
    return metric, rank, cause


def check_tables(tap, label, causes, tables):
    """Who waits for whom: as the other implementation says, and in itself."""
    wanted, got = collections.Counter(), collections.Counter()
    for wait in causes.waits:
        wanted[whom(wait.metric, wait.call.rank, wait.peer)] += wait.length
    for row in tables["waits"]:
        got[whom(row["metric"], int(row["rank"]),
                 int(row["cause_rank"]))] += waits_command.nanoseconds(row)
    tap.equal(differences(got, wanted), [],
              label + "the same wait for the same")
    pairs = {pair_of(row): row for row in tables["waits"]}
    sums, longest = collections.Counter(), collections.Counter()
    for row in tables["causes"]:
        sums[pair_of(row)] += waits_command.nanoseconds(row)
    tap.equal(differences(sums, {pair: waits_command.nanoseconds(row)
                                 for pair, row in pairs.items()}), [],
              label + "all waiting has a cause")
    for row in tables["instances"]:
        longest[pair_of(row)] = max(longest[pair_of(row)], waits_command.nanoseconds(row))
    tap.equal([pair for pair, ns in longest.items()
               if abs(ns - waits_command.nanoseconds(pairs[pair], "longest")) > 1], [],
              label + "the longest is the longest")


def totals_of(content, profiles):
    """Of metrics with their parts, over call paths, as integers."""
    totals = collections.Counter()
    for profile in profiles:
        for (_, metric), value in profile.items():
            while metric is not None:
                totals[content.metrics[metric].name] += value
                metric = content.metrics[metric].parent
    return totals


def check_sums(tap, label, content, length_ns):
    """What the summary that the command wrote promises of its sums, to the nanosecond."""
    wholes = [location.whole for location in content.locations]
    clusters = [cluster.profile for location in content.locations for series in location.series
                for cluster in series.clusters]
    tap.equal([(content.callpath(node), content.metrics[metric].name, value)
               for profile in wholes + clusters for (node, metric), value in profile.items()
               if value < 0][:5], [],
              label + "no call waits for longer than it takes, in no iteration")
    totals = totals_of(content, wholes)
    tap.equal(totals["delay"], sum(pair.ns for pair in content.pairs),
              label + "delays add up to all waiting with a cause")
    tap.equal(totals["critical_path"], length_ns,
              label + "the critical path lasts from the first activity to the last")
    tap.equal(totals["performance_impact"], sum(location.wall_ns for location in content.locations),
              label + "the impact is the time of all threads")


def check(tap, ranks, name, *arguments):
    label = "%s, %d ranks: " % (" ".join((name, *arguments)), ranks)
    with Directory() as directory:
        archive = record(directory, ranks, name, *arguments)
        oracle = waits_oracle.Oracle(Trace(archive))
        summary = waits_command.analyse(archive)
        command = waits_command.severities(archive, summary)
        tables = {what: waits_command.table(summary, what)
                  for what in ("waits", "causes", "instances")}
        content = summary_reader.Summary(summary)
    causes = waits_causes.Causes(oracle)
    tap.equal(summary_reader.problems(content), [], label + "the summary is sound")
    tap.equal(len(content.pairs), len(tables["waits"]), label + "and has who waits for whom")
    check_tables(tap, label, causes, tables)
    check_sums(tap, label, content, causes.length)
    metrics = {key[0] for key in oracle.values}
    tap.equal(differences(waits_command.by_call(oracle.values, metrics),
                          waits_command.by_call(command, metrics)), [],
              label + "the command finds the same, call path by call path")
    values = on_critical_path(causes)
    metrics = {key[0] for key in values}
    # A value is rounded once in each iteration.
    tap.equal(differences(waits_command.by_call(values, metrics),
                          waits_command.by_call(command, metrics), slack_ns=100), [],
              label + "it finds the same critical path, and what that costs all")
    wanted, got = (waits_command.by_call(found, {key[0] for key in causes.delays})
                   for found in (causes.delays, command))
    # Of the command's, what is long-term is a part of the sum.
    for key in [key for key in got if not key[0].endswith("_longterm")]:
        longterm = (key[0] + "_longterm", *key[1:])
        got[longterm], got[key] = got[key], got[key] - got[longterm]
    tap.equal(differences(wanted, got, slack_ns=1000), [], label + "the same delays")
    tap.ok(sum(oracle.values.values()) > 0, label + "somebody waits")
    tap.equal(too_long(oracle)[:5], [], label + "waits are parts of their calls")
    tap.equal(too_large_parts(oracle.values)[:5], [], label + "refined waits are parts of others")
    waited = sum(wait.length for wait in causes.waits)
    charged = sum(value for (metric, *_), value in causes.delays.items()
                  if metric.endswith("_longterm"))
    tap.ok(abs(waited - charged) < 1000, label + "costs of delays add up to the waits",
           "%s, %s" % (waited, charged))
    tap.equal(sum(causes.path.values()), causes.length,
              label + "the critical path is as long as the program ran")
    spent = sum(end - begin for profile in causes.profiles.values()
                for begin, end, *_ in profile.pieces)
    charged = sum(values[key] for key in values
                  if key[0] in ("critical_path_activities", "non_critical_path_activities",
                                "critical_imbalance_impact"))
    tap.ok(abs(charged - spent - sum(wait.length for wait in causes.waits)) < 1000,
           label + "the performance impact is the time of all", charged - spent)
    return {key[:2] for key, value in command.items() if value > 0}


def test_random(tap):
    first = int(os.environ.get("WAITS_SEED") or random.SystemRandom().randrange(1 << 20))
    print("# WAITS_SEED=%d" % first)
    for run in range(int(os.environ.get("WAITS_RUNS") or 3)):
        check(tap, 2 + run % 3, "waits_random", "--seed", str(first + run))


def test_threads(tap):
    """How many threads work does not show."""
    with Directory() as directory:
        archive = record(directory, 3, "waits_random", "--seed", "5")
        found = {}
        for threads in ("1", "2", "5"):
            summary = os.path.join(directory, threads + ".tsprof")
            result = harness.tsprof("waits", archive, "-o", summary, "--threads", threads)
            with open(summary, "rb") as file:
                found[threads] = result.status, result.stderr, file.read()
        refused = harness.tsprof("waits", archive, "-o", summary, "--force", "--threads", "0")
    tap.ok(found["1"][:2] == (0, "") and len(found["1"][2]) > 1000, "one thread finds something")
    tap.ok(found["1"] == found["2"] == found["5"], "and two and five find the same, byte by byte")
    tap.equal(refused.status, 2, "none is refused")


def test_others(tap):
    for name in OTHERS:
        check(tap, 4, name)


def test_neighbors(tap):
    """Processes wait for their neighbours alone."""
    found = check(tap, 4, "neighborhood")
    tap.ok("mpi_wait_neighbors" in {metric for metric, _ in found}, "and some do")
    tap.equal([path for metric, path in found
               if metric == "mpi_wait_nxn" and ";start_again;" in path], [],
              "also in operations that are started again")


def test_wavefronts(tap):
    for ranks in (4, 6):
        found = check(tap, ranks, "wavefront", "--iterations", "6")
        metrics = {metric for metric, _ in found}
        tap.equal(sorted(metric for metric in metrics if metric.startswith("wavefront_")),
                  ["wavefront_refill"] + ["wavefront_refill_" + corner
                                          for corner in ("ne", "nw", "se", "sw")],
                  "%d ranks: and there are refills from all corners" % ranks)


if __name__ == "__main__":
    harness.main()
