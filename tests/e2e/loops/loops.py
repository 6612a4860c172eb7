#!/usr/bin/env python3
"""Main loops are recognized without markers: of the programs of tests/programs without theirs, and of
programs built to mislead, the number of iterations found is the true one."""

import loop_cases
import harness
from harness import Directory, Failure

# Cases whose loop is not found rightly, and why; bench/results/main-loops.md says more.
KNOWN = {
    "sparse": "nine of ten iterations make no call",
    "sums": "nothing but a loop inside makes calls, and both are in one function",
    "communicators": "nothing but a loop inside makes calls, and both are in one function",
    "extremes-quick": "one of five iterations makes no call",
    "extremes-collectives": "one in a hundred makes none, or only one that may belong to the one before",
    "extremes-no-collective": "steps of a microsecond are lost where looking costs too much",
    "extremes-various": "steps of a microsecond are lost where looking costs too much",
    "visits": "where longjmp leads to is not in the machine code's jumps",
    "storm": "every call is made by chance, and some iterations are missing",
}

# Of these the machine code tells that it cannot be known, so nobody is led astray.
DOUBTED = ("sums", "communicators")


def check(tap, cases):
    for case in cases:
        with Directory() as directory:
            try:
                outcome = loop_cases.run(case, directory)
            except harness.Skip as reason:
                tap.skip(case.name, str(reason))
                continue
            except Failure as failure:
                tap.ok(False, case.name, failure)
                continue
        text = "%s: %s true, found %s" % (case.name, loop_cases.truth_text(outcome.truth),
                                          loop_cases.found_text(outcome))
        if case.name in KNOWN and not outcome.right:
            tap.todo(text, KNOWN[case.name])
        else:
            tap.ok(outcome.right, text, outcome.said)
        if case.name in DOUBTED:
            tap.ok(outcome.right or ", not certain" in outcome.said,
                   case.name + ": it is said that this is not certain", outcome.said)


def test_programs_without_their_markers(tap):
    check(tap, loop_cases.UNMARKED)


def test_programs_that_mislead(tap):
    check(tap, loop_cases.MISLEADING)


if __name__ == "__main__":
    harness.main()
