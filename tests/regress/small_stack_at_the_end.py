#!/usr/bin/env python3
"""libdw keeps tables of lines of more than a hundred kilobytes on the stack: MPI_Finalize crashed
where the stack is small."""

import harness
import life


def test_size_of_main_stack(tap):
    def look(name, files, result):
        lines = {row["region"]: row["line"] for row in harness.export(files[0], "regions")}
        tap.ok(int(lines.get("main") or 0) > 0, name + ": lines are found all the same", lines)

    # With little Open MPI cannot start its daemon, which processes without a launcher need.
    for size in ("unlimited",) if harness.MPI == "openmpi" else ("128", "unlimited"):
        command = ["bash", "-c", 'ulimit -s %s; exec "$@"' % size, "bash",
                   harness.program("life_limits"), "plain"]
        life.both_ways(tap, "stack of " + size, command, rates=("100",), look=look)


if __name__ == "__main__":
    harness.main()
