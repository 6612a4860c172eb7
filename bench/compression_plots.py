"""Pictures of what the other parts of bench/compression.py found, as SVG."""

import os
import re

import compression_tables as tables

NAMES = {"offline": "off line", "szebenyi": "published", "adaptive": "tsprof"}
STYLES = {"offline": dict(color="0.55", marker="s", linestyle=":"),
          "szebenyi": dict(color="tab:orange", marker="^", linestyle="--"),
          "adaptive": dict(color="tab:blue", marker="o", linestyle="-")}


def figure(pyplot, panels, columns, height=2.1):
    rows = -(-panels // columns)
    picture, axes = pyplot.subplots(rows, columns, figsize=(2.6 * columns, height * rows + 0.4),
                                    squeeze=False)
    for axis in axes.flat[panels:]:
        axis.set_visible(False)
    return picture, list(axes.flat)


def number_axis(axis):
    axis.set_xscale("log", base=2)
    axis.set_xticks(tables.COUNTS, [str(count) for count in tables.COUNTS], fontsize=7)
    axis.minorticks_off()
    axis.tick_params(axis="y", labelsize=7)
    axis.grid(True, axis="y", linewidth=0.3)


def save(pyplot, picture, results, name, legend):
    handles, labels = legend.get_legend_handles_labels()
    picture.legend(handles, labels, loc="upper center", ncol=len(labels), fontsize=8,
                   frameon=False)
    picture.tight_layout(rect=(0, 0, 1, 1 - 0.25 / picture.get_figheight()))
    path = os.path.join(results, "compression-" + name)
    picture.savefig(path + ".png", dpi=100)
    # Without a date the same data gives the same file.
    picture.savefig(path + ".svg", metadata={"Date": None})
    pyplot.close(picture)
    shorten(path + ".svg")


def shorten(path):
    """Takes out what says nothing: comments, names of parts, indentation, digits."""
    with open(path) as file:
        text = file.read()
    text = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", text, flags=re.S)
    text = re.sub(r'<g id="[^"]*">', "<g>", text)
    text = re.sub(r"(\.\d)\d+", r"\1", text)
    text = re.sub(r"\n\s*", "\n", text)
    with open(path, "w") as file:
        file.write(text)


def panel(axis, title, rows, by, value, ways):
    """One line for each way: the mean of VALUE over the rows of each number of clusters."""
    for way in ways:
        points = []
        for count in tables.COUNTS:
            found = [row[value] for row in rows if row[by] == way and row["clusters"] == count
                     and row[value] != ""]
            if found:
                points.append((count, 100 * sum(found) / len(found)))
        if points:
            axis.plot(*zip(*points), label=NAMES[way], markersize=3, linewidth=1, **STYLES[way])
    axis.set_title(title, fontsize=8)
    axis.set_ylim(bottom=0)
    number_axis(axis)


def synthetic(pyplot, results):
    rows = tables.read(results, "synthetic")
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    for value, title in (("mean", "mean"), ("max", "maximum")):
        picture, axes = figure(pyplot, len(kinds), 4)
        for axis, kind in zip(axes, kinds):
            panel(axis, kind, [row for row in rows if row["kind"] == kind], "way", value, NAMES)
        label(axes, len(kinds), 4, f"error of the {title}, %")
        save(pyplot, picture, results, "synthetic-" + value, axes[0])


def label(axes, panels, columns, text):
    for i, axis in enumerate(axes[:panels]):
        if i % columns == 0:
            axis.set_ylabel(text, fontsize=7)
        if i >= panels - columns:
            axis.set_xlabel("clusters", fontsize=7)


PROGRAM_FIGURES = {
    "programs-mean": ("mean", "error of the mean, %", NAMES),
    "programs-max": ("max", "error of the maximum, %", NAMES),
    "programs-path-time": ("path_time", "error of call paths, time, %", tables.METHODS),
    "programs-path-count": ("path_count", "error of call paths, counts, %", tables.METHODS),
}


def programs(pyplot, results):
    rows = tables.read(results, "programs")
    names = list(dict.fromkeys(row["program"] for row in rows))
    for name, (value, text, ways) in PROGRAM_FIGURES.items():
        picture, axes = figure(pyplot, len(names), 4)
        for axis, program in zip(axes, names):
            panel(axis, program, [row for row in rows if row["program"] == program], "method",
                  value, ways)
        label(axes, len(names), 4, text)
        save(pyplot, picture, results, name, axes[0])


def quantised(pyplot, results, clusters=64, group="mpi_time"):
    """Which share of the call paths has a larger error than that."""
    rows = [row for row in tables.read(results, "quantised")
            if row["clusters"] == clusters and row["group"] == group]
    steps = ("0", "0.001", "0.01", "0.1", "1", "10", "100")
    names = list(dict.fromkeys(row["program"] for row in rows))
    picture, axes = figure(pyplot, len(names), 4)
    for axis, program in zip(axes, names):
        for row in rows:
            if row["program"] == program:
                values = [100 * value if value != "" else 0 for value in list(row.values())[4:]]
                axis.plot(range(len(steps)), values, label=NAMES[row["method"]], markersize=3,
                          linewidth=1, **STYLES[row["method"]])
        axis.set_title(program, fontsize=8)
        axis.set_xticks(range(len(steps)), steps, fontsize=6)
        axis.tick_params(axis="y", labelsize=7)
        axis.set_ylim(-3, 103)
        axis.grid(True, axis="y", linewidth=0.3)
    label(axes, len(names), 4, "call paths, %")
    for axis in axes:
        if axis.get_xlabel():
            axis.set_xlabel("error larger than, %", fontsize=7)
    save(pyplot, picture, results, "programs-quantised", axes[0])


def costs(pyplot, results):
    rows = tables.read(results, "costs")
    picture, axes = figure(pyplot, 2, 2, 2.4)
    for axis, value, scale, text in ((axes[0], "median_us", 1, "microseconds an iteration"),
                                     (axes[1], "bytes", 1e-6, "memory, MB")):
        for method in tables.METHODS:
            found = [(row["clusters"], row[value] * scale) for row in rows
                     if row["method"] == method]
            axis.plot(*zip(*found), label=NAMES[method], markersize=3, linewidth=1,
                      **STYLES[method])
        number_axis(axis)
        axis.set_ylim(bottom=0)
        axis.set_ylabel(text, fontsize=7)
        axis.set_xlabel("clusters", fontsize=7)
    save(pyplot, picture, results, "costs", axes[0])


def graph(pyplot, results):
    """The iterations of one program as they were and as 16 clusters show them."""
    rows = tables.read(results, "graph")
    picture, axes = pyplot.subplots(3, 1, figsize=(8, 5), sharex=True, sharey=True)
    series = [("true", "adaptive", "as measured"), ("rebuilt", "szebenyi", "published, 16 clusters"),
              ("rebuilt", "adaptive", "tsprof, 16 clusters")]
    for axis, (column, method, title) in zip(axes, series):
        for rank in sorted({row["rank"] for row in rows}):
            axis.plot([1000 * row[column] for row in rows
                       if row["method"] == method and row["rank"] == rank],
                      linewidth=0.6, label=f"rank {rank:.0f}")
        axis.set_title(title, fontsize=8)
        axis.set_ylabel("execution, ms", fontsize=7)
        axis.tick_params(labelsize=7)
    axes[-1].set_xlabel("iteration", fontsize=7)
    save(pyplot, picture, results, "graph", axes[0])


PICTURES = {"synthetic": synthetic, "programs": programs, "quantised": quantised, "costs": costs,
            "graph": graph}


def main(results):
    try:
        import matplotlib
    except ImportError:
        print("no pictures: matplotlib is missing (Debian: python3-matplotlib)")
        return
    matplotlib.use("svg")
    # Text stays text, and identifiers do not change from run to run.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "tsprof"})
    from matplotlib import pyplot
    for name, draw in PICTURES.items():
        if tables.read(results, name):
            draw(pyplot, results)
    print("pictures are in " + results)
