"""What a command costs."""

import os
import subprocess
import time


def cost_of(command):
    """Seconds on the wall, seconds of processor time, bytes of memory at most."""
    begin = time.monotonic()
    child = subprocess.Popen(command)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, command)
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, 1024 * usage.ru_maxrss
