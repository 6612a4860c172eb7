#!/usr/bin/env python3
"""Counters (TSPROF_COUNTERS): what passes in a function, a phase, an iteration or an MPI call is
found there, to the last event; what cannot be counted is told, and everything else goes on.

Most tests have a PAPI library whose counters the program sets itself (fake_papi.c)."""

import collections
import ctypes
import ctypes.util
import os
import re
import subprocess
import sys

import harness
import summary_reader
from harness import Directory, Skip

FAKE = os.path.join(harness.PROGRAMS, "libfake_papi.so")
LARGE = 5000000000000000000


def wrapped(value):
    """As integers of 64 bits add up."""
    return (value + 2**63) % 2**64 - 2**63


def run(directory, arguments, counters, settings=None, ranks=1, fake=True):
    """What was said, the program's output, and the summary."""
    summary = os.path.join(directory, "out.tsprof")
    standard = {"TSPROF_OUTPUT": summary, "TSPROF_CLUSTERS": "0", "TSPROF_RATE": "0",
                "TSPROF_COUNTERS": counters}
    if fake:
        standard.update(TSPROF_PAPI=FAKE, FAKE_PAPI_LOG=os.path.join(directory, "log"))
    result = harness.run_ranks([harness.program("counters")] + arguments, ranks,
                               settings=dict(standard, **(settings or {})), cwd=directory)
    harness.check_run(result, summary)
    return result.stderr.decode(), result.stdout.decode(), summary


def sets(directory):
    """What became of the sets of the fake library."""
    with open(os.path.join(directory, "log")) as file:
        return {key: int(value) for key, value in (line.split() for line in file)}


def check(tap, label, summary):
    """Everything adds up, by our reader and by the command."""
    content = summary_reader.Summary(summary)
    tap.equal(summary_reader.problems(content), [], label + ": everything adds up")
    info = harness.tsprof("info", summary)
    tap.ok(info.status == 0 and "NOT EXACT" not in info.stdout, label + ": info says so, too",
           info.stdout)
    return content


def by_path(summary, *options):
    """Values by iteration (None: the whole run), last region of the call path and counter."""
    found = collections.Counter()
    for row in harness.export(summary, "callpaths", *options):
        if re.match("FAKE|perf::", row["metric"]):
            iteration = int(row["iteration"]) if row["iteration"] else None
            region = row["callpath"].split(";")[-1]
            found[iteration, region, row["metric"]] += harness.number(row["value"])
    return {key: value for key, value in found.items() if value}


def by_iteration(content, location, counter):
    """A counter's values of the iterations, which are kept."""
    number = [metric.name for metric in content.metrics].index(counter)
    values = []
    for length, cluster in content.locations[location].series[0].map:
        # Where the thread was not there is no cluster.
        profile = {} if cluster is None else (
            content.locations[location].series[0].clusters[cluster].profile)
        values += [sum(v for (_, m), v in profile.items() if m == number)] * length
    return values


def total(content, counter, location=None):
    number = [metric.name for metric in content.metrics].index(counter)
    chosen = content.locations if location is None else [content.locations[location]]
    return sum(v for each in chosen for (_, m), v in each.whole.items() if m == number)


def notes(content):
    return [note for location in content.locations for note in location.notes]


# Where events are found


def script(iterations):
    """What the program does in the mode `script`."""
    wanted = {}
    for i in range(iterations):
        wanted[i, "step", "FAKE_0"] = 1000
        wanted[i, "step", "FAKE_1"] = 50
        wanted[i, "first", "FAKE_0"] = 10 * i + 1
        wanted[i, "first", "FAKE_1"] = -3
        wanted[i, "MPI_Reduce_local", "FAKE_0"] = 100 + i % 3
        wanted[i, "MPI_Reduce_local", "FAKE_1"] = -100 - i % 3
        wanted[i, "second", "FAKE_2"] = LARGE
    return wanted


def script_total(iterations):
    whole = collections.Counter({(None, "program", "FAKE_0"): 7 + 20 * iterations})
    for (_, region, counter), value in script(iterations).items():
        whole[None, region, counter] = wrapped(whole[None, region, counter] + value)
    return whole


