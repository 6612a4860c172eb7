#!/usr/bin/env python3
"""tsprof diff, mean and join: what they leave is what is calculated here from the tables of their
operands; nothing less itself is nothing, means are between, halves make the whole; every reader reads
the results, also below zero; runs that do not fit are put together as doc/algebra.md says."""

import collections
import fractions
import os
import resource
import shutil
import signal
import subprocess

import cli_command
import counters
import harness
import summary_reader
from cli_command import Sample
from harness import Directory, Failure

TIMES = {"time", "execution", "computation", "mpi", "overhead"}
NANOSECOND = fractions.Fraction(1, 10**9)


def is_time(metric):
    return metric in TIMES or metric.startswith("mpi_")


def command(*arguments):
    result = harness.tsprof(*arguments)
    if result.status != 0 or result.stderr:
        raise Failure("tsprof %s: status %d\n%s" % (" ".join(arguments), result.status,
                                                    result.stderr))
    return result.stdout


def make(directory, name, *arguments):
    """The summary that a command leaves, after checking that all holds in it that should."""
    path = os.path.join(directory, name)
    said = command(*(arguments + ("-o", path)))
    content = summary_reader.Summary(path)
    wrong = summary_reader.problems(content) + harness.disagreements(path)
    if said or wrong:
        raise Failure("%s: %s%s" % (" ".join(arguments), said, "\n".join(wrong)))
    return path


def values(file, iterations=None, ranks=None):
    """{(rank, call path, metric): value} of the whole run, or means over iterations."""
    total = collections.Counter()
    for row in harness.export(file, "callpaths", *([] if iterations else ["--total"])):
        at = int(row["iteration"]) if iterations else None
        if (not iterations or at in iterations) and (
                ranks is None or int(row["rank"]) in ranks):
            key = (int(row["rank"]), row["callpath"], row["metric"])
            total[key] += fractions.Fraction(row["value"]) / (len(iterations) if iterations else 1)
    return total


def summed(table):
    """All ranks in one, which is called 0."""
    total = collections.Counter()
    for (_, path, metric), value in table.items():
        total[0, path, metric] += value
    return total


def minus(a, b):
    return {key: a.get(key, 0) - b.get(key, 0) for key in set(a) | set(b)}


def mean(*tables):
    return {key: sum(table.get(key, 0) for table in tables) / len(tables)
            for key in set().union(*tables)}


def check(tap, label, got, wanted, steps=0.501):
    """Equal to the digits that are stored: times to STEPS nanoseconds, each node rounded for itself;
    everything else to a millionth."""
    wrong = []
    for key in set(got) | set(wanted):
        limit = 4 * steps * NANOSECOND if is_time(key[2]) else fractions.Fraction(4, 10**6)
        limit += abs(wanted.get(key, 0)) / 10**15
        if abs(got.get(key, 0) - wanted.get(key, 0)) > limit:
            wrong.append("%s: %.12g, not %.12g" % (key, got.get(key, 0), wanted.get(key, 0)))
    tap.ok(not wrong, label, "\n".join(wrong))


def run(directory, name, ranks=2, program=None, settings=None):
    """A run of particles, whose 60 iterations differ."""
    path = os.path.join(directory, name)
    result = harness.run_ranks([program or harness.program("particles")], ranks, cwd=directory,
                               settings=dict({"TSPROF_OUTPUT": path, "TSPROF_CLUSTERS": "6",
                                              "TSPROF_RATE": "1000"}, **(settings or {})))
    harness.check_run(result, path)
    return path


# The operators


def test_differences(tap):
    with Directory() as directory:
        a, b = run(directory, "a"), run(directory, "b")
        none = make(directory, "none", "diff", a, a)
        tap.equal(harness.export(none, "callpaths", "--total"), [], "A - A is nothing")
        ab, ba = make(directory, "ab", "diff", a, b), make(directory, "ba", "diff", b, a)
        wanted = minus(values(a), values(b))
        check(tap, "A - B, rank by rank", values(ab), wanted, steps=0.001)
        tap.ok(any(value < 0 for value in values(ab).values()), "some of it is below zero")
        tap.equal(values(ba), {key: -value for key, value in values(ab).items()},
                  "B - A is as much on the other side")
        zero = make(directory, "zero", "mean", ab, ba)
        tap.equal(harness.export(zero, "callpaths", "--total"), [], "and both are nothing in the mean")
        wall = [location.wall_ns for location in summary_reader.Summary(ab).locations]
        walls = [[location.wall_ns for location in summary_reader.Summary(file).locations]
                 for file in (a, b)]
        tap.equal([w - (w >> 63 << 64) for w in wall],
                  [x - y for x, y in zip(*walls)], "wall times are subtracted, too")


