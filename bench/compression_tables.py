"""Tables of what bench/compression.py found, between its parts and for other programs."""

import csv
import os

COUNTS = (8, 16, 32, 64, 128, 256)
METHODS = ("szebenyi", "adaptive")


def write(results, name, columns, rows):
    with open(os.path.join(results, name + ".csv"), "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)


def read(results, name):
    """The rows as dictionaries, numbers as numbers; none if the part has not run."""
    path = os.path.join(results, name + ".csv")
    if not os.path.exists(path):
        return []

    def value(text):
        try:
            return float(text)
        except ValueError:
            return text

    with open(path, newline="") as file:
        return [{key: value(text) for key, text in row.items()} for row in csv.DictReader(file)]


def show_misses(cases, limit, text):
    """CASES are names and ratios: those above LIMIT, the largest first."""
    missed = sorted(((ratio, name) for name, ratio in cases if ratio > limit), reverse=True)
    print(f"{text}: largest {max(ratio for _, ratio in cases):.2f}; above {limit:g} are "
          f"{len(missed)} of {len(cases)}" + (": " if missed else "")
          + ", ".join(f"{name} {ratio:.2f}" for ratio, name in missed[:20])
          + (" ..." if len(missed) > 20 else ""))
