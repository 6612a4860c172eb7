#!/usr/bin/env python3
"""SIGBUS is the program's: its handlers, what it is told of them, how it ends.  What tsprof keeps
in files can be truncated without its noticing."""

import signal

import harness
import life

RATES = ("1000",)


def both_ways(tap, mode, **options):
    life.both_ways(tap, mode, [harness.program("life_bus"), mode], rates=RATES, **options)


def test_handlers(tap):
    """Those of the program, installed before or after the part is there."""
    for mode in harness.some(("handle", "handle-late", "sent", "raw", "ignore")):
        both_ways(tap, mode)


def test_truncated(tap):
    """The part, by the program itself, under stores from one thread and from several."""
    for mode in harness.some(("truncated", "threads", "children")):
        both_ways(tap, mode)


def test_blocked(tap):
    """The kernel ends whoever faults while SIGBUS is blocked, so that must not happen."""
    for mode in ("block", "block-late"):
        both_ways(tap, mode)


def test_endings(tap):
    """A fault of the program's own, and a signal sent, end it as without tsprof."""
    for mode in ("die", "die-sent"):
        both_ways(tap, mode, wanted=0, status=-signal.SIGBUS)


if __name__ == "__main__":
    harness.main()
