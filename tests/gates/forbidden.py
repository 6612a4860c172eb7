"""No source holds what is known to go wrong: a table of patterns, and why.

    python3 forbidden.py
"""

import os
import re

import formatted

# Where what depends on the processor belongs; tests of it ask which one they run on.
PROCESSORS = ("arch/", "tests/")

# A pattern, why it is forbidden, a line that it must find, and folders where it is allowed.
FORBIDDEN = (
    (r"\bvolatile\s+(bool|_Bool)\b|\b(bool|_Bool)\s+volatile\b",
     "GCC's undefined behaviour sanitizer reads it once for a whole loop: take atomic_bool "
     "between threads, volatile sig_atomic_t under signals",
     "static volatile bool over;", ()),
    (r"\b__(x86_64|amd64|i386|aarch64|arm|riscv|powerpc64|PPC64|s390x)\w*",
     "no code asks which processor it runs on: arch/ has a folder for each", "#ifdef __x86_64__",
     PROCESSORS),
    (r"\bREG_(R[A-Z0-9]{2}|E[A-Z]{2})\b|\bgregs\b|\buc_mcontext\b",
     "registers of a ucontext_t: arch/*/registers.h", "    = context->uc_mcontext;", PROCESSORS),
    (r"\b(__)?rdtscp?\b|\bcntvct|\b(imm|xmm|x86)intrin\.h|\b_mm\w*_\w+\s*\(|\bcpuid\.h|"
     r"\b__builtin_(ia32|aarch64)_\w+",
     "instructions of one processor: arch/", "#include <x86intrin.h>", PROCESSORS),
    (r"\b(__asm__|asm)\s+volatile\s*\(\s*\"(?!\"|#)", "machine code of one processor: arch/",
     '    __asm__ volatile("pause");', PROCESSORS),
    (r"\b(r[abcd]x|rsp|rbp|r[sd]i)\b.*\b__asm__|%%r[a-z0-9]{2}\b", "names of registers: arch/",
     '                     "mov %%rsp, %0"', PROCESSORS),
    (r"\b(EM|R)_(X86_64|AARCH64)\w*|\bAUDIT_ARCH_\w+", "numbers of one processor: arch/",
     "    return type == R_X86_64_JUMP_SLOT;", PROCESSORS),
)


def findings(text, name):
    """The line number and the reason of each forbidden place in TEXT, of the file NAME."""
    return [(text.count("\n", 0, found.start()) + 1, why)
            for pattern, why, _, allowed in FORBIDDEN if not name.startswith(allowed)
            for found in re.finditer(pattern, text)]


def main():
    top = os.environ["TOP_SRCDIR"]
    print(f"1..{len(FORBIDDEN) + 1}")
    for number, (_, why, line, allowed) in enumerate(FORBIDDEN, 1):
        exempt = any(findings(line, folder + "one.c") for folder in allowed)
        print("ok" if findings(f"\n{line}\n", "one.c") == [(2, why)] and not exempt else "not ok",
              f"{number} - self-test: {line}")
    bad = 0
    files = formatted.sources_below(top)
    for name in files:
        with open(name, encoding="utf-8") as file:
            short = os.path.relpath(name, top)
            for line, why in findings(file.read(), short):
                bad += 1
                print(f"# {short}:{line}: {why}")
    print("not ok" if bad or not files else "ok",
          f"{len(FORBIDDEN) + 1} - nothing forbidden in {len(files)} C and C++ files")


if __name__ == "__main__":
    main()
