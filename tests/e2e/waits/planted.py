#!/usr/bin/env python3
"""Wait states planted with known lengths, their opposites and just not: what is found in the archive
is what the program has measured itself.

Each program has its cases and prints what each must show (tests/programs/waits/planted.h).  Both
implementations must find it in the same archive.  CASES="late_sender waits_rma" runs the first in
each program that has it, and all of the second; of all there are, one in PLANTED_STRIDE (8) is run,
others each time (from PLANTED_FIRST on), and all by `make check-waits`.
"""

import collections
import os
import random
import re

import harness
import summary_reader
import waits_causes
import waits_command
import waits_oracle
from harness import Directory, Failure
from waits_trace import Trace

PROGRAMS = ("waits_p2p", "waits_coll", "waits_rma", "waits_neighbors", "waits_files",
            "waits_prepared", "waits_ends", "waits_f_p2p", "waits_f_coll", "waits_f_rma",
            "waits_f_grids", "waits_f_files", "waits_f_prepared", "waits_f_ends", "waits_f08")
# Are run by refills.py.
SWEEPS = ("waits_sweeps",)

# Waits are 25 ms at least.
TOLERANCE_NS = 5000000

# On a machine that others keep busy some do not have a processor when they want it.  Then that is
# a cause, too.
ATTEMPTS = 6

# Counted in no time.
COUNTS = ("mpi_rma_pairsync_count", "mpi_rma_pairsync_unneeded_count")

# Looked at only where they are expected: processes have some of these whatever they do, as when
# one is without a processor while the others leave a collective.
NOT_ALWAYS = COUNTS + ("critical_path", "critical_path_imbalance", "mpi_init_completion",
                       "mpi_finalize_wait", "mpi_barrier_completion", "mpi_nxn_completion")

# All that processes do, by whether it is on the critical path.
IMPACTS = ("performance_impact", "performance_impact_criticalpath", "critical_path_activities",
           "non_critical_path_activities", "critical_imbalance_impact",
           "intra_partition_imbalance", "inter_partition_imbalance")

# All waiting, twice.
KINDS = ("wait_direct", "wait_indirect", "wait_propagating", "wait_terminal")

Expected = collections.namedtuple("Expected", "metrics function rank peer value")


def oracle(archive):
    """(values, who waits for whom) of the second implementation, with causes."""
    found = waits_oracle.Oracle(Trace(archive))
    causes = waits_causes.Causes(found)
    values = collections.Counter(found.values)
    values.update(causes.delays)
    values.update(causes.impact)
    values.update(causes.kinds)
    for (path, rank, thread, iteration), spent in causes.path.items():
        values["critical_path", path, rank, thread, iteration] += spent
    return values, found.who


# Of these it is known for the metric that they are a part of who was waited for.
PARTS = {"mpi_latesender_wo": "mpi_latesender", "mpi_lswo_different": "mpi_latesender",
         "mpi_lswo_same": "mpi_latesender", "mpi_rma_late_complete": "mpi_rma_early_wait",
         "mpi_rma_early_fence": "mpi_rma_wait_at_fence",
         "mpi_slow_slaves": "mpi_latesender", "mpi_overloaded_master_send": "mpi_latesender",
         "mpi_overloaded_master_recv": "mpi_latereceiver"}


def command(archive):
    """The same of `tsprof waits`."""
    summary = waits_command.analyse(archive)
    who = collections.Counter()
    for row in waits_command.table(summary, "waits"):
        key = int(row["rank"]), int(row["cause_rank"])
        for metric in [row["metric"]] + [part for part in PARTS if PARTS[part] == row["metric"]]:
            who[(metric, *key)] += waits_command.nanoseconds(row)
    values = waits_command.severities(archive, summary)
    # The command has direct and long-term costs apart; here one is part of the other.
    for key in [key for key in values if key[0].endswith("_longterm")]:
        direct = (key[0].replace("_longterm", ""), *key[1:])
        values[key], values[direct] = values[direct], values[direct] - values[key]
    return values, who


# What no case expects, and why not.
NOT_PLANTED = {
    "delay": "a sum of planted ones", "performance_impact": "a sum of planted ones",
    "performance_impact_criticalpath": "a sum of planted ones",
    "critical_imbalance_impact": "a sum of planted ones",
    "critical_path_imbalance": "a mean; see random_waits.py",
}
NOT_PLANTED.update(dict.fromkeys(
    ("delay_%s_longterm" % kind for kind in ("latereceiver", "barrier", "n2n", "12n", "n21")),
    "as that of late senders, of which there is one; see random_waits.py"))
NOT_PLANTED.update(dict.fromkeys(
    ("wavefront_refill_%s%s" % (corner, level) for corner in ("nw", "ne", "sw", "se")
     for level in "ud"), "grids of three dimensions are in refills.py"))

IMPLEMENTATIONS = {"the second implementation": oracle, "tsprof waits": command}


