#!/usr/bin/env python3
"""A handler of the program's came while a sample was taken, and left by siglongjmp: the sample was
left half done, the first iteration of time missed its computation, and the thread was not sampled
any more."""

import os

import harness
from harness import Directory

import boundaries


def test_samples_survive_jumps(tap):
    """Signals come while samples are taken, and their handler leaves by siglongjmp."""
    for rate in (100, 1000):
        with Directory() as directory:
            result = boundaries.run(directory, "jump-often", True, TSPROF_RATE=str(rate))
            summary = os.path.join(directory, "out.tsprof")
            info = harness.tsprof("info", summary)
            rows = harness.export(summary, "callpaths", "--total")
        tap.equal(result.status, 7, "rate %d: the program works" % rate)
        tap.equal(result.stdout, b"jumped 20000 times\n", "rate %d: each jump arrives" % rate)
        tap.equal(info.status, 0, "rate %d: accounts and totals are exact" % rate)
        computed = sum(float(r["value"]) for r in rows
                       if r["metric"] == "computation" and "jump" in r["callpath"])
        samples = sum(float(r["value"]) for r in rows
                      if r["metric"] == "samples" and "jump" in r["callpath"])
        # About half of them: of those that are interrupted by a jump at once nothing is left.
        tap.ok(samples > rate * computed / 10, "rate %d: samples go on" % rate,
               "%d in %.2f s" % (samples, computed))


if __name__ == "__main__":
    harness.main()
