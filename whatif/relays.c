/*
 * Members of operations that are known to wait for some others only, but have waited for more:
 * broadcasts and reductions go along trees, so that a member may have to pass on what it gets
 * from one who comes late, which only the times tell.  See graph.h.
 */
#include "whatif/graph.h"

#include <stdlib.h>

/* It stays until another one has come, and not for much longer: by chance it would have left at
 * any other time, too. */
enum { LEAST_NS = 10000, REST_OF = 4 };

struct entry {
    uint64_t ns;
    uint32_t call;
};

static int compare_entries(const void *a, const void *b)
{
    const struct entry *one = a, *other = b;
    if (one->ns != other->ns)
        return one->ns < other->ns ? -1 : 1;
    return one->call < other->call ? -1 : one->call > other->call;
}

/* The last of COUNT sorted ENTRIES before NS; NULL if there is none. */
static const struct entry *last_before(const struct entry *entries, size_t count, uint64_t ns)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (entries[middle].ns < ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? &entries[low - 1] : NULL;
}

static bool is_tree(enum tsprof_operation kind)
{
    return kind == TSPROF_ONE_TO_N || kind == TSPROF_N_TO_ONE || kind == TSPROF_SCAN;
}

static uint64_t entered(const struct whatif *graph, const struct operation *operation,
                        uint32_t rank)
{
    return graph->calls[graph->members[operation->first_member + rank].start].enter_ns;
}

/* Whether RANK waits for all, so that nothing is to be found out. */
static bool waits_for_all(const struct operation *operation, uint32_t rank)
{
    return operation->kind == TSPROF_N_TO_ONE && operation->root == rank;
}

/* RANK has waited until KNOWN_NS, or not at all, for those that it is known to wait for. */
static void find_relay(struct whatif *graph, const struct operation *operation, uint32_t rank,
                       uint64_t known_ns, const struct entry *entries)
{
    const uint32_t end = graph->members[operation->first_member + rank].end;
    const uint64_t enter = graph->calls[end].enter_ns, leave = graph->calls[end].leave_ns;
    const uint64_t begun = known_ns > enter ? known_ns : enter;
    const struct entry *last = last_before(entries, operation->member_count, leave);
    if (!last || last->ns < begun + LEAST_NS || (leave - last->ns) * REST_OF > leave - begun ||
        graph->calls[last->call].thread == graph->calls[end].thread)
        return;
    graph->links[graph->link_count++] = (struct link){.from = last->call, .to = end};
}

static void find_relays(struct whatif *graph, const struct operation *operation,
                        struct entry *entries)
{
    uint64_t known_ns = 0;
    for (uint32_t i = 0; i < operation->member_count; i++)
        entries[i] = (struct entry){entered(graph, operation, i),
                                    graph->members[operation->first_member + i].start};
    qsort(entries, operation->member_count, sizeof *entries, compare_entries);
    if (operation->kind == TSPROF_ONE_TO_N && operation->root != WHATIF_NONE)
        known_ns = entered(graph, operation, operation->root);
    for (uint32_t i = 0; i < operation->member_count; i++) {
        if (!waits_for_all(operation, i))
            find_relay(graph, operation, i, known_ns, entries);
        if (operation->kind == TSPROF_SCAN && entered(graph, operation, i) > known_ns)
            known_ns = entered(graph, operation, i);
    }
}

/* Of the operations that go along trees: all members, and those of the largest. */
static size_t count_members(const struct whatif *graph, size_t *most)
{
    size_t all = 0;
    *most = 0;
    for (size_t i = 0; i < graph->operation_count; i++) {
        const struct operation *operation = &graph->operations[i];
        if (!operation->is_followed || !is_tree(operation->kind))
            continue;
        all += operation->member_count;
        *most = operation->member_count > *most ? operation->member_count : *most;
    }
    return all;
}

bool graph_find_relays(struct whatif *graph)
{
    size_t most;
    const size_t all = count_members(graph, &most);
    if (all == 0)
        return true;
    struct entry *entries = calloc(most, sizeof *entries);
    struct link *links =
        realloc(graph->links, (graph->link_count + all + 1) * sizeof *graph->links);
    if (links)
        graph->links = links;
    for (size_t i = 0; entries && links && i < graph->operation_count; i++)
        if (graph->operations[i].is_followed && is_tree(graph->operations[i].kind))
            find_relays(graph, &graph->operations[i], entries);
    free(entries);
    return entries && links;
}
