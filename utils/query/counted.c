/* See counted.h. */
#include "query/counted.h"

#include "print/print.h"

static bool find(const struct location *location, const char *prefix, const char *name,
                 int64_t *value)
{
    struct text key = {0};
    uint64_t stored = 0;
    text_addf(&key, "%s.%s", prefix, name);
    bool found = location_find_cost(location, text_string(&key), &stored);
    text_free(&key);
    *value = (int64_t)stored;
    return found;
}

bool counted_find(const struct summary *summary, const struct location *location,
                  uint32_t metric, struct counted *counted)
{
    const char *name = summary->metrics[metric].name;
    bool found = find(location, "counter", name, &counted->in_program);
    find(location, "counter_overhead", name, &counted->in_tsprof);
    return found;
}
