/* See study.h. */
#include "predict/study.h"

#include <stdlib.h>

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
