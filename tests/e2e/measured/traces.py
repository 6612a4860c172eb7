#!/usr/bin/env python3
"""The events of chosen iterations: what an archive holds adds up to what the summary says, iteration
by iteration; the iterations are those that were asked for; and what goes wrong with a trace costs
nothing else."""

import collections
import os
import re
import shutil
import subprocess

import archive_reader
import exercise
import harness
import suggest
import summary_reader
from archive_reader import METRICS, Archive, complaints_of_otf2_print
from harness import Directory, Failure

# Each of these moves something else.
PROGRAMS = harness.COUNTING_PROGRAMS


def trace(directory, name, ranks, choice, arguments=(), settings=None):
    """Runs a program with TSPROF_TRACE; returns what tsprof said, the summary and the archive."""
    summary = os.path.join(directory, "out.tsprof")
    settings = dict({"TSPROF_OUTPUT": summary, "TSPROF_TRACE": choice, "TSPROF_CLUSTERS": "0",
                     "TSPROF_VERBOSE": "1"}, **(settings or {}))
    result = harness.run_ranks([harness.program(name)] + list(arguments), ranks,
                               settings=settings, cwd=directory)
    harness.check_run(result, summary)
    said = result.stderr.decode("utf-8", "replace")
    path = os.path.join(directory, "out.otf2")
    return said, summary, path if os.path.exists(path) else None


def read(directory, name, ranks, choice, arguments=(), settings=None):
    said, summary, path = trace(directory, name, ranks, choice, arguments, settings)
    if not path:
        raise Failure("there is no archive:\n" + said)
    return summary, Archive(path)


def of_summary(summary, phase):
    """{(rank, iteration, metric): value} of a phase; without one, of the whole run."""
    options = ["--total"] if phase is None else ["--phase", phase]
    values = collections.Counter()
    for row in harness.export(summary, "callpaths", *options):
        if row["metric"] in METRICS:
            number = int(row["iteration"]) if phase is not None else None
            values[int(row["rank"]), number, row["metric"]] += harness.number(row["value"])
    return {key: value for key, value in values.items() if value}


def of_archive(archive, whole):
    values = collections.Counter()
    for thread in archive.threads.values():
        for (number, metric), value in thread.sums.items():
            if (number is None) == whole:
                values[thread.rank, number, metric] += value
    return {key: value for key, value in values.items() if value}


def visits_of_summary(summary, *options):
    visits = collections.Counter()
    for row in harness.export(summary, "callpaths", "--total", "--metric", "visits", *options):
        last = row["callpath"].rpartition(";")[2]
        if last.startswith("MPI_") and last not in ("MPI_Wtime", "MPI_Wtick"):
            visits[int(row["rank"]), last] += int(harness.number(row["value"]))
    return dict(visits)


def visits_of_archive(archive):
    visits = collections.Counter()
    for thread in archive.threads.values():
        for (callpath, _), count in thread.calls.items():
            visits[thread.rank, callpath.rpartition(";")[2]] += count
    return dict(visits)


def paths_of_iterations(summary, phase):
    """{(rank, iteration, call path): visits} of MPI calls, as a summary has them."""
    return {(int(row["rank"]), int(row["iteration"]), row["callpath"]):
            int(harness.number(row["value"]))
            for row in harness.export(summary, "callpaths", "--phase", phase, "--metric", "visits")
            if row["callpath"].rpartition(";")[2].startswith("MPI_")}


def paths_in_archive(archive):
    paths = collections.Counter()
    for thread in archive.threads.values():
        for (callpath, number), count in thread.calls.items():
            if number is not None:
                paths[thread.rank, number, callpath] += count
    return dict(paths)


def check_whole(tap, archive, label=""):
    """That both readers of archives find nothing wrong with one."""
    tap.equal(archive.problems, [], label + "events are nested and in order")
    tap.equal(complaints_of_otf2_print(archive.path), [], label + "otf2-print does not complain")


def test_equal_to_profile(tap):
    """Calls, counts and bytes of each rank, in all and in each iteration."""
    for program, ranks in harness.some((program, ranks) for program in PROGRAMS
                                       if harness.is_built(program.name)
                                       for ranks in harness.ranks_of(program)):
        label = "%s, %d ranks: " % (program.name, ranks)
        with Directory() as directory:
            summary, archive = read(directory, program.name, ranks, "all")
            check_whole(tap, archive, label)
            tap.equal(visits_of_archive(archive), visits_of_summary(summary), label + "calls")
            tap.equal(paths_in_archive(archive), paths_of_iterations(summary, program.phase),
                      label + "call paths of calls in iterations")
            tap.equal(of_archive(archive, True), of_summary(summary, None),
                      label + "counts and bytes in all")
            tap.equal(of_archive(archive, False), of_summary(summary, program.phase),
                      label + "counts and bytes of iterations")
            tap.equal(archive.chosen(),
                      {rank: [(program.phase, i) for i in range(program.iterations)]
                       for rank in range(ranks)}, label + "iterations")
            if program.name not in ("intercomm",):
                tap.equal(archive.unmatched()[:3], [], label + "messages match")


