#!/usr/bin/env python3
"""tsprof report: its numbers are those of the exports, options choose what they say, and a terminal
gets a few colours and nothing else that it would obey."""

import collections
import contextlib
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios

import cli_command
import harness
import synthetic
from harness import Directory

UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1, "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9,
         "TB": 1e12, "k": 1e3, "M": 1e6, "G": 1e9, "": 1}
COLUMNS = ("mean", "min", "max", "imbalance", "last")
STYLE = re.compile(r"\x1b\[(1|38;5;63|1;38;5;130|0)m")


def report(*arguments, **options):
    result = harness.tsprof("report", *arguments, **options)
    if result.status != 0 or result.stderr:
        raise harness.Failure("report %s: status %d\n%s" % (arguments, result.status,
                                                            result.stderr))
    return result.stdout


def quantity(text):
    """A number with its unit, or in per cent."""
    found = re.fullmatch(r"(?:≥ )?(-?[\d.]+(?:e[+-]\d+)?) ?(\S*)", text)
    return float(found.group(1)) * (0.01 if found.group(2) == "%" else UNITS[found.group(2)])


def tables(said):
    """The rows of the tables of metrics: values by metric and column."""
    found = {}
    for line in said.splitlines():
        row = re.match(r" *(\w+) {2,}((≥ )?[\d.].*)$", line[:30] + "  " + line[30:])
        if not row or row.group(1) in found:
            continue
        cells = re.findall(r"(?:≥ )?-?[\d.]+(?:e[+-]\d+)?(?: (?:[nµm]?s|[kMGT]?B|[kMG]|%)(?!\S))?|-",
                           row.group(2))
        found[row.group(1)] = dict(zip(COLUMNS, cells))
    return found


def near(text, value):
    """Three digits were shown."""
    return abs(quantity(text) - value) <= 0.006 * abs(value) + 1e-12


def imbalance(values):
    mean, most, n = sum(values) / len(values), max(values), len(values)
    return (most - mean) / most * n / (n - 1)


def by_rank(rows):
    """Sums by metric and rank."""
    sums = collections.defaultdict(lambda: collections.defaultdict(float))
    for row in rows:
        sums[row["metric"]][int(row["rank"])] += float(row["value"])
    return sums


def check_tables(tap, label, said, sums, ranks):
    shown, wrong = tables(said), []
    for metric, row in shown.items():
        values = [sums[metric].get(rank, 0) for rank in range(ranks)]
        wanted = {"mean": sum(values) / ranks, "min": min(values), "max": max(values),
                  "imbalance": imbalance(values),
                  "last": (sum(values) / sum(sums["time"].values()) if "%" in row["last"]
                           else sum(values))}
        for column in COLUMNS:
            # Shares have one decimal.
            allowed = 0.00051 if "%" in row[column] else 0
            if not near(row[column], wanted[column]) and \
                    abs(quantity(row[column]) - wanted[column]) > allowed:
                wrong.append((metric, column, row[column], wanted[column]))
    tap.ok(len(shown) > 15 and not wrong, label + ": %d metrics as exported" % len(shown),
           "%s\n%s" % (wrong, said))


# Numbers


def test_tables_are_what_exports_say(tap):
    with Directory() as directory:
        file = synthetic.make(directory, "--ranks", "5", "--iterations", "60")
        rows = harness.export(file, "callpaths", "--total")
        check_tables(tap, "the whole run", report(file), by_rank(rows), 5)
        rows = harness.export(file, "iterations", "--iteration", "10-39")
        said = report(file, "--iterations", "10-39")
        check_tables(tap, "iterations", said, by_rank(rows), 5)
        tap.ok("\nselected: iterations 10-39 of timestep, sum\n" in said, "which is said", said)
        tap.equal(report(file, "--iteration", "10-39"), said, "--iteration is the same")
        said = report(file, "--phase", "timestep")
        check_tables(tap, "a phase", said, by_rank(harness.export(file, "iterations")), 5)


def hottest(said, title):
    """Value, imbalance, visits and the function of each row of a list."""
    text = said.split("Hottest call paths", 1)[1]
    text = text.split(": %s, mean over ranks\n" % title, 1)[1].split("\n\n", 1)[0]
    rows = []
    for line in text.splitlines()[1:]:
        row = re.match(r" *(\S+ \S*s) +[\d.e-]+ +(?:[\d.e-]+ +)?([\d.e-]+|-) +(≥ [\d.]+ ?[kM]?|"
                       r"[\d.]+ ?[kM]?|-)  (\S+)", line)
        if row:
            rows.append((quantity(row.group(1)), row.group(2), row.group(3), row.group(4)))
    return rows


