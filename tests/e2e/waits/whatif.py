#!/usr/bin/env python3
"""Predicted times of a program whose times are known: programs/waits/steps.c.

Four steps of two ranks: one of them, by turns, is in the phase "solve" for 60 ms, the other for 30.
What a change gains follows from that, and from how long they really were there: sleeps may last
longer.  What must hold whatever the times are is tested exactly.
"""

import json
import os
import re
import tarfile

import harness
import waits_command
from harness import HERE, Directory, Failure

# What the simple model below leaves out: what calls take, and the little between them.  Where the
# steps have taken longer than it says, ranks lacked processors, and so much it can be off.
TOLERANCE = 0.010


def tolerance_of(answer, solve):
    longest = sum(one["measured"] for one in answer["iterations"])
    return TOLERANCE + max(0, longest - model(solve))


# Nanoseconds are rounded here and there.
EXACT = 2e-6


def model(solve, receive=True, barrier=(0, 1), latency=0.0):
    """The time of the steps: SOLVE has the seconds of the two ranks in each.  RECEIVE: rank 1 waits
    for the message; BARRIER: those ranks wait there."""
    at = [0.0, 0.0]
    for step in solve:
        at = [now + own for now, own in zip(at, step)]
        if receive:
            at[1] = max(at[1], at[0] + latency)
        at = [max(at) if rank in barrier else at[rank] for rank in (0, 1)]
    return max(at)


def scaled(solve, factor):
    return [[factor * own for own in step] for step in solve]


def balanced(solve, steps=range(4)):
    return [[sum(step) / 2] * 2 if i in steps else step for i, step in enumerate(solve)]


GAINS = (
    ("scale solve=0.5", lambda solve: model(scaled(solve, 0.5))),
    ("scale solve=1", model),
    ("balance solve", lambda solve: model(balanced(solve))),
    ("balance iterations", lambda solve: model(balanced(solve))),
    ("balance step:1", lambda solve: model(balanced(solve, [1]))),
    ("zero solve", lambda solve: 0),
    ("zero-wait step", lambda solve: model(solve, False, ())),
    ("zero-wait MPI_Barrier@0", lambda solve: model(solve, barrier=[1])),
    ("zero-wait MPI_Recv", lambda solve: model(solve, False)),
    ("network L=20ms", lambda solve: model(solve, latency=0.020)),
    ("scale solve=0.5 balance solve", lambda solve: model(balanced(scaled(solve, 0.5)))),
)


def solved(directory):
    """The seconds in "solve" of both ranks, by step."""
    rows = harness.export(os.path.join(directory, "out.tsprof"), "callpaths", "--phase", "step",
                          "--metric", "time")
    seconds = [[0.0, 0.0] for _ in range(4)]
    for row in rows:
        if "solve" in row["callpath"].split(";"):
            seconds[int(row["iteration"])][int(row["rank"])] += float(row["value"])
    return seconds


def traced(directory, *arguments):
    """The archive of a run."""
    result = harness.run_ranks(
        [harness.program("steps"), *arguments], 2, cwd=directory,
        settings={"TSPROF_OUTPUT": os.path.join(directory, "out.tsprof"), "TSPROF_TRACE": "all",
                  "TSPROF_ITERATION": "markers", "TSPROF_CLUSTERS": "0"})
    if result.status != 0:
        raise Failure(result.stderr.decode("utf-8", "replace"))
    return os.path.join(directory, "out.otf2")


def undisturbed(directory):
    """Of three runs at most one whose ranks have not lacked processors, or the last."""
    for attempt in range(3):
        place = os.path.join(directory, str(attempt))
        os.mkdir(place)
        archive = traced(place)
        if tolerance_of(ask(archive, "scale solve=1"), solved(place)) < 2 * TOLERANCE:
            break
    return archive


def ask(archive, question, *options):
    result = harness.tsprof("whatif", archive, *question.split(" "), "--format", "json", *options)
    if result.status != 0 or result.stderr:
        raise Failure("%s: status %d: %s" % (question, result.status, result.stderr))
    return json.loads(result.stdout)


