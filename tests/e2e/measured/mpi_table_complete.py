#!/usr/bin/env python3
"""Prove that libprof/calls/mpi_calls.def and the installed mpi.h name the same functions, for each MPI
that there is a runtime for, and that the runtime exports them.

TAP on standard output; where things are comes from the environment, see harness.py.

Both sides go through the preprocessor, so version blocks in the table and in mpi.h count as the
compiler sees them, and a function that mpi.h turns into a macro is no function here.
"""

import collections
import os
import re
import shlex
import subprocess
import sys
import tempfile

import harness

GROUPS = """
    CG CG_ERR CG_EXT CG_MISC COLL ENV ERR EXT INFO IO IO_ERR IO_MISC MISC P2P PERF REQUEST
    RMA RMA_ERR RMA_EXT RMA_MISC SESSION SPAWN TOOL TOPO TYPE
""".split()

# Open MPI's header declares the functions that MPI 3 removed, and its library has, if told to.
PROBE = """
#define OMPI_OMIT_MPI1_COMPAT_DECLS 0
#include <mpi.h>
tsprof_table_begins
#define MPI_CALL(type, name, group, time, params, args, rule) tsprof_row #name #group #time
#define MPI_CALL_PREINIT(type, name, group, time, params, args, rule) \\
    tsprof_row #name #group #time
#define MPI_CALL_STATUS(type, name, group, time, params, args, rule) \\
    tsprof_row #name #group #time
#define MPI_CALL_BY_HAND(type, name, group, time, params, args) tsprof_row #name #group #time
#include "{table}"
"""

# Conversions between C and Fortran, which Open MPI's Fortran bindings call for themselves.
CONVERSION = re.compile(r"MPI_\w+_(c2f|f2c)$")

Row = collections.namedtuple("Row", "name group time")


class Unusable(Exception):
    """The test cannot tell anything; the message says why."""


def preprocess(mpicc, table):
    """Return mpi.h and the table's rows as two preprocessed texts."""
    with tempfile.TemporaryDirectory() as directory:
        probe = os.path.join(directory, "probe.c")
        with open(probe, "w") as file:
            file.write(PROBE.format(table=os.path.abspath(table)))
        run = subprocess.run(mpicc + ["-E", "-P", probe], capture_output=True, text=True)
    if run.returncode != 0:
        raise Unusable("%s -E failed: %s" % (shlex.join(mpicc), run.stderr.strip()))
    header, _, rows = run.stdout.partition("tsprof_table_begins")
    return header, rows


def without_attributes(text):
    """Drop string literals, which may hold anything, and then attributes."""
    text = re.sub(r'"(?:[^"\\]|\\.)*"', " ", text)
    kept = []
    position = 0
    for match in re.finditer(r"__(?:attribute(?:__)?|asm__|declspec)\s*\(", text):
        if match.start() < position:
            continue
        kept.append(text[position:match.start()])
        position = match.end()
        depth = 1
        while depth > 0 and position < len(text):
            depth += {"(": 1, ")": -1}.get(text[position], 0)
            position += 1
    kept.append(text[position:])
    return "".join(kept)


def declared_functions(header):
    """The MPI_ names that the preprocessed header declares as functions."""
    names = set()
    for statement in re.split(r"[;{}]", without_attributes(header)):
        before, parenthesis, _ = statement.strip().partition("(")
        words = re.findall(r"\w+", before)
        if parenthesis and len(words) > 1 and words[0] != "typedef":
            if words[-1].startswith("MPI_"):
                names.add(words[-1])
    return names


def table_rows(text):
    row = r'tsprof_row\s*"(\w+)"\s*"(\w+)"\s*"(\w+)"'
    return [Row(*match) for match in re.findall(row, text)]


