/* See found_loops.h. */
#include "query/found_loops.h"

#include <stdio.h>

enum { PATH_MOST = 64 /* functions that tell a call path from all others */ };

static bool read_loop(const struct summary *summary, const struct location *location,
                      unsigned number, struct found_loop *loop)
{
    const struct {
        const char *name;
        uint64_t *value;
    } facts[] = {
        {"border", &loop->border},   {"phase", &loop->phase},   {"passes", &loop->passes},
        {"time_ns", &loop->time_ns}, {"around", &loop->around}, {"certain", &loop->certain},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        char key[64];
        snprintf(key, sizeof key, "loop.%u.%s", number, facts[i].name);
        if (!location_find_cost(location, key, facts[i].value))
            return false;
    }
    return loop->border < summary->node_count;
}

static struct found_loops read_all(const struct summary *summary,
                                   const struct location *location)
{
    struct found_loops found = {.location = location};
    while (found.count < FOUND_LOOPS_MOST &&
           read_loop(summary, location, found.count, &found.loops[found.count]))
        found.count++;
    return found;
}

struct found_loops found_loops_read(const struct summary *summary)
{
    for (size_t i = 0; i < summary->location_count; i++) {
        const struct found_loops found = read_all(summary, &summary->locations[i]);
        if (found.count > 0)
            return found;
    }
    return (struct found_loops){.location = NULL};
}

struct found_loops found_loops_of(const struct summary *summary, uint32_t phase)
{
    for (size_t i = 0; i < summary->location_count; i++) {
        const struct found_loops found = read_all(summary, &summary->locations[i]);
        for (unsigned n = 0; n < found.count; n++)
            if (found.loops[n].phase == phase + UINT64_C(1))
                return found;
    }
    return (struct found_loops){.location = NULL};
}

static const struct region_entry *region_of(const struct summary *summary, uint64_t node)
{
    return &summary->regions[summary->nodes[node].region];
}

void found_loop_add_border(const struct summary *summary, const struct found_loop *loop,
                           struct text *text)
{
    const struct call_node *node = &summary->nodes[loop->border];
    text_addf(text, "border before %s", region_of(summary, loop->border)->name);
    if (node->parent == SUMMARY_NONE)
        return;
    const struct region_entry *caller = region_of(summary, node->parent);
    text_addf(text, " in %s", caller->name);
    if (node->line && caller->file && *caller->file)
        text_addf(text, " at %s:%llu", base_name(caller->file), (unsigned long long)node->line);
}

void found_loop_add_share(const struct location *location, const struct found_loop *loop,
                          struct text *text)
{
    if (location->wall_ns > 0)
        text_addf(text, ", %.0f %% of the time",
                  100.0 * (double)loop->time_ns / (double)location->wall_ns);
    if (!loop->certain)
        text_add(text, ", not certain");
}

/* Whether the last DEPTH functions of two call paths are the same. */
static bool ends_alike(const struct summary *summary, uint64_t a, uint64_t b, unsigned depth)
{
    for (; depth > 0 && a != SUMMARY_NONE && b != SUMMARY_NONE; depth--) {
        if (summary->nodes[a].region != summary->nodes[b].region)
            return false;
        a = summary->nodes[a].parent;
        b = summary->nodes[b].parent;
    }
    return depth == 0;
}

/* Whether another call path than NODE ends in the same DEPTH functions; LINE: called there. */
static bool is_ambiguous(const struct summary *summary, uint64_t node, unsigned depth,
                         uint64_t line)
{
    for (uint64_t i = 0; i < summary->node_count; i++)
        if (i != node && (line == 0 || summary->nodes[i].line == line) &&
            ends_alike(summary, i, node, depth))
            return true;
    return false;
}

static void add_path(const struct summary *summary, uint64_t node, unsigned depth,
                     struct text *text)
{
    if (depth > 1)
        add_path(summary, summary->nodes[node].parent, depth - 1, text);
    text_addf(text, "%s%s", depth > 1 ? " > " : "", region_of(summary, node)->name);
}

/* As much of the border's call path as distinguishes it from all others; false if nothing short
 * does. */
static bool add_telling_path(const struct summary *summary, uint64_t border, struct text *text)
{
    unsigned depth = 2;
    for (uint32_t at = summary->nodes[border].parent; at != SUMMARY_NONE && depth <= PATH_MOST;
         at = summary->nodes[at].parent, depth++) {
        if (is_ambiguous(summary, border, depth, 0))
            continue;
        text_add(text, "TSPROF_ITERATION='call:");
        add_path(summary, border, depth, text);
        text_add(text, "'");
        return true;
    }
    return false;
}

void found_loop_add_setting(const struct summary *summary, const struct found_loop *loop,
                            struct text *text)
{
    const struct call_node *node = &summary->nodes[loop->border];
    if (is_ambiguous(summary, loop->border, 2, node->line) &&
        add_telling_path(summary, loop->border, text))
        return;
    text_addf(text, "TSPROF_ITERATION=call:%s", region_of(summary, loop->border)->name);
    if (node->parent == SUMMARY_NONE)
        return;
    text_addf(text, "@%s", region_of(summary, node->parent)->name);
    if (node->line)
        text_addf(text, ":%llu", (unsigned long long)node->line);
}
