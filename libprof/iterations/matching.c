/* See matching.h. */
#include "iterations/matching.h"

#include "calls/calls.h"
#include "host/host.h"
#include "iterations/function_names.h"

#include <errno.h>
#include <string.h>

static struct {
    struct iteration_spec spec;
    struct node_mark *marks; /* by node */
} matching;

bool matching_start(const struct iteration_spec *spec, const struct cct *tree)
{
    struct arena arena;
    /* Arenas hand out memory in units of 64 bytes. */
    const size_t bytes = (tree->node_capacity * sizeof *matching.marks + 63) / 64 * 64;
    matching.spec = *spec;
    if (!function_names_start() || arena_create_async(&arena, bytes) != 0)
        return false;
    matching.marks = arena_take_async(&arena, bytes);
    return matching.marks;
}

static uint8_t items_meaning(const char *name)
{
    uint8_t items = 0;
    for (size_t i = 0; *name && i < matching.spec.count; i++) {
        const struct iteration_item *item = &matching.spec.items[i];
        if (item->kind == ITERATION_FUNCTION && iteration_name_matches(item->name, name))
            items |= (uint8_t)(1 << i);
    }
    return items;
}

static bool is_name(struct iteration_text text, const char *name)
{
    return text.length == strlen(name) && strncmp(text.start, name, text.length) == 0;
}

static bool is_call(const struct cct *tree, uint32_t node, const struct iteration_item *item)
{
    return is_name(item->name, mpi_call_name_async((enum mpi_call)tree->nodes[node].key)) &&
           (item->function.length == 0 ||
            function_names_match_caller(tree, node, item->function, item->line));
}

static bool is_path(const struct cct *tree, uint32_t node, const struct iteration_item *item)
{
    struct iteration_text left = item->name, region;
    iteration_path_last(&left, &region);
    return is_name(region, mpi_call_name_async((enum mpi_call)tree->nodes[node].key)) &&
           function_names_match_path(tree, node, left);
}

static uint8_t items_begun(const struct cct *tree, uint32_t node)
{
    uint8_t items = 0;
    for (size_t i = 0; i < matching.spec.count; i++) {
        const struct iteration_item *item = &matching.spec.items[i];
        if ((item->kind == ITERATION_CALL && is_call(tree, node, item)) ||
            (item->kind == ITERATION_PATH && is_path(tree, node, item)))
            items |= (uint8_t)(1 << i);
    }
    return items;
}

static bool wants_functions(void)
{
    for (size_t i = 0; i < matching.spec.count; i++)
        if (matching.spec.items[i].kind == ITERATION_FUNCTION)
            return true;
    return false;
}

/* Finds the mark of node NUMBER, whose parent's mark is known. */
static void learn(const struct cct *tree, uint32_t number)
{
    struct node_mark *mark = &matching.marks[number];
    const struct node *node = &tree->nodes[number];
    if (number != CCT_ROOT)
        mark->inside = matching.marks[node->parent].inside;
    if (node->kind == NODE_FUNCTION && wants_functions())
        mark->inside |= items_meaning(function_names_of(node));
    if (node->kind == NODE_MPI)
        mark->begins = items_begun(tree, number);
    mark->known = true;
}

/* The outermost node on the path to NODE whose mark is not known. */
static uint32_t first_unknown(const struct cct *tree, uint32_t node)
{
    while (node != CCT_ROOT && !matching.marks[tree->nodes[node].parent].known)
        node = tree->nodes[node].parent;
    return node;
}

const struct node_mark *matching_mark(const struct cct *tree, uint32_t node)
{
    const int saved = errno;
    if (matching.marks[node].known)
        return &matching.marks[node];
    while (!matching.marks[node].known)
        learn(tree, first_unknown(tree, node));
    function_names_close();
    errno = saved;
    return &matching.marks[node];
}