def test_means(tap):
    with Directory() as directory:
        a, b, c = (run(directory, name) for name in "abc")
        for files, label in (((a,), "of one run"), ((a, a), "of a run and itself"),
                             ((a, a, a), "three times")):
            same = make(directory, "mean%d" % len(files), "mean", *files)
            tap.equal(command("export", same, "--what", "callpaths", "--total"),
                      command("export", a, "--what", "callpaths", "--total"),
                      "the mean %s is the run, to the last digit" % label)
        check(tap, "mean of three", values(make(directory, "abc", "mean", a, b, c)),
              mean(values(a), values(b), values(c)))
        two = make(directory, "ab", "mean", a, b)
        check(tap, "a mean less a run", values(make(directory, "less", "diff", two, a)),
              minus(mean(values(a), values(b)), values(a)), steps=1)


def test_iterations(tap):
    with Directory() as directory:
        a, b = run(directory, "a"), run(directory, "b")
        early, late, everything = range(0, 30), range(30, 60), range(0, 60)
        means = [make(directory, "i%d" % chosen[0], "mean", a, "--iteration",
                      "%d-%d" % (chosen[0], chosen[-1])) for chosen in (early, late)]
        for file, chosen in zip(means, (early, late)):
            check(tap, "mean of iterations %d to %d" % (chosen[0], chosen[-1]), values(file),
                  values(a, chosen))
        whole = make(directory, "all", "mean", a, "--phase", "timestep")
        check(tap, "all iterations of a phase", values(whole), values(a, everything))
        check(tap, "the mean of the halves is that of the whole",
              values(make(directory, "halves", "mean", *means)), values(whole), steps=1.5)
        check(tap, "iterations of one run less others",
              values(make(directory, "later", "diff", a, "--iteration", "30-", "--minus-iteration",
                          "0-29")), minus(values(a, late), values(a, early)))
        check(tap, "iterations of a run less others of another",
              values(make(directory, "other", "diff", a, b, "--iteration", "5",
                          "--minus-iteration", "7-8")),
              minus(values(a, [5]), values(b, [7, 8])))
        total = values(make(directory, "sum", "mean", a, "--iteration", "0-29", "--sum"))
        check(tap, "--sum", total, {key: 30 * value for key, value in values(a, early).items()},
              steps=0.501)


def test_ranks(tap):
    with Directory() as directory:
        two, four = run(directory, "two"), run(directory, "four", ranks=4)
        both = make(directory, "both", "diff", four, two)
        content = summary_reader.Summary(both)
        tap.equal([(place.rank, place.thread) for place in content.places], [(0, 0)],
                  "ranks that are not the same are summed")
        check(tap, "all ranks less all ranks", values(both),
              minus(summed(values(four)), summed(values(two))))
        check(tap, "those that are the same are not", values(make(
            directory, "same", "diff", four, two, "--rank", "0-1")),
              minus(values(four, ranks=[0, 1]), values(two)))
        check(tap, "a rank less another", values(make(
            directory, "one", "diff", four, "--rank", "3", "--minus-rank", "1")),
              minus(summed(values(four, ranks=[3])), summed(values(four, ranks=[1]))))
        info = command("info", both)
        tap.ok("difference, summed over all ranks" in info, "info says so", info)
    with Sample(cli_command.THREADS) as threads, Sample() as processes:
        mixed = make(threads.path, "mixed", "diff", threads.file, processes.file)
        content = summary_reader.Summary(mixed)
        tap.equal([(place.rank, place.thread) for place in content.places], [(0, 0), (0, 1), (1, 0)],
                  "threads that only one side has stay")
        check(tap, "and are zero on the other", values(mixed),
              minus(values(threads.file), values(processes.file)))


def test_join(tap):
    if not os.path.exists(counters.FAKE):
        raise harness.Skip("the fake PAPI is not built")
    with Directory() as one, Directory() as other:
        first = counters.run(one, ["script", "12"], "FAKE_0")[2]
        second = counters.run(other, ["script", "12"], "FAKE_1,FAKE_0")[2]
        joint = make(one, "joint", "join", first, second)
        of = [{key: value for key, value in values(file).items()}
              for file in (first, second, joint)]
        tap.equal({key: value for key, value in of[2].items() if key[2] != "FAKE_1"}, of[0],
                  "what the first has comes from the first")
        tap.equal({key: value for key, value in of[2].items() if key[2] == "FAKE_1"},
                  {key: value for key, value in of[1].items() if key[2] == "FAKE_1"},
                  "what only the second has comes from there")
        tap.ok(any(key[2] == "FAKE_1" for key in of[2]), "there is something")
        counters.check(tap, "joint", joint)
        counters.check(tap, "difference", make(one, "less", "diff", joint, second))


# How runs belong together


