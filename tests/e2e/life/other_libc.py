#!/usr/bin/env python3
"""Programs of another C library, and static ones: the runtime is inert in them, and `tsprof exec`
says that they are not measured."""

import os
import shutil

import harness
import life
from harness import Directory, Skip

SOURCE = os.path.join(harness.TOP_SRCDIR, "tests", "programs", "life", "musl.c")


def build(compiler, directory, *options):
    if not shutil.which(compiler):
        raise Skip("there is no " + compiler)
    program = os.path.join(directory, "program")
    built = harness.execute([compiler, "-o", program, SOURCE, "-pthread"] + list(options))
    if built.status != 0:
        raise Skip("%s builds no such program" % compiler)
    return program


def started(tap, name, program, reason):
    """By the command: measured is nothing, and a message says why."""
    plain = harness.execute([program])
    for ranks in (0, 2):
        command = [harness.COMMAND, "exec", program]
        result = (harness.run_plain(command, ranks) if ranks else harness.execute(command))
        where = "%s, tsprof exec, %d ranks" % (name, ranks)
        tap.equal(result.status, plain.status, where + ": status")
        tap.equal(result.stdout, plain.stdout * (ranks or 1), where + ": output")
        tap.ok(b"is started without being measured: it is " + reason in result.stderr,
               where + ": says so", result.stderr)


def test_musl(tap):
    """Preloaded into everything that a launcher starts it meets such programs."""
    with Directory() as directory:
        program = build("musl-gcc", directory)
        for ranks in (0, 2):
            life.both_ways(tap, "musl, %d ranks" % ranks, [program], wanted=0, rates=("100",),
                           ranks=ranks)
        started(tap, "musl", program, b"linked with the C library musl")


def test_static(tap):
    for compiler in ("gcc", "musl-gcc"):
        if not shutil.which(compiler):
            tap.skip("static, " + compiler, "there is no " + compiler)
            continue
        with Directory() as directory:
            program = build(compiler, directory, "-static")
            started(tap, "static, " + compiler, program, b"linked statically")


if __name__ == "__main__":
    harness.main()
