/* See definitions.h. */
#include "assemble/definitions.h"

#include "common/format.h"

#include <stdlib.h>
#include <string.h>

void definitions_free(struct definitions *definitions)
{
    for (uint32_t i = 0; i < definitions->module_count; i++) {
        free(definitions->modules[i].path);
        free(definitions->modules[i].build_id);
    }
    for (uint32_t i = 0; i < definitions->name_count; i++)
        free(definitions->names[i]);
    free(definitions->modules);
    free(definitions->names);
    free(definitions->phases);
    free(definitions->counters);
    free(definitions->nodes);
    index_free(&definitions->node_index);
    *definitions = (struct definitions){0};
}

/*
 * Makes room for one more item: arrays grow whenever their count reaches a power of two.  NULL,
 * with ITEMS unchanged, if memory runs out or has before.
 */
static void *grow(struct definitions *definitions, void *items, uint32_t count, size_t bytes)
{
    if (definitions->failed)
        return NULL;
    if (count & (count - 1))
        return items;
    void *grown = realloc(items, (count ? 2 * (size_t)count : 1) * bytes);
    if (!grown)
        definitions->failed = true;
    return grown;
}

static char *copy_text(struct definitions *definitions, const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        definitions->failed = true;
    return copy;
}

uint32_t definitions_module(struct definitions *definitions, const char *path,
                            const char *build_id)
{
    for (uint32_t i = 0; i < definitions->module_count; i++)
        if (strcmp(definitions->modules[i].path, path) == 0 &&
            strcmp(definitions->modules[i].build_id, build_id) == 0)
            return i;
    void *grown = grow(definitions, definitions->modules, definitions->module_count,
                       sizeof *definitions->modules);
    if (!grown)
        return DEFINITION_NONE;
    definitions->modules = grown;
    struct definition_module module = {copy_text(definitions, path),
                                       copy_text(definitions, build_id)};
    if (definitions->failed) {
        free(module.path);
        free(module.build_id);
        return DEFINITION_NONE;
    }
    definitions->modules[definitions->module_count] = module;
    return definitions->module_count++;
}

uint32_t definitions_name(struct definitions *definitions, const char *name)
{
    for (uint32_t i = 0; i < definitions->name_count; i++)
        if (strcmp(definitions->names[i], name) == 0)
            return i;
    void *grown =
        grow(definitions, definitions->names, definitions->name_count, sizeof(char *));
    if (!grown)
        return DEFINITION_NONE;
    definitions->names = grown;
    char *copy = copy_text(definitions, name);
    if (!copy)
        return DEFINITION_NONE;
    definitions->names[definitions->name_count] = copy;
    return definitions->name_count++;
}

uint32_t definitions_phase(struct definitions *definitions, const char *name, bool kept)
{
    uint32_t number = definitions_name(definitions, name);
    for (uint32_t i = 0; i < definitions->phase_count; i++)
        if (definitions->phases[i].name == number)
            return i;
    void *grown = grow(definitions, definitions->phases, definitions->phase_count,
                       sizeof *definitions->phases);
    if (!grown)
        return DEFINITION_NONE;
    definitions->phases = grown;
    definitions->phases[definitions->phase_count] = (struct definition_phase){number, kept};
    return definitions->phase_count++;
}

uint32_t definitions_counter(struct definitions *definitions, const char *name)
{
    uint32_t number = definitions_name(definitions, name);
    for (uint32_t i = 0; i < definitions->counter_count; i++)
        if (definitions->counters[i] == number)
            return i;
    void *grown = grow(definitions, definitions->counters, definitions->counter_count,
                       sizeof *definitions->counters);
    if (!grown)
        return DEFINITION_NONE;
    definitions->counters = grown;
    definitions->counters[definitions->counter_count] = number;
    return definitions->counter_count++;
}

static uint64_t hash_node(const struct definition_node *node)
{
    uint64_t hash = index_hash_number(INDEX_HASH, (uint64_t)node->parent << 32 | node->kind);
    hash = index_hash_number(hash, (uint64_t)node->name << 32 | node->function.module);
    hash = index_hash_number(hash, node->function.offset);
    return index_hash_number(index_hash_number(hash, node->site.module), node->site.offset);
}

static bool same_place(struct place a, struct place b)
{
    return a.module == b.module && a.offset == b.offset;
}

