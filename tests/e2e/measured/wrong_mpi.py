#!/usr/bin/env python3
"""The runtime made for another MPI: the program runs as without it, and one message names the
runtime that fits.  `tsprof run` and `tsprof exec` take that one from the start."""

import glob
import os
import re
import shutil
import sys

import harness
from harness import Directory, Skip

NAMES = {"mpich": "MPICH", "openmpi": "Open MPI"}
# In C, C++ and Fortran; every kind of argument that there is.
PROGRAMS = ("stencil", "collectives", "templates", "heat_mpif", "heat_f08")


def pairs():
    """(kind of the runtime, kind of the program)."""
    if len(harness.KINDS) < 2:
        raise Skip("there is a runtime for one MPI only")
    return [(a, b) for a in harness.KINDS for b in harness.KINDS if a != b]


def program_of(kind, name):
    path = os.path.join(harness.programs_of(kind), name)
    if not os.path.exists(path):
        raise Skip("%s is not built for %s" % (name, NAMES[kind]))
    return path


def run(kind, ranks, command, library, directory, **settings):
    settings["TSPROF_OUTPUT"] = os.path.join(directory, "out.tsprof")
    start = [harness.mpirun(kind), "-n", str(ranks)] if ranks else []
    if library and ranks:
        command = ["env", "LD_PRELOAD=" + library] + command
    elif library:
        settings["LD_PRELOAD"] = library
    return harness.execute(start + command, settings=settings, cwd=directory)


def message_of(runtime, program):
    return ("tsprof: nothing is measured: libtsprof-%s.so was built for %s, and this program uses "
            "%s; preload %s\n" % (runtime, NAMES[runtime], NAMES[program],
                                  harness.library_of(program))).encode()


def check(tap, label, runtime, kind, ranks, command, **settings):
    with Directory() as directory:
        plain = run(kind, ranks, command, None, directory)
        wrong = run(kind, ranks, command, harness.library_of(runtime), directory, **settings)
        tap.equal(plain.status, 0, label + ": works")
        tap.equal((wrong.status, wrong.stdout), (plain.status, plain.stdout),
                  label + ": the same result")
        tap.equal(glob.glob(directory + "/*.tsprof"), [], label + ": no summary")
        said = b"" if settings else message_of(runtime, kind)
        tap.equal(wrong.stderr, plain.stderr + said,
                  label + (": nothing is said" if settings else ": one message"))


def test_programs(tap):
    for runtime, kind in pairs():
        for name in PROGRAMS:
            label = "%s of %s, runtime for %s" % (name, NAMES[kind], NAMES[runtime])
            try:
                check(tap, label, runtime, kind, 2, [program_of(kind, name)])
            except Skip as reason:
                tap.skip(label, str(reason))


def test_without_a_launcher(tap):
    for runtime, kind in pairs():
        label = "alone, runtime for " + NAMES[runtime]
        check(tap, label, runtime, kind, 0, [program_of(kind, "stencil")])
        check(tap, label + ", silent", runtime, kind, 0, [program_of(kind, "stencil")],
              TSPROF_VERBOSE="0")


def test_the_message_is_right(tap):
    """What it names measures the program."""
    for runtime, kind in pairs():
        with Directory() as directory:
            wrong = run(kind, 2, [program_of(kind, "stencil")], harness.library_of(runtime),
                        directory)
            named = wrong.stderr.decode().split()[-1]
            right = run(kind, 2, [program_of(kind, "stencil")], named, directory)
            tap.equal(right.stdout, wrong.stdout, named + ": the same result")
            tap.equal(glob.glob(directory + "/*.tsprof"), [directory + "/out.tsprof"],
                      named + ": a summary")


def test_the_other_runtime_is_missing(tap):
    for runtime, kind in pairs():
        with Directory() as directory:
            library = shutil.copy(harness.library_of(runtime), directory)
            wrong = run(kind, 0, [program_of(kind, "stencil")], library, directory)
            tap.ok(b"; tsprof was built without libtsprof-%s.so\n" % kind.encode()
                   in wrong.stderr, "without the runtime for %s" % NAMES[kind], wrong.stderr)