def test_places(tap):
    """Functions between markers, MPI calls, phases, iterations, and what lies outside: exactly."""
    for cost in ("0", "1", "1000000"):
        label = "tsprof adds %s a reading" % cost
        with Directory() as directory:
            said, _, summary = run(directory, ["script", "12"], "FAKE_0,FAKE_1,FAKE_2",
                                   {"FAKE_PAPI": "cost=" + cost})
            content = check(tap, label, summary)
            if cost == "0":
                tap.equal(by_path(summary), script(12), label + ": each where it was")
                tap.equal(by_path(summary, "--total"), dict(script_total(12)),
                          label + ": and in the whole run")
            costs = content.locations[0].costs
            tap.equal(costs["counter_overhead.FAKE_0"] > 0, cost != "0",
                      label + ": tsprof's own is told")
            tap.ok("not counted" not in said and not notes(content), label + ": no complaint",
                   said)
    with Directory() as directory:
        _, _, summary = run(directory, ["script", "12"], "FAKE_0,FAKE_1,FAKE_2")
        kinds = {m.name: (m.unit, m.scale, m.parent, m.counter)
                 for m in summary_reader.Summary(summary).metrics if m.name.startswith("FAKE")}
        tap.equal(kinds, {name: ("occ", 0, None, True)
                          for name in ("FAKE_0", "FAKE_1", "FAKE_2")}, "counters are metrics")


def test_own_work_is_nobodys(tap):
    """One reading falls into what it ends; the others of a marker or a call are tsprof's."""
    with Directory() as directory:
        _, _, summary = run(directory, ["script", "12"], "FAKE_0,FAKE_1,FAKE_2",
                            {"FAKE_PAPI": "cost=1"})
        content = check(tap, "cost", summary)
        wanted = script(12)
        for i in range(12):
            # Each part that a reading ends: the body of the iteration has four of them.
            for region, counter, more in (
                    ("step", "FAKE_0", 4), ("step", "FAKE_1", 4), ("step", "FAKE_2", 4),
                    ("first", "FAKE_0", 1), ("first", "FAKE_1", 1), ("first", "FAKE_2", 1),
                    ("second", "FAKE_0", 1), ("second", "FAKE_1", 1), ("second", "FAKE_2", 1),
                    ("MPI_Reduce_local", "FAKE_0", 1), ("MPI_Reduce_local", "FAKE_1", 1),
                    ("MPI_Reduce_local", "FAKE_2", 1)):
                key = (i, region, counter)
                wanted[key] = wanted.get(key, 0) + more
        got = by_path(summary)
        rounded = {key: float(value) for key, value in wanted.items()}
        tap.equal({key: float(value) for key, value in got.items()}, rounded,
                  "cost: one reading in each part")
        costs = content.locations[0].costs
        # MPI_Init is left twice, by itself and by its start of the measurement, MPI_Finalize never.
        tap.equal(costs["counter_overhead.FAKE_0"], costs["calls"] + costs["markers"],
                  "cost: one for tsprof whenever it is left")


def test_samples(tap):
    """Iterations stay exact wherever samples fall, and sampled functions have events."""
    for rate, timer, cost in (("1000", "cpu", 0), ("10000", "perf", 0), ("10000", "perf", 1)):
        with Directory() as directory:
            _, _, summary = run(directory, ["samples", "10"], "FAKE_0",
                                {"TSPROF_RATE": rate, "TSPROF_TIMER": timer,
                                 "FAKE_PAPI": "cost=%d" % cost})
            label = "%s a second, cost %d" % (rate, cost)
            content = check(tap, label, summary)
            # A reading at each sample, and one at the end.
            readings = [samples + 1 for samples in by_iteration(content, 0, "samples")]
            tap.equal(by_iteration(content, 0, "FAKE_0"),
                      [20 * (1000 + i) + 1 + cost * readings[i] for i in range(10)],
                      label + ": each iteration")
            costs = content.locations[0].costs
            tap.ok(costs["counter_overhead.FAKE_0"] >=
                   cost * (costs["calls"] + costs["markers"] + costs["samples"]),
                   label + ": the handler's work is tsprof's")
            found = by_path(summary, "--total")
            sampled = [region for _, region, _ in found if region not in ("step", "program")]
            tap.ok(content.locations[0].costs["samples"] > 0, label + ": there are samples")
            tap.ok(sampled, label + ": sampled call paths have events", found)


