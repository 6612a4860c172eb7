#!/usr/bin/env python3
"""Jobs that are killed leave the events that they had recorded: `tsprof merge` makes an archive of
them, in which every iteration that a process said it had finished is as the program states it.

`make check` kills a few times; KILLED_TRACES=100 more often, KILLS_SEED repeats."""

import collections
import glob
import os
import random
import re
import signal
import struct
import subprocess
import time
import zlib

import archive_reader
import harness
import mortality
from archive_reader import METRICS, Archive, complaints_of_otf2_print
from harness import Directory, Failure
from mortality import Case

PHASE = "timestep"

# common/event_format.h
HEADER_BYTES, VERSION_AT, CHUNKS_AT_AT = 32, 8, 24
LOSSES_AT, CHUNKS_AT, WITH_LOSSES = 69632, 397312, 4

# Saves begin a tenth of a second after MPI_Init; before that there are no names for call paths.
FIRST_SAVE_S = 0.3

# way, us, threads, nested, at, victim, delay_s, what TSPROF_TRACE says
FIXED = [
    (Case("kill", 2, 1000, 0, False, 8, 400, None, 0), "all"),
    (Case("kill", 2, 1000, 2, True, 8, 350, 1, 0), "all"),
    (Case("_exit", 2, 1000, 0, False, 8, 450, 0, 0), "100-200,410-430"),
    (Case("mpi_abort", 2, 1000, 0, False, 8, 400, 1, 0), "all"),
    (Case("kill-all", 2, 100, 0, False, 8, None, None, 1.2), "slowest:5"),
    (Case("kill-all", 1, 1000, 2, True, 8, None, None, 0.9), "new:3"),
    (Case("segv", 3, 1000, 0, False, 8, 300, 2, 0), "0-100000"),
]


def of_iterations(case, thread):
    """{iteration: {(MPI function, metric): value}} of a rank's first thread."""
    values = collections.defaultdict(collections.Counter)
    for (callpath, number), count in thread.calls.items():
        if number is not None:
            values[number][callpath.rpartition(";")[2], "visits"] += count
    for (number, metric), value in thread.sums.items():
        if number is not None and metric in METRICS and value:
            values[number]["MPI_Sendrecv", metric] += value
    return values


def check_thread(case, rank, archive, told, wanted):
    """What is wrong with the first thread of a rank, in words."""
    thread = archive.threads[rank, 0]
    values = of_iterations(case, thread)
    there = [number for phase, number, _, _ in thread.iterations if phase == PHASE]
    found = []
    if there != sorted(set(there)):
        found.append("rank %d: iterations in wrong order" % rank)
    for number in there:
        if number < len(told.finished) and values[number] != mortality.stated(case, rank, number):
            found.append("rank %d, iteration %d: %s rather than %s" % (
                rank, number, dict(values[number]), dict(mortality.stated(case, rank, number))))
    missing = [number for number in range(len(told.finished))
               if wanted(number) and number not in set(there)]
    if missing:
        found.append("rank %d: %d of %d iterations are missing, the first %d" % (
            rank, len(missing), len(told.finished), missing[0]))
    return found[:5]


def check_messages(archive):
    """What was received was sent, but for what processes were about when they were killed."""
    sent = collections.Counter(message[:5] for thread in archive.threads.values()
                               for message in thread.sent)
    received = collections.Counter(message[:5] for thread in archive.threads.values()
                                   for message in thread.received)
    odd = received - sent
    # The message of a call that had not ended may have arrived: one of each process, not only of
    # one process, as all of them are killed.
    by_sender = collections.Counter()
    for message, count in odd.items():
        by_sender[message[1]] += count
    most = max(by_sender.values(), default=0)
    return ["received and not sent: %s" % list(odd)[:3]] if most > 1 else []


def wanted_of(choice):
    """Whether an iteration must be there if its process finished it."""
    if choice in ("all", "0-100000"):
        return lambda number: True
    if choice[0].isdigit():
        ranges = [[int(end) for end in part.split("-")] for part in choice.split(",")]
        return lambda number: any(first <= number <= last for first, last in ranges)
    return lambda number: False


def events_of(directory, pid):
    return glob.glob(os.path.join(glob.escape(directory), "*.parts", "*.%d.events" % pid))


def merge(directory, *options):
    merged = os.path.join(directory, "merged.tsprof")
    result = harness.tsprof("merge", directory, "-o", merged, *options)
    return result, os.path.join(directory, "merged.otf2")


