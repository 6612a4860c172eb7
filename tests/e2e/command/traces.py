#!/usr/bin/env python3
"""Traces: what tsprof export --format perfetto makes of archives whose every event is known, whoever
wrote them, and what is said of archives that are damaged, incomplete or none."""

import collections
import json
import os
import random
import re
import shutil
import subprocess

import harness
from archive_reader import Archive
from harness import Directory

# The module comes with the system's own Python.
PYTHON = "/usr/bin/python3"
MAKER = os.path.join(harness.TOP_SRCDIR, "tests", "synthetic", "make_trace.py")


def needs_otf2(directory):
    """Skips the test where archives cannot be written, or not be read."""
    probe = subprocess.run([PYTHON, "-c", "import otf2"], stderr=subprocess.DEVNULL, check=False) \
        if os.path.exists(PYTHON) else None
    if not probe or probe.returncode != 0:
        raise harness.Skip("python3-otf2 is missing")
    make(directory, "--iterations", "0", "--ranks", "1", name="probe")
    result = harness.tsprof("export", os.path.join(directory, "probe.otf2"), "--format",
                            "perfetto")
    if "without OTF2" in result.stderr:
        raise harness.Skip("built without OTF2")


def make(directory, *options, name="app"):
    """Path and truth of an archive."""
    path = os.path.join(directory, name + ".otf2")
    done = subprocess.run([PYTHON, "-B", MAKER, path, *options], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise harness.Failure(done.stderr)
    return path, json.loads(done.stdout)


def export(path, *options):
    result = harness.tsprof("export", path, "--format", "perfetto", *options)
    if result.status != 0 or result.stderr:
        raise harness.Failure("status %d\n%s" % (result.status, result.stderr))
    return json.loads(result.stdout)["traceEvents"]


def of_kind(events, *kinds):
    return [event for event in events if event["ph"] in kinds]


def nanoseconds(event):
    return round(1000 * event["ts"])


class Slices:
    """The calls in EVENTS: each with its begin, end, arguments and depth."""

    def __init__(self, events):
        self.list, self.faults, open_calls = [], [], collections.defaultdict(list)
        for event in of_kind(events, "B", "E"):
            stack = open_calls[event["pid"], event["tid"]]
            if event["ph"] == "B":
                stack.append(event)
            elif not stack:
                self.faults.append("an end without a beginning: %s" % event)
            else:
                begun = stack.pop()
                if event["ts"] < begun["ts"]:
                    self.faults.append("ends before it begins: %s" % begun)
                self.list.append({"name": begun["name"], "pid": begun["pid"], "tid": begun["tid"],
                                  "cat": begun["cat"], "begin": nanoseconds(begun),
                                  "end": nanoseconds(event), "depth": len(stack),
                                  "args": {**begun.get("args", {}), **event.get("args", {})}})
        self.faults += ["no end: %s" % stack for stack in open_calls.values() if stack]

    def named(self, name):
        return [one for one in self.list if one["name"] == name]


def flows(events):
    """(from, to, sent, received) of each message that has both ends."""
    begun = {event["id"]: event for event in of_kind(events, "s")}
    return sorted((begun[event["id"]]["pid"], event["pid"], nanoseconds(begun[event["id"]]),
                   nanoseconds(event)) for event in of_kind(events, "f"))


def stated(truth, late=0):
    """The same, as the run has it; odd ranks' clocks may be LATE."""
    def shift(rank):
        return late if rank % 2 else 0
    return sorted((one["from"], one["to"], one["sent_ns"] - shift(one["from"]),
                   one["received_ns"] - shift(one["to"])) for one in truth["messages"])


def test_everything_is_there(tap):
    with Directory() as directory:
        needs_otf2(directory)
        path, truth = make(directory, "--ranks", "5", "--steps", "3")
        events = export(path)
        slices = Slices(events)
        tap.equal(slices.faults, [], "calls are nested")
        counted = collections.Counter(one["name"] for one in slices.list)
        tap.equal(counted, truth["calls"], "as many calls of each function")
        tap.equal(flows(events), stated(truth), "all messages, at their times")
        steps = slices.named("timestep")
        tap.equal(sorted((one["pid"], one["args"]["iteration"]) for one in steps),
                  [(rank, i) for rank in range(5) for i in (3, 7, 8)], "iterations have numbers")
        tap.equal({one["cat"] for one in slices.named("MPI_Allreduce")}, {"mpi_collective"},
                  "categories are metrics")
        waits = [one["args"] for one in slices.named("MPI_Waitall") if one["pid"] == 1]
        tap.equal(waits[0], {"communicator": "MPI_COMM_WORLD", "peer": 0, "messages": 3,
                             "bytes_received": 600, "file": "/src/app.c", "line": 18},
                  "a call says what it received")
        sends = [one["args"] for one in slices.named("MPI_Send") if one["pid"] == 1]
        tap.equal(sends[0], {"communicator": "MPI_COMM_WORLD", "peer": 2, "tag": 2,
                             "bytes_sent": 300, "file": "/src/app.c", "line": 17},
                  "and what it sent, where to")
        samples = of_kind(events, "i")
        tap.equal({(one["pid"] % 2, one["args"]["callpath"]) for one in samples},
                  {(0, "main;timestep;solve")}, "samples have call paths")
        tap.equal(len(samples), 3 * 3 * 3, "all samples")
        counters = of_kind(events, "C")
        tap.ok(len(counters) == 5 * 3 * 3 and all(
            one["name"] == "instructions" and one["args"]["value"] == 1000 * nanoseconds(one)
            for one in counters), "counters", counters[:3])
        names = {one["pid"]: one["args"] for one in of_kind(events, "M")
                 if one["name"] == "process_name"}
        tap.equal(names[4], {"name": "MPI Rank 4", "host": "node<1>"}, "processes have names")


def test_what_is_selected(tap):
    with Directory() as directory:
        needs_otf2(directory)
        path, truth = make(directory, "--ranks", "4", "--threads", "2")
        events = export(path, "--iteration", "7-8", "--rank", "1-2")
        slices = Slices(events)
        tap.equal(slices.faults, [], "calls are nested")
        tap.equal({one["pid"] for one in slices.list}, {1, 2}, "the ranks")
        tap.equal(sorted({one["args"]["iteration"] for one in slices.named("timestep")}), [7, 8],
                  "the iterations")
        tap.equal(slices.named("main"), [], "nothing around them")
        tap.ok({one["tid"] for one in slices.named("work")} == {1},
               "what other threads did in them as well")
        bounds = [(one["begin"], one["end"]) for one in slices.named("timestep")]
        tap.ok(all(any(begin <= one["begin"] <= end for begin, end in bounds)
                   for one in slices.list), "and nothing else")
        tap.equal(flows(events),
                  sorted((one["from"], one["to"], one["sent_ns"], one["received_ns"])
                         for one in truth["messages"]
                         if one["iteration"] in (7, 8) and (one["from"], one["to"]) == (1, 2)),
                  "messages between them")
        tap.equal({one["tid"] for one in Slices(export(path, "--thread", "0")).list}, {0},
                  "--thread")
        tap.equal(len(Slices(export(path, "--phase", "timestep")).named("timestep")), 12,
                  "--phase")


# Options, the exit status, and what is said; the archive has iterations 3, 7 and 8 of ranks 0 to 3.
REFUSED = (
    (("--phase", "solve"), 1, 'there is no phase "solve"'),
    (("--phase", "checkpoint"), 1, "has no iterations of what is chosen"),
    (("--iteration", "500"), 1, "has no iteration 500; the last one in it is 8"),
    (("--iteration", "4"), 1, "has no iteration 4; the last one in it is 8"),
    (("--iteration", "4-6", "--rank", "1"), 1, "has no iterations 4-6; the last one in it is 8"),
    (("--rank", "7"), 1, "has no rank from 7 on; its last is 3"),
    (("--thread", "5"), 1, "has no thread from 5 on; the last is 1"),
    (("--metric", "nosuch"), 2, "the format perfetto does not take --metric; csv, "),
    (("--metric", "time"), 2, "the format perfetto does not take --metric; csv, "),
    (("--total",), 2, "the format perfetto does not take --total; csv, "),
)


def test_what_cannot_be_selected(tap):
    """Is refused, and nothing is written."""
    with Directory() as directory:
        needs_otf2(directory)
        path, _ = make(directory, "--ranks", "4", "--threads", "2")
        out = os.path.join(directory, "out.json")
        for options, status, words in REFUSED:
            label = " ".join(options)
            result = harness.tsprof("export", path, "--format", "perfetto", *options)
            tap.ok((result.status, result.stdout) == (status, "") and words in result.stderr
                   and result.stderr.count("\n") == 1, label, (result.status, result.stderr))
            result = harness.tsprof("export", path, "--format", "perfetto", "-o", out, *options)
            tap.ok(result.status == status and not os.path.exists(out), label + " into a file",
                   result.stderr)
        steps = Slices(export(path, "--iteration", "4-7")).named("timestep")
        tap.equal({one["args"]["iteration"] for one in steps}, {7},
                  "of a range those that are there are written")


def test_an_archive_of_another_tool(tap):
    """Instances of a dynamic region are numbered here; the clock has another resolution."""
    with Directory() as directory:
        needs_otf2(directory)
        path, truth = make(directory, "--flavour", "scorep", "--iterations", "0-4")
        events = export(path)
        slices = Slices(events)
        tap.equal(sorted(one["args"]["iteration"] for one in slices.named("timestep")
                         if one["pid"] == 0), [0, 1, 2, 3, 4], "iterations")
        tap.equal(flows(events), stated(truth), "messages, at their times")


def test_clocks_that_disagree(tap):
    """Messages that arrive before they were sent are still themselves."""
    with Directory() as directory:
        needs_otf2(directory)
        path, truth = make(directory, "--late", "20000")
        first = min(0, *(-20000 + 1000 * rank for rank in (1, 3)))
        tap.equal(flows(export(path)),
                  [(*one[:2], one[2] - first, one[3] - first) for one in stated(truth, 20000)],
                  "messages")


def test_ways_to_name_a_trace(tap):
    with Directory() as directory:
        needs_otf2(directory)
        path, _ = make(directory)
        whole = export(path)
        summary = os.path.join(directory, "app.tsprof")
        shutil.copy(os.path.join(harness.TOP_SRCDIR, "tests", "golden", "plain.tsprof"), summary)
        tap.equal(export(os.path.join(path, "traces.otf2")), whole, "by its anchor")
        tap.equal(export(summary), whole, "by the summary beside it")
        out = os.path.join(directory, "out.json")
        harness.tsprof("export", path, "--format", "perfetto", "-o", out)
        with open(out, encoding="utf-8") as file:
            tap.equal(json.load(file)["traceEvents"], whole, "into a file")
        os.rename(summary, os.path.join(directory, "other.tsprof"))
        for wrong, words in ((os.path.join(directory, "other.tsprof"), "there is no trace"),
                             (directory, "there is no trace"),
                             (os.path.join(directory, "absent"), "No such file")):
            result = harness.tsprof("export", wrong, "--format", "perfetto")
            tap.ok((result.status, result.stdout) == (1, "") and words in result.stderr
                   and result.stderr.count("\n") == 1, words, result.stderr)


def damage(path, chance):
    """Changes one file of an archive; returns what was done."""
    files = sorted(os.path.join(folder, name) for folder, _, names in os.walk(path)
                   for name in names)
    name = chance.choice(files)
    with open(name, "rb") as file:
        content = bytearray(file.read())
    way = chance.random()
    if way < 0.1:
        os.remove(name)
        return "without " + name
    if way < 0.4:
        content = content[:chance.randrange(len(content) + 1)]
    for _ in range(chance.choice((1, 3, 20)) if way >= 0.4 else 0):
        content[chance.randrange(min(len(content), 4000))] = chance.choice(
            (0, 1, 255, chance.randrange(256)))
    with open(name, "wb") as file:
        file.write(content)
    return "damaged " + name


def test_damaged_archives(tap):
    with Directory() as directory:
        needs_otf2(directory)
        path, _ = make(directory, "--ranks", "2")
        chance, copy, wrong, refused = random.Random(11), os.path.join(directory, "copy"), [], 0
        for _ in range(100):
            shutil.copytree(path, copy)
            done = damage(copy, chance)
            # OTF2 itself loses memory where it cannot open an archive.
            result = harness.tsprof("export", copy, "--format", "perfetto", "-o", "/dev/null",
                                    settings={"LSAN_OPTIONS": "detect_leaks=0"})
            refused += result.status == 1
            if (result.status, result.stderr.count("\n")) not in ((0, 0), (1, 1)):
                wrong.append((done, result.status, result.stderr))
            shutil.rmtree(copy)
        tap.equal(wrong, [], "are read, or refused in one line")
        tap.ok(refused > 30, "most are refused", refused)


def test_pages_with_a_trace(tap):
    """What is in them is tested in a browser; here, which trace they have, and what is refused."""
    with Directory() as directory:
        needs_otf2(directory)
        path, _ = make(directory, "--ranks", "2", "--threads", "2")
        plain = os.path.join(harness.TOP_SRCDIR, "tests", "golden", "plain.tsprof")
        summary, other = (os.path.join(directory, name) for name in ("app.tsprof", "other.tsprof"))
        shutil.copy(plain, summary)
        shutil.copy(plain, other)
        probe = harness.tsprof("html", summary)
        if "without the page" in probe.stderr:
            raise harness.Skip("built without the page")
        indices = []
        for arguments in ((summary, "--trace"), (other, "--trace", path),
                          (other, os.path.join(path, "traces.otf2"), "--trace")):
            result = harness.tsprof("html", *arguments)
            found = re.search('<script type="application/json" id="timeline">(.*?)</script>',
                              result.stdout, re.S)
            tap.ok(result.status == 0 and found, "html " + " ".join(
                os.path.basename(one) for one in arguments), result.stderr)
            indices.append(json.loads(found.group(1)))
        tap.ok(all(one == indices[0] for one in indices), "all have the same")
        tap.equal([(one["rank"], one["thread"]) for one in indices[0]["rows"]],
                  [(0, 0), (0, 1), (1, 0), (1, 1)], "a row for each thread")
        tap.equal([(one["phase"], one["number"], one["messages"], one["block"])
                   for one in indices[0]["iterations"]],
                  [("timestep", 3, 12, 0), ("timestep", 7, 12, 1), ("timestep", 8, 12, 2)],
                  "the iterations")
        tap.ok('id="timeline"' not in probe.stdout, "without --trace there is none")
        out = os.path.join(directory, "page.html")
        for arguments, status, words in (
                ((other, "--trace"), 1, "there is no trace"),
                ((other, path), 2, "a TRACE comes with --trace"),
                ((other, path, path, "--trace"), 2, "only one FILE")):
            result = harness.tsprof("html", *arguments, "-o", out)
            tap.ok(result.status == status and words in result.stderr
                   and not os.path.exists(out), words, result.stderr)


def test_a_trace_without_iterations(tap):
    """All of it is shown as one."""
    with Directory() as directory:
        needs_otf2(directory)
        path, truth = make(directory, "--iterations", "0-1", "--flavour", "plain")
        summary = os.path.join(harness.TOP_SRCDIR, "tests", "golden", "plain.tsprof")
        result = harness.tsprof("html", summary, "--trace", path)
        if "without the page" in result.stderr:
            raise harness.Skip("built without the page")
        found = re.search('id="timeline">(.*?)</script>', result.stdout, re.S)
        whole = json.loads(found.group(1))["iterations"]
        tap.equal([(one["phase"], one["calls"], one["messages"]) for one in whole],
                  [("", sum(truth["calls"].values()), len(truth["messages"]))], "the whole trace")


def trace_of(summary):
    """What the report says of the trace, in one line."""
    result = harness.tsprof("report", summary)
    if result.status != 0 or result.stderr:
        raise harness.Failure("report: status %d\n%s" % (result.status, result.stderr))
    found = re.search(r"^Trace\n((?:  .*\n)+)", result.stdout, re.M)
    return " ".join(found.group(1).split()) if found else None


def test_the_report_counts(tap):
    with Directory() as directory:
        needs_otf2(directory)
        path, truth = make(directory, "--ranks", "3", "--iterations", "3,7-9,20", "--threads", "2")
        plain = os.path.join(harness.TOP_SRCDIR, "tests", "golden", "plain.tsprof")
        summary, other = (os.path.join(directory, name) for name in ("app.tsprof", "other.tsprof"))
        shutil.copy(plain, summary)
        shutil.copy(plain, other)
        sent = sum(one["bytes"] for one in truth["messages"])
        said = trace_of(summary)
        tap.ok(said and re.fullmatch(
            r"app\.otf2: (\d+|[\d.]+ k) events of 6 threads, 5 iterations of timestep: 3,7-9,20; "
            r"%d messages with ([\d.]+) kB\." % len(truth["messages"]), said),
               "events, iterations, messages", said)
        tap.ok(abs(float(re.search(r"([\d.]+) kB", said).group(1)) - sent / 1000) < 0.1 * sent / 1000,
               "bytes", (said, sent))
        events = sum(thread.events for thread in Archive(path).threads.values())
        shown = re.search(r": (\d+|[\d.]+ k) events", said).group(1)
        tap.ok(abs(float(shown.rstrip("k ")) * (1000 if "k" in shown else 1) - events) <
               0.006 * events, "as many events as there are", (said, events))
        tap.equal(trace_of(other), None, "nothing where there is no trace")
        for name in os.listdir(os.path.join(directory, "app.otf2", "traces")):
            os.remove(os.path.join(directory, "app.otf2", "traces", name))
        tap.ok("cannot be read as a trace" in trace_of(summary), "a damaged one is named",
               trace_of(summary))


if __name__ == "__main__":
    harness.main()
