#!/usr/bin/env python3
"""Iterations that TSPROF_ITERATION names: their number and what each of them did are those of the
program's loop, nothing is lost or counted twice, and the program does what it does."""

import os
import subprocess

import harness
import summary_reader
from harness import Directory

STEPS = 12
BARRIERS = "begin_step;MPI_Barrier"


def measure(directory, iteration, mode="plain", ranks=2, steps=STEPS, settings=None, name="named"):
    summary = os.path.join(directory, "out.tsprof")
    settings = dict({"TSPROF_OUTPUT": summary, "TSPROF_CLUSTERS": "0",
                     "TSPROF_ITERATION": iteration}, **(settings or {}))
    command = [harness.program(name)] + ([mode, str(steps)] if mode else [])
    result = harness.run_ranks(command, ranks, settings=settings, cwd=directory)
    harness.check_run(result, summary)
    return result, summary_reader.Summary(summary)


def counted(content):
    """How many iterations there are of each phase, on all ranks; they must agree."""
    found = None
    for location in content.locations:
        if location.place.thread:
            continue
        here = {content.phases[series.phase].name: sum(length for length, _ in series.map)
                for series in location.series}
        if found is not None and here != found:
            return "rank %d: %r, others: %r" % (location.place.rank, here, found)
        found = here
    return found


def visits(content, phase, ending, rank=0, name="visits"):
    """Visits, or another metric, of the call paths that end so, or of all, in each iteration of
    PHASE."""
    result = []
    metric = [m.name for m in content.metrics].index(name)
    nodes = {node for node in range(len(content.nodes))
             if ending is None or (";" + content.callpath(node)).endswith(";" + ending)}
    location = [at for at in content.locations
                if at.place.rank == rank and at.place.thread == 0][0]
    for series in location.series:
        if content.phases[series.phase].name != phase:
            continue
        for length, cluster in series.map:
            profile = series.clusters[cluster].profile
            result += length * [sum(value for (node, what), value in profile.items()
                                    if what == metric and node in nodes)]
    return result


def check_sound(tap, label, content):
    problems = summary_reader.problems(content)
    tap.ok(not problems, label + ": times add up and totals are exact", "\n".join(problems))


EXCHANGES = [1 + i % 4 for i in range(STEPS)]
REDUCTIONS = [2 + i % 3 for i in range(STEPS)]
CHECKPOINTS = [int(i % 5 == 4) for i in range(STEPS)]


def check_steps(tap, label, content, phase, checkpoints):
    """Each iteration is a step of the program's loop."""
    tap.equal(counted(content).get(phase), STEPS, label + ": as many iterations as steps")
    tap.equal(visits(content, phase, BARRIERS), [1] * STEPS, label + ": one barrier in each")
    tap.equal(visits(content, phase, "exchange;MPI_Sendrecv"), EXCHANGES, label + ": exchanges")
    tap.equal(visits(content, phase, "solve;MPI_Allreduce"), REDUCTIONS, label + ": reductions")
    tap.equal(visits(content, phase, "checkpoint;MPI_Gather"), checkpoints,
              label + ": checkpoints")
    tap.equal(sum(visits(content, phase, "MPI_Init")), 0, label + ": nothing of the set-up")
    check_sound(tap, label, content)


def test_function(tap):
    for wanted in ("step", "st*p"):
        with Directory() as directory:
            _, content = measure(directory, "function:" + wanted)
            check_steps(tap, "function:" + wanted, content, wanted, [0] * STEPS)
            tap.equal(sum(visits(content, wanted, "finish;MPI_Reduce")), 0,
                      "the last one ends where the program goes on")


def test_function_with_exact_visits(tap):
    with Directory() as directory:
        _, content = measure(directory, "function:step", settings={"TSPROF_VISITS": "exact"})
        check_steps(tap, "exact visits", content, "step", [0] * STEPS)


