#!/usr/bin/env python3
"""MPI inside an interpreter, by an extension that is opened privately: it is measured as any."""

import os
import sys
import sysconfig

import harness
import life
from harness import Directory, Skip

RATES = ("100", "10000")
ROUNDS = 40
PRINT = "print(start(), work(%d), end())\n" % ROUNDS

# How a program gets at the extension; all but the first by a handle of its own.
WAYS = {
    "module": "from life_extension import start, work, end\n",
    "CDLL": "import ctypes\nx = ctypes.CDLL('./life_extension.so')\n"
            "start, work, end = x.life_start, x.life_work, x.life_end\n",
    "PyDLL": "import ctypes\nx = ctypes.PyDLL('./life_extension.so')\n"
             "start, work, end = x.life_start, x.life_work, x.life_end\n",
    "thread": "import ctypes, threading\nx = ctypes.CDLL('./life_extension.so')\n"
              "start, end = x.life_start, x.life_end\n"
              "def work(n):\n"
              "    t = threading.Thread(target=x.life_work, args=(n,))\n"
              "    t.start()\n"
              "    t.join()\n"
              "    return x.life_work(0)\n",
}

# The MPI library itself, opened by its name: its functions are called behind everybody's back.
DIRECT = """
import ctypes, ctypes.util
x = ctypes.CDLL(ctypes.util.find_library("mpich"))
print(x.MPI_Init(None, None), x.MPI_Barrier(0x44000000), x.MPI_Finalize())
"""


def build(directory, with_python):
    """life_extension.so in DIRECTORY."""
    source = os.path.join(harness.TOP_SRCDIR, "tests", "programs", "life",
                          "life_extension.c")
    command = harness.mpicc() + ["-g", "-O2", "-shared", "-fPIC",
               "-I" + os.path.join(harness.TOP_SRCDIR, "include"), source, "-o",
               os.path.join(directory, "life_extension.so")]
    if with_python:
        headers = sysconfig.get_paths()["include"]
        if not os.path.exists(os.path.join(headers, "Python.h")):
            raise Skip("no Python.h")
        command += ["-DWITH_PYTHON", "-I" + headers]
    result = harness.execute(command)
    if result.status != 0:
        raise harness.Failure(result.stderr.decode("utf-8", "replace"))


def values(files, metric):
    return {row["callpath"].split(";")[-1]: float(row["value"])
            for file in files
            for row in harness.export(file, "callpaths", "--total", "--metric", metric)
            if row["callpath"].split(";")[-1].startswith("MPI_")}


def look_for_counts(tap):
    def look(name, files, result):
        visits, received = values(files, "visits"), values(files, "bytes_rcvd")
        tap.equal((visits.get("MPI_Sendrecv"), visits.get("MPI_Iprobe")),
                  (float(ROUNDS), 2.0 * ROUNDS), name + ": calls")
        tap.equal(received.get("MPI_Sendrecv"), 24.0 * ROUNDS, name + ": bytes")
        rows = [row for file in files
                for row in harness.export(file, "iterations", "--metric", "visits")]
        tap.equal(len({row["iteration"] for row in rows if row["phase"] == "round"}), ROUNDS,
                  name + ": iterations")
    return look


def try_way(tap, way):
    with Directory() as place:
        build(place, way == "module")
        with open(os.path.join(place, "program.py"), "w") as file:
            file.write("import sys\nsys.path.insert(0, '.')\n" + WAYS[way] + PRINT)
        life.both_ways(tap, way, [sys.executable, "program.py"], status=0, rates=RATES,
                       cwd=place, look=look_for_counts(tap))


def test_module(tap):
    try_way(tap, "module")


def test_libraries(tap):
    for way in ("CDLL", "PyDLL", "thread"):
        try_way(tap, way)


def test_direct(tap):
    """Not measured, and not harmed."""
    with Directory() as place:
        with open(os.path.join(place, "program.py"), "w") as file:
            file.write(DIRECT)
        life.both_ways(tap, "direct", [sys.executable, "program.py"], status=0, rates=("100",),
                       cwd=place, wanted=0)


if __name__ == "__main__":
    harness.main()
