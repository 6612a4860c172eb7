"""Reads OTF2 archives with OTF2's own Python module."""

import collections
import os
import shutil
import subprocess
import sys

from harness import Skip

try:
    import otf2
except ImportError:
    # Where Debian has it, which another Python does not look at.
    sys.path.append("/usr/lib/python3/dist-packages")
    try:
        import otf2
    except ImportError:
        otf2 = None

if otf2:
    # The module of OTF2 3.0 takes the fields of an intercommunicator for those of a communicator.
    fields = otf2.definitions.InterComm._fields
    if len(fields) > 5:
        otf2.definitions.InterComm._fields = (fields[0], *fields[4:7], fields[3])

Message = collections.namedtuple("Message", "comm sender receiver tag size time")

# Readings of the processor's clock are not ordered with what happens around them: the one after a
# receive may be some tens of nanoseconds older than what was received.
DISORDER_NS = 500

# Metrics of a summary that the events of an archive add up to.
METRICS = ("comms_send", "syncs_send", "bytes_sent", "comms_recv", "syncs_recv", "bytes_rcvd",
           "comms_coll", "syncs_coll", "bytes_coll_out", "bytes_coll_in", "comms_put", "bytes_put",
           "comms_get", "bytes_get", "comms_atomic", "io_reads", "io_writes", "bytes_io_read",
           "bytes_io_written")

# Functions that read or write a file of which all processes take part have one of these.
COLLECTIVE_IO = ("_all", "_ordered")


class Thread:
    """The events of one location, in their order, and what they add up to."""

    def __init__(self, rank, number):
        self.rank, self.number = rank, number
        self.calls = collections.Counter()      # (call path, iteration) of each MPI call
        self.functions = collections.Counter()  # the same of everything else
        self.own_ns = collections.Counter()     # of functions, without what is called in them
        self.sums = collections.Counter()       # (iteration, metric): values
        self.iterations = []                    # (phase, number, begin, end), as they end
        self.sent, self.received = [], []
        self.samples = self.events = 0
        self.files, self.opened = {}, set()     # operations under way; files
        self.counters = {}                      # the latest values
        self.problems = []
        self.stack, self.open = [], []
        self.last = self.since = 0
        self.is_on = True

    def add(self, metric, value):
        for _, number, _ in self.open:
            self.sums[number, metric] += value
        self.sums[None, metric] += value

    def iteration(self):
        """The number of the outermost iteration that is open."""
        return self.open[0][1] if self.open else None

    def spend(self, time):
        """The time until then is the innermost function's."""
        if self.stack:
            self.own_ns[self.stack[-1]] += time - self.since
        self.since = time

    def complain(self, text):
        if len(self.problems) < 5:
            self.problems.append("rank %d, thread %d: %s" % (self.rank, self.number, text))


def in_order(lists):
    """Messages of several lists in the order of time; those of one list stay in theirs."""
    return sorted((message for messages in lists for message in messages),
                  key=lambda message: message.time)


def number_of(location):
    """Rank and thread of a location: its number has both."""
    return location._ref & 0xFFFFFFFF, location._ref >> 32


# What stands for processes of other jobs, which communicators can have as members.
FOREIGN = "Another job's process"


def grids_of(definitions):
    """Cartesian topologies, sorted: (ranks of the members, ((size, periodic), ...), places)."""
    grids = []
    for topology in definitions.cart_topologies:
        places = {place.rank: tuple(place.coordinates)
                  for place in definitions.cart_coordinates if place.topology is topology}
        grids.append((tuple(number_of(member)[0] for member in topology.communicator.group.members),
                      tuple((dimension.size,
                             dimension.cart_periodicity == otf2.CartPeriodicity.TRUE)
                            for dimension in topology.dimensions),
                      tuple(places[rank] for rank in sorted(places))))
    return sorted(grids)


def complaints_of_otf2_print(path):
    """What OTF2's own command says besides what it prints of definitions and events; nothing if
    it is not installed."""
    found = []
    if not shutil.which("otf2-print"):
        return found
    for options in (["-G"], []):
        result = subprocess.run(["otf2-print", *options, os.path.join(path, "traces.otf2")],
                                stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                check=False)
        found += result.stderr.splitlines()
        if result.returncode:
            found.append("status %d" % result.returncode)
    return found


