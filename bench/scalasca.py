"""What Scalasca's trace analyser finds in the archives that `tsprof waits` searches, and what both
cost: `make bench BENCH=scalasca`, with scout.mpi on the PATH or in SCOUT.

Random programs are traced without samples, which scout.mpi cannot read beside enter and leave, and
without an intercommunicator, which it does not know.  A difference that EXPLAINED has no reason for
is an error.  SEEDS="1 2 3" names the programs, RANKS their processes.
"""

import collections
import csv
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

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
ROUNDS = int(os.environ.get("ROUNDS", "5"))
SLACK = 2e-9  # seconds: one is rounded to nanoseconds

# What both know.
METRICS = ("time", "visits", "mpi_latesender", "mpi_latesender_wo", "mpi_lswo_different",
           "mpi_lswo_same", "mpi_latereceiver", "mpi_barrier_wait", "mpi_barrier_completion",
           "mpi_wait_nxn", "mpi_nxn_completion", "mpi_latebroadcast", "mpi_earlyreduce",
           "mpi_earlyscan", "mpi_init_completion", "mpi_finalize_wait")

# (part of the call path, reason): where scout.mpi finds less, or something else.
EXPLAINED = (
    ("MPI_Mprobe", "scout.mpi does not look at probes"),
    ("not_blocking", "scout.mpi does not know collective operations that do not block"),
    ("MPI_Alltoallv", "scout.mpi leaves out Alltoallv and Alltoallw"),
    ("MPI_Sendrecv", "the longer wait of both counts; scout.mpi has no late receivers there"),
    ("MPI_Waitall", "likewise, in a call in which messages arrive and others have been sent"),
)


def record(directory, seed):
    archive = os.path.join(directory, "seed%s.otf2" % seed)
    settings = {"TSPROF_OUTPUT": archive.replace(".otf2", ".tsprof"), "TSPROF_TRACE": "all",
                "TSPROF_RATE": "0", "TSPROF_VERBOSE": "0", "WAITS_RANDOM_INTERCOMM": "no",
                "LD_PRELOAD": LIBRARY}
    subprocess.run([*MPIRUN, "-n", RANKS, "env", *map("=".join, settings.items()), PROGRAM,
                    "--seed", seed], check=True, stdout=subprocess.DEVNULL)
    return archive


def of_tsprof(summary):
    rows = subprocess.run([TSPROF, "export", summary, "--what", "callpaths", "--total"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout.splitlines()
    found = collections.Counter()
    for row in csv.DictReader(rows):
        found[row["metric"], row["callpath"], int(row["rank"])] += float(row["value"])
    return found


def reason_of(callpath):
    return next((reason for part, reason in EXPLAINED if part in callpath), None)


def compare(archive, costs):
    summary = archive.replace(".otf2", ".waits")
    for _ in range(ROUNDS):
        shutil.rmtree(os.path.join(archive, "scout"), ignore_errors=True)
        for left in ("scout.cubex", "trace.stat"):
            if os.path.exists(os.path.join(archive, left)):
                os.unlink(os.path.join(archive, left))
        costs["scout.mpi"].append(cost_of([*MPIRUN, "-n", RANKS, SCOUT,
                                           os.path.join(archive, "traces.otf2")], quiet=True))
        costs["tsprof waits"].append(cost_of([TSPROF, "waits", "--force", archive, "-o", summary]))
    theirs = Report(os.path.join(archive, "scout.cubex")).severities()
    ours = of_tsprof(summary)
    keys = {key for key in set(theirs) | set(ours) if key[0] in METRICS}
    differing = sorted(key for key in keys if abs(theirs[key] - ours[key]) > SLACK)
    return len(keys), [(key, theirs[key], ours[key]) for key in differing]


def main():
    if not SCOUT:
        print("skipped: scout.mpi of Scalasca is not on the PATH")
        return
    costs, unexplained, reasons, equal = collections.defaultdict(list), 0, collections.Counter(), 0
    with tempfile.TemporaryDirectory(prefix="tsprof-bench.") as directory:
        for seed in SEEDS:
            count, differing = compare(record(directory, seed), costs)
            equal += count - len(differing)
            for (metric, callpath, rank), theirs, ours in differing:
                reason = reason_of(callpath)
                reasons[reason] += 1
                if reason is None:
                    unexplained += 1
                    print(f"{metric} in {callpath} on rank {rank}: scout.mpi {theirs}, tsprof {ours}")
    print(f"\n{equal} values by metric, call path and rank are equal")
    for reason, count in reasons.items():
        print(f"{count} differ: {reason}")
    for name, runs in costs.items():
        print(f"{name}: {statistics.median(cpu for _, cpu, _ in runs):.3f} s of processors, "
              f"{max(most for *_, most in runs) / 1e6:.0f} MB")
    if unexplained:
        sys.exit(1)


if __name__ == "__main__":
    main()