def test_as_with_markers(tap):
    """The same iterations as those of markers, in everything that was counted."""
    with Directory() as directory:
        _, marked = measure(directory, "", mode="marked")
    with Directory() as directory:
        _, named = measure(directory, "function:step")
    for ending in (BARRIERS, "exchange;MPI_Sendrecv", "solve;MPI_Allreduce", "MPI_Gather"):
        for rank in (0, 1):
            tap.equal(visits(named, "step", ending, rank), visits(marked, "step", ending, rank),
                      "%s on rank %d" % (ending, rank))


def test_call(tap):
    for wanted, phase in (("MPI_Barrier@begin_step", "MPI_Barrier in begin_step"),
                          ("MPI_Barrier", "MPI_Barrier"),
                          ("step > begin_step > MPI_Barrier", "MPI_Barrier in begin_step"),
                          ("main;run;step;begin_step;MPI_Barrier", "MPI_Barrier in begin_step"),
                          ("*;begin_*;MPI_Barrier", "MPI_Barrier in begin_*")):
        with Directory() as directory:
            _, content = measure(directory, "call:" + wanted)
            check_steps(tap, "call:" + wanted, content, phase, CHECKPOINTS)


def test_call_with_line(tap):
    """The line that `report` shows tells one call of a function from another."""
    source = os.path.join(harness.TOP_SRCDIR, "tests", "programs", "loop_shapes", "named.c")
    with open(source, encoding="utf-8") as file:
        line = 1 + [i for i, text in enumerate(file) if "MPI_Barrier(" in text][0]
    with Directory() as directory:
        _, content = measure(directory, "call:MPI_Barrier@begin_step:%d" % line)
        check_steps(tap, "with its line", content, "MPI_Barrier in begin_step:%d" % line,
                    CHECKPOINTS)
    with Directory() as directory:
        _, content = measure(directory, "call:MPI_Barrier@begin_step:%d" % (line + 1))
        tap.equal(counted(content), {}, "another line is another call")


def test_every(tap):
    with Directory() as directory:
        _, content = measure(directory, "every:MPI_Barrier:5")
        tap.equal(counted(content), {"5 MPI_Barrier": 3}, "every fifth call")
        tap.equal(visits(content, "5 MPI_Barrier", BARRIERS), [5, 5, 2], "five in each")
        check_sound(tap, "every", content)
        said = harness.tsprof("report", os.path.join(directory, "out.tsprof")).stdout
        tap.ok("named by TSPROF_ITERATION=every:MPI_Barrier:5\n" in said, "the report says so", said)


def test_nested(tap):
    with Directory() as directory:
        _, content = measure(directory, "call:MPI_Barrier@begin_step,function:solve")
        tap.equal(counted(content), {"MPI_Barrier in begin_step": STEPS, "solve": sum(REDUCTIONS)},
                  "both loops")
        tap.equal(visits(content, "solve", "solve;MPI_Allreduce"), [1] * sum(REDUCTIONS),
                  "one reduction in each of the inner one")
        tap.equal(visits(content, "MPI_Barrier in begin_step", "solve;MPI_Allreduce"), REDUCTIONS,
                  "all in the outer one")
        check_sound(tap, "nested", content)


def test_inner_loop_first(tap):
    """Functions nest as they are executed, in whatever order they are written."""
    with Directory() as directory:
        _, content = measure(directory, "function:solve,function:step")
        tap.equal(counted(content), {"step": STEPS, "solve": sum(REDUCTIONS)}, "both loops")
        check_sound(tap, "inner loop first", content)


def test_beside_markers(tap):
    """Markers of other names stay what they are, inside and around."""
    with Directory() as directory:
        _, content = measure(directory, "function:solve", mode="marked")
        tap.equal(counted(content), {"step": STEPS, "solve": sum(REDUCTIONS)},
                  "iterations of markers, and named ones in them")
        check_sound(tap, "inside markers", content)
    with Directory() as directory:
        result, content = measure(directory, "every:MPI_Barrier:3", mode="marked")
        tap.equal(counted(content)["step"], STEPS, "markers in iterations that calls begin")
        tap.ok(b"was ended" not in result.stderr, "no marker is wrong because of them",
               result.stderr)
        check_sound(tap, "around markers", content)


