#!/usr/bin/env python3
"""Part files: what a job leaves that does not end normally, and that one that does leaves nothing."""

import glob
import os
import re
import subprocess
import time

import harness
import life
import part_reader
import summary_reader
from harness import Directory

# Seconds of processor time: long enough for several saves, which come more often at first.
LONG = "0.5"


def run(directory, ranks, *arguments, settings=None):
    settings = dict({"TSPROF_VERBOSE": "1"}, **(settings or {}))
    return life.run(directory, [harness.program("parts")] + list(arguments), True, settings,
                    ranks=ranks)


def reported(result):
    """By rank, what it has said: pairs of iterations and probes, in order."""
    found = {}
    for rank, iterations, probes in re.findall(
            rb"rank (\d+): (\d+) iterations, (\d+) probes", result.stdout):
        found.setdefault(int(rank), []).append((int(iterations), int(probes)))
    return found


def parts_of(tap, name, directory, ranks):
    """The parts of all ranks, each sound, by rank."""
    directories = part_reader.directories(directory)
    tap.equal(len(directories), 1, name + ": one directory of parts")
    parts = part_reader.parts(directories[0]) if directories else []
    tap.equal([p.rank for p in parts], list(range(ranks)), name + ": a part of each rank")
    for part in parts:
        tap.equal([part.ranks, part.run["program"]], [ranks, "parts"],
                  "%s: rank %d says what it is" % (name, part.rank))
        tap.equal(part.threads[0].topologies, [("line", 1)],
                  "%s: rank %d knows its topology" % (name, part.rank))
        for thread in part.threads:
            where = "%s: rank %d, thread %d" % (name, part.rank, thread.number)
            if tap.ok(thread.snapshot, where + " has a snapshot"):
                problems = thread.problems()
                tap.ok(not problems, where + ": all accounts are exact", "\n".join(problems))
    return parts


def entries(directory):
    return sorted(os.listdir(directory))


def test_end_in_order(tap):
    for ranks in (0, 2):
        with Directory() as directory:
            result = run(directory, ranks, LONG, "finalize")
            tap.equal(result.status, 0, "%d ranks: status" % ranks)
            tap.equal(entries(directory), ["out.tsprof"], "%d ranks: one file, no litter" % ranks)


def test_each_for_itself(tap):
    """TSPROF_MERGE=0: a summary of each, and no parts."""
    with Directory() as directory:
        result = run(directory, 2, LONG, "finalize", settings={"TSPROF_MERGE": "0"})
        tap.equal(result.status, 0, "status")
        tap.equal(entries(directory), ["out.rank0.tsprof", "out.rank1.tsprof"], "a summary each")


def test_brief(tap):
    """Who is killed in its first second leaves what it had saved until then."""
    with Directory() as directory:
        result = run(directory, 2, "0.8", "kill")
        check_last(tap, "killed after 0.8 s", directory, 2, result)
    with Directory() as directory:
        result = run(directory, 0, "0.01", "kill")
        parts = [part for name in part_reader.directories(directory)
                 for part in part_reader.parts(name)]
        tap.equal((result.status, len(parts)), (-9, 1), "killed at once: there is a part")
        merged = harness.tsprof("merge", directory, cwd=directory)
        tap.equal(merged.status, 0 if parts[0].threads and parts[0].threads[0].snapshot else 1,
                  "with nothing in it, which merge says")


def test_costs(tap):
    """What saves took is known, and not in what the samples took in whose handler they were made."""
    with Directory() as directory:
        run(directory, 1, "1.4", "finalize", "threads")
        summary = summary_reader.Summary(os.path.join(directory, "out.tsprof"))
        tap.equal(len(summary.locations), 3, "costs: three threads")
        for number, location in enumerate(summary.locations):
            costs, where = location.costs, "costs: thread %d: " % number
            overhead = sum(v for (_, m), v in location.whole.items()
                           if summary.metrics[m].name == "overhead")
            tap.ok(costs["saves"] >= 1 and costs["saving_ns"] > 0, where + "saves", costs)
            kept = sum(v for key, v in costs.items() if re.fullmatch(r"stall\.save\.\d+", key))
            tap.ok(kept >= 1 and costs["stall.save.longest_ns"] <= costs["saving_ns"] + overhead,
                   where + "saves are stalls", costs)
            tap.ok(0 < costs["arming_ns"] < costs["handler_ns"],
                   where + "arming is a part of samples", costs)
            # It calls no MPI: all that it has are samples and what is saved in their handler.
            tap.ok(number == 0 or costs["handler_ns"] + costs["saving_ns"] <= overhead,
                   where + "samples and saves are different parts of overhead",
                   "%s of %d" % (costs, overhead))


