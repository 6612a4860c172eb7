#!/usr/bin/env python3
"""Parts that somebody truncates, removes or replaces while the job runs: the job does not notice,
its summary is whole, one message says what is lost, and `tsprof merge` refuses what is left."""

import glob
import os
import re
import shutil
import subprocess
import time

import harness
import summary_reader
from harness import Directory

SECONDS = "1.8"


def parts(directory):
    return sorted(glob.glob(os.path.join(directory, "*.parts", "*.part")))


def each(work):
    return lambda directory: [work(path) for path in parts(directory)]


def overwrite(path):
    with open(path, "r+b") as file:
        file.write(b"\xa5" * 100000)


def replace(path):
    other = path + ".other"
    with open(other, "w") as file:
        file.write("another file\n")
    os.rename(other, path)


def remove_directory(directory):
    shutil.rmtree(os.path.dirname(parts(directory)[0]))


def file_for_directory(directory):
    where = os.path.dirname(parts(directory)[0])
    remove_directory(directory)
    replace(where)


# What is done, and the reason that is given.
TRUNCATED = "somebody has truncated or overwritten it"
REMOVED = "somebody has removed it"
HARM = {
    "emptied": (each(lambda path: os.truncate(path, 0)), TRUNCATED),
    "cut within its records": (each(lambda path: os.truncate(path, 5000)), TRUNCATED),
    "cut behind its records": (each(lambda path: os.truncate(path, 40000)), TRUNCATED),
    "overwritten": (each(overwrite), TRUNCATED),
    "removed": (each(os.unlink), REMOVED),
    "replaced": (each(replace), REMOVED),
    "its directory removed": (remove_directory, REMOVED),
    "its directory replaced": (file_for_directory, REMOVED),
}


def start(directory):
    settings = {"TSPROF_OUTPUT": os.path.join(directory, "out.tsprof"), "TSPROF_VERBOSE": "1"}
    command = [harness.mpirun(), "-n", "2", "env", "LD_PRELOAD=" + harness.LIBRARY,
               harness.program("parts"), SECONDS, "finalize"]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, env=harness.environment(settings),
                            cwd=directory, text=True)


def wait_for_parts(process, directory):
    end = time.monotonic() + 20
    while len(parts(directory)) < 2 or not all(os.path.getsize(p) > 40000 for p in parts(directory)):
        if process.poll() is not None or time.monotonic() > end:
            raise harness.Failure("no parts were made")
        time.sleep(0.05)


def is_whole(tap, name, directory, said):
    """The summary has what the ranks say that they have done."""
    wanted = {int(rank): (int(iterations), int(probes)) for rank, iterations, probes in
              re.findall(r"rank (\d): (\d+) iterations, (\d+) probes", said)}
    summary = summary_reader.Summary(os.path.join(directory, "out.tsprof"))
    found = {}
    for location in summary.locations:
        iterations = sum(length for series in location.series for length, _ in series.map)
        visits = sum(value for (node, metric), value in location.whole.items()
                     if summary.metrics[metric].name == "visits"
                     and summary.callpath(node).endswith("MPI_Iprobe"))
        found[location.place.rank] = (iterations, visits)
    tap.equal(found, wanted, name + ": the summary has all that was done")


def test_harm(tap):
    for name, (harm, reason) in harness.some(HARM.items()):
        with Directory() as directory:
            process = start(directory)
            wait_for_parts(process, directory)
            harm(directory)
            merged = harness.tsprof("merge", directory, "-o", os.path.join(directory, "merged"))
            tap.equal(merged.status, 1, name + ": there is nothing to merge")
            out, errors = process.communicate(timeout=harness.RUN_TIMEOUT_S)
            tap.equal(process.returncode, 0, name + ": status")
            is_whole(tap, name, directory, out)
            tap.ok(len(re.findall("cannot go on with .*" + reason, errors)) == 1,
                   name + ": one message says why", errors)
            left = parts(directory)
            tap.equal(len(left), 2 if name == "replaced" else 0, name + ": parts are removed")


if __name__ == "__main__":
    harness.main()
