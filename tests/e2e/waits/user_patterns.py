#!/usr/bin/env python3
"""Patterns that users wrote: those of the tutorial count what is in the archive, patterns in C and
in Python are told the same, and one that fails in whatever way is named and leaves no trace."""

import collections
import os
import re
import shutil
import time

import harness
from archive_reader import number_of, otf2
from harness import Directory, Failure, Skip

EXAMPLES = os.path.join(harness.TOP_SRCDIR, "doc", "patterns")
PATTERNS = os.path.join(harness.TOP_SRCDIR, "tests", "e2e", "waits", "patterns")
SMALL_BYTES, SOON_NS = 1024, 100000

# What is wrong with broken.c, by macros; and what the message says.
CRASHED = "it has (crashed: signal|ended, with status)"
BROKEN_IN_C = (
    ("writes where nothing is", {"DEFECT(s)": "*(char *)(s)->cause.time_ns = 0"}, CRASHED),
    ("aborts", {"DEFECT(s)": "abort()"}, "it has crashed: signal 6"),
    ("crashes before the first event", {"BEGIN": "raise(SIGSEGV)"}, CRASHED),
    ("crashes at the end", {"FINAL": "raise(SIGKILL)"}, "it has crashed: signal 9"),
    ("ends the process", {"DEFECT(s)": "exit(0)"}, "it has ended, with status "),
    ("closes the connection", {"DEFECT(s)": "close(3)"}, "it has ended, with status "),
    ("closes the connection and stays", {"DEFECT(s)": "close(3); for (;;) pause()"},
     "it has closed its connection"),
    ("stays in a function", {"DEFECT(s)": "for (;;) pause()"}, r"has not answered for 1 s"),
    ("stays in a loop at the end", {"FINAL": "for (volatile int i = 0;; i++) continue"},
     "has not answered for 1 s"),
    ("stays while it begins", {"BEGIN": "for (;;) pause()"}, "has not answered for 1 s"),
    ("writes into the connection", {"DEFECT(s)": "if (write(3, \"nonsense in plenty\", 18)) abort()"},
     "it answers what no pattern answers"),
    ("publishes a metric it does not have", {"DEFECT(s)": "(s)->metric = 5"}, "publishes metric 5"),
    ("publishes for a call that is over", {"DEFECT(s)": "(s)->call = first ? first : (void *)8"},
     "broken for a call that it is not being told of"),
    ("publishes for a path that there is not", {"DEFECT(s)": "(s)->call = NULL; (s)->path = 1000000"},
     "for a call path that there is not"),
    ("publishes more than the call has", {"UNIT": '"s"', "PARENT": '"mpi_point2point"',
                                          "DEFECT(s)": "(s)->amount = call_ns + 1"},
     "publishes [0-9]+ of broken for a call that takes [0-9]+ ns"),
    ("publishes more in two parts", {"UNIT": '"s"', "DEFECT(s)": "(s)->amount = call_ns / 2 + 1; "
                                                  "functions->publish(analysis, s)"},
     "for a call that takes"),
    ("publishes more than the path has", {"UNIT": '"s"', "PARENT": '"mpi_point2point"',
                                          "DEFECT(s)": "(s)->path = call->enter.path; "
                                                       "(s)->call = NULL; (s)->amount = call_ns * 1000"},
     "on a call path that has [0-9]+ of mpi_point2point"),
    ("publishes negative numbers", {"DEFECT(s)": "(s)->amount = (uint64_t)-5"},
     "than there are numbers"),
    ("has a metric of another's name", {"NAME": '"mpi_latesender"'},
     "there is a metric mpi_latesender already"),
    ("has a metric of tsprof's name", {"NAME": '"time"'}, "there is a metric time already"),
    ("has a metric without a name", {"NAME": "NULL"}, "its metric 1 has no name"),
    ("has a metric with a strange name", {"NAME": '"a;b"'}, "its metric 1 has no name"),
    ("has an unknown parent", {"PARENT": '"nothing"'}, "is a part of nothing, which there is not"),
    ("has a parent that is a sum",
     {"UNIT": '"s"', "PARENT": '"mpi"', "DEFECT(s)": "(s)->amount = 0"},
     "only the sum of its parts"),
    ("has a parent in another unit", {"PARENT": '"mpi_point2point"'},
     "is in occ, unlike mpi_point2point"),
    ("has an unknown unit", {"UNIT": '"m"'}, 'the unit of its metric broken is "m"'),
    ("has no metrics", {"COUNT": "0"}, "has no metrics"),
    ("has far more metrics than it lists", {"COUNT": "(size_t)-1"}, CRASHED),
    ("has another version", {"VERSION": "7"}, "written for version 7 of the interface"),
    ("has no symbol", {"PATTERN_SYMBOL": "another_name"}, "no symbol tsprof_pattern"),
)