def test_off(tap):
    with Directory() as directory:
        result = run(directory, 0, LONG, "kill", settings={"TSPROF_PARTS": "0"})
        tap.equal((result.status, entries(directory)), (-9, []), "TSPROF_PARTS=0")


def check_last(tap, name, directory, ranks, result):
    """The last snapshot is there: no more than was done, and not nothing."""
    said = reported(result)
    for part in parts_of(tap, name, directory, ranks):
        # The launcher may have killed a rank before it could say what it had done.
        thread, (iterations, probes) = part.threads[0], said.get(part.rank, [(1e9, 1e9)])[-1]
        tap.ok(0 < thread.iterations("step") <= iterations,
               "%s: rank %d: iterations" % (name, part.rank),
               "%d of %g" % (thread.iterations("step"), iterations))
        tap.ok(0 < thread.visits("MPI_Iprobe") <= probes,
               "%s: rank %d: calls" % (name, part.rank))
        tap.equal(part.ending, 0, "%s: rank %d says nothing of its end" % (name, part.rank))


def test_ends_that_nobody_sees(tap):
    for end, status in (("kill", -9), ("_exit", 6), ("exec", 0)):
        with Directory() as directory:
            result = run(directory, 0, LONG, end)
            tap.equal(result.status, status, end + ": status")
            check_last(tap, end, directory, 1, result)
    with Directory() as directory:
        check_last(tap, "kill, 2 ranks", directory, 2, run(directory, 2, LONG, "kill"))


def check_final(tap, name, directory, result, ranks, ending):
    """Those in RANKS have ended where tsprof could see it: all is there."""
    said = reported(result)
    directories = part_reader.directories(directory)
    tap.equal(len(directories), 1, name + ": one directory")
    parts = {p.rank: p for p in part_reader.parts(directories[0])}
    for rank in ranks:
        thread = parts[rank].threads[0]
        tap.equal((thread.iterations("step"), thread.visits("MPI_Iprobe")), said[rank][-1],
                  "%s: rank %d: every iteration and call" % (name, rank))
        tap.equal(thread.problems(), [], "%s: rank %d: exact" % (name, rank))
        tap.equal(thread.topologies, [("line", 1)], "%s: rank %d: topology" % (name, rank))
        tap.equal((parts[rank].ending, thread.snapshot.state), (ending, 1),
                  "%s: rank %d: how it ended" % (name, rank))
    text = result.stderr.decode("utf-8", "replace")
    tap.equal(text.count("tsprof merge " + directories[0]), 1, name + ": says what to do, once")
    tap.ok(os.path.exists(os.path.join(directories[0], "README")), name + ": so does a file")
    tap.equal(life.summaries(directory), [], name + ": no summary of a single process")


def test_exit(tap):
    """Without MPI_Finalize; soon after the start, too."""
    for seconds in ("0.1", LONG):
        with Directory() as directory:
            result = run(directory, 2, seconds, "exit")
            done = [p.rank for d in part_reader.directories(directory)
                    for p in part_reader.parts(d) if p.ending == 2]
            tap.ok(done, "exit after %s s: somebody ended in view" % seconds)
            check_final(tap, "exit after %s s" % seconds, directory, result, done, 2)


def test_exit_of_one(tap):
    """A single process writes its summary itself."""
    with Directory() as directory:
        result = run(directory, 0, LONG, "exit")
        tap.equal((result.status, entries(directory)), (5, ["out.rank0.tsprof"]), "a summary")


def test_abort(tap):
    # The launcher may end before it has passed on what the process said last.
    for tries_left in range(5, -1, -1):
        with Directory() as directory:
            result = run(directory, 2, LONG, "abort")
            if tries_left and b"tsprof merge" not in result.stderr:
                continue
            tap.equal(result.status, 7, "abort: status")
            check_final(tap, "abort", directory, result, [0], 3)
            break


def test_descriptors(tap):
    """Programs that close all files, and those that use every number themselves."""
    if harness.MPI == "openmpi":
        raise harness.Skip("Open MPI does not go on without its files")
    for what in ("close", "take"):
        with Directory() as directory:
            # Saves begin every 0.8 s, and take a while where others compute, too.
            result = run(directory, 0, "1.2", "kill", what)
            tap.equal(result.status, -9, what + ": status")
            check_last(tap, what, directory, 1, result)
            part = part_reader.parts(part_reader.directories(directory)[0])[0]
            tap.ok(part.threads[0].iterations("step") > reported(result)[0][0][0],
                   what + ": saved afterwards, too")
            if what == "take":
                tap.equal(os.path.getsize(os.path.join(directory, "mine")), 0,
                          "take: the program's own file is as it was")


