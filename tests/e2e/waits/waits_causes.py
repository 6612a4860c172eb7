"""Causes of wait states, and the critical path, told a second time; see waits_oracle.py.

`causes(PATH)` returns a Causes:

    delays    {(metric, call path, rank, thread, iteration): ns}: the waiting time that was charged
              to what a process did, of `delay_latesender`, `delay_latereceiver`, `delay_barrier`,
              `delay_n2n`, `delay_12n` and `delay_n21`; with `_longterm`, also what its own waits
              passed on
    kinds     {(metric, call path, rank, thread, iteration): ns}: all waiting, once as `wait_direct`
              and `wait_indirect`, once as `wait_propagating` and `wait_terminal`
    path      {(call path, rank, thread, iteration): ns}, the critical path
    imbalance {(call path, iteration): ns}
    impact    {(metric, call path, rank, thread, iteration): ns}: `critical_path_activities`,
              `non_critical_path_activities`, `critical_imbalance_impact` with its parts
              `intra_partition_imbalance` and `inter_partition_imbalance`
    length    of the critical path, which is the wall time

What was decided where the definitions leave room:

Waits
- A call has one, from its beginning: the longest.  Parts of other waits have no causes.

Delays
- The last point at which both synchronised, which both had left when the wait began: the latest
  * of all calls in which one of them waited for the other;
  * of messages of which one end begins within the call that completes the other end (for those
    that MPI_Mprobe finds, within that), unless that is one that never waits; and of epochs whose post lies within MPI_Win_start or
    MPI_Win_complete, or whose complete lies within MPI_Win_wait, though it may have waited longer
    for others;
  * of MPI_Init, and of collectives, operations on files, fences, and the creation and freeing of
    windows in which all of a communicator wait for all.
  Without any: the beginning of the archive.  It is when the first of both left, or of all.
- From then to the beginning of the waiting call, and on the other side to that of the call that was
  waited for: the exclusive time of each call path (waits taken out).  A path's excess is what the
  thread that was waited for spent in it beyond the one that waits; its first iterations have it.
- Its own waits for others that ended in that time take part with what of them lies in it.  Each of
  all these is charged in proportion, so that the charges add up to the wait.  What its waits are
  charged is passed on, to what they waited for, however far back, and is `_longterm` there, of the
  kind of that wait.
- What is charged to its own waits is indirect, the rest of the wait direct.  A wait that is charged
  anything is propagating, all of it.
- If there is neither excess nor wait, the call that was waited for is charged.
- So all `_longterm` add up to all waits.
- mpi_latebroadcast is 12n's, mpi_earlyreduce and mpi_earlyscan are n21's, waits for all, for
  neighbours and in files n2n's; all others (barriers, one-sided, MPI_Finalize) are barrier's.

Critical path
- From the last event of the archive backwards.  In a call that waits the path goes to the process
  waited for, at the time at which the wait ends.
- Before a location's first event it goes on where the archive begins: on the process with the first
  event of all; another thread's on its process's first thread.
- Where it comes to a process in the middle of a wait that ends later (times of different
  processes may not fit to the nanosecond), the time of that wait is the call's.
- Between functions (nothing is entered there) the path is `""`.
- Imbalance: of each call path and iteration, the path's time in it minus the mean over processes of
  the time in it without waits, if more than 0.

Performance impact, after Scalasca.  A call path in an iteration has G on the critical path, T on a
location without waits.
- Activities: the smaller of both, on the location; beyond the critical path: T - G, if more than 0.
- A location that waits W in all lacks G - T, if more than 0, of a call path.  W is charged to call
  paths in proportion to what it lacks (to G, if it lacks nothing), and lies where they are on the
  critical path, again in proportion.
- Between partitions: of W, what is beyond all that it lacks of call paths in which it spends some
  time, charged to those in which it spends none, in proportion to G.
"""

import bisect
import collections
import itertools

from waits_oracle import ALL_TO_ALL, BARRIERS, INITS, Oracle
import waits_rma
from waits_trace import Trace

