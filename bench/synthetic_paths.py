"""Series of iterations with call paths, of a known kind: to judge what clustering does to these.

A series is an array iterations x paths x metrics of whole numbers; totals are sums over the paths.
Metrics differ in magnitude and carry noise of 1 to 3 % on every path.

    moving    a tenth of the work moves between two paths, there and back, while totals stay
    pairs     in every tenth of the run another pair of paths exchanges a third of its values
    phases    which paths are expensive changes at SHIFTS instants, and so do the totals
    absent    each path is missing in stretches of its own
    many      400 paths, five of which drift while the others only carry noise
    bursts    in one iteration of a hundred one path takes ten times as long

Six more, made after the rule for the weights of call paths was chosen by those above:

    factors   three hidden quantities, new in every iteration, drive all paths, each by shares of its own
    walks     what each path takes walks at random
    regimes   the program changes at random between twelve states, in each of which six paths are dear
    ragged    every path varies by itself and unevenly, by a tenth to a half; one metric drifts
    dumps     every fortieth iteration has five paths that the others lack, larger each time
    crowd     200 paths, each missing now and then by itself; two of them exchange their work
"""

import numpy

KINDS = ("moving", "pairs", "phases", "absent", "many", "bursts",
         "factors", "walks", "regimes", "ragged", "dumps", "crowd")
WIDE = {"many": 400, "crowd": 200}  # paths, where there are more than PATHS
ITERATIONS, METRICS, PATHS, SHIFTS = 1000, 3, 40, 5


def shape_of(kind, rng, paths, t):
    """What each path takes, as a multiple of its usual value: iterations x paths."""
    shape = numpy.ones((ITERATIONS, paths))
    if kind == "moving":
        moved = 0.5 + 0.4 * numpy.sin(2 * numpy.pi * t / 170)
        shape[:, 0], shape[:, 1] = 2 * moved, 2 * (1 - moved)
    elif kind == "pairs":
        for part in range(10):
            one, other = rng.permutation(paths)[:2]
            inside = (t * 10 // ITERATIONS == part) & (t % 3 == 0)
            shape[inside, one] += 0.33
            shape[inside, other] -= 0.33
    elif kind == "phases":
        levels = 0.2 + 1.6 * rng.random((SHIFTS + 1, paths))
        shape = levels[numpy.searchsorted(numpy.sort(rng.random(SHIFTS)), t / ITERATIONS)]
    elif kind == "absent":
        for path in range(0, paths, 2):
            shape[:, path] = (t // rng.integers(7, 90) + path) % 3 > 0
    elif kind == "many":
        shape[:, :5] += rng.random(5) * 2 * (t / ITERATIONS)[:, None]
    elif kind == "bursts":
        for i in numpy.flatnonzero(rng.random(ITERATIONS) < 0.01):
            shape[i, rng.integers(paths)] = 10
    elif kind == "factors":
        shape += 0.2 * rng.standard_normal((ITERATIONS, 3)) @ rng.random((3, paths))
    elif kind == "walks":
        shape = numpy.exp(0.02 * rng.standard_normal((ITERATIONS, paths)).cumsum(axis=0))
    elif kind == "regimes":
        state = numpy.maximum.accumulate(numpy.where(rng.random(ITERATIONS) < 0.1, t, 0))
        state = rng.integers(12, size=ITERATIONS)[state]
        for regime in range(12):
            shape[numpy.ix_(state == regime, rng.permutation(paths)[:6])] *= 2
    elif kind == "ragged":
        shape = numpy.exp((0.1 + 0.4 * rng.random(paths)) * rng.standard_normal((ITERATIONS, paths)))
    elif kind == "dumps":
        shape[:, :5] = numpy.where(t % 40 == 39, 1 + t / ITERATIONS, 0)[:, None]
    elif kind == "crowd":
        moved = 0.5 + 0.4 * numpy.sin(2 * numpy.pi * t / 170)
        shape[rng.random((ITERATIONS, paths)) < 0.05] = 0
        shape[:, 0], shape[:, 1] = 10 * moved, 10 * (1 - moved)
    return shape


def make(kind, seed):
    """The series of a kind; the same for the same seed."""
    rng = numpy.random.default_rng([100 + KINDS.index(kind), seed])
    paths = WIDE.get(kind, PATHS)
    t = numpy.arange(ITERATIONS)
    usual = 1e5 * numpy.exp(rng.standard_normal((paths, METRICS)))
    if kind in ("moving", "pairs"):
        usual[:] = usual.mean(axis=0)
    noise = 0.01 + 0.02 * rng.random(METRICS)
    values = shape_of(kind, rng, paths, t)[:, :, None] * usual
    if kind == "ragged":
        values[:, :, 0] *= (1 + t / ITERATIONS)[:, None]
    values = values * (1 + noise * rng.standard_normal(values.shape))
    return numpy.rint(numpy.maximum(values, 0))
