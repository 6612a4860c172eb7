/* See describe.h. */
#include "write/describe.h"

#include "assemble/buildid.h"
#include "calls/calls.h"
#include "common/format.h"
#include "counters/counters.h"
#include "iterations/iterations.h"
#include "unwind/unwind.h"

#include <dlfcn.h>
#include <sys/auxv.h>

/* The modules that code keys refer to: those loaded now, and those known from walks. */
struct code_map {
    const struct modmap *loaded;
    uint32_t numbers[KNOWN_MODULES_MOST]; /* by known module; DEFINITION_NONE: not added yet */
};

/* Adds a known module, which may have been unloaded since. */
static uint32_t add_seen(struct definitions *definitions, const struct modmap *modules,
                         const struct known_module *seen)
{
    char build_id[BUILDID_TEXT];
    buildid_text(seen->build_id, seen->build_id_length, build_id);
    /* The program comes first in the list of loaded modules, and is never unloaded. */
    const char *path = *seen->path || !modules->count ? seen->path : modules->modules[0].path;
    return definitions_module(definitions, path, build_id);
}

static struct place place_of(struct definitions *definitions, struct code_map *map,
                             uint64_t key)
{
    const uintptr_t address = code_address(key);
    const struct known_module *seen = known_module_get_async(code_module(key));
    if (seen) {
        uint32_t *number = &map->numbers[code_module(key)];
        if (*number == DEFINITION_NONE)
            *number = add_seen(definitions, map->loaded, seen);
        return (struct place){*number, address - seen->base};
    }
    const struct module *module = address ? modmap_find(map->loaded, address) : NULL;
    if (!module)
        return (struct place){DEFINITION_NONE, address};
    return (struct place){definitions_module(definitions, module->path, module->build_id),
                          address - module->base};
}

/* The name of a function if it can be known without reading its module's file; else NULL. */
static const char *function_name(uint64_t key)
{
    const struct known_module *module = known_module_get_async(code_module(key));
    const uintptr_t address = code_address(key);
    Dl_info info;
    /* The entry point is known from the kernel, even if the program is stripped. */
    if (address == getauxval(AT_ENTRY))
        return "_start";
    /* The vDSO, the kernel's own code, has no file. */
    if (module && module->low == getauxval(AT_SYSINFO_EHDR) && dladdr((void *)address, &info) &&
        info.dli_sname)
        return info.dli_sname;
    return NULL;
}

/* The name of a node; NULL if it has to be looked up. */
static const char *node_name(const struct node *node)
{
    switch (node->kind) {
    case NODE_FUNCTION:
        return function_name(node->key);
    case NODE_MPI:
        return mpi_call_name_async((enum mpi_call)node->key);
    case NODE_PHASE:
        return phase_table[node->key].name;
    default:
        return cct_artificial_name_async((enum artificial)node->key);
    }
}

static enum format_region_kind region_kind(const struct node *node)
{
    static const enum format_region_kind kinds[] = {
        [NODE_FUNCTION] = REGION_FUNCTION,
        [NODE_MPI] = REGION_MPI,
        [NODE_PHASE] = REGION_PHASE,
        [NODE_ARTIFICIAL] = REGION_ARTIFICIAL,
    };
    return kinds[node->kind];
}

/* Describes NODE in terms that are the same in every process, except for its parent. */
static struct definition_node define(struct definitions *definitions, struct code_map *map,
                                     const struct node *node)
{
    struct definition_node defined = {
        .kind = region_kind(node),
        .name = DEFINITION_NONE,
        .group = DEFINITION_NONE,
        .function = {DEFINITION_NONE, 0},
        .site = place_of(definitions, map, node->site),
    };
    const char *name = node_name(node);
    if (name)
        defined.name = definitions_name(definitions, name);
    if (node->kind == NODE_FUNCTION)
        defined.function = place_of(definitions, map, node->key);
    if (node->told)
        defined.group = definitions_name(definitions, FORMAT_TOLD_GROUP);
    if (node->kind == NODE_MPI)
        defined.group =
            definitions_name(definitions, mpi_call_group_async((enum mpi_call)node->key));
    return defined;
}

void describe_tree(struct definitions *definitions, const struct modmap *modules,
                   const struct cct *tree, const bool *used, uint32_t *node_map)
{
    struct code_map map = {.loaded = modules};
    for (size_t i = 0; i < KNOWN_MODULES_MOST; i++)
        map.numbers[i] = DEFINITION_NONE;
    for (uint32_t i = 0; i < tree->node_count && !definitions->failed; i++) {
        if (!used[i] || node_map[i] != DEFINITION_NONE)
            continue;
        struct definition_node defined = define(definitions, &map, &tree->nodes[i]);
        defined.parent =
            i == CCT_ROOT ? (uint32_t)DEFINITION_NONE : node_map[tree->nodes[i].parent];
        node_map[i] = definitions_node(definitions, &defined);
    }
}

void describe_phases(struct definitions *definitions, uint32_t *phase_map)
{
    for (uint32_t i = 0; i < phase_count; i++)
        phase_map[i] =
            phase_table[i].proposed
                ? (uint32_t)DEFINITION_NONE
                : definitions_phase(definitions, phase_table[i].name, phase_table[i].kept);
}

void describe_counters(struct definitions *definitions, uint32_t *counter_map)
{
    for (unsigned i = 0; i < counters_count; i++)
        counter_map[i] = definitions_counter(definitions, counters_name_async(i));
}