DELAYS = {"mpi_latesender": "delay_latesender", "mpi_latereceiver": "delay_latereceiver",
          "mpi_barrier_wait": "delay_barrier", "mpi_wait_nxn": "delay_n2n",
          "mpi_wait_neighbors": "delay_n2n", "mpi_io_wait": "delay_n2n",
          "mpi_latebroadcast": "delay_12n", "mpi_earlyreduce": "delay_n21",
          "mpi_earlyscan": "delay_n21"}  # others: delay_barrier

# Parts of other waits.
PARTS = ("mpi_slow_slaves", "mpi_overloaded_master_send", "mpi_overloaded_master_recv",
         "mpi_latesender_wo", "mpi_lswo_same", "mpi_lswo_different", "mpi_rma_early_fence",
         "mpi_rma_late_complete")

class Profile:
    """Exclusive times of one location, without its waits."""

    def __init__(self, pieces, waits):
        self.pieces, self.begins = [], []
        self.waits = sorted(waits, key=lambda wait: wait.begin)
        self.wait_begins = [wait.begin for wait in self.waits]
        until = {wait.call.enter: wait.begin + wait.length for wait in self.waits}
        for begin, end, path, iteration in pieces:
            begin = min(until.get(begin, begin), end)
            if begin < end:
                self.pieces.append((begin, end, path, iteration))
                self.begins.append(begin)

    def between(self, first, last):
        times = collections.Counter()
        for begin, end, path, iteration in self.pieces[
                max(0, bisect.bisect_right(self.begins, first) - 1):]:
            if begin >= last:
                break
            spent = min(end, last) - max(begin, first)
            if spent > 0:
                times[path, iteration] += spent
        return times

    def waits_between(self, first, last, before):
        """Those that end there, and before BEFORE, with what of them lies there."""
        for wait in self.waits[:bisect.bisect_left(self.wait_begins, last)]:
            end = wait.begin + wait.length
            if first < end <= last and end < before:
                yield wait, end - max(wait.begin, first)


def whole_waits(waits):
    """One for each call: what it waits for longest, from its beginning."""
    longest = {}
    for wait in waits:
        begin = wait.call.enter
        whole = wait._replace(begin=begin, length=wait.begin + wait.length - begin)
        if wait.call not in longest or whole.length > longest[wait.call].length:
            longest[wait.call] = whole
    return list(longest.values())


