#!/usr/bin/env python3
"""Requests: what they move is counted once, where the operation completes, whatever call completes
it and whatever becomes of the request; and sends where they start."""

import collections
import os
import re

import harness
from harness import Directory


def received(messages, size, empty=0):
    return {"comms_recv": messages, "bytes_rcvd": size, "syncs_recv": empty}


def sent(messages, size, empty=0):
    return {"comms_send": messages, "bytes_sent": size, "syncs_send": empty}


def collective(out, into, times=1):
    return {"comms_coll": times, "bytes_coll_out": out, "bytes_coll_in": into}


ONE_EACH = dict(sent(0, 0, 1), syncs_recv=1)

# What each function moves in each of its calls, apart from visits.  Calls that are not here move
# nothing.
MOVED = {
    "wait_one": {"Wait": received(1, 12)},
    "wait_ignoring": {"Wait": received(1, 16)},
    "wait_for_nothing": {"Wait": received(0, 0, 1)},
    "send_kinds": {"Sendrecv": ONE_EACH, "Isend": sent(1, 4), "Ibsend": sent(1, 8),
                   "Issend": sent(1, 12), "Irsend": sent(1, 16), "Waitall": received(4, 40)},
    "wait_any": {"Waitany": received(3, 24)},
    "wait_some": {"Waitsome": received(3, 24)},
    "wait_all": {"Waitall": received(4000, 24000)},
    "test_one": {"Test": received(1, 20), "Sendrecv": ONE_EACH},
    "test_any": {"Testany": received(3, 24)},
    "test_some": {"Testsome": received(3, 24)},
    "test_all": {"Testall": received(3, 24)},
    "get_status": {"Request_get_status": received(2, 52)},
    "persistent": {"Start": sent(3, 84), "Startall": sent(2, 56), "Wait": received(3, 84),
                   "Waitall": received(2, 56)},
    "persistent_kinds": {"Sendrecv": ONE_EACH, "Startall": sent(2, 12, 1),
                         "Waitall": received(2, 12, 1)},
    "freed": {"Isend": sent(1, 40), "Wait": received(1, 32)},
    "matched": {"Wait": received(1, 8), "Mrecv": received(1, 12)},
    "one_sided": {"Rput": {"comms_put": 1, "bytes_put": 16},
                  "Raccumulate": {"comms_atomic": 1, "bytes_put": 12},
                  "Rget": {"comms_get": 1, "bytes_get": 8}},
    "attribute": {"Issend": sent(8, 320), "Recv": received(8, 320)},
    "collectives_alone": {"Wait": dict(collective(28, 28, 2), syncs_coll=2)},
}

# Where there is another process, which can send too much; not with Open MPI.
IN_PAIRS = {"truncated_among_others": {"Waitall": received(2, 48), "Sendrecv": ONE_EACH}}

FROM_MPI_4 = {
    "send_and_receive": {"Isendrecv": sent(2, 28), "Isendrecv_replace": sent(1, 24),
                         "Wait": received(3, 48), "Waitall": received(1, 8)},
    "partitioned": {"Startall": sent(2, 160), "Waitall": received(2, 160)},
}

FILES = {"files": {"Wait": {"io_writes": 2, "bytes_io_written": 40},
                   "Waitall": {"io_reads": 2, "bytes_io_read": 60}}}

THREADS = {"wait_in_thread": {"Wait": received(1, 28)}}


