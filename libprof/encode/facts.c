/* See facts.h. */
#include "encode/facts.h"

#include "arch/arch.h"
#include "common/format.h"
#include "common/metrics.h"
#include "counters/counters.h"
#include "encode/run_names.h"
#include "host/host.h"
#include "library/library.h"
#include "mainloop/mainloop.h"
#include "timeline/timeline.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

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
    run_program(text, sizeof text);
    add_pair(&pairs, "program", text);
    if (config.number[SETTING_COMMAND]) {
        command_line(text, sizeof text);
        add_pair(&pairs, "command", text);
    }
    run_job(getpid(), text, sizeof text);
    add_pair(&pairs, "jobid", text);
    run_time(measurement_clock.epoch_ns, iso, text, sizeof text);
    add_pair(&pairs, "start", text);
    if (end_ns >= 0) {
        run_time(measurement_clock.epoch_ns + end_ns, iso, text, sizeof text);
        add_pair(&pairs, "end", text);
    }
    add_pair(&pairs, "mpi", world_version());
    if (*outside_names())
        add_pair(&pairs, "not_measured", outside_names());
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
    arch_model(lines, text, size);
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
    snprintf(text, sizeof text, "%016llx", (unsigned long long)clock_offsets_host());
    add_pair(&pairs, "boot", text);
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