def was_saved(case):
    """Whether every process had saved names by the time it was killed, on a busy machine, too."""
    return case.at is not None or case.delay_s >= FIRST_SAVE_S + 0.5


def check_archive(path, case, told, choice):
    archive = Archive(path)
    found = archive.problems + complaints_of_otf2_print(path)
    both = [rank for rank in range(case.ranks) if told[rank].finished]
    common = min((len(told[rank].finished) for rank in both), default=0)
    for rank in both:
        wanted = wanted_of(choice if was_saved(case) else "none")
        # Chosen iterations are those that all processes have.
        limit = None if choice == "all" else common
        found += check_thread(case, rank, archive, told[rank],
                              lambda n: wanted(n) and (limit is None or n < limit))
    if choice.startswith(("slowest", "new")) and was_saved(case):
        most = int(choice.split(":")[1])
        for rank in both:
            chosen = [number for phase, number in archive.chosen()[rank] if phase == PHASE]
            if len(chosen) != most:
                found.append("rank %d: iterations %s" % (rank, chosen))
    return found + (check_messages(archive) if choice == "all" else [])


def run(directory, case, choice):
    settings = {"TSPROF_TRACE": choice, "TSPROF_ITERATION": "markers"}
    with mortality.Job(directory, case, settings=settings) as job:
        job.die(case)
        told = [job.told(rank) for rank in range(case.ranks)]
    result, path = merge(directory)
    if case.ranks == 1 and case.way in mortality.OWN_WAYS:
        path = os.path.join(directory, "out.otf2")
    if os.path.exists(path):
        return check_archive(path, case, told, choice)
    if was_saved(case):
        return ["no archive: " + result.stderr]
    return []


def check(tap, case, choice):
    with Directory() as directory:
        try:
            found = run(directory, case, choice)
        except Failure as failure:
            found = [str(failure)]
    tap.ok(not found, "%s, %s" % (mortality.label(case), choice), "\n".join(found))


def test_programs_that_die(tap):
    for case, choice in harness.some(FIXED):
        check(tap, case, choice)


def test_random_moments(tap):
    seed = int(os.environ.get("KILLS_SEED") or random.SystemRandom().randrange(1 << 32))
    print("# KILLS_SEED=%d" % seed)
    numbers = random.Random(seed)
    for _ in range(int(os.environ.get("KILLED_TRACES") or 6)):
        ranks = numbers.choice((1, 2, 2, 2, 3))
        case = Case(numbers.choice(("kill-one", "kill-all", "kill-all")), ranks,
                    numbers.choice((100, 1000, 3000)), numbers.choice((0, 0, 2)),
                    numbers.random() < 0.3, 8, None, numbers.randrange(ranks),
                    numbers.uniform(0, 2))
        check(tap, case, numbers.choice(("all", "all", "slowest:4", "10-60")))


def set_version(path, version, content):
    """Makes CONTENT, a file of events, one of another version of the format, and PATH that."""
    content = bytearray(content)
    struct.pack_into("<I", content, VERSION_AT, version)
    if version < WITH_LOSSES:
        del content[LOSSES_AT:CHUNKS_AT]
        struct.pack_into("<I", content, CHUNKS_AT_AT, LOSSES_AT)
    struct.pack_into("<I", content, HEADER_BYTES - 4, zlib.crc32(content[:HEADER_BYTES - 4]))
    with open(path, "wb") as file:
        file.write(content)


def test_other_versions(tap):
    """Events of older versions are read; of those of newer ones it is said that they are newer."""
    case = Case("kill-all", 1, 1000, 0, False, 8, None, None, 1.0)
    with Directory() as directory:
        with mortality.Job(directory, case, settings={"TSPROF_TRACE": "all"}) as job:
            job.die(case)
            pid = job.told(0).pid
        (events,) = events_of(directory, pid)
        with open(events, "rb") as file:
            content = file.read()
        for version in (1, 3):
            set_version(events, version, content)
            result, path = merge(directory, "--force")
            tap.ok(result.status == 0 and len(Archive(path).threads[0, 0].iterations) > 10,
                   "version %d is read" % version, result.stderr)
        set_version(events, 99, content)
        result, _ = merge(directory, "--force")
        tap.ok("has version 99; this tsprof reads 1 to 4" in result.stderr, "version 99 is named",
               result.stderr)