def collectives(rank, ranks):
    """By the rules of doc/metrics.md: 12 bytes each, or 4 for every number of a rank from 1 on."""
    root = rank == 0
    own, lengths = 4 * (rank + 1), 4 * sum(range(1, ranks + 1))
    moved = {
        "ibarrier": {"syncs_coll": 1},
        "ibcast": collective(12 * ranks * root, 12),
        "igather": collective(12, 12 * ranks * root),
        "igatherv": collective(own, lengths * root),
        "iscatter": collective(12 * ranks * root, 12),
        "iscatterv": collective(lengths * root, own),
        "iallgather": collective(12 * ranks, 12 * ranks),
        "iallgatherv": collective(own * ranks, lengths),
        "ialltoall": collective(12 * ranks, 12 * ranks),
        "ireduce": collective(12, 12 * ranks * root),
        "iallreduce": collective(12 * ranks, 12 * ranks),
        "iallreduce_in_place": collective(12 * (ranks - 1), 12 * (ranks - 1)),
        "ireduce_scatter": collective(lengths, own * ranks),
        "ireduce_scatter_block": collective(12 * ranks, 12 * ranks),
        "iscan": collective(12 * (ranks - rank), 12 * (rank + 1)),
        "iexscan": collective(12 * (ranks - rank - 1), 12 * rank),
    }
    return {function: {"Wait": metrics} for function, metrics in moved.items()}


def persistent_collectives(ranks):
    all_bytes = 3 * 16 * ranks
    return {"persistent_collectives":
            {"Wait": dict(collective(all_bytes, all_bytes, 3), syncs_coll=3)}}


def expected(rank, ranks, names, with_threads):
    """What a rank moves, {(function, call, metric): value}."""
    moved = dict(MOVED, **FILES, **collectives(rank, ranks))
    if with_threads:
        moved.update(THREADS)
    if "truncated_among_others" in names:
        moved.update(IN_PAIRS)
    if "send_and_receive" in names:
        moved.update(FROM_MPI_4)
        moved.update(persistent_collectives(ranks))
    return {(function, "MPI_" + call, metric): value
            for function, calls in moved.items() for call, metrics in calls.items()
            for metric, value in metrics.items() if value}


def found(rows, rank):
    """The same as measured, and visits; sums over call paths that end alike."""
    counts = collections.Counter()
    for row in rows:
        suffix = harness.suffix_of(row["callpath"])
        if suffix and int(row["rank"]) == rank and row["metric"] in harness.COUNTED_METRICS:
            counts[suffix + (row["metric"],)] += harness.number(row["value"])
    return counts


# Helpers of all of them, what stands around, and what is RMA's own.
def is_apart(key):
    function, call, _ = key
    return function in ("send_ints", "main") or call.startswith("MPI_Win_")


def without_visits(counts):
    return {key: value for key, value in counts.items()
            if value and key[2] != "visits" and not is_apart(key)}


# Functions with one visit of everything they call, whose visits are worth a look.
VISITS = {("wait_ignoring", "MPI_Wait"): 2, ("wait_for_nothing", "MPI_Wait"): 3,
          ("wait_any", "MPI_Waitany"): 4, ("wait_all", "MPI_Waitall"): 2,
          ("persistent", "MPI_Wait"): 10, ("persistent", "MPI_Start"): 6,
          ("cancelled", "MPI_Wait"): 2, ("cancelled", "MPI_Cancel"): 2,
          ("generalized", "MPI_Wait"): 1, ("attribute", "MPI_Comm_dup"): 1,
          ("get_status", "MPI_Request_free"): 1}
VISITS_IN_PAIRS = {("truncated", "MPI_Wait"): 2, ("truncated", "MPI_Waitany"): 1}


def check_rank(tap, label, counts, rank, ranks, with_threads):
    names = {key[0] for key in counts}
    difference = harness.differences(without_visits(counts),
                                     expected(rank, ranks, names, with_threads))
    tap.ok(not difference, label + ": each call moves what it should", difference)
    visits = dict(VISITS)
    if rank ^ 1 < ranks:
        visits.update(VISITS_IN_PAIRS)
    wrong = ["%s;%s: %s, not %s" % (key + (counts[key + ("visits",)], wanted))
             for key, wanted in visits.items() if counts[key + ("visits",)] != wanted]
    tap.ok(not wrong, label + ": each call is counted", "\n".join(wrong))
    nested = {key[0] for key in counts} & {"query", "copy_attribute"}
    tap.ok(not nested, label + ": callbacks are part of the call that made them", nested)


