"""Whether what tsprof says first is what matters: `make bench BENCH=findings`.

Runs tests/programs/behaviours in each of its behaviours, and in those without any, on two ranks and
on four ranks that share two processors, and looks at the first finding of `tsprof report`.  What it
has to be is in tests/e2e/behaviours.py.  ONLY="NAME..." runs some of them, RANKS="2" on so many
ranks; four are bound to two processors.  Other programs on the machine take processors away, which
is said first then, and counts for nothing here; the column says how much that was.

All numbers of all sentences are calculated again from the exports (tests/e2e/findings_oracle.py);
what differs is printed.  Summaries stay in the directory KEEP, if one is named; those in the
directory KEPT are judged without running anything, by what tsprof says of them now.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(os.environ.get("TOP_BUILDDIR", "."))
SOURCE = os.path.abspath(os.environ.get("TOP_SRCDIR", BUILD))
sys.path.insert(0, os.path.join(SOURCE, "tests", "e2e"))
import behaviours
import findings_oracle

MPIRUN = os.environ.get("MPIRUN") or "mpirun"
RUNTIME = os.path.join(BUILD, "libprof/.libs/libtsprof.so")
TSPROF = os.path.join(BUILD, "utils/tsprof")
PROGRAM = os.path.join(BUILD, "tests/programs/behaviours")
ONLY = os.environ.get("ONLY", "").split()
RANKS = [int(ranks) for ranks in os.environ.get("RANKS", "2 4").split()]
KEEP = os.environ.get("KEEP")
KEPT = os.environ.get("KEPT")
PROCESSORS = 2
LIMIT_S = 300
# Where ranks share processors they compute for a part of the time only, and times are known to a
# clock tick: what few samples show there has more work to do in each iteration.
LONGER = {"slow_rank", "slow_rank_for_a_while", "step", "drift", "moving_rank", "page_faults",
          "small_function_grows", "warm_up"}
TIMES_AS_LONG = 4
# An iteration of a thousand messages takes seconds there: each waits for a rank without a processor.
FEWER = {"small_messages": 20}


def two_processors():
    return set(sorted(os.sched_getaffinity(0))[:PROCESSORS])


def arguments(name, ranks, count):
    """What the program is given; and how many iterations that are."""
    if ranks <= PROCESSORS:
        return [name], count
    count = FEWER.get(name, count)
    return [name, str(count), str(TIMES_AS_LONG if name in LONGER else 1)], count


def summary_of(directory, name, ranks):
    return os.path.join(directory, "%s-%d.tsprof" % (name, ranks))


def run(directory, of_program, ranks):
    summary = summary_of(directory, of_program[0], ranks)
    environment = dict(os.environ, TSPROF_VERBOSE="0", TSPROF_OUTPUT=summary)
    subprocess.run([MPIRUN, "-n", str(ranks), "env", "LD_PRELOAD=" + RUNTIME, PROGRAM] +
                   of_program,
                   env=environment, cwd=directory, check=True, stdin=subprocess.DEVNULL,
                   timeout=LIMIT_S, preexec_fn=lambda: os.sched_setaffinity(0, two_processors()))
    return summary


def said_of(summary):
    output = subprocess.run([TSPROF, "report", summary, "--format", "json"], check=True,
                            stdout=subprocess.PIPE, text=True).stdout
    return json.loads(output)


def without_processor(findings):
    """Per cent of the time in which ranks had no processor, if that is said."""
    told = [finding["text"] for finding in findings if finding["kind"] == "no_processor"]
    return re.search(r"([\d.]+) %", told[0])[1] if told else "-"


def outcome(directory, name, ranks, count):
    """What is wrong, None if nothing is, for how long ranks had no processor, and which numbers of
    sentences are not those of the exports."""
    of_program, count = arguments(name, ranks, count)
    try:
        summary = summary_of(KEPT, name, ranks) if KEPT else run(directory, of_program, ranks)
    except subprocess.TimeoutExpired:
        return "it has not ended in %d s" % LIMIT_S, "?", []
    findings = said_of(summary)
    return behaviours.verdict(findings, name, ranks, count), without_processor(findings), \
        findings_oracle.mistakes(summary)[0]


def score(directory, ranks):
    right, all_of = [0, 0], [0, 0]
    with open(os.path.join(SOURCE, "tests/programs/behaviours/behaviours.def"), encoding="utf-8") as file:
        every = behaviours.names(file.read())
    print(f"\n{ranks} ranks\n{'behaviour':24}{'preempted, %':>14}  what is said first")
    for name, count in every:
        if ONLY and name not in ONLY or KEPT and not os.path.exists(summary_of(KEPT, name, ranks)):
            continue
        wrong, without, mistakes = outcome(directory, name, ranks, count)
        nothing = behaviours.planted(ranks, name, count) is None
        all_of[nothing] += 1
        right[nothing] += wrong is None
        print(f"{name:24}{without:>14}  {'right' if wrong is None else wrong}",
              flush=True)
        for mistake in mistakes:
            print("    not so: " + mistake, flush=True)
    print(f"{right[0]} of {all_of[0]} behaviours are said first; of {right[1]} of {all_of[1]} programs "
          "without any nothing is said")


def main():
    with tempfile.TemporaryDirectory(prefix="tsprof-bench.") as directory:
        for ranks in RANKS:
            score(KEEP or directory, ranks)