def test_time(tap):
    """Every interval exists on every rank, though nothing but the clock went on in it."""
    with Directory() as directory:
        _, content = measure(directory, "time:0.05", mode="wait", steps=6)
        found = {series.phase: sum(length for length, _ in series.map)
                 for location in content.locations for series in location.series}
        numbers = [sum(length for length, _ in series.map)
                   for location in content.locations for series in location.series]
        tap.ok(len(found) == 1 and len(numbers) == 2, "one phase on both ranks", found)
        tap.ok(min(numbers) >= 6, "at least as many as the program waited for", numbers)
        tap.ok(max(numbers) - min(numbers) <= 1, "and as many on the other rank", numbers)
        check_sound(tap, "time", content)


def test_executions_that_cannot_be_told_apart(tap):
    """Where exceptions are caught around a function nothing can be left on the stack: the summary
    says so, and a call in the function is as good as ever."""
    said = "could not always be told apart"
    with Directory() as directory:
        _, content = measure(directory, "function:step", mode=None, name="catching")
        tap.equal(visits(content, "step", "MPI_Barrier"), [5, 5, 2],
                  "executions with nothing between them are one iteration")
        notes = harness.tsprof("info", os.path.join(directory, "out.tsprof")).stdout
        tap.ok(said in " ".join(notes.split()), "it is noted", notes)
        check_sound(tap, "catching", content)
    with Directory() as directory:
        _, content = measure(directory, "call:MPI_Barrier@step", mode=None, name="catching")
        tap.equal(visits(content, "MPI_Barrier in step", "MPI_Barrier"), [1] * 12,
                  "a call in the function")


def test_fortran(tap):
    for program in ("heat_mpi", "heat_mpif", "heat_f08"):
        if not harness.is_built(program):
            tap.skip(program, "no Fortran compiler")
            continue
        with Directory() as directory:
            _, content = measure(directory, "function:exchange_right,call:MPI_Waitall@exchange_l*",
                                 mode=None, name=program)
            tap.equal(counted(content),
                      {"timestep": 25, "exchange_right": 25, "MPI_Waitall in exchange_l*": 25},
                      program + ": procedures by their names")
            check_sound(tap, program, content)


def test_templates(tap):
    for wanted in ("ring<double>::shift", "ring<double>::shift(double)", "ring<d*>::shift"):
        with Directory() as directory:
            _, content = measure(directory, "function:" + wanted, mode=None, name="templates")
            number = counted(content).get(wanted, 0)
            tap.ok(number > 0, wanted + ": functions of C++", counted(content))
            tap.equal(visits(content, wanted, "MPI_Sendrecv"), [1] * number,
                      wanted + ": each of them is one call")
            check_sound(tap, wanted, content)


def test_threads_follow(tap):
    with Directory() as directory:
        _, content = measure(directory, "function:step", mode="threads")
        check_steps(tap, "threads", content, "step", [0] * STEPS)
        other = [at for at in content.locations if at.place.thread and at.series]
        tap.ok(other and all(sum(length for length, _ in series.map) == STEPS
                             for at in other for series in at.series),
               "another thread has its part in them")


def test_same_result(tap):
    plain = harness.run_plain([harness.program("named"), "plain", "12"], 2)
    for iteration in ("function:step", "call:MPI_Barrier", "time:0.001", "every:MPI_Barrier:2"):
        with Directory() as directory:
            result, _ = measure(directory, iteration)
            tap.equal((result.status, result.stdout), (plain.status, plain.stdout),
                      iteration + ": the program's result is unchanged")


def annotated(mode, name="annotated"):
    return [harness.program(name), mode]


def try_annotated(tap, mode, iteration, name="annotated", settings=None):
    plain = harness.run_plain(annotated(mode, name), 2)
    with Directory() as directory:
        summary = os.path.join(directory, "out.tsprof")
        result = harness.run_ranks(
            annotated(mode, name), 2, cwd=directory,
            settings=dict({"TSPROF_OUTPUT": summary, "TSPROF_CLUSTERS": "0",
                           "TSPROF_ITERATION": iteration}, **(settings or {})))
        harness.check_run(result, summary)
        content = summary_reader.Summary(summary)
        label = "%s of %s, %s" % (mode, name, iteration)
        tap.equal(result.stdout, plain.stdout, label + ": the tool's own functions are called")
        tap.ok(b"was ended" not in result.stderr, label + ": all begins have their ends",
               result.stderr)
        check_sound(tap, label, content)
        return content


