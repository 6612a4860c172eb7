"""How quickly `tsprof waits` searches a trace, and in how much memory: `make bench BENCH=waits`.

Traces are made (tests/synthetic/make_trace.py, which needs python3-otf2): messages around a ring and
an Allreduce, on several numbers of ranks, all with about EVENTS events.  Each is searched ROUNDS
times with one thread; the median counts, of the processor's time.  "two threads" is how long that
takes by the clock, of the time with one, in turn with it: on a machine with nothing else to do.
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
STEPS = 20
EVENTS_PER_STEP = 24  # of a rank, about


def make(directory, ranks):
    archive = os.path.join(directory, "ranks%d.otf2" % ranks)
    iterations = max(1, EVENTS // (EVENTS_PER_STEP * STEPS * ranks))
    subprocess.run(["/usr/bin/python3", "-B", os.path.join(SOURCE, "tests/synthetic/make_trace.py"),
                    archive, "--ranks", str(ranks), "--iterations", "0-%d" % (iterations - 1),
                    "--steps", str(STEPS)], check=True, stdout=subprocess.DEVNULL)
    return archive


def search(directory, archive):
    """Seconds of processor time, bytes of memory, events, and the share of time with two threads."""
    found = {"1": [], "2": []}
    for _ in range(ROUNDS):
        for threads, costs in found.items():
            summary = os.path.join(directory, "waits.tsprof")
            costs.append(cost_of([TSPROF, "waits", archive, "-o", summary, "--threads", threads]))
            events = int(summary_reader.Summary(summary).run["trace.events"])
            os.unlink(summary)
    shares = [two[0] / one[0] for one, two in zip(found["1"], found["2"])]
    return (statistics.median(cpu for _, cpu, _ in found["1"]),
            max(most for *_, most in found["1"]), events, statistics.median(shares))


def main():
    print("\nSearching traces for wait states (goal: 10 million events a second and core)")
    print(f"{'ranks':>6}{'events':>12}{'seconds':>10}{'events/s':>12}{'memory, MB':>12}{'bytes/event':>13}"
          f"{'two threads':>13}")
    with tempfile.TemporaryDirectory(prefix="tsprof-bench.") as directory:
        for ranks in RANKS:
            archive = make(directory, ranks)
            seconds, memory, events, share = search(directory, archive)
            print(f"{ranks:>6}{events:>12}{seconds:>10.2f}{events / seconds:>12.3g}{memory / 1e6:>12.0f}"
                  f"{memory / events:>13.0f}{share:>13.2f}", flush=True)


if __name__ == "__main__":
    main()
