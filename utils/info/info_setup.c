/* What the run was measured with: versions, settings, clock, timer.  See info.h. */
#include "file/file.h"
#include "info/info.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Facts "setting.NAME" with their sources. */
static void print_settings(const struct summary *summary)
{
    static const char prefix[] = "setting.", suffix[] = ".source";
    const char *label = "settings";
    for (size_t i = 0; i < summary->fact_count; i++) {
        const struct fact *fact = &summary->facts[i];
        struct text text = {0}, source_key = {0};
        size_t length = strlen(fact->key);
        bool is_source =
            length > strlen(suffix) && strcmp(fact->key + length - strlen(suffix), suffix) == 0;
        if (strncmp(fact->key, prefix, strlen(prefix)) != 0 || is_source)
            continue;
        text_addf(&source_key, "%s%s", fact->key, suffix);
        const char *source = summary_fact(summary, text_string(&source_key));
        text_addf(&text, "%s = %s (%s)", fact->key + strlen(prefix),
                  fact->value[0] ? fact->value : "nothing", source ? source : "unknown");
        info_line(label, &text);
        text_free(&source_key);
        label = "";
    }
}

static void print_clock(const struct summary *summary)
{
    struct text text = {0};
    const char *clock = summary_fact(summary, "clock"), *hz = summary_fact(summary, "clock_hz");
    char frequency[QUANTITY_SIZE];
    if (!clock)
        return;
    text_add(&text, clock);
    if (hz && strtoull(hz, NULL, 10) > 0)
        text_addf(&text, ", %sHz",
                  format_quantity(frequency, (long double)strtoull(hz, NULL, 10), "occ"));
    info_line("clock", &text);
}

/* Whether a function is outside the MPI standard; else it is one of a Fortran binding. */
static bool is_outside(const char *name)
{
    return strncasecmp(name, "MPIX_", 5) == 0 || strncasecmp(name, "PMPIX_", 6) == 0 ||
           *name == '.';
}

/* Those of NAMES that are outside, or those that are not, and why. */
static void print_names(const char *names, bool outside, const char *why)
{
    struct text text = {0};
    while (*names) {
        int length = (int)strcspn(names, " ");
        if (is_outside(names) == outside)
            text_addf(&text, "%s%.*s", text.length ? " " : "", length, names);
        names += length + (names[length] == ' ');
    }
    if (!text.length)
        return;
    text_add(&text, why);
    info_line("not measured", &text);
}

/* What the program refers to and no wrapper measures. */
static void print_not_measured(const struct summary *summary)
{
    const char *names = summary_fact(summary, "not_measured");
    if (!names)
        return;
    print_names(names, true, ", outside the MPI standard");
    print_names(names, false, ", which MPI's bindings for Fortran do by themselves");
}

void info_setup(const struct summary *summary)
{
    info_fact(summary, "MPI", "mpi");
    print_not_measured(summary);
    info_fact(summary, "tsprof", "tsprof");
    print_settings(summary);
    print_clock(summary);
    info_fact(summary, "timer", "timer");
    info_fact(summary, "PAPI", "papi");
}
