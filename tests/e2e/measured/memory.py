#!/usr/bin/env python3
"""What happens when TSPROF_MEMORY is used up comes in the order that doc/how-it-works.md gives, and each
step of it is said in the summary and by `tsprof info`."""

import extremes
import harness
import threads
from harness import Directory

NOTES = {
    "closest": "put into the closest existing one",
    "mixed": "iterations of different kinds share some",
    "lost": "only in the whole-run profile",
    "unknown": "no memory for what is known of some call paths",
    "joined": "later ones are joined in one",
    "summed": "some instances were summed or ignored",
    "unmeasured": "more threads than could be measured",
}


def check_notes(tap, label, content, said, wanted):
    texts = " ".join(note for location in content.locations for note in location.notes)
    found = {step for step, text in NOTES.items() if text in texts}
    tap.equal(found, wanted, label + ": what was noted")
    tap.equal({step for step in found if NOTES[step] in said}, found, label + ": info says it")


def try_mode(tap, arguments, settings, wanted, lost):
    settings = dict(settings, TSPROF_RATE="0")
    said, content = extremes.try_mode(tap, arguments, settings=settings,
                                      complete="joined" not in wanted)
    label = " ".join(arguments + list(settings.values()))
    check_notes(tap, label, content, said, wanted)
    series = content.locations[0].series[0]
    tap.equal(extremes.lost(series) > 0, lost, label + ": whether iterations are lost")
    return series


def test_enough(tap):
    try_mode(tap, ["various"], {"TSPROF_CLUSTERS": "0"}, set(), False)


def test_fewer_clusters(tap):
    """First iterations share clusters: those of one kind, then any."""
    little = {"TSPROF_MEMORY": "1M", "TSPROF_CLUSTERS": "0"}
    series = try_mode(tap, ["various"], dict(little, TSPROF_EQUIVALENCE="none"), {"closest"},
                      False)
    tap.ok(len(series.clusters) >= 100, "as many clusters as memory is for",
           len(series.clusters))
    try_mode(tap, ["various"], little, {"closest", "mixed"}, False)


def test_lost_iterations(tap):
    """Those that may share none are in the whole-run profile only."""
    little = {"TSPROF_MEMORY": "1M", "TSPROF_CLUSTERS": "0", "TSPROF_EQUIVALENCE": "strong"}
    try_mode(tap, ["various"], little, {"closest", "lost"}, True)


def test_call_paths(tap):
    """Clusters leave a quarter of the memory to call paths, and call paths some to clusters.

    Runs long enough for a save, which needs what is set aside for it."""
    little = {"TSPROF_MEMORY": "1M", "TSPROF_EQUIVALENCE": "none", "TSPROF_RATE": "0"}
    paths = {}
    for clusters in ("1", "0"):
        with Directory() as directory:
            _, _, content = extremes.run(directory, ["new-trees", "60000"], 1,
                                         dict(little, TSPROF_CLUSTERS=clusters))
            paths[clusters] = len(content.nodes)
            taken = extremes.bounded_memory(content.locations[0])
            tap.ok(0.8 * (1 << 20) < taken <= 1 << 20,
                   clusters + " clusters: most of the memory is used, and no more", taken)
    tap.ok(paths["0"] > 500 and paths["1"] > 800, "call paths have their part in any case", paths)
    try_mode(tap, ["new-trees"], dict(little, TSPROF_CLUSTERS="8"),
             {"joined", "unknown"}, False)


def test_used_to_the_end(tap):
    """Call paths are refused when memory is used up, and not before; the rest goes on."""
    # All call paths in the first iteration; new ones in each; none of them in any.
    for memory, mode in harness.some((
            ("8M", ["paths", "15"]), ("8M", ["unmarked", "15"]), ("8M", ["new-trees", "40000"]),
            ("32M", ["paths", "17"]), ("32M", ["unmarked", "17"]), ("64M", ["paths", "17"]))):
        # What each call path may come to need is planned for: a cluster of all of them, what is
        # known of their cells (a 16th of all), and while loops are looked for, each open pass.
        wanted = 0.7 if mode[0] == "unmarked" else 0.8
        said, content = extremes.try_mode(tap, mode, settings={
            "TSPROF_MEMORY": memory, "TSPROF_RATE": "0"}, complete=False)
        location, label = content.locations[0], " ".join(mode + [memory])
        share = extremes.bounded_memory(location) / extremes.memory_setting(content)
        tap.ok(NOTES["joined"] in " ".join(location.notes), label + ": call paths are refused",
               location.notes)
        tap.ok(share >= wanted, label + ": when memory is used up",
               "%.1f %% of it, %d call paths" % (100 * share, len(content.nodes)))
        if mode[0] != "unmarked":
            tap.ok(not any(extremes.lost(series) for series in location.series),
                   label + ": every iteration has a profile", location.notes)


