#!/usr/bin/env python3
"""The runtime with the address sanitizer in it, preloaded as it always is: nothing is read or written
where it must not be, and the numbers are the same.

libprof/libtsprof_asan.la is built by `make check`; where it is not there, nothing can be told."""

import os
import re
import shutil

import exercise
import handover
import harness
import random_messages
from harness import Directory

SANITIZED = os.path.join(harness.TOP_BUILDDIR, "libprof", ".libs", "libtsprof_asan.so")

# What MPI leaves behind is not the point here, nor what drivers of OpenCL do that it would load.
OPTIONS = "detect_leaks=0:exitcode=99:verify_asan_link_order=0"


def sanitizer():
    """The sanitizer's own library, which has to be the first of all."""
    if not os.path.exists(SANITIZED):
        raise harness.Skip("libtsprof_asan.so is not built")
    result = harness.execute(["ldd", SANITIZED])
    match = re.search(r"libasan\S* => (/\S+)", result.stdout.decode())
    if not match:
        raise harness.Skip("no libasan")
    return match.group(1)


def start_in(directory):
    """A way to start programs like harness.run_ranks.  Processes know each other's runtime by its
    name, so it must be the usual one."""
    first, library = sanitizer(), os.path.join(directory, "libtsprof.so")
    shutil.copy(SANITIZED, library)
    preload = ["env", "LD_PRELOAD=%s:%s" % (first, library), "ASAN_OPTIONS=" + OPTIONS,
               "HWLOC_COMPONENTS=-opencl"]

    def start(command, ranks, **options):
        result = harness.execute([harness.mpirun(), "-n", str(ranks)] + preload + command,
                                 **options)
        if b"AddressSanitizer" in result.stderr:
            raise harness.Failure(result.stderr.decode("utf-8", "replace"))
        return result

    return start


def test_it_finds_what_is_wrong(tap):
    """The sanitizer is at work: it ends a program that goes too far."""
    with Directory() as directory:
        source = os.path.join(directory, "wrong.py")
        with open(source, "w") as file:
            file.write("import ctypes\n"
                       "libc = ctypes.CDLL(None)\n"
                       "libc.malloc.restype = ctypes.c_void_p\n"
                       "libc.memset(ctypes.c_void_p(libc.malloc(8)), 0, 9)\n")
        result = harness.execute(["python3", "-B", source], settings={
            "LD_PRELOAD": sanitizer() + ":" + SANITIZED, "ASAN_OPTIONS": OPTIONS})
        tap.ok(result.status == 99 and b"heap-buffer-overflow" in result.stderr,
               "a byte too many is found", result.stderr)


def test_random_messages(tap):
    with Directory() as directory:
        start = start_in(directory)
        for ranks, seed in ((2, 1), (4, 2)):
            random_messages.try_messages(tap, ranks, seed, start=start, arguments=["--iterations", "8"])
        random_messages.try_messages(tap, 2, 3, {"TSPROF_RATE": "2000", "TSPROF_CLUSTERS": "3"},
                                  start=start)


def test_requests_that_threads_hand_over(tap):
    with Directory() as directory:
        start = start_in(directory)
        for ranks, seed in ((1, 1), (2, 2)):
            handover.try_handover(tap, ranks, seed, start=start, arguments=["--iterations", "600"])


def test_every_function(tap):
    with Directory() as directory:
        exercise.try_rows(tap, "exercise", 2, start=start_in(directory))


if __name__ == "__main__":
    harness.main()
