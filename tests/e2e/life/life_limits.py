#!/usr/bin/env python3
"""Programs at the limits of stacks, permissions and resources, and under the tools that people
put programs under: they work as without tsprof, which says at most one thing about it."""

import os
import shutil
import stat
import tempfile

import harness
import life
from harness import Directory, Skip

RATES = ("100", "10000")


def try_mode(tap, mode, rates=("100",)):
    life.both_ways(tap, mode, [harness.program("life_limits"), mode], rates=rates)


def test_stacks(tap):
    for mode in ("overflow", "little-stack", "little-at-the-end", "alternate-stack", "contexts"):
        try_mode(tap, mode, RATES)


def test_resources(tap):
    for mode in ("no-signals", "one-process", "no-locking", "little-memory"):
        try_mode(tap, mode)


def test_forbidden_calls(tap):
    """As containers forbid them."""
    for mode in ("no-timers", "no-looking"):
        try_mode(tap, mode, RATES)


def test_one_message(tap):
    """Where there are no timers, or other ones than wanted, that is said once."""
    for mode, rate, words in (("no-timers", "100", "samples"), ("no-signals", "100", "samples"),
                              ("no-timers", "10000", "samples")):
        with Directory() as directory:
            result = life.run(directory, [harness.program("life_limits"), mode], True,
                              {"TSPROF_RATE": rate, "TSPROF_VERBOSE": "1"})
            said = result.stderr.decode("utf-8", "replace").splitlines()
            said = [line for line in said if "the measurement of" not in line]
            tap.ok(len(said) <= 2 and len(said) == len(set(said)),
                   "%s, rate %s: no message comes twice" % (mode, rate), "\n".join(said))
            info = harness.tsprof("info", *life.summaries(directory))
            tap.ok("no samples were taken" in info.stdout or said,
                   "%s, rate %s: it is known why there are no samples" % (mode, rate),
                   info.stdout)


def test_no_files(tap):
    """No file can be opened at the end: the measurement is lost, and nothing else."""
    with Directory() as directory:
        plain = life.run(directory, [harness.program("life_limits"), "no-files"], False)
        result = life.run(directory, [harness.program("life_limits"), "no-files"], True,
                          {"TSPROF_VERBOSE": "1"})
        tap.equal(result.status, plain.status, "no-files: status")
        tap.ok(b"the measurement is lost" in result.stderr, "no-files: it is said")


def test_static(tap):
    """Nothing is preloaded into a static program."""
    compiler = shutil.which("gcc")
    if not compiler:
        raise Skip("no gcc")
    with Directory() as directory:
        with open(os.path.join(directory, "static.c"), "w") as file:
            file.write('#include <stdio.h>\nint main(void) { printf("static\\n"); return 7; }\n')
        program = os.path.join(directory, "static")
        built = harness.execute([compiler, "-static", "-o", program,
                                 os.path.join(directory, "static.c")])
        if built.status != 0:
            raise Skip("no static C library")
        life.both_ways(tap, "static", [program], wanted=0, rates=("100",))


def test_other_user(tap):
    """A program that runs as another user than its caller preloads nothing."""
    if os.geteuid() != 0:
        raise Skip("not root")
    place = tempfile.mkdtemp(prefix="tsprof-e2e-")
    try:
        os.chmod(place, 0o755)
        program = os.path.join(place, "program")
        shutil.copy(harness.program("life_limits"), program)
        os.chown(program, 65534, 65534)
        os.chmod(program, 0o4755)
        if os.statvfs(place).f_flag & os.ST_NOSUID or not os.stat(program).st_mode & stat.S_ISUID:
            raise Skip("no programs of other users here")
        life.both_ways(tap, "other user", [program, "plain"], wanted=0, rates=("100",))
    finally:
        shutil.rmtree(place)


def test_under_strace(tap):
    tracer = shutil.which("strace")
    if not tracer:
        raise Skip("no strace")
    command = [tracer, "-f", "-o", "/dev/null", harness.program("life_limits"), "plain"]
    if harness.execute(command[:4] + ["true"]).status != 0:
        raise Skip("strace is not allowed here")
    life.both_ways(tap, "strace", command, rates=RATES)


if __name__ == "__main__":
    harness.main()
