"""The numbers of what stands out, computed again from the exports.

`mistakes` compares what `tsprof report --format json` says of a summary with what the exports say:
every number of a sentence with the fields that it is made from, and the fields with values by
iteration, rank and call path.
"""

import collections
import json
import re
import statistics

import harness

UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600}
QUANTITY = r"([\d.]+) (ns|µs|ms|s|min|h)\b"
NOT_COUNTED = "time without a processor not counted"
HIDDEN = "lack of processors hides whether that takes longer"
REACH = 25  # neighbours on either side that an iteration is compared with
SAID = {"execution": "time"}  # of metrics that sentences call otherwise
OWN_REACH = 8  # likewise, of what a rank does itself where processors are lacking


def read(summary, *options):
    result = harness.tsprof("report", summary, "--format", "json", *options)
    if result.status != 0 or result.stderr:
        raise harness.Failure("report --format json: status %d\n%s" % (result.status, result.stderr))
    return json.loads(result.stdout)


def seconds(number, unit):
    return float(number) * UNITS[unit]


def shown_as(number, unit, value):
    """Whether so many digits, of which there are three, are VALUE."""
    return abs(seconds(number, unit) - value) <= 0.006 * abs(value) + 1e-12


def low_median(values):
    return statistics.median_low(sorted(values))


def rolling_median(values, reach):
    """Of each value and of REACH neighbours on either side; at the ends as many on the inner one."""
    width = min(2 * reach + 1, len(values))
    firsts = (min(max(i - reach, 0), len(values) - width) for i in range(len(values)))
    return [low_median(values[first:first + width]) for first in firsts]


class Run:
    """Values of a summary, by the names that exports have for them."""

    def __init__(self, summary):
        self.total = collections.defaultdict(lambda: collections.defaultdict(float))
        self.paths = collections.defaultdict(float)
        for row in harness.export(summary, "callpaths", "--total", "--thread", "0"):
            rank, value = int(row["rank"]), float(row["value"])
            self.total[row["metric"]][rank] += value
            self.paths[rank, row["callpath"], row["metric"]] += value
        self.ranks = sorted(self.total["time"])
        self.wall = max(self.total["time"].values())
        self.iterations = collections.defaultdict(dict)
        for row in harness.export(summary, "iterations"):
            key = row["phase"], row["metric"], int(row["rank"])
            self.iterations[key][int(row["iteration"])] = float(row["value"])
        self.summary = summary
        self.of_paths = None
        self.corrected_of = {}

    def mean(self, metric):
        return sum(self.total[metric].values()) / len(self.ranks)

    def series(self, phase, metric, rank):
        return self.iterations.get((phase, metric, rank), {})

    def points(self, phase, corrected):
        """Seconds of each iteration, on the rank that takes longest."""
        numbers = {i for rank in self.ranks for i in self.series(phase, "time", rank)}
        if corrected:
            return self.corrected(phase)[0]
        return {i: max(self.series(phase, "time", rank).get(i, 0) for rank in self.ranks)
                for i in numbers}

    def possible_own(self, phase, rank, i):
        """A rank's own work in an iteration without what it had no processor for: at least, rather,
        at most."""
        time, own, io, without = (self.series(phase, metric, rank).get(i, 0) for metric in
                                  ("time", "computation", "mpi_io_individual", "preempted"))
        own, time = own + io, max(time, own + io)
        return (max(own - without, 0), own * max(1 - without / time, 0) if time else 0,
                max(own - (without - min(without, time - own)), 0))

    def corrected(self, phase):
        """Of each iteration the time, and by rank its own work, without what ranks had no processor
        for, as doc/report.md says."""
        if phase in self.corrected_of:
            return self.corrected_of[phase]
        own = {}
        for rank in self.ranks:
            numbers = sorted(self.series(phase, "time", rank))
            possible = [self.possible_own(phase, rank, i) for i in numbers]
            ends = [end for one in possible for end in one]
            usual = rolling_median(ends, 3 * OWN_REACH + 1)[1::3]
            own[rank] = {i: min(max(middle, low), high) for i, middle, (low, _, high) in
                         zip(numbers, usual, possible)}
        numbers = sorted({i for rank in self.ranks for i in own[rank]})
        least, most = [], []
        for i in numbers:
            having = [rank for rank in self.ranks if i in own[rank]]
            times = [self.series(phase, "time", rank)[i] for rank in having]
            without = sorted(self.series(phase, "preempted", rank).get(i, 0) for rank in having)
            most.append(max(times))
            least.append(min(most[-1], max(min(times) - sum(without[-2:]),
                                           max(own[rank][i] for rank in having))))
        times = [min(max(middle, low), high) for middle, low, high in
                 zip(rolling_median(least, REACH), least, most)]
        self.corrected_of[phase] = dict(zip(numbers, times)), own
        return self.corrected_of[phase]

    def own(self, phase, rank, numbers):
        """Mean seconds of a rank's own work: computation, and what it reads and writes alone."""
        work, io = (self.series(phase, metric, rank)
                    for metric in ("computation", "mpi_io_individual"))
        having = [i for i in numbers if i in self.series(phase, "time", rank)]
        return sum(work.get(i, 0) + io.get(i, 0) for i in having) / len(having) if having else None

    def own_corrected(self, phase, rank, numbers):
        own = self.corrected(phase)[1][rank]
        having = [own[i] for i in numbers if i in own]
        return sum(having) / len(having) if having else None

    def load_paths(self):
        """Values by call path and iteration, once somebody needs them."""
        if self.of_paths is None:
            self.of_paths = collections.defaultdict(float)
            for row in harness.export(self.summary, "callpaths"):
                self.of_paths[row["phase"], int(row["rank"]), row["metric"], row["callpath"],
                              int(row["iteration"])] += float(row["value"])

    def below(self, phase, rank, numbers, metric, path):
        """Mean value of METRIC in what PATH calls, of a rank."""
        self.load_paths()
        wanted = set(numbers)
        return sum(value for (of, who, what, where, i), value in self.of_paths.items()
                   if of == phase and who == rank and what == metric and i in wanted and
                   (where + ";").startswith(path + ";")) / len(wanted)


