#!/usr/bin/env python3
"""MPI begun and ended where few programs do it: everything between is measured, exactly."""

import os

import harness
import life
import part_reader

RATES = ("100", "10000")

# Modes of `life_endings`, and the calls of MPI_Iprobe before MPI_Finalize, on each rank.
FINALIZED = {
    "at-exit": 5,
    "at-exit-first": 4,
    "destructor": 4,
    "thread-data": 5,
    "late": 3,
    "go-on": 3,
    "thread-starts": 6,
    "thread-lives": 3,
    "main-leaves": 6,
    "constructor": 4,
    "info-first": 3,
    "single": 3,
    "funneled": 3,
    "serialized": 3,
    "multiple": 3,
    "ask": 3,
    "session-world": 3,
    "world-session": 3,
}

# Those that need what came with MPI 4.
OF_MPI_4 = ("info-first", "session-world", "world-session", "session")

# Those that end time lines in unusual ways.
STRESSED = ("at-exit", "destructor", "thread-data", "thread-starts", "thread-lives", "main-leaves")


def visits(files, call):
    """By rank."""
    result = {}
    for file in files:
        for row in harness.export(file, "callpaths", "--total", "--metric", "visits"):
            if row["callpath"].endswith(";" + call):
                rank = int(row["rank"])
                result[rank] = result.get(rank, 0) + int(float(row["value"]))
    return result


def check(tap, mode, calls, ranks=0, rates=RATES, **options):
    label = "%s on %d ranks" % (mode, ranks) if ranks else mode
    if mode in OF_MPI_4 and harness.MPI == "openmpi":
        tap.skip(label, "Open MPI 4.1 has MPI 3.1")
        return

    def look(name, files, result):
        for call, number in calls.items():
            tap.equal(visits(files, call), {r: number for r in range(ranks or 1)},
                      "%s: %s" % (name, call))

    # Where ranks write at the same time their characters are mixed.
    clean = sorted if ranks else None
    life.both_ways(tap, label, [harness.program("life_endings"), mode], rates=rates,
                   ranks=ranks, clean=clean, look=look, **options)


def test_without_launcher(tap):
    for mode, probes in FINALIZED.items():
        rates = RATES if mode in STRESSED else RATES[:1]
        check(tap, mode, {"MPI_Iprobe": probes, "MPI_Init_thread": 1}, rates=rates)


def test_two_ranks(tap):
    if harness.MPI == "openmpi":
        raise harness.Skip("its mpirun ends all when one ends with a status that is not 0")
    for mode in ("at-exit", "destructor", "thread-lives", "session-world"):
        check(tap, mode, {"MPI_Iprobe": FINALIZED[mode], "MPI_Init_thread": 1}, ranks=2,
              rates=("100",))


def test_no_end(tap):
    check(tap, "never", {"MPI_Iprobe": 3})


def test_exec(tap):
    """The program that takes the place of a measured one meets no timer of its predecessor."""
    check(tap, "exec", {}, wanted=0)


def test_session_without_world(tap):
    """Each process writes its own summary, under its own rank."""
    calls = {"MPI_Allreduce": 5, "MPI_Session_init": 1}
    check(tap, "session", calls)
    check(tap, "session", calls, ranks=2, rates=("100",), wanted=2)


def test_twice(tap):
    """MPI ends a program that initialises it twice; what came before is not lost."""
    if harness.MPI == "openmpi":
        raise harness.Skip("Open MPI ends the process without its destructors")
    check(tap, "twice", {"MPI_Iprobe": 3}, status=15)


def test_abort(tap):
    """Who calls MPI_Abort leaves a summary, or its part of one; the call itself is in it."""
    wanted = {"MPI_Allreduce": 3, "MPI_Barrier": 1, "MPI_Abort": 1}
    for ranks in (0, 2):
        name = "abort on %d ranks: " % max(ranks, 1)
        with harness.Directory() as directory:
            result = life.run(directory, [harness.program("endings"), "abort"], True, ranks=ranks)
            tap.equal(result.status, 7, name + "status")
            if ranks:
                parts = part_reader.parts(part_reader.directories(directory)[0])
                thread = [p for p in parts if p.rank == 0][0].threads[0]
                found = {call: thread.visits(call) for call in wanted}
            else:
                file = os.path.join(directory, "out.rank0.tsprof")
                found = {call: visits([file], call).get(0) for call in wanted}
            tap.equal(found, wanted, name + "all that it had done")


if __name__ == "__main__":
    harness.main()
