"""A reader of CUBE 4 profiles (.cubex), to check what `tsprof export --format cubex` writes.

Python's standard library only, and nothing of the writer's.  It follows what CubeLib 4.8 does with a
file, be it sensible or not: how nodes are numbered in the members with the values, how metrics and
call paths are added up, and how clusters are replaced by iterations.
"""

import collections
import itertools
import lzma
import struct
import tarfile
import xml.etree.ElementTree as ElementTree

Metric = collections.namedtuple("Metric", "id name parent type dtype unit")
Region = collections.namedtuple("Region", "name mod begin end paradigm role")
Place = collections.namedtuple("Place", "id name rank process host")

FORMATS = {"DOUBLE": "d", "FLOAT": "d", "MINDOUBLE": "d", "MAXDOUBLE": "d", "UINT64": "Q",
           "INT64": "q"}
INTEGERS = ("UINT64", "INT64")


class Malformed(Exception):
    """CubeLib could not read the file as it is meant; the text says where."""


class Node:
    """A node of the call tree: of the file, or of the tree with iterations in it.

    `sources` says where its values are: by rank (None: by any), the node of the file and what they
    are to be divided by.  `made` ascends in the order in which nodes were made.
    """

    count = itertools.count()

    def __init__(self, region, line, mod, parent, number=None):
        self.region, self.line, self.mod, self.parent = region, line, mod, parent
        self.number = number
        self.made = next(Node.count)
        self.children = []
        self.sources = {}
        if parent is not None:
            parent.children.append(self)

    def is_like(self, other):
        """What CubeLib calls weakly equal."""
        return (self.mod, self.line, self.region[:4]) == (other.mod, other.line,
                                                         other.region[:4])