def test_a_process_that_does_not_start_mpi(tap):
    for runtime, kind in pairs():
        with Directory() as directory:
            command = [program_of(kind, "endings")]
            plain = run(kind, 0, command, None, directory)
            wrong = run(kind, 0, command, harness.library_of(runtime), directory)
            tap.equal(wrong, plain, "MPI is not started, runtime for " + NAMES[runtime])


def test_mpi_opened_privately(tap):
    """The library is there only when an extension is opened."""
    source = os.path.join(harness.TOP_SRCDIR, "tests", "programs", "life", "life_extension.c")
    use = ("import ctypes\nx = ctypes.CDLL('./life_extension.so')\n"
           "print(x.life_start(), x.life_work(5), x.life_end())\n")
    for runtime, kind in pairs():
        with Directory() as directory:
            built = harness.execute(
                harness.mpicc(kind)
                + ["-g", "-O2", "-shared", "-fPIC", "-o", directory + "/life_extension.so",
                   "-I" + os.path.join(harness.TOP_SRCDIR, "include"), source])
            tap.equal(built.status, 0, "the extension for %s is built" % NAMES[kind])
            command = [sys.executable, "-c", use]
            plain = run(kind, 0, command, None, directory)
            wrong = run(kind, 0, command, harness.library_of(runtime), directory)
            tap.equal((wrong.status, wrong.stdout), (plain.status, plain.stdout),
                      "opened by Python, runtime for %s: the same result" % NAMES[runtime])
            tap.equal(wrong.stderr, plain.stderr + message_of(runtime, kind),
                      "opened by Python, runtime for %s: one message" % NAMES[runtime])


def check_measured(tap, label, kind, command, **settings):
    """That `tsprof` started something of that kind's as COMMAND says, and measured it."""
    with Directory() as directory:
        result = run(kind, 0, [harness.COMMAND] + command, None, directory,
                     TSPROF_MPIRUN=harness.mpirun(kind), **settings)
        tap.ok(result.status == 0 and b"stencil: 2 ranks" in result.stdout, label + ": runs",
               result)
        info = harness.tsprof("info", directory + "/out.tsprof")
        tap.ok(re.search("^MPI +" + NAMES[kind], info.stdout, re.M), label + ": measured",
               info.stdout + info.stderr)


def test_run_takes_the_right_one(tap):
    for kind in harness.KINDS:
        program = program_of(kind, "stencil")
        check_measured(tap, "run, " + NAMES[kind], kind, ["run", "-n", "2", program])
        # A shell names no MPI: the launcher's is taken.
        check_measured(tap, "run of a script, " + NAMES[kind], kind,
                       ["run", "-n", "2", "sh", "-c", program])
        for other in harness.KINDS:
            check_measured(tap, "run, %s, with the runtime for %s preloaded"
                           % (NAMES[kind], NAMES[other]), kind, ["run", "-n", "2", program],
                           LD_PRELOAD=harness.library_of(other))


MAIN = "extern int stencil(int argc, char **argv);\n" \
       "int main(int argc, char **argv) { return stencil(argc, argv); }\n"


def test_mpi_through_a_library(tap):
    """The program itself needs a library of its own only."""
    source = os.path.join(harness.TOP_SRCDIR, "tests", "programs", "stencil.c")
    include = "-I" + os.path.join(harness.TOP_SRCDIR, "include")
    for kind in harness.KINDS:
        with Directory() as directory:
            library, program = directory + "/libstencil.so", directory + "/program"
            with open(directory + "/main.c", "w") as file:
                file.write(MAIN)
            for command in (harness.mpicc(kind) + ["-g", "-O2", "-w", "-shared", "-fPIC", include,
                                                   "-Dmain=stencil", "-o", library, source, "-lm"],
                            ["gcc", "-o", program, directory + "/main.c", library,
                             "-Wl,-rpath," + directory, "-Wl,--allow-shlib-undefined"]):
                built = harness.execute(command)
                tap.equal(built.status, 0, "%s: %s is built" % (NAMES[kind], command[0]))
            check_measured(tap, "through a library, " + NAMES[kind], kind,
                           ["run", "-n", "2", program])


if __name__ == "__main__":
    harness.main()
