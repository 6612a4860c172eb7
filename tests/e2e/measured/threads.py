#!/usr/bin/env python3
"""Threads: each is measured from its first instruction on, its work is found in the iterations in
which it was done, times are exact on every one, and threads that come and go take no memory."""

import collections
import os
import re

import extremes
import harness
import summary_reader
from harness import Directory, Failure


def run(directory, arguments, settings=None):
    """The program's own account, and its summary."""
    summary = os.path.join(directory, "out.tsprof")
    settings = dict({"TSPROF_OUTPUT": summary, "TSPROF_CLUSTERS": "0"}, **(settings or {}))
    result = harness.run_ranks([harness.program("threads")] + arguments, 1, settings=settings,
                               cwd=directory)
    harness.check_run(result, summary)
    stated = collections.Counter()
    for line in result.stdout.decode().splitlines():
        where, iteration, function, calls = line.split()
        thread = min(int(where.split(".")[1]), 1)
        if int(calls):
            stated[thread, int(iteration), function] += int(calls)
    return stated, summary


def measured(summary):
    """Calls of MPI_Comm_size by iteration and caller, of the main thread (0) and the others (1)."""
    counts = collections.Counter()
    for number, threads in ((0, "0-0"), (1, "1-1000000")):
        for row in export(summary, threads):
            suffix = harness.suffix_of(row["callpath"])
            if row["metric"] == "visits" and suffix and suffix[1] == "MPI_Comm_size":
                counts[number, int(row["iteration"]), suffix[0]] += int(float(row["value"]))
    return counts


def export(summary, threads):
    try:
        return harness.export(summary, "callpaths", "--thread", threads)
    except Failure:
        return []


def total(summary, function):
    return sum(int(float(row["value"])) for row in harness.export(summary, "callpaths", "--total")
               if row["metric"] == "visits"
               and harness.suffix_of(row["callpath"]) == (function, "MPI_Comm_size"))


def check_exact(tap, label, summary):
    content = summary_reader.Summary(summary)
    tap.equal(content.state, 1, label + ": complete")
    tap.ok(not summary_reader.problems(content), label + ": times and totals are exact",
           "\n".join(summary_reader.problems(content)))
    return content


def check_mode(tap, mode, settings=None, iterations=None, inside=True):
    label = mode + (" " + " ".join("=".join(s) for s in settings.items()) if settings else "")
    with Directory() as directory:
        arguments = [mode] + ([str(iterations)] if iterations else [])
        stated, summary = run(directory, arguments, settings)
        tap.ok(stated, label + ": the program states something")
        if inside:
            expected = collections.Counter({k: v for k, v in stated.items() if k[1] >= 0})
            tap.equal(harness.differences(measured(summary), expected), "",
                      label + ": every call in its iteration")
        for (_, iteration, function), calls in stated.items():
            if iteration < 0:
                tap.equal(total(summary, function), calls, label + ": calls outside")
        return check_exact(tap, label, summary)


def test_pool(tap):
    content = check_mode(tap, "pool", iterations=100)
    tap.equal(len(content.locations), 4, "pool: every thread is a location")
    check_mode(tap, "pool", {"TSPROF_RATE": "10000"}, iterations=200)
    check_mode(tap, "pool", {"TSPROF_RATE": "0"})


def test_lives(tap):
    content = check_mode(tap, "lives", iterations=200)
    tap.equal(len(content.locations), 2, "lives: threads that follow each other share a location")


def test_own_iterations(tap):
    content = check_mode(tap, "own", iterations=200)
    tap.equal([series.clusters and summary_reader.iterations(series)
               for location in content.locations for series in location.series], [200] * 4,
              "own: each thread's iterations are its own")


def test_inside_a_call(tap):
    """A thread that is in MPI while iterations pass has its MPI time in each of them."""
    content = check_mode(tap, "span", iterations=20)
    main, other = content.locations
    walls = [clusters_of(location) for location in (main, other)]
    tap.ok(len(walls[1]) >= 5 and 18 in walls[1],
           "span: the thread is in the iterations that it lived in", sorted(walls[1]))
    # On busy processors it may meet its first border on the way into MPI, and later than the main
    # thread.
    inside = sorted(walls[1])[1:-1]
    while inside and walls[1][inside[0]] != walls[0][inside[0]]:
        inside.pop(0)
    tap.ok(len(inside) >= 4, "span: most iterations are as long as on the main thread",
           "%r\n%r" % tuple(walls))
    for iteration in inside:
        tap.equal(walls[1][iteration], walls[0][iteration],
                  "span: iteration %d is as long as on the main thread" % iteration)


