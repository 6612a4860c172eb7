#!/usr/bin/env python3
"""tsprof html on the command line: what is in the page, and what it refuses.

How the page looks and what it answers is tested in a browser, and its reader under node.
"""

import base64
import glob
import hashlib
import json
import os
import re

import harness
import mortality
import summary_reader
from harness import Directory

GOLDEN = os.path.join(harness.TOP_SRCDIR, "tests", "golden")
DATA = re.compile(rb'<script type="application/octet-stream;base64">([^<]*)</script>')
FINDINGS = re.compile(rb'<script type="application/json" id="findings">(.*?)</script>', re.S)
HOSTILE = "</script><script>alert(1)</script><!--"


def needs_page(directory):
    """Skips the test if the command was built without the page."""
    result = harness.tsprof("html", os.path.join(GOLDEN, "plain.tsprof"), "-o",
                            os.path.join(directory, "probe.html"))
    if result.status == 1 and "without the page" in result.stderr:
        raise harness.Skip("built without the page")


def page(tap, summary, directory):
    """The page of SUMMARY, as bytes."""
    out = os.path.join(directory, "page.html")
    result = harness.tsprof("html", summary, "-o", out)
    tap.ok(result.status == 0 and not result.stderr + result.stdout, "a page is made",
           result.stderr)
    with open(out, "rb") as file:
        content = file.read()
    os.remove(out)
    return content


def embedded(content):
    return b"".join(base64.b64decode(piece, validate=True) for piece in DATA.findall(content))


def test_the_summary_is_in_it(tap):
    """Byte by byte, whatever its size."""
    with Directory() as directory:
        needs_page(directory)
        names = sorted(glob.glob(os.path.join(GOLDEN, "*.tsprof")))
        contents = []
        for name in names:
            with open(name, "rb") as file:
                contents.append(file.read())
            tap.equal(embedded(page(tap, name, directory)), contents[-1], os.path.basename(name))
        tap.ok(len({len(content) % 3 for content in contents}) > 1,
               "their lengths differ modulo 3", [len(content) for content in contents])


def test_nothing_else_can_be_loaded(tap):
    """One file; the policy lets its own program run and nothing else."""
    with Directory() as directory:
        needs_page(directory)
        content = page(tap, os.path.join(GOLDEN, "plain.tsprof"), directory)
        policy = re.search(rb'Content-Security-Policy" content="([^"]*)"', content).group(1)
        tap.ok(policy.startswith(b"default-src 'none';"), "nothing is allowed by default", policy)
        tap.ok(b"unsafe" not in policy and b"http" not in policy, "nor from anywhere", policy)
        for tag, directive in ((b"script", b"script-src"), (b"style", b"style-src")):
            blocks = re.findall(rb"<%s(?: id=\"code\")?>(.*?)</%s>" % (tag, tag), content, re.S)
            tap.equal(len(blocks), 1, "one %s" % tag.decode())
            digest = base64.b64encode(hashlib.sha256(blocks[0]).digest())
            tap.ok(directive + b" 'sha256-" + digest + b"'" in policy, "whose hash is allowed",
                   policy)
        scripts = re.findall(rb"<script([^>]*)>", content)
        tap.ok(all(b"src=" not in script for script in scripts), "no script from elsewhere",
               scripts)
        tap.ok(not re.search(rb"<(link|img|iframe|object|embed|base)\b", content[:2000]),
               "and nothing else")
        tap.ok(b"MIT" in content and b"uplot" in content.lower() and b"fzstd" in content.lower(),
               "the licences of what is bundled are there")


def test_names_cannot_leave_the_findings(tap):
    """A region whose name ends scripts and begins others, as the cause of what stands out."""
    with Directory() as directory:
        needs_page(directory)
        summary = os.path.join(directory, "hostile.tsprof")
        maker = os.path.join(harness.TOP_BUILDDIR, "tests", "synthetic", "make_summary")
        if not os.path.exists(maker):
            raise harness.Skip("make_summary is not built")
        made = harness.execute([maker, "--iterations", "200", "--ranks", "8", "--region", HOSTILE,
                                "--phase", HOSTILE, summary])
        tap.equal(made.status, 0, "a summary is made")
        content = page(tap, summary, directory)
        tap.ok(HOSTILE.encode() not in content and b"<script>alert" not in content,
               "its names are nowhere as they are")
        findings = json.loads(FINDINGS.search(content).group(1))
        tap.ok(findings and all(finding["phase"] in (HOSTILE, None) for finding in findings) and
               any(finding["phase"] for finding in findings),
               "but in what stands out", findings[:2])


def test_parts_have_a_page(tap):
    """Of a job that was killed, as the report has it."""
    case = mortality.Case("kill", 2, 20000, 2, False, 8, 60, 0, 0)
    with Directory() as directory:
        needs_page(directory)
        with mortality.Job(directory, case) as job:
            job.die(case)
            told = [job.told(rank) for rank in range(case.ranks)]
        content = page(tap, directory, directory)
        inside = os.path.join(directory, "inside.tsprof")
        with open(inside, "wb") as file:
            file.write(embedded(content))
        # A process may have had to wait for a processor before it could save.
        found = [problem for problem in mortality.problems(inside, case, told)
                 if mortality.TOO_FEW not in problem]
        tap.ok(not found, "what is in the page is the summary that merge makes", "\n".join(found))
        tap.equal({place.rank for place in summary_reader.Summary(inside).places}, {0, 1},
                  "of both ranks")


def test_what_is_refused(tap):
    with Directory() as directory:
        needs_page(directory)
        good = os.path.join(GOLDEN, "plain.tsprof")
        out = os.path.join(directory, "probe.html")
        with open(out, "rb") as file:
            before = file.read()
        result = harness.tsprof("html", good, "-o", out)
        tap.ok(result.status == 1 and "not overwritten" in result.stderr,
               "an existing file is not overwritten", result.stderr)
        with open(out, "rb") as file:
            tap.equal(file.read(), before, "it is as it was")
        result = harness.tsprof("html", good)
        tap.equal(result.stdout.encode(), before, "without -o it is written to standard output")

        broken = os.path.join(directory, "broken.tsprof")
        with open(good, "rb") as file, open(broken, "wb") as copy:
            copy.write(file.read()[:-10])
        other = os.path.join(directory, "other.html")
        for name in (broken, os.path.join(directory, "nothing.tsprof")):
            result = harness.tsprof("html", name, "-o", other)
            tap.ok(result.status == 1 and name in result.stderr and not os.path.exists(other),
                   "no page of " + os.path.basename(name), result.stderr)
        result = harness.tsprof("html", good, "-o", os.path.join(directory, "no", "page.html"))
        tap.ok(result.status == 1 and "cannot be written" in result.stderr,
               "where nothing can be written", result.stderr)
        result = harness.tsprof("html", good, "-o", "/dev/full")
        tap.ok(result.status == 1 and "/dev/full" in result.stderr, "nor on a full disk",
               result.stderr)
        tap.equal(harness.tsprof("html").status, 2, "without a summary")


if __name__ == "__main__":
    harness.main()
