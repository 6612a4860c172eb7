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

import collections
import os
import re
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


def run_once(case, run, with_offers=False):
    """In a directory of its own, since an existing summary is not written over."""
    with Directory() as directory:
        outcome = run(case, directory)
        offers = loop_cases.check_offers(case, directory) if with_offers else (0, [])
    return outcome, offers


def numbers_of(outcome):
    """What must be the same in each run, as far as the program does the same; in any order."""
    found = " ".join(sorted(re.findall(r"[\d/]+|[a-z]+", loop_cases.found_text(outcome))))
    return loop_cases.truth_text(outcome.truth), found


def run_often(case, run):
    """The first of RUNS outcomes, and its offers; wrong if one is wrong, or finds other numbers."""
    outcome, offers = run_once(case, run, OFFERS and run is loop_cases.run)
    others = [run_once(case, run)[0] for _ in range(RUNS - 1)]
    right = sum(other.right for other in others) + outcome.right
    found = collections.defaultdict(set)
    for truth, numbers in map(numbers_of, others + [outcome]):
        found[truth].add(numbers)
    if right == RUNS and all(len(numbers) == 1 for numbers in found.values()):
        return outcome, offers
    said = outcome.said
    if RUNS > 1:
        said = "%d of %d: %s" % (right, RUNS, "; ".join(sorted(set.union(*found.values()))))
    return outcome._replace(right=False, said=said), offers


def show(title, cases, run, chosen):
    right = total = offered = refuted = 0
    print("\n%s\n" % title)
    print(COLUMNS.format("program", "ranks", "true", "found", "missing", "agree", "", "border"))
    for case in cases:
        if chosen and case.name not in chosen:
            continue
        try:
            outcome, (count, wrong) = run_often(case, run)
        except Skip as reason:
            print("%-22s skipped: %s" % (case.name, reason))
            continue
        except Failure as failure:
            total += 1
            print("%-22s failed: %s" % (case.name, str(failure).replace("\n", " ")[:200]))
            continue
        total += 1
        right += outcome.right
        offered += count
        refuted += len(wrong)
        print(line_of(outcome), flush=True)
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
