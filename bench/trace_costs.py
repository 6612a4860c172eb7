"""What traces cost: `make bench BENCH=traces [ROUNDS=5] [SCOREP=PREFIX]`.

Each number is compared with the same program and the profile alone, alternating, and is the median
over the rounds: what keeping its event adds to a call; how many bytes an event takes in memory; how
long the end of a program takes that has kept a million of them; and how much longer a job of two
ranks takes whose slowest iterations are kept.  With valgrind, how many instructions the event of a call
takes is counted as well, which a busy machine does not change.  With SCOREP, where Score-P is installed
for the same MPI, a call under it is timed in turn with one under tsprof, each with the profile alone and
with events.
"""

import glob
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time

BUILD = os.path.abspath(os.environ.get("TOP_BUILDDIR", "."))
MPIRUN = os.environ.get("MPIRUN") or "mpirun"
RUNTIME = os.path.join(BUILD, "libprof/.libs/libtsprof.so")
ROUNDS = int(os.environ.get("ROUNDS", "5"))
SCOREP = os.environ.get("SCOREP")
MILLION = 1000000
CHUNKS_AT = 397312           # doc/parts.md, "Events"
FUNCTIONS = ("iprobe", "comm_rank", "allreduce", "exchange_32", "put_fence", "startall")
DEPTH = 5
ROUNDS_OF_CALL_COST = 12    # with the one that it begins with
CALLS = 2000                # in each of the 11 rounds of call_cost, too few to be interrupted
MANY_CALLS = 50000          # so many that it does not matter that memory is taken in pieces of 64 KiB
TRACED = {"TSPROF_TRACE": "all", "TSPROF_TRACE_MEMORY": "1G"}


