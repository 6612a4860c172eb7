#!/usr/bin/python3
"""Makes the trace of a run that never was, with python3-otf2: an archive as tsprof writes them.

    make_trace.py DIRECTORY [--ranks N] [--iterations 3,7-8] [--steps N] [--threads N]
                  [--flavour tsprof|scorep|plain] [--late N] [--name NAME]

In each step of an iteration ranks compute, one of them longer than the others, and then exchange
messages around a ring, in two sizes and with two tags; receives complete in the other order than
they were posted.  An iteration ends in MPI_Allreduce.  Between chosen iterations nothing is
recorded.  `--flavour scorep`: iterations are instances of a dynamic region, without numbers, and
the clock has another resolution; `plain`: there are no iterations.  `--late N`: the clocks of odd ranks are N ns behind.

The truth goes to standard output, as JSON: messages with their ends, calls by name, events.
"""

import argparse
import json
import os
import random

import otf2
from otf2 import (CollectiveOp, GroupType, LocationType, MeasurementMode, MetricType, Paradigm,
                  ParameterType, RegionFlag, RegionRole, Type)

LATENCY = 2000  # ns
NO_ROOT = 2**32 - 1


def ranges(text):
    numbers = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


class Rank:
    """One process: its clock and its writer."""

    def __init__(self, run, number, threads):
        self.run, self.number, self.now = run, number, 1000 * number
        defs = run.definitions
        group = defs.location_group("MPI Rank %d" % number, system_tree_parent=run.host)
        self.locations = [defs.location("thread %d" % i if i else "main thread",
                                        type=LocationType.CPU_THREAD, group=group)
                          for i in range(threads)]
        self.writers = [run.trace.event_writer_from_location(one) for one in self.locations]
        self.requests = 0

    @property
    def writer(self):
        return self.writers[0]

    def time(self, at=None):
        at = self.now if at is None else at
        shift = self.run.late if self.number % 2 else 0
        return (at - shift + 1000000) * self.run.ticks

    def enter(self, name):
        self.writer.enter(self.time(), self.run.regions[name])
        self.run.calls[name] = self.run.calls.get(name, 0) + 1

    def leave(self, name):
        self.writer.leave(self.time(), self.run.regions[name])

    def request(self):
        self.requests += 1
        return self.requests


