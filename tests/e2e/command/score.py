#!/usr/bin/env python3
"""tsprof score: its numbers are those of the summary, and its filters keep their promise."""

import collections
import json
import os
import re

import harness
from harness import Directory

GOLDEN = os.path.join(harness.TOP_SRCDIR, "tests", "golden")
ROUNDS = 20
EVENT_BYTES = 24
COST_NS = 300
TINY = ("operator[]", "last()", "mean(")


def run(directory, name, program="instrumented_solver", ranks=2, **settings):
    summary = os.path.join(directory, name + ".tsprof")
    result = harness.run_ranks([harness.program(program), str(ROUNDS)], ranks, cwd=directory,
                               settings=dict(settings, TSPROF_OUTPUT=summary))
    harness.check_run(result, summary)
    return summary, result


def table(*arguments):
    """Rows of types by type, and of functions by name."""
    result = harness.tsprof("score", *arguments, "--format", "json")
    if result.status != 0 or result.stderr:
        raise harness.Failure("score %s: status %d\n%s" % (arguments, result.status,
                                                           result.stderr))
    rows = json.loads(result.stdout)["rows"]
    return ({row["type"]: row for row in rows if row["function"] is None},
            {row["function"]: row for row in rows if row["function"] is not None})


def visits_of(summary):
    """Visits by function, by rank."""
    visits = collections.defaultdict(collections.Counter)
    for row in harness.export(summary, "callpaths", "--total", "--metric", "visits"):
        function = harness.split_callpath(row["callpath"])[-1]
        visits[int(row["rank"])][function] += int(harness.number(row["value"]))
    return visits


def walls(summary):
    """Seconds of each rank."""
    sums = collections.Counter()
    for row in harness.export(summary, "callpaths", "--total", "--metric", "time"):
        sums[int(row["rank"])] += harness.number(row["value"])
    return sums


def half_the_time(summary):
    """The cost of a visit with which visits take half of the time, in ns, however fast the machine
    was: there is enough to hide, and time for it."""
    visits = {rank: sum(own.values()) for rank, own in visits_of(summary).items()}
    seconds = walls(summary)
    least = min(1e9 * seconds[rank] / visits[rank] for rank in seconds)
    return "%.0f" % max(1, least / 2)


def is_tiny(function):
    return any(tiny in function for tiny in TINY)


def test_numbers_are_those_of_the_summary(tap):
    with Directory() as directory:
        summary, _ = run(directory, "out")
        types, functions = table(summary, "--cost", str(COST_NS))
        by_rank = visits_of(summary)
        visits = sum(by_rank.values(), collections.Counter())
        for name, row in functions.items():
            tap.equal(row["visits"], visits[name], "visits of " + name)
            tap.equal(row["trace_bytes"], EVENT_BYTES * visits[name], "events of " + name)
            wanted = {"MPI"} if name.startswith("MPI_") else {"PHASE"} if "loop" in name else \
                {"COM"} if re.search("main|solve|norm", name) else {"USR"}
            tap.equal({row["type"]}, wanted, "type of " + name)
            if row["type"] in ("USR", "COM"):
                tap.ok(abs(row["cost"] - 1e-9 * COST_NS * visits[name]) < 1e-12,
                       "cost of " + name, row)
        for name, row in types.items():
            if name == "ALL":
                continue
            own = [each for each in functions.values() if each["type"] == name]
            if name != "SAMPLED":
                tap.equal(row["visits"], sum(each["visits"] for each in own),
                          "visits of " + name)
                most = max(sum(by_rank[rank][each["function"]] for each in own)
                           for rank in by_rank)
                tap.equal(row["most_trace_bytes"], EVENT_BYTES * most, "on a rank: " + name)
        tap.ok(abs(types["ALL"]["time"] - sum(walls(summary).values())) < 1e-6,
               "all time is in the table", types["ALL"])


def test_the_cost_is_measured(tap):
    """The mean of what the runtime has measured on the threads, as info says it."""
    with Directory() as directory:
        summary, _ = run(directory, "out")
        cost = json.loads(harness.tsprof("info", summary, "--format", "json").stdout)["cost"]
        types, _ = table(summary)
        own = types["USR"]["cost"] + types["COM"]["cost"]
        visits = types["USR"]["visits"] + types["COM"]["visits"]
        each = cost["functions"]["seconds"] / cost["functions"]["count"]
        tap.ok(abs(own / visits / each - 1) < 1e-9, "of each visit", (own, visits, each))
        text = harness.tsprof("score", summary).stdout
        tap.ok("measured it in this run" in text, "the text says where it comes from", text)
        text = harness.tsprof("score", summary, "--cost", "12.5").stdout
        tap.ok("12.5 ns for each visit, as --cost says" in text.replace("\n", " "), "or that",
               text)


