#!/usr/bin/env python3
"""The main loop of a program without markers is found: as many iterations as it has passes, less two
at most, the same number on all ranks, and everything adds up."""

import os
import re
import subprocess

import harness
import loop_cases
import part_reader
import summary_reader
from harness import Directory


def measure(directory, mode, ranks=2, program="main_loops", **settings):
    summary = os.path.join(directory, "out.tsprof")
    settings = dict({"TSPROF_ITERATION": "auto", "TSPROF_OUTPUT": summary}, **settings)
    result = harness.run_ranks([harness.program(program), mode], ranks, settings=settings,
                               cwd=directory)
    harness.check_run(result, summary)
    return result, summary_reader.Summary(summary)


def iterations(content):
    """How many there are of each phase, a list by location."""
    found = {}
    for location in content.locations:
        for series in location.series:
            count = sum(length for length, _ in series.map)
            found.setdefault(content.phases[series.phase].name, []).append(count)
    return found


def check_sound(tap, label, content):
    problems = summary_reader.problems(content)
    tap.ok(not problems, label + ": the summary is sound", "\n".join(problems))


def visits(content, region):
    return [sum(value for (node, metric), value in location.whole.items()
                if content.metrics[metric].name == "visits"
                and content.callpath(node).split(";")[-1] == region)
            for location in content.locations]


def border(content, location=0):
    """The call path that begins an iteration of the first phase."""
    costs = content.locations[location].costs
    for number in range(12):
        if costs.get("loop.%d.phase" % number) == 1:
            return content.callpath(costs["loop.%d.border" % number])
    return None


def test_steps(tap):
    """Time steps around a solver, with a checkpoint now and then at the beginning."""
    with Directory() as directory:
        result, content = measure(directory, "steps", 3)
        found = iterations(content)
        tap.equal(list(found), ["main loop"], "one loop is shown")
        counts = found.get("main loop", [0])
        tap.ok(58 <= counts[0] <= 60 and counts == 3 * [counts[0]],
               "it has the passes of the time steps on all ranks", str(found))
        tap.equal([border(content, rank) for rank in range(3)], 3 * [border(content)],
                  "their border is the same on all")
        tap.ok(border(content) and border(content).endswith(("MPI_Sendrecv_replace",
                                                             "MPI_Allreduce")),
               "and a call of MPI", str(border(content)))
        tap.ok(re.search(rb'of "main loop", \d+ % of the time, border before MPI_', result.stderr),
               "the end of the job says so", result.stderr.decode())
        tap.equal(len(re.findall(b"^tsprof: ", result.stderr, re.M)), 1, "in one line")
        tap.equal(visits(content, "solve"), 3 * [60], "visits are what they are without")
        check_sound(tap, "steps", content)
        info = harness.tsprof("info", os.path.join(directory, "out.tsprof")).stdout
        tap.ok("TSPROF_ITERATION='loop:" in info, "info offers what can be named", info)
        said = harness.tsprof("report", os.path.join(directory, "out.tsprof")).stdout
        said = " ".join(said.split())
        tap.ok(re.search(r"found by tsprof: border before MPI_\w+ in \w+ at main_loops.c:\d+, \d+ % "
                         r"of the time .*0└.* another loop: \d+ passes, \d+ % of the time: "
                         r"TSPROF_ITERATION='loop:", said),
               "and the report says what iterations are", said)


def measure_shape(directory, program, shape, iteration="auto", pasted=None):
    """Of a program of tests/programs/loop_shapes; PASTED: see loop_cases.measure."""
    summary = os.path.join(directory, "shape.tsprof")
    if os.path.exists(summary):
        os.unlink(summary)
    result, summary = loop_cases.measure([(2, [program, shape])], directory, {
        "TSPROF_OUTPUT": summary, "TSPROF_ITERATION": iteration,
        "LD_LIBRARY_PATH": os.path.dirname(harness.program("loops"))}, pasted=pasted)
    harness.check_run(result, summary)
    said = re.search(r"border before (\S+) in ([^\s,;]+)", result.stderr.decode())
    return summary, iterations(summary_reader.Summary(summary)), said


def test_border_of_fortran(tap):
    """MPI's Fortran bindings stand between a function and its call: they are not named."""
    program = harness.program("loops_f")
    if not os.path.exists(program):
        tap.skip("loops_f", "not built")
        return
    with Directory() as directory:
        summary = os.path.join(directory, "out.tsprof")
        result = harness.run_ranks([program], 2, cwd=directory, settings={
            "TSPROF_OUTPUT": summary, "TSPROF_ITERATION": "auto"})
        harness.check_run(result, summary)
        said = re.search(r"border before (\S+) in ([^\s,;]+)", result.stderr.decode())
        shown = re.search(r'shown as "main loop", border before (\S+) in ([^\s,]+)',
                          harness.tsprof("info", summary).stdout)
        tap.equal(said.groups(), shown.groups(), "Fortran: called what info calls it")


