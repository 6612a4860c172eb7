"""What the end-to-end tests share: running programs with and without tsprof, reading what the
command says, and TAP.

Where things are comes from the environment, with defaults for running a test by hand in a tree
that was built in place:

    PYTHONPATH                 this folder
    TOP_SRCDIR, TOP_BUILDDIR   the tree and where it was built
    MPI                        the MPI to test with, mpich or openmpi; default: the default's
    MPIRUN, MPICC              start and compile programs of that MPI
    OTHER_MPIRUN, OTHER_MPICC  those of the other one
    E2E_WITHOUT                names of programs with counts that are not to be run
    E2E_KEEP                   if set, the temporary directories stay, and are named

A test is a function; `main` runs all functions of a module whose names start with `test_`.  It
is given a Tap to report to.  What a test throws is a failure of that test and no other.
"""

import collections
import csv
import inspect
import io
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

import summary_reader

HERE = os.path.dirname(os.path.abspath(__file__))
# Tests use what tests of other folders have.
sys.path += [os.path.join(HERE, folder) for folder in ("command", "life", "loops", "measured",
                                                   "waits")]
TOP_SRCDIR = os.path.abspath(os.environ.get("TOP_SRCDIR") or os.path.join(HERE, "..", ".."))
TOP_BUILDDIR = os.path.abspath(os.environ.get("TOP_BUILDDIR") or TOP_SRCDIR)
LIBRARIES = os.path.join(TOP_BUILDDIR, "libprof", ".libs")
COMMAND = os.path.join(TOP_BUILDDIR, "utils", "tsprof")


def default_mpi():
    """The kind of MPI that libtsprof.so stands for."""
    target = os.path.realpath(os.path.join(LIBRARIES, "libtsprof.so"))
    found = re.search(r"libtsprof-(\w+)\.so$", target)
    return found.group(1) if found else "mpich"


def library_of(kind):
    return os.path.join(LIBRARIES, "libtsprof-%s.so" % kind)


def programs_of(kind):
    return os.path.join(TOP_BUILDDIR, "tests", "programs", "" if kind == default_mpi() else kind)


# The kinds that there is a runtime for, and the one that is tested.
KINDS = [kind for kind in ("mpich", "openmpi") if os.path.exists(library_of(kind))]
MPI = os.environ.get("MPI") or default_mpi()
LIBRARY = (os.path.join(LIBRARIES, "libtsprof.so") if MPI == default_mpi() else library_of(MPI))
PROGRAMS = programs_of(MPI)

# What Open MPI needs to be told so that more processes than processors run, also as root, and each
# where it likes, and so that a process can have windows of its own, and several share one.
LAUNCHER_SETTINGS = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_osc": "sm,pt2pt",
    # Its own implementation waits for ever where a split or non-blocking read meets the file's end.
    "OMPI_MCA_io": "romio321",
}

# Any single run of a program takes about a second; a hang is to be noticed, not waited for.
RUN_TIMEOUT_S = 60
# Of cases that are alike `./check.sh` tries some, other ones each time; `make check` tries all.
CASES_EVERY = int(os.environ.get("CASES_EVERY") or 1)
CASES_FIRST = int(os.environ.get("CASES_FIRST") or 0)
COMMAND_TIMEOUT_S = 60

# Summaries below this size are read by both readers whenever a test makes one.
COMPARED_BYTES = 100000

# Every program that states its counts, the numbers of ranks it makes sense with, and the name of
# the phase of its iterations.
Program = collections.namedtuple("Program", "name ranks phase iterations")
COUNTING_PROGRAMS = [
    Program("stencil", (1, 2, 4), "timestep", 30),
    Program("wavefront", (1, 2, 4), "timestep", 24),
    Program("particles", (1, 2, 4), "timestep", 60),
    Program("workers", (2, 4), "round", 12),
    Program("collectives", (1, 2, 4), "step", 12),
    Program("neighborhood", (1, 2, 4), "step", 8),
    Program("onesided", (1, 2, 4), "step", 6),
    Program("files", (1, 2, 4), "step", 5),
    Program("intercomm", (2, 4), "step", 4),
    Program("templates", (1, 2, 4), "timestep", 21),
    Program("heat_mpif", (1, 2, 4), "timestep", 25),
    Program("heat_mpi", (1, 2, 4), "timestep", 25),
    Program("heat_f08", (1, 2, 4), "timestep", 25),
]
COUNTING_PROGRAMS = [program for program in COUNTING_PROGRAMS
                     if program.name not in os.environ.get("E2E_WITHOUT", "").split()]