def unequal_numbers(archive):
    """Of messages with the same ends, communicator and tag as many are received as are sent.  Not
    always as long: MPICH does not tell how long what MPI_Isendrecv receives is."""
    sent, received = (collections.Counter(message[:4] for thread in archive.threads.values()
                                          for message in getattr(thread, side))
                      for side in ("sent", "received"))
    return {key: (sent[key], received[key]) for key in sent | received
            if sent[key] != received[key]}


def test_every_call(tap):
    """Of every function that there is, once each."""
    with Directory() as directory:
        result, summary = exercise.run(directory, harness.program("exercise"), 2, [], {
            "TSPROF_TRACE": "all", "TSPROF_ITERATION": "markers"})
        harness.check_run(result, summary)
        archive = Archive(summary.replace(".tsprof", ".otf2"))
        check_whole(tap, archive)
        calls = visits_of_archive(archive)
        tap.ok(len({call for _, call in calls}) > 300, "all functions are called", len(calls))
        tap.equal(calls, visits_of_summary(summary), "calls")
        tap.equal(of_archive(archive, True), of_summary(summary, None), "counts and bytes")
        tap.equal(unequal_numbers(archive), {}, "what is sent is received")
        tap.ok(len(archive.comms.ended) > 20 and len(archive.windows.ended) > 20,
               "communicators and windows are freed")


# What the program `nesting` does, what is chosen of it, the iterations that are there in the order
# of their ends, and how many calls.
INNER = [("inner", i) for i in range(12)]
PHASES = [
    ("sequence", "all", [("first", i) for i in range(5)] + [("second", i) for i in range(3)], 49),
    ("sequence", "1-2", [("first", 1), ("first", 2), ("second", 1), ("second", 2)], 25),
    ("sequence", "second:1", [("second", 1)], 10),
    ("nested", "all", [entry for i in range(4)
                       for entry in INNER[3 * i:3 * i + 3] + [("outer", i)]], 144),
    ("nested", "1-2", INNER[3:6] + [("outer", 1)] + INNER[6:9] + [("outer", 2)], 71),
    ("nested", "outer:1,3", INNER[3:6] + [("outer", 1)] + INNER[9:] + [("outer", 3)], 74),
    ("nested", "inner:2-3", INNER[2:4], 21),
    # Nested ones have numbers of their own.
    ("sometimes", "outer:1", [("inner", 1), ("outer", 1)], 11),
    ("recursive", "level:1", [("level", 1)] * 3, 3),
    ("phases", "all", [("timestep", i) for i in range(6)], 26),
    ("phases", "timestep:2", [("timestep", 2)], 4),
    ("markup", "1-2", [("<script>alert(1)</script>", i) for i in (1, 2)], 7),
]


def test_phases(tap):
    """Iterations in others, after others, and in and around phases that are summed."""
    for mode, choice, iterations, calls in PHASES:
        label = "%s, %s: " % (mode, choice)
        with Directory() as directory:
            _, archive = read(directory, "nesting", 1, choice, [mode])
            check_whole(tap, archive, label)
            tap.equal(archive.chosen()[0], iterations, label + "iterations")
            paths = archive.threads[0, 0].calls
            tap.equal(sum(paths.values()), calls, label + "calls")
            if mode == "phases":
                tap.equal({path.partition("timestep")[2] for path, number in paths
                           if number is not None},
                          {";visit;MPI_Comm_rank", ";assembly;visit;MPI_Comm_rank"},
                          label + "phases inside iterations are there")


def paths_of_contexts(definitions):
    """Names, files and lines of the functions of each calling context, from the outermost on; all
    are in the program itself."""
    def path(context):
        region = context.region
        if not context.parent:
            return ()
        return path(context.parent) + ((region.name, region.source_file or "",
                                        region.begin_line_number),)
    return {path(context) for context in definitions.calling_contexts} - {()}


def paths_of_tree(content):
    """The same of a summary's call tree; in archives functions of MPI are in the file MPI."""
    def path(number):
        if not number:
            return ()
        region = content.regions[content.nodes[number].region]
        file = "MPI" if region.name.startswith("MPI_") else region.file
        return path(content.nodes[number].parent) + ((region.name, file, region.line),)
    return {path(number) for number in range(1, len(content.nodes))}


