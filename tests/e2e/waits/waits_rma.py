"""Wait states of one-sided communication, for waits_oracle.py, whose docstring has what was decided.

`find(TRACE, ADD)` calls ADD(metric, call, ns, peer, peer's call) for each; peer is a rank.
"""

import bisect
import collections

ROOM_NS = 500  # readings of the clock are not ordered with what happens around them


def find(trace, add):
    by_window = collections.defaultdict(list)
    for sync in sorted(trace.syncs, key=lambda sync: sync.call.enter):
        by_window[sync.window].append(sync)
    accesses = collections.defaultdict(list)
    for access in sorted(trace.accesses, key=lambda access: access.call.enter):
        accesses[access.window].append(access)
    for window, syncs in by_window.items():
        members = trace.members[trace.windows[window]]
        everybody = members or sorted({sync.call.rank for sync in syncs})
        collective(syncs, everybody, "create", "mpi_rma_wait_at_create", add)
        collective(syncs, everybody, "free", "mpi_rma_wait_at_free", add)
        active, fenced = by_epoch(syncs, accesses[window])
        fences(syncs, everybody, fenced, add)
        general(syncs, active, add)
        Locks(trace, syncs, everybody, accesses[window]).find(add)


def by_epoch(syncs, accesses):
    """Accesses in epochs of start and complete, and those between fences."""
    active, fenced = [], []
    started, locks = collections.Counter(), collections.Counter()
    changes = {"start": (started, 1), "complete": (started, -1), "lock": (locks, 1),
               "unlock": (locks, -1)}
    for event in sorted(list(syncs) + list(accesses), key=lambda event: event.call.enter):
        kind, rank = getattr(event, "kind", None), event.call.rank
        if kind in changes:
            counter, step = changes[kind]
            counter[rank] += step
        elif kind is None and not locks[rank]:
            (active if started[rank] else fenced).append(event)
    return active, fenced


def instances(syncs, everybody, kind):
    """{rank: call} of each collective on the window that all processes have."""
    lists = [[sync.call for sync in syncs if sync.kind == kind and sync.call.rank == rank]
             for rank in everybody]
    return [dict(zip(everybody, calls)) for calls in zip(*lists)]


def overlap(calls):
    """Whether all are in the call at some time; if not, nobody has waited for all."""
    return (min(call.leave for call in calls.values()) + ROOM_NS
            >= max(call.enter for call in calls.values()))


def collective(syncs, everybody, kind, metric, add):
    for calls in instances(syncs, everybody, kind):
        latest = max(calls.values(), key=lambda call: call.enter)
        for call in calls.values() if overlap(calls) else ():
            add(metric, call, call.cut(latest.enter), latest.rank, latest)


def fences(syncs, everybody, accesses, add):
    collective(syncs, everybody, "fence", "mpi_rma_wait_at_fence", add)
    before = {rank: 0 for rank in everybody}
    for calls in instances(syncs, everybody, "fence"):
        # Accesses between the fence before and this one, on the process that makes them.
        epoch = [access for access in accesses
                 if before[access.call.rank] <= access.call.enter < calls[access.call.rank].enter]
        latest = max(calls.values(), key=lambda call: call.enter)
        for rank, call in calls.items():
            incoming = [access.call for access in epoch
                        if access.target == rank and access.call.rank != rank]
            if incoming and overlap(calls):
                last = max(incoming, key=lambda one: one.leave)
                add("mpi_rma_early_fence", call, call.cut(min(last.leave, latest.enter)),
                    last.rank, last)
            partners = ({access.target for access in epoch if access.call.rank == rank} |
                        {access.call.rank for access in epoch if access.target == rank})
            add("mpi_rma_pairsync_count", call, len(everybody), None, None)
            add("mpi_rma_pairsync_unneeded_count", call, len(everybody) - len(partners), None,
                None)
            before[rank] = call.leave


# Post, start, complete, wait


class Epoch:
    """An access epoch (start to complete) or an exposure epoch (post to wait) of a process."""

    def __init__(self, first):
        self.first, self.last = first.call, None
        self.rank, self.partners = first.call.rank, first.partners
        self.others = {}  # by rank: the epoch on the other side


def epochs_of(syncs, first, last):
    found, open_ones = [], {}
    for sync in syncs:
        if sync.kind == first and sync.partners:
            open_ones[sync.call.rank] = Epoch(sync)
            found.append(open_ones[sync.call.rank])
        elif sync.kind == last and sync.call.rank in open_ones:
            open_ones.pop(sync.call.rank).last = sync.call
    return found


def pair(accessing, exposing):
    """The n-th access epoch of A towards B belongs to the n-th exposure epoch of B towards A."""
    queues = collections.defaultdict(list)
    for epoch in exposing:
        for partner in epoch.partners:
            queues[partner, epoch.rank].append(epoch)
    for epoch in accessing:
        for partner in epoch.partners:
            queue = queues[epoch.rank, partner]
            if queue:
                other = queue.pop(0)
                epoch.others[partner], other.others[epoch.rank] = other, epoch


def general(syncs, accesses, add):
    accessing = epochs_of(syncs, "start", "complete")
    exposing = epochs_of(syncs, "post", "wait")
    pair(accessing, exposing)
    for epoch in accessing:
        if epoch.last:
            late_posts(epoch, accesses_of(epoch, accesses), add)
            count_pairs(epoch.last, epoch.partners,
                        {access.target for access in accesses_of(epoch, accesses)}, add)
    for epoch in exposing:
        if epoch.last:
            early_wait(epoch, accesses, add)
            count_pairs(epoch.last, epoch.partners,
                        {rank for rank, other in epoch.others.items()
                         if any(access.target == epoch.rank
                                for access in accesses_of(other, accesses))}, add)