def ranks_of(program, most=4):
    """On how many ranks a test runs PROGRAM: the most that it may, or with ALL_RANKS=1 on each number."""
    allowed = [ranks for ranks in program.ranks if ranks <= most]
    return allowed if os.environ.get("ALL_RANKS") == "1" else allowed[-1:]


# How their names begin.
IN_FORTRAN = ("heat_", "pattern_mpi", "pcontrol_f", "loops_f", "waits_f_", "waits_f08",
              "instrumented_f", "random_traces_f")


class Failure(Exception):
    """Something that should hold does not; the text says what."""


class Skip(Exception):
    """The test makes no sense here; the text says why."""


class Tap:
    """Writes one line of TAP per point."""

    def __init__(self):
        self.points = 0
        self.failed = 0

    def ok(self, condition, name, detail=""):
        self.points += 1
        if not condition:
            self.failed += 1
        print("%sok %d - %s" % ("" if condition else "not ", self.points, clean(name)))
        if not condition and detail:
            for line in str(detail).splitlines()[:40]:
                print("# " + line)
        sys.stdout.flush()
        return bool(condition)

    def equal(self, got, wanted, name):
        return self.ok(got == wanted, name, "got    %r\nwanted %r" % (got, wanted))

    def todo(self, name, reason):
        """Something that does not hold, which is known, and why."""
        self.points += 1
        print("not ok %d - %s # TODO %s" % (self.points, clean(name), reason))
        sys.stdout.flush()

    def skip(self, name, reason):
        self.points += 1
        print("ok %d - %s # SKIP %s" % (self.points, clean(name), reason))
        sys.stdout.flush()

    def done(self):
        print("1..%d" % self.points)
        return 1 if self.failed else 0


def clean(name):
    """A name must not hold what TAP takes for a directive."""
    return name.replace("#", "no. ").replace("\n", " ")


def some(cases):
    """CASES that are alike; of CASES_EVERY=N one in N, from CASES_FIRST on, and one at least."""
    cases = list(cases)
    return cases[CASES_FIRST % CASES_EVERY % max(len(cases), 1)::CASES_EVERY]


def main():
    """Runs the tests of the module that calls, all or those named on the command line."""
    module = sys.modules["__main__"]
    tests = [
        function
        for name, function in vars(module).items()
        if name.startswith("test_") and inspect.isfunction(function)
    ]
    if len(sys.argv) > 1:
        tests = [t for t in tests if t.__name__ in sys.argv[1:]]
    for needed in (LIBRARY, COMMAND):
        if not os.path.exists(needed):
            print("1..0 # SKIP %s is not built" % os.path.relpath(needed, TOP_BUILDDIR))
            sys.exit(0)
    tap = Tap()
    for test in tests:
        began = wall_and_processor()
        try:
            test(tap)
        except Skip as reason:
            tap.skip(test.__name__, str(reason))
        except Failure as failure:
            tap.ok(False, test.__name__, failure)
        except Exception:
            tap.ok(False, test.__name__, traceback.format_exc())
        took = [after - before for before, after in zip(began, wall_and_processor())]
        print("# %s: %.1f s, %.1f s of processors" % (test.__name__, *took))
        sys.stdout.flush()
    sys.exit(tap.done())


