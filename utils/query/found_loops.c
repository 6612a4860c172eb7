/* See found_loops.h. */
#include "query/found_loops.h"

#include "print/print.h"

#include <stdio.h>
#include <string.h>

enum {
    PATH_MOST = 64, /* functions that tell a call path from all others */
    PASSES_MORE = 2 /* calls of the first pass, which has no profile, and behind the last */
};

/* Facts that files of earlier versions do not have, which are 0 then. */
static void read_later_facts(const struct location *location, unsigned number,
                             struct found_loop *loop)
{
    const struct {
        const char *name;
        uint64_t *value;
    } facts[] = {{"function", &loop->function},
                 {"offset", &loop->offset},
                 {"partly", &loop->partly},
                 {"absent", &loop->absent}};
    char key[64];
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        snprintf(key, sizeof key, "loop.%u.%s", number, facts[i].name);
        if (!location_find_cost(location, key, facts[i].value))
            *facts[i].value = 0;
    }
}

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
    read_later_facts(location, number, loop);
    if (loop->function >= summary->node_count)
        loop->function = loop->offset = 0;
    return loop->border < summary->node_count;
}

/* Whether the code of one function has both at the same place. */
static bool is_same_loop(const struct found_loop *one, const struct found_loop *other)
{
    return one->offset > 0 && one->offset == other->offset && one->function == other->function;
}

/* Whether what would be offered for ONE means OTHER as well, of the same location or not. */
static bool is_offered_alike(const struct found_loop *one, const struct found_loop *other)
{
    return one->offset > 0 ? is_same_loop(one, other)
                           : other->offset == 0 && one->border == other->border;
}

/* Notes what LOCATION knows of the COUNT LOOPS, which another location has found, too. */
static void compare_passes(const struct summary *summary, const struct location *location,
                           struct found_loop *loops, unsigned count)
{
    struct found_loop other;
    for (unsigned n = 0; n < FOUND_LOOPS_MOST && read_loop(summary, location, n, &other); n++)
        for (unsigned i = 0; i < count; i++) {
            if (!is_offered_alike(&loops[i], &other))
                continue;
            if (other.passes < loops[i].least_passes)
                loops[i].least_passes = other.passes;
            if (other.passes > loops[i].most_passes)
                loops[i].most_passes = other.passes;
            loops[i].partly = loops[i].partly || other.partly;
        }
}

static struct found_loops read_all(const struct summary *summary,
                                   const struct location *location)
{
    struct found_loops found = {.location = location};
    while (found.count < FOUND_LOOPS_MOST &&
           read_loop(summary, location, found.count, &found.loops[found.count])) {
        struct found_loop *loop = &found.loops[found.count++];
        loop->least_passes = loop->most_passes = loop->passes;
    }
    for (size_t i = 0; found.count > 0 && i < summary->location_count; i++)
        if (&summary->locations[i] != location)
            compare_passes(summary, &summary->locations[i], found.loops, found.count);
    return found;
}

static bool shows_any(const struct found_loops *found)
{
    for (unsigned n = 0; n < found->count; n++)
        if (found->loops[n].phase > 0)
            return true;
    return false;
}

struct found_loops found_loops_read(const struct summary *summary)
{
    struct found_loops first = {.location = NULL};
    for (size_t i = 0; i < summary->location_count; i++) {
        const struct found_loops found = read_all(summary, &summary->locations[i]);
        if (shows_any(&found))
            return found;
        if (first.count == 0 && found.count > 0)
            first = found;
    }
    return first;
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
    text_add(text, " in ");
    text_add_function_name(text, caller->name, NAMES_BRIEF);
    if (node->line && caller->file && *caller->file)
        text_addf(text, " at %s:%llu", base_name(caller->file), (unsigned long long)node->line);
}

void found_loop_add_passes(const struct found_loop *loop, struct text *text)
{
    text_add(text, loop->partly ? "at least " : "");
    if (loop->least_passes < loop->most_passes)
        text_addf(text, "%llu to ", (unsigned long long)loop->least_passes);
    text_addf(text, "%llu passes", (unsigned long long)loop->most_passes);
}

void found_loop_add_share(const struct location *location, const struct found_loop *loop,
                          struct text *text)
{
    if (location->wall_ns > 0) {
        const double percent = 100.0 * (double)loop->time_ns / (double)location->wall_ns;
        if (percent < 0.05)
            text_add(text, ", less than 0.1 % of the time");
        else
            text_addf(text,
                      percent < 0.5 ? ", %s%.1g %% of the time" : ", %s%.0f %% of the time",
                      loop->partly ? "at least " : "", percent);
    }
    if (loop->absent > 0)
        text_addf(text, ", not found on %llu rank%s", (unsigned long long)loop->absent,
                  loop->absent == 1 ? "" : "s");
    if (!loop->certain || loop->absent > 0)
        text_add(text, ", not certain");
}

