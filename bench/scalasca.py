"""What Scalasca's trace analyser finds in the archives that `tsprof waits` searches: `make bench
BENCH=scalasca`, with scout.mpi on the PATH or in SCOUT; and what both cost: BENCH=scalasca_cost.

Random programs are traced without samples, which scout.mpi cannot read beside enter and leave, and
without an intercommunicator, which it does not know.  A difference that EXPLAINED has no reason for
is an error.  Causes are compared in programs (scout_steps.c) that wait only in ways that both know,
since all of them hang together; iterations are not marked, since scout.mpi does not keep them
apart.  SEEDS="1 2 3" names the programs, RANKS their processes, KINDS="pairs gathers" kinds of steps
for causes to be compared in, one by one; for the cost of archives of a
million events and more, SCOUT_STEPS says how many steps they have, and ROUNDS how often they are searched.
"""

import collections
import csv
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

import summary_reader
from cost import cost_of
from scout_report import Report

BUILD = os.path.abspath(os.environ.get("TOP_BUILDDIR", "."))
SOURCE = os.path.abspath(os.environ.get("TOP_SRCDIR", BUILD))
TSPROF = os.path.join(BUILD, "utils/tsprof")
LIBRARY = os.path.join(BUILD, "libprof/.libs/libtsprof.so")
PROGRAM = os.path.join(BUILD, "tests/programs/waits_random")
MPIRUN = (os.environ.get("MPIRUN") or "mpirun.mpich").split()
SCOUT = os.environ.get("SCOUT") or shutil.which("scout.mpi")
SEEDS = os.environ.get("SEEDS", "21 22 23").split()
RANKS = os.environ.get("RANKS", "2")
KINDS = os.environ.get("KINDS", "all").split()
STEPS_PROGRAM = os.path.join(BUILD, "bench/scout_steps")
STEPS = os.environ.get("SCOUT_STEPS", "100000")
ROUNDS = int(os.environ.get("ROUNDS", "3"))
SLACK = 2e-9  # seconds: one is rounded to nanoseconds
CAUSE_SLACK = 2e-8  # likewise, each share of each wait

# What both know.
METRICS = ("time", "visits", "mpi_latesender", "mpi_latesender_wo", "mpi_lswo_different",
           "mpi_lswo_same", "mpi_latereceiver", "mpi_barrier_wait", "mpi_barrier_completion",
           "mpi_wait_nxn", "mpi_nxn_completion", "mpi_latebroadcast", "mpi_earlyreduce",
           "mpi_earlyscan", "mpi_init_completion", "mpi_finalize_wait")
CAUSES = ("delay_latesender", "delay_latereceiver", "delay_barrier", "delay_n2n", "delay_12n",
          "critical_path", "critical_path_activities", "non_critical_path_activities",
          "critical_imbalance_impact")
# Each kind is of the wait in the end for one, of the wait that passes it on for the other.
LONGTERM = tuple(kind + "_longterm" for kind in CAUSES if kind.startswith("delay_"))
# Of these only where the job begins and ends there are differences.
PATH_METRICS = ("critical_path", "critical_path_activities", "non_critical_path_activities")

# (part of the call path, reason): where scout.mpi finds less, or something else.
EXPLAINED = (
    ("MPI_Mprobe", "scout.mpi does not look at probes"),
    ("not_blocking", "scout.mpi does not know collective operations that do not block"),
    ("MPI_Alltoallv", "scout.mpi leaves out Alltoallv and Alltoallw"),
    ("MPI_Sendrecv", "the longer wait of both counts; scout.mpi has no late receivers there"),
    ("MPI_Waitall", "likewise, in a call in which messages arrive and others have been sent"),
    ("posted_before;complete", "of messages with the same tag, scout.mpi takes the first received, "
                               "not the first posted, for the first sent"),
)


def record(directory, name, command, ranks=RANKS, **more):
    archive = os.path.join(directory, name + ".otf2")
    settings = {"TSPROF_OUTPUT": archive.replace(".otf2", ".tsprof"), "TSPROF_TRACE": "all",
                "TSPROF_RATE": "0", "TSPROF_VERBOSE": "0", "LD_PRELOAD": LIBRARY, **more}
    subprocess.run([*MPIRUN, "-n", ranks, "env", *map("=".join, settings.items()), *command],
                   check=True, stdout=subprocess.DEVNULL)
    return archive


def record_random(directory, seed):
    return record(directory, "seed" + seed, [PROGRAM, "--seed", seed], WAITS_RANDOM="plain")


def record_steps(directory, steps, most_us, seed, ranks=RANKS, kind="all"):
    return record(directory, "%s%s-%s" % (kind, seed, ranks),
                  [STEPS_PROGRAM, steps, most_us, seed, *([] if kind == "all" else [kind])],
                  ranks, TSPROF_ITERATION="markers")


def search_by_scout(archive, ranks=RANKS):
    """What it costs."""
    shutil.rmtree(os.path.join(archive, "scout"), ignore_errors=True)
    for left in ("scout.cubex", "trace.stat"):
        if os.path.exists(os.path.join(archive, left)):
            os.unlink(os.path.join(archive, left))
    return cost_of([*MPIRUN, "-n", ranks, SCOUT, os.path.join(archive, "traces.otf2")], quiet=True)


def search_by_tsprof(archive):
    return cost_of([TSPROF, "waits", "--force", archive, "-o", archive.replace(".otf2", ".waits")])


