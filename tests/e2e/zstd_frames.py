#!/usr/bin/env python3
"""The tests' own decoder of Zstandard agrees with the library on every kind of block and table.

The library is asked directly, with all its settings; frames of the command line are read as well."""

import ctypes
import random
import shutil
import subprocess

import harness
import zstd_frame

# ZSTD_cParameter.
LEVEL, WINDOW_LOG, MIN_MATCH, STRATEGY = 100, 101, 105, 107
LONG_DISTANCE, CONTENT_SIZE, CHECKSUM, SPLITTER = 160, 200, 201, 1010

KINDS = (
    "block: raw", "block: repeated byte", "block: compressed", "frame: checksum", "frame: window",
    "frame: single segment", "frame: skippable", "frame: content size of 1 bytes",
    "frame: content size of 2 bytes", "frame: content size of 4 bytes", "literals: raw",
    "literals: repeated byte", "literals: with tree, 1 stream", "literals: with tree, 4 streams",
    "literals: treeless, 1 stream", "literals: treeless, 4 streams", "offset: repeated",
    "sequences: none", "sequences: count in 2 bytes", "sequences: count in 3 bytes",
    "tree: compressed weights", "tree: direct weights",
) + tuple("%s: %s" % (table, mode) for table in ("literals lengths", "offsets", "match lengths")
          for mode in ("predefined", "one code", "own table", "repeated"))


class Library:
    def __init__(self):
        try:
            self.library = ctypes.CDLL("libzstd.so.1")
        except OSError as error:
            raise harness.Skip("no libzstd: %s" % error)
        for name, result in (("createCCtx", ctypes.c_void_p), ("compressBound", ctypes.c_size_t),
                             ("compress2", ctypes.c_size_t), ("isError", ctypes.c_uint),
                             ("CCtx_setParameter", ctypes.c_size_t),
                             ("CCtx_reset", ctypes.c_size_t)):
            getattr(self.library, "ZSTD_" + name).restype = result
        self.library.ZSTD_decompress.restype = ctypes.c_size_t
        self.context = ctypes.c_void_p(self.library.ZSTD_createCCtx())

    def compress(self, data, settings):
        self.library.ZSTD_CCtx_reset(self.context, 3)
        for parameter, value in settings.items():
            status = self.library.ZSTD_CCtx_setParameter(self.context, parameter, value)
            assert not self.library.ZSTD_isError(ctypes.c_size_t(status)), (parameter, value)
        room = self.library.ZSTD_compressBound(ctypes.c_size_t(len(data)))
        out = ctypes.create_string_buffer(room)
        size = self.library.ZSTD_compress2(self.context, out, ctypes.c_size_t(room), bytes(data),
                                           ctypes.c_size_t(len(data)))
        assert not self.library.ZSTD_isError(ctypes.c_size_t(size))
        return out.raw[:size]

    def decompress(self, frame, room):
        out = ctypes.create_string_buffer(room)
        size = self.library.ZSTD_decompress(out, ctypes.c_size_t(room), frame,
                                            ctypes.c_size_t(len(frame)))
        return out.raw[:size]


# Literals that are one byte, which the library writes in blocks with matches only: a block of 20.
ONE_LITERAL = b"\x28\xb5\x2f\xfd\x20\x14" + b"\x1d\0\0" + bytes([20 << 3 | 1]) + b"a\0"


