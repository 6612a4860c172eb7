"""What processes of real programs grow by, and what `tsprof info` states of it: BENCH=growth.

Runs NWChem and LAMMPS, where they are installed, on two ranks, with tsprof and without, alternating,
and reads 50 times a second (every PAUSE seconds) how much memory of its own each process has (its anonymous pages, those
that it shares with its fork included).  The most that a rank had is compared: its mean with tsprof
less that without, and the standard error, since allocations differ from run to run.
"""

import math
import os
import re
import statistics
import subprocess
import tempfile
import time

import stalls

ROUNDS = int(os.environ.get("ROUNDS") or 12)
PAUSE_S = float(os.environ.get("PAUSE") or 0.02)
UNITS = {"bytes": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}


def children_of(process):
    """The processes below one, itself included."""
    found = [process]
    for each in found:
        try:
            with open(f"/proc/{each}/task/{each}/children", encoding="ascii") as file:
                found += [int(number) for number in file.read().split()]
        except OSError:
            pass
    return found


def anonymous_of(process, name):
    """Bytes of a rank's anonymous pages; nothing of other processes and of those that ended."""
    try:
        with open(f"/proc/{process}/comm", encoding="utf-8") as file:
            if file.read().strip() != name[:15]:
                return None
        with open(f"/proc/{process}/smaps_rollup", encoding="ascii") as file:
            return 1024 * int(re.search(r"^Anonymous: +(\d+)", file.read(), re.M)[1])
    except (OSError, TypeError):
        return None


def most(command, settings, directory):
    """The most that each rank had, in bytes, in order of their processes' numbers."""
    run = subprocess.Popen([stalls.MPIRUN, "-n", str(stalls.RANKS), *command], cwd=directory,
                           env=dict(os.environ, **settings), stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    name, had = os.path.basename(command[0]), {}
    while run.poll() is None:
        for process in children_of(run.pid):
            now = anonymous_of(process, name)
            if now is not None:
                had[process] = max(had.get(process, 0), now)
        time.sleep(PAUSE_S)
    if run.returncode != 0 or len(had) != stalls.RANKS:
        raise RuntimeError(f"{command[0]} ended with {run.returncode}, {len(had)} ranks seen")
    return [had[process] for process in sorted(had)]


def stated(summary):
    said = subprocess.run([os.path.join(stalls.BUILD, "utils/tsprof"), "info", summary], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    number, unit = re.search(r"memory ([\d.]+) (\w+) per process", said).groups()
    return float(number) * UNITS[unit]


def compare(name, command):
    without, with_it, told = [], [], []
    common = {"ARMCI_USE_WIN_ALLOCATE": "0"}
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory(prefix="tsprof-bench.") as directory:
            summary = os.path.join(directory, "run.tsprof")
            without.append(most(command, common, directory))
            with_it.append(most(command, dict(common, LD_PRELOAD=stalls.RUNTIME, TSPROF_VERBOSE="0",
                                              TSPROF_OUTPUT=summary), directory))
            told.append(stated(summary))
    # Of all ranks, since `info` states the mean of them.
    bare, grown = ([statistics.mean(run) for run in runs] for runs in (without, with_it))
    growth = statistics.mean(grown) - statistics.mean(bare)
    error = math.sqrt((statistics.variance(bare) + statistics.variance(grown)) / ROUNDS)
    said = statistics.mean(told)
    print(f"{name:<10}{statistics.mean(bare) / 1e6:>10.2f}{growth / 1e6:>10.2f}{error / 1e6:>7.2f}"
          f"{said / 1e6:>10.2f}{100 * (said / growth - 1):>8.1f}{100 * error / growth:>6.1f}",
          flush=True)


def main():
    print(f"\nMemory of its own that a rank has at most, MB, {ROUNDS} runs with and without tsprof "
          "(goal: stated within 10 %)")
    print(f"{'program':<10}{'without':>10}{'grown by':>10}{'+/-':>7}{'stated':>10}{'off, %':>8}"
          f"{'+/-':>6}")
    for name, command in stalls.programs():
        if os.sep in command[0] and not command[0].startswith(stalls.BUILD):
            compare(name, command)