class Run:
    def __init__(self, trace, options):
        self.trace, self.definitions = trace, trace.definitions
        self.late, self.ticks = options.late, 3 if options.flavour == "scorep" else 1
        self.flavour = options.flavour
        self.calls, self.messages, self.random = {}, [], random.Random(7)
        defs = self.definitions
        machine = defs.system_tree_node("machine", class_name="machine")
        self.host = defs.system_tree_node("node<1>", class_name="node", parent=machine)
        self.regions = self.make_regions()
        self.ranks = [Rank(self, i, options.threads) for i in range(options.ranks)]
        mains = [rank.locations[0] for rank in self.ranks]
        defs.group("", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI, members=mains)
        world = defs.group("", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.MPI,
                           members=mains)
        self.comm = defs.comm("MPI_COMM_WORLD", group=world)
        self.parameter = defs.parameter("iteration", parameter_type=ParameterType.UINT64)
        self.metric = defs.metric("instructions", metric_type=MetricType.OTHER,
                                  value_type=Type.UINT64, unit="#")
        path = None
        for name in ("main", "timestep", "solve"):
            path = defs.calling_context(self.regions[name], parent=path)
        self.context = path
        self.generator = defs.interrupt_generator("timer", period=1)

    def make_regions(self):
        dynamic = RegionFlag.DYNAMIC if self.flavour == "scorep" else RegionFlag.NONE
        rows = (("main", RegionRole.FUNCTION, Paradigm.NONE, RegionFlag.NONE),
                ("timestep", RegionRole.CODE, Paradigm.USER, dynamic),
                ("solve", RegionRole.FUNCTION, Paradigm.NONE, RegionFlag.NONE),
                ("exchange<\"a\">", RegionRole.FUNCTION, Paradigm.NONE, RegionFlag.NONE),
                ("work", RegionRole.FUNCTION, Paradigm.NONE, RegionFlag.NONE),
                ("MPI_Irecv", RegionRole.POINT2POINT, Paradigm.MPI, RegionFlag.NONE),
                ("MPI_Isend", RegionRole.POINT2POINT, Paradigm.MPI, RegionFlag.NONE),
                ("MPI_Send", RegionRole.POINT2POINT, Paradigm.MPI, RegionFlag.NONE),
                ("MPI_Waitall", RegionRole.POINT2POINT, Paradigm.MPI, RegionFlag.NONE),
                ("MPI_Allreduce", RegionRole.COLL_ALL2ALL, Paradigm.MPI, RegionFlag.NONE),
                # Nobody enters it.
                ("checkpoint", RegionRole.CODE, Paradigm.USER, dynamic))
        return {name: self.definitions.region(name, region_role=role, paradigm=paradigm,
                                              region_flags=flags, source_file="/src/app.c",
                                              begin_line_number=10 + i)
                for i, (name, role, paradigm, flags) in enumerate(rows)}

    def solve(self, iteration, step):
        slow = (iteration + step) % len(self.ranks)
        for rank in self.ranks:
            begin = rank.now
            rank.writer.metric(rank.time(), self.metric, 1000 * begin)
            rank.enter("solve")
            rank.now += int(20000 * (1 + 0.1 * self.random.random()))
            rank.now += 15000 if rank.number == slow else 0
            if rank.number % 2 == 0:
                rank.writer.calling_context_sample(rank.time((begin + rank.now) // 2),
                                                   self.context, 1, self.generator)
            rank.leave("solve")
            for i, writer in enumerate(rank.writers[1:]):
                writer.enter(rank.time(begin + 100 * i), self.regions["work"])
                writer.leave(rank.time(rank.now - 1000), self.regions["work"])

    def post(self, rank, tags):
        """Receives for the messages with TAGS; their requests."""
        requests = []
        for _ in tags:
            rank.enter("MPI_Irecv")
            requests.append(rank.request())
            rank.writer.mpi_irecv_request(rank.time(), requests[-1])
            rank.now += 300
            rank.leave("MPI_Irecv")
        return requests

    def send(self, rank, tag, size, blocking):
        """Returns when, and the request."""
        name, right = "MPI_Send" if blocking else "MPI_Isend", (rank.number + 1) % len(self.ranks)
        request = None
        rank.enter(name)
        at = rank.now
        if blocking:
            rank.writer.mpi_send(rank.time(), right, self.comm, tag, size)
        else:
            request = rank.request()
            rank.writer.mpi_isend(rank.time(), right, self.comm, tag, size, request)
        rank.now += 500
        rank.leave(name)
        return at, request

    def exchange(self, iteration, step):
        tags, sent, received = (1, 1, 2), {}, {}
        for rank in self.ranks:
            rank.enter("exchange<\"a\">")
            received[rank.number] = self.post(rank, tags)
            sent[rank.number] = [self.send(rank, tag, 100 * (i + 1) + step, i == 2)
                                 for i, tag in enumerate(tags)]
        for rank in self.ranks:
            left = (rank.number - 1) % len(self.ranks)
            rank.enter("MPI_Waitall")
            rank.now = max([rank.now] + [at + LATENCY for at, _ in sent[left]]) + 200
            # The other way round than they were posted.
            for i in reversed(range(len(tags))):
                rank.now += 10
                rank.writer.mpi_irecv(rank.time(), left, self.comm, tags[i], 100 * (i + 1) + step,
                                      received[rank.number][i])
                self.messages.append({"from": left, "to": rank.number, "tag": tags[i],
                                      "bytes": 100 * (i + 1) + step, "iteration": iteration,
                                      "sent_ns": sent[left][i][0], "received_ns": rank.now})
            for _, request in sent[rank.number]:
                if request:
                    rank.writer.mpi_isend_complete(rank.time(), request)
            rank.leave("MPI_Waitall")
            rank.now += 50
            rank.leave("exchange<\"a\">")

    def reduce(self):
        for rank in self.ranks:
            rank.now += 100
            rank.enter("MPI_Allreduce")
            rank.writer.mpi_collective_begin(rank.time())
        last = max(rank.now for rank in self.ranks) + 3000
        for rank in self.ranks:
            rank.now = last + 20 * rank.number
            rank.writer.mpi_collective_end(rank.time(), CollectiveOp.ALLREDUCE, self.comm,
                                           NO_ROOT, 8, 8)
            rank.leave("MPI_Allreduce")

    def iterate(self, iteration, steps):
        for rank in self.ranks:
            rank.now += 500
            rank.enter("timestep")
            if self.flavour == "tsprof":
                rank.writer.parameter_unsigned_int(rank.time(), self.parameter, iteration)
        for step in range(steps):
            self.solve(iteration, step)
            self.exchange(iteration, step)
        self.reduce()
        for rank in self.ranks:
            rank.leave("timestep")

    def record(self, on):
        mode = MeasurementMode.ON if on else MeasurementMode.OFF
        for rank in self.ranks:
            for writer in rank.writers:
                writer.measurement_on_off(rank.time(), mode)

    def run(self, iterations, steps):
        for rank in self.ranks:
            rank.enter("main")
        before = None
        for iteration in iterations:
            if before is not None and iteration != before + 1:
                self.record(False)
                for rank in self.ranks:
                    rank.now += 1000000
                self.record(True)
            self.iterate(iteration, steps)
            before = iteration
        for rank in self.ranks:
            rank.now += 100
            rank.leave("main")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("directory")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--iterations", type=ranges, default=[3, 7, 8])
    parser.add_argument("--steps", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--flavour", choices=("tsprof", "scorep", "plain"), default="tsprof")
    parser.add_argument("--late", type=int, default=0)
    parser.add_argument("--name", default="traces")
    options = parser.parse_args()
    with otf2.writer.open(options.directory, archive_name=options.name,
                          timer_resolution=10**9 * (3 if options.flavour == "scorep" else 1)) \
            as trace:
        run = Run(trace, options)
        run.run(options.iterations, options.steps)
    print(json.dumps({"messages": run.messages, "calls": run.calls,
                      "begin_ns": 1000000,
                      "files": sorted(os.listdir(options.directory))}))


if __name__ == "__main__":
    main()
