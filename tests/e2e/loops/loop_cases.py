"""Main loops whose true numbers of iterations are known, and how many tsprof finds.

Three kinds of cases:

- programs of tests/programs compiled without markers; the same program with markers says the truth
- programs built to mislead, which print what they have counted (tests/programs/loop_shapes/loops.c)
- real programs, which tell in their own output (loop_programs.py)

A case is right if each main loop has an iteration phase with its true number of iterations on every
rank, less at most the case's `missing` at the edges; if each of these holds what one step of the program
did, as far as that is told, the same step on all ranks (contents.py); if no phase with other iterations
took longer; and if, where the machine code does not tell, the border's call path is the same on all ranks
that have it.
"""

import collections
import itertools
import os
import re

import contents
import harness
import summary_reader
from harness import Failure

# Iterations that may be missing: those before the loop was recognized, and the last.
MISSING = 2

# That a location's costs tell of: see format.md.
LOOPS_MOST = 12

# loops: [(name, iterations, or a dictionary by rank)]; others: the same by role; see loops.c.  steps: what
# each step of these loops did, {name: {rank: {number: step}}}, see contents.py; {} if nobody tells.
Truth = collections.namedtuple("Truth", "loops others steps", defaults=({},))

# Of an iteration phase, by rank: iterations, those that have a profile, time; name of the phase around.
Found = collections.namedtuple("Found", "name counts profiled time_ns nested_in")

# command: [(ranks, command)], several executables of one job.  truth: a function of the run's
# Result and directory.
Case = collections.namedtuple("Case", "group name command settings truth mpi missing",
                              defaults=(MISSING,))

Outcome = collections.namedtuple("Outcome",
                                 "case truth phases matched missing agree border right said held",
                                 defaults=((),))


# What programs say


def printed_truth(result, directory):
    """Of lines "truth: ROLE NAME COUNT"."""
    text = result.stdout.decode("utf-8", "replace")
    loops, others, by_rank = [], collections.defaultdict(list), {}
    for line in text.splitlines():
        words = line.split()
        if words[:1] != ["truth:"]:
            continue
        if words[1] == "rank":
            by_rank[int(words[2])] = int(words[4])
        elif words[1] == "loop":
            loops.append((words[2], int(words[3])))
        else:
            others[words[1]].append((words[2], int(words[3])))
    if by_rank:
        loops.append(("own", by_rank))
    if not loops and not others:
        raise Failure("no truth in what the program said:\n" + text[-2000:])
    return Truth(loops, dict(others), contents.told(directory))


def marked_truth(name, command, ranks, phases, tells):
    """
    A function that runs the program with markers: iterations of PHASES, outermost first, and, if it
    TELLS, what each of them did.
    """

    def truth(result, directory):
        place = os.path.join(directory, "marked")
        os.makedirs(place, exist_ok=True)
        settings = {"TSPROF_CLUSTERS": "1000", "TSPROF_MEMORY": "256M"} if tells else {}
        summary = measure([(ranks, [harness.program(name)] + command)], place, settings)[1]
        found = {phase.name: phase for phase in phases_of(summary)}
        if phases[0] not in found:
            raise Failure("the program with markers has no iterations of " + phases[0])
        loops = [(name, in_one(found[name].counts, ranks)) for name in phases
                 if not found[name].nested_in]
        inner = [(name, max(found[name].counts.values())) for name in phases
                 if found[name].nested_in]
        steps = {name: {rank: contents.one_by_one(clusters)
                        for rank, clusters in contents.shown(summary, name).items()}
                 for name, _ in loops if tells}
        return Truth(loops, {"inner": inner}, steps)

    return truth


def in_one(counts, ranks):
    """The number that all ranks have, or the numbers by rank."""
    numbers = {rank: counts.get(rank, 0) for rank in range(ranks)}
    return numbers[0] if len(set(numbers.values())) == 1 else numbers


# What tsprof finds