def wall_and_processor():
    """Seconds until now, and those of processors by this process and those that it waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return time.monotonic(), sum(one.ru_utime + one.ru_stime for one in used)


class Directory:
    """A temporary directory, as a context."""

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="tsprof-e2e-")
        return self.path

    def __exit__(self, *error):
        if os.environ.get("E2E_KEEP"):
            print("# kept " + self.path)
        else:
            shutil.rmtree(self.path, ignore_errors=True)


def program(name):
    """The path of a test program; skips the test if it is not built (no Fortran compiler)."""
    if not is_built(name):
        raise Skip("%s is not built" % name)
    return os.path.join(PROGRAMS, name)


def is_built(name):
    """Whether a test program is there.  None at all may be, or none in Fortran; else it must."""
    def exists(one):
        return os.path.exists(os.path.join(PROGRAMS, one))
    if not exists(name) and exists("stencil") and not name.startswith(IN_FORTRAN):
        raise Failure("there is no program %s" % name)
    return exists(name)


def mpirun(kind=MPI):
    chosen = os.environ.get("MPIRUN" if kind == MPI else "OTHER_MPIRUN")
    return chosen or shutil.which("mpirun." + kind) or "mpirun"


def mpicc(kind=MPI):
    """The compiler of an MPI, as a list."""
    chosen = os.environ.get("MPICC" if kind == MPI else "OTHER_MPICC")
    command = shlex.split(chosen or "mpicc." + kind)
    if not shutil.which(command[0]):
        raise Skip("there is no " + command[0])
    return command


def environment(settings=None):
    """The caller's environment, without any setting of tsprof but those given."""
    result = {
        k: v
        for k, v in os.environ.items()
        if not k.startswith("TSPROF_") and k not in ("LD_PRELOAD", "E2E_KEEP", "MPI")
    }
    result["LC_ALL"] = "C"
    result.update(LAUNCHER_SETTINGS)
    result.update(settings or {})
    return result


Result = collections.namedtuple("Result", "status stdout stderr")


def execute(command, settings=None, cwd=None, timeout=RUN_TIMEOUT_S):
    """Runs a command to its end and returns what it said, as bytes.

    A status below zero is the number of the signal that ended it.  After the timeout, the
    command and all that it started are killed, and the test fails.
    """
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(settings),
        cwd=cwd,
        start_new_session=True,
    )
    try:
        stdout, stderr = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        # The launcher forwards a TERM to the ranks, which live in sessions of their own.
        os.killpg(process.pid, signal.SIGTERM)
        try:
            stdout, stderr = process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.kill()
            stdout, stderr = b"", b""
        raise Failure(
            "no end after %d s: %s\n%s%s"
            % (timeout, " ".join(command), stdout.decode("utf-8", "replace"),
               stderr.decode("utf-8", "replace"))
        )
    return Result(process.returncode, stdout, stderr)


def run_plain(command, ranks, **options):
    """Under mpirun, without tsprof."""
    return execute([mpirun(), "-n", str(ranks)] + command, **options)


def run_ranks(command, ranks, settings=None, **options):
    """Under mpirun, with the runtime preloaded into the ranks only."""
    preload = ["env", "LD_PRELOAD=" + LIBRARY]
    return execute([mpirun(), "-n", str(ranks)] + preload + command, settings=settings,
                   **options)


def run_all(command, ranks, settings=None, **options):
    """With the runtime preloaded into mpirun as well, the way it stands in the manual."""
    settings = dict(settings or {}, LD_PRELOAD=LIBRARY)
    return execute([mpirun(), "-n", str(ranks)] + command, settings=settings, **options)


def profile(directory, name, ranks, arguments=(), settings=None, run=run_ranks):
    """Runs a test program into DIRECTORY/out.tsprof and DIRECTORY/counts.<rank>.

    Returns the result and the path of the summary; fails if the program fails or no summary is
    there.  Only for programs that state their counts.
    """
    summary = os.path.join(directory, "out.tsprof")
    settings = dict({"TSPROF_VERBOSE": "1", "TSPROF_OUTPUT": summary}, **(settings or {}))
    command = [program(name), "--counts", os.path.join(directory, "counts")] + list(arguments)
    result = run(command, ranks, settings=settings, cwd=directory)
    check_run(result, summary)
    return result, summary


def check_run(result, summary):
    said = result.stderr.decode("utf-8", "replace")
    if result.status != 0:
        raise Failure("the program ended with status %d\n%s" % (result.status, said))
    if not os.path.exists(summary):
        raise Failure("the run left no %s\n%s" % (os.path.basename(summary), said))
    # Large ones would take the tests' own reader many seconds.
    found = disagreements(summary) if os.path.getsize(summary) < COMPARED_BYTES else None
    if found:
        raise Failure("the two readers disagree\n" + "\n".join(found[:20]))


