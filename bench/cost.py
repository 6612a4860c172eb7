"""What a command costs."""

import os
import subprocess
import time


def cost_of(command, quiet=False):
    """Seconds on the wall, seconds of processor time, bytes of memory at most.

    What a QUIET command says is not shown."""
    begin = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL if quiet else None)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, command)
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, 1024 * usage.ru_maxrss
