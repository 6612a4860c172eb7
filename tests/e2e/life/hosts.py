#!/usr/bin/env python3
"""Jobs on three hosts that have nothing in common but the network: one summary of all of them, and
what is left where a host dies, is cut off, or the launcher is killed."""

import glob
import os
import time

import harness
import mortality
import summary_reader
import waits_command
from harness import Directory
from mortality import Case
from several_hosts import Hosts

PER_NODE = 2
RANKS = 3 * PER_NODE
CASE = Case("kill-all", RANKS, 20000, 0, False, 8, None, None, 0)

# Processes save after 0.1, 0.2, 0.4 and 0.8 s; so many iterations of 20 ms take longer.
SAVED = 60


def mortal(hosts, *arguments):
    """Starts `mortal` on all hosts; it tells what it does in Hosts.work of each."""
    command = [harness.program("mortal"), "--log", "log", "--us", str(CASE.us), *arguments]
    return hosts.start(hosts.tsprof_run(command, PER_NODE),
                       hosts.settings({"TSPROF_VERBOSE": "1", "TSPROF_CLUSTERS": str(CASE.clusters)}))


def told(hosts):
    """What each rank has told, by rank."""
    return [mortality.read_log(os.path.join(hosts.disk(hosts.names[rank // PER_NODE]),
                                            "log.%d" % rank)) for rank in range(RANKS)]


def wait_until_saved(hosts):
    mortality.wait_for(lambda: all(len(one.finished) >= SAVED for one in told(hosts)),
                       "all ranks have saved something")


def wait_until_still(hosts):
    """Waits until no rank does anything any more."""
    before = None
    for _ in range(40):
        now = told(hosts)
        if now == before:
            return
        before = now
        time.sleep(0.3)
    raise harness.Failure("the ranks go on")


def parts_of(hosts, *names):
    """The directories of parts on some nodes, or all."""
    return [path for name in names or hosts.names
            for path in sorted(glob.glob(os.path.join(hosts.disk(name), "*.parts")))]


def end(hosts, run):
    """Waits for the end of a job that ends normally, or ends it when its summary is there: MPICH 4.0
    with UCX over TCP may wait in MPI_Finalize for ever, without tsprof, too."""
    run.wait_for("tsprof report")
    mortality.wait_for(lambda: not parts_of(hosts), "the parts are removed")
    if harness.MPI == "openmpi":
        return run.wait()
    run.kill()
    run.process.wait()
    return 0


def summary_of(hosts):
    """The summary of the job: it is where rank 0 is."""
    found = [glob.glob(os.path.join(hosts.disk(name), "*.tsprof")) for name in hosts.names]
    if [len(names) for names in found] != [1] + [0] * (len(found) - 1):
        raise harness.Failure("summaries: %s" % found)
    return found[0][0]


def hosts_of_ranks(summary):
    """By rank, the number of its host and its name."""
    return {place.rank: (place.host, summary.hosts[place.host].name) for place in summary.places}


def test_one_summary(tap):
    with Directory() as directory, Hosts(directory) as hosts:
        status = end(hosts, mortal(hosts, "--iterations", "20"))
        path = summary_of(hosts)
        summary = summary_reader.Summary(path)
        tap.equal((status, summary.state), (0, 1), "the job ends, and its summary is complete")
        tap.equal(hosts_of_ranks(summary),
                  {rank: (rank // PER_NODE, hosts.names[rank // PER_NODE])
                   for rank in range(RANKS)}, "each rank is on its host")
        info = harness.tsprof("info", path).stdout
        tap.ok(all("%s: ranks %d-%d" % (name, 2 * i, 2 * i + 1) in info
                   for i, name in enumerate(hosts.names)), "info says so", info)
        left = {name for node in hosts.names for name in os.listdir(hosts.disk(node))}
        tap.ok(not any(".parts" in name or ".part" in name for name in left),
               "nothing else of tsprof's is left on any host", str(left))


def problems(hosts, summary, missing=()):
    """What is wrong in a merged summary.  Six ranks on few processors may have had to wait for one
    before they could save."""
    return [problem for problem in mortality.problems(summary, CASE, told(hosts), missing)
            if mortality.TOO_FEW not in problem]


def merge(tap, hosts, directories, ranks, name):
    out = os.path.join(hosts.directory, "merged.tsprof")
    result = harness.tsprof("merge", *directories, "-o", out, "--force")
    tap.ok(result.status == 0 and "%d of %d ranks" % (len(ranks), RANKS) in result.stderr, name,
           result.stderr)
    missing = set(range(RANKS)) - set(ranks)
    found = problems(hosts, out, missing)
    tap.ok(not found, name + ": all is right", "\n".join(found))
    return result.stderr


def test_host_dies(tap):
    with Directory() as directory, Hosts(directory) as hosts:
        run = mortal(hosts)
        wait_until_saved(hosts)
        hosts.lose("node2")
        # Hydra ends the job at once, Open MPI's launcher within a minute.
        wait_until_still(hosts)
        run.kill()
        said = merge(tap, hosts, parts_of(hosts, "node1", "node3"), (0, 1, 4, 5),
                     "those of the other hosts are merged")
        tap.ok("no data for ranks 2-3; if their hosts have parts elsewhere" in said,
               "it is said who is missing, and what to do", said)
        merge(tap, hosts, parts_of(hosts), range(RANKS), "with its disk it is all")


def test_message_names_hosts(tap):
    with Directory() as directory, Hosts(directory) as hosts:
        run = mortal(hosts, "--how", "mpi_abort", "--at", "20", "--rank", "3")
        run.wait()
        said = run.said()
        tap.ok("MPI_Abort was called: what was measured on node2 is in %s/" % hosts.work in said and
               "and the directories of the other hosts" in said,
               "the message says on which host, and that there are others", said)
        readme = glob.glob(os.path.join(hosts.disk("node2"), "*.parts", "README"))
        tap.equal(len(readme), 1, "and there is a README")


def traced(hosts, iterations=20):
    command = [harness.program("random_messages"), "--iterations", str(iterations)]
    return hosts.start(hosts.tsprof_run(command, 1), hosts.settings(
        {"TSPROF_VERBOSE": "1", "TSPROF_TRACE": "all", "TSPROF_ITERATION": "markers"}))


def largest_move_ns(archive):
    summary = waits_command.analyse(archive)
    facts = summary_reader.Summary(summary).run
    return int(facts.get("clocks.largest_move_ns", 0))


def test_trace_without_a_shared_directory(tap):
    """Events that no archive takes stay where they are, on each host."""
    check_trace_apart(tap)


def check_trace_apart(tap, same_name=None):
    with Directory() as directory, Hosts(directory, shift_s=100, same_name=same_name) as hosts:
        run = traced(hosts)
        mortality.wait_for(lambda: run.said().count("recover with") == len(hosts.names),
                           "each host says what it has kept")
        said = run.said()
        run.kill()
        tap.ok("no trace is written: 2 of 3 processes do not see" in said, "it is said why", said)
        tap.equal(glob.glob(os.path.join(hosts.disk("node1"), "*.otf2")), [],
                  "there is no half of an archive")
        summary = summary_reader.Summary(summary_of(hosts))
        tap.equal((summary.state, len(summary.places)), (1, 3), "the summary is complete")
        out = os.path.join(directory, "again.tsprof")
        result = harness.tsprof("merge", *parts_of(hosts), "-o", out, "--remove")
        tap.ok(result.status == 0 and "MPI calls are in" in result.stderr,
               "merge makes the archive", result.stderr)
        tap.equal(parts_of(hosts), [], "then the parts can go")
        moved = largest_move_ns(os.path.join(directory, "again.otf2"))
        tap.ok(moved < 1000000000, "times are as near as those of day", str(moved))


if __name__ == "__main__":
    harness.main()
