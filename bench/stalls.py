"""How long tsprof keeps the ranks of programs at once: `make bench BENCH=stalls`.

Runs programs of tests/programs, job_steps, and LAMMPS and NWChem where they are installed, on two
ranks each, and prints for each thing that tsprof does how many stays were shorter than 66
microseconds and how many were not (a bin of the histogram ends there), per second and rank, and the
longest.  `system` is what the system takes of ranks that only look at the clock: what is not longer
than that may not be tsprof's.
"""

import os
import shutil
import subprocess
import tempfile

import job

BUILD = os.path.abspath(os.environ.get("TOP_BUILDDIR", "."))
SOURCE = os.path.abspath(os.environ.get("TOP_SRCDIR", BUILD))
MPIRUN = os.environ.get("MPIRUN") or "mpirun"
RUNTIME = os.path.join(os.environ.get("BASE") or BUILD, "libprof/.libs/libtsprof.so")
LIMIT_NS = 60000  # the first bin above 50 microseconds begins at 65.5
RANKS = 2


def programs():
    """Name and command of each."""
    for name, iterations in (("stencil", 3000), ("wavefront", 1500), ("particles", 6000),
                             ("collectives", 1500), ("templates", 1500)):
        yield name, [os.path.join(BUILD, "tests/programs", name), "--iterations", str(iterations)]
    lammps, nwchem = shutil.which("lmp_mpich"), shutil.which("nwchem.mpich")
    if nwchem:
        yield "NWChem", [nwchem, os.path.join(SOURCE, "tests/nwchem/ethanol.nw")]
    if lammps:
        yield "LAMMPS", [lammps, "-in", "/usr/share/lammps/examples/melt/in.melt", "-log", "none"]


def measured(command):
    """What `tsprof info` says of a run."""
    with tempfile.TemporaryDirectory(prefix="tsprof-bench.") as directory:
        summary = os.path.join(directory, "run.tsprof")
        environment = dict(os.environ, LD_PRELOAD=RUNTIME, TSPROF_OUTPUT=summary,
                           TSPROF_VERBOSE="0", ARMCI_USE_WIN_ALLOCATE="0")
        subprocess.run([MPIRUN, "-n", str(RANKS), *command], cwd=directory, env=environment,
                       check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        return subprocess.run([os.path.join(BUILD, "utils/tsprof"), "info", summary], check=True,
                              stdout=subprocess.PIPE, text=True).stdout


def print_stalls(name, stalls, rank_seconds):
    for stall in stalls:
        long = sum(bin["count"] for bin in stall["histogram"] if bin["from_ns"] >= LIMIT_NS)
        print(f"{name:<18}{stall['cause']:<12}{(stall['count'] - long) / rank_seconds:>10.1f}"
              f"{long / rank_seconds:>10.2f}{stall['longest_ns'] / 1000:>12.0f}", flush=True)
        name = ""


def main():
    print("\nStays in tsprof of 2 us and longer, per second and rank (goal: none above 50 us)")
    print(f"{'program':<18}{'doing':<12}{'to 66 us':>10}{'longer':>10}{'longest, us':>12}")
    output = subprocess.run([MPIRUN, "-n", str(RANKS), os.path.join(BUILD, "bench/job_steps"),
                             "noise", "5"], check=True, text=True, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE).stdout
    wall_s, longest_ns, *bins = (float(number) for number in output.split())
    histogram = [{"from_ns": 2 ** bin, "count": int(count)}
                 for bin, count in enumerate(bins, job.FIRST_BIN)]
    print_stalls("(none)", [{"cause": "system", "longest_ns": longest_ns, "histogram": histogram,
                             "count": sum(each["count"] for each in histogram)}], wall_s)
    for name, command in programs():
        info = measured(command)
        cost = job.cost_in(info)
        print_stalls(f"{name} {cost['wall_s'] / RANKS:.1f}s", cost["stalls"], cost["wall_s"])
