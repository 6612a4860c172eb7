#!/usr/bin/env python3
"""The numbers of tsprof: costs per call, sample and iteration, dilation, memory, summary's size.

    make bench [BENCH="PART..."] [ROUNDS=5] [SECONDS=10] [RANKS="1 2"] [ONLY="PROGRAM..."] [STEPS=short]

Every cost is measured against the same program without the runtime, alternating, and given as
the median over the rounds.  Needs a quiet machine.  `map`, `compress_at`, `dilation`, `turns`, `trace_turns`, `nwchem`, `lammps`,
`estimators`, `shares`, `job`, `stalls`, `growth`, `loops`, `shapes`, `instructions`, `rates`, `page`, `looks`, `plot`, `waits`, `whatif`, `whatif_paper`, `whatif_unchanged`, `regions`, `traces`, `findings`, `scalasca` and `scalasca_cost` take long and run only when asked for; SECONDS is
how long one run of a program takes in `dilation` and `turns`, RANKS on how many ranks `dilation` is done, ONLY which programs
`turns` is done with, `nwchem` and `nwchem-pvtz` among them, STEPS=short has both take sizes with shorter iterations.
With BASE=BUILD-DIRECTORY `calls`, `instructions` and `job` compare with another build's runtime.
"""

import functools
import glob
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import estimators
import findings
import growth
import instructions
import job
import loop_shapes
import regions
import scalasca
import shares
import stalls
import trace_costs
import waits
import whatif
import whatif_paper
import whatif_unchanged
from cost import cost_of

BUILD = os.path.abspath(os.environ.get("TOP_BUILDDIR", "."))
SOURCE = os.path.abspath(os.environ.get("TOP_SRCDIR", BUILD))
MPIRUN = os.environ.get("MPIRUN") or "mpirun"
RUNTIME = os.path.join(BUILD, "libprof/.libs/libtsprof.so")
BASE = os.environ.get("BASE")
RUNTIMES = ([os.path.join(BASE, "libprof/.libs/libtsprof.so")] if BASE else []) + [RUNTIME]
RUNTIME_OPEN_MPI = os.path.join(BUILD, "libprof/.libs/libtsprof-openmpi.so")
TSPROF = os.path.join(BUILD, "utils/tsprof")
EMPTY_HANDLER = os.path.join(BUILD, "bench/empty_handler.so")
ROUNDS = int(os.environ.get("ROUNDS", "5"))
SECONDS = float(os.environ.get("SECONDS", "10"))
ONLY = os.environ.get("ONLY", "").split()  # of those in `turns`; none: all
STEPS = os.environ.get("STEPS", "long")
RANKS = {int(ranks) for ranks in os.environ.get("RANKS", "1 2").split()}


def run(program, *arguments, preload=False, runtime=RUNTIME, **settings):
    """The program's output and, if measured, its summary's file."""
    directory = tempfile.mkdtemp(prefix="tsprof-bench.")
    environment = dict(os.environ, TSPROF_VERBOSE="0", TSPROF_OUTPUT=directory + "/summary.tsprof")
    environment.update({"TSPROF_" + name: str(value) for name, value in settings.items()})
    if preload:
        environment["LD_PRELOAD"] = runtime
    command = [os.path.join(BUILD, "bench", program)] + [str(a) for a in arguments]
    output = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True, text=True)
    files = glob.glob(directory + "/*.tsprof")
    return output.stdout.split(), files[0] if files else None


def cleared(file):
    if file:
        os.unlink(file)
        os.rmdir(os.path.dirname(file))


def info(file):
    command = [TSPROF, "info", file]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


def bytes_of(text):
    number, unit = text.split()
    return float(number) * {"B": 1, "kB": 1e3, "MB": 1e6}[unit]


def costs_of_call(*command):
    """Without tsprof, with that of BASE, if there is one, and with this one; nanoseconds."""
    ways = [{}] + [{"preload": True, "runtime": runtime} for runtime in RUNTIMES]
    times = [[] for _ in ways]
    for _ in range(ROUNDS):
        for way, column in zip(ways, times):
            output, file = run(*command, **way)
            column.append(float(output[0]))
            cleared(file)
    return [statistics.median(column) for column in times]


# What is called, and at which depths.
CALLS = [(function, depth)
         for function in ("iprobe", "comm_rank", "allreduce", "alternating", "wtime")
         for depth in (5, 30, 60)]
