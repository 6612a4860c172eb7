"""A decoder of Zstandard, written from RFC 8878 alone.

For summary_reader.py, which must share nothing with what it judges: slow, strict, and without any
package.  `decode(data)` gives the content of one or more frames.  What it meets on the way (kinds
of blocks, of literals, of tables) is counted in `seen`, so that a test can tell that all of them
were met.
"""

import collections
import struct

FRAME_MAGIC = 0xFD2FB528
SKIPPABLE_MAGIC = 0x184D2A50  # and the 15 after it
BLOCK_MOST = 128 * 1024
WINDOW_MOST = 1 << 31

# Baselines and extra bits of codes from 16 on (literals lengths) and 32 on (match lengths).
LITERALS_LENGTHS = [(code, 0) for code in range(16)] + [
    (16, 1), (18, 1), (20, 1), (22, 1), (24, 2), (28, 2), (32, 3), (40, 3), (48, 4), (64, 6),
    (128, 7), (256, 8), (512, 9), (1024, 10), (2048, 11), (4096, 12), (8192, 13), (16384, 14),
    (32768, 15), (65536, 16)]
MATCH_LENGTHS = [(code + 3, 0) for code in range(32)] + [
    (35, 1), (37, 1), (39, 1), (41, 1), (43, 2), (47, 2), (51, 3), (59, 3), (67, 4), (83, 4),
    (99, 5), (131, 7), (259, 8), (515, 9), (1027, 10), (2051, 11), (4099, 12), (8195, 13),
    (16387, 14), (32771, 15), (65539, 16)]

# Section 3.1.1.3.2.2: accuracy and the distribution where a block brings none of its own.
PREDEFINED = {
    "literals lengths": (6, [4, 3] + [2] * 11 + [1] * 3 + [2] * 9 + [3, 2] + [1] * 5 + [-1] * 4),
    "offsets": (5, [1] * 6 + [2] * 3 + [1] * 15 + [-1] * 5),
    "match lengths": (6, [1, 4, 3] + [2] * 6 + [1] * 37 + [-1] * 7),
}
# Most accuracy and the last code.
LIMITS = {"literals lengths": (9, 35), "offsets": (8, 31), "match lengths": (9, 52)}

seen = collections.Counter()


class Corrupt(Exception):
    """Not a frame as the RFC has them; the text says why."""