def test_call_paths_are_what_exports_say(tap):
    with Directory() as directory:
        file = synthetic.make(directory, "--ranks", "4", "--iterations", "40")
        sums = collections.defaultdict(lambda: collections.defaultdict(float))
        for row in harness.export(file, "callpaths", "--total", "--metric", "mpi"):
            sums[row["callpath"]][int(row["rank"])] += float(row["value"])
        wanted = sorted(sums, key=lambda path: -sum(sums[path].values()))
        rows = hottest(report(file), "MPI")
        tap.equal([row[3] for row in rows], [path.split(";")[-1] for path in wanted[:10]],
                  "the hottest MPI functions in order")
        good = all(abs(row[0] - sum(sums[path].values()) / 4) <= 0.006 * row[0]
                   and abs(float(row[1]) - 100 * imbalance([sums[path][r] for r in range(4)]))
                   <= 0.051
                   for row, path in zip(rows, wanted))
        tap.ok(good, "with their means and imbalances", rows)
        every = hottest(report(file, "--top", "1000"), "MPI")
        tap.equal(len(every), len(wanted), "--top: all of them")
        names = [row[3] for row in hottest(report(file, "--top", "1000", "--sort", "name"), "MPI")]
        tap.equal(names, sorted(row[3] for row in every), "--sort name")
        visits = [quantity(row[2])
                  for row in hottest(report(file, "--top", "1000", "--sort", "visits"), "MPI")]
        tap.ok(visits == sorted(visits, reverse=True) and len(set(visits)) > 2, "--sort visits",
               visits)
        first = hottest(report(file, "--sort", "imbalance"), "MPI")[0]
        most = max(sums, key=lambda path: max(sums[path].values()) - sum(sums[path].values()) / 4)
        tap.equal(first[3], most.split(";")[-1], "--sort imbalance: what one rank has more")


def test_a_part_of_the_call_tree(tap):
    with Directory() as directory:
        file = synthetic.make(directory, "--ranks", "3", "--iterations", "30")
        rows = harness.export(file, "callpaths", "--total")
        chosen = next(row["callpath"] for row in rows if row["callpath"].count(";") == 2
                      and row["callpath"].startswith("main;timestep;"))
        inside = [row for row in rows
                  if (row["callpath"] + ";").startswith(chosen + ";")]
        sums = by_rank(inside)
        for name in (chosen, chosen.replace(";", " > "), chosen.split(";")[-1]):
            shown = tables(report(file, "--callpath", name))
            tap.ok(near(shown["execution"]["mean"], sum(sums["execution"].values()) / 3)
                   and near(shown["visits"]["max"], max(sums["visits"].values())),
                   "--callpath \"%s\": what is in it" % name, shown)
        sums = by_rank(row for row in harness.export(file, "callpaths", "--total")
                       if re.search(r"(^|;)MPI_[^;]*$", row["callpath"]))
        for name in ("MPI_*", "main;*;MPI_*"):
            shown = tables(report(file, "--callpath", name))
            wanted = sums["mpi_point2point"]
            tap.ok(near(shown["mpi_point2point"]["max"], max(wanted.values()))
                   and "computation" not in shown, "--callpath \"%s\": a pattern" % name, shown)
        rows = [row for row in harness.export(file, "callpaths", "--metric", "time")
                if (row["callpath"] + ";").startswith(chosen + ";")]
        iteration = rows[0]["iteration"]
        sums = by_rank(row for row in rows if row["iteration"] == iteration)
        said = report(file, "--callpath", chosen, "--iterations", iteration)
        tap.ok(near(tables(said)["time"]["max"], max(sums["time"].values())),
               "in one iteration", said)
        for options, kind in ((["--total"], "callpaths"), ([], "iterations")):
            phase = [] if options else ["--phase", "timestep"]
            every = by_rank(harness.export(file, kind, *options, "--metric", "time"))["time"]
            rows = harness.export(file, "callpaths", *options, "--metric", "time")
            part = sum(float(row["value"]) for row in rows
                       if (row["callpath"] + ";").startswith(chosen + ";"))
            said = report(file, "--callpath", chosen, "--metric", "time", *phase)
            share = part / sum(every.values())
            shown = [float(row) for row in
                     re.findall(r"^ *[\d.]+ \S*s +([\d.]+) ", said.split("Hottest", 1)[1],
                                re.M)]
            tap.ok(share < 0.9 and abs(quantity(tables(said)["time"]["last"]) - share) < 0.00051,
                   "a share of %s" % ("the phase" if phase else "the whole run"),
                   "%s\n%s" % (share, said))
            tap.ok(shown and max(shown) < 100 * share + 0.06 and sum(shown) > 80 * share,
                   "in the list too", "%s %s\n%s" % (share, shown, said))


# Options


def by_function(rows):
    """Means over ranks by function and metric from `export --what callpaths --total`: what it has
    itself, and with what it calls, where one that calls itself counts once."""
    ranks = len({row["rank"] for row in rows})
    own, whole = collections.Counter(), collections.Counter()
    for row in rows:
        names, value = row["callpath"].split(";"), float(row["value"]) / ranks
        own[names[-1], row["metric"]] += value
        for name in set(names) | {"program"}:
            whole[name, row["metric"]] += value
    return own, whole


