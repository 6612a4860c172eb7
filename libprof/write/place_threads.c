/* See place_threads.h. */
#include "write/place_threads.h"

#include "iterations/iterations.h"
#include "unwind/unwind.h"

#include <string.h>

static enum placement_kind kind_of(const struct node *node)
{
    switch (node->kind) {
    case NODE_FUNCTION:
        return PLACEMENT_FUNCTION;
    case NODE_PHASE:
        return PLACEMENT_PHASE;
    case NODE_ARTIFICIAL:
        return PLACEMENT_ARTIFICIAL;
    default:
        return PLACEMENT_OTHER;
    }
}

static struct placement_node describe(const void *tree, uint32_t number)
{
    const struct node *node = &((const struct cct *)tree)->nodes[number];
    const struct known_module *module =
        node->kind == NODE_FUNCTION ? known_module_get_async(code_module(node->key)) : NULL;
    const bool is_phase = node->kind == NODE_PHASE;
    return (struct placement_node){.parent = node->parent,
                                   .kind = kind_of(node),
                                   .region = {node->key, node->kind},
                                   .name = "",
                                   .file = module ? module->name : NULL,
                                   .kept = is_phase && phase_table[node->key].kept,
                                   .followed = is_phase && node->site == 0};
}

/* The same of a thread that no other follows, so that nothing that is followed is found there.
 */
static struct placement_node describe_unfollowed(const void *tree, uint32_t number)
{
    struct placement_node node = describe(tree, number);
    node.followed = true;
    return node;
}

void place_thread(const struct thread *worker, const struct thread *opener, uint32_t *placed)
{
    const struct placement_tree own = {&worker->tree, worker->tree.node_count, describe};
    const struct placement_tree other = {
        &opener->tree, opener->tree.node_count,
        opener == borders_leader_async() ? describe : describe_unfollowed};
    if (worker == opener)
        memset(placed, 0xff, own.node_count * sizeof *placed);
    else
        placement_find(&own, &other, placed);
}
