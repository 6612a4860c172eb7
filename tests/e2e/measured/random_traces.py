#!/usr/bin/env python3
"""Random programs of sends, receives and collectives: what is in the archive, as OTF2's own module
reads it, is what each rank states that it did, program by program, call by call, between the times
that it read before and after each; and messages match as they must.

`make check` tries some; `make check-random-traces RANDOM_RUNS=2000 [RANDOM_SEED=1]` more."""

import collections
import os
import random

import archive_reader
import harness
import summary_reader
from archive_reader import Archive
from harness import Directory, Failure

PROGRAMS_EACH = 100     # in one job
SEEDS = 1 << 30

# How far a reading of the clock may be from where it stands in the program.
DISORDER_NS = archive_reader.DISORDER_NS

# The system's clock and that of events may differ in speed by so much, at most.
SPEEDS = (1 - 1e-3, 1 + 1e-3)

# Calls: (function, begin, end).
Program = collections.namedtuple("Program", "sends receives collectives calls")


def empty():
    return Program([], [], [], [])


def read_log(path):
    """What a rank states, a Program for each."""
    programs = []
    with open(path) as lines:
        for line in lines:
            words = line.split()
            if words[0] == "program":
                programs.append(empty())
            elif words[0] == "call":
                programs[-1].calls.append((words[1], int(words[2]), int(words[3])))
            elif words[0] == "collective":
                programs[-1].collectives.append((int(words[1]), words[2], int(words[3])))
            else:
                numbers = tuple(map(int, words[1:]))
                (programs[-1].sends if words[0] == "send" else
                 programs[-1].receives).append(numbers)
    return programs


class Recorder(Archive):
    """What is in an archive of each rank, likewise; receives in the order in which they began."""

    def __init__(self, path):
        self.programs = collections.defaultdict(lambda: collections.defaultdict(empty))
        self.begun = {}             # (rank, request): the place of a receive
        self.posted = collections.Counter()
        self.entered = {}           # by rank, the call that is open
        super().__init__(path)

    def program_of(self, thread):
        return self.programs[thread.rank][thread.open[0][1] if thread.open else None]

    def take_Enter(self, thread, event):
        super().take_Enter(thread, event)
        if event.region.paradigm == archive_reader.otf2.Paradigm.MPI:
            self.entered[thread.rank] = event.time

    def take_Leave(self, thread, event):
        if event.region.paradigm == archive_reader.otf2.Paradigm.MPI and thread.open:
            self.program_of(thread).calls.append((event.region.name, self.entered[thread.rank],
                                                  event.time))
        super().take_Leave(thread, event)

    def send(self, thread, event):
        super().send(thread, event)
        self.program_of(thread).sends.append(
            (event.communicator._ref, event.receiver, event.msg_tag, event.msg_length))

    take_MpiSend = take_MpiIsend = send

    def post(self, thread):
        self.posted[thread.rank] += 1
        return self.posted[thread.rank]

    def take_MpiIrecvRequest(self, thread, event):
        self.begun[thread.rank, event.request_id] = self.post(thread)

    def receive_at(self, thread, event, place):
        self.receive(thread, event)
        self.program_of(thread).receives.append(
            (place, (event.communicator._ref, event.sender, event.msg_tag, event.msg_length)))

    def take_MpiRecv(self, thread, event):
        self.receive_at(thread, event, self.post(thread))

    def take_MpiIrecv(self, thread, event):
        self.receive_at(thread, event, self.begun[thread.rank, event.request_id])

    def collective(self, thread, event):
        super().collective(thread, event)
        root = event.root if isinstance(event.root, int) and event.root < 1 << 31 else -1
        self.program_of(thread).collectives.append(
            (event.communicator._ref, str(event.collective_op).rpartition(".")[2], root))

    take_MpiCollectiveEnd = take_NonBlockingCollectiveComplete = collective

    def of_rank(self, rank, number):
        found = self.programs[rank][number]
        return Program(found.sends, [what for _, what in sorted(found.receives)],
                       found.collectives, found.calls)


