/* See study.h. */
#include "predict/study.h"

#include <stdlib.h>
#include <string.h>

static void find_outer(struct study *study)
{
    study->instance_count = study->feed->instances.count;
    study->outer = allocate(study->instance_count + 1, sizeof *study->outer);
    for (size_t i = 0; i < study->instance_count; i++)
        study->outer[i] = study->feed->instances.list[i].outer;
}

struct whatif_recorder *study_listen(struct feed *feed)
{
    struct whatif_recorder *recorder = whatif_listen(feed->replay, &feed->world);
    if (!recorder)
        out_of_memory();
    return recorder;
}

/* All but the trace, which is there already. */
static void make(struct study *study, struct whatif_recorder *recorder)
{
    study->whatif = whatif_create(recorder, study->feed->replay);
    if (!study->whatif)
        out_of_memory();
    replay_result(study->feed->replay, &study->result);
    find_outer(study);
    study->paths = allocate(study->result.path_count + 1, sizeof *study->paths);
    study->nodes = allocate(study->result.node_count + 1, sizeof *study->nodes);
    study->instances = allocate(study->instance_count + 1, sizeof *study->instances);
}

void study_make(struct study *study, struct feed *feed, struct whatif_recorder *recorder)
{
    *study = (struct study){.trace = feed->trace, .feed = feed};
    make(study, recorder);
}

bool study_open(struct study *study, const char *path, struct error *error)
{
    struct clocks ignored;
    struct trace *trace = trace_open(path, error);
    *study = (struct study){.trace = trace, .feed = &study->own};
    if (!trace)
        return false;
    clocks_correct(trace, &ignored, &study->reason);
    feed_open(study->feed, trace, TRACE_NONE);
    struct whatif_recorder *recorder = study_listen(study->feed);
    study->is_cut = !feed_run(study->feed, trace, &study->reason);
    make(study, recorder);
    return true;
}

void study_free(struct study *study)
{
    if (!study->trace)
        return;
    whatif_free(study->whatif);
    free(study->outer);
    free(study->paths);
    free(study->nodes);
    free(study->instances);
    if (study->feed != &study->own)
        return;
    feed_free(study->feed);
    trace_close((struct trace *)(uintptr_t)study->trace);
}

const char *study_region(const struct study *study, uint32_t region)
{
    return region < study->trace->region_count ? study->trace->regions[region].name : "";
}

uint64_t study_paused(const struct study *study)
{
    const struct whatif_facts facts = whatif_facts(study->whatif);
    return facts.threads > 0 ? facts.paused_ns / facts.threads : 0;
}

void study_add_path(const struct study *study, uint32_t node, struct text *text)
{
    const struct tree_node *at = &study->result.nodes[node];
    if (at->region == REPLAY_NONE)
        return;
    if (at->parent != REPLAY_NONE && study->result.nodes[at->parent].region != REPLAY_NONE) {
        study_add_path(study, at->parent, text);
        text_add(text, ";");
    }
    text_add(text, study_region(study, at->region));
}

/* NODE's parent, or REPLAY_NONE if that is no region. */
static uint32_t caller_of(const struct study *study, uint32_t node)
{
    const uint32_t parent = study->result.nodes[node].parent;
    return parent != REPLAY_NONE && study->result.nodes[parent].region != REPLAY_NONE
               ? parent
               : REPLAY_NONE;
}

/* Whether the last COUNT regions on the way to NODE and to OTHER have the same names. */
static bool end_alike(const struct study *study, uint32_t node, uint32_t other, unsigned count)
{
    for (; count > 0 && node != REPLAY_NONE && other != REPLAY_NONE; count--) {
        const uint32_t one = study->result.nodes[node].region,
                       two = study->result.nodes[other].region;
        if (one != two && (one == REPLAY_NONE || two == REPLAY_NONE ||
                           strcmp(study_region(study, one), study_region(study, two)) != 0))
            return false;
        node = caller_of(study, node);
        other = caller_of(study, other);
    }
    return count == 0;
}

static bool is_only(const struct study *study, uint32_t node, unsigned count)
{
    for (uint32_t i = 0; i < study->result.node_count; i++)
        if (i != node && end_alike(study, i, node, count))
            return false;
    return true;
}

void study_add_short_path(const struct study *study, uint32_t node, struct text *text)
{
    unsigned count = 1;
    uint32_t first = node;
    while (!is_only(study, node, count) && caller_of(study, first) != REPLAY_NONE) {
        first = caller_of(study, first);
        count++;
    }
    struct text whole = {0};
    study_add_path(study, node, &whole);
    size_t before = 0;
    if (caller_of(study, first) != REPLAY_NONE) {
        struct text caller = {0};
        study_add_path(study, caller_of(study, first), &caller);
        before = caller.length + 1;
        text_free(&caller);
    }
    text_add(text, text_string(&whole) + before);
    text_free(&whole);
}

void study_add_iteration(const struct study *study, uint32_t instance, struct text *text)
{
    const struct instance *of = &study->feed->instances.list[instance];
    text_add(text, study_region(study, of->phase));
    text_addf(text, ":%ju", (uintmax_t)of->number);
}

uint32_t study_rank(const struct study *study, uint32_t thread)
{
    return study->trace->processes[study->trace->threads[thread].process].rank;
}
