/* See stalls.h. */
#include "timeline/stalls.h"

const char *stall_name_async(enum stall kind)
{
    static const char *const names[STALL_KINDS] = {
        [STALL_CALL] = "call",   [STALL_MARKER] = "marker",         [STALL_SAMPLE] = "sample",
        [STALL_LOOPS] = "loops", [STALL_CLUSTERING] = "clustering", [STALL_SAVE] = "save",
    };
    return names[kind];
}

void stalls_count_async(struct stalls *stalls, enum stall kind, int64_t ns)
{
    struct stall_count *count = &stalls->kinds[kind];
    int bin = 63 - __builtin_clzll((unsigned long long)ns) - STALL_FIRST_BIN;
    count->bins[bin < STALL_BINS ? bin : STALL_BINS - 1]++;
    if (ns > count->longest_ns)
        count->longest_ns = ns;
}