def parse(text):
    rows = []
    for line in text.splitlines():
        found = re.match(r"expect ([^@ ]+)(?:@(\S+))? rank (\d+) of (-?\d+) (\S+)$", line)
        if not found:
            raise Failure("what is this: " + line)
        metrics, function, rank, peer, value = found.groups()
        metrics = tuple(metrics.split("|"))
        scale = 1 if metrics[0] in COUNTS else 1e9
        rows.append(Expected(metrics, function, int(rank), int(peer), float(value) * scale))
    return rows


def group(rows, names):
    """[(values of NAMES, rows that have them)]"""
    groups = collections.defaultdict(list)
    for row in rows:
        groups[tuple(getattr(row, name) for name in names.split())].append(row)
    return groups.items()


def differences(expected, values, who):
    """What was found and not expected, or the other way round, in words."""
    found = []
    planted = {key: value for key, value in values.items() if "planted" in key[1].split(";")}
    explained = set()
    for key, rows in group(expected, "metrics function rank"):
        metrics, function, rank = key
        keys = [one for one in planted if one[0] in metrics and one[2] == rank
                and (function is None or function in one[1].split(";"))]
        explained.update(keys)
        got, wanted = sum(planted[one] for one in keys), sum(row.value for row in rows)
        tolerance = 0 if metrics[0] in COUNTS else TOLERANCE_NS
        if abs(got - wanted) > tolerance:
            found.append("%s: %d wanted, %d found" % (key, wanted, got))
        for row in rows if metrics[0].startswith("mpi_") and who is not None else ():
            told = sum(who.get((metric, rank, row.peer), 0) for metric in metrics)
            if row.peer >= 0 and metrics[0] not in NOT_ALWAYS and told < row.value - tolerance:
                found.append("%s: only %d for that rank: %s" % (row, told, dict(who)))
    for key, value in planted.items():
        if (key not in explained and key[0] not in NOT_ALWAYS + IMPACTS + KINDS
                and not key[0].startswith("delay_") and value > TOLERANCE_NS):
            found.append("%s: %s, which is not expected" % (key, value))
    return found


def run(directory, program, case, ranks):
    """The expected rows, and the archive."""
    settings = {"TSPROF_OUTPUT": os.path.join(directory, "out.tsprof"), "TSPROF_TRACE": "all",
                "TSPROF_ITERATION": "markers"}
    if case.startswith("start_") or case == "write_and_read":
        # What Open MPI has of ROMIO has no collective operations that do not block.
        settings["OMPI_MCA_io"] = "ompio"
    result = harness.run_ranks([harness.program(program), case], ranks, cwd=directory,
                               settings=settings)
    if result.status != 0:
        raise Failure(result.stderr.decode("utf-8", "replace"))
    archive = os.path.join(directory, "out.otf2")
    if not os.path.exists(archive):
        raise Failure("there is no archive:\n" + result.stderr.decode("utf-8", "replace"))
    return parse(result.stdout.decode()), archive


def check(tap, program, case, ranks, needs=""):
    if needs:
        tap.skip("%s %s" % (program, case), "this MPI lacks " + needs)
        return
    # Who sleeps may be late, and who waits busily shares processors.
    for _ in range(ATTEMPTS):
        with Directory() as directory:
            expected, archive = run(directory, program, case, ranks)
            found = {name: differences(expected, *implementation(archive))
                     for name, implementation in IMPLEMENTATIONS.items()}
        if not any(found.values()):
            break
        print("# again: " + "\n# ".join(sum(found.values(), [])))
    for name, problems in found.items():
        tap.ok(not problems, "%s %s, %d ranks: %s" % (program, case, ranks, name),
               "\n".join(problems))


def cases_of(program):
    """(program, case, ranks, what this MPI lacks for it or "")."""
    listed = harness.execute([harness.program(program), "--list"])
    chosen = os.environ.get("CASES", "").split()
    for line in listed.stdout.decode().splitlines():
        case, ranks, *needs = line.split(" ", 2)
        if not chosen or case in chosen or program in chosen:
            yield program, case, int(ranks), "".join(needs)


def test_planted(tap):
    stride = 1 if os.environ.get("CASES") else int(os.environ.get("PLANTED_STRIDE") or 8)
    cases = [case for program in PROGRAMS if harness.is_built(program)
             for case in cases_of(program)]
    first = int(os.environ.get("PLANTED_FIRST") or random.randrange(stride)) % stride
    print("# PLANTED_FIRST=%d" % first)
    for case in cases[first::stride]:
        check(tap, *case)


def searched(directory):
    """The metrics that `tsprof waits` adds to those of a run."""
    _, archive = run(directory, "waits_p2p", "late_sender", 2)
    summaries = waits_command.analyse(archive), os.path.join(directory, "out.tsprof")
    found, measured = ({metric.name for metric in summary_reader.Summary(summary).metrics}
                       for summary in summaries)
    return found - measured