BARRIERS_OF_STEPS = [1 + i % 4 for i in range(10)]


def test_other_tools_regions(tap):
    for mode, tool in (("region", "caliper"), ("loop", "caliper"), ("class", "caliper"),
                       ("handle", "scorep"), ("name", "scorep"), ("likwid", "likwid")):
        for name in ("annotated", "annotated_lazy"):
            content = try_annotated(tap, mode, tool + ":step", name)
            tap.equal(counted(content), {"step": 10}, "%s: as many as there are regions" % mode)
            tap.equal(visits(content, "step", "work;MPI_Barrier"), BARRIERS_OF_STEPS,
                      "%s: what each of them did" % mode)


def test_other_tools_regions_of_functions_that_tell(tap):
    """In a program compiled with -finstrument-functions they go on, and its functions are in them."""
    for mode, tool in (("region", "caliper"), ("loop", "caliper"), ("class", "caliper"),
                       ("handle", "scorep"), ("name", "scorep"), ("likwid", "likwid"),
                       ("nvtx", "nvtx"), ("domain", "nvtx")):
        settings = {"NVTX_INJECTION64_PATH": NVTX_LIBRARY} if tool == "nvtx" else {}
        content = try_annotated(tap, mode, tool + ":step", "annotated_told", settings)
        tap.equal(counted(content), {"step": 10}, "%s: as many as there are regions" % mode)
        tap.equal(visits(content, "step", "work;MPI_Barrier"), BARRIERS_OF_STEPS,
                  "%s: what each of them did" % mode)
        tap.equal(visits(content, "step", "work"), [1] * 10, "%s: each has its function" % mode)


def test_regions_inside_regions(tap):
    for mode, tool in (("region", "caliper"), ("loop", "caliper"), ("handle", "scorep")):
        content = try_annotated(tap, mode, tool + ":insid*")
        tap.equal(set(counted(content).values()), {10}, mode + ": the inner ones alone")
        content = try_annotated(tap, mode, tool + ":*")
        tap.equal(list(counted(content).values()), [10, 10], mode + ": both")


NVTX_LIBRARY = os.path.join(harness.LIBRARIES, "libtsprof-nvtx.so")


def test_nvtx_ranges(tap):
    settings = {"NVTX_INJECTION64_PATH": NVTX_LIBRARY}
    for mode in ("nvtx", "domain"):
        content = try_annotated(tap, mode, "nvtx:step", settings=settings)
        tap.equal(counted(content), {"step": 10}, mode + ": as many as there are ranges")
        tap.equal(visits(content, "step", "work;MPI_Barrier"), BARRIERS_OF_STEPS,
                  mode + ": what each of them did")
        content = try_annotated(tap, mode, "time:100", settings=settings)
        tap.equal(list(counted(content)), ["100 s"], mode + ": none unless asked for")


def test_exec_offers_itself_to_nvtx(tap):
    with Directory() as directory:
        summary = os.path.join(directory, "out.tsprof")
        result = harness.run_plain(
            [harness.COMMAND, "exec"] + annotated("nvtx"), 2, cwd=directory,
            settings={"TSPROF_OUTPUT": summary, "TSPROF_LIB": harness.LIBRARY,
                      "TSPROF_ITERATION": "nvtx:step"})
        harness.check_run(result, summary)
        tap.equal(counted(summary_reader.Summary(summary)), {"step": 10}, "ranges are seen")


def test_no_tool_is_there_that_is_not(tap):
    """What nobody has loaded does not seem to be there, whatever TSPROF_ITERATION asks for."""
    command = [harness.program("named"), "tools", "1"]
    plain = harness.run_plain(command, 1)
    tap.equal(plain.stdout, b"0 tools\n0\n", "without tsprof there is none")
    with Directory() as directory:
        result, _ = measure(directory, "caliper:*,scorep:*,likwid:*,nvtx:*", mode="tools", ranks=1)
        tap.equal(result.stdout, plain.stdout, "nor with it")


