#!/usr/bin/env python3
"""In programs that run with other rights than their user's the preloaded runtime does nothing.

The loader preloads into such a program only what is in a directory of the system and set-user-id
itself.  So that nothing of the system is changed, a copy of the runtime is put over one of its
libraries in a mount namespace of the test's own, which ends with it.
"""

import glob
import os
import shutil

import harness
from harness import Directory

NOBODY = 65534
# Libraries that no program is linked with.
REPLACEABLE = ("libmemusage.so", "libpcprofile.so")


def replaceable():
    for name in REPLACEABLE:
        for pattern in ("/lib/*-linux-gnu/", "/lib64/", "/usr/lib64/", "/usr/lib/*-linux-gnu/"):
            for path in glob.glob(pattern + name):
                return path
    raise harness.Skip("there is no library of the system to put the runtime over")


class Place:
    """A directory that anybody may write to, with programs in it that change their user."""

    def __init__(self, directory):
        if os.geteuid() != 0:
            raise harness.Skip("needs root: a mount namespace, and programs of another user")
        if harness.MPI != "mpich":
            raise harness.Skip("a single process of Open MPI starts others, as another user")
        if os.statvfs(directory).f_flag & os.ST_NOSUID:
            raise harness.Skip("set-user-id has no meaning in " + directory)
        os.chmod(directory, 0o777)
        self.directory = directory
        self.replaced = replaceable()
        self.library = self.copy(os.path.realpath(harness.LIBRARY), "preloaded.so", 0, 0o4755)
        trial = self.run(["/bin/true"], preload=None)
        if trial.status != 0:
            raise harness.Skip("no mount namespace: " + trial.stderr.decode("utf-8", "replace"))

    def copy(self, path, name, owner, mode):
        target = os.path.join(self.directory, name)
        shutil.copyfile(path, target)
        os.chown(target, owner, owner)
        os.chmod(target, mode)
        return target

    def program(self, name, secure):
        """A copy of a test program; if SECURE it belongs to nobody and runs as such."""
        return self.copy(harness.program(name), name + ("-secure" if secure else ""), NOBODY,
                         0o4755 if secure else 0o755)

    def run(self, command, preload="name"):
        script = "mount --bind %s %s; exec \"$@\"" % (self.library, self.replaced)
        inside = ["env"] + ["LD_PRELOAD=" + os.path.basename(self.replaced)] * (preload is not None)
        return harness.execute(["unshare", "-m", "sh", "-ec", script, "sh"] + inside + command,
                               {"TSPROF_VERBOSE": "3", "TSPROF_OUTPUT": "out.tsprof",
                                "TSPROF_NONSENSE": "1"},
                               cwd=self.directory)

    def summaries(self):
        found = [name for name in os.listdir(self.directory) if name.endswith(".tsprof")]
        for name in found:
            os.unlink(os.path.join(self.directory, name))
        return found


def test_the_runtime_is_there(tap):
    """Otherwise the rest proves nothing."""
    with Directory() as directory:
        place = Place(directory)
        result = place.run([place.program("nompi", True), "maps"])
        tap.ok(result.status == 0 and place.replaced.split("/")[-1].encode() in result.stdout,
               "it is preloaded into a program that changes its user", result)


def test_nothing_is_measured(tap):
    with Directory() as directory:
        place = Place(directory)
        command = ["--iterations", "4"]
        plain = place.run([place.program("stencil", True)] + command, preload=None)
        ordinary = place.run([place.program("stencil", False)] + command)
        tap.equal(place.summaries(), ["out.tsprof"], "an ordinary program is measured")
        secure = place.run([place.program("stencil", True)] + command)
        tap.equal(place.summaries(), [], "no summary of one that changes its user")
        tap.equal(secure, plain, "which says what it says without tsprof, and nothing else")
        tap.equal((ordinary.status, ordinary.stdout), (plain.status, plain.stdout),
                  "all of them run to their ends")
        tap.ok(b"tsprof" in ordinary.stderr, "there would be messages")


def test_nothing_is_said_with_the_wrong_mpi(tap):
    """The message that names the right runtime is read from the environment's settings."""
    others = [kind for kind in harness.KINDS if kind != harness.MPI]
    if not others:
        raise harness.Skip("there is one MPI only")
    with Directory() as directory:
        place = Place(directory)
        place.library = place.copy(os.path.realpath(harness.library_of(others[0])), "other.so", 0,
                                   0o4755)
        ordinary = place.run([place.program("stencil", False), "--iterations", "2"])
        tap.ok(b"nothing is measured" in ordinary.stderr, "an ordinary program: it is said", ordinary)
        secure = place.run([place.program("stencil", True), "--iterations", "2"])
        tap.equal((secure.status, secure.stderr), (0, b""), "one that changes its user: it is not")


def test_threads_are_left_alone(tap):
    with Directory() as directory:
        place = Place(directory)
        plain = place.run([place.program("threads", True), "pool"], preload=None)
        secure = place.run([place.program("threads", True), "pool"])
        tap.equal((secure.status, secure.stderr), (plain.status, plain.stderr),
                  "a program with threads runs as it does alone")
        tap.equal(place.summaries(), [], "and leaves no summary")


if __name__ == "__main__":
    harness.main()
