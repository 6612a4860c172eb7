#!/usr/bin/env python3
"""Regions have the names that people use: demangled, with file and line, MPI functions below the
function that called them, and no frame of a language binding in between."""

import os
import re

import harness
from harness import Directory


def regions_and_paths(name, ranks=2):
    with Directory() as directory:
        _, summary = harness.profile(directory, name, ranks, settings={"TSPROF_RATE": "1000"})
        regions = {row["region"]: row for row in harness.export(summary, "regions")}
        paths = {row["callpath"] for row in harness.export(summary, "callpaths", "--total")}
        return regions, paths


def line_of(source, pattern):
    """The number of the line that defines a function."""
    with open(os.path.join(harness.TOP_SRCDIR, "tests", "programs", source)) as file:
        for number, line in enumerate(file, 1):
            if re.search(pattern, line):
                return number
    raise harness.Failure("%s has no line like %s" % (source, pattern))


def check_plain_place(tap, regions, name, source, pattern):
    """For names with arguments; parts that the compiler split off have the same name."""
    found = [row for region, row in regions.items() if harness.plain_name(region) == name]
    if tap.ok(found, "there is a region " + name):
        check_place(tap, {name: found[0]}, name, source, pattern)


def check_place(tap, regions, region, source, pattern):
    row = regions.get(region)
    if not tap.ok(row, "there is a region " + region, "\n".join(sorted(regions))):
        return
    tap.equal(os.path.basename(row["file"]), source, region + ": file")
    # A definition may begin on the line before its name.
    wanted = line_of(source, pattern)
    tap.ok(row["line"] and wanted - 1 <= int(row["line"]) <= wanted, region + ": line",
           "got %s, wanted %d" % (row["line"], wanted))


def check_path(tap, paths, pattern):
    tap.ok(any(re.search(pattern, path) for path in paths), "a call path " + pattern,
           "\n".join(sorted(paths)))


def test_c(tap):
    regions, paths = regions_and_paths("stencil")
    check_place(tap, regions, "exchange_columns", "stencil.c", r"void exchange_columns\(")
    check_place(tap, regions, "exchange_rows", "stencil.c", r"void exchange_rows\(")
    check_place(tap, regions, "main", "stencil.c", r"^int main\(")
    check_place(tap, regions, "program_start", "program.h", r"void program_start\(")
    check_path(tap, paths, r"\bmain;timestep;(\w+;)*exchange_columns;MPI_Sendrecv$")
    check_path(tap, paths, r"\bmain;timestep;(\w+;)*exchange_rows;MPI_Waitall$")
    check_path(tap, paths, r"\bmain;setup;(\w+;)*place_processes;MPI_Cart_create$")
    check_path(tap, paths, r"\bmain;program_start;MPI_Init$")


def test_kinds(tap):
    regions, _ = regions_and_paths("stencil")
    wanted = {"main": "function", "MPI_Sendrecv": "mpi", "timestep": "phase",
              "setup": "phase", "program": "artificial"}
    tap.equal({name: regions[name]["kind"] for name in wanted if name in regions}, wanted,
              "kinds of regions")
    tap.equal(regions["MPI_Sendrecv"]["group"], "P2P", "the group of an MPI function")
    tap.ok(regions["main"]["module"].endswith("/stencil"), "the module of a function",
           regions["main"]["module"])


def test_cxx(tap):
    regions, paths = regions_and_paths("templates")
    functions = [name for name, row in regions.items() if row["kind"] == "function"]
    mangled = [name for name in functions if name.startswith("_Z")]
    tap.equal(mangled, [], "no name is mangled")
    plain = {harness.plain_name(name) for name in functions}
    for wanted in ("over_ranks<double>::sum", "over_ranks<float>::sum", "ring<double>::shift",
                   "ring<float>::shift", "attempt::~attempt", "apply<double>", "apply<float>",
                   "solve<double>"):
        tap.ok(wanted in plain, "a function " + wanted, "\n".join(sorted(plain)))
    check_plain_place(tap, regions, "ring<double>::shift", "templates.cc", r"static T shift\(T")
    check_plain_place(tap, regions, "apply<float>", "templates.cc", r"void apply\(op<T>")
    check_plain_place(tap, regions, "solve<float>", "templates.cc", r"double solve\(op<T>")
    split = [name for name in functions
             if re.search(r"clone|\.cold|\.part|\.isra|\.constprop", name)]
    tap.equal(split, [], "no name tells how the compiler split a function")
    plain_paths = {";".join(harness.plain_name(region)
                            for region in harness.split_callpath(path)) for path in paths}
    check_path(tap, plain_paths,
               r"solve<double>;apply<double>;.*ring<double>::shift;MPI_Sendrecv$")
    check_path(tap, plain_paths, r"solve<double>;attempt::~attempt;MPI_Barrier$")
    # What runs in a `catch` or a clean-up runs in the function that holds it, not below it.
    twice = [path for path in plain_paths if re.search(r"\biterate;timestep;iterate\b", path)]
    tap.equal(twice, [], "no function is its own caller because it caught an exception")
    # Frames of the machinery that throws lie between the two in no path.
    thrown = [path for path in plain_paths if "_Unwind" in path and "MPI_" in path]
    tap.equal(thrown, [], "no path to MPI leads through the unwinder")


BINDINGS = {"heat_mpif": "fortran/heat_mpif.F", "heat_mpi": "fortran/heat_mpi.f90",
            "heat_f08": "fortran/heat_f08.f90"}
PROCEDURES = ("start_up", "heat_up", "exchange_right", "exchange_left", "largest",
              "checkpoint", "pass_along", "finish")


def test_fortran(tap):
    for name, source in BINDINGS.items():
        if not harness.is_built(name):
            tap.skip(name, "not built")
            continue
        regions, paths = regions_and_paths(name)
        callers = {harness.suffix_of(path) for path in paths} - {None}
        for procedure in PROCEDURES:
            tap.ok(any(caller == procedure for caller, _ in callers),
                   "%s: %s calls MPI directly" % (name, procedure), sorted(callers))
        linker = [region for path in paths for region in harness.split_callpath(path)
                  if re.match(r"__\w+_MOD_", region)]
        tap.equal(sorted(set(linker)), [], name + ": no name of a procedure is the linker's")
        binding = [region for path in paths for region in harness.split_callpath(path)
                   if re.match(r"p?mpi_|P?MPIR?_\w*(_f08|_cdesc)|PMPI_", region)]
        tap.equal(sorted(set(binding)), [], name + ": no frame of the binding")
        place = next((row for region, row in regions.items()
                      if harness.plain_name(region) == "exchange_left"), None)
        if tap.ok(place, name + ": a region exchange_left"):
            tap.equal(os.path.basename(place["file"]), os.path.basename(source), name + ": its file")
            wanted = line_of(source, r"^ *subroutine exchange_left")
            tap.equal(place["line"], str(wanted), name + ": its line")


def test_paths_begin_at_the_program(tap):
    """Nothing of the system comes before main, and tsprof itself is in no path."""
    for name in ("stencil", "templates"):
        _, paths = regions_and_paths(name)
        first = {harness.split_callpath(path)[0] for path in paths
                 if "MPI_" in path.rsplit(";", 1)[-1]}
        tap.equal(first, {"main"}, name + ": paths to MPI begin with main")
        own = [path for path in paths if re.search(r"tsprof_(api|nothing)|libtsprof", path)]
        tap.equal(own, [], name + ": no path holds tsprof")


if __name__ == "__main__":
    harness.main()
