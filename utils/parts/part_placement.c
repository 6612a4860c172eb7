/* See part_placement.h. */
#include "parts/part_placement.h"

#include "print/print.h"

#include <string.h>

enum origin {
    ORIGIN_OPENMP, /* an OpenMP runtime */
    ORIGIN_SYSTEM, /* where threads start */
    ORIGIN_PROGRAM
};

static enum origin origin_of(const struct part_log_reading *log, const struct part_node *node)
{
    static const struct {
        const char *start; /* of a file's name */
        enum origin origin;
    } known[] = {
        {"libgomp", ORIGIN_OPENMP},    {"libomp", ORIGIN_OPENMP}, {"libiomp", ORIGIN_OPENMP},
        {"libpthread", ORIGIN_SYSTEM}, {"libc.", ORIGIN_SYSTEM},  {"libc-", ORIGIN_SYSTEM},
    };
    if (node->kind != PART_NODE_FUNCTION || node->function.module == SUMMARY_NONE)
        return ORIGIN_PROGRAM;
    const char *name = base_name(log->modules[node->function.module].path);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strncmp(name, known[i].start, strlen(known[i].start)) == 0)
            return known[i].origin;
    return ORIGIN_PROGRAM;
}

/* Whether NODE, not the root, is a function of the program that an OpenMP runtime called. */
static bool is_region(const struct part_log_reading *log, uint32_t node)
{
    const struct part_node *at = &log->nodes[node], *parent = &log->nodes[at->parent];
    return at->kind == PART_NODE_FUNCTION && origin_of(log, at) == ORIGIN_PROGRAM &&
           parent->kind == PART_NODE_FUNCTION && origin_of(log, parent) == ORIGIN_OPENMP;
}

/* Whether a thread begins at NODE: no function of the program is above it. */
static bool is_outermost(const struct part_log_reading *log, uint32_t node)
{
    for (node = log->nodes[node].parent; node != 0; node = log->nodes[node].parent) {
        const struct part_node *at = &log->nodes[node];
        if (at->kind == PART_NODE_ARTIFICIAL ||
            (at->kind == PART_NODE_FUNCTION && origin_of(log, at) == ORIGIN_PROGRAM))
            return false;
    }
    return true;
}

/* The innermost phase around NODE whose iterations are kept; SUMMARY_NONE if there is none. */
static uint32_t kept_phase(const struct part_log_reading *log, uint32_t node)
{
    for (; node != 0; node = log->nodes[node].parent) {
        const struct part_node *at = &log->nodes[node];
        if (at->kind == PART_NODE_PHASE && log->phases[at->number].kept)
            return at->number;
    }
    return SUMMARY_NONE;
}

/* Whether nodes of two logs stand for the same function, MPI function or phase. */
static bool same_region(const struct part_log_reading *a, const struct part_node *left,
                        const struct part_log_reading *b, const struct part_node *right)
{
    if (left->kind != right->kind || left->number != right->number ||
        left->function.offset != right->function.offset || strcmp(left->name, right->name) != 0)
        return false;
    const uint32_t left_module = left->function.module, right_module = right->function.module;
    if (left_module == SUMMARY_NONE || right_module == SUMMARY_NONE)
        return left_module == right_module;
    return a->modules[left_module].number == b->modules[right_module].number;
}

/* Whether two paths go through the same functions, perhaps from different lines. */
static bool same_functions(const struct part_log_reading *log, uint32_t a, uint32_t b)
{
    while (a != 0 && b != 0) {
        if (!same_region(log, &log->nodes[a], log, &log->nodes[b]))
            return false;
        a = log->nodes[a].parent;
        b = log->nodes[b].parent;
    }
    return a == b;
}

/* Most steps of all searches together.  A damaged part may need more; then the rest is not
 * placed. */
#define STEPS_MOST UINT64_C(1000000000)

/* A search for a place.  It is found if all matching nodes have the same functions above them.
 */
struct search {
    const struct part_log_reading *log; /* of the opening thread */
    uint32_t found;
    bool ambiguous;
    uint64_t *steps; /* that were taken in all searches */
};

/* Whether another COUNT steps may be taken. */
static bool may_go_on(struct search *search, uint64_t count)
{
    *search->steps += count;
    return *search->steps < STEPS_MOST;
}

static void consider(struct search *search, uint32_t node)
{
    search->ambiguous |= !may_go_on(search, 3 * (uint64_t)search->log->nodes[node].depth);
    if (search->found == SUMMARY_NONE)
        search->found = node;
    else if (!same_functions(search->log, search->found, node))
        search->ambiguous = true;
}

static uint32_t answer(const struct search *search)
{
    return search->ambiguous ? SUMMARY_NONE : search->found;
}

/* The only node of the opening thread for the parallel region of node NUMBER of WORKER. */
static uint32_t find_region(const struct part_log_reading *worker, uint32_t number,
                            const struct part_log_reading *opener, uint64_t *steps)
{
    struct search search = {opener, SUMMARY_NONE, false, steps};
    uint32_t phase = kept_phase(worker, number);
    for (uint32_t i = 1;
         i < opener->node_count && may_go_on(&search, 1 + opener->nodes[i].depth); i++)
        if (same_region(worker, &worker->nodes[number], opener, &opener->nodes[i]) &&
            is_region(opener, i) && !is_outermost(opener, i) && kept_phase(opener, i) == phase)
            consider(&search, i);
    return answer(&search);
}

/* Whether NODE is a phase that another thread marks and this one follows. */
static bool is_followed(const struct part_node *node)
{
    return node->kind == PART_NODE_PHASE && node->site.offset == 0;
}

/* The only node of the marking thread for the phase of node NUMBER of WORKER. */
static uint32_t find_phase(const struct part_log_reading *worker, uint32_t number,
                           const struct part_log_reading *opener, uint64_t *steps)
{
    struct search search = {opener, SUMMARY_NONE, false, steps};
    const struct part_node *node = &worker->nodes[number];
    uint32_t outer = kept_phase(worker, node->parent);
    for (uint32_t i = 1;
         i < opener->node_count && may_go_on(&search, 1 + opener->nodes[i].depth); i++) {
        const struct part_node *other = &opener->nodes[i];
        if (other->kind == PART_NODE_PHASE && other->number == node->number &&
            !is_followed(other) && kept_phase(opener, other->parent) == outer)
            consider(&search, i);
    }
    return answer(&search);
}

void part_placement_find(const struct part_log_reading *worker,
                         const struct part_log_reading *opener, uint32_t *placed)
{
    uint64_t steps = 0;
    for (uint32_t i = 0; i < worker->node_count; i++) {
        placed[i] = SUMMARY_NONE;
        if (i == 0 || steps >= STEPS_MOST)
            continue;
        steps += worker->nodes[i].depth;
        if (is_region(worker, i) && is_outermost(worker, i))
            placed[i] = find_region(worker, i, opener, &steps);
        else if (is_followed(&worker->nodes[i]))
            placed[i] = find_phase(worker, i, opener, &steps);
    }
}
