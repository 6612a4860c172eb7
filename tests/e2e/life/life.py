"""What the tests of a program's life share: the same command without tsprof and with it, at the
rate that is the default, at the kernel's own and far beyond, must say the same."""

import glob
import os

import harness
from harness import Directory

RATES = ("100", "1000", "10000")


def run(directory, command, preloaded, settings=None, ranks=0, **options):
    """Without a launcher if RANKS is 0: it would stand between the program and the test."""
    settings = dict(settings or {}, TSPROF_OUTPUT=os.path.join(directory, "out.tsprof"))
    settings.setdefault("TSPROF_VERBOSE", "0")
    options.setdefault("cwd", directory)
    if ranks:
        start = harness.run_ranks if preloaded else harness.run_plain
        return start(command, ranks, settings=settings, **options)
    if preloaded:
        settings["LD_PRELOAD"] = harness.LIBRARY
    return harness.execute(command, settings=settings, **options)


def summaries(directory):
    return sorted(glob.glob(os.path.join(directory, "*.tsprof")))


def is_exact(tap, label, directory):
    """All summaries in the directory: their accounts and totals."""
    for file in summaries(directory):
        info = harness.tsprof("info", file)
        tap.ok(info.status == 0, "%s: %s is exact" % (label, os.path.basename(file)),
               info.stdout + info.stderr)


def both_ways(tap, label, command, wanted=1, rates=RATES, settings=None, clean=None, status=7,
              look=None, **options):
    """Compares the command without and with tsprof, and the number of summaries to WANTED (None: any).

    CLEAN takes out of the output what differs from run to run; LOOK, if given, is called with
    the label, the summaries and the result of each measured run.
    """
    clean = clean or (lambda output: output)
    with Directory() as directory:
        plain = run(directory, command, False, settings, **options)
        tap.equal(plain.status, status, label + ": works without tsprof")
    for rate in rates:
        name = "%s, rate %s" % (label, rate)
        with Directory() as directory:
            measured = run(directory, command, True, dict(settings or {}, TSPROF_RATE=rate),
                           **options)
            tap.equal(measured.status, plain.status, name + ": status")
            tap.equal(clean(measured.stdout), clean(plain.stdout), name + ": output")
            tap.equal(clean(harness.lasting(measured.stderr)),
                      clean(harness.lasting(plain.stderr)), name + ": errors")
            files = summaries(directory)
            if wanted is not None:
                tap.equal(len(files), wanted, name + ": summaries")
            is_exact(tap, name, directory)
            if look:
                look(name, files, measured)
