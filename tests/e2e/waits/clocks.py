#!/usr/bin/env python3
"""Hosts whose clocks disagree: a preloaded library makes each rank a host of its own, with a clock
that is shifted and drifts (tests/programs/fakes/other_hosts.c).  The program itself goes by the true
time; so what is planted and found must be the same as on one host.
"""

import json
import os

import archive_reader
import harness
import planted
import summary_reader
import waits_command
from harness import Directory, Failure

FAKE = os.path.join(harness.PROGRAMS, "libother_hosts.so")

# Microseconds by which the clock of rank 1 is late, and microseconds a second that it loses.
CLOCKS = ((50000, 100000), (-700000, -50000))

CASES = (("waits_p2p", "late_sender", 2), ("waits_coll", "barrier_stairs", 3), ("waits_coll", "bcast_late", 2))

KINDS = ("dependencies", "violations_before", "violations_after", "moved_events",
         "largest_move_ns", "mean_move_ns", "given_up")


def run(directory, command, ranks, settings, status=0):
    preload = ["env", "LD_PRELOAD=%s %s" % (FAKE, harness.LIBRARY)]
    result = harness.execute(
        [harness.mpirun(), "-n", str(ranks)] + preload + command, cwd=directory,
        settings=dict({"TSPROF_OUTPUT": os.path.join(directory, "out.tsprof"),
                       "TSPROF_TRACE": "all", "TSPROF_ITERATION": "markers"}, **settings))
    if (result.status == 0) != (status == 0):
        raise Failure("status %d\n%s" % (result.status, result.stderr.decode("utf-8", "replace")))
    return result


def clocks(shift, drift, **more):
    settings = {"OTHER_HOSTS_SHIFT_US": str(shift), "OTHER_HOSTS_DRIFT_PPM": str(drift)}
    settings.update(("OTHER_HOSTS_" + key, str(value)) for key, value in more.items())
    return settings


def facts_of(summary):
    """What the summary says of clocks, by key; {} where they were not looked at."""
    facts = summary_reader.Summary(summary).run
    return {key: int(facts["clocks." + key]) for key in KINDS if "clocks." + key in facts}


def check(tap, program, case, ranks, settings):
    # Who sleeps may be late, and who waits busily shares processors: see planted.py.
    for _ in range(3):
        with Directory() as directory:
            result = run(directory, [harness.program(program), case], ranks, settings)
            archive = os.path.join(directory, "out.otf2")
            expected = planted.parse(result.stdout.decode())
            found = planted.differences(expected, *planted.command(archive))
            facts = facts_of(os.path.join(directory, "waits.tsprof"))
        if not found:
            break
        print("# again: " + "\n# ".join(found))
    label = "%s %s, clocks %s" % (program, case, settings)
    tap.ok(expected and not found, label + ": what is planted is found", "\n".join(found))
    tap.equal(facts.get("violations_after"), 0, label + ": in an order that is possible")
    # They are wrong by seconds otherwise; what is left is half of a round trip.
    tap.ok(facts.get("largest_move_ns", 1 << 63) < 20000000,
           label + ": the runtime has compared clocks", facts)


def test_measured(tap):
    for number, (shift, drift) in enumerate(CLOCKS):
        for case in CASES if number == 0 else CASES[:1]:
            check(tap, *case, clocks(shift, drift))


def test_ranks_share_hosts(tap):
    """What the first rank of a host has measured is told to the others."""
    check(tap, "waits_coll", "barrier_stairs", 3, clocks(50000, 100000, PER=2))