def test_what_a_filter_hides(tap):
    with Directory() as directory:
        summary, _ = run(directory, "out")
        path = os.path.join(directory, "run.filter")
        _, functions = table(summary, "--share", "5%", "--cost", half_the_time(summary), "-o", path)
        hidden = [name for name, row in functions.items() if row["hidden"]]
        tap.ok(hidden and all(map(is_tiny, hidden)), "only what is tiny", hidden)
        text = open(path).read()
        tap.ok(r"field<double>::operator\[](int)" in text or
               r"field<float>::operator\[](int)" in text, "brackets are escaped", text)
        again = harness.tsprof("score", summary, "-o", path)
        tap.equal(again.status, 1, "a file is not replaced")
        tap.equal(open(path).read(), text, "and stays")
        forced = harness.tsprof("score", summary, "-o", path, "--force")
        tap.equal((forced.status, forced.stderr), (0, ""), "but with --force")
        shown = harness.tsprof("score", summary, "--share", "100%").stdout
        tap.ok("below 100 % already" in shown, "nothing to hide", shown)


def test_where_there_is_no_filter(tap):
    with Directory() as directory:
        path = os.path.join(directory, "run.filter")
        for arguments, what in (
                ((os.path.join(GOLDEN, "plain.tsprof"),), "no function is instrumented"),
                ((run(directory, "plain", "catching", 1)[0],), "no function is instrumented"),
                ((run(directory, "out")[0], "--share", "0.00001%"), "no filter brings")):
            result = harness.tsprof("score", *arguments, "-o", path)
            tap.equal(result.status, 1, what + ": status")
            tap.ok(what in result.stderr, what, result.stderr)
            tap.ok(not os.path.exists(path), what + ": no file is left")
            tap.ok("ALL" in result.stdout, what + ": what there is is shown", result.stdout)
        for wrong in (("--share", "1"), ("--share", "0%"), ("--share", "101%"),
                      ("--cost", "0"), ("--cost", "x"), ("--format", "xml")):
            result = harness.tsprof("score", os.path.join(GOLDEN, "plain.tsprof"), *wrong)
            tap.equal(result.status, 2, "refused: " + " ".join(wrong))


def costs_of(summary, cost_ns):
    """What instrumented functions cost by rank, in seconds, from their visits alone."""
    _, functions = table(summary)
    told = [name for name, row in functions.items() if row["type"] in ("USR", "COM")]
    return {rank: 1e-9 * float(cost_ns) * sum(own[name] for name in told)
            for rank, own in visits_of(summary).items()}


def calls_of_mpi(summary):
    return {(row["rank"], row["callpath"]): row["value"]
            for row in harness.export(summary, "callpaths", "--total", "--metric", "visits")
            if harness.split_callpath(row["callpath"])[-1].startswith("MPI_")}


def test_the_promise_is_kept(tap):
    """With the filter the rest costs less, is visited as often, and MPI is called as before."""
    share = 0.05
    with Directory() as directory:
        path = os.path.join(directory, "run.filter")
        before, _ = run(directory, "before")
        cost_ns = half_the_time(before)
        _, functions = table(before, "--share", "%g%%" % (100 * share), "--cost", cost_ns,
                             "-o", path)
        hidden = {name for name, row in functions.items() if row["hidden"]}
        tap.ok(hidden, "something is hidden")
        costs, seconds = costs_of(before, cost_ns), walls(before)
        tap.ok(max(costs[rank] / seconds[rank] for rank in costs) > share, "it cost more", costs)
        after, result = run(directory, "after", TSPROF_FILTER=path)
        tap.ok(b"filter" not in result.stderr, "nothing is wrong with the filter", result.stderr)
        # Of the time that is left of that run: this one may have had another processor.
        left = costs_of(after, cost_ns)
        tap.ok(max(left[rank] / (seconds[rank] - costs[rank] + left[rank]) for rank in left) <= share,
               "it costs no more than was promised", (left, costs, seconds))
        old, new = visits_of(before), visits_of(after)
        _, functions = table(after)
        for rank in old:
            for name in hidden:
                tap.equal(new[rank][name], 0, "rank %d: %s is hidden" % (rank, name))
        told = {name for name, row in functions.items() if row["type"] in ("USR", "COM")}
        tap.ok(len(told) > 8 and not told & hidden, "others are not", (told, hidden))
        tap.equal({(rank, name): new[rank][name] for rank in new for name in told},
                  {(rank, name): old[rank][name] for rank in old for name in told},
                  "they are visited as often as before")
        tap.equal(calls_of_mpi(after), calls_of_mpi(before), "calls of MPI")


if __name__ == "__main__":
    harness.main()
