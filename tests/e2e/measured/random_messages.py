#!/usr/bin/env python3
"""Storms of random messages arrive as they were sent, and the summary's totals are what each rank
sent and received: whatever the seed, the number of ranks, the rate of samples and the clusters."""

import collections
import os

import exercise
import harness
from harness import Directory, Failure

MESSAGES = frozenset(
    "bytes_sent bytes_rcvd comms_send comms_recv syncs_send syncs_recv".split())

# More ranks than processors wait busily for each other.
TIMEOUT_S = 120


def stated(directory, ranks):
    """{(rank, metric): value} in all."""
    totals = collections.Counter()
    for (rank, _, _, call, metric), value in harness.read_counts(directory, ranks).items():
        if call == "all":
            totals[rank, metric] += value
    return totals


def measured(summary):
    totals = collections.Counter()
    for row in harness.export(summary, "callpaths", "--total"):
        if row["metric"] in MESSAGES:
            totals[int(row["rank"]), row["metric"]] += harness.number(row["value"])
    return totals


def compare_totals(tap, label, directory, summary, ranks):
    wanted, got = stated(directory, ranks), measured(summary)
    tap.equal({key: got[key] for key in sorted(got) if got[key]},
              {key: wanted[key] for key in sorted(wanted)}, label + ": each rank's totals")
    for sent, received in (("bytes_sent", "bytes_rcvd"), ("comms_send", "comms_recv"),
                           ("syncs_send", "syncs_recv")):
        tap.equal(sum(got[rank, received] for rank in range(ranks)),
                  sum(got[rank, sent] for rank in range(ranks)),
                  "%s: %s are %s" % (label, received, sent))


def try_messages(tap, ranks, seed, settings=None, start=harness.run_ranks, program="random_messages",
              arguments=()):
    label = " ".join(["%s, %d ranks, seed %d" % (program, ranks, seed)]
                     + list((settings or {}).values()))
    with Directory() as directory:
        summary = os.path.join(directory, "out.tsprof")
        settings = dict({"TSPROF_VERBOSE": "1", "TSPROF_OUTPUT": summary}, **(settings or {}))
        command = [harness.program(program), "--seed", str(seed)] + list(arguments)
        counts = ["--counts", os.path.join(directory, "counts")]
        try:
            plain = harness.run_plain(command, ranks, cwd=directory, timeout=TIMEOUT_S)
            result = start(command + counts, ranks, settings=settings, cwd=directory,
                           timeout=TIMEOUT_S)
            tap.equal((plain.status, result.status), (0, 0), label + ": exit status")
            tap.ok(result.stdout == plain.stdout and plain.stdout, label + ": same checksum",
                   exercise.first_difference(plain.stdout.decode(), result.stdout.decode()))
            harness.check_run(result, summary)
            compare_totals(tap, label, directory, summary, ranks)
        except Failure as failure:
            tap.ok(False, label, failure)


def test_seeds(tap):
    for seed in (1, 2, 3, 4):
        try_messages(tap, 2, seed)


def test_four_ranks(tap):
    try_messages(tap, 4, 5)


def test_eight_ranks(tap):
    try_messages(tap, 8, 6, arguments=["--iterations", "4", "--size", "5000"])


def test_sampled_quickly_in_few_clusters(tap):
    try_messages(tap, 2, 7, {"TSPROF_RATE": "5000", "TSPROF_CLUSTERS": "3"})


def test_preloaded_into_mpirun_as_well(tap):
    try_messages(tap, 2, 8, start=harness.run_all)


def test_alone(tap):
    """One rank that sends to itself."""
    try_messages(tap, 1, 9)


if __name__ == "__main__":
    harness.main()
