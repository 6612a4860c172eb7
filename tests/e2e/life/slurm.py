#!/usr/bin/env python3
"""Under Slurm: names of summaries and parts in steps, arrays and jobs that are queued again, and what
is left when Slurm ends a job.  Of its own daemons; skipped where Slurm is not installed."""

import glob
import os
import re
import shutil
import time

import harness
import mortality
import part_reader
import summary_reader
from harness import Directory, Skip
from memory_cgroup import VERSIONS, MemoryGroup
from own_slurm import Slurm

# What Debian's Slurm starts the ranks of each MPI with.
MPI_PLUGIN = "pmix" if harness.MPI == "openmpi" else "pmi2"
SAVED = 60


def srun(slurm, program, *options, log="log", arguments=(), through=()):
    """A line of a batch script that starts a step, THROUGH a command that execs it."""
    words = ["srun", "--mpi=" + MPI_PLUGIN, *options, *through, harness.COMMAND, "exec",
             harness.program(program), "--log", log, "--us", "20000", *arguments]
    return " ".join(words)


def summaries(slurm):
    return {os.path.basename(path): summary_reader.Summary(path)
            for path in glob.glob(os.path.join(slurm.work, "*.tsprof"))}


def names_and_jobs(slurm):
    return {name: summary.run["jobid"] for name, summary in summaries(slurm).items()}


