#!/usr/bin/env python3
"""Jobs that are killed at any moment and in every way leave what they had finished.

`make check` kills a few tens of times, at moments that are always the same and at some that are not
(their seed is printed; KILLS_SEED repeats them).  `make check-kills KILLS=500` goes on for longer.
"""

import glob
import os
import random

import harness
import mortality
from harness import Directory, Failure
from mortality import Case

# Before the first second is over nothing is saved: LATE iterations of 20 ms take longer.
LATE = 58

# way, ranks, us, threads, nested, clusters, at, victim, delay_s
ENDING_THEMSELVES = [
    Case(way, 2, us, threads, nested, clusters, at, victim, 0)
    for way, us, threads, nested, clusters, at, victim in (
        ("exit", 20000, 0, False, 8, LATE, 1),
        ("_exit", 20000, 0, True, 0, LATE + 3, None),
        ("abort", 1000, 0, False, 8, 1400, 1),
        ("segv", 20000, 2, False, 0, LATE + 1, 0),
        ("term", 1000, 0, False, 64, 1500, 1),
        ("kill", 20000, 0, True, 8, LATE + 10, 0),
        ("mpi_abort", 20000, 0, False, 8, LATE + 20, 1),
        ("memory", 20000, 0, True, 8, LATE + 2, 0),
        ("abort", 20000, 0, False, 8, 1, None),
    )
]

KILLED = [
    Case(way, ranks, us, threads, nested, clusters, None, victim, delay_s)
    for way, ranks, us, threads, nested, clusters, victim, delay_s in (
        ("kill-one", 2, 3000000, 0, False, 0, 1, 3.7),
        ("kill-all", 2, 100, 0, False, 8, None, 1.4),
        ("kill-all", 1, 1000, 2, True, 8, None, 1.6),
        ("term-job", 2, 1000, 0, False, 0, None, 1.5),
        ("vanish", 2, 500, 0, False, 8, 1, 1.3),
    )
]


def random_case(numbers):
    way = numbers.choice(mortality.OWN_WAYS + 2 * mortality.OTHER_WAYS)
    ranks = 2 if way == "vanish" else numbers.choice((1, 2, 2, 2))
    us = numbers.choice((100, 100, 1000, 20000, 3000000))
    if us > 1000000 and way in mortality.OWN_WAYS:
        us = 20000  # it dies at the end of an iteration's work
    victim = numbers.randrange(ranks) if way == "vanish" else numbers.choice((None, 0, ranks - 1))
    lifetime_s = numbers.uniform(0.0, 3.0)
    return Case(way, ranks, us, numbers.choice((0, 0, 2)), numbers.random() < 0.3,
                numbers.choice((0, 8, 64)), None, victim, lifetime_s)


def run(directory, case):
    """Has a job die, and merges what it left: what is wrong with that, in words."""
    with mortality.Job(directory, case) as job:
        job.die(case)
        told = [job.told(rank) for rank in range(case.ranks)]
    missing = ()
    if case.way == "vanish":
        missing = (case.victim,)
        for path in mortality.parts_of(directory, told[case.victim].pid):
            os.unlink(path)
    merged = os.path.join(directory, "merged.tsprof")
    result = harness.tsprof("merge", directory, "-o", merged)
    if "damaged" in result.stderr:
        return ["merge: " + result.stderr]
    if result.status == 0 and os.path.exists(merged):
        return mortality.problems(merged, case, told, missing)
    written = glob.glob(os.path.join(directory, "out*.tsprof"))
    if result.status == 1 and case.ranks == 1 and written:
        # The only process of a job has nobody to be merged with.
        return mortality.problems(written[0], case, told)
    if result.status == 1 and not any(mortality.must_be_there(told[rank])
                                      for rank in range(case.ranks) if rank not in missing):
        return []
    return ["merge: status %d\n%s\n%s" % (result.status, result.stderr, os.listdir(directory))]


def check(tap, case):
    # Of a process that waits for a processor while it saves the next time comes later.
    for attempt in range(3):
        with Directory() as directory:
            try:
                found = run(directory, case)
            except Failure as failure:
                found = [str(failure)]
        if not found or not all(mortality.TOO_FEW in text for text in found):
            break
        print("# again: " + "; ".join(found))
    tap.ok(not found, mortality.label(case), "\n".join(found))


def test_programs_that_end_themselves(tap):
    for case in harness.some(ENDING_THEMSELVES):
        check(tap, case)


def test_programs_that_are_killed(tap):
    for case in harness.some(KILLED):
        check(tap, case)


def test_random_moments(tap):
    seed = int(os.environ.get("KILLS_SEED") or random.SystemRandom().randrange(1 << 32))
    kills = int(os.environ.get("KILLS") or 6)
    print("# KILLS_SEED=%d" % seed)
    numbers = random.Random(seed)
    for _ in range(kills):
        check(tap, random_case(numbers))


if __name__ == "__main__":
    harness.main()
