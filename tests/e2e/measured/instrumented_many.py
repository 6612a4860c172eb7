#!/usr/bin/env python3
"""Functions that tell when they are entered, in numbers and ways that the programs of
instrumented.py do not have: thousands of them, inlined, optimized, below counters, after exec,
on stacks of the program's own."""

import os
import shutil
import subprocess

import harness
import instrumented
from harness import Directory

FUNCTIONS = 5000
INCLUDE = os.path.join(os.environ["TOP_SRCDIR"], "include")
SOURCES = os.path.join(os.environ["TOP_SRCDIR"], "tests", "programs", "instrumented")


def build(directory, source, output, *flags):
    path = os.path.join(directory, output + ".c")
    with open(path, "w") as file:
        file.write(source)
    subprocess.run(harness.mpicc() + ["-g", "-finstrument-functions", "-I" + INCLUDE, *flags,
                                      "-o", os.path.join(directory, output), path], check=True)
    return os.path.join(directory, output)


def measure(directory, command, **settings):
    """The summary, and what the program prints: names and visits."""
    summary = os.path.join(directory, "out.tsprof")
    if os.path.exists(summary):
        os.remove(summary)
    result = harness.run_ranks(command, 1, cwd=directory,
                               settings=dict(settings, TSPROF_OUTPUT=summary))
    harness.check_run(result, summary)
    lines = [line.split() for line in result.stdout.decode().splitlines()]
    return summary, {line[0]: int(line[1]) for line in lines}


def check(tap, label, summary, stated, others=()):
    """All that was stated was visited as often; OTHERS were not."""
    visits = instrumented.values_by_function(summary, "visits")
    wrong = {name: (visits[name], entered) for name, entered in stated.items()
             if visits[name] != entered}
    tap.ok(stated and not wrong, label + ": visits", wrong)
    tap.equal([name for name in others if visits[name]], [], label + ": not told")
    instrumented.check_exact(tap, label, summary)