def test_gains(tap):
    for attempt in range(3):
        with Directory() as directory:
            archive = traced(directory)
            solve = solved(directory)
            answers = [(question, ask(archive, question), model(solve) - changed(solve))
                       for question, changed in GAINS]
        tolerance = tolerance_of(answers[0][1], solve)
        if tolerance < 2 * TOLERANCE and all(abs(answer["gain"] - wanted) < tolerance
                                             for _, answer, wanted in answers):
            break
    for question, answer, wanted in answers:
        tap.ok(abs(answer["gain"] - wanted) < tolerance, question,
               "%f rather than %f" % (answer["gain"], wanted))
    answer = answers[0][1]
    tap.ok(abs(answer["unchanged"] - answer["measured"]) < 0.001 * answer["measured"],
           "unchanged it is predicted to take as long as it took", answer)
    tap.ok(not answer["notes"], "there is nothing to say against it", answer["notes"])
    tap.ok(len(answer["iterations"]) == 4, "there are four iterations")
    for one in answer["iterations"]:
        half = max(solve[one["iteration"]]) / 2
        tap.ok(abs(one["gain"] - half) < tolerance, "step %d has its part" % one["iteration"], one)


def test_best(tap):
    for attempt in range(3):
        with Directory() as directory:
            archive = traced(directory)
            answer = ask(archive, "best")
            best, solve = answer["best"], solved(directory)
            asked = [ask(archive, one["question"])["changed"] for one in best["single"]]
        tolerance = tolerance_of(answer, solve)
        gain = best["time"] - best["single"][0]["time"]
        wanted = model(solve) - min(model(balanced(solve)), model(solve, barrier=()))
        if abs(gain - wanted) < tolerance < 2 * TOLERANCE:
            break
    tap.ok(abs(gain - wanted) < tolerance, "the best gains what balance or no waiting would",
           (gain, wanted))
    questions = [one["question"] for one in best["single"]]
    tap.ok("balance solve" in questions, "balancing the phase is one", questions)
    tap.ok(len(questions) == len(set(questions)), "none is told twice", questions)
    tap.ok(all(abs(one["time"] - changed) < EXACT for one, changed in zip(best["single"], asked)),
           "each can be asked as it is told, and has that answer", (best["single"], asked))
    tap.ok(not any("main;step" in question for question in questions) and
           any(question.startswith("zero-wait step;MPI_") for question in questions),
           "call paths are as long as it takes to tell them from others", questions)
    times = [one["time"] for one in best["single"]]
    tap.ok(times == sorted(times), "the best is first", times)
    sequence = [best["time"]] + [one["time"] for one in best["sequence"]]
    tap.ok(sequence == sorted(sequence, reverse=True), "one after the other they gain more",
           sequence)
    tap.ok(len(best["sequence"]) <= 10, "up to ten of them", best["sequence"])


def test_report(tap):
    """What gains most stands beside what tsprof waits has found."""
    with Directory() as directory:
        archive = traced(directory)
        best = ask(archive, "best")["best"]
        said = harness.tsprof("report", waits_command.analyse(archive)).stdout
    found = re.findall(r"^ +([0-9.]+ \S+)  (\S.*)$", said.partition("What would gain most")[2],
                       re.MULTILINE)
    tap.ok(0 < len(found) <= 5, "up to five changes", said)
    tap.ok(found[0][1] in [one["question"] for one in best["single"]],
           "the first is one of the best", (found, best))
    uneven = re.search(r"Computation is uneven: .*?(?=•|\n\n)", said, re.DOTALL)
    tap.ok(uneven and "What if: balance " in " ".join(uneven.group().split()),
           "and the finding that it is about says so, too", said)