class Bytes:
    """Reads forward."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def left(self):
        return len(self.data) - self.at

    def take(self, count):
        if count > self.left():
            raise Corrupt("ends after %d bytes" % len(self.data))
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, count):
        return int.from_bytes(self.take(count), "little")


class Backwards:
    """A bit stream that is read from its end, where its last one bit marks the beginning."""

    # So that reading a little beyond the beginning finds zeros.
    PADDING = 16

    def __init__(self, data):
        if not data or not data[-1]:
            raise Corrupt("a bit stream without a beginning")
        self.data = bytes(self.PADDING) + bytes(data)
        self.start = 8 * self.PADDING
        self.at = 8 * len(self.data) - 8 + data[-1].bit_length() - 1

    def peek(self, count):
        at = self.at - count
        if at < 0:
            raise Corrupt("a bit stream ends too early")
        first = at >> 3
        return (int.from_bytes(self.data[first : first + 8], "little") >> (at & 7)) & (
            (1 << count) - 1)

    def bits(self, count):
        value = self.peek(count)
        self.at -= count
        return value

    def overrun(self):
        return self.at < self.start

    def finish(self):
        if self.at != self.start:
            raise Corrupt("a bit stream is not used up exactly")


def read_distribution(data, accuracy_most, symbol_most):
    """Section 4.1.1: an FSE table's accuracy and probabilities, from a Bytes."""
    number = int.from_bytes(data.data[data.at : data.at + 512], "little")
    at = 4
    accuracy = (number & 15) + 5
    if accuracy > accuracy_most:
        raise Corrupt("accuracy %d" % accuracy)
    remaining, probabilities = 1 << accuracy, []
    while remaining > 0:
        if len(probabilities) > symbol_most:
            raise Corrupt("a distribution of too many symbols")
        bits = (remaining + 1).bit_length()
        value = (number >> at) & ((1 << bits) - 1)
        low = value & ((1 << (bits - 1)) - 1)
        threshold = (1 << bits) - 1 - (remaining + 1)
        if low < threshold:
            value, bits = low, bits - 1
        elif value >= 1 << (bits - 1):
            value -= threshold
        at += bits
        probabilities.append(value - 1)
        remaining -= abs(value - 1)
        while value == 1:
            repeat = (number >> at) & 3
            at += 2
            probabilities += [0] * repeat
            if repeat < 3:
                break
    if remaining < 0 or len(probabilities) > symbol_most + 1:
        raise Corrupt("a distribution that does not add up")
    data.take((at + 7) // 8)
    return accuracy, probabilities


def build_fse(accuracy, probabilities):
    """Section 4.1.1: for each state its symbol, the bits to read and what to add to them."""
    size = 1 << accuracy
    symbols, after, high = [None] * size, {}, size
    for symbol, probability in enumerate(probabilities):
        if probability == -1:
            high -= 1
            symbols[high] = symbol
            after[symbol] = 1
    at, step = 0, (size >> 1) + (size >> 3) + 3
    for symbol, probability in enumerate(probabilities):
        if probability <= 0:
            continue
        after[symbol] = probability
        for _ in range(probability):
            symbols[at] = symbol
            at = (at + step) % size
            while at >= high:
                at = (at + step) % size
    if at != 0:
        raise Corrupt("a distribution that does not fill its table")
    table = []
    for symbol in symbols:
        state = after[symbol]
        after[symbol] += 1
        bits = accuracy + 1 - state.bit_length()
        table.append((symbol, bits, (state << bits) - size))
    return accuracy, table


class State:
    """Where in an FSE table decoding is."""

    def __init__(self, fse, stream):
        self.table = fse[1]
        self.stream = stream
        self.state = stream.bits(fse[0])

    def symbol(self):
        return self.table[self.state][0]

    def step(self):
        _, bits, base = self.table[self.state]
        self.state = base + self.stream.bits(bits)


def read_weights(data):
    """Section 4.2.1: the weights of a Huffman tree but for the last."""
    header = data.number(1)
    if header >= 128:
        seen["tree: direct weights"] += 1
        count = header - 127
        packed = data.take((count + 1) // 2)
        return [packed[i // 2] >> (0 if i & 1 else 4) & 15 for i in range(count)]
    seen["tree: compressed weights"] += 1
    inner = Bytes(data.take(header))
    fse = build_fse(*read_distribution(inner, 6, 255))
    stream = Backwards(inner.take(inner.left()))
    states, weights = [State(fse, stream), State(fse, stream)], []
    while True:
        weights.append(states[0].symbol())
        states[0].step()
        if stream.overrun():
            weights.append(states[1].symbol())
            return weights
        states.reverse()
        if len(weights) > 254:
            raise Corrupt("more weights than symbols")


def build_huffman(weights):
    """Longest code and, for each number of so many bits, the symbol and its code's length."""
    total = sum(1 << (weight - 1) for weight in weights if weight)
    if not total or max(weights) > 11:
        raise Corrupt("impossible weights")
    longest = total.bit_length()
    rest = (1 << longest) - total
    if rest & (rest - 1) or longest > 11:
        raise Corrupt("weights that leave no power of two")
    weights = weights + [rest.bit_length()]
    if sum(weight == 1 for weight in weights) < 2:
        raise Corrupt("a tree without two longest codes")
    table = []
    for wanted in range(1, longest + 1):
        for symbol, weight in enumerate(weights):
            if weight == wanted:
                table += [(symbol, longest + 1 - weight)] * (1 << (weight - 1))
    return longest, table


def huffman_stream(data, count, tree):
    longest, table = tree
    stream = Backwards(data)
    source, at, mask, out = stream.data, stream.at, (1 << longest) - 1, bytearray()
    for _ in range(count):
        below = at - longest
        first = below >> 3
        if first < 0:
            raise Corrupt("a stream of literals ends too early")
        symbol, bits = table[
            (int.from_bytes(source[first : first + 3], "little") >> (below & 7)) & mask]
        out.append(symbol)
        at -= bits
    stream.at = at
    stream.finish()
    return out


def xxh64(data):
    """The checksum of a frame's content, seed 0."""
    p1, p2, p3, p4, p5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9,
                          0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
    mask = (1 << 64) - 1

    def rotate(value, bits):
        return ((value << bits) | (value >> (64 - bits))) & mask

    def step(lane, word):
        return rotate((lane + word * p2) & mask, 31) * p1 & mask

    at, size = 0, len(data)
    if size >= 32:
        lanes = [(p1 + p2) & mask, p2, 0, -p1 & mask]
        while size - at >= 32:
            words = struct.unpack_from("<4Q", data, at)
            lanes = [step(lane, word) for lane, word in zip(lanes, words)]
            at += 32
        value = sum(rotate(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) & mask
        for lane in lanes:
            value = ((value ^ step(0, lane)) * p1 + p4) & mask
    else:
        value = p5
    value = (value + size) & mask
    for _ in range((size - at) // 8):
        value = (rotate(value ^ step(0, struct.unpack_from("<Q", data, at)[0]), 27) * p1 + p4) & mask
        at += 8
    if size - at >= 4:
        value = (rotate(value ^ struct.unpack_from("<I", data, at)[0] * p1 & mask, 23) * p2
                 + p3) & mask
        at += 4
    for byte in data[at:]:
        value = rotate(value ^ byte * p5 & mask, 11) * p1 & mask
    value = (value ^ value >> 33) * p2 & mask
    value = (value ^ value >> 29) * p3 & mask
    return value ^ value >> 32


class Frame:
    """One frame: what its blocks hand on to later ones, and its content so far."""

    def __init__(self, data):
        self.data = data
        self.out = bytearray()
        self.tree = None
        self.tables = {name: None for name in PREDEFINED}
        self.offsets = [1, 4, 8]
        self.read_header()
        last = False
        while not last:
            last = self.read_block()
        if self.content_size is not None and self.content_size != len(self.out):
            raise Corrupt("content of %d bytes, not %d" % (len(self.out), self.content_size))
        if self.checksum:
            seen["frame: checksum"] += 1
            if data.number(4) != xxh64(self.out) & 0xFFFFFFFF:
                raise Corrupt("the checksum of the content is wrong")

    def read_header(self):
        descriptor = self.data.number(1)
        if descriptor & 8:
            raise Corrupt("a reserved bit")
        single = descriptor >> 5 & 1
        self.checksum = descriptor >> 2 & 1
        if not single:
            seen["frame: window"] += 1
            window = self.data.number(1)
            base = 1 << (10 + (window >> 3))
            self.window = base + (base >> 3) * (window & 7)
        if self.data.number((0, 1, 2, 4)[descriptor & 3]):
            raise Corrupt("a dictionary that is not here")
        size_bytes = (single, 2, 4, 8)[descriptor >> 6]
        self.content_size = None
        if size_bytes:
            seen["frame: content size of %d bytes" % size_bytes] += 1
            self.content_size = self.data.number(size_bytes) + (256 if size_bytes == 2 else 0)
        if single:
            seen["frame: single segment"] += 1
            self.window = self.content_size
        if self.window > WINDOW_MOST:
            raise Corrupt("a window of %d bytes" % self.window)

    def read_block(self):
        header = self.data.number(3)
        kind, size, most = header >> 1 & 3, header >> 3, min(self.window, BLOCK_MOST)
        before = len(self.out)
        if kind == 0:
            seen["block: raw"] += 1
            self.out += self.data.take(size)
        elif kind == 1:
            seen["block: repeated byte"] += 1
            if size > most:
                raise Corrupt("a block of %d bytes" % size)
            self.out += self.data.take(1) * size
        elif kind == 2:
            seen["block: compressed"] += 1
            self.read_compressed(Bytes(self.data.take(size)))
        else:
            raise Corrupt("a block of the reserved kind")
        if len(self.out) - before > most:
            raise Corrupt("a block of %d bytes" % (len(self.out) - before))
        return header & 1

    def read_compressed(self, block):
        literals = self.read_literals(block)
        count = block.number(1)
        if count >= 255:
            seen["sequences: count in 3 bytes"] += 1
            count = block.number(2) + 0x7F00
        elif count >= 128:
            seen["sequences: count in 2 bytes"] += 1
            count = (count - 128 << 8) + block.number(1)
        if not count:
            seen["sequences: none"] += 1
            if block.left():
                raise Corrupt("bytes behind the literals")
            self.out += literals
            return
        modes = block.number(1)
        if modes & 3:
            raise Corrupt("reserved bits of modes")
        for shift, name in ((6, "literals lengths"), (4, "offsets"), (2, "match lengths")):
            self.tables[name] = self.read_table(block, modes >> shift & 3, name)
        self.run_sequences(Backwards(block.take(block.left())), count, literals)

    def read_literals(self, block):
        first = block.number(1)
        block.at -= 1
        kind, form = first & 3, first >> 2 & 3
        if kind < 2:
            size = (block.number(2) >> 4 if form == 1 else
                    block.number(3) >> 4 if form == 3 else block.number(1) >> 3)
            seen["literals: " + ("repeated byte" if kind else "raw")] += 1
            if size > BLOCK_MOST:
                raise Corrupt("%d literals" % size)
            return block.take(1) * size if kind else block.take(size)
        bits = (10, 10, 14, 18)[form]
        header = block.number((3, 3, 4, 5)[form]) >> 4
        size, stored = header & (1 << bits) - 1, header >> bits
        seen["literals: %s, %s" % ("treeless" if kind == 3 else "with tree",
                                   "4 streams" if form else "1 stream")] += 1
        if size > BLOCK_MOST:
            raise Corrupt("%d literals" % size)
        data = Bytes(block.take(stored))
        if kind == 2:
            self.tree = build_huffman(read_weights(data))
        if not self.tree:
            raise Corrupt("literals without a tree")
        if not form:
            return huffman_stream(data.take(data.left()), size, self.tree)
        sizes = [data.number(2) for _ in range(3)]
        each = (size + 3) // 4
        if 3 * each > size:
            raise Corrupt("too few literals for four streams")
        counts = [each] * 3 + [size - 3 * each]
        return b"".join(
            huffman_stream(data.take(sizes[i] if i < 3 else data.left()), counts[i], self.tree)
            for i in range(4))

    def read_table(self, block, mode, name):
        accuracy_most, last_code = LIMITS[name]
        seen["%s: %s" % (name, ("predefined", "one code", "own table", "repeated")[mode])] += 1
        if mode == 0:
            return build_fse(*PREDEFINED[name])
        if mode == 1:
            code = block.number(1)
            if code > last_code:
                raise Corrupt("code %d of %s" % (code, name))
            return 0, [(code, 0, 0)]
        if mode == 2:
            return build_fse(*read_distribution(block, accuracy_most, last_code))
        if not self.tables[name]:
            raise Corrupt("a table of %s is repeated before there is one" % name)
        return self.tables[name]

    def run_sequences(self, stream, count, literals):
        lengths, offsets, matches = (State(self.tables[name], stream) for name in (
            "literals lengths", "offsets", "match lengths"))
        used = 0
        for left in range(count - 1, -1, -1):
            code = offsets.symbol()
            offset = (1 << code) + stream.bits(code)
            base, bits = MATCH_LENGTHS[matches.symbol()]
            match = base + stream.bits(bits)
            base, bits = LITERALS_LENGTHS[lengths.symbol()]
            length = base + stream.bits(bits)
            if left:
                lengths.step()
                matches.step()
                offsets.step()
            if length > len(literals) - used:
                raise Corrupt("a sequence of more literals than there are")
            self.out += literals[used : used + length]
            used += length
            self.copy(self.resolve(offset, length), match)
        stream.finish()
        self.out += literals[used:]

    def resolve(self, value, literals_length):
        """Section 3.1.1.5: what an offset value means, given the last three offsets."""
        last = self.offsets
        if value > 3:
            offset, kept = value - 3, last[:2]
        else:
            seen["offset: repeated"] += 1
            index = value - 1 + (literals_length == 0)
            offset = last[index] if index < 3 else last[0] - 1
            kept = last[1:] if index == 0 else [last[0]] + ([last[2]] if index == 1 else [last[1]])
        self.offsets = [offset] + kept
        return offset

    def copy(self, offset, length):
        if not 0 < offset <= min(len(self.out), self.window):
            raise Corrupt("an offset of %d bytes" % offset)
        source = len(self.out) - offset
        if offset >= length:
            self.out += self.out[source : source + length]
        else:
            self.out += (self.out[source:] * (length // offset + 1))[:length]


def decode(data):
    """The content of all frames in DATA; raises Corrupt."""
    source, out = Bytes(data), bytearray()
    while source.left():
        magic = source.number(4)
        if magic == FRAME_MAGIC:
            out += Frame(source).out
        elif magic & ~15 == SKIPPABLE_MAGIC:
            seen["frame: skippable"] += 1
            source.take(source.number(4))
        else:
            raise Corrupt("no frame begins with %#x" % magic)
    return bytes(out)
