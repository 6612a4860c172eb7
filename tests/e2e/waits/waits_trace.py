"""What the second implementation of the wait states knows of an archive: calls, messages,
collectives and what was done with windows, all in memory.

`Trace(PATH)` reads it with OTF2's own Python module.  Times are nanoseconds of the archive.  A
place is (rank, thread).  Where the measurement was off between two chosen iterations, what lies
before and what lies after are different segments; nothing of one is matched with the other.
"""

import bisect
import collections

from archive_reader import number_of, otf2
from harness import Skip

UNDEFINED = 0xFFFFFFFF
THIS_GROUP, SELF = 0xFFFFFFFD, 0xFFFFFFFE  # of a collective's root in an intercommunicator

TESTS = ("MPI_Test", "MPI_Testall", "MPI_Testany", "MPI_Testsome")
# Calls that only start something; beside all the MPI_I... there are.
STARTS = ("MPI_Start", "MPI_Startall", "MPI_Pready", "MPI_Pready_range", "MPI_Pready_list")
NO_STARTS = ("MPI_Init", "MPI_Init_thread", "MPI_Intercomm_create", "MPI_Intercomm_merge")
PROBES = ("MPI_Mprobe", "MPI_Improbe")
# Readings of the clock are not ordered with what happens around them.
ROOM_NS = 500
MATCHED_RECEIVES = ("MPI_Mrecv", "MPI_Mrecv_c", "MPI_Imrecv", "MPI_Imrecv_c")


def beside(place, dimensions, ranks):
    """Who is next to PLACE along each dimension, around its end if that has a link."""
    for axis, dimension in enumerate(dimensions):
        for step in (-1, 1):
            at = place[axis] + step
            if dimension.cart_periodicity == otf2.CartPeriodicity.TRUE:
                at %= dimension.size
            other = (*place[:axis], at, *place[axis + 1:])
            if other in ranks:
                yield ranks[other]


class Call:
    """One call of an MPI function."""

    def __init__(self, place, name, path, iteration, enter, segment):
        self.place, self.name, self.path = place, name, path
        self.iteration, self.enter, self.leave = iteration, enter, None
        self.segment = segment
        self.sync = None  # what it does with a window

    @property
    def rank(self):
        return self.place[0]

    @property
    def never_waits(self):
        """It tests, or starts something that ends elsewhere."""
        is_start = (self.name.startswith(("MPI_I", "MPI_File_i")) and self.name not in NO_STARTS
                    or self.name in STARTS)
        return is_start or self.name in TESTS

    def cut(self, until):
        """How long the call waits for what happens at UNTIL."""
        return max(0, min(until, self.leave) - self.enter)

    def __repr__(self):
        return "%s of %s at %d" % (self.name, self.place, self.enter)


class Message:
    """A message with both ends: the calls that start and complete it on each side."""

    def __init__(self, sent, received):
        self.send, self.send_done = sent.start, sent.done
        self.post, self.done, self.probe = received.start, received.done, received.probe
        self.taken = self.probe or self.done  # no other receive gets it after that


class Half:
    """One side of a message."""

    def __init__(self, start, key, done, probe=None):
        self.start, self.key, self.done, self.probe = start, key, done, probe


class Part:
    """What one process has in a collective: the call that starts it and the one that completes it
    (the same if it blocks)."""

    def __init__(self, start, done, operation, root, among_neighbors=False):
        self.start, self.done, self.operation, self.root = start, done, operation, root
        self.among_neighbors = among_neighbors or "eighbor_" in start.name

    @property
    def blocks(self):
        return self.start is self.done


Access = collections.namedtuple("Access", "call window target")
# What a call does with a window: kind is fence, create, free, post, start, complete, wait, lock,
# unlock or flush; partners are ranks in MPI_COMM_WORLD, None means all.
Sync = collections.namedtuple("Sync", "call window kind partners exclusive")


class Reader:
    """Where the reader is in one location."""

    def __init__(self, place):
        self.place = place
        self.stack, self.iterations = [], []
        self.call, self.depth = None, None
        self.last, self.segment = None, 0
        self.sends, self.receives, self.collectives, self.files = {}, {}, {}, {}
        self.moving = {}
        self.neighborhoods = set()  # requests of operations among neighbours
        self.probes, self.dynamic = [], collections.Counter()
        self.counts = False  # the region just entered is an iteration without a number so far


