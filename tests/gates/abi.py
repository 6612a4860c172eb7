"""What programs and patterns were compiled with stays as it was: every struct, enumerator and macro
number of the installed headers, and every symbol that the runtime defines beside those of MPI, is
compared with a list.  The lists of headers have the version of their interface in their names: who
changes an interface counts its version up and writes a new list; old ones stay.

    python3 abi.py            compares
    python3 abi.py --write    writes the lists that are not there
"""

import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap_report  # pylint: disable=wrong-import-position

HERE = os.path.dirname(os.path.abspath(__file__))
LISTS = os.path.join(HERE, "abi")
TOP = os.environ.get("TOP_SRCDIR") or os.path.join(HERE, "..", "..")
COMPILER = (os.environ.get("CC") or "cc").split()

# A header, and the number that is its interface's version, as C.
HEADERS = (("tsprof", "1"), ("tsprof_pattern", "TSPROF_PATTERN_VERSION"))


def code_of(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def members_of(body):
    """The names of a struct's members."""
    for member in body.split(";"):
        function = re.search(r"\(\*\s*(\w+)\)", member)
        if function:
            yield function.group(1)
        elif member.strip():
            for name in re.sub(r"^.*?(?=[\w*]+\s*(?:,|$))", "", member.strip(), count=1,
                               flags=re.S).split(","):
                yield name.strip(" *\n")


def questions_of(header, text):
    """What the list has a number of: a text, and C that says it."""
    code = code_of(text).split("\nnamespace", 1)[0]
    for name, body in re.findall(r"\bstruct\s+(\w+)\s*\{(.*?)\n\}", code, flags=re.S):
        yield "struct %s" % name, "sizeof(struct %s)" % name
        for member in members_of(body):
            yield ("struct %s.%s at" % (name, member), "offsetof(struct %s, %s)" % (name, member))
            yield ("struct %s.%s bytes" % (name, member),
                   "sizeof(((struct %s *)0)->%s)" % (name, member))
    for body in re.findall(r"\benum\s+\w+\s*\{(.*?)\n\}", code, flags=re.S):
        for name in re.findall(r"\w+", body):
            yield name, name
    # Those that are numbers.
    for name in re.findall(r"^#define\s+(\w+)[ \t]+(?!__attribute__)\S", code, flags=re.M):
        yield name, name


def answers(header, questions):
    """Lines of a list, by a program that the compiler makes."""
    lines = "".join('    printf("%%s %%lld\\n", "%s", (long long)(%s));\n' % question
                    for question in questions)
    source = '#include <stdio.h>\n#include "%s.h"\nint main(void)\n{\n%s    return 0;\n}\n' % (
        header, lines)
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "abi")
        with open(path + ".c", "w", encoding="utf-8") as file:
            file.write(source)
        subprocess.run(COMPILER + ["-I", os.path.join(TOP, "include"), "-o", path, path + ".c"],
                       check=True)
        return subprocess.run([path], check=True, text=True,
                              stdout=subprocess.PIPE).stdout.splitlines()


def interface(header, version):
    """The list's name and what it should have."""
    with open(os.path.join(TOP, "include", header + ".h"), encoding="utf-8") as file:
        questions = list(questions_of(header, file.read()))
    version, *lines = answers(header, [("version", version)] + questions)
    return "%s-%s.txt" % (header, version.split()[1]), lines


def symbols(library):
    """What it defines, with the kinds of nm, less the functions of MPI and of MPICH's bindings."""
    text = subprocess.run(["nm", "-D", "--defined-only", library], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    lines = [" ".join(line.split()[1:]) for line in text.splitlines()]
    return sorted(line for line in lines if not re.match(r"\w (P?MPI|MPII)_", line))


def soname(library):
    text = subprocess.run(["readelf", "-d", library], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    return re.search(r"SONAME.*\[(.*)\]", text).group(1)


def markers_of(library):
    """The versions of the markers' table that a runtime has, of 0, 1 and 99."""
    script = ("import ctypes; get = ctypes.CDLL(None).tsprof_get_api; "
              "get.restype = ctypes.POINTER(ctypes.c_uint); get.argtypes = [ctypes.c_uint]; "
              "print([table[0] if table else None for table in map(get, (0, 1, 99))])")
    done = subprocess.run([sys.executable, "-c", script], text=True, stdout=subprocess.PIPE,
                          env=dict(os.environ, LD_PRELOAD=library), check=True)
    return done.stdout.strip()


def read(name):
    path = os.path.join(LISTS, name)
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def compare(report, name, lines):
    kept = read(name)
    if kept is None and "--write" in sys.argv:
        with open(os.path.join(LISTS, name), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        kept = lines
    if kept is None:
        report.check(False, name, ["abi/%s is not there: abi.py --write" % name])
        return
    report.check(kept == lines, "as in abi/" + name,
                 ["gone or changed: " + line for line in kept if line not in lines]
                 + ["new: " + line for line in lines if line not in kept] or ["another order"])


def test_self(report):
    text = """/* struct not { int a; }; */
#define HAS_NUMBER 3
#define GUARD
struct s {
    const struct t *next, *other;
    unsigned long a;
    void (*call)(int a, int b);
};
enum e {
    FIRST, /* one */
    SECOND
};
"""
    found = [name for name, _ in questions_of("x", text)]
    report.check([name for name in found if not name.endswith(" bytes")] ==
                 ["struct s", "struct s.next at", "struct s.other at", "struct s.a at",
                  "struct s.call at", "FIRST", "SECOND", "HAS_NUMBER"],
                 "self-test: what a header has is found", [str(found)])


def main():
    report = tap_report.Report()
    test_self(report)
    for header, version in HEADERS:
        compare(report, *interface(header, version))
    for library in os.environ["LIBRARIES"].split():
        name = os.path.basename(library)
        compare(report, "symbols.txt", symbols(library))
        report.check(soname(library) == name, name + " is called so wherever it is", [soname(library)])
        report.check(markers_of(library) == "[1, 1, None]",
                     name + " has the markers of every version so far", [markers_of(library)])
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
