"""Every header has an include guard of its own: of two headers with the same one, whichever a file
includes second is silently empty.

    python3 guards.py
"""

import collections
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap_report  # pylint: disable=wrong-import-position

COMMENTS = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
GUARD = re.compile(r"\s*#[ \t]*ifndef[ \t]+(\w+)[ \t]*\n\s*#[ \t]*define[ \t]+(\w+)[ \t]*\n")

# Headers that take each other's place, so that no file includes two of them: the first part of
# their paths counts as the second.
ALTERNATIVES = (("arch/x86_64/", "arch/*/"), ("arch/aarch64/", "arch/*/"),
                ("tests/programs/no_markers/tsprof.h", "include/tsprof.h"))


def headers_below(top):
    found = []
    for directory, inner, names in os.walk(top):
        if "config.status" in names and directory != top:  # a build
            inner[:] = []
            continue
        inner[:] = [name for name in inner if not name.startswith(".") and name != "node_modules"]
        found += [os.path.relpath(os.path.join(directory, name), top)
                  for name in names if name.endswith(".h")]
    return sorted(found)


def guard_of(path):
    """The name that guards a header; None if none does."""
    with open(path, encoding="utf-8") as file:
        found = GUARD.match(COMMENTS.sub("", file.read()))
    return found[1] if found and found[1] == found[2] else None


def role_of(header):
    for part, role in ALTERNATIVES:
        if header.startswith(part):
            return role + header[len(part):]
    return header


def problems_below(top):
    problems, users = [], collections.defaultdict(dict)
    for header in headers_below(top):
        guard = guard_of(os.path.join(top, header))
        if guard:
            users[guard].setdefault(role_of(header), header)
        else:
            problems.append(f"{header}: does not begin with an include guard")
    return problems + [f"{guard}: guards {' and '.join(same.values())}"
                       for guard, same in sorted(users.items()) if len(same) > 1]


def guarded(name):
    return f"/* What it is for. */\n#ifndef {name}\n#define {name}\n\n#endif\n"


SOUND = {"archive/shortage.h": guarded("SHORTAGE_H"), "libprof/shortage.h": guarded("LIBPROF_H"),
         "arch/x86_64/ticks.h": guarded("TICKS_H"), "arch/aarch64/ticks.h": guarded("TICKS_H"),
         "build/config.status": "", "build/config.h": "#define HAVE_MPI 1\n"}

# What is wrong, how it is made from the sound tree, and a part of the one complaint.
BROKEN = (
    ("two headers with the same guard", {"libprof/shortage.h": guarded("SHORTAGE_H")},
     "SHORTAGE_H: guards archive/shortage.h and libprof/shortage.h"),
    ("the guard of an alternative elsewhere", {"libprof/ticks.h": guarded("TICKS_H")},
     "TICKS_H: guards arch/aarch64/ticks.h and libprof/ticks.h"),
    ("a header without a guard", {"libprof/shortage.h": "int shortage;\n"},
     "libprof/shortage.h: does not"),
    ("a guard that defines another name",
     {"libprof/shortage.h": "#ifndef LIBPROF_H\n#define LIBPROFF_H\n#endif\n"},
     "libprof/shortage.h: does not"),
)


def problems_of(changes):
    with tempfile.TemporaryDirectory() as top:
        for path, content in {**SOUND, **changes}.items():
            os.makedirs(os.path.dirname(os.path.join(top, path)), exist_ok=True)
            with open(os.path.join(top, path), "w", encoding="utf-8") as file:
                file.write(content)
        return problems_below(top)


def main():
    report, top = tap_report.Report(), os.environ["TOP_SRCDIR"]
    problems = problems_of({})
    report.check(not problems, "self-test: nothing is wrong with a sound tree", problems)
    for what, changes, complaint in BROKEN:
        problems = problems_of(changes)
        report.check(len(problems) == 1 and complaint in problems[0], f"self-test: {what}",
                     problems or ["no complaint"])
    report.check(len(headers_below(top)) > 100, "the tree's headers are found")
    problems = problems_below(top)
    report.check(not problems, "every header has an include guard of its own", problems)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