HEAD = ("from tsprof_pattern import Metric, Pattern\n"
        "class Broken(Pattern):\n"
        "    metrics = [Metric('broken', None, 'occ', 'Something')]\n")
BROKEN_IN_PYTHON = (
    ("throws", HEAD + "    def on_call(self, call):\n        raise ValueError('too bad')\n",
     "ValueError: too bad, line 5"),
    ("throws while it begins", HEAD + "    def begin(self):\n        return self.nothing\n",
     "AttributeError: .*nothing.*, line 5"),
    ("is no Python", HEAD + "    def on_call(self, call)\n", "SyntaxError: .*, line 4"),
    ("imports what there is not", "import no_such_module\n", "ModuleNotFoundError: .*, line 1"),
    ("has no pattern", "x = 1\n", "it has 0 classes that are patterns"),
    ("has two patterns", HEAD + "class Other(Broken):\n    pass\n", "it has 2 classes"),
    ("publishes what it does not have",
     HEAD + "    def on_call(self, call):\n        self.publish('other', 1, call)\n",
     "KeyError: 'other', line 5"),
    ("publishes for an earlier call",
     HEAD + "    def on_call(self, call):\n        self.publish('broken', 1, call._replace(number=99999999))\n",
     "broken for a call that it is not being told of"),
    ("publishes no number",
     HEAD + "    def on_call(self, call):\n        self.publish('broken', 'x', call)\n", "error: .*, line 5"),
    ("leaves", HEAD + "    def on_call(self, call):\n        import os; os._exit(3)\n",
     "it has ended, with status 3"),
    ("stays", HEAD + "    def on_call(self, call):\n        import time; time.sleep(1000)\n",
     "has not answered for 1 s"),
    ("has metrics that are none",
     HEAD.replace("[Metric('broken', None, 'occ', 'Something')]", "[('broken',)]"), "TypeError"),
)


def record(directory, name, ranks):
    """The archive of a program; without samples, whose functions patterns are not told of."""
    result = harness.run_ranks(
        [harness.program(name)], ranks, cwd=directory,
        settings={"TSPROF_OUTPUT": os.path.join(directory, name + ".tsprof"), "TSPROF_TRACE": "all",
                  "TSPROF_RATE": "0"})
    archive = os.path.join(directory, name + ".otf2")
    if result.status != 0 or not os.path.exists(archive):
        raise Failure(result.stderr.decode("utf-8", "replace"))
    return archive


def compile_pattern(directory, source, name, macros=None):
    """A shared object of SOURCE."""
    made = os.path.join(directory, name + ".so")
    macros = dict({"PATTERN_SYMBOL": "tsprof_pattern"} if source.endswith("broken.c") else {},
                  **(macros or {}))
    done = harness.execute(
        [*harness.mpicc(), "-shared", "-fPIC", "-std=gnu11", "-Wall", "-Wextra",
         "-I" + os.path.join(harness.TOP_SRCDIR, "include"), "-o", made, source,
         *("-D%s=%s" % item for item in macros.items())])
    if done.status != 0:
        raise Failure(done.stderr.decode())
    return made


def analyse(archive, *options):
    """(the result of the command, the bytes of the summary, which stays until the next)"""
    summary = archive.replace(".otf2", ".waits")
    if os.path.exists(summary):
        os.unlink(summary)
    result = harness.tsprof("waits", archive, "-o", summary, *options)
    with open(summary, "rb") as file:
        return result, file.read()


