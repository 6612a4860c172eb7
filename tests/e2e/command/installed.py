#!/usr/bin/env python3
"""What `make install` puts beside the command for other tools: the files for pkg-config and for
environment modules name what is there, and tools that read them get what they need."""

import fnmatch
import functools
import os
import re
import shutil
import subprocess
import tempfile

import harness

# Where Environment Modules may have their interpreter.
MODULE_COMMANDS = ("/usr/lib/x86_64-linux-gnu/modulecmd.tcl", "/usr/share/Modules/libexec/modulecmd.tcl")

PROGRAM = """
#include <mpi.h>
#include <tsprof.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 5; i++) {
        TSPROF_ITERATION_BEGIN("installed_step");
        MPI_Barrier(MPI_COMM_WORLD);
        TSPROF_ITERATION_END("installed_step");
    }
    MPI_Finalize();
    return 0;
}
"""


def make(*arguments):
    """In the build tree, without what the make that runs the tests was told."""
    environment = {name: value for name, value in harness.environment().items()
                   if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES")}
    return subprocess.run(["make", "-s", "-C", harness.TOP_BUILDDIR, *arguments], env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


@functools.cache
def variable(name):
    """Of the Makefile, as far as it will go."""
    with open(os.path.join(harness.TOP_BUILDDIR, "Makefile"), encoding="utf-8") as file:
        text = re.search(r"^%s = (.*)$" % name, file.read(), re.M).group(1)
    return re.sub(r"\$[{(](\w+)[)}]", lambda match: variable(match.group(1)), text)


class Installation:
    """All that is installed, below a directory of its own, once for all tests."""

    def __init__(self):
        self.top = None
        self.said = ""

    def path(self, installed):
        if not self.top:
            self.top = tempfile.mkdtemp(prefix="tsprof-installed-")
            done = make("install", "DESTDIR=" + self.top)
            self.said = done.stdout if done.returncode else ""
        if self.said:
            raise harness.Failure("make install: " + self.said)
        return self.top + installed

    def remove(self):
        if self.top:
            shutil.rmtree(self.top, ignore_errors=True)


INSTALLATION = Installation()


def pkg_config(*arguments):
    command = shutil.which("pkg-config") or shutil.which("pkgconf")
    if not command:
        raise harness.Skip("no pkg-config")
    folder = INSTALLATION.path(variable("libdir") + "/pkgconfig")
    settings = {"PKG_CONFIG_LIBDIR": folder, "PKG_CONFIG_PATH": "",
                "PKG_CONFIG_SYSROOT_DIR": INSTALLATION.path("")}
    done = harness.execute([command, *arguments, "tsprof"], settings)
    if done.status:
        raise harness.Failure("%s: %s" % (" ".join(arguments), done.stderr.decode()))
    return done.stdout.decode().strip()


def test_pkg_config_has_the_version(tap):
    version = harness.tsprof("--version").stdout.split()[1]
    tap.equal(pkg_config("--modversion"), version, "pkg-config and the command agree: " + version)
    tap.equal(pkg_config("--validate"), "", "pkg-config has no complaint")


def test_pkg_config_names_what_is_there(tap):
    for name, kind in (("includedir", os.path.isdir), ("runtimedir", os.path.isdir),
                       ("fortran_module", os.path.isfile)):
        path = pkg_config("--variable=" + name)
        # pkgconf puts the other root before some variables by itself, pkg-config does not.
        tap.ok(kind(path) or kind(INSTALLATION.path(path)), "%s: %s" % (name, path))
    runtimes = os.listdir(INSTALLATION.path(variable("libdir") + "/tsprof"))
    tap.equal([kind for kind in harness.KINDS if "libtsprof-%s.so" % kind not in runtimes], [],
              "the runtimes are in runtimedir")


def test_a_program_is_built_with_pkg_config(tap):
    flags = pkg_config("--cflags", "--libs").split()
    command = INSTALLATION.path(variable("bindir") + "/tsprof")
    runtime = INSTALLATION.path("%s/tsprof/libtsprof-%s.so" % (variable("libdir"), harness.MPI))
    with harness.Directory() as directory:
        source = os.path.join(directory, "marked.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        built = harness.execute([*harness.mpicc(), "-Wall", "-Werror", "-o", "marked", source, *flags],
                                cwd=directory)
        if not tap.equal((built.status, built.stderr), (0, b""), "it compiles and links"):
            return
        alone = harness.execute(["./marked"], cwd=directory)
        tap.equal((alone.status, alone.stdout, alone.stderr), (0, b"", b""), "it runs without tsprof")
        profiled = harness.execute(
            [command, "run", "-n", "2", "./marked"], cwd=directory,
            settings={"TSPROF_LIB": runtime, "TSPROF_OUTPUT": "out.tsprof",
                      "TSPROF_MPIRUN": harness.mpirun()})
        tap.equal(profiled.status, 0, "and with what is installed")
        report = harness.execute([command, "report", "out.tsprof"], cwd=directory).stdout.decode()
        tap.ok("Iterations of installed_step: 5" in report, "which sees its iterations", report)


def module_file():
    if not variable("modulefilesdir"):
        raise harness.Skip("configured --with-modulefiles=no")
    return variable("modulefilesdir") + "/tsprof/" + variable("PACKAGE_VERSION")


def test_module_file_names_what_is_there(tap):
    with open(INSTALLATION.path(module_file()), encoding="utf-8") as file:
        text = file.read()
    tap.ok(text.startswith("#%Module"), "it is known as one by its first line")
    tap.equal(re.findall(r"@\w+@", text), [], "all of it is filled in")
    wanted = {"PATH": "bin/tsprof", "MANPATH": "man1/tsprof.1", "PKG_CONFIG_PATH": "tsprof.pc"}
    paths = dict(re.findall(r'^prepend-path +(\w+) +"(/.*)"$', text, re.M))
    tap.equal(sorted(paths), sorted(wanted), "what it sets")
    for name, path in sorted(paths.items()):
        found = os.path.join(path, wanted[name].removeprefix("bin/"))
        tap.ok(os.path.exists(INSTALLATION.path(found)), "%s: %s" % (name, found))


def test_modules_load_it(tap):
    command = next(filter(os.path.exists, MODULE_COMMANDS), None)
    if not command:
        raise harness.Skip("no environment modules")
    name = "tsprof/" + variable("PACKAGE_VERSION")
    before = {"MODULEPATH": INSTALLATION.path(variable("modulefilesdir")), "PATH": "/usr/bin:/bin",
              "MANPATH": "", "PKG_CONFIG_PATH": "/somewhere", "LOADEDMODULES": "", "_LMFILES_": ""}
    module_file()

    def changed_by(settings, *arguments):
        done = harness.execute([command, "python", *arguments], settings)
        changed = dict(re.findall(r"""os\.environ\[['"](\w+)['"]\] *= *['"](.*)['"];?$""",
                                  done.stdout.decode(), re.M))
        return changed, done.stderr.decode()

    loaded, said = changed_by(before, "load", name)
    tap.equal(said, "", "loading it says nothing")
    tap.equal(loaded.get("PATH"), variable("bindir") + ":/usr/bin:/bin", "PATH begins with it")
    tap.equal(loaded.get("MANPATH", "").rstrip(":"), variable("mandir"), "man looks there")
    tap.ok(loaded.get("MANPATH", "").endswith(":"), "and where it did before")
    tap.equal(loaded.get("PKG_CONFIG_PATH"), variable("libdir") + "/pkgconfig:/somewhere",
              "pkg-config, too")
    unloaded, said = changed_by({**before, **loaded}, "unload", name)
    tap.equal((unloaded.get("PATH"), unloaded.get("PKG_CONFIG_PATH"), said),
              ("/usr/bin:/bin", "/somewhere", ""), "unloading it takes that back")


def debian_patterns():
    """What debian/*.install and debian/not-installed say, of files in Debian's places."""
    folder = os.path.join(harness.TOP_SRCDIR, "debian")
    for name in sorted(os.listdir(folder)):
        if name.endswith(".install") or name == "not-installed":
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                for line in file:
                    if line.strip() and not line.startswith("#"):
                        yield "/" + line.split()[0]


def in_debian(path):
    """Where Debian has a file that was installed at PATH."""
    for name, place in (("libdir", "/usr/lib/TRIPLET"), ("prefix", "/usr")):
        if path.startswith(variable(name) + "/"):
            return place + path[len(variable(name)):]
    return path


def test_debian_has_a_package_for_every_file(tap):
    if len(harness.KINDS) < 2:
        raise harness.Skip("Debian's packages are for two MPIs")
    top = INSTALLATION.path("")
    modules = (variable("modulefilesdir") or "/dev/null") + "/"
    installed = [os.path.join(folder, name)[len(top):] for folder, _, names in os.walk(top)
                 for name in names]
    files = [in_debian(path) for path in installed if not path.startswith(modules)]
    patterns = list(debian_patterns())

    def covers(pattern, path):
        return fnmatch.fnmatchcase(path, pattern) or path.startswith(pattern + "/")

    tap.ok(len(files) > 50, "%d files are installed" % len(files))
    tap.equal([path for path in files if not any(covers(pattern, path) for pattern in patterns)], [],
              "debian/*.install or debian/not-installed name each of them")
    tap.equal([pattern for pattern in patterns if not any(covers(pattern, path) for path in files)],
              [], "and nothing else")


if __name__ == "__main__":
    try:
        harness.main()
    finally:
        INSTALLATION.remove()