def output(slurm, job):
    """What a batch script has said so far."""
    try:
        with open(os.path.join(slurm.work, "slurm-%s.out" % job), errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def finished(slurm, log, ranks=2):
    logs = [os.path.join(slurm.work, "%s.%d" % (log, rank)) for rank in range(ranks)]
    return min(len(mortality.read_log(path).finished) for path in logs)


def wait_until_saved(slurm, log, ranks=2):
    mortality.wait_for(lambda: finished(slurm, log, ranks) >= SAVED, "the ranks have saved something",
                       30)


def parts(slurm):
    return sorted(glob.glob(os.path.join(slurm.work, "*.parts")))


def check_names(tap, slurm):
    """Steps one after the other and side by side, and tasks of an array."""
    step = srun(slurm, "mortal", "-N1", "-n2", "--exact", arguments=("--iterations", "5"))
    job = slurm.submit("%s\n%s & %s &\nwait\n" % (step, step, step), "-N1", "-n4")
    slurm.wait_until_ended(job)
    tap.equal(names_and_jobs(slurm),
              {name: str(job) for name in ("mortal.%d.tsprof" % job, "mortal.%d.1.tsprof" % job,
                                           "mortal.%d.2.tsprof" % job)},
              "steps of a job have summaries of their own")
    array = slurm.submit(step + "\n", "-N1", "-n2", "--array=1-3")
    slurm.wait_until_ended(array)
    jobs = {name: jobid for name, jobid in names_and_jobs(slurm).items() if jobid != str(job)}
    tap.equal((len(jobs), len(set(jobs.values()))), (3, 3), "each task of an array has its own")
    tap.equal(sorted(jobs), sorted("mortal.%s.tsprof" % one for one in jobs.values()),
              "named by the number that Slurm gave it")
    tap.equal(parts(slurm), [], "no parts are left")


def check_nodes(tap, slurm):
    """A step on three nodes."""
    job = slurm.submit(srun(slurm, "mortal", "-N3", "-n3", arguments=("--iterations", "5")) + "\n",
                       "-N3", "-n3", "--ntasks-per-node=1")
    # MPICH 4.0 with UCX over TCP may wait in MPI_Finalize for ever, without tsprof, too.
    mortality.wait_for(lambda: "tsprof report" in output(slurm, job), "the summary is written", 30)
    slurm.run(["scancel", str(job)])
    slurm.wait_until_ended(job)
    summary = summaries(slurm)["mortal.%d.tsprof" % job]
    tap.equal((summary.state, [summary.hosts[place.host].name for place in summary.places]),
              (1, slurm.hosts.names), "a step on three nodes has one summary")
    tap.equal(parts(slurm), [], "and no parts")


def check_always_on(tap, slurm):
    """A TaskProlog measures programs of people who know nothing of it, and lets others be."""
    slurm.prolog("echo export LD_PRELOAD=%s\necho export TSPROF_OUTPUT=%s\necho export "
                 "TSPROF_VERBOSE=0\n" % (harness.LIBRARY,
                                         os.path.join(slurm.work, "always.%e.%j.tsprof")))
    before = set(summaries(slurm))
    said = slurm.run(["srun", "--mpi=" + MPI_PLUGIN, "-N1", "-n2", harness.program("mortal"),
                      "--log", "always", "--us", "20000", "--iterations", "5"])
    said += slurm.run(["srun", "-N1", "hostname"])
    slurm.prolog("")
    made = [name for name in set(summaries(slurm)) - before]
    tap.ok(len(made) == 1 and re.fullmatch(r"always\.mortal\.\d+\.tsprof", made[0]),
           "a TaskProlog measures all MPI programs", "%s\n%s" % (made, said))
    tap.ok("tsprof" not in said and "node" in said, "in silence", said)


def check_cancelled(tap, slurm):
    """Slurm ends a job as it does at its time limit: with SIGTERM, then SIGKILL."""
    job = slurm.submit(srun(slurm, "mortal", "-N3", "-n3", log="killed") + "\n", "-N3", "-n3",
                       "--ntasks-per-node=1")
    wait_until_saved(slurm, "killed", 3)
    slurm.run(["scancel", str(job)])
    slurm.wait_until_ended(job)
    found = parts(slurm)
    tap.equal([os.path.basename(path) for path in found], ["mortal.%d.%d.0.parts" % (job, job)],
              "the parts of all nodes are in one directory, named by job and step")
    result = harness.tsprof("merge", *found)
    tap.ok(result.status == 0 and "3 of 3 ranks" in result.stderr, "and merged", result.stderr)
    summary = summaries(slurm)["mortal.%d.tsprof" % job]
    tap.equal(summary.run["jobid"], str(job), "into the summary of the job")
    result = harness.tsprof("merge", *found, "-o", os.path.join(slurm.work, "b.tsprof"), "--remove")
    tap.ok("still running, on another host: its parts stay" in result.stderr and parts(slurm) == found,
           "for a minute they stay, as nobody here can know that they are over", result.stderr)
    for path in found:
        shutil.rmtree(path)


def check_time_limit(tap, slurm):
    """At the limit a program that outlasts SIGTERM gets SIGKILL."""
    step = srun(slurm, "mortal", "-N1", "-n2", log="limit",
                through=("env", "--ignore-signal=TERM"))
    job = slurm.submit(step + "\n", "-N1", "-n2", "--time=1")
    wait_until_saved(slurm, "limit")
    # Otherwise it is a minute.  The controller looks every half a minute.
    slurm.run(["scontrol", "update", "JobId=%d" % job, "EndTime=now"])
    slurm.wait_until_ended(job, 150)
    shown = slurm.run(["scontrol", "show", "job", str(job)])
    tap.ok("JobState=TIMEOUT" in shown, "a job is over its time limit", shown)
    found = parts(slurm)
    tap.equal([os.path.basename(path) for path in found], ["mortal.%d.%d.0.parts" % (job, job)],
              "its parts are there")
    result = harness.tsprof("merge", *found)
    tap.ok(result.status == 0 and "2 of 2 ranks" in result.stderr, "and are merged", result.stderr)
    for path in found:
        shutil.rmtree(path)


def hasten(slurm, job):
    """Slurm lets a job that is queued again wait for two minutes."""
    for _ in range(60):
        if os.path.exists(os.path.join(slurm.work, "try.1.0")):
            return
        slurm.run(["scontrol", "update", "JobId=%d" % job, "StartTime=now"])
        time.sleep(0.5)
    raise harness.Failure("the job does not start again: " + slurm.run(
        ["scontrol", "show", "job", str(job)]) + output(slurm, job))


def check_requeued(tap, slurm):
    """A job that is queued again has the number that it had, and so have its steps."""
    step = srun(slurm, "mortal", "-N1", "-n2", log="try.$SLURM_RESTART_COUNT")
    job = slurm.submit("export SLURM_RESTART_COUNT=${SLURM_RESTART_COUNT:-0}\n%s\n" % step, "-N1",
                       "-n2", "--requeue", "--open-mode=append")
    wait_until_saved(slurm, "try.0")
    slurm.run(["scontrol", "requeue", str(job)])
    hasten(slurm, job)
    wait_until_saved(slurm, "try.1")
    slurm.run(["scancel", str(job)])
    slurm.wait_until_ended(job)
    found = parts(slurm)
    tap.equal([os.path.basename(path) for path in found],
              ["mortal.%d.%d.0.parts" % (job, job), "mortal.%d.%d.0.try1.parts" % (job, job)],
              "its parts and those of its first try are in directories of their own")
    tap.equal([[part.rank for part in part_reader.parts(path)] for path in found], [[0, 1]] * 2,
              "each with the ranks of one try")
    for path in found:
        result = harness.tsprof("merge", path)
        tap.ok(result.status == 0 and "2 of 2 ranks" in result.stderr, "each is merged",
               result.stderr)


def require_plugin(slurm):
    plugins = slurm.run(["srun", "--mpi=list"])
    if not re.search(r"\b%s\b" % MPI_PLUGIN, plugins):
        raise Skip("this Slurm has no plugin %s" % MPI_PLUGIN)


def test_slurm(tap):
    """All of it under one Slurm, since that takes a while to start."""
    with Directory() as directory, Slurm(directory) as slurm:
        require_plugin(slurm)
        for check in (check_names, check_nodes, check_always_on, check_cancelled,
                      check_time_limit, check_requeued):
            check(tap, slurm)


def test_memory(tap):
    """A job whose memory is limited: a process that takes more is ended, and leaves its part."""
    with Directory() as directory, MemoryGroup() as group:
        if group.version != VERSIONS[0]:
            raise Skip("control groups are not of the version that the test has Slurm use")
        with Slurm(directory, 1, group) as slurm:
            require_plugin(slurm)
            case = mortality.Case("hoard", 2, 20000, 0, False, "auto", 100, 1, None)
            step = srun(slurm, "mortal", "-n2", "--kill-on-bad-exit", log="hoard",
                        arguments=("--how", case.way, "--at", str(case.at), "--rank", "1"))
            job = slurm.submit(step + "\n", "-n2", "--mem=200M")
            slurm.wait_until_ended(job)
            said = output(slurm, job)
            tap.ok("oom-kill" in said, "Slurm says that memory was wanting", said)
            result = harness.tsprof("merge", *parts(slurm))
            tap.ok(result.status == 0 and "2 of 2 ranks" in result.stderr, "the parts are merged",
                   result.stderr)
            told = [mortality.read_log(os.path.join(slurm.work, "hoard.%d" % rank))
                    for rank in range(2)]
            problems = [problem for problem in mortality.problems(
                os.path.join(slurm.work, "mortal.%d.tsprof" % job), case, told, set())
                        if mortality.TOO_FEW not in problem]
            tap.ok(not problems, "and all is right", "\n".join(problems))


if __name__ == "__main__":
    harness.main()
