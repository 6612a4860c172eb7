#!/usr/bin/env python3
"""An archive that Score-P wrote is searched like one of tsprof's.

data/scorep.otf2.tar.xz is the trace by Score-P 8.4 of `waits_p2p late_sender` on two ranks of MPICH,
instrumented by its wrappers of MPI alone.  The program said then:
expect mpi_latesender rank 1 of 0 0.049439
"""

import json
import os
import tarfile

import harness
import waits_command
from archive_reader import otf2
from harness import HERE, Directory, Failure, Skip

ARCHIVE = os.path.join(HERE, "data", "scorep.otf2.tar.xz")
MEASURED_NS = 49439000

# The wrappers enter a call of MPI a little later than the program has looked at the clock.
TOLERANCE_NS = 5000000

CALLS = ("MPI_Init_thread", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Barrier", "MPI_Bcast",
         "MPI_Gather", "MPI_Finalize")


def unpack(directory):
    archive = os.path.join(directory, "archive")
    with tarfile.open(ARCHIVE) as packed:
        packed.extractall(archive)
    return archive


def enters(archive):
    """{(rank, function): when it is entered}, as OTF2's own reader tells."""
    if otf2 is None:
        raise Skip("there is no OTF2 module for Python")
    found = {}
    with otf2.reader.open(os.path.join(archive, "traces.otf2")) as trace:
        per_second = trace.definitions.clock_properties.timer_resolution
        for location, event in trace.events:
            if isinstance(event, otf2.events.Enter):
                rank = location._ref & 0xFFFFFFFF
                found[rank, event.region.name] = event.time * 1e9 / per_second
    return found


def test_waits(tap):
    with Directory() as directory:
        archive = unpack(directory)
        summary = waits_command.analyse(archive)
        found = waits_command.severities(archive, summary)
        pairs = [(row["metric"], row["callpath"], int(row["rank"]), int(row["cause_rank"]))
                 for row in waits_command.table(summary, "waits")]
        visits = sorted((row["callpath"], int(row["rank"]), harness.number(row["value"]))
                        for row in harness.export(summary, "callpaths", "--total",
                                                  "--metric", "visits"))
        times = enters(archive)
    wait = found["mpi_latesender", "MPI_Recv", 1, None, None]
    tap.ok(abs(wait - MEASURED_NS) < TOLERANCE_NS, "the receiver waits as long as was planted", wait)
    tap.ok(("mpi_latesender", "MPI_Recv", 1, 0) in pairs, "for the sender", pairs)
    tap.equal(visits, sorted([(name, rank, 1.0) for name in CALLS for rank in range(2)]
                             + [("MPI_Send", 0, 1.0), ("MPI_Recv", 1, 1.0)]), "all calls are there")
    exact = times[0, "MPI_Send"] - times[1, "MPI_Recv"]
    tap.ok(abs(wait - exact) < 1000, "to the microsecond that of the archive", (wait, exact))
    barrier = found["mpi_barrier_wait", "MPI_Barrier", 0, None, None]
    exact = times[1, "MPI_Barrier"] - times[0, "MPI_Barrier"]
    tap.ok(abs(barrier - exact) < 1000, "at the barrier, too", (barrier, exact))


def test_perfetto(tap):
    with Directory() as directory:
        written = os.path.join(directory, "trace.json")
        result = harness.tsprof("export", unpack(directory), "--format", "perfetto", "-o", written)
        if result.status != 0:
            raise Failure(result.stderr)
        with open(written, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
    slices = [(event["pid"], event["name"]) for event in events if event["ph"] in "BX"]
    tap.ok((0, "MPI_Send") in slices and (1, "MPI_Recv") in slices, "calls are slices", slices)
    tap.equal([event["ph"] for event in events].count("s"), 1, "the message is a flow")


if __name__ == "__main__":
    harness.main()
