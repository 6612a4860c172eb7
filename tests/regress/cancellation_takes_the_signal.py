#!/usr/bin/env python3
"""Samples come by the signal that the C library keeps for pthread_cancel, and it installs a handler
of its own when a thread is cancelled for the first time: after that there were no samples."""

import harness
import life
from life_signals import samples_in


def test_cancellation_and_samples_share_a_signal(tap):
    def look(name, files, result):
        tap.ok(samples_in(files, "burn_after_cancelling;burn") > 0,
               name + ": samples are taken after threads were cancelled")

    for mode in ("cancel", "cancel-early"):
        life.both_ways(tap, mode, [harness.program("life_signals"), mode], look=look)


if __name__ == "__main__":
    harness.main()