class Changed:
    """The sample of cli_command with something else in one of its tables, as a context."""

    def __init__(self, **tables):
        self.tables = tables

    def __enter__(self):
        self.kept = {name: getattr(cli_command, name) for name in self.tables}
        for name, table in self.tables.items():
            setattr(cli_command, name, table)
        self.sample = Sample()
        self.sample.__enter__()
        for name, table in self.kept.items():
            setattr(cli_command, name, table)
        return self.sample

    def __exit__(self, *error):
        self.sample.__exit__(*error)


def test_lines_that_moved(tap):
    """Of other builds call paths are the same whatever the lines are; of one build they are not."""
    moved = tuple((parent, region, line + 100 if line else 0)
                  for parent, region, line in cli_command.NODES)
    for build, nodes in (("", 8), ("abcdef", 14)):
        with Changed(BUILD=build) as before, Changed(BUILD=build, NODES=moved) as after:
            path = make(before.path, "less", "diff", before.file, after.file)
            got = summary_reader.Summary(path)
            tap.equal(len(got.nodes), nodes, "build %r: nodes" % build)
            tap.equal(harness.export(path, "callpaths", "--total"), [], "by name they are the same")
            tap.equal([region.name for region in got.regions],
                      [region[0] for region in cli_command.REGIONS], "there are no more regions")
    with Changed(BUILD="abcdef") as before, Changed(BUILD="fedcba", NODES=moved) as after:
        got = summary_reader.Summary(make(before.path, "less", "diff", before.file, after.file))
        tap.ok(len(got.nodes) == 8 and not any(node.line for node in got.nodes)
               and got.modules == [("/bin/toy", "")], "what differs is not told", got.nodes)
        got = summary_reader.Summary(make(before.path, "self", "diff", before.file, "--iteration",
                                          "0", "--minus-iteration", "1"))
        tap.ok(len(got.nodes) == len(cli_command.NODES) and got.modules == [("/bin/toy", "abcdef")],
               "iterations of one run have all lines", got.nodes)


def test_programs_of_other_names(tap):
    with Directory() as directory:
        other = os.path.join(directory, "renamed")
        shutil.copy(harness.program("particles"), other)
        a, b = run(directory, "a"), run(directory, "b", program=other)
        got = summary_reader.Summary(make(directory, "ab", "diff", a, b))
        names = [region.name for region in got.regions if region.kind == 0]
        tap.equal(sorted(names), sorted(set(names)), "its functions are the same")
        tap.ok("program" not in got.run and "command" not in got.run and got.run["ranks"] == "2"
               and got.run["derived"] == "difference"
               and got.run["operand.0"] == a + ": whole run"
               and got.run["operand.1"] == b + ": whole run", "facts are those of both", got.run)


def test_topologies(tap):
    with Directory() as directory:
        files = []
        for name, ranks in (("a", 4), ("b", 4), ("c", 2)):
            files.append(run(directory, name, ranks, harness.program("grids")))
        wanted = [topology[:-1] for topology in summary_reader.Summary(files[0]).topologies]
        got = [topology[:-1] for topology in summary_reader.Summary(
            make(directory, "mean", "mean", *files[:2])).topologies]
        tap.ok(got == wanted and got, "topologies that all have stay", got)
        got = summary_reader.Summary(make(directory, "less", "diff", *files[1:])).topologies
        tap.equal(got, [], "but not where ranks are summed")


# What reads the results


def test_readers(tap):
    with Directory() as directory:
        a, b = run(directory, "a"), run(directory, "b")
        results = [make(directory, "diff", "diff", a, b),
                   make(directory, "back", "diff", b, a),
                   make(directory, "mean", "mean", a, b, "--iteration", "0-9"),
                   make(directory, "later", "diff", a, "--iteration", "50-", "--minus-iteration",
                        "0-9"),
                   make(directory, "four", "diff", run(directory, "c", ranks=4), a)]
        for file in results:
            name = os.path.basename(file)
            info = command("info", file)
            tap.ok("NOT EXACT" not in info and "derived" in info and a in info,
                   name + ": info", info)
            for options in ((), ("--metric", "computation"), ("--metric", "visits")):
                report = command("report", file, *options)
                tap.ok(max(map(len, report.splitlines())) <= 80 and "nan" not in report
                       and "≥" not in report and "+/-" not in report,
                       "%s: report %s" % (name, " ".join(options)), report)
            for what in ("iterations", "callpaths", "clusters", "regions", "topologies"):
                command("export", file, "--what", what, "--format", "json")
            command("export", file, "--format", "speedscope")
            folded = command("export", file, "--format", "folded")
            tap.ok("-" not in [line.split()[-1][0] for line in folded.splitlines()],
                   name + ": folded stacks have no sign", folded)
            result = harness.tsprof("compare", file, a)
            tap.ok(result.status == 1 and "nothing in common" in result.stderr,
                   name + ": nothing to compare", result)
        content = summary_reader.Summary(results[0])
        stored = content.data
        with open(os.path.join(directory, "broken"), "wb") as file:
            file.write(stored[:-1])
        result = harness.tsprof("diff", os.path.join(directory, "broken"), a)
        tap.ok(result.status == 1 and "broken" in result.stderr, "a broken file: status 1", result)