def many_source():
    """Functions that groups of them call, each by another pattern, some from two groups."""
    lines = ["#include <mpi.h>", "#include <stdio.h>",
             "#define F(n) __attribute__((noipa)) static void f##n(void) { visits[n]++; }",
             "static long visits[%d];" % FUNCTIONS]
    lines += ["F(%d)" % i for i in range(FUNCTIONS)]
    groups = []
    for group in range(FUNCTIONS // 50):
        members = list(range(50 * group, 50 * group + 50)) + [(97 * group) % FUNCTIONS]
        lines.append("__attribute__((noipa)) static void g%d(int round) {" % group)
        lines += ["    for (int i = 0; i <= round %% %d; i++) f%d();" % (1 + i % 7, i)
                  for i in members]
        lines.append("}")
        groups.append("g%d(round);" % group)
    lines += ["int main(int argc, char **argv) {", "    MPI_Init(&argc, &argv);",
              "    for (int round = 0; round < 5; round++) {", " ".join(groups), "    }",
              "    for (int i = 0; i < %d; i++) printf(\"f%%d %%ld\\n\", i, visits[i]);"
              % FUNCTIONS,
              "    MPI_Finalize();", "    return 0;", "}"]
    return "\n".join(lines)


def test_thousands(tap):
    with Directory() as directory:
        program = build(directory, many_source(), "many", "-O0", "-g0")
        summary, stated = measure(directory, [program], TSPROF_ITERATION="markers")
        tap.equal(len(stated), FUNCTIONS, "functions")
        check(tap, "thousands of functions", summary, stated)
        # And thousands of rules.
        rules = os.path.join(directory, "filter")
        with open(rules, "w") as file:
            file.write("SCOREP_REGION_NAMES_BEGIN EXCLUDE\n%s\nSCOREP_REGION_NAMES_END\n" %
                       "\n".join("f%d" % i for i in range(0, FUNCTIONS, 2)))
        summary, stated = measure(directory, [program], TSPROF_ITERATION="markers",
                                  TSPROF_FILTER=rules, TSPROF_RATE="0")
        check(tap, "half of them left out", summary,
              {"f%d" % i: stated["f%d" % i] for i in range(1, FUNCTIONS, 2)},
              ["f%d" % i for i in range(0, FUNCTIONS, 2)])


PATHS = """
#include <mpi.h>
#include <stdio.h>
static long visits;
__attribute__((noipa)) static void a(int levels);
__attribute__((noipa)) static void b(int levels) { visits++; if (levels) { a(levels - 1); b(levels - 1); } }
__attribute__((noipa)) static void a(int levels) { visits++; if (levels) { b(levels - 1); a(levels - 1); } }
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 3; i++)
        a(16);
    fprintf(stderr, "visits %ld\\n", visits);
    MPI_Finalize();
    return 0;
}
"""


def test_call_paths_are_bounded(tap):
    """Recursion with more call paths than there is room for: what has none is its caller's."""
    with Directory() as directory:
        summary, _ = measure(directory, [build(directory, PATHS, "paths", "-O1")])
        instrumented.check_exact(tap, "131072 call paths", summary)
        info = harness.tsprof("info", summary).stdout
        tap.ok("very many call paths" in " ".join(info.split()), "a note says so", info)
        rows = harness.export(summary, "callpaths", "--total", "--metric", "visits")
        tap.ok(1000 < len(rows) < 20000, "there are no more of them", len(rows))


def test_optimized(tap):
    """The same visits however it was compiled; the compiler makes no tail calls of them."""
    with open(os.path.join(SOURCES, "instrumented.c")) as file:
        text = file.read()
    for label, flags in (("-O1", ["-O1"]), ("-O3", ["-O3"]), ("-Os", ["-Os"]),
                         ("-O3 -flto", ["-O3", "-flto"]),
                         ("no frame pointers", ["-O2", "-fomit-frame-pointer"]),
                         ("frame pointers", ["-O2", "-fno-omit-frame-pointer"]),
                         ("no position-independent code", ["-O2", "-no-pie", "-fno-pie"])):
        with Directory() as directory:
            program = build(directory, text, "optimized", "-pthread", "-I" + SOURCES, *flags,
                            "-ldl")
            summary, stated = measure(directory, [program, "20", instrumented.library()],
                                      TSPROF_RATE="1000")
            check(tap, label, summary, stated)


def test_optimized_languages(tap):
    """The same of C++ and Fortran, at the levels that the programs of instrumented.py are not at."""
    for name, compiler in ("instrumented.cc", "mpicxx"), ("instrumented.f90", "mpifort"):
        command = harness.mpicc()[0].replace("mpicc", compiler)
        for level in "-O1", "-O3":
            label = "%s %s" % (name, level)
            if not shutil.which(command):
                tap.skip(label, "there is no " + command)
                continue
            with Directory() as directory:
                program = os.path.join(directory, "program")
                subprocess.run([command, "-g", level, "-finstrument-functions", "-I" + INCLUDE,
                                "-o", program, os.path.join(SOURCES, name)],
                               check=True, cwd=directory)
                summary, stated = measure(directory, [program, "20"], TSPROF_RATE="1000")
                check(tap, label, summary, stated)


def clang(language="c"):
    """The compiler of MPI programs with Clang; None where that is not to be had."""
    wrapper, compiler = {"c": ("MPICH_CC", "clang"), "c++": ("MPICH_CXX", "clang++")}[language]
    if not shutil.which(compiler) or "mpich" not in harness.mpicc()[0]:
        return None
    command = "mpicc.mpich" if language == "c" else "mpicxx.mpich"
    return ["env", wrapper + "=" + compiler, command] if shutil.which(command) else None


def test_clang(tap):
    """The same visits of what Clang has compiled, in C and C++; with the one option functions tell
    that are inlined, with the other those that are left then."""
    for language, name in (("c", "instrumented.c"), ("c++", "instrumented.cc")):
        compiler = clang(language)
        for option, level in (("", "-O0"), ("", "-O1"), ("", "-O2"), ("", "-O3"),
                              ("-after-inlining", "-O2")):
            label = "Clang, %s %s%s" % (name, level, option)
            if not compiler:
                tap.skip(label, "there is no Clang for MPICH")
                continue
            with Directory() as directory:
                program = os.path.join(directory, "program")
                subprocess.run(compiler + [
                    "-g", level, "-finstrument-functions" + option, "-I" + INCLUDE, "-pthread",
                    "-o", program, os.path.join(SOURCES, name), "-ldl"], check=True)
                arguments = [instrumented.library()] if language == "c" else []
                summary, stated = measure(directory, [program, "20"] + arguments,
                                          TSPROF_RATE="1000")
                check(tap, label, summary, stated)


SLOW_TO_BEGIN = """
#include <mpi.h>
#include <stdio.h>
#include <sys/mman.h>
#define BYTES (4 << 20)
#define F(n) __attribute__((noipa)) static void f##n(void) { volatile char c[BYTES]; c[0] = n; }
#define EACH(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9)
EACH(F)
/* What is below on the stack has to be found anew, page by page. */
__attribute__((no_instrument_function)) static void forget(void)
{
    const unsigned long here = (unsigned long)__builtin_frame_address(0) & -65536UL;
    madvise((void *)(here - 65536 - BYTES), BYTES, MADV_DONTNEED);
}
#define CALL(n) forget(); f##n(); printf("f" #n " 1\\n");
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    EACH(CALL)
    MPI_Finalize();
    return 0;
}
"""


def test_sampled_before_they_tell(tap):
    """A function that is found by a sample before it has told of its first visit has one."""
    with Directory() as directory:
        program = build(directory, SLOW_TO_BEGIN, "slow", "-O0", "-fstack-clash-protection")
        summary, stated = measure(directory, [program], TSPROF_RATE="10000",
                                  TSPROF_ITERATION="markers")
        check(tap, "sampled before", summary, stated)


INLINED = """
#include <mpi.h>
#include <stdio.h>
static long outers;
static inline __attribute__((always_inline)) int inlined(int number) { return number * 3; }
__attribute__((noipa)) static int called(int number) { return number + 1; }
__attribute__((noipa)) static int outer(int number)
{
    outers++;
    return called(inlined(number) + inlined(number + 1));
}
__attribute__((noipa)) static int tail(int number) { return called(number + 2); }
int main(int argc, char **argv)
{
    int number = 0;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 1000; i++)
        number = tail(outer(number) % 1000);
    printf("outer %ld\\ncalled %ld\\ntail %ld\\n", outers, 2 * outers, outers);
    printf("inlined %ld\\n", 2 * outers);
    MPI_Finalize();
    return number == 12345;
}
"""


def test_inlined(tap):
    """Inlined functions have their visits below the function around them; if that is left out
    they are left out with it."""
    for flags in ["-O1"], ["-O2"], ["-O3"]:
        with Directory() as directory:
            program = build(directory, INLINED, "inlined", *flags)
            summary, stated = measure(directory, [program])
            check(tap, "inlined, %s" % flags[0], summary, stated)
            rules = os.path.join(directory, "filter")
            with open(rules, "w") as file:
                file.write("SCOREP_REGION_NAMES_BEGIN EXCLUDE outer SCOREP_REGION_NAMES_END")
            summary, stated = measure(directory, [program], TSPROF_FILTER=rules,
                                      TSPROF_RATE="0")
            tap.equal(stated.pop("outer"), 1000, "it is entered")
            tap.equal(stated.pop("inlined"), 2000, "and so is what is inlined in it")
            check(tap, "outer is left out, %s" % flags[0], summary, stated,
                  ["inlined", "outer"])


COUNTED = """
#include <mpi.h>
#include <stdio.h>
#define QUIET __attribute__((no_instrument_function))
long long counters[20];
QUIET long long *counters_of_thread(void);
long long *counters_of_thread(void) { return counters; }
__attribute__((noipa)) static void inner(int i) { counters[0] += 5 * i; counters[1] += 1; }
__attribute__((noipa)) static void outer(int i) { counters[0] += 7; inner(i); counters[0] += 11; }
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 100; i++)
        outer(i);
    printf("inner 100\\nouter 100\\n");
    MPI_Finalize();
    return 0;
}
"""


def test_counters(tap):
    """What is counted in a function is its own, to the last event."""
    with Directory() as directory:
        program = build(directory, COUNTED, "counted", "-O2", "-rdynamic")
        summary, stated = measure(
            directory, [program], TSPROF_RATE="0", TSPROF_ITERATION="markers",
            TSPROF_COUNTERS="FAKE_0,FAKE_1",
            TSPROF_PAPI=os.path.join(harness.PROGRAMS, "libfake_papi.so"))
        check(tap, "counted", summary, stated)
        for metric, function, value in (("FAKE_0", "inner", 5 * 99 * 50),
                                        ("FAKE_0", "outer", 18 * 100),
                                        ("FAKE_1", "inner", 100), ("FAKE_1", "outer", 0)):
            found = instrumented.values_by_function(summary, metric)
            tap.equal(found[function], value, "%s of %s" % (metric, function))


EXECUTES = """
#include <unistd.h>
__attribute__((noipa)) static int prepares(int levels)
{
    return levels ? prepares(levels - 1) : 0;
}
int main(int argc, char **argv)
{
    prepares(5);
    return execv(argv[1], argv + 1) + argc;
}
"""


def test_exec(tap):
    """A program that another one has become has its own functions only."""
    with Directory() as directory:
        before = build(directory, EXECUTES, "before", "-O1")
        program = build(directory, INLINED, "inlined", "-O1")
        summary, stated = measure(directory, [before, program])
        check(tap, "after exec", summary, stated, ["prepares"])


COROUTINES = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
static ucontext_t driver, coroutine;
static long visits[3];
static int rounds = 200;
__attribute__((noipa)) static void inside(int levels)
{
    visits[0]++;
    MPI_Barrier(MPI_COMM_SELF);
    if (levels > 0)
        inside(levels - 1);
    else
        swapcontext(&coroutine, &driver);
}
static void runs(void)
{
    for (;;)
        inside(3);
}
__attribute__((noipa)) static void beside(void) { visits[1]++; }
__attribute__((noipa)) static void drives(char *stack, size_t size)
{
    visits[2]++;
    getcontext(&coroutine);
    coroutine.uc_stack.ss_sp = stack;
    coroutine.uc_stack.ss_size = size;
    makecontext(&coroutine, runs, 0);
    for (int i = 0; i < rounds; i++) {
        swapcontext(&driver, &coroutine);
        beside();
    }
}
__attribute__((noipa)) static void on_the_threads_own(void)
{
    char stack[65536];
    drives(stack, sizeof stack);
}
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc > 1)
        on_the_threads_own();
    else
        drives(malloc(65536), 65536);
    if (argc > 1)
        printf("inside %ld\\n", visits[0]);
    printf("beside %ld\\ndrives %ld\\n", visits[1], visits[2]);
    MPI_Finalize();
    return 0;
}
"""


def test_coroutines(tap):
    """Functions on stacks of the program's own are sampled, others told; all adds up. Where
    such a stack lies in the thread's own they are told, too."""
    for flags in ["-O0"], ["-O2"]:
        with Directory() as directory:
            program = build(directory, COROUTINES, "coroutines", *flags)
            for label, arguments in ("on a stack apart", []), ("on the thread's", ["own"]):
                for settings in {}, {"TSPROF_VISITS": "exact"}, {"TSPROF_RATE": "1000"}:
                    summary, stated = measure(directory, [program] + arguments, **settings)
                    check(tap, "coroutines %s, %s %s" % (label, flags[0], settings), summary,
                          stated)


