#!/usr/bin/env python3
"""TSPROF_FILTER: functions that it leaves out are sampled like those that tell nothing; what is
kept is as exact as ever; what cannot be used of a file is named."""

import os
import subprocess

import harness
import instrumented
from harness import Directory

RULES = "SCOREP_REGION_NAMES_BEGIN\n%s\nSCOREP_REGION_NAMES_END\n"
FILES = "SCOREP_FILE_NAMES_BEGIN\n%s\nSCOREP_FILE_NAMES_END\n"
# Those that are seen only if they tell: no call of MPI is below them, and nothing is sampled.
QUIET = ("tiny", "compares", "computes", "with_alloca")


def run(tap, directory, name, rules, arguments=None, **settings):
    """The visits of functions, and what the program stated."""
    path = os.path.join(directory, "filter")
    with open(path, "w") as file:
        file.write(rules)
    arguments = (instrumented.library(),) if arguments is None else arguments
    settings = dict({"TSPROF_RATE": "0", "TSPROF_FILTER": path}, **settings)
    summary, stated = instrumented.run(directory, name, arguments, **settings)
    instrumented.check_exact(tap, name, summary)
    return instrumented.values_by_function(summary, "visits"), {
        function: entered for function, (entered, _, _) in stated.items()}


def check(tap, label, name, rules, left_out, kept, arguments=None, **settings):
    """No visits of what is LEFT_OUT, and exact ones of what is KEPT."""
    with Directory() as directory:
        visits, stated = run(tap, directory, name, rules, arguments, **settings)
        for function in left_out:
            tap.equal(visits[function], 0, "%s, %s: %s is left out" % (name, label, function))
        for function in kept:
            tap.ok(stated[function] > 0, "%s: %s is entered" % (name, function))
            tap.equal(visits[function], stated[function],
                      "%s, %s: visits of %s" % (name, label, function))


EVERY = ("main", "starts", "leaf", "middle", "recursive", "sorts", "catches_jump", "around",
         "passes_through", "jumps_out", "on_thread", "begins_thread", "loads", "loaded") + QUIET


def test_names(tap):
    for name in "instrumented_0", "instrumented_2":
        check(tap, "nothing", name, RULES % "", (), EVERY)
        check(tap, "some", name, RULES % "EXCLUDE\n  tiny # all that\n  comp*s",
              ("tiny", "compares", "computes"), ("with_alloca", "leaf", "recursive", "loaded"))
        check(tap, "most", name, RULES % "EXCLUDE * INCLUDE mi?dle [l]eaf", QUIET,
              ("middle", "leaf"))
        check(tap, "exact visits", name, RULES % "EXCLUDE tiny recursive", ("tiny",),
              ("leaf", "sorts", "compares"), TSPROF_VISITS="exact")
        check(tap, "in an iteration", name, RULES % "EXCLUDE * INCLUDE tiny",
              ("compares", "computes"), ("tiny",), (instrumented.library(), "mark"))


def test_sampled(tap):
    """With samples all of the time is somewhere, and what is left out has no time by itself."""
    check(tap, "sampled", "instrumented_0", RULES % "EXCLUDE tiny around", (),
          ("computes", "leaf"), TSPROF_RATE="1000", TSPROF_ITERATION="markers")


def test_files(tap):
    """By source, of functions in the program and in a library that comes and goes."""
    check(tap, "a program's source", "instrumented_2", FILES % "EXCLUDE */instrumented.c",
          QUIET, ("loaded",))
    check(tap, "a library's source", "instrumented_2",
          FILES % "EXCLUDE * INCLUDE *.c EXCLUDE */l[aeiou]aded.c", (), QUIET)
    check(tap, "both", "instrumented_2",
          FILES % "EXCLUDE */loaded.c" + RULES % "INCLUDE * EXCLUDE tiny", ("tiny",),
          QUIET[1:])


