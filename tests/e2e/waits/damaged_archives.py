#!/usr/bin/env python3
"""Archives that are damaged: each command that reads one ends with status 0 or 1, in bounded time
and memory, with one line where something is wrong, and what it writes can be read.

ARCHIVE_SEED=N repeats a seed, ARCHIVE_COUNT=N tries more damages.
"""

import os
import random
import re
import shutil

import harness
from harness import Directory, Failure

COUNT = 30
MEMORY_KB = 1000000
SECONDS = 20  # of computing; the archive is small

COMMANDS = (("waits", "ARCHIVE", "-o", "OUT"), ("whatif", "ARCHIVE", "best", "--format", "json"),
            ("whatif", "ARCHIVE", "network", "g=1us", "-o", "OUT"),
            ("export", "ARCHIVE", "--format", "perfetto", "-o", "OUT"),
            ("report", "SUMMARY"), ("html", "SUMMARY", "--trace", "-o", "OUT"))


def is_sanitized():
    with open(harness.COMMAND, "rb") as file:
        return b"__asan_init" in file.read()


def record(directory, name, *arguments):
    """A summary with an archive beside it; returns the name that both begin with."""
    summary = os.path.join(directory, name + ".tsprof")
    result = harness.run_ranks(
        [harness.program(name), *arguments], 3, cwd=directory,
        settings={"TSPROF_OUTPUT": summary, "TSPROF_TRACE": "all", "WAITS_RANDOM": "plain"})
    if result.status != 0 or not os.path.exists(summary[:-7] + ".otf2"):
        raise Failure(result.stderr.decode("utf-8", "replace"))
    return summary[:-7]


def files_of(archive):
    return sorted(os.path.join(at, name) for at, _, names in os.walk(archive) for name in names)


def damage(chance, content):
    """CONTENT with a piece cut off, changed, filled, taken out or repeated."""
    if not content:
        return content
    at, count = chance.randrange(len(content)), 1 + chance.randrange(16)
    piece = chance.randrange(6)
    if piece == 0:
        return content[:at]
    if piece == 1:
        return content[:at] + bytes([chance.randrange(256)]) + content[at + 1:]
    if piece == 2:
        return content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1:]
    if piece == 3:
        return content[:at] + bytes([chance.choice((0, 1, 0x7F, 0x80, 0xFF))]) * count + content[at + count:]
    if piece == 4:
        return content[:at] + content[at + count:]
    return content[:at + count] + content[at:]


def run(command, directory):
    names = {"ARCHIVE": "a.otf2", "SUMMARY": "a.tsprof", "OUT": "out"}
    limits = "ulimit -t %d; " % SECONDS + ("" if is_sanitized() else "ulimit -v %d; " % MEMORY_KB)
    arguments = [names.get(argument, argument) for argument in command]
    return harness.execute(["sh", "-c", limits + "exec \"$@\"", "sh", harness.COMMAND] + arguments,
                           cwd=directory)


def faults(directory, label, commands=COMMANDS):
    """What is wrong with what the commands say of the archive in DIRECTORY."""
    found, statuses = [], set()
    made = os.path.join(directory, "out")
    for command in commands:
        result = run(command, directory)
        said = result.stderr.decode("utf-8", "replace")
        statuses.add(result.status)
        if "without the page" in said:
            continue
        if result.status not in (0, 1) or len(said.splitlines()) != result.status:
            found.append("%s: %s: status %d, %s" % (label, " ".join(command), result.status, said))
        if result.status == 1 and "a.otf2" not in said and "a.tsprof" not in said:
            found.append("%s: %s: names no file: %s" % (label, " ".join(command), said))
        if command[0] == "waits" and os.path.exists(made):
            info = harness.tsprof("info", made)
            if info.status != 0:
                found += ["%s: of what waits wrote: %s" % (label, line)
                          for line in (info.stdout + info.stderr).splitlines()
                          if "NOT EXACT" in line or "tsprof:" in line]
        if os.path.isdir(made):
            shutil.rmtree(made)
        elif os.path.exists(made):
            os.unlink(made)
    return found, statuses


