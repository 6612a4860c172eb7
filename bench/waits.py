"""How quickly `tsprof waits` searches a trace, and in how much memory: `make bench BENCH=waits`.

Traces are made (tests/synthetic/make_trace.py, which needs python3-otf2): messages around a ring and
an Allreduce, on several numbers of ranks, all with about EVENTS events.  Each is searched ROUNDS
times with each number of threads in turn, up to that of the processors; medians count.  "seconds" is
processor time of all threads, and "events/s" how many events that is for a second of it; "wall" is
how long it took, and "events/s wall" how many that is for a second and processor that was used.
Times say something on a machine with nothing else to do.

Then tsprof-waits searches one of them with PROCESSES="1 2 4" processes of MPI: how long that takes by
the clock, and the memory of the process that has most.
"""

import os
import statistics
import subprocess
import tempfile

import summary_reader
from cost import cost_of

BUILD = os.path.abspath(os.environ.get("TOP_BUILDDIR", "."))
SOURCE = os.path.abspath(os.environ.get("TOP_SRCDIR", BUILD))
TSPROF = os.path.join(BUILD, "utils/tsprof")
ROUNDS = int(os.environ.get("ROUNDS", "5"))
EVENTS = int(os.environ.get("EVENTS", "3000000"))
RANKS = (2, 8, 32, 128)
PROCESSES = [int(number) for number in os.environ.get("PROCESSES", "1 2").split()]
SHARED_RANKS = 32
STEPS = 20
EVENTS_PER_STEP = 24  # of a rank, about


def make(directory, ranks):
    archive = os.path.join(directory, "ranks%d.otf2" % ranks)
    if os.path.exists(archive):
        return archive
    iterations = max(1, EVENTS // (EVENTS_PER_STEP * STEPS * ranks))
    subprocess.run(["/usr/bin/python3", "-B", os.path.join(SOURCE, "tests/synthetic/make_trace.py"),
                    archive, "--ranks", str(ranks), "--iterations", "0-%d" % (iterations - 1),
                    "--steps", str(STEPS)], check=True, stdout=subprocess.DEVNULL)
    return archive


def numbers_of_threads():
    """1, 2, and more if there are processors for them."""
    return [threads for threads in (1, 2, 4, 8) if threads <= max(2, os.cpu_count() or 1)]


def search(directory, archive, numbers):
    """The events, and by number of threads: seconds on the wall, of processor time, bytes of memory."""
    found = {threads: [] for threads in numbers}
    for _ in range(ROUNDS):
        for threads, costs in found.items():
            summary = os.path.join(directory, "waits.tsprof")
            costs.append(cost_of([TSPROF, "waits", archive, "-o", summary, "--threads", str(threads)]))
            events = int(summary_reader.Summary(summary).run["trace.events"])
            os.unlink(summary)
    return events, {threads: (statistics.median(cost[0] for cost in costs),
                              statistics.median(cost[1] for cost in costs),
                              max(cost[2] for cost in costs)) for threads, costs in found.items()}


def share(directory, archive):
    """Seconds and bytes, by number of processes."""
    program = os.path.join(BUILD, "waits_mpi/tsprof-waits")
    summary = os.path.join(directory, "waits.tsprof")
    found = {number: [] for number in PROCESSES}
    for _ in range(ROUNDS):
        for number, costs in found.items():
            costs.append(cost_of([os.environ.get("MPIRUN", "mpirun"), "-n", str(number), program,
                                  archive, "-o", summary, "--force"]))
    return {number: (statistics.median(wall for wall, *_ in costs), max(most for *_, most in costs))
            for number, costs in found.items()}


def show_shared(directory):
    print(f"\n{'processes':>10}{'seconds':>10}{'memory, MB':>12}")
    for number, (seconds, memory) in share(directory, make(directory, SHARED_RANKS)).items():
        print(f"{number:>10}{seconds:>10.2f}{memory / 1e6:>12.0f}", flush=True)


def main():
    print("\nSearching traces for wait states (goal: 10 million events a second and core)")
    print(f"{'ranks':>6}{'events':>12}{'threads':>9}{'seconds':>10}{'events/s':>12}{'wall':>8}"
          f"{'events/s wall':>15}{'memory, MB':>12}{'bytes/event':>13}")
    with tempfile.TemporaryDirectory(prefix="tsprof-bench.") as directory:
        for ranks in RANKS:
            events, costs = search(directory, make(directory, ranks), numbers_of_threads())
            for threads, (wall, seconds, memory) in costs.items():
                print(f"{ranks:>6}{events:>12}{threads:>9}{seconds:>10.2f}{events / seconds:>12.3g}"
                      f"{wall:>8.2f}{events / wall / threads:>15.3g}{memory / 1e6:>12.0f}"
                      f"{memory / events:>13.0f}", flush=True)
        show_shared(directory)


if __name__ == "__main__":
    main()
