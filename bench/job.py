#!/usr/bin/env python3
"""What a job pays for tsprof: its time with and without, on all cores of the machine.

    make bench BENCH=job [ROUNDS=5] [SECONDS=3] [RANKS="2 4 16"] [ONLY="exchange:100 ..."] [JSON=FILE]
    job.py [OPTIONS] [KIND:STEP_US ...]

By itself it needs nothing but python3 and mpirun, so that programs and runtimes can be carried to
another machine.  Every round has two runs without tsprof, one with it, one with the runtime of
another build (BASE=BUILD-DIRECTORY or --base) and one with each --setting, in an order that changes
from round to round; the cases are those of CASES or those given, by kind and microseconds of a
step (see job_steps.c), and the programs given with --program, which print their own seconds.

`noise` is by how much the second run without tsprof differs from the first, all else what a run
takes longer than the mean of the two, per cent, median over the rounds and its standard error:
`job` between the program's own clock readings, `whole` from starting the launcher to its end.
`told` is what tsprof accounts for itself, per cent of the ranks' time.
"""

import argparse
import json
import math
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

CASES = ("exchange:100", "exchange:1000", "exchange:10000", "allreduce:100", "allreduce:1000",
         "wavefront:1000", "unbalanced:1000")
# What the NAS Parallel Benchmarks and LULESH print.
SECONDS_PRINTED = r"(?:Time in seconds|Elapsed time) *= *([\d.eE+-]+)"
BARE = ("bare", "bare again")
# Of a histogram of stalls: 2^11 ns, as job_steps.c has it.
FIRST_BIN = 11


def environment_default(name, default):
    return os.environ.get(name) or default


def cores():
    return len(os.sched_getaffinity(0))


def built(directory, name):
    return os.path.join(os.path.abspath(directory), name)


def parsed(arguments):
    build = environment_default("TOP_BUILDDIR", ".")
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("cases", nargs="*", metavar="KIND:STEP_US")
    parser.add_argument("--build", default=build, help="build directory of tsprof")
    parser.add_argument("--base", default=os.environ.get("BASE"),
                        help="another one, to compare with")
    parser.add_argument("--setting", action="append", default=[], metavar="NAME=VALUE[,...]",
                        help="one more run with TSPROF_NAME=VALUE")
    parser.add_argument("--program", action="append", default=[], metavar="COMMAND",
                        help="a program instead of CASES; %%n in it is the number of ranks")
    parser.add_argument("--pattern", default=SECONDS_PRINTED, help="of the seconds that it prints")
    parser.add_argument("--ranks", default=environment_default("RANKS", f"2 4 {cores()}"))
    parser.add_argument("--rounds", type=int, default=int(environment_default("ROUNDS", "5")))
    parser.add_argument("--seconds", type=float, default=float(environment_default("SECONDS", "3")))
    parser.add_argument("--budget", type=float, default=math.inf, metavar="SECONDS",
                        help="begin no round that would end later")
    parser.add_argument("--mpirun", default=environment_default("MPIRUN", "mpirun"),
                        help="the launcher, with options")
    parser.add_argument("--directory", help="where runs leave their files")
    parser.add_argument("--json", metavar="FILE", default=os.environ.get("JSON"),
                        help="all that was measured, for --table and job_model.py")
    parser.add_argument("--table", nargs="+", metavar="FILE", help="measure nothing, print tables")
    options = parser.parse_args(arguments)
    if not options.cases and not options.program:
        options.cases = environment_default("ONLY", " ".join(CASES)).split()
    options.ranks = sorted({int(n) for n in options.ranks.replace(",", " ").split()})
    return options


# Ways to run: what is preloaded into the ranks, the environment, and the command that reads the
# summary.


def way_of(build, settings=""):
    named = (setting.split("=", 1) for setting in settings.split(",") if setting)
    return {"runtime": built(build, "libprof/.libs/libtsprof.so"),
            "tsprof": built(build, "utils/tsprof"),
            "environment": {"TSPROF_" + name: value for name, value in named}}


def ways_of(options):
    ways = {name: {"runtime": None, "environment": {}} for name in BARE}
    if options.base:
        ways["base"] = way_of(options.base)
    ways["tsprof"] = way_of(options.build)
    for settings in options.setting:
        ways[settings] = way_of(options.build, settings)
    return ways