def test_other_languages(tap):
    rules = RULES % "EXCLUDE guard::* EXCLUDE MANGLED _Z*addsIl*"
    for name in "instrumented_cxx_0", "instrumented_cxx_2":
        check(tap, "names of C++", name, rules, ("guard::~guard",),
              ("leaf", "throws", "catches"), ())
    for name in "instrumented_f_0", "instrumented_f_2":
        if not harness.is_built(name):
            tap.skip(name, "not built")
            continue
        check(tap, "names of Fortran", name, RULES % "EXCLUDE recursion", (),
              ("leaf", "middle"), ())
        check(tap, "mangled", name, RULES % "EXCLUDE MANGLED *_MOD_leaf", (),
              ("middle", "recursion"), ())


LIBRARY_SOURCE = """
long FUNCTION(long number);
__attribute__((noipa)) long FUNCTION(long number) { return number + 1; }
"""

LIBRARY_USER = """
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
__attribute__((noipa)) static long calls(const char *path, const char *name, int times)
{
    void *library = dlopen(path, RTLD_NOW), *symbol = dlsym(library, name);
    long (*function)(long), number = 0;
    memcpy(&function, &symbol, sizeof function);
    for (int i = 0; i < times; i++)
        number = function(number);
    fprintf(stderr, "at %p\\n", symbol);
    dlclose(library);
    return number;
}
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int round = 0; round < 5; round++) {
        calls(argv[1], "first", 10);
        calls(argv[2], "second", 20);
    }
    MPI_Finalize();
    return 0;
}
"""


def build(directory, source, output, *flags):
    path = os.path.join(directory, output + ".c")
    with open(path, "w") as file:
        file.write(source)
    subprocess.run(harness.mpicc() + ["-g", "-finstrument-functions", *flags, "-o",
                                      os.path.join(directory, output), path],
                   check=True)
    return os.path.join(directory, output)


def test_libraries_in_turn(tap):
    """Where another library comes to lie at the same address its functions are its own."""
    with Directory() as directory:
        libraries = [build(directory, LIBRARY_SOURCE, name, "-DFUNCTION=" + name, "-fPIC",
                           "-shared") for name in ("first", "second")]
        user = build(directory, LIBRARY_USER, "user", "-ldl")
        for excluded, kept, visits in ("first", "second", 100), ("second", "first", 50):
            rules = os.path.join(directory, "filter")
            with open(rules, "w") as file:
                file.write(RULES % ("EXCLUDE " + excluded))
            summary = os.path.join(directory, kept + ".tsprof")
            result = harness.run_ranks([user] + libraries, 1, cwd=directory, settings={
                "TSPROF_OUTPUT": summary, "TSPROF_FILTER": rules, "TSPROF_RATE": "0"})
            harness.check_run(result, summary)
            places = set(line for line in result.stderr.decode().splitlines()
                         if line.startswith("at "))
            tap.equal(len(places), 1, "both lie at the same address")
            found = instrumented.values_by_function(summary, "visits")
            tap.equal(found[excluded], 0, excluded + " is left out")
            tap.equal(found[kept], visits, kept + " is kept")
            tap.equal(found["calls"], 10, "so is what calls them")


SIGNALS = """
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <dlfcn.h>
#include <string.h>
static long (*function)(long);
static volatile long number;
__attribute__((no_instrument_function)) static void handler(int unused)
{
    (void)unused;
    number = function(number);
}
__attribute__((no_instrument_function)) int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    void *library = dlopen(argv[1], RTLD_NOW), *symbol = dlsym(library, "first");
    memcpy(&function, &symbol, sizeof function);
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 100}, {0, 100}}, NULL);
    for (volatile int i = 0; number < 2000; i++)
        free(malloc(100 + i % 5000));
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    number = function(number);
    MPI_Finalize();
    return 0;
}
"""


