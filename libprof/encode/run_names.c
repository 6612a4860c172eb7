/* See run_names.h. */
#include "encode/run_names.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void run_program(char *name, size_t size)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length < 0 ? 0 : length] = '\0';
    const char *slash = strrchr(path, '/');
    snprintf(name, size, "%s", slash ? slash + 1 : path);
}

/*
 * Copies the batch system's name for the job into TEXT, which has SIZE bytes.  False, and
 * nothing is written, outside of a batch job.
 */
static bool batch_job(char *text, size_t size)
{
    static const char *const variables[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID",
                                            "COBALT_JOBID"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *value = secure_getenv(variables[i]);
        if (value && *value && !strchr(value, '/')) {
            snprintf(text, size, "%s", value);
            return true;
        }
    }
    return false;
}

void run_job(int pid, char *text, size_t size)
{
    if (!batch_job(text, size))
        snprintf(text, size, "%d", pid);
}

void run_time(int64_t ns, const char *format, char *text, size_t size)
{
    time_t seconds = (time_t)(ns / 1000000000);
    struct tm parts;
    gmtime_r(&seconds, &parts);
    strftime(text, size, format, &parts);
}
