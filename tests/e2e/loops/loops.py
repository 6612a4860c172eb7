#!/usr/bin/env python3
"""Main loops are recognized without markers: of the programs of tests/programs without theirs, and of
programs built to mislead, the number of iterations found is the true one, and each of them is a step of
the program, never the end of one and the beginning of the next.  Each setting that is offered for a loop
gives the number that stands beside it."""

import contents
import loop_cases
import harness
from harness import Directory, Failure

# Cases whose loop is not found rightly, and why; bench/results/main-loops.md says more.
KNOWN = {
    "unrolled": "the compiler has written the body out four times",
    "unrolled-evenly": "the compiler has written the body out twice",
    "gradients-otherwise": "the compiler has the loop entered in the middle of its body, behind another "
                           "beginning than that of its passes",
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
        text = "%s: %s true, found %s, holding %s" % (
            case.name, loop_cases.truth_text(outcome.truth), loop_cases.found_text(outcome),
            loop_cases.held_text(outcome))
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


def test_mixtures_are_told(tap):
    """What iterations hold is compared as it should be: a step each, or the whole of some steps."""
    sizes = [3, 5, 4, 9, 7, 2, 8]
    steps = {0: {k: {"MPI_Send": (1, size), "MPI_Allreduce": (2, 2 * size)}
                 for k, size in enumerate(sizes)}}
    whole = [([k - 1], {"MPI_Send": (1, sizes[k]), "MPI_Allreduce": (2, 6 * sizes[k])})
             for k in range(1, 7)]
    mixed = [([k - 1], {"MPI_Send": (1, sizes[k]),
                        "MPI_Allreduce": (2, 3 * (sizes[k] + sizes[k - 1]))}) for k in range(1, 7)]
    joined = [([0, 1], contents.together({k: step for (k,), step in whole}, [0, 1]))] + whole[2:]
    for name, found, shift, right in (("whole steps", whole, 1, 6), ("steps in a cluster", joined, 1, 6),
                                      ("mixtures", mixed, None, 0),
                                      ("one call too many",
                                       whole[:5] + [([5], dict(whole[5][1], MPI_Send=(2, 8)))],
                                       None, 5)):
        verdict = contents.judge({0: found}, steps, range(3))
        tap.equal((verdict.shift, verdict.known, verdict.right), (shift, 6, right), name)
    alike = {0: {k: {"MPI_Send": (1, 8)} for k in range(5)}}
    verdict = contents.judge({0: [([k], {"MPI_Send": (1, 8)}) for k in range(4)]}, alike, range(2))
    tap.ok(verdict.alike, "steps that are all alike tell nothing")
    tap.equal(contents.judge({0: whole}, {}, range(2)), None, "nor does who is not told of any")


def test_programs_without_their_markers(tap):
    check(tap, harness.some(loop_cases.UNMARKED))


def test_programs_that_mislead(tap):
    check(tap, harness.some(loop_cases.MISLEADING))


def test_no_pass_counts_twice(tap):
    """Where a function goes on in a part that lies apart, and comes back, its loop does not begin anew."""
    case = next(case for case in loop_cases.MISLEADING if case.name == "steps-apart")
    with Directory() as directory:
        outcome = loop_cases.run(case, directory)
    true = outcome.truth.loops[0][1]
    most = max(max(phase.counts.values()) for phase in outcome.phases)
    tap.ok(0 < most <= true, "steps-apart: no more passes than steps", (most, true))


if __name__ == "__main__":
    harness.main()
