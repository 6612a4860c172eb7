#!/usr/bin/env python3
"""Call paths where code is hard to walk through: libraries that come and go at one address, code
without call-frame information, programs in other languages."""

import collections
import os
import re
import shlex
import shutil
import subprocess

import harness
from harness import Directory, Skip

RATE = {"TSPROF_RATE": "1000"}
PLUGINS = 40
# Where the compiler's own code begins a library there is no call-frame information, and no size of a
# symbol to name it by. The page is not there yet when it is run first: so now and then a sample falls
# there, all of one instruction. All functions of the plugins have names.
IN_START_CODE = re.compile(r"\[unwinding stopped here\];(plugin_(red|blue)|current)\.so(\.0)?\+0x[0-9a-f]+")
# Programs that compute, and iterations that take some tenths of a second: their own defaults take
# less.
LONG_ENOUGH = {"stencil": 80, "wavefront": 1500, "particles": 3000, "workers": 12,
               "collectives": 6000, "templates": 6000, "heat_mpif": 800, "heat_mpi": 800,
               "heat_f08": 800}


def run(directory, command, ranks=1, settings=None):
    """Runs a program that does not state counts; its output, and the rows of its call paths."""
    summary = os.path.join(directory, "out.tsprof")
    settings = dict(RATE, TSPROF_OUTPUT=summary, **(settings or {}))
    result = harness.run_ranks(command, ranks, settings=settings, cwd=directory)
    harness.check_run(result, summary)
    return result.stdout.decode(), harness.export(summary, "callpaths", "--total")


def sums(rows, metric):
    """{call path: value, summed over ranks}"""
    found = collections.Counter()
    for row in rows:
        if row["metric"] == metric:
            found[row["callpath"]] += harness.number(row["value"])
    return found


def of_path(values, *regions):
    """The sum over call paths that hold these regions in this order and end in the last."""
    total = 0
    for path, value in values.items():
        names = iter(harness.split_callpath(path))
        if path.endswith(regions[-1]) and all(region in names for region in regions):
            total += value
    return total


def plugin(colour):
    return harness.program("plugin_%s.so" % colour)


def run_plugins(tap, directory, *more):
    said, rows = run(directory, [harness.program("plugins"), str(PLUGINS), plugin("red"),
                                 plugin("blue")] + list(more))
    if "at one address" not in said:
        raise Skip("the loader gives the plugins different addresses")
    paths = sorted({row["callpath"] for row in rows})
    lost = [path for path in paths if "[" in path and not IN_START_CODE.fullmatch(path)]
    tap.equal(lost, [], "no call path ends early or in unknown code")
    mixed = [path for path in paths if "red_" in path and "blue_" in path]
    tap.equal(mixed, [], "no call path leads through both plugins")
    failed = {path: value for path, value in sums(rows, "samples_failed").items() if value}
    elsewhere = [path for path in failed if not IN_START_CODE.fullmatch(path)]
    tap.equal(elsewhere, [], "every sample reached the root")
    tap.ok(sum(failed.values()) <= 2, "but for one or two in what is run when a library is loaded",
           failed)
    return rows