def test_restored(tap):
    """Where the runtime measures nothing, the times of day are left, and what events prove."""
    with Directory() as directory:
        settings = clocks(-20000, 0, ARE_NEAR=1)
        run(directory, [harness.program("random_messages"), "--iterations", "30"], 3, settings)
        summary = waits_command.analyse(os.path.join(directory, "out.otf2"))
        facts = facts_of(summary)
        said = " ".join(harness.tsprof("report", summary).stdout.split())
        perfetto = harness.tsprof("export", os.path.join(directory, "out.otf2"), "--format",
                                  "perfetto")
    tap.ok(facts["violations_before"] > 0, "clocks are too wrong to be possible", str(facts))
    tap.equal(facts["violations_after"], 0, "an order is restored that is")
    tap.ok(10000000 < facts["largest_move_ns"] < 100000000,
           "events are moved by as much as their clocks are wrong", str(facts))
    tap.ok("0 still do." in said and "By the clocks of the hosts %d of %d messages" %
           (facts["violations_before"], facts["dependencies"]) in said, "the report says so", said)
    flows = {}
    for event in json.loads(perfetto.stdout)["traceEvents"]:
        if event["ph"] in "sf":
            flows.setdefault(event["id"], {})[event["ph"]] = event["ts"]
    late = [flow for flow in flows.values() if len(flow) == 2 and flow["f"] < flow["s"]]
    tap.ok(flows and not late, "no message in an export arrives before it was sent", str(late[:3]))


def predict(archive, *question):
    result = harness.tsprof("whatif", archive, *question, "--format", "json")
    if result.status != 0:
        raise Failure(result.stderr)
    return json.loads(result.stdout)


def waits_in(summary):
    """The seconds of some kinds of waiting, of all ranks."""
    return {metric: sum(float(row["value"]) for row in harness.export(
        summary, "callpaths", "--total", "--metric", metric))
        for metric in ("time", "mpi_latesender", "mpi_barrier_wait")}


def test_predicted(tap):
    """The predicted run has the corrected times, and nobody corrects them again: neither where
    nothing was changed nor where calls do not wait for what had not happened yet."""
    with Directory() as directory:
        run(directory, [harness.program("random_messages"), "--iterations", "30"], 3,
            clocks(-20000, 0, ARE_NEAR=1))
        archive = os.path.join(directory, "out.otf2")
        made = [os.path.join(directory, name) for name in ("same.otf2", "free.otf2")]
        answers = [predict(archive, *question, "-o", path) for question, path in
                   zip((("scale", "MPI_Finalize=1"), ("zero-wait", "all")), made)]
        again = [predict(path, "zero-wait", "all") for path in made]
        summaries = [os.path.join(directory, name) for name in ("a.tsprof", "b.tsprof")]
        for path, summary in zip((archive, made[0]), summaries):
            if harness.tsprof("waits", path, "-o", summary).status != 0:
                raise Failure("%s cannot be searched for waits" % path)
        facts = [facts_of(summary) for summary in summaries]
        waits = [waits_in(summary) for summary in summaries]
    tap.ok(facts[0]["violations_before"] > 0 and not facts[1],
           "the clocks are wrong, and those of the prediction are one", facts)
    for first, second, name in zip(answers, again, ("the same", "without waits")):
        tap.ok(abs(second["measured"] - first["changed"]) < 2e-6, name + ": it takes the predicted time",
               (first["changed"], second["measured"]))
        tap.ok(abs(second["unchanged"] - second["measured"]) < 0.001 * second["measured"],
               name + ": and so it does again", (second["measured"], second["unchanged"]))
    tap.ok(abs(again[0]["changed"] - answers[1]["changed"]) < 0.001 * answers[1]["changed"],
           "a question to it has the same answer", (again[0]["changed"], answers[1]["changed"]))
    tap.ok(waits[0]["mpi_latesender"] > 0 and
           all(abs(waits[0][metric] - waits[1][metric]) < 0.001 * waits[0]["time"]
               for metric in waits[0]), "the same waits are found in it", waits)


def test_one_host(tap):
    """Nobody looks at clocks that are one."""
    with Directory() as directory:
        run(directory, [harness.program("waits_p2p"), "late_sender"], 2, clocks(50000, 0, PER=8))
        facts = facts_of(waits_command.analyse(os.path.join(directory, "out.otf2")))
    tap.equal(facts, {}, "clocks of one host are not looked at")


