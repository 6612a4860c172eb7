"""How many instructions tsprof takes, which a busy machine does not change: of an MPI call and of a
marked iteration, and of the library that clusters, by valgrind's callgrind, in this build and in
another one.

    make bench BENCH=instructions [BASE=BUILD-DIRECTORY]

Each is the difference of two runs that differ in the number of calls or iterations only; of the
program without tsprof as well, and that is subtracted.  One process, no samples, so the numbers are
those of every run but for a few instructions.  Of the library everything counts that
clustering_add does in compress_cost, which clusters the same iterations LIBRARY_RUNS times.
"""

import os
import re
import shutil
import subprocess
import tempfile

BUILD = os.path.abspath(os.environ.get("TOP_BUILDDIR", "."))
BASE = os.environ.get("BASE")
ROUNDS_OF_CALL_COST = 11

# What is called, how deep; see call_cost.c.
CALLS = [("iprobe", 5), ("iprobe", 60), ("comm_rank", 5), ("allreduce", 5), ("alternating", 30),
         ("two_depths", 17), ("put_fence", 5), ("exchange_32", 5), ("test", 5)]
FEW, MANY = 512, 1536

# Programs with markers: arguments, iterations of the shorter run and of the longer one.
PROGRAMS = {
    "stencil": (["--size", "8"], 100, 300),
    "particles": (["--size", "8"], 100, 300),
    "collectives": (["--size", "4"], 50, 150),
    "templates": (["--size", "16"], 105, 315),
    "heat_f08": (["--size", "8"], 100, 300),
}

# Arguments of compress_cost: clusters, call paths, metrics, iterations.
LIBRARY = [("64", "100", "10", 2000), ("256", "500", "20", 2000), ("auto", "100", "20", 3000)]
LIBRARY_RUNS = 6


def instructions(command, runtime, function=None):
    """Of one run, as callgrind counts them; or of what FUNCTION does in it, and what it calls."""
    with tempfile.TemporaryDirectory(prefix="tsprof-bench.") as directory:
        environment = dict(os.environ, TSPROF_VERBOSE="0", TSPROF_RATE="0",
                           TSPROF_OUTPUT=os.path.join(directory, "out.tsprof"))
        if runtime:
            environment["LD_PRELOAD"] = runtime
        found = subprocess.run(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=" + directory + "/out"]
            + (["--toggle-collect=" + function] if function else []) + command,
            env=environment, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, check=True, text=True).stderr
    return int(re.findall(r"Collected : (\d+)", found)[-1])


def each(command, few, many, times, runtime):
    """Instructions of one of what the last argument counts."""
    return (instructions(command + [str(many)], runtime)
            - instructions(command + [str(few)], runtime)) / ((many - few) * times)


def runtime_of(build):
    return os.path.join(build, "libprof/.libs/libtsprof.so")


def rows():
    for function, depth in CALLS:
        yield (f"{function}, depth {depth}", [os.path.join(BUILD, "bench/call_cost"), function,
                                              str(depth)], FEW, MANY, ROUNDS_OF_CALL_COST)
    for name, (arguments, few, many) in PROGRAMS.items():
        path = os.path.join(BUILD, "tests/programs", name)
        if os.path.exists(path):
            yield f"{name}, an iteration", [path] + arguments + ["--iterations"], few, many, 1


def clustered(build, clusters, paths, metrics, iterations):
    """Instructions of an iteration in the library that clusters."""
    return instructions([os.path.join(build, "bench/compress_cost"), "adaptive", clusters, paths, metrics,
                         str(iterations)], None, "clustering_add") / (LIBRARY_RUNS * iterations)


def show_library(builds):
    print("\nInstructions of an iteration in the library that clusters" + (" (base, now)" if BASE else ""))
    for case in LIBRARY:
        print("{} clusters, {} paths, {} metrics, {} iterations".format(*case)
              + "".join(f"{clustered(build, *case):>10.0f}" for build in builds), flush=True)


def main():
    print("\nInstructions that tsprof adds to an MPI call, and to an iteration of marked programs")
    if not shutil.which("valgrind"):
        print("valgrind is not installed")
        return
    builds = ([BASE] if BASE else []) + [BUILD]
    print(f"{'':<28}{'bare':>10}" + (f"{'base':>10}{'now':>10}{'more':>8}" if BASE
                                     else f"{'added':>10}"))
    for name, command, few, many, times in rows():
        bare = each(command, few, many, times, None)
        added = [each(command, few, many, times, runtime_of(build)) - bare for build in builds]
        line = f"{name:<28}{bare:>10.1f}" + "".join(f"{number:>10.1f}" for number in added)
        if BASE:
            line += f"{100 * (added[1] / added[0] - 1):>+7.1f}%"
        print(line, flush=True)
    show_library(builds)
