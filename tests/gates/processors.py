"""Each folder of arch/ defines what the opening comment of arch.h lists; and configure says for other
processors what they lack.

    python3 processors.py
"""

import os
import re
import subprocess
import tempfile

TOP = os.environ["TOP_SRCDIR"]
ARCH = os.path.join(TOP, "arch")


def listed():
    """The names that each header defines, by the header's name."""
    with open(os.path.join(ARCH, "arch.h"), encoding="utf-8") as file:
        text = file.read()
    wanted, header = {}, None
    for line in text[text.index("What a folder defines"):text.index("What others take")].split("\n"):
        found = re.match(r" \*   ([a-z_]+)? +(.*)", line)
        if not found:
            continue
        header = found[1] or header
        wanted.setdefault(header, "")
        wanted[header] += " " + found[2]
    return {header: names_in(words) for header, words in wanted.items()}, text


def names_in(words):
    """The identifiers in a line of the list; _NAME continues the one before it."""
    names, base = [], ""
    for word in re.findall(r"\w+", words):
        if re.match(r"_[A-Z]+$", word):
            names.append(base + word)
        elif re.search("_|^[A-Z]", word) or word in ("floating", "instruction", "registers", "way"):
            names.append(word)
            base = re.sub(r"(DWARF|CONTEXT)_?[A-Z]*$", r"\1", word)
    return names


def main():
    wanted, text = listed()
    folders = sorted(name for name in os.listdir(ARCH) if os.path.isdir(os.path.join(ARCH, name)))
    checks = []
    for folder in folders:
        for header, names in wanted.items():
            path = os.path.join(ARCH, folder, header + ".h")
            content = ""
            if os.path.isfile(path):
                with open(path, encoding="utf-8") as file:
                    content = file.read()
            missing = [name for name in names if not re.search(rf"\b{name}\b", content)]
            included = f'#include "arch/{folder}/{header}.h"' in text
            checks.append((names and included and not missing,
                           f"{folder}/{header}.h" + (f" lacks {missing}" if missing else "")))
    for processor in ("powerpc64le", "riscv64"):
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run(["sh", os.path.join(TOP, "configure"), f"--host={processor}-linux-gnu"],
                                 cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 encoding="utf-8", check=False)
        checks.append((run.returncode == 1 and f"does not know the processor {processor}" in run.stdout
                       and all(header in run.stdout for header in wanted)
                       and all(name in run.stdout for name in folders),
                       f"configure says what {processor} lacks"))
    print(f"1..{len(checks)}")
    for number, (good, what) in enumerate(checks, 1):
        print("ok" if good else "not ok", number, "-", what)


if __name__ == "__main__":
    main()
