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
    "threads": True,
}
REPEATS = {"jump-out": 5, "threads": 5}


def run(directory, mode, preloaded):
    """Without a launcher, which would stand between the program and its signals and files."""
    settings = {"TSPROF_OUTPUT": os.path.join(directory, "out.tsprof")}
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


if __name__ == "__main__":
    harness.main()
