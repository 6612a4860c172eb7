#!/usr/bin/env python3
"""tsprof export in every format: JSON has the numbers of CSV, cell by cell, and is well-formed
whatever names a summary holds; flame graphs have what the table of call paths adds up to, in a form
that flamegraph.pl and speedscope read; what is not there is said; writes that fail are said, readers that
go away are not."""

import collections
import contextlib
import fractions
import json
import os
import re
import signal
import subprocess

import cli_command
import harness
import synthetic
from cli_command import Sample
from harness import Directory

WHATS = ("iterations", "callpaths", "clusters", "regions", "topologies")
# Names that would break what does not escape them.
HOSTILE = ('</script><script>alert("1")//', "a\\b \"c 5", "line\nbreak\r\ttab", "nul\x01\x1b[2J\x7f",
           "bad \udcff\udcc3 bytes", "\u2028\u202e\u00e9\u4e2d\U0001f600", "two;paths", "")


@contextlib.contextmanager
def hostile_regions():
    """Functions are called like that, as long as it lasts."""
    kept = cli_command.REGIONS
    names = list(HOSTILE)
    cli_command.REGIONS = tuple(
        (names.pop(0),) + region[1:] if region[1] == 0 and names else region for region in kept
    ) + tuple((name, 0, name, 1, 1, "") for name in names)
    try:
        yield cli_command.REGIONS
    finally:
        cli_command.REGIONS = kept


def run(file, *options):
    """What an export says, as bytes."""
    result = harness.execute([harness.COMMAND, "export", file] + list(options))
    if result.status != 0:
        raise harness.Failure("export %s: status %d\n%s"
                              % (" ".join(options), result.status, result.stderr))
    return result.stdout


def document(file, *options):
    """The JSON document of an export, with numbers as they are written."""
    return json.loads(run(file, "--format", "json", *options).decode("utf-8"),
                      parse_float=str, parse_int=str)


def cell(value, separator):
    """What a value of JSON is in CSV."""
    if value is None:
        return ""
    return harness.shown(separator.join(value) if isinstance(value, list) else value)


# JSON


def check_same(tap, file, label, *options):
    for what in WHATS:
        rows = harness.export(file, what, *options)
        got = document(file, "--what", what, *options)
        separator = " " if what == "topologies" else ";"
        tap.equal([{key: cell(value, separator) for key, value in row.items()}
                   for row in got["rows"]], rows, "%s: %s are as in CSV" % (label, what))
        columns = run(file, "--what", what).decode().splitlines()[0].split(",")
        tap.ok(got["what"] == what and got["columns"] == columns
               and all(list(row) == columns for row in got["rows"]),
               "%s: %s: columns in their order" % (label, what), got["columns"])


def test_json_is_csv(tap):
    with Sample(cli_command.THREADS) as sample:
        check_same(tap, sample.file, "small")
        check_same(tap, sample.file, "part", "--rank", "1", "--iteration", "1-2")
        check_same(tap, sample.file, "whole run", "--total", "--metric", "bytes")
        rows = document(sample.file, "--what", "callpaths", "--total")["rows"]
        tap.ok(all(row["phase"] is None and row["iteration"] is None for row in rows),
               "what is not there is null")


def test_json_of_a_run(tap):
    with Directory() as directory:
        output = os.path.join(directory, "out.tsprof")
        result = harness.run_ranks([harness.program("grids")], 4, cwd=directory,
                                   settings={"TSPROF_OUTPUT": output})
        harness.check_run(result, output)
        check_same(tap, output, "grids")
        coordinates = [row["coordinates"] for row in
                       document(output, "--what", "topologies")["rows"] if row["name"] == "plate"]
        tap.equal(coordinates, [["0", "0"], ["0", "1"], ["1", "0"], ["1", "1"]],
                  "coordinates are numbers in a list")


