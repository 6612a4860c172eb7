#!/usr/bin/env python3
"""Many processes write one summary, whatever the file systems do; and where they cannot, it is said."""

import os
import shutil
import stat
import subprocess

import harness
import summary_reader
from harness import Directory, Skip

BITS = 6


def program():
    return [harness.program("ranks_differ")]


def preloaded(command):
    return ["env", "LD_PRELOAD=" + harness.LIBRARY] + command


def wanted_path(rank):
    names = ["main", "odd" if rank & 1 else "even", "descend"]
    for bit in range(BITS):
        names += ["one" if rank >> bit & 1 else "zero", "descend"]
    return ";".join(names + ["probe", "MPI_Iprobe"])


def check(tap, label, path, ranks, state=summary_reader.COMPLETE):
    """That the summary is whole and tells of each rank what it did."""
    if not tap.ok(os.path.exists(path), label + ": there is a summary"):
        return
    content = summary_reader.Summary(path)
    tap.equal((content.state, summary_reader.problems(content)), (state, []), label + ": it is sound")
    tap.equal([place.rank for place in content.places], ranks, label + ": all ranks are there")
    visits = next(i for i, metric in enumerate(content.metrics) if metric.name == "visits")
    found = []
    for place, location in zip(content.places, content.locations):
        calls = {content.callpath(node): value for (node, metric), value in location.whole.items()
                 if metric == visits and content.callpath(node).endswith("MPI_Iprobe")}
        if calls != {wanted_path(place.rank): place.rank + 1}:
            found.append("rank %d: %r" % (place.rank, calls))
    tap.equal(found, [], label + ": with their call paths and counts")
    result = harness.tsprof("report", path)
    tap.equal((result.status, result.stderr), (0, ""), label + ": the command reads it")


def run(ranks, settings, **options):
    return harness.run_ranks(program(), ranks, settings=settings, **options)


def said(result):
    return result.stderr.decode("utf-8", "replace")


def test_many_ranks(tap):
    with Directory() as directory:
        output = os.path.join(directory, "out.tsprof")
        result = run(64, {"TSPROF_OUTPUT": output}, timeout=300)
        tap.equal(result.status, 0, "64 ranks: status")
        check(tap, "64 ranks", output, list(range(64)))
        content = summary_reader.Summary(output)
        tap.equal(sorted(phase.name for phase in content.phases), ["even", "odd"],
                  "64 ranks: phases of some ranks only")
        tap.equal(len(content.hosts), 1, "64 ranks: one host")


def test_odd_numbers_of_ranks(tap):
    with Directory() as directory:
        for ranks in (1, 3, 6, 13):
            output = os.path.join(directory, "%d.tsprof" % ranks)
            run(ranks, {"TSPROF_OUTPUT": output})
            check(tap, "%d ranks" % ranks, output, list(range(ranks)))


def test_names_that_exist(tap):
    """Nothing is overwritten, and no link is followed."""
    with Directory() as directory:
        output, target = (os.path.join(directory, name) for name in ("out.tsprof", "target"))
        os.symlink(target, output)
        result = run(2, {"TSPROF_OUTPUT": output})
        tap.ok(not os.path.exists(target), "a link is not followed")
        check(tap, "beside a link", os.path.join(directory, "out.1.tsprof"), [0, 1])
        tap.ok("out.1.tsprof" in said(result), "its name is said", said(result))
        with open(os.path.join(directory, "out.1.tsprof"), "rb") as file:
            first = file.read()
        run(2, {"TSPROF_OUTPUT": output})
        with open(os.path.join(directory, "out.1.tsprof"), "rb") as file:
            tap.ok(file.read() == first, "an earlier one stays as it is")
        check(tap, "beside an earlier one", os.path.join(directory, "out.2.tsprof"), [0, 1])


def test_the_users_mask(tap):
    with Directory() as directory:
        output = os.path.join(directory, "out.tsprof")
        old = os.umask(0o027)
        try:
            run(2, {"TSPROF_OUTPUT": output})
        finally:
            os.umask(old)
        tap.equal(stat.S_IMODE(os.stat(output).st_mode), 0o640, "the file's mode is the user's choice")


