#!/usr/bin/env python3
"""LAMMPS and HPC Challenge as Debian ships them for Open MPI: the same results under preload, and
their call paths."""

import glob
import os
import re
import shutil

import harness
import traces
from harness import Directory, Failure, Skip

MELT = "/usr/share/lammps/examples/melt/in.melt"
HPCC_INPUT = os.path.join(harness.TOP_SRCDIR, "tests", "hpcc", "hpccinf.txt")
TIMEOUT_S = 300

# One sample in a hundred may fail, and one in any case: glibc's multiplication of long numbers,
# which printf calls, has no information to unwind it by. At this rate there are hundreds or
# thousands; a tenth where the system allows no more than its ticks.
RATE_HZ = 1000
FEWEST_SAMPLES = 30

# What of HPC Challenge's results is a measurement.
TIMED = re.compile(r"time|GUPs|flops|GBs|STREAM|usec|GBytes", re.I)


def installed(command, package):
    path = shutil.which(command)
    if not path:
        raise Skip(package + " is not installed")
    if "openmpi" not in harness.KINDS:
        raise Skip("there is no runtime for Open MPI")
    return path


def run(directory, command, library=None, more=None):
    """On two ranks of Open MPI, sampled at RATE_HZ, with MORE settings; its output."""
    os.makedirs(directory, exist_ok=True)
    settings = dict({"TSPROF_OUTPUT": os.path.join(directory, "out.tsprof"),
                     "OMP_NUM_THREADS": "1", "TSPROF_RATE": str(RATE_HZ)}, **(more or {}))
    preload = ["env", "LD_PRELOAD=" + library] if library else []
    result = harness.execute([harness.mpirun("openmpi"), "-n", "2"] + preload + command,
                             settings=settings, cwd=directory, timeout=TIMEOUT_S)
    if result.status != 0:
        raise Failure("%s: status %d\n%s" % (command, result.status,
                                             result.stderr.decode("utf-8", "replace")))
    return result.stdout.decode("utf-8", "replace")


def check_summary(tap, name, file, call, calls, functions=()):
    """CALL must be found below that many CALLS, among them those of FUNCTIONS."""
    info = harness.tsprof("info", file)
    for line in ("accounting", "totals"):
        tap.ok(re.search(r"^%s +exact:" % line, info.stdout, re.M),
               "%s: exact %s" % (name, line), info.stdout + info.stderr)
    tap.ok(re.search(r"^MPI +Open MPI", info.stdout, re.M), name + ": it tells the MPI",
           info.stdout)
    rows = harness.export(file, "callpaths", "--total")
    found = [row["callpath"] for row in rows if row["callpath"].endswith(";" + call)
             and row["callpath"].count(";") >= calls
             and all(function in row["callpath"] for function in functions)]
    tap.ok(found, "%s: %s below %d calls" % (name, call, calls), functions)
    samples = sum(float(r["value"]) for r in rows if r["metric"] == "samples")
    failed = sum(float(r["value"]) for r in rows if r["metric"] == "samples_failed")
    tap.ok(samples >= FEWEST_SAMPLES and failed <= 1 + samples / 100,
           name + ": samples are walked to the root", "%g of %g failed" % (failed, samples))
    # Not CALL, of which a report may leave out every path where others took longer.
    longest = max((row for row in rows if row["metric"] == "mpi_point2point"),
                  key=lambda row: float(row["value"]))["callpath"].rsplit(";", 1)[1]
    report = harness.tsprof("report", file)
    tap.ok(report.status == 0 and longest in report.stdout,
           "%s: the report shows %s, which took longest" % (name, longest),
           report.stdout + report.stderr)


def results_of_lammps(output):
    """The table of every 50 steps, and where the atoms are at the end."""
    table = re.search(r"^ *Step .*?(?=^Loop time)", output, re.M | re.S)
    atoms = re.findall(r"^(?:N\w+: |Histogram|Total #|Ave |Neighbor list builds).*", output, re.M)
    if not table or not atoms:
        raise Failure("no results in LAMMPS's output:\n" + output[-2000:])
    return table.group(0), atoms


def test_lammps(tap):
    command = [installed("lmp", "lammps"), "-in", MELT, "-log", "none"]
    if not os.path.exists(MELT):
        raise Skip("lammps-examples is not installed")
    with Directory() as directory:
        plain = run(directory + "/plain", command)
        measured = run(directory + "/measured", command, harness.library_of("openmpi"))
        tap.equal(results_of_lammps(measured), results_of_lammps(plain),
                  "LAMMPS: the same results, digit by digit")
        check_summary(tap, "LAMMPS", directory + "/measured/out.tsprof",
                      "MPI_Send", 6, ("Verlet::run", "CommBrick::reverse_comm"))


def test_trace_of_lammps(tap):
    """The slowest passes of its loop, which tsprof finds."""
    command = [installed("lmp", "lammps"), "-in", MELT, "-log", "none"]
    if not os.path.exists(MELT):
        raise Skip("lammps-examples is not installed")
    with Directory() as directory:
        plain = run(directory + "/plain", command)
        measured = run(directory + "/measured", command, harness.library_of("openmpi"),
                       traces.slowest(3))
        tap.equal(results_of_lammps(measured), results_of_lammps(plain),
                  "LAMMPS, traced: the same results, digit by digit")
        traces.check_slowest(tap, "LAMMPS: ", directory + "/measured/out.tsprof", 3)


def test_lammps_with_the_runtime_for_mpich(tap):
    command = [installed("lmp", "lammps"), "-in", MELT, "-log", "none"]
    if not os.path.exists(MELT) or "mpich" not in harness.KINDS:
        raise Skip("no LAMMPS, or no other runtime")
    with Directory() as directory:
        plain = run(directory + "/plain", command)
        wrong = run(directory + "/wrong", command, harness.library_of("mpich"))
        tap.equal(results_of_lammps(wrong), results_of_lammps(plain),
                  "LAMMPS, runtime for MPICH: the same results")
        tap.equal(glob.glob(directory + "/wrong/*"), [], "LAMMPS, runtime for MPICH: no summary")


def results_of_hpcc(directory):
    """The values that are no times, in its summary; and how many checks passed."""
    with open(os.path.join(directory, "hpccoutf.txt")) as file:
        text = file.read()
    values = dict(re.findall(r"^(\w+)=(.*)$", text, re.M))
    if values.get("Success") != "1":
        raise Failure("HPC Challenge did not succeed:\n" + text[-2000:])
    # A line of CPU time is only written where the clock has moved.
    checks = "".join(line for line in text.splitlines() if not line.startswith("CPU"))
    return ({key: value for key, value in values.items() if not TIMED.search(key)},
            checks.count("PASSED"), checks.count("FAILED"))


def test_hpcc(tap):
    command = [installed("hpcc", "hpcc")]
    with Directory() as directory:
        for place in ("plain", "measured"):
            os.makedirs(os.path.join(directory, place))
            shutil.copy(HPCC_INPUT, os.path.join(directory, place))
        run(directory + "/plain", command)
        run(directory + "/measured", command, harness.library_of("openmpi"))
        plain = results_of_hpcc(directory + "/plain")
        tap.ok(len(plain[0]) > 30 and plain[1] > 0, "HPC Challenge: results are found", plain)
        tap.equal(results_of_hpcc(directory + "/measured"), plain,
                  "HPC Challenge: the same results")
        check_summary(tap, "HPC Challenge", directory + "/measured/out.tsprof",
                      "MPI_Send", 6)


if __name__ == "__main__":
    harness.main()