def test_definitions(tap):
    """Functions, call tree, hosts, ranks and samples are those of the summary."""
    with Directory() as directory:
        summary, archive = read(directory, "particles", 2, "all", ["--iterations", "2000"],
                                {"TSPROF_RATE": "1000"})
        content = summary_reader.Summary(summary)
        samples = collections.Counter()
        for row in harness.export(summary, "callpaths", "--total", "--metric", "samples"):
            samples[int(row["rank"])] += harness.number(row["value"])
        tap.ok(sum(samples.values()) > 0, "there are samples", samples)
        # A row without samples is not there.
        tap.equal({rank: archive.threads[rank, 0].samples for rank in range(2)},
                  {rank: samples[rank] for rank in range(2)},
                  "as many samples of each rank")
        with archive_reader.otf2.reader.open(os.path.join(archive.path, "traces.otf2")) as opened:
            contexts, tree = paths_of_contexts(opened.definitions), paths_of_tree(content)
            tap.ok(len(contexts) > 10, "there are calling contexts", len(contexts))
            tap.equal((sorted(contexts - tree)[:3], sorted(tree - contexts)[:3]), ([], []),
                      "calling contexts are the call tree")
            hosts = {group.name: group.system_tree_parent.name
                     for group in opened.definitions.location_groups}
        tap.equal(hosts, {"MPI Rank %d" % location.place.rank:
                          content.hosts[location.place.host].name
                          for location in content.locations}, "ranks are on their hosts")


def kinds_printed(path, *options):
    """How many lines of each kind otf2-print has of an archive."""
    printed = subprocess.run(["otf2-print", *options, os.path.join(path, "traces.otf2")], check=True,
                             capture_output=True, text=True)
    return collections.Counter(re.findall(r"^([A-Z]\w+) ", printed.stdout, re.M))


def test_samples_or_none(tap):
    """Without samples nothing else is missing: all other events, and calling contexts of calls."""
    if not shutil.which("otf2-print"):
        raise harness.Skip("otf2-print is not installed")
    kinds, paths, timers = {}, {}, {}
    for rate in ("0", "1000"):
        with Directory() as directory:
            _, archive = read(directory, "particles", 2, "all", ["--iterations", "2000"],
                              {"TSPROF_RATE": rate, "TSPROF_ITERATION": "markers"})
            check_whole(tap, archive, "%s samples a second: " % rate)
            kinds[rate] = kinds_printed(archive.path)
            timers[rate] = kinds_printed(archive.path, "-G")["INTERRUPT_GENERATOR"]
            with archive_reader.otf2.reader.open(os.path.join(archive.path, "traces.otf2")) as opened:
                paths[rate] = {path for path in paths_of_contexts(opened.definitions)
                               if path[-1][0].startswith("MPI_")}
    sampled = kinds["1000"].pop("CALLING_CONTEXT_SAMPLE", 0)
    tap.ok(sampled > 0 and timers == {"0": 0, "1000": 1}, "one has samples, and what takes them",
           (sampled, timers))
    for of_kinds in kinds.values():
        # Functions that only samples see are entered and left, too.
        of_kinds.pop("ENTER"), of_kinds.pop("LEAVE")
    tap.equal(kinds["0"], kinds["1000"], "as many events of each other kind")
    tap.equal(paths["0"], paths["1000"], "the same calling contexts of calls")


def test_what_is_suggested_is_kept(tap):
    """The program is run again with the setting: these iterations, as many events as was said."""
    arguments, settings = ["--iterations", "300"], {"TSPROF_RATE": "0"}
    with Directory() as directory:
        _, summary = harness.profile(directory, "particles", 2, arguments,
                                     dict(settings, TSPROF_CLUSTERS="0"))
        found = suggest.suggestions(summary, "--top", "3")
    with Directory() as directory:
        _, archive = read(directory, "particles", 2, found["setting"].partition("=")[2], arguments,
                          settings)
        wanted = [("timestep", i) for i in suggest.numbers(found["iterations"])]
        tap.equal(archive.chosen(), {rank: wanted for rank in range(2)}, "the iterations")
        # Markers are events, too.
        events = [sum(archive.threads[rank, 0].calls.values()) + len(wanted) for rank in range(2)]
        tap.equal((found["events"], found["most_events"]), (sum(events), max(events)),
                  "as many events as was said")


def near(said, value):
    """Whether a quantity that is shown with a prefix is VALUE, but for digits not shown."""
    number, _, prefix = said.partition(" ")
    shown = float(number) * {"": 1, "k": 1e3, "M": 1e6}[prefix]
    return abs(shown - value) <= (0.006 * value if prefix else 0)


