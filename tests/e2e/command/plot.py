#!/usr/bin/env python3
"""`tsprof plot` draws what `tsprof export` says: lines, areas and colours turned back into values.

Also: how iterations and ranks are put together where there are many, extreme runs, names that
mean harm, and command lines that cannot be followed.
"""

import collections
import math
import os
import re
import statistics

import harness
import picture_reader
from synthetic import make

# The colours of a map's scale: before them is that of no value, after them those of values that lie
# below and above the scale.
STEPS = 253
BELOW, ABOVE = STEPS + 1, STEPS + 2


def draw(summary, *options):
    """The SVG of a plot."""
    result = harness.tsprof("plot", summary, *options)
    if result.status != 0:
        raise harness.Failure("plot %s: status %d\n%s"
                              % (" ".join(options), result.status, result.stderr))
    return picture_reader.Picture(result.stdout)


def exported(summary, metric, *options):
    """By iteration, then by rank."""
    values = collections.defaultdict(dict)
    for row in harness.export(summary, "iterations", "--metric", metric, *options):
        values[int(row["iteration"])][int(row["rank"])] = float(row["value"])
    return values


def whole_run(summary, metric):
    total = collections.Counter()
    for row in harness.export(summary, "callpaths", "--total", "--metric", metric):
        total[int(row["rank"])] += float(row["value"])
    return total


def compare(tap, picture, got, wanted, name):
    """Values by number, as far as a picture can tell them."""
    step = picture.step()
    wrong = [(key, got.get(key), wanted.get(key)) for key in sorted(set(got) | set(wanted))
             if key not in got or key not in wanted or abs(got[key] - wanted[key]) > step]
    tap.ok(not wrong and wanted, name, "at most %g apart: %r" % (step, wrong[:5]))