class Trace:
    def __init__(self, path):
        if otf2 is None:
            raise Skip("there is no OTF2 module for Python")
        self.calls = collections.defaultdict(list)   # by place, in order
        # By place: (begin, end, call path, iteration); where nothing is entered the path is "".
        self.pieces = collections.defaultdict(list)
        self.passes = collections.defaultdict(list)  # by place: (begin, end, iteration)
        self.sent, self.received = [], []
        self.members = {}                            # communicator: ranks, or two lists of ranks
        self.parts = collections.defaultdict(lambda: collections.defaultdict(list))
        # Those in which an operation on a file begins that another call ends.
        self.begun = collections.defaultdict(lambda: collections.defaultdict(list))
        self.moved = collections.Counter()           # (way, call path, place): bytes of files
        self.windows = {}                            # window: its communicator
        self.grids = []                              # (sizes, {rank: place}) of each
        self.sources = {}                            # (communicator, rank): ranks received from
        self.told = {}                               # by place: the latest of these lists
        self.accesses, self.syncs = [], []
        self.readers = {}
        self.read(path + "/traces.otf2" if not path.endswith(".otf2/traces.otf2") else path)
        self.places = sorted(self.pieces)
        self.ranks = sorted({rank for rank, _ in self.places})
        self.lend_iterations()
        self.messages = self.match()

    # The events

    def read(self, path):
        with otf2.reader.open(path) as trace:
            for communicator in trace.definitions.comms:
                self.members[communicator._ref] = members_of(communicator)
            self.read_grids(trace.definitions)
            for window in trace.definitions.rma_wins:
                self.windows[window._ref] = window.comm._ref
            for location, event in trace.events:
                place = number_of(location)
                reader = self.readers.setdefault(place, Reader(place))
                take = getattr(self, "take_" + type(event).__name__, None)
                if take:
                    take(reader, event)
        for reader in self.readers.values():
            if reader.call:
                reader.call.leave = reader.last

    def read_grids(self, definitions):
        for topology in definitions.cart_topologies:
            members = self.members[topology.communicator._ref]
            places = {members[at.rank]: at.coordinates for at in definitions.cart_coordinates
                      if at.topology is topology}
            self.grids.append(([dimension.size for dimension in topology.dimensions], places))
            for rank, place in places.items():
                self.sources[topology.communicator._ref, rank] = list(
                    beside(place, topology.dimensions, {tuple(at): other
                                                        for other, at in places.items()}))

    def advance(self, reader, time):
        if reader.last is not None and time > reader.last:
            self.pieces[reader.place].append((reader.last, time, ";".join(reader.stack),
                                              iteration_of(reader)))
        reader.last = time

    def take_Enter(self, reader, event):
        self.advance(reader, event.time)
        reader.stack.append(event.region.name)
        reader.counts = event.region.region_flags == otf2.RegionFlag.DYNAMIC
        if reader.counts:
            number = reader.dynamic[event.region.name]
            reader.dynamic[event.region.name] += 1
            reader.iterations.append((len(reader.stack), (event.region.name, number), event.time))
        if event.region.paradigm == otf2.Paradigm.MPI and reader.call is None:
            reader.call = Call(reader.place, event.region.name, ";".join(reader.stack),
                               iteration_of(reader), event.time, reader.segment)
            reader.depth = len(reader.stack)
            self.calls[reader.place].append(reader.call)
            if event.region.name in PROBES:
                reader.probes.append(reader.call)

    def take_Leave(self, reader, event):
        self.advance(reader, event.time)
        if reader.call and len(reader.stack) == reader.depth:
            reader.call.leave = event.time
            reader.call = None
        reader.stack.pop()
        while reader.iterations and len(reader.stack) < reader.iterations[-1][0]:
            _, number, begin = reader.iterations.pop()
            if not reader.iterations:
                self.passes[reader.place].append((begin, event.time, number))

    def take_ParameterUnsignedInt(self, reader, event):
        if event.parameter.name == "iteration":
            self.number_iteration(reader, event)
        elif event.parameter.name == "TSPROF::SOURCES_OF":
            self.told[reader.place] = self.sources[event.value, reader.place[0]] = []
        elif event.parameter.name == "TSPROF::SOURCE":
            self.told[reader.place].append(event.value)
        elif event.parameter.name == "TSPROF::NEIGHBORHOOD":
            reader.neighborhoods.add(event.value)

    @staticmethod
    def number_iteration(reader, event):
        """An iteration has a number of its own, which is not how many there have been."""
        if reader.counts:
            reader.iterations.pop()
        reader.counts = False
        reader.iterations.append((len(reader.stack), (reader.stack[-1], event.value), event.time))

    def take_MeasurementOnOff(self, reader, event):
        reader.last = None
        reader.segment += event.measurement_mode == otf2.MeasurementMode.ON

    # Messages

    def key(self, reader, event, sender, receiver):
        """What messages must have in common to find each other; None if that is unknown."""
        communicator = event.communicator._ref if event.communicator else None
        if communicator not in self.members:
            return None
        ends = [self.world(reader.place[0], communicator, rank) if rank is not None
                else reader.place[0] for rank in (sender, receiver)]
        return (reader.segment, communicator, *ends, event.msg_tag)

    def world(self, rank, communicator, other):
        """OTHER as a process of RANK's communicator calls it, in MPI_COMM_WORLD."""
        ranks = self.remote(rank, communicator)
        return ranks[other] if other < len(ranks) else None

    def remote(self, rank, communicator):
        """Those whom RANK talks to: of an intercommunicator the other group."""
        members = self.members[communicator]
        if not members:
            return [rank]
        if isinstance(members, tuple):
            return members[rank in members[0]]
        return members

    def take_MpiSend(self, reader, event):
        self.sent.append(Half(reader.call, self.key(reader, event, None, event.receiver),
                              reader.call))

    def take_MpiIsend(self, reader, event):
        half = Half(reader.call, self.key(reader, event, None, event.receiver), None)
        reader.sends[event.request_id] = half
        self.sent.append(half)

    def take_MpiIsendComplete(self, reader, event):
        if event.request_id in reader.sends:
            reader.sends[event.request_id].done = reader.call

    def take_MpiRequestCancelled(self, reader, event):
        if event.request_id in reader.sends:
            self.sent.remove(reader.sends[event.request_id])

    def take_MpiIrecvRequest(self, reader, event):
        reader.receives[event.request_id] = (reader.call, self.claim_probe(reader))

    def take_MpiRecv(self, reader, event):
        self.received.append(Half(reader.call, self.key(reader, event, event.sender, None),
                                  reader.call, self.claim_probe(reader)))

    def take_MpiIrecv(self, reader, event):
        post, probe = reader.receives.get(event.request_id, (reader.call, None))
        self.received.append(Half(post, self.key(reader, event, event.sender, None), reader.call,
                                  probe))

    @staticmethod
    def claim_probe(reader):
        if reader.call.name in MATCHED_RECEIVES and reader.probes:
            return reader.probes.pop()
        return None

    def match(self):
        """First sent, first posted, among those with the same key."""
        queues = collections.defaultdict(list)
        for half in sorted(self.sent, key=lambda half: half.start.enter):
            queues[half.key].append(half)
        messages = []
        for half in sorted(self.received, key=lambda half: half.start.enter):
            if half.key is not None and queues[half.key]:
                messages.append(Message(queues[half.key].pop(0), half))
        return messages

    # Collectives

    def take_MpiCollectiveEnd(self, reader, event):
        self.add_part(event.communicator, Part(reader.call, reader.call, event.collective_op,
                                               event.root))

    def take_NonBlockingCollectiveRequest(self, reader, event):
        reader.collectives[event.request_id] = reader.call

    def take_NonBlockingCollectiveComplete(self, reader, event):
        start = reader.collectives.get(event.request_id)
        if start:
            self.add_part(event.communicator,
                          Part(start, reader.call, event.collective_op, event.root,
                               event.request_id in reader.neighborhoods))

    def take_IoOperationBegin(self, reader, event):
        if event.operation_flags.value & otf2.IoOperationFlag.COLLECTIVE.value:
            reader.files[event.matching_id] = reader.call
            if "_begin" in reader.call.name:
                self.add_part(event.handle.comm, Part(reader.call, reader.call, "FILE", None),
                              self.begun)
        reader.moving[event.matching_id] = (
            "written" if event.mode == otf2.IoOperationMode.WRITE else "read")

    def take_IoOperationComplete(self, reader, event):
        way = reader.moving.pop(event.matching_id, None)
        if way:
            self.moved[way, reader.call.path, reader.place] += event.bytes_result
        start = reader.files.pop(event.matching_id, None)
        if start:
            self.add_part(event.handle.comm, Part(start, reader.call, "FILE", None))

    def add_part(self, of, part, to=None):
        communicator = of._ref if of else None
        if communicator in self.members:
            to = self.parts if to is None else to
            to[communicator][part.start.rank].append(part)

    def everybody(self, communicator, rank):
        members = self.members[communicator]
        if not members:
            return [rank]
        return members[0] + members[1] if isinstance(members, tuple) else members

    def collectives(self):
        """(communicator, {rank: part}) of each collective that all processes have."""
        return self.of_all(self.parts) + [
            (communicator, parts) for communicator, parts in self.of_all(self.begun)
            if max(part.start.enter for part in parts.values())
            <= min(part.start.leave for part in parts.values()) + ROOM_NS]

    def of_all(self, all_parts):
        found = []
        for communicator, by_rank in sorted(all_parts.items()):
            for segment in sorted({part.start.segment for parts in by_rank.values()
                                   for part in parts}):
                lists = {rank: sorted((part for part in parts if part.start.segment == segment),
                                      key=lambda part: part.start.enter)
                         for rank, parts in by_rank.items()}
                found += self.instances(communicator, lists)
        return found

    def instances(self, communicator, lists):
        if not self.members[communicator]:
            return []
        ranks = self.everybody(communicator, None)
        if any(rank not in lists for rank in ranks):
            return []
        result = []
        for parts in zip(*(lists[rank] for rank in ranks)):
            if len({part.operation for part in parts}) == 1:
                result.append((communicator, dict(zip(ranks, parts))))
        return result

    # Windows

    def access(self, reader, event):
        comm = self.windows.get(event.win._ref) if event.win else None
        if comm is not None:
            target = self.world(reader.place[0], comm, event.remote)
            self.accesses.append(Access(reader.call, event.win._ref, target))

    take_RmaPut = take_RmaGet = take_RmaAtomic = access

    def sync(self, reader, event, kind, remote=UNDEFINED, exclusive=False):
        comm = self.windows.get(event.win._ref) if event.win else None
        if comm is None:
            return
        partner = None if remote == UNDEFINED else self.world(reader.place[0], comm, remote)
        # The partners of an epoch come one by one.
        if reader.call.sync and reader.call.sync.kind == kind and partner is not None:
            reader.call.sync.partners.append(partner)
            return
        reader.call.sync = Sync(reader.call, event.win._ref, kind,
                                None if partner is None else [partner], exclusive)
        self.syncs.append(reader.call.sync)

    def take_RmaWinCreate(self, reader, event):
        self.sync(reader, event, "create")

    def take_RmaWinDestroy(self, reader, event):
        self.sync(reader, event, "free")

    def take_RmaCollectiveEnd(self, reader, event):
        self.sync(reader, event, "fence")

    def take_RmaSync(self, reader, event):
        kinds = {"MPI_Win_post": "post", "MPI_Win_start": "start", "MPI_Win_complete": "complete",
                 "MPI_Win_wait": "wait", "MPI_Win_test": "wait"}
        kind = kinds.get(reader.call.name, "flush")
        self.sync(reader, event, kind, event.remote)

    def take_RmaAcquireLock(self, reader, event):
        self.sync(reader, event, "lock", event.remote,
                  event.lock_type == otf2.LockType.EXCLUSIVE)

    def take_RmaReleaseLock(self, reader, event):
        self.sync(reader, event, "unlock", event.remote)

    def lend_iterations(self):
        """What a thread does outside of iterations of its own belongs to those of the first thread."""
        for rank, thread in self.places:
            if thread > 0:
                self.lend((rank, thread), self.passes[rank, 0])

    def lend(self, place, passes):
        begins = [begin for begin, _, _ in passes]

        def at(time):
            i = bisect.bisect_right(begins, time) - 1
            return passes[i][2] if i >= 0 and time < passes[i][1] else None
        for call in self.calls[place]:
            call.iteration = call.iteration or at(call.enter)
        self.pieces[place] = [(begin, end, path, iteration or at(begin))
                              for begin, end, path, iteration in self.pieces[place]]


def iteration_of(reader):
    """The outermost iteration: its phase and its number."""
    return reader.iterations[0][1] if reader.iterations else None


def members_of(communicator):
    def ranks(group):
        return [number_of(member)[0] for member in group.members]
    if isinstance(communicator, otf2.definitions.InterComm):
        return ranks(communicator.groupA), ranks(communicator.groupB)
    if communicator.group.group_type == otf2.GroupType.COMM_SELF:
        return None
    return ranks(communicator.group)
