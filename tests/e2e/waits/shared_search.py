#!/usr/bin/env python3
"""`tsprof-waits`, the search as an MPI program: whatever the trace, and however many processes share
it, what it writes is what the command writes, byte by byte.

SHARED_SIZES="1 2 8" says with how many processes, otherwise two or three; SHARED_SEED=N repeats a
seed.
"""

import os
import random
import shutil
import signal
import subprocess
import time

import clocks
import harness
import joined
from harness import Directory, Failure

SIZES = [int(size) for size in os.environ.get("SHARED_SIZES", "").split()]
ALL_SIZES = SIZES or (1, 2, 3, 5)

# Programs with what ranks can wait for, and the settings that they are traced with.
PLAIN = {"TSPROF_TRACE": "all", "TSPROF_RATE": "0"}
SAMPLED = {"TSPROF_TRACE": "all", "TSPROF_RATE": "1000"}
CHOSEN = {"TSPROF_TRACE": "slowest:4", "TSPROF_RATE": "1000"}
PROGRAMS = (("collectives", 4, (), PLAIN), ("intercomm", 4, (), PLAIN),
            ("random_messages", 4, (), PLAIN), ("neighborhood", 4, (), PLAIN),
            ("onesided", 4, (), PLAIN), ("files", 4, (), PLAIN),
            ("workers", 4, (), SAMPLED), ("wavefront", 4, ("--iterations", "6"), SAMPLED),
            ("particles", 3, ("--iterations", "40"), CHOSEN), ("threads", 2, ("pool",), SAMPLED))


def shared(kind=None):
    return os.path.join(harness.TOP_BUILDDIR, "waits_mpi", "tsprof-waits-" + (kind or harness.MPI))


def search(size, *arguments, kind=None, **options):
    """Runs it with SIZE processes."""
    if not os.path.exists(shared(kind)):
        raise harness.Skip("there is no tsprof-waits for this MPI")
    return harness.execute([harness.mpirun(kind or harness.MPI), "-n", str(size), shared(kind),
                            *arguments], **options)


def content(path):
    with open(path, "rb") as file:
        return file.read()


def record(directory, name, ranks, arguments, settings):
    result = harness.run_ranks(
        [harness.program(name), *arguments], ranks, cwd=directory,
        settings=dict(settings, TSPROF_OUTPUT=os.path.join(directory, "out.tsprof")))
    archive = os.path.join(directory, "out.otf2")
    if result.status != 0 or not os.path.exists(archive):
        raise Failure(result.stderr.decode("utf-8", "replace"))
    return archive


def differences(directory, archive, sizes, *arguments, kind=None):
    """With how many processes it does not find what the command finds."""
    wanted = os.path.join(directory, "alone.tsprof")
    result = harness.tsprof("waits", archive, "-o", wanted, "--force", *arguments)
    if result.status != 0:
        raise Failure(result.stderr)
    found = []
    for size in sizes:
        path = os.path.join(directory, "shared.tsprof")
        result = search(size, archive, "-o", path, "--force", *arguments, kind=kind)
        if result.status != 0 or result.stdout or content(path) != content(wanted):
            found.append("%d: status %d, %s" % (size, result.status,
                                                result.stderr.decode("utf-8", "replace")))
            if os.environ.get("E2E_KEEP"):
                shutil.copy(path, "%s.%d" % (path, size))
    return found


def test_random(tap):
    seed = int(os.environ.get("SHARED_SEED") or random.SystemRandom().randrange(1 << 20))
    print("# SHARED_SEED=%d" % seed)
    with Directory() as directory:
        archive = record(directory, "waits_random", 4, ("--seed", str(seed)), PLAIN)
        tap.equal(differences(directory, archive, ALL_SIZES), [], "a random program")


def test_programs(tap):
    for number, (name, ranks, arguments, settings) in enumerate(harness.some(PROGRAMS)):
        with Directory() as directory:
            archive = record(directory, name, ranks, arguments, settings)
            tap.equal(differences(directory, archive, SIZES or [2 + number % 2]), [], name)


def test_master(tap):
    with Directory() as directory:
        archive = record(directory, "workers", 4, (), PLAIN)
        tap.equal(differences(directory, archive, SIZES or [3], "--master", "1"), [], "a master is named")


def test_hosts(tap):
    """Where clocks disagree events are moved before the search, for all in the same way."""
    with Directory() as directory:
        clocks.run(directory, [harness.program("waits_coll"), "barrier_stairs"], 3,
                   clocks.clocks(50000, 100000))
        archive = os.path.join(directory, "out.otf2")
        tap.equal(differences(directory, archive, SIZES or [3]), [], "several hosts")


def test_with(tap):
    """Into the summary of the whole run."""
    with Directory() as directory:
        summary, archive = joined.record(directory, "out", 3, "particles", "--iterations", "40",
                                         TSPROF_TRACE="slowest:4")
        tap.equal(differences(directory, archive, SIZES or [2], "--with", summary), [], "--with")


def test_other_mpi(tap):
    """Archives do not depend on the MPI that looks at them."""
    others = [kind for kind in harness.KINDS if kind != harness.MPI]
    if not others:
        raise harness.Skip("there is one MPI only")
    with Directory() as directory:
        archive = record(directory, "random_messages", 4, (), PLAIN)
        tap.equal(differences(directory, archive, SIZES or [3], kind=others[0]), [], others[0])