def measure(parts, directory, settings, kind=harness.MPI, timeout=harness.RUN_TIMEOUT_S,
            library=None, pasted=None):
    """
    Runs the executables of one job under tsprof; the result and the summary's path.  PASTED, a setting,
    stands in front of the command as in a line that is typed to a shell.
    """
    settings = dict({"TSPROF_ITERATION": "auto", "TSPROF_VERBOSE": "1", "LOOPS_CONTENTS": "1",
                     "TSPROF_OUTPUT": os.path.join(directory, "out.tsprof")}, **settings)
    summary = settings["TSPROF_OUTPUT"]
    preload = ["env", "LD_PRELOAD=" + (library or harness.library_of(kind))]
    command = [harness.mpirun(kind)]
    for i, (ranks, part) in enumerate(parts):
        command += ([":"] if i else []) + ["-n", str(ranks)] + preload + part
    if pasted:
        del settings["TSPROF_ITERATION"]
        command = ["sh", "-c", pasted + ' "$@"', "sh"] + command
    result = harness.execute(command, settings=settings, cwd=directory, timeout=timeout)
    said = result.stderr.decode("utf-8", "replace")
    if result.status != 0 or not os.path.exists(summary):
        raise Failure("status %d, %s\n%s" % (result.status, "a summary" if os.path.exists(summary)
                                             else "no summary", said[-2000:]))
    return result, summary


def phases_of(summary):
    """Its iteration phases, what took longest first; of the processes' first threads."""
    content = summary_reader.Summary(summary)
    found = {}
    for location in content.locations:
        for series in location.series if location.place.thread == 0 else ():
            outer = None if series.nested_in is None else content.phases[series.nested_in].name
            phase = found.setdefault((content.phases[series.phase].name, outer), Found(
                content.phases[series.phase].name, collections.Counter(), collections.Counter(),
                collections.Counter(), outer))
            rank = location.place.rank
            phase.counts[rank] += sum(length for length, _ in series.map)
            phase.profiled[rank] += sum(length for length, cluster in series.map
                                        if cluster is not None)
            phase.time_ns[rank] += sum(cluster.wall_ns for cluster in series.clusters)
    return sorted(found.values(), key=lambda phase: -max(phase.time_ns.values()))


def borders_of(summary):
    """
    By rank, the call path that begins an iteration of the main loop, where the machine code does not
    tell.  Where it does, a pass begins at the first call in it, which may be another on each rank.
    """
    content = summary_reader.Summary(summary)
    found = {}
    for location in content.locations:
        for number in range(LOOPS_MOST):
            costs = {name: location.costs.get("loop.%d.%s" % (number, name))
                     for name in ("phase", "border", "offset")}
            if location.place.thread == 0 and costs["phase"] == 1 and not costs["offset"]:
                found[location.place.rank] = content.callpath(costs["border"])
    return content, found


def same_border(summary):
    """Whether the ranks that make the call that most have as their border have it, too."""
    content, found = borders_of(summary)
    if not found:
        return None
    usual = collections.Counter(found.values()).most_common(1)[0][0]
    return all(found.get(location.place.rank) == usual for location in content.locations
               if location.place.thread == 0
               and any(content.callpath(node) == usual for node in
                       {node for node, _ in location.whole}))


def number_of_ranks(case):
    return sum(ranks for ranks, _ in case.command)


# Judgement


def missing_of(phase, count, ranks, most):
    """True less found iterations on each rank: the worst, None if it is another loop, or more than MOST."""
    wanted = count if isinstance(count, dict) else {rank: count for rank in range(ranks)}
    rest = [wanted[rank] - phase.counts.get(rank, 0) for rank in wanted]
    worst = max(rest, key=abs)
    return worst if all(0 <= missing <= min(most, wanted[rank])
                        for missing, rank in zip(rest, wanted)) else None


