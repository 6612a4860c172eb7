#!/usr/bin/env python3
"""What a slow iteration has more than its neighbours was listed twice in the same words, where one function
was called from two places."""

import os
import re
import subprocess

import harness

PROGRAM = r"""
#include <mpi.h>
#include <tsprof.h>
#include <unistd.h>

#define FUNCTION __attribute__((noinline, noclone)) static void
#define NOT_LAST __asm__ volatile("")

FUNCTION exchange_halo(int late)
{
    if (late)
        usleep(150000);
    MPI_Barrier(MPI_COMM_WORLD);
    NOT_LAST;
}

FUNCTION smooth_pressure(int late)
{
    exchange_halo(late);
    NOT_LAST;
}

FUNCTION restrict_velocity(int late)
{
    exchange_halo(late);
    NOT_LAST;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 40; i++) {
        TSPROF_ITERATION_BEGIN("step");
        smooth_pressure(rank == 1 && i == 20);
        restrict_velocity(rank == 1 && i == 20);
        TSPROF_ITERATION_END("step");
    }
    MPI_Finalize();
    return 0;
}
"""


def test_two_callers(tap):
    """Rank 0 waits in one function, called from two others: each line names one of them."""
    with harness.Directory() as directory:
        program, summary = os.path.join(directory, "halo"), os.path.join(directory, "halo.tsprof")
        with open(program + ".c", "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        subprocess.run(harness.mpicc() + ["-g", "-O2", "-fno-ipa-icf", "-I" + os.path.join(harness.TOP_SRCDIR, "include"),
                                             "-o", program, program + ".c"], check=True)
        harness.check_run(harness.run_ranks([program], 2, cwd=directory, settings={
            "TSPROF_OUTPUT": summary, "TSPROF_CLUSTERS": "0"}), summary)
        said = harness.tsprof("report", summary, "--rank", "0").stdout
        rows = re.search(r"^.* 20\n((?: {8}\+.*\n)+)", said.split("Slowest iterations")[1], re.M)
        places = re.findall(r" in (.*)", rows[1]) if rows else []
        tap.equal(len(places), 2, "there are two places")
        tap.ok(len(set(places)) == 2 and all(place.endswith("MPI_Barrier") for place in places),
               "which are told apart", said)


if __name__ == "__main__":
    harness.main()