def pcontrol(directory, iteration, mode="levels"):
    summary = os.path.join(directory, "out.tsprof")
    result = harness.run_ranks(
        [harness.program("pcontrol"), "levels"], 2, cwd=directory,
        settings={"TSPROF_OUTPUT": summary, "TSPROF_PCONTROL": mode,
                  "TSPROF_ITERATION": iteration})
    harness.check_run(result, summary)
    return summary_reader.Summary(summary)


def test_pcontrol(tap):
    everything = {"pcontrol 7": 6, "pcontrol 9": 4, "pcontrol 1": 2, "pcontrol 2": 1,
                  "pcontrol 3": 1, "pcontrol 4": 1}
    for iteration, mode, wanted in (
            ("pcontrol:7", "off", {"pcontrol 7": 6}),
            ("pcontrol:7,pcontrol:9", "off", {"pcontrol 7": 6, "pcontrol 9": 4}),
            ("pcontrol:4", "levels", {"pcontrol 7": 6, "pcontrol 9": 4, "pcontrol 4": 1})):
        with Directory() as directory:
            content = pcontrol(directory, iteration, mode)
            tap.equal(counted(content), wanted, "%s with TSPROF_PCONTROL=%s" % (iteration, mode))
            check_sound(tap, iteration, content)
    with Directory() as directory:
        found = counted(pcontrol(directory, "pcontrol"))
        tap.equal({at.split(" ")[1] for at in found}, {at.split(" ")[1] for at in everything},
                  "pcontrol: all levels from 1 on")


def test_what_was_not_seen_is_said(tap):
    for iteration, wanted in (("function:stepp", "no MPI function was called in function stepp"),
                              ("call:MPI_Scan", "MPI_Scan was not called"),
                              ("call:MPI_Barrier@finish", "not called from the place it names"),
                              ("every:MPI_Scam:2", "there is no MPI function MPI_Scam")):
        with Directory() as directory:
            result, _ = measure(directory, iteration)
            said = result.stderr.decode()
            tap.equal(said.count(wanted), 1, iteration + ": said once")
    with Directory() as directory:
        result, _ = measure(directory, "function:step,call:MPI_Barrier,every:MPI_Barrier:2")
        tap.ok(b"TSPROF_ITERATION" not in result.stderr, "nothing where all was seen",
               result.stderr)


def test_a_bad_value(tap):
    with Directory() as directory:
        result, content = measure(directory, "call:solve")
        said = result.stderr.decode()
        tap.ok("TSPROF_ITERATION=call:solve" in said and "call:MPI_NAME[@FUNCTION" in said,
               "is named with what is accepted", said)
        check_sound(tap, "a bad value", content)


def test_stripped(tap):
    """Functions without names are meant by what reports call them."""
    with Directory() as directory:
        program = os.path.join(directory, "bare")
        subprocess.run(["strip", "-o", program, harness.program("named")], check=True)
        _, content = measure(directory, "markers", name=program)
        callers = {content.callpath(node).split(";")[-2] for node in range(len(content.nodes))
                   if content.callpath(node).endswith(";MPI_Barrier")}
        os.unlink(os.path.join(directory, "out.tsprof"))
        tap.ok(callers and all(caller.startswith("bare+0x") for caller in callers),
               "stripped: functions are known by their places", repr(callers))
        caller = sorted(callers)[0]
        _, found = measure(directory, "call:MPI_Barrier@" + caller, name=program)
        phases = list(counted(found).items())
        number = [metric.name for metric in content.metrics].index("visits")
        wanted = sum(value for (node, metric), value in content.locations[0].whole.items()
                     if metric == number
                     and content.callpath(node).endswith(caller + ";MPI_Barrier"))
        tap.equal([count for _, count in phases], [wanted], "stripped: each call from there")
        check_sound(tap, "stripped", found)


if __name__ == "__main__":
    harness.main()
