/* Joining the call trees of two summaries.  See joint.h. */
#include "compare/joint.h"

#include "base/base.h"
#include "print/print.h"

#include <stdlib.h>
#include <string.h>

/* What identifies a call path, apart from the path that it is called from. */
struct step {
    const char *name, *module; /* base name, or "" */
    enum format_region_kind kind;
    uint64_t line;
};

/* The paths found so far: their last steps, and an index. */
struct known_paths {
    struct index index;
    struct step *steps; /* by path */
};

/* A path that is looked for. */
struct path_key {
    const struct joint *joint;
    const struct known_paths *known;
    uint32_t parent;
    const struct step *step;
};

static struct step step_of(const struct summary *summary, const struct call_node *node)
{
    const struct region_entry *region = &summary->regions[node->region];
    const char *module =
        region->module == SUMMARY_NONE ? "" : base_name(summary->modules[region->module].path);
    return (struct step){region->name, module, region->kind, node->line};
}

static bool is_same_step(const struct step *a, const struct step *b)
{
    return a->line == b->line && a->kind == b->kind && strcmp(a->name, b->name) == 0 &&
           strcmp(a->module, b->module) == 0;
}

static bool is_same_path(const void *context, uint32_t path)
{
    const struct path_key *key = context;
    return key->joint->paths[path].parent == key->parent &&
           is_same_step(&key->known->steps[path], key->step);
}

static uint64_t hash_path(uint32_t parent, const struct step *step)
{
    uint64_t hash = index_hash_number(index_hash_number(INDEX_HASH, parent), step->line);
    hash = index_hash_text(index_hash_text(hash, step->name), step->module);
    return index_hash_number(hash, step->kind);
}

/* The path with last step STEP below PARENT; adds it if there is none yet. */
static uint32_t find_path(struct joint *joint, struct known_paths *known, uint32_t parent,
                          const struct step *step)
{
    struct path_key key = {joint, known, parent, step};
    uint32_t *slot = index_slot(&known->index, hash_path(parent, step), is_same_path, &key);
    if (*slot == 0) {
        uint32_t path = (uint32_t)joint->path_count++;
        joint->paths[path] = (struct joint_path){parent, step->kind == REGION_MPI};
        known->steps[path] = *step;
        *slot = path + 1;
    }
    return *slot - 1;
}

static void add_tree(struct joint *joint, struct known_paths *known, enum side side)
{
    const struct summary *summary = joint_summary(joint, side);
    uint32_t *path_of = allocate(summary->node_count, sizeof *path_of);
    for (size_t i = 0; i < summary->node_count; i++) {
        const struct call_node *node = &summary->nodes[i];
        struct step step = step_of(summary, node);
        path_of[i] = find_path(joint, known, i ? path_of[node->parent] : SUMMARY_NONE, &step);
    }
    joint->path_of[side] = path_of;
}

void joint_paths_make(struct joint *joint)
{
    size_t most =
        joint_summary(joint, SIDE_A)->node_count + joint_summary(joint, SIDE_B)->node_count;
    struct known_paths known = {.steps = allocate(most, sizeof(struct step))};
    reserve_index(&known.index, most);
    joint->paths = allocate(most, sizeof *joint->paths);
    add_tree(joint, &known, SIDE_A);
    add_tree(joint, &known, SIDE_B);
    index_free(&known.index);
    free(known.steps);
}