def test_samples_inside_mpi(tap):
    """What the handler does in an MPI call is not the call's, but for what its reading takes."""
    with Directory() as directory:
        _, _, summary = run(directory, ["inside", "10"], "FAKE_0",
                            {"TSPROF_RATE": "1000", "TSPROF_TIMER": "perf",
                             "FAKE_PAPI": "cost=1000"})
        content = check(tap, "inside", summary)
        found = by_path(summary)
        inside = [found[i, "MPI_Reduce_local", "FAKE_0"] - 10 - i for i in range(10)]
        tap.equal([value % 1000 for value in inside], [0] * 10, "inside: no event is lost")
        interrupts = sum(inside) // 1000 - 10
        costs = content.locations[0].costs
        tap.ok(interrupts > 0, "inside: samples fell there")
        tap.equal(costs["counter_overhead.FAKE_0"] // 1000,
                  costs["calls"] + costs["markers"] + costs["samples"] + interrupts,
                  "inside: what the handler does is tsprof's")


def test_ranks_and_clusters(tap):
    """Clusters have sums, maxima and spreads of counters, on line as off line."""
    maximum = max(1000 + 10 * i + 1 + 100 + i % 3 for i in range(12))
    for clusters in ("3", "0"):
        for method in ("adaptive", "szebenyi"):
            label = "%s clusters, %s" % (clusters, method)
            with Directory() as directory:
                _, _, summary = run(directory, ["script", "12"], "FAKE_0,FAKE_1,FAKE_2",
                                    {"TSPROF_CLUSTERS": clusters, "TSPROF_CLUSTERING": method},
                                    ranks=2)
                if clusters == "0":
                    smaller = os.path.join(directory, "three.tsprof")
                    done = harness.tsprof("compress", summary, "--clusters", "3", "-o", smaller)
                    tap.equal(done.status, 0, label + ": clustered off line")
                    check_same(tap, label, summary, smaller)
                    summary = smaller
                content = check(tap, label, summary)
                names = [metric.name for metric in content.metrics]
                for number, location in enumerate(content.locations):
                    series = location.series[0]
                    tap.ok(len(series.clusters) <= 3, label + ": clusters")
                    tap.equal([series.maxima[names.index("FAKE_%d" % i)] for i in range(3)],
                              [maximum, 55, LARGE], label + ": maxima of rank %d" % number)
                whole = collections.Counter()
                for key, value in script_total(12).items():
                    whole[key] = float(2 * value)
                got = {k: float(v) for k, v in by_path(summary, "--total").items()}
                tap.equal(got, dict(whole), label + ": the whole run")


def check_same(tap, label, a, b):
    """`compare` knows the counters."""
    compared = harness.tsprof("compare", a, b, "--metric", "FAKE_0")
    tap.ok(compared.status == 0 and "FAKE_0" in compared.stdout, label + ": compared",
           compared.stdout + compared.stderr)


def test_commands(tap):
    with Directory() as directory:
        _, _, summary = run(directory, ["script", "12"], "FAKE_0,FAKE_1,FAKE_2")
        report = harness.tsprof("report", summary, "--metric", "FAKE_0")
        tap.ok(report.status == 0 and "FAKE_0" in report.stdout, "report --metric",
               report.stdout + report.stderr)
        rows = harness.export(summary, "iterations", "--metric", "FAKE_0")
        tap.equal([harness.number(row["value"]) for row in rows],
                  [1000 + 10 * i + 1 + 100 + i % 3 for i in range(12)], "export --metric")
        info = harness.tsprof("info", summary).stdout
        tap.ok(re.search(r"^PAPI +7\.1$", info, re.M), "info tells the version", info)
        tap.ok(re.search(r"^counters +FAKE_0 \(occ\): ", info, re.M), "and the counters", info)
        tap.ok(re.search(r"^counting +exact", info, re.M), "and checks them", info)


