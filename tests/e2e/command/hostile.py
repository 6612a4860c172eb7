#!/usr/bin/env python3
"""Files that were made to do harm: each command ends soon, in little memory, and says why."""

import os
import socket
import struct
import zlib

import cli_command
import harness
import summary_reader
from harness import Directory

MEMORY_KB = 600000
SECONDS = 20  # of computing; files here are small

COMMANDS = (["info"], ["report"], ["export", "--what", "iterations", "--iteration", "0-3"],
            ["export", "--what", "callpaths", "--total"], ["export", "--what", "regions"],
            ["export", "--what", "clusters", "--iteration", "0-3"],
            ["export", "--what", "topologies"], ["export", "--what", "causes"],
            ["export", "--what", "instances"], ["compare"], ["compress", "--clusters", "2"])
FILES = {"compare": 2}


def is_sanitized():
    with open(harness.COMMAND, "rb") as file:
        return b"__asan_init" in file.read()


def run(command, path):
    """In bounded memory, unless sanitizers take more than that for themselves."""
    limits = "ulimit -t %d; " % SECONDS + ("" if is_sanitized() else "ulimit -v %d; " % MEMORY_KB)
    arguments = command + [path] * FILES.get(command[0], 1)
    if command[0] == "compress":
        arguments += ["-o", path + ".out"]
    result = harness.execute(["sh", "-c", limits + "exec \"$@\"", "sh", harness.COMMAND] + arguments)
    if os.path.exists(path + ".out"):
        os.unlink(path + ".out")
    return result


def faults(path, statuses):
    found = []
    for command in COMMANDS:
        result = run(command, path)
        said = result.stderr.decode("utf-8", "replace")
        if result.status not in statuses or len(said.splitlines()) > 1:
            found.append("%s: status %d, %s" % (" ".join(command), result.status, said))
        elif result.status == 1 and os.path.basename(path) not in said + result.stdout.decode(
                "utf-8", "replace"):
            found.append("%s: the file is not named: %s" % (" ".join(command), said))
    return found


def check(tap, label, path, statuses=(1,)):
    found = faults(path, statuses)
    tap.ok(not found, label, "\n".join(found))


def write(directory, content, name="bad.tsprof"):
    path = os.path.join(directory, name)
    with open(path, "wb") as file:
        file.write(content)
    return path


# Making files


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes((value & 0x7F | 0x80,))
        value >>= 7
    return out + bytes((value,))


def frame(pieces, claimed=None, window=None):
    """A zstd frame of blocks; PIECES are bytes, or pairs of a byte and how often it comes."""
    size = sum(len(piece) if isinstance(piece, bytes) else piece[1] for piece in pieces)
    blocks = []
    for piece in pieces:
        if isinstance(piece, bytes):
            blocks += [(0, len(piece[at : at + (1 << 17)]), piece[at : at + (1 << 17)])
                       for at in range(0, len(piece), 1 << 17)]
        else:
            byte, left = piece
            while left > 0:
                blocks.append((1, min(left, 1 << 17), byte))
                left -= 1 << 17
    if window is None:
        out = struct.pack("<IBQ", 0xFD2FB528, 0xE0, size if claimed is None else claimed)
    else:
        out = struct.pack("<IBB", 0xFD2FB528, 0, window)
    for i, (kind, length, content) in enumerate(blocks):
        out += struct.pack("<I", length << 3 | kind << 1 | (i == len(blocks) - 1))[:3] + content
    return out


class Part:
    """A section: what is stored of it and what it claims."""

    def __init__(self, kind, version, location, content, encoding=0, decoded=None, shared=None):
        self.kind, self.version, self.location = kind, version, location
        self.content, self.encoding, self.shared = content, encoding, shared
        self.decoded = len(content) if decoded is None else decoded


def parts_of(path):
    summary = summary_reader.Summary(path)
    return [Part(s.kind, s.version, s.location, content)
            for s, content in zip(summary.sections, summary_reader.contents(path))]


def assemble(parts):
    """The file; a part with `shared` has its bytes where that other part has them."""
    offset, entries, stored, places = 64 + 48 * len(parts), b"", b"", {}
    for part in parts:
        if part.shared is None:
            places[id(part)] = offset + len(stored)
            stored += part.content
        entry = struct.pack("<IIIIQQQI", part.kind, part.version, part.location, part.encoding,
                            places[id(part.shared or part)], len(part.content), part.decoded,
                            zlib.crc32(part.content))
        entries += entry + struct.pack("<I", zlib.crc32(entry))
    header = struct.pack("<8sIIQQI24x", b"TSPROF\r\n", 2, 1, offset + len(stored), 0, len(parts))[:60]
    return header + struct.pack("<I", zlib.crc32(header)) + entries + stored


class Sample:
    """The sections of a good summary of two ranks."""

    made = None

    def __init__(self):
        if Sample.made is None:
            with Directory() as directory:
                _, path = harness.profile(directory, "stencil", 2, ("--iterations", "8"))
                Sample.made = parts_of(path)
        self.parts = list(Sample.made)

    def find(self, kind):
        return next(i for i, part in enumerate(self.parts)
                    if summary_reader.KINDS.get(part.kind) == kind)

    def replace(self, kind, content, **more):
        at = self.find(kind)
        old = self.parts[at]
        self.parts[at] = Part(old.kind, old.version, old.location, content, **more)
        return self

    def content(self, kind):
        return self.parts[self.find(kind)].content

    def write(self, directory):
        return write(directory, assemble(self.parts))


# Tests