def count_pairs(call, partners, used, add):
    add("mpi_rma_pairsync_count", call, len(partners), None, None)
    add("mpi_rma_pairsync_unneeded_count", call, len(set(partners) - used), None, None)


def accesses_of(epoch, accesses):
    end = epoch.last.enter if epoch.last else float("inf")
    return [access for access in accesses
            if access.call.rank == epoch.rank and epoch.first.leave <= access.call.enter < end]


def late_posts(epoch, accesses, add):
    def blocked(metric, call, posts):
        posts = [post for post in posts if call.enter < post.enter < call.leave]
        if posts:
            latest = max(posts, key=lambda post: post.enter)
            add(metric, call, latest.enter - call.enter, latest.rank, latest)
    posts = {rank: other.first for rank, other in epoch.others.items()}
    for call in (epoch.first, epoch.last):
        blocked("mpi_rma_sync_late_post", call, posts.values())
    for access in accesses:
        if access.target in posts:
            blocked("mpi_rma_comm_late_post", access.call, [posts[access.target]])


def early_wait(epoch, accesses, add):
    ended = [other for other in epoch.others.values() if other.last]
    if not ended or epoch.last.name != "MPI_Win_wait":
        return
    latest = max(ended, key=lambda other: other.last.enter)
    add("mpi_rma_early_wait", epoch.last, epoch.last.cut(latest.last.enter), latest.rank,
        latest.last)
    last_use = max([access.call.leave for access in accesses_of(latest, accesses)],
                   default=latest.first.leave)
    lost = min(latest.last.enter, epoch.last.leave) - max(last_use, epoch.last.enter)
    add("mpi_rma_late_complete", epoch.last, max(0, lost), latest.rank, latest.last)


# Passive target


class Lock:
    """From lock to unlock; `target` None: of all."""

    def __init__(self, sync):
        self.rank, self.exclusive = sync.call.rank, sync.exclusive
        self.target = sync.partners[0] if sync.partners else None
        self.used = set()  # the targets of transfers so far
        self.calls = [(sync.call, self.targets(self.target))]
        self.release = None

    def targets(self, target):
        """Whom a call is about: TARGET, or, if it is None, all that the process has had transfers
        with."""
        return frozenset(self.used) if target is None else {target}

    def conflicts(self, other):
        same = None in (self.target, other.target) or self.target == other.target
        return same and (self.exclusive or other.exclusive) and self.rank != other.rank

    def sees_end_of(self, other):
        return any(call.enter < other.release.enter < call.leave for call, _ in self.calls)

    def was_before(self, other):
        """Whether OTHER was waiting for this one: not if this one was asked for when OTHER was being
        given back, or was waiting for that."""
        if self.calls[0][0].enter > other.release.enter:
            return False
        return not self.sees_end_of(other) or self.release.enter < other.release.enter


class Locks:
    """Waits of calls under a lock."""

    def __init__(self, trace, syncs, everybody, accesses):
        self.everybody, self.locks = everybody, []
        self.enters, self.inside = {}, {}
        for rank in everybody:
            calls = sorted((call for place, calls in trace.calls.items() if place[0] == rank
                            for call in calls), key=lambda call: call.enter)
            self.inside[rank] = calls
            self.enters[rank] = [call.enter for call in calls]
        events = sorted(list(syncs) + list(accesses), key=lambda one: one.call.enter)
        self.gather(events)

    def gather(self, events):
        held = collections.defaultdict(dict)  # rank: {target: lock}
        for event in events:
            mine = held[event.call.rank]
            kind = getattr(event, "kind", "access")
            target = event.target if kind == "access" else (event.partners or [None])[0]
            if kind == "lock":
                mine[target] = Lock(event)
                self.locks.append(mine[target])
                continue
            for lock in mine.values():
                if kind in ("access", "flush", "unlock") and (
                        lock.target in (None, target) or target is None):
                    if kind == "access":
                        lock.used.add(target)
                    lock.calls.append((event.call, lock.targets(target)))
            if kind == "unlock" and target in mine:
                mine.pop(target).release = event.call

    def find(self, add):
        for lock in self.locks:
            for call, targets in lock.calls:
                waits = self.competition(lock, call) + self.progress(lock, call, targets)
                if waits:
                    length, what, peer, other = max(waits, key=lambda wait: wait[0])
                    kind = "comm" if is_access(call) else "sync"
                    add("mpi_rma_%s_%s" % (kind, what), call, length, peer, other)

    def competition(self, lock, call):
        """Others who had the lock and gave it back while CALL went on."""
        return [(other.release.enter - call.enter, "lock_competition", other.rank, other.release)
                for other in self.locks
                if lock.conflicts(other) and lock.release and other.release
                and call.enter < other.release.enter < call.leave and other.was_before(lock)]

    def progress(self, lock, call, targets):
        """Targets that were outside MPI when CALL began and entered it while it went on."""
        found = []
        for rank in sorted(rank for rank in targets if rank is not None):
            if rank == lock.rank:
                continue
            after = bisect.bisect_right(self.enters[rank], call.enter)
            # By any of its threads.
            if any(other.leave > call.enter for other in self.inside[rank][:after]):
                continue
            if after < len(self.enters[rank]) and self.enters[rank][after] < call.leave:
                entered = self.inside[rank][after]
                found.append((entered.enter - call.enter, "wait_for_progress", rank, entered))
        return found


def is_access(call):
    return not call.name.startswith("MPI_Win_")