def exported(archive, metrics):
    """{(metric, call path, rank): value} of the last analysis, zeros left out."""
    summary = archive.replace(".otf2", ".waits")
    values = collections.Counter()
    for row in harness.export(summary, "callpaths", "--total"):
        if row["metric"] in metrics:
            values[row["metric"], row["callpath"], int(row["rank"])] += float(row["value"])
    return {key: round(value, 9) for key, value in values.items() if value}


class Sender:
    """Where a reader of the archive is in one location."""

    def __init__(self):
        self.stack, self.sent = [], []


def combinable(archive):
    """What the patterns of the tutorial should find, of MPI_Send alone."""
    if otf2 is None:
        raise Skip("there is no OTF2 module for Python")
    senders = collections.defaultdict(Sender)
    with otf2.reader.open(os.path.join(archive, "traces.otf2")) as trace:
        for location, event in trace.events:
            sender = senders[number_of(location)]
            kind = type(event).__name__
            if kind == "Enter":
                sender.stack.append((event.region.name, event.time))
            elif kind == "Leave":
                _, enter = sender.stack.pop()
                for one in sender.sent:
                    if one["enter"] == enter and one["leave"] is None:
                        one["leave"] = event.time
            elif kind == "MpiSend" and 0 < event.msg_length <= SMALL_BYTES:
                sender.sent.append({"to": event.receiver, "enter": sender.stack[-1][1], "leave": None,
                                    "path": ";".join(name for name, _ in sender.stack)})
    found = collections.Counter()
    for (rank, _), sender in senders.items():
        last = {}
        for one in sender.sent:
            if one["to"] in last and one["enter"] - last[one["to"]] <= SOON_NS:
                found["combinable_messages", one["path"], rank] += 1
                found["combinable_time", one["path"], rank] += one["leave"] - one["enter"]
            last[one["to"]] = one["enter"]
    return {key: value / 1e9 if key[0] == "combinable_time" else value
            for key, value in found.items()}


def test_examples(tap):
    for ranks in (2, 4):
        with Directory() as directory:
            archive = record(directory, "wavefront", ranks)
            wanted = {key: round(value, 9) for key, value in combinable(archive).items()}
            analyse(archive)
            before = exported(archive, ("mpi_point2point", "comms_send", "time"))
            made = compile_pattern(directory, os.path.join(EXAMPLES, "combinable.c"), "combinable")
            for pattern in (made, os.path.join(EXAMPLES, "combinable.py"),
                            os.path.join(EXAMPLES, "combinable.py:Combinable")):
                result, _ = analyse(archive, "--pattern", pattern)
                what = "%s, %d ranks" % (os.path.basename(pattern), ranks)
                tap.equal((result.status, result.stderr), (0, ""), what + ": nothing to say")
                got = exported(archive, ("combinable_messages", "combinable_time"))
                tap.ok(len(wanted) > 0, what + ": there is something to find")
                # A wait is not the pattern's: what is left of the call's time may be less.
                near = all(abs(got.get(key, 0) - value) <= (value if key[0].endswith("time") else 0)
                           and got.get(key, 0) <= value + 1e-9 for key, value in wanted.items())
                tap.ok(near and set(got) <= set(wanted), what + ": what an independent count finds",
                       "got %r\nwanted %r" % (got, wanted))
                tap.equal(exported(archive, ("mpi_point2point", "comms_send", "time")), before,
                          what + ": what it is a part of remains the same")


def test_both_languages_are_told_the_same(tap):
    for program in harness.some(("onesided", "random_messages", "collectives")):
        with Directory() as directory:
            archive = record(directory, program, 4)
            made = compile_pattern(directory, os.path.join(PATTERNS, "witness.c"), "witness")
            metrics = ("seen_entered", "seen_late", "seen_mixed")
            outcomes, summaries = [], []
            for pattern in (made, os.path.join(PATTERNS, "witness.py")):
                result, summary = analyse(archive, "--pattern", pattern)
                tap.equal((result.status, result.stderr), (0, ""), program + ": nothing to say")
                outcomes.append(exported(archive, metrics))
                summaries.append(summary)
            tap.equal(outcomes[0], outcomes[1], program + ": C and Python find the same")
            tap.ok(summaries[0] == summaries[1], program + ": to the byte")
            for ours, theirs in (("seen_entered", "visits"), ("seen_late", "mpi_latesender")):
                got, wanted = exported(archive, (ours,)), exported(archive, (theirs,))
                tap.equal({key[1:]: value for key, value in got.items()},
                          {key[1:]: value for key, value in wanted.items()},
                          program + ": %s is %s" % (ours, theirs))


