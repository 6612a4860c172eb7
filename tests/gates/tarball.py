"""Every file that git knows is in the tarball.  Run by `make dist-tested` and `make distcheck-untested`.

    python3 tarball.py SOURCE-TREE TARBALL
"""

import os
import subprocess
import sys
import tarfile

# Of use where there is git.
LEFT_OUT = (".ci/", ".gitignore")


def tracked(top):
    """Nothing where this is no checkout; if it is one, git must say what is in it."""
    if not os.path.exists(os.path.join(top, ".git")):
        print("Not compared with what git knows: this is no checkout.")
        return set()
    text = subprocess.run(["git", "-C", top, "-c", f"safe.directory={os.path.realpath(top)}",
                           "ls-files", "-z"], check=True, text=True, stdout=subprocess.PIPE).stdout
    return set(name for name in text.split("\0")
               if name and not name.startswith(LEFT_OUT) and not name.endswith(LEFT_OUT))


def packed(tarball):
    with tarfile.open(tarball) as archive:
        return set(name.partition("/")[2] for name in archive.getnames())


def main(top, tarball):
    missing = sorted(tracked(top) - packed(tarball))
    for name in missing:
        print(f"{tarball} lacks {name}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
