#!/usr/bin/env python3
"""No system call is interrupted or returns early because of the sampling timers: not a long one
that waits, and none of very many short ones."""

import harness
import life


def test_modes(tap):
    for mode in ("long", "short", "ever"):
        life.both_ways(tap, mode, [harness.program("life_waits"), mode])
    life.both_ways(tap, "aside", [harness.program("life_waits"), "aside"], rates=("10000",))


if __name__ == "__main__":
    harness.main()