def match(loops, phases, ranks, most):
    """[(phase or None, missing)] of each loop, MOST at most; a phase is one loop's only."""
    left, matched = list(phases), []
    for _, count in loops:
        fits = [(missing_of(phase, count, ranks, most), phase) for phase in left]
        fits = [(missing, phase) for missing, phase in fits if missing is not None]
        missing, phase = min(fits, key=lambda fit: fit[0]) if fits else (None, None)
        if phase:
            left.remove(phase)
        matched.append((phase, missing))
    return matched


def is_slices(phase):
    return phase.name.startswith("time")


def joined(phases, count):
    """
    Loops of ranks that each have their own, as if they were one.  All ranks are given the number that
    one has, but those that were not there have no profile.
    """
    found = Found("own", collections.Counter(), collections.Counter(), collections.Counter(), None)
    for rank, wanted in count.items():
        mine = [phase for phase in phases if phase.profiled[rank]]
        mine.sort(key=lambda phase: abs(wanted - phase.profiled[rank]))
        if mine:
            found.counts[rank] = mine[0].profiled[rank]
            found.time_ns[rank] = mine[0].time_ns[rank]
    return [found]


def verdicts_of(case, truth, pairs, summary):
    """A Verdict of each loop that was found and whose steps are told; PAIRS: (loop's name, phase)."""
    verdicts = [contents.judge(contents.shown(summary, phase.name), truth.steps[name],
                               range(case.missing + 1))
                for name, phase in pairs if phase is not None and name in truth.steps]
    return [verdict for verdict in verdicts if verdict is not None]


def held_of(case, truth, loops, matched, summary):
    """
    What iterations hold.  The first ones may be missing, as many as the case allows.  Of loops with
    the same number of iterations nothing but that tells which is which.
    """
    verdicts = []
    for number in dict.fromkeys(str(count) for _, count in loops):
        same = [i for i, (_, count) in enumerate(loops) if str(count) == number]
        phases = [matched[i][0] for i in same]
        verdicts += max((verdicts_of(case, truth, [(loops[i][0], phase) for i, phase in zip(same, order)],
                                     summary)
                         for order in itertools.permutations(phases)),
                        key=lambda tried: sum(verdict.right for verdict in tried))
    return verdicts


def judge(case, truth, summary, said):
    ranks = number_of_ranks(case)
    phases = phases_of(summary)
    outer = [phase for phase in phases if not phase.nested_in]
    if outer and truth.loops and truth.loops[0][0] == "own":
        outer = joined(outer, truth.loops[0][1])
    if not truth.loops:
        right = bool(outer) and all(is_slices(phase) for phase in outer)
        return Outcome(case, truth, phases, [], None, None, None, right, said)
    candidates = [truth.loops] + [[other] for other in truth.others.get("or", ())]
    best = best_loops = None
    for loops in candidates:
        matched = match(loops, outer, ranks, case.missing)
        if best is None or sum(1 for phase, _ in matched if phase) > sum(
                1 for phase, _ in best if phase):
            best, best_loops = matched, loops
    right = all(phase for phase, _ in best)
    chosen = [phase for phase, _ in best if phase]
    also = match(truth.others.get("also", ()), outer, ranks, case.missing)
    allowed = chosen + [phase for phase, _ in also]
    # What took longest must be among them: the true number beside a longer wrong one is chance.
    right = right and outer[0] in allowed
    held = held_of(case, truth, best_loops, best, summary)
    missing = max((missing for _, missing in best if missing is not None), default=None)
    shown = chosen or outer[:1]
    by_rank = isinstance(truth.loops[0][1], dict)
    agree = None if by_rank or not shown else all(
        len(set(phase.counts.values())) == 1 for phase in shown)
    border = same_border(summary)
    right = (right and agree is not False and border is not False
             and all(verdict.shift is not None for verdict in held))
    return Outcome(case, truth, phases, best, missing, agree, border, right, said, held)


