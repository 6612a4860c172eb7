"""Runs of the tests' programs and of others under either MPI, for measurements."""

import os
import shutil
import sys

SOURCE = os.path.abspath(os.environ.get("TOP_SRCDIR", "."))
sys.path.insert(0, os.path.join(SOURCE, "tests", "e2e"))

import harness  # noqa: E402

TIMEOUT_S = 900


def found(kind, name):
    """The program's path: one of the tests', or one that is installed; None if there is none."""
    own = os.path.join(harness.programs_of(kind), name)
    return own if os.path.exists(own) else shutil.which(name)


def checked(result):
    if result.status != 0:
        raise RuntimeError(result.stderr.decode("utf-8", "replace"))
    return result.stdout.decode("utf-8", "replace")


def run(kind, ranks, command, directory=None, settings=None, preload=False):
    """What COMMAND says, on so many RANKS of an MPI, with the runtime if PRELOAD."""
    words = [harness.mpirun(kind), "-n", str(ranks)]
    words += ["env", "LD_PRELOAD=" + harness.library_of(kind)] if preload else []
    return checked(harness.execute(words + command, settings, cwd=directory, timeout=TIMEOUT_S))


def trace(kind, ranks, command, directory, settings=None):
    """What a traced command says, and the archive in DIRECTORY."""
    settings = dict({"TSPROF_VERBOSE": "0", "TSPROF_TRACE": "all",
                     "TSPROF_OUTPUT": os.path.join(directory, "run.tsprof")}, **(settings or {}))
    said = run(kind, ranks, command, directory, settings, True)
    return said, os.path.join(directory, "run.otf2")


def tsprof(*arguments):
    return checked(harness.execute([harness.COMMAND, *arguments], timeout=TIMEOUT_S))
