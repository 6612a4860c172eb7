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


# Where somebody leaves a collective before the last has come, messages of all kinds, files, windows,
# a master, and iterations that are found.
OTHERS = (("intercomm",), ("particles",), ("collectives",), ("random_messages",),
          ("files", "--iterations", "2"), ("onesided", "--iterations", "2"),
          ("workers", "--iterations", "4"), ("unmarked/particles",))


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


def check_tables(tap, label, causes, tables):
    """Who waits for whom: as the other implementation says, and in itself."""
    wanted, got = collections.Counter(), collections.Counter()
    for wait in causes.waits:
        wanted[wait.metric, wait.call.rank, wait.peer] += wait.length
    for row in tables["waits"]:
        got[row["metric"], int(row["rank"]),
            int(row["cause_rank"])] += waits_command.nanoseconds(row)
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
    tap.equal(list(unaccounted(content)), [],
              label + "each iteration's time is that of activities and waiting")


def unaccounted(content):
    """Iterations of threads whose activities and waits do not add up to their time."""
    for location in content.locations:
        for iteration, profile in waits_command.profiles_of(location, content):
            totals = totals_of(content, [profile])
            rest = totals["time"] - sum(totals[metric] for metric in (
                "wait_direct", "wait_indirect", "critical_path_activities",
                "non_critical_path_activities"))
            if rest != 0:
                yield location.place.rank, location.place.thread, iteration, rest


def equal(tap, wanted, got, metrics, slack_ns, label):
    """That both say the same of each call path of a thread, in each iteration."""
    tap.equal(differences(waits_command.together(wanted, metrics),
                          waits_command.together(got, metrics), slack_ns), [], label)


def delays_of(values):
    """The command's, of which what is long-term is a part of the sum."""
    delays = collections.Counter({key: value for key, value in values.items()
                                  if key[0].startswith("delay_")})
    for metric, *where in [key for key in delays if not key[0].endswith("_longterm")]:
        whole, longterm = (metric, *where), (metric + "_longterm", *where)
        delays[longterm], delays[whole] = delays[whole], delays[whole] - delays[longterm]
    return delays


def imbalance_of(values):
    """Of all threads together: it is due to none of them."""
    sums = collections.Counter()
    for (metric, path, _, _, iteration), value in values.items():
        if metric == "critical_path_imbalance":
            sums[path, iteration] += value
    return sums


def check_values(tap, label, oracle, causes, command):
    """All that was found, iteration by iteration.  A value is rounded once for each wait or place
    that has a part in it."""
    waits = {key[0] for key in list(oracle.values) + list(command)
             if key[0].startswith(("mpi_", "wavefront_"))}
    equal(tap, oracle.values, command, waits, 1,
          label + "the command finds the same, call path by call path")
    values = on_critical_path(causes)
    equal(tap, values, command, {key[0] for key in values}, 20,
          label + "it finds the same critical path, and what that costs all")
    delays = delays_of(command)
    equal(tap, causes.delays, delays, {key[0] for key in list(causes.delays) + list(delays)}, 100,
          label + "the same delays")
    tap.equal(differences(causes.imbalance, imbalance_of(command), 20), [],
              label + "the same imbalance")


# Metrics and call paths, and how many waits were for who was in another iteration.
Checked = collections.namedtuple("Checked", "found far")


def check(tap, ranks, name, *arguments):
    label = "%s, %d ranks: " % (" ".join((name, *arguments)), ranks)
    with Directory() as directory:
        archive = record(directory, ranks, name, *arguments)
        oracle = waits_oracle.Oracle(Trace(archive))
        summary = waits_command.analyse(archive)
        tables = {what: waits_command.table(summary, what)
                  for what in ("waits", "causes", "instances")}
        content = summary_reader.Summary(summary)
    command = waits_command.by_iteration(content)
    causes = waits_causes.Causes(oracle)
    tap.equal(summary_reader.problems(content), [], label + "the summary is sound")
    tap.equal(len(content.pairs), len(tables["waits"]), label + "and has who waits for whom")
    check_tables(tap, label, causes, tables)
    check_sums(tap, label, content, causes.length)
    check_values(tap, label, oracle, causes, command)
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
    charged = sum(value for (metric, *_), value in causes.impact.items()
                  if metric in ("critical_path_activities", "non_critical_path_activities",
                                "critical_imbalance_impact"))
    tap.ok(abs(charged - spent - sum(wait.length for wait in causes.waits)) < 1000,
           label + "the performance impact is the time of all", charged - spent)
    return Checked({key[:2] for key, value in command.items() if value > 0},
                   sum(wait.call.iteration != wait.peer_call.iteration for wait in causes.waits))


def test_random(tap):
    first = int(os.environ.get("WAITS_SEED") or random.SystemRandom().randrange(1 << 20))
    print("# WAITS_SEED=%d" % first)
    far = 0
    for run in range(int(os.environ.get("WAITS_RUNS") or 3)):
        far += check(tap, 2 + run % 3, "waits_random", "--seed", str(first + run)).far
    tap.ok(far > 0, "some wait for ranks in another iteration")


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
    for name, *arguments in harness.some(OTHERS):
        check(tap, 4, name, *arguments)


def test_partitions(tap):
    """Messages in partitions (MPI 4)."""
    if harness.execute([harness.program("partitions")]).status == 77:
        raise harness.Skip("this MPI has no partitioned communication")
    check(tap, 2, "partitions")


def test_neighbors(tap):
    """Processes wait for their neighbours alone."""
    found = check(tap, 4, "neighborhood").found
    tap.ok("mpi_wait_neighbors" in {metric for metric, _ in found}, "and some do")
    tap.equal([path for metric, path in found
               if metric == "mpi_wait_nxn" and ";start_again;" in path], [],
              "also in operations that are started again")


def test_wavefronts(tap):
    for ranks in (4, 6):
        found = check(tap, ranks, "wavefront", "--iterations", "6").found
        metrics = {metric for metric, _ in found}
        tap.equal(sorted(metric for metric in metrics if metric.startswith("wavefront_")),
                  ["wavefront_refill"] + ["wavefront_refill_" + corner
                                          for corner in ("ne", "nw", "se", "sw")],
                  "%d ranks: and there are refills from all corners" % ranks)


if __name__ == "__main__":
    harness.main()
