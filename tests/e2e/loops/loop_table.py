#!/usr/bin/env python3
"""Prints what tsprof makes of every loop whose true number of iterations is known.

    make -C tests/e2e check-loops [CASES="stencil five"] [LOOPS="unmarked misleading optimized real"]
                                  [RUNS=10] [OFFERS=1]

One line a case: true and found number of iterations (in brackets those of loops inside), how many are
missing at the edges, whether all ranks count the same and have the same border (where they make that
call), what is said of it.  With RUNS each case is run so often, and right only if it is so in all
of them, with the same numbers.  With OFFERS each setting that is offered for one of its loops is
tried, but for real programs.
"""

import os
import sys

import harness
import loop_cases
import loop_programs
from harness import Directory, Failure, Skip

GROUPS = {
    "unmarked": ("Programs of tests/programs without their markers", loop_cases.UNMARKED,
                 loop_cases.run),
    "misleading": ("Programs built to mislead", loop_cases.MISLEADING, loop_cases.run),
    "optimized": ("The same, compiled in other ways", loop_cases.OPTIMIZED, loop_cases.run),
    "real": ("Real programs", loop_programs.CASES, loop_programs.run),
}
RUNS = int(os.environ.get("RUNS") or 1)
OFFERS = bool(os.environ.get("OFFERS"))
COLUMNS = "{:<22}{:>6}  {:<24}{:<28}{:>8}{:>8}  {:<6} {}"


def line_of(outcome):
    words = {None: "-", True: "yes", False: "no"}
    agree = words[outcome.agree] + "/" + words[outcome.border]
    return COLUMNS.format(outcome.case.name, loop_cases.number_of_ranks(outcome.case),
                          loop_cases.truth_text(outcome.truth), loop_cases.found_text(outcome),
                          "-" if outcome.missing is None else outcome.missing, agree,
                          "right" if outcome.right else "wrong",
                          loop_cases.border_of(outcome.said) or outcome.said.split("\n")[0])


def run_often(case, directory, run):
    """The first of RUNS outcomes; wrong if one is, or finds other numbers."""
    outcomes = [run(case, directory) for _ in range(RUNS)]
    found = {loop_cases.found_text(outcome) for outcome in outcomes}
    if len(found) == 1 and all(outcome.right for outcome in outcomes):
        return outcomes[0]
    return outcomes[0]._replace(right=False,
                                said="%d of %d: %s" % (sum(o.right for o in outcomes), RUNS,
                                                       "; ".join(sorted(found))) if RUNS > 1
                                else outcomes[0].said)


def show(title, cases, run, chosen):
    right = total = offered = refuted = 0
    print("\n%s\n" % title)
    print(COLUMNS.format("program", "ranks", "true", "found", "missing", "agree", "", "border"))
    for case in cases:
        if chosen and case.name not in chosen:
            continue
        with Directory() as directory:
            try:
                outcome = run_often(case, directory, run)
            except Skip as reason:
                print("%-22s skipped: %s" % (case.name, reason))
                continue
            except Failure as failure:
                total += 1
                print("%-22s failed: %s" % (case.name, str(failure).replace("\n", " ")[:200]))
                continue
            total += 1
            right += outcome.right
            print(line_of(outcome), flush=True)
            if OFFERS and run is loop_cases.run:
                count, wrong = loop_cases.check_offers(case, directory)
                offered += count
                refuted += len(wrong)
                for line in wrong:
                    print("    offered " + line)
    print("\n%d of %d right" % (right, total))
    if offered:
        print("%d of %d settings offered give what they say" % (offered - refuted, offered))


def main():
    chosen = set(os.environ.get("CASES", "").split() or sys.argv[1:])
    groups = os.environ.get("LOOPS", "").split() or GROUPS
    for group in groups:
        show(*GROUPS[group], chosen)


if __name__ == "__main__":
    main()