def chunks(values, size):
    """Lists of SIZE neighbours, by the number of the first."""
    first = min(values)
    parts = collections.defaultdict(list)
    for key in sorted(values):
        parts[first + (key - first) // size * size].append(values[key])
    return parts


def spread(parts, size, end, function):
    """FUNCTION of each chunk, for each of its places up to END."""
    return {place: function(part) for first, part in parts.items()
            for place in range(first, min(first + size, end))}


def note_with(picture, words):
    found = [text for text in picture.texts() if words in text]
    return found[0] if found else None


# Kinds


def test_the_iteration_graph_is_the_export(tap):
    with harness.Directory() as directory:
        path = make(directory, "--ranks", "9", "--iterations", "130")
        values = exported(path, "computation")
        for name, middle in (("mean", statistics.fmean), ("median", statistics.median)):
            picture = draw(path, "--kind", "graph", "--metric", "computation",
                           "--statistic", name)
            for line, function in (("high", max), ("middle", middle), ("low", min)):
                compare(tap, picture, picture.line(line),
                        {i: function(list(ranks.values())) for i, ranks in values.items()},
                        "%s over ranks of 130 iterations" % (name if line == "middle" else line))
        said = harness.tsprof("plot", path, "--kind", "graph").stdout
        tap.ok(said.index('class="high"') < said.index('class="low"') < said.index('class="middle"'),
               "the middle line is on top of others that coincide with it")
        some = draw(path, "--kind", "graph", "--metric", "computation", "--iterations", "20-49",
                    "--rank", "3-5", "--scale", "range")
        compare(tap, some, some.line("high"),
                {i: max(values[i][r] for r in (3, 4, 5)) for i in range(20, 50)},
                "of some iterations and ranks, on an axis that does not begin at zero")
        tap.ok(some.axes["up"][0] > 0, "as it does not")


def test_many_iterations_share_columns(tap):
    with harness.Directory() as directory:
        path = make(directory, "--ranks", "5", "--iterations", "5000", "--clusters", "40")
        values = exported(path, "time")
        for name, function in (("mean", statistics.fmean), ("median", statistics.median)):
            picture = draw(path, "--kind", "graph", "--statistic", name)
            note = note_with(picture, "Each column of the graph stands for")
            each = int(note.split("stands for ")[1].split()[0])
            tap.ok(each > 1 and "%s of the %ss" % (name, name) in note, "which is said: " + note)
            for line, of_ranks, of_column in (("high", max, max), ("middle", function, function),
                                              ("low", min, min)):
                parts = chunks({i: of_ranks(list(ranks.values())) for i, ranks in values.items()},
                               each)
                got = {i: v for i, v in picture.line(line).items() if i < 5000}
                compare(tap, picture, got, spread(parts, each, 5000, of_column),
                        "%s, %s of %d iterations" % (name, line, each))
            widest = max(len(part) for part in picture.points(picture.group("high")))
            tap.ok(widest <= 2 * 900, "at most two points for a column of pixels", widest)


def test_the_process_graph_is_the_export(tap):
    with harness.Directory() as directory:
        path = make(directory, "--ranks", "17", "--iterations", "60")
        values = exported(path, "computation", "--iteration", "10-59")
        by_rank = collections.defaultdict(list)
        for ranks in values.values():
            for rank, value in ranks.items():
                by_rank[rank].append(value)
        picture = draw(path, "--kind", "ranks", "--metric", "computation", "--iterations", "10-59",
                       "--statistic", "median")
        for line, function in (("high", max), ("middle", statistics.median), ("low", min)):
            compare(tap, picture, picture.line(line),
                    {rank: function(list(v)) for rank, v in by_rank.items()},
                    "%s over iterations of 17 ranks" % line)
        whole = draw(path, "--kind", "ranks", "--metric", "visits", "--total")
        compare(tap, whole, whole.line("middle"), whole_run(path, "visits"), "the whole run")
        tap.ok(whole.group("high") is None and whole.group("legend") is None,
               "has one value for each rank")
        many = make(directory, "--ranks", "2000", "--iterations", "0", "--paths", "12",
                    "--clusters", "3", name="many.tsprof")
        picture = draw(many, "--kind", "ranks", "--metric", "mpi")
        note = note_with(picture, "Each column of the graph stands for")
        each = int(note.split("stands for ")[1].split()[0])
        got = {rank: v for rank, v in picture.line("middle").items() if rank < 2000}
        compare(tap, picture, got,
                spread(chunks(whole_run(many, "mpi"), each), each, 2000, statistics.fmean),
                "means of %d ranks" % each)


TIME_PARTS = ("computation", "mpi_setup", "mpi_synchronization", "mpi_point2point",
              "mpi_collective", "mpi_rma_communication", "mpi_io", "mpi_other", "overhead")


def test_the_breakdown_is_the_export(tap):
    with harness.Directory() as directory:
        path = make(directory, "--ranks", "6", "--iterations", "70")
        for metric, names in (("time", TIME_PARTS),
                              ("bytes", ("bytes_sent", "bytes_rcvd", "bytes_coll_out",
                                         "bytes_coll_in", "bytes_io_written"))):
            means = {name: {i: statistics.fmean(ranks.values())
                            for i, ranks in exported(path, name).items()} for name in names}
            means = {name: by for name, by in means.items() if any(by.values())}
            picture = draw(path, "--kind", "breakdown", "--metric", metric)
            shares = draw(path, "--kind", "breakdown", "--metric", metric, "--scale", "share")
            legend = [t for t in ("".join(t.itertext()) for t in picture.group("legend"))
                      if t.strip()]
            tap.equal(sorted(legend), sorted(means), metric + ": its parts that have a value")
            below = collections.Counter()
            whole = {i: sum(by[i] for by in means.values()) for i in range(70)}
            for name, group, share in zip(legend, picture.groups("part"), shares.groups("part")):
                low, high = picture.band(group)
                compare(tap, picture, low, {i: below[i] for i in range(70)}, name + " begins")
                share_low, share_high = shares.band(share)
                compare(tap, shares, share_low,
                        {i: 100 * below[i] / whole[i] for i in range(70)}, "and its share")
                for i in range(70):
                    below[i] += means[name][i]
                compare(tap, picture, high, {i: below[i] for i in range(70)}, name + " ends")
                compare(tap, shares, share_high,
                        {i: 100 * below[i] / whole[i] for i in range(70)}, "and its share")


def table_of_colors():
    """By metric, what utils/plot/plot_parts.def says, which the page has, too."""
    read = lambda name: open(os.path.join(harness.TOP_SRCDIR, "utils/plot", name)).read()
    named = dict(re.findall(r"#define (COLOR_\w+)\s+0x([0-9a-f]{6})", read("plot_colors.h")))
    rows = re.findall(r"^PART\((\w+), (?:0x)?(\w+)\)$", read("plot_parts.def"), re.M)
    return {metric: "#" + named.get(color, color) for metric, color in rows}


def legend_of(picture):
    """By name, its colour."""
    boxes, texts = [], []
    for item in picture.group("legend"):
        (texts if "".join(item.itertext()).strip() else boxes).append(item)
    return {"".join(text.itertext()): box.get("fill") for text, box in zip(texts, boxes)}


def test_a_metric_has_one_colour_whatever_it_is_shown_with(tap):
    colors = table_of_colors()
    waits = os.path.join(harness.TOP_SRCDIR, "tests/golden/waits.tsprof")
    for metric in ("time", "mpi_point2point", "bytes", "delay"):
        shown = legend_of(draw(waits, "--kind", "breakdown", "--metric", metric))
        rest = shown.pop("other", None)
        tap.equal(shown, {name: colors.get(name) for name in shown}, metric + ": its parts")
        if metric == "mpi_point2point":
            tap.ok({"mpi_latesender", "mpi_latereceiver"} <= set(shown), "waiting among them", shown)
            tap.equal(rest, colors[metric], "what is left has the colour of the metric")


def wanted_index(coloring, values):
    """How a value's colour is found, in other words than color_scale.c's."""
    ordered = sorted(values)
    low, high = ordered[0], ordered[-1]
    if coloring == "zero":
        low, high = min(low, 0), max(high, 0)
    if coloring == "percentiles":
        last = len(ordered) - 1
        middle = ordered[math.floor(0.01 * last)], ordered[math.ceil(0.99 * last)]
        if middle[0] < middle[1] and high - low > 2 * (middle[1] - middle[0]):
            low, high = middle
    first = {}
    for place, value in enumerate(ordered):
        first.setdefault(value, place)

    def index(value):
        if coloring == "equalized":
            share = first[value] / first[ordered[-1]]
        else:
            share = (value - low) / (high - low)
        if not 0 <= share <= 1:
            return BELOW if share < 0 else ABOVE
        return 1 + share * (STEPS - 1)
    return index


def compare_map(tap, picture, cells, coloring, name):
    """CELLS by column, then by row from above."""
    image = picture.images("map")[0]
    columns, rows = len(cells), len(cells[0])
    index = wanted_index(coloring, [value for column in cells for value in column])
    # A pixel of each column, and of each row.
    of_column = {x * columns // image.width: x for x in range(image.width)}
    of_row = {y * rows // image.height: y for y in range(image.height)}
    wrong = []
    for x, column in enumerate(cells):
        for y, value in enumerate(column):
            got = image.index(of_column[x], of_row[y])
            if abs(got - index(value)) > 1:
                wrong.append((x, y, got, index(value)))
    tap.ok(not wrong, name, "%d of %d: %r" % (len(wrong), columns * rows, wrong[:5]))


def test_the_value_map_is_the_export(tap):
    with harness.Directory() as directory:
        path = make(directory, "--ranks", "11", "--iterations", "90")
        values = exported(path, "mpi")
        cells = [[values[i][rank] for rank in range(11)] for i in range(90)]
        for coloring in ("percentiles", "linear", "zero", "equalized"):
            picture = draw(path, "--kind", "map", "--metric", "mpi", "--color", coloring)
            compare_map(tap, picture, cells, coloring, coloring + ": each field has its colour")
        bar = picture.images("bar")[0]
        palette = picture.images("map")[0].palette
        tap.equal([bar.color(0, y) for y in range(STEPS)], palette[STEPS:0:-1],
                  "the bar has the colours, the last one above")
        tap.ok(note_with(picture, "one iteration of one rank"), "what a field is, is said")


def test_pixels_stand_for_many(tap):
    with harness.Directory() as directory:
        path = make(directory, "--ranks", "300", "--iterations", "500", "--paths", "12",
                    "--clusters", "12")
        values = exported(path, "computation")
        for name, function in (("max", max), ("mean", statistics.fmean),
                               ("median", statistics.median), ("min", min)):
            picture = draw(path, "--kind", "map", "--metric", "computation", "--statistic", name,
                           "--size", "400x300")
            note = note_with(picture, "Each pixel")
            words = note.split("of ")[1].replace("×", "").split()
            iterations, ranks = int(words[0]), int(words[2])
            tap.ok(iterations > 1 and ranks > 1, "which is said: " + note)
            cells = []
            for i in range(0, 500, iterations):
                column = [function([values[k][r] for k in range(i, min(i + iterations, 500))
                                    for r in range(first, min(first + ranks, 300))])
                          for first in range(0, 300, ranks)]
                cells.append(column)
            compare_map(tap, picture, cells, "percentiles", name + " of what a pixel stands for")


def test_the_topology_map_is_the_export(tap):
    with harness.Directory() as directory:
        for grid, slices in (("12", 1), ("3x5", 1), ("2x3x4", 2)):
            path = make(directory, "--grid", grid, "--iterations", "40", name=grid + ".tsprof")
            values = exported(path, "computation", "--iteration", "7-31")
            sizes = [int(word) for word in grid.split("x")]
            rows, columns = sizes[-2] if len(sizes) > 1 else 1, sizes[-1]
            picture = draw(path, "--kind", "topology", "--metric", "computation",
                           "--iterations", "7-31")
            means = {rank: statistics.fmean(v[rank] for v in values.values())
                     for rank in range(math.prod(sizes))}
            index = wanted_index("percentiles", means.values())
            images = picture.images("map")
            tap.equal(len(images), slices, grid + ": so many slices")
            wrong = []
            for rank, mean in means.items():
                image = images[rank // (rows * columns)]
                row, column = rank // columns % rows, rank % columns
                got = image.index((2 * column + 1) * image.width // (2 * columns),
                                  (2 * row + 1) * image.height // (2 * rows))
                if abs(got - index(mean)) > 1:
                    wrong.append((rank, got, index(mean)))
            tap.ok(not wrong, grid + ": every rank has its colour", wrong[:5])
            tap.ok(all(str(rank) in picture.texts() for rank in means), "and its number")
        some = draw(path, "--kind", "topology", "--metric", "computation", "--rank", "0-5")
        tap.equal(some.images("map")[1].index(3, 3), 0, "ranks that were not chosen have no value")
        tap.ok("no value" in some.texts(), "and the legend says so")


def test_png_and_svg_are_the_same_picture(tap):
    with harness.Directory() as directory:
        path = make(directory, "--ranks", "8", "--iterations", "50")
        out = os.path.join(directory, "map.png")
        size = ["--size", "400x300", "--metric", "computation"]
        result = harness.tsprof("plot", path, "--kind", "map", *size, "-o", out)
        if "without cairo" in result.stderr:
            tap.equal(result.status, 2, "without cairo it says what is missing")
            raise harness.Skip("built without cairo")
        tap.equal(result.status, 0, "a PNG is written")
        with open(out, "rb") as file:
            png = picture_reader.Image(file.read())
        svg = draw(path, "--kind", "map", *size)
        tap.equal((png.width, png.height), (2 * svg.width, 2 * svg.height), "two pixels a unit")
        # Texts are of another width, so the map is elsewhere.
        image = svg.images("map")[0]
        colors = {image.color(x, y)
                  for x in range(0, image.width, 10) for y in range(0, image.height, 10)}
        seen = {png.color(x, y) for x in range(0, png.width, 7) for y in range(0, png.height, 7)}
        tap.ok(len(colors & seen) > len(colors) * 0.8,
               "with the colours of the map", "%d of %d" % (len(colors & seen), len(colors)))
        again = harness.tsprof("plot", path, "--kind", "map", "-o", out)
        tap.ok(again.status == 1 and "not overwritten" in again.stderr,
               "a file is not overwritten")
        pdf = os.path.join(directory, "graph.pdf")
        harness.tsprof("plot", path, "--kind", "graph", "-o", pdf)
        with open(pdf, "rb") as file:
            tap.ok(file.read(5) == b"%PDF-", "a PDF is written")


# What is chosen


def test_a_call_path_is_what_lies_below_it(tap):
    with harness.Directory() as directory:
        path = make(directory, "--ranks", "3", "--iterations", "30")
        rows = harness.export(path, "callpaths", "--metric", "time")
        names = collections.Counter()
        for row in rows:
            names[";".join(row["callpath"].split(";")[:3])] += float(row["value"])
        for wanted in (names.most_common(1)[0][0], rows[-1]["callpath"]):
            sums = collections.Counter()
            for row in rows:
                if (row["callpath"] + ";").startswith(wanted + ";"):
                    sums[int(row["iteration"]), int(row["rank"])] += float(row["value"])
            for given in (wanted, wanted.replace(";", " > ")):
                picture = draw(path, "--kind", "graph", "--callpath", given)
                compare(tap, picture, picture.line("high"),
                        {i: max(sums[i, rank] for rank in range(3)) for i in range(30)},
                        "of " + given)
            tap.ok(note_with(picture, "with what it calls"), "which is said")


# Extremes


def kinds_of(path):
    grids = bool(harness.export(path, "topologies"))
    return ["graph", "map", "breakdown", "ranks"] + (["topology"] if grids else [])


def test_the_smallest_run(tap):
    with harness.Directory() as directory:
        path = make(directory, "--grid", "1", "--iterations", "1")
        value = exported(path, "time")[0][0]
        for kind in kinds_of(path):
            for metric in ("time", "bytes_io_read", "visits"):
                picture = draw(path, "--kind", kind, "--metric", metric)
                tap.ok(picture.texts(), "one iteration of one rank, %s of %s" % (kind, metric))
        graph = draw(path, "--kind", "graph")
        compare(tap, graph, graph.line("middle"), {0: value}, "its only value")
        tap.equal(graph.axes["up"][0], 0, "on an axis from zero")


def test_zeros_and_constants(tap):
    with harness.Directory() as directory:
        path = make(directory, "--ranks", "4", "--iterations", "20")
        zero = draw(path, "--kind", "graph", "--metric", "bytes_io_read")
        compare(tap, zero, zero.line("high"), {i: 0 for i in range(20)}, "all zero is a line at 0")
        for coloring in ("percentiles", "linear", "zero", "equalized"):
            picture = draw(path, "--kind", "map", "--metric", "bytes_io_read", "--color", coloring)
            tap.equal(set(picture.images("map")[0].rows[10]), {1},
                      "all zero has the first colour, " + coloring)
        share = draw(path, "--kind", "breakdown", "--metric", "io_ops", "--scale", "share",
                     "--iterations", "0-3")
        tap.ok(share.axes["up"] == [0, 100], "shares of nothing are no error")


def test_negative_values(tap):
    with harness.Directory() as directory:
        path = make(directory, "--ranks", "12", "--iterations", "60")
        less = os.path.join(directory, "less.tsprof")
        result = harness.tsprof("diff", path, "--iteration", "0-9", "--minus-iteration", "50-59",
                                "-o", less)
        tap.equal(result.status, 0, "a difference")
        values = whole_run(less, "computation")
        tap.ok(min(values.values()) < 0 < max(values.values()), "has values on both sides of 0")
        picture = draw(less, "--kind", "ranks", "--metric", "computation")
        compare(tap, picture, picture.line("middle"), values, "which are drawn on both sides")
        tap.ok(any(text.startswith("−") for text in picture.texts()), "with a minus at the axis")


def test_iterations_that_are_not_there(tap):
    """One process and threads that take part in some iterations."""
    golden = os.path.join(harness.TOP_SRCDIR, "tests", "golden", "threads.tsprof")
    values = exported(golden, "time", "--thread", "1")
    graph = draw(golden, "--kind", "graph", "--thread", "1")
    compare(tap, graph, graph.line("middle"), {i: ranks[0] for i, ranks in values.items()},
            "of a thread there is what it has")


# Harm

HOSTILE = [b"<script>alert(1)</script>", b"]]>&amp;\"'<svg onload=x>", b"a\x01\x1b[2J\x7f\xc2\x9b",
           b"\xff\xfe\xc0\x80 \xed\xa0\x80", "\u202egnp.elif\u2069 \ufffe\uffff".encode(),
           b"long " * 800, "名前 שלום ünïcödé \U0001F600".encode(), b"--", b"%s%n%d"]


def test_names_do_no_harm(tap):
    allowed = {picture_reader.SVG + name for name in
               ("svg", "title", "desc", "g", "path", "text", "image")}
    with harness.Directory() as directory:
        for number, name in enumerate(HOSTILE):
            path = make(directory, "--grid", "2x2", "--iterations", "5", "--phase", name,
                        "--region", name, name="%d.tsprof" % number)
            said = "%r" % name[:20]
            result = harness.execute([harness.COMMAND, "plot", path, "--kind", "topology",
                                      "--callpath", name])
            if not tap.equal(result.status, 0, said + " can be drawn"):
                continue
            picture = picture_reader.Picture(result.stdout.decode("utf-8"))
            elements = {element.tag for element in picture.root.iter()}
            tap.ok(elements <= allowed, "the SVG is valid, and no more than a picture",
                   elements - allowed)
            text = " ".join(picture.texts())
            tap.equal(harness.shown(text), text, "nothing in it turns text or is a control")
            longest = max(len(text) for text in picture.texts())
            tap.ok(longest < 200, "it has no endless lines", longest)
            out = os.path.join(directory, "%d.png" % number)
            result = harness.tsprof("plot", path, "--kind", "graph", "-o", out)
            tap.ok(result.status == 0 or "without cairo" in result.stderr, "so can a PNG",
                   result.stderr)


# Command lines

WRONG = [
    ([], "--kind is missing"),
    (["--kind", "pie"], "no kind \"pie\""),
    (["--kind", "graph", "--statistic", "max"], "does not take --statistic max"),
    (["--kind", "graph", "--statistic", "mode"], "takes max, mean, median or min"),
    (["--kind", "graph", "--color", "zero"], "does not take --color"),
    (["--kind", "map", "--color", "red"], "percentiles, linear, zero or equalized"),
    (["--kind", "map", "--scale", "zero"], "does not take --scale"),
    (["--kind", "graph", "--scale", "share"], "does not take --scale share"),
    (["--kind", "graph", "--size", "10x10"], "--size"),
    (["--kind", "graph", "--size", "900x520x3"], "--size"),
    (["--kind", "graph", "--format", "gif"], "no format \"gif\""),
    (["--kind", "graph", "-o", "x.jpeg"], "no format \"jpeg\""),
    (["--kind", "graph", "--metric", "fun"], "no metric \"fun\""),
    (["--kind", "graph", "--phase", "fun"], "no phase \"fun\""),
    (["--kind", "graph", "--iterations", "500-"], "no iteration 500"),
    (["--kind", "graph", "--rank", "99"], "no rank from 99"),
    (["--kind", "graph", "--callpath", "fun"], "no call path \"fun\""),
    (["--kind", "graph", "--total"], "does not take --total"),
    (["--kind", "ranks", "--total", "--iterations", "3"], "--total"),
    (["--kind", "topology"], "no Cartesian topology"),
]


def test_what_cannot_be_done_is_said(tap):
    with harness.Directory() as directory:
        path = make(directory, "--ranks", "2", "--iterations", "10")
        for options, words in WRONG:
            result = harness.tsprof("plot", path, *options, cwd=directory)
            tap.ok(result.status == 2 and words in result.stderr and not result.stdout,
                   "plot %s: %s" % (" ".join(options), words), result.stderr)
        grid = make(directory, "--grid", "2x2", "--iterations", "3", name="grid.tsprof")
        result = harness.tsprof("plot", grid, "--kind", "topology", "--topology", "nine")
        tap.ok(result.status == 2 and "\"nine\"" in result.stderr, "nor is there such a grid")
        small = make(directory, "--grid", "40x40x2", "--iterations", "1", "--paths", "12",
                     "--clusters", "3", name="small.tsprof")
        out = os.path.join(directory, "left.svg")
        result = harness.tsprof("plot", small, "--kind", "topology", "-o", out)
        tap.equal(result.status, 0, "1600 ranks in slices of 40 x 2")
        none = make(directory, "--iterations", "0", "--ranks", "2", name="none.tsprof")
        result = harness.tsprof("plot", none, "--kind", "map")
        tap.ok(result.status == 2 and "has no iterations" in result.stderr,
               "a run without iterations has no map")
        tap.equal(harness.tsprof("plot", none, "--kind", "ranks").status, 0,
                  "but a process graph")


def test_a_real_run(tap):
    with harness.Directory() as directory:
        _, summary = harness.profile(directory, "particles", 4)
        values = exported(summary, "bytes")
        picture = draw(summary, "--kind", "graph", "--metric", "bytes")
        compare(tap, picture, picture.line("high"),
                {i: max(ranks.values()) for i, ranks in values.items()},
                "bytes of the particle program")
        size = len(picture.text)
        tap.ok(size < 30000, "in a small file", size)


if __name__ == "__main__":
    harness.main()
