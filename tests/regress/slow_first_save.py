#!/usr/bin/env python3
"""The first save of a process with threads waited 6 ms, in the handler of a sample, for the system
to enlarge its table of files."""

import os
import re
import resource

import harness
from harness import Directory
from parts import run


def highest_descriptor():
    """The number that the part's file and the first timer's have, or the next free ones."""
    with open(os.path.join(harness.TOP_SRCDIR, "libprof", "host", "descriptors.h")) as header:
        return max(int(number) for number in re.findall(r"DESCRIPTOR_\w+ = (\d+)", header.read()))


def test_room_for_the_file(tap):
    """It is made before MPI has threads: later the system would keep a sample waiting for it."""
    highest = highest_descriptor()
    if resource.getrlimit(resource.RLIMIT_NOFILE)[0] <= highest:
        raise harness.Skip("so many files are not allowed")
    with Directory() as directory:
        result = run(directory, 1, "0.1", "finalize", settings={"TSPROF_TIMER": "cpu"})
        room = re.search(rb"room for (\d+) files", result.stdout)
        tap.ok(room and int(room[1]) > highest, "the table of files is large when MPI has started",
               result)


if __name__ == "__main__":
    harness.main()
