"""What each iteration of a main loop holds, beside what each step of the program did.

A step is {MPI function: (calls, bytes)}, told by the program itself (loops_contents.h) or by its markers;
an iteration the same, as tsprof shows it, or several that are in a cluster together.  Messages are of
another size in each step, so that iterations that begin in the middle of the loop's body are like no step.
"""

import collections
import glob
import os

import summary_reader

# shift: iteration I holds step I + SHIFT on all ranks, None: there is no such shift.  Of the iterations of
# all ranks whose steps are known, how many there are and how many hold them; with the best shift if
# none fits all.  alike: more than one shift fits.
Verdict = collections.namedtuple("Verdict", "shift known right alike")


def told(directory):
    """Of the files that a program of loop_shapes has left: {loop: {rank: {number: step}}}."""
    loops = collections.defaultdict(dict)
    for path in glob.glob(os.path.join(directory, "contents.*")):
        rank = int(path.rsplit(".", 1)[1])
        with open(path, encoding="utf-8") as file:
            for line in file:
                name, number, *words = line.split()
                step = {words[i]: (int(words[i + 1]), int(words[i + 2]))
                        for i in range(0, len(words), 3)}
                loops[name].setdefault(rank, {})[int(number)] = step
    return dict(loops)


def of_cluster(content, cluster):
    """What the iterations in CLUSTER did together, as a step."""
    step = collections.defaultdict(lambda: [0, 0])
    for (node, metric), value in cluster.profile.items():
        name = content.metrics[metric].name
        function = content.callpath(node).split(";")[-1]
        if function.startswith("MPI_") and (name == "visits" or name.startswith("bytes_")):
            step[function][name != "visits"] += value
    return {function: tuple(values) for function, values in step.items()}


def shown(summary, phase):
    """
    {rank: [(iterations, step)]} of PHASE, which is in no other: which iterations are in a cluster, and
    what they did together.  What has no profile is not among them.
    """
    content = summary_reader.Summary(summary)
    found = {}
    for location in content.locations:
        for series in location.series if location.place.thread == 0 else ():
            if content.phases[series.phase].name != phase or series.nested_in is not None:
                continue
            members = collections.defaultdict(list)
            at = 0
            for length, cluster in series.map:
                members[cluster] += range(at, at + length)
                at += length
            found[location.place.rank] = [(members[i], of_cluster(content, cluster))
                                          for i, cluster in enumerate(series.clusters)]
    return found


# Called until something has come, another number of times in each run.
POLLS = "MPI_Test", "MPI_Testany", "MPI_Iprobe", "MPI_Win_test"


def one_by_one(clusters):
    """
    {iteration: step} of the clusters that have but one iteration, without what is another in each
    run.
    """
    return {members[0]: {function: values for function, values in step.items()
                         if function not in POLLS}
            for members, step in clusters if len(members) == 1}


def together(steps, numbers):
    """What the STEPS of these numbers did together; None if one of them is not known."""
    whole = collections.defaultdict(lambda: [0, 0])
    for number in numbers:
        if number not in steps:
            return None
        for function, values in steps[number].items():
            for i in (0, 1):
                whole[function][i] += values[i]
    return {function: tuple(values) for function, values in whole.items()}


def are_same(clusters, steps, shift):
    """
    [(iterations, whether they have the calls of their steps, and bytes as these)] of each cluster whose
    steps are known.  What counts as the bytes of a collective depends on the function and on the number
    of ranks; so in all clusters they are the same multiple of what the program has passed.
    """
    functions = {function for step in steps.values() for function in step}
    last = max(steps)
    pairs = [(members, step, {} if members[-1] + shift > last else
              together(steps, [i + shift for i in members])) for members, step in clusters]
    pairs = [pair for pair in pairs if pair[2] is not None]
    same = []
    total = {function: [sum(pair[side].get(function, (0, 0))[1] for pair in pairs if pair[2])
                        for side in (1, 2)] for function in functions}
    for members, step, wanted in pairs:
        right = bool(wanted)
        for function in functions if right else ():
            calls, size = step.get(function, (0, 0))
            wanted_calls, passed = wanted.get(function, (0, 0))
            whole, whole_passed = total[function]
            right = right and calls == wanted_calls and (
                not whole_passed or size * whole_passed == passed * whole)
        same.append((len(members), right))
    return same


def judge(found, steps, shifts):
    """
    The Verdict on FOUND, {rank: [(iterations, step)]}, beside STEPS, {rank: {number: step}}: one of the
    SHIFTS must fit.  None if nothing is known.
    """
    verdicts = []
    for shift in shifts:
        same = [one for rank in found if steps.get(rank)
                for one in are_same(found[rank], steps[rank], shift)]
        known = sum(count for count, _ in same)
        right = sum(count for count, is_right in same if is_right)
        if known:
            verdicts.append(Verdict(shift if right == known else None, known, right, False))
    if not verdicts:
        return None
    best = max(verdicts, key=lambda one: one.right)
    return best._replace(alike=sum(one.shift is not None for one in verdicts) > 1)