# Programs of many shapes.
PASTED = ("helper", "checkpoint", "printed", "multigrid", "transport", "cycles")


def test_pasted(tap):
    """What info offers means the loop that it is offered for, in a stripped program, too."""
    with Directory() as directory:
        stripped = os.path.join(directory, "loops")
        subprocess.run(["strip", "-o", stripped, harness.program("loops")], check=True)
        for label, program in (("as built", harness.program("loops")), ("stripped", stripped)):
            for shape in PASTED:
                what = "%s, %s: " % (shape, label)
                summary, found, said = measure_shape(directory, program, shape, "auto")
                shown = harness.tsprof("info", summary).stdout
                place = re.search(r'shown as "main loop", border before (\S+) in ([^\s,]+)', shown)
                tap.equal(said.groups(), place.groups(), what + "called what info calls it")
                offered = re.search(r'shown as "main loop".* (TSPROF_ITERATION=.*)', shown)
                if not offered:
                    tap.ok(False, what + "nothing is offered", shown)
                    continue
                named = measure_shape(directory, program, shape, pasted=offered[1])[1]
                tap.equal(named["main loop"], found["main loop"], what + "the same loop, named")


def test_absent(tap):
    """A loop that not all ranks have found is not certain, and how many have not is said."""
    with Directory() as directory:
        summary = os.path.join(directory, "out.tsprof")
        result = harness.run_ranks([harness.program("loops"), "farm"], 3, cwd=directory, settings={
            "TSPROF_OUTPUT": summary, "TSPROF_ITERATION": "auto",
            "LD_LIBRARY_PATH": os.path.dirname(harness.program("loops"))})
        harness.check_run(result, summary)
        content = summary_reader.Summary(summary)
        main = [location.costs for location in content.locations
                if location.costs.get("loop.0.phase") or location.costs.get("loop.1.phase")]
        tap.ok(main and all(costs["loop.0.absent"] + costs.get("loop.1.absent", 0) > 0
                            for costs in main), "it is in the summary", str(main))
        shown = [harness.tsprof(command, summary).stdout for command in ("info", "report")]
        for name, said in [("the job's end", result.stderr.decode()), ("info", shown[0]),
                           ("report", shown[1])]:
            tap.ok(re.search(r"not found on \d ranks?, not certain", " ".join(said.split())),
                   name + " says so", said)


def test_inner_loop_named(tap):
    """A loop that is not shown by itself is what is shown when it is named."""
    for shape, function, passes in (("printed", "printed_every_ten", [9, 9]),
                                    ("transport", "outers_and_inners", [19, 19]),
                                    ("warmup-again", "no_such_function", None)):
        with Directory() as directory:
            found = measure_shape(directory, harness.program("loops"), shape,
                                  "loop:" + function)[1]
            tap.equal(found.get("main loop"), passes, "%s: the loop of %s" % (shape, function))


def test_named_call_path(tap):
    """Of two calls of one function, the line in the caller says which is meant."""
    with Directory() as directory:
        summary = measure_shape(directory, harness.program("loops"), "warmup-same", "auto")[0]
        shown = harness.tsprof("info", summary).stdout
        offered = re.findall(r"(\d+) passes,.* (TSPROF_ITERATION=.*)", shown)
        tap.ok(len(offered) == 2 and all(
            re.search(r"loop:\w+:\d+ > ", setting) for _, setting in offered),
               "the loops of both calls are offered, with lines", shown)
        for passes, setting in offered:
            named = measure_shape(directory, harness.program("loops"), "warmup-same",
                                  pasted=setting)[1]
            tap.equal(named.get("main loop"), 2 * [int(passes)], setting)


def test_offers_differ(tap):
    """Settings that are offered for different loops are different."""
    with Directory() as directory:
        for shape in ("five", "vcycles", "refinement", "transport"):
            summary = measure_shape(directory, harness.program("loops"), shape, "auto")[0]
            shown = harness.tsprof("info", summary).stdout
            offered = re.findall(r"TSPROF_ITERATION=(.*)", shown)
            tap.ok(len(offered) == len(set(offered)), shape + ": what is offered differs", shown)


def test_marked(tap):
    """The first marker ends it, and nothing is left."""
    with Directory() as directory:
        content = measure(directory, "marked")[1]
        tap.equal(iterations(content), {"step": [40, 40]}, "only what is marked is there")
        tap.equal([phase.name for phase in content.phases], ["step"], "and no other phase")
        check_sound(tap, "marked", content)


