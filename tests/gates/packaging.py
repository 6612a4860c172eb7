#!/usr/bin/env python3
"""What packagers are given agrees with what is packaged: versions, options and what is needed.

Spack's recipe is carried out, with stand-ins for what it takes from Spack.
"""

import os
import re
import subprocess
import sys
import types

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.abspath(os.environ.get("TOP_SRCDIR") or os.path.join(HERE, "..", ".."))
RECIPE = "packaging/spack_repo/tsprof/packages/tsprof/package.py"
DIRECTIVES = ("license", "version", "variant", "depends_on", "requires")


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


class Recipe:
    """Spack's recipe: what its directives were told, and what it configures with an MPI."""

    def __init__(self):
        self.told = {name: [] for name in DIRECTIVES}
        spack = types.ModuleType("spack.package")
        for name in DIRECTIVES:
            setattr(spack, name, lambda *words, _name=name, **_: self.told[_name].append(words))
        autotools = types.ModuleType("autotools")
        autotools.AutotoolsPackage = type("AutotoolsPackage", (), {})
        stand_ins = {"spack": types.ModuleType("spack"), "spack.package": spack}
        for depth in range(1, 4):
            name = ".".join(("spack_repo", "builtin", "build_systems")[:depth])
            stand_ins[name] = types.ModuleType(name)
        stand_ins["spack_repo.builtin.build_systems.autotools"] = autotools
        sys.modules.update(stand_ins)
        names = {}
        exec(compile(read(RECIPE), RECIPE, "exec"), names)  # pylint: disable=exec-used
        self.package = names["Tsprof"]()

    def arguments(self, kind):
        self.package.spec = {"mpi": types.SimpleNamespace(name=kind, mpicc="/mpi/bin/mpicc")}
        return self.package.configure_args()


def configure_help():
    return subprocess.run(["sh", os.path.join(TOP, "configure"), "--help"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def unknown_options():
    """Of configure, in the recipe, in Debian's rules and in the documents."""
    known = configure_help()
    recipe = Recipe()
    for kind in re.search(r"TSPROF_MPI_KINDS\], \[(.*)\]", read("m4/tsprof_mpi.m4")).group(1).split():
        for argument in recipe.arguments(kind):
            name = argument.partition("=")[0]
            if not re.search(r"^  %s\b" % re.escape(name), known, re.M):
                yield "%s: configure has no %s" % (RECIPE, name)
            if name == "--with-mpi" and argument != "--with-mpi=" + kind:
                yield "%s: %s for %s" % (RECIPE, argument, kind)
    for path in ("debian/rules", "doc/installing.md"):
        for name in re.findall(r"--(?:with|enable)-[a-z]+", read(path)):
            if "  " + name not in known:
                yield "%s: configure has no %s" % (path, name)


def other_versions():
    version = re.search(r"^AC_INIT\(\[tsprof\], \[(.*?)\]", read("configure.ac"), re.M).group(1)
    changelog = re.match(r"tsprof \((.*)-[\w.+~]+\)", read("debian/changelog"))
    if not changelog or changelog.group(1) != version:
        yield "debian/changelog does not begin with %s" % version
    recipe = Recipe()
    if (version,) not in recipe.told["version"]:
        yield "%s has no version %s" % (RECIPE, version)
    if not recipe.package.url.endswith("/tsprof-%s.tar.gz" % version):
        yield "%s: the url is not that of %s" % (RECIPE, version)


def missing_build_depends():
    """Packages that configure recommends where something is missing; the page is in releases."""
    wanted = set(re.findall(r"\(Debian: ([\w.+-]+)\)", read("configure.ac"))) - {"npm"}
    wanted |= {"libmpich-dev", "libopenmpi-dev"}
    for package in sorted(wanted):
        if not re.search(r"^(Build-Depends:)? +%s\b" % re.escape(package), read("debian/control"), re.M):
            yield "debian/control does not build with %s" % package


def loose_ends_of_packages():
    """A package without files, or files without a package."""
    packages = set(re.findall(r"^Package: (.*)$", read("debian/control"), re.M))
    with_files = {name[:-len(".install")] for name in os.listdir(os.path.join(TOP, "debian"))
                  if name.endswith(".install")}
    return sorted(packages ^ with_files)


CHECKS = [("configure knows the options that packagers use", unknown_options),
          ("there is one version", other_versions),
          ("Debian's packages build with what configure looks for", missing_build_depends),
          ("each of Debian's packages has files", loose_ends_of_packages)]


def main():
    print("1..%d" % len(CHECKS))
    failed = False
    for number, (name, check) in enumerate(CHECKS, 1):
        wrong = list(check())
        print("%sok %d - %s" % ("not " if wrong else "", number, name))
        for line in wrong:
            print("# " + line)
        failed = failed or bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