def test_a_directory_that_is_not_there(tap):
    with Directory() as directory:
        result = run(3, {"TSPROF_OUTPUT": os.path.join(directory, "missing", "out.tsprof"),
                         "TMPDIR": directory})
        check(tap, "no directory", os.path.join(directory, "out.tsprof"), [0, 1, 2])
        other = os.path.join(directory, "other")
        os.mkdir(other)
        run(2, {"TSPROF_OUTPUT": os.path.join(directory, "missing", "out.tsprof"),
                "TMPDIR": directory, "TSPROF_TMPDIR": other})
        check(tap, "no directory, but another one", os.path.join(other, "out.tsprof"), [0, 1])
        tap.ok("missing/out.tsprof: No such file" in said(result), "no directory: it is said",
               said(result))


def test_a_directory_that_cannot_be_written(tap):
    """As an ordinary user."""
    user = [] if os.geteuid() else ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    if user and not shutil.which("setpriv"):
        raise Skip("no setpriv")
    with Directory() as directory:
        other, closed = os.path.join(directory, "other"), os.path.join(directory, "closed")
        os.mkdir(other)
        os.mkdir(closed)
        os.chmod(directory, 0o755)
        os.chmod(other, 0o777)
        os.chmod(closed, 0o555)
        result = harness.execute(
            user + [harness.mpirun(), "-n", "2"] + preloaded(program()), cwd="/",
            settings={"TSPROF_OUTPUT": closed + "/out.tsprof", "TMPDIR": other, "HOME": other})
        if result.status:
            raise Skip("programs do not run as another user: " + said(result))
        check(tap, "closed directory", other + "/out.tsprof", [0, 1])
        tap.ok("closed/out.tsprof: Permission denied" in said(result), "closed directory: it is said",
               said(result))


class Mounted:
    """A file system of SIZE bytes, as root only."""

    def __init__(self, path, size):
        self.path = path
        os.mkdir(path)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%d" % size, "none", path],
                          stderr=subprocess.DEVNULL).returncode:
            raise Skip("nothing can be mounted")

    def __enter__(self):
        return self.path

    def __exit__(self, *error):
        subprocess.run(["umount", self.path], check=True)


def test_a_full_file_system(tap):
    with Directory() as directory, Mounted(directory + "/full", 8192) as full:
        with open(full + "/other", "wb") as file:
            file.write(bytes(4096))
        result = run(8, {"TSPROF_OUTPUT": full + "/out.tsprof", "TMPDIR": directory})
        check(tap, "full", directory + "/out.tsprof", list(range(8)))
        tap.ok("No space left" in said(result), "full: it is said", said(result))
        tap.equal(os.listdir(full), ["other"], "full: nothing is left there")


HOOK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

static int failing; /* no memory for the runtime any more */

