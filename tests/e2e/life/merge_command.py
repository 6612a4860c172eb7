#!/usr/bin/env python3
"""tsprof merge on the command line: names, what stays and what goes, and what it says."""

import glob
import os
import shutil
import struct

import harness
import mortality
import part_reader
import summary_reader
from harness import Directory
from mortality import Case

CASE = Case("kill", 2, 20000, 2, False, 8, 60, 0, 0)


def die(directory, case=CASE, settings=None):
    """A job that leaves parts in DIRECTORY/out.*.parts."""
    with mortality.Job(directory, case, settings=settings) as job:
        job.die(case)
        return [job.told(rank) for rank in range(case.ranks)]


def listing(directory):
    return sorted(os.path.relpath(os.path.join(top, name), directory)
                  for top, _, names in os.walk(directory) for name in names)


def test_names_and_leavings(tap):
    with Directory() as directory:
        told = die(directory)
        parts = mortality.parts(directory)
        home = os.path.dirname(parts[0])
        tap.equal(len(parts), 2, "each rank left a part")
        before = listing(directory)
        for command in (["report", directory], ["info", home], ["report", parts[0]],
                        ["export", directory, "--what", "iterations"]):
            result = harness.tsprof(*command)
            tap.ok(result.status == 0 and not result.stderr, command[0] + " reads parts",
                   result.stdout + result.stderr)
        tap.equal(listing(directory), before, "and leaves nothing behind")

        result = harness.tsprof("merge", directory)
        out = os.path.join(directory, "out.tsprof")
        tap.ok(result.status == 0 and os.path.exists(out), "the summary has the run's name",
               result.stderr + "\n".join(listing(directory)))
        tap.ok("--remove" in result.stderr, "it is said that the parts stay", result.stderr)
        tap.equal(mortality.parts(directory), parts, "so they do")
        found = mortality.problems(out, CASE, told)
        tap.ok(not found, "it is right", "\n".join(found))

        with open(out, "rb") as file:
            content = file.read()
        result = harness.tsprof("merge", directory, "-o", out)
        tap.ok(result.status == 1 and "not overwritten" in result.stderr,
               "an existing file is not overwritten", result.stderr)
        result = harness.tsprof("merge", home, "--remove")
        with open(out, "rb") as file:
            tap.equal(file.read(), content, "by default neither")
        with open(os.path.join(directory, "out.1.tsprof"), "rb") as file:
            tap.equal(file.read(), content, "merged again it is the same")
        tap.ok(result.status == 0 and not os.path.exists(home), "--remove removes the parts",
               result.stderr + "\n".join(listing(directory)))
        result = harness.tsprof("merge", directory)
        tap.ok(result.status == 1 and "no parts" in result.stderr, "then there are none",
               result.stderr)


def test_damaged_parts(tap):
    with Directory() as directory:
        die(directory)
        first, second = mortality.parts(directory)
        os.truncate(first, 5000)
        out = os.path.join(directory, "merged.tsprof")
        result = harness.tsprof("merge", directory, "-o", out, "--remove")
        tap.ok(result.status == 0 and os.path.basename(first) in result.stderr,
               "a damaged part is named and left out", result.stderr)
        tap.equal({place.rank for place in summary_reader.Summary(out).places}, {1},
                  "the other is merged")
        tap.ok(os.path.exists(first) and os.path.exists(second), "none is removed then",
               result.stderr)
        os.truncate(second, 3)
        result = harness.tsprof("merge", directory)
        tap.ok(result.status == 1 and "that can be read" in result.stderr, "all are damaged",
               result.stderr)
        tap.equal(glob.glob(os.path.join(directory, "*.tsprof")), [out], "nothing is written")