def tsprof(*arguments, **options):
    """Runs the command; returns status and text."""
    result = execute([COMMAND] + list(arguments), timeout=COMMAND_TIMEOUT_S, **options)
    return Result(result.status, result.stdout.decode("utf-8", "replace"),
                  result.stderr.decode("utf-8", "replace"))


def export(summary, what, *options):
    """The rows of an export as dictionaries."""
    result = tsprof("export", summary, "--what", what, "--format", "csv", *options)
    if result.status != 0:
        raise Failure("export --what %s: status %d\n%s" % (what, result.status, result.stderr))
    return list(csv.DictReader(io.StringIO(result.stdout)))


def shown(name):
    """A name as tables show it: what a terminal would obey as \\xNN, but for tabs and line breaks."""
    def is_obeyed(code):
        return (code < 0x20 and code not in (9, 10, 13) or 0x7F <= code < 0xA0 or code == 0x61C or
                code in (0x200E, 0x200F) or 0x2028 <= code <= 0x202E or 0x2066 <= code <= 0x2069 or
                0xD800 <= code < 0xE000)
    return "".join("".join("\\x%02x" % byte for byte in c.encode("utf-8", "surrogateescape"))
                   if is_obeyed(ord(c)) else c for c in name)


# Two readers

# The command adds them to what it reads.
ADDED_METRICS = ("omp_runtime", "idle_threads")


def disagreements(summary):
    """Where `tsprof export` says another thing of a summary than summary_reader, in words."""
    content = summary_reader.Summary(summary)
    found = []
    for what, wanted, got in (
            ("callpaths", whole_run(content), exported_run(content, summary)),
            ("clusters", cluster_map(content), exported_map(summary))):
        found += ["%s: %r is %r, exported as %r" % (what, key, wanted.get(key), got.get(key))
                  for key in sorted(set(wanted) | set(got), key=repr)
                  if wanted.get(key) != got.get(key) and not is_rounded(wanted.get(key))]
    return found


def is_rounded(value):
    """Whether an export cannot have all digits of it."""
    return isinstance(value, int) and abs(value) > 2**53


def whole_run(content):
    """By rank, call path and metric, inclusive over metrics: what is not 0."""
    total = collections.Counter()
    for location in content.locations:
        for (node, metric), value in location.whole.items():
            while metric is not None:
                path = shown(content.callpath(node))
                total[location.place.rank, path, metric] += value
                metric = content.metrics[metric].parent
    return {key: value for key, value in total.items() if value}


def exported_run(content, summary):
    numbers = {metric.name: i for i, metric in enumerate(content.metrics)}
    total = {}
    for row in export(summary, "callpaths", "--total"):
        if row["metric"] in ADDED_METRICS:
            continue
        metric = numbers[row["metric"]]
        # 17 digits are those of a double: whole numbers below 2^53 come back.
        value = round(float(row["value"]) * 10 ** content.metrics[metric].scale)
        if value:
            total[int(row["rank"]), row["callpath"], metric] = value
    return total


def cluster_map(content):
    """By phase, rank and iteration: cluster and class, of the processes' first threads."""
    found = {}
    for location in content.locations:
        for series in location.series if location.place.thread == 0 else ():
            iteration = 0
            for length, cluster in series.map:
                for i in range(iteration, iteration + length):
                    if cluster is not None and cluster < len(series.clusters):
                        found[content.phases[series.phase].name, location.place.rank, i] = (
                            cluster, series.clusters[cluster].klass)
                iteration += length
    return found


def exported_map(summary):
    return {(row["phase"], int(row["rank"]), int(row["iteration"])):
            (int(row["cluster"]), int(row["class"]))
            for row in export(summary, "clusters") if row["cluster"]}


# Comparing what programs say