def test_different_counters(tap):
    """Ranks may count different events, in any order."""
    with Directory() as directory:
        summary = os.path.join(directory, "out.tsprof")
        command, wanted = [harness.mpirun()], []
        for counters in ("FAKE_0,FAKE_1", "FAKE_2,FAKE_1", "FAKE_1,FAKE_0,FAKE_3"):
            command += ["-n", "1", "env", "LD_PRELOAD=" + harness.LIBRARY,
                        "TSPROF_COUNTERS=" + counters, harness.program("counters"), "script",
                        "12", ":"]
            wanted.append(counters.split(","))
        result = harness.execute(command[:-1], settings={
            "TSPROF_OUTPUT": summary, "TSPROF_RATE": "0", "TSPROF_CLUSTERS": "4",
            "TSPROF_PAPI": FAKE}, cwd=directory)
        harness.check_run(result, summary)
        content = check(tap, "different", summary)
        exact = {"FAKE_%d" % i: wrapped(sum(v for (_, _, c), v in script_total(12).items()
                                            if c == "FAKE_%d" % i)) for i in range(4)}
        for rank, counters in enumerate(wanted):
            tap.equal({name: total(content, name, rank) for name in exact},
                      {name: exact[name] if name in counters else 0 for name in exact},
                      "different: rank %d has its own" % rank)
            told = {key[len("counter."):] for key in content.locations[rank].costs
                    if key.startswith("counter.")}
            tap.equal(told, set(counters), "different: rank %d tells which" % rank)


# Threads


def test_pool(tap):
    """Each thread has its own counters, in the iterations that the main one marks."""
    with Directory() as directory:
        _, _, summary = run(directory, ["pool", "20"], "FAKE_0")
        content = check(tap, "pool", summary)
        tap.equal(len(content.locations), 4, "pool: four threads")
        tap.equal(by_iteration(content, 0, "FAKE_0"), [1] * 20, "pool: the main thread's")
        each = sorted(tuple(by_iteration(content, n, "FAKE_0")) for n in (1, 2, 3))
        tap.equal(each, [tuple(100 * n + i for i in range(20)) for n in (1, 2, 3)],
                  "pool: the workers'")
        done = sets(directory)
        tap.equal((done["alive"], done["misused"]), (1, 0), "pool: sets are given back")


def test_follow(tap):
    """What a thread counted across borders is divided, and nothing lost."""
    for rate in ("0", "1000"):
        with Directory() as directory:
            _, _, summary = run(directory, ["follow", "20"], "FAKE_0", {"TSPROF_RATE": rate})
            content = check(tap, "follow, rate " + rate, summary)
            tap.equal(total(content, "FAKE_0"), 1000, "follow, rate %s: all of it" % rate)
            parts = by_iteration(content, 1, "FAKE_0")
            tap.ok(sum(1 for part in parts if part) > 10,
                   "follow, rate %s: in many iterations" % rate, parts)


def test_storm(tap):
    """Threads that come and go take sets with them, and leave none."""
    with Directory() as directory:
        _, _, summary = run(directory, ["storm", "2000"], "FAKE_0,FAKE_1")
        content = check(tap, "storm", summary)
        tap.equal(total(content, "FAKE_0"), 7 * 2000, "storm: each thread's events")
        done = sets(directory)
        tap.equal((done["alive"], done["misused"]), (1, 0), "storm: sets are given back")
        tap.equal(done["made"], 1024 + 1 + 1 + 2000, "storm: one for each thread")
        tap.equal(done["forgotten"], 2001, "storm: and PAPI is told that they ended")


def test_early(tap):
    """A thread that was there before counts from its first call of MPI on."""
    with Directory() as directory:
        _, _, summary = run(directory, ["early"], "FAKE_0")
        content = check(tap, "early", summary)
        tap.equal(total(content, "FAKE_0"), 16, "early: what came after its first call")


def test_cancel(tap):
    """A reading is no place for a thread to end that was cancelled."""
    for rate in ("0", "1000"):
        with Directory() as directory:
            _, printed, summary = run(directory, ["cancel"], "FAKE_0", {"TSPROF_RATE": rate})
            tap.equal(printed, "survived 1, cancelled 1\n", "cancel, rate " + rate)
            check(tap, "cancel", summary)


