"""The two cases of the paper that what-if questions come from: `make bench BENCH=whatif_paper`.

Ino, Kanbe, Okita and Hagihara, PerWiz (2003), section 5.  An image registration is modified seven
times, each time where the domino path begins, or else where the wait is longest; binary-swap
compositing is balanced step by step.  Both are rebuilt (tests/programs/waits/registration.c and
compositing.c), traced on 8 ranks, and really changed.  PLANS registrations are tried; what they do
at which points is drawn.  With Open MPI if there is a runtime for it, since its ranks let others run
while they wait, so that it does not matter how many processors there are.
"""

import csv
import io
import json
import os
import random
import re
import tempfile

import mpi_runs
from mpi_runs import tsprof

KIND = "openmpi" if "openmpi" in mpi_runs.harness.KINDS else mpi_runs.harness.MPI
PLANS = int(os.environ.get("PLANS", "3"))
RANKS, POINTS, HALO, MODIFICATIONS = 8, 24, 0.5, 7


def run(program, *arguments):
    return mpi_runs.run(KIND, RANKS, [mpi_runs.found(KIND, program), *arguments]).split()


def trace(directory, program, *arguments):
    """The program's result, and the archive."""
    said, archive = mpi_runs.trace(KIND, RANKS, [mpi_runs.found(KIND, program), *arguments],
                                   directory)
    return said.split(), archive


def ask(archive, *questions):
    return json.loads(tsprof("whatif", archive, *questions, "--format", "json"))


# The registration.  A plan is a list of points: for each rank that takes part, in milliseconds.

def draw_plan(seed):
    """Points lie between ranks in a row, or near to where three meet, and are visited along it: each
    rank waits for the one before it."""
    drawn = random.Random(seed)
    plan = []
    for place in sorted(drawn.uniform(0, RANKS) for _ in range(POINTS)):
        members = {min(RANKS - 1, max(0, int(place + halo))) for halo in (-HALO, 0, HALO)}
        if len(members) == 1:
            members.add((min(members) + 1) % RANKS)
        plan.append({rank: drawn.choice((20, 40, 60, 80, 120)) for rank in sorted(members)})
    return plan


def arguments_of(plan):
    return [",".join("%d:%d" % item for item in point.items()) for point in plan]


def foresee(plan, point, rank):
    """How long RANK waits at the POINTth of a plan, and what all take: all of a point wait for its
    last."""
    ready, waited = [0] * RANKS, 0
    for number, members in enumerate(plan):
        own = {member: ready[member] + ms for member, ms in members.items()}
        last = max(own.values())
        if number == point:
            waited = last - own[rank]
        for member in members:
            ready[member] = last
    return waited, max(ready)


def modify(plan, point, rank):
    """The point is moved to where that rank waits for it least, of such places to where all take
    least."""
    def moved(to):
        rest = plan[:point] + plan[point + 1:]
        return rest[:to] + [plan[point]] + rest[to:]
    best = min(range(point), key=lambda to: (*foresee(moved(to), to, rank), -to), default=point)
    return moved(best)


def place_of(callpath):
    return int(re.search(r"point (\d+)", callpath).group(1))


def find_domino(archive, is_new):
    """The first of the domino path that is new: point, rank, seconds waited there, and those that
    the run is predicted to be shorter without."""
    path = [one for one in ask(archive, "best")["best"]["domino"] if "point" in one["callpath"]]
    for one in reversed(path):
        point, rank = place_of(one["callpath"]), one["rank"]
        if is_new(point, rank):
            gain = ask(archive, "zero-wait", "%(callpath)s@%(rank)d#%(call)d" % one)["gain"]
            return point, rank, one["wait"], gain
    return None


