#!/usr/bin/env python3
"""The tutorial: its script runs, makes every picture and table that the text shows, and what the
text says of the run is so."""

import collections
import os
import re
import shutil

import harness
import picture_reader

DIRECTORY = os.path.join(harness.TOP_SRCDIR, "doc", "tutorial")
RANKS = 8
ROUND = 100  # iterations in which a clump goes around once
PNG = b"\x89PNG\r\n\x1a\n"


def read_text():
    with open(os.path.join(DIRECTORY, "README.md"), encoding="utf-8") as file:
        return file.read()


def put_command(directory, name, path):
    os.makedirs(os.path.dirname(os.path.join(directory, name)), exist_ok=True)
    with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\nexec "%s" "$@"\n' % path)
    os.chmod(file.name, 0o755)


def type_in(directory, typed, settings, timeout=60):
    """As a reader does whose `mpirun` is that of the MPI that is tested, and who has told Open MPI nothing but what
    the text says."""
    put_command(directory, "bin/mpirun", shutil.which(harness.mpirun()))
    settings = dict({"PATH": os.path.join(directory, "bin") + ":" + os.environ["PATH"]}, **settings)
    return harness.execute(["env", "-u", "OMPI_MCA_rmaps_base_oversubscribe", "-u", "MPIRUN", "sh", "-ec", typed],
                           cwd=directory, settings=settings, timeout=timeout)


def run_script(directory, settings):
    """As the text has it, in a tree that looks as if it had been built for that MPI."""
    put_command(directory, "build/utils/tsprof", harness.COMMAND)
    put_command(directory, "build/tests/programs/particles", harness.program("particles"))
    os.makedirs(os.path.join(directory, "build/libprof/.libs"))
    os.symlink(harness.LIBRARY, os.path.join(directory, "build/libprof/.libs/libtsprof.so"))
    os.symlink(os.path.join(harness.TOP_SRCDIR, "doc"), os.path.join(directory, "doc"))
    [typed] = [block for block in re.findall(r"(?:^    .*\n)+", read_text(), re.MULTILINE) if "run.sh tutorial" in block]
    result = type_in(directory, typed, settings, timeout=200)
    if result.status != 0:
        raise harness.Failure("%s: status %d\n%s" % (typed, result.status, result.stderr.decode()))
    return os.path.join(directory, "tutorial")


def check_library(tap, summary):
    """What ran is the MPI that is the default one here."""
    [said] = re.findall(r"^MPI +(.*)", harness.tsprof("info", summary).stdout, re.MULTILINE)
    tap.ok({"mpich": "MPICH", "openmpi": "Open MPI"}[harness.MPI] in said, "it ran under " + harness.MPI, said)


def shown_files():
    """The pictures that the text has in it."""
    return re.findall(r"!\[[^]]*\]\(([^)]*)\)", read_text())


def has_picture(path):
    """Whether there is a picture, of either kind."""
    with open(path, "rb") as file:
        content = file.read()
    if path.endswith(".png"):
        return content.startswith(PNG) and len(content) > 20000
    return picture_reader.Picture(content.decode()).texts()


def can_be_made(name, made):
    """The picture of the page needs a page, which not every tsprof makes, and a browser."""
    page = os.path.join(made, "page.html")
    return name != "page.png" or (os.path.exists(page) and
                                  shutil.which(os.environ.get("CHROMIUM", "chromium")))


def bytes_of(summary):
    """By iteration, then by rank: what goes into MPI_Alltoallv, 24 bytes for each particle."""
    values = collections.defaultdict(dict)
    for row in harness.export(summary, "callpaths", "--metric", "bytes_coll_out"):
        if row["callpath"].endswith("swap_particles;MPI_Alltoallv"):
            values[int(row["iteration"])][int(row["rank"])] = float(row["value"])
    return values


def largest_over_mean(by_rank):
    return max(by_rank.values()) / (sum(by_rank.values()) / RANKS)


