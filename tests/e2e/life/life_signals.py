#!/usr/bin/env python3
"""Signals, masks, timers and cancellation are the program's: it sees none of tsprof's."""

import shutil

import harness
import life
from harness import Directory, Skip

# Performance events need a signal of the ordinary kind, which stops where the program wants it:
# programs that wait for every signal see it, others do not.
CPU = {"TSPROF_TIMER": "cpu"}


def test_taking_all(tap):
    for mode in ("take-all", "take-every-bit", "thread", "file"):
        life.both_ways(tap, mode, [harness.program("life_signals"), mode], settings=CPU)


def test_handling(tap):
    for mode in ("handle-all", "in-handlers", "timers"):
        life.both_ways(tap, mode, [harness.program("life_signals"), mode])


def samples_in(files, function):
    return sum(float(row["value"]) for file in files
               for row in harness.export(file, "callpaths", "--total", "--metric", "samples")
               if function in row["callpath"])


def test_blocked_signals_do_not_stop_samples(tap):
    def look(name, files, result):
        tap.ok(samples_in(files, "take_every_bit;burn") > 0, name + ": samples are taken")

    life.both_ways(tap, "take-every-bit", [harness.program("life_signals"), "take-every-bit"],
                   settings=CPU, rates=("1000",), look=look)


def test_deadly_signal(tap):
    """A real-time signal that nobody handles ends the program, whatever it leaves."""
    life.both_ways(tap, "die", [harness.program("life_signals"), "die"], status=-63, wanted=None)


def test_debugger(tap):
    """A debugger stops at every signal that is not the C library's own."""
    debugger = shutil.which("gdb")
    if not debugger:
        raise Skip("no gdb")
    program = [harness.program("endings"), "normal"]
    for rate in life.RATES:
        with Directory() as directory:
            command = [debugger, "-nx", "-batch", "-iex", "set auto-load off", "-iex",
                       "set debuginfod enabled off", "-ex",
                       "set environment LD_PRELOAD " + harness.LIBRARY, "-ex", "run", "--args"]
            result = life.run(directory, command + program, False, {"TSPROF_RATE": rate})
            said = result.stdout.decode("utf-8", "replace")
            tap.ok("exited normally" in said, "gdb, rate %s: runs to the end" % rate, said)
            tap.equal(len(life.summaries(directory)), 1, "gdb, rate %s: was measured" % rate)


if __name__ == "__main__":
    harness.main()