def check_failure(tap, archive, undisturbed, pattern, what, message, good):
    """PATTERN is left out with MESSAGE; what GOOD, another pattern, finds stays."""
    begun = time.monotonic()
    result, summary = analyse(archive, "--pattern", pattern, "--pattern", good, "--timeout", "1")
    lines = result.stderr.splitlines()
    told = [line for line in lines if line.startswith(
        "tsprof: waits: the pattern %s is left out: " % pattern)]
    tap.ok(len(told) == 1 and re.search(message, told[0]), "one that %s is named" % what, result.stderr)
    tap.equal(result.status, 1, "one that %s: the exit status" % what)
    tap.ok(summary == undisturbed, "one that %s: everything else is the same" % what)
    tap.ok(time.monotonic() - begun < 20, "one that %s: within a while" % what)


def test_failures(tap):
    with Directory() as directory:
        archive = record(directory, "wavefront", 2)
        good = os.path.join(EXAMPLES, "combinable.py")
        result, undisturbed = analyse(archive, "--pattern", good)
        tap.equal((result.status, result.stderr), (0, ""), "with one that is sound")
        sound = compile_pattern(directory, os.path.join(PATTERNS, "broken.c"), "sound")
        result, _ = analyse(archive, "--pattern", sound)
        tap.equal((result.status, result.stderr), (0, ""), "broken.c without a defect is sound")
        for number, (what, macros, message) in enumerate(BROKEN_IN_C):
            made = compile_pattern(directory, os.path.join(PATTERNS, "broken.c"), "b%d" % number, macros)
            check_failure(tap, archive, undisturbed, made, what, message, good)
        for number, (what, text, message) in enumerate(BROKEN_IN_PYTHON):
            path = os.path.join(directory, "b%d.py" % number)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            check_failure(tap, archive, undisturbed, path, what, message, good)


def test_files_that_are_none(tap):
    with Directory() as directory:
        archive = record(directory, "wavefront", 2)
        good = os.path.join(EXAMPLES, "combinable.py")
        _, undisturbed = analyse(archive, "--pattern", good)
        empty = os.path.join(directory, "empty.so")
        with open(empty, "w", encoding="ascii"):
            pass
        for pattern, message in ((os.path.join(directory, "absent.so"), "No such file"),
                                 (os.path.join(directory, "absent.py"), "No such file"),
                                 (good + ":Absent", "it has no class Absent"),
                                 (empty, "file too short"),
                                 (os.path.join(EXAMPLES, "combinable.c"), "invalid ELF header")):
            check_failure(tap, archive, undisturbed, pattern, os.path.basename(pattern), message, good)


def test_names_of_two_patterns(tap):
    with Directory() as directory:
        archive = record(directory, "wavefront", 2)
        one = os.path.join(directory, "one.py")
        shutil.copy(os.path.join(EXAMPLES, "combinable.py"), one)
        _, undisturbed = analyse(archive, "--pattern", os.path.join(EXAMPLES, "combinable.py"))
        result, summary = analyse(archive, "--pattern", os.path.join(EXAMPLES, "combinable.py"),
                                  "--pattern", one)
        tap.ok("%s is left out: there is a metric combinable_messages already" % one in result.stderr,
               "the second of two with the same metrics is left out", result.stderr)
        tap.ok(summary == undisturbed, "and the first is not")
        child = os.path.join(directory, "child.py")
        with open(child, "w", encoding="utf-8") as file:
            file.write("from tsprof_pattern import Metric, Pattern\n"
                       "class Child(Pattern):\n"
                       "    metrics = [Metric('part', 'combinable_messages', 'occ', 'A part')]\n")
        result, _ = analyse(archive, "--pattern", one, "--pattern", child)
        tap.equal((result.status, result.stderr), (0, ""), "a metric may be a part of another pattern's")
        result, _ = analyse(archive, "--pattern", child)
        tap.ok("part of combinable_messages, which there is not" in result.stderr,
               "unless that is not there", result.stderr)


if __name__ == "__main__":
    harness.main()