def mean_of_ranks(run, phase, numbers, metric, path):
    """By iteration: what ranks, of which there are 16 at most, have in PATH on average."""
    run.load_paths()
    sums = dict.fromkeys(numbers, 0.0)
    for (of, _, what, where, i), value in run.of_paths.items():
        if of == phase and what == metric and i in sums and (where + ";").startswith(path + ";"):
            sums[i] += value
    return [sums[i] / len(run.ranks) for i in numbers]


def profiled(run, phase, rank, numbers):
    """Those of the iterations that have a profile on a rank: means are of these."""
    series = run.series(phase, "time", rank)
    return [i for i in numbers if i in series]


def of_each_rank(run, phase, numbers, metric, path):
    """By rank: what it has in PATH, mean of the iterations that have a profile there."""
    run.load_paths()
    wanted, sums = set(numbers), collections.Counter()
    for (of, rank, what, where, i), value in run.of_paths.items():
        if of == phase and what == metric and i in wanted and (where + ";").startswith(path + ";"):
            sums[rank] += value
    counts = {rank: len(profiled(run, phase, rank, numbers)) for rank in run.ranks}
    return {rank: sums[rank] / counts[rank] if counts[rank] else 0 for rank in run.ranks}


def mean_in(run, phase, numbers, metric, path):
    return statistics.fmean(of_each_rank(run, phase, numbers, metric, path).values())


def corrected_mean(run, phase, numbers, path):
    """What ranks have in calls of MPI on average, without what they had no processor for: in proportion."""
    total = 0
    for rank, value in of_each_rank(run, phase, numbers, "mpi", path).items():
        time, without = (sum(run.series(phase, metric, rank).get(i, 0) for i in numbers)
                         for metric in ("time", "preempted"))
        total += value * (max(1 - without / time, 0) if time else 0)
    return total / len(run.ranks)