def is_loop(outcome):
    """
    Whether what took longest is a true loop, or one that may be found as well, whatever its count: at
    least half of the true one and no more.  Of what has no loop: whether slices are shown.
    """
    truth, ranks = outcome.truth, number_of_ranks(outcome.case)
    outer = [phase for phase in outcome.phases if not phase.nested_in]
    if not truth.loops or not outer:
        return outcome.right
    if truth.loops[0][0] == "own":
        outer = joined(outer, truth.loops[0][1])
    known = truth.loops + truth.others.get("or", []) + truth.others.get("also", [])
    for _, count in known:
        most = max(count.values()) if isinstance(count, dict) else count
        if missing_of(outer[0], count, ranks, most // 2) is not None:
            return True
    return False


def is_said_to_be_uncertain(outcome):
    return ", not certain" in outcome.said or all(is_slices(phase) for phase in outcome.phases)


# What is run


def unmarked(name):
    """NAME begins with a folder of programs without markers: unmarked/ or unmarked-HOW/."""
    path = os.path.join(harness.PROGRAMS, name)
    if not os.path.exists(path):
        raise harness.Skip("%s is not built" % name)
    return path


def without_markers(name, arguments=(), ranks=2, phases=("timestep",), label=None, missing=MISSING,
                    tells=True):
    arguments = [str(argument) for argument in arguments]
    return Case("unmarked", label or name, [(ranks, ["unmarked/" + name] + arguments)], {},
                marked_truth(name, arguments, ranks, phases, tells), None, missing)


def many(iterations, *more):
    return ("--iterations", iterations) + more


# So large that the loop takes a fair part of the run: tsprof shows no others.
UNMARKED = [
    without_markers("stencil", many(60, "--size", 400)),
    without_markers("stencil", many(60, "--size", 200), 4, label="stencil-4"),
    without_markers("wavefront", many(60, "--size", 200)),
    without_markers("wavefront", many(60, "--size", 100), 4, label="wavefront-4"),
    without_markers("particles", many(60, "--size", 700)),
    without_markers("particles", many(60, "--size", 300), 4, label="particles-4"),
    without_markers("workers", many(60), phases=("round",)),
    # Who has which task is another one in each run.
    without_markers("workers", many(60), 4, ("round",), label="workers-4", tells=False),
    without_markers("collectives", many(40, "--size", 5000), phases=("step",)),
    without_markers("neighborhood", many(200), phases=("step",)),
    without_markers("onesided", many(80), phases=("step",)),
    without_markers("files", many(40), phases=("step",)),
    without_markers("intercomm", many(80), phases=("step",)),
    without_markers("templates", many(60, "--size", 30000)),
    without_markers("heat_mpif", many(60, "--size", 300)),
    without_markers("heat_mpi", many(60, "--size", 300)),
    without_markers("heat_f08", many(60, "--size", 300)),
    without_markers("communicators", many(3000), phases=("round",), tells=False),
    # What it calls is drawn by lot, and polls as often as it takes: in one run of twenty the loop is
    # recognized a round later.
    without_markers("random_messages", many(30), phases=("round",), missing=MISSING + 1, tells=False),
    without_markers("shifting", many(200), phases=("step",)),
    without_markers("storm", many(60), phases=("gust",), tells=False),
    without_markers("visits", (20000,), 1, ("step",), tells=False),
    without_markers("openmp", (2, 60), 1),
    without_markers("extremes", ("quick", 100000), 1, ("step",), "extremes-quick",
                    tells=False),
    without_markers("extremes", ("various", 3000), 1, ("step",), "extremes-various",
                    tells=False),
    without_markers("extremes", ("collectives", 20000), 2, ("step", "inner"),
                    "extremes-collectives", tells=False),
    without_markers("extremes", ("no-collective", 20000), 2, ("step",),
                    "extremes-no-collective", tells=False),
    without_markers("endings", ("normal",), 2, label="endings-three"),
]


def misleading(case, ranks=2, label=None, command="loops", arguments=()):
    words = [case] if case else []
    return Case("misleading", label or case or command,
                [(ranks, [command] + words + [str(a) for a in arguments])], {}, printed_truth, None)


MISLEADING = [
    misleading("plain"),
    misleading("plain", 4, "plain-4"),
    misleading("neighbours"),
    misleading("single"),
    misleading("alternating"),
    misleading("alternating-apart"),
    misleading("checkpoint"),
    misleading("cadences"),
    misleading("switch"),
    misleading("polling"),
    misleading("probing"),
    misleading("waitany"),
    misleading("helper"),
    misleading("helper-loop"),
    misleading("sparse"),
    misleading("deep"),
    misleading("library"),
    misleading("short"),
    misleading("many"),
    misleading("three"),
    misleading("early-exit"),
    misleading("convergence"),
    misleading("solvers"),
    misleading("solver-alone"),
    misleading("stages"),
    misleading("vcycles"),
    misleading("wcycles"),
    misleading("patches"),
    misleading("growing"),
    misleading("five"),
    misleading("warmup-other"),
    misleading("warmup-same"),
    misleading("warmup-again"),
    misleading("input"),
    misleading("share-5"),
    misleading("share-11"),
    misleading("share-30"),
    misleading("none"),
    misleading("irregular"),
    misleading("rounds-before"),
    misleading("rounds-after"),
    misleading("rounds-alone"),
    misleading("checkpoints-alone"),
    misleading("refinement"),
    misleading("multigrid"),
    misleading("printed"),
    misleading("transport"),
    misleading("gradients"),
    misleading("gradients-otherwise"),
    misleading("sums"),
    misleading("sums-apart"),
    misleading("cycles"),
    misleading("seldom"),
    misleading("counted-down"),
    misleading("triangle"),
    misleading("uncounted"),
    misleading("subcycled"),
    misleading("refined"),
    misleading("backwards"),
    misleading("unrolled-by-hand"),
    misleading("unrolled"),
    misleading("unrolled-evenly"),
    misleading("library-loop"),
    misleading("library-calls-back"),
    misleading("returning"),
    misleading("recursive"),
    misleading("many-functions"),
    misleading("generated"),
    misleading("overlapping"),
    misleading("interpreted"),
    misleading("jumping"),
    misleading("leaving"),
    misleading("steps-apart"),
    misleading("farm", 3),
    misleading("rounds", 3),
    misleading("groups", 2),
    misleading("groups", 4, "groups-4"),
    misleading("idle", 3),
    misleading("pipeline", 3),
    Case("misleading", "ocean+air", [(1, ["loops", "ocean"]), (2, ["loops_other", "air"])], {},
         printed_truth, None),
    misleading(None, command="loops_inline"),
    misleading(None, command="loops_lambda"),
    misleading(None, command="loops_template"),
    misleading(None, command="loops_f"),
]


def compiled(case, how):
    """CASE as it is compiled in another way; None if it is not."""
    parts = []
    for ranks, (program, *arguments) in case.command:
        if program == "loops":
            program = "loops_" + how
        elif program.startswith("unmarked/") or program in ("loops_f", "loops_lambda",
                                                              "loops_template"):
            program = "unmarked-%s/%s" % (how, os.path.basename(program))
        else:
            return None
        parts.append((ranks, [program] + arguments))
    return case._replace(group="optimized", name="%s-%s" % (case.name, how), command=parts)


# The same as compiled in other ways: unoptimized, with loops unrolled, split and inlined, stripped.
OPTIMIZED = [other for how in ("O0", "O1", "O3", "Os", "lto", "stripped")
             for other in (compiled(case, how) for case in MISLEADING + UNMARKED) if other]


def located(parts):
    """The command with paths of programs that were built here."""
    return [(ranks, [unmarked(command[0]) if command[0].startswith("unmarked")
                     else harness.program(command[0])] + command[1:]) for ranks, command in parts]


def measure_case(case, directory, settings=None, pasted=None):
    """See measure; raises Skip where it cannot be run."""
    settings = dict(case.settings, **(settings or {}))
    return measure(located(case.command), directory, settings, pasted=pasted)


def run(case, directory, settings=None):
    """Runs a case and judges it; raises Skip where it cannot be run."""
    result, summary = measure_case(case, directory, settings)
    return judge(case, case.truth(result, directory), summary,
                 result.stderr.decode("utf-8", "replace"))


# What is offered


def offers_of(directory):
    """
    [(iterations, whether these are all, setting)] of the loops that `tsprof info` offers, settings as they
    stand there.  Where ranks differ, all are given the largest number.
    """
    shown = harness.tsprof("info", os.path.join(directory, "out.tsprof")).stdout
    found = re.findall(r"^.{13}(at least )?(?:\d+ to )?(\d+) passes,.*?:(?: (\d+) iterations with)?"
                       r" (TSPROF_ITERATION=.*)$", shown, re.M)
    return [(int(iterations or passes), not at_least, setting)
            for at_least, passes, iterations, setting in found]


def reported_offers(directory):
    """The settings that `tsprof report` offers for other loops."""
    said = harness.tsprof("report", os.path.join(directory, "out.tsprof")).stdout
    return re.findall(r"^ *(TSPROF_ITERATION=.*)$", said, re.M)


def differs_anyway(measured, iterations, setting):
    """Whether the same run, without SETTING, has another number beside that, in one of three more."""
    for _ in range(3):
        with harness.Directory() as again:
            measured(again)
            if (iterations, setting) not in [(found, other) for found, _, other in offers_of(again)]:
                return True
    return False


def check_offers(case, directory, settings=None, measuring=measure_case):
    """
    Runs the case, which has been run in DIRECTORY, with each setting that was offered there, through a
    shell.  How many there were, which gave other iterations than those that stood beside them, and
    which may, since the program does another number in each run.
    """
    def measured(place, pasted=None):
        return measuring(case, place, settings, pasted)[1]

    offered = offers_of(directory)
    wrong, varying = [], []
    if len({setting for _, _, setting in offered}) < len(offered):
        wrong.append("twice the same")
    wrong += ["reported alone: " + setting for setting in reported_offers(directory)
              if setting not in [other for _, _, other in offered]]
    for passes, is_all, setting in offered:
        with harness.Directory() as again:
            counts = {count for phase in phases_of(measured(again, setting)) if not is_slices(phase)
                      for count in phase.counts.values()}
        if not (passes in counts if is_all else any(count >= passes for count in counts)):
            said = "%s: %d, not %s" % (setting, passes, sorted(counts))
            differs = differs_anyway(measured, passes, setting)
            (varying if differs else wrong).append(said)
    return len(offered), wrong, varying


# Words


def count_text(count):
    if isinstance(count, dict):
        values = [count[rank] for rank in sorted(count)]
        return "/".join(map(str, values)) if len(set(values)) > 1 else str(values[0])
    return str(count)


def truth_text(truth):
    if truth.loops:
        return ", ".join(count_text(count) for _, count in truth.loops)
    return "none"


def found_text(outcome):
    """The outer phases, at most five, and in brackets what is nested in the first."""
    outer = [phase for phase in outcome.phases if not phase.nested_in]
    inner = [phase for phase in outcome.phases if phase.nested_in]
    if outer and all(is_slices(phase) for phase in outer):
        return "slices"
    text = ", ".join(count_text(dict(phase.counts)) for phase in outer[:5]) or "nothing"
    return text + (" (%s)" % ", ".join(count_text(dict(phase.counts)) for phase in inner[:3])
                   if inner else "")


def held_text(outcome):
    """By how many steps iterations are shifted, or how many of them are no mixtures; of how many."""
    return ", ".join("%s of %d" % ("any" if one.alike else one.right if one.shift is None
                                   else "%+d" % one.shift, one.known)
                     for one in outcome.held) or "-"


def border_of(said):
    """What the job's end says of the border, if it does."""
    found = re.search(r"border (?:before|at|after) ([^\n;]*)", said)
    return found.group(1).strip() if found else ""
