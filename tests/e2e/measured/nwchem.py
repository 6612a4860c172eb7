#!/usr/bin/env python3
"""NWChem as Debian ships it for MPICH: the same results under preload, and its call paths."""

import functools
import os
import re
import shutil

import harness
import traces
from harness import Directory, Failure, Skip

INPUT = os.path.join(harness.TOP_SRCDIR, "tests", "nwchem", "ethanol.nw")
TIMEOUT_S = 300
# Debian's README.Debian for this package asks for it.
ARMCI = {"ARMCI_USE_WIN_ALLOCATE": "0"}


def nwchem():
    command = shutil.which("nwchem.mpich")
    if not command:
        raise Skip("nwchem-mpich is not installed")
    return [command, INPUT]


def energy(output):
    found = re.findall(r"Total DFT energy = +(-\d+\.\d+)", output)
    if not found:
        raise Failure("no energy in NWChem's output:\n" + output[-2000:])
    return float(found[-1])


def gradient(output):
    """The last three columns of the table of forces on the atoms."""
    lines = re.findall(r"^ +\d+ [A-Z] +(?:-?\d+\.\d+ +){3}((?:-?\d+\.\d+ *){3})$", output, re.M)
    return [float(number) for line in lines for number in line.split()]


def run(directory, preloaded, more=None):
    os.mkdir(directory)
    settings = dict(ARMCI, TSPROF_OUTPUT=os.path.join(directory, "out.tsprof"), **(more or {}))
    start = harness.run_ranks if preloaded else harness.run_plain
    result = start(nwchem(), 2, settings=settings, cwd=directory, timeout=TIMEOUT_S)
    return result, result.stdout.decode("utf-8", "replace")


@functools.cache
def run_plain():
    with Directory() as directory:
        return run(os.path.join(directory, "plain"), False)


def test_results_and_call_paths(tap):
    plain, without = run_plain()
    with Directory() as directory:
        measured, with_it = run(os.path.join(directory, "measured"), True)
        summary = os.path.join(directory, "measured", "out.tsprof")
        tap.equal(measured.status, plain.status, "NWChem ends with the same status")
        # Parallel sums are in no fixed order: two plain runs differ in the last printed digits.
        tap.ok(abs(energy(with_it) - energy(without)) < 1e-8, "the energy is the same",
               "%r and %r" % (energy(without), energy(with_it)))
        pairs = list(zip(gradient(without), gradient(with_it)))
        tap.equal(len(pairs), 27, "forces on nine atoms were found")
        tap.ok(all(abs(a - b) <= 2e-6 for a, b in pairs), "the forces are the same", pairs)
        info = harness.tsprof("info", summary)
        tap.ok(re.search(r"^accounting +exact:", info.stdout, re.M), "the accounts are exact",
               info.stdout + info.stderr)
        tap.ok(re.search(r"^totals +exact:", info.stdout, re.M), "the totals are exact")
        rows = harness.export(summary, "callpaths", "--total")
        deep = [r["callpath"] for r in rows
                if r["callpath"].endswith(";MPI_Win_flush_local_all")
                and r["callpath"].count(";") >= 10]
        tap.ok(deep, "one-sided synchronization is found at least ten calls deep")
        samples = sum(float(r["value"]) for r in rows if r["metric"] == "samples")
        failed = sum(float(r["value"]) for r in rows if r["metric"] == "samples_failed")
        tap.ok(samples >= 100, "it was sampled", samples)
        tap.ok(failed <= samples / 100, "hardly a sample was not walked to the root",
               "%g of %g" % (failed, samples))
        report = harness.tsprof("report", summary)
        tap.ok(report.status == 0 and "MPI_Win_flush_local_all" in report.stdout,
               "the report shows it", report.stdout + report.stderr)


def test_trace(tap):
    """The slowest pass of its loop, which tsprof finds."""
    plain, without = run_plain()
    with Directory() as directory:
        measured, with_it = run(os.path.join(directory, "measured"), True, traces.slowest(1))
        tap.equal(measured.status, plain.status, "traced, NWChem ends with the same status")
        tap.ok(abs(energy(with_it) - energy(without)) < 1e-8, "the energy is the same",
               "%r and %r" % (energy(without), energy(with_it)))
        traces.check_slowest(tap, "NWChem: ", os.path.join(directory, "measured", "out.tsprof"), 1)


if __name__ == "__main__":
    harness.main()