def test_json_of_hostile_names(tap):
    with hostile_regions() as regions, Sample() as sample:
        for what in WHATS:
            text = run(sample.file, "--what", what, "--format", "json")
            text.decode("utf-8")
            tap.ok(not any(mark in text for mark in (b"<", b">", b"&", b"\x1b", b"\x7f", b"\x01",
                                                     "\u2028".encode(), "\u202e".encode()))
                   and b"\t" not in text, "%s: nothing that a page or a terminal obeys" % what,
                   text)
            json.loads(text.decode("utf-8"))
        got = [row["region"] for row in document(sample.file, "--what", "regions")["rows"]]
        wanted = [name.replace("\udcff", "\ufffd").replace("\udcc3", "\ufffd")
                  for name, *_ in regions]
        tap.equal(got, wanted, "names come back; U+FFFD is for each byte that is no UTF-8")
        rows = document(sample.file, "--what", "callpaths", "--total")["rows"]
        tap.ok(any(HOSTILE[0] in row["callpath"] for row in rows),
               "call paths are lists of names", rows)


# Flame graphs


def stacks(file, *options):
    """{stack: numbers}, read as flamegraph.pl does."""
    found = {}
    for line in run(file, "--format", "folded", *options).decode("utf-8").splitlines():
        stack, value = re.fullmatch(r"(.*)\s+?(\d+(?:\.\d*)?)", line).groups()
        second = re.fullmatch(r"(.*)\s+?(\d+(?:\.\d*)?)", stack)
        numbers = (int(value),)
        if second:
            stack, numbers = second.group(1), (int(second.group(2)), int(value))
        if stack in found:
            raise harness.Failure("%s is there twice" % stack)
        found[stack] = numbers
    return found


def frame(name):
    """A region's name as it is in a stack."""
    for character, other in ((";", ":"), (" ", "_"), ("\t", "_")):
        name = name.replace(character, other)
    return "".join(c if c.isprintable() else "".join("\\x%02x" % b for b in c.encode())
                   for c in name) or "[unnamed]"


def summed(file, metric, iterations=None, ranks=None, mean=True):
    """{stack: value in ns, bytes or occurrences}, summed from the table of call paths."""
    options = ["--metric", metric] + (["--total"] if iterations is None else [])
    total = collections.Counter()
    for row in document(file, "--what", "callpaths", *options)["rows"]:
        at = int(row["iteration"]) if iterations is not None else 0
        if (ranks is None or int(row["rank"]) in ranks) and (
                iterations is None or at in iterations):
            total[";".join(map(frame, row["callpath"]))] += fractions.Fraction(row["value"])
    count = len(iterations) if iterations is not None and mean else 1
    unit = 10**9 if metric in ("time", "computation", "mpi") else 1
    return {stack: value * unit / count for stack, value in total.items()}


def values_of(file, metric, *which, **how):
    """The same, with computation that no sample has found below what it is part of."""
    values = summed(file, metric, *which, **how)
    if metric in ("time", "computation"):
        samples = summed(file, "samples", *which, **how)
        for stack, value in summed(file, "computation", *which, **how).items():
            if not samples.get(stack):
                values[stack + ";(not_sampled)"] = value
                values[stack] -= value
    return values


def check_stacks(tap, got, columns, label):
    """Each number is what was calculated, to half a unit, and what is not there is that small."""
    wrong = []
    for stack in set(got).union(*columns):
        numbers = got.get(stack, (0,) * len(columns))
        wanted = [column.get(stack, 0) for column in columns]
        if len(numbers) != len(wanted) or any(
                abs(a - b) > fractions.Fraction(501, 1000) for a, b in zip(numbers, wanted)):
            wrong.append("%s: %r, not %r" % (stack, numbers, [float(w) for w in wanted]))
    tap.ok(not wrong and (got or not any(columns)), label, "\n".join(wrong) or "nothing at all")


class Measured(Directory):
    """A run of particles, on 2 ranks, in few clusters; its 60 iterations differ."""

    def __enter__(self):
        directory = Directory.__enter__(self)
        self.file = harness.profile(directory, "particles", 2,
                                    settings={"TSPROF_CLUSTERS": "5", "TSPROF_RATE": "1000"})[1]
        return self