def test_findings(tap):
    """A page has with each finding what it would be worth to mend it: the slow iteration of a loop
    is one that could be balanced."""
    with Directory() as directory:
        archive = traced(directory, "16", "40")
        summary = waits_command.analyse(archive)
        page = os.path.join(directory, "page.html")
        result = harness.tsprof("html", summary, "-o", page)
        if result.status != 0:
            raise harness.Skip(result.stderr)
        with open(page, encoding="utf-8") as file:
            found = re.search(r'id="findings">(.*?)</script>', file.read(), re.DOTALL).group(1)
        facts = harness.tsprof("report", summary).stdout.partition("What would gain most")[2]
    findings = json.loads(found)
    tap.ok(findings and all("prediction" in one for one in findings), "every finding tells it", findings)
    told = [one["prediction"] for one in findings if one["prediction"]]
    tap.ok(told and all(one["text"].split(" would gain ")[0] in facts and one["seconds"] > 0 and
                        0 < one["percent"] < 100 for one in told),
           "those that a prediction is about are worth what it says", (findings, facts))


def test_trace(tap):
    """The predicted run as a trace answers like any other."""
    with Directory() as directory:
        archive = undisturbed(directory)
        made = os.path.join(directory, "made.otf2")
        answer = ask(archive, "scale solve=0.5", "-o", made)
        again = ask(made, "scale solve=2")
        free = os.path.join(directory, "free.otf2")
        ask(archive, "zero-wait all", "-o", free)
        measured = waits_command.analyse(archive)
        summary = os.path.join(directory, "free.tsprof")
        searched = harness.tsprof("waits", free, "-o", summary)
        late = [sum(float(row["value"])
                    for row in harness.export(found, "callpaths", "--total", "--metric",
                                              "mpi_latesender"))
                for found in (summary, measured)]
        refused = harness.tsprof("whatif", archive, "zero", "solve", "-o", made)
        forced = harness.tsprof("whatif", archive, "zero", "solve", "-o", made, "--force")
        kept = harness.tsprof("whatif", archive, "zero", "solve", "-o", archive, "--force")
        both = harness.tsprof("whatif", archive, "best", "-o", made, "--force")
    tap.ok(abs(again["measured"] - answer["changed"]) < EXACT, "it takes the predicted time",
           (answer["changed"], again["measured"]))
    tap.ok(abs(again["changed"] - answer["unchanged"]) < 0.002 * answer["unchanged"],
           "and the other way round it is what it was", (again["changed"], answer["unchanged"]))
    tap.ok(searched.status == 0 and not searched.stderr, "it can be searched for waits",
           searched.stderr)
    tap.ok(late[0] < late[1] / 2, "a receive that waits for nobody is not late", late)
    tap.ok(refused.status == 1 and "--force" in refused.stderr, "it is not overwritten",
           refused.stderr)
    tap.ok(forced.status == 0, "but with --force", forced.stderr)
    tap.ok(kept.status == 1, "the trace that is read is not", kept.stderr)
    tap.ok(both.status == 2, "best is no single run to be written", both.stderr)


def test_synchronous(tap):
    """Sends that wait for their receives: the sender then waits where the receiver is late."""
    with Directory() as directory:
        answer = ask(traced(directory), "network S=0", "zero", "MPI_Barrier")
        plain = ask(os.path.join(directory, "out.otf2"), "zero MPI_Barrier")
    tap.ok(answer["changed"] > plain["changed"] - EXACT, "it takes no less time", answer)


