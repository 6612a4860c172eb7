/* See output_name.h. */
#include "encode/output_name.h"

#include "encode/run_names.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char ending[] = ".tsprof";

/* Appends TEXT to NAME, which has SIZE bytes; what does not fit is cut. */
static void append(char *name, size_t size, const char *text)
{
    size_t used = strlen(name);
    snprintf(name + used, size - used, "%s", text);
}

/* What a summary's name is made from. */
struct naming {
    int ranks;
    int pid; /* what %j stands for, outside of a batch job */
    int64_t start_ns;
};

static void expand(char what, const struct naming *naming, char *text, size_t size)
{
    switch (what) {
    case 'e':
        run_program(text, size);
        break;
    case 'j':
        run_job(naming->pid, text, size);
        break;
    case 'n':
        snprintf(text, size, "%d", naming->ranks);
        break;
    case 't':
        run_time(naming->start_ns, "%Y%m%dT%H%M%SZ", text, size);
        break;
    default:
        snprintf(text, size, what == '%' ? "%%" : "%%%c", what);
    }
}

static void expand_all(const struct naming *naming, char *name, size_t size)
{
    name[0] = '\0';
    for (const char *at = config.text[SETTING_OUTPUT]; *at; at++) {
        char text[256] = {*at, '\0'};
        if (*at == '%' && at[1])
            expand(*++at, naming, text, sizeof text);
        append(name, size, text);
    }
}

/* Takes ".tsprof" off the end of NAME; false if it was not there. */
static bool cut_ending(char *name)
{
    size_t length = strlen(name), least = sizeof ending - 1;
    bool ended = length > least && strcmp(name + length - least, ending) == 0;
    if (ended)
        name[length - least] = '\0';
    return ended;
}

/* MPI_Comm_spawn started the job of this process. */
static bool spawned;

void output_name_set_spawned(void)
{
    spawned = true;
}

void output_name_find(int ranks, const char *suffix, int copy, char *name, size_t size)
{
    const struct naming naming = {ranks, getpid(), measurement_clock.epoch_ns};
    char more[64] = "";
    expand_all(&naming, name, size);
    if (spawned || copy > 0)
        snprintf(more, sizeof more, spawned ? ".spawn%d" : ".%d", copy + spawned);
    bool ended = cut_ending(name);
    append(name, size, spawned ? more : suffix);
    append(name, size, spawned ? suffix : more);
    if (ended)
        append(name, size, ending);
}

/*
 * When a process was started, in nanoseconds since 1970.  Computed from the time at which the
 * machine was booted, so that every process on it that asks gets the same answer.
 */
static int64_t start_of(const struct process_facts *process)
{
    char line[256];
    long long boot = 0;
    FILE *file = fopen("/proc/stat", "re");
    while (file && boot == 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "btime %lld", &boot) != 1)
            boot = 0;
    if (file)
        fclose(file);
    return (boot + (int64_t)(process->started / (uint64_t)sysconf(_SC_CLK_TCK))) *
           INT64_C(1000000000);
}

void output_name_find_shared(int ranks, const struct process_facts *launcher, char *name,
                             size_t size)
{
    bool asks_time = strstr(config.text[SETTING_OUTPUT], "%t");
    const struct naming naming = {ranks, launcher->pid, asks_time ? start_of(launcher) : 0};
    expand_all(&naming, name, size);
    cut_ending(name);
}