THREADS = """
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#define SILENT __attribute__((no_instrument_function))
__attribute__((noipa)) static void *ends(void *unused)
{
    pthread_exit(unused);
}
__attribute__((noipa)) static int told(int number) { return number + 1; }
__attribute__((noipa)) static void *begins(void *unused)
{
    MPI_Init(NULL, NULL);
    for (int i = 0; i < 10; i++)
        told(i);
    MPI_Finalize();
    return unused;
}
SILENT static void *runs(void *(*function)(void *))
{
    pthread_t thread;
    pthread_create(&thread, NULL, function, NULL);
    pthread_join(thread, NULL);
    return (void *)thread;
}
SILENT int main(void)
{
    void *first = runs(ends), *second = runs(begins);
    printf("told 10\\n");
    return first != second;
}
"""


def test_first_thread_ends(tap):
    """What a thread has entered that has ended is not taken for a later one's in its place."""
    with Directory() as directory:
        program = build(directory, THREADS, "threads", "-O1", "-pthread")
        summary, stated = measure(directory, [program], TSPROF_RATE="0")
        check(tap, "a thread in another's place", summary, stated, ["ends"])


DEEP = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
static long visits;
__attribute__((noipa)) static int deep(int levels)
{
    visits++;
    return levels > 0 ? deep(levels - 1) + 1 : 0;
}
__attribute__((noipa)) static int shallow(int number) { return number + 1; }
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const int levels = atoi(argv[1]);
    for (int i = 0; i < 4; i++)
        shallow(deep(levels));
    printf("deep %ld\\nshallow 4\\n", visits);
    MPI_Finalize();
    return 0;
}
"""


def test_deep_stacks(tap):
    """Visits stay exact where the stack is deeper than walks go, and than regions are kept."""
    with Directory() as directory:
        program = build(directory, DEEP, "deep", "-O1")
        for levels in 400, 2000, 20000:
            summary, stated = measure(directory, [program, str(levels)], TSPROF_RATE="0",
                                      TSPROF_ITERATION="markers")
            check(tap, "%d levels" % levels, summary, stated)


if __name__ == "__main__":
    harness.main()
