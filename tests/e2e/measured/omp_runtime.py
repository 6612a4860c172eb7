#!/usr/bin/env python3
"""The time in the OpenMP runtime is a metric below computation, and the cores of threads that have
nothing to do are one beside it, of GCC's runtime and of LLVM's; no function of the runtime is named
as one that computes, or as a cause."""

import collections
import os
import re
import shutil

import harness
import summary_reader
from harness import Directory
from sampling import perf_is_allowed

# On two processors: a thread that waits for one is not sampled, whatever it would do.
RANKS, THREADS = 1, 2
ITERATIONS = 20
BUSY_MS, ALONE_MS = 12, 8


def run(tap, directory, program, name, threads=THREADS, timer="cpu"):
    summary = os.path.join(directory, name + ".tsprof")
    result = harness.run_ranks(
        [program, str(threads), str(ITERATIONS), str(BUSY_MS), str(ALONE_MS)], RANKS, cwd=directory,
        settings={"TSPROF_OUTPUT": summary, "TSPROF_RATE": "500", "TSPROF_TIMER": timer,
                  "OMP_PROC_BIND": "false", "OMP_WAIT_POLICY": "active", "KMP_USE_YIELD": "0"})
    harness.check_run(result, summary)
    tap.equal(harness.disagreements(summary), [], name + ": everything else is as the file has it")
    return summary


def values(summary, *options):
    """By call path and metric, in nanoseconds, summed over what is exported."""
    found = collections.Counter()
    for row in harness.export(summary, "callpaths", *options):
        if row["metric"] in ("omp_runtime", "idle_threads", "execution", "computation"):
            found[row["callpath"], row["metric"]] += round(1e9 * float(row["value"]))
    return found


def total(found, metric):
    return sum(value for (_, of), value in found.items() if of == metric)


def is_runtime(content, node):
    """Whether a function on the way to this node is of an OpenMP runtime."""
    while node is not None:
        module = content.regions[content.nodes[node].region].module
        if module is not None and os.path.basename(content.modules[module][0]).startswith(
                ("libgomp", "libomp")):
            return True
        node = content.nodes[node].parent
    return False


def team(content, location):
    """How many other threads of the process samples have seen in parallel regions; on a busy machine
    that may be none."""
    def was_in_one(one):
        return any(is_runtime(content, node) for (node, _), value in one.whole.items() if value)

    mates = [one for one in content.locations
             if one.place.rank == location.place.rank and one is not location]
    return sum(map(was_in_one, mates)) if was_in_one(location) else 0


def idle_ns(content, location, profile):
    """What idle_threads must be of a profile of a process's first thread: by the file alone."""
    names = [metric.name for metric in content.metrics]
    ancestors = {}
    for i, metric in enumerate(content.metrics):
        ancestors[i] = {names[i]} | (ancestors[metric.parent] if metric.parent is not None
                                     else set())
    if location.place.thread != 0:
        return 0
    return team(content, location) * sum(value for (node, metric), value in profile.items()
                               if "execution" in ancestors[metric] and
                               not is_runtime(content, node))


def check_values(tap, summary, of):
    content = summary_reader.Summary(summary)
    first, last = (values(summary, "--total", "--thread", thread) for thread in ("0", "1"))
    both = values(summary, "--total")
    # Ranks that wait for a processor wait for longer: these are the least values.
    tap.ok(total(first, "omp_runtime") >= RANKS * ITERATIONS * BUSY_MS * 500000,
           of + ": the first thread waits in the runtime for the last one", first)
    tap.ok(total(last, "omp_runtime") >= RANKS * ITERATIONS * ALONE_MS * 500000,
           of + ": the other one waits there for work", last)
    tap.ok(all(value <= both[path, "computation"] for (path, metric), value in both.items()
               if metric == "omp_runtime"), of + ": it is part of computation on each path", both)
    tap.ok(not any(metric == "omp_runtime" and path.endswith(("work", "alone"))
                   for path, metric in both), of + ": what works is not in it", both)
    wanted = sum(idle_ns(content, location, location.whole) for location in content.locations)
    tap.equal(total(both, "idle_threads"), wanted, of + ": other threads are idle while the first "
              "is in no parallel region, to the nanosecond")
    tap.ok(wanted >= RANKS * ITERATIONS * ALONE_MS * 500000, of + ": that is some time", wanted)


def check_iterations(tap, summary, of):
    content = summary_reader.Summary(summary)
    rows = collections.Counter()
    for row in harness.export(summary, "iterations", "--phase", "timestep"):
        rows[row["metric"]] += float(row["value"])
    clusters = sum(idle_ns(content, location, cluster.profile) for location in content.locations
                   for series in location.series for cluster in series.clusters)
    tap.ok(abs(rows["idle_threads"] - 1e-9 * clusters) < 1e-6,
           of + ": idle threads of all iterations", (rows["idle_threads"], clusters))
    tap.ok(0 < rows["omp_runtime"] <= rows["computation"], of + ": the runtime of iterations", rows)


def section(report, title):
    """The lines of a chapter of the report."""
    lines = report.splitlines()
    begins = [i for i, line in enumerate(lines) if line.startswith(title)]
    end = begins[0] if begins else 0
    while end < len(lines) and lines[end]:
        end += 1
    return lines[begins[0]:end] if begins else []


