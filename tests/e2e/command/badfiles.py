#!/usr/bin/env python3
"""Every reader survives every file: a clear message that names it, exit status 1, no crash."""

import os
import random
import struct
import zlib

import harness
import summary_reader
from harness import Directory

READERS = (["info"], ["report"], ["export", "--what", "callpaths"], ["compare"])
FILES = {"compare": 2}  # that a reader takes, if not one


class Sample:
    """A good summary, made once, and damaged copies of it."""

    content = None

    def __init__(self, directory):
        self.directory = directory
        if Sample.content is None:
            _, summary = harness.profile(directory, "stencil", 2, ("--iterations", "8"))
            with open(summary, "rb") as file:
                Sample.content = file.read()
            Sample.decoded = summary_reader.Summary(summary)

    def write(self, content, name="bad.tsprof"):
        path = os.path.join(self.directory, name)
        with open(path, "wb") as file:
            file.write(content)
        return path


class PlainSample(Sample):
    """The same with every section stored as it is, so that what it holds can be changed."""

    def __init__(self, directory):
        super().__init__(directory)
        self.content = Sample.decoded.plain()
        self.decoded = summary_reader.Summary(self.write(self.content, "plain.tsprof"))


def seal(content, section=None):
    """Makes the checksums right again: of one changed section, the section map, the header."""
    content = bytearray(content)
    count = min(struct.unpack_from("<I", content, 32)[0], (len(content) - 64) // 48)
    if section is not None:
        stored = content[section.offset : section.offset + section.stored]
        struct.pack_into("<I", content, section.entry + 40, zlib.crc32(stored))
    for entry in range(64, 64 + 48 * count, 48):
        if any(content[entry : entry + 48]):
            struct.pack_into("<I", content, entry + 44, zlib.crc32(content[entry : entry + 44]))
    struct.pack_into("<I", content, 60, zlib.crc32(bytes(content[:60])))
    return bytes(content)


def read(path):
    return [(reader[0], harness.tsprof(*(reader + [path] * FILES.get(reader[0], 1))))
            for reader in READERS]


def faults(path, statuses=(1,)):
    """What is wrong with how the readers take a bad file, in words."""
    found = []
    name = os.path.basename(path)
    for reader, result in read(path):
        if result.status not in statuses:
            found.append("%s: status %d, %s" % (reader, result.status, result.stderr))
        elif result.status == 1 and 0 in statuses and not result.stderr:
            # Readable, but its accounts are wrong: that is a finding and belongs to the result.
            if name not in result.stdout:
                found.append("%s: what it says does not name the file" % reader)
        elif result.status == 1 and name not in result.stderr:
            found.append("%s: the message does not name the file: %s" % (reader, result.stderr))
        elif result.status == 1 and len(result.stderr.splitlines()) != 1:
            found.append("%s: not one line: %s" % (reader, result.stderr))
    return found


def check(tap, label, path, statuses=(1,)):
    found = faults(path, statuses)
    tap.ok(not found, label, "\n".join(found))


def test_good_file(tap):
    """Otherwise the rest proves nothing."""
    with Directory() as directory:
        sample = Sample(directory)
        for name, result in read(sample.write(sample.content, "good.tsprof")):
            tap.equal((result.status, result.stderr), (0, ""), name + " reads a good file")
        resealed = seal(sample.content)
        tap.ok(resealed == sample.content, "the test's own checksums are the format's")


def test_not_a_summary(tap):
    with Directory() as directory:
        sample = Sample(directory)
        for label, content in (("an empty file", b""), ("a text file", b"hello\nworld\n"),
                               ("a long text file", b"all work and no play\n" * 1000),
                               ("zeros", bytes(10000)), ("the magic alone", b"TSPROF\r\n"),
                               ("text mode transfer", sample.content.replace(b"\r\n", b"\n"))):
            check(tap, label, sample.write(content))
        check(tap, "a directory", directory)


def test_missing_file(tap):
    with Directory() as directory:
        check(tap, "a missing file", os.path.join(directory, "missing.tsprof"))


def test_unreadable_file(tap):
    if os.geteuid() == 0:
        raise harness.Skip("root reads everything")
    with Directory() as directory:
        sample = Sample(directory)
        path = sample.write(sample.content)
        os.chmod(path, 0)
        check(tap, "an unreadable file", path)


def test_truncated(tap):
    with Directory() as directory:
        sample = Sample(directory)
        size = len(sample.content)
        lengths = {1, 7, 8, 12, 63, 64, 65, 100, size - 1, size - 48, size // 2}
        lengths |= {size * i // 17 for i in range(1, 17)}
        for length in sorted(lengths):
            check(tap, "the first %d of %d bytes" % (length, size),
                  sample.write(sample.content[:length]))


def test_other_version(tap):
    with Directory() as directory:
        sample = Sample(directory)
        for version in (0, 1, 3, 77, 0xFFFFFFFF):
            content = bytearray(sample.content)
            struct.pack_into("<I", content, 8, version)
            path = sample.write(seal(content))
            check(tap, "version %d" % version, path)
            said = harness.tsprof("info", path).stderr
            tap.ok("version" in said and str(version) in said,
                   "version %d: the message says so" % version, said)


def test_other_section_version(tap):
    with Directory() as directory:
        sample = Sample(directory)
        for section in sample.decoded.sections:
            kind = summary_reader.KINDS.get(section.kind)
            for label, at in (("version", 4), ("encoding", 12)):
                content = bytearray(sample.content)
                struct.pack_into("<I", content, section.entry + at, 9)
                check(tap, "section %s of %s 9" % (kind, label), sample.write(seal(content)))


def test_unknown_sections_are_skipped(tap):
    """A later writer may add kinds; here one appears beyond the end of what is known."""
    with Directory() as directory:
        sample = Sample(directory)
        content = with_entry(sample, struct.pack("<IIIIQQQII", 4242, 3, 0xFFFFFFFF, 0, 64, 0, 0, 0, 0))
        check(tap, "an unknown section", sample.write(seal(content)), statuses=(0,))


def with_entry(sample, entry):
    """The sample with one more entry at the end of its section map."""
    count = struct.unpack_from("<I", sample.content, 32)[0]
    end = 64 + 48 * count
    content = bytearray(sample.content[:end] + entry + sample.content[end:])
    for at in range(64, end, 48):
        struct.pack_into("<Q", content, at + 16, struct.unpack_from("<Q", content, at + 16)[0] + 48)
    struct.pack_into("<Q", content, 16, len(content))
    struct.pack_into("<I", content, 32, count + 1)
    return content


def test_packed_content(tap):
    """Frames that lie about their size, that are damaged, or that stand for too much."""
    with Directory() as directory:
        sample = Sample(directory)
        packed = [s for s in sample.decoded.sections if s.encoding == 1]
        tap.ok({1, 8} <= {s.kind for s in packed}, "sections are packed", packed)
        rng = random.Random(4)
        for section in packed:
            kind = summary_reader.KINDS[section.kind]
            for label, size in (("a byte more", section.decoded + 1),
                                ("a byte less", section.decoded - 1), ("nothing", 0),
                                ("1000 times as much", 1000 * section.stored),
                                ("more than 1000 times as much", 1000 * section.stored + 1000),
                                ("2^63 bytes", 1 << 63)):
                content = bytearray(sample.content)
                struct.pack_into("<Q", content, section.entry + 32, size)
                check(tap, "%s: %s" % (kind, label), sample.write(seal(content)))
            for turn in range(3):
                content = bytearray(sample.content)
                content[section.offset + rng.randrange(section.stored)] ^= 1 << rng.randrange(8)
                check(tap, "%s: a bit of the frame, %d" % (kind, turn),
                      sample.write(seal(content, section)), statuses=(0, 1))


def test_hostile_numbers(tap):
    """Numbers that ask for more than there is, with right checksums."""
    with Directory() as directory:
        sample = PlainSample(directory)
        for label, at, form, value in (
                ("2^32 - 1 sections", 32, "<I", 0xFFFFFFFF),
                ("no sections", 32, "<I", 0),
                ("more sections than bytes", 32, "<I", len(sample.content) // 48),
                ("a size of 2^64 - 1", 16, "<Q", (1 << 64) - 1),
                ("a size of 0", 16, "<Q", 0),
                ("state 0", 12, "<I", 0)):
            content = bytearray(sample.content)
            struct.pack_into(form, content, at, value)
            check(tap, label, sample.write(seal(content)))
        for section in sample.decoded.sections:
            kind = summary_reader.KINDS.get(section.kind)
            for label, at, value in (("offset 2^64 - 8", 16, (1 << 64) - 8),
                                     ("2^63 bytes", 24, 1 << 63)):
                content = bytearray(sample.content)
                struct.pack_into("<Q", content, section.entry + at, value)
                check(tap, "section %s: %s" % (kind, label), sample.write(seal(content)))
            content = bytearray(sample.content)
            content[section.offset : section.offset + 9] = b"\xff" * 8 + b"\x7f"
            check(tap, "section %s: starts with 2^63 - 1" % kind,
                  sample.write(seal(content, section)))


def covered(decoded):
    """The bytes that a checksum covers or is."""
    bytes_covered = set(range(64))
    bytes_covered |= set(range(decoded.map_offset, decoded.map_offset + decoded.map_bytes))
    for section in decoded.sections:
        bytes_covered |= set(range(section.offset, section.offset + section.stored))
    return sorted(bytes_covered)


def test_flipped_bytes(tap):
    with Directory() as directory:
        sample = Sample(directory)
        places = covered(sample.decoded)
        rng = random.Random(1)
        chosen = list(range(0, 64, 3)) + rng.sample(places, 60)
        found = []
        for place in chosen:
            content = bytearray(sample.content)
            content[place] ^= 1 << rng.randrange(8)
            found += ["byte %d: %s" % (place, text)
                      for text in faults(sample.write(bytes(content)))]
        tap.ok(not found, "%d files with one bit flipped" % len(chosen), "\n".join(found))


def test_changed_content_with_right_checksums(tap):
    """Nothing says that these are wrong: reading them may succeed or fail, but must end."""
    with Directory() as directory:
        sample = PlainSample(directory)
        rng = random.Random(2)
        found = []
        for turn in range(80):
            section = rng.choice(sample.decoded.sections)
            content = bytearray(sample.content)
            for _ in range(rng.choice((1, 1, 4))):
                place = section.offset + rng.randrange(max(section.stored, 1))
                content[place] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
            found += ["turn %d, section %d: %s" % (turn, section.kind, text)
                      for text in faults(sample.write(seal(content, section)), (0, 1))]
        tap.ok(not found, "80 files with changed content", "\n".join(found))


def test_changed_content_is_clustered_or_refused(tap):
    """`tsprof compress` reads a summary of every iteration; what it writes can be read."""
    with Directory() as directory:
        _, path = harness.profile(directory, "stencil", 2, ("--iterations", "6"),
                                  {"TSPROF_CLUSTERS": "0"})
        whole = summary_reader.Summary(path).plain()
        with open(path, "wb") as file:
            file.write(whole)
        sections = [s for s in summary_reader.Summary(path).sections if s.kind in (2, 5, 8)]
        rng = random.Random(3)
        found, done = [], 0
        for turn in range(80):
            section = rng.choice(sections)
            content = bytearray(whole)
            for _ in range(rng.choice((1, 1, 4))):
                place = section.offset + rng.randrange(section.stored)
                content[place] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
            with open(path, "wb") as file:
                file.write(seal(content, section))
            out = os.path.join(directory, "clustered.tsprof")
            result = harness.tsprof("compress", path, "--clusters", "2", "-o", out)
            label = "turn %d: " % turn
            if result.status not in (0, 1) or result.status == bool(not result.stderr):
                found.append(label + repr(result))
            if os.path.exists(out) != (result.status == 0):
                found.append(label + "an output though it failed, or none")
            if os.path.exists(out):
                done += 1
                found += [label + text for text in faults(out, (0, 1))]
                os.unlink(out)
        tap.ok(not found, "80 files with changed content", "\n".join(found))
        tap.ok(0 < done < 80, "some were clustered, some refused", done)


def test_wrong_command_lines(tap):
    with Directory() as directory:
        sample = Sample(directory)
        path = sample.write(sample.content, "good.tsprof")
        for arguments in (["info", "--nonsense", path], ["report", "--nonsense", path],
                          ["export", "--what", "nonsense", path], ["export", path],
                          ["html"], ["nonsense", path], []):
            result = harness.tsprof(*arguments)
            label = " ".join(["tsprof"] + arguments).replace(path, "FILE")
            tap.equal(result.status, 2, label + ": status 2")
            tap.ok(result.stderr, label + ": a message")


if __name__ == "__main__":
    harness.main()
