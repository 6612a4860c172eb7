/* See study.h. */
#include "predict/study.h"

#include <stdlib.h>

static void find_outer(struct study *study)
{
    study->instance_count = study->feed.instances.count;
    study->outer = allocate(study->instance_count + 1, sizeof *study->outer);
    for (size_t i = 0; i < study->instance_count; i++)
        study->outer[i] = study->feed.instances.list[i].outer;
}

static void build(struct study *study)
{
    struct whatif_recorder *recorder = whatif_listen(study->feed.replay, &study->feed.world);
    if (!recorder)
        out_of_memory();
    study->is_cut = !feed_run(&study->feed, study->trace, &study->reason);
    study->whatif = whatif_create(recorder, study->feed.replay);
    if (!study->whatif)
        out_of_memory();
    replay_result(study->feed.replay, &study->result);
    find_outer(study);
    study->paths = allocate(study->result.path_count + 1, sizeof *study->paths);
    study->nodes = allocate(study->result.node_count + 1, sizeof *study->nodes);
    study->instances = allocate(study->instance_count + 1, sizeof *study->instances);
}

bool study_open(struct study *study, const char *path, struct error *error)
{
    *study = (struct study){.trace = trace_open(path, error)};
    if (!study->trace)
        return false;
    clocks_correct(study->trace, &study->clocks, &study->reason);
    feed_open(&study->feed, study->trace, TRACE_NONE);
    build(study);
    return true;
}

void study_free(struct study *study)
{
    if (!study->trace)
        return;
    whatif_free(study->whatif);
    feed_free(&study->feed);
    trace_close(study->trace);
    free(study->outer);
    free(study->paths);
    free(study->nodes);
    free(study->instances);
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
    const struct instance *of = &study->feed.instances.list[instance];
    text_add(text, study_region(study, of->phase));
    text_addf(text, ":%ju", (uintmax_t)of->number);
}

uint32_t study_rank(const struct study *study, uint32_t thread)
{
    return study->trace->processes[study->trace->threads[thread].process].rank;
}
