"""Several hosts on one machine: a login node and compute nodes, each with a network address, a host
name, processes, shared memory, a boot and disks of its own, in namespaces of Linux.  Needs root.

All of it hangs on processes that read from pipes of this one: when it ends, however it does, they
do, with whatever runs there, and what the machine has is not touched.  Launchers start their ranks
by ssh: each compute node has an sshd of its own, with keys and settings that the test makes and that
only the nodes see.

On every node the path `Hosts.work` is another directory: of node NAME, `Hosts.disk(NAME)` here.
"""

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import uuid

import harness
from harness import Failure, Skip

LOGIN = "login"
NEEDED = ("unshare", "nsenter", "ip", "mount")

SSHD = shutil.which("sshd", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")

# What takes the place of the machine's own on the nodes.
SSH_CONFIG = """IdentityFile %(top)s/user
IdentitiesOnly yes
UserKnownHostsFile %(top)s/known_hosts
GlobalKnownHostsFile /dev/null
StrictHostKeyChecking yes
BatchMode yes
"""
# Whoever logs in has nothing of the test's environment but what says where the node's own disk is.
SSHD_CONFIG = """HostKey %(top)s/%(name)s
AuthorizedKeysFile %(top)s/user.pub
SetEnv TMPDIR=%(work)s/tmp
UsePAM no
StrictModes no
PasswordAuthentication no
PermitRootLogin prohibit-password
PidFile none
"""
# Without PAM nobody logs in whose password is locked, as root's often is.
SHADOW = "root:*:19000:0:99999:7:::\n"

OWN_NAMESPACES = ["-n", "-m", "-u", "-i", "-p", "--fork", "--kill-child", "--mount-proc",
                  "--propagation", "private"]


def why_not():
    """Why there can be no namespaces here; None if there can."""
    if os.geteuid() != 0:
        return "only root makes hosts out of namespaces"
    missing = [name for name in NEEDED if not shutil.which(name)]
    if missing:
        return "there is no " + ", ".join(missing)
    tried = subprocess.run(
        ["unshare"] + OWN_NAMESPACES + ["sh", "-c", "ip link add br0 type bridge && "
         "ip link add v0 type veth peer name v1 && mount -t tmpfs none /dev/shm"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return None if tried.returncode == 0 else "no namespaces of networks, mounts and processes: " + (
        tried.stderr.decode("utf-8", "replace").strip().replace("\n", "; "))


def why_no_ssh():
    """Why there can be no ssh between hosts; None if there can."""
    missing = [name for name, there in (("sshd", SSHD), ("ssh", shutil.which("ssh")),
                                        ("ssh-keygen", shutil.which("ssh-keygen"))) if not there]
    return ("there is no %s (Debian: openssh-server, openssh-client)" % ", ".join(missing)
            if missing else None)


def require(ssh):
    reason = ssh and why_no_ssh() or why_not()
    if reason:
        raise Skip(reason)


def child_of(process, pid=None):
    """The first child of the process PID, which PROCESS has started or is."""
    path = "/proc/%d/task/%d/children" % ((pid or process.pid,) * 2)
    for _ in range(2000):
        with open(path) as file:
            children = file.read().split()
        if children:
            return int(children[0])
        if process.poll() is not None:
            break
        time.sleep(0.002)
    raise Failure("a process was not started")


def number_inside(pid):
    """The number of a process in the namespace of its parent's processes."""
    with open("/proc/%d/status" % pid) as file:
        for line in file:
            if line.startswith("NSpid:"):
                return int(line.split()[-2])
    raise Failure("processes have no numbers in namespaces")


class Hosts:
    """Nodes node1, node2 ..., as a context.  Each calls itself so, or all as SAME_NAME says.  The clock
    of the K-th is by SHIFT_S * (K - 1) seconds ahead, where that is not 0; then the processors'
    counters are said not to be trusted, so that nobody looks at these, which are one.  With SHARED
    Hosts.work is one directory, that of the login node, on all of them.  Where no launcher is used
    that needs it, they can do without SSH."""

    def __init__(self, directory, count=3, same_name=None, shift_s=0, shared=False, ssh=True):
        self.directory = directory
        self.names = ["node%d" % (i + 1) for i in range(count)]
        self.same_name = same_name
        self.shift_s = shift_s
        self.shared = shared
        self.ssh = os.path.join(directory, "ssh") if ssh else None
        self.work = os.path.join(directory, "work")
        self.holders = {}

    def disk(self, name):
        """Where Hosts.work of a node is on this machine."""
        name = LOGIN if self.shared else name
        return os.path.join(self.directory, "disks", name)

    def __enter__(self):
        require(self.ssh)
        try:
            self._write_files()
            self._make_login()
            for number, name in enumerate(self.names, 1):
                self._make_node(number, name)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error):
        for name in reversed(list(self.holders)):
            self.lose(name)

    def _write_files(self):
        for name in [LOGIN] + self.names:
            os.makedirs(os.path.join(self.disk(name), "tmp"), exist_ok=True)
        os.mkdir(self.work)
        self._write("hosts", "127.0.0.1 localhost\n10.77.0.100 login\n" + "".join(
            "10.77.0.%d %s\n" % (i, name) for i, name in enumerate(self.names, 1)))
        self._write("clocks", "hpet acpi_pm\n")
        if self.ssh:
            self._write_ssh()

    def _write_ssh(self):
        """Keys of the user and of each node, who knows whom, and settings."""
        os.mkdir(self.ssh)
        names = {"top": self.ssh, "work": self.work}
        for name in ["user"] + self.names:
            result = harness.execute(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name,
                                      "-f", os.path.join(self.ssh, name)])
            if result.status != 0:
                raise Failure("no key: %s" % result.stderr.decode())
        known = ""
        for name in self.names:
            with open(os.path.join(self.ssh, name + ".pub")) as file:
                known += "%s %s" % (name, file.read())
            self._write("ssh/sshd_config." + name, SSHD_CONFIG % dict(names, name=name))
        self._write("ssh/known_hosts", known)
        self._write("ssh/ssh_config", SSH_CONFIG % names)
        os.chmod(self._write("ssh/shadow", SHADOW), 0o600)

    def _write(self, name, text):
        path = os.path.join(self.directory, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def _hold(self, name, command):
        """Starts what keeps the namespaces of a node there: it reads, from a pipe, until that ends."""
        process = subprocess.Popen(command + ["cat"], stdin=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        self.holders[name] = (process, None)
        self.holders[name] = (process, child_of(process))

    def _script(self, name, lines):
        result = subprocess.run(self.enter(name) + ["sh", "-e"], input="\n".join(lines).encode(),
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if result.returncode != 0:
            raise Failure("%s cannot be set up: %s" % (name, result.stdout.decode()))

    def _common(self, name, shown):
        boot = self._write("boot." + name, "%s\n" % uuid.uuid4())
        return ["hostname " + shown, "ip link set lo up",
                "mount --bind %s %s" % (self.disk(name), self.work),
                "mount --bind %s/hosts /etc/hosts" % self.directory,
                "mount -t tmpfs none /dev/shm",
                "mount --bind %s /proc/sys/kernel/random/boot_id" % boot]

    def _make_login(self):
        self._hold(LOGIN, ["unshare"] + OWN_NAMESPACES)
        client = ["mount --bind %s/ssh_config /etc/ssh/ssh_config" % self.ssh] if self.ssh else []
        self._script(LOGIN, self._common(LOGIN, LOGIN) + client + [
            "ip link add br0 type bridge", "ip addr add 10.77.0.100/24 dev br0",
            "ip link set br0 up"])

    def _make_node(self, number, name):
        shift = self.shift_s * (number - 1)
        clock = ["-T", "--monotonic", str(shift), "--boottime", str(shift)] if shift else []
        self._hold(name, self.enter(LOGIN) + ["unshare"] + OWN_NAMESPACES + clock)
        process, _ = self.holders[name]
        # nsenter has a child in the namespaces of the login node, which is unshare.
        holder = child_of(process, self.holders[name][1])
        self.holders[name] = (process, holder)
        inside = number_inside(holder)
        self._script(LOGIN, ["ip link add v%d type veth peer name eth0 netns %d" % (number, inside),
                             "ip link set v%d master br0 up" % number])
        lines = self._common(name, self.same_name or name)
        if self.shift_s:
            lines.append("mount --bind %s/clocks /sys/devices/system/clocksource/clocksource0/"
                         "available_clocksource" % self.directory)
        self._script(name, lines + ["ip addr add 10.77.0.%d/24 dev eth0" % number,
                                    "ip link set eth0 up"] + self._server(name))

    def _server(self, name):
        """Lines that start a node's sshd, which listens as soon as its command has ended."""
        return ["mount -t tmpfs -o mode=755 none /run", "mkdir /run/sshd",
                "mount --bind %s/shadow /etc/shadow" % self.ssh,
                "%s -f %s/sshd_config.%s" % (SSHD, self.ssh, name)] if self.ssh else []

    def enter(self, name):
        """How a command begins that runs on a node."""
        return ["nsenter", "-t", str(self.holders[name][1]), "-n", "-m", "-u", "-i", "-p", "-T", "--"]

    def start(self, command, settings=None, name=LOGIN, said=None):
        """Starts a command on a node, in its directory Hosts.work; see Running.  What it says goes to
        the open file SAID, if that is given."""
        line = "cd %s && exec %s" % (shlex.quote(self.work), shlex.join(command))
        if not said:
            number, path = tempfile.mkstemp(dir=self.directory, prefix="said.")
            os.close(number)
            said = open(path, "wb")
        return Running(said, subprocess.Popen(
            self.enter(name) + ["sh", "-c", line], stdin=subprocess.DEVNULL, stdout=said,
            stderr=said, start_new_session=True, env=harness.environment(
                dict({"TMPDIR": os.path.join(self.work, "tmp")}, **(settings or {})))))

    def run(self, command, settings=None, name=LOGIN, timeout=harness.RUN_TIMEOUT_S):
        """Runs a command on a node to its end; what it has said."""
        running = self.start(command, settings, name)
        running.wait(timeout)
        return running.said()

    def tsprof_run(self, command, per_node=2):
        """`tsprof run` of a command with PER_NODE ranks on each node, host by host: for start() on the
        login node, with Hosts.settings."""
        return [harness.COMMAND, "run", "-n", str(per_node * len(self.names)),
                *self._launcher_options(per_node), "--", *command]

    def settings(self, more=None):
        return dict({"TSPROF_MPIRUN": harness.mpirun()}, **(more or {}))

    def _launcher_options(self, per_node):
        if harness.MPI == "openmpi":
            network = ["10.77.0.0/24"]
            return (["--host", ",".join("%s:%d" % (name, per_node) for name in self.names)] +
                    mca("plm_rsh_agent", "ssh") + mca("oob_tcp_if_include", *network) +
                    mca("btl_tcp_if_include", *network) + mca("btl", "self", "tcp"))
        return ["-launcher", "ssh", "-hosts", ",".join(self.names), "-ppn", str(per_node)]

    def lose(self, name):
        """Ends a node: all of its processes at once, and its network."""
        process, holder = self.holders.pop(name)
        with contextlib.suppress(ProcessLookupError):
            os.kill(holder or process.pid, signal.SIGKILL)
        process.stdin.close()
        process.wait(harness.RUN_TIMEOUT_S)

    def cut(self, name):
        """Takes a node off the network; nobody is told."""
        self._script(LOGIN, ["ip link set v%d down" % (self.names.index(name) + 1)])


def mca(name, *values):
    return ["--mca", name, ",".join(values)]


class Running:
    """A command that runs on a node."""

    def __init__(self, said, process):
        self.path = said.name
        self.process = process
        said.close()

    def said(self):
        """What it has said so far."""
        with open(self.path, "rb") as file:
            return file.read().decode("utf-8", "replace")

    def kill(self, number=signal.SIGKILL):
        """Sends a signal to the command, if it has not ended."""
        with contextlib.suppress(ProcessLookupError, FileNotFoundError):
            if self.process.poll() is None:
                os.kill(child_of(self.process), number)

    def wait(self, timeout=harness.RUN_TIMEOUT_S):
        """Waits for the end of the command; returns its status."""
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            self.process.wait()
            raise Failure("no end after %d s: %s\n%s" % (timeout, self.process.args, self.said()))

    def wait_for(self, words, timeout=harness.RUN_TIMEOUT_S):
        """Waits until the command has said WORDS, or has ended."""
        end = time.monotonic() + timeout
        while words not in self.said() and self.process.poll() is None:
            if time.monotonic() > end:
                self.kill()
                raise Failure("never said %s: %s" % (words, self.said()))
            time.sleep(0.01)