def test_tables(tap):
    with Directory() as directory:
        a, b = run(directory, "a"), run(directory, "b")
        for arguments, words in (
                (("diff", a, b), ("A - B", "% of B", "Totals", "computation", "main > timestep")),
                (("diff", a, "--iteration", "1", "--minus-iteration", "0", "--metric", "visits"),
                 ("iteration 1 of timestep", "iteration 0 of timestep")),
                (("diff", a, b, "--minus-rank", "1"), ("The ranks are not the same",)),
                (("mean", a, b, "--top", "1"), ("min", "max", "mean", "spread %", "more; --top N")),
                (("mean", a, "--phase", "timestep"), ("iterations 0-59 of timestep, mean",))):
            said = command(*arguments)
            tap.ok(max(map(len, said.splitlines())) <= 80 and all(w in " ".join(said.split())
                                                                 for w in words),
                   " ".join(os.path.basename(word) for word in arguments), said)
        row = [line for line in command("diff", a, b).splitlines()
               if line.startswith("bytes_sent") or line.startswith("  bytes_sent")][0].split()
        wanted = [sum(value for key, value in values(file).items() if key[2] == "bytes_sent")
                  for file in (a, b)]
        tap.equal(row[1:7:2], ["%d" % wanted[0], "%d" % wanted[1], "0"][:len(row[1:7:2])],
                  "what is in them is right")


def test_command_lines(tap):
    with Sample() as sample:
        file, out = sample.file, os.path.join(sample.path, "out")
        for arguments, status, words in (
                (("diff", file), 2, "to subtract"), (("diff",), 2, "missing"),
                (("diff", file, file, file), 2, "too many"), (("mean",), 2, "missing"),
                (("join", file, file), 2, "-o"), (("join", file, "-o", out), 2, "too few"),
                (("diff", file, file + ".no"), 1, "toy.tsprof.no"),
                (("diff", file, file, "--phase", "stepp"), 2, "stepp"),
                (("diff", file, "--minus-iteration", "3"), 2, "no iteration 3"),
                (("mean", file, "--rank", "2"), 2, "rank"),
                (("diff", file, file, "-o", file), 1, "not overwritten"),
                (("diff", file, file, "-o", sample.path + "/no/such"), 1, "no/such")):
            result = harness.tsprof(*arguments)
            tap.ok(result.status == status and result.stdout == "" and words in result.stderr,
                   "%s: status %d" % (" ".join(os.path.basename(a) for a in arguments), status),
                   result)
        with open(file, "rb") as kept:
            tap.ok(kept.read() == sample.content, "nothing was written over")
        nested = make(sample.path, "nested", "mean", file, file)
        again = make(sample.path, "again", "mean", nested, nested)
        facts = summary_reader.Summary(again).run
        tap.equal([facts[key] for key in sorted(facts) if key.startswith("operand")],
                  [nested + ": whole run"] * 2, "a result of results tells of those alone")


def test_failing_writes(tap):
    def little_room():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))

    with Sample() as sample:
        out = os.path.join(sample.path, "out")
        for name in ("diff", "mean", "join"):
            result = subprocess.run([harness.COMMAND, name, sample.file, sample.file, "-o", out],
                                    stderr=subprocess.PIPE, env=harness.environment(),
                                    preexec_fn=little_room, restore_signals=False)
            tap.ok(result.returncode == 1 and b"out: cannot be written: File too large"
                   in result.stderr and not os.path.exists(out),
                   name + ": what does not fit is said and leaves nothing", result)
        for name in ("diff", "mean"):
            with open("/dev/full", "w") as full:
                result = subprocess.run([harness.COMMAND, name, sample.file, sample.file],
                                        stdout=full, stderr=subprocess.PIPE,
                                        env=harness.environment())
            tap.ok(result.returncode == 1 and b"standard output: cannot be written"
                   in result.stderr, name + ": so is a full disk", result)
            read, write = os.pipe()
            os.close(read)
            result = subprocess.run([harness.COMMAND, name, sample.file, sample.file],
                                    stdout=write, stderr=subprocess.PIPE,
                                    env=harness.environment())
            os.close(write)
            tap.ok(result.returncode == -signal.SIGPIPE and result.stderr == b"",
                   name + ": a reader that goes away ends it quietly", result)


if __name__ == "__main__":
    harness.main()
