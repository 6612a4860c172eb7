#!/usr/bin/env python3
"""What packagers are given agrees with what is packaged: versions, options and what is needed.

Spack's recipe is carried out, with stand-ins for what it takes from Spack.
"""

import os
import re
import subprocess
import sys
import types

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap_report  # pylint: disable=wrong-import-position

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.abspath(os.environ.get("TOP_SRCDIR") or os.path.join(HERE, "..", ".."))
RECIPE = "packaging/spack_repo/tsprof/packages/tsprof/package.py"
DIRECTIVES = ("license", "version", "variant", "depends_on", "requires")


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


# What Spack calls the packages that configure recommends; None: tests and the page alone need them.
IN_SPACK = {"libcairo2-dev": "cairo", "libdw-dev": "elfutils", "libelf-dev": "elfutils",
            "libotf2-trace-dev": "otf2", "libunwind-dev": None, "libxml2-dev": "libxml2",
            "libzstd-dev": "zstd", "npm": None, "zlib1g-dev": "zlib-api"}
# What it needs that configure does not say by such names.
MORE_IN_SPACK = {"c", "cxx", "mpi", "papi", "pkgconfig"}


class Recipe:
    """Spack's recipe: what its directives were told, and what it configures with an MPI."""

    def __init__(self):
        self.told = {name: [] for name in DIRECTIVES}
        spack = types.ModuleType("spack.package")
        for name in DIRECTIVES:
            setattr(spack, name, lambda *words, _name=name, **options:
                    self.told[_name].append((words, options)))
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


def mpi_kinds():
    return re.search(r"TSPROF_MPI_KINDS\], \[(.*)\]", read("m4/tsprof_mpi.m4")).group(1).split()


def unknown_options():
    """Of configure, in the recipe, in Debian's rules and in the documents."""
    known = configure_help()
    recipe = Recipe()
    for kind in mpi_kinds():
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
    if (version,) not in [words for words, _ in recipe.told["version"]]:
        yield "%s has no version %s" % (RECIPE, version)
    if not recipe.package.url.endswith("/tsprof-%s.tar.gz" % version):
        yield "%s: the url is not that of %s" % (RECIPE, version)


def recommended():
    """Debian's packages that configure names where something is missing."""
    return set(re.findall(r"\(Debian: ([\w.+-]+)\)", read("configure.ac")))


def disagreements_with_spack():
    """Of the recipe and configure: dependencies, variants, MPIs and processors."""
    told = Recipe().told
    needs = {re.match(r"[\w-]+", words[0]).group() for words, _ in told["depends_on"]}
    for package in sorted(recommended()):
        if package not in IN_SPACK:
            yield "nobody knows what %s is called in Spack" % package
        elif IN_SPACK[package] not in needs | {None}:
            yield "%s does not depend on %s" % (RECIPE, IN_SPACK[package])
    for name in sorted(needs - set(IN_SPACK.values()) - MORE_IN_SPACK):
        yield "%s depends on %s, which configure does not look for" % (RECIPE, name)
    variants = {words[0] for words, _ in told["variant"]}
    for _, options in told["depends_on"]:
        for name in set(re.findall(r"[+~](\w+)", options.get("when", ""))) - variants:
            yield "%s has no variant %s" % (RECIPE, name)
    wanted = ["^[virtuals=mpi] " + kind for kind in mpi_kinds()]
    wanted += ["target=%s:" % name for name in processors()]
    required = [word for words, _ in told["requires"] for word in words if not word.startswith("platform")]
    if sorted(required) != sorted(wanted):
        yield "%s requires %s, not %s" % (RECIPE, required, wanted)


def processors():
    return [name for name in os.listdir(os.path.join(TOP, "arch"))
            if os.path.isfile(os.path.join(TOP, "arch", name, "files.mk"))]


def missing_build_depends():
    """The page is in releases."""
    wanted = recommended() - {"npm"}
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


CHECKS = [("Spack's recipe and configure agree", disagreements_with_spack),
          ("configure knows the options that packagers use", unknown_options),
          ("there is one version", other_versions),
          ("Debian's packages build with what configure looks for", missing_build_depends),
          ("each of Debian's packages has files", loose_ends_of_packages)]


if __name__ == "__main__":
    sys.exit(tap_report.carry_out(CHECKS))
