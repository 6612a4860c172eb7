#!/usr/bin/env python3
"""The state of the processor and of the C library that programs keep: errno, floating-point
control, registers, what lies below the stack pointer."""

import harness
import life


def test_modes(tap):
    for mode in ("floating", "rounding", "errno", "registers"):
        life.both_ways(tap, mode, [harness.program("life_state"), mode])


if __name__ == "__main__":
    harness.main()