def lasting(output):
    """What was said less what differs between any two runs, where Open MPI says it: numbers of
    processes and jobs, addresses and the stack in a crash, what mpirun says of bad ends."""
    if MPI == "openmpi":
        output = re.sub(rb"(?ms)^-{70,}\n.*?^-{70,}\n", b"", output)
        output = re.sub(rb"\[\w+:\d+\]", b"[PROCESS]", output)
        output = re.sub(rb"process \[\d+,\d+\]", b"process [PROCESS]", output)
        output = re.sub(rb"\(?\+?0x[0-9a-f]+\)?", b"ADDRESS", output)
        output = re.sub(rb"(?m)^.*\[ *\d+\] .*\[ADDRESS\]\n", b"", output)
    return output


# Comparing names of functions


def top_level(text, character):
    """Where a character stands in a C++ name outside all brackets (no operators, please)."""
    depth = 0
    places = []
    for i, c in enumerate(text):
        if c == character and depth == 0:
            places.append(i)
        depth += (c in "([<") - (c in ")]>")
    return places


def plain_name(region):
    """The name of a function as the test programs state it.

    C++: without arguments, result and anonymous namespaces.  Fortran: without the marks of the
    linker.  Everything: without the marks of parts that the compiler split off.
    """
    name = re.sub(r" \[clone [^]]*\]", "", region)
    name = re.sub(r"\.(cold|part|constprop|isra)(\.\d+)?", "", name)
    name = name.replace("(anonymous namespace)::", "").replace("> >", ">>")
    brackets = top_level(name, "(")
    if brackets:
        name = name[: brackets[0]]
    blanks = top_level(name, " ")
    if blanks:
        name = name[blanks[-1] + 1 :]
    module = re.fullmatch(r"__\w+?_MOD_(\w+)", name)
    if module:
        return module.group(1)
    if re.fullmatch(r"[a-z]\w*_", name):
        return name[:-1]
    return name


def suffix_of(callpath):
    """(function, MPI function) of a call path to MPI; None for any other."""
    regions = split_callpath(callpath)
    if not regions[-1].startswith("MPI_"):
        return None
    return (plain_name(regions[-2]) if len(regions) > 1 else "", regions[-1])


def split_callpath(callpath):
    return callpath.split(";")


# What programs state

COUNTED_METRICS = frozenset(
    "visits comms_send comms_recv syncs_send syncs_recv syncs_coll comms_coll "
    "bytes_sent bytes_rcvd bytes_coll_out bytes_coll_in "
    "syncs_rma pairs_rma comms_put comms_get comms_atomic bytes_put bytes_get "
    "io_reads io_writes bytes_io_read bytes_io_written".split()
)


def read_counts(directory, ranks, name="counts"):
    """What the program wrote: {(rank, iteration, function, call, metric): value}."""
    counts = collections.Counter()
    for rank in range(ranks):
        with open(os.path.join(directory, "%s.%d" % (name, rank)), newline="") as file:
            for iteration, path, metric, value in csv.reader(file):
                function, call = path.rsplit(";", 1)
                counts[rank, int(iteration), plain_name(function), call, metric] += int(value)
    return counts


def measured_counts(rows):
    """The same from the rows of `export --what callpaths`; iteration None for whole runs."""
    counts = collections.Counter()
    for row in rows:
        suffix = suffix_of(row["callpath"])
        if not suffix or row["metric"] not in COUNTED_METRICS:
            continue
        iteration = int(row["iteration"]) if row["iteration"] else None
        key = (int(row["rank"]), iteration) + suffix + (row["metric"],)
        counts[key] += number(row["value"])
    return counts


def number(text):
    value = float(text)
    return int(value) if value.is_integer() else value


def total_of(counts):
    """Sums over iterations."""
    total = collections.Counter()
    for (rank, _, function, call, metric), value in counts.items():
        total[rank, None, function, call, metric] += value
    return total


def differences(got, wanted):
    """Lines that say where two sets of counts differ; empty if nowhere."""
    lines = []
    for key in sorted(set(got) | set(wanted), key=repr):
        if got.get(key, 0) != wanted.get(key, 0):
            lines.append("%s: measured %s, stated %s"
                         % (key, got.get(key, 0), wanted.get(key, 0)))
    if len(lines) > 15:
        lines[15:] = ["and %d more" % (len(lines) - 15)]
    return "\n".join(lines)
