#!/usr/bin/env python3
"""tsprof list: a row for each summary of a directory, whose numbers are those that the summaries
have, newest first; what cannot be read is named and does not stop it; no more is read than needed."""

import csv
import io
import json
import os
import re
import shutil

import harness
import summary_reader
from harness import Directory

GOLDEN = os.path.join(harness.TOP_SRCDIR, "tests", "golden")
NAMES = sorted(name for name in os.listdir(GOLDEN) if name.endswith(".tsprof"))


def rows_of(*arguments, status=0, **options):
    result = harness.tsprof("list", *arguments, "--format", "csv", **options)
    if result.status != status:
        raise harness.Failure("list: status %d\n%s" % (result.status, result.stderr))
    return list(csv.DictReader(io.StringIO(result.stdout)))


def is_part(metrics, metric, name):
    while metric is not None and metrics[metric].name != name:
        metric = metrics[metric].parent
    return metric is not None


def wanted_of(path):
    """The numbers of a row, by the other reader."""
    content = summary_reader.Summary(path)
    walls = [location.wall_ns for location in content.locations]

    def share(name):
        return sum(value for location in content.locations
                   for (_, metric), value in location.whole.items()
                   if is_part(content.metrics, metric, name)) / sum(walls)

    first = content.locations[0]
    iterations = [sum(length for length, _ in series.map) for series in first.series
                  if series.nested_in is None]
    return {"ranks": len({location.place.rank for location in content.locations}),
            "threads": len(walls), "time": max(walls) / 1e9, "mpi": share("mpi"),
            "overhead": share("overhead"), "iterations": max(iterations, default=0)}


def test_numbers(tap):
    for row in rows_of(GOLDEN):
        wanted = wanted_of(os.path.join(GOLDEN, row["file"]))
        different = {name: (row[name], value) for name, value in wanted.items()
                     if abs(float(row[name]) - value) > 1e-12}
        tap.equal(different, {}, row["file"] + ": as the file has it")
    info = harness.tsprof("info", os.path.join(GOLDEN, "every.tsprof")).stdout
    row = next(row for row in rows_of(GOLDEN) if row["file"] == "every.tsprof")
    tap.equal("%.1f" % (100 * float(row["overhead"])),
              re.search(r"cost +([\d.]+) % of the run", info).group(1), "what info says it cost")
    tap.equal((row["program"], row["start"], row["state"]),
              ("stencil", "2026-11-21T16:38:08Z", "complete"), "texts")


def test_order(tap):
    rows = rows_of(GOLDEN)
    tap.equal(sorted(row["file"] for row in rows), NAMES, "every summary, and nothing else")
    keys = [row["start"] for row in rows]
    tap.equal(keys, sorted(keys, reverse=True), "newest first")
    tap.equal(rows_of(cwd=GOLDEN), rows, "without DIR this directory")
    document = json.loads(harness.tsprof("list", GOLDEN, "--format", "json").stdout)
    tap.equal([row["file"] for row in document["rows"]], [row["file"] for row in rows],
              "JSON has the same rows")
    tap.equal([str(row["ranks"]) for row in document["rows"]], [row["ranks"] for row in rows],
              "as numbers")
    text = harness.tsprof("list", GOLDEN).stdout.splitlines()
    tap.equal([line.split()[0] for line in text[1:]], [row["file"] for row in rows],
              "text has a line for each")


def test_one_file(tap):
    with Directory() as directory:
        path = os.path.join(directory, "of.another.name")
        shutil.copy(os.path.join(GOLDEN, "every.tsprof"), path)
        wanted = next(row for row in rows_of(GOLDEN) if row["file"] == "every.tsprof")
        tap.equal(rows_of(path), [dict(wanted, file=path)], "the row of the file that is named")
        tap.equal(rows_of("of.another.name", cwd=directory), [dict(wanted, file="of.another.name")],
                  "by its name as it was given")
        result = harness.tsprof("list", os.path.join(directory, "absent.tsprof"))
        tap.ok(result.status == 1 and "absent" in result.stderr, "a file that is not there", result)