def test_sequence(tap):
    with Directory() as directory:
        content = measure(directory, "sequence")[1]
        found = sorted(iterations(content).values())
        tap.ok(len(found) == 2 and 28 <= found[0][0] <= 30 and 48 <= found[1][0] <= 50,
               "loops one after the other are shown one by one", str(found))
        check_sound(tap, "sequence", content)


def test_roles(tap):
    """Ranks that have no call path in common."""
    with Directory() as directory:
        content = measure(directory, "roles", 2)[1]
        found = iterations(content).get("main loop", [])
        tap.ok(len(found) == 2 and 38 <= found[0] <= 40 and found[0] == found[1],
               "both have as many iterations of the main loop", str(iterations(content)))
        check_sound(tap, "roles", content)


def walls(content, rank):
    """Of the iterations that have a cluster of their own, in order."""
    series = content.locations[rank].series[0]
    return [series.clusters[cluster].wall_ns for length, cluster in series.map
            if cluster is not None and length == 1]


def test_slices(tap):
    """A program without any loop has slices of time instead."""
    with Directory() as directory:
        result, content = measure(directory, "irregular")
        found = iterations(content)
        counts = found.get("time slices", [0])
        tap.equal(list(found), ["time slices"], "slices are shown where there is no loop")
        tap.ok(len(counts) == 2 and counts[0] == counts[1] >= 4, "as many on all ranks", str(found))
        check_sound(tap, "slices", content)
        for rank in range(2):
            # The first begins after the start, the last ends early; where comparing takes long, as on
            # a busy machine, not every slice has a profile.
            what = "borders lie where they should, in sleep, in MPI and in computation"
            whole = walls(content, rank)[1:-1]
            exact = [wall for wall in whole if wall == 100000000]
            if whole:
                tap.ok(2 * len(exact) >= len(whole), what, str(walls(content, rank)))
            else:
                tap.skip(what, "too few slices have a profile: %r" % walls(content, rank))
        tap.ok(re.search(rb"%d slices of 0.1 s, since no loop" % counts[0],
                         result.stderr), "the end of the job says so", result.stderr.decode())
        summary = os.path.join(directory, "out.tsprof")
        said = harness.tsprof("report", summary).stdout
        tap.ok("of 0.1 s, since no loop" in said, "and the report", said)
        tap.ok("of 0.1 s, since no loop" in harness.tsprof("info", summary).stdout, "and info")
    with Directory() as directory:
        content = measure(directory, "irregular", TSPROF_CLUSTERS="0")[1]
        tap.equal(iterations(content), {}, "not where each would have a profile of its own")
    with Directory() as directory:
        content = measure(directory, "irregular", TSPROF_COMPRESS_AT="collective",
                          TSPROF_RATE="0", TSPROF_CLUSTERS="auto")[1]
        tap.ok(iterations(content).get("time slices", [0])[0] >= 4, "with other settings, too")
        check_sound(tap, "slices with other settings", content)


def test_shares(tap):
    """A loop of 5 or 11 % of the time is no main loop; of one that is shown its share is said."""
    for shape, share in (("share-5", 5), ("share-11", 11)):
        with Directory() as directory:
            result, content = measure(directory, shape, program="loops")
            tap.equal(list(iterations(content)), ["time slices"], shape + ": slices are shown")
            said = re.search(rb"slices of 0.1 s, since of the loops that were seen none took more than "
                             rb"([\d.]+) % of the time", result.stderr)
            tap.ok(said and abs(float(said[1]) - share) < share / 2, shape + ": its share is said",
                   result.stderr.decode())
            info = harness.tsprof("info", os.path.join(directory, "out.tsprof")).stdout
            tap.ok(re.search(r"\d+ passes, border before \S+ in \S+.*TSPROF_ITERATION='?loop:", info),
                   shape + ": info offers it", info)
    with Directory() as directory:
        result, content = measure(directory, "share-30", program="loops")
        tap.equal(iterations(content), {"main loop": [499, 499]}, "share-30: it is shown")
        said = re.search(rb'499 iterations of "main loop", (\d+) % of the time', result.stderr)
        tap.ok(said and 20 <= int(said[1]) <= 40, "share-30: with its share", result.stderr.decode())


def test_none(tap):
    with Directory() as directory:
        content = measure(directory, "twos")[1]
        tap.ok("main loop" not in iterations(content), "two passes are no main loop")
        tap.equal([phase.name for phase in content.phases if phase.name != "time slices"], [],
                  "and no phase of another kind")
        check_sound(tap, "twos", content)
    with Directory() as directory:
        content = measure(directory, "steps", TSPROF_ITERATION="markers")[1]
        tap.equal(iterations(content), {}, "nothing is looked for where only markers count")