def flat_rows(said, title):
    """The cells of the rows of a table of functions, by function."""
    lines = said.split(title, 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    quantities = r"((?: +(?:-|[\d.]+(?:e[+-]\d+)?(?: (?:[nµm]?s|[kMG]?B|[kMG])(?!\S))?)){5,6})  (\S.*)$"
    rows = [re.match(quantities, line) for line in lines]
    cell = r"-|[\d.]+(?:e[+-]\d+)?(?: (?:[nµm]?s|[kMG]?B|[kMG])(?!\S))?"
    return {re.split(r" {2,}", row.group(2))[0]: re.findall(cell, row.group(1))
            for row in rows if row}


def largest_of(path, *which):
    """By function: the largest time that one of its call paths had in an iteration of a thread."""
    found = collections.Counter()
    for row in harness.export(path, "largest", *which):
        name = row["callpath"].split(";")[-1]
        found[name] = max(found[name], float(row["value"]))
    return found


def check_largest(tap, path, rows, mpi):
    """What was largest in an iteration: in the report, and in the table of functions."""
    known = largest_of(path)
    wrong = [(name, cells[4]) for name, cells in mpi.items()
             if (not near(cells[4], known[name]) if known[name] else cells[4] != "-")]
    tap.ok(len(set(mpi) & set(known)) > 3 and not wrong, "max/iter. is the largest of its call paths",
           (wrong, known))
    table = collections.Counter()
    for row in harness.export(path, "functions", "--metric", "time"):
        table[row["function"]] = max(table[row["function"]], float(row["largest"] or 0))
    tap.equal({name: value for name, value in table.items() if value},
              {name: value for name, value in known.items() if name in table},
              "the exported table of functions has it")
    some = {row["function"]: row["largest"] for row in
            harness.export(path, "functions", "--metric", "mpi", "--iteration", "0-9",
                           "--rank", "0") if row["largest"]}
    held = largest_of(path, "--rank", "0")
    firsts = collections.defaultdict(list)
    for row in harness.export(path, "largest", "--rank", "0"):
        firsts[row["callpath"].split(";")[-1]].append(int(row["iteration"]))
    tap.equal({name: float(value) for name, value in some.items()},
              {name: held[name] for name, where in firsts.items()
               if name.startswith("MPI_") and max(where) <= 9},
              "of some iterations where it is known")
    check_callers(tap, path, rows)


def check_callers(tap, path, rows):
    """The table of functions by those that call them, bottom up."""
    self, total = collections.Counter(), collections.Counter()
    for row in rows:
        names = row["callpath"].split(";")
        if names == ["program"]:
            continue
        for i, name in enumerate(names):
            for j in range(i + 1):
                chain = ";".join(reversed(names[j:i + 1]))
                if i == len(names) - 1:
                    self[chain, row["rank"], row["metric"]] += float(row["value"])
                if name not in names[:i]:
                    total[chain, row["rank"], row["metric"]] += float(row["value"])
    wanted = {key: (self[key], total[key]) for key in set(self) | set(total)}
    got = {(row["callers"], row["rank"], row["metric"]): (float(row["self"]), float(row["total"]))
           for row in harness.export(path, "callers")}
    wrong = [(key, got.get(key), wanted.get(key)) for key in set(got) | set(wanted)
             if key not in got or key not in wanted or
             any(abs(a - b) > 1e-9 + 1e-9 * abs(a) for a, b in zip(got[key], wanted[key]))]
    tap.ok(any(key[0].startswith("MPI_Bcast;announce_clumps;") for key in got) and not wrong,
           "export --what callers has every way to a function", wrong[:9])


def test_functions_over_all_call_paths(tap):
    """--flat and --callers against the exports of call paths, and `export --what functions`."""
    with Directory() as directory:
        _, path = harness.profile(directory, "particles", 2, (), {"TSPROF_RATE": "1000"})
        rows = list(harness.export(path, "callpaths", "--total"))
        own, whole = by_function(rows)
        functions = list(harness.export(path, "functions"))
        ranks = {row["rank"] for row in functions}
        sums = collections.Counter(), collections.Counter()
        for row in functions:
            sums[0][row["function"], row["metric"]] += float(row["self"]) / len(ranks)
            sums[1][row["function"], row["metric"]] += float(row["total"]) / len(ranks)
        wrong = [key for key in own if abs(sums[0][key] - own[key]) > 1e-9 + 1e-9 * own[key]]
        wrong += [key for key in whole if abs(sums[1][key] - whole[key]) > 1e-9 + 1e-9 * whole[key]]
        tap.ok(len(own) > 20 and not wrong, "export --what functions adds call paths up", wrong)
        said = report(path, "--flat", "--top", "99")
        mpi = flat_rows(said, "Functions of MPI")
        called = {name for name, _ in own if name.startswith("MPI_") and own[name, "time"] > 0}
        tap.equal(set(mpi), called, "every function of MPI has a row")
        wrong = [(name, cells) for name, cells in mpi.items()
                 if not near(cells[0], own[name, "time"]) or
                 not near(cells[2], own[name, "visits"]) or
                 not near(cells[3], own[name, "time"] / own[name, "visits"]) or
                 (cells[5] != "-" and not near(cells[5], own[name, "bytes"]))]
        tap.ok(not wrong, "its time, calls, mean and bytes are those of the exports", wrong)
        check_largest(tap, path, rows, mpi)
        others = flat_rows(said, "Functions over all call paths")
        tap.ok("timestep" in others and near(others["timestep"][2], whole["timestep", "time"]),
               "a function has what it calls", others)
        said = report(path, "--callers", "MPI_Bcast", "--top", "1")
        lines = said.split("  function\n", 1)[1].splitlines()
        tap.ok(near(lines[0][:10].strip(), whole["MPI_Bcast", "time"]),
               "what the function takes", lines)
        callers = {row["callpath"].split(";")[-2] for row in rows
                   if row["callpath"].endswith(";MPI_Bcast")}
        tap.equal({line.split("from ")[1] for line in lines if re.search(r" {4}from ", line) and
                   not re.search(r" {6}from ", line)}, callers, "and who calls it")
        refused = harness.tsprof("report", path, "--callers", "nobody")
        tap.ok(refused.status == 2 and "no function \"nobody\"" in refused.stderr,
               "a function that is not there is named", refused)


def frames_of(said):
    """The frames of call paths from main on in a list of these."""
    paths = re.findall(r"in (main >[^\n]*?)(?= {2,}|\s+\d)", re.sub(r"\n +", " ", said))
    return {frame for row in paths for frame in row.split(" > ")}


def test_names_are_brief(tap):
    """Template arguments and parameter lists are shown on demand, or where rows would look alike;
    call paths that are too long lose whole frames."""
    with Directory() as directory:
        result = harness.run_ranks([harness.program("templates"), "--iterations", "5"], 2,
                                   cwd=directory, settings={
                                       "TSPROF_OUTPUT": os.path.join(directory, "out.tsprof")})
        path = os.path.join(directory, "out.tsprof")
        harness.check_run(result, path)
        brief = report(path).split("Hottest call paths", 1)[1]
        tap.ok("const&" not in brief and "program_start" in brief and "(int*" not in brief,
               "no parameter lists", brief)
        full = report(path, "--full-names").split("Hottest call paths", 1)[1]
        tap.ok("const&" in full, "but on demand", full)
        tap.ok("(anonymous namespace)" not in brief and "(anonymous namespace)" in full,
               "nor what tells nothing but that a function is its file's own", brief)
        frames = frames_of(brief)
        tap.ok("timestep" in frames and not any("…" in frame and frame != "…" for frame in frames),
               "no frame is cut", frames)
        deep = synthetic.make(directory, "--ranks", "2", "--paths", "400")
        frames = frames_of(report(deep, "--top", "80").split("Hottest call paths", 1)[1])
        tap.ok("…" in frames and not any("…" in frame and frame != "…" for frame in frames),
               "whole frames are left out", frames)


@contextlib.contextmanager
def forked(ways, depth, fork):
    """A summary of calls of MPI_Allreduce as DEPTH functions deep as WAYS there are, which differ in
    the function number FORK only."""
    kept = cli_command.REGIONS, cli_command.NODES, cli_command.USUAL
    common = tuple("a_function_of_the_library_%02d" % i for i in range(depth))
    regions, nodes, usual = kept[0], kept[1], list(kept[2])
    of_name = {name: len(regions) + i for i, name in enumerate(common + ways)}
    regions += tuple((name, 0, "", 0, 1, "") for name in common + ways)
    for i, way in enumerate(ways):
        parent = 2
        for name in common[:fork] + (way,) + common[fork + 1:]:
            nodes += ((parent + 1, of_name[name], 0),)
            parent = len(nodes) - 1
        nodes += ((parent + 1, 4, 0),)
        usual.append((len(nodes) - 1, cli_command.COLLECTIVE, 400000 - 1000 * i))
    cli_command.REGIONS, cli_command.NODES, cli_command.USUAL = regions, nodes, usual
    try:
        with cli_command.Sample() as sample:
            yield sample.file
    finally:
        cli_command.REGIONS, cli_command.NODES, cli_command.USUAL = kept


def test_rows_differ(tap):
    """Of call paths that are too long, what makes them differ is not left out."""
    ways = ("the_blue_way", "the_green_way", "the_red_way")
    for fork in (0, 3, 12):
        with forked(ways, 16, fork) as file:
            said = report(file, "--top", "9")
            rows = [" ".join(row.split()) for row in
                    said.split(": MPI")[1].split("MPI_Allreduce")[1:]]
            for way in ways:
                tap.ok(sum(way in row for row in rows) == 1,
                       "the fork at %d: %s is in a row" % (fork, way), said)
            tap.ok(max(map(len, said.splitlines())) <= 80 and "…" in said and
                   all(row.count("a_function_of_the_library_15") <= 1 for row in rows),
                   "and frames are left out still", said)


def test_the_graph_comes_right_after_the_findings(tap):
    with Directory() as directory:
        _, path = harness.profile(directory, "particles", 2)
        after = report(path).split("\nWhat stands out\n", 1)[1].split("\n\n", 1)[1].splitlines()
        graph = next(i for i, line in enumerate(after) if line.lstrip().startswith("0└"))
        tap.ok(after[0].startswith("Iterations of timestep") and graph < 14,
               "the graph comes before tables", after[:16])


def test_wrong_options_say_what_is_known(tap):
    with cli_command.Sample() as sample:
        for options, words in (
                (("--sort", "size"), "value, imbalance, name or visits"),
                (("--color", "red"), "auto, always or never"),
                (("--metric", "tims"), "it has time, computation, mpi, mpi_collective"),
                (("--metric", "tims"), "samples_failed\n"),
                (("--phase", "stepp"), "has no phase \"stepp\"; it has step"),
                (("--iterations", "3"), "there are 3, counted from 0"),
                (("--iterations", "b"), "invalid value for --iterations: b"),
                (("--rank", "2"), "its last is 1"),
                (("--callpath", "nowhere"), "nowhere")):
            result = harness.tsprof("report", sample.file, *options)
            tap.ok(result.status == 2 and result.stdout == "" and words in result.stderr,
                   " ".join(options) + ": status 2, and what is known", result)


def test_findings_come_first(tap):
    with Directory() as directory:
        file = synthetic.make(directory, "--ranks", "24", "--iterations", "480")
        said = report(file)
        found = said.split("\nWhat stands out\n", 1)[1].split("\n\n", 1)[0]
        rest = said.split("\nWhat stands out, too\n", 1)[1].split("\n\n", 1)[0]
        tap.ok("Every 96th iteration" in (found + rest).replace("\n    ", " "), "a period", said)
        tap.ok("The rank with most computation changes" in found.replace("\n    ", " "),
               "a rank", said)
        only = report(file, "--iterations", "0-47").split("\nWhat stands out\n", 1)[1]
        tap.ok("Every" not in only.split("\n\n", 1)[0], "chosen iterations only", only)
        few = report(file, "--iterations", "5-8").split("\nWhat stands out\n", 1)[1]
        tap.ok(not re.search("iterations? [0-9]|Every|beyond", few.split("\n\n", 1)[0]),
               "of few there is nothing", few)
        one = report(file, "--top", "1")
        tap.ok(one.split("\nWhat stands out\n")[1].split("\n\n")[0].count("•") == 1
               and " more, with smaller effects; --top" in one, "--top", one)
        none = synthetic.make(directory, "--iterations", "0", name="none.tsprof")
        tap.ok("teration" not in report(none).split("\nWhere the time went")[0],
               "without iterations there is nothing to find in them", report(none))


def test_not_sampled(tap):
    """Computation that no sample has found is not said to be a function's own."""
    with Directory() as directory:
        file = os.path.join(directory, "out.tsprof")
        result = harness.run_ranks([harness.program("particles"), "--iterations", "60", "--size",
                                    "400"], 2, settings={"TSPROF_OUTPUT": file,
                                                         "TSPROF_RATE": "20"})
        harness.check_run(result, file)
        values = collections.defaultdict(float)
        for row in harness.export(file, "callpaths", "--total"):
            values[row["callpath"], row["metric"]] += float(row["value"])
        unsampled = [path for path, metric in values
                     if metric == "computation" and not values.get((path, "samples"))]
        listed = report(file, "--top", "1000").split(": computation")[1].split("Hottest")[0]
        named = " ".join(listed.split())
        tap.ok(unsampled and all("(not sampled) in " + path.replace(";", " > ") in named
                                 for path in unsampled), "what was not sampled is called that",
               "%r\n%s" % (unsampled, listed))
        ranks = len({row["rank"] for row in harness.export(file, "callpaths", "--total")})
        rows = flat_rows(report(file, "--flat", "--top", "99"), "Functions over all call paths")
        nobodys = sum(values[path, "computation"] for path in unsampled)
        tap.ok(near(rows["(not sampled)"][0], nobodys / ranks),
               "all of it in one row of the functions", "%r, not %r" % (nobodys / ranks, rows))
        own = collections.Counter()
        for (path, metric), value in values.items():
            if metric == "time":
                hidden = values[path, "computation"] if path in unsampled else 0
                own[path.split(";")[-1]] += (value - hidden) / ranks
        wrong = [(name, cells[0], own[name]) for name, cells in rows.items()
                 if name in own and cells[0] != "-" and not near(cells[0], own[name])]
        tap.ok("timestep" in rows and not wrong, "none of it is a function's own", wrong)


def percent(text, name, column=0):
    row = [line for line in text.split("\n") if line.strip().startswith(name)][0]
    return float(re.findall(r"([\d.]+) %", row)[column])


def test_efficiencies(tap):
    """They are what the table of times says."""
    with Directory() as directory:
        file = synthetic.make(directory, "--ranks", "24", "--iterations", "480")
        said = report(file)
        rows = {}
        for name in ("time", "computation"):
            line = [row for row in said.split("Where the time went")[1].split("\n")
                    if row.strip().startswith(name + " ")][0]
            rows[name] = [float(value) * {"s": 1, "ms": 1e-3, "µs": 1e-6}[unit] for value, unit
                          in re.findall(r"([\d.]+) (s|ms|µs)\b", line)]
        mean, longest, most = rows["computation"][0], rows["time"][2], rows["computation"][2]
        for name, value in (("parallel efficiency", mean / longest), ("load balance", mean / most),
                            ("communication efficiency", most / longest)):
            tap.ok(abs(percent(said, name) - 100 * value) < 0.5, name,
                   "%r, %r in\n%s" % (percent(said, name), 100 * value, said))
        product = percent(said, "load balance") * percent(said, "communication efficiency") / 100
        tap.ok(abs(percent(said, "parallel efficiency") - product) < 0.3, "the one is the product "
               "of the others", said)
        one = report(file, "--phase", "timestep", "--iterations", "7")
        line = re.search(r"parallel efficiency by iteration[^\n]*\n *([\d.]+)┤", one)
        tap.ok(line and abs(float(line[1]) - percent(one, "parallel efficiency")) < 0.06,
               "the line over iterations has that of an iteration", one)
        tap.ok("parallel efficiency by iteration" in said, "of all iterations, too", said)
        tap.ok("fficiency" not in report(file, "--metric", "bytes_sent"), "of time alone")
        tap.ok(re.search("^memory high-water +223 MB  on rank 23; 212 MB on average$", said, re.M),
               "the most memory that a process had, and which", said)
        tap.ok("high-water" not in one, "not of iterations", one)
        mean = os.path.join(directory, "mean.tsprof")
        harness.tsprof("mean", file, file, "-o", mean)
        tap.ok("Efficiency" not in report(mean), "not of what was calculated")


def test_errors_and_costs_are_stated(tap):
    with cli_command.Sample(costs=cli_command.COSTS,
                            mpi_spread=cli_command.spread(0.06)) as sample:
        said = report(sample.file).split("\nErrors and costs\n")[1].replace("\n    ", " ")
        tap.ok("  Iterations of step are shown as the means of their clusters, which are off by "
               "0.0 % in computation, 4.9 % in mpi (root mean square, of the largest iteration).\n"
               in said, "errors", said)
        tap.ok("  Measuring took 0.8 % of the run: 14 MPI calls 0.3 %, 204 samples 0.3 %, "
               "8 markers 0.08 %, 4 saves 0.05 %; and 1.00 MB of memory per process.\n" in said, "costs", said)


# Terminals


def shares_of(said):
    """The shares in the lists of hottest call paths, in per cent."""
    lists = said.split("Hottest call paths", 1)[1].split("\nErrors and costs")[0]
    return [float(share) for share in
            re.findall(r"^ *[\d.]+ (?:s|ms|µs|ns) +([\d.]+(?:e-\d+)?) ", lists, re.M)]


def graph_end(said):
    """The line that the graph of time by iteration ends in."""
    lines = said.split("\n")
    begin = next(i for i, line in enumerate(lines) if line.startswith("time per iteration: "))
    return next(i for i, line in enumerate(lines) if i > begin and "0└" in line) + 2


def test_what_is_seen_first(tap):
    """The graph is on the first screen, and what hardly takes any time is not listed."""
    with Directory() as directory:
        file = synthetic.make(directory, "--ranks", "64", "--iterations", "480")
        said = report(file)
        tap.ok(graph_end(said) <= 40, "the graph is within 40 lines", said)
        above, below = said.split("\nIterations of timestep")
        findings = re.findall("^  • .*", said, re.M)
        left = re.search(r"^    (\d+) more below the iterations", above, re.M)
        tap.ok(left and len(findings) > 4 and above.count("  • ") >= 3
               and below.count("  • ") == int(left.group(1)) == len(findings) - above.count("  • ")
               and "What stands out, too\n  • " in below,
               "what is left of the findings comes below, and is said to", said)
        asked = report(file, "--top", "9").split("\nIterations of timestep")
        tap.ok("  • " not in asked[1] and not set(findings) - set(asked[0].split("\n")),
               "but for those who ask for so many they are above", asked[0])
    loops = {"loop.%d.%s" % (i, name): value for i in range(4) for name, value in (
        ("border", 5), ("function", 3), ("offset", 16 * i), ("around", 0), ("phase", int(i == 0)),
        ("passes", 20 - i), ("time_ns", 2000000 >> 4 * i), ("certain", 0))}
    with cli_command.Sample(costs=dict(cli_command.COSTS, **loops)) as sample:
        said = report(sample.file)
        tap.ok(said.count("another loop: ") == 3 and graph_end(said) <= 40
               and "found by tsprof: " in said.split("time per iteration")[0]
               and "another loop" not in said[:said.index(" 0└")]
               and "another loop" not in said[said.index("Slowest iterations"):],
               "other loops are listed below the graph", said)
        tap.ok(not re.search(r"\b0 % of the time", said), "a share is not 0", said)
    golden = os.path.join(harness.TOP_SRCDIR, "tests", "golden", "alone.tsprof")
    few, ten = shares_of(report(golden)), shares_of(report(golden, "--top", "10"))
    tap.ok(few and min(few) >= 0.01 and min(ten) < 0.01 and len(few) < len(ten),
           "no row is below 0.01 %, unless so many are asked for", [few, ten])
    threads = os.path.join(os.path.dirname(golden), "threads.tsprof")
    tap.ok("mpi_other" not in report(threads) and "mpi_other" in report(threads, "--top", "10"),
           "nor is a part of the time")


# Every fifth iteration two functions send a megabyte more by the same one, and a broadcast has as
# much less.
TWO_CALLERS = r"""
#include <mpi.h>
#include <tsprof.h>
#define MB (1 << 20)
static char out[8 * MB], in[8 * MB];
static int rank;
#define CALLER(name)                                                                          \
    __attribute__((noinline)) static void name(int bytes)                                     \
    {                                                                                         \
        MPI_Sendrecv(out, bytes, MPI_BYTE, !rank, 7, in, bytes, MPI_BYTE, !rank, 7,           \
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);                                      \
        __asm__ volatile("");                                                                 \
    }
CALLER(borders)
CALLER(exchange)
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 100; i++) {
        const int more = i % 5 == 4 ? MB : 0;
        TSPROF_ITERATION_BEGIN("step");
        borders(MB / 4 + more);
        exchange(MB / 4 + more / 2);
        MPI_Bcast(out, 6 * MB - 3 * more, MPI_BYTE, 0, MPI_COMM_WORLD);
        TSPROF_ITERATION_END("step");
    }
    return MPI_Finalize();
}
"""


def test_callers_of_one_function(tap):
    """What is said of a function in one call path is not said again of others, but counted."""
    with Directory() as directory:
        source, program = (os.path.join(directory, "callers" + end) for end in (".c", ""))
        with open(source, "w", encoding="utf-8") as file:
            file.write(TWO_CALLERS)
        subprocess.run(harness.mpicc() + ["-g", "-fno-optimize-sibling-calls", "-I" +
                       os.path.join(harness.TOP_SRCDIR, "include"), "-o", program, source,
                       "-ldl"], check=True)
        summary = os.path.join(directory, "callers.tsprof")
        result = harness.run_ranks([program], 2, {"TSPROF_OUTPUT": summary}, cwd=directory)
        harness.check_run(result, summary)
        said = report(summary, "--metric", "bytes")
        every = report(summary, "--metric", "bytes", "--top", "9")
        sentence = r"  • Every 5th iteration \(4, 9, 14, 19 and 16 more\) MPI_Sendrecv"
        tap.ok(len(re.findall(sentence, said)) == 1
               and len(re.findall("^    and in 1 more call path$", said, re.M)) == 1,
               "one sentence, and in how many more call paths it is so", said)
        tap.ok(len(re.findall(sentence, every)) == 2 and "more call path" not in every,
               "those who ask for more have all", every)


def slowest_rows(said):
    """Value, neighbours, factor and first iteration of the rows of the slowest iterations."""
    table = said.split("est iterations, and what they have")[1].split("\n\n")[0]
    return [tuple(quantity(cell) for cell in row[:3]) + (int(row[3]),) for row in
            re.findall(r"^ {0,7}(\S+ \S+) +(\S+ \S+) +(\S+) +\d+  (\d+)", table, re.M)]


def test_slowest_iterations_have_neighbours(tap):
    """What an iteration is compared with is what findings compare it with, not the whole run."""
    with Directory() as directory:
        file = synthetic.make(directory, "--ranks", "4", "--iterations", "480")
        most = collections.defaultdict(float)
        for row in harness.export(file, "iterations", "--metric", "computation"):
            if row["iteration"]:
                number = int(row["iteration"])
                most[number] = max(most[number], float(row["value"]))
        wrong, rows = [], slowest_rows(report(file, "--metric", "computation"))
        for value, usual, factor, iteration in rows:
            around = sorted(most[i] for i in range(iteration - 25, iteration + 26) if i in most)
            middle = around[len(around) // 2]
            if abs(value - most[iteration]) > 0.006 * value or \
                    abs(usual - middle) > 0.006 * middle or \
                    abs(factor - most[iteration] / middle) > 0.006 * factor:
                wrong.append((iteration, value, usual, factor, most[iteration], middle))
        tap.ok(len(rows) >= 3 and not wrong,
               "the slowest iterations beside the median of 25 neighbours on either side",
               [wrong, rows])
        whole = sorted(most.values())[len(most) // 2]
        tap.ok(any(abs(usual - whole) > 0.02 * whole for _, usual, _, _ in rows),
               "which is not that of the whole run", [whole, rows])


def on_terminal(arguments, columns=80, settings=None):
    """What the command writes to a terminal of so many columns, as text."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    chosen = {"TERM": "xterm-256color", "NO_COLOR": ""}
    chosen.update(settings or {})
    process = subprocess.Popen([harness.COMMAND, "report"] + arguments, stdin=slave, stdout=slave,
                               stderr=slave, env=harness.environment(chosen))
    os.close(slave)
    said = b""
    while select.select([master], [], [], harness.COMMAND_TIMEOUT_S)[0]:
        try:
            more = os.read(master, 65536)
        except OSError:  # EIO: the other end is closed
            break
        if not more:
            break
        said += more
    os.close(master)
    if process.wait(timeout=harness.COMMAND_TIMEOUT_S) != 0:
        raise harness.Failure(said.decode("utf-8", "replace"))
    return said.decode("utf-8").replace("\r\n", "\n")


def test_colours_are_for_terminals(tap):
    with Directory() as directory:
        file = synthetic.make(directory, "--ranks", "8", "--iterations", "60")
        plain = report(file)
        tap.ok("\x1b" not in plain, "piped: none")
        coloured = on_terminal([file])
        tap.ok(len(set(STYLE.findall(coloured))) == 4, "on a terminal: all three",
               repr(coloured[:300]))
        tap.equal(STYLE.sub("", coloured), plain, "and otherwise the same text")
        tap.ok("\x1b" not in on_terminal([file], settings={"NO_COLOR": "1"}), "NO_COLOR")
        tap.ok("\x1b" not in on_terminal([file], settings={"TERM": "dumb"}), "TERM=dumb")
        tap.ok("\x1b" not in on_terminal([file], settings={"TERM": ""}), "no TERM")
        tap.ok("\x1b" not in on_terminal([file, "--color", "never"]), "--color never")
        tap.equal(on_terminal([file, "--color", "always"], settings={"NO_COLOR": "1"}), coloured,
                  "--color always")
        tap.equal(report(file, "--color", "always"), coloured, "--color always, piped")


def widest(said):
    return max(map(len, STYLE.sub("", said).splitlines()))


def tables_of(said):
    """What is below the graphs."""
    return re.split(r"\n[^\n]*└─", STYLE.sub("", said).replace("\r", ""))[-1].split("\n\n", 1)[1]


def test_it_fits_the_terminal(tap):
    with Directory() as directory:
        for name, options in (("ranks", ["--ranks", "64", "--iterations", "700"]),
                              ("one", ["--ranks", "1", "--iterations", "1"]),
                              ("none", ["--ranks", "2", "--iterations", "0"])):
            file = synthetic.make(directory, *options, name=name + ".tsprof")
            for columns in (60, 80, 132, 200):
                said = on_terminal([file], columns)
                # Tables have a width of their own, which terminals have had for fifty years.
                most = max(columns, 80)
                tap.ok(widest(said) <= most, "%s: %d columns" % (name, columns),
                       "%d\n%s" % (widest(said), said))
        wide = on_terminal([os.path.join(directory, "ranks.tsprof")], 200)
        tap.ok(widest(wide) > 180, "a wide terminal is used", wide)
        deep = synthetic.make(directory, "--ranks", "2", "--paths", "400", name="deep.tsprof")
        for options in ([], ["--metric", "mpi"]):
            narrow, wide = (tables_of(on_terminal([deep, "--top", "40"] + options, columns)) for columns in (80, 160))
            tap.ok(widest(narrow) <= 80 < 120 < widest(wide) <= 160, "tables use it, too " + " ".join(options), wide)
            tap.ok(wide.count("…") < narrow.count("…"), "and leave out less", [narrow, wide])


def test_names_are_harmless(tap):
    with cli_command.Sample(cli_command.THREADS, cli_command.COSTS) as sample:
        for options in ([], ["--metric", "samples_failed"], ["--top", "100"],
                        ["--callpath", "bad\x1b[2J\nname"], ["--callpath", r"bad\x1b[2J\x0aname"]):
            said = STYLE.sub("", on_terminal([sample.file] + options))
            tap.ok(not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", said),
                   "nothing that a terminal obeys: " + repr(options), repr(said))
    with Directory() as directory:
        odd = "\x1b]0;owned\x07\x1b[31m\u202e\x9b2J"
        file = synthetic.make(directory, "--ranks", "4", "--iterations", "100", "--region", odd,
                              "--phase", odd)
        said = STYLE.sub("", on_terminal([file]))
        tap.ok(r"\x1b]0;owned\x07" in said
               and not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", said),
               "nor in names of phases", repr(said))


# A job's end


def test_a_jobs_last_line_can_be_pasted(tap):
    with Directory() as directory:
        settings = {"TSPROF_MPIRUN": harness.mpirun(), "TSPROF_LIB": harness.LIBRARY}
        for ranks in (1, 2, 4):
            settings["TSPROF_OUTPUT"] = os.path.join(directory, "run '%d' $HOME.tsprof" % ranks)
            result = harness.tsprof("run", "-n", str(ranks), harness.program("nesting"), "nested",
                                    settings=settings, cwd=directory)
            lines = [line for line in result.stderr.splitlines() if "view it with" in line]
            tap.ok(result.status == 0 and len(lines) == 1, "%d ranks: one line" % ranks, result)
            command = lines[0].split("view it with: ")[1] if lines else "false"
            shell = ["sh", "-c", command]
            path = os.path.dirname(harness.COMMAND) + ":" + os.environ["PATH"]
            said = harness.execute(shell, settings={"PATH": path}, cwd=directory)
            tap.ok(said.status == 0 and b"Where the time went" in said.stdout,
                   "which a shell understands: " + command, said.stderr)


if __name__ == "__main__":
    harness.main()
