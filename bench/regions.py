"""What a function costs that tells when it is entered and left, both together: by tsprof, by tsprof
where TSPROF_FILTER leaves it out, with its events recorded, with a library that does nothing, by
uftrace, if that is installed, and by Score-P, if SCOREP says where that is; in nanoseconds, and for
tsprof and Score-P in instructions, which a busy machine does not change. Beside that what one
reading of the processor's clock takes: an event has one. And how much longer a templated C++ code
with small functions takes, with all of them and with the filter that `tsprof score` makes of that
run.

    make bench BENCH=regions [ROUNDS=5] [SCOREP=PREFIX]

Each is the difference to the same program compiled without -finstrument-functions, measured in
turn. The other functions on the stack tell, too, but are entered once for many calls.
"""

import os
import shutil
import statistics
import subprocess
import tempfile

import instructions

BUILD = os.path.abspath(os.environ.get("TOP_BUILDDIR", "."))
RUNTIME = os.path.join(BUILD, "libprof/.libs/libtsprof.so")
SCOREP = os.environ.get("SCOREP")
ROUNDS = int(os.environ.get("ROUNDS", "5"))
DEPTHS = (5, 60)
CALLS = 1000000
FEW, MANY = 5000, 25000
TEMPLATE_SIZE, TEMPLATE_STEPS = 300, 30
TEMPLATE_SHARES = ("50%", "10%")
# In memory alone, so that there is no archive to write.
TRACED = {"TSPROF_TRACE": "all", "TSPROF_TRACE_MEMORY": "256M", "TSPROF_OTF2": "none"}
FILTER = "SCOREP_REGION_NAMES_BEGIN EXCLUDE leaf SCOREP_REGION_NAMES_END\n"


def program(name):
    return os.path.join(BUILD, "bench", name)


def timed(command, directory, **settings):
    environment = dict(os.environ, TSPROF_VERBOSE="0", TSPROF_RATE="0",
                       TSPROF_OUTPUT=os.path.join(directory, "%t.%j.tsprof"))
    environment.update(settings)
    output = subprocess.run(command, env=environment, cwd=directory, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True,
                            text=True).stdout
    return float(output.split()[0])


def uftrace(directory, *options):
    return ["uftrace", "record", "--no-libcall", "--no-sched", "--no-pager", "-d",
            os.path.join(directory, "uftrace.data"), *options]


def scorep_program(directory):
    """region_cost, built by Score-P with its own listeners."""
    path = os.path.join(directory, "region_cost_scorep")
    if not os.path.exists(path):
        source = os.path.join(os.environ["TOP_SRCDIR"], "bench/region_cost.c")
        subprocess.run([os.path.join(SCOREP, "bin/scorep"), "--compiler", "--thread=none",
                        os.environ.get("MPICC") or "mpicc", "-g", "-O2", "-o", path, source],
                       check=True, cwd=directory)
    return path


def scorep_settings(directory, rules=""):
    """Score-P's profile of call paths, which is what tsprof makes."""
    return {"SCOREP_ENABLE_PROFILING": "true", "SCOREP_ENABLE_TRACING": "false",
            "SCOREP_EXPERIMENT_DIRECTORY": os.path.join(directory, "scorep"),
            "SCOREP_OVERWRITE_EXPERIMENT_DIRECTORY": "true", "SCOREP_FILTERING_FILE": rules}


def ways(directory, rules):
    """Each a name, the command, how many times fewer calls it is given, and variables."""
    told, command = {"LD_PRELOAD": RUNTIME}, [program("region_cost")]
    found = [("without tsprof", command, 1, {}), ("tsprof", command, 1, told),
             ("tsprof, filtered", command, 1, dict(told, TSPROF_FILTER=rules)),
             ("tsprof, in a trace", command, 1, dict(told, **TRACED))]
    # uftrace keeps each event on disk: a tenth of the calls are enough.
    if shutil.which("uftrace"):
        found += [("uftrace", uftrace(directory) + command, 10, {}),
                  ("uftrace, filtered", uftrace(directory, "-N", "leaf") + command, 10, {})]
    if SCOREP:
        command = [scorep_program(directory)]
        found += [("Score-P", command, 1, scorep_settings(directory)),
                  ("Score-P, filtered", command, 1, scorep_settings(directory, rules))]
    return found


