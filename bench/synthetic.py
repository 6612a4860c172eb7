"""Series of iterations of a known kind, to judge clustering by: numbers, not programs.

A series is an array ranks x iterations x metrics.  Its metrics differ in magnitude by some orders,
carry noise of 1 to 5 % and follow one pattern, with parameters of their own:

    flat       nothing but noise
    periodic   every PERIOD iterations the same, the first of them twice to three times as much
    stepwise   constant between STEPS instants, which every rank has at times of its own
    walk       a random walk on the logarithm, of 2 % a step
    drift      growing by up to twice the first value
    mixed      each metric one of: drift times periodic, stepwise, walk, drift with waves
    bursty     stretches of 100 iterations: a walk with rare peaks, periodic, a walk
    outlier    drift, and one iteration in a hundred several times as much

"""

import numpy

KINDS = ("flat", "periodic", "stepwise", "walk", "drift", "mixed", "bursty", "outlier")
ITERATIONS, METRICS, RANKS = 1500, 16, 4
PERIOD, STEPS = 20, 6


def make(kind, seed):
    """The series of a kind; the same for the same seed."""
    rng = numpy.random.default_rng([KINDS.index(kind), seed])
    t = numpy.arange(ITERATIONS)
    time = (t / ITERATIONS)[:, None]
    # The same for all ranks: they run one program.
    magnitude = 100 * numpy.exp(2 * rng.standard_normal(METRICS))
    growth = 1 + 2 * rng.random(METRICS) * time
    noise = 0.01 + 0.04 * rng.random(METRICS)
    levels = 0.3 + rng.random((STEPS + 1, METRICS))
    shape = 1 + 0.1 * rng.standard_normal((PERIOD, METRICS))
    shape[0] = 2 + rng.random(METRICS)
    periodic = shape[t % PERIOD]
    pattern_of = rng.integers(4, size=METRICS)
    series = numpy.empty((RANKS, ITERATIONS, METRICS))
    for rank in range(RANKS):
        stepwise = levels[numpy.searchsorted(numpy.sort(rng.random(STEPS)), time[:, 0])]
        walk = numpy.exp(numpy.cumsum(0.02 * rng.standard_normal((ITERATIONS, METRICS)), axis=0))
        rare = rng.random(ITERATIONS)[:, None]
        if kind == "flat":
            values = numpy.ones((ITERATIONS, METRICS))
        elif kind == "mixed":
            waves = growth + 0.3 * numpy.sin(40 * time)
            values = numpy.choose(pattern_of, [growth * periodic, stepwise, walk, waves])
        elif kind == "bursty":
            calm = numpy.where(rare < 0.05, 2 * stepwise, walk)
            values = numpy.where((t // 100 % 3 == 1)[:, None], 1.5 * periodic, calm)
        elif kind == "outlier":
            values = numpy.where(rare < 0.01, 3 + 4 * rng.random((ITERATIONS, METRICS)), growth)
        else:
            values = {"periodic": periodic, "stepwise": stepwise, "walk": walk,
                      "drift": growth}[kind]
        values = values * (1 + noise * rng.standard_normal((ITERATIONS, METRICS)))
        share = 1 + 0.02 * rng.standard_normal()
        series[rank] = numpy.maximum(values, 0) * magnitude * share
    return series
