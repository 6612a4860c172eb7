#!/usr/bin/env python3
"""The first of the intervals that TSPROF_ITERATION=time:... makes began before MPI_Init returned, in
a handler that could not make its series: all samples up to the next MPI call were lost."""

import harness
from harness import Directory
from named import check_sound, measure, visits


def test_time_in_computation(tap):
    """Intervals have their samples from the start on, though MPI is not called in them."""
    with Directory() as directory:
        _, content = measure(directory, "time:0.05", mode="compute", steps=12, ranks=1,
                             settings={"TSPROF_RATE": "1000"})
        samples = visits(content, "0.05 s", None, name="samples")
        with_some = sum(1 for count in samples if count > 0)
        tap.ok(with_some >= 6, "intervals have samples", samples)
        check_sound(tap, "compute", content)


if __name__ == "__main__":
    harness.main()