CALLS += [("cart_shift", 5), ("cart_shift", 30), ("flush", 25), ("put_fence", 5), ("put_fence", 30),
          ("neighbors", 5), ("two_depths", 17), ("wtime_beside", 5)]
# Requests: in `exchange_32` a call is one of 32 MPI_Irecv, 32 MPI_Isend and an MPI_Waitall for all.
CALLS += [(function, depth) for function in ("exchange_32", "test", "testsome_32", "iallreduce",
                                             "startall")
          for depth in (5, 60)]
FORTRAN_CALLS = [(program, depth) for program in ("call_cost_mpif", "call_cost_f08")
                 for depth in (5, 30, 60)]


def reading():
    """What one reading of the clock takes, in nanoseconds: three are made for each call."""
    return statistics.median(float(run("clock_cost", 10000000)[0][0]) for _ in range(ROUNDS))


def calls():
    clock = 3 * reading()
    print("Added cost of one MPI call, nanoseconds (goal: 60 and the clock at depth 5, 1.3 times that at")
    print(f"depth 60); of these, three readings of the clock are {clock:.1f}")
    print(f"{'function':<16}{'depth':>6}{'bare':>10}" + "".join(
        f"{name:>10}{'added':>10}" for name in (["base"] if BASE else []) + ["measured"]))
    rows = [(function, ("call_cost", function), depth) for function, depth in CALLS]
    rows += [(program.replace("call_cost", "iprobe"), (program,), depth)
             for program, depth in FORTRAN_CALLS
             if os.path.exists(os.path.join(BUILD, "bench", program))]
    for name, command, depth in rows:
        bare, *measured = costs_of_call(*command, depth, 300000)
        print(f"{name:<16}{depth:>6}{bare:>10.1f}" + "".join(
            f"{each:>10.1f}{each - bare:>10.1f}" for each in measured), flush=True)


def samples():
    print("\nOne sample in the handler, nanoseconds (goal: 3000 at depth 30); of these, telling the system")
    print("when the next one is due, which an empty handler would do as well; and what is left")
    print(f"{'depth':>6}{'rate':>6}{'timer':>7}{'samples':>9}{'handler':>9}{'arming':>9}{'rest':>9}")
    for depth, rate, timer in ((5, 100, "cpu"), (30, 100, "cpu"), (60, 100, "cpu"), (30, 100, "perf"),
                               (30, 1000, "perf"), (30, 5000, "perf")):
        rows = []
        for _ in range(ROUNDS):
            _, file = run("deep_work", depth, 2, preload=True, RATE=rate, TIMER=timer,
                          ITERATION="markers")
            line = re.search(r"^samples +(\d+) taken.*?, ([\d.]+ [nµm]s) each \(([\d.]+ [nµm]s) to arm",
                             info(file), re.M)
            handler, arming = (float(number) * {"ns": 1, "µs": 1e3, "ms": 1e6}[unit]
                               for number, unit in (line[2].split(), line[3].split()))
            rows.append((int(line[1]), handler, arming, handler - arming))
            cleared(file)
        print(f"{depth:>6}{rate:>6}{timer:>7}" + "".join(f"{statistics.median(column):>9.0f}"
                                                         for column in zip(*rows)), flush=True)


def rates():
    print("\nInterrupts of a performance event, microseconds: in the two system calls that arm it, and all")
    print("that the interrupted loop misses; `anew` for each sample, or `standing`, which goes on by itself")
    for way in ("anew", "standing"):
        for rate in (100, 1000, 5000):
            rows = [[float(word) for word in run("timer_cost", way, rate)[0]] for _ in range(ROUNDS)]
            arming, missed = (statistics.median(column) for column in zip(*rows))
            print(f"{way:<10}{rate:>6}{arming:>9.2f}{missed:>9.1f}", flush=True)


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


# Clusters, call paths, metrics and iterations.
COMPRESSED = [(64, 100, 20, 20000), (64, 500, 20, 10000), (256, 100, 20, 10000),
              (256, 500, 20, 10000), (256, 500, 45, 10000), (1024, 100, 20, 5000),
              (1024, 500, 20, 5000)]


