#!/usr/bin/env python3
"""What belongs to the program stays the program's: it sees the same with tsprof and without."""

import glob
import os

import harness
from harness import Directory

# Modes, and whether a summary must be left.
MODES = {
    "claim-signals": True,
    "reset-signals": True,
    "jump-out": True,
    "lose-reader": True,
    "reuse-stderr": True,
    "forbid-growth": False,
    "dlerror": True,
    "errno": True,
    "raw-fork": True,
    "communicators": True,
    "small-stack": True,
    "names": True,
    "many-paths": True,
    "threads": True,
}
REPEATS = {"jump-out": 5, "threads": 5}


def run(directory, mode, preloaded, **more):
    """Without a launcher, which would stand between the program and its signals and files."""
    settings = dict(more)
    settings.update({"TSPROF_OUTPUT": os.path.join(directory, "out.tsprof")})
    if preloaded:
        settings["LD_PRELOAD"] = harness.LIBRARY
    return harness.execute([harness.program("boundaries"), mode], settings=settings,
                           cwd=directory)


def test_modes(tap):
    for mode, leaves_summary in MODES.items():
        with Directory() as directory:
            plain = run(directory, mode, False)
        tap.equal(plain.status, 7, mode + ": the program works without tsprof")
        for _ in range(REPEATS.get(mode, 1)):
            with Directory() as directory:
                measured = run(directory, mode, True)
                tap.equal(measured.status, plain.status, mode + ": exit status")
                tap.equal(measured.stdout, plain.stdout, mode + ": output")
                files = glob.glob(directory + "/*.tsprof")
                tap.equal(len(files), int(leaves_summary), mode + ": summaries")
                for file in files:
                    info = harness.tsprof("info", file)
                    tap.ok(info.status == 0, mode + ": readable and exact",
                           info.stdout + info.stderr)


def test_call_paths_beyond_the_memory(tap):
    for memory, full in (("1M", True), ("32M", False)):
        with Directory() as directory:
            result = run(directory, "many-paths", True, TSPROF_MEMORY=memory)
            tap.equal(result.status, 7, memory + ": exit status")
            summary = os.path.join(directory, "out.tsprof")
            info = harness.tsprof("info", summary)
            tap.equal(info.status, 0, memory + ": accounts and totals are exact")
            tap.equal("no memory for more call paths" in info.stdout, full,
                      memory + ": the summary says whether paths were joined")
            rows = harness.export(summary, "callpaths", "--total", "--metric", "visits")
            probes = sum(float(r["value"]) for r in rows
                         if r["callpath"].endswith(";MPI_Iprobe"))
            joined = [r for r in rows if r["callpath"].endswith("[other call paths]")]
            tap.equal(bool(joined), full, memory + ": and has a place for them")
            tap.ok(probes < 1600 if full else probes == 1600, memory + ": calls on own paths",
                   probes)


if __name__ == "__main__":
    harness.main()