def check_views(tap, summary, of, directory):
    report = harness.tsprof("report", summary).stdout
    for metric in ("omp_runtime", "idle_threads"):
        tap.ok(any(line.split()[:1] == [metric] for line in section(report, "Where the time went")),
               of + ": the report has " + metric, report)
    hot = [line for line in section(report, "Hottest call paths of the whole run: computation")
           if line[:10].strip()[:1].isdigit()]
    tap.ok(hot, of + ": functions that compute are listed", report)
    # Paths may lead through the runtime, to the program's functions that it calls.
    ends = [line.split(" > ")[-1] for line in section(report, "Slowest iterations")]
    named = [line for line in hot + ends + section(report, "What stands out")
             if re.search("gomp|GOMP_|kmp|libomp", line)]
    tap.equal(named, [], of + ": no function of the runtime stands out")
    for options in (["plot", summary, "--metric", "omp_runtime", "--kind", "graph", "-o", "omp.svg"],
                    ["plot", summary, "--metric", "idle_threads", "--kind", "ranks", "-o", "idle.svg"],
                    ["report", summary, "--metric", "omp_runtime"]):
        result = harness.tsprof(*options, "--force" if "-o" in options else "--top=3",
                                cwd=directory)
        tap.equal(result.status, 0, of + ": " + " ".join(options[:1] + options[2:4]))
    difference = os.path.join(directory, "difference.tsprof")
    harness.tsprof("diff", summary, summary, "-o", difference, "--force")
    tap.equal(values(difference, "--total"), collections.Counter(),
              of + ": a run less itself has none")
    mean = os.path.join(directory, "mean.tsprof")
    harness.tsprof("mean", summary, summary, "-o", mean, "--force")
    tap.equal(values(mean, "--total"), values(summary, "--total"), of + ": nor more in the mean")
    joined = os.path.join(directory, "joined.tsprof")
    harness.tsprof("join", summary, summary, "-o", joined, "--force")
    tap.equal(values(joined, "--total"), values(summary, "--total"), of + ": nor where joined")


def check_page(tap, summary, directory):
    page = os.path.join(directory, "page.html")
    result = harness.tsprof("html", summary, "-o", page, "--force")
    if "without the page" in result.stderr:
        tap.skip("the page has the metrics", "tsprof was built without the page")
        return
    tap.equal((result.status, result.stderr), (0, ""), "there is a page")
    tap.ok(summary_of_page(page, directory, "omp_runtime"), "which has the metrics")


def summary_of_page(page, directory, metric):
    """Whether the summary in the page has the metric."""
    import base64
    import re
    with open(page, encoding="utf-8", errors="replace") as stream:
        text = stream.read()
    pieces = re.findall(r'<script type="application/octet-stream;base64">([^<]*)</script>', text)
    extracted = os.path.join(directory, "page.tsprof")
    with open(extracted, "wb") as stream:
        for piece in pieces:
            stream.write(base64.b64decode(piece))
    names = [entry.name for entry in summary_reader.Summary(extracted).metrics]
    return metric in names


def test_gnu(tap):
    with Directory() as directory:
        summary = run(tap, directory, harness.program("omp_uneven"), "libgomp")
        check_values(tap, summary, "libgomp")
        check_iterations(tap, summary, "libgomp")
        check_views(tap, summary, "libgomp", directory)
        check_page(tap, summary, directory)
        cubex = os.path.join(directory, "out.cubex")
        result = harness.tsprof("export", summary, "--format", "cubex", "-o", cubex)
        tap.ok(result.status == 0 or "without" in result.stderr, "it is exported as a profile of "
               "CUBE", result.stderr)


def test_llvm(tap):
    if not shutil.which("clang"):
        tap.skip("LLVM's runtime", "there is no clang")
        return
    with Directory() as directory:
        program = os.path.join(directory, "omp_uneven")
        made = harness.execute(
            harness.mpicc() + ["-fopenmp", "-g", "-O2", "-w", "-pthread",
                               "-I" + os.path.join(harness.TOP_SRCDIR, "include"), "-o", program,
                               os.path.join(harness.TOP_SRCDIR, "tests", "programs",
                                            "omp_uneven.c"), "-lm"],
            settings={"MPICH_CC": "clang", "OMPI_CC": "clang"})
        if made.status != 0:
            tap.skip("LLVM's runtime", "it is not installed")
            return
        summary = run(tap, directory, program, "libomp")
        check_values(tap, summary, "libomp")
        check_views(tap, summary, "libomp", directory)


def test_calls_of_the_system(tap):
    """A function that calls the system all the time has its share by performance events, too."""
    if not perf_is_allowed():
        raise harness.Skip("perf events are not allowed here")
    with Directory() as directory:
        summary = run(tap, directory, harness.program("omp_uneven"), "perf", timer="perf")
        alone = sum(value for (path, metric), value in
                    values(summary, "--total", "--thread", "0").items()
                    if metric == "computation" and ";alone;" in path)
        tap.ok(alone >= RANKS * ITERATIONS * ALONE_MS * 700000,
               "what calls clock_gettime has its time", alone)


def test_none(tap):
    with Directory() as directory:
        _, summary = harness.profile(directory, "stencil", 2)
        names = {row["metric"] for row in harness.export(summary, "callpaths", "--total")}
        tap.ok("computation" in names and not names & {"omp_runtime", "idle_threads"},
               "a program without OpenMP has none of it", names)
        result = harness.tsprof("report", summary, "--metric", "omp_runtime")
        tap.equal(result.status, 2, "and it cannot be asked for")


if __name__ == "__main__":
    harness.main()