def clusters_of(location):
    """Wall time by iteration of a location whose iterations are all kept."""
    series = location.series[0]
    walls, iteration = {}, 0
    for length, cluster in series.map:
        for i in range(length):
            if cluster is not None:
                walls[iteration] = series.clusters[cluster].wall_ns
            iteration += 1
    return walls


def test_early(tap):
    """A thread that was there before MPI, and never calls it, is sampled."""
    content = check_mode(tap, "early", {"TSPROF_RATE": "500"})
    tap.equal(len(content.locations), 2, "early: the thread is a location")
    found = [content.callpath(node) for (node, metric), _ in content.locations[1].whole.items()
             if content.metrics[metric].name == "samples"]
    tap.ok(any(re.search("early_work", path) for path in found),
           "early: its function is found", "\n".join(found))


def test_late_for_borders(tap):
    with Directory() as directory:
        _, summary = run(directory, ["sleep", "20000"], {"TSPROF_CLUSTERS": "8"})
        content = check_exact(tap, "sleep", summary)
        notes = [note for location in content.locations for note in location.notes]
        tap.ok(any("boundaries were lost" in note for note in notes), "sleep: lost borders are told", notes)


def test_lost_around(tap):
    """What is nested is not followed by a thread that is not in what is around it."""
    with Directory() as directory:
        _, summary = run(directory, ["nested", "4000"], {"TSPROF_CLUSTERS": "8"})
        content = check_exact(tap, "nested", summary)
        followed = {series.phase: summary_reader.iterations(series)
                    for series in content.locations[1].series}
        tap.equal(len(followed), 2, "nested: the thread follows both phases")


def test_deserted(tap):
    """A leading thread that ends leaves nobody in its last iteration."""
    check_mode(tap, "deserted")


def test_second(tap):
    """The main thread is measured where another one starts MPI."""
    content = check_mode(tap, "second", {"TSPROF_RATE": "500"}, inside=False)
    found = [content.callpath(node) for (node, metric), _ in content.locations[1].whole.items()
             if content.metrics[metric].name == "samples"]
    tap.ok(any("pool_step" in path for path in found), "second: what it does is sampled", found)


def test_forked(tap):
    """A child that starts MPI has none of its parent's threads."""
    content = check_mode(tap, "forked", inside=False)
    tap.equal(len(content.locations), 2, "forked: its own threads")


def test_storm(tap):
    """Threads by the thousand: one location, and no more memory for five times as many."""
    memory = []
    # So many that samples fall in both runs.  Samples in new places take some pages, so the bound
    # is half of the least that each thread could leave behind: a pointer.
    few, many = 5000, 25000
    for count in (few, many):
        with Directory() as directory:
            _, summary = run(directory, ["storm", str(count)])
            tap.equal(total(summary, "outside"), count, "storm: %d threads, each call" % count)
            content = check_exact(tap, "storm of %d" % count, summary)
            tap.equal(len(content.locations), 2, "storm: %d threads share a location" % count)
            memory.append(sum(location.costs["memory_bytes"] for location in content.locations))
    tap.ok(memory[1] <= memory[0] + 4 * (many - few), "storm: memory does not grow", memory)


def test_cramped(tap):
    """Threads that could not be measured have not used up what others may take."""
    content = check_mode(tap, "cramped", {"TSPROF_MEMORY": "2M"}, iterations=100, inside=False)
    tap.ok(any("more threads" in note for location in content.locations
               for note in location.notes), "cramped: those not measured are told of")


def test_brief_lives(tap):
    """Threads shorter than a tick are sampled, too; how often, `make bench BENCH=shares` measures."""
    with Directory() as directory:
        _, summary = run(directory, ["brief", "600"], {"TSPROF_TIMER": "cpu"})
        content = check_exact(tap, "brief", summary)
        taken = sum(location.costs["samples"] for location in content.locations[1:])
        tap.ok(taken > 0, "brief: some samples", taken)


def test_crowd(tap):
    """More threads at a time than there is memory for: no more than was allowed is taken."""
    for memory, enough in (("32M", True), ("2M", False)):
        with Directory() as directory:
            _, summary = run(directory, ["crowd", "150"],
                             {"TSPROF_MEMORY": memory, "TSPROF_CLUSTERS": "64"})
            content = check_exact(tap, "crowd, " + memory, summary)
            notes = " ".join(note for location in content.locations for note in location.notes)
            tap.equal("more threads" in notes, not enough, "crowd, %s: told if not all" % memory)
            if enough:
                tap.equal(total(summary, "outside"), 150, "crowd, %s: each call" % memory)
            taken = sum(map(extremes.bounded_memory, content.locations))
            tap.ok(taken <= int(memory[:-1]) << 20, "crowd, %s: the memory is enough" % memory,
                   "%d bytes" % taken)


if __name__ == "__main__":
    harness.main()
