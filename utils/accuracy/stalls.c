/* Adding up the stalls of threads.  See stalls.h. */
#include "accuracy/stalls.h"

#include <stdlib.h>
#include <string.h>

#define PREFIX  "stall."
#define LONGEST "longest_ns"

/* The kind called NAME, which is added if it is new; NULL if there are too many. */
static struct stall_kind *find_kind(struct stalls *stalls, const char *name, size_t length)
{
    for (size_t i = 0; i < stalls->count; i++)
        if (stalls->kinds[i].name_length == length &&
            memcmp(stalls->kinds[i].name, name, length) == 0)
            return &stalls->kinds[i];
    if (stalls->count == STALL_KINDS_MOST)
        return NULL;
    struct stall_kind *kind = &stalls->kinds[stalls->count++];
    *kind = (struct stall_kind){.name = name, .name_length = length};
    return kind;
}

static void add_fact(struct stalls *stalls, const struct cost_fact *fact)
{
    if (strncmp(fact->key, PREFIX, strlen(PREFIX)) != 0)
        return;
    const char *name = fact->key + strlen(PREFIX), *what = strchr(name, '.');
    struct stall_kind *kind = what ? find_kind(stalls, name, (size_t)(what - name)) : NULL;
    if (!kind)
        return;
    char *end;
    const unsigned long bin = strtoul(what + 1, &end, 10);
    if (strcmp(what + 1, LONGEST) == 0) {
        if (fact->value > kind->longest_ns)
            kind->longest_ns = fact->value;
    } else if (end > what + 1 && *end == '\0' && bin < STALL_BINS) {
        kind->bins[bin] += fact->value;
        kind->count += fact->value;
    }
}

static int compare_longest(const void *a, const void *b)
{
    const struct stall_kind *left = a, *right = b;
    return (left->longest_ns < right->longest_ns) - (left->longest_ns > right->longest_ns);
}

struct stalls stalls_of(const struct selection *selection)
{
    struct stalls stalls = {.count = 0};
    for (size_t r = 0; r < selection->rank_count; r++)
        for (size_t i = 0; i < selection->ranks[r].count; i++) {
            const struct location *location =
                &selection->summary->locations[selection->ranks[r].first + i];
            for (size_t n = 0; n < location->cost_count; n++)
                add_fact(&stalls, &location->costs[n]);
        }
    qsort(stalls.kinds, stalls.count, sizeof stalls.kinds[0], compare_longest);
    return stalls;
}
