/* See model.h. */
#include "whatif/model.h"

#include <stdlib.h>

static void listen(void *context, struct replay *replay)
{
    *(struct whatif_recorder **)context = whatif_listen(replay, &script_world);
}

struct model model_make(const struct script *script, const struct whatif_network *network)
{
    struct whatif_recorder *recorder = NULL;
    struct model model = {.replay = script_run_with(script, listen, &recorder)};
    if (!recorder)
        abort();
    replay_result(model.replay, &model.result);
    model.whatif = whatif_create(recorder, model.replay);
    if (!model.whatif || (network && !whatif_set_network(model.whatif, network)))
        abort();
    model.changes = whatif_changes(model.whatif);
    model.paths = calloc(model.result.path_count, sizeof *model.paths);
    return model;
}

void model_free(struct model *model)
{
    whatif_changes_free(model->changes);
    whatif_free(model->whatif);
    replay_free(model->replay);
    free(model->paths);
}

static bool is_below(const struct model *model, uint32_t node, uint32_t region)
{
    for (; node != REPLAY_NONE; node = model->result.nodes[node].parent)
        if (model->result.nodes[node].region == region)
            return true;
    return false;
}

const bool *model_paths(struct model *model, enum script_region region)
{
    for (size_t i = 0; i < model->result.path_count; i++)
        model->paths[i] = is_below(model, model->result.paths[i].node, (uint32_t)region);
    return model->paths;
}

uint64_t model_ns(struct model *model)
{
    struct whatif_outcome outcome;
    if (!whatif_predict(model->whatif, model->changes, NULL, 0, &outcome))
        abort();
    const uint64_t ns = outcome.is_stuck ? UINT64_MAX : outcome.ns;
    whatif_outcome_free(&outcome);
    return ns;
}

uint64_t model_moved(const struct model *model, uint32_t process, uint64_t ns)
{
    size_t cursor = 0;
    return whatif_moved(model->whatif, model->changes, process, ns, &cursor);
}
