"""Every C and C++ file is as clang-format leaves it.

    python3 formatted.py
"""

import os
import re
import shutil
import subprocess
import tempfile

FOLDERS = ("arch", "archive", "assemble", "bench", "common", "compress", "detect", "include", "libprof",
           "network", "replay", "tests", "utils", "waits_mpi", "whatif")
ENDINGS = (".c", ".cc", ".h", ".inc")
# Other versions break lines elsewhere.
VERSION = 14
COMPLAINT = re.compile(r"^(.*?):\d+:\d+: error: code should be clang-formatted", re.M)


def find_formatter():
    """A clang-format of the version that the tree is formatted with, or why there is none."""
    command = shutil.which(f"clang-format-{VERSION}") or shutil.which("clang-format")
    if not command:
        return None, "there is no clang-format"
    text = subprocess.run([command, "--version"], check=True, stdout=subprocess.PIPE,
                          text=True).stdout
    found = re.search(r"version (\d+)", text)
    if not found or int(found[1]) != VERSION:
        return None, f"clang-format is not version {VERSION}: {text.strip()}"
    return command, None


def sources_below(top):
    found = []
    for folder in FOLDERS:
        for directory, inner, names in os.walk(os.path.join(top, folder)):
            inner[:] = [name for name in inner if name != "node_modules"]
            found += [os.path.join(directory, name) for name in names if name.endswith(ENDINGS)]
    return sorted(found)


def unformatted(formatter, files, top):
    """Those of FILES that clang-format would change."""
    done = subprocess.run([formatter, "--dry-run", "-Werror", f"--style=file:{top}/.clang-format",
                           *files], check=False, stderr=subprocess.PIPE, text=True)
    complaints = sorted(set(COMPLAINT.findall(done.stderr)))
    return complaints or ([done.stderr] if done.returncode else [])


def notices_bad_format(formatter, top):
    with tempfile.NamedTemporaryFile("w", suffix=".c") as bad:
        bad.write("int  main( void ) { return 0; }\n")
        bad.flush()
        return unformatted(formatter, [bad.name], top) == [bad.name]


def main():
    top = os.environ["TOP_SRCDIR"]
    formatter, missing = find_formatter()
    if not formatter:
        print(f"1..0 # SKIP {missing}")
        return
    print("1..2")
    print("ok" if notices_bad_format(formatter, top) else "not ok",
          "1 - self-test: a file with spaces in other places is found")
    files = sources_below(top)
    bad = unformatted(formatter, files, top)
    for name in bad:
        print("# clang-format -i", os.path.relpath(name, top))
    print("not ok" if bad or not files else "ok",
          f"2 - {len(files)} C and C++ files are as clang-format leaves them")


if __name__ == "__main__":
    main()