def test_endings(tap):
    """The comparison at the end does not wait for processes that are gone."""
    for mode, status in (("normal", 0), ("abort", 7), ("exit", 5), ("crash", 139)):
        with Directory() as directory:
            run(directory, [harness.program("endings"), mode], 2, clocks(50000, 100), status)
        tap.ok(True, "endings %s: ends" % mode)


def test_given_up(tap):
    """What is not corrected, since its other end never came, is told."""
    if archive_reader.otf2 is None:
        raise harness.Skip("there is no OTF2 module for Python")
    import otf2.writer
    with Directory() as directory:
        path = os.path.join(directory, "other.otf2")
        write_half_barrier(path, otf2)
        summary = waits_command.analyse(path)
        facts = facts_of(summary)
        info = harness.tsprof("info", summary).stdout
    tap.ok(facts.get("given_up", 0) > 0, "it did not wait any longer", facts)
    tap.ok("%d not corrected" % facts.get("given_up", 0) in info, "info says so", info)


def write_half_barrier(path, otf2):
    """Two hosts, one of which never comes to a barrier."""
    with otf2.writer.open(path, timer_resolution=1000000000) as trace:
        definitions = trace.definitions
        region = definitions.region("MPI_Barrier", paradigm=otf2.Paradigm.MPI)
        locations = [definitions.location("Master", group=definitions.location_group(
            "MPI Rank %d" % rank,
            system_tree_parent=definitions.system_tree_node("host%d" % rank)))
            for rank in range(2)]
        definitions.group("", group_type=otf2.GroupType.COMM_LOCATIONS,
                          paradigm=otf2.Paradigm.MPI, members=locations)
        comm = definitions.comm("MPI_COMM_WORLD", group=definitions.group(
            "", group_type=otf2.GroupType.COMM_GROUP, paradigm=otf2.Paradigm.MPI,
            members=range(2)))
        writers = [trace.event_writer_from_location(location) for location in locations]
        for writer in writers:
            writer.enter(1000, region)
        writers[0].mpi_collective_begin(1000)
        writers[0].mpi_collective_end(2000, otf2.CollectiveOp.BARRIER, comm, 0, 0, 0)
        for writer in writers:
            writer.leave(3000, region)


def write_archive(path, otf2):
    """Two locations, whose clocks are to be corrected by what is written beside their events."""
    import _otf2
    with otf2.writer.open(path, timer_resolution=1000000000) as trace:
        node = trace.definitions.system_tree_node("host")
        region = trace.definitions.region("work")
        for rank, offsets in enumerate((((1000, 0), (3000, 0)), ((0, 600), (3000, 300)))):
            group = trace.definitions.location_group("MPI Rank %d" % rank, system_tree_parent=node)
            location = trace.definitions.location("Master", group=group)
            writer = trace.event_writer_from_location(location)
            writer.enter(1000, region)
            writer.leave(2000 + 1000 * rank, region)
            local = _otf2.Archive_GetDefWriter(trace.handle, rank)
            for time, offset in offsets:
                _otf2.DefWriter_WriteClockOffset(local, time, offset, 0.0)


def test_offsets_of_others(tap):
    """Archives of others have offsets of clocks beside the events."""
    if archive_reader.otf2 is None:
        raise harness.Skip("there is no OTF2 module for Python")
    import otf2.writer
    with Directory() as directory:
        path = os.path.join(directory, "other.otf2")
        write_archive(path, otf2)
        result = harness.tsprof("export", path, "--format", "perfetto")
    if result.status != 0:
        raise Failure(result.stderr)
    times = {(event["pid"], event["ph"]): round(1000 * event["ts"])
             for event in json.loads(result.stdout)["traceEvents"] if event["ph"] in "BE"}
    tap.equal(times, {(0, "B"): 0, (0, "E"): 1000, (1, "B"): 500, (1, "E"): 2300},
              "they are applied, and what is between two is interpolated")


if __name__ == "__main__":
    harness.main()
