/* See clock.h. */
#include "host/clock.h"

#include <stdio.h>
#include <string.h>

enum { LEAST_CALIBRATION_NS = 1000000, READING_TRIES = 5 };

struct clock measurement_clock;

/* Reads the ticks and CLOCK_MONOTONIC as close together as a few tries allow. */
static void read_pair(uint64_t *ticks, int64_t *ns)
{
    uint64_t narrowest = UINT64_MAX;
    for (int i = 0; i < READING_TRIES; i++) {
        uint64_t before = clock_ticks_async();
        int64_t now = clock_monotonic_ns_async();
        uint64_t width = clock_ticks_async() - before;
        if (width < narrowest) {
            narrowest = width;
            *ticks = before + width / 2;
            *ns = now;
        }
    }
}

/*
 * Linux keeps a list of the sources of time that it trusts, and takes the processor's counter
 * off it where that goes astray.
 */
static bool kernel_trusts_ticks(void)
{
    static const char name[] =
        "/sys/devices/system/clocksource/clocksource0/available_clocksource";
    char line[256] = "";
    FILE *file = fopen(name, "re");
    if (!file)
        return true;
    const bool is_read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    char *rest = line;
    for (char *word; (word = strtok_r(rest, " \n", &rest));)
        if (strcmp(word, ARCH_TICKS_SOURCE) == 0)
            return true;
    return !is_read;
}

void clock_start(void)
{
    struct timespec wall;
    clock_gettime(CLOCK_REALTIME, &wall);
    measurement_clock.epoch_ns = wall.tv_sec * INT64_C(1000000000) + wall.tv_nsec;
    measurement_clock.counts = arch_ticks_are_steady() && kernel_trusts_ticks();
    measurement_clock.multiplier = UINT64_C(1) << 32;
    read_pair(&measurement_clock.base_ticks, &measurement_clock.base_ns);
}

void clock_calibrate(void)
{
    if (!measurement_clock.counts)
        return;
    uint64_t ticks;
    int64_t ns;
    do
        read_pair(&ticks, &ns);
    while (ns - measurement_clock.base_ns < LEAST_CALIBRATION_NS);
    unsigned __int128 passed_ns = (unsigned __int128)(ns - measurement_clock.base_ns) << 32;
    measurement_clock.multiplier =
        (uint64_t)(passed_ns / (ticks - measurement_clock.base_ticks));
}

double clock_hertz(void)
{
    return 1e9 * 4294967296.0 / (double)measurement_clock.multiplier;
}

double clock_ns_per_tick(void)
{
    uint64_t ticks;
    int64_t ns;
    if (!measurement_clock.counts)
        return 1;
    read_pair(&ticks, &ns);
    return (double)(ns - measurement_clock.base_ns) /
           (double)(ticks - measurement_clock.base_ticks);
}
