"""What may run in a signal handler calls nothing that must not be called there.

The C library's malloc, stdio and locks are not async-signal-safe: a sample that interrupts them
and calls them again deadlocks or corrupts the heap.  This test compiles the runtime once more,
without optimization so that no function is inlined away, has GCC write down who calls whom
(-fcallgraph-info), and walks from every function that a signal handler may enter.  What is
known of those calls and not written in C stands in async_calls.txt beside this file.

Handlers are found by what they are: functions with a siginfo_t, and what sa_handler is set to.
Whatever else is reached by a pointer is found by its name: functions of the runtime that a handler
may reach are called *_async, and so are fields of tables that hold such functions.  The libraries
below the runtime (common, compress, detect, assemble) touch only what they are given and have no
such names; they are walked through like the rest.

What this cannot see: calls made by inline assembly; that a row of async_calls.txt about a pointer,
or about a call that is never made, is true; and waiting that needs no library, as for a lock
of one's own.
"""

import collections
import concurrent.futures
import fnmatch
import os
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap_report  # pylint: disable=wrong-import-position

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.environ["TOP_SRCDIR"]
FOLDERS = ("libprof", "arch", "compress", "detect", "assemble", "common")
INDIRECT = "__indirect_call"

MPI_ROWS = re.compile(r"^(?:MPI|ENTRY)_SOURCES \+= ((?:.*\\\n)*.*)", re.M)

# Holds a handler, which is one by its arguments.
VARIABLE = "sampler_handler"
# Whose public functions are named *_async if handlers reach them.
NAMING = ("libprof", "arch")

NODE = re.compile(r'node: \{ title: "([^"]*)" label: "([^"]*)"( shape : ellipse)?')
FIELD = re.compile(r"\.\w+_async\s*=\s*&?(\w+)")
HANDLER = re.compile(r"^[a-z][\w ]*?\*?(\w+)\(int \w+, siginfo_t \*\w+, void \*\w+\)\s*\{"
                     r"|\.sa_(?:handler|sigaction)\s*=\s*&?([a-z]\w*)", re.M)
EDGE = re.compile(r'edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)"(?: label: "([^"]*)")?')

Call = collections.namedtuple("Call", "target place")


def short(text):
    """FILE:FUNCTION and FILE:LINE without the folders; GCC marks names given in assembly by *."""
    return text.rsplit("/", 1)[-1].lstrip("*")


class Graph:
    """Who calls whom, over all compiled files.  Static functions are named FILE:FUNCTION."""

    def __init__(self):
        self.calls = collections.defaultdict(list)
        self.defined = {}  # where

    def read(self, path):
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                node, edge = NODE.match(line), EDGE.match(line)
                if node and not node[3]:
                    place = os.path.relpath(node[2].split("\\n")[1], TOP)
                    self.defined[short(node[1])] = place
                elif edge:
                    call = Call(short(edge[2]), short(edge[3] or "?"))
                    self.calls[short(edge[1])].append(call)

    def matching(self, pattern):
        return sorted(fnmatch.filter(self.defined, pattern))


class Table:
    """async_calls.txt: see the comment at its top.  Counts which rows were needed."""

    def __init__(self, lines):
        self.roots, self.safe = [], set()
        self.never, self.pointers = set(), {}
        self.used = set()
        for number, line in enumerate(lines, 1):
            words, _, reason = line.partition("#")
            words = words.split()
            if not words:
                continue
            if not reason.strip():
                raise ValueError(f"line {number} gives no reason")
            self.add(number, *words)

    def add(self, number, kind, *words):
        if kind == "root" and words:
            self.roots += words
        elif kind == "safe" and words:
            self.safe.update(words)
        elif kind in ("never", "pointer") and "->" in words[1:-1]:
            arrow = words.index("->")
            self.add_calls(kind, words[:arrow], words[arrow + 1:])
        else:
            raise ValueError(f"line {number} is no root, safe, never or pointer")

    def add_calls(self, kind, callers, targets):
        if kind == "pointer":
            self.pointers.update({caller: targets for caller in callers})
        else:
            self.never.update((caller, target) for caller in callers for target in targets)

    def rows(self):
        return self.safe | self.never | self.pointers.keys() | set(self.roots)

    def unused(self):
        return sorted(str(row) for row in self.rows() - self.used)