class Lives:
    """When communicators, or windows, are there, process by process.  Those without an event of their
    beginning were there before, or were made where nothing was recorded."""

    def __init__(self, what):
        self.what = what
        self.begun, self.ended, self.used = set(), set(), set()

    def begin(self, thread, one):
        key = thread.rank, one._ref
        if key in self.begun or key in self.used:
            thread.complain("%s %d is created, which was there" % (self.what, one._ref))
        self.begun.add(key)

    def use(self, thread, one):
        key = thread.rank, one._ref
        if key in self.ended:
            thread.complain("%s %d is used, which was freed" % (self.what, one._ref))
        self.used.add(key)

    def end(self, thread, one):
        self.use(thread, one)
        self.ended.add((thread.rank, one._ref))


class Archive:
    """What is in an archive; of its iterations those of PHASE only, if one is given."""

    def __init__(self, path, phase=None):
        if otf2 is None:
            raise Skip("there is no OTF2 module for Python")
        self.path, self.threads, self.phase = path, {}, phase
        self.comms, self.windows = Lives("communicator"), Lives("window")
        with otf2.reader.open(os.path.join(path, "traces.otf2")) as trace:
            self.ranks = sum(1 for group in trace.definitions.location_groups
                             if not group.name.startswith(FOREIGN))
            self.grids = grids_of(trace.definitions)
            self.phases = {region.name for region in trace.definitions.regions
                           if region.paradigm == otf2.Paradigm.USER}
            for location in trace.definitions.locations:
                if location.name.startswith(FOREIGN):
                    continue
                self.threads[number_of(location)] = Thread(*number_of(location))
            for location, event in trace.events:
                thread = self.threads[number_of(location)]
                take = getattr(self, "take_" + type(event).__name__, None)
                if event.time < thread.last:
                    thread.complain("times go back at %s" % type(event).__name__)
                thread.last = event.time
                thread.events += 1
                if take:
                    take(thread, event)
        for thread in self.threads.values():
            if thread.stack:
                thread.complain("still open: %s" % thread.stack)

    @property
    def problems(self):
        return [text for thread in self.threads.values() for text in thread.problems]

    def take_Enter(self, thread, event):
        if not thread.is_on:
            thread.complain("enters while the measurement is off")
        name = event.region.name
        thread.spend(event.time)
        thread.stack.append(name)
        if event.region.paradigm != otf2.Paradigm.MPI:
            thread.functions[";".join(thread.stack), thread.iteration()] += 1
        if event.region.paradigm == otf2.Paradigm.MPI:
            # Without that Scalasca does not take it for a call of MPI.
            if event.region.source_file != "MPI":
                thread.complain("%s is in %s" % (name, event.region.source_file))
            thread.calls[";".join(thread.stack), thread.iteration()] += 1

    def take_Leave(self, thread, event):
        thread.spend(event.time)
        name = thread.stack.pop() if thread.stack else None
        if name != event.region.name:
            thread.complain("leaves %s in %s" % (event.region.name, name))
        if thread.open and len(thread.stack) < thread.open[-1][0]:
            _, number, begin = thread.open.pop()
            thread.iterations.append((name, number, begin, event.time))

    def take_ParameterUnsignedInt(self, thread, event):
        if event.parameter.name == "iteration" and self.phase in (None, thread.stack[-1]):
            thread.open.append((len(thread.stack), event.value, event.time))

    def take_MeasurementOnOff(self, thread, event):
        thread.is_on = event.measurement_mode == otf2.MeasurementMode.ON
        if thread.stack:
            thread.complain("something is open where the measurement is switched")

    def take_CallingContextSample(self, thread, event):
        thread.samples += 1
        names, context = set(), event.calling_context
        while context:
            names.add(context.region.name)
            context = context.parent
        # Loops are not in calling contexts, nor are phases where the stack cannot be walked.
        if thread.stack and thread.stack[-1] not in names | self.phases:
            thread.complain("a sample in %s while %s is open" % (event.calling_context.region.name,
                                                                 thread.stack[-1]))

    def take_Metric(self, thread, event):
        thread.counters = {member.name: value
                           for member, value in zip(event.metric.members, event.values)}

    def send(self, thread, event):
        size = event.msg_length
        self.comms.use(thread, event.communicator)
        thread.add("comms_send" if size else "syncs_send", 1)
        thread.add("bytes_sent", size)
        thread.sent.append(Message(event.communicator._ref, self.in_comm(event, thread.rank),
                                   event.receiver, event.msg_tag, size, event.time))

    def receive(self, thread, event):
        size = event.msg_length
        thread.add("comms_recv" if size else "syncs_recv", 1)
        thread.add("bytes_rcvd", size)
        thread.received.append(Message(event.communicator._ref, event.sender,
                                       self.in_comm(event, thread.rank), event.msg_tag, size,
                                       event.time))

    @staticmethod
    def in_comm(event, rank):
        """A process's own rank in the communicator of a message."""
        if isinstance(event.communicator, otf2.definitions.InterComm):
            return None
        group = event.communicator.group
        members = list(group.members)
        for position, member in enumerate(members):
            if number_of(member)[0] == rank:
                return position
        return None

    take_MpiSend = take_MpiIsend = send
    take_MpiRecv = take_MpiIrecv = receive

    def collective(self, thread, event):
        barrier = event.collective_op == otf2.CollectiveOp.BARRIER
        # MPI lets go of a communicator when what was begun on it has ended, too.
        if isinstance(event, otf2.events.MpiCollectiveEnd):
            self.comms.use(thread, event.communicator)
        thread.add("syncs_coll" if barrier else "comms_coll", 1)
        thread.add("bytes_coll_out", event.size_sent)
        thread.add("bytes_coll_in", event.size_received)

    take_MpiCollectiveEnd = take_NonBlockingCollectiveComplete = collective

    def take_IoOperationBegin(self, thread, event):
        thread.files[event.matching_id] = event
        name = thread.stack[-1]
        collective = bool(event.operation_flags.value & otf2.IoOperationFlag.COLLECTIVE.value)
        if collective != any(word in name for word in COLLECTIVE_IO):
            thread.complain("%s is%s collective" % (name, "" if collective else " not"))

    def take_IoOperationComplete(self, thread, event):
        begin = thread.files.pop(event.matching_id, None)
        if not begin or begin.handle is not event.handle:
            thread.complain("a file operation completes that has not begun")
            return
        writes = begin.mode == otf2.IoOperationMode.WRITE
        thread.add("io_writes" if writes else "io_reads", 1)
        thread.add("bytes_io_written" if writes else "bytes_io_read", event.bytes_result)
        if event.handle not in thread.opened:
            thread.complain("a file is used that was not opened")

    def take_IoCreateHandle(self, thread, event):
        thread.opened.add(event.handle)

    def take_IoDestroyHandle(self, thread, event):
        if event.handle not in thread.opened:
            thread.complain("a file is closed that was not opened")
        thread.opened.discard(event.handle)

    def take_CommCreate(self, thread, event):
        self.comms.begin(thread, event.communicator)

    def take_CommDestroy(self, thread, event):
        self.comms.end(thread, event.communicator)

    def take_RmaWinCreate(self, thread, event):
        self.windows.begin(thread, event.win)

    def take_RmaWinDestroy(self, thread, event):
        self.windows.end(thread, event.win)

    def take_RmaPut(self, thread, event):
        self.windows.use(thread, event.win)
        thread.add("comms_put", 1)
        thread.add("bytes_put", event.bytes)

    def take_RmaGet(self, thread, event):
        self.windows.use(thread, event.win)
        thread.add("comms_get", 1)
        thread.add("bytes_get", event.bytes)

    def take_RmaAtomic(self, thread, event):
        self.windows.use(thread, event.win)
        thread.add("comms_atomic", 1)
        thread.add("bytes_put", event.bytes_sent)
        thread.add("bytes_get", event.bytes_received)

    def unmatched(self):
        """Messages of which one side is missing, first in first out; and those of other sizes."""
        waiting, problems = collections.defaultdict(list), []
        # Threads of a process may take turns.
        for sent in in_order(thread.sent for thread in self.threads.values()):
            waiting[sent[:4]].append(sent)
        for received in in_order(thread.received for thread in self.threads.values()):
            queue = waiting[received[:4]]
            if not queue:
                problems.append("received and not sent: %s" % (received,))
                continue
            sent = queue.pop(0)
            if sent.size != received.size or sent.time > received.time + DISORDER_NS:
                problems.append("%s was received as %s" % (sent, received))
        problems += ["sent and not received: %s" % (queue[0],)
                     for queue in waiting.values() if queue]
        return problems

    def chosen(self):
        """The iterations that are there, as they end, by rank: {rank: [(phase, number)]}."""
        return {rank: [entry[:2] for entry in thread.iterations]
                for (rank, number), thread in self.threads.items() if number == 0}
