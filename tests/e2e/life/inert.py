#!/usr/bin/env python3
"""In a process without MPI the preloaded runtime does nothing: no output, no file, no library
of its own, no signal handler and no thread."""

import os
import re

import harness
from harness import Directory

# What the runtime uses only where it measures.
HEAVY = ("libmpi", "libunwind", "libdw", "libelf", "libpapi", "libzstd")


def both(command, directory, settings=None):
    results = []
    for more in ({}, {"LD_PRELOAD": harness.LIBRARY}):
        result = harness.execute(command, settings=dict(settings or {}, **more), cwd=directory)
        results.append(result._replace(stderr=harness.lasting(result.stderr)))
    return results


def check_same(tap, label, command):
    with Directory() as directory:
        plain, preloaded = both(command, directory)
        tap.equal(preloaded, plain, label + ": same output and status")
        tap.equal(os.listdir(directory), [], label + ": no file is written")


def test_true(tap):
    check_same(tap, "/bin/true", ["/bin/true"])
    check_same(tap, "/bin/false", ["/bin/false"])


def test_shell(tap):
    check_same(tap, "shell and pipe", ["bash", "-c", "echo x; ls | cat; exit 3"])
    check_same(tap, "shell that is killed", ["bash", "-c", "echo x; kill -TERM $$"])


def test_program_with_markers_and_no_mpi(tap):
    check_same(tap, "nompi", [harness.program("nompi")])


def test_program_linked_with_mpi_that_never_starts_it(tap):
    check_same(tap, "endings without a mode", [harness.program("endings")])


def test_mpirun_of_what_is_not_mpi(tap):
    check_same(tap, "mpirun hostname", [harness.mpirun(), "-n", "2", "hostname"])
    check_same(tap, "mpirun shell",
               [harness.mpirun(), "-n", "1", "sh", "-c", "echo out; echo err >&2; exit 6"])


def test_bad_settings_stay_unmentioned(tap):
    """Nobody reads them, so nobody complains about them."""
    with Directory() as directory:
        plain, preloaded = both(["/bin/echo", "x"], directory,
                                {"TSPROF_NONSENSE": "1", "TSPROF_RATE": "many"})
        tap.equal(preloaded, plain, "bad settings before echo")


def mapped(text):
    return {os.path.basename(path) for path in re.findall(r"(/\S+\.so\S*)", text)}


def check_maps(tap, label, command):
    with Directory() as directory:
        plain, preloaded = both(command, directory)
        before = mapped(plain.stdout.decode())
        after = mapped(preloaded.stdout.decode())
        tap.ok("libtsprof" in " ".join(after), label + ": the runtime is there", after)
        heavy = [name for name in after for word in HEAVY if name.startswith(word)]
        tap.equal(heavy, [], label + ": no library that only measuring needs")
        more = sorted(name for name in after - before if not name.startswith("libtsprof"))
        tap.equal(more, [], label + ": no other library comes with it")


def test_maps_of_cat(tap):
    check_maps(tap, "cat", ["cat", "/proc/self/maps"])


def test_maps_after_markers(tap):
    check_maps(tap, "nompi", [harness.program("nompi"), "maps"])


def test_maps_under_mpirun(tap):
    check_maps(tap, "mpirun cat", [harness.mpirun(), "-n", "1", "cat", "/proc/self/maps"])


def test_signals_and_threads(tap):
    """grep looks at itself: handlers, blocked signals, and the number of threads."""
    with Directory() as directory:
        plain, preloaded = both(
            ["grep", "-E", "^(Sig(Cgt|Ign|Blk)|Threads)", "/proc/self/status"], directory)
        tap.equal(preloaded.stdout, plain.stdout, "same signals and threads")


if __name__ == "__main__":
    harness.main()