class Walk:
    """Everything that is reached from the roots, and how."""

    def __init__(self, graph, table):
        self.graph, self.table = graph, table
        self.came_from = {}
        self.unsafe, self.unknown = {}, {}
        for pattern in table.roots:
            self.walk(self.named(pattern))
        self.walk(graph.matching("*_async"))

    def named(self, pattern):
        matches = self.graph.matching(pattern)
        if matches:
            self.table.used.add(pattern)
        return matches

    def walk(self, roots):
        waiting = [name for name in roots if name not in self.came_from]
        self.came_from.update({name: None for name in waiting})
        while waiting:
            waiting += self.follow(waiting.pop(0))

    def follow(self, caller):
        new = []
        for call in self.graph.calls[caller]:
            for target in self.targets(caller, call):
                if target not in self.came_from and self.is_ours(target, caller):
                    self.came_from[target] = caller
                    new.append(target)
        return new

    def targets(self, caller, call):
        if (caller, call.target) in self.table.never:
            self.table.used.add((caller, call.target))
            return []
        if call.target != INDIRECT:
            return [call.target]
        if caller not in self.table.pointers:
            self.unknown[call.place] = caller
            return []
        self.table.used.add(caller)
        return self.expand(caller, call.place)

    def expand(self, caller, place):
        """The functions that the row of CALLER names; a word without a file may be external."""
        found = []
        for pattern in self.table.pointers[caller]:
            matches = self.graph.matching(pattern)
            if not matches and pattern not in self.table.safe:
                self.unknown[place] = f"{caller} (nothing is called {pattern})"
            found += matches or [pattern]
        return found

    def is_ours(self, target, caller):
        if target in self.graph.defined:
            return True
        if target in self.table.safe:
            self.table.used.add(target)
        else:
            self.unsafe.setdefault(target, caller)
        return False

    def chain(self, name):
        names = []
        while name:
            names.append(name)
            name = self.came_from.get(name)
        return " <- ".join(names)

    def unnamed(self, folders):
        """Functions with external linkage in FOLDERS that are reached and do not say so."""
        return sorted(name for name in self.came_from
                      if ":" not in name and not name.endswith("_async")
                      and name not in self.table.roots
                      and self.graph.defined[name].startswith(folders))


def text_of(source):
    with open(source, encoding="utf-8") as file:
        return file.read()


def knows_mpi(source):
    """Whether make compiles it for each MPI."""
    folder, name = os.path.split(source)
    lists = os.path.join(folder, "files.mk")
    rows = MPI_ROWS.findall(text_of(lists)) if os.path.exists(lists) else []
    return any(f"%D%/{name}" in row.split() for row in rows)