def damage_last_snapshot(path):
    """Of the first thread of a part."""
    with open(path, "r+b") as part:
        part.seek(4096 + 64)
        slots = [struct.unpack("<QQIIII", part.read(32)) for _ in range(2)]
        offset, size, *_ = max(slots, key=lambda slot: slot[2])
        part.seek(offset + size // 2)
        byte = part.read(1)[0]
        part.seek(offset + size // 2)
        part.write(bytes([byte ^ 1]))


def die_with_two_snapshots(directory):
    """Leaves parts, of which rank 0's, which is returned, has two snapshots that are whole.

    A job that is killed while it saves has one."""
    for _ in range(10):
        die(directory, CASE._replace(at=130))
        first, _ = mortality.parts(directory)
        thread = part_reader.parts(os.path.dirname(first))[0].threads[0]
        if all(thread.snapshots):
            break
        shutil.rmtree(os.path.dirname(first))
    return first


def test_damaged_snapshot(tap):
    """Where the last that was saved is damaged, what was saved before it is used and said to be."""
    with Directory() as directory:
        first = die_with_two_snapshots(directory)
        out = os.path.join(directory, "whole.tsprof")
        result = harness.tsprof("merge", directory, "-o", out)
        tap.ok(result.status == 0 and "damaged" not in result.stderr, "of what is whole nothing is",
               result.stderr)
        damage_last_snapshot(first)
        out = os.path.join(directory, "older.tsprof")
        result = harness.tsprof("merge", directory, "-o", out)
        tap.ok(result.status == 0 and os.path.basename(first) in result.stderr
               and "an earlier one is used" in result.stderr, "the part is named", result.stderr)
        content = summary_reader.Summary(out)
        noted = [any("is damaged" in note for note in location.notes)
                 for location in content.locations]
        tap.ok(noted[0] and not any(noted[1:]), "and so is the location, no other", noted)
        tap.ok("is damaged" in harness.tsprof("info", out).stdout, "info says it")
        tap.equal(summary_reader.problems(content), [], "all is exact")


def test_several_jobs(tap):
    """Two jobs in one directory, and one whose hosts name it differently."""
    with Directory() as directory:
        die(directory)
        die(directory)
        result = harness.tsprof("merge", directory)
        homes = sorted(glob.glob(os.path.join(directory, "*.parts")))
        tap.equal(len(homes), 2, "the second job has a directory of its own")
        tap.ok(result.status == 1 and "2 jobs" in result.stderr and
               all(home in result.stderr for home in homes), "it is asked which", result.stderr)
        for i, home in enumerate(homes):
            out = os.path.join(directory, "job%d.tsprof" % i)
            result = harness.tsprof("merge", home, "-o", out)
            tap.ok(result.status == 0 and os.path.exists(out), "each can be merged", result.stderr)
        # As if rank 0 of one had been on one host and rank 1 of the other one on another.
        chosen = [glob.glob(os.path.join(home, "%d.*.part" % rank))[0]
                  for rank, home in enumerate(homes)]
        out = os.path.join(directory, "both.tsprof")
        result = harness.tsprof("merge", *(chosen + ["-o", out]))
        tap.equal(result.status, 0, "parts of several directories can be given together")
        tap.equal({place.rank for place in summary_reader.Summary(out).places}, {0, 1},
                  "all of them are in the summary")


def test_replaced_program(tap):
    """Names come from the file that was run, or there are none."""
    with Directory() as directory:
        program = os.path.join(directory, "mortal")
        original = harness.program("mortal")
        shutil.copy(original, program)
        kept, harness.program = harness.program, lambda name: program
        try:
            die(directory)
        finally:
            harness.program = kept

        def names(out):
            result = harness.tsprof("merge", directory, "-o", out)
            tap.equal(result.status, 0, "merged")
            summary = summary_reader.Summary(out)
            return {region.name for region in summary.regions}

        found = names(os.path.join(directory, "1.tsprof"))
        tap.ok({"compute", "exchange"} <= found, "functions have their names", sorted(found))
        os.unlink(program)
        shutil.copy(harness.program("nompi"), program)
        found = names(os.path.join(directory, "2.tsprof"))
        tap.ok(not {"compute", "exchange"} & found, "the file is another one now", sorted(found))
        tap.ok(any(name.startswith("mortal+0x") for name in found), "functions are known by place",
               sorted(found))
        tap.ok({"timestep", "MPI_Sendrecv"} <= found, "phases and MPI functions by name",
               sorted(found))


def paths(summary, name):
    """Call paths by name that hold a call to NAME."""
    result = harness.tsprof("export", summary, "--what", "callpaths", "--total")
    rows = (row for row in result.stdout.splitlines() if name in row)
    return {row.split(",")[3] for row in rows}


def test_places_of_threads(tap):
    """What threads did in iterations that another one marks is where a run that ends has it."""
    with Directory() as directory:
        whole = os.path.join(directory, "whole.tsprof")
        result = harness.run_ranks([harness.program("mortal"), "--us", "1000", "--iterations", "20",
                                    "--threads", "2"], 2, {"TSPROF_OUTPUT": whole}, cwd=directory)
        tap.equal(result.status, 0, "a run that ends")
        die(directory)
        for call in ("MPI_Comm_size", "MPI_Sendrecv"):
            wanted = {p for p in paths(whole, call) if "timestep" in p}
            got = {p for p in paths(directory, call) if "timestep" in p}
            tap.ok(wanted and got == wanted, call + " has the same call paths",
                   "got    %s\nwanted %s" % (sorted(got), sorted(wanted)))


def test_command_line(tap):
    result = harness.tsprof("merge")
    tap.equal(result.status, 2, "what to merge is missing")
    result = harness.tsprof("merge", "--help")
    tap.ok(result.status == 0 and "--remove" in result.stdout, "help", result.stdout)
    with Directory() as directory:
        for command in ("merge", "report", "info"):
            result = harness.tsprof(command, directory)
            tap.ok(result.status == 1 and "holds no parts" in result.stderr,
                   command + " of a directory without parts", result.stderr)


if __name__ == "__main__":
    harness.main()
