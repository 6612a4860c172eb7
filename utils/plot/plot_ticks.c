/* Ticks, their labels, units.  See plot_ticks.h. */
#include "plot/plot_ticks.h"

#include "print/print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* From here on labels are in powers of ten. */
#define LARGE_LABEL 1e7
/* Values that differ by less than this share of themselves are the same on an axis. */
#define FINEST 1e-9

/* The smallest of 1, 2, 5, 10 ... times a power of ten that is not below WANTED. */
static double round_step(double wanted)
{
    double power = pow(10, floor(log10(wanted)));
    static const double steps[] = {1, 2, 5, 10};
    for (size_t i = 0; i < 3; i++)
        /* A hair below, for 0.3 / 3 is not 0.1. */
        if (steps[i] * power >= wanted * (1 - FINEST))
            return steps[i] * power;
    return 10 * power;
}

static unsigned decimals_of(double step)
{
    double needed = -floor(log10(step) + FINEST);
    return needed > 0 ? (unsigned)needed : 0;
}

/* The first multiple of STEP that is not below LOW. */
static double first_tick(double low, double step)
{
    return ceil(low / step - FINEST) * step;
}

static size_t count_ticks(double first, double high, double step)
{
    return high < first - step * FINEST ? 0 : (size_t)floor((high - first) / step + FINEST) + 1;
}

struct ticks ticks_make(double low, double high, size_t most, bool whole)
{
    struct ticks ticks = {low, 1, 1, 0};
    double step = high > low ? round_step((high - low) / (double)most) : 1;
    if (whole && step < 1)
        step = 1;
    for (;;) {
        ticks.step = step;
        ticks.first = first_tick(low, step);
        ticks.count = count_ticks(ticks.first, high, step);
        if (ticks.count <= most)
            break;
        step = round_step(step * 1.5);
    }
    ticks.decimals = decimals_of(step);
    return ticks;
}

double ticks_at(const struct ticks *ticks, size_t i)
{
    double value = ticks->first + (double)i * ticks->step;
    return fabs(value) < ticks->step * FINEST ? 0 : value;
}

const char *tick_label(char out[TICK_SIZE], const struct ticks *ticks, double value)
{
    const char *sign = value < 0 ? "−" : "";
    if (fabs(value) >= LARGE_LABEL)
        snprintf(out, TICK_SIZE, "%s%.4g", sign, fabs(value));
    else
        snprintf(out, TICK_SIZE, "%s%.*f", sign, (int)ticks->decimals, fabs(value));
    return out;
}

struct ticks ticks_around(double low, double high, bool from_low, size_t most)
{
    if (!from_low) {
        low = low < 0 ? low : 0;
        high = high > 0 ? high : 0;
    }
    double size = fmax(fabs(low), fabs(high));
    if (size == 0) {
        high = 1;
    } else if (high - low < size * FINEST) {
        low -= size / 20;
        high += size / 20;
    }
    struct ticks ticks = {.step = round_step((high - low) / (double)(most - 1))};
    for (;;) {
        ticks.first = floor(low / ticks.step + FINEST) * ticks.step;
        double last = ceil(high / ticks.step - FINEST) * ticks.step;
        ticks.count = (size_t)llround((last - ticks.first) / ticks.step) + 1;
        if (ticks.count <= most)
            break;
        ticks.step = round_step(ticks.step * 1.5);
    }
    ticks.decimals = decimals_of(ticks.step);
    return ticks;
}

/* "10⁶": a power of ten, of at most two digits. */
static void write_power(int power, char out[16])
{
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    snprintf(out, 16, "10%s%s", power >= 10 ? digits[power / 10 % 10] : "", digits[power % 10]);
}

/* The power of ten, a multiple of three, by which what is as large as SIZE is shown. */
static int thousands(double size)
{
    return size >= 1e4 ? (int)floor(log10(size) / 3) * 3 : 0;
}

double axis_unit(const char *unit, double size, char out[UNIT_SIZE])
{
    const char *name = strcmp(unit, "occ") == 0 ? "" : unit;
    double factor = 1;
    if (strcmp(unit, "s") == 0 || strcmp(unit, "bytes") == 0)
        factor = quantity_scale(unit, size, &name);
    int power = thousands(size / factor);
    char power_text[16] = "";
    if (power > 0)
        write_power(power, power_text);
    snprintf(out, UNIT_SIZE, "%s%s%.20s", power_text, power > 0 && name[0] ? " " : "", name);
    return factor * pow(10, power);
}