def test_folded(tap):
    with Measured() as measured:
        file = measured.file
        early, late, everything = range(0, 20), range(40, 60), range(0, 60)
        whole = values_of(file, "time")
        tap.ok(0 < sum(value for stack, value in whole.items() if "(not_sampled)" in stack)
               < sum(whole.values()) / 2, "something is not sampled, and most is", whole)
        for metric in ("time", "computation", "visits", "bytes_sent"):
            chosen = ("--metric", metric)
            check_stacks(tap, stacks(file, *chosen), [values_of(file, metric)],
                         metric + " of the whole run")
            check_stacks(tap, stacks(file, "--iteration", "7", *chosen),
                         [values_of(file, metric, [7])], metric + " of an iteration")
            check_stacks(tap, stacks(file, "--iteration", "0-19", *chosen),
                         [values_of(file, metric, early)], metric + ": mean of a range")
            check_stacks(tap, stacks(file, "--iteration", "0-19", "--sum", *chosen),
                         [values_of(file, metric, early, mean=False)], metric + ": its sum")
        check_stacks(tap, stacks(file, "--phase", "timestep"),
                     [values_of(file, "time", everything)], "a phase: all its iterations")
        check_stacks(tap, stacks(file, "--rank", "1"), [values_of(file, "time", ranks=[1])],
                     "a rank")
        check_stacks(tap, stacks(file, "--iteration", "40-", "--minus-iteration", "0-19"),
                     [values_of(file, "time", early), values_of(file, "time", late)],
                     "a range and what is subtracted, before and after")
        check_stacks(tap, stacks(file, "--rank", "0", "--minus-rank", "1"),
                     [values_of(file, "time", ranks=[1]), values_of(file, "time", ranks=[0])],
                     "a rank and another")
        check_stacks(tap, stacks(file, "--minus-iteration", "0-19", "--metric", "visits", "--sum"),
                     [values_of(file, "visits", early, mean=False),
                      values_of(file, "visits", everything, mean=False)],
                     "all iterations, if only the others are named")
        with Measured() as other:
            check_stacks(tap, stacks(file, "--minus", other.file),
                         [values_of(other.file, "time"), values_of(file, "time")], "two runs")
            check_stacks(tap, stacks(file, "--minus", other.file, "--iteration", "3",
                                     "--minus-iteration", "5", "--minus-rank", "0"),
                         [values_of(other.file, "time", [5], [0]), values_of(file, "time", [3])],
                         "an iteration of one, an iteration of a rank of the other")
        result = harness.tsprof("export", file, "--format", "folded", "--minus", file + ".none")
        tap.ok(result.status == 1 and ".none" in result.stderr, "a file that is not there: 1",
               result)


def test_folded_names(tap):
    """Not a name can end a stack, a line or a number."""
    with hostile_regions() as regions, Sample() as sample:
        text = run(sample.file, "--format", "folded")
        tap.ok(all(re.fullmatch(rb"[^ \t\x00-\x1f\x7f]+ \d+", line)
                   for line in text.split(b"\n")[:-1]), "stack, blank, number", text)
        text.decode("utf-8")
        check_stacks(tap, stacks(sample.file), [values_of(sample.file, "time")],
                     "what stands for such names")
    kept = cli_command.REGIONS
    try:
        cli_command.REGIONS = tuple(("pcontrol 7",) + region[1:] if region[1] == 0 else region
                                    for region in kept)
        with Sample() as sample:
            tap.ok(all(len(numbers) == 1 for numbers in stacks(sample.file).values()),
                   "a name that ends with a number is not taken for one")
    finally:
        cli_command.REGIONS = kept