def test_exit(tap):
    with Directory() as directory:
        summary = os.path.join(directory, "out.rank0.tsprof")
        settings = {"TSPROF_OUTPUT": os.path.join(directory, "out.tsprof"),
                    "TSPROF_CLUSTERS": "0", "TSPROF_RATE": "0", "TSPROF_PAPI": FAKE,
                    "TSPROF_COUNTERS": "FAKE_0"}
        harness.run_ranks([harness.program("counters"), "exit", "3"], 1, settings=settings,
                          cwd=directory)
        content = check(tap, "exit", summary)
        wanted = sum(v for (_, _, c), v in script_total(3).items() if c == "FAKE_0")
        tap.equal(total(content, "FAKE_0"), wanted, "exit: all that was counted until then")


def test_children(tap):
    """A child does not count, and hands none of PAPI's files on."""
    for fake in (True, False):
        if not fake and why_no_events():
            tap.skip("children of a program with real counters", why_no_events())
            continue
        with Directory() as directory:
            counters = "FAKE_0" if fake else "perf::PAGE-FAULTS,perf::TASK-CLOCK"
            _, printed, summary = run(directory, ["children"], counters, fake=fake)
            content = check(tap, "children", summary)
            tap.ok("/proc" in printed or "->" in printed, "children: one shows its files",
                   printed)
            tap.ok("perf_event" not in printed, "children: PAPI's are not among them", printed)
            if fake:
                tap.equal(total(content, "FAKE_0"), 101, "children: theirs are not counted")


# What cannot be counted


def check_refused(tap, label, counters, settings, wanted, counted=(), arguments=("script", "3"),
                  fake=True):
    """One line for each of WANTED, a counter and what is said of it; COUNTED works."""
    with Directory() as directory:
        said, _, summary = run(directory, list(arguments), counters, settings, ranks=2,
                               fake=fake)
        content = check(tap, label, summary)
        lines = [line for line in said.splitlines() if "not counted" in line]
        tap.equal(len(lines), len(wanted), label + ": said once each")
        for name, why in wanted:
            about = [line for line in lines if "not counted: %s: " % name in line]
            tap.ok(len(about) == 1 and re.search(why, about[0]), label + ": " + name, said)
            there = [note for note in notes(content) if note.startswith("not counted: " + name)]
            tap.equal(len(there), 2, label + ": each rank's notes tell of " + name)
        tap.equal([m.name for m in content.metrics if m.counter], list(counted),
                  label + ": the others are counted")
        tap.equal(content.locations[0].series[0].phase is not None, True, label + ": it ran")


def test_unknown(tap):
    check_refused(tap, "unknown", " FAKE_0, OTHER_NONE,,nonsense ,FAKE_1,FAKE_0", {},
                  [("OTHER_NONE", "no such event"), ("nonsense", "no such event")],
                  ["FAKE_0", "FAKE_1"])
    check_refused(tap, "nearly known", "fake::fake-17", {},
                  [("fake::fake-17", "no such event here, did you mean FAKE_17\\?")])
    check_refused(tap, "none known", "nonsense,nonsense", {}, [("nonsense", "no such event")])


def test_processor_unknown_to_papi(tap):
    """Then it has no events at all, not even the system's."""
    check_refused(tap, "unknown processor", "FAKE_0,FAKE_1", {"FAKE_PAPI": "unknown"},
                  [("FAKE_0", "counts nothing on this processor \\(papi_component_avail says why"),
                   ("FAKE_1", "counts nothing on this processor")])


def test_not_of_threads(tap):
    check_refused(tap, "system", "FAKE_SYSTEM,FAKE_1", {},
                  [("FAKE_SYSTEM", "what a thread does")], ["FAKE_1"])


def test_too_many(tap):
    check_refused(tap, "limit", "FAKE_4,FAKE_5,FAKE_6,FAKE_7", {"FAKE_PAPI": "limit=2"},
                  [("FAKE_6", "together"), ("FAKE_7", "together")], ["FAKE_4", "FAKE_5"])
    names = ["FAKE_%d" % i for i in range(18)]
    check_refused(tap, "eighteen", ",".join(names), {},
                  [("FAKE_16", "at most 16 counters"), ("FAKE_17", "at most 16 counters")],
                  names[:16])


