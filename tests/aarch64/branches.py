#!/usr/bin/env python3
"""branches.py FILE...: compares how tsprof reads the machine code (A64) in these programs and
libraries with how objdump does: the kind and the target of every branch.  Ends with 1 if any
differs.  OBJDUMP and OBJCOPY name the commands for that processor."""

import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OBJDUMP = os.environ.get("OBJDUMP", "aarch64-linux-gnu-objdump")
OBJCOPY = os.environ.get("OBJCOPY", "aarch64-linux-gnu-objcopy")

# What objdump calls instructions, and where those lead.
WAYS = (
    (r"b", "jump"),
    (r"bc?\..*|cbn?z|tbn?z", "branch"),
    (r"br|bra[ab]z?", "anywhere"),
    (r"ret(a[ab](sppcr?)?)?|eret(a[ab])?|drps|brk|hlt|udf", "end"),
)
LINE = re.compile(r" *([0-9a-f]+):\t([0-9a-f]{8}) \t(\S+)(?:\t([^<\n]*))?")
SECTION = re.compile(r" *\d+ (\S+) +[0-9a-f]+ +([0-9a-f]+) .*\n.*\bCODE\b")


def output(*command, **how):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, **how).stdout


def expected(path, section, start, size):
    """Lines as branches.c prints them, and the number of instructions."""
    lines, count = [], 0
    text = output(OBJDUMP, "-d", "-z", "-j", section, path).decode()
    for address, word, name, operands in LINE.findall(text):
        count += 1
        way = next((way for pattern, way in WAYS if re.fullmatch(pattern, name)), None)
        if name in (".inst", "undefined") or "undefined" in operands:
            continue
        if way is None:
            continue
        line = f"{int(address, 16) - start:x} {way}"
        if way in ("jump", "branch"):
            target = int(operands.split(",")[-1].split()[0], 16) - start
            if 0 <= target < size:
                line += f" {target:x}"
        lines.append(line)
    return lines, count


def data_in_code(path, section, start):
    """Offsets that objdump does not read as instructions, or says are not allocated."""
    text = output(OBJDUMP, "-d", "-z", "-j", section, path).decode()
    return {
        int(address, 16) - start
        for address, _, name, operands in LINE.findall(text)
        if name in (".word", ".inst", "udf") or "undefined" in operands
    }


def compare(path, reader):
    branches = differ = instructions = 0
    for section, address in SECTION.findall(output(OBJDUMP, "-h", path).decode()):
        start = int(address, 16)
        with tempfile.NamedTemporaryFile() as code:
            output(OBJCOPY, "-O", "binary", "--only-section", section, path, code.name)
            with open(code.name, "rb") as file:
                content = file.read()
        wanted, count = expected(path, section, start, len(content))
        skipped = data_in_code(path, section, start)
        found = output(reader, input=content).decode().splitlines()
        wanted = {line for line in wanted if int(line.split()[0], 16) not in skipped}
        found = {line for line in found if int(line.split()[0], 16) not in skipped}
        branches += len(wanted)
        instructions += count
        differ += len(wanted ^ found)
        for line in sorted(wanted ^ found)[:10]:
            print(f"{path} {section}: {'objdump' if line in wanted else 'tsprof'}: {line}")
    print(f"{path}: {instructions} instructions, {branches} branches, {differ} differ")
    return differ


def main():
    with tempfile.TemporaryDirectory() as folder:
        reader = os.path.join(folder, "branches")
        subprocess.run(
            [os.environ.get("CC_FOR_BUILD", "cc"), "-O2", "-I", TOP, "-o", reader]
            + [os.path.join(TOP, "tests", "aarch64", "branches.c")],
            check=True,
        )
        return 1 if sum(compare(path, reader) for path in sys.argv[1:]) else 0


sys.exit(main())
