#!/usr/bin/env python3
"""What a bulk-synchronous job of up to 10^5 ranks pays for what tsprof does in each of them.

    job_model.py [OPTIONS] FILE            # what `tsprof info` or job.py --json wrote
    job_model.py --compare JOB.json ...    # the model's answers beside the runs they are made from
    job_model.py --check                   # the formula against a simulation of every rank

The job computes for a step of T, then waits for the last of its N ranks, and so on.  A rank is
held up by tsprof

- by what each call and sample takes, short of stalls: much the same on all ranks, so the job pays
  the mean;
- by stalls, stays in tsprof of 2 microseconds and more, whose lengths are those of a measured run:
  a histogram by powers of two for each cause.  Those of each cause come independently of all
  others, with the rate that was measured (of calls: so many in a call), a Poisson process.  What a
  rank loses in a step, D, then has a compound Poisson distribution F, and the job pays for the
  rank that loses most:

      E max(D_1 ... D_N) = integral of 1 - F(x)^N over x from 0

  That is exact for independent ranks whose steps are equally long, so nothing is simulated, and
  10^5 ranks take no longer than 10.  F is calculated by Panjer's recursion on a grid.

What ends iterations (clustering, markers) comes at the same moment on all ranks.  So do saves,
which begin with the same second of the wall clock, and looking for loops, which the same calls do
on all ranks (job.md says how it was measured).  The job pays their rate times the expected longest
of N.  The step grows by what it pays, and with it what falls into it.

Stalls are also as long as they are because the system takes the processor away, from the program as
well as from tsprof.  What job.py found of that on the same machine (`noise`) is a cause of its own:
`more` is how much longer the job takes with both than with the system's noise alone.

It is an upper bound where ranks wait less strictly or for other reasons too: a stall of a rank that
would have waited anyway costs nothing.  What the system takes for a timer interrupt
is not in tsprof's histogram: --sample-extra adds it.

The max over ranks as what noise costs a job: F. Petrini, D. Kerbyson, S. Pakin, "The Case of the
Missing Supercomputer Performance", SC 2003; the probability 1 - (1 - p)^N that somebody is late:
D. Tsafrir, Y. Etsion, D. Feitelson, S. Kirkpatrick, "System Noise, OS Clock Ticks, and Fine-Grained
Parallel Applications", ICS 2005.
"""

import argparse
import functools
import math
import random
import statistics
import sys

import job

GRID = 8192
LARGE = 1e250
# A bin of the histogram is so many equally likely lengths.
PIECES = 8
# Causes that come on all ranks at the same time.
TOGETHER = ("clustering", "loops", "marker", "save")
# Causes that come so often in a step, not in a second.
BY_STEP = ("call", "clustering", "marker")
# Of the step; a job that pays more on a machine so busy need not be calculated.
HOPELESS = 50
RANKS = (100, 1000, 10_000, 100_000)
STEPS_MS = (0.1, 1.0, 10.0)


# Stalls: of a cause, (length in seconds, rate) with rates in 1/s for one rank.


def lengths(stalls, seconds):
    """Of one cause's histogram, measured in so many seconds of ranks: [(seconds, rate)]."""
    points = []
    longest = stalls["longest_ns"]
    for each in stalls["histogram"]:
        low = each["from_ns"]
        high = max(low, min(2 * low, longest)) if longest else 2 * low
        points += [(1e-9 * (low + (high - low) * (i + 0.5) / PIECES),
                    each["count"] / seconds / PIECES) for i in range(PIECES)]
    return points


class Costs:
    """What tsprof takes of a rank: stalls by cause, and the rest as a share of the time."""

    def __init__(self, causes, calls_rate, call_s, other_share):
        self.causes = causes            # name: [(length, rate)]
        self.calls_rate = calls_rate    # 1/s
        self.call_s = call_s            # of a call, without its stalls
        self.other_share = other_share  # of samples and the like, without their stalls

    def with_steps(self, times):
        """The same with so many times as many steps a second, and all that comes with a step."""
        causes = {name: [(length, times * rate if name in BY_STEP else rate)
                         for length, rate in points] for name, points in self.causes.items()}
        return Costs(causes, times * self.calls_rate, self.call_s, self.other_share)

    def with_noise(self, noise):
        causes = dict(self.causes, **noise.causes)
        return Costs(causes, self.calls_rate, self.call_s, self.other_share)

    def only(self, names):
        causes = {name: points for name, points in self.causes.items() if name in names}
        return Costs(causes, self.calls_rate, 0.0, 0.0)

    def rest_share(self):
        return self.calls_rate * self.call_s + self.other_share


