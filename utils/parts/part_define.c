/* See part_define.h. */
#include "parts/part_define.h"

#include "parts/part_place_thread.h"

#include <stdlib.h>

struct place part_define_place(struct part_definer *definer, const struct part_log_reading *log,
                               struct part_place place)
{
    if (place.module == SUMMARY_NONE)
        return (struct place){DEFINITION_NONE, place.offset};
    const struct part_module *module = &log->modules[place.module];
    return (struct place){
        definitions_module(definer->definitions, module->path, module->build_id), place.offset};
}

/* All parts share one root. */
static uint32_t define_root(struct part_definer *definer)
{
    struct definition_node root = {
        .parent = DEFINITION_NONE,
        .kind = REGION_ARTIFICIAL,
        .name = definitions_name(definer->definitions, FORMAT_ROOT_NAME),
        .group = DEFINITION_NONE,
        .function = {DEFINITION_NONE, 0},
        .site = {DEFINITION_NONE, 0},
    };
    return definitions_node(definer->definitions, &root);
}

static uint32_t define_node(struct part_definer *definer, const struct part_log_reading *log,
                            const struct part_node *node, uint32_t parent)
{
    struct definitions *definitions = definer->definitions;
    const char *name = node->name;
    struct definition_node wanted = {
        .parent = parent,
        .kind = (uint32_t)node->kind,
        .name = DEFINITION_NONE,
        .group = DEFINITION_NONE,
        .function = {DEFINITION_NONE, 0},
        .site = part_define_place(definer, log, node->site),
    };
    _Static_assert(PART_NODE_FUNCTION == (int)REGION_FUNCTION &&
                       PART_NODE_MPI == (int)REGION_MPI &&
                       PART_NODE_PHASE == (int)REGION_PHASE &&
                       PART_NODE_ARTIFICIAL == (int)REGION_ARTIFICIAL,
                   "kinds of nodes are those of regions");
    if (node->told)
        wanted.group = definitions_name(definitions, FORMAT_TOLD_GROUP);
    if (node->kind == PART_NODE_FUNCTION)
        wanted.function = part_define_place(definer, log, node->function);
    if (node->kind == PART_NODE_MPI) {
        name = definer->part->calls[node->number].name;
        wanted.group = definitions_name(definitions, definer->part->calls[node->number].group);
    }
    if (node->kind == PART_NODE_PHASE)
        name = log->phases[node->number].name;
    /* A function without a name is looked up later. */
    if (node->kind != PART_NODE_FUNCTION || *name)
        wanted.name = definitions_name(definitions, name);
    return definitions_node(definitions, &wanted);
}

/* Defines node NUMBER of the opener, and the nodes above it, if they are not defined yet. */
static uint32_t define_on_opener(struct part_definer *definer, uint32_t number)
{
    const struct part_log_reading *log = &definer->opener;
    uint32_t *numbers = definer->opener_numbers;
    uint32_t *path = allocate(log->nodes[number].depth + 1, sizeof *path);
    size_t length = 0;
    for (uint32_t node = number; numbers[node] == DEFINITION_NONE;
         node = log->nodes[node].parent) {
        path[length++] = node;
        if (node == 0)
            break;
    }
    while (length-- > 0) {
        uint32_t node = path[length];
        numbers[node] = node == 0 ? define_root(definer)
                                  : define_node(definer, log, &log->nodes[node],
                                                numbers[log->nodes[node].parent]);
    }
    free(path);
    return numbers[number];
}

/* Marks the nodes above used ones as used, except above nodes that are placed below the opener.
 */
static void spread(const struct part_log_reading *log, const uint32_t *placed, bool *used)
{
    for (size_t i = log->node_count; i-- > 1;)
        if (used[i] && placed[i] == PLACEMENT_NONE)
            used[log->nodes[i].parent] = true;
    if (log->node_count > 0)
        used[0] = true;
}

uint32_t *part_define_nodes(struct part_definer *definer, const struct part_log_reading *log,
                            bool *used)
{
    uint32_t *numbers = allocate(log->node_count, sizeof *numbers);
    uint32_t *placed = allocate(log->node_count, sizeof *placed);
    for (size_t i = 0; i < log->node_count; i++)
        placed[i] = PLACEMENT_NONE;
    if (definer->opener_numbers)
        part_place_thread(log, &definer->opener, placed);
    spread(log, placed, used);
    for (size_t i = 0; i < log->node_count; i++) {
        numbers[i] = DEFINITION_NONE;
        if (used[i])
            numbers[i] =
                i == 0 ? define_root(definer)
                : placed[i] != PLACEMENT_NONE
                    ? define_on_opener(definer, placed[i])
                    : define_node(definer, log, &log->nodes[i], numbers[log->nodes[i].parent]);
    }
    free(placed);
    return numbers;
}

uint32_t *part_define_phases(struct part_definer *definer, const struct part_log_reading *log)
{
    uint32_t *numbers = allocate(log->phase_count, sizeof *numbers);
    for (size_t i = 0; i < log->phase_count; i++)
        numbers[i] = log->phases[i].name
                         ? definitions_phase(definer->definitions, log->phases[i].name,
                                             log->phases[i].kept)
                         : (uint32_t)DEFINITION_NONE;
    return numbers;
}

void part_define_opener(struct part_definer *definer, struct part_log_reading *log,
                        uint32_t *numbers)
{
    definer->opener = *log;
    definer->opener_numbers = numbers;
    *log = (struct part_log_reading){0};
}

void part_define_end(struct part_definer *definer)
{
    part_log_free(&definer->opener);
    free(definer->opener_numbers);
}
