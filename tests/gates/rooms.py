"""The house is as its tables say: who includes whom, one header for each room, no cycle.

    python3 rooms.py          TAP
    python3 rooms.py --graph  what each room includes in fact

libprof/rooms.txt and utils/rooms.txt have a line for each room of a floor, FOLDERS below has one
for each folder outside of them: what it may use.
"""

import os
import re
import sys
import tempfile

# Folders, and what they may use.  A floor's own tables say more of each room.
FOLDERS = {
    "arch": "",
    "common": "",
    "compress": "common",
    "detect": "arch",
    "assemble": "common",
    "libprof": "arch common compress detect assemble",
    "utils": "common compress assemble page",
}
FLOORS = ("libprof", "utils")
SOURCES = (".c", ".h", ".def")
FILES_MOST = 45
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
ROW = re.compile(r"(\w+)((?: \[[^\]]+\])?):(.*)")


def sources(folder):
    return sorted(name for name in os.listdir(folder) if name.endswith(SOURCES))


def includes(path):
    with open(path, encoding="utf-8") as file:
        return INCLUDE.findall(file.read())


def read_table(path):
    """Of each room what it may use and which headers beside ROOM/ROOM.h it offers."""
    rooms, offers = {}, {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            if not line.strip() or line.startswith("#"):
                continue
            name, more, used = ROW.fullmatch(line.strip()).groups()
            rooms[name] = used.split()
            offers[name] = more.strip(" []").split()
    return rooms, offers


def find_cycle(rooms):
    """Rooms that use each other in a circle, [] if none do."""
    done, path = set(), []

    def visit(room):
        if room in path:
            return path[path.index(room):] + [room]
        if room in done or room not in rooms:
            return []
        path.append(room)
        for used in rooms[room]:
            cycle = visit(used)
            if cycle:
                return cycle
        path.pop()
        done.add(room)
        return []

    for room in rooms:
        cycle = visit(room)
        if cycle:
            return cycle
    return []


def check_include(floor, room, included, rooms, offers):
    """What is wrong with a file of ROOM including INCLUDED; None if nothing is."""
    folder = included.split("/")[0] if "/" in included else None
    if folder is None:
        return None if included in OUTSIDE else "is not included by its folder's name"
    if folder == room:
        return None
    if folder not in rooms[room]:
        return f"{room} may not use {folder}"
    if folder in rooms and included != f"{folder}/{folder}.h" and included not in offers[folder]:
        return f"only {folder}/{folder}.h is for other rooms"
    if folder == "arch" and included != "arch/arch.h":
        return "only arch/arch.h is for others"
    return None


# Headers of programs, and what is made by the build.
OUTSIDE = {"tsprof.h", "config.h"}


def check_floor(top, floor):
    """What a floor does that its table does not allow."""
    rooms, offers = read_table(os.path.join(top, floor, "rooms.txt"))
    wrong = []
    folders = {name for name in os.listdir(os.path.join(top, floor))
               if os.path.isdir(os.path.join(top, floor, name))
               and sources(os.path.join(top, floor, name))}
    wrong += [f"{floor}/{name} is not in rooms.txt" for name in sorted(folders - set(rooms))]
    wrong += [f"{floor}/{name} is in rooms.txt and not there"
              for name in sorted(set(rooms) - folders)]
    wrong += [f"{floor}/{name} lies in no room" for name in sources(os.path.join(top, floor))]
    for room in sorted(folders & set(rooms)):
        folder = os.path.join(top, floor, room)
        for name in sources(folder):
            for included in includes(os.path.join(folder, name)):
                complaint = check_include(floor, room, included, rooms, offers)
                if complaint:
                    wrong.append(f"{floor}/{room}/{name} includes {included}: {complaint}")
    return wrong


def check_rows_needed(top, floor):
    """No row allows what no file needs: the table is the graph."""
    rooms, _ = read_table(os.path.join(top, floor, "rooms.txt"))
    wrong = []
    for room, allowed in rooms.items():
        folder = os.path.join(top, floor, room)
        used = {included.split("/")[0] for name in sources(folder)
                for included in includes(os.path.join(folder, name))}
        wrong += [f"{floor}/{room} may use {other} and does not" for other in allowed
                  if other not in used]
    return wrong


def check_rooms_alike(top, floor):
    """Each room has its header and its list of files, which has all of them."""
    rooms, _ = read_table(os.path.join(top, floor, "rooms.txt"))
    wrong = []
    for room in rooms:
        folder = os.path.join(top, floor, room)
        names = sources(folder)
        if f"{room}.h" not in names:
            wrong.append(f"{floor}/{room} has no {room}.h")
        if len(names) > FILES_MOST:
            wrong.append(f"{floor}/{room} has {len(names)} files")
        try:
            with open(os.path.join(folder, "files.mk"), encoding="utf-8") as file:
                listed = file.read()
        except FileNotFoundError:
            wrong.append(f"{floor}/{room} has no files.mk")
            continue
        with open(os.path.join(top, floor, "Makefile.am"), encoding="utf-8") as file:
            listed += file.read()
        wrong += [f"{floor}/{room}/{name} is in no list of files" for name in names
                  if f"/{name}" not in listed]
    return wrong


def check_cycles(top):
    wrong = []
    tables = [("the folders", {name: used.split() for name, used in FOLDERS.items()})]
    tables += [(floor, read_table(os.path.join(top, floor, "rooms.txt"))[0]) for floor in FLOORS]
    for name, rooms in tables:
        cycle = find_cycle(rooms)
        if cycle:
            wrong.append(f"{name}: {' -> '.join(cycle)}")
    return wrong


def check_folders(top):
    """Folders outside of the floors, and the floors among themselves."""
    wrong = []
    for folder, used in FOLDERS.items():
        allowed = set(used.split()) | {folder}
        if folder in FLOORS:
            rooms, _ = read_table(os.path.join(top, folder, "rooms.txt"))
            for room, inner in rooms.items():
                wrong += [f"{folder}/{room} may use {other}, {folder} may not" for other in inner
                          if other not in rooms and other not in allowed]
            continue
        for directory, _, names in os.walk(os.path.join(top, folder)):
            for name in sorted(name for name in names if name.endswith(SOURCES)):
                for included in includes(os.path.join(directory, name)):
                    if included.split("/")[0] not in allowed:
                        wrong.append(f"{folder}/{name} includes {included}")
                    if folder != "arch" and included.startswith("arch/x86"):
                        wrong.append(f"{folder}/{name} knows the processor: {included}")
    return wrong


def write(top, path, text):
    path = os.path.join(top, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def made_up_tree(top):
    """A floor in which everything is wrong that can be."""
    write(top, "libprof/rooms.txt", "# table\nlow:\nhigh [high/also.h]: low\nround: high round2\n"
                                    "round2: round\nempty: low\n")
    write(top, "libprof/Makefile.am", "")
    write(top, "libprof/stray.c", "")
    write(top, "libprof/low/low.h", '#include "high/high.h"\n')
    write(top, "libprof/low/files.mk", "%D%/low.h\n")
    write(top, "libprof/high/high.h", '#include "low/low.h"\n#include "low/inner.h"\n')
    write(top, "libprof/high/also.h", "")
    write(top, "libprof/high/plain.c", '#include "high.h"\n')
    write(top, "libprof/round/round.h", '#include "high/also.h"\n')
    write(top, "libprof/round2/round2.c", "")
    write(top, "libprof/unknown/unknown.h", "")


def notices_what_is_wrong():
    """The complaints about a made-up tree are those that it is made for."""
    with tempfile.TemporaryDirectory() as top:
        made_up_tree(top)
        found = check_floor(top, "libprof") + check_rooms_alike_but_missing(top)
        rooms, _ = read_table(os.path.join(top, "libprof/rooms.txt"))
        wanted = ["libprof/unknown is not in rooms.txt", "libprof/empty is in rooms.txt and not",
                  "libprof/stray.c lies in no room", "low may not use high",
                  "only low/low.h is for other rooms", "by its folder's name",
                  "libprof/round2 has no round2.h", "libprof/high has no files.mk"]
        complaints = "\n".join(found)
        return (all(text in complaints for text in wanted) and "also.h" not in complaints
                and sorted(set(find_cycle(rooms))) == ["round", "round2"])


def check_rooms_alike_but_missing(top):
    """The same for a tree whose table has rooms that are not there."""
    os.makedirs(os.path.join(top, "libprof/empty"))
    return check_rooms_alike(top, "libprof")


def print_graph(top):
    for floor in FLOORS:
        rooms, _ = read_table(os.path.join(top, floor, "rooms.txt"))
        for room in rooms:
            folder = os.path.join(top, floor, room)
            used = {included.split("/")[0] for name in sources(folder)
                    for included in includes(os.path.join(folder, name)) if "/" in included}
            print(f"{floor}/{room}: {' '.join(sorted(used - {room}))}")


def report(number, name, wrong):
    print(f"{'not ok' if wrong else 'ok'} {number} - {name}")
    for line in wrong:
        print(f"# {line}")


def main():
    top = os.environ["TOP_SRCDIR"]
    if "--graph" in sys.argv:
        print_graph(top)
        return
    checks = [("this test notices what is wrong",
               [] if notices_what_is_wrong() else ["it does not"]),
              ("no cycle between rooms", check_cycles(top)),
              ("folders use what they may", check_folders(top))]
    for floor in FLOORS:
        checks.append((f"{floor}: rooms use what they may", check_floor(top, floor)))
        checks.append((f"{floor}: no row allows more than is used", check_rows_needed(top, floor)))
        checks.append((f"{floor}: each room has its header and its list",
                       check_rooms_alike(top, floor)))
    print(f"1..{len(checks)}")
    for number, (name, wrong) in enumerate(checks, 1):
        report(number, name, wrong)


main()