def test_memory_that_was_used_up(tap):
    """The merge says of it what the job would have said: how many iterations of a list are
    missing, when recording of everything ended."""
    case = Case("kill", 2, 2000, 0, False, 8, 300, None, 0)
    for choice in ("5-400", "all"):
        settings = {"TSPROF_TRACE": choice, "TSPROF_TRACE_MEMORY": "1M",
                    "TSPROF_ITERATION": "markers"}
        with Directory() as directory:
            with mortality.Job(directory, case, ["--probes", "3000"], settings) as job:
                job.die(case)
                finished = [len(job.told(rank).finished) for rank in range(2)]
            result, path = merge(directory)
            said = re.search(r"TSPROF_TRACE_MEMORY was too little on 2 of 2 processes: (.*)",
                             result.stderr)
            tap.ok(said, choice + ": it is said that memory was used up", result.stderr)
            if said and choice == "all":
                tap.ok(re.fullmatch(r"recording ended after [0-9.]+ s or later", said[1]),
                       choice + ": and when", said[1])
            elif said:
                there = len(Archive(path).chosen()[0])
                missing = int(re.match(r"the events of (\d+) iteration", said[1])[1])
                # What a process was about to finish it may have finished.
                tap.ok(max(finished) - 5 <= there + missing <= max(finished) - 4,
                       choice + ": and how many iterations are missing",
                       "%d are there, %d missing, of %s" % (there, missing, finished))


def test_merged_without_the_library(tap):
    """There is a summary, it is said why there is no trace, and events stay for another time."""
    case = Case("kill-all", 1, 1000, 0, False, 8, None, None, 1.0)
    with Directory() as directory:
        with mortality.Job(directory, case, settings={"TSPROF_TRACE": "all"}) as job:
            job.die(case)
        merged = os.path.join(directory, "merged.tsprof")
        result = harness.tsprof("merge", directory, "-o", merged,
                                settings={"TSPROF_OTF2": "/nowhere"})
        tap.equal((result.status, os.path.exists(merged)), (0, True), "there is a summary")
        tap.ok("no trace is written" in result.stderr and "/nowhere" in result.stderr,
               "it is said why there is no trace", result.stderr)
        result, path = merge(directory, "--force")
        tap.ok(result.status == 0 and len(Archive(path).threads[0, 0].iterations) > 10,
               "with the library there is one", result.stderr)


def test_one_rank_without_events(tap):
    """What one process had recorded is lost: the others' events are there."""
    case = Case("kill-all", 2, 1000, 0, False, 8, None, None, 1.2)
    with Directory() as directory:
        with mortality.Job(directory, case, settings={"TSPROF_TRACE": "all"}) as job:
            job.die(case)
            told = [job.told(rank) for rank in range(2)]
        for path in events_of(directory, told[1].pid):
            os.unlink(path)
        result, path = merge(directory)
        archive = Archive(path)
        tap.equal(archive.problems, [], "events are nested and in order")
        tap.equal(check_thread(case, 0, archive, told[0], lambda n: True), [], "rank 0 is there")
        tap.equal(archive.threads[1, 0].calls, collections.Counter(), "rank 1 has no events")
        # As beside a predicted run.
        with open(os.path.join(path, "traces.moved"), "w") as mark:
            mark.write("predicted\n")
        result, path = merge(directory, "--force", "--remove")
        tap.equal(result.status, 0, "an archive is replaced with --force")
        tap.ok(os.path.exists(path + "/traces.otf2") and not os.path.exists(path + "/traces.moved"),
               "with all that lay in it", os.listdir(path))
        tap.equal(glob.glob(os.path.join(directory, "*.parts")), [], "--remove removes events, too")


