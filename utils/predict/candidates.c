/* See candidates.h. */
#include "predict/candidates.h"

#include <stdlib.h>
#include <string.h>

static void add(struct candidates *candidates, struct question question, struct text *where,
                uint64_t most_ns)
{
    if (most_ns > 0) {
        question.where = allocate(where->length + 1, 1);
        memcpy(question.where, text_string(where), where->length);
        question.argument = question.where;
        question.factor = 1;
        candidates->list = grow_list(candidates->list, candidates->count, &candidates->room,
                                     sizeof *candidates->list);
        candidates->list[candidates->count++] = (struct candidate){question, most_ns};
    }
    text_free(where);
}

static void add_wait(struct study *study, uint32_t node, uint32_t rank, uint64_t ordinal,
                     uint64_t most_ns, struct candidates *candidates)
{
    struct text where = {0};
    study_add_short_path(study, node, &where);
    add(candidates, (struct question){.kind = ASK_ZERO_WAIT, .rank = rank, .ordinal = ordinal},
        &where, most_ns);
}

void candidates_add_call(struct study *study, uint32_t number, uint64_t most_ns,
                         struct candidates *candidates)
{
    const struct whatif_call call = whatif_call(study->whatif, number);
    add_wait(study, study->result.paths[call.path].node, study_rank(study, call.thread),
             whatif_ordinal(study->whatif, number), most_ns, candidates);
}

/* Waits on the critical path, by call path and, with EACH, by rank. */
static void add_waits(struct study *study, struct whatif_search *search, bool each,
                      struct candidates *candidates)
{
    const size_t threads = study->trace->thread_count;
    size_t count;
    const struct whatif_crossing *crossings = whatif_search_crossings(search, &count);
    uint64_t *sums = allocate(study->result.node_count * (threads + 1) + 1, sizeof *sums);
    for (size_t i = 0; i < count; i++) {
        const struct whatif_call call = whatif_call(study->whatif, crossings[i].call);
        const uint32_t node = study->result.paths[call.path].node;
        sums[node * (threads + 1)] += crossings[i].wait_ns;
        sums[node * (threads + 1) + 1 + call.thread] += crossings[i].wait_ns;
    }
    for (uint32_t i = 0; i < study->result.node_count; i++) {
        const uint64_t *of = &sums[i * (threads + 1)];
        add_wait(study, i, UINT32_MAX, UINT64_MAX, of[0], candidates);
        for (uint32_t j = 0; each && j < threads; j++)
            if (of[1 + j] < of[0])
                add_wait(study, i, study_rank(study, j), UINT64_MAX, of[1 + j], candidates);
    }
    free(sums);
}

/* Regions but those of MPI, with all that they call, by their computation on the critical path.
 */
static void add_regions(struct study *study, const uint64_t *by_node,
                        struct candidates *candidates)
{
    const size_t count = study->trace->region_count;
    uint64_t *sums = allocate(count + 1, sizeof *sums);
    for (uint32_t i = 0; i < study->result.node_count; i++)
        for (uint32_t at = i; by_node[i] > 0 && at != REPLAY_NONE;
             at = study->result.nodes[at].parent) {
            const uint32_t region = study->result.nodes[at].region;
            if (region != REPLAY_NONE && !study->feed->regions[region].is_mpi)
                sums[region] += by_node[i];
        }
    for (uint32_t i = 0; i < count; i++) {
        struct text where = {0};
        text_add(&where, study_region(study, i));
        add(candidates,
            (struct question){.kind = ASK_BALANCE, .rank = UINT32_MAX, .ordinal = UINT64_MAX},
            &where, sums[i]);
    }
    free(sums);
}

static void add_iterations(struct study *study, const uint64_t *by_instance, bool each,
                           struct candidates *candidates)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < study->instance_count; i++) {
        struct text where = {0};
        all += by_instance[i];
        study_add_iteration(study, i, &where);
        add(candidates,
            (struct question){.kind = ASK_BALANCE, .rank = UINT32_MAX, .ordinal = UINT64_MAX},
            &where, each ? by_instance[i] : 0);
    }
    struct text where = {0};
    text_add(&where, "iterations");
    add(candidates,
        (struct question){.kind = ASK_BALANCE, .rank = UINT32_MAX, .ordinal = UINT64_MAX},
        &where, all);
}

/* The critical path's computation by node and by iteration. */
static void add_balances(struct study *study, struct whatif_search *search, bool each,
                         struct candidates *candidates)
{
    const uint64_t *critical = whatif_search_critical(search);
    uint64_t *by_node = allocate(study->result.node_count + 1, sizeof *by_node);
    uint64_t *by_instance = allocate(study->instance_count + 1, sizeof *by_instance);
    for (size_t i = 0; i < study->result.path_count; i++) {
        const struct path *path = &study->result.paths[i];
        by_node[path->node] += critical[i];
        if (path->instance < study->instance_count)
            by_instance[path->instance] += critical[i];
    }
    add_regions(study, by_node, candidates);
    add_iterations(study, by_instance, each, candidates);
    free(by_node);
    free(by_instance);
}

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *one = a, *other = b;
    if (one->most_ns != other->most_ns)
        return one->most_ns > other->most_ns ? -1 : 1;
    return strcmp(one->question.where, other->question.where);
}

void candidates_find(struct study *study, struct whatif_search *search, bool each,
                     struct candidates *candidates)
{
    *candidates = (struct candidates){0};
    add_waits(study, search, each, candidates);
    add_balances(study, search, each, candidates);
    if (candidates->count > 0)
        qsort(candidates->list, candidates->count, sizeof *candidates->list,
              compare_candidates);
}

void candidates_free(struct candidates *candidates)
{
    for (size_t i = 0; i < candidates->count; i++)
        free(candidates->list[i].question.where);
    free(candidates->list);
    *candidates = (struct candidates){0};
}