def test_denied(tap):
    check_refused(tap, "denied", "FAKE_0,FAKE_1", {"FAKE_PAPI": "deny"},
                  [("FAKE_0", "denies.*paranoid is"), ("FAKE_1", "denies.*paranoid is")])


def test_no_library(tap):
    for path in ("/nonexistent/libpapi.so", harness.COMMAND):
        check_refused(tap, "library", "FAKE_0,FAKE_1", {"TSPROF_PAPI": path},
                      [("FAKE_0,FAKE_1", re.escape(path))])


def test_program_uses_papi(tap):
    """A thread can count for one at a time: the program goes first."""
    for how, settings in (("local", {}), ("global", {"TSPROF_PAPI": ""})):
        check_refused(tap, how, "FAKE_0", settings,
                      [("FAKE_0", "the program uses PAPI itself")],
                      arguments=["script", "3", how, FAKE])


def test_readings_fail(tap):
    """Counters that cannot be read any more end, and what was counted stays."""
    for which in (2, 3, 10, 50):
        with Directory() as directory:
            _, _, summary = run(directory, ["script", "12"], "FAKE_0",
                                {"FAKE_PAPI": "break=%d" % which})
            content = check(tap, "broken", summary)
            tap.ok(any("no longer be read" in note for note in notes(content)),
                   "broken at reading %d: told" % which, notes(content))


def test_threads_refused(tap):
    """A thread that is refused counters is measured without."""
    with Directory() as directory:
        _, _, summary = run(directory, ["storm", "80"], "FAKE_0", {"FAKE_PAPI": "starts=12"})
        content = check(tap, "some refused", summary)
        # One start is a trial, one the main thread's.
        tap.equal(total(content, "FAKE_0"), 7 * 10, "some refused: ten threads could count")
        told = [bool(location.notes) for location in content.locations]
        tap.ok(not told[0] and any(told), "some refused: it is told where", notes(content))
        done = sets(directory)
        tap.equal((done["alive"], done["misused"]), (1, 0), "some refused: sets are given back")
        tap.equal(done["forgotten"], 81, "some refused: PAPI is told that the threads ended")


def test_nothing_wanted(tap):
    """Without counters PAPI stays out of the process."""
    with Directory() as directory:
        _, _, summary = run(directory, ["script", "3"], "", {"TSPROF_PAPI": FAKE})
        content = check(tap, "nothing", summary)
        tap.ok(not os.path.exists(os.path.join(directory, "log")), "nothing: PAPI not opened")
        tap.ok(not any(m.counter for m in content.metrics) and "papi" not in content.run,
               "nothing: no trace of it")


# The real library


# In a process of its own; ends with 77 where the library has no events of the system, as on a
# processor that it does not know.
ASK_PAPI = """
import ctypes, ctypes.util
papi, event = ctypes.CDLL(ctypes.util.find_library("papi")), ctypes.c_int()
versions = [major << 24 | minor << 16 for major in (7, 6, 5, 8, 9) for minor in range(10)]
if not any(papi.PAPI_library_init(version) == version for version in versions):
    raise SystemExit(0)
raise SystemExit(77 if papi.PAPI_event_name_to_code(b"perf::PAGE-FAULTS", ctypes.byref(event)) else 0)
"""


def knows_processor():
    return subprocess.run([sys.executable, "-c", ASK_PAPI], stderr=subprocess.DEVNULL).returncode != 77


def why_no_events():
    """Why the system's events cannot be counted here; empty if they can."""
    if not ctypes.util.find_library("papi"):
        return "there is no PAPI library"
    if not knows_processor():
        return "the PAPI library does not know this processor, and then has no events at all"
    # struct perf_event_attr: a software event, page faults, of the user's code only.
    attributes = ctypes.create_string_buffer(64)
    ctypes.memmove(attributes, b"\x01\0\0\0\x40\0\0\0\x02" + bytes(31) + b"\x61", 41)
    libc = ctypes.CDLL(None, use_errno=True)
    file = libc.syscall(298, attributes, 0, -1, -1, 0)
    if file < 0:
        return "the system denies performance events"
    os.close(file)
    return ""


