#!/usr/bin/env python3
"""Where there is no room for a trace the job ends as ever, with its summary, and it is said that
there is no trace."""

import os
import subprocess

import harness
import mortality
from archive_reader import Archive
from harness import Directory, Skip
from mortality import Case

CALLS = 60000


class SmallDisk:
    """A file system in memory with OPTIONS, as a context; its path."""

    def __init__(self, directory, options):
        self.path, self.options = os.path.join(directory, "small"), options

    def __enter__(self):
        os.mkdir(self.path)
        command = ["mount", "-t", "tmpfs", "-o", self.options, "none", self.path]
        try:
            subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        except (OSError, subprocess.CalledProcessError):
            raise Skip("file systems may not be mounted here")
        return self.path

    def __exit__(self, *error):
        subprocess.run(["umount", "-l", self.path])


def run(place, command, settings=None):
    """Runs COMMAND with its summary in PLACE; its result, and what was said."""
    settings = dict({"TSPROF_OUTPUT": os.path.join(place, "out.tsprof"), "TSPROF_TRACE": "all",
                     "TSPROF_VERBOSE": "1"}, **(settings or {}))
    result = harness.run_ranks(command, 2, settings=settings, cwd=place)
    return result, result.stderr.decode("utf-8", "replace")


def check(tap, label, place, result, said, reason):
    tap.equal(result.status, 0, label + ": the job ends as ever")
    tap.ok("no trace is written" in said and reason in said, label + ": it is said why", said)
    tap.equal(sorted(name for name in os.listdir(place) if name.startswith("out")),
              ["out.tsprof"], label + ": there is the summary, and nothing of a trace")
    info = harness.tsprof("info", os.path.join(place, "out.tsprof"))
    tap.equal(info.status, 0, label + ": the summary can be read")


def test_full_disk(tap):
    for options, reason in (("size=200k", "No space left"), ("size=20k", "No space left"),
                            ("size=12k", "No space left"), ("nr_inodes=4", ""),
                            ("nr_inodes=5", ""), ("nr_inodes=7", "")):
        with Directory() as directory, SmallDisk(directory, options) as small:
            result, said = run(small, [harness.program("polls"), "plain", str(CALLS)],
                               {"TSPROF_TMPDIR": directory})
            check(tap, options, small, result, said, reason)


def test_directory_that_cannot_be_written_to(tap):
    """The summary and the trace are where the summary goes then, and it is said where."""
    with Directory() as directory, SmallDisk(directory, "size=1m,ro") as small:
        other = os.path.join(directory, "other")
        os.mkdir(other)
        result, said = run(directory, [harness.program("stencil")], {
            "TSPROF_OUTPUT": os.path.join(small, "out.tsprof"), "TSPROF_TMPDIR": other})
        tap.equal(result.status, 0, "the job ends as ever")
        tap.ok("Read-only file system" in said and os.path.join(other, "out.otf2") in said,
               "it is said why, and where the trace is", said)
        tap.equal(sorted(os.listdir(other)), ["out.otf2", "out.tsprof"], "both are there")
        tap.equal(Archive(os.path.join(other, "out.otf2")).problems, [], "the trace is whole")


def test_parts_on_the_full_disk(tap):
    """There is no room for events while the job runs, either."""
    with Directory() as directory, SmallDisk(directory, "size=400k") as small:
        result, said = run(small, [harness.program("polls"), "plain", str(20 * CALLS)])
        check(tap, "parts there, too", small, result, said, "No space left")


def test_room_for_the_trace_alone(tap):
    """What does not fit into the file of events is in memory, and in the archive."""
    with Directory() as directory, SmallDisk(directory, "size=300k") as small:
        result, said = run(directory, [harness.program("polls"), "plain", str(CALLS)],
                           {"TSPROF_TMPDIR": small})
        tap.equal(result.status, 0, "the job ends as ever")
        archive = Archive(os.path.join(directory, "out.otf2"))
        calls = [sum(count for (callpath, _), count in archive.threads[rank, 0].calls.items()
                     if callpath.endswith("MPI_Iprobe")) for rank in range(2)]
        tap.equal(calls, [CALLS, CALLS], "all events are in the archive")


def test_merging_onto_a_full_disk(tap):
    case = Case("kill-all", 2, 100, 0, False, 8, None, None, 1.5)
    with Directory() as directory, SmallDisk(directory, "size=60k") as small:
        with mortality.Job(directory, case, settings={"TSPROF_TRACE": "all"}) as job:
            job.die(case)
        merged = os.path.join(small, "out.tsprof")
        result = harness.tsprof("merge", directory, "-o", merged, "--remove")
        tap.equal(result.status, 0, "there is a summary")
        tap.ok("no trace is written" in result.stderr and "No space left" in result.stderr,
               "it is said that there is no trace", result.stderr)
        tap.equal(os.listdir(small), ["out.tsprof"], "nothing is left of it")
        again = harness.tsprof("merge", directory, "-o", os.path.join(directory, "out.tsprof"))
        tap.ok(os.path.isdir(os.path.join(directory, "out.otf2")),
               "the parts have stayed, and make one elsewhere", again.stderr)


if __name__ == "__main__":
    harness.main()
