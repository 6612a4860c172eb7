#!/usr/bin/env python3
"""The numbers of tsprof: costs per call, sample and iteration, memory, size of the summary.

Every cost is measured against the same program without the runtime, alternating, and given as
the median over the rounds.  Run by `make bench`; needs one quiet core.
"""

import glob
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

BUILD = os.environ.get("TOP_BUILDDIR", ".")
RUNTIME = os.path.join(BUILD, "libprof/.libs/libtsprof.so")
TSPROF = os.path.join(BUILD, "utils/tsprof")
ROUNDS = int(os.environ.get("ROUNDS", "5"))


def run(program, *arguments, preload=False, **settings):
    """The program's output and, if measured, its summary's file."""
    directory = tempfile.mkdtemp(prefix="tsprof-bench.")
    environment = dict(os.environ, TSPROF_VERBOSE="0", TSPROF_OUTPUT=directory + "/summary.tsprof")
    environment.update({"TSPROF_" + name: str(value) for name, value in settings.items()})
    if preload:
        environment["LD_PRELOAD"] = RUNTIME
    command = [os.path.join(BUILD, "bench", program)] + [str(a) for a in arguments]
    output = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True, text=True)
    files = glob.glob(directory + "/*.tsprof")
    return output.stdout.split(), files[0] if files else None


def cleared(file):
    if file:
        os.unlink(file)
        os.rmdir(os.path.dirname(file))


def info(file):
    return subprocess.run([TSPROF, "info", file], stdout=subprocess.PIPE, check=True, text=True).stdout


def bytes_of(text):
    number, unit = text.split()
    return float(number) * {"B": 1, "kB": 1e3, "MB": 1e6}[unit]


def added_per_call(function, depth, calls):
    bare, measured = [], []
    for _ in range(ROUNDS):
        output, file = run("call_cost", function, depth, calls)
        bare.append(float(output[0]))
        cleared(file)
        output, file = run("call_cost", function, depth, calls, preload=True)
        measured.append(float(output[0]))
        cleared(file)
    return statistics.median(bare), statistics.median(measured)


def calls():
    print("Added cost of one MPI call, nanoseconds (goal: 100 at depth 5, 130 at depth 60)")
    print(f"{'function':<14}{'depth':>6}{'bare':>10}{'measured':>10}{'added':>10}")
    for function in ("iprobe", "comm_rank", "allreduce", "alternating", "wtime"):
        for depth in (5, 30, 60):
            bare, measured = added_per_call(function, depth, 300000)
            print(f"{function:<14}{depth:>6}{bare:>10.1f}{measured:>10.1f}{measured - bare:>10.1f}")


def samples():
    print("\nOne sample in the handler, nanoseconds (goal: 3000 at depth 30)")
    print(f"{'depth':>6}{'rate':>6}{'samples':>9}{'handler':>9}")
    for depth, rate in ((5, 100), (30, 100), (60, 100), (30, 1000)):
        taken, costs = [], []
        for _ in range(ROUNDS):
            _, file = run("deep_work", depth, 2, preload=True, RATE=rate)
            line = re.search(r"^samples +(\d+) taken.*?, ([\d.]+) (ns|µs) each", info(file), re.M)
            taken.append(int(line[1]))
            costs.append(float(line[2]) * (1000 if line[3] == "µs" else 1))
            cleared(file)
        print(f"{depth:>6}{rate:>6}{statistics.median(taken):>9.0f}{statistics.median(costs):>9.0f}")


def iterations():
    print("\nClosing an iteration, 64 clusters (goal: 5000 ns at 100 paths), memory of the runtime")
    print("as it counts itself and as the process grows (goal: 2 MiB), size of the summary (60 kB)")
    print(f"{'paths':>6}{'iterations':>11}{'ns':>8}{'counted':>12}{'grown':>12}{'summary':>12}")
    for paths, count in ((100, 20000), (200, 1000), (200, 10000), (200, 100000), (200, 1000000)):
        costs, own, grown, sizes = [], [], [], []
        for _ in range(ROUNDS if count <= 20000 else 1):
            bare, _ = run("closing_cost", paths, count)
            measured, file = run("closing_cost", paths, count, preload=True)
            costs.append(float(measured[0]) - float(bare[0]))
            grown.append(int(measured[1]) - int(bare[1]))
            own.append(bytes_of(re.search(r"memory ([\d.]+ \w+) per", info(file))[1]))
            sizes.append(os.path.getsize(file))
            cleared(file)
        print(f"{paths:>6}{count:>11}{statistics.median(costs):>8.0f}"
              f"{statistics.median(own):>12.0f}{statistics.median(grown):>12.0f}"
              f"{statistics.median(sizes):>12.0f}")


def startup():
    """What the runtime costs a process that has nothing to do with MPI."""
    print("\nStarting /bin/true, microseconds (goal: nothing that can be measured)")
    with tempfile.TemporaryDirectory() as directory:
        empty = os.path.join(directory, "empty.so")
        subprocess.run(["cc", "-shared", "-x", "c", "/dev/null", "-o", empty], check=True)
        times = {"": [], empty: [], RUNTIME: []}
        for _ in range(100 * ROUNDS):
            for preload, taken in times.items():
                begin = time.perf_counter()
                subprocess.run(["/bin/true"], env={"LD_PRELOAD": preload}, check=True)
                taken.append((time.perf_counter() - begin) * 1e6)
        medians = [statistics.median(taken) for taken in times.values()]
    print("bare {:.0f}, with an empty library {:.0f}, with tsprof {:.0f}".format(*medians))


if __name__ == "__main__":
    parts = {"startup": startup, "calls": calls, "samples": samples, "iterations": iterations}
    for name in sys.argv[1:] or parts:
        parts[name]()
