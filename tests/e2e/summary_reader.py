"""An independent reader of summary files, written from doc/format.md alone.

Shares nothing with the tools but libzstd, so that a mistake in the writer that the reader in utils
makes up for is found here.  Integers throughout.  By hand: summary_reader.py FILE ... says what is wrong.
"""

import bisect
import collections
import math
import struct
import sys
import zlib

import zstd_library

MAGIC = b"TSPROF\r\n"
HEADER_BYTES = 64
ENTRY_BYTES = 48
NO_LOCATION = 0xFFFFFFFF
RATIO_MOST = 1000
COMPLETE, PARTIAL = 1, 2
KINDS = {1: "RUN", 2: "METRICS", 3: "MODULES", 4: "REGIONS", 5: "CALLTREE", 6: "SYSTEM",
         7: "PHASES", 8: "LOCATION", 9: "TOPOLOGIES", 10: "WAITS"}
VERSIONS = {"LOCATION": (3, 4, 5), "SYSTEM": (2,)}  # of others: 1

Section = collections.namedtuple(
    "Section", "kind version location encoding offset stored decoded crc entry")
Metric = collections.namedtuple("Metric", "name parent unit scale measured counter text")
Region = collections.namedtuple("Region", "name kind file line module offset group")
Node = collections.namedtuple("Node", "parent region line")
Host = collections.namedtuple("Host", "name facts")
Place = collections.namedtuple("Place", "rank thread host pid ending")
Phase = collections.namedtuple("Phase", "name region kept")
# Members are ranks in MPI_COMM_WORLD; neighbourhoods (member, sources, destinations), each a list
# of (member, weight or None).
Topology = collections.namedtuple("Topology", "name times kind members grid neighborhoods")
# Presence: by node, the least and the most iterations; None where it is not known.
Cluster = collections.namedtuple("Cluster",
                                 "size klass wall_ns profile spreads hidden presence")
Series = collections.namedtuple(
    "Series", "phase nested_in equivalence classes method asked maxima keeps largest squares "
    "clusters map")
Pair = collections.namedtuple("Pair", "location metric node cause count ns longest reasons")
LongWait = collections.namedtuple(
    "LongWait", "location metric node phase iteration begin ns cause cause_node cause_begin")
Location = collections.namedtuple(
    "Location", "place wall_ns start_ns notes whole outside series costs")


class Malformed(Exception):
    """The file is not as the format says; the text says where."""


class Cursor:
    """Reads the content of one section, to its very end."""

    def __init__(self, data, name):
        self.data = data
        self.at = 0
        self.name = name

    def fail(self, text):
        raise Malformed("%s at byte %d: %s" % (self.name, self.at, text))

    def varint(self):
        data, at = self.data, self.at
        end = len(data)
        # Nearly all are of one byte, and there may be millions of them.
        if at < end and data[at] < 0x80:
            self.at = at + 1
            return data[at]
        value = shift = 0
        while at < end and shift < 70:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                self.at = at
                if value >= 1 << 64:
                    self.fail("varint above 64 bits")
                return value
            shift += 7
        self.at = at
        self.fail("varint of more than 10 bytes" if shift == 70 else "ends inside a varint")

    def signed(self):
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def ref(self, limit):
        value = self.varint()
        if value > limit:
            self.fail("reference %d beyond %d" % (value - 1, limit))
        return value - 1 if value else None

    def index(self, limit):
        value = self.varint()
        if value >= limit:
            self.fail("index %d, of %d" % (value, limit))
        return value

    def double(self):
        if len(self.data) - self.at < 8:
            self.fail("ends inside a double")
        value = struct.unpack_from("<d", self.data, self.at)[0]
        self.at += 8
        return value

    def string(self):
        length = self.varint()
        if length > len(self.data) - self.at:
            self.fail("string of %d bytes beyond the end" % length)
        text = self.data[self.at : self.at + length]
        self.at += length
        try:
            return text.decode("utf-8")
        except UnicodeDecodeError:
            self.fail("string is not UTF-8")

    def list(self, read):
        return [read() for _ in range(self.varint())]

    def end(self):
        if self.at != len(self.data):
            self.fail("%d bytes too many" % (len(self.data) - self.at))


