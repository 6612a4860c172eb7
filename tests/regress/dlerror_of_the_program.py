#!/usr/bin/env python3
"""Looking up what TSPROF_ITERATION names took away the message that dlerror had for the program."""

import harness
from harness import Directory
from named import STEPS, measure


def test_dlerror_is_the_programs_own(tap):
    command = [harness.program("named"), "failing", str(STEPS)]
    plain = harness.run_plain(command, 1)
    tap.equal(plain.stdout.split()[0], b"failed", "without tsprof dlerror says that it failed")
    for iteration in ("function:step", "call:MPI_Barrier@begin_step", "caliper:step"):
        with Directory() as directory:
            result, _ = measure(directory, iteration, mode="failing", ranks=1)
            tap.equal(result.stdout, plain.stdout, iteration + ": and so it does with it")


if __name__ == "__main__":
    harness.main()