def test_damaged_events(tap):
    """Whatever is in the file: a message, or fewer events; the summary is there."""
    if archive_reader.otf2 is None:
        raise harness.Skip("there is no OTF2 module for Python")
    case = Case("kill-all", 1, 1000, 0, False, 8, None, None, 1.0)
    numbers = random.Random(3)
    with Directory() as directory:
        with mortality.Job(directory, case, settings={"TSPROF_TRACE": "all"}) as job:
            job.die(case)
            told = job.told(0)
        name = events_of(directory, told.pid)[0]
        with open(name, "rb") as file:
            whole = file.read()
        for harm in ("cut", "header", "zeros", "noise", "empty"):
            content = bytearray(whole)
            if harm == "cut":
                content = content[:(CHUNKS_AT + len(whole)) // 2 + 77]
            elif harm == "header":
                content[9] ^= 1
            elif harm == "zeros":
                content[CHUNKS_AT + 10000:CHUNKS_AT + 20000] = bytes(10000)
            elif harm == "noise":
                for _ in range(2000):
                    content[numbers.randrange(CHUNKS_AT, len(whole))] = numbers.randrange(256)
            else:
                content = b""
            with open(name, "wb") as file:
                file.write(content)
            result, path = merge(directory, "--force")
            tap.equal(result.status, 0, harm + ": there is a summary")
            if harm in ("header", "empty"):
                tap.ok("damaged" in result.stderr, harm + ": a message names it", result.stderr)
            else:
                # Noise may say anything, of communicators that there are not, too.
                with archive_reader.otf2.reader.open(path + "/traces.otf2") as trace:
                    tap.ok(sum(1 for _ in trace.events) > 0,
                           harm + ": OTF2's own module reads the archive")


POLLS = 150000

# After every thousand: with them a job lasts 0.6 s at least, and has been saved before its end.
PAUSE_US = 4000


def kill_while_writing(directory, delay_s, pause_us):
    """Kills a job that writes its archive; true if it was still writing."""
    command = [harness.mpirun(), "-n", "2", "env", "LD_PRELOAD=" + harness.LIBRARY,
               harness.program("polls"), "plain", str(POLLS), str(pause_us)]
    settings = {"TSPROF_OUTPUT": os.path.join(directory, "out.tsprof"), "TSPROF_TRACE": "all",
                "TSPROF_VERBOSE": "0"}
    job = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, cwd=directory,
                           env=harness.environment(settings), start_new_session=True)
    mortality.wait_for(lambda: os.path.exists(os.path.join(directory, "out.otf2")) or
                       job.poll() is not None, "the archive is begun")
    time.sleep(delay_s)
    for path in glob.glob(os.path.join(glob.escape(directory), "*.parts", "*.part")):
        try:
            os.kill(int(path.rsplit(".", 2)[1]), signal.SIGKILL)
        except ProcessLookupError:
            pass
    job.wait()
    return bool(glob.glob(os.path.join(glob.escape(directory), "*.parts", "*.events")))


def polls_of(archive, rank):
    return sum(count for (callpath, _), count in archive.threads[rank, 0].calls.items()
               if callpath.endswith(";MPI_Iprobe"))


def test_killed_while_the_archive_is_written(tap):
    """Then the summary is whole, and the archive is made from the parts."""
    check_killed_while_writing(tap, PAUSE_US)


def test_short_jobs_killed_while_the_archive_is_written(tap):
    """The same of jobs that end before they would have been saved for the first time."""
    check_killed_while_writing(tap, 0)


def check_killed_while_writing(tap, pause_us):
    done = 0
    for attempt in range(9):
        with Directory() as directory:
            if not kill_while_writing(directory, attempt % 3 * 0.01, pause_us):
                continue
            done += 1
            parts = glob.glob(os.path.join(glob.escape(directory), "*.parts", "*.events"))
            result, path = merge(directory)
            if not tap.ok(result.status == 0, "parts are merged", result.stderr):
                continue
            archive = Archive(path)
            tap.equal(archive.problems, [], "events are nested and in order")
            tap.equal({polls_of(archive, rank) for rank in range(2)
                       if any("/%d." % rank in part for part in parts)}, {POLLS},
                      "all that was recorded is there")
        if done == 2:
            return
    tap.ok(done > 0, "jobs were killed while they wrote")


def test_removed_at_the_end(tap):
    with Directory() as directory:
        harness.run_ranks([harness.program("stencil")], 2, cwd=directory, settings={
            "TSPROF_TRACE": "all", "TSPROF_OUTPUT": os.path.join(directory, "out.tsprof")})
        tap.equal(sorted(os.listdir(directory)), ["out.otf2", "out.tsprof"],
                  "a normal end leaves the summary and the archive")


def test_bounded(tap):
    """The file is no larger than TSPROF_TRACE_MEMORY and what it begins with."""
    case = Case("kill-all", 1, 0, 0, False, 8, None, None, 2.5)
    with Directory() as directory:
        with mortality.Job(directory, case, settings={
                "TSPROF_TRACE": "slowest:4", "TSPROF_TRACE_MEMORY": "1M"}) as job:
            job.die(case)
            told = job.told(0)
        for path in events_of(directory, told.pid):
            size = os.path.getsize(path)
            tap.ok(size <= (1 << 20) + CHUNKS_AT, "%d bytes" % size)


if __name__ == "__main__":
    harness.main()
