/* See facts.h. */
#include "encode/facts.h"

#include "arch/arch.h"
#include "common/format.h"
#include "common/metrics.h"
#include "counters/counters.h"
#include "host/host.h"
#include "library/library.h"
#include "mainloop/mainloop.h"
#include "timeline/timeline.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static const char ending[] = ".tsprof";

static void program_name(char *name, size_t size)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length < 0 ? 0 : length] = '\0';
    const char *slash = strrchr(path, '/');
    snprintf(name, size, "%s", slash ? slash + 1 : path);
}

/* The arguments joined by blanks, cut to SIZE bytes. */
static void command_line(char *text, size_t size)
{
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? 0 : read(file, text, size - 1);
    if (file >= 0)
        close(file);
    length = length < 0 ? 0 : length;
    while (length > 0 && text[length - 1] == '\0')
        length--;
    for (ssize_t i = 0; i < length; i++)
        if (text[i] == '\0')
            text[i] = ' ';
    text[length] = '\0';
}

bool facts_batch_job(char *text, size_t size)
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

/* The batch system's name for the job, or the number of its process PID. */
static void job_id(int pid, char *text, size_t size)
{
    if (!facts_batch_job(text, size))
        snprintf(text, size, "%d", pid);
}

static void utc_time(int64_t ns, const char *format, char *text, size_t size)
{
    time_t seconds = (time_t)(ns / 1000000000);
    struct tm parts;
    gmtime_r(&seconds, &parts);
    strftime(text, size, format, &parts);
}

/*
 * A list of pairs of strings that is being built.  Its count comes first in the file, so the
 * pairs are encoded apart until all are known.
 */
struct pairs {
    struct encoder encoded;
    uint64_t count;
};

static void add_pair(struct pairs *pairs, const char *key, const char *value)
{
    encode_string(&pairs->encoded, key);
    encode_string(&pairs->encoded, value);
    pairs->count++;
}

/* Appends PAIRS to OUT and frees them. */
static void encode_pairs(struct pairs *pairs, struct encoder *out)
{
    encode_varint(out, pairs->count);
    encode_bytes(out, pairs->encoded.bytes, pairs->encoded.size);
    out->failed = out->failed || pairs->encoded.failed;
    encoder_free(&pairs->encoded);
}

static void add_settings(struct pairs *pairs)
{
    for (int i = 0; i < SETTING_COUNT; i++) {
        char key[64];
        snprintf(key, sizeof key, "setting.%s", setting_table[i].name);
        add_pair(pairs, key, config.text[i]);
        snprintf(key, sizeof key, "setting.%s.source", setting_table[i].name);
        add_pair(pairs, key, setting_source_name(config.source[i]));
    }
}

void facts_encode(int ranks, int64_t end_ns, struct encoder *out)
{
    static const char iso[] = "%Y-%m-%dT%H:%M:%SZ";
    struct pairs pairs = {0};
    char text[8192];
    program_name(text, sizeof text);
    add_pair(&pairs, "program", text);
    if (config.number[SETTING_COMMAND]) {
        command_line(text, sizeof text);
        add_pair(&pairs, "command", text);
    }
    job_id(getpid(), text, sizeof text);
    add_pair(&pairs, "jobid", text);
    utc_time(measurement_clock.epoch_ns, iso, text, sizeof text);
    add_pair(&pairs, "start", text);
    if (end_ns >= 0) {
        utc_time(measurement_clock.epoch_ns + end_ns, iso, text, sizeof text);
        add_pair(&pairs, "end", text);
    }
    add_pair(&pairs, "mpi", world_version());
    snprintf(text, sizeof text, "%d", ranks);
    add_pair(&pairs, "ranks", text);
    if (gethostname(text, sizeof text) != 0)
        text[0] = '\0';
    add_pair(&pairs, "host", text);
    add_pair(&pairs, "clock", measurement_clock.counts ? ARCH_TICKS_NAME : "monotonic");
    snprintf(text, sizeof text, "%.0f", clock_hertz());
    add_pair(&pairs, "clock_hz", text);
    add_pair(&pairs, "timer", sample_rate.timer);
    if (papi_version()) {
        snprintf(text, sizeof text, "%d.%d", papi_version() >> 24, papi_version() >> 16 & 0xff);
        add_pair(&pairs, "papi", text);
    }
    add_pair(&pairs, "tsprof", PACKAGE_VERSION);
    if (*found_slices())
        add_pair(&pairs, "slices", found_slices());
    add_settings(&pairs);
    encode_pairs(&pairs, out);
}