def test_large_iterations_while_saved(tap):
    """What a save keeps of what changes meanwhile leaves memory for the iteration that ends."""
    for _ in range(3):
        _, content = extremes.try_mode(tap, ["paths", "15"], settings={"TSPROF_RATE": "0"})
        tap.equal([extremes.lost(series) for series in content.locations[0].series], [0],
                  "paths 15: each iteration has a profile")


def test_a_large_iteration_when_memory_is_used_up(tap):
    """Nobody could know that it would come: the limit holds, and the totals."""
    for clusters in ("1", "64"):
        said, content = extremes.try_mode(tap, ["all-in-the-end", "40000"], settings={
            "TSPROF_MEMORY": "8M", "TSPROF_CLUSTERS": clusters, "TSPROF_RATE": "0"},
            complete=False)
        tap.ok(NOTES["joined"] in " ".join(content.locations[0].notes),
               "all in the end, %s clusters: memory was used up" % clusters)


def test_many_clusters_of_many_paths(tap):
    """1024 clusters of 3000 call paths do not fit into the default: there are fewer of them."""
    said, content = extremes.try_mode(tap, ["wide"], settings={
        "TSPROF_CLUSTERS": "1024", "TSPROF_EQUIVALENCE": "none", "TSPROF_RATE": "0"})
    location = content.locations[0]
    tap.ok(len(content.nodes) > 3000, "wide: every call path", len(content.nodes))
    tap.equal(extremes.lost(location.series[0]), 0, "wide: no iteration is lost")
    tap.ok(64 < len(location.series[0].clusters) < 1024, "wide: fewer clusters than asked for",
           len(location.series[0].clusters))
    check_notes(tap, "wide", content, said, {"closest"})
    tap.ok("raise TSPROF_MEMORY" in said, "wide: info says what helps", said)


def test_auto(tap):
    """Clusters as many as they are worth, in what there is, and some for each phase."""
    for memory in ("1M", "32M"):
        said, content = extremes.try_mode(tap, ["various"], settings={
            "TSPROF_CLUSTERS": "auto", "TSPROF_MEMORY": memory, "TSPROF_RATE": "0"})
        series = content.locations[0].series[0]
        if memory == "32M":
            tap.ok(64 <= len(series.clusters) <= 256, "auto, 32M: 64 clusters or more",
                   len(series.clusters))
            check_notes(tap, "auto, 32M", content, said, set())
    said, content = extremes.try_mode(tap, ["various"], settings={
        "TSPROF_CLUSTERS": "0.2%", "TSPROF_RATE": "0"})
    tap.ok(len(content.locations[0].series[0].clusters) > 128, "0.2 %: as many as that takes",
           len(content.locations[0].series[0].clusters))
    check_notes(tap, "0.2 %", content, said, set())
    said, content = extremes.try_mode(tap, ["collectives"], settings={
        "TSPROF_CLUSTERS": "auto", "TSPROF_MEMORY": "4M", "TSPROF_RATE": "0"})
    check_notes(tap, "auto, two phases", content, said, set())


def test_threads(tap):
    """The memory of threads that are no more measured is left to the others."""
    with Directory() as directory:
        _, summary = threads.run(directory, ["crowd", "150"], {"TSPROF_MEMORY": "2M"})
        content = threads.check_exact(tap, "crowd", summary)
        check_notes(tap, "crowd", content, harness.tsprof("info", summary).stdout,
                    {"unmeasured"})


def test_phases(tap):
    """Kept phases nested so deeply that there is no memory for their profiles are summed."""
    said, content = extremes.try_mode(tap, ["nested", "14"], settings={"TSPROF_MEMORY": "1M"})
    check_notes(tap, "nested", content, said, {"summed"})


if __name__ == "__main__":
    harness.main()
