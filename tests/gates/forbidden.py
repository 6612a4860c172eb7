"""No source holds what is known to go wrong: a table of patterns, and why.

    python3 forbidden.py
"""

import os
import re

import formatted

# A pattern, why it is forbidden, and a line that it must find.
FORBIDDEN = (
    (r"\bvolatile\s+(bool|_Bool)\b|\b(bool|_Bool)\s+volatile\b",
     "GCC's undefined behaviour sanitizer reads it once for a whole loop: take atomic_bool "
     "between threads, volatile sig_atomic_t under signals",
     "static volatile bool over;"),
)


def findings(text):
    """The line number and the reason of each forbidden place in TEXT."""
    return [(text.count("\n", 0, found.start()) + 1, why)
            for pattern, why, _ in FORBIDDEN for found in re.finditer(pattern, text)]


def main():
    top = os.environ["TOP_SRCDIR"]
    print(f"1..{len(FORBIDDEN) + 1}")
    for number, (_, why, line) in enumerate(FORBIDDEN, 1):
        print("ok" if findings(f"\n{line}\n") == [(2, why)] else "not ok",
              f"{number} - self-test: {line}")
    bad = 0
    files = formatted.sources_below(top)
    for name in files:
        with open(name, encoding="utf-8") as file:
            for line, why in findings(file.read()):
                bad += 1
                print(f"# {os.path.relpath(name, top)}:{line}: {why}")
    print("not ok" if bad or not files else "ok",
          f"{len(FORBIDDEN) + 1} - nothing forbidden in {len(files)} C and C++ files")


if __name__ == "__main__":
    main()