/* The runtime asks when it describes this process for the others. */
int uname(struct utsname *name)
{
    Dl_info caller;
    if (dladdr(__builtin_return_address(0), &caller) && strstr(caller.dli_fname, "libtsprof")) {
        ACTION;
    }
    return (int)syscall(SYS_uname, name);
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

static int without(void *caller)
{
    Dl_info info;
    return failing && dladdr(caller, &info) && strstr(info.dli_fname, "libtsprof");
}

void *malloc(size_t size)
{
    return without(__builtin_return_address(0)) ? 0 : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return without(__builtin_return_address(0)) ? 0 : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return without(__builtin_return_address(0)) ? 0 : __libc_realloc(memory, size);
}
"""


def hooked(directory, action):
    """The program with something that happens to it when merging begins."""
    source, library = directory + "/hook.c", directory + "/hook.so"
    if not shutil.which("gcc"):
        raise Skip("no gcc")
    with open(source, "w") as file:
        file.write(HOOK)
    subprocess.run(["gcc", "-shared", "-fPIC", "-DACTION=" + action, "-o", library, source],
                   check=True)
    return ["env", "LD_PRELOAD=%s:%s" % (library, harness.LIBRARY)] + program()


def test_a_limit_of_file_sizes(tap):
    """Of all processes; then of one, for which rank 0 writes."""
    with Directory() as directory:
        limited = hooked(directory, "setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, 1000})")
        output, free = directory + "/out.tsprof", preloaded(program())
        settings = {"TSPROF_OUTPUT": output, "TMPDIR": directory}
        result = harness.execute([harness.mpirun(), "-n", "2"] + limited, cwd=directory,
                                 settings=settings)
        tap.equal(result.status, 0, "all: the program does not notice")
        tap.ok("File too large" in said(result) and "measurement is lost" in said(result),
               "all: it is said", said(result))
        tap.equal([f for f in os.listdir(directory) if f.endswith(".tsprof")], [],
                  "all: nothing is left")
        result = harness.execute(
            [harness.mpirun(), "-n", "1"] + free + [":", "-n", "2"] + limited +
            [":", "-n", "1"] + free, cwd=directory, settings=settings)
        tap.equal(result.status, 0, "two: the program does not notice")
        check(tap, "two", output, list(range(4)))


def test_ranks_without_memory(tap):
    """They take part in everything, so that the others have their summary."""
    with Directory() as directory:
        failing, free = hooked(directory, "failing = 1"), preloaded(program())
        output = directory + "/out.tsprof"
        result = harness.execute(
            [harness.mpirun(), "-n", "1"] + free + [":", "-n", "1"] + failing +
            [":", "-n", "3"] + free + [":", "-n", "1"] + failing, cwd=directory,
            settings={"TSPROF_OUTPUT": output})
        tap.equal(result.status, 0, "two without: the program does not notice")
        check(tap, "two without", output, [0, 2, 3, 4], summary_reader.PARTIAL)
        tap.ok("2 of 6 processes ran out of memory" in said(result), "two without: it is said",
               said(result))
        result = harness.execute(
            [harness.mpirun(), "-n", "1"] + failing + [":", "-n", "2"] + free, cwd=directory,
            settings={"TSPROF_OUTPUT": directory + "/none.tsprof", "TMPDIR": directory})
        tap.equal(result.status, 0, "rank 0 without: the program does not notice")
        tap.ok("the measurement is lost" in said(result), "rank 0 without: it is said",
               said(result))


def test_machines_without_that_file_system(tap):
    """Ranks that cannot see the file, or see another one by its name, hand theirs to rank 0."""
    if subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL).returncode:
        raise Skip("file systems cannot be hidden")
    with Directory() as directory:
        out = os.path.join(directory, "out")
        os.mkdir(out)
        hide = 'mount -t tmpfs none "$0" && %s exec "$@"'
        for label, more in (("hidden", ""), ("another file", 'head -c 9999 /dev/zero >"$0/b.tsprof" &&')):
            output = "%s/%s.tsprof" % (out, label[0] if more == "" else "b")
            away = ["unshare", "-m", "sh", "-c", hide % more, out] + preloaded(program())
            here = preloaded(program())
            command = [harness.mpirun(), "-n", "2"] + here
            for count, part in ((3, away), (1, here), (1, away)):
                command += [":", "-n", str(count)] + part
            result = harness.execute(command, cwd=directory, settings={"TSPROF_OUTPUT": output})
            tap.equal((result.status, result.stdout), (0, b""), label + ": status")
            check(tap, label, output, list(range(7)))


def test_without_a_compressor(tap):
    """Where there is no libzstd sections are stored as they are."""
    with Directory() as directory:
        libraries = os.path.join(directory, "lib")
        os.mkdir(libraries)
        with open(libraries + "/libzstd.so.1", "w"):
            pass
        output = os.path.join(directory, "out.tsprof")
        run(2, {"TSPROF_OUTPUT": output, "LD_LIBRARY_PATH": libraries})
        check(tap, "no zstd", output, [0, 1])
        tap.equal({s.encoding for s in summary_reader.Summary(output).sections}, {0},
                  "no zstd: nothing is compressed")
        run(2, {"TSPROF_OUTPUT": directory + "/with.tsprof"})
        tap.ok(1 in {s.encoding for s in summary_reader.Summary(directory + "/with.tsprof").sections},
               "otherwise sections are")


def test_who_is_waited_for(tap):
    with Directory() as directory:
        output = directory + "/out.tsprof"
        slow = hooked(directory, "usleep(3500000)")
        result = harness.execute([harness.mpirun(), "-n", "2"] + preloaded(program()) +
                                 [":", "-n", "1"] + slow + [":", "-n", "1"] + preloaded(program()),
                                 cwd=directory, settings={"TSPROF_OUTPUT": output})
        check(tap, "slow", output, list(range(4)))
        tap.ok("waiting for call paths of ranks 2 to 3 (2 s so far)" in said(result),
               "rank 0 says whom it waits for", said(result))
        quick = run(2, {"TSPROF_OUTPUT": directory + "/quick.tsprof"})
        tap.ok("waiting" not in said(quick), "otherwise it does not", said(quick))


if __name__ == "__main__":
    harness.main()
