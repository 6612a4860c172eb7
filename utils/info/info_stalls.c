/* How long tsprof kept the program at once.  See info.h. */
#include "accuracy/accuracy.h"
#include "info/info.h"

#include <inttypes.h>

static void print_kind(const struct stall_kind *kind)
{
    struct text text = {0};
    char size[QUANTITY_SIZE], label[32];
    const char *separator = "";
    snprintf(label, sizeof label, "  %.*s", (int)kind->name_length, kind->name);
    text_addf(&text,
              "longest %s: ", format_quantity(size, (long double)kind->longest_ns / 1e9L, "s"));
    for (unsigned bin = 0; bin < STALL_BINS; bin++) {
        if (kind->bins[bin] == 0)
            continue;
        text_addf(&text, "%s%" PRIu64 " from %s", separator, kind->bins[bin],
                  format_quantity(size, (long double)(UINT64_C(1) << bin) / 1e9L, "s"));
        separator = ", ";
    }
    info_line(label, &text);
}

void info_stalls(const struct selection *selection)
{
    const struct stalls stalls = stalls_of(selection);
    struct text text = {0};
    char size[QUANTITY_SIZE];
    if (stalls.count == 0)
        return;
    text_addf(&text, "tsprof held up the program for %s at most; by what it did:",
              format_quantity(size, (long double)stalls.kinds[0].longest_ns / 1e9L, "s"));
    info_line("stalls", &text);
    for (size_t i = 0; i < stalls.count; i++)
        print_kind(&stalls.kinds[i]);
}
