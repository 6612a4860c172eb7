#!/usr/bin/env python3
"""In a trace, what a thread did after it had slept through iterations of the first thread belonged to
the first of these: each had begun, and nothing had ended it."""

import collections
import os

import harness
import threads
from harness import Directory
from waits_trace import Trace

ITERATIONS = 40


def called_in(archive):
    """{iteration: calls of MPI_Comm_size by threads other than the first}"""
    return collections.Counter(
        call.iteration[1] for (_, thread), calls in Trace(archive).calls.items() for call in calls
        if thread > 0 and call.name == "MPI_Comm_size" and call.iteration)


def stated_in(stated):
    return collections.Counter({iteration: calls for (thread, iteration, _), calls in stated.items()
                                if thread > 0 and iteration >= 0})


def test_all(tap):
    with Directory() as directory:
        stated, _ = threads.run(directory, ["lives", str(ITERATIONS)], {"TSPROF_TRACE": "all"})
        called = called_in(os.path.join(directory, "out.otf2"))
    tap.equal(called, stated_in(stated), "every call is in its iteration")


def test_chosen(tap):
    """Only what is in the chosen iterations is there."""
    with Directory() as directory:
        stated, _ = threads.run(directory, ["lives", str(ITERATIONS)],
                                {"TSPROF_TRACE": "3,10,11,13-15"})
        called = called_in(os.path.join(directory, "out.otf2"))
    wanted = stated_in(stated)
    tap.equal(called, collections.Counter({iteration: wanted[iteration]
                                           for iteration in (3, 10, 11, 13, 14, 15)
                                           if wanted[iteration]}), "no call is in another one")


if __name__ == "__main__":
    harness.main()