def walk(root):
    """Each node before those below it."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.children)


class Profile:
    """One file, checked; raises Malformed."""

    def __init__(self, path):
        self.members = collections.OrderedDict()
        opened = lzma.open(path) if path.endswith(".xz") else open(path, "rb")
        with opened as file, tarfile.open(fileobj=file, mode="r:") as archive:
            for member in archive:
                if member.size and member.size % 512 == 0:
                    raise Malformed("CubeLib does not find what follows %s" % member.name)
                self.members[member.name] = archive.extractfile(member).read()
        if "anchor.xml" not in self.members:
            raise Malformed("no anchor.xml")
        self.anchor = ElementTree.fromstring(self.members["anchor.xml"])
        self.attributes = {a.get("key"): a.get("value") for a in self.anchor.findall("attr")}
        self.read_metrics()
        self.read_places()
        self.read_tree()
        self.values = {metric.name: self.read_values(metric) for metric in self.metrics}
        self.check_members()

    # --- definitions ---

    def read_metrics(self):
        self.metrics = []
        waiting = [(element, None) for element in
                   reversed(self.anchor.find("metrics").findall("metric"))]
        while waiting:
            element, parent = waiting.pop()
            name = element.find("uniq_name").text
            self.metrics.append(Metric(int(element.get("id")), name, parent, element.get("type"),
                                       element.find("dtype").text, element.find("uom").text))
            waiting += [(child, name) for child in reversed(element.findall("metric"))]
        if sorted(m.id for m in self.metrics) != list(range(len(self.metrics))):
            raise Malformed("ids of metrics")
        if len({m.name for m in self.metrics}) != len(self.metrics):
            raise Malformed("two metrics of one name")

    def read_places(self):
        self.places = []
        ranks = []
        for host in self.anchor.iter("systemtreenode"):
            for group in host.findall("locationgroup"):
                rank = int(group.find("rank").text)
                ranks.append(rank)
                for location in group.findall("location"):
                    self.places.append(Place(int(location.get("Id")),
                                             location.find("name").text,
                                             int(location.find("rank").text), rank,
                                             host.find("name").text))
        if [p.id for p in self.places] != list(range(len(self.places))):
            raise Malformed("ids of locations are not 0, 1, 2 ... in their order")
        if len(set(ranks)) != len(ranks):
            raise Malformed("two processes of one rank")
        self.topologies = []
        for cart in self.anchor.iter("cart"):
            dimensions = [(d.get("name"), int(d.get("size")), d.get("periodic") == "true")
                          for d in cart.findall("dim")]
            coordinates = {}
            for coord in cart.findall("coord"):
                at = tuple(int(c) for c in coord.text.split())
                if len(at) != len(dimensions) or any(
                        not 0 <= c < d[1] for c, d in zip(at, dimensions)):
                    raise Malformed("coordinates %r" % (at,))
                coordinates[int(coord.get("locId"))] = at
            if int(cart.get("ndims")) != len(dimensions):
                raise Malformed("dimensions of " + cart.get("name"))
            self.topologies.append((cart.get("name"), dimensions, coordinates))

    def read_tree(self):
        program = self.anchor.find("program")
        regions = {}
        for element in program.findall("region"):
            if element.get("id") in regions:
                raise Malformed("two regions of one id")
            regions[element.get("id")] = Region(
                element.find("name").text or "", element.get("mod"), int(element.get("begin")),
                int(element.get("end")), element.find("paradigm").text,
                element.find("role").text)
        self.regions = list(regions.values())
        self.nodes = {}
        self.roots = []
        waiting = [(element, None) for element in reversed(program.findall("cnode"))]
        while waiting:
            element, parent = waiting.pop()
            number = int(element.get("id"))
            if number in self.nodes:
                raise Malformed("two nodes %d" % number)
            node = Node(regions[element.get("calleeId")], int(element.get("line", -1)),
                        element.get("mod", ""), parent, number)
            self.nodes[number] = node
            if parent is None:
                self.roots.append(node)
            waiting += [(child, node) for child in reversed(element.findall("cnode"))]

    # --- values ---

    def enumerate(self, metric):
        """The nodes in the order in which rows of METRIC are numbered."""
        order = []
        for root in self.roots:
            if metric.type == "INCLUSIVE":
                # Children side by side, then what is below the first, and so on.
                order.append(root)
                for node in walk(root):
                    order += node.children
            else:
                order += walk(root)
        return order

    def read_values(self, metric):
        """{(node, location): value} as stored, without zeros."""
        index = self.members.get("%d.index" % metric.id)
        data = self.members.get("%d.data" % metric.id)
        if index is None and data is None:
            return {}
        if index is None or data is None:
            raise Malformed("%s has one member only" % metric.name)
        if index[:11] != b"CUBEX.INDEX" or data[:10] != b"CUBEX.DATA":
            raise Malformed("markers of " + metric.name)
        order = "<" if index[11:15] == b"\1\0\0\0" else ">"
        one, version, kind, count = struct.unpack_from(order + "IHBI", index, 11)
        if (one, version, kind) != (1, 0, 1) or len(index) != 22 + 4 * count or not count:
            raise Malformed("index of " + metric.name)
        rows = struct.unpack_from("%s%dI" % (order, count), index, 22)
        if list(rows) != sorted(set(rows)):
            raise Malformed("index of %s is not ascending" % metric.name)
        width = len(self.places)
        if len(data) != 10 + 8 * count * width:
            raise Malformed("%s has %d bytes for %d rows" % (metric.name, len(data), count))
        nodes = self.enumerate(metric)
        if rows[-1] >= len(nodes):
            raise Malformed("rows of %s beyond the call tree" % metric.name)
        numbers = struct.unpack_from("%s%d%s" % (order, count * width, FORMATS[metric.dtype]),
                                     data, 10)
        return {(nodes[row].number, column): numbers[i * width + column]
                for i, row in enumerate(rows) for column in range(width)
                if numbers[i * width + column]}

    def check_members(self):
        known = {"anchor.xml"}
        for metric in self.metrics:
            known |= {"%d.data" % metric.id, "%d.index" % metric.id}
        if set(self.members) - known:
            raise Malformed("members %s" % sorted(set(self.members) - known))

    # --- clusters ---

    def expand(self):
        """The roots of the tree that CubeLib shows: with iterations, if there are clusters."""
        attributes = self.attributes
        if attributes.get("CLUSTERING") != "ON":
            return [copy_tree(root, None, {None: 1}) for root in self.roots]
        if not any(region.name == "instance=1" for region in self.regions):
            raise Malformed("no region instance=1")
        holder = self.nodes[int(attributes["CLUSTER ROOT CNODE ID"])]
        mapping = []
        for i in range(int(attributes["CLUSTER ITERATION COUNT"])):
            if "CLUSTER MAPPING %d" % i not in attributes:
                raise Malformed("iteration %d is not mapped" % i)
            mapping.append([int(n) for n in attributes["CLUSTER MAPPING %d" % i].split(",")])
        if any(len(row) != int(attributes["CLUSTER PROCESS NUM"]) for row in mapping):
            raise Malformed("a row of the mapping has the wrong length")
        places = {node.number for node in holder.children}
        if any(number not in places for row in mapping for number in row):
            raise Malformed("mapped to what is no cluster")
        sizes = collections.Counter((rank, number) for row in mapping
                                    for rank, number in enumerate(row))
        roots = []
        for root in self.roots:
            roots.append(copy_tree(root, None, {None: 1}, holder))
        shown = next(node for root in roots for node in walk(root)
                     if node.sources.get(None, (None,))[0] == holder.number)
        template = next(r for r in self.regions if r.name == "instance=1")
        for i, row in enumerate(mapping):
            iteration = Node(template._replace(name="iteration=%d" % i), template.begin, template.mod,
                             shown)
            for number in sorted(set(row)):
                cluster = self.nodes[number]
                norms = {rank: sizes[rank, number] for rank, n in enumerate(row) if n == number}
                add_sources(iteration, cluster, norms)
                merge_clusters(cluster, iteration, norms)
        self.check_room(roots)
        return roots

    def check_room(self, roots):
        """CubeLib has as many rows as nodes that it shows, and looks for them by the numbers of those
        that are stored; beyond the end it reads memory that is not its own."""
        shown = sum(1 for root in roots for _ in walk(root))
        if len(self.nodes) > shown:
            raise Malformed("%d nodes are stored and %d shown: CubeLib would crash"
                            % (len(self.nodes), shown))

    def value(self, metric, node, column):
        """The value of an expanded NODE alone, as CubeLib calculates it; with those of the metric's
        parts."""
        total = self.stored(metric, node, column)
        if metric.type == "INCLUSIVE":
            total -= sum(self.stored(metric, child, column) for child in node.children)
        return total

    def stored(self, metric, node, column):
        source = node.sources.get(self.places[column].process, node.sources.get(None))
        if source is None:
            return 0
        number, norm = source
        value = self.values[metric.name].get((number, column), 0)
        if norm == 1 or not value:
            return value
        if metric.dtype in INTEGERS:
            return int(value / norm) if value < 0 else value // norm
        return value / norm

    def own_values(self):
        """{(path, iteration or None, location, metric): value} of the expanded tree, without zeros.

        A path is a tuple of region names from the root's on.  The node of an iteration and one that
        only gathers iterations are left out of it; the last step of the path of an iteration's own
        values is that of the phase.  What has the same path is added up.
        """
        found = collections.defaultdict(int)
        for root in self.expand():
            waiting = [(root, (), None)]
            while waiting:
                node, path, iteration = waiting.pop()
                name = node.region.name
                if name.startswith("iteration=") and node.region.paradigm == "user":
                    iteration = int(name[len("iteration="):])
                elif node.region.role != "artificial" or node.region.paradigm != "user":
                    path += (name,)
                for column in range(len(self.places)):
                    for metric in self.metrics:
                        value = self.value(metric, node, column)
                        if value:
                            found[path, iteration, column, metric.name] += value
                waiting += [(child, path, iteration) for child in node.children]
        return found


def add_sources(node, source, norms):
    for rank, norm in norms.items():
        node.sources[rank] = (source.number, norm)


def copy_tree(source, parent, norms, stop=None):
    """A copy of SOURCE and what is below it, but not of what is below STOP."""
    top = None
    waiting = [(source, parent)]
    while waiting:
        original, above = waiting.pop()
        copy = Node(original.region, original.line, original.mod, above)
        add_sources(copy, original, norms)
        top = top or copy
        if original is not stop:
            waiting += [(child, copy) for child in reversed(original.children)]
    return top


def merge_clusters(source, target, norms):
    """Joins a cluster, SOURCE, whose values the ranks in NORMS have, with the iteration TARGET."""
    for child in source.children:
        same = [node for node in target.children if node.is_like(child)]
        for node in same:
            add_sources(node, child, norms)
            merge_below(child, node, norms)
        if not same:
            copy_tree(child, target, norms)


def merge_below(source, target, norms):
    """The same below those.  Here CubeLib puts the copy of what is missing below a node that it has
    just made for it, and both have its values."""
    waiting = [(iter(source.children), target)]
    while waiting:
        children, place = waiting[-1]
        child = next(children, None)
        if child is None:
            waiting.pop()
            continue
        same = next((node for node in place.children if node.is_like(child)), None)
        if same is None:
            added = Node(child.region, child.line, child.mod, place)
            add_sources(added, child, norms)
            copy_tree(child, added, norms)
        else:
            add_sources(same, child, norms)
            waiting.append((iter(child.children), same))
