#!/usr/bin/env python3
"""What is not to be in a summary is in none of its bytes; files are created with the user's umask
and through nobody's links."""

import os

import harness
import summary_reader
from harness import Directory

# Names under which programs and their environments keep secrets; some that look like settings.
SECRET_NAMES = (
    "PASSWORD", "API_TOKEN", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "SSH_AUTH_SOCK", "DATABASE_URL",
    "http_proxy", "OMP_SECRET", "MPI_SECRET", "MPIR_CVAR_SECRET", "SLURM_JOB_ACCOUNT", "PBS_O_SECRET",
    "PMI_SECRET", "LC_SECRET", "tsprof_token", "TSPROFTOKEN", "XTSPROF_TOKEN", "TSPROF_token",
    "TSPROF_NOT_A_SETTING", "USER", "LOGNAME", "MAIL",
)


def secrets():
    return {name: "s3cr3t-%d-%s" % (i, name[::-1]) for i, name in enumerate(SECRET_NAMES)}


def everything(path):
    """The bytes of a file, and of a summary the contents of its sections as well."""
    with open(path, "rb") as file:
        found = file.read()
    if found.startswith(b"TSPROF\r\n"):
        found += b"".join(summary_reader.contents(path))
    return found


def files_below(*directories):
    return [os.path.join(place, name) for directory in directories
            for place, _, names in os.walk(directory) for name in names]


def run(directory, settings=None, arguments=()):
    _, summary = harness.profile(directory, "stencil", 2, ("--iterations", "4") + arguments,
                                 dict({"TSPROF_OUTPUT": "out.tsprof"}, **(settings or {})))
    return summary


def test_the_environment_is_not_recorded(tap):
    with Directory() as directory:
        temporary = os.path.join(directory, "temporary")
        os.mkdir(temporary)
        settings = dict(secrets(), TMPDIR=temporary, TSPROF_PHASES="timestep,a-known-setting")
        run(directory, settings)
        files = files_below(directory)
        found = ["%s in %s" % (name, os.path.basename(path))
                 for path in files for name, secret in secrets().items()
                 if secret.encode() in everything(path)]
        tap.equal(found, [], "no secret in %d files" % len(files))
        tap.ok(any(b"a-known-setting" in everything(path) for path in files),
               "values of settings are recorded, so the test would find others")


def test_the_command_line_is_left_out_if_wished(tap):
    """The programs are told where to write: an argument that is nowhere else."""
    for wished, recorded in (("1", True), ("0", False)):
        with Directory() as directory:
            path = run(directory, {"TSPROF_COMMAND": wished})
            tap.equal(directory.encode() + b"/counts" in everything(path), recorded,
                      "TSPROF_COMMAND=%s: an argument is %sin the summary"
                      % (wished, "" if recorded else "not "))
            for command in ("info", "report"):
                result = harness.tsprof(command, path)
                tap.ok(result.status == 0 and ("--iterations 4" in result.stdout) == recorded,
                       "TSPROF_COMMAND=%s: tsprof %s" % (wished, command), result)


def test_names_of_files_are_in_traces_only_if_wished(tap):
    """Never their directories, and nowhere but in the archive."""
    for wished, recorded in (("1", True), ("0", False)):
        with Directory() as directory:
            summary = os.path.join(directory, "out.tsprof")
            result = harness.run_ranks(
                [harness.program("files")], 2, cwd=directory,
                settings={"TSPROF_OUTPUT": summary, "TSPROF_TRACE": "all",
                          "TSPROF_FILE_NAMES": wished})
            harness.check_run(result, summary)
            archive = [path for path in files_below(os.path.join(directory, "out.otf2"))
                       if b"files.data" in everything(path)]
            tap.equal([os.path.basename(path) for path in archive],
                      ["traces.def"] if recorded else [],
                      "TSPROF_FILE_NAMES=%s: the name of a file is %sin the archive"
                      % (wished, "" if recorded else "not "))
            tap.ok(b"files.data" not in everything(summary), "it is not in the summary")


def test_the_umask_is_the_users(tap):
    for umask, mode in (("077", 0o600), ("027", 0o640), ("000", 0o666)):
        with Directory() as directory:
            out = os.path.join(directory, "out.tsprof")
            program = ["sh", "-c", "umask %s; exec \"$@\"" % umask, "sh", harness.program("stencil"),
                       "--iterations", "2"]
            result = harness.run_ranks(program, 2, {"TSPROF_OUTPUT": out}, cwd=directory)
            harness.check_run(result, out)
            tap.equal(os.stat(out).st_mode & 0o7777, mode, "umask " + umask)