def test_fork(tap):
    """A child writes nothing, whatever it does."""
    with Directory() as directory:
        result = run(directory, 0, LONG, "kill", "fork")
        check_last(tap, "fork", directory, 1, result)
        part = part_reader.parts(part_reader.directories(directory)[0])[0]
        names = [name for name, _ in part.threads[0].phases.values()]
        tap.equal((names, len(part.threads)), (["step"], 1), "fork: nothing of the child's")


def test_threads(tap):
    """Each thread saves its own, also what one did that has ended."""
    for end in ("kill", "exit"):
        with Directory() as directory:
            result = run(directory, 2, LONG, end, "threads")
            if end == "kill":
                parts = parts_of(tap, "threads, killed", directory, 2)
                tap.equal([len(p.threads) for p in parts], [3, 3], "threads, killed: all are there")
            else:
                done = [p.rank for d in part_reader.directories(directory)
                        for p in part_reader.parts(d) if p.ending == 2]
                check_final(tap, "threads, exit", directory, result, done, 2)


def test_open_phases(tap):
    """What had not ended is apart, and adds up."""
    with Directory() as directory:
        result = run(directory, 0, "0.2", "inside")
        part = parts_of(tap, "open", directory, 1)[0]
        thread = part.threads[0]
        names = [thread.phases[o.phase][0] for o in thread.snapshot.open]
        tap.equal(names[:1], ["outer"], "open: outermost first")
        tap.equal(len(names), 2, "open: two iterations")
        tap.equal([o.iteration for o in thread.snapshot.open], [0, 3], "open: their numbers")
        tap.equal(thread.iterations("step"), reported(result)[0][0][0], "open: what had ended")
        tap.ok(0 < thread.visits("MPI_Iprobe") <= reported(result)[0][0][1], "open: its calls count")


class Running:
    """A job that goes on; ended by its own process group."""

    def __init__(self, directory, ranks, *arguments):
        settings = {"TSPROF_OUTPUT": os.path.join(directory, "out.tsprof"), "TSPROF_VERBOSE": "0"}
        command = ([harness.mpirun(), "-n", str(ranks), "env", "LD_PRELOAD=" + harness.LIBRARY,
                    harness.program("parts")] + list(arguments))
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        env=harness.environment(settings), cwd=directory)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()


def wait_for_both(directory):
    """The thread of rank 1 once it hangs, and that of rank 0; None if that takes too long."""
    end = time.monotonic() + 25
    while time.monotonic() < end:
        time.sleep(0.2)
        try:
            parts = [p for d in part_reader.directories(directory) for p in part_reader.parts(d)]
        except part_reader.Malformed:
            continue
        threads = {p.rank: p.threads[0] for p in parts if p.threads}
        if len(threads) < 2:
            continue
        waiting, computing = threads[1], threads[0]
        if (waiting.live.call is not None and waiting.live.seen_in == 2
                and waiting.live.seen_ns >= waiting.live.since_ns and computing.live.seen_in == 1):
            return waiting, computing
    return None


def check_hanging(tap, name, directory):
    with Running(directory, 2, LONG, "hang"):
        both = wait_for_both(directory)
        if not tap.ok(both, name + ": both are seen"):
            return None
        thread, other = both
        live = thread.live
        tap.equal(thread.part.functions[live.call], ("MPI_Recv", "P2P"), name + ": in MPI_Recv")
        tap.equal(thread.region(live.node), "MPI_Recv", name + ": by its call path, too")
        tap.ok(thread.path(live.node).count(";") >= 3, name + ": which is one",
               thread.path(live.node))
        caller = [m.path for m in thread.modules.values() if m.low <= live.caller < m.high]
        tap.equal([os.path.basename(path) for path in caller], ["parts"],
                  name + ": called by the program")
        now = time.clock_gettime_ns(time.CLOCK_MONOTONIC) - thread.part.monotonic_ns
        tap.ok(0 < live.since_ns < now, name + ": since a while", "%d %d" % (live.since_ns, now))
        tap.equal(other.live.call, None, name + ": rank 0 is in no call")
        tap.ok(other.path(other.live.node), name + ": but somewhere", other.live)
        return thread.part


def test_hanging(tap):
    """Where every rank is, while it is there: in which call, from where, and since when."""
    with Directory() as directory:
        check_hanging(tap, "mapped", directory)


