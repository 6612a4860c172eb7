"""Jobs that die, and what their parts must hold: the program `mortal` tells every iteration that it
has finished as it finishes it, whatever becomes of it then."""

import collections
import contextlib
import glob
import os
import signal
import subprocess
import time

import harness
import summary_reader
from harness import Failure

# What a process that had to wait for a processor or the disk while it saved may be forgiven.
TOO_FEW = "too few"

# How much the parts may be behind: they are updated where an iteration ends, if the last time is so
# long ago.
BEHIND_NS = 1_000_000_000

PIECE_US = 20000
EXCHANGED_MOST = 7

# Ways in which `mortal` ends itself, and the ways in which others end it.
OWN_WAYS = ("exit", "_exit", "abort", "segv", "term", "kill", "mpi_abort", "memory")
OTHER_WAYS = ("kill-one", "kill-all", "term-job", "vanish")

Case = collections.namedtuple("Case", "way ranks us threads nested clusters at victim delay_s")
Told = collections.namedtuple("Told", "pid finished dies")  # finished: [(before_ns, after_ns)]


def label(case):
    text = "%s, %d ranks, %d us" % (case.way, case.ranks, case.us)
    text += ", %d threads" % case.threads if case.threads else ""
    text += ", nested" if case.nested else ""
    text += ", %s clusters" % case.clusters
    text += ", all" if case.victim is None else ", rank %d" % case.victim
    if case.at is not None:
        return text + " in iteration %d" % case.at
    return text + " after %.3f s" % case.delay_s


def read_log(path):
    """What a rank told; a line that is cut off was not told."""
    pid, finished, dies = None, [], None
    try:
        with open(path) as file:
            text = file.read()
    except FileNotFoundError:
        return Told(None, [], None)
    for line in text.split("\n")[:-1]:
        words = line.split()
        if words[0] == "pid":
            pid = int(words[1])
        elif words[0] == "dies":
            dies = int(words[1])
        else:
            if int(words[0]) != len(finished):
                raise Failure("%s: iteration %s follows %d" % (path, words[0], len(finished)))
            finished.append((int(words[1]), int(words[2])))
    return Told(pid, finished, dies)


