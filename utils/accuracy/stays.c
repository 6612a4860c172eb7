/* Adding up the stalls of threads.  See stays.h. */
#include "accuracy/stays.h"

#include <stdlib.h>
#include <string.h>

#define PREFIX  "stall."
#define LONGEST "longest_ns"

/* The kind called NAME, which is added if it is new; NULL if there are too many. */
static struct stay_kind *find_kind(struct stays *stays, const char *name, size_t length)
{
    for (size_t i = 0; i < stays->count; i++)
        if (stays->kinds[i].name_length == length &&
            memcmp(stays->kinds[i].name, name, length) == 0)
            return &stays->kinds[i];
    if (stays->count == STAY_KINDS_MOST)
        return NULL;
    struct stay_kind *kind = &stays->kinds[stays->count++];
    *kind = (struct stay_kind){.name = name, .name_length = length};
    return kind;
}

static void add_fact(struct stays *stays, const struct cost_fact *fact)
{
    if (strncmp(fact->key, PREFIX, strlen(PREFIX)) != 0)
        return;
    const char *name = fact->key + strlen(PREFIX), *what = strchr(name, '.');
    struct stay_kind *kind = what ? find_kind(stays, name, (size_t)(what - name)) : NULL;
    if (!kind)
        return;
    char *end;
    const unsigned long bin = strtoul(what + 1, &end, 10);
    if (strcmp(what + 1, LONGEST) == 0) {
        if (fact->value > kind->longest_ns)
            kind->longest_ns = fact->value;
    } else if (end > what + 1 && *end == '\0' && bin < STAY_BINS) {
        kind->bins[bin] += fact->value;
        kind->count += fact->value;
    }
}

static int compare_longest(const void *a, const void *b)
{
    const struct stay_kind *left = a, *right = b;
    return (left->longest_ns < right->longest_ns) - (left->longest_ns > right->longest_ns);
}

struct stays stays_of(const struct selection *selection)
{
    struct stays stays = {.count = 0};
    for (size_t r = 0; r < selection->rank_count; r++)
        for (size_t i = 0; i < selection->ranks[r].count; i++) {
            const struct location *location =
                &selection->summary->locations[selection->ranks[r].first + i];
            for (size_t n = 0; n < location->cost_count; n++)
                add_fact(&stays, &location->costs[n]);
        }
    qsort(stays.kinds, stays.count, sizeof stays.kinds[0], compare_longest);
    return stays;
}
