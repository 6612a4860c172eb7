#!/usr/bin/env python3
"""The file of a library is truncated while the program runs and has it loaded: behind what is
loaded of it, which the program never reads, or to nothing when the program is done with it.
tsprof may have no names then, but the program does not notice."""

import os

import harness
import life

# All that look names up: in the run, to know iterations, and at the end.
SETTINGS = {
    "names": {},
    "function": {"TSPROF_ITERATION": "function:step_late"},
    "call": {"TSPROF_ITERATION": "call:MPI_Sendrecv@pass_on"},
    "path": {"TSPROF_ITERATION": "call:step_late > pass_on > MPI_Sendrecv"},
    "loop": {"TSPROF_ITERATION": "loop:run"},
}


def try_settings(tap, when, size, names):
    for name in names:
        with harness.Directory() as directory:
            library = os.path.join(directory, "library.so")
            original = harness.program("liblife_library.so")

            command = ["sh", "-c", 'cp -f "$1" "$2" && exec "$3" "$2" "$4" "$5"', "sh", original,
                       library, harness.program("life_library"), when, size]
            life.both_ways(tap, "%s, %s, %s" % (when, size, name), command, rates=("1000",),
                           settings=SETTINGS[name])


def test_while_read(tap):
    """As soon as it is mapped to be read: behind what is loaded, and, at the end, to nothing."""
    try_settings(tap, "mapped", "loaded", SETTINGS)
    try_settings(tap, "mapped", "nothing", ("names",))


def test_while_used(tap):
    """Before it is looked at, and between."""
    try_settings(tap, "used", "loaded", ("names", "function"))


def test_before_the_end(tap):
    """When the program is done with it."""
    try_settings(tap, "done", "loaded", ("names",))
    try_settings(tap, "done", "nothing", SETTINGS)


if __name__ == "__main__":
    harness.main()