def measured_times(metrics):
    """The measured metrics of common/metrics.def that are parts of `time`."""
    parents = {}
    measured = set()
    with open(metrics) as file:
        for match in re.finditer(r"^METRIC\((\w+), (\w+), \w+, (\w+),", file.read(), re.M):
            metric, parent, kind = match.groups()
            parents[metric] = parent
            if kind == "measured":
                measured.add(metric)

    def below_time(metric):
        while metric in parents:
            if metric == "time":
                return True
            metric = parents[metric]
        return False

    return {metric for metric in measured if below_time(metric)}


def exported_functions(library):
    """The functions that a library exports, and the bytes of code that each has."""
    command = ["nm", "-D", "-S", "--defined-only", library]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        raise Unusable("nm %s failed: %s" % (library, run.stderr.strip()))
    exported = {}
    for line in run.stdout.splitlines():
        fields = line.split()
        if len(fields) == 4 and fields[2] in ("T", "W", "i"):
            exported[fields[3].partition("@")[0]] = int(fields[1], 16)
    return exported


class Tap:
    def __init__(self):
        self.count = 0
        self.failed = False

    def empty(self, what, offenders):
        """Passes if there are no offenders, else lists them."""
        offenders = sorted(offenders)
        self.count += 1
        self.failed = self.failed or bool(offenders)
        print("%s %d - %s" % ("not ok" if offenders else "ok", self.count, what))
        for offender in offenders:
            print("#   %s" % offender)

    def skip(self, what, why):
        self.count += 1
        print("ok %d - %s # SKIP %s" % (self.count, what, why))

    def plan(self):
        print("1..%d" % self.count)


def check_library(tap, kind, names, library):
    exported = exported_functions(library)
    wanted = names | {"P" + name for name in names}
    tap.empty(kind + ": the runtime exports MPI_ and PMPI_ for every row",
              wanted - set(exported))
    # A function of C would take some of its arguments for numbers of another size.
    sizes = {name: size for name, size in exported.items() if re.match("P?MPI_", name)}
    entry = min(sizes.values())
    tap.empty(kind + ": each begins with what touches no argument",
              [name for name, size in sizes.items() if size != entry or size > 32])


def check(tap, kind):
    table = os.path.join(harness.TOP_SRCDIR, "libprof", "calls", "mpi_calls.def")
    header, text = preprocess(harness.mpicc(kind), table)
    declared = declared_functions(header)
    rows = table_rows(text)
    names = {row.name for row in rows}
    if "MPI_Send" not in declared or not rows:
        raise Unusable("found %d functions in mpi.h and %d rows" % (len(declared), len(rows)))
    print("# %s: %d functions declared in mpi.h, %d rows" % (kind, len(declared), len(rows)))

    excused = {name for name in declared if CONVERSION.match(name)}
    tap.empty(kind + ": every function declared in mpi.h has a row",
              declared - names - (excused if kind == "openmpi" else set()))
    tap.empty(kind + ": every row is declared in mpi.h", names - declared)
    counts = collections.Counter(row.name for row in rows)
    tap.empty(kind + ": no function has two rows", [n for n in counts if counts[n] > 1])
    tap.empty(kind + ": every group is known",
              ["%s: %s" % (row.name, row.group) for row in rows if row.group not in GROUPS])
    times = measured_times(os.path.join(harness.TOP_SRCDIR, "common", "metrics.def"))
    tap.empty(kind + ": every time is a measured part of the metric time",
              ["%s: %s" % (row.name, row.time) for row in rows if row.time not in times])
    check_library(tap, kind, names, harness.library_of(kind))


def main():
    if not harness.KINDS:
        print("1..0 # SKIP the runtime is not built")
        return 0
    tap = Tap()
    try:
        for kind in harness.KINDS:
            try:
                check(tap, kind)
            except harness.Skip as reason:
                tap.skip(kind, str(reason))
    except (Unusable, OSError) as problem:
        print("Bail out! %s" % " ".join(str(problem).split()))
        return 1
    tap.plan()
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main())
