#!/usr/bin/env python3
"""A Python program that calls MPI through a library of its own and computes in between: in the
interpreter, in that library and, where it is installed, in numpy.

    python_loop.py LIBRARY ITERATIONS

Prints what was computed, and "numpy" or "no numpy".
"""

import ctypes
import sys

try:
    import numpy
except ImportError:
    numpy = None

COUNT = 20000


def load(path):
    ring = ctypes.CDLL(path)
    array = ctypes.POINTER(ctypes.c_double)
    ring.ring_shift.argtypes = [array, ctypes.c_int]
    ring.ring_smooth.argtypes = [array, ctypes.c_int, ctypes.c_int]
    ring.ring_shift.restype = ring.ring_smooth.restype = ctypes.c_double
    return ring


def interpreted(values):
    """Work for the interpreter."""
    return sum(values[i] * (i % 7) for i in range(0, COUNT, 4))


def with_numpy(values):
    array = numpy.ctypeslib.as_array(values)
    array += numpy.sin(array)
    table = numpy.outer(array[:200], array[:200])
    return float((table @ table).trace() + numpy.sort(array)[0])


def main():
    ring = load(sys.argv[1])
    ring.ring_start()
    values = (ctypes.c_double * COUNT)(*[(i * 37 % 101) / 101 for i in range(COUNT)])
    total = 0.0
    for _ in range(int(sys.argv[2])):
        total += interpreted(values)
        total += ring.ring_smooth(values, COUNT, 40)
        total += ring.ring_shift(values, COUNT)
        if numpy:
            total += with_numpy(values)
    ring.ring_finish()
    # One write: lines of several ranks must not mix.
    sys.stdout.write("%.6g, %s\n" % (total, "numpy" if numpy else "no numpy"))


main()
