"""How far off predictions of the unchanged run are: `make bench BENCH=whatif_unchanged`.

Real codes, as far as they are installed, and programs of the tests are traced as a whole; then asked is
how long they would have taken if nothing were different, with the network that the trace tells and
with the one that tsprof-network measures.  Not by how much a prediction of a change is off: that is
what whatif.py and whatif_paper.py show.
"""

import json
import os
import shutil
import tempfile

import mpi_runs
from mpi_runs import SOURCE, harness, tsprof

# Name, MPI, ranks, the command (a program of the tests, or one that is installed), its input.
CODES = (
    ("NWChem", "mpich", 2, ["nwchem.mpich", SOURCE + "/tests/nwchem/ethanol.nw"], None),
    ("LAMMPS", "openmpi", 2, ["lmp", "-in", SOURCE + "/tests/loop_inputs/melt.lammps"], None),
    ("HPC Challenge", "openmpi", 2, ["hpcc"], SOURCE + "/tests/hpcc/hpccinf.txt"),
    ("stencil", "mpich", 2, ["stencil"], None),
    ("wavefront", "mpich", 2, ["wavefront"], None),
    ("random_messages", "mpich", 3, ["random_messages"], None),
    ("requests", "mpich", 3, ["requests"], None),
    ("collectives", "mpich", 3, ["collectives"], None),
    ("onesided", "mpich", 3, ["onesided"], None),
    ("stencil", "openmpi", 2, ["stencil"], None),
    ("workers", "openmpi", 3, ["workers"], None),
)
# What NWChem of Debian asks for, and that codes use no more threads than they have processors.
SETTINGS = {"ARMCI_USE_WIN_ALLOCATE": "0", "OMP_NUM_THREADS": "1"}


def measure_network(kind, directory):
    path = os.path.join(directory, "network." + kind)
    program = os.path.join(harness.TOP_BUILDDIR, "network", "tsprof-network-" + kind)
    if not os.path.exists(path):
        mpi_runs.run(kind, 2, [program, "-o", path])
    return path


def ask(archive, *options):
    """Whatever the question, the answer tells of the unchanged run."""
    return json.loads(tsprof("whatif", archive, "zero-wait", "all", "--format", "json", *options))


def off(answer):
    return 100 * (answer["unchanged"] / answer["measured"] - 1)


def show(code, networks):
    name, kind, ranks, command, given = code
    program = mpi_runs.found(kind, command[0]) if kind in harness.KINDS else None
    if not program:
        print(f"{name:<17}{kind:<9}is not here")
        return
    network = measure_network(kind, networks)
    with tempfile.TemporaryDirectory(prefix="tsprof-bench.") as directory:
        if given:
            shutil.copy(given, directory)
        archive = mpi_runs.trace(kind, ranks, [program] + command[1:], directory, SETTINGS)[1]
        told, measured = ask(archive), ask(archive, "--network", network)
    notes = sum("does not fit" in note for note in measured["notes"])
    print(f"{name:<17}{kind:<9}{ranks:>5}{told['measured']:>11.3f}{off(told):>+11.3f} %"
          f"{off(measured):>+11.3f} %{'  said' if notes else ''}", flush=True)


def main():
    print("\nThe unchanged run, predicted (goal: within 1 %, or it is said)")
    print(f"{'code':<17}{'MPI':<9}{'ranks':>5}{'measured/s':>11}{'as traced':>13}{'as measured':>13}")
    with tempfile.TemporaryDirectory(prefix="tsprof-bench.") as networks:
        for code in CODES:
            show(code, networks)
        for kind in harness.KINDS:
            with open(measure_network(kind, networks), encoding="utf-8") as file:
                print(kind + ": " + " ".join(line.split("#")[0].strip() for line in file
                                             if "=" in line.split("#")[0]))


if __name__ == "__main__":
    main()
