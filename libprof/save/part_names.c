/* See part_names.h. */
#include "save/part_names.h"

#include "common/host_identity.h"
#include "encode/encode.h"
#include "host/host.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Replaces all characters that may do harm in a file name. */
static void clean(char *text)
{
    for (; *text; text++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-", *text))
            *text = '_';
}

/*
 * Names the Slurm step.  A job that is queued again has the number that it had, and so have its
 * steps; only the number of restarts tells them apart.
 */
static void name_step(char *key, size_t size, const char *job, const char *step)
{
    const char *restarts = getenv("SLURM_RESTART_COUNT");
    const bool again = restarts && *restarts && strcmp(restarts, "0") != 0;
    snprintf(key, size, "%.40s.%.40s%s%.20s", job, step, again ? ".try" : "",
             again ? restarts : "");
}

/*
 * Finds the key that names the launch.  It is the same on all machines for a Slurm step, or
 * where the launcher sets a PMIx namespace; otherwise it names the launcher's process on this
 * machine.  The batch job alone will not do, since a job may launch several times.
 */
static void find_key(struct part_names *names, const struct process_facts *launcher)
{
    const char *job = getenv("SLURM_JOB_ID"), *step = getenv("SLURM_STEP_ID");
    const char *space = getenv("PMIX_NAMESPACE");
    const char *transports = getenv("OMPI_MCA_orte_precondition_transports");
    if (strcmp(launcher->name, "slurmstepd") == 0 && job && step)
        name_step(names->key, sizeof names->key, job, step);
    else if (space && *space)
        snprintf(names->key, sizeof names->key, "%s%s%s", space, transports ? "." : "",
                 transports ? transports : "");
    else
        snprintf(names->key, sizeof names->key, "%.64s.%d.%llu", names->host, launcher->pid,
                 (unsigned long long)launcher->started);
    clean(names->key);
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/*
 * Composes the part directory's path: in PARENT, or if that is NULL beside the summary NAME.
 * Absolute; empty if too long.
 */
static void place(char *path, size_t size, const char *parent, const char *name,
                  const char *key)
{
    char here[4096] = "", whole[8192];
    if (parent)
        snprintf(whole, sizeof whole, "%s/%s", parent, base_of(name));
    else
        snprintf(whole, sizeof whole, "%s", name);
    if (whole[0] != '/' && !getcwd(here, sizeof here - 1))
        here[0] = '\0';
    if (here[0])
        strcat(here, "/");
    int length = snprintf(path, size, "%s%s.%s.parts", here, whole, key);
    if (length < 0 || (size_t)length >= size)
        path[0] = '\0';
}

void part_names_find(struct part_names *names, int rank, int ranks)
{
    struct process_facts self, launcher;
    char name[4096], number[16] = "x";
    const char *temporary = getenv("TMPDIR");
    *names = (struct part_names){0};
    job_processes_look_up(getpid(), &self);
    names->started = self.started;
    job_processes_look_up(job_processes_launcher(), &launcher);
    if (gethostname(names->host, sizeof names->host - 1) != 0)
        names->host[0] = '\0';
    names->host_identity = host_identity();
    find_key(names, &launcher);
    output_name_find_shared(ranks, &launcher, name, sizeof name);
    const char *wanted = config.text[SETTING_TMPDIR];
    place(names->directory, sizeof names->directory, *wanted ? wanted : NULL, name, names->key);
    place(names->fallback, sizeof names->fallback, temporary && *temporary ? temporary : "/tmp",
          name, names->key);
    if (rank >= 0)
        snprintf(number, sizeof number, "%d", rank);
    snprintf(names->file, sizeof names->file, "%s.%s.%d.part", number, names->host,
             (int)getpid());
    clean(names->file);
}