def wait_for(condition, what, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise Failure("waited in vain: " + what)
        time.sleep(0.002)


def is_gone(pid):
    """Ended, though perhaps nobody has asked for its status yet."""
    try:
        with open("/proc/%d/stat" % pid) as file:
            return file.read().rpartition(")")[2].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


class Job:
    """A run of `mortal` in a directory, as a context: nothing of it stays."""

    def __init__(self, directory, case, arguments=(), settings=None, through=()):
        self.directory = directory
        self.ranks = case.ranks
        command = [*through, harness.mpirun(), "-n", str(case.ranks), "env", "LD_PRELOAD=" + harness.LIBRARY,
                   harness.program("mortal"), "--log", os.path.join(directory, "log"),
                   "--us", str(case.us), "--threads", str(case.threads),
                   "--nested", str(int(case.nested))]
        if case.way in OWN_WAYS + ("hoard", "receive", "stop"):
            when = (["--after", str(int(case.delay_s * 1e6))] if case.at is None
                    else ["--at", str(case.at)])
            command += ["--how", case.way,
                        "--rank", str(-1 if case.victim is None else case.victim)] + when
        settings = dict({"TSPROF_OUTPUT": os.path.join(directory, "out.tsprof"),
                         "TSPROF_CLUSTERS": str(case.clusters), "TSPROF_VERBOSE": "1"},
                        **(settings or {}))
        self.said = open(os.path.join(directory, "said"), "w+b")
        self.process = subprocess.Popen(
            command + list(arguments), stdin=subprocess.DEVNULL, stdout=self.said,
            stderr=self.said, cwd=directory, env=harness.environment(settings),
            start_new_session=True)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        for pid in [self.process.pid] + [p for p in self.pids() if p]:
            if not is_gone(pid):
                for number in (signal.SIGKILL, signal.SIGCONT):
                    try:
                        os.kill(pid, number)
                    except ProcessLookupError:
                        pass
        self.process.wait()
        self.said.close()

    def told(self, rank):
        return read_log(os.path.join(self.directory, "log.%d" % rank))

    def pids(self):
        return [self.told(rank).pid for rank in range(self.ranks)]

    def wait_until_started(self):
        wait_for(lambda: all(self.pids()) or self.process.poll() is not None, "the program starts")

    def wait_until_ended(self, seconds=50):
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Failure("the job did not end in %d s" % seconds)
        wait_for(lambda: all(is_gone(pid) for pid in self.pids() if pid), "all processes end")

    def die(self, case):
        """Kills from outside, after a while; or waits until the program has ended itself."""
        self.wait_until_started()
        if case.way in OWN_WAYS:
            return self.wait_until_ended()
        time.sleep(case.delay_s)
        pids = self.pids()
        if case.way == "term-job":
            self.process.send_signal(signal.SIGTERM)
        else:
            for pid in pids if case.victim is None or case.way == "kill-all" else [pids[case.victim]]:
                with contextlib.suppress(ProcessLookupError):  # it has come to its end before
                    os.kill(pid, signal.SIGKILL)
        return self.wait_until_ended()


# What the numbers must be


def stated(case, rank, iteration):
    """Values of (MPI function, metric) of the main thread in an iteration."""
    values = collections.Counter()
    bytes_moved = 4 * (iteration % EXCHANGED_MOST + 1)
    values["MPI_Iprobe", "visits"] = case.us // PIECE_US + 1 + (2 if case.nested else 0)
    values["MPI_Sendrecv", "visits"] = 1
    values["MPI_Sendrecv", "comms_send"] = values["MPI_Sendrecv", "comms_recv"] = 1
    values["MPI_Sendrecv", "bytes_sent"] = values["MPI_Sendrecv", "bytes_rcvd"] = bytes_moved
    return values


def stated_of_pool(iteration):
    return collections.Counter({("MPI_Comm_size", "visits"): iteration % 3 + 1})


COUNTED = ("visits", "comms_send", "comms_recv", "bytes_sent", "bytes_rcvd")


def counted(summary, profile):
    """The same from a profile of the summary."""
    values = collections.Counter()
    for (node, metric), value in profile.items():
        region = summary.regions[summary.nodes[node].region].name
        name = summary.metrics[metric].name
        if region.startswith("MPI_") and name in COUNTED:
            values[region, name] += value
    return values


def series_of(summary, location, phase):
    for series in location.series:
        if summary.phases[series.phase].name == phase:
            return series
    return None


def total(profiles):
    result = collections.Counter()
    for profile in profiles:
        result.update(profile)
    return +result


def least_iterations(told):
    """Those that must be there: finished a second before the last border that the program came
    to."""
    if not told.finished:
        return 0
    last = told.finished[-1][0]
    return sum(1 for _, after in told.finished if after <= last - BEHIND_NS)


def must_be_there(told):
    """Whether a rank has been seen to live for longer than parts are waited for."""
    return bool(told.finished) and told.finished[-1][0] - told.finished[0][0] > BEHIND_NS


def differing(got, wanted, what):
    lines = ["%s: %s %s is %d, not %d" % ((what,) + key + (got[key], wanted[key]))
             for key in sorted(set(got) | set(wanted)) if got[key] != wanted[key]]
    return lines


def problems_of_each(summary, series, state, whole, where):
    """Differences of single iterations, of the first WHOLE, where none is in a cluster with others."""
    problems, at = [], 0
    for length, cluster in series.map:
        # A thread of the pool was not there before it was started; and where memory is short
        # the map has no room to say in which cluster an iteration is.
        known = cluster is not None and cluster < len(series.clusters)
        for k in range(at, min(at + length, whole)):
            if known and series.clusters[cluster].size == 1:
                problems += differing(counted(summary, series.clusters[cluster].profile), state(k),
                                      "%s, iteration %d" % (where, k))
        at += length
    return problems[:5]


def iteration_problems(summary, location, case, rank, main, told, least, most):
    """How the iterations of a thread, the MAIN one or another, differ from those that the rank told
    of."""
    series = series_of(summary, location, "timestep")
    number = summary_reader.iterations(series) if series else 0
    where = "rank %d%s" % (rank, "" if main else ", a thread of the pool")
    if not least <= number <= most:
        return ["%s: %d iterations, at least %d ended in time and %d at most%s"
                % (where, number, least, most, ": " + TOO_FEW if number < least else "")]
    if not series:
        return []
    state = (lambda k: stated(case, rank, k)) if main else stated_of_pool
    if not main:
        return [] if series.asked else problems_of_each(summary, series, state, number, where)
    got = total(counted(summary, c.profile) for c in series.clusters)
    whole = min(number, len(told.finished))
    if number <= len(told.finished):
        problems = differing(got, total(state(k) for k in range(number)), where)
    else:
        # The last one was open when the process ended normally, and was closed as it was.
        low, high = (total(state(k) for k in range(n)) for n in (number - 1, number))
        problems = ["%s: %r, between %r and %r" % (where, got, low, high)
                    for key in high if not low[key] <= got[key] <= high[key]][:1]
    if series.asked == 0:
        problems += problems_of_each(summary, series, state, whole, where)
    return problems[:5]


def ranges(numbers):
    """Sorted numbers as rank lists have them: "1,4-6"."""
    runs = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join("%d" % a if a == b else "%d-%d" % (a, b) for a, b in runs)


def problems(path, case, told, missing=(), least=True):
    """Everything in a merged summary that is not as the ranks told, in words; if LEAST, also what
    should be in it and is not."""
    info = harness.tsprof("info", path)
    found = [] if info.status == 0 else ["tsprof info: status %d\n%s%s"
                                         % (info.status, info.stdout, info.stderr)]
    summary = summary_reader.Summary(path)
    found += summary_reader.problems(summary)
    if summary.state == 1:
        found.append("it says that it is complete")
    there = {place.rank for place in summary.places}
    wanted = {r for r in range(case.ranks) if must_be_there(told[r])} - set(missing)
    if not wanted <= there or there & set(missing):
        found.append("ranks %s are there, not %s" % (sorted(there), sorted(wanted)))
    absent = sorted(set(range(case.ranks)) - there)
    if summary.run.get("missing_ranks", "") != ranges(absent):
        found.append("ranks %s are absent, it says %r"
                     % (absent, summary.run.get("missing_ranks")))
    rings = [(t.name, t.times, t.members, t.grid) for t in summary.topologies]
    if rings != [("ring", 1, list(range(case.ranks)), [(case.ranks, True)])]:
        found.append("topologies are %r" % rings)
    for place, location in zip(summary.places, summary.locations):
        rank = place.rank
        # An iteration may have ended without that it could be told.
        most = len(told[rank].finished) + 1
        main = place.thread == 0
        needed = least_iterations(told[rank]) if least and main else 0
        found += iteration_problems(summary, location, case, rank, main, told[rank], needed, most)
    return found


def parts(directory):
    """All part files that the jobs of a directory have left."""
    return sorted(glob.glob(os.path.join(directory, "*.parts", "*.part")))


def parts_of(directory, pid):
    return [path for path in parts(directory) if path.endswith(".%d.part" % pid)]