/*
 * Whether the last DEPTH functions of two call paths are the same; WITH_LINES: and the lines
 * from which they call each other.
 */
static bool ends_alike(const struct summary *summary, uint64_t a, uint64_t b, unsigned depth,
                       bool with_lines)
{
    for (; depth > 0 && a != SUMMARY_NONE && b != SUMMARY_NONE; depth--) {
        const struct call_node *one = &summary->nodes[a], *other = &summary->nodes[b];
        if (one->region != other->region ||
            (with_lines && depth > 1 && one->line != other->line))
            return false;
        a = one->parent;
        b = other->parent;
    }
    return depth == 0;
}

/* Whether another call path than NODE ends in the same DEPTH functions. */
static bool is_ambiguous(const struct summary *summary, uint64_t node, unsigned depth,
                         bool with_lines)
{
    for (uint64_t i = 0; i < summary->node_count; i++)
        if (i != node && ends_alike(summary, i, node, depth, with_lines))
            return true;
    return false;
}

/* What tells a call path from all others: so many functions at its end; 0: nothing does. */
struct telling {
    unsigned depth;
    bool with_lines; /* and the lines of the calls in them */
};

static struct telling find_telling(const struct summary *summary, uint64_t node)
{
    for (unsigned with_lines = 0; with_lines < 2; with_lines++) {
        uint64_t at = node;
        for (unsigned depth = 1; at != SUMMARY_NONE && depth <= PATH_MOST; depth++) {
            if (!is_ambiguous(summary, node, depth, with_lines))
                return (struct telling){depth, with_lines};
            at = summary->nodes[at].parent;
        }
    }
    return (struct telling){.depth = 0};
}

/* Adds as many functions at the end of the call path NODE as TELLING says. */
static void add_path(const struct summary *summary, uint64_t node, struct telling telling,
                     struct text *text)
{
    if (telling.depth > 1) {
        const struct telling outer = {telling.depth - 1, telling.with_lines};
        add_path(summary, summary->nodes[node].parent, outer, text);
        if (telling.with_lines && summary->nodes[node].line)
            text_addf(text, ":%llu", (unsigned long long)summary->nodes[node].line);
        text_add(text, " > ");
    }
    text_add_quoted(text, region_of(summary, node)->name);
}

/* How often NODE was visited at LOCATION. */
static int64_t visits_of(const struct summary *summary, const struct location *location,
                         uint64_t node)
{
    const uint32_t metric = summary_metric(summary, "visits");
    for (size_t i = 0; i < location->whole.count; i++)
        if (location->whole.cells[i].metric == metric && location->whole.cells[i].node == node)
            return location->whole.cells[i].value;
    return 0;
}

/* Whether what would be offered for loop NUMBER of FOUND means another one as well. */
static bool is_taken(const struct found_loops *found, unsigned number)
{
    const struct found_loop *loop = &found->loops[number];
    for (unsigned i = 0; i < found->count; i++)
        if (i != number && (loop->offset ? is_same_loop(&found->loops[i], loop)
                                         : found->loops[i].border == loop->border))
            return true;
    return false;
}

/* Adds the call that begins each pass of LOOP, if nothing else does. */
static bool add_call(const struct summary *summary, const struct found_loops *found,
                     const struct found_loop *loop, struct text *text)
{
    const int64_t visits = visits_of(summary, found->location, loop->border),
                  least = (int64_t)loop->passes;
    const struct telling telling = find_telling(summary, loop->border);
    if (telling.depth == 0 || visits < least || visits > least + PASSES_MORE)
        return false;
    text_add(text, "TSPROF_ITERATION='call:");
    add_path(summary, loop->border, telling, text);
    text_add(text, "'");
    return true;
}

bool found_loop_add_setting(const struct summary *summary, const struct found_loops *found,
                            unsigned number, struct text *text)
{
    const struct found_loop *loop = &found->loops[number];
    if (is_taken(found, number))
        return false;
    if (loop->offset == 0)
        return add_call(summary, found, loop, text);
    const struct telling telling = find_telling(summary, loop->function);
    if (telling.depth == 0)
        return false;
    text_add(text, "TSPROF_ITERATION='loop:");
    add_path(summary, loop->function, telling, text);
    text_addf(text, "+%#llx'", (unsigned long long)loop->offset);
    return true;
}

void found_loop_add_iterations(const struct summary *summary, const struct found_loop *loop,
                               struct text *text)
{
    int64_t most = 0;
    for (size_t i = 0; i < summary->location_count; i++) {
        const int64_t visits = visits_of(summary, &summary->locations[i], loop->border);
        most = visits > most ? visits : most;
    }
    if (loop->offset == 0 && (uint64_t)most != loop->most_passes)
        text_addf(text, " %lld iterations with", (long long)most);
}
