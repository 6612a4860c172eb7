#!/usr/bin/env python3
"""What measuring cost the job, estimated where all ranks have collective operations in all iterations."""

import re

import harness
from harness import Directory

# Programs, and how often their ranks meet in an iteration.
MEETINGS = {"wavefront": ("2 times in each of 24 iterations of timestep"),
            "particles": ("3 times in each of 60 iterations of timestep"),
            "collectives": ("32 times in each of 12 iterations of step"),
            "stencil": ("1.1 times in each of 30 iterations of timestep")}


def info(summary, *options):
    result = harness.tsprof("info", summary, *options)
    if result.status != 0:
        raise harness.Failure(result.stderr)
    return result.stdout


def percent(said, label):
    return float(re.search(rf"^{label} +([\d.]+) % of the run", said, re.M)[1])


def test_the_estimate_says_what_it_is_based_on(tap):
    for program, meetings in MEETINGS.items():
        with Directory() as directory:
            _, summary = harness.profile(directory, program, 2)
            said = info(summary)
            wanted = "% of the run, estimated: 2 ranks wait for each other " + meetings
            tap.ok(re.search(rf"^job cost +[\d.]+ {re.escape(wanted)}$", said, re.M),
                   f"{program}: {meetings}", said)
            tap.ok(percent(said, "job cost") >= 0.9 * percent(said, "cost"),
                   program + ": it is not less than what a rank pays", said)
            report = " ".join(harness.tsprof("report", summary).stdout.split())
            tap.ok(f"% longer, since 2 ranks wait for each other {meetings}." in report,
                   program + ": the report says so", report)
            tap.ok("job cost" not in info(summary, "--rank", "0"), program + ": nothing of a rank alone")


def test_without_collectives_there_is_no_estimate(tap):
    """Pairs of messages alone do not have all ranks wait for each other."""
    with Directory() as directory:
        _, summary = harness.profile(directory, "storm", 2)
        said = info(summary)
        tap.ok("\nphase " in said and "\nstalls " in said, "there are iterations and stalls", said)
        tap.ok("job cost" not in said, "but no estimate", said)


if __name__ == "__main__":
    harness.main()
