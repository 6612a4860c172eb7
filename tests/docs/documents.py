#!/usr/bin/env python3
"""The documents hang together: what they link to is there, headings included, one can get from
README.md or doc/README.md to each of them, no line is longer than 100 columns, messages name pages
that exist, and doc/design.md has a row for every folder of code."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap_report  # pylint: disable=wrong-import-position

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.abspath(os.environ.get("TOP_SRCDIR") or os.path.join(HERE, "..", ".."))
LONGEST = 100
STARTS = ["README.md", os.path.join("doc", "README.md")]
SOURCES = ("arch", "assemble", "common", "compress", "detect", "libprof", "page", "utils")
FLOORS = ("libprof", "utils")

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PAGE_IN_A_STRING = re.compile(r'"[^"\n]*\b(doc/[\w/-]+\.md)')


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


def files_below(folder, ending):
    for directory, folders, names in os.walk(os.path.join(TOP, folder)):
        folders[:] = [name for name in folders if name not in ("node_modules", "packages")]
        for name in names:
            if name.endswith(ending):
                yield os.path.relpath(os.path.join(directory, name), TOP)


def documents():
    top = [name for name in os.listdir(TOP) if name.endswith(".md")]
    return sorted(top + [*files_below("doc", ".md"), *files_below("bench", ".md")])


def without_code(text):
    """Neither what is indented or fenced nor what is between backquotes."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"(?<=\n\n)(?: {4,}.*\n|\n)+", "\n", text)
    return re.sub(r"`[^`]*`", "", text)


def anchors(path):
    """What headings are called in links, by GitHub's rule."""
    headings = re.findall(r"^#+ +(.*?) *$", read(path), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(document):
    """Files, and perhaps headings in them, that a document leads to: no addresses elsewhere."""
    for link in LINK.findall(without_code(read(document))):
        if not re.match(r"[a-z]+:", link):
            path, _, anchor = link.partition("#")
            path = os.path.join(os.path.dirname(document), path) if path else document
            yield os.path.normpath(path), anchor


def broken_links():
    for document in documents():
        for path, anchor in links(document):
            if not os.path.exists(os.path.join(TOP, path)):
                yield "%s: %s is not there" % (document, path)
            elif anchor and path.endswith(".md") and anchor not in anchors(path):
                yield "%s: %s has no heading %s" % (document, path, anchor)


def unreachable():
    seen, ahead = set(), list(STARTS)
    while ahead:
        document = ahead.pop()
        if document not in seen and document.endswith(".md"):
            seen.add(document)
            ahead += [path for path, _ in links(document) if os.path.exists(os.path.join(TOP, path))]
    return sorted(set(documents()) - seen)


def long_lines():
    """Tables and links cannot be broken."""
    for document in documents():
        for number, line in enumerate(read(document).split("\n"), 1):
            if len(line) > LONGEST and not line.startswith("|") and "](" not in line:
                yield "%s:%d: %d columns" % (document, number, len(line))


def pages_in_messages():
    for folder in SOURCES:
        for source in files_below(folder, (".c", ".h", ".def", ".ts")):
            for page in PAGE_IN_A_STRING.findall(read(source)):
                if not os.path.exists(os.path.join(TOP, page)):
                    yield "%s: %s is not there" % (source, page)


def folders_not_on_the_map():
    """Every top folder and every room of both floors has a row in a table of design.md."""
    rows = "".join(line for line in read("doc/design.md").split("\n") if line.startswith("|"))
    for folder in ("", *FLOORS):
        for name in sorted(os.listdir(os.path.join(TOP, folder))):
            path = os.path.join(folder, name)
            if has_code(path) and "`%s`" % name not in rows and "`%s`" % path not in rows:
                yield path


def has_code(folder):
    # Makefile.am: the build puts folders of its own beside ours.
    return any(os.path.exists(os.path.join(TOP, folder, name)) for name in ("Makefile.am", "files.mk"))


CHECKS = [("every link leads to something", broken_links),
          ("every document can be reached", unreachable),
          ("no line has more than %d columns" % LONGEST, long_lines),
          ("messages name pages that exist", pages_in_messages),
          ("doc/design.md has every folder", folders_not_on_the_map)]


if __name__ == "__main__":
    sys.exit(tap_report.carry_out(CHECKS))