def test_derived(tap):
    with Directory() as directory:
        both = [os.path.join(GOLDEN, "every.tsprof")] * 2
        harness.tsprof("diff", *both, "-o", os.path.join(directory, "diff.tsprof"))
        row, = rows_of(directory)
        tap.equal((row["mpi"], row["overhead"]), ("", ""), "differences have no shares")


def test_bad_files(tap):
    with Directory() as directory:
        shutil.copy(os.path.join(GOLDEN, "every.tsprof"), directory)
        with open(os.path.join(directory, "every.tsprof"), "rb") as file:
            content = bytearray(file.read())
        for name, bad in (("empty.tsprof", b""), ("text.tsprof", b"hello\n" * 1000),
                          ("cut.tsprof", content[:-7]), ("other.txt", b"no summary")):
            with open(os.path.join(directory, name), "wb") as file:
                file.write(bad)
        os.mkdir(os.path.join(directory, "directory.tsprof"))
        result = harness.tsprof("list", directory, "--format", "csv")
        tap.equal(result.status, 1, "the exit status says that something was wrong")
        tap.equal([line.split(",")[0] for line in result.stdout.splitlines()],
                  ["file", "every.tsprof"], "what can be read is listed")
        said = sorted(os.path.basename(re.match(r"tsprof: (\S+):", line).group(1))
                      for line in result.stderr.splitlines())
        tap.equal(said, ["cut.tsprof", "empty.tsprof", "text.tsprof"], "the others are named")
    with Directory() as directory:
        result = harness.tsprof("list", directory)
        tap.equal((result.status, result.stdout, result.stderr), (0, "", ""), "nothing is no fault")
        result = harness.tsprof("list", os.path.join(directory, "absent"))
        tap.ok(result.status == 1 and "absent" in result.stderr, "a directory that is not there")


def test_only_what_is_needed_is_read(tap):
    """Damage elsewhere goes unnoticed."""
    with Directory() as directory:
        path = os.path.join(directory, "waits.tsprof")
        shutil.copy(os.path.join(GOLDEN, "waits.tsprof"), path)
        before = rows_of(directory)
        with open(path, "rb") as file:
            content = bytearray(file.read())
        for section in summary_reader.Summary(path).sections:
            kind = summary_reader.KINDS.get(section.kind)
            if kind not in ("RUN", "METRICS", "LOCATION"):
                content[section.offset:section.offset + section.stored] = bytes(section.stored)
        with open(path, "wb") as file:
            file.write(content)
        tap.equal(harness.tsprof("info", path).status, 1, "the file is damaged")
        tap.equal(rows_of(directory), before, "and listed as before")


def test_thousands(tap):
    """No time is tested here, but that it ends."""
    with Directory() as directory:
        for i in range(2000):
            os.link(shutil.copy(os.path.join(GOLDEN, "every.tsprof"), directory) if i == 0
                    else os.path.join(directory, "every.tsprof"),
                    os.path.join(directory, "run%04d.tsprof" % i))
        tap.equal(len(rows_of(directory)), 2001, "two thousand files")


def test_info_as_json(tap):
    for name in NAMES:
        path = os.path.join(GOLDEN, name)
        content = summary_reader.Summary(path)
        result = harness.tsprof("info", path, "--format", "json")
        document = json.loads(result.stdout)
        tap.equal((result.status, result.stderr, document["adds_up"]), (0, "", True), name)
        tap.equal(document["facts"], dict(content.run), name + ": facts")
        tap.equal([(one["rank"], one["thread"], round(one["wall"] * 1e9), one["notes"])
                   for one in document["threads"]],
                  [(one.place.rank, one.place.thread, one.wall_ns, list(one.notes))
                   for one in content.locations], name + ": threads")
        tap.equal([(one["name"], one["facts"]) for one in document["hosts"]],
                  [(one.name, dict(one.facts)) for one in content.hosts], name + ": hosts")
        tap.equal([document[key] for key in ("metrics", "regions", "nodes")],
                  [len(content.metrics), len(content.regions), len(content.nodes)],
                  name + ": sizes")
        tap.equal([one["name"] for one in document["phases"]],
                  [phase.name for phase in content.phases], name + ": phases")
    chosen = json.loads(harness.tsprof("info", os.path.join(GOLDEN, "grids.tsprof"), "--format",
                                       "json", "--rank", "1-2").stdout)
    tap.equal([one["rank"] for one in chosen["threads"]], [1, 2], "--rank chooses")
    every = json.loads(harness.tsprof("info", os.path.join(GOLDEN, "every.tsprof"), "--format",
                                      "json").stdout)
    row = next(row for row in rows_of(GOLDEN) if row["file"] == "every.tsprof")
    tap.ok(abs(every["cost"]["overhead"] / every["cost"]["wall"] - float(row["overhead"])) < 1e-12,
           "costs are those of the list")
    parts = [every["cost"][name] for name in ("calls", "samples", "markers", "saves")]
    tap.ok(abs(sum(part["seconds"] for part in parts if part) - every["cost"]["overhead"]) < 1e-9,
           "their parts add up", every["cost"])


