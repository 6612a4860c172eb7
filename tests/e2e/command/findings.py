#!/usr/bin/env python3
"""What stands out: the first that is said of programs that behave in one way is that, nothing is
said of balanced ones, and every number of a sentence is that of the exports.

`make bench BENCH=findings` does this with all behaviours; here are some that are large.  Where other
programs take the processors that is what is said first, and the rest is left to the bench.
"""

import os
import shutil

import behaviours
import findings_oracle
import harness
import synthetic
from harness import Directory

RANKS = 2
LARGE = ("slow_rank", "period", "outlier_on_all", "hidden_messages", "one_processor")
GOLDEN = os.path.join(harness.TOP_SRCDIR, "tests", "golden")


def counts():
    path = os.path.join(harness.TOP_SRCDIR, "tests", "programs", "behaviours", "behaviours.def")
    with open(path, encoding="utf-8") as file:
        return dict(behaviours.names(file.read()))


def run(directory, name):
    summary = os.path.join(directory, name + ".tsprof")
    result = harness.run_ranks([harness.program("behaviours"), name], RANKS, cwd=directory,
                               settings={"TSPROF_OUTPUT": summary})
    harness.check_run(result, summary)
    return summary


def lacks_processors(found):
    """Whether that is said: then what else is said depends on what else runs here."""
    return any(finding["kind"] == "no_processor" for finding in found)


def check_numbers(tap, summary, name, least=1):
    wrong, found = findings_oracle.mistakes(summary)
    tap.ok(not wrong and len(found) >= least,
           "%s: the numbers of %d sentences are those of exports" % (name, len(found)),
           "\n".join(wrong))
    return found


def test_the_first_is_what_was_planted(tap):
    for name in LARGE:
        with Directory() as directory:
            found = check_numbers(tap, run(directory, name), name)
            if name != "one_processor" and lacks_processors(found):
                tap.skip(name, "the machine has no processors for it")
                continue
            wrong = behaviours.verdict(found, name, RANKS, counts()[name], strict=False)
            tap.ok(not wrong, name + " is said first", wrong)


def test_of_balanced_programs_nothing_is_said(tap):
    """In one of three runs: a machine on which a virtual processor is away for 8 ms, or runs slower
    for a while, makes what is said, but not three times."""
    for name in ("plain", "computing"):
        wrong = []
        for _ in range(3):
            with Directory() as directory:
                found = check_numbers(tap, run(directory, name), name, least=0)
            said = None if lacks_processors(found) else behaviours.verdict(found, name, RANKS,
                                                                           counts()[name])
            wrong.append(said or "")
            if not said:
                break
        if lacks_processors(found):
            tap.skip(name, "the machine has no processors for it")
            continue
        tap.ok(not wrong[-1], "of %s nothing is said" % name, "\n".join(wrong))


def test_numbers_of_summaries(tap):
    for name in sorted(os.listdir(GOLDEN)):
        if name.endswith(".tsprof"):
            check_numbers(tap, os.path.join(GOLDEN, name), name)
    with Directory() as directory:
        for ranks in (3, 24):
            summary = synthetic.make(directory, "--ranks", str(ranks), "--iterations", "480",
                                     name="%d.tsprof" % ranks)
            check_numbers(tap, summary, "%d synthetic ranks" % ranks, least=2)


def run_bound(directory, name, places):
    """One rank each on processor PLACES[rank]; the findings."""
    summary = os.path.join(directory, name + ".tsprof")
    command = [harness.mpirun()]
    for place in places:
        command += [":"] * (len(command) > 1) + [
            "-n", "1", "taskset", "-c", str(place), "env", "LD_PRELOAD=" + harness.LIBRARY,
            harness.program("behaviours"), "plain"]
    result = harness.execute(command, cwd=directory, settings={"TSPROF_OUTPUT": summary})
    harness.check_run(result, summary)
    return findings_oracle.read(summary)


def test_ranks_that_are_bound(tap):
    places = sorted(os.sched_getaffinity(0))
    if not shutil.which("taskset") or len(places) < 2:
        tap.skip("binding", "needs taskset and two processors")
        return
    with Directory() as directory:
        found = run_bound(directory, "shared", [places[0], places[0]])
        said = found[0]["text"] if found else "nothing"
        tap.ok(said.startswith("Ranks 0-1 are bound to the same processor: "),
               "both on one processor: it is said first", said)
        found = run_bound(directory, "apart", places[:2])
        said = " ".join(finding["text"] for finding in found)
        tap.ok("bound" not in said, "on one each: nothing is said of it", said)


def test_nothing_is_said_twice(tap):
    """Sentences of the report are those for scripts, in their order, each once."""
    with Directory() as directory:
        summary = synthetic.make(directory, "--ranks", "24", "--iterations", "480")
        found = findings_oracle.read(summary)
        texts = [finding["text"] for finding in found]
        tap.equal(len(set(texts)), len(texts), "each sentence once")
        said = harness.tsprof("report", summary, "--top", "99").stdout
        said = " ".join(said.split("What stands out")[1].split("\n\n")[0].split())
        places = [said.find(text) for text in texts]
        tap.ok(-1 not in places and places == sorted(places), "as the report has them",
               "%s\n%s" % (texts, said))
        gains = [finding["gain"] for finding in found]
        tap.ok(gains[0] == max(gains), "what could gain most comes first", gains)
        refused = harness.tsprof("report", summary, "--format", "xml")
        tap.ok(refused.status == 2 and "it takes text or json" in refused.stderr,
               "other formats are refused", refused)


if __name__ == "__main__":
    harness.main()