def test_good_file(tap):
    """Otherwise the rest proves nothing."""
    with Directory() as directory:
        path = Sample().write(directory)
        for command in COMMANDS[:-1]:
            result = run(command, path)
            tap.equal((result.status, result.stderr), (0, b""), command[0] + " reads a good file")
        for kind in ("RUN", "CALLTREE", "LOCATION"):
            sample = Sample()
            content = sample.content(kind)
            path = sample.replace(kind, frame([content]), encoding=1,
                                  decoded=len(content)).write(directory)
            result = run(["info"], path)
            tap.equal((result.status, result.stderr), (0, b""), kind + " in a frame of our own")


def test_no_files(tap):
    """What is no file, or never ends, or is kept from us."""
    with Directory() as directory:
        pipe = os.path.join(directory, "pipe")
        os.mkfifo(pipe)
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(os.path.join(directory, "socket"))
            for label, path in (("a pipe", pipe), ("a directory", directory),
                                ("a socket", os.path.join(directory, "socket")),
                                ("zeros without an end", "/dev/zero"), ("nothing", "/dev/null"),
                                ("a file of the system", "/proc/self/status"),
                                ("a file without a size", "/proc/self/mem"),
                                ("an empty file", write(directory, b"", "empty"))):
                check(tap, label, path)
        loop = os.path.join(directory, "loop")
        os.symlink("loop", loop)
        check(tap, "a link to itself", loop)


def test_frames_that_stand_for_too_much(tap):
    mega = 1 << 20
    zeros = frame([(b"\0", 300 * mega)])
    with Directory() as directory:
        for kind in ("RUN", "METRICS", "CALLTREE", "LOCATION", "TOPOLOGIES"):
            if not any(summary_reader.KINDS.get(p.kind) == kind for p in Sample().parts):
                continue
            for label, content, decoded in (
                    ("300 MB in 10 kB", zeros, 300 * mega),
                    ("300 MB that claim to be 5 kB", zeros, 5000),
                    ("a frame that claims less than it holds", frame([(b"\0", 300 * mega)], 5000), 5000),
                    ("5 kB that claim to be 9 MB", frame([bytes(5000)] + [(b"\0", 5000)]), 9 * mega),
                    ("a window of a terabyte", frame([bytes(100)], window=0xF8), 100),
                    ("no frame at all", bytes(1000), 1000)):
                path = Sample().replace(kind, content, encoding=1, decoded=decoded).write(directory)
                tap.ok(os.path.getsize(path) < 100000, "%s: %s: a small file" % (kind, label))
                check(tap, "%s: %s" % (kind, label), path)


def test_sections_that_share_their_bytes(tap):
    """A thousand times the same kilobytes would be a thousand times the memory."""
    with Directory() as directory:
        sample = Sample()
        names = b"".join(varint(len(b"n%d" % i)) + b"n%d" % i for i in range(3))
        note = varint(0) * 2 + varint(200000) + names + bytes(200000 - 3)
        one = Part(8, sample.parts[sample.find("LOCATION")].version, 0,
                   frame([note[:200], (b"\0", 900 * 1000)]), encoding=1, decoded=900200)
        others = [Part(8, one.version, i, one.content, 1, one.decoded, shared=one)
                  for i in range(1, 1000)]
        sample.parts = [p for p in sample.parts if p.kind != 8] + [one] + others
        path = sample.write(directory)
        check(tap, "a thousand sections with the same bytes", path)
        tap.ok("overlap" in harness.tsprof("info", path).stderr, "the message says so")


def test_much_in_little(tap):
    """As much as a frame may stand for, of what takes most memory once it is read."""
    with Directory() as directory:
        for kind, item, size in (("CALLTREE", b"\1", 3), ("METRICS", b"\0", 6), ("REGIONS", b"\0", 7),
                                 ("SYSTEM", b"\0", 1), ("PHASES", b"\0", 3), ("MODULES", b"\0", 2),
                                 ("RUN", b"\0", 2)):
            count = 300000 // size
            content = frame([varint(count), (item, count * size)])
            padding = struct.pack("<II", 0x184D2A50, 400) + bytes(400)
            path = Sample().replace(kind, content + padding, encoding=1,
                                    decoded=len(varint(count)) + count * size).write(directory)
            check(tap, "%d items in %s" % (count, kind), path, statuses=(0, 1))


def summary_of_billions():
    """Iterations that are alike but for one, 2^32 in all."""
    usual, made = (1 << 32) - 1, cli_command.series

    def series(clusters, runs, spread):
        return made([(usual, clusters[0][1])] + clusters[1:], [(usual - 1, 1), (1, 2), (1, 1)], spread)

    cli_command.series = series
    try:
        return cli_command.summary()
    finally:
        cli_command.series = made


def test_billions_of_iterations(tap):
    """One run of the map may stand for as many."""
    with Directory() as directory:
        path = write(directory, summary_of_billions())
        result = run(["report"], path)
        tap.ok(result.status == 0 and b"Iterations of step: 4294967296" in result.stdout, "report", result)
        check(tap, "all commands", path, statuses=(0, 1))


def test_long_names_in_deep_trees(tap):
    """The text of a call path must not be longer than anybody could want."""
    with Directory() as directory:
        sample = Sample()
        depth, name = 20000, b"f" * 20000
        regions = (varint(2) + varint(7) + b"program" + b"\3\0\0\0\0\0"
                   + varint(len(name)) + name + b"\0\0\0\0\0\0")
        tree = varint(depth) + b"\0\0\0" + b"".join(varint(i) + b"\1\0" for i in range(1, depth))
        sample.replace("REGIONS", regions).replace("CALLTREE", tree)
        sample.replace("PHASES", varint(0))
        path = sample.write(directory)
        check(tap, "a path of 400 MB", path)


if __name__ == "__main__":
    harness.main()