def scope_problems(data):
    """What https://www.speedscope.app/file-format-schema.json wants and DATA has not."""
    found = []

    def need(value, kind, where):
        good = isinstance(value, kind) and not (kind is not bool and isinstance(value, bool))
        if not good:
            found.append("%s: %r" % (where, value))
        return good

    def only(value, required, optional, where):
        if need(value, dict, where):
            for name in set(required) - set(value):
                found.append("%s: no %s" % (where, name))
            for name in set(value) - set(required) - set(optional):
                found.append("%s: unknown %s" % (where, name))
            return not set(required) - set(value)
        return False

    number = (int, float)
    if not only(data, ("$schema", "shared", "profiles"),
                ("name", "activeProfileIndex", "exporter"), "file"):
        return found
    if data["$schema"] != "https://www.speedscope.app/file-format-schema.json":
        found.append("schema " + data["$schema"])
    need(data.get("name", ""), str, "name")
    need(data.get("exporter", ""), str, "exporter")
    need(data.get("activeProfileIndex", 0), number, "activeProfileIndex")
    only(data["shared"], ("frames",), (), "shared")
    frames = data["shared"]["frames"]
    for i, one in enumerate(frames):
        if only(one, ("name",), ("file", "line", "col"), "frame %d" % i):
            need(one["name"], str, "name of frame %d" % i)
            need(one.get("file", ""), str, "file of frame %d" % i)
            need(one.get("line", 0), number, "line of frame %d" % i)
    for i, one in enumerate(data["profiles"]):
        where = "profile %d" % i
        if not only(one, ("type", "name", "unit", "startValue", "endValue", "samples", "weights"),
                    (), where):
            continue
        if one["type"] != "sampled" or one["unit"] not in (
                "none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"):
            found.append("%s: type or unit" % where)
        need(one["name"], str, where)
        if not all(need(value, number, where) and value > 0 for value in one["weights"]):
            found.append("%s: weights" % where)
        if len(one["samples"]) != len(one["weights"]):
            found.append("%s: as many samples as weights" % where)
        if any(not 0 <= index < len(frames) for stack in one["samples"] for index in stack):
            found.append("%s: a frame that is not there" % where)
        if abs(one["endValue"] - one["startValue"] - sum(one["weights"])) > 1e-6 * one["endValue"]:
            found.append("%s: it ends at %r" % (where, one["endValue"]))
    if not data["profiles"]:
        found.append("no profiles")
    return found


def scope(tap, file, label, *options):
    """{profile: {stack: weight}}; checks the rest."""
    data = json.loads(run(file, "--format", "speedscope", *options).decode("utf-8"))
    tap.equal(scope_problems(data), [], label + ": as the schema wants it")
    names = [one["name"] for one in data["shared"]["frames"]]
    found = {}
    for one in data["profiles"]:
        total = collections.Counter()
        for stack, weight in zip(one["samples"], one["weights"]):
            total[";".join(frame(names[index]) for index in stack)] += weight
        found[one["name"]] = dict(total)
    return found


def close(got, wanted):
    """The same to the digits that a double has."""
    wanted = {stack: value for stack, value in wanted.items() if value > 0}
    return set(got) == set(wanted) and all(
        abs(got[stack] - wanted[stack]) <= 1e-12 * abs(wanted[stack]) for stack in got)


