"""Real programs as Debian ships them, with small inputs, for loop_table.py: how often their main loops
ran they say in their own output."""

import os
import re
import shutil

import harness
import loop_cases
from harness import Failure, Skip
from loop_cases import Case, Truth

INPUTS = os.path.join(harness.TOP_SRCDIR, "tests", "loop_inputs")
TIMEOUT_S = 300


def text_of(result, directory, file=None):
    if file in (None, "stderr"):
        return (result.stderr if file else result.stdout).decode("utf-8", "replace")
    with open(os.path.join(directory, file), encoding="utf-8", errors="replace") as opened:
        return opened.read()


def told(name, pattern, file=None):
    """Truth: the number in what the pattern finds last."""

    def truth(result, directory):
        text = text_of(result, directory, file)
        numbers = re.findall(pattern, text, re.M)
        if not numbers:
            raise Failure("the program does not tell its iterations:\n" + text[-2000:])
        return Truth([(name, int(numbers[-1]))], {})

    return truth


def counted(name, pattern, file=None):
    """Truth: as many as the pattern is found."""

    def truth(result, directory):
        text = text_of(result, directory, file)
        number = len(re.findall(pattern, text, re.M))
        if not number:
            raise Failure("the program does not tell its iterations:\n" + text[-2000:])
        return Truth([(name, number)], {})

    return truth


def told_of_each(*loops):
    """Truth: loops one after the other, each with a pattern whose last number counts."""

    def truth(result, directory):
        found = [told(name, pattern)(result, directory).loops[0] for name, pattern in loops]
        return Truth(found, {})

    return truth


def real(name, mpi, command, truth, ranks=2, settings=None):
    return Case("real", name, [(ranks, command)], dict(settings or {}, OMP_NUM_THREADS="1"), truth,
                mpi)


LAMMPS_STEPS = r"^Loop time of .* for (\d+) steps"


def given(name):
    return os.path.join(INPUTS, name)


CASES = [
    real("nwchem", "mpich",
         ["nwchem.mpich", os.path.join(harness.TOP_SRCDIR, "tests", "nwchem", "ethanol.nw")],
         counted("cycle", r"^ d= "), settings={"ARMCI_USE_WIN_ALLOCATE": "0"}),
    real("bagel", "mpich", ["BAGEL", given("water.json")],
         counted("iteration", r"^ +\d+ +-\d+\.\d{8} +\d"), settings={"BAGEL_NUM_THREADS": "1"}),
    real("lammps-melt", "openmpi", ["lmp", "-in", given("melt.lammps"), "-log", "none"],
         told("step", LAMMPS_STEPS)),
    real("lammps-relax", "openmpi", ["lmp", "-in", given("relax.lammps"), "-log", "none"],
         told_of_each(("iteration", r"Iterations, force evaluations = +(\d+)"),
                      ("step", LAMMPS_STEPS))),
    real("meep", "openmpi", ["meep", given("waveguide.ctl")],
         told("timestep", r"finished at t = .*\((\d+) timesteps\)")),
    real("gerris", "openmpi", ["gerris2D", given("cavity.gfs")],
         told("step", r"^step: +(\d+) t:", "stderr")),
]


def measure_case(case, directory, settings=None, pasted=None):
    """See loop_cases.measure; raises Skip where the program or the runtime is missing."""
    ranks, command = case.command[0]
    program = shutil.which(command[0])
    if not program:
        raise Skip(command[0] + " is not installed")
    if case.mpi not in harness.KINDS:
        raise Skip("there is no runtime for " + case.mpi)
    settings = dict(case.settings, **(settings or {}))
    return loop_cases.measure([(ranks, [program] + command[1:])], directory, settings, case.mpi,
                              TIMEOUT_S, harness.library_of(case.mpi), pasted)


def run(case, directory, settings=None):
    result, summary = measure_case(case, directory, settings)
    return loop_cases.judge(case, case.truth(result, directory), summary,
                            result.stderr.decode("utf-8", "replace"))