static bool same_node(const struct definition_node *a, const struct definition_node *b)
{
    return a->parent == b->parent && a->kind == b->kind && a->name == b->name &&
           same_place(a->function, b->function) && same_place(a->site, b->site);
}

/* A node to be found in DEFINITIONS. */
struct wanted_node {
    const struct definitions *definitions;
    const struct definition_node *node;
};

static bool is_wanted(const void *context, uint32_t number)
{
    const struct wanted_node *wanted = context;
    return same_node(&wanted->definitions->nodes[number], wanted->node);
}

static bool reserve_nodes(struct definitions *definitions)
{
    bool reserved =
        index_reserve(&definitions->node_index, (size_t)definitions->node_count + 1);
    definitions->failed |= !reserved;
    return reserved;
}

uint32_t definitions_node(struct definitions *definitions, const struct definition_node *node)
{
    struct wanted_node wanted = {definitions, node};
    if (!reserve_nodes(definitions))
        return DEFINITION_NONE;
    uint32_t *slot = index_slot(&definitions->node_index, hash_node(node), is_wanted, &wanted);
    if (*slot) {
        /* One process may know of a function that it tells its visits, another one not. */
        uint32_t *group = &definitions->nodes[*slot - 1].group;
        *group = *group == DEFINITION_NONE ? node->group : *group;
        return *slot - 1;
    }
    void *grown = grow(definitions, definitions->nodes, definitions->node_count,
                       sizeof *definitions->nodes);
    if (!grown)
        return DEFINITION_NONE;
    definitions->nodes = grown;
    definitions->nodes[definitions->node_count] = *node;
    *slot = definitions->node_count + 1;
    return definitions->node_count++;
}

static void encode_place(struct encoder *out, struct place place)
{
    encode_ref(out, place.module);
    encode_varint(out, place.offset);
}

void definitions_encode(const struct definitions *definitions, struct encoder *out)
{
    encode_varint(out, definitions->module_count);
    for (uint32_t i = 0; i < definitions->module_count; i++) {
        encode_string(out, definitions->modules[i].path);
        encode_string(out, definitions->modules[i].build_id);
    }
    encode_varint(out, definitions->name_count);
    for (uint32_t i = 0; i < definitions->name_count; i++)
        encode_string(out, definitions->names[i]);
    encode_varint(out, definitions->phase_count);
    for (uint32_t i = 0; i < definitions->phase_count; i++) {
        encode_varint(out, definitions->phases[i].name);
        encode_varint(out, definitions->phases[i].kept);
    }
    encode_varint(out, definitions->counter_count);
    for (uint32_t i = 0; i < definitions->counter_count; i++)
        encode_varint(out, definitions->counters[i]);
    encode_varint(out, definitions->node_count);
    for (uint32_t i = 0; i < definitions->node_count; i++) {
        const struct definition_node *node = &definitions->nodes[i];
        encode_ref(out, node->parent);
        encode_varint(out, node->kind);
        encode_ref(out, node->name);
        encode_ref(out, node->group);
        encode_place(out, node->function);
        encode_place(out, node->site);
    }
}

/* The number that MAP, COUNT long, gives to NUMBER; DEFINITION_NONE beyond it. */
static uint32_t mapped(const uint32_t *map, uint64_t count, uint64_t number)
{
    return number < count ? map[number] : (uint32_t)DEFINITION_NONE;
}

/* Decodes what encode_ref has written, and maps it; fails for a number beyond the map. */
static uint32_t decode_ref(struct decoder *in, const uint32_t *map, uint64_t count)
{
    uint64_t number = decode_varint(in);
    in->failed = in->failed || number > count;
    return mapped(map, count, number - 1);
}

static char *decode_text(struct decoder *in)
{
    size_t length;
    const char *text = decode_string(in, &length);
    return strndup(text, length);
}

static uint32_t *merge_modules(struct definitions *definitions, struct decoder *in,
                               uint64_t *count)
{
    *count = decode_count(in, 2);
    uint32_t *map = calloc(*count + 1, sizeof *map);
    for (uint64_t i = 0; map && i < *count; i++) {
        char *path = decode_text(in), *build_id = decode_text(in);
        if (path && build_id)
            map[i] = definitions_module(definitions, path, build_id);
        else
            definitions->failed = true;
        free(path);
        free(build_id);
    }
    return map;
}

