#!/usr/bin/env python3
"""Processes that MPI_Comm_spawn starts are a job of their own: each leaves a summary, and a trace,
under a name of its own, with its world, its topologies and all that it did, also together with its
parents."""

import glob
import os

import archive_reader
import harness
import summary_reader
from archive_reader import FOREIGN, Archive, complaints_of_otf2_print
from harness import Directory


def check_counts(tap, label, directory, name, summary, ranks):
    stated = harness.total_of(harness.read_counts(directory, ranks, name))
    difference = harness.differences(
        harness.measured_counts(harness.export(summary, "callpaths", "--total")), stated)
    tap.ok(stated and not difference, label + ": counts", difference or "nothing was stated")


def check_summary(tap, label, directory, name, path, ranks):
    content = summary_reader.Summary(path)
    tap.equal(content.state, 1, label + ": complete")
    tap.ok(not summary_reader.problems(content), label + ": times and totals are exact")
    tap.equal(sorted({place.rank for place in content.places}), list(range(ranks)),
              label + ": ranks of its own world")
    check_counts(tap, label, directory, name, path, ranks)
    tap.equal([(t.name, t.members, t.grid) for t in content.topologies],
              [("own ring", list(range(ranks)), [(ranks, True)])],
              label + ": topologies of its own world")
    tap.equal(content.topologies_left_out, 1, label + ": one with others in it is counted")


def try_family(tap, directory, children, parents_file, childrens_file):
    """Under the same names as whoever was there before."""
    command = [harness.program("offspring"), "--size", str(children)]
    plain = harness.run_plain(command, 2, cwd=directory)
    if b"no spawn" in plain.stdout:
        raise harness.Skip("this MPI starts no processes here")
    before = set(glob.glob(os.path.join(directory, "*.tsprof")))
    # What is spawned inherits from the launcher, not from those that ask for it.
    result = harness.run_all(
        command + ["--counts", os.path.join(directory, "counts")], 2, cwd=directory,
        settings={"TSPROF_OUTPUT": os.path.join(directory, "out.tsprof")})
    tap.equal((result.status, result.stdout), (0, plain.stdout), "status and output")
    written = set(glob.glob(os.path.join(directory, "*.tsprof"))) - before
    tap.equal(sorted(map(os.path.basename, written)), sorted([parents_file, childrens_file]),
              "one summary of each job")
    for file, name, ranks in ((parents_file, "counts", 2),
                              (childrens_file, "counts.child", children)):
        check_summary(tap, file, directory, name, os.path.join(directory, file), ranks)


def test_summaries(tap):
    with Directory() as directory:
        try_family(tap, directory, 2, "out.tsprof", "out.spawn1.tsprof")
        try_family(tap, directory, 1, "out.1.tsprof", "out.spawn2.tsprof")


def located(member):
    """(a number, whether it is another job's) of a member of a group."""
    return archive_reader.number_of(member)[0], member.name.startswith(FOREIGN)


class Between(Archive):
    """What an archive has of messages and collectives on communicators with another job in them:
    (rank, what, peer or root and whether it is the other job's, tag, bytes)."""

    def __init__(self, path):
        self.across, self.sides = [], set()
        super().__init__(path)

    def note(self, thread, what, comm, peer, *others):
        if isinstance(comm, archive_reader.otf2.definitions.InterComm):
            groups = [[located(member) for member in group.members]
                      for group in (comm.groupA, comm.groupB)]
            remote = [group for group in groups if (thread.rank, False) not in group][0]
            self.sides.add(tuple(remote))
        else:
            remote = [located(member) for member in comm.group.members]
        if any(is_foreign for _, is_foreign in remote):
            end = remote[peer] if isinstance(peer, int) and peer < len(remote) else None
            self.across.append((thread.rank, what, end and end[1]) + others)

    def take_MpiSend(self, thread, event):
        self.send(thread, event)
        self.note(thread, "send", event.communicator, event.receiver, event.msg_tag,
                  event.msg_length)

    def take_MpiRecv(self, thread, event):
        self.receive(thread, event)
        self.note(thread, "receive", event.communicator, event.sender, event.msg_tag,
                  event.msg_length)

    def take_MpiCollectiveEnd(self, thread, event):
        self.collective(thread, event)
        self.note(thread, str(event.collective_op).rpartition(".")[2], event.communicator,
                  event.root, event.size_sent, event.size_received)


def across(sends, ranks, others):
    """What `offspring` does with the other job, of which there are OTHERS, in the job with RANKS whose
    first rank SENDS a message; the other one has the root of the broadcast if it does."""
    everyone = ranks + others
    stated = [(0, "send" if sends else "receive", True, 3, 4)]
    for rank in range(ranks):
        is_root = not sends and rank == 0
        stated += [(rank, "ALLREDUCE", None, 4 * others, 4 * others),
                   (rank, "BCAST", sends, 4 * everyone if is_root else 0, 4),
                   (rank, "BARRIER", None, 0, 0)]
    return sorted(stated, key=repr)


def check_archive(tap, label, summary, sends, ranks, others):
    path = summary.replace(".tsprof", ".otf2")
    archive = Between(path)
    tap.equal(archive.problems + complaints_of_otf2_print(path), [], label + ": is in order")
    tap.equal(archive.ranks, ranks, label + ": has its own processes")
    tap.equal(sorted(archive.across, key=repr), across(sends, ranks, others),
              label + ": what was done with the other job is there, with whom, and how much")
    tap.equal(archive.sides, {tuple((ranks + i, True) for i in range(others))},
              label + ": the other group is the other job's processes")
    values = summary.replace(".tsprof", ".waits.tsprof")
    tap.equal(harness.tsprof("waits", path, "-o", values).status, 0, label + ": tsprof reads it")
    tap.equal([summary_reader.Summary(values).run[key]
               for key in ("trace.unmatched_sends", "trace.unmatched_receives")], ["0", "0"],
              label + ": messages of other jobs are not missed")


def test_archives(tap):
    """Each job has a trace of its own processes; others stand for those of the other job."""
    command = [harness.program("offspring"), "--size", "3"]
    with Directory() as directory:
        if b"no spawn" in harness.run_plain(command, 2, cwd=directory).stdout:
            raise harness.Skip("this MPI starts no processes here")
        summary = os.path.join(directory, "out.tsprof")
        result = harness.run_all(command, 2, cwd=directory, settings={
            "TSPROF_OUTPUT": summary, "TSPROF_TRACE": "all"})
        tap.equal(result.status, 0, "the program ends")
        check_archive(tap, "parents", summary, False, 2, 3)
        check_archive(tap, "children", summary.replace("out.", "out.spawn1."), True, 3, 2)


if __name__ == "__main__":
    harness.main()