# Running


UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}
QUANTITY = r"([\d.]+) ([nµm]?s)"


def seconds_in(match, first):
    return float(match[first]) * UNITS[match[first + 1]]


def part_of(line, info):
    """Number and seconds of the calls or samples in a line of `tsprof info`."""
    match = re.search(rf"^{line} +(\d+).*?, {QUANTITY} each", info, re.M)
    return ({"count": int(match[1]), "seconds": int(match[1]) * seconds_in(match, 2)} if match
            else {"count": 0, "seconds": 0.0})


def stalls_in(info):
    """By cause; bins begin at powers of two, which the text rounds."""
    stalls = []
    for match in re.finditer(rf"^  (\w+) +longest {QUANTITY}: (.+)$", info, re.M):
        bins = [(2 ** round(math.log2(1e9 * seconds_in(each, 2))), int(each[1]))
                for each in re.finditer(rf"(\d+) from {QUANTITY}", match[4])]
        stalls.append({"cause": match[1], "longest_ns": round(1e9 * seconds_in(match, 2)),
                       "count": sum(count for _, count in bins),
                       "histogram": [{"from_ns": low, "count": count} for low, count in bins]})
    return stalls


def cost_in(info):
    """What the text that `tsprof info` writes says of the cost; `wall_s` is the sum over ranks."""
    ranks = int(re.search(r"^ranks +(\d+)", info, re.M)[1])
    cost = {"percent": float(re.search(r"^cost +([\d.]+) % of the run", info, re.M)[1]),
            "wall_s": ranks * seconds_in(re.search(rf"^time +{QUANTITY} measured", info, re.M), 1),
            "calls": part_of("calls", info), "samples": part_of("samples", info)}
    job = re.search(r"^job cost +([\d.]+) % of the run", info, re.M)
    if job:
        cost["job_percent"] = float(job[1])
    if re.search(r"^stalls ", info, re.M):  # older builds do not tell
        cost["stalls"] = stalls_in(info)
    return cost


def account(way, summary):
    return cost_in(subprocess.run([way["tsprof"], "info", summary], stdout=subprocess.PIPE,
                                  encoding="utf-8", check=True).stdout)


def run(options, way, command, ranks, pattern):
    with tempfile.TemporaryDirectory(prefix="tsprof-bench.", dir=options.directory) as directory:
        summary = os.path.join(directory, "summary.tsprof")
        environment = dict(os.environ, TSPROF_VERBOSE="0", TSPROF_OUTPUT=summary,
                           **way["environment"])
        # Into the ranks only: the launcher is not what is measured.
        preload = ["env", "LD_PRELOAD=" + way["runtime"]] if way["runtime"] else []
        begin = time.perf_counter()
        output = subprocess.run(
            [*shlex.split(options.mpirun), "-n", str(ranks), *preload, *command], cwd=directory,
            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True)
        result = {"whole": time.perf_counter() - begin,
                  "seconds": float(re.search(pattern, output.stdout)[1])}
        if way["runtime"]:
            result["told"] = account(way, summary)
        return result


def job_steps(options):
    return built(options.build, "bench/job_steps")


def speeds(options):
    """Rounds of computation in a microsecond, by ranks: cores may be slower where all compute."""
    way = {"runtime": None, "environment": {}}
    command = [job_steps(options), "calibrate"]
    return {ranks: run(options, way, command, ranks, r"([\d.]+)")["seconds"]
            for ranks in options.ranks}