def test_handlers(tap):
    """A library's function that only a signal handler calls: nothing waits for a lock that the
    interrupted program holds."""
    with Directory() as directory:
        library = build(directory, LIBRARY_SOURCE, "first", "-DFUNCTION=first", "-fPIC", "-shared")
        user = build(directory, SIGNALS, "user", "-ldl")
        rules = os.path.join(directory, "filter")
        with open(rules, "w") as file:
            file.write(RULES % "EXCLUDE nothing")
        summary = os.path.join(directory, "out.tsprof")
        result = harness.run_ranks([user, library], 1, cwd=directory, settings={
            "TSPROF_OUTPUT": summary, "TSPROF_FILTER": rules})
        harness.check_run(result, summary)
        found = instrumented.values_by_function(summary, "visits")
        tap.ok(found["first"] >= 1, "where it may be looked up it is", dict(found))


CLONES = """
#include <mpi.h>
static volatile long sum;
__attribute__((noinline)) long scaled(long number, long by)
{
    for (long i = 0; i < number; i++)
        sum += by;
    return sum;
}
__attribute__((noinline)) long added(long number) { return number + 1; }
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (long i = 0; i < 10; i++)
        sum += scaled(added(i), 3);
    MPI_Finalize();
    return 0;
}
"""


def test_copies_that_compilers_make(tap):
    """They are known by the name of the symbol that they were made from, and by their own."""
    with Directory() as directory:
        user = build(directory, CLONES, "user", "-O3")
        names = subprocess.run(["nm", user], check=True, stdout=subprocess.PIPE,
                               text=True).stdout.split()
        if "scaled.constprop.0" not in names:
            tap.skip("copies", "this compiler makes none")
            return
        for number, (rule, visits) in enumerate((("scaled", 0), ("scaled.constprop*", 0),
                                                 ("scaled.cold", 10))):
            rules = os.path.join(directory, "filter")
            with open(rules, "w") as file:
                file.write(RULES % ("EXCLUDE MANGLED " + rule))
            summary = os.path.join(directory, "%d.tsprof" % number)
            result = harness.run_ranks([user], 1, cwd=directory, settings={
                "TSPROF_OUTPUT": summary, "TSPROF_FILTER": rules, "TSPROF_RATE": "0"})
            harness.check_run(result, summary)
            found = instrumented.values_by_function(summary, "visits")
            tap.equal((found["scaled"], found["added"]), (visits, 10), rule)


def messages(directory, **settings):
    summary = os.path.join(directory, "out.tsprof")
    result = harness.run_ranks([harness.program("instrumented_hooked")], 2, cwd=directory,
                               settings=dict(settings, TSPROF_OUTPUT=summary))
    harness.check_run(result, summary)
    os.remove(summary)
    return [line for line in result.stderr.decode().splitlines() if "FILTER" in line]


def test_bad_files(tap):
    """What is wrong is said once for the job, and the job goes on."""
    with Directory() as directory:
        path = os.path.join(directory, "filter")
        for label, content, wanted in (
                ("no file", None, ["No such file"]),
                ("an empty file", "", ["it has no rules"]),
                ("mistakes", "x\n" + RULES % "EXCLUDE ok\nINCLUDE MANGLED",
                 ["line 1 is ignored: x is not between"]),
                ("no end", RULES % "EXCLUDE a" + "SCOREP_FILE_NAMES_BEGIN EXCLUDE b",
                 ["line 4 is ignored: there is no SCOREP_FILE_NAMES_END"]),
                ("nothing wrong", RULES % "EXCLUDE ok", [])):
            if content is not None:
                with open(path, "w") as file:
                    file.write(content)
            said = messages(directory, TSPROF_FILTER=path)
            tap.ok(len(said) == len(wanted) and
                   all(want in line for want, line in zip(wanted, said)), label, said)
            if content is not None:
                os.remove(path)
        said = messages(directory, TSPROF_FILTER=directory)
        tap.ok(len(said) == 1 and "is no file" in said[0], "a directory", said)
        said = messages(directory, TSPROF_FILTER="/dev/zero")
        tap.ok(len(said) == 1 and "is no file" in said[0], "a device", said)


if __name__ == "__main__":
    harness.main()
