#!/usr/bin/env python3
"""Programs whose functions have room for calls that could be put there while they run: they are
sampled like any other, and what doc/measurement.md says of putting calls there is so."""

import os
import platform
import re
import shutil
import subprocess

import harness
import instrumented
from harness import Directory

# -pg needs code with fixed addresses for that.
ROOM = {"-fpatchable-function-entry": ["-fpatchable-function-entry=5"],
        "-mfentry": ["-pg", "-mfentry", "-mnop-mcount", "-no-pie", "-fno-pie"]}

PROGRAM = """
#include <mpi.h>
#include <stdio.h>
__attribute__((noipa)) static int called(int number) { return number + 1; }
__attribute__((noipa)) static int works(int number)
{
    for (int i = 0; i < 3000000; i++)
        number = called(number);
    MPI_Barrier(MPI_COMM_SELF);
    return number;
}
int main(int argc, char **argv)
{
    int number = 0;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 20; i++)
        number = works(number % 1000);
    printf("%d\\n", number);
    MPI_Finalize();
    return 0;
}
"""


def build(directory, *flags):
    path, output = os.path.join(directory, "program.c"), os.path.join(directory, "program")
    with open(path, "w") as file:
        file.write(PROGRAM)
    made = harness.execute(harness.mpicc() + ["-g", "-O2", *flags, path, "-o", output])
    return output if made.status == 0 else None


def test_they_are_sampled(tap):
    """Nothing is told, nothing is written into the program, and its functions have their time."""
    for option, flags in ROOM.items():
        with Directory() as directory:
            program = build(directory, *flags)
            if not program:
                tap.skip(option, "this compiler does not know it")
                continue
            plain = harness.run_plain([program], 1, cwd=directory)
            summary = os.path.join(directory, "out.tsprof")
            result = harness.run_ranks([program], 1, cwd=directory, settings={
                "TSPROF_OUTPUT": summary, "TSPROF_RATE": "1000"})
            harness.check_run(result, summary)
            tap.equal(result.stdout, plain.stdout, option + ": the same result")
            instrumented.check_exact(tap, option, summary)
            tap.equal([costs["entries"] for _, costs in instrumented.told(summary)], [0],
                      option + ": nothing is told")
            times = instrumented.values_by_function(summary, "computation")
            # Of time another program that takes the processor makes more, wherever it does.
            samples = instrumented.values_by_function(summary, "samples")
            tap.ok(samples["works"] + samples["called"] > 0.8 * sum(samples.values()) and
                   min(times["works"], times["called"]) > 0,
                   option + ": its functions have their time", (dict(times), dict(samples)))


def test_room_of_gcc(tap):
    """Five instructions of one byte: a thread may be between any two of them."""
    if platform.machine() != "x86_64" or not shutil.which("objdump"):
        tap.skip("instructions", "they are x86-64's, and objdump shows them")
        return
    with Directory() as directory:
        program = build(directory, *ROOM["-fpatchable-function-entry"])
        code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        begin = re.search(r"<called>:\n((?:.*\n){6})", code).group(1)
        tap.ok(len(re.findall(r"\tnop\s*$", begin, re.M)) == 5, "they are nops", begin)


# The way in which a profiler hears of the end of a function that tells of its beginning only.
REPLACES = """
#include <cstdio>
extern "C" {
void came_back();
void *place;
}
__asm__("came_back: jmp *place(%rip)");
__attribute__((noinline)) static void replaces(bool throws)
{
    void **here = (void **)__builtin_frame_address(0) + 1;
    place = *here;
    *(void *volatile *)here = (void *)came_back;
    if (throws)
        throw 1;
}
int main(int argc, char **)
{
    try {
        replaces(argc > 1);
        std::puts("returned");
    } catch (int) {
        std::puts("caught");
    }
    return 0;
}
"""


def test_return_addresses(tap):
    """Where one is replaced by another function's, exceptions are not caught any more."""
    if platform.machine() != "x86_64" or not shutil.which("g++"):
        tap.skip("a return address", "the program is for x86-64, in C++")
        return
    with Directory() as directory:
        path, program = (os.path.join(directory, name) for name in ("replaces.cc", "replaces"))
        with open(path, "w") as file:
            file.write(REPLACES)
        subprocess.run(["g++", "-O1", "-fno-omit-frame-pointer", "-fcf-protection=none", "-no-pie",
                        path, "-o", program], check=True)
        for arguments, wanted in ([], (0, "returned\n")), (["throw"], (-6, "")):
            ended = subprocess.run([program] + arguments, stdout=subprocess.PIPE, text=True,
                                   stderr=subprocess.DEVNULL, check=False)
            tap.equal((ended.returncode, ended.stdout), wanted, "it ends: %s" % arguments)


if __name__ == "__main__":
    harness.main()