def test_libraries_at_one_address_are_told_apart(tap):
    with Directory() as directory:
        rows = run_plugins(tap, directory)
    visits, samples = sums(rows, "visits"), sums(rows, "samples")
    for colour in ("red", "blue"):
        names = {name: "%s_%s" % (colour, name)
                 for name in ("begin", "compute", "exchange", "end")}
        tap.equal(of_path(visits, "main", "run_plugin", "run", names["exchange"],
                          "MPI_Allreduce"), 3 * PLUGINS // 2, colour + ": its calls of MPI")
        tap.equal(of_path(visits, "main", "run_plugin", names["begin"], "MPI_Comm_size"),
                  PLUGINS // 2, colour + ": those while it is loaded")
        tap.equal(of_path(visits, "main", "run_plugin", names["end"], "MPI_Comm_rank"),
                  PLUGINS // 2, colour + ": those while it is unloaded")
        tap.ok(of_path(samples, "main", "run_plugin", "run", names["compute"]) > 0,
               colour + ": samples of its computation")
    nameless = [path for path in visits if "plugin_" in path.replace("run_plugin", "")]
    tap.equal(nameless, [], "every function of theirs has its name")


def test_a_file_that_was_replaced_gives_no_wrong_names(tap):
    """Both plugins are loaded from one file name: in the end it is that of the blue one."""
    with Directory() as directory:
        rows = run_plugins(tap, directory, "--as", "./current.so")
    visits = sums(rows, "visits")
    tap.equal(of_path(visits, "main", "run_plugin", "run", "blue_exchange", "MPI_Allreduce"),
              3 * PLUGINS // 2, "calls from the one that is still there")
    nameless = sum(value for path, value in visits.items()
                   if path.endswith("MPI_Allreduce") and "current.so.0+0x" in path)
    tap.equal(nameless, 3 * PLUGINS // 2, "calls from the other, without names")


def check_samples(tap, rows, label):
    samples = sum(sums(rows, "samples").values())
    failed = sum(sums(rows, "samples_failed").values())
    tap.ok(samples > 0, "%s: %d samples" % (label, samples))
    # One or two may fall between two stacks, or into the moment in which an exception is caught.
    tap.ok(failed * 1000 <= samples + 2000,
           label + ": fewer than one in 1000 did not reach the root",
           "\n".join("%s %d" % item for item in sums(rows, "samples_failed").items()))


def test_samples_of_all_programs_reach_the_root(tap):
    for name, iterations in harness.some(LONG_ENOUGH.items()):
        if not harness.is_built(name):
            tap.skip(name, "not built")
            continue
        with Directory() as directory:
            _, rows = run(directory, [harness.program(name), "--iterations", str(iterations)], 2)
        check_samples(tap, rows, name)


def python():
    """The system's Python, which is the one that has the system's numpy; else any."""
    for command in ("/usr/bin/python3", shutil.which("python3")):
        if command and os.path.exists(command):
            return command
    raise Skip("there is no python3")


def test_a_python_program(tap):
    script = os.path.join(harness.TOP_SRCDIR, "tests", "programs", "python_loop.py")
    iterations = 40
    command = [python(), script, harness.program("libring.so"), str(iterations)]
    # Idle threads of numpy's would take the ranks' cores.
    alone = {"OPENBLAS_NUM_THREADS": "1"}
    with Directory() as directory:
        said, rows = run(directory, command, 2, alone)
        plain = harness.run_plain(command, 2, cwd=directory, settings=alone)
    # The ranks' lines may come in any order.
    tap.equal(sorted(said.splitlines()), sorted(plain.stdout.decode().splitlines()),
              "it computes the same")
    if "no numpy" in said:
        tap.skip("numpy", "not installed")
    check_samples(tap, rows, "Python")
    visits = sums(rows, "visits")
    tap.equal(of_path(visits, "ring_shift", "MPI_Sendrecv"), 2 * iterations,
              "calls from a library that Python has loaded")
    through = [path for path in visits if path.endswith("ring_shift;MPI_Sendrecv")
               and ";ffi_call;" in path]
    tap.ok(through, "their paths lead through the interpreter and libffi", sorted(visits))
    tap.ok(of_path(sums(rows, "samples"), "ffi_call", "ring_smooth") > 0,
           "samples of that library's computation")


WAVEFRONT = ["--iterations", str(LONG_ENOUGH["wavefront"])]

# How a program is built, and what it takes.
BUILDS = (
    ("stripped", "-O2 -s", None),
    ("optimized as a whole", "-O3 -flto -s", None),
    ("with frame pointers", "-O1 -fno-omit-frame-pointer", None),
    ("linked by lld", "-O2 -fuse-ld=lld -Wl,-z,lazy", "ld.lld"),
    ("linked by gold", "-O2 -fuse-ld=gold -Wl,-z,lazy", "ld.gold"),
    ("without described stubs", "-O2 -Wl,-z,lazy,--no-ld-generated-unwind-info", None),
    ("at fixed addresses", "-O2 -fno-pie -no-pie", None),
)
WITHOUT_TABLES = ("-O2 -fomit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables "
                  "-fno-exceptions")


def build(directory, source, flags):
    """Compiles a program of tests/programs in another way; its path."""
    path = os.path.join(directory, source.partition(".")[0])
    command = harness.mpicc() + shlex.split(flags) + [
        "-I" + os.path.join(harness.TOP_SRCDIR, "include"), "-o", path,
        os.path.join(harness.TOP_SRCDIR, "tests", "programs", source), "-lm"]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        raise harness.Failure("%s\n%s" % (" ".join(command), result.stdout))
    return path


def calls_of(visits):
    """{MPI function: visits}, on whatever path."""
    calls = collections.Counter()
    for path, value in visits.items():
        name = harness.split_callpath(path)[-1]
        if name.startswith("MPI_"):
            calls[name] += value
    return calls


def wavefront_calls():
    with Directory() as directory:
        _, rows = run(directory, [harness.program("wavefront")] + WAVEFRONT, 2)
        return calls_of(sums(rows, "visits"))


def test_programs_built_in_other_ways(tap):
    wanted = wavefront_calls()
    for label, flags, needed in harness.some(BUILDS):
        if needed and not shutil.which(needed):
            tap.skip(label, "there is no " + needed)
            continue
        with Directory() as directory:
            _, rows = run(directory, [build(directory, "wavefront.c", flags)] + WAVEFRONT, 2)
        check_samples(tap, rows, label)
        tap.equal(calls_of(sums(rows, "visits")), wanted, label + ": all calls are counted")
        stopped = [row["callpath"] for row in rows if "[unwinding" in row["callpath"]]
        tap.equal(stopped, [], label + ": every path begins at the root")


def test_a_program_without_call_frame_information(tap):
    """Nothing is known of its frames: paths say where they stopped, and nothing is made up."""
    wanted = wavefront_calls()
    with Directory() as directory:
        _, rows = run(directory, [build(directory, "wavefront.c", WITHOUT_TABLES)] + WAVEFRONT, 2)
    tap.equal(calls_of(sums(rows, "visits")), wanted, "all calls are counted")
    failed = sums(rows, "samples_failed")
    tap.ok(sum(failed.values()) > 0, "samples stop in it")
    begin = {harness.split_callpath(path)[0] for path, value in failed.items() if value}
    tap.equal(begin, {"[unwinding stopped here]"}, "and have a category of their own")
    named = [path for path in sums(rows, "visits") if path.startswith("main;")]
    tap.equal(named, [], "no path says more than is known")


if __name__ == "__main__":
    harness.main()
