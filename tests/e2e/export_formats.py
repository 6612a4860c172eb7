#!/usr/bin/env python3
"""tsprof export in every format: JSON has the numbers of CSV, cell by cell, and is well-formed
whatever names a summary holds; what is not there is said; writes that fail are said, readers that
go away are not."""

import contextlib
import json
import os
import signal
import subprocess

import cli_command
import harness
from cli_command import Sample
from harness import Directory

WHATS = ("iterations", "callpaths", "clusters", "regions", "topologies")
# Names that would break what does not escape them.
HOSTILE = ('</script><script>alert("1")//', "a\\b\"c", "line\nbreak\r\ttab", "nul\x01\x1b[2J\x7f",
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
    return separator.join(value) if isinstance(value, list) else value


# JSON ---------------------------------------------------------------------------------------


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


# The command --------------------------------------------------------------------------------


def test_what_is_not_there(tap):
    with Sample() as sample:
        for options, words in (
                (("--format", "xml", "--what", "regions"),
                 ("xml", "csv", "json")),
                (("--what", "tables"), ("tables", "csv") + WHATS),
                (("--format", "json"), ("--what",) + WHATS)):
            result = harness.tsprof("export", sample.file, *options)
            tap.ok(result.status == 2 and result.stdout == ""
                   and all(word in result.stderr for word in words),
                   "%s: status 2, and what there is" % " ".join(options), result)


FORMATS = ([["--what", what, "--format", form] for what in WHATS for form in ("csv", "json")])


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
