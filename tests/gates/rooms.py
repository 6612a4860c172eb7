"""Every file includes only what its room may use.

    python3 rooms.py

floors.txt beside this file says what the top-level folders may use; FLOOR/rooms.txt, where there
is one, what the rooms of a floor may.  A row of a table is

    NAME [HEADER...]: NAME...

in which names after the colon are of rooms, or of folders below the floor.  Of another room files
include ROOM/ROOM.h, and the headers in brackets; of a folder below any header, or those in
brackets if there are brackets.
"""

import collections
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap_report  # pylint: disable=wrong-import-position

HERE = os.path.dirname(os.path.abspath(__file__))
FLOORS = "floors.txt"
ROOMS = "rooms.txt"
ENDINGS = (".c", ".h", ".cc", ".def", ".inc")
FILES_MOST = 45

ROW = re.compile(r"(\w+)\s*(?:\[([^]]*)\])?\s*:\s*((?:\w+\s*)*)$")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<]?)([^">\n]+)[">]?', re.M)
# In a .c file, what belongs into a header.
EXTERN = re.compile(r"^extern [^;{]*;", re.M)

# The C library has no header for it; and the page is made by the assembler.
DECLARED = ("extern char **environ;", "extern const char tsprof_page[], tsprof_page_end[];")

Row = collections.namedtuple("Row", "headers uses")


class Table:
    """What may use what.  Notes which of it is made use of."""

    def __init__(self, path):
        self.path, self.rows, self.problems, self.used = path, {}, [], set()
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                text = line.partition("#")[0].strip()
                if text:
                    self.add(f"{path}:{number}", ROW.match(text))
        self.problems += [f"{path}: {name} may use {use}, which has no row"
                          for name, row in self.rows.items()
                          for use in row.uses if use not in self.known()]

    def known(self):
        return self.rows

    def add(self, place, row):
        if not row:
            self.problems.append(f"{place}: not a row like NAME [HEADER]: NAME NAME")
        elif row[1] in self.rows:
            self.problems.append(f"{place}: {row[1]} has a row already")
        else:
            self.rows[row[1]] = Row((row[2] or "").split(), row[3].split())

    def may_use(self, user, used):
        self.used.add((user, used))
        return user in self.rows and used in self.rows[user].uses

    def unused(self):
        return [f"{self.path}: {name} may use {use}, and does not"
                for name, row in self.rows.items()
                for use in row.uses if (name, use) not in self.used]

    def cycles(self):
        """A cycle that each row which is in one begins; one for each set of rows."""
        found = {}
        for name in self.rows:
            way = self.way_back(name)
            if way:
                found.setdefault(frozenset(way), way)
        return [f"{self.path}: a cycle: {' -> '.join(way)}" for way in found.values()]

    def way_back(self, name):
        ways, seen = [[name]], set()
        for way in ways:
            for use in self.rows[way[-1]].uses if way[-1] in self.rows else ():
                if use == name:
                    return way + [name]
                if use not in seen:
                    seen.add(use)
                    ways.append(way + [use])
        return None


class RoomTable(Table):
    """Of the rooms of one floor, which may also use the folders below it."""

    def __init__(self, path, folders):
        self.folders = folders
        super().__init__(path)

    def known(self):
        return self.rows.keys() | self.folders


class House:
    """A source tree below TOP, with the table of its floors."""

    def __init__(self, top, floors):
        self.top = top
        self.floors = Table(floors)
        self.problems = list(self.floors.problems)
        self.rooms = {}
        for floor in self.floors.rows:
            path = os.path.join(top, floor, ROOMS)
            if os.path.exists(path):
                self.rooms[floor] = RoomTable(path, self.floors.rows.keys())
                self.problems += self.rooms[floor].problems

    def inspect(self):
        for floor in self.floors.rows:
            self.inspect_floor(floor)
        for table in [self.floors, *self.rooms.values()]:
            self.problems += table.cycles() + table.unused()
        return self.problems

    def inspect_floor(self, floor):
        place = os.path.join(self.top, floor)
        if not os.path.isdir(place):
            self.problems.append(f"{self.floors.path}: there is no folder {floor}")
        for directory, inner, names in os.walk(place):
            inner[:] = sorted(name for name in inner if not name.startswith("."))
            sources = sorted(name for name in names if name.endswith(ENDINGS))
            folder = os.path.relpath(directory, self.top)
            if len(sources) > FILES_MOST:
                self.problems.append(f"{folder}: {len(sources)} source files, {FILES_MOST} at most")
            for name in sources:
                self.inspect_file(floor, f"{folder}/{name}")
        if floor in self.rooms:
            self.inspect_rooms(floor)

    def inspect_rooms(self, floor):
        rows = self.rooms[floor].rows
        inside = os.path.join(self.top, floor)
        folders = set(name for name in os.listdir(inside)
                      if not name.startswith((".", "_"))
                      and any(file.endswith(ENDINGS) for file in files_below(inside, name)))
        for name in sorted(folders - rows.keys()):
            self.problems.append(f"{floor}/{name}: no row in {floor}/{ROOMS}")
        for name in sorted(rows):
            for file in (f"{name}/{name}.h", f"{name}/files.mk"):
                if not os.path.exists(os.path.join(inside, file)):
                    self.problems.append(f"{floor}/{name}: there is no {file}")

    def inspect_file(self, floor, path):
        room = path.split("/")[1] if path.count("/") > 1 else None
        if floor in self.rooms and not room:
            self.problems.append(f"{path}: is in no room")
        with open(os.path.join(self.top, path), encoding="utf-8") as file:
            text = file.read()
        for quote, header in INCLUDE.findall(text):
            wrong = self.wrong_with(floor, room, path, header, quote)
            if wrong:
                self.problems.append(f"{path}: includes {header}, {wrong}")
        if path.endswith(".c"):
            self.problems += [f"{path}: declares for itself what a header should: {line}"
                              for line in EXTERN.findall(text) if line not in DECLARED]

    def wrong_with(self, floor, room, path, header, quote):
        if not quote:
            return "which only the preprocessor knows"
        there = self.find(floor, path, header, quote)
        if there is None:
            return None if quote == "<" else "which is nowhere"
        if there[0] != floor:
            return self.wrong_floor(floor, room, there[0], header)
        if floor in self.rooms and there[1] != room:
            return self.wrong_room(self.rooms[floor], room, there[1], header)
        return None

    def find(self, floor, path, header, quote):
        """The floor and the room in which the compiler finds HEADER; None: not in this tree."""
        places = [(floor,), (), ("include",)]
        if quote == '"':
            places = [tuple(path.split("/")[:-1]), *places]
        for place in places:
            found = os.path.normpath("/".join((*place, header))).split("/")
            if found[0] in self.floors.rows and os.path.isfile(os.path.join(self.top, *found)):
                return found[0], found[1] if len(found) > 2 else None
        return None

    def wrong_floor(self, floor, room, other, header):
        if not self.floors.may_use(floor, other):
            return f"but {floor} may not use {other}"
        if floor in self.rooms and not self.rooms[floor].may_use(room, other):
            return f"but {floor}/{room} may not use {other}"
        headers = self.floors.rows[other].headers
        if headers and header not in headers:
            return f"of {other} others include {' '.join(headers)}"
        return None

    @staticmethod
    def wrong_room(table, room, other, header):
        if not table.may_use(room, other):
            return f"but {room} may not use {other}"
        headers = [f"{other}/{other}.h"]
        if other in table.rows:
            headers += table.rows[other].headers
        return None if header in headers else f"of {other} others include {' '.join(headers)}"


def files_below(*place):
    return [name for _, _, names in os.walk(os.path.join(*place)) for name in names]


# Made-up trees

SOUND = {
    "floors.txt": "# a comment\ninclude:\narch [arch/arch.h]:\ncommon:\n"
                  "libprof: include arch common\n",
    "include/tsprof.h": "",
    "arch/arch.h": '#include "arch/x86/ticks.h"\n',
    "arch/x86/ticks.h": "",
    "common/codec.h": "",
    "common/codec.c": '#include "codec.h"\n#include <string.h>\n',
    "libprof/Makefile.am": "",
    "libprof/rooms.txt": "host: arch\ntree [tree/kinds.def]: common host\n"
                         "save: include host tree\n",
    "libprof/host/files.mk": "",
    "libprof/host/host.h": '#include "host/arena.h"\n',
    "libprof/host/arena.h": '#include "arch/arch.h"\n',
    "libprof/tree/files.mk": "",
    "libprof/tree/tree.h": '#include "host/host.h"\n#include "common/codec.h"\n',
    "libprof/tree/kinds.def": "",
    "libprof/save/files.mk": "",
    "libprof/save/save.h": "",
    "libprof/save/part.c": '#include "save/save.h"\n#include "host/host.h"\n'
                           '#include "tree/kinds.def"\n#include <tsprof.h>\n',
}

# What is wrong, how it is made from the sound tree, and a part of the one complaint.
BROKEN = (
    ("another room's inner header", {"libprof/save/save.h": '#include "host/arena.h"\n'},
     "of host others include host/host.h"),
    ("a room that is not in the row", {"libprof/host/arena.c": '#include "save/save.h"\n'},
     "but host may not use save"),
    ("a folder that is not in the room's row",
     {"libprof/save/save.h": '# include "common/codec.h"\n'},
     "but libprof/save may not use common"),
    ("a folder that is not in the floor's row", {"common/codec.c": '#include "arch/arch.h"\n'},
     "but common may not use arch"),
    ("a floor above", {"common/codec.c": '#include "libprof/host/host.h"\n'},
     "but common may not use libprof"),
    ("an inner header of a folder below",
     {"libprof/host/arena.h": '#include "arch/x86/ticks.h"\n#include "arch/arch.h"\n'},
     "of arch others include arch/arch.h"),
    ("a way around by dots", {"libprof/save/save.h": '#include "../host/arena.h"\n'},
     "of host others include host/host.h"),
    ("another room's inner header in angle brackets",
     {"libprof/save/save.h": "#include <host/arena.h>\n"}, "of host others include host/host.h"),
    ("a header that the preprocessor names",
     {"libprof/save/save.h": "#define H <x.h>\n#include H\n"}, "only the preprocessor knows"),
    ("a declaration where a header is wanted",
     {"libprof/save/save.c": "extern int arena_count;\n"}, "declares for itself"),
    ("a header that is not there", {"libprof/save/save.h": '#include "save/gone.h"\n'},
     "save/gone.h, which is nowhere"),
    ("a cycle of two", {"libprof/rooms.txt": "host: arch tree\ntree [tree/kinds.def]: common host\n"
                                             "save: include host tree\n",
                        "libprof/host/arena.h": '#include "arch/arch.h"\n#include "tree/tree.h"\n'},
     "a cycle: host -> tree -> host"),
    ("a cycle of floors", {"floors.txt": "include:\narch [arch/arch.h]: common\ncommon: arch\n"
                                         "libprof: include arch common\n",
                           "common/codec.c": '#include "arch/arch.h"\n',
                           "arch/arch.h": '#include "common/codec.h"\n'},
     "a cycle: arch -> common -> arch"),
    ("a permission that nobody needs",
     {"libprof/rooms.txt": "host: arch common\ntree [tree/kinds.def]: common host\n"
                           "save: include host tree\n"},
     "host may use common, and does not"),
    ("a room that does not exist",
     {"libprof/rooms.txt": "host: arch\ntree [tree/kinds.def]: common host\n"
                           "save: include host tree attic\n",
      "libprof/save/save.h": ""}, "save may use attic, which has no row"),
    ("two rows for one room",
     {"libprof/rooms.txt": "host: arch\ntree [tree/kinds.def]: common host\nhost: arch\n"
                           "save: include host tree\n"}, "host has a row already"),
    ("a row that is none", {"libprof/rooms.txt": "host: arch\ntree [tree/kinds.def]: common host\n"
                                                 "save: include host tree\nattic\n"}, "not a row"),
    ("a room without a row", {"libprof/attic/attic.h": ""}, "libprof/attic: no row"),
    ("a room without its header", {"libprof/tree/tree.h": None,
                                   "libprof/tree/node.h": SOUND["libprof/tree/tree.h"]},
     "there is no tree/tree.h"),
    ("a room without its list of files", {"libprof/tree/files.mk": None}, "no tree/files.mk"),
    ("a file in no room", {"libprof/stray.c": ""}, "libprof/stray.c: is in no room"),
    ("too many files", {f"common/file{n}.c": "" for n in range(44)},
     "common: 46 source files, 45 at most"),
)


def build(top, tree):
    for path, content in tree.items():
        if content is not None:
            os.makedirs(os.path.dirname(os.path.join(top, path)), exist_ok=True)
            with open(os.path.join(top, path), "w", encoding="utf-8") as file:
                file.write(content)


def problems_of(changes):
    with tempfile.TemporaryDirectory() as top:
        build(top, {**SOUND, **changes})
        return House(top, os.path.join(top, FLOORS)).inspect()


def test_self(report):
    problems = problems_of({})
    report.check(not problems, "self-test: nothing is wrong with a sound tree", problems)
    for what, changes, complaint in BROKEN:
        problems = problems_of(changes)
        report.check(problems and any(complaint in problem for problem in problems),
                     f"self-test: {what}", problems or ["no complaint"])


def main():
    report = tap_report.Report()
    test_self(report)
    house = House(os.environ["TOP_SRCDIR"], os.path.join(HERE, FLOORS))
    problems = house.inspect()
    report.check(not problems, "every file includes only what its room may use, and rooms are "
                 "as their tables say", problems)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