def of_hidden(finding, run):
    """A change in what calls of MPI move, and what it may cost at most: if time were as bytes are."""
    phase, path, these = finding["phase"], ";".join(finding["cause"]["callpath"]), numbers_of(finding)
    counted, wrong = finding["counted"], []
    tenth = max(1, len(these) // 10)
    last = these[-tenth:] if finding["kind"] == "drift" else these

    def near(got, wanted):
        return abs(got - wanted) <= 1e-6 * abs(wanted)

    if not near(counted["value"], mean_in(run, phase, last, "bytes", path)):
        wrong.append("bytes at last, or there")
    if not near(finding["value"], corrected_mean(run, phase, last, path)):
        wrong.append("time in the calls")
    if finding["kind"] == "drift":
        first = these[:tenth]
        if not near(counted["usual"], mean_in(run, phase, first, "bytes", path)):
            wrong.append("bytes at first")
        more, less = sorted((counted["value"], counted["usual"]), reverse=True)
        time = finding["value"] if counted["value"] == more else finding["usual"]
        if not near(finding["gain"], time * (1 - less / more) * len(these) / 2):
            wrong.append("gain")
    told = re.search(r"(?:moves|at first) ([\d.]+ [kMGT]?B)(?: rather than| in each, at last) ([\d.]+ [kMGT]?B)",
                     finding["text"])
    pair = ("usual", "value") if finding["kind"] == "drift" else ("value", "usual")
    factors = {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}
    for text, name in zip(told.groups(), pair) if told else ():
        number, unit = text.split()
        if abs(float(number) * factors[unit] - counted[name]) > 0.006 * counted[name]:
            wrong.append("%s: %s" % (text, counted[name]))
    return wrong if told else wrong + ["what is moved is not told"]


def of_statement(finding, run):
    """A change in calls of MPI, whose times and counts are exact."""
    if HIDDEN in finding["text"]:
        return of_hidden(finding, run)
    phase, path, these = finding["phase"], ";".join(finding["cause"]["callpath"]), numbers_of(finding)
    wrong = []
    values = sorted(mean_of_ranks(run, phase, these, "mpi", path))
    corrected = NOT_COUNTED in finding["text"]
    last = these[-max(1, len(these) // 10):] if finding["kind"] == "drift" else these
    if corrected:
        wanted = corrected_mean(run, phase, last, path)
        if abs(wanted - finding["value"]) > 1e-6 * wanted:
            wrong.append("in the calls: %s" % wanted)
    elif finding["kind"] in ("step", "range", "period") and \
            abs(low_median(values) - finding["value"]) > 0.1 * finding["value"] + 1e-9:
        wrong.append("in the calls: %s" % low_median(values))
    elif finding["kind"] == "drift":
        tenth = max(1, len(these) // 10)
        ends = [low_median(mean_of_ranks(run, phase, part, "mpi", path)) for part in (these[:tenth], these[-tenth:])]
        if any(abs(a - b) > 0.25 * b for a, b in zip(ends, (finding["usual"], finding["value"]))):
            wrong.append("in the calls: %s" % ends)
    counted = finding["counted"]
    if counted:
        wanted = mean_in(run, phase, last, counted["metric"], path)
        if abs(wanted - counted["value"]) > 1e-6 * wanted:
            wrong.append("%s: %s" % (counted["metric"], wanted))
        told = re.search(r", (?:in|with) ([\d.]+) ?([kMGT]?)B?( calls?)? rather than ([\d.]+) ?([kMGT]?)B?", finding["text"])
        factors = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
        if not told or bool(told[3]) != (counted["metric"] == "visits") or any(
                abs(float(number) * factors[prefix] - value) > 0.006 * value
                for number, prefix, value in ((told[1], told[2], counted["value"]), (told[4], told[5], counted["usual"]))):
            wrong.append("how often, or how much")
    return wrong


def of_path(finding, run):
    """A change in a call path: the mean of all ranks, computation without samples being where samples
    are."""
    path, phase, these = ";".join(finding["cause"]["callpath"]), finding["phase"], numbers_of(finding)
    run.load_paths()
    wanted = set(these)
    own, samples, all_samples, unsampled, sampled = 0, 0, 0, collections.Counter(), set()
    for (of, _, what, where, i), value in run.of_paths.items():
        if of != phase or i not in wanted or what not in ("computation", "samples"):
            continue
        is_below = (where + ";").startswith(path + ";")
        if what == "samples":
            samples += value * is_below
            all_samples += value
            sampled |= {where} if value > 0 else set()
        elif is_below:
            own += value
        elif (path + ";").startswith(where + ";"):
            unsampled[where] += value
    rest = sum(value for where, value in unsampled.items() if where not in sampled)
    mean = (own + (rest * samples / all_samples if all_samples else 0)) / len(these) / len(run.ranks)
    if finding["kind"] in ("step", "range", "period") and len(run.ranks) <= 16 and \
            abs(mean - finding["value"]) > 0.25 * finding["value"]:
        return ["in the call path: %s" % mean]
    return []


def numbers_of(finding):
    return [i for first, last in finding["iterations"] for i in range(first, last + 1)]


def of_text(finding, run):
    """What the sentence says that the fields do not."""
    text, wrong = finding["text"], []
    gain = re.search(QUANTITY + " of " + QUANTITY + r", ([\d.]+) %, could be gained", text)
    if finding["gain"] and finding["phase"] is not None and not gain:
        wrong.append("no gain is told")
    if gain:
        if not shown_as(gain[1], gain[2], finding["gain"]) or \
                not shown_as(gain[3], gain[4], finding["of"]) or \
                abs(float(gain[5]) - 100 * finding["gain"] / finding["of"]) > 0.06:
            wrong.append("gain")
    if finding["of"] is not None and abs(finding["of"] - run.wall) > 1e-6 * run.wall:
        wrong.append("the gain is of %s" % run.wall)
    pair = re.search(r"\(" + QUANTITY + " rather than " + QUANTITY, text)
    if pair and not (shown_as(pair[1], pair[2], finding["value"]) and
                     shown_as(pair[3], pair[4], finding["usual"])):
        wrong.append("rather than")
    ratio = re.search(r" ([\d.]+) (times|%) (?:as |less|longer)", text)
    if ratio and finding["usual"] and finding["unit"] == "s":
        wanted = finding["value"] / finding["usual"]
        if ratio[2] == "%":
            wanted = 100 * abs(wanted - 1)
        if abs(float(ratio[1]) - wanted) > (0.51 if wanted >= 9.9 else 0.06) and \
                abs(float(ratio[1]) - wanted) > 0.51 * (ratio[2] == "%"):
            wrong.append("ratio %s" % wanted)
    for rank in re.findall(r"(?:on|^)[ ]?[rR]ank (\d+)", text):
        if int(rank) not in finding["ranks"]:
            wrong.append("rank")
    without = re.search("without a processor for " + QUANTITY, text)
    if without and not shown_as(without[1], without[2], abs(finding["cause"]["value"])):
        wrong.append("time without a processor")
    more = re.search(QUANTITY + r" (?:more|less) (\w+)", text)
    if more and "without a processor for" not in text and finding["cause"] and \
            finding["cause"]["value"] is not None and \
            not (shown_as(more[1], more[2], abs(finding["cause"]["value"])) and
                 more[3] == SAID.get(finding["cause"]["metric"], finding["cause"]["metric"])):
        wrong.append("cause")
    # A rank that is named may have waited before; otherwise no part is more than the whole.
    if more and finding["kind"] != "moving_rank" and finding["usual"] is not None and finding["unit"] == "s" and \
            "without a processor for" not in text and (NOT_COUNTED in text or not finding["ranks"]) and \
            seconds(more[1], more[2]) > 1.21 * abs(finding["value"] - finding["usual"]):
        wrong.append("the cause is more than the change")
    return wrong


def around(points, i):
    """The median of an iteration and its neighbours, as doc/report.md says."""
    order = sorted(points)
    at, width = order.index(i), min(2 * REACH + 1, len(order))
    first = min(max(at - REACH, 0), len(order) - width)
    return low_median([points[n] for n in order[first:first + width]])


def of_iterations(finding, run, periodic):
    corrected = NOT_COUNTED in finding["text"]
    points = run.points(finding["phase"], corrected)
    these = [i for i in numbers_of(finding) if i in points]
    wrong = []
    if finding["iteration_count"] < len(these):
        wrong.append("number of iterations")
    if finding["kind"] in ("slow_iterations", "period") and finding["metric"] == "time":
        if abs(low_median([points[i] for i in these]) - finding["value"]) > 1e-9:
            wrong.append("value: %s" % low_median([points[i] for i in these]))
    if finding["kind"] == "slow_iterations":
        more = sum(points[i] - around(points, i) for i in these)
        # Less if periods were taken away before, also those that are not shown.
        if finding["excess"] > 1.1 * more + 1e-9 or \
                (not periodic and not corrected and finding["excess"] < 0.9 * more - 1e-9):
            wrong.append("excess: %s" % more)
    if finding["kind"] in ("step", "range") and not periodic and not corrected:
        if abs(low_median([points[i] for i in these]) - finding["value"]) > \
                0.1 * finding["value"] + 1e-9:
            wrong.append("level: %s" % low_median([points[i] for i in these]))
    low = min(finding["value"], finding["usual"]) if finding["usual"] is not None else 0
    grows = finding["kind"] == "drift" or \
        finding["kind"] in ("step", "range") and finding["value"] > finding["usual"]
    if grows and not periodic:
        more = max(sum(points[i] - low for i in these), 0)
        if abs(more - finding["excess"]) > 1e-6 * more + 1e-9:
            wrong.append("excess: %s" % more)
    if abs(finding["gain"] - min(finding["excess"], run.wall)) > 1e-6 * run.wall:
        wrong.append("the gain is not what iterations have more")
    if finding["kind"] == "drift" and not periodic and not corrected:
        tenth = max(1, len(these) // 10)
        ends = [low_median([points[i] for i in part]) for part in (these[:tenth], these[-tenth:])]
        if any(abs(a - b) > 0.15 * b for a, b in zip(ends, (finding["usual"], finding["value"]))):
            wrong.append("ends: %s" % ends)
    return wrong


def of_ranks(finding, run):
    these, phase = numbers_of(finding), finding["phase"]
    corrected = NOT_COUNTED in finding["text"]
    of_rank = run.own_corrected if corrected else run.own
    means = {rank: of_rank(phase, rank, these) for rank in run.ranks}
    means = {rank: mean for rank, mean in means.items() if mean is not None}
    wrong = []
    if finding["kind"] == "slow_ranks":
        longest = max(means[rank] for rank in finding["ranks"])
        middle = low_median(means.values())
        average = sum(means.values()) / len(means)
        # Values are those of whole blocks of iterations, of which there are 256 at most.
        for name, wanted in (("value", longest), ("usual", middle)):
            if abs(finding[name] - wanted) > 0.05 * wanted:
                wrong.append("%s: %s" % (name, wanted))
        if abs(finding["gain"] - (longest - average) * len(these)) > \
                0.15 * (longest - average) * len(these):
            wrong.append("gain: %s" % ((longest - average) * len(these)))
        cause = finding["cause"]
        if cause and not corrected and cause["metric"] == "computation" and "by samples" not in finding["text"] and \
                len(these) == len(run.series(phase, "time", run.ranks[0])):
            path = ";".join(cause["callpath"])
            most = max(finding["ranks"], key=lambda rank: means[rank])
            usual = min(means, key=lambda rank: abs(means[rank] - middle))
            more = run.below(phase, most, these, "computation", path) - \
                run.below(phase, usual, these, "computation", path)
            if abs(more - cause["value"]) > 0.01 * abs(more):
                wrong.append("cause: %s" % more)
    return wrong


def lead(means, rank):
    """What a rank has more than the mean, and than the middle one."""
    return means[rank] - sum(means.values()) / len(means), means[rank] - low_median(means.values())


def of_moving_rank(finding, run):
    """Ranks that are slow one after another, or in turn: each where it is said to be, and by how much."""
    phase, corrected = finding["phase"], NOT_COUNTED in finding["text"]
    of_rank = run.own_corrected if corrected else run.own

    def means(numbers):
        values = {rank: of_rank(phase, rank, numbers) for rank in run.ranks}
        return {rank: mean for rank, mean in values.items() if mean is not None}

    if sorted({part["rank"] for part in finding["parts"]}) != sorted(finding["ranks"]):
        return ["parts are of other ranks"]
    wrong, gain, excess, usual = [], 0, 0, 0
    for part in finding["parts"]:
        numbers = range(part["iterations"][0], part["iterations"][1] + 1)
        all_of = means(numbers)
        more, above = lead(all_of, part["rank"])
        # Borders are those of blocks of iterations; a rank that was slowest stays so while it nearly is.
        if all_of[part["rank"]] < 0.8 * max(all_of.values()):
            wrong.append("rank %d in %s: %s" % (part["rank"], part["iterations"], all_of))
        gain, excess = gain + more * len(numbers), excess + above * len(numbers)
        usual += low_median(all_of.values()) * len(numbers)
    if finding["period"]:
        leads = (means([i]) for i in numbers_of(finding))
        gain = excess = sum(max(one.values()) - sum(one.values()) / len(one) for one in leads if one)
    else:
        count = sum(part["iterations"][1] - part["iterations"][0] + 1 for part in finding["parts"])
        if count != finding["iteration_count"]:
            wrong.append("parts have %d iterations" % count)
        for name, wanted in (("usual", usual / count), ("value", (usual + excess) / count)):
            if abs(finding[name] - wanted) > 0.05 * wanted:
                wrong.append("%s: %s" % (name, wanted))
    for name, wanted in (("gain", gain), ("excess", excess)):
        if abs(finding[name] - wanted) > 0.1 * wanted:
            wrong.append("%s: %s" % (name, wanted))
    return wrong + of_parts_told(finding)


def of_parts_told(finding):
    """Ranks and iterations in the sentence are those of the parts, in their order."""
    told = [(int(rank), int(first), int(last or first)) for rank, first, last in
            re.findall(r"rank (\d+) in (\d+)(?:-(\d+))?", finding["text"])]
    parts = [(part["rank"], *part["iterations"]) for part in finding["parts"]]
    return [] if finding["period"] or told == parts[:len(told)] and told else ["parts told: %s" % told]


def imbalance(means):
    """As doc/report.md defines it."""
    most, mean, count = max(means), sum(means) / len(means), len(means)
    return (most - mean) / most * count / (count - 1)


def of_shares(finding, run):
    """How ranks share the work: always unequally, or more and more so."""
    these, phase = numbers_of(finding), finding["phase"]
    of_rank = run.own_corrected if NOT_COUNTED in finding["text"] else run.own

    def means(numbers):
        values = {rank: of_rank(phase, rank, numbers) for rank in run.ranks}
        return {rank: mean for rank, mean in values.items() if mean is not None}

    if finding["kind"] == "imbalance":
        all_of = means(these)
        average = sum(all_of.values()) / len(all_of)
        wanted = imbalance(all_of.values()), (max(all_of.values()) - average) * len(these)
        return ["imbalance: %s, gain: %s" % wanted] if abs(wanted[0] - finding["value"]) > 0.02 * wanted[0] or \
            abs(wanted[1] - finding["gain"]) > 0.02 * wanted[1] else []
    tenth = max(1, len(these) // 10)
    wanted = [imbalance(means(part).values()) for part in (these[:tenth], these[-tenth:])]
    # Tenths are of blocks of iterations, of which there are 256 at most.
    return ["imbalances: %s" % wanted] if any(
        abs(a - b) > 0.05 for a, b in zip(wanted, (finding["usual"], finding["value"]))) else []


def of_idle_ranks(finding, run):
    these = numbers_of(finding)
    of_rank = run.own_corrected if NOT_COUNTED in finding["text"] else run.own
    means = {rank: of_rank(finding["phase"], rank, these) for rank in run.ranks}
    wanted = min(means.values()), low_median(means.values())
    gain = (max(means.values()) - sum(means.values()) / len(means)) * len(these)
    if any(abs(a - b) > 0.02 * wanted[1] for a, b in zip(wanted, (finding["value"], finding["usual"]))) or \
            abs(gain - finding["gain"]) > 0.02 * gain:
        return ["least, middle: %s, gain: %s" % (wanted, gain)]
    return []


def computing(values):
    """Computation of {metric: seconds}, without what there was no processor for, in proportion."""
    time, without = values.get("time", 0), values.get("preempted", 0)
    return values.get("computation", 0) * (max(1 - without / time, 0) if time else 1)


def is_scarce(run):
    return sum(run.total["preempted"].values()) >= 0.05 * sum(run.total["time"].values())


def computed(run, corrected):
    """Seconds that each rank computes for; CORRECTED: with a processor."""
    metrics = ("time", "computation") + ("preempted",) * corrected
    return {rank: computing({metric: run.total[metric].get(rank, 0) for metric in metrics})
            for rank in run.ranks}


def unevenness(run, corrected):
    """What even computation could gain: in the sums, or in each iteration of the outermost phase."""
    total = computed(run, corrected)
    whole = max(total.values()) - sum(total.values()) / len(run.ranks)
    phases = {phase for phase, _, _ in run.iterations}
    metrics = ("time", "computation") + ("preempted",) * corrected
    gain = 0
    for phase in phases:
        every = {i for rank in run.ranks for i in run.series(phase, "time", rank)}
        for i in every:
            values = [computing({metric: run.series(phase, metric, rank).get(i, 0)
                                 for metric in metrics})
                      for rank in run.ranks if i in run.series(phase, "time", rank)]
            gain += max(values) - sum(values) / len(values) if len(values) > 1 else 0
    return max(whole, gain), len(phases)


def of_run(finding, run):
    text, wrong, ranks = finding["text"], [], len(run.ranks)
    quantities = [seconds(*found) for found in re.findall(QUANTITY, text)]

    def says(index, wanted):
        if len(quantities) <= index or abs(quantities[index] - wanted) > 0.006 * abs(wanted) + 1e-12:
            wrong.append("number %d: %s" % (index, wanted))

    scarce = is_scarce(run)
    uneven, phases = unevenness(run, scarce)
    if finding["kind"] == "uneven_computation" and phases <= 1:
        says(0, uneven)
        says(1, run.wall)
        if finding["ranks"]:
            says(2, computed(run, scarce)[finding["ranks"][0]])
            says(3, sum(computed(run, scarce).values()) / ranks)
    if finding["kind"] in ("overhead", "setup"):
        says(0, run.mean({"overhead": "overhead", "setup": "mpi_setup"}[finding["kind"]]))
        says(1, run.wall)
    if finding["kind"] in ("dominating", "frequent", "big_messages", "uneven_communication"):
        says(1, run.wall)
    if finding["kind"] == "dominating":
        function = finding["cause"]["callpath"][-1]
        says(0, sum(value for (_, path, metric), value in run.paths.items()
                    if metric == "mpi_communication" and path.split(";")[-1] == function) / ranks)
    if finding["kind"] == "communication" and phases <= 1:
        times = run.total["time"]
        without = sum(run.total["preempted"].values()) / sum(times.values()) * run.wall
        waiting, _ = unevenness(run, False)
        says(0, run.wall - run.mean("computation") - run.mean("overhead") - waiting - without -
             run.mean("mpi_setup"))
        says(1, run.wall)
    if finding["kind"] == "no_processor":
        shares = [run.total["preempted"].get(rank, 0) / run.total["time"][rank] for rank in run.ranks]
        told = [float(found) for found in re.findall(r"([\d.]+) %", text)]
        mean = sum(run.total["preempted"].values()) / sum(run.total["time"].values())
        if abs(told[0] - 100 * mean) > 0.06 or abs(told[1] - 100 * max(shares)) > 0.06:
            wrong.append("shares: %s %s" % (mean, max(shares)))
    return wrong


def mistakes(summary):
    """What is wrong about what is said of SUMMARY, and how much is said."""
    run, found = Run(summary), read(summary)
    wrong = []
    # Levels are those of iterations less what periods have more.
    periodic = any(finding["kind"] == "period" for finding in found)
    for finding in found:
        said = of_text(finding, run)
        said += of_run(finding, run) if finding["phase"] is None else \
            of_shares(finding, run) if finding["kind"] in ("imbalance", "growing_imbalance") else \
            of_idle_ranks(finding, run) if finding["kind"] == "idle_ranks" else \
            of_moving_rank(finding, run) if finding["kind"] == "moving_rank" else \
            of_ranks(finding, run) if finding["kind"].endswith("ranks") else \
            of_iterations(finding, run, periodic) if finding["metric"] == "time" else \
            of_statement(finding, run) if finding["metric"] == "mpi" else \
            of_path(finding, run)
        wrong += ["%s: %s" % (finding["text"], one) for one in said]
    gains = [finding["gain"] for finding in found if finding["gain"] is not None]
    if any(not 0 <= gain <= run.wall * 1.000001 for gain in gains):
        wrong.append("gains beyond the run: %s" % gains)
    return wrong, found