def times(directory, rules):
    print("A function entered and left, nanoseconds (goal: 25; 3 if it is filtered)")
    print(f"{'depth':>6}{'bare':>8}" +
          "".join(f"{way[0]:>20}" for way in ways(directory, rules)))
    for depth in DEPTHS:
        bare, found = [], {way[0]: [] for way in ways(directory, rules)}
        for _ in range(ROUNDS):
            bare.append(timed([program("region_cost_bare"), str(depth), str(CALLS)], directory))
            for name, command, fewer, settings in ways(directory, rules):
                found[name].append(timed(command + [str(depth), str(CALLS // fewer)], directory,
                                         **settings))
        without = statistics.median(bare)
        print(f"{depth:>6}{without:>8.2f}" + "".join(
            f"{statistics.median(each) - without:>20.2f}" for each in found.values()), flush=True)


def clock():
    found = [float(subprocess.run([program("clock_cost"), "10000000"], check=True, text=True,
                                  stdout=subprocess.PIPE).stdout) for _ in range(ROUNDS)]
    print(f"\nOne reading of the processor's clock: {statistics.median(found):.2f} ns")


def scored(directory, share):
    """What `tsprof score` says of the last run, and its filter; None if none is enough."""
    summary = os.path.join(directory, "templates.tsprof")
    rules = os.path.join(directory, "templates.filter")
    result = subprocess.run([os.path.join(BUILD, "utils/tsprof"), "score", summary, "--share", share,
                             "-o", rules, "--force"], stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, text=True, check=False)
    return rules if result.returncode == 0 else None, result.stdout


def templates(directory):
    """Seconds, and how much of the bare program's that is."""
    settings = {"LD_PRELOAD": RUNTIME, "TSPROF_OUTPUT": os.path.join(directory, "templates.tsprof")}
    arguments = [str(TEMPLATE_SIZE), str(TEMPLATE_STEPS)]
    timed([program("region_templates")] + arguments, directory, **settings)
    found = {"bare": [], "without tsprof": [], "tsprof": []}
    rules = {}
    for share in TEMPLATE_SHARES:
        rules[share], said = scored(directory, share)
        if rules[share]:
            kept = os.path.join(directory, share.replace("%", "") + ".filter")
            os.replace(rules[share], kept)
            rules[share] = kept
            found["filter, " + share] = []
        print("\n" + share + ": " + " ".join(said.split("\n\n")[-2 if rules[share] else -1].split()))
    for _ in range(ROUNDS):
        found["bare"].append(timed([program("region_templates_bare")] + arguments, directory))
        found["without tsprof"].append(timed([program("region_templates")] + arguments, directory))
        found["tsprof"].append(timed([program("region_templates")] + arguments, directory,
                                     **settings))
        for share, path in rules.items():
            if path:
                found["filter, " + share].append(timed(
                    [program("region_templates")] + arguments, directory, TSPROF_FILTER=path,
                    **settings))
    print(f"\n{'templated C++':<20}{'seconds':>10}{'of bare':>10}")
    bare = statistics.median(found["bare"])
    for name, each in found.items():
        print(f"{name:<20}{statistics.median(each):>10.3f}"
              f"{100 * statistics.median(each) / bare:>9.0f}%", flush=True)


def counted_ways(directory, rules):
    """The same of what can be counted: a name, the command, what is preloaded, and variables."""
    command = [program("region_cost")]
    # Valgrind is slow: a part would be saved between any calls.
    found = [("tsprof", command, RUNTIME, {"TSPROF_PARTS": "0"}),
             ("filtered", command, RUNTIME, {"TSPROF_PARTS": "0", "TSPROF_FILTER": rules}),
             ("in a trace", command, RUNTIME, dict(TRACED, TSPROF_PARTS="0"))]
    if SCOREP:
        command = [scorep_program(directory)]
        found += [("Score-P", command, None, scorep_settings(directory)),
                  ("filtered", command, None, scorep_settings(directory, rules))]
    return found


def counted(directory, rules):
    print("\nInstructions of it, the program's call included")
    print(f"{'depth':>6}" + "".join(f"{way[0]:>12}" for way in counted_ways(directory, rules)))
    for depth in DEPTHS:
        row = []
        for _, command, preloaded, settings in counted_ways(directory, rules):
            os.environ.update(settings)
            # What reads the events at the end is left out.
            function = "leaf" if "TSPROF_TRACE" in settings else None
            few, many = (instructions.instructions(command + [str(depth), str(calls)], preloaded,
                                                   function)
                         for calls in (FEW, MANY))
            for name in settings:
                del os.environ[name]
            row.append((many - few) / ((MANY - FEW) * instructions.ROUNDS_OF_CALL_COST))
        print(f"{depth:>6}" + "".join(f"{each:>12.1f}" for each in row), flush=True)


def main():
    with tempfile.TemporaryDirectory(prefix="tsprof-bench.") as directory:
        rules = os.path.join(directory, "filter")
        with open(rules, "w") as file:
            file.write(FILTER)
        times(directory, rules)
        clock()
        templates(directory)
        if shutil.which("valgrind"):
            counted(directory, rules)