def test_speedscope(tap):
    with Measured() as measured:
        file = measured.file
        got = scope(tap, file, "whole run")
        tap.equal(list(got), ["time: whole run", "time: rank 0", "time: rank 1"],
                  "a profile of all, and one of each rank")
        for ranks, name in ((None, "whole run"), ([0], "rank 0"), ([1], "rank 1")):
            wanted = values_of(file, "time", ranks=ranks)
            tap.ok(close(got["time: " + name], wanted), name + " as in the table")
        got = scope(tap, file, "metrics of a range", "--iteration", "10-29", "--metric", "visits",
                    "--metric", "bytes_sent")
        for metric in ("visits", "bytes_sent"):
            tap.ok(close(got[metric + ": iterations 10-29 of timestep, mean"],
                         values_of(file, metric, range(10, 30))), metric + " as in the table")
        got = scope(tap, file, "difference", "--iteration", "50-59", "--minus-iteration", "0-9")
        this, minus = values_of(file, "time", range(50, 60)), values_of(file, "time", range(10))
        parts = [got["time: " + name] for name in (
            "iterations 50-59 of timestep, mean", "minus iterations 0-9 of timestep, mean")]
        tap.ok(close(parts[0], this) and close(parts[1], minus), "both sides are there")
        more, less = got["time: difference, more"], got["time: difference, less"]
        for stack in set(this) | set(minus):
            wanted = float(this.get(stack, 0) - minus.get(stack, 0))
            if abs(more.get(stack, 0) - less.get(stack, 0) - wanted) > 1e-3:
                raise harness.Failure("%s: %r more, %r less, wanted %r" % (
                    stack, more.get(stack), less.get(stack), wanted))
        tap.ok(not set(more) & set(less) and (more or less), "and what is more and less")
    with hostile_regions(), Sample(cli_command.THREADS) as sample:
        got = scope(tap, sample.file, "hostile names")
        tap.equal(len(got), 3, "threads are summed")
        for options, name in ((("--thread", "0"), "whole run, thread 0"),
                              (("--rank", "1"), "whole run, rank 1"),
                              (("--rank", "0", "--thread", "1"), "whole run, rank 0, thread 1"),
                              (("--thread", "0-1"), "whole run")):
            got = scope(tap, sample.file, name, *options)
            tap.equal(list(got)[0], "time: " + name, "it says so")
        text = run(sample.file, "--format", "speedscope")
        tap.ok(b"</script>" not in text and b"\x1b" not in text, "and harmless", text)


# Size


@contextlib.contextmanager
def times_as_many(factor):
    """Every iteration of the sample is there FACTOR times."""
    kept = cli_command.series

    def series(clusters, runs, mpi_spread):
        return kept([(factor * size, cells) for size, cells in clusters],
                    [(factor * length, cluster) for length, cluster in runs], mpi_spread)

    cli_command.series = series
    try:
        yield
    finally:
        cli_command.series = kept