class Compiler:
    """Compiles into call graphs, with the flags that Makefile.am passes: for each MPI."""

    def __init__(self, directory):
        self.directory = directory
        self.command = shlex.split(os.environ.get("CC", "gcc"))
        self.flags = shlex.split(os.environ.get("GATE_CPPFLAGS", ""))
        # What the call graph goes into is not kept by a compiler cache.
        os.environ["CCACHE_DISABLE"] = "1"
        self.kinds = [shlex.split(flags)
                      for flags in os.environ.get("GATE_MPI_CPPFLAGS", "").split(";") if flags.strip()]

    def graph_of(self, number, source, flags):
        out = os.path.join(self.directory, f"{number}.o")
        subprocess.run(
            [*self.command, "-std=gnu11", "-O0", "-fPIC", "-w", "-U_FORTIFY_SOURCE",
             *flags, "-fcallgraph-info", "-c", source, "-o", out],
            check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return out[:-1] + "ci"

    def processor(self):
        """The name of the processor that it compiles for, as arch/ has it."""
        machine = subprocess.run([*self.command, "-dumpmachine"], check=True,
                                 stdout=subprocess.PIPE, text=True)
        return machine.stdout.split("-")[0]

    def is_gcc(self):
        """Whether this is a compiler that writes call graphs."""
        source = os.path.join(self.directory, "try.c")
        with open(source, "w", encoding="utf-8") as out:
            out.write("int main(void) { return 0; }\n")
        try:
            return os.path.exists(self.graph_of("try", source, []))
        except (OSError, subprocess.CalledProcessError):
            return False

    def compile_all(self, sources):
        """Those that know MPI for each kind of it; what they are called is the same."""
        graph, jobs = Graph(), []
        for source in sources:
            kinds = self.kinds if knows_mpi(source) else [[]]
            jobs += [(source, self.flags + kind) for kind in kinds]
        workers = len(os.sched_getaffinity(0))
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            for path in pool.map(self.graph_of, range(len(jobs)), *zip(*jobs)):
                graph.read(path)
        return graph


SELF_TEST = """
#include <stdlib.h>
#include <string.h>
struct maker { void *(*make)(size_t); };
static inline void *inlined(size_t size) { return malloc(size); }
static void *deep(size_t size) { return inlined(size); }
void on_direct(int number) { memset(deep((size_t)number), 0, 1); }
void on_pointer(struct maker *maker) { maker->make(1); }
void on_other(void) { abort(); }
void *late_async(void) { return calloc(1, 1); }
"""

ROW = "root on_* # how programs here begin\n"

SELF_CASES = (
    ("a call of malloc far below a handler is found, with the way there",
     "safe memset calloc abort #x", {"malloc"}, {"on_pointer"}),
    ("a function called _async is looked at though nobody calls it",
     "safe memset malloc abort #x", {"calloc"}, {"on_pointer"}),
    ("a pointer is followed to what the table says",
     "safe memset calloc malloc #x\npointer on_pointer -> on_o* #x", {"abort"}, set()),
    ("a row of the table may name what is safe",
     "safe memset calloc malloc abort #x\npointer on_pointer -> malloc #x", set(), set()),
    ("a call that never happens in a handler is left out",
     "safe memset calloc abort #x\npointer on_pointer -> abort #x\n"
     "never try.c:deep -> try.c:inlined #x", set(), set()),
)


def test_self(report, compiler):
    source = os.path.join(compiler.directory, "try.c")
    with open(source, "w", encoding="utf-8") as out:
        out.write(SELF_TEST)
    graph = compiler.compile_all([source])
    for what, rows, unsafe, unknown in SELF_CASES:
        walk = Walk(graph, Table((ROW + rows).splitlines()))
        report.check(set(walk.unsafe) == unsafe and set(walk.unknown.values()) == unknown,
                     f"self-test: {what}", [f"unsafe {walk.unsafe}", f"unknown {walk.unknown}"])
    walk = Walk(graph, Table((ROW + SELF_CASES[0][1]).splitlines()))
    report.check(walk.chain(walk.unsafe["malloc"]) == "try.c:inlined <- try.c:deep <- on_direct",
                 "self-test: the way there is told", [walk.chain(walk.unsafe["malloc"])])
    table = Table((ROW + "safe strlen #x\nnever a -> b #x").splitlines())
    Walk(graph, table)
    report.check(table.unused() == ["('a', 'b')", "strlen"],
                 "self-test: rows that nothing needs are found", table.unused())


def test_runtime(report, walk):
    details = [f"{name} <- {walk.chain(caller)}" for name, caller in sorted(walk.unsafe.items())]
    report.check(walk.came_from and not walk.unsafe,
                 f"the {len(walk.came_from)} functions that a signal handler may reach call "
                 "nothing but what async_calls.txt calls safe", details)
    details = [f"{place}: {caller}" for place, caller in sorted(walk.unknown.items())]
    report.check(not walk.unknown, "async_calls.txt tells where their calls through pointers go",
                 details)
    report.check(not walk.table.unused(), "async_calls.txt has no row that nothing needs",
                 walk.table.unused())


def not_async(text):
    """What designated fields called _async are set to in TEXT, though its name does not say so."""
    return [name for name in FIELD.findall(text) if name != "NULL" and not name.endswith("_async")]


def handlers(text):
    """Functions that are signal handlers by their arguments, or are made one, in TEXT."""
    return [by_type or set_to for by_type, set_to in HANDLER.findall(text)]


def test_names(report, sources, walk):
    table = "{.go_async = go, .a = b, .to_async = to_async, .no_async = NULL}"
    report.check(not_async(table) == ["go"],
                 "self-test: a function in a table is called as its field is")
    misnamed = [f"{path}: {name}" for path in sources for name in not_async(text_of(path))]
    report.check(not misnamed, "what fields called _async hold is called so", misnamed)
    unnamed = [f"{name} in {walk.graph.defined[name]}" for name in walk.unnamed(FOLDERS)]
    inside = walk.unnamed(NAMING)
    report.check(unnamed and not inside, "functions of the runtime that a handler reaches are "
                 "called _async, if other files can call them", inside)


def test_handlers(report, sources, walk):
    text = ("static void on_it(int number, siginfo_t *info, void *context)\n{\n"
            "{.sa_handler = SIG_DFL}; a.sa_handler = other;")
    report.check(handlers(text) == ["on_it", "other"], "self-test: handlers are found")
    found = [(os.path.basename(path), name) for path in sources for name in handlers(text_of(path))]
    missed = [f"{file}: {name}" for file, name in found
              if name != VARIABLE and not {name, f"{file}:{name}"} & walk.came_from.keys()]
    report.check(len(found) > 1 and not missed, "every signal handler is walked from", missed)


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def test_library(report, library):
    """What a handler calls must not first be looked up, and thread-local memory must be there."""
    name = os.path.basename(library)
    report.check("BIND_NOW" in output_of("readelf", "--dynamic", "--wide", library),
                 f"the symbols of {name} are bound when it is loaded: the dynamic linker takes a "
                 "lock")
    symbols = output_of("nm", "--dynamic", "--undefined-only", library)
    report.check("__tls_get_addr" not in symbols,
                 f"the thread-local memory of {name} is there when a thread begins: later "
                 "allocation calls malloc")


def sources_below(top, processor):
    """All sources but those of processors other than PROCESSOR."""
    found = []
    for folder in FOLDERS:
        for directory, folders, names in os.walk(os.path.join(top, folder)):
            if os.path.basename(directory) == "arch":
                folders[:] = [processor]
            found += [os.path.join(directory, name) for name in names if name.endswith(".c")]
    return sorted(found)


def read_table():
    return Table(text_of(os.path.join(HERE, "async_calls.txt")).splitlines())


def run(directory):
    compiler, report = Compiler(directory), tap_report.Report()
    if not compiler.is_gcc():
        print("1..0 # SKIP the compiler is not a GCC that writes call graphs")
        return
    try:
        sources = sources_below(TOP, compiler.processor())
        graph = compiler.compile_all(sources)
    except subprocess.CalledProcessError as error:
        sys.exit(f"{shlex.join(error.cmd)}\n{error.stdout}")
    walk = Walk(graph, read_table())
    test_self(report, compiler)
    test_runtime(report, walk)
    test_names(report, sources, walk)
    test_handlers(report, sources, walk)
    for library in os.environ["LIBRARIES"].split():
        test_library(report, library)
    report.end()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        run(place)