def damaged(archive):
    """In the middle of the largest file of events stands what is no event."""
    files = [os.path.join(at, name) for at, _, names in os.walk(archive) for name in names
             if name.endswith(".evt")]
    largest = max(files, key=os.path.getsize)
    with open(largest, "r+b") as file:
        file.seek(os.path.getsize(largest) // 2)
        file.write(b"\xff" * 200)


def refused(result, words):
    """It fails, with one message and nothing else from tsprof."""
    said = [line for line in result.stderr.decode("utf-8", "replace").splitlines()
            if line.startswith("tsprof: ")]
    return result.status != 0 and len(said) == 1 and words in said[0]


def test_failures(tap):
    """What is wrong is said once, and no file is left."""
    with Directory() as directory:
        archive = record(directory, "random_messages", 4, (), PLAIN)
        out = os.path.join(directory, "shared.tsprof")
        missing = search(2, archive + "x", "-o", out)
        no_output = search(2, archive)
        pattern = search(2, archive, "-o", out, "--pattern", "mine.so")
        no_rank = search(2, archive, "-o", out, "--master", "9")
        usage = search(2, "--help")
        damaged(archive)
        broken = search(3, archive, "-o", out)
        left = os.path.exists(out)
        with open(out, "w"):
            pass
        there = search(2, archive, "-o", out)
    for result, words, label in (
            (missing, "otf2x", "an archive that is not there"),
            (no_output, "-o OUT is missing", "no output"),
            (pattern, "patterns of yours", "patterns by users"),
            (no_rank, "has no rank 9", "a master that is not there"),
            (broken, "damaged", "an archive that is damaged")):
        tap.ok(refused(result, words), label, "%s: %s" % (result.status, result.stderr))
    tap.ok(usage.status == 0 and usage.stdout.count(b"usage:") == 1, "help is printed once",
           usage.stdout)
    tap.ok(not left, "nothing is written")
    tap.ok(there.status != 0, "what is there is not replaced", there.stderr)


# What launchers tell processes of their rank.
RANK = '"${PMI_RANK:-$OMPI_COMM_WORLD_RANK}"'


def search_by(script, size, *arguments, **options):
    """The same by a shell, which SCRIPT is for, in each process."""
    if not os.path.exists(shared()):
        raise harness.Skip("there is no tsprof-waits for this MPI")
    return [harness.mpirun(), "-n", str(size), "sh", "-c", script + '; exec "$0" "$@"', shared(),
            *arguments]


def largest_events(archive):
    return max((os.path.join(at, name) for at, _, names in os.walk(archive) for name in names
                if name.endswith(".evt")), key=os.path.getsize)


def wait_for_file(path):
    for _ in range(600):
        if os.path.exists(path) and os.path.getsize(path) > 0:
            return
        time.sleep(0.05)
    raise Failure("no process wrote " + path)


def test_killed(tap):
    """A process that dies takes the others with it, and nothing is written."""
    with Directory() as directory:
        archive = record(directory, "random_messages", 4, (), PLAIN)
        events, out = largest_events(archive), os.path.join(directory, "shared.tsprof")
        # Whoever has these events waits for them for ever.
        os.unlink(events)
        os.mkfifo(events)
        process = subprocess.Popen(
            search_by("echo $$ >pid." + RANK, 3, archive, "-o", out), cwd=directory,
            env=harness.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True)
        try:
            wait_for_file(os.path.join(directory, "pid.1"))
            time.sleep(0.5)
            with open(os.path.join(directory, "pid.1"), encoding="ascii") as file:
                os.kill(int(file.read()), signal.SIGKILL)
            said = process.communicate(timeout=30)[0].decode("utf-8", "replace")
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
        left = os.listdir(directory)
    tap.ok(process.returncode != 0, "killed: it fails", process.returncode)
    tap.ok("signal 9" in said or "SIGNAL: 9" in said, "killed: which is said", said)
    tap.ok(not [name for name in left if name.startswith("shared")], "killed: nothing is left", left)


def search_in(directory, archive, kilobytes):
    """With so much address space for one of two processes: what it says, and whether it wrote."""
    out = os.path.join(directory, "shared.tsprof")
    script = "if test %s = 1; then ulimit -v %d; fi" % (RANK, kilobytes)
    result = harness.execute(search_by(script, 2, archive, "-o", out), cwd=directory)
    written = os.path.exists(out)
    if written:
        os.unlink(out)
    left = [name for name in os.listdir(directory) if name.startswith("shared")]
    said = [line for line in result.stderr.decode("utf-8", "replace").splitlines()
            if line.startswith("tsprof: ")]
    return result.status, written, left, said


def test_memory(tap):
    """With too little memory for one of them there is no result, whatever was too little for."""
    few, enough = 1 << 15, 1 << 19
    with Directory() as directory:
        archive = record(directory, "random_messages", 4, (), PLAIN)
        most = search_in(directory, archive, enough)
        found = []
        while enough - few > 1 << 11:
            middle = (few + enough) // 2
            found.append(search_in(directory, archive, middle))
            few, enough = (few, middle) if found[-1][0] == 0 else (middle, enough)
    if most[0] != 0:
        raise harness.Skip("half a GB of address space is too little")
    tap.ok(most[1], "memory: there may be enough")
    tap.equal([one for one in found if (one[0] == 0) != one[1] or one[2] or len(one[3]) > 1], [],
              "memory: all or nothing is written, and at most one message")
    tap.ok(any(one[3] == ["tsprof: out of memory"] for one in found),
           "memory: which says what is wrong", found)


if __name__ == "__main__":
    harness.main()
