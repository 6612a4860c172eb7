#!/usr/bin/env python3
"""bash and zsh complete commands, options and their words, and only those that the command takes."""

import os
import pty
import re
import select
import shutil
import signal
import subprocess
import time

import harness
from manual_pages import PAGES, commands, options_of

GOLDEN = os.path.join(harness.TOP_SRCDIR, "tests", "golden")
PLAIN = os.path.join(GOLDEN, "plain.tsprof")
EVERY = os.path.join(GOLDEN, "every.tsprof")
ABSENT = os.path.join(harness.TOP_BUILDDIR, "doc", "man", "absent")

# Calls with a wrong word at their end: what they answer names every word that may be there.
REFUSED = (
    ("report", PLAIN, "--sort"), ("report", PLAIN, "--color"),
    ("plot", PLAIN, "--kind"), ("plot", PLAIN, "--kind", "map", "--statistic"),
    ("plot", PLAIN, "--kind", "map", "--color"), ("plot", PLAIN, "--kind", "map", "--format"),
    ("suggest", PLAIN, "--format"), ("score", PLAIN, "--format"), ("list", GOLDEN, "--format"), ("info", PLAIN, "--format"),
    ("export", PLAIN, "--what"), ("export", PLAIN, "--what", "clusters", "--format"),
    ("export", PLAIN, "--what", "callpaths", "--paths"),
    ("export", PLAIN, "--format", "cubex", "-o", ABSENT, "--iterations"),
    ("compare", PLAIN, PLAIN, "--format"),
    ("compress", EVERY, "--clusters", "4", "-o", ABSENT, "--clustering"),
    ("compress", EVERY, "--clusters", "4", "-o", ABSENT, "--equivalence"),
)


