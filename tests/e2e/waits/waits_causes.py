"""Causes of wait states, and the critical path, told a second time; see waits_oracle.py.

`causes(PATH)` returns a Causes:

    delays    {(metric, call path, rank, thread, iteration): ns}: the waiting time that was charged
              to what a process did, of `delay_latesender`, `delay_latereceiver`, `delay_barrier`,
              `delay_n2n` and `delay_12n`; with `_longterm`, also what its own waits passed on
    path      {(call path, rank, thread, iteration): ns}, the critical path
    imbalance {(call path, iteration): ns}
    impact    {(metric, call path, rank, thread, iteration): ns}: `critical_path_activities`,
              `non_critical_path_activities`, `critical_imbalance_impact` with its parts
              `intra_partition_imbalance` and `inter_partition_imbalance`
    length    of the critical path, which is the wall time

What was decided where the definitions leave room:

Delays
- The last point at which both synchronised: the latest of a message between them, either way, for
  which one of them had to wait, and of a collective, a fence, or the creation or freeing of a
  window or an epoch of post and start that both took part in, which both had left when the wait
  began.  A collective in which all wait for all synchronises all, another one those of whom one
  had to wait for the other (not two leaves of a broadcast).  Without any: the beginning of the
  archive.
  Of a message these are the call that waited and the one that it waited for, which starts to send
  or to receive.
- From when the first of both left it (of a collective in which all wait for all, the first of all)
  to the beginning of the waiting call, and on the other side to that of the call that
  was waited for: the exclusive time of each call path (waits taken out), iterations apart.  A path's
  excess is what the process that was waited for spent in it beyond the one that waits.
- Its own waits for others in that time take part with their length.  Each of all these is charged
  in proportion, so that the charges add up to the wait.  What its waits are charged is passed on,
  to what they waited for, however far back, and is `_longterm` there, of the kind of that wait.
- If there is neither excess nor wait, the call that was waited for is charged.
- So all `_longterm` and `passed_to_others` add up to all waits of the five kinds.
- mpi_latebroadcast and mpi_earlyscan are 12n's, mpi_wait_nxn is n2n's, mpi_barrier_wait barrier's.
  Waits of other kinds (reduce, one-sided, finalize) have no delay of their own, but take part in
  the other process's time as waits, and what is charged to them ends there (`passed_to_others`).

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

from waits_oracle import ALL_TO_ALL, ALL_TO_ONE, BARRIERS, ONE_TO_ALL, SCANS, Oracle
import waits_rma
from waits_trace import SELF, Trace

DELAYS = {"mpi_latesender": "delay_latesender", "mpi_latereceiver": "delay_latereceiver",
          "mpi_barrier_wait": "delay_barrier", "mpi_wait_nxn": "delay_n2n",
          "mpi_wait_neighbors": "delay_n2n", "mpi_io_wait": "delay_n2n",
          "mpi_latebroadcast": "delay_12n", "mpi_earlyscan": "delay_12n"}

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

    def waits_between(self, first, last):
        return self.waits[bisect.bisect_left(self.wait_begins, first):
                          bisect.bisect_left(self.wait_begins, last)]


class Causes:
    def __init__(self, oracle):
        self.trace = oracle.trace
        self.waits = [wait for wait in oracle.waits if wait.metric not in PARTS]
        of_place = collections.defaultdict(list)
        for wait in self.waits:
            of_place[wait.call.place].append(wait)
        self.profiles = {place: Profile(self.trace.pieces[place], of_place[place])
                         for place in self.trace.places}
        self.everything = {place: Profile(self.trace.pieces[place], [])
                           for place in self.trace.places}
        self.find_sync_points()
        self.delays, self.passed_to_others = collections.Counter(), 0
        self.find_delays()
        self.path, self.length = collections.Counter(), 0
        self.find_critical_path()
        self.imbalance = self.find_imbalance()
        self.impact = collections.Counter()
        self.find_impact()

    # Where two processes have synchronised

    def find_sync_points(self):
        self.points = collections.defaultdict(list)  # by pair of ranks, the lower first
        for message in self.trace.messages:
            if message.send_done and message.send.rank != message.done.rank and (
                    message.done.enter < message.send.enter < message.done.leave or
                    message.send_done.enter < message.post.enter < message.send_done.leave):
                self.met(*self.ends(message))
        for communicator, parts in self.trace.collectives():
            operation = str(next(iter(parts.values())).operation).rpartition(".")[2]
            self.met_in(communicator, operation, parts)
        self.met_at_windows()
        for points in self.points.values():
            points.sort()

    @staticmethod
    def ends(message):
        """The two calls of which one has waited for the other."""
        if message.done.enter < message.send.enter < message.done.leave:
            return message.send, message.done
        return message.send_done, message.post

    def met(self, one, other, since=None):
        if one.rank == other.rank:
            return
        one, other = sorted((one, other), key=lambda call: call.rank)
        since = min(one.leave, other.leave) if since is None else since
        self.points[one.rank, other.rank].append((max(one.leave, other.leave), one.leave,
                                                  other.leave, since))

    def met_in(self, communicator, operation, parts):
        calls = {rank: part.done for rank, part in parts.items()}
        pairs = itertools.combinations(sorted(parts), 2)
        if operation in BARRIERS + ALL_TO_ALL + ("FILE",):
            first = min(call.leave for call in calls.values())
            for one, other in pairs:
                self.met(calls[one], calls[other], first)
        elif operation in SCANS:
            for lower, higher in pairs:
                if parts[lower].start.enter > calls[higher].enter:
                    self.met(calls[lower], calls[higher])
        elif operation in ONE_TO_ALL + ALL_TO_ONE:
            members = self.trace.members[communicator]
            roots = [rank for rank, part in parts.items() if part.root == SELF]
            root = roots[0] if roots else members[next(iter(parts.values())).root]
            for rank, call in calls.items():
                first, second = (root, rank) if operation in ONE_TO_ALL else (rank, root)
                if rank != root and parts[first].start.enter > calls[second].enter:
                    self.met(calls[root], call)

    def met_at_windows(self):
        by_window = collections.defaultdict(list)
        for sync in sorted(self.trace.syncs, key=lambda sync: sync.call.enter):
            by_window[sync.window].append(sync)
        for window, syncs in by_window.items():
            ranks = self.trace.members[self.trace.windows[window]] or []
            for kind in ("create", "free", "fence"):
                for calls in waits_rma.instances(syncs, ranks, kind):
                    for one in calls.values():
                        for other in calls.values():
                            if one.rank < other.rank and waits_rma.overlap(calls):
                                self.met(one, other)
            accessing = waits_rma.epochs_of(syncs, "start", "complete")
            waits_rma.pair(accessing, waits_rma.epochs_of(syncs, "post", "wait"))
            for epoch in accessing:
                for other in epoch.others.values():
                    if epoch.last and other.last:
                        self.met(epoch.last, other.last)

    def last_point(self, wait):
        """When the first of the waiting and the other process had left their last synchronisation."""
        one, other = wait.call, wait.peer_call
        key = tuple(sorted((one.rank, other.rank)))
        for _, low, high, since in reversed(self.points[key]):
            mine, its = (low, high) if one.rank == key[0] else (high, low)
            if mine <= one.enter and its <= other.enter:
                return since
        return 0

    # Delays

    def find_delays(self):
        """From the latest wait to the first: what a wait is charged with is known when its turn
        comes, since it explains only waits that end later."""
        passed = collections.Counter()  # by the wait's identity
        for wait in sorted(self.waits, key=lambda wait: -(wait.begin + wait.length)):
            name = DELAYS.get(wait.metric)
            if name is None:
                self.passed_to_others += passed[id(wait)]
                continue
            shares = self.shares(wait)
            total = sum(share for share, _, _ in shares)
            for share, cause, earlier in shares:
                if earlier:
                    passed[id(earlier)] += (wait.length + passed[id(wait)]) * share / total
                    continue
                self.delays[(name, *cause)] += wait.length * share / total
                self.delays[(name + "_longterm", *cause)] += (
                    wait.length + passed[id(wait)]) * share / total

    def shares(self, wait):
        """(ns, cause, wait) of what the other process did longer than the one that waits, and of
        its own waits."""
        since = self.last_point(wait)
        call = wait.peer_call
        other = self.profiles[call.place]
        own = self.profiles[wait.call.place].between(since, wait.begin)
        found = [(spent - own[key], (key[0], *call.place, key[1]), None)
                 for key, spent in other.between(since, call.enter).items() if spent > own[key]]
        found += [(one.length, None, one) for one in other.waits_between(since, call.enter)]
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
        covered = 0
        for (path, iteration), spent in self.everything[place].between(begin, end).items():
            self.path[(path, *place, iteration)] += spent
            covered += spent
        if end - begin > covered:
            self.path[("", *place, None)] += end - begin - covered

    def find_imbalance(self):
        means, on_path = collections.Counter(), collections.Counter()
        for profile in self.profiles.values():
            for begin, end, path, iteration in profile.pieces:
                means[path, iteration] += (end - begin) / len(self.trace.ranks)
        for (path, _, _, iteration), spent in self.path.items():
            on_path[path, iteration] += spent
        return {key: spent - means[key] for key, spent in on_path.items()
                if key[0] and spent > means[key]}

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