def compress_cost():
    print("\nCompression cost: one iteration in the clustering library alone, microseconds of")
    print("processor time (goal: 5 for 64 clusters and 100 call paths, 20 for 256 and 500);")
    print("`first`: the one with the first merger; `finish`: the mergers in the end; `piece`: the")
    print("longest piece of work between two pauses, the least of 5 runs of each (goal: 50)")
    widths = (10, 9, 6, 8, 9, 9, 9, 10, 10, 10, 11, 8)
    header = ("method", "clusters", "paths", "metrics", "median", "mean", "99 %", "worst", "first",
              "finish", "bytes", "piece")
    print("".join(f"{name:>{width}}" for name, width in zip(header, widths)))
    for method in ("szebenyi", "adaptive"):
        for arguments in COMPRESSED:
            rows = [run("compress_cost", method, *arguments)[0] for _ in range(ROUNDS)]
            medians = [statistics.median(float(row[i]) for row in rows) for i in range(8)]
            cells = [method, *arguments[:3], *(f"{cost:.2f}" for cost in medians[:6]),
                     f"{medians[6]:.0f}", f"{medians[7]:.1f}"]
            print("".join(f"{cell:>{width}}" for cell, width in zip(cells, widths)), flush=True)


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


def memory():
    """What is resident in a process with tsprof more than without."""
    print("\nMemory added to a process, 200 call paths, 64 clusters, 10000 iterations, bytes (goal:")
    print("8 MB): resident in all, its own anonymous pages, its share of all pages")
    print(f"{'when':<22}{'':<12}{'bare':>12}{'measured':>12}{'added':>12}")
    whens = ("before MPI_Finalize", "after MPI_Finalize")
    kinds = ("resident", "anonymous", "share")
    columns = {False: [], True: []}
    for _ in range(ROUNDS):
        for preload, rows in columns.items():
            output, file = run("closing_cost", 200, 10000, preload=preload)
            rows.append([int(number) for number in output[2:8]])
            cleared(file)
    bare, measured = ([statistics.median(column) for column in zip(*columns[preload])]
                      for preload in (False, True))
    for i, (without, with_it) in enumerate(zip(bare, measured)):
        print(f"{whens[i // 3]:<22}{kinds[i % 3]:<12}{without:>12.0f}{with_it:>12.0f}"
              f"{with_it - without:>12.0f}")


def steps(way, mode, paths, count, clusters):
    """Microseconds of an iteration, and those of them in collectives."""
    preload = ["env", "LD_PRELOAD=" + RUNTIME] if way else []
    with tempfile.TemporaryDirectory(prefix="tsprof-bench.") as directory:
        settings = {"TSPROF_VERBOSE": "0", "TSPROF_OUTPUT": directory + "/summary.tsprof",
                    "TSPROF_CLUSTERS": str(clusters), "TSPROF_COMPRESS_AT": way or "iteration"}
        command = [MPIRUN, "-n", "2"] + preload + [
            os.path.join(BUILD, "bench/noisy_steps"), mode, str(paths), str(count)]
        output = subprocess.run(command, env=dict(os.environ, **settings), stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, check=True, text=True)
        iteration, waited = (float(number) for number in output.stdout.split())
        if way:
            # The program's own clock does not tell what of it is tsprof's work.
            command = [TSPROF, "export", directory + "/summary.tsprof", "--what", "iterations",
                       "--metric", "mpi_collective", "--format", "csv"]
            rows = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
            waited = 1e6 * statistics.median(float(row.rsplit(",", 1)[1])
                                             for row in rows.splitlines()[1:])
        return iteration, waited