def taken(points):
    """Share of the time that stalls take."""
    return sum(length * rate for length, rate in points)


# What the seconds of calls in `tsprof info` include.
IN_CALLS = ("call", "loops", "clustering")


def costs_from(cost, sample_extra_s=0.0, shorter_than_s=math.inf):
    """COST as job.cost_in gives it, without stalls of SHORTER_THAN_S and longer."""
    seconds = cost["wall_s"]
    causes = {stalls["cause"]: lengths(stalls, seconds) for stalls in cost["stalls"]}

    def without_stalls(part, names):
        share = part["seconds"] / seconds - sum(taken(causes.get(name, [])) for name in names)
        return max(share, 0.0)
    calls = without_stalls(cost["calls"], IN_CALLS)
    other = without_stalls(cost["samples"], ("sample",))
    calls_rate = cost["calls"]["count"] / seconds
    kept = {name: [point for point in points if point[0] < shorter_than_s]
            for name, points in causes.items()}
    if sample_extra_s:
        kept["system"] = [(sample_extra_s, cost["samples"]["count"] / seconds)]
    return Costs(kept, calls_rate, calls / calls_rate if calls_rate else 0.0, other)


# The model


def on_grid(points, width):
    """Rates by number of the grid's cells, and the cells a second that every rank loses anyway.

    A length between two numbers is given to both, so that its mean is kept.  Of stalls shorter than
    a cell most of what they take is certain, since they are many; the rest has their variance."""
    rates, certain = {}, 0.0
    for length, rate in points:
        cells = length / width
        if cells < 1:
            rates[1] = rates.get(1, 0.0) + rate * cells ** 2
            certain += rate * cells * (1 - cells)
            continue
        cell, part = divmod(cells, 1.0)
        for index, share in ((int(cell), 1 - part), (int(cell) + 1, part)):
            if share * rate > 0:
                rates[index] = rates.get(index, 0.0) + share * rate
    return sorted(rates.items()), certain


def compound_poisson(rates, duration):
    """Probabilities of 0, 1, 2 ... GRID - 1 cells in all (Panjer's recursion).

    It begins with 1 instead of the probability of 0, which may be too small for a number."""
    density = [1.0]
    terms = [(cells, duration * rate * cells) for cells, rate in rates]
    for total in range(1, GRID):
        value = 0.0
        for cells, term in terms:
            if cells > total:
                break
            value += term * density[total - cells]
        density.append(value / total)
        if value > LARGE:
            density = [each / LARGE for each in density]
    whole = math.fsum(density)
    return [each / whole for each in density]


def expected_max(density, width, ranks):
    """E max over RANKS: the sum of 1 - (1 - tail)^ranks."""
    total, tail = 0.0, 0.0
    for value in reversed(density[1:]):
        tail = min(tail + value, 1.0)
        total += 1.0 if tail >= 1.0 else -math.expm1(ranks * math.log1p(-tail))
    return total * width


def width_for(points, duration):
    """Of a cell: the grid reaches the longest stall four times, and far beyond the mean."""
    longest = max((length for length, _ in points), default=0.0)
    mean = duration * taken(points)
    deviation = math.sqrt(duration * sum(rate * length ** 2 for length, rate in points))
    return (mean + 10 * deviation + 4 * longest) / GRID


def lost_at_any_time(points, duration, ranks):
    """Of a step of DURATION, in seconds, to stalls that come when they will."""
    if not points:
        return 0.0
    width = width_for(points, duration)
    rates, certain = on_grid(points, width)
    density = compound_poisson(rates, duration)
    return duration * certain * width + expected_max(density, width, ranks)


def lost_together(points, duration, ranks):
    """Likewise, to stalls that all ranks have at the same moment: of each, the longest."""
    rate = sum(each for _, each in points)
    below, longest, expected = 0.0, 0.0, 0.0
    for length, each in sorted(points):
        # With `below` the probability that a stall is shorter than this one.
        expected += (length - longest) * (1 - below ** ranks)
        longest = length
        below = min(below + each / rate, 1.0)
    return rate * duration * expected