def same_but_names(found, stated, names):
    """Whether both lists are the same; NAMES, of communicators, grows."""
    if len(found) != len(stated):
        return "%d rather than %d" % (len(found), len(stated))
    for archived, own in zip(found, stated):
        if names.setdefault(own[0], archived[0]) != archived[0] or archived[1:] != own[1:]:
            return "%s rather than %s" % (archived, own)
    return None


def check_program(archive, rank, number, stated, names):
    found = archive.of_rank(rank, number)
    wrong = []
    for kind in ("sends", "receives"):
        difference = same_but_names(getattr(found, kind), getattr(stated, kind), names)
        if difference:
            wrong.append("%s: %s" % (kind, difference))
    # Those that do not block complete in any order.
    wanted = collections.Counter((names.get(comm), operation, root)
                                 for comm, operation, root in stated.collectives)
    got = collections.Counter(found.collectives)
    if [call[0] for call in found.calls] != [call[0] for call in stated.calls]:
        wrong.append("calls: %s rather than %s" % ([call[0] for call in found.calls],
                                                   [call[0] for call in stated.calls]))
    known = {comm for comm, _, _ in wanted}
    if None not in known and wanted != got:
        wrong.append("collectives: %s rather than %s" % (got - wanted, wanted - got))
    elif None in known and sum(wanted.values()) != sum(got.values()):
        wrong.append("collectives: %d rather than %d" % (sum(got.values()), sum(wanted.values())))
    return ["rank %d: %s" % (rank, text) for text in wrong]


def check_matching(archive, logs, number):
    """The k-th message that is sent is the k-th that is received, of those that are alike."""
    sent, received = collections.defaultdict(list), collections.defaultdict(list)
    ranks = range(len(logs))
    for rank in ranks:
        found = archive.of_rank(rank, number)
        for comm, dest, tag, size in found.sends:
            sent[comm, archive.place(comm, rank), archive.world(comm, rank, dest), tag].append(size)
        for comm, source, tag, size in found.receives:
            received[comm, source, rank, tag].append(size)
    return [] if sent == received else ["messages: %s and %s" % (dict(sent), dict(received))]


def room_between(pairs, speed):
    """PAIRS are of calls by the clock of events and by the system's. How much room is left for them
    between the readings, in ns, if one clock has this speed by the other; below zero: none."""
    latest = min(entered - speed * before for (entered, _), (before, _) in pairs)
    earliest = max(left - speed * after for (_, left), (_, after) in pairs)
    return latest - earliest


def check_times(archive, logs, rank):
    """Each call is entered and left between the two readings that the program took of a clock, for
    some line that makes one clock of the other.  The room has one maximum over the speeds."""
    found = [call for number in range(len(logs[rank]))
             for call in archive.of_rank(rank, number).calls]
    stated = [call for program in logs[rank] for call in program.calls]
    if len(found) != len(stated) or not found:
        return ["rank %d: %d calls rather than %d" % (rank, len(found), len(stated))]
    zero, origin = found[0][1], stated[0][1]
    pairs = [((one[1] - zero, one[2] - zero), (own[1] - origin, own[2] - origin))
             for one, own in zip(found, stated)]
    slow, fast = SPEEDS
    for _ in range(40):
        third = (fast - slow) / 3
        if room_between(pairs, slow + third) < room_between(pairs, fast - third):
            slow += third
        else:
            fast -= third
    room = room_between(pairs, slow)
    return [] if room > -2 * DISORDER_NS else [
        "rank %d: calls are %d ns beyond where they were made" % (rank, -room)]


def add_groups(archive, path):
    """Members of communicators, which messages name by their ranks there."""
    members = {}
    with archive_reader.otf2.reader.open(os.path.join(path, "traces.otf2")) as trace:
        for comm in trace.definitions.comms:
            members[comm._ref] = [archive_reader.number_of(member)[0]
                                  for member in comm.group.members]
    archive.place = lambda comm, rank: members[comm].index(rank)
    archive.world = lambda comm, rank, peer: members[comm][peer]


