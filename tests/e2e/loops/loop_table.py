#!/usr/bin/env python3
"""Prints what tsprof makes of every loop whose true number of iterations is known.

    make -C tests/e2e check-loops [CASES="stencil five"] [LOOPS="unmarked misleading optimized real"]

One line a case: true and found number of iterations (in brackets those of loops inside), how many are
missing at the edges, whether all ranks count the same and have the same border (where they make that call), what is said of it.
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
COLUMNS = "{:<22}{:>6}  {:<24}{:<28}{:>8}{:>8}  {:<6} {}"


def line_of(outcome):
    words = {None: "-", True: "yes", False: "no"}
    agree = words[outcome.agree] + "/" + words[outcome.border]
    return COLUMNS.format(outcome.case.name, loop_cases.number_of_ranks(outcome.case),
                          loop_cases.truth_text(outcome.truth), loop_cases.found_text(outcome),
                          "-" if outcome.missing is None else outcome.missing, agree,
                          "right" if outcome.right else "wrong",
                          loop_cases.border_of(outcome.said))


def show(title, cases, run, chosen):
    right = 0
    total = 0
    print("\n%s\n" % title)
    print(COLUMNS.format("program", "ranks", "true", "found", "missing", "agree", "", "border"))
    for case in cases:
        if chosen and case.name not in chosen:
            continue
        with Directory() as directory:
            try:
                outcome = run(case, directory)
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
    print("\n%d of %d right" % (right, total))


def main():
    chosen = set(os.environ.get("CASES", "").split() or sys.argv[1:])
    groups = os.environ.get("LOOPS", "").split() or GROUPS
    for group in groups:
        show(*GROUPS[group], chosen)


if __name__ == "__main__":
    main()