def compress_at():
    """Whether TSPROF_COMPRESS_AT=collective disturbs less."""
    print("\nTwo ranks with noise: microseconds of an iteration and, in brackets, in MPI_Allreduce,")
    print("medians over iterations; without tsprof, and with TSPROF_COMPRESS_AT=iteration and")
    print("=collective; gain of the latter, and spread of the middle half of the runs, per cent")
    print(f"{'mode':<12}{'paths':>6}{'clusters':>9}{'bare':>17}{'iteration':>17}{'collective':>17}"
          f"{'gain':>7}{'spread':>7}")
    ways = ("", "iteration", "collective")
    for mode in ("independent", "pipeline"):
        for paths in (100, 500):
            for clusters in (64, 256):
                runs = {way: [] for way in ways}
                for _ in range(max(3, ROUNDS)):
                    for way in ways:
                        runs[way].append(steps(way, mode, paths, 3000, clusters))
                medians = {way: [statistics.median(column) for column in zip(*rows)]
                           for way, rows in runs.items()}
                times = {way: sorted(row[0] for row in rows) for way, rows in runs.items()}
                spread = max((t[-(len(t) // 4) - 1] - t[len(t) // 4]) / statistics.median(t)
                             for t in times.values())
                gain = 1 - medians["collective"][0] / medians["iteration"][0]
                columns = "".join(f"{'%.1f (%.1f)' % tuple(medians[way]):>17}" for way in ways)
                print(f"{mode:<12}{paths:>6}{clusters:>9}{columns}{100 * gain:>7.1f}"
                      f"{100 * spread:>7.1f}", flush=True)


# Dilation

# Sizes and ranks of each program; the iterations follow from SECONDS.  With the first size an
# iteration takes 10 to 50 ms, as a time step does; with the second (STEPS=short) less.
DILATED = [(name, sizes[("long", "short").index(STEPS)], ranks) for name, sizes, ranks in (
    ("stencil", (300, 200), (1, 2)),
    ("wavefront", (600, 300), (1, 2)),
    ("particles", (3000, 1500), (1, 2)),
    ("workers", (12, 12), (2,)),
    ("collectives", (200000, 50000), (1, 2)),
    ("templates", (1600000, 400000), (1, 2)),
    ("heat_mpif", (4000, 2000), (1, 2)),
    ("heat_mpi", (4000, 2000), (1, 2)),
    ("heat_f08", (4000, 2000), (1, 2)),
)]

# Ways to run: what is preloaded into the ranks, and the environment.
WAYS = {
    "bare": (None, {}),
    "100 Hz": (RUNTIME, {"TSPROF_RATE": "100"}),
    "1000 Hz": (RUNTIME, {"TSPROF_RATE": "1000"}),
    "empty": (EMPTY_HANDLER, {"EMPTY_RATE": "1000"}),
    "empty 100": (EMPTY_HANDLER, {"EMPTY_RATE": "100"}),
    "slowest": (RUNTIME, {"TSPROF_RATE": "100", "TSPROF_TRACE": "slowest:8"}),
    "Open MPI": (RUNTIME_OPEN_MPI, {"TSPROF_RATE": "100"}),
}

# Arrays of megabytes in large pages: which small ones a run is given decides what they displace in the
# caches, and differs from run to run by more than is to be measured.
STEADY = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}

# Which of them take turns on one processor, and which is compared with which.
TURNS = {"bare": "bare", "bare again": "bare", "100 Hz": "100 Hz", "1000 Hz": "1000 Hz", "empty": "empty",
         "empty 100": "empty 100"}
COMPARED = (("bare again", "bare"), ("empty 100", "bare"), ("100 Hz", "bare"), ("1000 Hz", "empty"))
TRACE_TURNS = {"profile": "100 Hz", "profile again": "100 Hz", "slowest:8": "slowest"}
TRACE_COMPARED = (("profile again", "profile"), ("slowest:8", "profile"))


def wall_time(command, ranks, way, settings=None, mpirun=MPIRUN):
    """Seconds from starting the launcher to its end."""
    preload, environment = WAYS[way]
    with tempfile.TemporaryDirectory(prefix="tsprof-bench.") as directory:
        environment = dict(os.environ, TSPROF_VERBOSE="0",
                           TSPROF_OUTPUT=directory + "/summary.tsprof",
                           **environment, **(settings or {}))
        # Into the ranks only: the launcher is not what is measured.
        prefix = ["env", "LD_PRELOAD=" + preload] if preload else []
        begin = time.perf_counter()
        subprocess.run([mpirun, "-n", str(ranks)] + prefix + command, env=environment,
                       cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       check=True)
        return time.perf_counter() - begin


def alternating(command, ranks, ways, settings=None, mpirun=MPIRUN):
    """Median wall times, and the largest spread of any way relative to its median."""
    times = {way: [] for way in ways}
    for _ in range(max(3, ROUNDS)):
        for way in ways:
            times[way].append(wall_time(command, ranks, way, settings, mpirun))
    medians = {way: statistics.median(taken) for way, taken in times.items()}
    # Of the middle half: one run that was disturbed is no news.
    spread = max((sorted(t)[-(len(t) // 4) - 1] - sorted(t)[len(t) // 4]) / statistics.median(t)
                 for t in times.values())
    return medians, spread


@functools.cache
def turn_taking():
    """What has the system give turns of a tenth of a second, where that is allowed: in those of
    milliseconds everybody, tsprof above all, finds the caches full of what others have used."""
    round_robin = ["chrt", "--rr", "1"]
    allowed = shutil.which("chrt") and subprocess.run(
        round_robin + ["true"], stderr=subprocess.DEVNULL).returncode == 0
    return round_robin if allowed else []


def start(command, way, directory, processor, settings):
    """A job of one rank on PROCESSOR, with DIRECTORY for its files."""
    preload, environment = WAYS[way]
    environment = dict(os.environ, TSPROF_VERBOSE="0", TSPROF_OUTPUT=directory + "/summary.tsprof",
                       **environment, **settings)
    prefix = ["env", "LD_PRELOAD=" + preload] if preload else []
    return subprocess.Popen([*turn_taking(), "taskset", "-c", str(processor), MPIRUN, "-n", "1"]
                            + prefix + command, env=environment, cwd=directory, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL)


def processor_time(process):
    """Of the launcher and all that it has started and waited for, seconds."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


def taken_in_turns(command, number, settings, ways):
    """Processor time of a run in each of the WAYS, which share one processor.  NUMBER of the round:
    who starts first changes."""
    processor = max(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory(prefix="tsprof-bench.") as directory:
        runs = {}
        for i in range(len(ways)):
            name = list(ways)[(i + number) % len(ways)]
            own = os.path.join(directory, name)
            os.mkdir(own)
            runs[name] = start(command, ways[name], own, processor, settings)
        times = {name: processor_time(process) for name, process in runs.items()}
        for name, process in runs.items():
            if process.returncode != 0:
                raise RuntimeError(f"the run {name} ended with {process.returncode}")
        return times


def estimate(values):
    """Median, and the standard error that it would have were the values normally distributed."""
    return statistics.median(values), 1.253 * statistics.stdev(values) / math.sqrt(len(values))


def is_wanted(name):
    return not ONLY or name in ONLY


def take_turns(name, command, settings, iterations, ways, compared):
    rounds = [taken_in_turns(command, number, settings, ways) for number in range(ROUNDS)]
    columns = [estimate([percent(times[way], times[other]) for times in rounds])
               for way, other in compared]
    seconds = statistics.median(times[compared[0][1]] for times in rounds)
    step = f"{1000 * seconds / iterations:>9.1f}" if iterations else " " * 9
    print(f"{name:<12}{seconds:>9.1f}{step}" + "".join(f"{median:>11.2f}{error:>6.2f}" for median, error in columns),
          flush=True)


def print_turns(titles, ways, compared):
    """The programs of tests/programs that compute, and NWChem."""
    print(f"{'program':<12}{'seconds':>9}{'step ms':>9}" + "".join(f"{name:>11}{'+/-':>6}" for name in titles))
    for name, size, ranks_list in DILATED:
        program = os.path.join(BUILD, "tests/programs", name)
        if os.path.exists(program) and 1 in ranks_list and is_wanted(name):
            command = [program, "--size", str(size)]
            count = iterations_for(command, 1)
            take_turns(name, command + ["--iterations", str(count)], STEADY, count, ways, compared)
    for name, file in (("nwchem", "ethanol.nw"), ("nwchem-pvtz", "ethanol-pvtz.nw")):
        if shutil.which("nwchem.mpich") and is_wanted(name):
            take_turns(name, [shutil.which("nwchem.mpich"), os.path.join(SOURCE, "tests/nwchem", file)],
                       {"ARMCI_USE_WIN_ALLOCATE": "0"}, None, ways, compared)


def turns():
    print("\nDilation of one rank in processor time, per cent, and its standard error: runs with and without")
    print("tsprof start together on one processor, where the system has them take turns.  Nothing: both are")
    print("run without (goal: 0); empty: 100 interrupts a second without tsprof; 100 Hz: with it (goal: 1, NWChem")
    print("3); 1000 Hz: against 1000 interrupts a second without it (goal: 3)")
    print_turns(("nothing", "empty", "100 Hz", "1000 Hz"), TURNS, COMPARED)


def trace_turns():
    print("\nDilation by TSPROF_TRACE=slowest:8 over the profile alone, measured in the same way: per cent")
    print("(goal: 1).  Nothing: both are with the profile alone")
    print_turns(("nothing", "slowest:8"), TRACE_TURNS, TRACE_COMPARED)


def iterations_for(command, ranks):
    """As many as take SECONDS at least; the work of an iteration may grow with its number."""
    start = wall_time(command + ["--iterations", "1"], ranks, "bare")
    count, previous = 100, None
    while True:
        taken = max(wall_time(command + ["--iterations", str(count)], ranks, "bare") - start, 1e-3)
        if taken >= SECONDS:
            return count
        power, most = 1.0, 2.0
        if previous and taken > previous[1]:
            power = max(1.0, math.log(taken / previous[1]) / math.log(count / previous[0]))
            most = 8.0
        previous = (count, taken)
        count = math.ceil(count * min(most, (1.05 * SECONDS / taken) ** (1 / power)))


def compressed_map():
    print("\nMap from iterations to clusters, 10^6 iterations: ns an iteration, bytes")
    print(subprocess.run([os.path.join(BUILD, "bench/map_cost")], stdout=subprocess.PIPE, check=True,
                         text=True).stdout, end="")


def percent(taken, bare):
    return 100 * (taken / bare - 1)


def dilation():
    print("\nDilation: wall time of the whole job, per cent above that without tsprof, at 100 (goal:")
    print("1 %) and 1000 samples a second; `empty`: 1000 interrupts a second without tsprof; `own`:")
    print("what tsprof adds to these (goal: 3 %); spread: of the runs of one kind, middle half")
    print(f"{'program':<14}{'ranks':>6}{'iterations':>11}{'seconds':>9}{'100 Hz':>9}{'1000 Hz':>9}"
          f"{'empty':>8}{'own':>8}{'spread':>8}")
    for name, size, ranks_list in DILATED:
        program = os.path.join(BUILD, "tests/programs", name)
        if not os.path.exists(program):
            continue
        for ranks in sorted(RANKS.intersection(ranks_list)):
            command = [program, "--size", str(size)]
            count = iterations_for(command, ranks)
            medians, spread = alternating(command + ["--iterations", str(count)], ranks, WAYS)
            bare = medians["bare"]
            slow, fast, empty = (percent(medians[way], bare)
                                 for way in ("100 Hz", "1000 Hz", "empty"))
            print(f"{name:<14}{ranks:>6}{count:>11}{bare:>9.2f}{slow:>9.2f}{fast:>9.2f}"
                  f"{empty:>8.2f}{fast - empty:>8.2f}{100 * spread:>8.2f}", flush=True)


def nwchem():
    """A code that nobody here wrote; see bench/results/nwchem.md."""
    command = shutil.which("nwchem.mpich")
    if not command:
        print("\nNWChem is not installed")
        return
    print("\nNWChem, ethanol, two ranks: wall time of the whole job (goal: 3 %)")
    medians, spread = alternating([command, os.path.join(SOURCE, "tests/nwchem/ethanol.nw")], 2,
                                  ("bare", "100 Hz", "1000 Hz"), {"ARMCI_USE_WIN_ALLOCATE": "0"})
    bare = medians["bare"]
    slow, fast = (percent(medians[way], bare) for way in ("100 Hz", "1000 Hz"))
    print(f"bare {bare:.2f} s, with tsprof {medians['100 Hz']:.2f} s: {slow:+.2f} %, "
          f"at 1000 Hz {fast:+.2f} %; spread {100 * spread:.2f} %")


def lammps():
    """A program of Open MPI's; see bench/results/openmpi.md."""
    command, mpirun = shutil.which("lmp"), shutil.which("mpirun.openmpi")
    if not command or not mpirun or not os.path.exists(RUNTIME_OPEN_MPI):
        print("\nLAMMPS, or the runtime for Open MPI, is not there")
        return
    melt = [command, "-in", "/usr/share/lammps/examples/melt/in.melt", "-log", "none"]
    print("\nLAMMPS, melt, two ranks: wall time of the whole job (goal: 1 %)")
    medians, spread = alternating(melt, 2, ("bare", "Open MPI"),
                                  {"OMPI_ALLOW_RUN_AS_ROOT": "1",
                                   "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}, mpirun)
    print(f"bare {medians['bare']:.2f} s, with tsprof {medians['Open MPI']:.2f} s: "
          f"{percent(medians['Open MPI'], medians['bare']):+.2f} %; spread {100 * spread:.2f} %")


def compression():
    """How good clustering is; needs packages that the other parts do not."""
    import compression as evaluation
    evaluation.main(os.environ.get("PARTS", "").split())


def loops():
    """Which main loops are found; the same as `make -C tests/e2e check-loops`."""
    tests = os.path.join(SOURCE, "tests/e2e")
    subprocess.run([sys.executable, "-B", os.path.join(tests, "loops", "loop_table.py")], check=True,
                   env=dict(os.environ, PYTHONPATH=tests))


def line(points):
    """Least squares: intercept, slope and the largest deviation, relative to the value."""
    count = len(points)
    mean_x, mean_y = (sum(p[i] for p in points) / count for i in (0, 1))
    slope = (sum((x - mean_x) * (y - mean_y) for x, y in points)
             / sum((x - mean_x) ** 2 for x, _ in points))
    start = mean_y - slope * mean_x
    return start, slope, max(abs(start + slope * x - y) / y for x, y in points)


def merging():
    print("\nUniting the descriptions of synthetic ranks, on the tree of ranks: critical path up, numbers")
    print("back down, largest memory of a process, largest message up and down, all messages together")
    print(f"{'ranks':>8}{'up us':>8}{'down us':>8}{'memory':>10}{'message':>9}{'numbers':>9}"
          f"{'all':>12}{'per rank':>9}{'SYSTEM, TOPOLOGIES':>19}")
    rows = []
    for ranks in (1000, 3162, 10000, 31623, 100000):
        runs = [[float(x) for x in run("merge_ranks", ranks)[0]] for _ in range(ROUNDS if ranks < 20000 else 2)]
        # What others do on the machine only ever adds.
        best = [min(values) for values in zip(*runs)]
        rows.append(best)
        _, _, sections, up, down, memory_bytes, message, together, numbers = best
        print(f"{ranks:>8}{1e6 * up:>8.0f}{1e6 * down:>8.0f}{memory_bytes:>10.0f}{message:>9.0f}"
              f"{numbers:>9.0f}{together:>12.0f}{together / ranks:>9.0f}{sections:>19.0f}")
    for what, column, unit in (("up", 3, 1e6), ("down", 4, 1e6)):
        start, slope, off = line([(math.log2(row[0]), unit * row[column]) for row in rows])
        print(f"{what}: {start:.0f} us + {slope:.1f} us for each doubling of ranks, "
              f"within {100 * off:.0f} %")
    _, power, _ = line([(math.log(row[0]), math.log(row[3] + row[4])) for row in rows])
    print(f"time grows like ranks^{power:.2f}, or less and less than that if with the logarithm")
    start, slope, off = line([(row[0], row[5]) for row in rows])
    print(f"memory: {start:.0f} bytes + {slope:.2f} for each rank, within {100 * off:.0f} %: "
          "a host for 64 ranks, a topology for each row of a square")


def synthetic(file, grid, iterations_count, paths, clusters):
    subprocess.run([os.path.join(BUILD, "tests/synthetic/make_summary"), "--grid", grid,
                    "--iterations", str(iterations_count), "--paths", str(paths),
                    "--clusters", str(clusters), file], check=True)


def page():
    """The pages of two summaries in a browser: needs what the tests in tests/browser need."""
    for iterations_count, grid, paths in ((5000, "8x8", 500), (20000, "32x32", 200)):
        page_of(iterations_count, grid, paths, 64)
    page_of_trace()


def page_of(iterations_count, grid, paths, clusters):
    print(f"\nThe page of {iterations_count} iterations on {grid} ranks, {paths} call paths, {clusters} clusters"
          " (goal: 100 ms)", flush=True)
    with tempfile.TemporaryDirectory(prefix="tsprof-bench.") as directory:
        summary, html = directory + "/large.tsprof", directory + "/large.html"
        synthetic(summary, grid, iterations_count, paths, clusters)
        begin = time.monotonic()
        subprocess.run([TSPROF, "html", summary, "-o", html], check=True)
        print(f"tsprof html takes {time.monotonic() - begin:.1f} s", flush=True)
        use_page(summary, html)


def use_page(summary, html, *only):
    modules = os.path.join(BUILD, "tests/browser")
    subprocess.run(["node", os.path.join(SOURCE, "bench/page.mjs"), summary, html, *only],
                   env=dict(os.environ, BROWSER_MODULES=modules), check=True)


def page_of_trace():
    """The time line of a trace that is one iteration: four ranks that send each other messages."""
    with tempfile.TemporaryDirectory(prefix="tsprof-bench.") as directory:
        summary, html = directory + "/out.tsprof", directory + "/out.html"
        settings = dict(os.environ, TSPROF_OUTPUT=summary, TSPROF_TRACE="all", TSPROF_ITERATION="markers",
                        TSPROF_VERBOSE="1")
        said = subprocess.run([MPIRUN, "-n", "4", "env", "LD_PRELOAD=" + RUNTIME, os.path.join(BUILD, "bench/scout_steps"),
                               "10000", "0", "1", "ring"], env=settings, check=True, capture_output=True, text=True)
        print("\nThe time line of" + re.search(r" the events of \d+ MPI calls", said.stdout + said.stderr)[0], flush=True)
        subprocess.run([TSPROF, "html", summary, "--trace", "-o", html], check=True)
        use_page(summary, html, "timeline")


def looks():
    """Pictures of every view of the page, dark and light, for people to look at; not a number."""
    directory = os.path.join(BUILD, "bench/looks")
    modules = os.path.join(BUILD, "tests/browser")
    subprocess.run(["node", os.path.join(SOURCE, "bench/looks.mjs"), directory],
                   env=dict(os.environ, BROWSER_MODULES=modules), check=True)


def plot():
    """Pictures of a large summary."""
    iterations_count, grid, paths, clusters = 20000, "80x50", 200, 64
    print(f"\nPictures of {iterations_count} iterations on {grid} ranks, {paths} call paths, {clusters} clusters", flush=True)
    with tempfile.TemporaryDirectory(prefix="tsprof-bench.") as directory:
        summary = directory + "/large.tsprof"
        synthetic(summary, grid, iterations_count, paths, clusters)
        print(f"the summary has {os.path.getsize(summary) / 1e6:.1f} MB")
        print(f"{'':32}{'seconds':>9}{'of it computed':>16}{'memory, MB':>12}{'file, kB':>10}")
        for kind, statistic, form in [
                ("graph", "mean", "svg"), ("graph", "median", "svg"), ("map", "max", "svg"), ("map", "max", "png"),
                ("map", "median", "svg"), ("breakdown", "mean", "svg"), ("ranks", "mean", "svg"), ("topology", "mean", "svg")]:
            picture = f"{directory}/{kind}-{statistic}.{form}"
            wall, cpu, memory = cost_of([TSPROF, "plot", summary, "--kind", kind, "--statistic", statistic, "-o", picture])
            print(f"{f'{kind}, {statistic}, {form}':32}{wall:9.2f}{cpu:16.2f}{memory / 1e6:12.0f}"
                  f"{os.path.getsize(picture) / 1e3:10.0f}", flush=True)


if __name__ == "__main__":
    parts = {"startup": startup, "calls": calls, "samples": samples, "iterations": iterations,
             "memory": memory, "compress_cost": compress_cost, "merge": merging}
    long_parts = {"map": compressed_map, "compress_at": compress_at, "dilation": dilation,
                  "nwchem": nwchem, "turns": turns, "trace_turns": trace_turns, "lammps": lammps, "estimators": estimators.main,
                  "shares": shares.main, "job": job.main, "stalls": stalls.main, "growth": growth.main,
                  "compression": compression, "loops": loops, "shapes": loop_shapes.main,
                  "instructions": instructions.main, "rates": rates, "page": page, "looks": looks, "plot": plot,
                  "waits": waits.main, "whatif": whatif.main,
                  "whatif_paper": whatif_paper.main, "whatif_unchanged": whatif_unchanged.main,
                  "scalasca": scalasca.main, "scalasca_cost": scalasca.cost, "regions": regions.main,
                  "traces": trace_costs.main, "findings": findings.main}
    for name in sys.argv[1:] or parts:
        dict(parts, **long_parts)[name]()