class Summary:
    """One file, decoded; raises Malformed."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        self.read_header()
        self.read_map()
        cursor = self.open("RUN")
        self.run = dict(cursor.list(lambda: (cursor.string(), cursor.string())))
        cursor.end()
        self.read_metrics()
        self.read_regions()
        self.read_tree()
        self.read_system()
        self.read_locations()
        self.read_topologies()
        self.read_waits()

    def read_header(self):
        if len(self.data) < HEADER_BYTES:
            raise Malformed("no room for a header")
        magic, version, self.state, size, _, self.entries = struct.unpack_from(
            "<8sIIQQI", self.data)
        if magic != MAGIC:
            raise Malformed("not a summary")
        if zlib.crc32(self.data[:60]) != struct.unpack_from("<I", self.data, 60)[0]:
            raise Malformed("header checksum")
        if version != 2:
            raise Malformed("version %d" % version)
        if self.data[36:60] != bytes(24):
            raise Malformed("header bytes 36 to 59 are not zero")
        if self.state not in (COMPLETE, PARTIAL):
            raise Malformed("state %d" % self.state)
        if size != len(self.data):
            raise Malformed("says %d bytes, has %d" % (size, len(self.data)))
        self.map_offset, self.map_bytes = HEADER_BYTES, self.entries * ENTRY_BYTES
        if self.map_offset + self.map_bytes > size:
            raise Malformed("%d entries in %d bytes" % (self.entries, size))

    def read_map(self):
        self.sections = []
        for at in range(self.map_offset, self.map_offset + self.map_bytes, ENTRY_BYTES):
            entry = self.data[at : at + ENTRY_BYTES]
            fields = struct.unpack("<IIIIQQQII", entry)
            if fields[8] != zlib.crc32(entry[:44]):
                raise Malformed("checksum of entry %d" % ((at - HEADER_BYTES) // ENTRY_BYTES))
            section = Section(*fields[:8], entry=at)
            stored = self.data[section.offset : section.offset + section.stored]
            if len(stored) != section.stored or zlib.crc32(stored) != section.crc:
                raise Malformed("checksum of section %d" % section.kind)
            self.sections.append(section)

    def content(self, section):
        """The decoded bytes of a section."""
        stored = self.data[section.offset : section.offset + section.stored]
        if section.encoding == 0 and section.stored == section.decoded:
            return stored
        if section.encoding != 1 or section.decoded > RATIO_MOST * section.stored:
            raise Malformed("section %d: encoding %d, %d bytes in %d" % (
                section.kind, section.encoding, section.decoded, section.stored))
        try:
            content = zstd_library.decode(stored, section.decoded)
        except zstd_library.Corrupt as error:
            raise Malformed("section %d: %s" % (section.kind, error))
        if len(content) != section.decoded:
            raise Malformed("section %d: %d bytes, not %d" % (section.kind, len(content),
                                                              section.decoded))
        return content

    def plain(self):
        """The same file with every section stored as it is."""
        at = HEADER_BYTES + ENTRY_BYTES * len(self.sections)
        entries, contents = b"", b""
        for section in self.sections:
            content = self.content(section)
            entry = struct.pack("<IIIIQQQI", section.kind, section.version, section.location, 0,
                                at + len(contents), len(content), len(content),
                                zlib.crc32(content))
            entries += entry + struct.pack("<I", zlib.crc32(entry))
            contents += content
        header = struct.pack("<8sIIQQI24x", MAGIC, 2, self.state, at + len(contents), 0,
                             len(self.sections))
        return header + struct.pack("<I", zlib.crc32(header)) + entries + contents

    def open(self, name, location=NO_LOCATION):
        found = [s for s in self.sections
                 if KINDS.get(s.kind) == name and s.location == location]
        if len(found) != 1:
            raise Malformed("%d sections %s of location %d" % (len(found), name, location))
        if found[0].version not in VERSIONS.get(name, (1,)):
            raise Malformed("section %s: version %d" % (name, found[0].version))
        if name == "LOCATION":
            self.location_version = found[0].version
        return Cursor(self.content(found[0]), name)

    def read_metrics(self):
        cursor = self.open("METRICS")
        self.metrics = []
        for i in range(cursor.varint()):
            name, parent, unit, scale = (cursor.string(), cursor.ref(i), cursor.string(),
                                         cursor.varint())
            kind = cursor.index(3)
            self.metrics.append(Metric(name, parent, unit, scale, kind > 0, kind == 2,
                                       cursor.string()))
            if kind == 2 and parent is not None:
                cursor.fail("the counter %s has a parent" % name)
        cursor.end()

    def read_regions(self):
        cursor = self.open("MODULES")
        self.modules = cursor.list(lambda: (cursor.string(), cursor.string()))
        cursor.end()
        cursor = self.open("REGIONS")
        self.regions = cursor.list(lambda: Region(
            cursor.string(), cursor.index(4), cursor.string(), cursor.varint(),
            cursor.ref(len(self.modules)), cursor.varint(), cursor.string()))
        cursor.end()

    def read_tree(self):
        cursor = self.open("CALLTREE")
        self.nodes = []
        for i in range(cursor.varint()):
            self.nodes.append(
                Node(cursor.ref(i), cursor.index(len(self.regions)), cursor.varint()))
            if (self.nodes[i].parent is None) != (i == 0):
                cursor.fail("node %d: only node 0 is the root" % i)
        cursor.end()
        if not self.nodes or self.regions[self.nodes[0].region].name != "program":
            raise Malformed("node 0 is not `program`")

    def read_system(self):
        cursor = self.open("SYSTEM")
        self.hosts = cursor.list(lambda: Host(cursor.string(), self.read_pairs(cursor)))
        cursor.end()
        if len({(host.name, tuple(host.facts)) for host in self.hosts}) != len(self.hosts):
            raise Malformed("a host twice")
        cursor = self.open("PHASES")
        self.phases = cursor.list(lambda: Phase(
            cursor.string(), cursor.index(len(self.regions)), cursor.varint() == 1))
        cursor.end()

    def read_pairs(self, cursor):
        return cursor.list(lambda: (cursor.string(), cursor.string()))

    def read_locations(self):
        self.locations = []
        numbers = sorted(s.location for s in self.sections if KINDS.get(s.kind) == "LOCATION")
        if numbers != list(range(len(numbers))):
            raise Malformed("locations %r" % numbers)
        for number in numbers:
            cursor = self.open("LOCATION", number)
            self.locations.append(Location(
                self.read_place(cursor),
                cursor.varint(), cursor.varint(), cursor.list(cursor.string),
                self.read_profile(cursor), self.read_profile(cursor),
                cursor.list(lambda: self.read_series(cursor)),
                dict(cursor.list(lambda: (cursor.string(), cursor.varint())))))
            cursor.end()
        self.places = [location.place for location in self.locations]
        if any((a.rank, a.thread) >= (b.rank, b.thread)
               for a, b in zip(self.places, self.places[1:])):
            raise Malformed("locations are out of order")

    def read_place(self, cursor):
        return Place(cursor.varint(), cursor.varint(), cursor.ref(len(self.hosts)),
                     cursor.varint(), cursor.string())

    def read_waits(self):
        self.pairs, self.longest = [], []
        if not any(KINDS.get(section.kind) == "WAITS" for section in self.sections):
            return
        cursor = self.open("WAITS")
        self.pairs = cursor.list(lambda: self.read_pair(cursor))
        keys = [pair[:3] + (-1 if pair.cause is None else pair.cause,) for pair in self.pairs]
        known = [key for key in keys if key[3] >= 0]
        if known != sorted(set(known)):
            cursor.fail("pairs are not in order")
        self.longest = cursor.list(lambda: self.read_long_wait(cursor))
        cursor.end()

    def read_waiting(self, cursor):
        return (cursor.index(len(self.locations)), cursor.index(len(self.metrics)),
                cursor.index(len(self.nodes)))

    def read_pair(self, cursor):
        who = self.read_waiting(cursor)
        pair = Pair(*who, cursor.ref(len(self.locations)), cursor.varint(), cursor.varint(),
                    cursor.varint(), cursor.list(lambda: (cursor.index(len(self.nodes)),
                                                          cursor.index(2), cursor.varint())))
        if not 0 < pair.longest <= pair.ns <= pair.longest * pair.count:
            cursor.fail("%r does not add up" % (pair,))
        if sum(reason[2] for reason in pair.reasons) > pair.ns:
            cursor.fail("%r has too many reasons" % (pair,))
        return pair

    def read_long_wait(self, cursor):
        who = self.read_waiting(cursor)
        wait = LongWait(*who, cursor.ref(len(self.phases)), cursor.varint(), cursor.varint(),
                        cursor.varint(), cursor.ref(len(self.locations)),
                        cursor.index(len(self.nodes)), cursor.varint())
        if wait.ns == 0:
            cursor.fail("%r has no length" % (wait,))
        return wait

    def read_topologies(self):
        cursor = self.open("TOPOLOGIES")
        self.topologies = cursor.list(lambda: self.read_topology(cursor))
        self.topologies_left_out = cursor.varint()
        cursor.end()

    def read_topology(self, cursor):
        name, times, kind = cursor.string(), cursor.varint(), cursor.varint()
        if not times or kind not in (1, 2, 3):
            cursor.fail("%d topologies of kind %d" % (times, kind))
        members, grid, neighborhoods = [], [], []
        for _ in range(cursor.varint()):
            first, step, count = cursor.varint(), cursor.signed(), cursor.varint()
            if not count:
                cursor.fail("an empty run of members")
            members += [first + step * i for i in range(count)]
        if kind == 1:
            grid = cursor.list(lambda: (cursor.varint(), cursor.index(2) == 1))
            if math.prod(size for size, _ in grid) != len(members):
                cursor.fail("a grid %r of %d members" % (grid, len(members)))
        for _ in range(cursor.varint()):
            member, weighted, sources = cursor.index(len(members)), False, []
            if kind == 3:
                weighted = cursor.index(2) == 1
                sources = self.read_neighbors(cursor, len(members), weighted)
            neighborhoods.append((member, sources,
                                  self.read_neighbors(cursor, len(members), weighted)))
        return Topology(name, times, kind, members, grid, neighborhoods)

    def read_neighbors(self, cursor, members, weighted):
        return cursor.list(lambda: (cursor.index(members), cursor.varint() if weighted else None))

    def read_profile(self, cursor):
        cells = {}
        last = (0, -1)
        for _ in range(cursor.varint()):
            node = last[0] + cursor.varint()
            metric = cursor.index(len(self.metrics))
            value = cursor.signed()
            if node >= len(self.nodes):
                cursor.fail("node %d of %d" % (node, len(self.nodes)))
            if (node, metric) <= last:
                cursor.fail("cells are out of order")
            if value == 0:
                cursor.fail("a value of zero")
            if not self.metrics[metric].measured:
                cursor.fail("a value of the derived metric " + self.metrics[metric].name)
            cells[node, metric] = value
            last = (node, metric)
        return cells

    def read_series(self, cursor):
        phase = cursor.index(len(self.phases))
        nested_in = cursor.ref(len(self.phases))
        equivalence = cursor.index(7)
        if equivalence == 4:
            cursor.fail("equivalence 4")
        classes = cursor.varint()
        method = cursor.string()
        asked = cursor.varint()
        maxima = self.read_maxima(cursor)
        keeps = cursor.varint()
        old = keeps if self.location_version == 3 else 0
        if not method:
            cursor.fail("no clustering method")
        if old and asked:
            cursor.fail("sketches of a clustered series")
        if keeps > 1 and not old:
            cursor.fail("neither keeps every iteration nor does not")
        largest, squares = {}, {}
        if self.location_version > 3:
            self.read_largest(cursor, largest, squares)
        clusters = cursor.list(lambda: self.read_cluster(cursor, maxima, keeps > 0, old))
        if not old and keeps and any(cluster.size != 1 for cluster in clusters):
            cursor.fail("a cluster of several iterations where every one is kept")
        runs = self.read_runs(cursor, len(clusters))
        iterations = sum(length for length, _ in runs)
        if any(iteration >= iterations for _, iteration in largest.values()):
            cursor.fail("a largest value of an iteration that is not there")
        return Series(phase, nested_in, equivalence, classes, method, asked, maxima, keeps > 0,
                      largest, squares, clusters, runs)

    def read_runs(self, cursor, clusters):
        """Runs of iterations: length, and cluster, None, or CLUSTERS where it is not known."""
        return cursor.list(lambda: (cursor.varint(), cursor.ref(clusters + 1)))

    def read_largest(self, cursor, largest, squares):
        """Largest value and its iteration, and the sum of squares, by node and metric."""
        for _ in range(cursor.varint()):
            key = cursor.index(len(self.nodes)), cursor.index(len(self.metrics))
            if key in largest:
                cursor.fail("a second largest value of %r" % (key,))
            largest[key] = cursor.varint(), cursor.varint()
            if not 0 < largest[key][0] < 2**63:
                cursor.fail("a largest value of %d" % largest[key][0])
            if self.location_version > 4:
                squares[key] = cursor.double()
                if not 0 <= squares[key] < math.inf:
                    cursor.fail("squares of %r" % squares[key])

    def read_maxima(self, cursor):
        """Largest values by metric."""
        maxima, metric = {}, 0
        for i in range(cursor.varint()):
            step = cursor.varint()
            metric += step
            if metric >= len(self.metrics) or (i and not step):
                cursor.fail("maximum of metric %d, of %d" % (metric, len(self.metrics)))
            maxima[metric] = cursor.varint()
            if not maxima[metric]:
                cursor.fail("a maximum of zero")
        return maxima

    def read_cluster(self, cursor, maxima, keeps, sketch):
        size, klass, wall_ns = cursor.varint(), cursor.varint(), cursor.varint()
        profile = self.read_profile(cursor)
        spreads = {metric: cursor.double() if size > 1 else 0.0 for metric in maxima}
        if any(not 0 <= spread < math.inf for spread in spreads.values()):
            cursor.fail("a spread of %r" % spreads)
        presence = self.read_presence(cursor, size) if self.location_version > 4 else None
        for _ in range(sketch):
            cursor.signed()
        told = keeps or (size > 1 and self.location_version > 4)
        return Cluster(size, klass, wall_ns, profile, spreads, cursor.signed() if told else 0,
                       presence)

    def read_presence(self, cursor, size):
        """What is told of call paths that did not occur in every iteration."""
        told = cursor.varint() if size > 1 else 1
        if told == 0:
            return None
        presence, node = {}, 0
        for i in range(told - 1):
            step, least, more = cursor.varint(), cursor.varint(), cursor.varint()
            node += step
            if (i and not step) or node >= len(self.nodes):
                cursor.fail("presence of a call path that is not there or out of order")
            if not (0 < least and least + more <= size):
                cursor.fail("presence in %d to %d of %d" % (least, least + more, size))
            presence[node] = least, least + more
        return presence

    def condensed(self, cluster):
        """Inclusive sums over call paths by metric, without what does not count."""
        values = [cluster.hidden if metric.name == "visits" else 0 for metric in self.metrics]
        for (_, metric), value in cluster.profile.items():
            if self.metrics[metric].name not in ("overhead", "preempted", "samples",
                                                 "samples_failed"):
                values[metric] += value
        for metric in range(len(values) - 1, -1, -1):
            if self.metrics[metric].parent is not None:
                values[self.metrics[metric].parent] += values[metric]
        return values

    def callpath(self, node):
        names = []
        while node:
            names.append(self.regions[self.nodes[node].region].name)
            node = self.nodes[node].parent
        return ";".join(reversed(names)) or "program"

    def below(self, name):
        """The numbers of the measured metrics that are or are below the one of that name."""
        found = set()
        for i, metric in enumerate(self.metrics):
            if metric.name == name or metric.parent in found:
                found.add(i)
        return {i for i in found if self.metrics[i].measured}


def contents(path):
    """The decoded bytes of every section."""
    summary = Summary(path)
    return [summary.content(section) for section in summary.sections]


def add(total, profile):
    for cell, value in profile.items():
        total[cell] = total.get(cell, 0) + value


def problems(summary):
    """Everything that holds in every file and does not in this one, in words."""
    found = []
    times = summary.below("time")
    for number, location in enumerate(summary.locations):
        where = "location %d: " % number
        spent = sum(v for (_, m), v in location.whole.items() if m in times)
        # Those of a derived summary may be below zero.
        if spent != location.wall_ns and not (
                "derived" in summary.run and spent % 2**64 == location.wall_ns):
            found.append(where + "times add up to %d ns, wall time is %d ns"
                         % (spent, location.wall_ns))
        found += [where + text for text in counter_problems(summary, location)]
        total = dict(location.outside)
        for series in location.series:
            found += [where + text for text in series_problems(summary, series, times)]
            found += [where + text for text in error_problems(summary, series)]
            found += [where + text for text in largest_problems(summary, series)]
            if series.nested_in is None:
                for cluster in series.clusters:
                    add(total, cluster.profile)
        for cell in sorted(set(total) | set(location.whole)):
            # Sums that need more than 64 bits wrap around.
            if (total.get(cell, 0) - location.whole.get(cell, 0)) % 2**64:
                found.append(where + "%s, %s: whole run %d, outside and clusters %d" % (
                    summary.callpath(cell[0]), summary.metrics[cell[1]].name,
                    location.whole.get(cell, 0), total.get(cell, 0)))
    return found


def largest_means(series):
    """The largest mean in any cluster, by call path and metric, of those that have a largest value."""
    means = {}
    for cluster in series.clusters:
        for cell, value in cluster.profile.items():
            if cell in series.largest:
                means.setdefault(cell, []).append(value / cluster.size)
    return {cell: max(some) if len(some) == len(series.clusters) else max(0, *some)
            for cell, some in means.items()}


def largest_problems(summary, series):
    """Largest values of call paths that contradict the profiles: where every iteration is kept
    they are known, and no mean may be above them anywhere."""
    found = []
    means, ends, unknown = largest_means(series), [], False
    for length, cluster in series.map:
        ends.append((ends[-1] if ends else 0) + length)
        unknown = unknown or cluster in (None, len(series.clusters))
    for cell, (value, iteration) in series.largest.items():
        node, metric = cell
        where = "largest %s of %s" % (summary.metrics[metric].name, summary.callpath(node))
        mean = means.get(cell, 0)
        if series.clusters and mean > value * (1 + 1e-12):
            found.append("%s is %d, a mean is %r" % (where, value, mean))
        run = bisect.bisect_right(ends, iteration)
        cluster = series.map[run][1] if run < len(ends) else None
        if cluster is not None and cluster < len(series.clusters) and \
                series.clusters[cluster].profile.get(cell, 0) < value:
            found.append("%s is %d in iteration %d, the sum of whose cluster is %d"
                         % (where, value, iteration, series.clusters[cluster].profile.get(cell, 0)))
        if series.keeps and not unknown and mean != value:
            found.append("%s is %d, and %r by the iterations" % (where, value, mean))
    return found


def counter_problems(summary, location):
    """Counters whose call paths do not add up to what was counted."""
    found = []
    for number, metric in enumerate(summary.metrics):
        counted = location.costs.get("counter." + metric.name)
        if not metric.counter:
            continue
        total = sum(v for (_, m), v in location.whole.items() if m == number)
        if counted is None and total:
            found.append("%s is %d, though it was not counted" % (metric.name, total))
        elif counted is not None and (total - counted) % 2**64:
            found.append("%s adds up to %d, not to %d" % (metric.name, total, counted))
        elif counted is not None and "counter_overhead." + metric.name not in location.costs:
            found.append("nothing tells of %s in tsprof" % metric.name)
    return found


def series_problems(summary, series, times):
    found = []
    phase = summary.phases[series.phase]
    if not phase.kept:
        found.append("the phase of a series, %s, is not kept" % phase.name)
    mapped = collections.Counter()
    for length, cluster in series.map:
        if not length:
            found.append("an empty run in the map")
        mapped[cluster] += length
    missing = 0
    for i, cluster in enumerate(series.clusters):
        spent = sum(v for (_, m), v in cluster.profile.items() if m in times)
        if spent != cluster.wall_ns:
            found.append("cluster %d: times add up to %d ns, wall times to %d ns"
                         % (i, spent, cluster.wall_ns))
        missing += cluster.size - mapped[i]
        if cluster.size < mapped[i] or not cluster.size:
            found.append("cluster %d: size %d, in the map %d times"
                         % (i, cluster.size, mapped[i]))
        if cluster.klass >= max(series.classes, 1):
            found.append("cluster %d: class %d of %d" % (i, cluster.klass, series.classes))
    if missing > mapped[len(series.clusters)]:
        found.append("%d iterations in no known cluster, the map says %d"
                     % (missing, mapped[len(series.clusters)]))
    return found


def error_problems(summary, series):
    """Maxima and spreads that no iterations can have."""
    found = []
    for i, cluster in enumerate(series.clusters):
        for metric, total in enumerate(summary.condensed(cluster)):
            name, most = summary.metrics[metric].name, series.maxima.get(metric, 0)
            # Maxima are rounded to 53 bits.
            if abs(total) > most * cluster.size * (1 + 2**-50):
                found.append("cluster %d: %s is %d in the mean, at most %d"
                             % (i, name, total / cluster.size, most))
            # No value is further from the mean than the range is wide.
            if cluster.spreads.get(metric, 0) > cluster.size * (2.0 * most) ** 2:
                found.append("cluster %d: %s spreads by %g, its maximum is %d"
                             % (i, name, cluster.spreads[metric], most))
    return found


def iterations(series):
    return sum(length for length, _ in series.map)


if __name__ == "__main__":
    for path in sys.argv[1:]:
        print("\n".join("%s: %s" % (path, text) for text in problems(Summary(path)) or ["good"]))