def test_the_report_counts(tap):
    """Events and messages, and which rank has most of them."""
    with Directory() as directory:
        summary, archive = read(directory, "workers", 4, "all")
        said = " ".join(harness.tsprof("report", summary).stdout.split())
        events = [archive.threads[rank, 0].events for rank in range(4)]
        received = [len(archive.threads[rank, 0].received) for rank in range(4)]
        quantity = r"(\d+|[\d.]+ [kM])"
        found = re.search(r"out\.otf2: %s events of 4 threads, most on rank (\d) \(%s\)"
                          % (quantity, quantity), said)
        if tap.ok(found, "events are counted", said):
            tap.ok(near(found.group(1), sum(events)), "all of them", (found.group(0), events))
            tap.ok(int(found.group(2)) == events.index(max(events)) and
                   near(found.group(3), max(events)), "and those of the rank that has most",
                   (found.group(0), events))
        found = re.search(r"; %s messages with [\d.]+ \w+, most received on rank (\d) \(%s\)"
                          % (quantity, quantity), said)
        if tap.ok(found, "messages are counted", said):
            tap.ok(near(found.group(1), sum(received)) and near(found.group(3), max(received)) and
                   int(found.group(2)) == received.index(max(received)),
                   "and who receives most", (found.group(0), received))


def test_what_is_said(tap):
    """One line tells of the summary and of the trace."""
    with Directory() as directory:
        said, summary, path = trace(directory, "stencil", 2, "3,5")
        tap.ok(re.fullmatch(r"tsprof: rank 0: the measurement of 2 processes is in %s: the events of "
                            r"2 iterations, \d+ MPI calls, in %s; view it with: tsprof report %s\n"
                            % (re.escape(summary), re.escape(path or ""), re.escape(summary)), said),
               "one line", said)


def test_random_messages(tap):
    for seed in range(2):
        with Directory() as directory:
            summary, archive = read(directory, "random_messages", 3, "all",
                                    ["--seed", str(seed)])
            label = "random messages, seed %d: " % seed
            tap.equal(archive.problems, [], label + "events are nested and in order")
            tap.equal(of_archive(archive, True), of_summary(summary, None),
                      label + "counts and bytes")
            tap.equal(archive.unmatched()[:3], [], label + "messages match")


def test_requests(tap):
    """Requests of all kinds, completed in all ways."""
    with Directory() as directory:
        summary, archive = read(directory, "requests", 2, "all",
                                settings={"TSPROF_ITERATION": "markers"})
        check_whole(tap, archive, "requests: ")
        tap.equal(of_archive(archive, True), of_summary(summary, None),
                  "requests: counts and bytes")


def times_of_summary(summary, phase):
    """{(rank, iteration): nanoseconds}"""
    return {(int(row["rank"]), int(row["iteration"])): round(harness.number(row["value"]) * 1e9)
            for row in harness.export(summary, "iterations", "--metric", "time", "--phase", phase)}


def test_times_of_iterations(tap):
    """As long as in the summary, wherever a piece of the memory for events ends."""
    with Directory() as directory:
        summary, archive = read(directory, "heat_mpi", 2, "all", ["--iterations", "2000"],
                                settings={"TSPROF_ITERATION": "markers"})
        phase = archive.threads[0, 0].iterations[0][0]
        times = times_of_summary(summary, phase)
        wrong, compared = [], 0
        for (rank, _), thread in archive.threads.items():
            for _, number, begin, end in thread.iterations:
                compared += 1
                # The archive's nanosecond is measured over the whole run.
                time = times[rank, number]
                if abs(end - begin - time) > 2 + time // 1000:
                    wrong.append((rank, number, end - begin, time))
        tap.ok(compared > 3900, "iterations are compared", "%d" % compared)
        tap.equal(wrong[:3], [], "iterations take as long as the summary says")


def test_chosen(tap):
    for choice, wanted in (("3,5-6", [3, 5, 6]), ("timestep:29", [29]),
                           ("0-1000", list(range(30)))):
        with Directory() as directory:
            summary, archive = read(directory, "stencil", 2, choice)
            tap.equal(archive.chosen(), {rank: [("timestep", i) for i in wanted]
                                         for rank in range(2)}, choice + ": those iterations")
            check_whole(tap, archive, choice + ": ")
            everything = of_summary(summary, "timestep")
            tap.equal(of_archive(archive, False),
                      {key: value for key, value in everything.items() if key[1] in wanted},
                      choice + ": counts and bytes")


def slowest_of_summary(summary, phase, most):
    """Those that took longest on any rank."""
    longest = collections.Counter()
    for row in harness.export(summary, "iterations", "--phase", phase, "--metric", "time"):
        number = int(row["iteration"])
        longest[number] = max(longest[number], harness.number(row["value"]))
    return sorted(number for number, _ in longest.most_common(most))


