"""Time per iteration and memory of clusterings of 100 call paths, by both methods."""

import os
import statistics
import subprocess

import compression_tables as tables

BUILD = os.path.abspath(os.environ.get("TOP_BUILDDIR", "."))
ROUNDS = int(os.environ.get("ROUNDS", "5"))
PATHS, METRICS, ITERATIONS = 100, 20, 5000


def measure(method, count):
    """Microseconds of adding an iteration, median and mean, and bytes held."""
    command = [os.path.join(BUILD, "bench/compress_cost"), method]
    command += map(str, (count, PATHS, METRICS, ITERATIONS))
    output = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
    numbers = [float(number) for number in output.split()]
    return numbers[0], numbers[1], numbers[6]


def main(results):
    rows = []
    for count in tables.COUNTS:
        rounds = {method: [] for method in tables.METHODS}
        for _ in range(ROUNDS):
            for method in tables.METHODS:
                rounds[method].append(measure(method, count))
        rows += [[method, count, *map(statistics.median, zip(*found))]
                 for method, found in rounds.items()]
    tables.write(results, "costs", ("method", "clusters", "median_us", "mean_us", "bytes"), rows)
    print(f"\nAdding an iteration of {PATHS} call paths, microseconds of processor time, and memory of")
    print("the clustering, bytes; published and ours")
    print(f"{'clusters':>8}{'median: publ.':>15}{'ours':>8}{'mean: publ.':>13}{'ours':>8}"
          f"{'memory: publ.':>15}{'ours':>10}")
    for published, ours in zip(rows[::2], rows[1::2]):
        print(f"{published[1]:>8}{published[2]:>15.1f}{ours[2]:>8.1f}{published[3]:>13.1f}"
              f"{ours[3]:>8.1f}{published[4]:>15.0f}{ours[4]:>10.0f}")
