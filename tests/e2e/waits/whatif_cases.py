#!/usr/bin/env python3
"""What the paper of what-if questions found with two programs (Ino and others, PerWiz, section 5), of
programs of the same shape: programs/waits/registration.c and compositing.c.  Planted times are long
beside what a machine with few processors adds; bench/whatif_paper.py has the figures.
"""

import csv
import io
import json
import os
import re

import harness
from harness import Directory, Failure

# A sweep along four ranks: 3 waits longest, for 2, who waits for 1.  If 2 did not wait for 1 at point
# 2, neither would have to wait, and 400 of 1000 ms would be gained; without 3's wait alone, nothing.
UNIT_MS = 200
SWEEP = [{0: 1, 1: 1}, {0: 1, 1: 1}, {1: 1, 2: 1}, {2: 1, 3: 1}, {2: 1, 3: 1}]
CAUSE, LONGEST = (2, 2), (3, 3)  # point and rank
GAIN = 2 * UNIT_MS / 1000

# Half of what is planted.
ENOUGH = GAIN / 2


def arguments_of(plan):
    return [",".join("%d:%d" % (rank, units * UNIT_MS) for rank, units in point.items())
            for point in plan]


def traced(directory, program, *arguments):
    """The seconds that the program says that it took, all that it says, and the archive."""
    summary = os.path.join(directory, "out.tsprof")
    result = harness.run_ranks([harness.program(program), *arguments], 4, cwd=directory,
                               settings={"TSPROF_OUTPUT": summary, "TSPROF_TRACE": "all"})
    if result.status != 0:
        raise Failure(result.stderr.decode("utf-8", "replace"))
    words = result.stdout.split()
    return float(words[0]), words, os.path.join(directory, "out.otf2")


def ask(archive, *question):
    result = harness.tsprof("whatif", archive, *question, "--format", "json")
    if result.status != 0:
        raise Failure(result.stderr)
    return json.loads(result.stdout)


def without(archive, point, rank):
    return ask(archive, "zero-wait", "point %d;MPI_Sendrecv@%d" % (point, rank))["gain"]


def longest_wait(archive):
    """The point and the rank of the longest one."""
    summary = archive[:-len(".otf2")] + ".waits"
    if harness.tsprof("waits", archive, "-o", summary).status != 0:
        raise Failure("waits cannot be found")
    rows = csv.DictReader(io.StringIO(harness.tsprof("export", summary, "--what", "instances").stdout))
    row = max((row for row in rows if "point" in row["callpath"]), key=lambda row: float(row["time"]))
    return int(re.search(r"point (\d+)", row["callpath"]).group(1)), int(row["rank"])


def registration():
    """What is measured, before and after point 2 is visited first, and what is predicted."""
    with Directory() as directory:
        before, _, archive = traced(directory, "registration", *arguments_of(SWEEP))
        domino = [(int(re.search(r"point (\d+)", one["callpath"]).group(1)), one["rank"])
                  for one in ask(archive, "best")["best"]["domino"] if "point" in one["callpath"]]
        longest = longest_wait(archive)
        gains = [without(archive, *place) for place in (CAUSE, LONGEST)]
    first = [SWEEP[CAUSE[0]]] + [point for point in SWEEP if point is not SWEEP[CAUSE[0]]]
    with Directory() as directory:
        after = traced(directory, "registration", *arguments_of(first))[0]
    return domino, longest, gains, before - after


def test_registration(tap):
    for _ in range(3):
        domino, longest, (by_domino, by_length), gained = registration()
        if by_domino > by_length + ENOUGH and gained > ENOUGH:
            break
    tap.equal(domino[-1:], [CAUSE], "the domino path begins where the second rank waits")
    tap.equal(longest, LONGEST, "the longest wait is the third one's")
    tap.ok(by_domino > ENOUGH > by_length,
           "without the beginning of the path much is gained, without the longest wait little",
           (by_domino, by_length))
    tap.ok(gained > ENOUGH, "and much is gained if points are visited accordingly", gained)


def compositing():
    with Directory() as directory:
        before, words, archive = traced(directory, "compositing", "block")
        gains = [ask(archive, *(word for step in steps for word in ("balance", step)))["gain"]
                 for steps in (["S1"], ["S2"], ["S1", "S2"])]
        bounds = {(row["no_wait"], row["balance"]): row["time"]
                  for row in ask(archive, "bound", "stages")["bounds"]
                  if row["where"] == "stages" and not row["balance_bytes"]}
    with Directory() as directory:
        after, others, _ = traced(directory, "compositing", "interleaved")
    return before, after, words[1], others[1], gains, bounds


def test_compositing(tap):
    for _ in range(3):
        before, after, covered, other, (first, second, both), bounds = compositing()
        balanced = before - both
        if after < before - both / 2 and balanced < 1.2 * bounds[True, True]:
            break
    tap.equal(other, covered, "however the picture is split, the same comes out")
    tap.ok(0 < min(first, second) and max(first, second) < both,
           "balancing all stages gains more than balancing any of them", (first, second, both))
    tap.ok(0.95 * bounds[True, True] < balanced < 1.2 * bounds[True, True],
           "it reaches what is the least for any program", (balanced, bounds))
    tap.ok(bounds[False, True] > bounds[True, True] and bounds[True, False] > bounds[True, True],
           "for which neither balance alone nor less waiting is enough", bounds)
    tap.ok(after < before - both / 2, "splitting by pixels really gains half of that at least",
           (before, after, both))


if __name__ == "__main__":
    harness.main()
