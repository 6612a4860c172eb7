/* See job_processes.h. */
#include "host/job_processes.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Variables that launchers set for the processes they start, and that wrappers pass on: Hydra,
 * Open MPI, Slurm.
 */
static const char *const rank_variables[] = {
    "MPI_LOCALRANKID=", "OMPI_COMM_WORLD_LOCAL_RANK=", "SLURM_LOCALID="};

enum { MOST_PER_CORE = 8 };

/* The file /proc/PID/NAME as one string with LENGTH bytes and a final zero; NULL on failure. */
static char *read_process_file(int pid, const char *name, size_t *length)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    char *text = NULL;
    size_t capacity = 0;
    ssize_t got = file < 0 ? -1 : 1;
    for (*length = 0; got > 0; *length += (size_t)(got > 0 ? got : 0)) {
        if (capacity - *length < 4096) {
            char *grown = realloc(text, capacity + 65536);
            if (!grown)
                break;
            text = grown;
            capacity += 65536;
        }
        got = read(file, text + *length, capacity - *length - 1);
    }
    if (file >= 0)
        close(file);
    if (text)
        text[*length] = '\0';
    return text;
}

/* Whether the process's environment has a variable that begins with NAME. */
static bool has_variable(int pid, const char *name)
{
    size_t length;
    bool found = false;
    char *environment = read_process_file(pid, "environ", &length);
    for (char *at = environment; at && at < environment + length; at += strlen(at) + 1)
        found = found || strncmp(at, name, strlen(name)) == 0;
    free(environment);
    return found;
}

/* The first of the variables that the process has; NULL if it has none. */
static const char *rank_variable_of(int pid)
{
    for (size_t i = 0; i < sizeof rank_variables / sizeof rank_variables[0]; i++)
        if (has_variable(pid, rank_variables[i]))
            return rank_variables[i];
    return NULL;
}

/* Whether a launcher started the process, or an ancestor of it, as a rank of a job. */
static bool has_rank(int pid)
{
    return rank_variable_of(pid);
}

bool job_processes_look_up(int pid, struct process_facts *facts)
{
    size_t length;
    unsigned long long started = 0;
    *facts = (struct process_facts){.pid = pid};
    char *stat = read_process_file(pid, "stat", &length);
    /* The name in parentheses may contain anything, parentheses included. */
    char *name = stat ? strchr(stat, '(') : NULL, *after = stat ? strrchr(stat, ')') : NULL;
    bool known = name && after &&
                 sscanf(after + 1,
                        " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d "
                        "%*d %*d %llu",
                        &facts->parent, &started) == 2;
    if (known)
        snprintf(facts->name, sizeof facts->name, "%.*s", (int)(after - name - 1), name + 1);
    facts->started = started;
    free(stat);
    return known;
}

static int parent_of(int pid)
{
    struct process_facts facts;
    return job_processes_look_up(pid, &facts) ? facts.parent : 0;
}

/*
 * The launcher itself may run inside a job, in a batch script for instance: so only the
 * variable that the nearest launcher sets counts.
 */
int job_processes_launcher(void)
{
    const int self = getpid();
    const char *variable = rank_variable_of(self);
    int pid = self;
    while (variable && pid > 1 && has_variable(pid, variable))
        pid = parent_of(pid);
    return pid > 1 ? pid : self;
}

/*
 * The launcher's own process: the nearest ancestor that is not a process of the job; 0 if none.
 */
static int launcher_of(int pid)
{
    while (pid > 1 && has_rank(pid))
        pid = parent_of(pid);
    return pid > 1 ? pid : 0;
}

/* Which of these libraries a process has mapped. */
struct mapped {
    bool mpi;
    bool tsprof;
};

static struct mapped look_at(int pid)
{
    size_t length;
    struct mapped mapped = {false, false};
    char *maps = read_process_file(pid, "maps", &length);
    if (maps)
        mapped = (struct mapped){strstr(maps, "/libmpi") != NULL,
                                 strstr(maps, "/libtsprof") != NULL};
    free(maps);
    return mapped;
}

int job_processes_here(void)
{
    static const char *const here[] = {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE"};
    for (size_t i = 0; i < sizeof here / sizeof here[0]; i++) {
        const char *count = secure_getenv(here[i]);
        if (count)
            return atoi(count);
    }
    return -1;
}

enum job_extent job_processes_extent(int size)
{
    const int here = job_processes_here();
    if (here >= 0)
        return here == size ? JOB_IS_NEAR : JOB_IS_SPREAD;
    const char *hosts = secure_getenv("SLURM_STEP_NUM_NODES");
    if (!hosts)
        return JOB_IS_UNKNOWN;
    return atoi(hosts) == 1 ? JOB_IS_NEAR : JOB_IS_SPREAD;
}

bool job_processes_unmeasured(int size)
{
    /* A job with more processes than could sensibly share one machine runs on several. */
    if (size < 2 || size > MOST_PER_CORE * sysconf(_SC_NPROCESSORS_ONLN))
        return false;
    DIR *processes = opendir("/proc");
    int launcher = launcher_of(getpid()), here = 0, measured = 0;
    struct dirent *entry;
    if (!launcher || !processes) {
        if (processes)
            closedir(processes);
        return false;
    }
    while ((entry = readdir(processes))) {
        int pid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;
        if (pid < 1 || !has_rank(pid) || launcher_of(pid) != launcher)
            continue;
        struct mapped mapped = look_at(pid);
        here += mapped.mpi;
        measured += mapped.mpi && mapped.tsprof;
    }
    closedir(processes);
    return here == size && measured < size;
}
