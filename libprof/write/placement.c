/* See placement.h. */
#include "write/placement.h"

#include "iterations/iterations.h"
#include "timeline/timeline.h"
#include "unwind/unwind.h"

#include <string.h>

enum origin {
    ORIGIN_OPENMP, /* an OpenMP runtime */
    ORIGIN_SYSTEM, /* where threads start */
    ORIGIN_PROGRAM
};

static enum origin origin_of(const struct node *node)
{
    static const struct {
        const char *start; /* prefix of the file name */
        enum origin origin;
    } known[] = {
        {"libgomp", ORIGIN_OPENMP},    {"libomp", ORIGIN_OPENMP}, {"libiomp", ORIGIN_OPENMP},
        {"libpthread", ORIGIN_SYSTEM}, {"libc.", ORIGIN_SYSTEM},  {"libc-", ORIGIN_SYSTEM},
    };
    const struct known_module *module =
        node->kind == NODE_FUNCTION ? known_module_get_async(code_module(node->key)) : NULL;
    const char *slash = module ? strrchr(module->name, '/') : NULL;
    const char *name = slash ? slash + 1 : module ? module->name : "";
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strncmp(name, known[i].start, strlen(known[i].start)) == 0)
            return known[i].origin;
    return ORIGIN_PROGRAM;
}

/* Whether NODE is a function of the program that an OpenMP runtime called. */
static bool is_region(const struct cct *tree, uint32_t node)
{
    const struct node *at = &tree->nodes[node];
    return at->kind == NODE_FUNCTION && origin_of(at) == ORIGIN_PROGRAM &&
           tree->nodes[at->parent].kind == NODE_FUNCTION &&
           origin_of(&tree->nodes[at->parent]) == ORIGIN_OPENMP;
}

/* Whether no function of the program is above NODE: then a thread begins there. */
static bool is_outermost(const struct cct *tree, uint32_t node)
{
    for (node = tree->nodes[node].parent; node != CCT_ROOT; node = tree->nodes[node].parent) {
        const struct node *at = &tree->nodes[node];
        if (at->kind == NODE_ARTIFICIAL ||
            (at->kind == NODE_FUNCTION && origin_of(at) == ORIGIN_PROGRAM))
            return false;
    }
    return true;
}

/* The innermost phase around NODE whose iterations are kept; UINT64_MAX if there is none. */
static uint64_t kept_phase(const struct cct *tree, uint32_t node)
{
    for (; node != CCT_ROOT; node = tree->nodes[node].parent)
        if (tree->nodes[node].kind == NODE_PHASE && phase_table[tree->nodes[node].key].kept)
            return tree->nodes[node].key;
    return UINT64_MAX;
}

/* Whether two paths go through the same functions, perhaps from different lines. */
static bool same_functions(const struct cct *tree, uint32_t a, uint32_t b)
{
    while (a != CCT_ROOT && b != CCT_ROOT) {
        const struct node *left = &tree->nodes[a], *right = &tree->nodes[b];
        if (left->kind != right->kind || left->key != right->key)
            return false;
        a = left->parent;
        b = right->parent;
    }
    return a == b;
}

/*
 * A search for the place of a node.  It is ambiguous if two candidates go through different
 * functions.
 */
struct search {
    const struct cct *tree; /* of the opening thread */
    uint32_t found;
    bool ambiguous;
};

static void consider(struct search *search, uint32_t node)
{
    if (search->found == PLACEMENT_NONE)
        search->found = node;
    else if (!same_functions(search->tree, search->found, node))
        search->ambiguous = true;
}

static uint32_t answer(const struct search *search)
{
    return search->ambiguous ? (uint32_t)PLACEMENT_NONE : search->found;
}

/* The only path of REGION, in the iterations of PHASE, on the opening thread. */
static uint32_t find_region(const struct cct *tree, const struct node *region, uint64_t phase)
{
    struct search search = {tree, PLACEMENT_NONE, false};
    for (uint32_t i = 1; i < tree->node_count; i++)
        if (tree->nodes[i].key == region->key && is_region(tree, i) && !is_outermost(tree, i) &&
            kept_phase(tree, i) == phase)
            consider(&search, i);
    return answer(&search);
}

/* The only path of PHASE on the thread that marks it, in the iterations of OUTER. */
static uint32_t find_phase(const struct cct *tree, uint64_t phase, uint64_t outer)
{
    struct search search = {tree, PLACEMENT_NONE, false};
    for (uint32_t i = 1; i < tree->node_count; i++)
        if (tree->nodes[i].kind == NODE_PHASE && tree->nodes[i].key == phase &&
            kept_phase(tree, tree->nodes[i].parent) == outer)
            consider(&search, i);
    return answer(&search);
}

/* Whether NODE is a phase of the leading thread that another thread follows. */
static bool is_followed(const struct cct *tree, uint32_t node)
{
    return tree->nodes[node].kind == NODE_PHASE && tree->nodes[node].site == 0;
}

void placement_find(const struct thread *worker, const struct thread *opener, uint32_t *placed)
{
    const struct cct *tree = &worker->tree;
    for (uint32_t i = 0; i < tree->node_count; i++) {
        placed[i] = PLACEMENT_NONE;
        if (i == CCT_ROOT || worker == opener)
            continue;
        const struct node *node = &tree->nodes[i];
        if (is_region(tree, i) && is_outermost(tree, i))
            placed[i] = find_region(&opener->tree, node, kept_phase(tree, i));
        else if (is_followed(tree, i) && opener == borders_leader_async())
            placed[i] = find_phase(&opener->tree, node->key, kept_phase(tree, node->parent));
    }
}
