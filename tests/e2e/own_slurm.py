"""A Slurm of the test's own, on hosts of its own (several_hosts.py): munge with its own key and socket,
slurmctld on the login node, a slurmd on each other node; all of it in one directory, and gone with the
nodes.  Needs root, and Debian's packages slurmctld, slurmd, slurm-client and munge."""

import os
import shutil
import time

import harness
import several_hosts
from harness import Failure, Skip
from several_hosts import LOGIN

NEEDED = ("slurmctld", "slurmd", "srun", "sbatch", "munged")

CONFIGURATION = """ClusterName=tsprof
SlurmctldHost=login(10.77.0.100)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=%(top)s/munge.socket
CryptoType=crypto/munge
StateSaveLocation=%(top)s/state
SlurmdSpoolDir=%(top)s/spool.%%n
TmpFS=%(top)s/tmp.%%n
SlurmctldPidFile=%(top)s/slurmctld.pid
SlurmdPidFile=%(top)s/slurmd.%%n.pid
SlurmctldLogFile=%(top)s/slurmctld.log
SlurmdLogFile=%(top)s/slurmd.%%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=%(task)s
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=%(counted)s
MpiDefault=none
ReturnToService=2
KillWait=2
OverTimeLimit=0
SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1
MailProg=/bin/true
SlurmdParameters=config_overrides
TaskProlog=%(top)s/task_prolog
%(nodes)s
PartitionName=all Nodes=%(names)s Default=YES MaxTime=INFINITE State=UP
"""


# Where a job's memory is to be limited, by control groups of the first version.
CGROUPS = """CgroupPlugin=cgroup/v1
CgroupMountpoint=/sys/fs/cgroup
CgroupAutomount=no
ConstrainCores=no
ConstrainDevices=no
ConstrainRAMSpace=yes
ConstrainSwapSpace=no
AllowedRAMSpace=100
"""


def why_not():
    missing = [name for name in NEEDED if not shutil.which(name)]
    if missing:
        return "there is no %s (Debian: slurmctld, slurmd, slurm-client, munge)" % ", ".join(missing)
    return several_hosts.why_not()


class Slurm:
    """As a context, on COUNT nodes of four processors, whether there are so many or not.  With a
    MemoryGroup, in which Slurm makes groups of its own, jobs have no more memory than they ask for;
    on one node, since others would make groups of the same names."""

    def __init__(self, directory, count=3, group=None):
        reason = why_not()
        if reason:
            raise Skip(reason)
        self.group = group
        self.hosts = several_hosts.Hosts(directory, count, shared=True, ssh=False)
        # The directory that all nodes work in, as it is called here.
        self.work = self.hosts.disk(LOGIN)
        self.top = os.path.join(directory, "slurm")
        self.daemons = []

    def __enter__(self):
        os.chmod(self.hosts.directory, 0o755)
        for name in ["state"] + [kind + node for kind in ("spool.", "tmp.")
                                 for node in self.hosts.names]:
            os.makedirs(os.path.join(self.top, name))
        self.hosts.__enter__()
        try:
            self._write_files()
            if self.group:
                self._limit_memory()
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error):
        # With their last process the nodes end all that runs there.
        self.hosts.__exit__()

    def _write_files(self):
        nodes = "\n".join("NodeName=%s NodeAddr=%s CPUs=4 CoresPerSocket=4 RealMemory=1000 State=UNKNOWN"
                          % (name, name) for name in self.hosts.names)
        for name, text, mode in (
                ("slurm.conf", CONFIGURATION % {
                    "top": self.top, "nodes": nodes, "names": ",".join(self.hosts.names),
                    "task": "task/cgroup" if self.group else "task/none",
                    "counted": "CR_Core_Memory" if self.group else "CR_Core"}, 0o644),
                ("cgroup.conf", CGROUPS, 0o644),
                ("task_prolog", "#!/bin/sh\n[ ! -e '%s/prolog' ] || . '%s/prolog'\n"
                 % (self.top, self.top), 0o755),
                ("munge.key", "k" * 128, 0o400)):
            with open(os.path.join(self.top, name), "w") as file:
                file.write(text)
            os.chmod(os.path.join(self.top, name), mode)

    def _limit_memory(self):
        """Lets the node's Slurm see no other groups than those in the test's."""
        for name in self.hosts.names:
            self.hosts.run(["mount", "--bind", self.group.path, self.group.version.top], name=name)

    def _start(self):
        top = self.top
        self._daemon(LOGIN, ["munged", "-F", "-f", "--key-file=%s/munge.key" % top,
                             "--socket=%s/munge.socket" % top, "--pid-file=%s/munge.pid" % top,
                             "--log-file=%s/munge.log" % top, "--seed-file=%s/munge.seed" % top])
        self._wait(lambda: os.path.exists(os.path.join(top, "munge.socket")), "munge")
        self._daemon(LOGIN, ["slurmctld", "-D"])
        for name in self.hosts.names:
            self._daemon(name, ["slurmd", "-D", "-N", name])
        self._wait(lambda: self.run(["sinfo", "-h", "-t", "idle", "-o", "%D"]).strip()
                   == str(len(self.hosts.names)), "its nodes")

    def _daemon(self, name, command):
        with open(os.path.join(self.top, "said.%s.%s" % (command[0], name)), "wb") as said:
            self.daemons.append(self.hosts.start(command, self.settings(), name, said))

    def _wait(self, condition, what, seconds=20):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise Failure("Slurm: waited in vain for " + what)
            time.sleep(0.1)

    def settings(self, more=None):
        return dict({"SLURM_CONF": os.path.join(self.top, "slurm.conf")}, **(more or {}))

    def run(self, command, settings=None):
        """What a command on the login node has said, errors included."""
        result = self.hosts.run(command, self.settings(settings))
        return result

    def prolog(self, text):
        """Sets what each task's prolog prints: lines `export NAME=VALUE`."""
        with open(os.path.join(self.top, "prolog"), "w") as file:
            file.write(text)

    def submit(self, script, *options, settings=None):
        """Submits a batch script; the number of the job."""
        path = os.path.join(self.work, "script.sh")
        with open(path, "w") as file:
            file.write("#!/bin/bash\n" + script)
        said = self.run(["sbatch", "--parsable", *options, "script.sh"], settings).strip()
        if not said.isdigit():
            raise Failure("sbatch: " + said)
        return int(said)

    def wait_until_ended(self, job, seconds=harness.RUN_TIMEOUT_S):
        self._wait(lambda: not self.run(["squeue", "-h", "-j", str(job)]).strip() or
                   "Invalid job id" in self.run(["squeue", "-h", "-j", str(job)]), "job %d" % job,
                   seconds)
