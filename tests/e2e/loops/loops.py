#!/usr/bin/env python3
"""Main loops are recognized without markers: of the programs of tests/programs without theirs, and of
programs built to mislead, the number of iterations found is the true one.  Each setting that is
offered for a loop gives the number that stands beside it."""

import loop_cases
import harness
from harness import Directory, Failure

# Cases whose loop is not found rightly, and why; bench/results/main-loops.md says more.
KNOWN = {
    "uncounted": "nothing but a loop inside makes calls, and the passes are not counted",
    "steps-apart": "what lies apart is not read, and some steps make no other calls",
    "extremes-quick": "the last steps of a microsecond make no call, or their count was not read",
    "storm": "every call is made by chance, and some iterations are missing",
}

# Which have other numbers of passes in each run.
VARYING = {name: "how often it asks whether a message is there depends on the machine"
           for name in ("storm", "random_messages")}

# Of these the machine code tells that it cannot be known, or it cannot be read: so nobody is led
# astray.
DOUBTED = ("uncounted", "generated", "overlapping", "interpreted", "steps-apart")


def check(tap, cases):
    for case in cases:
        with Directory() as directory:
            try:
                outcome = loop_cases.run(case, directory)
                offered, wrong, _ = loop_cases.check_offers(case, directory)
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
        text = "%s: %d settings offered give what they say" % (case.name, offered)
        if wrong and case.name in VARYING:
            tap.todo(text, VARYING[case.name])
        else:
            tap.ok(not wrong, text, "\n".join(wrong))
        if case.name in DOUBTED:
            slices = all(loop_cases.is_slices(phase) for phase in outcome.phases)
            tap.ok(outcome.right or slices or ", not certain" in outcome.said,
                   case.name + ": it is said that this is not certain", outcome.said)


def test_programs_without_their_markers(tap):
    check(tap, harness.some(loop_cases.UNMARKED))


def test_programs_that_mislead(tap):
    check(tap, harness.some(loop_cases.MISLEADING))


if __name__ == "__main__":
    harness.main()
