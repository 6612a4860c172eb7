#!/usr/bin/env python3
"""Pipelines of wavefronts that are filled again: planted ones, and grids that the archive tells."""

import os
import random

import archive_reader
import harness
import planted
import waits_command
import waits_oracle
from harness import Directory
from waits_trace import Trace


def test_planted(tap):
    """Found where the program plants them, in the grid that its messages form."""
    for case in planted.cases_of("waits_sweeps"):
        planted.check(tap, *case)


class Job:
    """Writes an archive: what the ranks do, on a clock of each, by OTF2's Python module."""

    def __init__(self, trace, ranks):
        definitions = trace.definitions
        node = definitions.system_tree_node("host")
        self.regions = {name: definitions.region(name, paradigm=archive_reader.otf2.Paradigm.MPI)
                        for name in ("MPI_Send", "MPI_Recv")}
        locations = [definitions.location("Master", group=definitions.location_group(
            "MPI Rank %d" % rank, system_tree_parent=node)) for rank in range(ranks)]
        self.writers = [trace.event_writer_from_location(location) for location in locations]
        mpi = archive_reader.otf2.Paradigm.MPI
        kinds = archive_reader.otf2.GroupType
        definitions.group("", group_type=kinds.COMM_LOCATIONS, paradigm=mpi, members=locations)
        self.comm = definitions.comm("MPI_COMM_WORLD", group=definitions.group(
            "", group_type=kinds.COMM_GROUP, paradigm=mpi, members=range(ranks)))
        self.clock = [1000] * ranks
        self.draw = random.Random(7)

    def spend(self, rank):
        self.clock[rank] += self.draw.randrange(1, 1000)

    def call(self, rank, name, until=0):
        self.writers[rank].enter(self.clock[rank], self.regions[name])
        self.clock[rank] = max(self.clock[rank], until) + self.draw.randrange(1, 20)

    def send(self, rank, to):
        begin = self.clock[rank]
        self.writers[rank].enter(begin, self.regions["MPI_Send"])
        self.writers[rank].mpi_send(begin, to, self.comm, 0, 8)
        self.clock[rank] += 10
        self.writers[rank].leave(self.clock[rank], self.regions["MPI_Send"])
        return begin

    def receive(self, rank, sender, sent):
        self.call(rank, "MPI_Recv", sent)
        self.writers[rank].mpi_recv(self.clock[rank], sender, self.comm, 0, 8)
        self.writers[rank].leave(self.clock[rank], self.regions["MPI_Recv"])


def sweep(job, grid, corner, blocks):
    """GRID: {place: rank}; CORNER: by axis, 1 if the wavefront comes from the upper side."""
    def beside(place, axis, step):
        return tuple(at + step * (axis == here) for here, at in enumerate(place))
    steps = [1 - 2 * upper for upper in corner]
    order = sorted(grid, key=lambda place: [step * at for step, at in zip(steps, place)])
    for _ in range(blocks):
        sent = {}
        for place in order:
            rank = grid[place]
            for axis, step in enumerate(steps):
                before = beside(place, axis, -step)
                if before in grid:
                    job.receive(rank, grid[before], sent[before, axis])
            job.spend(rank)
            for axis, step in enumerate(steps):
                after = beside(place, axis, step)
                if after in grid:
                    sent[place, axis] = job.send(rank, grid[after])


def define_grid(trace, comm, sizes, grid):
    """A Cartesian topology."""
    definitions = trace.definitions
    topology = definitions.cart_topology(
        "grid", communicator=comm,
        dimensions=tuple(definitions.cart_dimension("d%d" % axis, size=size)
                         for axis, size in enumerate(sizes)))
    for place, rank in grid.items():
        definitions.cart_coordinate(topology=topology, rank=rank, coordinates=place)


def write(path, sizes, corners, given):
    """Sweeps through a grid whose ranks are numbered at random."""
    import itertools
    import otf2.writer
    places = list(itertools.product(*map(range, sizes)))
    ranks = list(range(len(places)))
    random.Random(5).shuffle(ranks)
    grid = dict(zip(places, ranks))
    with otf2.writer.open(path, timer_resolution=1000000000) as trace:
        job = Job(trace, len(places))
        if given:
            define_grid(trace, job.comm, sizes, grid)
        long_axes = [axis for axis, size in enumerate(sizes) if size > 1]
        for corner in corners:
            sweep(job, grid, [corner[long_axes.index(axis)] if axis in long_axes else 0
                              for axis in range(len(sizes))], 2)


def check_archive(tap, sizes, corners, names, given=True):
    with Directory() as directory:
        path = os.path.join(directory, "grid.otf2")
        write(path, sizes, corners, given)
        found = waits_command.severities(path)
        oracle, _ = waits_oracle.severities(path)
    label = "%s places%s: " % (sizes, "" if given else ", untold")
    refills = {key: value for key, value in found.items() if key[0].startswith("wavefront_")}
    tap.equal(waits_command.by_call(refills, {key[0] for key in refills}),
              waits_command.by_call(oracle, {key[0] for key in oracle
                                             if key[0].startswith("wavefront_")}),
              label + "both implementations find the same")
    tap.equal(sorted({key[0] for key in refills} - {"wavefront_refill"}),
              sorted("wavefront_refill_" + name for name in names), label + "from all corners")


def test_told(tap):
    """Grids of the archive, whose ranks are numbered in no order."""
    if archive_reader.otf2 is None:
        raise harness.Skip("there is no OTF2 module for Python")
    plane, space = [(0, 0), (1, 0), (0, 1), (1, 1)], [(0, 0, 0), (1, 1, 0), (1, 0, 1)]
    check_archive(tap, (3, 4), plane, ("nw", "sw", "ne", "se"))
    check_archive(tap, (3, 1, 2), plane, ("nw", "sw", "ne", "se"))
    check_archive(tap, (2, 3, 3), space, ("nwu", "swd", "ned"))
    check_archive(tap, (3, 4), plane, (), given=False)
    check_archive(tap, (6,), [(0,), (1,)], ())


if __name__ == "__main__":
    harness.main()