def unmatched_by_tsprof(directory, path):
    """What its own reader says of messages of which it finds one side only."""
    result = harness.tsprof("waits", path, "-o", os.path.join(directory, "waits.tsprof"))
    if result.status != 0:
        return [result.stderr]
    summary = summary_reader.Summary(os.path.join(directory, "waits.tsprof"))
    return ["%s: %s" % (key, value) for key, value in sorted(summary.run.items())
            if key.startswith("trace.unmatched") and value != "0"]


def run(directory, ranks, name, seed, count):
    """What is wrong with COUNT programs of NAME from SEED on, in words; by program."""
    summary = os.path.join(directory, "out.tsprof")
    log = os.path.join(directory, "log")
    result = harness.run_ranks(
        [harness.program(name), "--seed", str(seed), "--programs", str(count),
         "--log", log], ranks, cwd=directory, timeout=600,
        settings={"TSPROF_OUTPUT": summary, "TSPROF_TRACE": "all", "TSPROF_RATE": "0",
                  "TSPROF_ITERATION": "markers", "TSPROF_TRACE_MEMORY": "512M"})
    path = os.path.join(directory, "out.otf2")
    if result.status != 0 or not os.path.exists(path):
        raise Failure("status %d: %s" % (result.status, result.stderr.decode("utf-8", "replace")))
    archive = Recorder(path)
    add_groups(archive, path)
    logs = [read_log("%s.%d" % (log, rank)) for rank in range(ranks)]
    wrong = {None: archive.problems} if archive.problems else {}
    names = [{} for _ in range(ranks)]
    # First all messages, by which communicators get their names.
    for number in range(count):
        for rank in range(ranks):
            check_program(archive, rank, number, logs[rank][number], names[rank])
    for number in range(count):
        found = [text for rank in range(ranks)
                 for text in check_program(archive, rank, number, logs[rank][number], names[rank])]
        found += check_matching(archive, logs, number)
        if found:
            wrong[seed + number] = found
    late = [text for rank in range(ranks) for text in check_times(archive, logs, rank)]
    if late:
        wrong["times"] = late
    lost = unmatched_by_tsprof(directory, path)
    return dict(wrong, tsprof=lost) if lost else wrong


def wrong_with(ranks, name, seed, count):
    with Directory() as directory:
        try:
            return run(directory, ranks, name, seed, count)
        except Failure as failure:
            return {None: [str(failure)]}


def check(tap, ranks, name, seed, count, text):
    wrong = wrong_with(ranks, name, seed, count)
    tap.ok(not wrong, text, "\n".join("%s: %s" % pair for pair in list(wrong.items())[:5]))


def test_random_programs(tap):
    runs = int(os.environ.get("RANDOM_RUNS") or 60)
    seed = int(os.environ.get("RANDOM_SEED") or random.SystemRandom().randrange(SEEDS))
    print("# RANDOM_SEED=%d" % seed)
    for first in range(seed, seed + runs, PROGRAMS_EACH):
        count = min(PROGRAMS_EACH, seed + runs - first)
        ranks = 2 + first // PROGRAMS_EACH % 3
        # The same program, compiled as C and as C++.
        name = "random_traces_cxx" if first // PROGRAMS_EACH % 2 else "random_traces"
        check(tap, ranks, name, first, count,
              "%d programs from %d on, %d ranks" % (count, first, ranks))


def test_in_fortran(tap):
    """With both modules; calls of these programs are fewer kinds."""
    seed = random.SystemRandom().randrange(SEEDS)
    print("# seed %d" % seed)
    for ranks, name in ((2, "random_traces_f"), (3, "random_traces_f08")):
        if not harness.is_built(name):
            tap.skip(name, "Fortran programs are not built")
            continue
        check(tap, ranks, name, seed, 40, "%s: 40 programs, %d ranks" % (name, ranks))


if __name__ == "__main__":
    harness.main()
