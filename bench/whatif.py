"""Predicted times beside those of programs that were really changed: `make bench BENCH=whatif`.

Of each pair (whatif_pairs.c) the first program is traced and its time after the change predicted,
then the second one is measured, in turns, ROUNDS times; the least of each counts.  What is compared is the time
of the steps: that of the first less the gain.  WORK=sleep has ranks sleep where they would compute,
for machines that are not quiet.
"""

import json
import os
import statistics
import subprocess
import tempfile

BUILD = os.path.abspath(os.environ.get("TOP_BUILDDIR", "."))
MPIRUN = os.environ.get("MPIRUN") or "mpirun"
RUNTIME = os.path.join(BUILD, "libprof/.libs/libtsprof.so")
TSPROF = os.path.join(BUILD, "utils/tsprof")
PROGRAM = os.path.join(BUILD, "bench/whatif_pairs")
ROUNDS = int(os.environ.get("ROUNDS", "5"))


def steps(case, which, directory):
    """The seconds of a program's steps; its trace is directory/run.otf2."""
    settings = dict(os.environ, TSPROF_VERBOSE="0", TSPROF_TRACE="all",
                    TSPROF_ITERATION="markers",
                    TSPROF_OUTPUT=os.path.join(directory, "run.tsprof"))
    command = [MPIRUN, "-n", "2", "env", "LD_PRELOAD=" + RUNTIME, PROGRAM, case, which]
    return float(subprocess.run(command, env=settings, stdout=subprocess.PIPE, check=True,
                                text=True).stdout)


def ask(directory, question):
    command = [TSPROF, "whatif", os.path.join(directory, "run.otf2"), *question.split(),
               "--format", "json"]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def round_of(case, question):
    """(before, predicted, after) in seconds, and by how much the unchanged prediction is off."""
    with tempfile.TemporaryDirectory(prefix="tsprof-bench.") as directory:
        before = steps(case, "before", directory)
        answer = ask(directory, question)
    with tempfile.TemporaryDirectory(prefix="tsprof-bench.") as directory:
        after = steps(case, "after", directory)
    return before, before - answer["gain"], after, answer["unchanged"] / answer["measured"] - 1


def main():
    listed = subprocess.run([PROGRAM, "--list"], stdout=subprocess.PIPE, check=True, text=True)
    errors = []
    print("\nPredicted and measured (goal: within 3 % in the median, none above 10 %)")
    print(f"{'pair':16}{'question':22}{'before':>9}{'predicted':>11}{'measured':>10}{'error':>8}"
          f"{'unchanged':>11}")
    for line in listed.stdout.splitlines():
        case, question = line.split("\t")
        rounds = [round_of(case, question) for _ in range(ROUNDS)]
        before, predicted, after = (min(column) for column in list(zip(*rounds))[:3])
        off = max((one[3] for one in rounds), key=abs)
        errors.append(abs(predicted / after - 1))
        print(f"{case:16}{question:22}{before:>9.3f}{predicted:>11.3f}{after:>10.3f}"
              f"{100 * (predicted / after - 1):>+7.1f}%{100 * off:>+10.2f}%", flush=True)
    print(f"median {100 * statistics.median(errors):.1f} %, largest {100 * max(errors):.1f} %")


if __name__ == "__main__":
    main()