def of_tsprof(summary):
    rows = subprocess.run([TSPROF, "export", summary, "--what", "callpaths", "--total"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout.splitlines()
    found = collections.Counter()
    for row in csv.DictReader(rows):
        found[row["metric"], row["callpath"], int(row["rank"])] += float(row["value"])
    return found


def reason_of(key, theirs, ours):
    metric, callpath, rank = key
    whole = "mpi_latesender_wo", callpath, rank
    if metric.startswith("mpi_lswo_") and abs(theirs[whole] - ours[whole]) <= SLACK:
        return ("scout.mpi charges all late senders that one message shows to have been in the wrong "
                "order to the first of them")
    return next((reason for part, reason in EXPLAINED if part in callpath), None)


def both(archive):
    """{(metric, call path, rank): value} of scout.mpi and of tsprof."""
    search_by_scout(archive)
    search_by_tsprof(archive)
    return (Report(os.path.join(archive, "scout.cubex")).severities(),
            of_tsprof(archive.replace(".otf2", ".waits")))


def differing(theirs, ours, metrics, slack=SLACK):
    """(how many values there are, those that are not the same)"""
    keys = {key for key in set(theirs) | set(ours) if key[0] in metrics}
    return len(keys), sorted(key for key in keys if abs(theirs[key] - ours[key]) > slack)


def compare_waits(directory):
    """Whether all differences are explained."""
    unexplained, reasons, equal = 0, collections.Counter(), 0
    for seed in SEEDS:
        theirs, ours = both(record_random(directory, seed))
        count, different = differing(theirs, ours, METRICS)
        equal += count - len(different)
        for key in different:
            reason = reason_of(key, theirs, ours)
            reasons[reason] += 1
            if reason is None:
                unexplained += 1
                print("%s in %s on rank %d: scout.mpi %s, tsprof %s" % (*key, theirs[key], ours[key]))
    print(f"\n{equal} values by metric, call path and rank are equal")
    for reason, count in reasons.items():
        print(f"{count} differ: {reason}")
    return unexplained == 0


def apart_longterm(found, includes):
    """FOUND with the sum of all kinds of longterm costs under `longterm`, and, if each delay INCLUDES
    its own, without them there."""
    for (metric, callpath, rank), value in list(found.items()):
        if metric in LONGTERM:
            found["longterm", callpath, rank] += value
            if includes:
                found[metric.removesuffix("_longterm"), callpath, rank] -= value
    return found


def is_of_ends(key):
    return key[1].endswith((";MPI_Init", ";MPI_Finalize"))


def compare_causes(directory, kind):
    """Whether the critical path is the same but where the job begins and ends."""
    counts, equal, sums, good = (collections.Counter(), collections.Counter(),
                                 collections.defaultdict(lambda: [0, 0]), True)
    for seed in SEEDS:
        theirs, ours = both(record_steps(directory, "60", "3000", seed, kind=kind))
        apart_longterm(theirs, includes=False)
        apart_longterm(ours, includes=True)
        for metric in (*CAUSES, "longterm"):
            count, different = differing(theirs, ours, (metric,), CAUSE_SLACK)
            counts[metric] += count
            equal[metric] += count - len(different)
            for side, found in enumerate((theirs, ours)):
                sums[metric][side] += sum(value for key, value in found.items() if key[0] == metric)
            for key in different if metric in PATH_METRICS else ():
                if not is_of_ends(key):
                    good = False
                    print("%s in %s on rank %d: scout.mpi %s, tsprof %s"
                          % (*key, theirs[key], ours[key]))
    print(f"\n{'causes, steps: ' + kind:<32}{'values':>8}{'equal':>8}{'scout.mpi, s':>14}{'tsprof, s':>12}")
    for metric in (*CAUSES, "longterm"):
        print(f"{metric:<32}{counts[metric]:>8}{equal[metric]:>8}"
              f"{sums[metric][0]:>14.6f}{sums[metric][1]:>12.6f}")
    return good


def main():
    if not SCOUT:
        print("skipped: scout.mpi of Scalasca is not on the PATH")
        return
    with tempfile.TemporaryDirectory(prefix="tsprof-bench.") as directory:
        good = [compare_waits(directory), *(compare_causes(directory, kind) for kind in KINDS)]
    if not all(good):
        sys.exit(1)


def events_of(archive):
    return int(summary_reader.Summary(archive.replace(".otf2", ".waits")).run["trace.events"])


def cost():
    """Both in turn, on archives of a million events and more."""
    if not SCOUT:
        print("skipped: scout.mpi of Scalasca is not on the PATH")
        return
    print(f"\n{'ranks':>5}{'events':>10}  {'':<13}{'processors, s':>14}{'wall, s':>9}"
          f"{'events/s of processors':>24}{'of wall':>10}{'MB':>7}")
    with tempfile.TemporaryDirectory(prefix="tsprof-bench.") as directory:
        for ranks in ("2", "4"):
            # Its processes wait for each other busily: on fewer processors that takes days.
            if int(ranks) > os.cpu_count():
                print(f"{ranks:>5}  left out: there are fewer processors")
                continue
            archive = record_steps(directory, STEPS, "1", "1", ranks)
            costs = {"tsprof waits": [], "scout.mpi": []}
            for _ in range(ROUNDS):
                costs["tsprof waits"].append(search_by_tsprof(archive))
                costs["scout.mpi"].append(search_by_scout(archive, ranks))
            events = events_of(archive)
            for name, runs in costs.items():
                wall = statistics.median(run[0] for run in runs)
                cpu = statistics.median(run[1] for run in runs)
                print(f"{ranks:>5}{events:>10}  {name:<13}{cpu:>14.2f}{wall:>9.2f}{events / cpu:>24.3g}"
                      f"{events / wall:>10.3g}{max(run[2] for run in runs) / 1e6:>7.0f}", flush=True)


if __name__ == "__main__":
    main()
