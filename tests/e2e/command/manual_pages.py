#!/usr/bin/env python3
"""Manual pages say all that the command's help says, and every variable; checkers accept them."""

import glob
import os
import re
import shutil
import subprocess

import harness

PAGES = os.path.join(harness.TOP_BUILDDIR, "doc", "man")


def commands():
    """The commands in `tsprof --help`."""
    text = harness.tsprof("--help").stdout
    return re.findall(r"^  (\w+) +\S", text.split("Commands:\n")[1], re.M)


def plain(name):
    """The words of a page, without its markup."""
    with open(os.path.join(PAGES, name), encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"\\f[BIR]|\\&", "", text).replace("\\-", "-").replace("\\(aq", "'")
    text = re.sub(r"^\.[A-Z]+ ?", "", text.replace("\\(ga", "`").replace("\\e", "\\"), flags=re.M)
    return " ".join(text.split())


def options_of(command):
    """(names, argument, text) of each option in a command's help."""
    text = harness.tsprof(command, "--help").stdout
    for line in text.partition("\nOptions:\n")[2].splitlines():
        yield re.fullmatch(r"  (?:(-\w), |    )(--[\w-]+)(?: (\S+))? +(.*)", line).groups()


def test_every_command_has_a_page(tap):
    wanted = ["tsprof-%s.1" % name for name in commands()] + ["tsprof.1", "tsprof.5", "tsprof.7"]
    wanted += ["tsprof-network%s.1" % kind for kind in ["", *("-" + kind for kind in harness.KINDS)]]
    wanted += ["tsprof-waits-%s.1" % kind for kind in harness.KINDS]
    found = [os.path.basename(path) for path in glob.glob(PAGES + "/tsprof*.[0-9]")]
    tap.equal(sorted(found), sorted(wanted), "the pages of %d commands, of programs of MPI, and three"
              % len(commands()))
    overview = plain("tsprof.1")
    tap.equal([name for name in commands() if "tsprof-%s (1)" % name not in overview], [],
              "all commands are on tsprof(1)")


def test_pages_say_what_help_says(tap):
    for command in commands():
        page = plain("tsprof-%s.1" % command)
        usage, _, rest = harness.tsprof(command, "--help").stdout.partition("\n")
        tap.ok(" ".join(usage[len("usage: "):].split()) in page, "tsprof %s: its synopsis" % command)
        told = rest.partition("\nOptions:\n")[0].split()
        tap.equal([word for word in told if word not in page], [],
                  "tsprof %s: every word of its help" % command)


def test_every_option_is_on_its_page(tap):
    for command in commands():
        page = plain("tsprof-%s.1" % command)
        missing = []
        for short, name, argument, text in options_of(command):
            entry = " ".join(filter(None, [short and short + ",", name, argument, text]))
            if entry not in page:
                missing.append(entry)
        tap.equal(missing, [], "tsprof %s: its options" % command)


def test_every_variable_is_on_tsprof_7(tap):
    page = plain("tsprof.7")
    shown = harness.tsprof("config").stdout
    entries = re.findall(r"^(TSPROF_\w+) .*\n +(.*)\n +(Takes .*)$", shown, re.M)
    tap.ok(len(entries) > 20, "tsprof config shows %d variables" % len(entries))
    tap.equal([entry[0] for entry in entries
               if " ".join(" ".join((entry[0], entry[1] + ".", entry[2])).split()) not in page], [],
              "all of them are on the page, with what they take")


def checked_by(tap, command, complaints):
    for path in sorted(glob.glob(PAGES + "/tsprof*.[0-9]")):
        done = subprocess.run(command + [path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, check=False, env={**os.environ, "LC_ALL": "C.UTF-8"})
        tap.equal(complaints(done), "", "%s: %s" % (command[0], os.path.basename(path)))


def test_mandoc_has_no_complaint(tap):
    if not shutil.which("mandoc"):
        raise harness.Skip("no mandoc")
    checked_by(tap, ["mandoc", "-T", "lint", "-W", "warning"], lambda done: done.stdout + done.stderr)


def test_man_has_no_complaint(tap):
    if not shutil.which("man") or not shutil.which("groff"):
        raise harness.Skip("no man or groff")
    checked_by(tap, ["man", "--warnings", "-l"], lambda done: done.stderr)


if __name__ == "__main__":
    harness.main()