static uint32_t *merge_names(struct definitions *definitions, struct decoder *in,
                             uint64_t *count)
{
    *count = decode_count(in, 1);
    uint32_t *map = calloc(*count + 1, sizeof *map);
    for (uint64_t i = 0; map && i < *count; i++) {
        char *name = decode_text(in);
        if (name)
            map[i] = definitions_name(definitions, name);
        else
            definitions->failed = true;
        free(name);
    }
    return map;
}

static struct place merge_place(struct decoder *in, const uint32_t *modules, uint64_t count)
{
    uint32_t module = decode_ref(in, modules, count);
    return (struct place){module, decode_varint(in)};
}

/* A description that is being merged, with the new numbers of its modules and names. */
struct merging {
    struct definitions *into;
    struct decoder *in;
    uint32_t *modules, *names;
    uint64_t module_count, name_count;
};

/* An array with a number for each of COUNT items; NULL without memory. */
static uint32_t *new_map(struct decoder *in, size_t item_bytes, uint32_t *count)
{
    uint64_t items = decode_count(in, item_bytes);
    *count = items < DEFINITION_NONE ? (uint32_t)items : 0;
    in->failed = in->failed || *count < items;
    return calloc((size_t)*count + 1, sizeof(uint32_t));
}

/* Reads a name that must not be empty; NULL, and a failure, if it is. */
static const char *needed_name(struct merging *merging)
{
    uint32_t name = mapped(merging->names, merging->name_count, decode_varint(merging->in));
    if (name < merging->into->name_count)
        return merging->into->names[name];
    merging->in->failed = true;
    return NULL;
}

static bool merge_phases(struct merging *merging, struct definition_maps *maps)
{
    maps->phases = new_map(merging->in, 2, &maps->phase_count);
    for (uint32_t i = 0; maps->phases && i < maps->phase_count; i++) {
        const char *name = needed_name(merging);
        bool kept = decode_varint(merging->in);
        if (name)
            maps->phases[i] = definitions_phase(merging->into, name, kept);
    }
    return maps->phases;
}

static bool merge_counters(struct merging *merging, struct definition_maps *maps)
{
    maps->counters = new_map(merging->in, 1, &maps->counter_count);
    for (uint32_t i = 0; maps->counters && i < maps->counter_count; i++) {
        const char *name = needed_name(merging);
        if (name)
            maps->counters[i] = definitions_counter(merging->into, name);
    }
    return maps->counters;
}

/*
 * Whether node NUMBER of a description is valid: only the first may be a root, only functions
 * may lack names.
 */
static bool is_sound(const struct definition_node *node, uint32_t number)
{
    return (node->parent == DEFINITION_NONE) == (number == 0) &&
           node->kind <= REGION_ARTIFICIAL &&
           (node->kind == REGION_FUNCTION || node->name != DEFINITION_NONE);
}

static bool merge_nodes(struct merging *merging, struct definition_maps *maps)
{
    struct decoder *in = merging->in;
    maps->nodes = new_map(in, 8, &maps->node_count);
    for (uint32_t i = 0; maps->nodes && !in->failed && i < maps->node_count; i++) {
        struct definition_node node = {.parent = decode_ref(in, maps->nodes, i)};
        node.kind = (uint32_t)decode_varint(in);
        node.name = decode_ref(in, merging->names, merging->name_count);
        node.group = decode_ref(in, merging->names, merging->name_count);
        node.function = merge_place(in, merging->modules, merging->module_count);
        node.site = merge_place(in, merging->modules, merging->module_count);
        in->failed = in->failed || !is_sound(&node, i);
        if (!in->failed)
            maps->nodes[i] = definitions_node(merging->into, &node);
        /* The root is node 0 in all descriptions. */
        in->failed = in->failed || maps->nodes[0] != 0;
    }
    return maps->nodes;
}

void definitions_merge(struct definitions *definitions, struct decoder *in,
                       struct definition_maps *maps)
{
    struct merging merging = {.into = definitions, .in = in};
    *maps = (struct definition_maps){0};
    merging.modules = merge_modules(definitions, in, &merging.module_count);
    merging.names = merge_names(definitions, in, &merging.name_count);
    if (!merging.modules || !merging.names || !merge_phases(&merging, maps) ||
        !merge_counters(&merging, maps) || !merge_nodes(&merging, maps) || in->failed)
        definitions->failed = true;
    free(merging.modules);
    free(merging.names);
}

void definition_maps_free(struct definition_maps *maps)
{
    free(maps->nodes);
    free(maps->phases);
    free(maps->counters);
    *maps = (struct definition_maps){0};
}
