#!/usr/bin/env python3
"""Jobs on several hosts, where more goes wrong: see hosts.py, which `make check` runs."""

import glob
import os
import signal
import socket

import harness
import mortality
import summary_reader
from harness import Directory, Skip
from hosts import (PER_NODE, RANKS, check_trace_apart, hosts_of_ranks, largest_move_ns, merge,
                   mortal, parts_of, problems, traced, wait_until_saved, wait_until_still)
from several_hosts import Hosts


def test_hosts_of_one_name(tap):
    """Containers and cloned machines have one name, and numbers of processes in common anyway."""
    if harness.MPI == "openmpi":
        raise Skip("Open MPI needs names that tell hosts apart")
    with Directory() as directory, Hosts(directory, same_name="localhost", shared=True) as hosts:
        run = mortal(hosts)
        wait_until_saved(hosts)
        run.kill()
        wait_until_still(hosts)
        parts = glob.glob(os.path.join(hosts.disk("node1"), "*.parts", "*.part"))
        tap.equal(len(parts), RANKS, "no part takes the place of another")
        out = os.path.join(directory, "out.tsprof")
        result = harness.tsprof("merge", *parts_of(hosts, "node1"), "-o", out)
        tap.equal(result.status, 0, "they are merged")
        tap.equal(hosts_of_ranks(summary_reader.Summary(out)),
                  {rank: (rank // PER_NODE, "localhost") for rank in range(RANKS)},
                  "and the hosts are three")
        found = problems(hosts, out)
        tap.ok(not found, "all is right", "\n".join(found))


def test_launcher_is_killed(tap):
    for number in (signal.SIGKILL, signal.SIGTERM):
        with Directory() as directory, Hosts(directory) as hosts:
            run = mortal(hosts)
            wait_until_saved(hosts)
            run.kill(number)
            wait_until_still(hosts)
            merge(tap, hosts, parts_of(hosts), range(RANKS),
                  "the launcher ends by signal %d: parts are merged" % number)


def report_on(hosts, name, directory):
    """What the report says on a node, or, where NAME is None, on this machine, of its parts."""
    if name is None:
        return harness.tsprof("report", directory).stdout
    path = os.path.join(hosts.work, os.path.basename(directory))
    return harness.execute(hosts.enter(name) + [harness.COMMAND, "report", path]).stdout.decode()


def test_network_is_cut(tap):
    """The others wait for ever, and the report says where; but not for processes of other hosts, whose
    numbers mean nothing here, though their host may be called like this one."""
    with Directory() as directory, Hosts(directory, same_name=socket.gethostname()) as hosts:
        run = mortal(hosts)
        wait_until_saved(hosts)
        parts = parts_of(hosts, "node3")
        said = report_on(hosts, None, parts[0])
        tap.ok("killed or crashed, or has not ended yet" in
               harness.tsprof("info", parts[0]).stdout and "is now" not in said,
               "nobody says of processes of other hosts that they have ended", said)
        tap.ok("is now" in report_on(hosts, "node3", parts[0]), "they run, as their host knows")
        result = harness.tsprof("merge", parts[0], "-o", os.path.join(directory, "a.tsprof"),
                                "--remove")
        tap.ok("still running, on another host: its parts stay" in result.stderr and
               os.path.isdir(parts[0]), "so the parts stay", result.stderr)
        hosts.cut("node2")
        wait_until_still(hosts)
        said = report_on(hosts, "node1", parts_of(hosts, "node1")[0])
        tap.ok("is now" in said and "MPI_Sendrecv" in said, "the others are seen to wait", said)
        run.kill()
        merge(tap, hosts, parts_of(hosts), range(RANKS), "what each host has is merged")


def test_trace_of_shifted_clocks(tap):
    """Their clocks, the system's, are a hundred seconds apart from host to host."""
    with Directory() as directory, Hosts(directory, shift_s=100, shared=True) as hosts:
        run = traced(hosts)
        run.wait_for(".otf2")
        mortality.wait_for(lambda: not parts_of(hosts, "node1"), "the parts are removed")
        run.kill()
        archives = glob.glob(os.path.join(hosts.disk("node1"), "*.otf2"))
        tap.equal(len(archives), 1, "there is an archive of all")
        tap.equal(sorted(os.listdir(archives[0])), ["traces", "traces.def", "traces.otf2"],
                  "and nothing else in it")
        moved = largest_move_ns(archives[0])
        tap.ok(moved < 50000000, "times are by one clock", str(moved))


def test_trace_of_hosts_of_one_name(tap):
    check_trace_apart(tap, "localhost")


if __name__ == "__main__":
    harness.main()