def memory_of(file, *options):
    """Bytes written, and the most memory that it took."""
    environment = harness.environment({"ASAN_OPTIONS": "quarantine_size_mb=1"})
    with open(os.devnull, "w") as nothing:
        process = subprocess.Popen([harness.COMMAND, "export", file, "-o", file + ".out"]
                                   + list(options), stdout=nothing, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
    if status != 0:
        raise harness.Failure("export %s: status %d" % (" ".join(options), status))
    return os.path.getsize(file + ".out"), usage.ru_maxrss * 1024


def test_memory(tap):
    for options in (("--what", "iterations", "--format", "json"),
                    ("--what", "callpaths", "--format", "json"),
                    ("--what", "clusters", "--format", "csv"),
                    ("--format", "folded", "--iteration", "0-"),
                    ("--format", "speedscope", "--iteration", "0-")):
        found = []
        for factor in (1, 10000):
            with times_as_many(factor), Sample() as sample:
                found.append(memory_of(sample.file, *options))
        tap.ok(found[1][1] - found[0][1] < 4 << 20,
               "%s: ten thousand times as many iterations take no more memory"
               % " ".join(options), "(bytes written, memory): %r" % found)


# The command


def test_what_is_not_there(tap):
    with Sample() as sample:
        for options, words in (
                (("--format", "xml", "--what", "regions"),
                 ("xml", "csv", "json", "folded", "speedscope")),
                (("--what", "tables"), ("tables", "csv") + WHATS),
                (("--format", "json"), ("--what",) + WHATS),
                (("--format", "folded", "--what", "regions"), ("regions", "callpaths")),
                (("--format", "json", "--what", "callpaths", "--minus-rank", "1"),
                 ("--minus-rank", "folded", "speedscope")),
                (("--format", "folded", "--metric", "time", "--metric", "bytes"), ("one metric",)),
                (("--format", "folded", "--metric", "tim"), ("tim", "computation")),
                (("--format", "folded", "--total", "--iteration", "1"), ("--total",)),
                (("--format", "folded", "--iteration", "3"), ("iteration 3",)),
                (("--format", "folded", "--minus-iteration", "3"), ("iteration 3",)),
                (("--format", "folded", "--minus-rank", "2"), ("rank", "2"))):
            result = harness.tsprof("export", sample.file, *options)
            tap.ok(result.status == 2 and result.stdout == ""
                   and all(word in result.stderr for word in words),
                   "%s: status 2, and what there is" % " ".join(options), result)


FORMATS = ([["--what", what, "--format", form] for what in WHATS for form in ("csv", "json")]
           + [["--format", "folded"], ["--format", "speedscope"],
              ["--format", "folded", "--minus-iteration", "0"],
              ["--format", "speedscope", "--minus-rank", "0"]])


def export_size(file, directory, *options):
    """What an export says of its size beforehand, rows and bytes, or None; and what it has."""
    table = os.path.join(directory, "table")
    result = harness.tsprof("export", file, "-o", table, *options)
    if result.status != 0:
        raise harness.Failure("export: status %d, %s" % (result.status, result.stderr))
    with open(table, "rb") as stream:
        rows = sum(1 for _ in stream)
    size = os.path.getsize(table)
    os.unlink(table)
    said = re.match(r"tsprof: export: this will be some ([\d.]+) ([kM]) rows, ([\d.]+) ([kM])B; --",
                    result.stderr)
    if bool(said) != bool(result.stderr):
        raise harness.Failure("export says: " + result.stderr)
    return said and [float(said[i]) * {"k": 1e3, "M": 1e6}[said[i + 1]] for i in (1, 3)], [rows, size]


def test_large_tables_are_announced(tap):
    """How large they will be is said before they are written, how to have less as well."""
    with Directory() as directory:
        file = synthetic.make(directory, "--ranks", "4", "--iterations", "1500")
        said, true = export_size(file, directory, "--what", "callpaths")
        tap.ok(said and all(abs(x / y - 1) < 0.05 for x, y in zip(said, true)),
               "as many rows and bytes as there are", (said, true))
        for options in (("--what", "callpaths", "--iteration", "0-299"),
                        ("--what", "callpaths", "--rank", "2"),
                        ("--what", "callpaths", "--metric", "mpi"),
                        ("--what", "callpaths", "--total"), ("--what", "iterations")):
            said, (_, size) = export_size(file, directory, *options)
            tap.ok(not said and size < 1e8, " ".join(options) + ": is not large", (said, size))


def test_failing_writes(tap):
    with Sample() as sample:
        for options in FORMATS:
            with open("/dev/full", "w") as full:
                result = subprocess.run([harness.COMMAND, "export", sample.file] + options,
                                        stdout=full, stderr=subprocess.PIPE,
                                        env=harness.environment())
            tap.ok(result.returncode == 1 and b"standard output: cannot be written: No space"
                   in result.stderr, "a full disk: %s says so" % " ".join(options), result)
            result = harness.tsprof("export", sample.file, "-o", "/dev/full", *options)
            tap.ok(result.status == 1 and "/dev/full: cannot be written" in result.stderr,
                   "-o /dev/full: so does %s" % " ".join(options), result)


def test_a_reader_that_goes_away(tap):
    """Also where whoever started tsprof ignores SIGPIPE."""
    with Sample() as sample:
        for options in FORMATS:
            for ignored in (False, True):
                read, write = os.pipe()
                os.close(read)
                result = subprocess.run(
                    [harness.COMMAND, "export", sample.file] + options, stdout=write,
                    stderr=subprocess.PIPE, env=harness.environment(), restore_signals=False,
                    preexec_fn=lambda: signal.signal(
                        signal.SIGPIPE, signal.SIG_IGN if ignored else signal.SIG_DFL))
                os.close(write)
                tap.ok(result.stderr == b"" and result.returncode == -signal.SIGPIPE,
                       "%s%s: ends quietly" % (" ".join(options),
                                               ", SIGPIPE ignored" if ignored else ""), result)


if __name__ == "__main__":
    harness.main()
