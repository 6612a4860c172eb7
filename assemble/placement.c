/* See placement.h. */
#include "assemble/placement.h"

#include <string.h>

enum origin {
    ORIGIN_OPENMP, /* an OpenMP runtime */
    ORIGIN_SYSTEM, /* where threads start */
    ORIGIN_PROGRAM
};

static const struct {
    const char *start; /* of a file's name */
    enum origin origin;
} known_files[] = {
    {"libgomp", ORIGIN_OPENMP},    {"libomp", ORIGIN_OPENMP}, {"libiomp", ORIGIN_OPENMP},
    {"libpthread", ORIGIN_SYSTEM}, {"libc.", ORIGIN_SYSTEM},  {"libc-", ORIGIN_SYSTEM},
};

static enum origin origin_of(const char *file)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    const char *name = slash ? slash + 1 : file ? file : "";
    for (size_t i = 0; i < sizeof known_files / sizeof known_files[0]; i++)
        if (strncmp(name, known_files[i].start, strlen(known_files[i].start)) == 0)
            return known_files[i].origin;
    return ORIGIN_PROGRAM;
}

/* Nodes that may be looked at for one worker: some seconds. */
#define LOOKS_MOST UINT64_C(250000000)

struct search {
    const struct placement_tree *worker, *opener;
    uint64_t looks; /* so far */
};

static bool gave_up(const struct search *search)
{
    return search->looks >= LOOKS_MOST;
}

static struct placement_node look(struct search *search, const struct placement_tree *tree,
                                  uint32_t number)
{
    search->looks++;
    return tree->node(tree->tree, number);
}

static bool is_function(const struct placement_node *node, enum origin origin)
{
    return node->kind == PLACEMENT_FUNCTION && origin_of(node->file) == origin;
}

/* Whether NODE is a function of the program that an OpenMP runtime called. */
static bool is_region(struct search *search, const struct placement_tree *tree,
                      const struct placement_node *node)
{
    if (node->parent == PLACEMENT_ROOT || !is_function(node, ORIGIN_PROGRAM))
        return false;
    const struct placement_node parent = look(search, tree, node->parent);
    return is_function(&parent, ORIGIN_OPENMP);
}

/* Whether no function of the program is above NODE: then a thread begins there. */
static bool is_outermost(struct search *search, const struct placement_tree *tree,
                         struct placement_node node)
{
    while (node.parent != PLACEMENT_ROOT) {
        node = look(search, tree, node.parent);
        if (node.kind == PLACEMENT_ARTIFICIAL || is_function(&node, ORIGIN_PROGRAM))
            return false;
    }
    return true;
}

/* The innermost phase, from node NUMBER up, whose iterations are kept; UINT64_MAX: there is
 * none. */
static uint64_t kept_phase(struct search *search, const struct placement_tree *tree,
                           uint32_t number)
{
    while (number != PLACEMENT_ROOT) {
        const struct placement_node node = look(search, tree, number);
        if (node.kind == PLACEMENT_PHASE && node.kept)
            return node.region[0];
        number = node.parent;
    }
    return UINT64_MAX;
}

static bool same_region(const struct placement_node *a, const struct placement_node *b)
{
    return a->kind == b->kind && a->region[0] == b->region[0] && a->region[1] == b->region[1] &&
           strcmp(a->name, b->name) == 0;
}

/* Whether two paths of the opening thread go through the same functions, perhaps from different
 * lines. */
static bool same_functions(struct search *search, uint32_t a, uint32_t b)
{
    while (a != PLACEMENT_ROOT && b != PLACEMENT_ROOT) {
        const struct placement_node left = look(search, search->opener, a),
                                    right = look(search, search->opener, b);
        if (!same_region(&left, &right))
            return false;
        a = left.parent;
        b = right.parent;
    }
    return a == b;
}

/* Whether node NUMBER of the opening thread, which is CANDIDATE, has the place of a worker's
 * node: WANTED, in the iterations of PHASE. */
typedef bool has_place(struct search *search, const struct placement_node *wanted,
                       uint64_t phase, uint32_t number, const struct placement_node *candidate);

static bool matches_region(struct search *search, const struct placement_node *wanted,
                           uint64_t phase, uint32_t number,
                           const struct placement_node *candidate)
{
    return same_region(wanted, candidate) && is_region(search, search->opener, candidate) &&
           !is_outermost(search, search->opener, *candidate) &&
           kept_phase(search, search->opener, number) == phase;
}

static bool matches_phase(struct search *search, const struct placement_node *wanted,
                          uint64_t phase, uint32_t number,
                          const struct placement_node *candidate)
{
    (void)number;
    return same_region(wanted, candidate) && !candidate->followed &&
           kept_phase(search, search->opener, candidate->parent) == phase;
}

/* The only path of the opening thread that matches; PLACEMENT_NONE if there are several,
 * through different functions. */
static uint32_t find(struct search *search, has_place *matches,
                     const struct placement_node *wanted, uint64_t phase)
{
    uint32_t found = PLACEMENT_NONE;
    for (uint32_t i = PLACEMENT_ROOT + 1; i < search->opener->node_count && !gave_up(search);
         i++) {
        const struct placement_node candidate = look(search, search->opener, i);
        if (!matches(search, wanted, phase, i, &candidate))
            continue;
        if (found == PLACEMENT_NONE)
            found = i;
        else if (!same_functions(search, found, i))
            return PLACEMENT_NONE;
    }
    return gave_up(search) ? (uint32_t)PLACEMENT_NONE : found;
}

static uint32_t place_of(struct search *search, uint32_t number)
{
    const struct placement_node node = look(search, search->worker, number);
    if (node.kind == PLACEMENT_PHASE && node.followed)
        return find(search, matches_phase, &node,
                    kept_phase(search, search->worker, node.parent));
    if (is_region(search, search->worker, &node) && is_outermost(search, search->worker, node))
        return find(search, matches_region, &node, kept_phase(search, search->worker, number));
    return PLACEMENT_NONE;
}

void placement_find(const struct placement_tree *worker, const struct placement_tree *opener,
                    uint32_t *placed)
{
    struct search search = {worker, opener, 0};
    for (uint32_t i = 0; i < worker->node_count; i++)
        placed[i] = i == PLACEMENT_ROOT || gave_up(&search) ? (uint32_t)PLACEMENT_NONE
                                                            : place_of(&search, i);
}
