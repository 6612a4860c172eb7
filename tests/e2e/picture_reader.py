"""Reads what `tsprof plot` draws: an SVG's lines and areas as values, the pixels of images."""

import base64
import re
import struct
import xml.etree.ElementTree as ElementTree
import zlib

SVG = "{http://www.w3.org/2000/svg}"
HREF = "{http://www.w3.org/1999/xlink}href"


class Image:
    """The pixels of a PNG, as (red, green, blue), and its palette if it has one."""

    CHANNELS = {2: 3, 3: 1, 6: 4}

    def __init__(self, data):
        if data[:8] != b"\x89PNG\r\n\x1a\n":
            raise ValueError("is no PNG")
        self.palette, packed, at = None, b"", 8
        while at < len(data):
            size, kind = struct.unpack(">I4s", data[at:at + 8])
            body = data[at + 8:at + 8 + size]
            crc = struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0]
            if zlib.crc32(kind + body) != crc:
                raise ValueError("has a wrong checksum")
            if kind == b"IHDR":
                self.width, self.height, bits, self.color_type = struct.unpack(">IIBB", body[:10])
                if bits != 8 or body[12]:
                    raise ValueError("is of a kind that this reader does not know")
            elif kind == b"PLTE":
                self.palette = [tuple(body[i:i + 3]) for i in range(0, size, 3)]
            elif kind == b"IDAT":
                packed += body
            at += 12 + size
        self.rows = self._unfilter(zlib.decompress(packed))

    def _unfilter(self, data):
        channels = self.CHANNELS[self.color_type]
        line, rows, above = self.width * channels, [], None
        if len(data) != (line + 1) * self.height:
            raise ValueError("has too few pixels")
        for y in range(self.height):
            start = y * (line + 1)
            kind, row = data[start], bytearray(data[start + 1:start + 1 + line])
            above = above or bytes(line)
            if kind:
                for i in range(line):
                    left = row[i - channels] if i >= channels else 0
                    corner = above[i - channels] if i >= channels else 0
                    row[i] = (row[i] + predict(kind, left, above[i], corner)) & 0xFF
            above = bytes(row)
            rows.append(above)
        return rows

    def color(self, x, y):
        channels = self.CHANNELS[self.color_type]
        pixel = self.rows[y][x * channels:x * channels + channels]
        return self.palette[pixel[0]] if self.palette else tuple(pixel[:3])

    def index(self, x, y):
        """The number of a pixel's colour in the palette."""
        return self.rows[y][x]


def predict(kind, left, up, corner):
    if kind == 1:
        return left
    if kind == 2:
        return up
    if kind == 3:
        return (left + up) // 2
    estimate = left + up - corner
    return min((left, up, corner), key=lambda near: abs(estimate - near))


class Picture:
    """An SVG.  `across` and `up` turn places into what the axes have there."""

    def __init__(self, text):
        self.text = text
        self.root = ElementTree.fromstring(text)
        self.width, self.height = float(self.root.get("width")), float(self.root.get("height"))
        axes = self.group("axes")
        self.axes = None
        if axes is not None:
            self.axes = {name: [float(word) for word in axes.get("data-" + name).split()]
                         for name in ("x", "y", "across", "up")}

    def groups(self, name):
        return [g for g in self.root.iter(SVG + "g") if g.get("class") == name]

    def group(self, name):
        found = self.groups(name)
        return found[0] if found else None

    def texts(self):
        return ["".join(t.itertext()) for t in self.root.iter(SVG + "text")]

    def across(self, x):
        low, high = self.axes["x"]
        first, last = self.axes["across"]
        return first + (x - low) / (high - low) * (last - first)

    def up(self, y):
        low, high = self.axes["y"]
        first, last = self.axes["up"]
        return first + (y - low) / (high - low) * (last - first)

    def step(self):
        """How much of a value a hundredth of the unit of length is, with some room."""
        low, high = self.axes["y"]
        first, last = self.axes["up"]
        return 0.011 * abs((last - first) / (high - low))

    def points(self, group):
        """The points of the group's paths, one list for each part."""
        parts = []
        for path in group.iter(SVG + "path"):
            parts += path_points(path.get("d"))
        return parts

    def line(self, name):
        """The values of a line of steps: by the number at the middle of each step, or, where it
        is for several, by the first."""
        values = {}
        for part in self.points(self.group(name)):
            for (x, y), (next_x, next_y) in zip(part, part[1:]):
                if next_x > x:
                    if abs(next_y - y) > 1e-9:
                        raise ValueError("a step is not level")
                    add_steps(values, round(self.across(x) + 0.5), round(self.across(next_x) + 0.5),
                              self.up(y))
        return values

    def band(self, group):
        """The lower and the upper edge of an area of steps, likewise."""
        low, high = {}, {}
        for part in self.points(group):
            for (x, y), (next_x, next_y) in zip(part, part[1:]):
                if abs(next_x - x) > 1e-9 and abs(next_y - y) < 1e-9:
                    values = high if next_x > x else low
                    left, right = min(x, next_x), max(x, next_x)
                    add_steps(values, round(self.across(left) + 0.5),
                              round(self.across(right) + 0.5), self.up(y))
        return low, high

    def images(self, name):
        return [Image(base64.b64decode(image.get(HREF).split(",", 1)[1]))
                for image in self.group(name).iter(SVG + "image")]

    def places(self, name):
        """Where the group's images are: x, y, width, height."""
        return [[float(image.get(key)) for key in ("x", "y", "width", "height")]
                for image in self.group(name).iter(SVG + "image")]


def add_steps(values, first, end, value):
    for i in range(first, end):
        values[i] = value


def path_points(data):
    parts, x, y = [], 0.0, 0.0
    for command, numbers in re.findall(r"([MLHVZ])([-0-9. ]*)", data):
        values = [float(number) for number in numbers.split()]
        if command == "M":
            parts.append([])
        if command in "ML":
            x, y = values
        elif command == "H":
            x = values[0]
        elif command == "V":
            y = values[0]
        else:
            parts[-1].append(parts[-1][0])
            continue
        parts[-1].append((x, y))
    return parts