def test_short(tap):
    """Passes that are too short have no profile, but they count."""
    with Directory() as directory:
        content = measure(directory, "short", 1, TSPROF_CLUSTERS="64")[1]
        counts = iterations(content).get("main loop", [0])
        tap.ok(199998 <= counts[0] <= 200000, "each of the shortest passes counts", str(counts))
        tap.equal(visits(content, "MPI_Barrier"), [200000], "and each call")
        memory = content.locations[0].costs["memory_bytes"]
        tap.ok(memory < 2 << 20, "in less than 2 MiB", str(memory))
        check_sound(tap, "short", content)


def calls_of(content, location=0):
    """How many MPI calls each iteration made, of a summary that keeps every one."""
    series = content.locations[location].series[0]
    found = []
    for length, cluster in series.map:
        sums = series.clusters[cluster].profile
        found += length * [sum(value for (node, metric), value in sums.items()
                               if content.metrics[metric].name == "visits"
                               and content.callpath(node).split(";")[-1].startswith("MPI_"))]
    return found


def test_stump(tap):
    """A border in the middle of the loop's body: what follows the last one is no iteration."""
    with Directory() as directory:
        content = measure(directory, "gradients-otherwise", program="loops", TSPROF_CLUSTERS="0")[1]
        tap.equal(iterations(content), {"main loop": [48, 48]},
                  "50 passes, without the first and what is left at the end")
        for location in range(2):
            tap.equal(set(calls_of(content, location)), {15}, "each has the calls of a whole one")
        tap.equal(visits(content, "MPI_Allreduce"), [150, 150], "no call is lost")
        check_sound(tap, "stump", content)
    with Directory() as directory:
        content = measure(directory, "plain", program="loops", TSPROF_CLUSTERS="0")[1]
        tap.equal(iterations(content), {"main loop": [199, 199]}, "a whole last pass stays")
        check_sound(tap, "whole", content)


def test_short_steps(tap):
    """Steps of 100 microseconds with loops inside: of the loop that is shown every pass is kept."""
    with Directory() as directory:
        content = measure(directory, "rounds-before", program="loops")[1]
        counts = iterations(content).get("main loop", [0])
        tap.ok(1998 <= counts[0] <= 2000 and counts == 2 * [counts[0]], "each step is found",
               str(counts))
        lost = [sum(length for length, cluster in location.series[0].map if cluster is None)
                for location in content.locations]
        tap.ok(max(lost) <= 20, "and has a profile", str(lost))
        check_sound(tap, "short steps", content)


def test_other(tap):
    """Another thread marks, and the one that is looked at follows it."""
    with Directory() as directory:
        content = measure(directory, "other", 1)[1]
        tap.equal(iterations(content), {"step": [20, 20]}, "both threads have what is marked")
        check_sound(tap, "other", content)


def test_end(tap):
    """The first marker is an end without a beginning."""
    with Directory() as directory:
        result, content = measure(directory, "end")
        tap.equal(iterations(content), {}, "nothing is left where an end is the first marker")
        tap.ok(b'phase "never" was ended but not begun' in result.stderr, "it is said",
               result.stderr.decode())
        check_sound(tap, "end", content)


def test_alike(tap):
    """Two loops whose borders come with the same call path."""
    with Directory() as directory:
        content = measure(directory, "alike")[1]
        found = iterations(content)
        counts = found.get("main loop", [0])
        tap.equal(list(found), ["main loop"], "one loop is shown")
        tap.ok(38 <= counts[0] <= 40 and counts == 2 * [counts[0]], "the outer one", str(found))
        check_sound(tap, "alike", content)


def test_parts(tap):
    """What is left of a job that did not end normally has the loops that each process has found."""
    for end in "killed", "exits":
        with Directory() as directory:
            merged = os.path.join(directory, "merged.tsprof")
            harness.run_ranks([harness.program("main_loops"), end], 2, cwd=directory,
                              settings={"TSPROF_ITERATION": "auto"})
            parts = part_reader.directories(directory)
            tap.equal(len(parts), 1, end + ": there are parts")
            result = harness.tsprof("merge", parts[0], "-o", merged)
            tap.equal(result.status, 0, end + ": they are united")
            content = summary_reader.Summary(merged)
            counts = iterations(content).get("main loop", [])
            tap.ok(len(counts) == 2 and min(counts) > 20, end + ": and have their main loop",
                   str(iterations(content)))
            check_sound(tap, end, content)


if __name__ == "__main__":
    harness.main()
