"""The wait states of an archive, told a second time: from the definitions alone, slowly, with all
events in memory, to compare the command with.

`severities(PATH)` returns (values, who):

    values  {(metric, call path, rank, thread, iteration or None): ns, or a count}
    who     {(metric, rank that waits, rank that is waited for): ns}

A call path is the names of regions, entered and not left, joined by `;`, the MPI function last.
Values are inclusive: a wait in the wrong order is in `mpi_latesender`, in `mpi_latesender_wo` and
in one of `mpi_lswo_different` and `mpi_lswo_same`.  Refills are beside all that (waits_fronts.py).  The iteration is the outermost one, as
(phase, number); what a thread does that marks none belongs to those of its process's first thread.  `causes(PATH)` is in
waits_causes.py.

What was decided where the definitions leave room (E and L are when a process enters and leaves):

All
- A wait begins at E (but see late receivers).  What a call waits for is over no later than L.
- A process does not wait for itself; two threads of a process may wait for each other.
- A call that completes several operations (MPI_Sendrecv, Waitall) has one wait, the longest of all
  late senders, late receivers and non-blocking collectives.  So no time is told twice, and waits
  never add up to more than their call.
- Calls of the family of MPI_Test have none, nor have those that only start something (MPI_Isend),
  even if it is complete when they end.

Messages
- Those with the same communicator, sender, receiver and tag: the first sent is the first posted.
- MPI_Probe waits are none (nothing is received in it).  MPI_Mprobe's are: the message is that of
  the next MPI_Mrecv or MPI_Imrecv of the thread.
- Wrong order: another message, of any communicator, from any process to this one, whose send began
  earlier than that of the late one and which was completed in a call that ended later.  Several:
  the one completed first says whether it is `different` or `same`.  Only the message that the call
  waits for is looked at.
- Late receiver: E of the call that posts the receive lies inside the send (or the call that
  completes it).  Buffered sends (Bsend, Ibsend) never wait.  The size is not looked at: an eager
  send that a receive's beginning falls into waits its microseconds.

Collectives
- The n-th collective of a process on a communicator, by when it starts, blocking or not, belongs to
  the n-th of the others.  If operations differ or a process lacks it there is no instance.
- Those on MPI_COMM_SELF and of one process: none.
- Completion: own L − earliest L, but what the process has waited is none: where somebody leaves
  before the last has come (MPI_Alltoallv with counts of 0, two groups), wait and completion would
  be the same time told twice.  A non-blocking one has no completion time.
- A process that leaves before the last has come has waited all of the call, by the definition.
- Non-blocking: E of the others is that of the call that starts it.  The wait lies in the call that
  completes it.
- Sizes are not looked at: a process that sends nothing to the root is waited for as well.
- Intercommunicators: all to all and barriers wait for the latest of the other group, all to one and
  one to all as the root arguments say.  Completion: earliest L of both groups.
- Operations on files: all wait for all.  Where two calls make one (MPI_File_write_all_begin and
  its end), the end waits for the beginnings of the others, as that of a non-blocking one; the
  beginnings are an operation by themselves if there is a time at which all are in them.
- Neighbours: a process waits for the latest of those that it receives from, as two parameters of the
  archive say at the process's first operation on the communicator, or else a Cartesian topology.
  Where neither does it waits for nobody.  Its delays are those of n2n.
- mpi_earlyreduce: by the first of the others; who was waited for is that one.
- mpi_init_completion has nobody that was waited for; completion times neither.

One-sided
- Creating and freeing windows and fences synchronise if there is a time at which all are in the
  call; else nobody has waited.  The assertions of a fence are not in the archive.
- mpi_rma_early_fence: until the latest end of a call of another process, since the fence before,
  that accesses this one; at most mpi_rma_wait_at_fence.
- Late post: E of the latest of the posts that lie inside the call; of an access, its target's.
- Early wait: in MPI_Win_wait, not in MPI_Win_test.  Late complete: from the last end of an access
  of the process with the latest MPI_Win_complete in its epoch, to anybody; without any, from the
  end of its MPI_Win_start.
- Locks: calls under a lock (the lock, accesses, flushes, the unlock). Competition: E of the latest
  unlock by another that lies inside the call and whose lock could not be had together with this
  one; where that is so both ways, the one whose unlock begins first had it first; and who begins to
  ask for it while the other one is in its unlock did not hold that up. Progress: the target is
  outside MPI at E, and its next E (of any MPI function) lies inside the call. Of both, the longer.
- Pairs: a fence counts all processes of the window, itself too, at each of them; complete and wait
  count their groups.  Unneeded are those with whom nothing was moved either way since the fence
  before, or from the one that accesses to the one that exposes in the epoch.

What an archive of tsprof has no event for, so that there is no such wait state
- Partitioned messages: which partitions are ready.
- Creating communicators (MPI_Comm_dup, split): that they are collective.
- Fences: their assertions.  One-sided: when a transfer is done, and when a lock is really given.
- MPI_Probe: for which message it waited.  Requests that another thread completes: where they were
  posted (the receive is taken as posted in the call that completes it).
- omp_runtime and idle_threads: the OpenMP runtime and parallel regions.
"""

