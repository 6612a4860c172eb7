/* See found_loops.h. */
#include "query/found_loops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATH_MOST = 64, /* functions that tell a call path from all others */
    PASSES_MORE = 2 /* calls of the first pass, which has no profile, and behind the last */
};

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
    char key[64];
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        snprintf(key, sizeof key, "loop.%u.%s", number, facts[i].name);
        if (!location_find_cost(location, key, facts[i].value))
            return false;
    }
    /* Files of earlier versions do not have it. */
    snprintf(key, sizeof key, "loop.%u.function", number);
    if (!location_find_cost(location, key, &loop->function) ||
        loop->function >= summary->node_count)
        loop->function = 0;
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

/*
 * How many functions at the end of the call path NODE tell it from all others; 2 if the line of
 * the call does; 0: nothing short does.
 */
static unsigned telling_depth(const struct summary *summary, uint32_t node)
{
    unsigned depth = 2;
    if (!is_ambiguous(summary, node, depth, summary->nodes[node].line))
        return depth;
    for (uint32_t at = summary->nodes[node].parent; at != SUMMARY_NONE && depth <= PATH_MOST;
         at = summary->nodes[at].parent, depth++)
        if (!is_ambiguous(summary, node, depth, 0))
            return depth;
    return 0;
}

/* By node, how often it was visited at LOCATION; NULL without memory.  To be freed. */
static int64_t *visits_by_node(const struct summary *summary, const struct location *location)
{
    const uint32_t metric = summary_metric(summary, "visits");
    int64_t *visits = calloc(summary->node_count, sizeof *visits);
    for (size_t i = 0; visits && i < location->whole.count; i++)
        if (location->whole.cells[i].metric == metric)
            visits[location->whole.cells[i].node] = location->whole.cells[i].value;
    return visits;
}

static unsigned depth_of(const struct summary *summary, uint32_t node)
{
    unsigned depth = 0;
    for (; node != SUMMARY_NONE; node = summary->nodes[node].parent)
        depth++;
    return depth;
}

/* The depth of the innermost node that the call paths A and B share. */
static unsigned shared_depth(const struct summary *summary, uint32_t a, uint32_t b)
{
    unsigned depth_a = depth_of(summary, a), depth_b = depth_of(summary, b);
    for (; depth_a > depth_b; depth_a--)
        a = summary->nodes[a].parent;
    for (; depth_b > depth_a; depth_b--)
        b = summary->nodes[b].parent;
    for (; a != b; depth_a--) {
        a = summary->nodes[a].parent;
        b = summary->nodes[b].parent;
    }
    return depth_a;
}

static bool is_below(const struct summary *summary, uint32_t node, uint64_t above)
{
    while (node != SUMMARY_NONE && node != above)
        node = summary->nodes[node].parent;
    return node == above;
}

static bool is_taken(const uint32_t *taken, unsigned count, uint32_t node)
{
    for (unsigned i = 0; i < count; i++)
        if (taken[i] == node)
            return true;
    return false;
}

/*
 * The MPI call that stands for LOOP: it comes once in each pass, by VISITS; SUMMARY_NONE: there
 * is none but those COUNT that are TAKEN.
 */
static uint32_t standing_call(const struct summary *summary, const struct found_loop *loop,
                              const int64_t *visits, const uint32_t *taken, unsigned count)
{
    const int64_t least = (int64_t)loop->passes, most = least + PASSES_MORE;
    uint32_t best = SUMMARY_NONE;
    unsigned nearest = 0;
    for (uint32_t node = 0; node < summary->node_count; node++) {
        if (visits[node] < least || visits[node] > most ||
            strncmp(region_of(summary, node)->name, "MPI_", 4) != 0 ||
            !is_below(summary, node, loop->function) || is_taken(taken, count, node))
            continue;
        const unsigned depth = shared_depth(summary, node, (uint32_t)loop->border);
        if (depth > nearest && telling_depth(summary, node) > 0) {
            best = node;
            nearest = depth;
        }
    }
    return best;
}

/* The MPI call that stands for loop NUMBER of FOUND, or SUMMARY_NONE. */
static uint32_t find_call(const struct summary *summary, const struct found_loops *found,
                          unsigned number)
{
    int64_t *visits = visits_by_node(summary, found->location);
    uint32_t calls[FOUND_LOOPS_MOST];
    if (!visits)
        return SUMMARY_NONE;
    for (unsigned i = 0; i <= number; i++)
        calls[i] = standing_call(summary, &found->loops[i], visits, calls, i);
    free(visits);
    return calls[number];
}

void found_loop_add_setting(const struct summary *summary, const struct found_loops *found,
                            unsigned number, struct text *text)
{
    const uint32_t call = find_call(summary, found, number);
    if (call == SUMMARY_NONE)
        return;
    const struct call_node *node = &summary->nodes[call];
    const unsigned depth = telling_depth(summary, call);
    text_add(text, ": TSPROF_ITERATION='call:");
    if (depth > 2) {
        add_path(summary, call, depth, text);
    } else {
        text_add(text, region_of(summary, call)->name);
        if (node->parent != SUMMARY_NONE)
            text_addf(text, "@%s", region_of(summary, node->parent)->name);
        if (node->parent != SUMMARY_NONE && node->line)
            text_addf(text, ":%llu", (unsigned long long)node->line);
    }
    text_add(text, "'");
}
