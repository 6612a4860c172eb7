"""A limit of memory like those that batch systems set: a control group of the test's own, of either version
of Linux's control groups.  Needs root, and a memory controller that it may write to.
"""

import collections
import contextlib
import os
import signal
import time

from harness import Skip

# Where groups are made, and what each version calls the limit, the most that was used, and where the
# number of processes that were ended is (the last one in that file that follows a word `oom_kill`).
Version = collections.namedtuple("Version", "top limit swap peak kills")
VERSIONS = (
    Version("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.memsw.limit_in_bytes",
            "memory.max_usage_in_bytes", "memory.oom_control"),
    Version("/sys/fs/cgroup", "memory.max", "memory.swap.max", "memory.peak", "memory.events"),
)


def kill_all(group):
    with open(os.path.join(group, "cgroup.procs")) as file:
        for pid in file.read().split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)


def remove(group, seconds=10):
    """Removes a group as soon as all that was killed in it has ended."""
    end = time.monotonic() + seconds
    while True:
        try:
            return os.rmdir(group)
        except OSError:
            if time.monotonic() > end:
                raise
        time.sleep(0.01)


class MemoryGroup:
    """As a context: a group without a limit.  What is left in it at the end is killed."""

    def __enter__(self):
        for self.version in VERSIONS:
            self.path = os.path.join(self.version.top, "tsprof-test-%d" % os.getpid())
            if os.path.exists(os.path.join(self.version.top, "cgroup.procs")):
                with contextlib.suppress(OSError):
                    os.mkdir(self.path)
                    if all(os.path.exists(os.path.join(self.path, name))
                           for name in (self.version.limit, self.version.peak)):
                        return self
                    os.rmdir(self.path)
        raise Skip("there is no control group of memory that this user may make")

    def __exit__(self, *error):
        # Those that whoever runs in it has made go first.
        groups = [path for path, _, _ in os.walk(self.path, topdown=False)]
        for group in groups:
            kill_all(group)
        for group in groups:
            remove(group)

    def _write(self, name, value):
        with open(os.path.join(self.path, name), "w") as file:
            file.write(str(value))

    def limit(self, size):
        """Bytes that all processes of the group together may have, none of them swapped out."""
        self._write(self.version.limit, size)
        swap = size if "memsw" in self.version.swap else 0
        if os.path.exists(os.path.join(self.path, self.version.swap)):
            self._write(self.version.swap, swap)

    def peak(self):
        """The most that they had at once, bytes."""
        with open(os.path.join(self.path, self.version.peak)) as file:
            return int(file.read())

    def kills(self):
        """How many of them were ended for want of memory."""
        with open(os.path.join(self.path, self.version.kills)) as file:
            words = file.read().split()
        return int(words[words.index("oom_kill") + 1])

    def within(self):
        """How a command begins that runs in the group."""
        return ["sh", "-c", "echo $$ >'%s/cgroup.procs' && exec \"$@\"" % self.path, "sh"]