def test_page_faults(tap):
    """New pages, touched in functions and inside MPI, are one fault each."""
    if why_no_events():
        raise Skip(why_no_events())
    with Directory() as directory:
        _, _, summary = run(directory, ["pages", "12"], "perf::PAGE-FAULTS", fake=False)
        check(tap, "pages", summary)
        # What the first iterations touch for the first time is the program's code as well.
        wanted = {}
        for i in range(2, 12):
            wanted[i, "touch"], wanted[i, "MPI_Reduce_local"], wanted[i, "step"] = 20 + i, 5 + i, 3
        got = {(i, region): value for (i, region, _), value in by_path(summary).items() if i > 1}
        tap.equal(got, wanted, "pages: each fault where it was")
        whole = by_path(summary, "--total")
        tap.ok(whole.get((None, "MPI_Init_thread", "perf::PAGE-FAULTS"), 0) > 0,
               "pages: those of MPI's start, too", whole)


def test_context_switches(tap):
    """Sleeping gives the processor away; being robbed of it counts as well."""
    if why_no_events():
        raise Skip(why_no_events())
    with Directory() as directory:
        # PAPI knows them in small letters and without what stands before them, too.
        said, _, summary = run(directory, ["switches", "12"],
                               "perf::CONTEXT-SWITCHES,perf::TASK-CLOCK,context-switches",
                               fake=False)
        if "perf::CONTEXT-SWITCHES" in said:
            tap.ok("denies" in said, "switches: the kernel's events are denied", said)
            return
        content = check(tap, "switches", summary)
        found = by_path(summary)
        few = [i for i in range(12) if found.get((i, "sleep", "perf::CONTEXT-SWITCHES"), 0) < 5 + i]
        tap.equal(few, [], "switches: one for each sleep at least")
        tap.equal(total(content, "context-switches"), total(content, "perf::CONTEXT-SWITCHES"),
                  "switches: by whatever name")
        clock = [m for m in content.metrics if m.name == "perf::TASK-CLOCK"][0]
        tap.equal((clock.unit, clock.scale), ("s", 9), "switches: the task clock is in seconds")


def test_real_names(tap):
    """The real library's names, as they may be mistyped."""
    if why_no_events():
        raise Skip(why_no_events())
    names = (("perf::PAGE_FAULT", "perf::PAGE-FAULTS"), ("perf::contextswitches", "perf::CONTEXT-SWITCHES"),
             ("TOT_CYCL", "PAPI_TOT_CYC"), ("PAPI_FLOPS", "PAPI_FP_OPS"))
    check_refused(tap, "mistyped", ",".join(name for name, _ in names), {},
                  [(name, "mean %s\\?" % meant) for name, meant in names],
                  arguments=("pages", "3"), fake=False)


def test_processor_unknown(tap):
    """Then it says so, and not that the event has another name."""
    if not ctypes.util.find_library("papi"):
        raise Skip("there is no PAPI library")
    if knows_processor():
        raise Skip("the PAPI library knows this processor")
    with Directory() as directory:
        said, _, summary = run(directory, ["pages", "3"], "perf::PAGE-FAULTS", fake=False)
        check(tap, "unknown processor", summary)
        tap.ok("PAPI counts nothing on this processor" in said, "unknown processor: said so", said)


def test_real_threads(tap):
    """Threads come and go with the system's files of events, and none is left over."""
    if why_no_events():
        raise Skip(why_no_events())
    with Directory() as directory:
        said, _, summary = run(directory, ["storm", "3000"], "perf::PAGE-FAULTS", fake=False)
        content = check(tap, "real storm", summary)
        tap.equal(notes(content), [], "real storm: no thread without counters")
        tap.ok(total(content, "perf::PAGE-FAULTS") > 0, "real storm: faults are counted")
        for mode in (["cancel"], ["pool", "20"], ["early"], ["follow", "20"]):
            with Directory() as inner:
                _, _, summary = run(inner, mode, "perf::PAGE-FAULTS", {"TSPROF_RATE": "1000"},
                                    fake=False)
                check(tap, "real " + mode[0], summary)


if __name__ == "__main__":
    harness.main()