def texts(rng):
    """Contents of many kinds, with names."""
    words = [bytes(rng.randrange(97, 123) for _ in range(rng.randrange(2, 9))) for _ in range(300)]
    yield "nothing", b""
    for size in (1, 5, 100, 255, 256, 257, 4000, 70000, 300000):
        yield "zeros %d" % size, bytes(size)
        yield "noise %d" % size, rng.randbytes(size)
        yield "words %d" % size, b" ".join(rng.choice(words) for _ in range(size // 6 + 1))[:size]
        yield "skewed %d" % size, bytes(min(int(rng.expovariate(0.3)), 255) for _ in range(size))
        yield "two letters %d" % size, bytes(rng.choice(b"aaab") for _ in range(size))
    # A short block after a long one takes over its tables.
    yield "a block and a bit", b" ".join(rng.choice(words) for _ in range(24000))[:140000]
    for size in (1000, 40000, 400000):
        yield "columns %d" % size, b"".join(
            b"%d;%d;%s\n" % (i, rng.randrange(9), rng.choice(words[:5])) for i in range(size // 12))
        block = rng.randbytes(min(size // 4, 30000))
        yield "echoes %d" % size, b"".join(
            block[:rng.randrange(3, len(block))] + rng.randbytes(rng.randrange(20))
            for _ in range(4))[:size]
    for distance in (1, 2, 3, 7, 50):
        yield "period %d" % distance, (rng.randbytes(distance) * 3000)[:5000]
    yield "far apart", b"begin" * 50 + rng.randbytes(150000) + b"begin" * 50
    triples = [rng.randbytes(3) for _ in range(150)]
    yield "triples", b"".join(rng.choice(triples) for _ in range(45000))
    changes = bytearray(rng.choice(words) * 20000)[:90000]
    for at in range(0, len(changes), 31):
        changes[at] = rng.randrange(256)
    yield "changes", bytes(changes)


SETTINGS = (
    {LEVEL: 1}, {LEVEL: 3, CHECKSUM: 1}, {LEVEL: 9},
    {LEVEL: 16, STRATEGY: 7, MIN_MATCH: 3, SPLITTER: 2}, {LEVEL: 19}, {LEVEL: -7},
    {LEVEL: 5, CONTENT_SIZE: 0}, {LEVEL: 4, WINDOW_LOG: 10, CHECKSUM: 1},
    {LEVEL: 12, WINDOW_LOG: 27, LONG_DISTANCE: 1, CONTENT_SIZE: 0}, {STRATEGY: 9, LEVEL: 22},
)


def test_every_kind(tap):
    library, rng = Library(), random.Random(5)
    zstd_frame.seen.clear()
    count, wrong = 0, []
    for name, text in texts(rng):
        for settings in SETTINGS:
            # Few settings see the long ones: so this takes seconds.
            if len(text) > 100000 and settings not in (
                    SETTINGS[3:4] if name == "triples" else SETTINGS[1:3]):
                continue
            count += 1
            frame = library.compress(text, settings)
            try:
                if zstd_frame.decode(frame) != text:
                    wrong.append("%s, %r: another content" % (name, settings))
            except zstd_frame.Corrupt as error:
                wrong.append("%s, %r: %s" % (name, settings, error))
    frames = [library.compress(text, {}) for text in (b"one", b"two" * 1000)]
    tap.equal(zstd_frame.decode(frames[0] + b"\x5a\x2a\x4d\x18\3\0\0\0xyz" + frames[1]),
              b"one" + b"two" * 1000, "frames one after the other, and what is skipped")
    tap.equal(zstd_frame.decode(ONE_LITERAL), library.decompress(ONE_LITERAL, 20),
              "literals of one byte")
    tap.equal(wrong, [], "%d frames" % count)
    missing = [kind for kind in KINDS if not zstd_frame.seen[kind]]
    tap.equal(missing, [], "of every kind: %s" % ", ".join(
        "%s (%d)" % kind for kind in sorted(zstd_frame.seen.items())))


def test_damage_is_noticed(tap):
    library, rng = Library(), random.Random(6)
    text = b" ".join(b"%d" % (i * i % 977) for i in range(3000))
    frame = library.compress(text, {LEVEL: 9, CHECKSUM: 1})
    harmless = 0
    for _ in range(300):
        bad = bytearray(frame)
        bad[rng.randrange(len(bad))] ^= 1 << rng.randrange(8)
        try:
            harmless += zstd_frame.decode(bytes(bad)) != text
        except zstd_frame.Corrupt:
            pass
    tap.equal(harmless, 0, "no damaged frame gives another content")
    cut = 0
    for size in rng.sample(range(1, len(frame)), 60):
        try:
            zstd_frame.decode(frame[:size])
            cut += 1
        except zstd_frame.Corrupt:
            pass
    tap.equal(cut, 0, "no frame may end early")


def test_the_command_line(tap):
    if not shutil.which("zstd"):
        raise harness.Skip("no zstd command")
    rng = random.Random(7)
    text = b"".join(b"%d %d\n" % (i, rng.randrange(100)) for i in range(8000))
    for options in ([], ["-1"], ["-19"], ["--long", "-9"], ["--no-check"], ["--fast=5"]):
        frame = subprocess.run(["zstd", "-c"] + options, input=text, stdout=subprocess.PIPE,
                               check=True).stdout
        tap.ok(zstd_frame.decode(frame) == text, "zstd " + " ".join(options))


if __name__ == "__main__":
    harness.main()