def test_slowest(tap):
    for program, ranks, most in (("stencil", 2, 3), ("particles", 4, 2), ("workers", 2, 1)):
        with Directory() as directory:
            phase = {"workers": "round"}.get(program, "timestep")
            summary, archive = read(directory, program, ranks, "slowest:%d" % most)
            wanted = slowest_of_summary(summary, phase, most)
            tap.equal(archive.chosen(), {rank: [(phase, i) for i in wanted]
                                         for rank in range(ranks)},
                      "%s: the %d slowest" % (program, most))


# Of programs that know nothing of tsprof, and the loop that it finds there.
FOUND = "main loop"


def slowest(most):
    """Settings of a run that keeps so many of its slowest iterations."""
    return {"TSPROF_TRACE": "slowest:%d" % most, "TSPROF_CLUSTERS": "0"}


def check_slowest(tap, label, summary, most):
    """That the archive beside a summary of such a run has what that says of its iterations."""
    path = summary.replace(".tsprof", ".otf2")
    if not tap.ok(os.path.exists(path), label + "there is an archive"):
        return
    # Some of the ranks may know loops further in, too.
    archive = Archive(path, FOUND)
    check_whole(tap, archive, label)
    chosen = archive.chosen()
    tap.equal({tuple(of_rank) for of_rank in chosen.values()}, {tuple(chosen[0])},
              label + "all ranks keep the same")
    if tap.equal(len(chosen[0]), most, label + "as many as were asked for"):
        numbers = {number for _, number in chosen[0]}
        tap.equal(of_archive(archive, False),
                  {key: value for key, value in of_summary(summary, FOUND).items()
                   if key[1] in numbers}, label + "counts and bytes")


# How many iterations a thread keeps at least.
KEPT_LEAST = 256


def slowest_of_the_kept(longest, times, most):
    """Of the iterations that are among the slowest of each rank, how long the slowest took on any."""
    ranks = {rank for rank, _ in times}
    kept = [set(sorted(longest, key=lambda number, of=rank: times[of, number])[-KEPT_LEAST:])
            for rank in ranks]
    return sorted(longest[number] for number in set.intersection(*kept))[-most:]


def test_slowest_of_more_than_are_kept(tap):
    """Those that were let go may be there, too, between others that were not."""
    for ranks, iterations in ((2, 400), (4, 300)):
        label = "%d ranks: " % ranks
        with Directory() as directory:
            summary, archive = read(directory, "particles", ranks, "slowest:8",
                                    ["--iterations", str(iterations), "--size", "100"],
                                    {"TSPROF_ITERATION": "markers", "TSPROF_RATE": "0"})
            times = times_of_summary(summary, "timestep")
            longest = {number: max(times[rank, number] for rank in range(ranks))
                       for number in range(iterations)}
            chosen = archive.chosen()
            taken = sorted(longest[number] for _, number in chosen[0])
            wanted = slowest_of_the_kept(longest, times, 8)
            tap.ok(len(taken) == 8 and all(got >= least for got, least in zip(taken, wanted)),
                   label + "none of those that all have kept took longer", (taken, wanted))
            tap.ok(all(of_rank == chosen[0] for of_rank in chosen.values()), label + "the same on all")
            check_whole(tap, archive, label)


def test_new(tap):
    """Iterations that do something else."""
    with Directory() as directory:
        _, archive = read(directory, "stencil", 2, "new:4")
        chosen = archive.chosen()
        tap.equal([number for _, number in chosen[0]][:1], [0], "the first iteration is new")
        tap.equal(chosen[0], chosen[1], "all ranks keep the same")
        tap.equal(len(chosen[0]), 4, "as many as were asked for")


def test_new_kinds(tap):
    """The first of each kind, wherever it comes, and no other."""
    with Directory() as directory:
        _, archive = read(directory, "kinds", 2, "new:3")
        tap.equal([number for _, number in archive.chosen()[0]], [0, 5, 12], "three kinds")


def test_found(tap):
    """Passes of a loop that tsprof finds are chosen like marked iterations."""
    name = os.path.join("unmarked", "stencil")
    if not os.path.exists(os.path.join(harness.PROGRAMS, name)):
        raise harness.Skip("there is no program without markers")
    with Directory() as directory:
        summary, archive = read(directory, name, 2, "slowest:2", ["--iterations", "200"])
        chosen = archive.chosen()
        phases = {row["phase"] for row in harness.export(summary, "iterations")}
        tap.ok({phase for phase, _ in chosen[0]} <= phases, "they are passes of the main loop")
        tap.equal(chosen[0], chosen[1], "all ranks keep the same")
        tap.equal(len(chosen[0]), 2, "as many as were asked for")
        check_whole(tap, archive)
        check_two_slowest(tap, summary, chosen[0])


