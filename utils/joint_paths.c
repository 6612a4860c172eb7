/* Joining the call trees of two summaries.  See joint.h. */
#include "joint.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

/* What makes a call path, but for the path it is called from. */
struct step {
    const char *name, *module; /* base name, or "" */
    enum format_region_kind kind;
    uint64_t line;
};

/* A hash table of paths, open addressing, never more than half full. */
struct index {
    uint32_t *slots; /* path + 1; 0: free */
    size_t mask;
    struct step *steps; /* by path */
};

static struct index index_create(size_t entries)
{
    size_t size = 16;
    while (size < 2 * entries)
        size *= 2;
    return (struct index){allocate(size, sizeof(uint32_t)), size - 1,
                          allocate(entries, sizeof(struct step))};
}

static void index_free(struct index *index)
{
    free(index->slots);
    free(index->steps);
}

static struct step step_of(const struct summary *summary, const struct call_node *node)
{
    const struct region_entry *region = &summary->regions[node->region];
    const char *module =
        region->module == SUMMARY_NONE ? "" : base_name(summary->modules[region->module].path);
    return (struct step){region->name, module, region->kind, node->line};
}

static uint64_t hash_text(uint64_t value, const char *text)
{
    for (; *text; text++)
        value = (value ^ (unsigned char)*text) * 1099511628211u;
    return value * 0x9E3779B97F4A7C15u;
}

static size_t hash(uint32_t parent, const struct step *step)
{
    uint64_t value = (14695981039346656037u ^ parent) * 0x9E3779B97F4A7C15u ^ step->line;
    value = hash_text(hash_text(value, step->name), step->module) ^ step->kind;
    return (size_t)(value * 0x9E3779B97F4A7C15u >> 20);
}

static bool is_same(const struct step *a, const struct step *b)
{
    return a->line == b->line && a->kind == b->kind && strcmp(a->name, b->name) == 0 &&
           strcmp(a->module, b->module) == 0;
}

/* The path that STEP makes from PARENT; a new one if there is none yet. */
static uint32_t find_path(struct joint *joint, struct index *index, uint32_t parent,
                          const struct step *step)
{
    size_t at = hash(parent, step) & index->mask;
    for (; index->slots[at]; at = (at + 1) & index->mask) {
        uint32_t path = index->slots[at] - 1;
        if (joint->paths[path].parent == parent && is_same(&index->steps[path], step))
            return path;
    }
    uint32_t path = (uint32_t)joint->path_count++;
    joint->paths[path] = (struct joint_path){parent, step->kind == REGION_MPI};
    index->steps[path] = *step;
    index->slots[at] = path + 1;
    return path;
}

static void add_tree(struct joint *joint, struct index *index, enum side side)
{
    const struct summary *summary = joint_summary(joint, side);
    uint32_t *path_of = allocate(summary->node_count, sizeof *path_of);
    for (size_t i = 0; i < summary->node_count; i++) {
        const struct call_node *node = &summary->nodes[i];
        struct step step = step_of(summary, node);
        path_of[i] = find_path(joint, index, i ? path_of[node->parent] : SUMMARY_NONE, &step);
    }
    joint->path_of[side] = path_of;
}

void joint_paths_make(struct joint *joint)
{
    size_t most =
        joint_summary(joint, SIDE_A)->node_count + joint_summary(joint, SIDE_B)->node_count;
    struct index index = index_create(most);
    joint->paths = allocate(most, sizeof *joint->paths);
    add_tree(joint, &index, SIDE_A);
    add_tree(joint, &index, SIDE_B);
    index_free(&index);
}