class Causes:
    def __init__(self, oracle):
        self.trace = oracle.trace
        self.waits = whole_waits(wait for wait in oracle.waits if wait.metric not in PARTS)
        of_place = collections.defaultdict(list)
        for wait in self.waits:
            of_place[wait.call.place].append(wait)
        self.profiles = {place: Profile(self.trace.pieces[place], of_place[place])
                         for place in self.trace.places}
        self.everything = {place: Profile(self.trace.pieces[place], [])
                           for place in self.trace.places}
        self.find_sync_points()
        self.delays, self.kinds = collections.Counter(), collections.Counter()
        self.find_delays()
        self.path, self.length = collections.Counter(), 0
        self.find_critical_path()
        self.imbalance = self.find_imbalance()
        self.impact = collections.Counter()
        self.find_impact()

    # Where two threads have synchronised

    def find_sync_points(self):
        self.points = collections.defaultdict(list)  # by both places: (time, time, since when)
        self.gathered = set()                        # calls in which all wait for all
        for communicator, parts in self.trace.collectives():
            operation = str(next(iter(parts.values())).operation).rpartition(".")[2]
            neighbors = any(part.among_neighbors for part in parts.values())
            if operation in BARRIERS + ALL_TO_ALL + ("FILE",) and not neighbors:
                self.gather([part.done for part in parts.values()])
        inits = [call for calls in self.trace.calls.values() for call in calls
                 if call.name in INITS]
        if len(inits) == len(self.trace.ranks):
            self.gather(inits)
        self.gather_at_windows()
        for wait in self.waits:
            if wait.call not in self.gathered:
                self.met(wait.call, wait.peer_call)
        for message in self.trace.messages:
            self.met_within(message.taken, message.send)
            if message.send_done:
                self.met_within(message.send_done, message.post)

    def met(self, waiting, other):
        """WAITING has waited for OTHER, which may go on before or after it."""
        since = min(waiting.leave, other.leave)
        self.points[waiting.place, other.place].append((waiting.leave, since, since))
        self.points[other.place, waiting.place].append((since, waiting.leave, since))

    def met_within(self, waiting, other):
        if waiting.enter < other.enter < waiting.leave and not waiting.never_waits:
            self.met(waiting, other)

    def gather(self, calls):
        """All have gone on when the first did."""
        self.gathered.update(calls)
        first = min(call.leave for call in calls)
        for one, other in itertools.permutations(calls, 2):
            self.points[one.place, other.place].append((first, first, first))

    def gather_at_windows(self):
        by_window = collections.defaultdict(list)
        for sync in sorted(self.trace.syncs, key=lambda sync: sync.call.enter):
            by_window[sync.window].append(sync)
        for window, syncs in by_window.items():
            ranks = self.trace.members[self.trace.windows[window]] or []
            for kind in ("create", "free", "fence"):
                for calls in waits_rma.instances(syncs, ranks, kind):
                    if waits_rma.overlap(calls):
                        self.gather(list(calls.values()))
            accessing = waits_rma.epochs_of(syncs, "start", "complete")
            exposing = waits_rma.epochs_of(syncs, "post", "wait")
            waits_rma.pair(accessing, exposing)
            for epoch in accessing:
                for other in epoch.others.values():
                    self.met_within(epoch.first, other.first)
                    if epoch.last:
                        self.met_within(epoch.last, other.first)
                    if epoch.last and other.last:
                        self.met_within(other.last, epoch.last)

    def last_point(self, wait):
        """When the first had left the last synchronisation of the waiting and the other thread."""
        return max((since for mine, its, since
                    in self.points[wait.call.place, wait.peer_call.place]
                    if mine <= wait.begin and its <= wait.peer_call.enter), default=0)

    # Delays

    def find_delays(self):
        """From the latest wait to the first: what a wait is charged with is known when its turn
        comes, since it explains only waits that end later."""
        passed = collections.Counter()  # by the wait's identity
        for wait in sorted(self.waits, key=lambda wait: -(wait.begin + wait.length)):
            name = DELAYS.get(wait.metric, "delay_barrier")
            shares = self.shares(wait)
            total = sum(share for share, _, _ in shares)
            place = (wait.call.path, *wait.call.place, wait.call.iteration)
            self.kinds[("wait_propagating" if id(wait) in passed else "wait_terminal", *place)] += (
                wait.length)
            for share, cause, earlier in shares:
                self.kinds[("wait_indirect" if earlier else "wait_direct", *place)] += (
                    wait.length * share / total)
                if earlier:
                    passed[id(earlier)] += (wait.length + passed[id(wait)]) * share / total
                    continue
                self.delays[(name, *cause)] += wait.length * share / total
                self.delays[(name + "_longterm", *cause)] += (
                    wait.length + passed[id(wait)]) * share / total

    def shares(self, wait):
        """(ns, cause, wait) of what the other process did longer on a call path than the one that
        waits, in its first iterations there, and of its own waits."""
        since = self.last_point(wait)
        call = wait.peer_call
        other = self.profiles[call.place]
        times = other.between(since, call.enter)
        excess = collections.Counter()
        for (path, _), spent in times.items():
            excess[path] += spent
        for (path, _), spent in self.profiles[wait.call.place].between(since, wait.begin).items():
            excess[path] -= spent
        found = []
        for (path, iteration), spent in times.items():
            share = min(spent, max(0, excess[path]))
            excess[path] -= share
            if share > 0:
                found.append((share, (path, *call.place, iteration), None))
        found += [(ns, None, one) for one, ns in
                  other.waits_between(since, call.enter, wait.begin + wait.length)]
        return found or [(1, (call.path, *call.place, call.iteration), None)]

    # The critical path

    def find_critical_path(self):
        pieces = self.trace.pieces
        first = min(self.trace.places, key=lambda place: pieces[place][0][0])
        last = max(self.trace.places, key=lambda place: pieces[place][-1][1])
        begin, now = pieces[first][0][0], pieces[last][-1][1]
        self.length, place = now - begin, last
        while now > begin:
            profile = self.profiles[place]
            at = bisect.bisect_left(profile.wait_begins, now) - 1
            wait = profile.waits[at] if at >= 0 else None
            start = pieces[place][0][0]
            ends = wait.begin + wait.length if wait else start
            # A wait that ends later than now has been left by another way already.
            while wait and ends > now:
                at -= 1
                wait = profile.waits[at] if at >= 0 else None
                ends = wait.begin + wait.length if wait else start
            ends = max(ends, start)
            self.follow(place, min(ends, now), now)
            now = min(ends, now)
            if wait:
                place = wait.peer_call.place
            elif place[1] > 0:
                place = (place[0], 0)
            elif place != first:
                place = first
            else:
                break

    def follow(self, place, begin, end):
        for (path, iteration), spent in self.everything[place].between(begin, end).items():
            self.path[(path, *place, iteration)] += spent

    def find_imbalance(self):
        means, on_path = collections.Counter(), collections.Counter()
        for profile in self.profiles.values():
            for begin, end, path, iteration in profile.pieces:
                means[path, iteration] += (end - begin) / len(self.trace.ranks)
        for (path, _, _, iteration), spent in self.path.items():
            on_path[path, iteration] += spent
        return {key: spent - means[key] for key, spent in on_path.items() if spent > means[key]}

    # Performance impact

    def find_impact(self):
        on_path = collections.Counter()
        for (path, _, _, iteration), spent in self.path.items():
            on_path[path, iteration] += spent
        charged = {"critical_imbalance_impact": collections.Counter(),
                   "inter_partition_imbalance": collections.Counter()}
        for place, profile in self.profiles.items():
            times = profile.between(0, float("inf"))
            for key, spent in times.items():
                self.add_impact("critical_path_activities", key, place, min(spent, on_path[key]))
                self.add_impact("non_critical_path_activities", key, place, spent - on_path[key])
            waited = sum(wait.length for wait in profile.waits)
            lacking = {key: max(0, most - times[key]) for key, most in on_path.items()}
            foreign = {key: most for key, most in on_path.items() if times[key] == 0}
            beyond = waited - sum(lacking[key] for key in on_path if key not in foreign)
            share(charged["critical_imbalance_impact"], waited,
                  lacking if any(lacking.values()) else on_path)
            share(charged["inter_partition_imbalance"],
                  min(beyond, waited * ratio(foreign, lacking)), foreign)
        for metric, costs in charged.items():
            for (path, rank, thread, iteration), spent in self.path.items():
                self.add_impact(metric, (path, iteration), (rank, thread),
                                costs[path, iteration] * spent / on_path[path, iteration])
        for (metric, *key), value in list(self.impact.items()):
            if metric == "critical_imbalance_impact":
                self.impact[("intra_partition_imbalance", *key)] = (
                    value - self.impact[("inter_partition_imbalance", *key)])

    def add_impact(self, metric, key, place, value):
        if value > 0:
            self.impact[(metric, key[0], *place, key[1])] += value


def ratio(some, whole):
    return sum(some.values()) / (sum(whole.values()) or 1)


def share(sums, amount, weights):
    """Adds AMOUNT to SUMS, in proportion to WEIGHTS."""
    total = sum(weights.values())
    for key, weight in weights.items() if amount > 0 and total > 0 else ():
        sums[key] += amount * weight / total


def causes(path):
    return Causes(Oracle(Trace(path)))
