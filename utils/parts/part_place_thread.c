/* See part_place_thread.h. */
#include "parts/part_place_thread.h"

static const enum placement_kind kinds[PART_NODE_KINDS] = {
    [PART_NODE_FUNCTION] = PLACEMENT_FUNCTION,
    [PART_NODE_MPI] = PLACEMENT_OTHER,
    [PART_NODE_PHASE] = PLACEMENT_PHASE,
    [PART_NODE_ARTIFICIAL] = PLACEMENT_ARTIFICIAL,
};

static struct placement_node describe(const void *tree, uint32_t number)
{
    const struct part_log_reading *log = tree;
    const struct part_node *node = &log->nodes[number];
    const bool is_function = node->kind == PART_NODE_FUNCTION,
               is_phase = node->kind == PART_NODE_PHASE;
    const struct part_module *module = is_function && node->function.module != SUMMARY_NONE
                                           ? &log->modules[node->function.module]
                                           : NULL;
    return (struct placement_node){
        .parent = node->parent,
        .kind = kinds[node->kind],
        .region = {is_function ? node->function.offset : node->number,
                   module ? module->number : UINT64_MAX},
        .name = node->name,
        .file = module ? module->path : NULL,
        .kept = is_phase && log->phases[node->number].kept,
        .followed = is_phase && node->site.offset == 0};
}

void part_place_thread(const struct part_log_reading *worker,
                       const struct part_log_reading *opener, uint32_t *placed)
{
    const struct placement_tree own = {worker, (uint32_t)worker->node_count, describe};
    const struct placement_tree other = {opener, (uint32_t)opener->node_count, describe};
    placement_find(&own, &other, placed);
}