def errors_of(path, *options):
    """By phase, of each metric its error in per cent."""
    document = json.loads(harness.tsprof("info", path, "--format", "json", *options).stdout)
    return {phase["name"]: [(one["metric"], 100 * one["error"]) for one in phase["errors"]]
            for phase in document["phases"] if phase["errors"]}


def errors_in_text(path, *options):
    said = harness.tsprof("info", path, *options).stdout
    lines = re.findall(r"^error +(.+): root mean square, of the largest iteration: (.*)$", said, re.M)
    return {name: [(metric, float(error)) for metric, error in
                   re.findall(r"(\w+) ([\d.e-]+) %", listed) if metric != "most"]
            for name, listed in lines}


def disagreement(path, *options):
    """The text is rounded."""
    exact, rounded = errors_of(path, *options), errors_in_text(path, *options)
    names = [{phase: [metric for metric, _ in errors] for phase, errors in each.items()}
             for each in (exact, rounded)]
    if names[0] != names[1]:
        return names
    return [(phase, one, other) for phase in exact
            for one, other in zip(exact[phase], rounded[phase]) if abs(one[1] - other[1]) > 0.051]


def test_errors_as_json(tap):
    shortened = []
    for name in NAMES:
        path = os.path.join(GOLDEN, name)
        tap.equal(disagreement(path, "--top", "1000"), [], name + ": errors, as text has them")
        tap.equal(disagreement(path, "--top", "1"), [], name + ": --top leaves out the same")
        tap.equal(errors_of(path), errors_of(path, "--top", "1000"), name + ": by default all")
        if errors_of(path) != errors_of(path, "--top", "1"):
            shortened.append(name)
    tap.ok(shortened, "some of them are left out somewhere")


def phantoms_of(path):
    """Of each phase with clusters of several iterations, as the text of `info` says it."""
    document = json.loads(harness.tsprof("info", path, "--format", "json").stdout)
    for phase in document["phases"]:
        if not phase["errors"]:
            continue
        share = phase["phantoms"]
        if share is None:
            yield "not known"
        elif share["most"] == 0:
            yield "none"
        else:
            least, most = (100 * share[key] for key in ("least", "most"))
            yield (least if most - least > 0.05 else most, most)


def phantoms_in_text(path):
    said = harness.tsprof("info", path).stdout
    for line in re.findall(r"^phantoms +(.*)$", said, re.M):
        shares = re.match(r"(?:([\d.]+) to )?(?:less than )?([\d.]+) %", line)
        yield (tuple(float(share or shares[2]) for share in shares.groups()) if shares
               else re.match("not known|none", line)[0])


def test_phantoms_as_json(tap):
    kinds = set()
    for name in NAMES:
        path = os.path.join(GOLDEN, name)
        exact, rounded = list(phantoms_of(path)), list(phantoms_in_text(path))
        kinds.update(str(one) if isinstance(one, str) else "some" for one in rounded)
        tap.ok(len(exact) == len(rounded) and all(
            one == other if isinstance(other, str) else
            all(abs(share - shown) < 0.51 * 10 ** (-1 if shown >= 1 else -2)
                for share, shown in zip(one, other))
            for one, other in zip(exact, rounded)), name + ": phantoms, as text has them",
            (exact, rounded))
    tap.ok("some" in kinds and len(kinds) > 1, "there are some somewhere, and elsewhere none", kinds)


if __name__ == "__main__":
    harness.main()