def start(directory, command, settings, ranks):
    environment = dict(os.environ, TSPROF_VERBOSE="0", TSPROF_RATE="0", TSPROF_OUTPUT=os.path.join(
        directory, "run.tsprof"), **settings)
    return subprocess.Popen([MPIRUN, "-n", str(ranks), "env", "LD_PRELOAD=" + RUNTIME, *command],
                            cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def output_of(command, settings, ranks=1):
    with tempfile.TemporaryDirectory(prefix="tsprof-bench.") as directory:
        process = start(directory, command, settings, ranks)
        text = process.communicate()[0]
        if process.returncode:
            raise RuntimeError("%s: %s" % (command, text))
        return text


def call_ns(function, settings):
    command = [os.path.join(BUILD, "bench/call_cost"), function, str(DEPTH), str(CALLS)]
    # Without the search for loops, whose passes would be events, too.
    return float(output_of(command, dict(settings, TSPROF_ITERATION="markers")).split()[0])


def print_calls():
    print("\nAdded by the event of a call, ns (goal: 30), at depth %d" % DEPTH)
    print("least: the same of the fastest round of each, where others use the machine, too")
    print(f"{'function':<12}{'profile':>10}{'with events':>13}{'added':>8}{'least':>8}")
    for function in FUNCTIONS:
        pairs = [(call_ns(function, {}), call_ns(function, TRACED)) for _ in range(ROUNDS)]
        print(f"{function:<12}{statistics.median(a for a, _ in pairs):>10.1f}"
              f"{statistics.median(b for _, b in pairs):>13.1f}"
              f"{statistics.median(b - a for a, b in pairs):>8.1f}"
              f"{min(b for _, b in pairs) - min(a for a, _ in pairs):>8.1f}", flush=True)


def scorep_program(directory):
    """call_cost, built by Score-P with nothing but MPI instrumented."""
    program = os.path.join(directory, "call_cost")
    source = os.path.join(os.environ["TOP_SRCDIR"], "bench/call_cost.c")
    subprocess.run([os.path.join(SCOREP, "bin/scorep"), "--nocompiler", "--thread=none",
                    os.environ.get("MPICC") or "mpicc", "-g", "-O2", "-Wno-stringop-overflow",
                    "-pthread", "-o", program, source], check=True, cwd=directory)
    return program


def plain_ns(command, settings):
    """Nanoseconds of a call without tsprof: COMMAND prints them first."""
    with tempfile.TemporaryDirectory(prefix="tsprof-bench.") as directory:
        output = subprocess.run([MPIRUN, "-n", "1", *command], cwd=directory, check=True,
                                env=dict(os.environ, **settings), stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout
        return float(output.split()[0])


def scorep_ns(program, function, events):
    return plain_ns([program, function, str(DEPTH), str(CALLS)], {
        "SCOREP_ENABLE_PROFILING": "false" if events else "true", "SCOREP_TOTAL_MEMORY": "1G",
        "SCOREP_ENABLE_TRACING": "true" if events else "false"})


def print_scorep():
    """Score-P's events are without its profile, which is how it is mostly used."""
    print("\nA call, ns, at depth %d: by itself, under tsprof (call path), under Score-P (flat)" % DEPTH)
    print(f"{'function':<12}{'alone':>8}{'profile':>9}{'events':>8}{'Score-P':>9}{'events':>8}")
    with tempfile.TemporaryDirectory(prefix="tsprof-bench.") as directory:
        program = scorep_program(directory)
        for function in FUNCTIONS:
            rounds = [(plain_ns([os.path.join(BUILD, "bench/call_cost"), function, str(DEPTH),
                                 str(CALLS)], {}),
                       call_ns(function, {}), call_ns(function, TRACED),
                       scorep_ns(program, function, False), scorep_ns(program, function, True))
                      for _ in range(ROUNDS)]
            alone, *others = (statistics.median(column) for column in zip(*rounds))
            print(f"{function:<12}{alone:>8.1f}" + "".join(
                f"{value:>{width}.1f}" for value, width in zip(others, (9, 8, 9, 8))), flush=True)


def instructions(function, settings):
    """Of a call, those of the program and of MPI included: all in call_cost's loop."""
    with tempfile.TemporaryDirectory(prefix="tsprof-bench.") as directory:
        output_of(["valgrind", "--tool=callgrind", "--toggle-collect=call_" + function,
                   "--callgrind-out-file=" + os.path.join(directory, "out"),
                   "--log-file=" + os.path.join(directory, "log"),
                   os.path.join(BUILD, "bench/call_cost"), function, str(DEPTH), str(CALLS)],
                  dict(settings, TSPROF_ITERATION="markers"))
        with open(os.path.join(directory, "log"), encoding="utf-8") as log:
            collected = int(re.findall(r"Collected : (\d+)", log.read())[-1])
    return collected / (CALLS * ROUNDS_OF_CALL_COST)


def print_instructions():
    if not shutil.which("valgrind"):
        print("\nInstructions of an event are not counted: valgrind is not installed")
        return
    print("\nInstructions that the event of a call takes")
    print(f"{'function':<12}{'profile':>10}{'with events':>13}{'added':>8}")
    for function in FUNCTIONS:
        profile, events = instructions(function, {}), instructions(function, TRACED)
        print(f"{function:<12}{profile:>10.0f}{events:>13.0f}{events - profile:>8.0f}", flush=True)


def events_bytes(directory):
    """Memory for events that a running process has taken, as its file has it."""
    size = 0
    for file in glob.glob(os.path.join(directory, "*.parts", "*.events")):
        try:
            size += os.path.getsize(file) - CHUNKS_AT
        except FileNotFoundError:   # the process has ended
            pass
    return size


def bytes_of(function):
    """Of the events of a call; the file is there until the process ends."""
    with tempfile.TemporaryDirectory(prefix="tsprof-bench.") as directory:
        process = start(directory, [os.path.join(BUILD, "bench/call_cost"), function, str(DEPTH),
                                    str(MANY_CALLS)], dict(TRACED, TSPROF_ITERATION="markers"), 1)
        most = 0
        while process.poll() is None:
            most = max(most, events_bytes(directory))
            time.sleep(0.001)
        process.communicate()
        return most / (MANY_CALLS * ROUNDS_OF_CALL_COST)


def print_bytes():
    print("\nBytes in memory of the events of a call (goal: 24 an event)")
    for function in FUNCTIONS:
        print(f"{function:<12}{bytes_of(function):>10.1f}", flush=True)


def end_of(settings):
    """Seconds from the last call of a million to the program's end, and the bytes of events."""
    with tempfile.TemporaryDirectory(prefix="tsprof-bench.") as directory:
        process = start(directory, [os.path.join(BUILD, "tests/programs/polls"), "plain",
                                    str(MILLION)], settings, 1)
        line = process.stdout.readline()
        begin = time.monotonic()
        size = events_bytes(directory)
        process.communicate()
        if not re.match(r"[0-9.]+$", line):
            raise RuntimeError(line)
        return time.monotonic() - begin, size


def print_end():
    pairs = [(end_of({}), end_of(TRACED)) for _ in range(ROUNDS)]
    print("\nA million events of a rank")
    print(f"bytes an event in memory   {pairs[0][1][1] / MILLION:>8.1f}   (goal: 24)")
    print("time at the end, s         %8.2f   (%.2f without events)" % (
        statistics.median(b[0] for _, b in pairs), statistics.median(a[0] for a, _ in pairs)))


def print_dilation():
    """Of a job whose ranks exchange messages after each millisecond; its own seconds."""
    steps = os.path.join(BUILD, "bench/job_steps")
    rounds_per_us = output_of([steps, "calibrate"], {}, 2).split()[0]
    command = [steps, "exchange", "1000", "4", rounds_per_us]
    pairs = [[float(output_of(command, settings, 2).split()[0])
              for settings in ({}, {"TSPROF_TRACE": "slowest:8"})] for _ in range(2 * ROUNDS)]
    ratios = sorted(b / a for a, b in pairs)
    print("\nExchange after each ms, 2 ranks, %.1f s, with slowest:8: %+.2f %% (goal: 1 %%), rounds %s"
          % (statistics.median(a for a, _ in pairs), 100 * (statistics.median(ratios) - 1),
             " ".join("%+.1f" % (100 * (ratio - 1)) for ratio in ratios)))


def main():
    print_calls()
    if SCOREP:
        print_scorep()
    print_instructions()
    print_bytes()
    print_end()
    print_dilation()