def paid(costs, step_s, ranks, together=TOGETHER, measured_step_s=None):
    """What the job pays for a step of STEP_S, as a share of it.

    With MEASURED_STEP_S, that of the run which COSTS are of, calls and iterations come by the
    step."""
    lost = 0.0
    for _ in range(100):
        duration = step_s + lost
        each = costs.with_steps(measured_step_s / duration) if measured_step_s else costs
        anytime = [point for name, points in each.causes.items() if name not in together
                   for point in points]
        now = (duration * each.rest_share() + lost_at_any_time(anytime, duration, ranks)
               + sum(lost_together(each.causes[name], duration, ranks)
                     for name in together if each.causes.get(name)))
        if abs(now - lost) <= 1e-5 * step_s:
            return now / step_s
        if now > HOPELESS * step_s:
            return math.nan
        lost = now
    return lost / step_s


def paid_more(costs, noise, *arguments, **more):
    """What the job takes longer than without tsprof, where both have NOISE; it may be None."""
    if not noise:
        return paid(costs, *arguments, **more)
    without = paid(noise, *arguments, **more)
    return (paid(costs.with_noise(noise), *arguments, **more) - without) / (1 + without)


# The check


def simulated(costs, step_s, ranks, steps, seed=1):
    """The same by drawing every rank's stalls in every step, each at a time of its own."""
    chance = random.Random(seed)
    points = [point for each in costs.causes.values() for point in each]
    rate = sum(each for _, each in points)
    shares = [each for _, each in points]
    lost = []
    for _ in range(steps):
        most = 0.0
        for _ in range(ranks):
            at, own = chance.expovariate(rate), 0.0
            while at < step_s:
                own += chance.choices(points, shares)[0][0]
                at += chance.expovariate(rate)
            most = max(most, own)
        lost.append(most)
    return statistics.mean(lost) / step_s, statistics.stdev(lost) / math.sqrt(steps) / step_s


EXAMPLE = {
    "wall_s": 1.0, "calls": {"count": 0, "seconds": 0.0}, "samples": {"count": 0, "seconds": 0.0},
    "stalls": [
        {"cause": "sample", "count": 100, "longest_ns": 30000,
         "histogram": [{"from_ns": 2048, "count": 90}, {"from_ns": 16384, "count": 10}]},
        {"cause": "save", "count": 5, "longest_ns": 900000,
         "histogram": [{"from_ns": 32768, "count": 4}, {"from_ns": 524288, "count": 1}]}]}


def check():
    """Fails where formula and simulation differ by more than chance makes likely."""
    costs, wrong = costs_from(EXAMPLE), 0
    print(f"{'step ms':>8}{'ranks':>7}{'formula, %':>12}{'simulated, %':>14}{'+/-':>8}")
    for step_ms, ranks, steps in ((0.1, 100, 20000), (1, 10, 20000), (1, 200, 2000), (10, 50, 2000),
                                  (10, 400, 400)):
        points = [point for each in costs.causes.values() for point in each]
        formula = lost_at_any_time(points, step_ms / 1e3, ranks) / (step_ms / 1e3)
        mean, error = simulated(costs, step_ms / 1e3, ranks, steps)
        wrong += abs(formula - mean) > 4 * error + 1e-3 * mean
        print(f"{step_ms:>8}{ranks:>7}{100 * formula:>12.4f}{100 * mean:>14.4f}{100 * error:>8.4f}")
    return 1 if wrong else 0


# Tables


def summed(costs):
    """Of several runs of the same program, as if they were one."""
    total = {"wall_s": sum(cost["wall_s"] for cost in costs), "stalls": []}
    for part in ("calls", "samples"):
        total[part] = {key: sum(cost[part][key] for cost in costs)
                       for key in ("count", "seconds")}
    for name in sorted({stalls["cause"] for cost in costs for stalls in cost["stalls"]}):
        own = [stalls for cost in costs for stalls in cost["stalls"] if stalls["cause"] == name]
        bins = {}
        for each in (each for stalls in own for each in stalls["histogram"]):
            bins[each["from_ns"]] = bins.get(each["from_ns"], 0) + each["count"]
        total["stalls"].append({
            "cause": name, "count": sum(stalls["count"] for stalls in own),
            "longest_ns": max(stalls["longest_ns"] for stalls in own),
            "histogram": [{"from_ns": low, "count": bins[low]} for low in sorted(bins)]})
    return total


def costs_of_row(row, way):
    """Of the runs of a row of job.py's results, or None if its tsprof told no stalls."""
    told = [each[way]["told"] for each in row["rounds"]]
    return summed(told) if told and all("stalls" in cost for cost in told) else None


