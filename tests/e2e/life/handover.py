#!/usr/bin/env python3
"""Threads complete requests that others have started, under load, while handles are given out again:
each operation is counted once, by the call that completed it, with its bytes."""

import collections

import harness
from harness import Directory, Failure

# Threads that wait busily, more than there are processors.
TIMEOUT_S = 120


def wherever_collectives_count(counts):
    """Where collectives are complete from the start, as all are with one process, MPI gives them the
    same request, and they count in whatever call is the first to complete one of them."""
    merged = collections.Counter()
    for (rank, iteration, function, call, metric), value in counts.items():
        if "coll" in metric:
            function = call = "any"
        merged[rank, iteration, function, call, metric] += value
    return merged


def try_handover(tap, ranks, seed, settings=None, start=harness.run_ranks, arguments=()):
    label = " ".join(["%d ranks, seed %d" % (ranks, seed)] + list((settings or {}).values()))

    def run(command, *rest, **options):
        return start(command, *rest, timeout=TIMEOUT_S, **options)

    with Directory() as directory:
        try:
            result, summary = harness.profile(
                directory, "handover", ranks, ["--seed", str(seed)] + list(arguments), settings, run)
        except Failure as failure:
            tap.ok(False, label, failure)
            return
        plain = harness.run_plain([harness.program("handover"), "--seed", str(seed)]
                                  + list(arguments), ranks, timeout=TIMEOUT_S)
        tap.equal(result.stdout, plain.stdout, label + ": same checksum")
        stated = harness.total_of(harness.read_counts(directory, ranks))
        measured = harness.measured_counts(harness.export(summary, "callpaths", "--total"))
        if ranks == 1:
            stated, measured = wherever_collectives_count(stated), wherever_collectives_count(measured)
        difference = harness.differences(measured, stated)
        tap.ok(len(stated) > 40 * ranks and not difference,
               label + ": each call counts what it completed", difference or stated)


def test_alone(tap):
    try_handover(tap, 1, 1)


def test_two_ranks(tap):
    for seed in (2, 3, 4):
        try_handover(tap, 2, seed)


def test_four_ranks(tap):
    try_handover(tap, 4, 5, arguments=["--iterations", "400"])


def test_sampled_quickly(tap):
    try_handover(tap, 2, 6, {"TSPROF_RATE": "2000"})


if __name__ == "__main__":
    harness.main()
