#!/usr/bin/env python3
"""Summaries of runs that never were (tests/synthetic) are sound, the same every time, and have the
structure that they are made for."""

import collections
import filecmp
import os

import harness
import summary_reader

MAKER = os.path.join(harness.TOP_BUILDDIR, "tests", "synthetic", "make_summary")

SIZES = {
    "as it comes": [],
    "one rank": ["--ranks", "1"],
    "no iterations": ["--iterations", "0", "--ranks", "3"],
    "one iteration": ["--iterations", "1", "--ranks", "2"],
    "the fewest": ["--paths", "12", "--clusters", "3", "--iterations", "7", "--ranks", "2"],
    "a grid": ["--grid", "3x2x2", "--iterations", "40"],
    "other names": ["--region", "<script>alert(1)</script>", "--phase", "Zeit;schritt \"1\"",
                    "--ranks", "2"],
}


def make(directory, *options, name="made.tsprof"):
    path = os.path.join(directory, name)
    result = harness.execute([MAKER, *options, path])
    if result.status != 0:
        raise harness.Failure(result.stderr.decode("utf-8", "replace"))
    return path


def test_they_are_sound(tap):
    for name, options in SIZES.items():
        with harness.Directory() as directory:
            path = make(directory, *options)
            tap.equal(summary_reader.problems(summary_reader.Summary(path)), [],
                      name + ": all promises of the format hold")
            tap.equal(harness.disagreements(path), [], name + ": both readers find the same")
            tap.equal(harness.tsprof("info", path).status, 0, name + ": the command says so, too")


def test_they_are_the_same_every_time(tap):
    with harness.Directory() as directory:
        made = [make(directory, "--seed", seed, name=name + ".tsprof")
                for seed, name in (("7", "first"), ("7", "again"), ("8", "other"))]
        tap.ok(filecmp.cmp(made[0], made[1], shallow=False), "same options, same bytes")
        tap.ok(not filecmp.cmp(made[0], made[2], shallow=False), "another seed, other bytes")


def test_there_is_something_to_see(tap):
    with harness.Directory() as directory:
        path = make(directory, "--ranks", "24", "--iterations", "120")
        computed = collections.defaultdict(dict)
        for row in harness.export(path, "iterations", "--metric", "computation"):
            computed[int(row["iteration"])][int(row["rank"])] = float(row["value"])
        sums = {i: sum(values.values()) for i, values in computed.items()}
        hottest = [max(computed[i], key=computed[i].get) for i in (30, 60, 90)]
        tap.ok(3 <= hottest[0] <= 9 and 9 <= hottest[1] <= 15 and 15 <= hottest[2] <= 21,
               "a hot spot moves through the ranks", hottest)
        classes = collections.defaultdict(set)
        for row in harness.export(path, "clusters"):
            classes[row["class"]].add(int(row["iteration"]))
        tap.equal(classes["1"], {23, 47, 71, 95, 119}, "every 24th iteration writes a checkpoint")
        usual = sorted(sums.values())[60]
        tap.equal(sum(value > 1.15 * usual for i, value in sums.items() if i not in classes["1"]), 5,
                  "five other iterations take long")


if __name__ == "__main__":
    harness.main()