def complete(*words):
    """What bash would offer for the last of WORDS."""
    script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tsprof; ' \
             'printf "%s\\n" "${COMPREPLY[@]}"'
    # compopt complains outside of a completion.
    done = subprocess.run(
        ["bash", "--norc", "-c", script, "bash", os.path.join(PAGES, "bash", "tsprof"), "tsprof",
         *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True)
    return done.stdout.split()


def words_in(answer, known):
    """The words of the lists in ANSWER that have any of the KNOWN words: "it takes a, b or c"."""
    word = r"\.?\b(?!(?:or|and|not)\b)\w+"
    lists = re.findall(r"%s(?:(?:, (?:or )?| or )%s)*" % (word, word), answer)
    words = [{each.lstrip(".") for each in re.findall(word, one)} for one in lists]
    return set().union(*(some for some in words if some & set(known)))


def test_commands(tap):
    tap.equal(complete("rep"), ["report"], "tsprof rep")
    tap.equal(sorted(complete("")), sorted(commands() + ["help", "--help", "--version"]), "tsprof")
    tap.equal(complete("--v"), ["--version"], "tsprof --v")
    tap.equal(complete("nothing", "--"), [], "an unknown command has no options")


def test_every_option(tap):
    for command in commands():
        wanted = [name for option in options_of(command) for name in option[:2] if name]
        tap.equal(sorted(complete(command, "-")), sorted(wanted or ["--help", "-h"]),
                  "tsprof %s -" % command)
    tap.equal(complete("report", "--me"), ["--metric"], "tsprof report --me")


def test_words(tap):
    tap.equal(complete("plot", "--kind", ""), ["graph", "map", "breakdown", "ranks", "topology"],
              "tsprof plot --kind")
    tap.equal(complete("plot", "--kind", "=", "m"), ["map"], "tsprof plot --kind=m")
    tap.equal(complete("plot", "--kind", "="), complete("plot", "--kind", ""), "tsprof plot --kind=")
    tap.ok("bytes_sent" in complete("report", "x.tsprof", "--metric", "bytes_"), "names of metrics")
    tap.equal(complete("report", "--phase", ""), [], "nobody knows what phases there are")
    tap.ok("bash" in complete("exec", "bas"), "exec completes programs")


def test_words_are_those_that_the_command_takes(tap):
    for call in REFUSED:
        answer = harness.tsprof(*call, "no-such-word")
        offered = complete(call[0], call[-1], "")
        tap.equal(answer.status, 2, "%s %s no-such-word is refused" % (call[0], call[-1]))
        tap.ok(offered, "%s %s: there are words" % (call[0], call[-1]))
        tap.equal(sorted(offered), sorted(words_in(answer.stderr, offered)),
                  "%s %s: exactly the words that it takes" % (call[0], call[-1]))
    for scale in complete("plot", "--scale", ""):
        kind = "breakdown" if scale == "share" else "ranks"
        answer = harness.tsprof("plot", PLAIN, "--kind", kind, "--scale", scale)
        tap.equal((answer.status, answer.stderr), (0, ""), "plot --scale %s" % scale)


class Terminal:
    """A shell that believes that somebody types."""

    def __init__(self, *command):
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            # Whoever runs tests in the background may have the keyboard's signals ignored.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.environ.update(TERM="dumb", PS1="READY>", LC_ALL="C.UTF-8")
            os.execvp(command[0], command)
        self.seen = ""

    def type(self, text):
        os.write(self.file, text.encode())

    def wait_for(self, pattern, seconds=20):
        """What was printed up to PATTERN; everything, if it does not come."""
        end = time.monotonic() + seconds
        while not re.search(pattern, self.seen) and time.monotonic() < end:
            if select.select([self.file], [], [], 0.1)[0]:
                try:
                    self.seen += os.read(self.file, 65536).decode(errors="replace")
                except OSError:
                    break
        text, self.seen = self.seen, ""
        return text

    def close(self):
        os.close(self.file)
        os.waitpid(self.pid, 0)


def start_bash():
    bash = Terminal("bash", "--norc", "--noprofile", "-i")
    bash.type("bind 'set bell-style none'; bind 'set show-all-if-ambiguous on'; PS1=GO; PS1+='>'\n")
    bash.wait_for("GO>")
    bash.type("source '%s/bash/tsprof'; echo SOUR''CED\n" % PAGES)
    bash.wait_for("SOURCED\r?\n.*GO>")
    return bash


def test_bash_by_hand(tap):
    """A shell for each: what is left of one line would be in the way of the next."""
    for typed, wanted in (("tsprof rep\t", "tsprof report "),
                          ("tsprof report --me\t", "tsprof report --metric "),
                          ("tsprof plot --kind gr\t", "tsprof plot --kind graph "),
                          ("tsprof plot --kind \t", "breakdown +graph +map +ranks +topology"),
                          ("tsprof plot --kind=m\t", "--kind=map "),
                          ("tsprof info %s/plai\t" % GOLDEN, r"golden/plain\.")):
        bash = start_bash()
        bash.type(typed)
        seen = bash.wait_for(wanted)
        tap.ok(re.search(wanted, seen), "bash: %r" % os.path.basename(typed), repr(seen))
        bash.close()


def test_zsh_by_hand(tap):
    if not shutil.which("zsh"):
        raise harness.Skip("no zsh")
    for typed, wanted in (("tsprof rep\t", "tsprof report "),
                          ("tsprof report --me\t", "tsprof report --metric "),
                          ("tsprof plot --kind gr\t", "tsprof plot --kind graph "),
                          ("tsprof report --sort im\t", "--sort imbalance ")):
        zsh = Terminal("zsh", "-f", "-i")
        zsh.type("unsetopt zle_bracketed_paste; fpath=('%s/zsh' $fpath); autoload -U compinit; "
                 "compinit -u -D; PS1=GO; PS1+='>'\n" % PAGES)
        zsh.wait_for("\nGO>|\rGO>")
        zsh.type(typed)
        seen = zsh.wait_for(wanted)
        tap.ok(re.search(wanted, seen), "zsh: %r" % typed, repr(seen))
        zsh.close()


if __name__ == "__main__":
    harness.main()