def test_unmapped(tap):
    """The same where files are not mapped, since what is mapped could be lost."""
    if os.geteuid() != 0:
        raise harness.Skip("only root can mount a file system of another kind")
    with Directory() as directory:
        where = {name: os.path.join(directory, name) for name in ("lower", "upper", "work", "here")}
        for path in where.values():
            os.mkdir(path)
        mount = ["mount", "-t", "overlay", "overlay", "-o",
                 "lowerdir=%(lower)s,upperdir=%(upper)s,workdir=%(work)s" % where, where["here"]]
        if subprocess.run(mount, stderr=subprocess.DEVNULL).returncode != 0:
            raise harness.Skip("no such file system can be mounted")
        try:
            part = check_hanging(tap, "not mapped", where["here"])
            tap.equal(part.flags, 0, "not mapped: says so")
        finally:
            subprocess.run(["umount", "-l", where["here"]])


def test_elsewhere(tap):
    """In TSPROF_TMPDIR; or, where nothing can be made, in the system's own."""
    with Directory() as directory, Directory() as other:
        result = run(directory, 0, LONG, "kill", settings={"TSPROF_TMPDIR": other})
        check_last(tap, "TSPROF_TMPDIR", other, 1, result)
        tap.equal(entries(directory), [], "nothing beside the summary")
    with Directory() as directory, Directory() as other:
        result = run(directory, 0, LONG, "kill",
                     settings={"TSPROF_TMPDIR": "/proc/nowhere", "TMPDIR": other})
        check_last(tap, "TMPDIR", other, 1, result)


# No summary can be opened, wherever it is tried.
SHIM = r"""
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    int mode = va_arg(more, int);
    va_end(more);
    const char *dot = strrchr(path, '.');
    if (dot && strcmp(dot, ".tsprof") == 0) {
        errno = EACCES;
        return -1;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
"""


def test_no_summary(tap):
    """Where it cannot be written all is in the parts, of brief programs, too."""
    with Directory() as tools:
        source, shim = os.path.join(tools, "shim.c"), os.path.join(tools, "shim.so")
        with open(source, "w") as file:
            file.write(SHIM)
        made = harness.execute(harness.mpicc() + ["-shared", "-fPIC", "-o", shim, source])
        if not tap.equal(made.status, 0, "what refuses files is built"):
            return
        for seconds in ("0.1", LONG):
            with Directory() as directory:
                settings = {"TSPROF_OUTPUT": os.path.join(directory, "out.tsprof"),
                            "TSPROF_VERBOSE": "1"}
                preload = ["env", "LD_PRELOAD=%s %s" % (harness.LIBRARY, shim)]
                result = harness.run_plain(preload + [harness.program("parts"), seconds, "finalize"],
                                           2, settings=settings, cwd=directory)
                tap.equal(result.status, 0, "no summary, %s s: status" % seconds)
                check_final(tap, "no summary, %s s" % seconds, directory, result, [0, 1], 1)


def test_never_twice(tap):
    """The next run has a directory of its own."""
    with Directory() as directory:
        run(directory, 0, LONG, "kill")
        before = {f: open(f, "rb").read() for f in glob.glob(directory + "/*.parts/*")}
        run(directory, 0, LONG, "kill")
        after = {f: open(f, "rb").read() for f in before}
        tap.equal(len(part_reader.directories(directory)), 2, "two runs, two directories")
        tap.ok(before == after and before, "what the first left is as it was")


def test_full_disk(tap):
    """The program does not notice; one message says so."""
    if harness.MPI == "openmpi":
        raise harness.Skip("Open MPI needs room in TMPDIR itself")
    if os.geteuid() != 0:
        raise harness.Skip("only root can mount a small file system")
    with Directory() as directory, Directory() as small:
        for size in ("16k", "96k"):
            mount = ["mount", "-t", "tmpfs", "-o", "size=" + size, "tmpfs", small]
            if subprocess.run(mount, stderr=subprocess.DEVNULL).returncode != 0:
                raise harness.Skip("no file system can be mounted")
            try:
                result = run(directory, 0, "1.2", "exit",
                             settings={"TSPROF_TMPDIR": small, "TMPDIR": small})
                tap.equal(result.status, 5, size + ": status")
                tap.equal(len(reported(result)[0]), 1, size + ": the program's output")
                text = result.stderr.decode("utf-8", "replace")
                if size == "16k":
                    tap.equal(text.count("No space left on device"), 1, size + ": said, once")
            finally:
                subprocess.run(["umount", small])


if __name__ == "__main__":
    harness.main()