def test_bound(tap):
    with Directory() as directory:
        archive = traced(directory)
        found = {(row["no_wait"], row["balance"]): row["time"]
                 for row in ask(archive, "bound step")["bounds"]
                 if row["where"] == "step" and not row["balance_bytes"]}
        alone = os.path.join(directory, "alone.tsprof")
        os.rename(os.path.join(directory, "out.tsprof"), alone)
        summed = ask(alone, "bound step")
        refused = harness.tsprof("whatif", alone, "zero", "solve")
        mixed = harness.tsprof("whatif", archive, "bound", "step", "zero", "solve")
    tap.ok(found[False, False] > found[True, False] and found[True, True] > 0.17,
           "without waiting, and balanced, at least 180 ms of work are left", found)
    rows = [row for row in summed["bounds"] if row["no_wait"] and row["balance"]]
    tap.ok({row["where"] for row in rows} == {"step"} | {"step:%d" % i for i in range(4)},
           "a summary without a trace tells the same, by iteration", rows)
    tap.ok(0.17 < rows[0]["time"] < found[True, True] + TOLERANCE,
           "without what calls take besides waiting", (rows[0], found))
    tap.ok(any("not told apart" in note for note in summed["notes"]),
           "and says that it does not know of waits", summed["notes"])
    tap.ok(refused.status == 1 and "there is no trace" in refused.stderr,
           "other questions need one", refused.stderr)
    tap.ok(mixed.status == 2, "bound goes with no other question", mixed.stderr)


def test_unchanged(tap):
    """Programs that do all kinds of things are predicted to take as long as they took."""
    for name in ("stencil", "wavefront", "random_messages", "requests", "collectives", "onesided"):
        if name == "onesided" and harness.MPI == "openmpi":
            continue  # it has no windows where tests run as root
        with Directory() as directory:
            result = harness.run_ranks(
                [harness.program(name)], 3, cwd=directory,
                settings={"TSPROF_OUTPUT": os.path.join(directory, "out.tsprof"),
                          "TSPROF_TRACE": "all"})
            if result.status != 0:
                raise Failure(result.stderr.decode("utf-8", "replace"))
            answer = ask(os.path.join(directory, "out.otf2"), "zero-wait all")
        tap.ok(abs(answer["unchanged"] - answer["measured"]) < 0.01 * answer["measured"],
               "%s: within 1 %%" % name, answer["notes"])
        tap.ok(not any("as the clocks say" in note for note in answer["notes"]),
               "%s: nothing is in an order that cannot be" % name, answer["notes"])
        tap.ok(answer["changed"] <= answer["unchanged"] + EXACT,
               "%s: without waits it takes no longer" % name, answer["changed"])


def test_network_file(tap):
    with Directory() as directory:
        archive = traced(directory)
        path = os.path.join(directory, "network")
        with open(path, "w", encoding="utf-8") as file:
            file.write("# times in seconds\n[cores]\nL=1e-6 o=1e-7\ng=1e-7 G=1e-10\nS=64k s=inf\n"
                       "[hosts]\nL=2e-6 o=1e-7 g=1e-7 G=1e-9 S=8k s=1500\n")
        near = ask(archive, "zero solve", "--network", path)
        far = ask(archive, "zero solve", "--network", path + ":hosts")
        none = harness.tsprof("whatif", archive, "zero", "solve", "--network", path + ":moon")
        with open(path, "w", encoding="utf-8") as file:
            file.write("L=1e-6\n")
        short = harness.tsprof("whatif", archive, "zero", "solve", "--network", path)
    tap.ok(near["network"]["L"] == 1e-6 and near["network"]["S"] == 65536 and
           near["network"]["s"] is None, "ranks of one host use what is between its cores",
           near["network"])
    tap.ok(far["network"]["G"] == 1e-9 and far["network"]["s"] == 1500,
           "or what is asked for", far["network"])
    tap.ok(none.status == 1 and "[moon]" in none.stderr, "there may be none such", none.stderr)
    tap.ok(short.status == 1 and "missing" in short.stderr, "all parameters must be there",
           short.stderr)


