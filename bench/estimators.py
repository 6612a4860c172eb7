#!/usr/bin/env python3
"""How well sampling reproduces known shares of computation: a simulation of the ways to sample.

Programs are sequences of stretches of computation in one of several functions, or of MPI.  A way
to sample is when interrupts come and what weight a valid one has.  For each pair: the function
whose share p has the largest bias on average over many runs, in per cent of p, with its standard
error; and the variance of the shares against 2 p (1 - p) / (n + 1), the value for n samples that form a
Poisson process:

    For n instants independent and uniform on a circle of computation, the gaps between neighbours
    are Dirichlet(1, ..., 1) distributed.  If the functions at the n instants are independent of
    each other (stretches much shorter than gaps), the share S of a function, the sum of the gaps
    that end at one of its samples, has

        E S = p,   Cov(S_a, S_b) = 2 / (n + 1) * (p_a [a = b] - p_a p_b)

    so that X2 = (n + 1) / 2 * sum (S - p)^2 / p has the mean k - 1 and nearly the chi-square
    distribution for k functions.  E S = p holds for any arrangement of the functions.

Run by `make bench BENCH=estimators`; takes no measurement, so needs no quiet machine.
"""

import math
import random
import statistics
import sys

TICK_MS = 4.0
SHARES = (0.05, 0.25, 0.30, 0.18, 0.12, 0.10)
MPI = -1


# Programs: infinite sequences of (function or MPI, milliseconds)


def mixed(rng, unit_ms=0.02):
    """Short stretches in random order."""
    deck = [f for f, share in enumerate(SHARES) for _ in range(round(100 * share))]
    while True:
        rng.shuffle(deck)
        for function in deck:
            yield function, unit_ms


def calls(rng):
    """The same with MPI calls of some microseconds after stretches of some functions only."""
    for function, length in mixed(rng):
        yield function, length
        if function % 2:
            yield MPI, 0.01


def blocks(rng):
    """Stretches of the same functions in the same order, then some milliseconds of MPI."""
    while True:
        for function, share in enumerate(SHARES):
            yield function, 6 * share
        yield MPI, rng.uniform(3, 8)


def step(period_ms, busy=0.7):
    """Everything repeats with the period, by the clock."""
    def program(rng):
        yield MPI, rng.uniform(0, TICK_MS)
        while True:
            for function, share in enumerate(SHARES):
                yield function, busy * period_ms * share
            yield MPI, (1 - busy) * period_ms
    return program


# Interrupts: infinite sequences of instants in milliseconds


def periodic(rate, rng):
    """A periodic timer without a grid."""
    at = 0.0
    while True:
        at += 1000 / rate
        yield at


def periodic_ticks(rate, rng):
    """A periodic timer that is looked at by the kernel's tick."""
    last = 0
    for at in periodic(rate, rng):
        tick = math.ceil(at / TICK_MS - 1e-9)
        if tick > last:
            yield tick * TICK_MS
        last = tick


def poisson(rate, rng):
    at = 0.0
    while True:
        at += rng.expovariate(rate / 1000)
        yield at


def poisson_ticks(rate, rng):
    """Every tick with the same probability: the rate is right, the instants lie on the grid."""
    probability = min(1, rate * TICK_MS / 1000)
    tick = 0
    while True:
        if probability < 1:
            tick += int(math.log(1 - rng.random()) / math.log(1 - probability)) + 1
        else:
            tick += 1
        yield tick * TICK_MS


# Weights


def measure(program, interrupts, total_ms, rate, rng, circle):
    """The true and the estimated times of the functions and the number of samples.

    A sample's weight is the computation since the last valid one; what follows the last sample
    belongs to it or, on the circle, to the first.
    """
    truth, estimate = [0.0] * len(SHARES), [0.0] * len(SHARES)
    instants = interrupts(rate, rng)
    instant = next(instants)
    now = pending = 0.0
    first = last = None
    taken = 0
    for function, length in program(rng):
        if now >= total_ms:
            break
        end = now + length
        since = now
        while instant <= end:
            if function != MPI:
                estimate[function] += pending + instant - since
                pending, since = 0.0, instant
                first = function if first is None else first
                last = function
                taken += 1
            instant = next(instants)
        if function != MPI:
            pending += end - since
            truth[function] += length
        now = end
    if taken:
        estimate[first if circle else last] += pending
    return truth, estimate, taken


def try_it(program, interrupts, rate, circle, runs, samples, seed):
    """Bias of each share, its standard error, and the mean X2 per degree of freedom."""
    shares, ratios = [], []
    for run in range(runs):
        rng = random.Random(seed + run)
        truth, estimate, taken = measure(program, interrupts, 1000 * samples / rate, rate, rng,
                                         circle)
        if taken == 0:
            continue
        p = [t / sum(truth) for t in truth]
        s = [e / sum(estimate) for e in estimate]
        shares.append([a - b for a, b in zip(s, p)])
        ratios.append((taken + 1) / 2 * sum((a - b) ** 2 / b for a, b in zip(s, p))
                      / (len(p) - 1))
    biases = [statistics.fmean(column) for column in zip(*shares)]
    errors = [statistics.stdev(column) / math.sqrt(len(shares)) for column in zip(*shares)]
    worst = max(range(len(biases)), key=lambda f: abs(biases[f]) / SHARES[f])
    return worst, biases[worst], errors[worst], statistics.fmean(ratios)


PROGRAMS = {
    "mixed": mixed,
    "calls": calls,
    "blocks": blocks,
    "step 10 ms": step(10),
    "step 8 ms": step(8),
    "step 1 ms": step(1),
}
WAYS = {
    "periodic": (periodic, False),
    "periodic, ticks": (periodic_ticks, False),
    "Poisson, ticks": (poisson_ticks, True),
    "Poisson": (poisson, True),
}


def main(runs=200, samples=200):
    print("Shares of computation, simulated: %d runs of %d interrupts; ticks of %g ms"
          % (runs, samples, TICK_MS))
    print(f"{'program':<12}{'rate':>6}  {'way to sample':<17}{'p':>5}{'bias, %':>10}{'+-':>7}"
          f"{'X2/df':>9}")
    for name, program in PROGRAMS.items():
        for rate in (100, 1000):
            for way, (interrupts, circle) in WAYS.items():
                if rate * TICK_MS > 1000 and way.endswith("ticks"):
                    continue
                worst, bias, error, ratio = try_it(program, interrupts, rate, circle, runs,
                                                   samples, 1)
                share = SHARES[worst]
                print(f"{name:<12}{rate:>6}  {way:<17}{share:>5.2f}{100 * bias / share:>+10.1f}"
                      f"{100 * error / share:>7.1f}{ratio:>9.2f}", flush=True)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