def test_the_script_makes_what_the_text_shows(tap):
    with harness.Directory() as directory:
        # Every iteration is kept here, so that what is said of iterations is exact.
        made = run_script(directory, {"ITERATIONS": str(2 * ROUND), "SIZE": "60", "TSPROF_CLUSTERS": "0"})
        for name in shown_files():
            tap.ok(has_picture(os.path.join(DIRECTORY, name)), name + " is in the text")
            tap.ok(not can_be_made(name, made) or has_picture(os.path.join(made, name)),
                   "and the script makes it")
        check_library(tap, os.path.join(made, "particles.tsprof"))
        values = bytes_of(os.path.join(made, "particles.tsprof"))
        totals = {rank: sum(values[i].get(rank, 0) for i in values) for rank in range(RANKS)}
        tap.ok(largest_over_mean(totals) < 1.1, "in the whole run all ranks have about the same",
               totals)
        late = range(ROUND, 2 * ROUND)
        peaks = sorted(largest_over_mean(values[i]) for i in late)
        tap.ok(peaks[ROUND // 2] > 1.6, "in most late iterations some have far more",
               peaks[ROUND // 2])
        early = sorted(largest_over_mean(values[i]) for i in range(20))
        tap.ok(early[-1] < 1.5, "which is not so in the beginning", early[-1])
        hot = collections.Counter(rank for i in late
                                  for rank in sorted(values[i], key=values[i].get)[-2:])
        tap.ok(set(hot) == set(range(RANKS)) and max(hot.values()) < ROUND / 2,
               "it is the turn of every rank", hot)
        with open(os.path.join(made, "hottest.txt"), encoding="ascii") as file:
            iteration, rank = map(int, file.read().split())
        tap.equal(rank, max(values[iteration], key=values[iteration].get),
                  "the script looks at a rank that is busy")
        with open(os.path.join(made, "more.txt"), encoding="utf-8") as file:
            said = file.read()
        tap.ok("bytes_coll_out" in said and "computation" in said, "and says what it has more")


def commands_of_the_text():
    """The blocks that begin with a command, as a reader types them."""
    blocks = re.findall(r"(?:^    .*\n)+", read_text(), re.MULTILINE)
    return [block for block in blocks if re.match(r" +(tsprof|export|TSPROF_OUTPUT=)\b", block)]


def scale_of(directory, name):
    """The colours that a map may have, but for that of fields without a value."""
    with open(os.path.join(directory, name), encoding="utf-8") as file:
        return picture_reader.Picture(file.read()).images("map")[0].palette[1:]


def test_the_commands_of_the_text(tap):
    """As they are written, but for where things are and for a shorter run."""
    with harness.Directory() as directory:
        put_command(directory, "bin/tsprof", harness.COMMAND)
        put_command(directory, "particles", harness.program("particles"))
        blocks = commands_of_the_text()
        tap.ok(len(blocks) >= 10 and "mpirun -n 8 " in blocks[0], "there are commands in the text", blocks)
        for block in blocks:
            typed = block.replace("/path/to/libtsprof.so", harness.LIBRARY).replace(
                "--iterations 300 --size 2000", "--iterations 200 --size 60")
            result = type_in(directory, typed, {"I": "199", "R": "3"})
            made = re.findall(r" -o (\S+)", block)
            tap.ok(result.status == 0 and all(os.path.exists(os.path.join(directory, name)) for name in made),
                   "it works: " + block.split("\n")[0].strip(), result.stderr.decode())
        check_library(tap, os.path.join(directory, "particles.tsprof"))
        for name in ("map.svg", "bytes.svg"):
            tap.ok(scale_of(DIRECTORY, name) == scale_of(directory, name),
                   "%s in the text has the colours of today" % name)


def test_every_picture_is_made_by_the_script(tap):
    with open(os.path.join(DIRECTORY, "run.sh"), encoding="utf-8") as file:
        script = file.read()
    made = {name + ".svg" for name in re.findall(r"^picture (\S+)", script, re.MULTILINE)}
    made |= set(re.findall(r'--screenshot="\$directory/([^"]*)"', script))
    tap.equal(set(shown_files()) - made, set(),
              "every picture in the text is one of the script's")


if __name__ == "__main__":
    harness.main()