def print_payments(costs, noise, options):
    measured = options.step and options.step / 1e3

    def table(title, price):
        print(f"\n{title}: per cent of the time, by ranks and length of a step")
        print(f"{'ranks':>8}" + "".join(f"{f'{step:g} ms':>10}" for step in STEPS_MS))
        for ranks in RANKS:
            print(f"{ranks:>8}" + "".join(
                f"{100 * price(step / 1e3, ranks, options.together, measured):>10.2f}"
                for step in STEPS_MS), flush=True)
    table("tsprof alone", functools.partial(paid, costs))
    if noise:
        table("The system's noise alone", functools.partial(paid, noise))
        table("More with tsprof than without", functools.partial(paid_more, costs, noise))
    most = RANKS[-1]
    print(f"\nEach cause alone, {most} ranks, steps of 1 ms: per cent; of a rank: per cent, "
          "longest")
    scaled = costs.with_steps(measured / 1e-3) if measured else costs
    for name, points in scaled.causes.items():
        if points:
            alone = paid(scaled.only([name]), 1e-3, most, options.together)
            print(f"{name:<12}{100 * alone:>9.3f}{100 * taken(points):>9.4f}"
                  f"{1e6 * max(length for length, _ in points):>9.0f} us")


def print_comparison(results, options):
    noise = noise_in(results)
    print(f"\n{results['machine']['cores']} cores: what jobs took longer, per cent, the model's answer,"
          " and what it would be without waiting")
    print(f"{'case':<16}{'ranks':>5}{'noise':>8}{'job':>8}{'+/-':>6}{'model':>8}{'a rank':>8}")
    for row in results["rows"]:
        cost = costs_of_row(row, "tsprof") if row["rounds"] else None
        if not cost or "step_us" not in row:
            continue
        costs = costs_from(cost, options.sample_extra * 1e-6, options.shorter_than * 1e-6)
        measured, error = job.longer(row, "tsprof", "seconds")
        own = costs.rest_share() + sum(taken(points) for points in costs.causes.values())
        answer = paid_more(costs, noise, row["step_us"] / 1e6, row["ranks"])
        print(f"{row['case']:<16}{row['ranks']:>5}{job.noise(row)[0]:>8.2f}{measured:>8.2f}"
              f"{error:>6.2f}{100 * answer:>8.2f}{100 * own:>8.2f}", flush=True)


def noise_in(document):
    return costs_from(document["noise"]) if "noise" in document else None


def cost_in(name, options):
    """Of the text of `tsprof info`, or of a case of job.py's results: with that machine's noise."""
    if not name.endswith(".json"):
        with open(name, encoding="utf-8") as file:
            return job.cost_in(file.read()), None
    document = job.loaded(name)
    for row in document["rows"]:
        cost = costs_of_row(row, "tsprof")
        if cost and options.case in (None, row["case"]) and options.of in (None, row["ranks"]):
            print(f"{row['case']}, {row['ranks']} ranks")
            options.step = options.step or row.get("step_us", 0) / 1e3
            return cost, noise_in(document)
    raise SystemExit("job_model.py: there are no stalls of such a run in " + name)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--compare", action="store_true", help="with the runs in job.py's results")
    parser.add_argument("--check", action="store_true", help="against a simulation")
    parser.add_argument("--together", default=TOGETHER, type=lambda text: text.split(","),
                        metavar="CAUSE,...", help="causes that come on all ranks at the same time "
                        f"(default: {','.join(TOGETHER)})")
    parser.add_argument("--step", type=float, metavar="MS", help="of the run that was measured: "
                        "its calls and iterations are then taken to come by the step, not by the "
                        "second")
    parser.add_argument("--shorter-than", type=float, default=math.inf, metavar="US",
                        help="leave out longer stalls, as those in which the system gave the "
                        "processor to others: on a busy machine they would be there without tsprof")
    parser.add_argument("--sample-extra", type=float, default=0.0, metavar="US",
                        help="what a sample takes of the system, in microseconds")
    parser.add_argument("--case", help="of job.py's results, such as exchange:1000")
    parser.add_argument("--of", type=int, metavar="RANKS", help="likewise")
    options = parser.parse_args(arguments)
    if options.check:
        return check()
    for name in options.files:
        if options.compare:
            print_comparison(job.loaded(name), options)
        else:
            cost, noise = cost_in(name, options)
            print_payments(costs_from(cost, options.sample_extra * 1e-6,
                                      options.shorter_than * 1e-6), noise, options)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