import collections
import sys

import harness  # (by which waits/ is found)
import waits_fronts
import waits_rma
from waits_trace import SELF, THIS_GROUP, Trace

# How collectives wait, by the name of OTF2's operation.
BARRIERS = ("BARRIER",)
ALL_TO_ALL = ("ALLREDUCE", "ALLGATHER", "ALLGATHERV", "ALLTOALL", "ALLTOALLV", "ALLTOALLW",
              "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK")
ONE_TO_ALL = ("BCAST", "SCATTER", "SCATTERV")
ALL_TO_ONE = ("REDUCE", "GATHER", "GATHERV")
SCANS = ("SCAN", "EXSCAN")

INITS = ("MPI_Init", "MPI_Init_thread")
BUFFERED = ("MPI_Bsend", "MPI_Ibsend", "MPI_Bsend_c", "MPI_Ibsend_c", "MPI_Bsend_init")

Wait = collections.namedtuple("Wait", "metric call begin length peer peer_call message")


def covered(stretches, begin, end):
    """How much of the time from BEGIN to END lies in STRETCHES, which are in order."""
    sum_ns = 0
    for first, last in stretches:
        first, last = max(first, begin), min(last, end)
        if first < last:
            sum_ns += last - first
            begin = last
    return sum_ns


class Oracle:
    """Finds all; `found` has (metric, call, ns) of each, `waits` those for somebody."""

    def __init__(self, trace, master=None):
        """MASTER: the rank that distributes work; None: it is found, if there is one."""
        self.trace, self.named_master = trace, master
        self.values, self.who = collections.Counter(), collections.Counter()
        self.waits, self.found = [], []
        self.late_senders = []  # candidates that were chosen, with their messages
        self.candidates = collections.defaultdict(list)  # by the call that waits
        self.received = collections.defaultdict(list)    # by rank: messages that are complete
        self.find_messages()
        self.find_collectives()
        self.choose()
        self.find_master()
        waits_fronts.find(trace, self.late_senders, self.add_refill)
        self.find_setup()
        waits_rma.find(trace, self.add)

    def add(self, metric, call, value, peer, peer_call):
        if value <= 0:
            return
        self.found.append((metric, call, value))
        self.values[(metric, call.path, *call.place, call.iteration)] += value
        if peer is not None:
            self.who[metric, call.rank, peer] += value
            self.waits.append(Wait(metric, call, call.enter, value, peer, peer_call, None))

    # Messages

    def offer(self, metric, call, length, peer_call, message=None):
        if length > 0 and not call.never_waits:
            self.candidates[call].append(
                Wait(metric, call, call.enter, length, peer_call.rank, peer_call, message))

    def find_messages(self):
        for message in self.trace.messages:
            self.received[message.done.rank].append(message)
            if message.send.place == message.post.place:
                continue
            for call in {message.done, message.probe} - {None}:
                self.offer("mpi_latesender", call, call.cut(message.send.enter), message.send,
                           message)
            blocked = message.send_done
            if (blocked and message.send.name not in BUFFERED
                    and blocked.enter < message.post.enter < blocked.leave):
                self.offer("mpi_latereceiver", blocked, message.post.enter - blocked.enter,
                           message.post)

    def choose(self):
        """The wait of each call that completes something: the longest."""
        for call, waits in self.candidates.items():
            wait = max(waits, key=lambda wait: wait.length)
            self.add(wait.metric, call, wait.length, wait.peer, wait.peer_call)
            if wait.metric == "mpi_latesender":
                self.late_senders.append(wait)
                self.wrong_order(wait)

    def wrong_order(self, wait):
        late = wait.message
        others = [other for other in self.received[wait.call.rank]
                  if other.send.enter < late.send.enter and other.taken is not late.taken
                  and other.taken.leave > late.taken.leave]
        if not others:
            return
        first = min(others, key=lambda other: other.taken.leave)
        kind = "same" if first.send.rank == late.send.rank else "different"
        for metric in ("mpi_latesender_wo", "mpi_lswo_" + kind):
            self.add(metric, wait.call, wait.length, wait.peer, wait.peer_call)

    # A master and its slaves

    def master(self):
        """The rank that is one end of 95 % of the messages between processes, or None."""
        if self.named_master is not None:
            return self.named_master
        sent, received = collections.Counter(), collections.Counter()
        for message in self.trace.messages:
            if message.send.rank != message.post.rank:
                sent[message.send.rank] += 1
                received[message.post.rank] += 1
        if set(sent) != set(received) or len(sent) < 4:
            return None
        ends = sent + received
        first = max(sorted(ends), key=ends.get)
        return first if 100 * ends[first] >= 95 * sum(sent.values()) else None

    def find_master(self):
        master = self.master()
        if master is None:
            return
        waits = [wait for wait in self.waits if wait.peer != wait.call.rank
                 and wait.metric in ("mpi_latesender", "mpi_latereceiver")]
        idle = sorted((wait.begin, wait.begin + wait.length) for wait in waits
                      if wait.call.rank == master and wait.metric == "mpi_latesender")
        left = collections.Counter()  # what of late senders is in the right order
        for (metric, path, rank, thread, iteration), value in self.values.items():
            sign = {"mpi_latesender": 1, "mpi_latesender_wo": -1}.get(metric, 0)
            left[path, rank, thread, iteration] += sign * value
        for wait in waits:
            late_sender = wait.metric == "mpi_latesender"
            length = wait.length
            if wait.call.rank == master and late_sender:
                metric = "mpi_slow_slaves"
            elif wait.peer == master:
                metric = "mpi_overloaded_master_" + ("send" if late_sender else "recv")
                length -= covered(idle, wait.begin, wait.begin + wait.length)
            else:
                continue
            place = (wait.call.path, *wait.call.place, wait.call.iteration)
            if late_sender:
                length = min(length, left[place])
                left[place] -= length
            self.add(metric, wait.call, length, wait.peer, wait.peer_call)

    def add_refill(self, metric, wait):
        self.values[(metric, wait.call.path, *wait.call.place, wait.call.iteration)] += wait.length

    # Collectives

    def find_collectives(self):
        for communicator, parts in self.trace.collectives():
            operation = str(next(iter(parts.values())).operation).rpartition(".")[2]
            if any(part.among_neighbors for part in parts.values()):
                self.neighbors(communicator, parts)
            elif operation in BARRIERS:
                self.all_to_all("mpi_barrier_wait", "mpi_barrier_completion", communicator, parts)
            elif operation in ALL_TO_ALL:
                self.all_to_all("mpi_wait_nxn", "mpi_nxn_completion", communicator, parts)
            elif operation in ONE_TO_ALL:
                self.one_to_all(communicator, parts)
            elif operation in ALL_TO_ONE:
                self.all_to_one(communicator, parts)
            elif operation in SCANS:
                self.scan(parts)
            elif operation == "FILE":
                self.file(communicator, parts)

    def wait_for(self, metric, part, other):
        """PART's process waits until OTHER's starts the operation."""
        if part is other:
            return
        length = part.done.cut(other.start.enter)
        if part.blocks:
            self.add(metric, part.done, length, other.start.rank, other.start)
        else:
            self.offer(metric, part.done, length, other.start)

    def partners(self, communicator, rank, parts):
        """Whom RANK waits for: all, or the other group."""
        members = self.trace.members[communicator]
        ranks = self.trace.remote(rank, communicator) if isinstance(members, tuple) else members
        return [parts[other] for other in ranks]

    def all_to_all(self, metric, completion, communicator, parts):
        first_out = min((part.done.leave for part in parts.values() if part.blocks), default=None)
        for rank, part in parts.items():
            latest = max(self.partners(communicator, rank, parts),
                         key=lambda other: other.start.enter)
            self.wait_for(metric, part, latest)
            if part.blocks:
                waited = 0 if latest is part else part.done.cut(latest.start.enter)
                begin = max(first_out, part.done.enter + waited)
                self.add(completion, part.done, part.done.leave - begin, None, None)

    def file(self, communicator, parts):
        for rank, part in parts.items():
            self.wait_for("mpi_io_wait", part, max(self.partners(communicator, rank, parts),
                                                   key=lambda other: other.start.enter))

    def root_of(self, communicator, parts):
        """The root's rank, and who takes part with it."""
        members = self.trace.members[communicator]
        if not isinstance(members, tuple):
            root = next(iter(parts.values())).root
            return members[root], [rank for rank in parts if rank != members[root]]
        root = next(rank for rank, part in parts.items() if part.root == SELF)
        return root, [rank for rank, part in parts.items() if part.root not in (SELF, THIS_GROUP)]

    def one_to_all(self, communicator, parts):
        root, others = self.root_of(communicator, parts)
        for rank in others:
            self.wait_for("mpi_latebroadcast", parts[rank], parts[root])

    def all_to_one(self, communicator, parts):
        root, others = self.root_of(communicator, parts)
        if others:
            first = min((parts[rank] for rank in others), key=lambda part: part.start.enter)
            self.wait_for("mpi_earlyreduce", parts[root], first)

    def scan(self, parts):
        ordered = list(parts.values())
        for position, part in enumerate(ordered[1:], 1):
            latest = max(ordered[:position], key=lambda other: other.start.enter)
            self.wait_for("mpi_earlyscan", part, latest)

    def neighbors(self, communicator, parts):
        for rank, part in parts.items():
            others = set(self.trace.sources.get((communicator, rank), ())) & set(parts) - {rank}
            if others:
                latest = max((parts[other] for other in sorted(others)),
                             key=lambda other: other.start.enter)
                self.wait_for("mpi_wait_neighbors", part, latest)

    # The beginning and the end

    def find_setup(self):
        named = collections.defaultdict(list)
        for calls in self.trace.calls.values():
            for call in calls:
                named["init" if call.name in INITS else call.name].append(call)
        for call in named["init"]:
            first = min(other.leave for other in named["init"])
            self.add("mpi_init_completion", call, call.leave - max(first, call.enter), None, None)
        for call in named["MPI_Finalize"]:
            latest = max(named["MPI_Finalize"], key=lambda other: other.enter)
            self.add("mpi_finalize_wait", call, call.cut(latest.enter), latest.rank, latest)


def analyse(path):
    return Oracle(Trace(path))


def severities(path):
    oracle = analyse(path)
    return dict(oracle.values), dict(oracle.who)


def main():
    values, who = severities(sys.argv[1])
    for (metric, path, rank, thread, iteration), value in sorted(values.items(), key=str):
        print("%s,%s,%d,%d,%s,%d" % (metric, path, rank, thread,
                                     "" if iteration is None else "%s %d" % iteration, value))
    for (metric, rank, peer), value in sorted(who.items()):
        print("%s,%d waits for %d,%d" % (metric, rank, peer, value))


if __name__ == "__main__":
    main()