def noise_of_system(options, seconds=3):
    """What the system takes of ranks that only look at the clock, as cost_in gives it."""
    output = subprocess.run([*shlex.split(options.mpirun), "-n", str(options.ranks[-1]),
                             job_steps(options), "noise", str(seconds)], check=True, text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout
    wall_s, longest_ns, *bins = (float(number) for number in output.split())
    histogram = [{"from_ns": 2 ** bin, "count": int(count)}
                 for bin, count in enumerate(bins, FIRST_BIN) if count]
    nothing = {"count": 0, "seconds": 0.0}
    return {"wall_s": wall_s, "calls": nothing, "samples": nothing,
            "stalls": [{"cause": "system", "longest_ns": int(longest_ns), "histogram": histogram,
                        "count": sum(each["count"] for each in histogram)}]}


def rows_of(options):
    """What is to be measured: name, ranks, command, how it prints its seconds, and no runs yet."""
    speed = speeds(options) if options.cases else {}
    rows = []
    for case in options.cases:
        kind, step = case.split(":")
        rows += [{"case": case, "ranks": ranks, "pattern": r"([\d.]+)", "step_us": float(step),
                  "command": [job_steps(options), kind, step, str(options.seconds),
                              str(speed[ranks])]}
                 for ranks in options.ranks]
    for program in options.program:
        for ranks in options.ranks:
            command = [word.replace("%n", str(ranks)) for word in shlex.split(program)]
            if os.path.exists(command[0]):
                command[0] = os.path.abspath(command[0])
            rows.append({"case": os.path.basename(command[0]), "ranks": ranks, "command": command,
                         "pattern": options.pattern})
    return [dict(row, rounds=[]) for row in rows]


def measure_round(options, ways, rows, number):
    names = list(ways)
    for row in rows:
        turn = names[number % len(names):] + names[:number % len(names)]
        row["rounds"].append({name: run(options, ways[name], row["command"], row["ranks"],
                                        row["pattern"]) for name in turn})
        print(".", end="", file=sys.stderr, flush=True)


def machine():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = re.search(r"model name\s*: (.*)", file.read())
    except OSError:
        model = None
    return {"processor": model[1] if model else "unknown", "cores": cores()}


def measure(options):
    ways, rows = ways_of(options), rows_of(options)
    results = {"machine": machine(), "ways": list(ways), "rows": rows}
    if os.path.exists(job_steps(options)):
        results["noise"] = noise_of_system(options)
    begin, taken = time.monotonic(), 0.0
    for number in range(options.rounds):
        if number and time.monotonic() - begin + taken > options.budget:
            break
        start = time.monotonic()
        measure_round(options, ways, rows, number)
        taken = time.monotonic() - start
        if options.json:
            with open(options.json, "w", encoding="utf-8") as file:
                json.dump(results, file, indent=1)
    print(file=sys.stderr)
    return results


# Tables


def estimate(values):
    """Median, and the standard error that it would have were the values normally distributed."""
    error = 1.253 * statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0
    return statistics.median(values), error


def longer(row, way, what):
    """By how many per cent the runs of WAY took longer than those without tsprof, by round."""
    def of_round(each):
        bare = statistics.mean(each[name][what] for name in BARE)
        return 100 * (each[way][what] / bare - 1)
    return estimate([of_round(each) for each in row["rounds"]])


def noise(row):
    return estimate([100 * (each[BARE[1]]["seconds"] / each[BARE[0]]["seconds"] - 1)
                     for each in row["rounds"]])


def print_table(results):
    """A row for each case and number of ranks; of each way: job, whole, told."""
    measured = [way for way in results["ways"] if way not in BARE]
    print(f"{results['machine']['processor']}, {results['machine']['cores']} cores; rounds: "
          f"{len(results['rows'][0]['rounds'])}")
    print(f"{'':37}" + "".join(f"  {way:^27}" for way in measured))
    print(f"{'case':<16}{'ranks':>5}{'seconds':>8}{'noise':>8}" + "".join(
        f"  {'job':>7}{'+/-':>6}{'whole':>8}{'told':>6}" for _ in measured))
    for row in results["rows"]:
        if not row["rounds"]:
            continue
        seconds = statistics.median(each[BARE[0]]["seconds"] for each in row["rounds"])
        line = f"{row['case']:<16}{row['ranks']:>5}{seconds:>8.2f}{noise(row)[0]:>8.2f}"
        for way in measured:
            job, error = longer(row, way, "seconds")
            told = statistics.median(each[way]["told"]["percent"] for each in row["rounds"])
            line += f"  {job:>7.2f}{error:>6.2f}{longer(row, way, 'whole')[0]:>8.2f}{told:>6.2f}"
        print(line, flush=True)


def loaded(name):
    with open(name, encoding="utf-8") as file:
        return json.load(file)


def main(arguments=()):
    options = parsed(arguments)
    for results in [loaded(name) for name in options.table] if options.table else [measure(options)]:
        print("\nTime of a job over that without tsprof, per cent (goal: 1 on as many ranks as "
              "cores)")
        print_table(results)


if __name__ == "__main__":
    main(sys.argv[1:])