# By then it is known that it is a loop.
KNOWN_FROM = 50


def check_two_slowest(tap, summary, chosen):
    phase, numbers = chosen[0][0], [number for _, number in chosen]
    times = times_of_summary(summary, phase)
    longest = {number: max(times[rank, number] for rank in range(2)) for _, number in times}
    tap.equal([number for number in longest if number >= KNOWN_FROM and number not in numbers and
               longest[number] > min(longest[one] for one in numbers)], [], "the two slowest")


def test_lists_of_found(tap):
    name = os.path.join("unmarked", "stencil")
    if not os.path.exists(os.path.join(harness.PROGRAMS, name)):
        raise harness.Skip("there is no program without markers")
    for choice, wanted in (("150-151,190", [150, 151, 190]), ("main loop:160", [160])):
        with Directory() as directory:
            summary, archive = read(directory, name, 2, choice, ["--iterations", "200"])
            phase = archive.chosen()[0][0][0] if archive.chosen()[0] else ""
            tap.equal(archive.chosen(), {rank: [(phase, i) for i in wanted] for rank in range(2)},
                      choice + ": those iterations")
            check_whole(tap, archive, choice + ": ")
            tap.equal(of_archive(archive, False),
                      {key: value for key, value in of_summary(summary, phase).items()
                       if key[1] in wanted}, choice + ": counts and bytes")


def visits_by_thread(summary, threads):
    return {(rank, thread, callpath): count for thread in threads
            for (rank, callpath), count in visits_of_summary(summary, "--thread", str(thread)).items()}


def calls_by_thread(archive):
    calls = collections.Counter()
    for thread in archive.threads.values():
        for (callpath, _), count in thread.calls.items():
            calls[thread.rank, thread.number, callpath.rpartition(";")[2]] += count
    return dict(calls)


def test_threads(tap):
    """Each thread has its own location, and there what it has called."""
    with Directory() as directory:
        summary, archive = read(directory, "threads", 2, "all", ("pool", "20"))
        found = calls_by_thread(archive)
        threads = {thread for _, thread, _ in found}
        tap.equal(found, visits_by_thread(summary, threads), "the calls of each thread")
        tap.ok(len(threads) > 2, "several threads call MPI")
    with Directory() as directory:
        _, archive = read(directory, "openmp", 2, "3")
        tap.ok(len(archive.threads) > 2, "there are locations of threads")
        check_whole(tap, archive)
        tap.equal({thread.iterations[0][1] for thread in archive.threads.values()
                   if thread.iterations}, {3}, "all of the iteration that was chosen")


def test_little_memory(tap):
    with Directory() as directory:
        said, summary, path = trace(directory, "polls", 1, "all", ["plain", "260000"],
                              settings={"TSPROF_TRACE_MEMORY": "1M"})
        ended = re.search("TSPROF_TRACE_MEMORY was too little: recording ended after ([0-9.]+) s",
                          said)
        tap.ok(ended, "it is said that memory was used up, and when recording ended", said)
        tap.ok("iteration" not in said, "nothing is said of iterations", said)
        archive = Archive(path)
        tap.equal(archive.problems, [], "events are nested and in order")
        tap.ok(sum(visits_of_archive(archive).values()) < sum(visits_of_summary(summary).values()),
               "there are fewer events than there were calls")
        took = sum(harness.number(row["value"]) for row in harness.export(
            summary, "callpaths", "--total", "--metric", "time"))
        tap.ok(ended and 0 < float(ended[1]) < took, "recording ended while the program ran", said)


def test_little_memory_for_many_threads(tap):
    """Each has some of it, so that iterations are there in which all take part."""
    threads = 24
    with Directory() as directory:
        said, _, path = trace(directory, "openmp", 1, "slowest:4", ["%d" % threads, "20"], settings={
            "TSPROF_TRACE_MEMORY": "1M", "OMP_WAIT_POLICY": "passive"})
        tap.ok("too little" not in said, "it is enough for what they do", said)
        archive = Archive(path)
        kept = {tuple(number for _, number, _, _ in thread.iterations)
                for thread in archive.threads.values()}
        tap.ok(len(archive.threads) == threads and len(kept) == 1 and len(kept.pop()) == 4,
               "the same iterations of all threads", kept)
        tap.equal(archive.problems, [], "events are nested and in order")


# About 23 kB an iteration, so that of 1 MB a rank keeps some forty.
MANY_CALLS = ["--us", "0", "--probes", "3000", "--iterations"]