def test_measured_network(tap):
    """What tsprof-network writes is what --network reads."""
    program = os.path.join(harness.TOP_BUILDDIR, "network", "tsprof-network-" + harness.MPI)
    if not os.path.exists(program):
        raise harness.Skip("there is no tsprof-network for this MPI")
    with Directory() as directory:
        archive = traced(directory)
        path = os.path.join(directory, "network")
        result = harness.run_plain([program, "-o", path], 2, cwd=directory)
        again = harness.run_plain([program, "-o", path], 2, cwd=directory)
        alone = harness.run_plain([program], 1, cwd=directory)
        answer = ask(archive, "zero solve", "--network", path + ":cores")
    network = answer["network"]
    tap.ok(result.status == 0 and not result.stdout, "it measures", result.stderr)
    tap.ok(again.status != 0 and b"exists" in again.stderr, "and overwrites nothing", again.stderr)
    tap.ok(alone.status != 0 and b"two ranks" in alone.stderr, "one rank has no network",
           alone.stderr)
    tap.ok(0 < network["o"] <= network["g"] < 0.001 and 0 <= network["L"] < 0.01 and
           0 < network["G"] < 1e-6, "what it finds is possible", network)
    tap.ok(network["S"] is None or network["S"] < 4 << 20, "and so is where sends begin to wait",
           network)


def test_wrong(tap):
    """Questions that name nothing say what there is; those that contradict are refused."""
    with Directory() as directory:
        archive = traced(directory)
        for question, wanted in (
                ("scale nothing=0.5", "solve"), ("zero-wait nothing", "MPI_Recv"),
                ("zero-wait MPI_Recv@7", "ranks are 0 to 1"),
                ("zero-wait MPI_Recv#99", "counted from 0"),
                ("balance step:9", "step:0 to step:3"), ("balance-bytes solve", "send bytes"),
                ("scale solve", "REGION=FACTOR"), ("scale solve=-1", "REGION=FACTOR"),
                ("scale solve=2 scale solve=3", "contradict"),
                ("scale solve=2 zero solve", "contradict"),
                ("network L=1us network L=2us", "contradict"),
                ("network L=1us,L=2us", "twice"), ("network X=1", "L, o, g, G, S"),
                ("network L=fast", "2us"), ("faster solve", "zero-wait"),
                ("zero-wait", "is missing")):
            result = harness.tsprof("whatif", archive, *question.split(" "))
            tap.ok(result.status == 2 and wanted in result.stderr and not result.stdout,
                   "%s: is refused" % question, result.stderr)
        nothing = harness.tsprof("whatif", archive)
        missing = harness.tsprof("whatif", os.path.join(directory, "none"), "best")
        format_ = harness.tsprof("whatif", archive, "best", "--format", "xml")
    tap.ok(nothing.status == 2 and "question" in nothing.stderr, "a question is needed",
           nothing.stderr)
    tap.ok(missing.status == 1, "and a trace", missing.stderr)
    tap.ok(format_.status == 2, "and a format that there is", format_.stderr)


def test_paused(tap):
    """What was not recorded is said to be kept."""
    with Directory() as directory:
        result = harness.run_ranks(
            [harness.program("steps")], 2, cwd=directory,
            settings={"TSPROF_OUTPUT": os.path.join(directory, "out.tsprof"),
                      "TSPROF_TRACE": "step:0,3", "TSPROF_ITERATION": "markers"})
        if result.status != 0:
            raise Failure(result.stderr.decode("utf-8", "replace"))
        answer = ask(os.path.join(directory, "out.otf2"), "scale solve=0.5")
    tap.ok(any("recording was off" in note for note in answer["notes"]), "there is a note",
           answer["notes"])
    tap.ok(len(answer["iterations"]) == 2, "only what was traced is predicted",
           answer["iterations"])


def test_scorep(tap):
    """An archive of Score-P's."""
    with Directory() as directory:
        with tarfile.open(os.path.join(HERE, "data", "scorep.otf2.tar.xz")) as packed:
            packed.extractall(directory)
        answer = ask(directory, "zero-wait MPI_Recv")
        made = os.path.join(directory, "made")
        ask(directory, "zero-wait MPI_Recv", "-o", made)
        again = ask(made, "zero-wait MPI_Recv")
    tap.ok(abs(answer["unchanged"] - answer["measured"]) < 0.01 * answer["measured"],
           "it is predicted as it was", answer)
    tap.ok(abs(again["measured"] - answer["changed"]) < EXACT, "and can be written", again)


if __name__ == "__main__":
    harness.main()