def try_program(tap, ranks, funneled):
    label = "%d ranks%s" % (ranks, ", one thread" if funneled else "")
    with Directory() as directory:
        summary = os.path.join(directory, "out.tsprof")
        command = [harness.program("requests")] + ["--funneled"] * funneled
        command.append(os.path.join(directory, "file"))
        result = harness.run_ranks(command, ranks, settings={"TSPROF_OUTPUT": summary})
        harness.check_run(result, summary)
        rows = harness.export(summary, "callpaths", "--total")
        said = re.match(rb"send_ints: (\d+) \w+, (\d+) \w+ \w+, (\d+) bytes; threads (\d)",
                        result.stdout)
        messages, empty, size, with_threads = (int(number) for number in said.groups())
        total = collections.Counter()
        for rank in range(ranks):
            counts = found(rows, rank)
            check_rank(tap, "%s, rank %d" % (label, rank), counts, rank, ranks, with_threads)
            for key, value in counts.items():
                if key[:2] == ("send_ints", "MPI_Isend"):
                    total[key[2]] += value
        tap.equal({name: total[name] for name in ("comms_send", "syncs_send", "bytes_sent")},
                  sent(messages, size, empty), label + ": sends count where they start")


def try_storm(tap, ranks, seed):
    label = "storm of %d ranks, seed %d" % (ranks, seed)
    with Directory() as directory:
        _, summary = harness.profile(directory, "storm", ranks, ("--seed", str(seed)),
                                     {"TSPROF_CLUSTERS": "0"})
        stated = harness.read_counts(directory, ranks)
        inside = {key: value for key, value in stated.items() if key[1] >= 0}
        difference = harness.differences(
            harness.measured_counts(harness.export(summary, "callpaths")), inside)
        tap.ok(inside and not difference, label + ": each iteration", difference)
        difference = harness.differences(
            harness.measured_counts(harness.export(summary, "callpaths", "--total")),
            harness.total_of(stated))
        tap.ok(not difference, label + ": whole run", difference)


def test_storms(tap):
    for ranks, seed in ((1, 1), (2, 2), (4, 3), (4, 4)):
        try_storm(tap, ranks, seed)


def test_one_process(tap):
    try_program(tap, 1, False)


def test_two_processes(tap):
    try_program(tap, 2, False)


def test_odd_number_of_processes(tap):
    try_program(tap, 3, False)


def test_where_only_one_thread_calls(tap):
    try_program(tap, 1, True)
    try_program(tap, 2, True)


def test_the_program_is_as_without(tap):
    with Directory() as directory:
        command = [harness.program("requests"), os.path.join(directory, "file")]
        bare = harness.run_plain(command, 2)
        summary = os.path.join(directory, "out.tsprof")
        measured = harness.run_ranks(command, 2, settings={"TSPROF_OUTPUT": summary,
                                                           "TSPROF_VERBOSE": "0"})
        tap.equal(measured, bare, "output and status are those of the program alone")


def test_every_function_that_makes_a_request_has_a_rule(tap):
    """Without one, what was known of the handle's last request would be taken for the new one's."""
    with open(os.path.join(harness.TOP_SRCDIR, "libprof", "calls", "mpi_calls.def")) as file:
        rows = re.findall(r"^MPI_CALL\w*\(.*?(?=^MPI_CALL|^#|^/\*|\Z)", file.read(), re.M | re.S)
    making = [row for row in rows if re.search(r"MPI_Request \*request\b", row)
              and not row.startswith("MPI_CALL_BY_HAND")]
    without = [row for row in making
               if not re.search(r"\b(STARTS|PREPARES|AT_ONCE|EXCHANGES)\(request, ", row)
               and "MPI_Cancel" not in row]
    tap.ok(len(making) > 100 and not without, "%d functions" % len(making), "\n".join(without))


if __name__ == "__main__":
    harness.main()