def test_little_memory_for_a_list(tap):
    """What the message says is missing is missing: numbers count once, not for each rank."""
    with Directory() as directory:
        said, _, path = trace(directory, "mortal", 2, "5-400", MANY_CALLS + ["100"],
                              settings={"TSPROF_TRACE_MEMORY": "1M"})
        archive = Archive(path)
        there = [number for _, number in archive.chosen()[0]]
        tap.equal(there, list(range(5, 5 + len(there))), "the first ones are there")
        tap.equal(re.findall(r"too little on 2 of 2 processes: the events of (\d+) iterations", said),
                  ["%d" % (95 - len(there))], "how many are missing is said")


def test_little_memory_for_the_slowest(tap):
    """If others than the slowest are there, or fewer, it is said."""
    with Directory() as directory:
        said, summary, path = trace(directory, "mortal", 2, "slowest:8", MANY_CALLS + ["300"],
                                    settings={"TSPROF_TRACE_MEMORY": "1M"})
        wanted = set(slowest_of_summary(summary, "timestep", 8))
        there = {number for _, number in Archive(path).chosen()[0]} if path else set()
        given_up = re.findall(r"too little on 2 of 2 processes: (\d+) iterations were given up", said)
        tap.ok(given_up and 200 < int(given_up[0]) < 300, "how many a process gave up is said", said)
        missing = re.search(r"at least (\d+) of the 8 slowest iterations (?:is|are) missing", said)
        tap.ok(0 < int(missing[1]) <= len(wanted - there) if missing else wanted == there,
               "of the slowest, those that are missing are told of",
               "%s\n%s rather than %s" % (said, sorted(there), sorted(wanted)))


def test_memory_for_the_slowest(tap):
    """Where nothing had to be given up nothing is said."""
    with Directory() as directory:
        said, _, _ = trace(directory, "mortal", 2, "slowest:8", MANY_CALLS + ["100"])
        tap.ok("missing" not in said and "too little" not in said, "nothing", said)


def test_no_library(tap):
    with Directory() as directory:
        said, _, path = trace(directory, "stencil", 2, "all", settings={"TSPROF_OTF2": "/nowhere"})
        tap.ok("no trace is written" in said and "/nowhere" in said, "it is said why", said)
        tap.equal(path, None, "there is no archive")


def test_no_place(tap):
    """An archive is never overwritten."""
    with Directory() as directory:
        os.mkdir(os.path.join(directory, "out.otf2"))
        trace(directory, "stencil", 2, "2")
        tap.equal(os.listdir(os.path.join(directory, "out.otf2")), [], "what is there stays")
        archive = Archive(os.path.join(directory, "out.1.otf2"))
        tap.equal(archive.problems, [], "the archive has another name")


def test_none_chosen(tap):
    with Directory() as directory:
        said, _, path = trace(directory, "stencil", 2, "1000-2000")
        tap.ok("no trace is written" in said, "it is said that there is no such iteration", said)
        tap.equal(path, None, "there is no archive")


def test_counters(tap):
    """At the end of each call there is what they have counted so far."""
    with Directory() as directory:
        summary, archive = read(directory, "counters", 1, "all", ["script", "3"], settings={
            "TSPROF_PAPI": os.path.join(harness.PROGRAMS, "libfake_papi.so"),
            "FAKE_PAPI_LOG": os.path.join(directory, "log"), "TSPROF_RATE": "0",
            "TSPROF_COUNTERS": "FAKE_0,FAKE_1"})
        totals = {name: sum(harness.number(row["value"]) for row in harness.export(
            summary, "callpaths", "--total", "--metric", name)) for name in ("FAKE_0", "FAKE_1")}
        tap.equal(archive.threads[0, 0].counters, totals, "in the end all")
        check_whole(tap, archive)


def test_summaries_of_their_own(tap):
    with Directory() as directory:
        result = harness.run_ranks([harness.program("stencil")], 2,
                                   settings={"TSPROF_TRACE": "all", "TSPROF_MERGE": "0",
                                             "TSPROF_VERBOSE": "1"}, cwd=directory)
        tap.ok(result.status == 0 and b"no trace is written" in result.stderr,
               "it is said that there is none", result.stderr.decode())
        tap.equal([name for name in os.listdir(directory) if "otf2" in name], [],
                  "there is no archive")


def test_setting_of_some(tap):
    """TSPROF_TRACE is set for one of two processes: nobody waits for who does not trace."""
    for choices in (("all", ""), ("", "all")):
        label = "TSPROF_TRACE='%s' and '%s': " % choices
        command = [harness.mpirun()]
        for choice in choices:
            command += ([":"] if len(command) > 1 else []) + [
                "-n", "1", "env", "LD_PRELOAD=" + harness.LIBRARY, "TSPROF_TRACE=" + choice,
                harness.program("stencil"), "--iterations", "10"]
        with Directory() as directory:
            summary = os.path.join(directory, "out.tsprof")
            result = harness.execute(command, cwd=directory, settings={
                "TSPROF_OUTPUT": summary, "TSPROF_VERBOSE": "1"})
            said = result.stderr.decode("utf-8", "replace")
            tap.ok(result.status == 0 and os.path.exists(summary),
                   label + "the job ends, with a summary", said)
            tap.ok("1 of 2 processes keep events" in said,
                   label + "why there is no trace is said", said)


