"""An independent reader of part files, written from doc/parts.md alone.

Raises Malformed where a part is not as the page says.  What may happen at the end of a process
that was killed (a slot being overwritten, a log that ends early) is no error.
"""

import collections
import glob
import os
import struct
import zlib

import summary_reader
from summary_reader import Malformed

MAGIC = b"TSPART\r\n"
HEADER_BYTES = 128
RECORD_BYTES = 128
BATCH_MAGIC = 0x474F4C54

Module = collections.namedtuple("Module", "path build_id base low high")
Node = collections.namedtuple("Node", "parent kind what offset name site_module site")
Open = collections.namedtuple("Open", "phase iteration begin_ns")
Live = collections.namedtuple("Live", "since_ns caller call node seen_in seen_ns")
Snapshot = collections.namedtuple(
    "Snapshot", "sequence state saved_ns nodes phases open open_wall_ns open_profile location")


class Cursor(summary_reader.Cursor):
    """One that can skip."""

    def bytes(self, size):
        if size > len(self.data) - self.at:
            self.fail("%d bytes beyond the end" % size)
        self.at += size
        return self.data[self.at - size : self.at]


class Sections(summary_reader.Summary):
    """The readers of profiles and series, without a file."""

    location_version = max(summary_reader.VERSIONS["LOCATION"])

    def __init__(self, metrics, nodes, phases):
        self.metrics, self.nodes, self.phases = metrics, nodes, phases

    def read_runs(self, cursor, clusters):
        runs = []
        while True:
            left = cursor.varint()
            if not left:
                return runs
            places = cursor.list(lambda: cursor.ref(clusters + 1))
            pattern, phase = None, 0
            while left:
                head = cursor.varint()
                count, kind = head >> 2, head & 3
                if not 0 < count <= left:
                    cursor.fail("%d of %d iterations" % (count, left))
                if kind == 2:
                    pattern, phase = self.read_pattern(cursor), 0
                if kind == 0:
                    found = [(count, cursor.index(len(places)))]
                elif kind == 1:
                    found = self.read_packed(cursor, count)
                elif pattern is None:
                    cursor.fail("no pattern to continue")
                else:
                    found = [(1, pattern[(phase + i) % len(pattern)]) for i in range(count)]
                if pattern:
                    phase += count
                left -= count
                runs += [(length, places[place]) for length, place in found]

    @staticmethod
    def read_pattern(cursor):
        period = cursor.varint()
        if not 0 < period <= 128:
            cursor.fail("a pattern of %d" % period)
        return struct.unpack("<%dH" % period, cursor.bytes(2 * period))

    @staticmethod
    def read_packed(cursor, count):
        width, = cursor.bytes(1)
        bits = int.from_bytes(cursor.bytes((count * width + 7) // 8), "little")
        return [(1, bits >> i * width & (1 << width) - 1) for i in range(count)]


class Thread:
    """One record: what is live, the log, and the snapshot that counts."""

    def __init__(self, part, number, record):
        self.part, self.number = part, number
        _, self.os_id, since, caller, call, zero, node, seen_in, seen, log, zero_too = (
            struct.unpack_from("<IIQQIIIIQQQ", record))
        if zero or zero_too:
            raise Malformed("record %d: what should be zero is not" % number)
        self.live = Live(part.to_ns(since), caller, call - 1 if call else None,
                         node - 1 if node else None, seen_in, seen)
        if self.live.call is not None and self.live.call >= len(part.functions):
            raise Malformed("thread %d is in no MPI function" % number)
        self.modules, self.phases, self.nodes = {}, {}, []
        self.batches, self.topologies = 0, []
        self.read_log(log)
        self.snapshots = [self.read_slot(record[at : at + 32]) for at in (64, 96)]
        valid = [s for s in self.snapshots if s]
        self.snapshot = max(valid, key=lambda s: s.sequence) if valid else None

    def read_log(self, at):
        while at:
            header = self.part.bytes(at, 16)
            magic, size, crc, number = struct.unpack("<IIII", header)
            content = self.part.bytes(at + 16, size) if magic == BATCH_MAGIC else b""
            if magic != BATCH_MAGIC or number != self.batches or zlib.crc32(content) != crc:
                return
            self.batches += 1
            at = self.read_batch(content) or at + 16 + size

    def read_batch(self, content):
        cursor = Cursor(content, "log of thread %d" % self.number)
        while cursor.at < len(content):
            kind = cursor.varint()
            if kind == 1:
                number = cursor.varint()
                self.modules[number] = Module(cursor.string(), cursor.string(), cursor.varint(),
                                              cursor.varint(), cursor.varint())
            elif kind == 2:
                number = cursor.varint()
                self.phases[number] = (cursor.string(), cursor.index(2) == 1)
            elif kind == 3:
                if cursor.varint() != len(self.nodes):
                    cursor.fail("nodes are out of order")
                for _ in range(cursor.varint()):
                    self.nodes.append(self.read_node(cursor))
            elif kind == 4:
                size = cursor.varint()
                self.topologies = self.read_topologies(
                    Cursor(content[cursor.at : cursor.at + size], "topologies"))
                cursor.at += size
            elif kind == 5:
                after = cursor.varint()
                cursor.end()
                return after
            else:
                cursor.fail("a record of kind %d" % kind)
        return None

    def read_topologies(self, cursor):
        """Names, kinds and grids."""
        found = []
        for _ in range(cursor.varint()):
            shape = Cursor(cursor.bytes(cursor.varint()), "shape")
            cursor.varint()
            cursor.index(2)
            cursor.varint()
            name, knows, neighbours = cursor.string(), cursor.index(2), cursor.varint()
            if (neighbours > 0) != knows:
                cursor.fail("neighbours of %s" % name)
            cursor.bytes(neighbours)
            found.append((name, shape.varint()))
        self.topologies_left_out = cursor.varint()
        cursor.index(1)
        cursor.end()
        return found

    def read_node(self, cursor):
        parent, kind = cursor.ref(len(self.nodes)), cursor.index(5)
        if (parent is None) != (not self.nodes):
            cursor.fail("node %d is a root or not" % len(self.nodes))
        what, offset, name = None, 0, ""
        if kind in (0, 4):
            kind = 0
            what, offset, name = cursor.varint(), cursor.varint(), cursor.string()
            self.check_module(cursor, what)
        elif kind == 1:
            what = cursor.index(len(self.part.functions))
        elif kind == 2:
            what = cursor.varint()
            if what not in self.phases:
                cursor.fail("phase %d is not known" % what)
        else:
            name = cursor.string()
        site_module, site = cursor.varint(), cursor.varint()
        self.check_module(cursor, site_module)
        return Node(parent, kind, what, offset, name, site_module, site)

    def check_module(self, cursor, number):
        if number and number not in self.modules:
            cursor.fail("module %d is not known" % number)

    def read_slot(self, slot):
        offset, size, sequence, crc, zero, own = struct.unpack("<QQIIII", slot)
        if not size or zlib.crc32(slot[:28]) != own:
            return None
        content = self.part.bytes(offset, size)
        if zlib.crc32(content) != crc:
            return None
        if zero or not sequence:
            raise Malformed("slot of thread %d" % self.number)
        cursor = Cursor(content, "snapshot of thread %d" % self.number)
        state, saved_ns, nodes, phases = (cursor.index(2), cursor.varint(), cursor.varint(),
                                          cursor.varint())
        if nodes > len(self.nodes) or phases > len(self.phases):
            cursor.fail("needs %d nodes and %d phases, the log has %d and %d"
                        % (nodes, phases, len(self.nodes), len(self.phases)))
        sections = Sections(self.part.metrics, self.nodes[:nodes], range(phases))
        opened = cursor.list(lambda: Open(cursor.index(phases), cursor.varint(), cursor.varint()))
        open_wall_ns, open_profile = 0, {}
        if opened:
            open_wall_ns = cursor.varint()
            open_profile = sections.read_profile(cursor)
        location = summary_reader.Location(
            None, cursor.varint(), cursor.varint(), cursor.list(cursor.string),
            sections.read_profile(cursor), sections.read_profile(cursor),
            cursor.list(lambda: sections.read_series(cursor)),
            dict(cursor.list(lambda: (cursor.string(), cursor.varint()))))
        cursor.end()
        return Snapshot(sequence, state, saved_ns, nodes, phases, opened, open_wall_ns,
                        open_profile, location)

    def region(self, number):
        """MPI functions and phases by name, functions by the name of their module."""
        node = self.nodes[number]
        if node.kind == 1:
            return self.part.functions[node.what][0]
        if node.kind == 2:
            return self.phases[node.what][0]
        return node.name or os.path.basename(self.modules[node.what].path if node.what else "?")

    def path(self, number):
        names = []
        while number:
            names.append(self.region(number))
            number = self.nodes[number].parent
        return ";".join(reversed(names))

    def visits(self, call):
        """Of an MPI function, in the whole run and what is open."""
        metric = [m.name for m in self.part.metrics].index("visits")
        both = (self.snapshot.location.whole, self.snapshot.open_profile)
        return sum(value for profile in both for (node, m), value in profile.items()
                   if m == metric and self.region(node) == call)

    def iterations(self, phase):
        """Iterations that have ended, of a phase that is not nested."""
        return sum(summary_reader.iterations(series) for series in self.snapshot.location.series
                   if self.phases[series.phase][0] == phase and series.nested_in is None)

    def problems(self):
        """What must hold in a snapshot and does not."""
        snapshot = self.snapshot
        sections = Sections(self.part.metrics, self.nodes, [
            summary_reader.Phase(self.phases[n][0], 0, self.phases[n][1])
            for n in sorted(self.phases)])
        sections.regions = [
            summary_reader.Region(self.region(n), 0, "", 0, None, 0, "")
            for n in range(len(self.nodes))]
        sections.nodes = [summary_reader.Node(n.parent, i, 0) for i, n in enumerate(self.nodes)]
        sections.locations = [snapshot.location]
        found = summary_reader.problems(sections)
        times = sections.below("time")
        spent = sum(v for (_, m), v in snapshot.open_profile.items() if m in times)
        if spent != snapshot.open_wall_ns:
            found.append("open: times add up to %d ns, wall time is %d ns"
                         % (spent, snapshot.open_wall_ns))
        if snapshot.open and (snapshot.open[0].begin_ns + snapshot.open_wall_ns
                              != snapshot.saved_ns):
            found.append("open: begin and wall time do not lead to where it was saved")
        return found


class Empty(Malformed):
    """Its process ended while it made it: there is nothing in it."""


class Part:
    """One file, decoded; raises Malformed."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        header = self.bytes(0, HEADER_BYTES)
        (magic, version, self.location_version, self.rank, self.ranks, self.pid, self.flags,
         self.started, facts, facts_size, facts_crc, threads, records, self.first_ticks,
         self.multiplier, self.epoch_ns, self.monotonic_ns) = struct.unpack_from(
             "<8sIIIIIIQQQIIQQQQQ", header)
        if zlib.crc32(header[:124]) != struct.unpack_from("<I", header, 124)[0]:
            raise Empty("header checksum")
        if magic != MAGIC or version != 3:
            raise Malformed("not a part of version 3")
        self.host_identity, self.clock = struct.unpack_from("<QQ", header, 104)
        if header[120:124] != bytes(4):
            raise Malformed("header bytes 120 to 123 are not zero")
        self.ending, self.left_out = struct.unpack("<II", self.bytes(128, 8))
        if self.ending > 4:
            raise Malformed("ending %d" % self.ending)
        self.read_facts(facts, facts_size, facts_crc)
        self.threads = []
        for number in range(threads):
            record = self.bytes(records + number * RECORD_BYTES, RECORD_BYTES)
            if struct.unpack_from("<I", record)[0]:
                self.threads.append(Thread(self, number, record))

    def bytes(self, offset, size):
        """What lies beyond the end counts as zeros."""
        if size > 1 << 30:
            raise Malformed("%d bytes at once" % size)
        found = self.data[offset : offset + size]
        return found + bytes(size - len(found))

    def read_facts(self, offset, size, crc):
        content = self.bytes(offset, size)
        if zlib.crc32(content) != crc:
            raise Malformed("checksum of FACTS")
        cursor = Cursor(content, "FACTS")
        self.run = dict(cursor.list(lambda: (cursor.string(), cursor.string())))
        self.metrics = []
        for i in range(cursor.varint()):
            name, parent, unit, scale, kind, text = (
                cursor.string(), cursor.ref(i), cursor.string(), cursor.varint(),
                cursor.index(3), cursor.string())
            self.metrics.append(
                summary_reader.Metric(name, parent, unit, scale, kind > 0, kind == 2, text))
        self.host, self.key = cursor.string(), cursor.string()
        self.functions = cursor.list(lambda: (cursor.string(), cursor.string()))
        cursor.end()

    def to_ns(self, ticks):
        return (ticks - self.first_ticks) * self.multiplier >> 32 if ticks else 0


def directories(where):
    return sorted(glob.glob(os.path.join(where, "*.parts")))


def parts(directory):
    """All parts in a directory that anything is in, by rank."""
    found = []
    for path in glob.glob(os.path.join(directory, "*.part")):
        try:
            found.append(Part(path))
        except Empty:
            continue
    return sorted(found, key=lambda part: part.rank)