/* The processor's model, from the first entry in /proc/cpuinfo. */
static void processor_model(char *text, size_t size)
{
    char lines[4096];
    int file = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? 0 : read(file, lines, sizeof lines - 1);
    if (file >= 0)
        close(file);
    lines[length < 0 ? 0 : length] = '\0';
    const char *found = strstr(lines, "model name");
    found = found ? strstr(found, ": ") : NULL;
    snprintf(text, size, "%.*s", found ? (int)strcspn(found + 2, "\n") : 0,
             found ? found + 2 : "");
}

void facts_encode_host(struct encoder *out)
{
    struct pairs pairs = {0};
    struct utsname system = {0};
    char text[256];
    uname(&system);
    processor_model(text, sizeof text);
    add_pair(&pairs, "processor", text);
    snprintf(text, sizeof text, "%ld", sysconf(_SC_NPROCESSORS_CONF));
    add_pair(&pairs, "processors", text);
    snprintf(text, sizeof text, "%lld",
             (long long)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
    add_pair(&pairs, "memory_bytes", text);
    snprintf(text, sizeof text, "%.64s %.64s %.64s", system.sysname, system.release,
             system.machine);
    add_pair(&pairs, "system", text);
    encode_string(out, system.nodename);
    encode_pairs(&pairs, out);
}

/* Whether a PAPI counter counts nanoseconds of CPU time, not events. */
static bool counts_time(const char *name)
{
    return strcasestr(name, "TASK-CLOCK") || strcasestr(name, "CPU-CLOCK") ||
           strcasestr(name, "TASK_CLOCK") || strcasestr(name, "CPU_CLOCK");
}

static void encode_counter(const char *name, struct encoder *out)
{
    bool time = counts_time(name);
    encode_string(out, name);
    encode_varint(out, 0);
    encode_string(out, metric_unit_name(time ? UNIT_seconds : UNIT_occurrences));
    encode_varint(out, time ? 9 : 0);
    encode_varint(out, FORMAT_METRIC_COUNTER);
    encode_string(out, "Counter of the processor or the system, by PAPI");
}

static void encode_metrics(uint32_t counters, struct encoder *out)
{
    encode_varint(out, (uint64_t)METRIC_COUNT + counters);
    for (int m = 0; m < METRIC_COUNT; m++) {
        const struct metric_info *metric = &metric_table[m];
        encode_string(out, metric->name);
        encode_varint(out, (uint64_t)(metric->parent + 1));
        encode_string(out, metric_unit_name(metric->unit));
        encode_varint(out, metric->unit == UNIT_seconds ? 9 : 0);
        encode_varint(out, metric->measured ? FORMAT_METRIC_MEASURED : FORMAT_METRIC_DERIVED);
        encode_string(out, metric->text);
    }
}

void facts_encode_metrics(const struct definitions *definitions, struct encoder *out)
{
    encode_metrics(definitions->counter_count, out);
    for (uint32_t i = 0; i < definitions->counter_count; i++)
        encode_counter(definitions->names[definitions->counters[i]], out);
}

void facts_encode_own_metrics_async(struct encoder *out)
{
    encode_metrics(counters_count, out);
    for (unsigned i = 0; i < counters_count; i++)
        encode_counter(counters_name_async(i), out);
}

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
        program_name(text, size);
        break;
    case 'j':
        job_id(naming->pid, text, size);
        break;
    case 'n':
        snprintf(text, size, "%d", naming->ranks);
        break;
    case 't':
        utc_time(naming->start_ns, "%Y%m%dT%H%M%SZ", text, size);
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

static bool spawned;

void facts_set_spawned(void)
{
    spawned = true;
}

void facts_output_name(int ranks, const char *suffix, int copy, char *name, size_t size)
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

void facts_shared_name(int ranks, const struct process_facts *launcher, char *name, size_t size)
{
    bool asks_time = strstr(config.text[SETTING_OUTPUT], "%t");
    const struct naming naming = {ranks, launcher->pid, asks_time ? start_of(launcher) : 0};
    expand_all(&naming, name, size);
    cut_ending(name);
}