def test_otf2_print_tells_of_files(tap):
    """Which file each operation is on, and how many bytes it has moved."""
    if not shutil.which("otf2-print"):
        raise harness.Skip("otf2-print is not installed")
    with Directory() as directory:
        summary, path = trace(directory, "files", 2, "all")[1:]
        printed = subprocess.run(["otf2-print", os.path.join(path, "traces.otf2")], check=True,
                                 capture_output=True, text=True).stdout
        moved = re.findall(r'^IO_OPERATION_COMPLETE .*Handle: "(.*?)".*Bytes Result: (\d+)',
                           printed, re.M)
        tap.equal({name for name, _ in moved}, {"files.data"}, "all are on the program's file")
        stated = sum(value for (_, _, metric), value in of_summary(summary, None).items()
                     if metric in ("bytes_io_read", "bytes_io_written"))
        tap.equal(sum(int(count) for _, count in moved), int(stated), "and have moved its bytes")


PLATE = ((2, True), (2, False))
SQUARE = ((0, 0), (0, 1), (1, 0), (1, 1))
PAIR = ((0,), (1,))

# Members, dimensions, places of what the program `grids` creates; and a copy.
GRIDS = sorted([
    ((0, 1, 2, 3), PLATE, SQUARE), ((0, 1, 2, 3), PLATE, SQUARE),
    ((0, 1), ((2, False),), PAIR), ((2, 3), ((2, False),), PAIR),
    ((0, 2), ((2, True),), PAIR), ((1, 3), ((2, True),), PAIR),
    ((0, 1, 2), ((3, False),), ((0,), (1,), (2,))),
])


class Places(Archive):
    """The functions in which messages of a tag leave and arrive."""

    def __init__(self, path, tag):
        self.tag, self.left, self.arrived = tag, [], []
        super().__init__(path)

    def send(self, thread, event):
        super().send(thread, event)
        if event.msg_tag == self.tag:
            self.left.append((thread.rank, thread.stack[-1], event.msg_length))

    def receive(self, thread, event):
        super().receive(thread, event)
        if event.msg_tag == self.tag:
            self.arrived.append((thread.rank, thread.stack[-1], event.msg_length))

    take_MpiSend = take_MpiIsend = send

    def take_MpiRecv(self, thread, event):
        self.receive(thread, event)

    take_MpiIrecv = take_MpiRecv


def test_partitions(tap):
    """A message in partitions leaves where the last of them is ready, once; also of threads."""
    with Directory() as directory:
        probe = harness.run_plain([harness.program("partitions"), "1"], 2, cwd=directory)
        if probe.status == 77:
            raise harness.Skip("this MPI has no partitioned messages")
        _, _, path = trace(directory, "partitions", 2, "all", ["200"])
        archive = Places(path, 7)
        tap.equal(archive.problems, [], "events are nested and in order")
        tap.equal(archive.left, [(0, "MPI_Pready", 48)] * 200, "one leaves for each start")
        tap.equal(archive.arrived, [(1, "MPI_Wait", 48)] * 200, "and arrives where it is waited for")
        tap.equal(archive.unmatched(), [], "messages match")
    with Directory() as directory:
        _, _, path = trace(directory, "requests", 2, "all",
                           settings={"TSPROF_ITERATION": "markers"})
        archive = Places(path, 150)
        for rank in range(2):
            tap.equal([entry for entry in archive.left if entry[0] == rank],
                      [(rank, "MPI_Pready_list", 80)] * 2, "partitions by ranges and lists leave")
            tap.equal([entry for entry in archive.arrived if entry[0] == rank],
                      [(rank, "MPI_Waitall", 80)] * 2, "and arrive")


def test_grids(tap):
    """Cartesian topologies are those that the program has made."""
    with Directory() as directory:
        _, archive = read(directory, "grids", 4, "all")
        tap.equal(archive.grids, GRIDS, "members, sizes, and where each member is")
        tap.equal(archive.problems, [], "events are nested and in order")


def test_bad_choice(tap):
    for choice in ("slowest", "slowest:0", "5-3", "1,,2", "x:"):
        with Directory() as directory:
            said, _, path = trace(directory, "stencil", 1, choice)
            tap.ok("TSPROF_TRACE=" + choice in said, choice + " is named in a message", said)
            tap.equal(path, None, choice + ": there is no archive")


if __name__ == "__main__":
    harness.main()
