#!/usr/bin/env python3
"""Where MPI is started by a session, or another function of MPI comes before MPI_Init, the start was
gone through twice, and what is wrong with the settings was said twice."""

import harness
import life


def test_messages_of_two_starts(tap):
    """What is wrong with the settings is said once, however MPI is started."""
    if harness.MPI == "openmpi":
        raise harness.Skip("Open MPI 4.1 has MPI 3.1")
    with harness.Directory() as directory:
        for mode in ("info-first", "session-world"):
            result = life.run(directory, [harness.program("life_endings"), mode], True,
                              {"TSPROF_NONSENSE": "1", "TSPROF_VERBOSE": "1"})
            said = result.stderr.decode("utf-8", "replace")
            tap.equal(said.count("TSPROF_NONSENSE"), 1, mode + ": one message")


if __name__ == "__main__":
    harness.main()