def find_longest(archive, is_new):
    """The longest wait at a point; likewise, but nothing is predicted."""
    summary = archive[:-len(".otf2")] + ".waits.tsprof"
    tsprof("waits", archive, "-o", summary, "--force")
    rows = csv.DictReader(io.StringIO(tsprof("export", summary, "--what", "instances")))
    waits = sorted(((float(row["time"]), place_of(row["callpath"]), int(row["rank"]))
                    for row in rows if "point" in row["callpath"]), reverse=True)
    return next(((point, rank, seconds, 0) for seconds, point, rank in waits
                 if is_new(point, rank)), None)


def modify_all(plan, find):
    """By modification, from 0 on: seconds measured, predicted, and waited at what was located.
    What was moved once on a rank's account is not moved again."""
    rows = [(float(run("registration", *arguments_of(plan))[0]), 0, 0)]
    done = []

    def is_new(point, rank):
        return not any(one is plan[point] and other == rank for one, other in done)
    for _ in range(MODIFICATIONS):
        with tempfile.TemporaryDirectory(prefix="tsprof-bench.") as directory:
            before, archive = trace(directory, "registration", *arguments_of(plan))
            found = find(archive, is_new)
        if not found:
            rows.append((rows[-1][0], rows[-1][0], 0))
            continue
        point, rank, waited, gain = found
        done.append((plan[point], rank))
        plan = modify(plan, point, rank)
        after = float(run("registration", *arguments_of(plan))[0])
        rows.append((after, float(before[0]) - gain, waited))
    return rows


def registrations():
    print(f"\nRegistration: {PLANS} plans, {RANKS} ranks, {POINTS} points; sums of seconds")
    print(f"{'':14}{'beginning of the domino path':^33}{'longest wait':^22}")
    print(f"{'modification':14}{'predicted':>11}{'measured':>11}{'waited':>11}"
          f"{'measured':>11}{'waited':>11}")
    by_domino, by_length = ([modify_all(draw_plan(seed + 1), find) for seed in range(PLANS)]
                            for find in (find_domino, find_longest))
    for number in range(MODIFICATIONS + 1):
        domino, longest = ([sum(column) for column in zip(*(rows[number] for rows in of))]
                           for of in (by_domino, by_length))
        print(f"{number:<14}{domino[1]:>11.2f}{domino[0]:>11.2f}{domino[2]:>11.3f}"
              f"{longest[0]:>11.2f}{longest[2]:>11.3f}")
    for name, of in (("domino path", by_domino), ("longest wait", by_length)):
        first, third, last = (sum(rows[at][0] for rows in of) for at in (0, 3, -1))
        print(f"{name}: {100 * (1 - third / first):.0f} % gained by three modifications, "
              f"{100 * (1 - last / first):.0f} % by all")


# Compositing.

BOUNDS = ("no_wait", "balance", "balance_bytes")


def compositing():
    print(f"\nCompositing: {RANKS} ranks; seconds")
    with tempfile.TemporaryDirectory(prefix="tsprof-bench.") as directory:
        before, archive = trace(directory, "compositing", "block")
        steps = ["S%d" % (i + 1) for i in range(RANKS.bit_length() - 1)]
        asked = [[step] for step in steps] + [steps]
        gains = [ask(archive, *(word for step in one for word in ("balance", step)))["gain"]
                 for one in asked]
        bounds = [row for row in ask(archive, "bound", "stages")["bounds"]
                  if row["where"] == "stages"]
    print(f"{'as it was':44}{float(before[0]):>8.2f}  {before[2]} pixels composed")
    for one, gain in zip(asked, gains):
        print(f"{'balance ' + ', '.join(one):44}{float(before[0]) - gain:>8.2f}")
    for row in bounds:
        named = ", ".join(name for name in BOUNDS if row[name])
        print(f"{'bound: ' + (named or 'as it was'):44}{row['time']:>8.2f}")
    after = run("compositing", "interleaved")
    print(f"{'measured, split into every other pixel':44}{float(after[0]):>8.2f}  "
          f"{after[2]} pixels composed")


def main():
    registrations()
    compositing()


if __name__ == "__main__":
    main()
