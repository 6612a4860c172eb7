#!/usr/bin/env python3
"""The runtime under valgrind's memory checker: its normal work, merging and writing included.

Sanitizers cannot be used here: what reads the stack of others is reading where it must not.
"""

import glob
import os
import re
import shutil

import harness
from harness import Directory, Skip

RUNS = [
    ("stencil", ["--iterations", "12"]),
    ("templates", ["--iterations", "12"]),
    ("heat_f08", ["--iterations", "12"]),
    ("nesting", ["recursive"]),
]
TIMEOUT_S = 240

# What the runtime is made of.
FOLDERS = ("libprof", "arch", "compress", "detect", "assemble", "common")
FRAME = re.compile(r"/(%s)/(\w+/)*\w+\.[ch]:\d+\)" % "|".join(FOLDERS))


def errors(log):
    """The reports in a log whose stack has a frame of the runtime."""
    reports = re.split(r"^==\d+== ?$", log, flags=re.M)
    return [r for r in reports if FRAME.search(r)]


def test_files_are_recognized(tap):
    """Wherever they lie: else no error would be found."""
    for folder in FOLDERS:
        files = glob.glob(os.path.join(harness.TOP_SRCDIR, folder, "**", "*.c"), recursive=True)
        strangers = [f for f in files if not errors("by 0x1: f (../../%s:1)"
                                                    % os.path.relpath(f, harness.TOP_SRCDIR))]
        tap.ok(files and not strangers, "reports on files of " + folder, strangers)


def test_no_errors(tap):
    valgrind = shutil.which("valgrind")
    if not valgrind:
        raise Skip("valgrind is not installed")
    for name, arguments in harness.some(RUNS):
        if not harness.is_built(name):
            tap.skip(name, "not built")
            continue
        with Directory() as directory:
            logs = os.path.join(directory, "log")
            summary = os.path.join(directory, "out.tsprof")
            command = [valgrind, "--error-limit=no", "--num-callers=20", "--fullpath-after=",
                       "--log-file=%s.%%p" % logs, harness.program(name)]
            settings = {"TSPROF_OUTPUT": summary, "TSPROF_RATE": "20", "TSPROF_CLUSTERS": "4"}
            result = harness.run_ranks(command + arguments, 2, settings=settings, cwd=directory,
                                       timeout=TIMEOUT_S)
            tap.equal(result.status, 0, name + " ends well")
            texts = [open(file, errors="replace").read() for file in glob.glob(logs + ".*")]
            tap.ok(len(texts) >= 2, name + " ran in valgrind on both ranks")
            found = [report for text in texts for report in errors(text)]
            tap.ok(not found, name + ": no error in the runtime", "\n".join(found))
            info = harness.tsprof("info", summary)
            tap.equal(info.status, 0, name + " leaves a summary whose accounts are exact")


if __name__ == "__main__":
    harness.main()