def try_damages(tap, directory, whole, chance, count):
    place = os.path.join(directory, "damaged")
    found, statuses = [], set()
    os.mkdir(place)
    shutil.copy(whole + ".tsprof", os.path.join(place, "a.tsprof"))
    for number in range(count):
        archive = os.path.join(place, "a.otf2")
        shutil.copytree(whole + ".otf2", archive)
        names = files_of(archive)
        for _ in range(chance.choice((1, 1, 2, 5))):
            name = chance.choice(names)
            with open(name, "rb") as stream:
                content = damage(chance, stream.read())
            with open(name, "wb") as stream:
                stream.write(content)
        wrong, seen = faults(place, "damage %d" % number)
        found += wrong
        statuses |= seen
        shutil.rmtree(archive)
    label = os.path.basename(whole)
    tap.ok(not found, label + ": every damage is survived", "\n".join(found[:20]))
    tap.equal(statuses, {0, 1}, label + ": some are seen, some are not")
    shutil.rmtree(place)


def test_damages(tap):
    seed = int(os.environ.get("ARCHIVE_SEED") or random.SystemRandom().randrange(1 << 20))
    count = int(os.environ.get("ARCHIVE_COUNT") or COUNT)
    print("# ARCHIVE_SEED=%d" % seed)
    with Directory() as directory:
        for name, arguments in (("waits_random", ("--seed", "5")), ("openmp", ("2", "4"))):
            try_damages(tap, directory, record(directory, name, *arguments), random.Random(seed),
                        count // 2)


def late(content):
    """CONTENT of a file of events with its last time of day in a far future."""
    # 5 begins a time, of 8 bytes, of what follows; those of one file have the same upper halves.
    first = next(at for at in range(len(content) - 9)
                 if content[at] == 5 and content[at + 8] == 0 and any(content[at + 4:at + 8]))
    upper = content[first + 6:first + 9]
    last = max(at for at in range(first, len(content) - 9)
               if content[at] == 5 and content[at + 6:at + 9] == upper)
    return content[:last + 8] + b"\x40" + content[last + 9:]


def test_impossible_times(tap):
    """An event in some hundred years is left out, and that is said."""
    with Directory() as directory:
        whole = record(directory, "waits_random", "--seed", "5")
        os.rename(whole + ".tsprof", os.path.join(directory, "a.tsprof"))
        archive = os.path.join(directory, "a.otf2")
        os.rename(whole + ".otf2", archive)
        name = next(name for name in files_of(archive) if name.endswith(".evt"))
        with open(name, "rb") as stream:
            content = late(stream.read())
        with open(name, "wb") as stream:
            stream.write(content)
        found, statuses = faults(directory, "late")
        tap.equal(found, [], "events with impossible times are survived")
        tap.ok(1 in statuses, "and told of", statuses)


def never_left(content):
    """CONTENT of a file of events, for each function without one of the times when it is left."""
    seen = set()
    # 13 is leaving a function, whose number has one byte.
    for match in re.finditer(b"\x0d\x01.", content, re.DOTALL):
        if match.group() not in seen:
            seen.add(match.group())
            # Nobody knows what 0xf0 is, so it is passed over.
            yield content[:match.start()] + b"\xf0" + content[match.start() + 1:]


def test_never_left(tap):
    """A function, or an iteration, that is not left is entered in itself the next time."""
    with Directory() as directory:
        whole = record(directory, "waits_random", "--seed", "5")
        os.rename(whole + ".tsprof", os.path.join(directory, "a.tsprof"))
        archive, found = os.path.join(directory, "a.otf2"), []
        os.rename(whole + ".otf2", archive)
        name = next(name for name in files_of(archive) if name.endswith(".evt"))
        with open(name, "rb") as stream:
            content = stream.read()
        tried = 0
        for changed in never_left(content):
            tried += 1
            with open(name, "wb") as stream:
                stream.write(changed)
            found += faults(directory, "function %d" % tried, COMMANDS[:1])[0]
        tap.equal(found, [], "functions that are never left are survived, and sums are exact")
        tap.ok(tried > 5, "several were tried", tried)


def test_missing_pieces(tap):
    """Every file of an archive gone, and empty."""
    with Directory() as directory:
        whole = record(directory, "waits_random", "--seed", "5")
        os.rename(whole + ".tsprof", os.path.join(directory, "a.tsprof"))
        archive, found = os.path.join(directory, "a.otf2"), []
        for name in files_of(whole + ".otf2"):
            for change in (os.unlink, lambda path: os.truncate(path, 0)):
                shutil.copytree(whole + ".otf2", archive)
                change(os.path.join(archive, os.path.relpath(name, whole + ".otf2")))
                found += faults(directory, os.path.relpath(name, directory))[0]
                shutil.rmtree(archive)
        tap.ok(not found, "every file may be missing, or empty", "\n".join(found[:20]))


if __name__ == "__main__":
    harness.main()