def plant(directory, name, dangling):
    """A link in DIRECTORY to a file of somebody else's; returns that file's path."""
    victim = os.path.join(directory, "victim")
    if not dangling:
        with open(victim, "w") as file:
            file.write("precious")
    os.symlink(victim, os.path.join(directory, name))
    return victim


def untouched(victim):
    if not os.path.lexists(victim):
        return "not created"
    with open(victim) as file:
        return file.read()


def check_planted(tap, label, victim, dangling):
    tap.equal(untouched(victim), "not created" if dangling else "precious",
              label + ": the link is not followed")


def test_runtime_follows_no_link(tap):
    for dangling in (False, True):
        label = "a link to %s" % ("nothing" if dangling else "a file")
        with Directory() as directory:
            victim = plant(directory, "out.tsprof", dangling)
            result = harness.run_ranks([harness.program("stencil"), "--iterations", "2"], 2,
                                       {"TSPROF_OUTPUT": "out.tsprof"}, cwd=directory)
            tap.equal(result.status, 0, label + ": the program runs")
            check_planted(tap, label, victim, dangling)
            others = [name for name in os.listdir(directory)
                      if name.endswith(".tsprof") and name != "out.tsprof"]
            tap.ok(len(others) == 1 and others[0].encode() in result.stderr,
                   label + ": another name is taken, and said", (others, result.stderr))


def test_runtime_follows_no_link_in_the_shared_directory(tap):
    """Where it goes if it cannot write where it was told to."""
    for dangling in (False, True):
        label = "in TMPDIR, a link to %s" % ("nothing" if dangling else "a file")
        with Directory() as directory:
            victim = plant(directory, "out.tsprof", dangling)
            nowhere = os.path.join(directory, "no", "such", "out.tsprof")
            result = harness.run_ranks([harness.program("stencil"), "--iterations", "2"], 2,
                                       {"TSPROF_OUTPUT": nowhere, "TMPDIR": directory},
                                       cwd=directory)
            tap.equal(result.status, 0, label + ": the program runs")
            check_planted(tap, label, victim, dangling)
            others = [name for name in os.listdir(directory)
                      if name.endswith(".tsprof") and name != "out.tsprof"]
            tap.equal(len(others), 1, label + ": the summary is there under another name")


def test_command_overwrites_nothing(tap):
    with Directory() as directory:
        path = run(directory, {"TSPROF_CLUSTERS": "0"})
        writers = (["export", path, "--what", "clusters"], ["compress", path, "--clusters", "2"])
        for writer in writers:
            for dangling in (False, True):
                label = "%s -o a link to %s" % (writer[0], "nothing" if dangling else "a file")
                with Directory() as other:
                    victim = plant(other, "out", dangling)
                    result = harness.tsprof(*(writer + ["-o", os.path.join(other, "out")]))
                    tap.ok(result.status == 1 and "already exists" in result.stderr,
                           label + ": refused", result)
                    check_planted(tap, label, victim, dangling)
            with Directory() as other:
                out = os.path.join(other, "out")
                with open(out, "w") as file:
                    file.write("precious")
                result = harness.tsprof(*(writer + ["-o", out]))
                tap.ok(result.status == 1 and "already exists" in result.stderr,
                       writer[0] + " -o a file: refused", result)
                tap.equal(untouched(out), "precious", writer[0] + " -o a file: it stays")
        result = harness.tsprof(*(writers[0] + ["-o", "/dev/null"]))
        tap.equal((result.status, result.stderr), (0, ""), "a device can be written to")
        tap.ok(not os.path.isfile("/dev/null"), "and stays one")


def test_half_a_table_is_taken_away(tap):
    with Directory() as directory:
        path = run(directory)
        out = os.path.join(directory, "table.csv")
        # The limit is in blocks of 512 or 1024 bytes; writing more raises a signal, unless ignored.
        limited = ["sh", "-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "sh", harness.COMMAND, "export",
                   path, "--what", "callpaths", "-o", out]
        result = harness.execute(limited, cwd=directory)
        tap.ok(result.status == 1 and b"cannot be written" in result.stderr, "a full disk is told",
               result)
        tap.ok(not os.path.exists(out), "and leaves nothing")


if __name__ == "__main__":
    harness.main()
