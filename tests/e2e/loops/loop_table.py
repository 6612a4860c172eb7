#!/usr/bin/env python3
"""Prints what tsprof makes of every loop whose true number of iterations is known.

    make -C tests/e2e check-loops [CASES="stencil five"] [LOOPS="unmarked misleading optimized real"]
                                  [RUNS=10] [OFFERS=1]

One line a case: true and found number of iterations (in brackets those of loops inside), how many are
missing at the edges, whether all ranks count the same and have the same border (where they make that
call), which step each iteration holds (+1: the next one; "any": the steps are all alike) or how many hold
one step alone, what is said of it.  With RUNS each case is run so often, and right only if it is so in all
of them, with the same numbers.  With OFFERS each setting that is offered for one of its loops is
tried, as a line for a shell.  At the end: how many are right in each respect.
"""

import collections
import os
import re
import sys
import time

import harness
import loop_cases
import loop_programs
from harness import Directory, Skip

GROUPS = {
    "unmarked": ("Programs of tests/programs without their markers", loop_cases.UNMARKED,
                 loop_cases),
    "misleading": ("Programs built to mislead", loop_cases.MISLEADING, loop_cases),
    "optimized": ("The same, compiled in other ways", loop_cases.OPTIMIZED, loop_cases),
    "real": ("Real programs", loop_programs.CASES, loop_programs),
}
RUNS = int(os.environ.get("RUNS") or 1)
OFFERS = bool(os.environ.get("OFFERS"))
COLUMNS = "{:<22}{:>6}  {:<24}{:<28}{:>8}{:>8}  {:<12}{:<6} {}"


def line_of(outcome):
    words = {None: "-", True: "yes", False: "no"}
    agree = words[outcome.agree] + "/" + words[outcome.border]
    return COLUMNS.format(outcome.case.name, loop_cases.number_of_ranks(outcome.case),
                          loop_cases.truth_text(outcome.truth), loop_cases.found_text(outcome),
                          "-" if outcome.missing is None else outcome.missing, agree,
                          loop_cases.held_text(outcome), "right" if outcome.right else "wrong",
                          loop_cases.border_of(outcome.said) or outcome.said.split("\n")[0])


def run_once(case, kind, with_offers=False):
    """In a directory of its own, since an existing summary is not written over."""
    with Directory() as directory:
        outcome = kind.run(case, directory)
        offers = (loop_cases.check_offers(case, directory, measuring=kind.measure_case)
                  if with_offers else (0, [], []))
    return outcome, offers


def numbers_of(outcome):
    """What must be the same in each run, as far as the program does the same; in any order."""
    found = " ".join(sorted(re.findall(r"[\d/]+|[a-z]+", loop_cases.found_text(outcome))))
    return loop_cases.truth_text(outcome.truth), found


def run_often(case, kind):
    """
    The first of RUNS outcomes, its offers, and what is right in all of them (SCORES).  It is right if
    all are, and all find the same numbers.
    """
    outcome, offers = run_once(case, kind, OFFERS)
    outcomes = [run_once(case, kind)[0] for _ in range(RUNS - 1)] + [outcome]
    found = collections.defaultdict(set)
    for truth, numbers in map(numbers_of, outcomes):
        found[truth].add(numbers)
    right = sum(one.right for one in outcomes)
    scores = {
        "loop": all(map(loop_cases.is_loop, outcomes)),
        "count": all(not one.truth.loops or all(phase for phase, _ in one.matched)
                     for one in outcomes),
        "borders": all(one.agree is not False and one.border is not False for one in outcomes),
        "contents": all(verdict.shift is not None for one in outcomes for verdict in one.held),
        "same": all(len(numbers) == 1 for numbers in found.values()),
        "all": right == RUNS,
        "honest": all(one.right or loop_cases.is_said_to_be_uncertain(one) for one in outcomes),
    }
    if scores["all"] and scores["same"]:
        return outcome, offers, scores
    said = outcome.said
    if RUNS > 1:
        said = "%d of %d: %s" % (right, RUNS, "; ".join(sorted(set.union(*found.values()))))
    return outcome._replace(right=False, said=said), offers, scores


SCORES = {
    "loop": "loop right",
    "count": "count right",
    "borders": "borders agree",
    "contents": "contents right",
    "same": "same answer in %d run%s" % (RUNS, "s" if RUNS > 1 else ""),
    "all": "all of it right",
    "honest": "right, or said not to be certain",
}


def show(title, cases, kind, chosen):
    """Prints a line for each case; returns the scores of each, {} of those that failed."""
    offered = refuted = varied = 0
    scores = []
    begin = time.monotonic()
    print("\n%s\n" % title)
    print(COLUMNS.format("program", "ranks", "true", "found", "missing", "agree", "hold", "", "border"))
    for case in cases:
        if chosen and case.name not in chosen:
            continue
        try:
            outcome, (count, wrong, varying), right = run_often(case, kind)
        except Skip as reason:
            print("%-22s skipped: %s" % (case.name, reason), flush=True)
            continue
        except Exception as failure:  # whatever it is, the others are tried
            scores.append({})
            print("%-22s failed: %s" % (case.name, str(failure).replace("\n", " ")[:200]), flush=True)
            continue
        scores.append(right)
        offered += count
        refuted += len(wrong)
        varied += len(varying)
        print(line_of(outcome), flush=True)
        for line in wrong:
            print("    offered " + line)
        for line in varying:
            print("    differs in each run: " + line)
    print("\n%d of %d right, in %.0f s" % (sum(right.get("all", False) and right["same"]
                                              for right in scores), len(scores),
                                          time.monotonic() - begin))
    if offered:
        print("%d of %d settings offered give what they say; %d are of loops that have another number "
              "of passes in each run" % (offered - refuted - varied, offered - varied, varied))
    return scores


def show_scores(by_group):
    """What is right of how many programs, group by group."""
    print("\n%-34s" % "" + "".join("%12s" % group for group in by_group) + "%12s" % "all")
    every = [scores for group in by_group.values() for scores in group]
    for name, text in SCORES.items():
        line = "%-34s" % text
        for group in list(by_group.values()) + [every]:
            right = sum(scores.get(name, False) for scores in group)
            line += "%12s" % ("%d/%d" % (right, len(group)))
        percent = 100 * sum(scores.get(name, False) for scores in every) / max(len(every), 1)
        print("%s  %.1f %%" % (line, percent))


def main():
    chosen = set(os.environ.get("CASES", "").split() or sys.argv[1:])
    groups = os.environ.get("LOOPS", "").split() or GROUPS
    show_scores({group: show(*GROUPS[group], chosen) for group in groups})


if __name__ == "__main__":
    main()
