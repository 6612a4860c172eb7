"""How much errors of totals and call paths together differ from one recording of a program to the
next: of those cases in which tsprof's method was once more than 1.1 times as far off as the best off
line, or further off than the published method.
"""

import os

import numpy

import compression_tables as tables
from compression_paths import FIGURES, evaluate_program

RECORDINGS = int(os.environ.get("RECORDINGS", "8"))

# Numbers of clusters of each program.
CASES = {"heat_f08": (128,), "shifting": (8,), "workers": (8,), "templates": (128,)}


def together(rows, count, way):
    """The mean over ranks."""
    at = 4 + FIGURES.index("together")
    return numpy.mean([row[at] for row in rows if row[2] == count and row[3] == way])


def spread(ratios):
    return f"{numpy.mean(ratios):>8.3f} {numpy.std(ratios, ddof=min(1, len(ratios) - 1)):>6.3f} {min(ratios):>6.3f}-{max(ratios):.3f}"


def show(rows):
    print(f"\nTotals and call paths together, {RECORDINGS} recordings: mean, standard deviation, least and")
    print("largest of published / best off line, ours / best, ours / published; how often ours is above 1.1")
    print("times the best, and above the published")
    for name, count in dict.fromkeys(row[:2] for row in rows):
        best, published, ours = (numpy.array([row[k] for row in rows if row[:2] == (name, count)]) for k in (3, 4, 5))
        print(f"{name:<12}{count:>4}" + spread(published / best) + spread(ours / best) + spread(ours / published)
              + f"{(ours > 1.1 * best).sum():>4}{(ours > published).sum():>4}", flush=True)


def main(results):
    rows = []
    for name, counts in CASES.items():
        for recording in range(RECORDINGS):
            found = evaluate_program(name, counts)
            rows += [(name, count, recording,
                      *(together(found, count, way) for way in ("offline",) + tables.METHODS))
                     for count in counts]
    tables.write(results, "scatter", ("of", "clusters", "recording", "offline") + tables.METHODS, rows)
    show(rows)