def expected_by(programs):
    """The metrics that cases of PROGRAMS expect."""
    return {metric for program in programs
            for metric in harness.execute([harness.program(program), "--metrics"]).stdout
            .decode().split()}


def test_every_metric(tap):
    """What is searched for is planted by a program in C, and by one in Fortran."""
    with Directory() as directory:
        metrics = searched(directory)
    tap.ok({"mpi_latesender", "delay", "critical_path"} <= metrics, "metrics are known", metrics)
    tap.equal(sorted(set(NOT_PLANTED) - metrics), [], "exceptions are of metrics that there are")
    in_fortran = [program for program in PROGRAMS if program.startswith(harness.IN_FORTRAN)]
    for language, programs in (
            ("C", [program for program in PROGRAMS + SWEEPS if program not in in_fortran]),
            ("Fortran", [program for program in in_fortran if harness.is_built(program)])):
        if programs:
            planted = expected_by(programs)
            tap.equal(sorted(metrics - planted - set(NOT_PLANTED)), [], "planted in " + language)
            tap.equal(sorted(planted & set(NOT_PLANTED)), [], "and no exception is, in " + language)


def test_files(tap):
    """Operations on files that do not block, and what they move, which are never left out."""
    for case in ("begin_late", "start_two_late"):
        check(tap, "waits_files", case, 2)
    with Directory() as directory:
        _, archive = run(directory, "waits_files", "write_and_read", 2)
        moved = Trace(archive).moved
        rows = harness.export(waits_command.analyse(archive), "callpaths", "--total")
    for way in ("written", "read"):
        wanted = {(path, rank): value for (how, path, (rank, _)), value in moved.items()
                  if how == way and "planted" in path.split(";")}
        tap.equal(sum(wanted.values()), 2 * 31, "31 bytes are %s by each of two processes" % way)
        tap.equal({(row["callpath"], int(row["rank"])): int(row["value"]) for row in rows
                   if row["metric"] == "bytes_io_" + way and "planted" in row["callpath"]},
                  wanted, "and it is told where")


def test_named_master(tap):
    """A master that messages do not show is named by the user."""
    with Directory() as directory:
        _, archive = run(directory, "waits_p2p", "no_master", 4)
        summary = waits_command.analyse(archive, "--master", "0")
        found = waits_command.severities(archive, summary)
        values = waits_oracle.Oracle(Trace(archive), master=0).values
        refused = harness.tsprof("waits", archive, "-o", summary, "--master", "4", "--force")
    metrics = {"mpi_slow_slaves", "mpi_overloaded_master_send", "mpi_overloaded_master_recv"}
    wanted = waits_command.by_call(values, metrics)
    tap.ok(wanted, "there is waiting of a master or for it")
    tap.equal(waits_command.by_call(found, metrics), wanted, "it is found")
    tap.ok(refused.status == 1 and "has no rank 4" in refused.stderr, "a rank that is not there",
           refused.stderr)


def test_report(tap):
    """What the report says of one late sender: who makes whom wait, by what, and when."""
    with Directory() as directory:
        _, archive = run(directory, "waits_p2p", "late_sender", 2)
        summary = waits_command.analyse(archive)
        said = " ".join(harness.tsprof("report", summary).stdout.split())
        part = harness.tsprof("report", summary, "--rank", "0").stdout
    tap.ok("Why ranks wait Ranks wait for each other for" in said, "there is a chapter", said)
    # On a busy machine there may be other causes behind that one.
    tap.ok(re.search(r"Rank 0 makes rank 1 wait for [0-9.]+ ms \(\d+\.\d %\)[^:]*: "
                     r"(for [0-9.]+ ms )?it computes longer in main", said),
           "who makes whom wait, and by what", said)
    tap.ok(re.search(r"Who waits for whom.*rank 1 for rank 0, \d+ time", said), "the pairs", said)
    tap.ok(re.search(r"The longest waits [0-9.]+ ms: rank 1 in MPI_Recv .*, for rank 0 in MPI_Send",
                     said), "the longest wait", said)
    tap.ok("rank 1 for rank 0" not in part, "of the chosen ranks only", part)


def test_places(tap):
    """Calls in one function are told apart by the functions that they are made for."""
    with Directory() as directory:
        summary = os.path.join(directory, "out.tsprof")
        harness.run_ranks([harness.program("shifting")], 2, cwd=directory,
                          settings={"TSPROF_OUTPUT": summary, "TSPROF_TRACE": "slowest:8"})
        waits = waits_command.analyse(os.path.join(directory, "out.otf2"))
        said = " ".join(harness.tsprof("report", waits).stdout.split())
    said = said[said.index("Why ranks wait"):said.index("Where the time went")]
    places = re.findall(r"in swap_halo \(shifting\.c\)(?: below (\w+))?", said)
    tap.ok(places, "there are some", said)
    tap.ok(set(places) <= {"assemble", "smooth", "solve", "update"}, "and for which", said)


if __name__ == "__main__":
    harness.main()
