#!/usr/bin/env python3
"""Times add up to the wall time and clusters add up to the run, exactly and in integers; said by
`tsprof info` and, independently, by a reader written from doc/format.md alone."""

import harness
import summary_reader
from harness import COUNTING_PROGRAMS, Directory, Failure


def info_lines(summary):
    result = harness.tsprof("info", summary)
    if result.status != 0:
        raise Failure("tsprof info: status %d\n%s" % (result.status, result.stderr))
    return result.stdout.splitlines()


def check_info(tap, label, summary):
    lines = info_lines(summary)
    for word in ("accounting", "totals"):
        line = next((l for l in lines if l.startswith(word)), "")
        tap.ok("exact:" in line, "%s: info says that %s are exact" % (label, word),
               line or "no line about it in:\n" + "\n".join(lines))


def check_map(tap, label, content, ranks, phase, iterations, clusters):
    """Every rank has a series of that phase, and it tells of every iteration."""
    for place, location in zip(content.places, content.locations):
        series = [s for s in location.series if content.phases[s.phase].name == phase]
        if place.thread != 0:
            continue
        where = "%s, rank %d: " % (label, place.rank)
        if not tap.equal(len(series), 1, where + "one series of the phase " + phase):
            continue
        tap.equal(summary_reader.iterations(series[0]), iterations,
                  where + "the map tells of all iterations")
        tap.equal([run for run in series[0].map if run[1] is None], [],
                  where + "no iteration is lost")
        count = len(series[0].clusters)
        most = clusters or iterations
        tap.ok(count <= most, where + "at most %d clusters" % most, "%d clusters" % count)
        if clusters == 0:
            tap.equal(sorted({c.size for c in series[0].clusters}), [1],
                      where + "every iteration is kept")
    tap.equal([p.rank for p in content.places if p.thread == 0], list(range(ranks)),
              label + ": all ranks are there")


def check_file(tap, label, summary):
    try:
        content = summary_reader.Summary(summary)
    except summary_reader.Malformed as error:
        tap.ok(False, label + ": follows the format", error)
        return None
    tap.equal(content.state, 1, label + ": the summary is complete")
    found = summary_reader.problems(content)
    tap.ok(not found, label + ": times and totals are exact", "\n".join(found))
    return content


def try_program(tap, program, ranks, clusters, settings=None):
    label = "%s, %d ranks, %s clusters" % (program.name, ranks, clusters or "all")
    settings = dict(settings or {}, TSPROF_CLUSTERS=str(clusters))
    if settings.get("TSPROF_RATE"):
        label += ", %s samples a second" % settings["TSPROF_RATE"]
    with Directory() as directory:
        try:
            _, summary = harness.profile(directory, program.name, ranks, settings=settings)
            check_info(tap, label, summary)
            content = check_file(tap, label, summary)
            if content:
                check_map(tap, label, content, ranks, program.phase, program.iterations,
                          clusters)
        except Failure as failure:
            tap.ok(False, label, failure)


def test_all_programs(tap):
    for program in harness.some(COUNTING_PROGRAMS):
        if not harness.is_built(program.name):
            tap.skip(program.name, "not built")
            continue
        for ranks in program.ranks:
            # More ranks than processors wait long for each other, so one program has them.
            if ranks <= 2 or program is COUNTING_PROGRAMS[0]:
                try_program(tap, program, ranks, 4 if ranks != 2 else 0)


def test_extreme_clusters(tap):
    stencil = COUNTING_PROGRAMS[0]
    for clusters in (1, 2, 29, 30, 31, 1000):
        try_program(tap, stencil, 1, clusters)


def test_extreme_rates(tap):
    particles = COUNTING_PROGRAMS[2]
    for rate in ("0", "10000"):
        try_program(tap, particles, 2, 8, {"TSPROF_RATE": rate})


def test_equivalences(tap):
    stencil = COUNTING_PROGRAMS[0]
    for equivalence in ("none", "strong", "weak", "hybrid"):
        try_program(tap, stencil, 2, 6, {"TSPROF_EQUIVALENCE": equivalence})


def test_time_passes(tap):
    """What adds up exactly could still be nonsense: compare with the wall clock outside."""
    with Directory() as directory:
        import time
        begin = time.time()
        _, summary = harness.profile(directory, "stencil", 2)
        passed = time.time() - begin
        content = summary_reader.Summary(summary)
        for place, location in zip(content.places, content.locations):
            wall = location.wall_ns / 1e9
            tap.ok(0 < wall <= passed, "rank %d: the wall time is within the run's" % place.rank,
                   "%g s measured, %g s passed" % (wall, passed))
            negative = [
                (content.callpath(node), content.metrics[metric].name, value)
                for (node, metric), value in location.whole.items() if value < 0]
            tap.equal(negative, [], "rank %d: nothing is negative" % place.rank)


if __name__ == "__main__":
    harness.main()
