/* See definitions.h. */
#include "definitions.h"

#include "buildid.h"
#include "counters.h"
#include "mpi_calls.h"
#include "phase.h"
#include "seen.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

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
    free(definitions->buckets);
    *definitions = (struct definitions){0};
}

/* Room for one more item: arrays grow whenever their count reaches a power of two. */
static void *grow(struct definitions *definitions, void *items, uint32_t count, size_t bytes)
{
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
    if (!grown || definitions->failed)
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
    if (!grown || definitions->failed)
        return DEFINITION_NONE;
    definitions->counters = grown;
    definitions->counters[definitions->counter_count] = number;
    return definitions->counter_count++;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ (hash >> 29);
}

static uint32_t hash_node(const struct definition_node *node)
{
    uint64_t hash = mix(node->parent, node->kind);
    hash = mix(mix(hash, node->name), node->function.module);
    hash = mix(mix(hash, node->function.offset), node->site.module);
    return (uint32_t)(mix(hash, node->site.offset) >> 32);
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

static void insert(struct definitions *definitions, uint32_t number)
{
    uint32_t mask = definitions->bucket_count - 1;
    uint32_t bucket = hash_node(&definitions->nodes[number]) & mask;
    while (definitions->buckets[bucket])
        bucket = (bucket + 1) & mask;
    definitions->buckets[bucket] = number + 1;
}

static bool rehash(struct definitions *definitions)
{
    if (2 * definitions->node_count < definitions->bucket_count)
        return true;
    uint32_t count = definitions->bucket_count ? 2 * definitions->bucket_count : 256;
    uint32_t *buckets = calloc(count, sizeof *buckets);
    if (!buckets) {
        definitions->failed = true;
        return false;
    }
    free(definitions->buckets);
    definitions->buckets = buckets;
    definitions->bucket_count = count;
    for (uint32_t i = 0; i < definitions->node_count; i++)
        insert(definitions, i);
    return true;
}

uint32_t definitions_node(struct definitions *definitions, const struct definition_node *node)
{
    if (!rehash(definitions))
        return DEFINITION_NONE;
    uint32_t mask = definitions->bucket_count - 1;
    for (uint32_t bucket = hash_node(node) & mask; definitions->buckets[bucket];
         bucket = (bucket + 1) & mask) {
        uint32_t number = definitions->buckets[bucket] - 1;
        if (same_node(&definitions->nodes[number], node))
            return number;
    }
    void *grown = grow(definitions, definitions->nodes, definitions->node_count,
                       sizeof *definitions->nodes);
    if (!grown)
        return DEFINITION_NONE;
    definitions->nodes = grown;
    definitions->nodes[definitions->node_count] = *node;
    insert(definitions, definitions->node_count);
    return definitions->node_count++;
}

/* Where code keys lead: the modules that are loaded, and those that were seen. */
struct code_map {
    const struct modmap *loaded;
    uint32_t numbers[SEEN_MOST]; /* by number of the seen module; DEFINITION_NONE if not yet */
};

/* The number of a module that may have been unloaded since. */
static uint32_t add_seen(struct definitions *definitions, const struct modmap *modules,
                         const struct seen_module *seen)
{
    char build_id[BUILDID_TEXT];
    buildid_text(seen->build_id, seen->build_id_length, build_id);
    /* The program is the first of those loaded, and is never unloaded. */
    const char *path = *seen->path || !modules->count ? seen->path : modules->modules[0].path;
    return definitions_module(definitions, path, build_id);
}

static struct place place_of(struct definitions *definitions, struct code_map *map,
                             uint64_t key)
{
    const uintptr_t address = code_address(key);
    const struct seen_module *seen = seen_module(code_module(key));
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

static const char *artificial_name(enum artificial what)
{
    static const char *const names[] = {
        [ARTIFICIAL_ROOT] = "program",
        [ARTIFICIAL_FAILED] = "[unwinding stopped here]",
        [ARTIFICIAL_TRUNCATED] = "[deeper than 512 frames]",
        [ARTIFICIAL_OTHER] = "[other call paths]",
    };
    return names[what];
}

/* The name of a function where it is known without its module's file. */
static const char *function_name(uint64_t key)
{
    const struct seen_module *module = seen_module(code_module(key));
    const uintptr_t address = code_address(key);
    Dl_info info;
    /* The kernel knows where a program begins though it may be stripped of all names. */
    if (address == getauxval(AT_ENTRY))
        return "_start";
    /* Its own code has no file. */
    if (module && module->low == getauxval(AT_SYSINFO_EHDR) && dladdr((void *)address, &info) &&
        info.dli_sname)
        return info.dli_sname;
    return NULL;
}

/* NULL: it will be looked up. */
static const char *node_name(const struct node *node)
{
    switch (node->kind) {
    case NODE_FUNCTION:
        return function_name(node->key);
    case NODE_MPI:
        return mpi_call_name((enum mpi_call)node->key);
    case NODE_PHASE:
        return phase_table[node->key].name;
    default:
        return artificial_name((enum artificial)node->key);
    }
}

void definitions_add_thread(struct definitions *definitions, const struct modmap *modules,
                            const struct thread *thread, const bool *used, uint32_t *node_map)
{
    struct code_map map = {.loaded = modules};
    for (size_t i = 0; i < SEEN_MOST; i++)
        map.numbers[i] = DEFINITION_NONE;
    for (uint32_t i = 0; i < thread->tree.node_count; i++) {
        const struct node *node = &thread->tree.nodes[i];
        if (!used[i] || node_map[i] != DEFINITION_NONE)
            continue;
        struct definition_node wanted = {
            .parent = i == CCT_ROOT ? (uint32_t)DEFINITION_NONE : node_map[node->parent],
            .kind = node->kind,
            .name = DEFINITION_NONE,
            .function = {DEFINITION_NONE, 0},
            .site = place_of(definitions, &map, node->site),
        };
        if (node->kind == NODE_FUNCTION)
            wanted.function = place_of(definitions, &map, node->key);
        const char *name = node_name(node);
        if (name)
            wanted.name = definitions_name(definitions, name);
        node_map[i] = definitions_node(definitions, &wanted);
        if (definitions->failed)
            return;
    }
}

void definitions_add_phases(struct definitions *definitions, uint32_t *phase_map)
{
    for (uint32_t i = 0; i < phase_count; i++)
        phase_map[i] = definitions_phase(definitions, phase_table[i].name, phase_table[i].kept);
}

void definitions_add_counters(struct definitions *definitions, uint32_t *counter_map)
{
    for (unsigned i = 0; i < counters_count; i++)
        counter_map[i] = definitions_counter(definitions, counters_name(i));
}

static void encode_place(struct encoder *out, struct place place)
{
    encode_varint(out, place.module);
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
        encode_varint(out, node->parent);
        encode_varint(out, node->kind);
        encode_varint(out, node->name);
        encode_place(out, node->function);
        encode_place(out, node->site);
    }
}

/* The number that MAP gives to NUMBER; DEFINITION_NONE stays what it is. */
static uint32_t mapped(const uint32_t *map, uint64_t count, uint64_t number)
{
    return number < count ? map[number] : (uint32_t)DEFINITION_NONE;
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
        free(name);
    }
    return map;
}

static struct place merge_place(struct decoder *in, const uint32_t *modules, uint64_t count)
{
    uint64_t module = decode_varint(in);
    uint64_t offset = decode_varint(in);
    return (struct place){mapped(modules, count, module), offset};
}

void definitions_merge(struct definitions *definitions, struct decoder *in,
                       struct definition_maps *maps)
{
    uint64_t module_count, name_count;
    uint32_t *modules = merge_modules(definitions, in, &module_count);
    uint32_t *names = merge_names(definitions, in, &name_count);
    *maps = (struct definition_maps){.phase_count = (uint32_t)decode_count(in, 2)};
    maps->phases = calloc(maps->phase_count + 1, sizeof *maps->phases);
    for (uint32_t i = 0; modules && names && maps->phases && i < maps->phase_count; i++) {
        uint32_t name = mapped(names, name_count, decode_varint(in));
        bool kept = decode_varint(in);
        if (name < definitions->name_count)
            maps->phases[i] = definitions_phase(definitions, definitions->names[name], kept);
    }
    maps->counter_count = (uint32_t)decode_count(in, 1);
    maps->counters = calloc(maps->counter_count + 1, sizeof *maps->counters);
    for (uint32_t i = 0; modules && names && maps->counters && i < maps->counter_count; i++) {
        uint32_t name = mapped(names, name_count, decode_varint(in));
        if (name < definitions->name_count)
            maps->counters[i] = definitions_counter(definitions, definitions->names[name]);
    }
    maps->node_count = (uint32_t)decode_count(in, 7);
    maps->nodes = calloc(maps->node_count + 1, sizeof *maps->nodes);
    for (uint32_t i = 0; modules && names && maps->nodes && i < maps->node_count; i++) {
        struct definition_node node = {.parent = mapped(maps->nodes, i, decode_varint(in))};
        node.kind = (uint32_t)decode_varint(in);
        node.name = mapped(names, name_count, decode_varint(in));
        node.function = merge_place(in, modules, module_count);
        node.site = merge_place(in, modules, module_count);
        maps->nodes[i] = definitions_node(definitions, &node);
    }
    if (!modules || !names || !maps->phases || !maps->counters || !maps->nodes || in->failed)
        definitions->failed = true;
    free(modules);
    free(names);
}

void definition_maps_free(struct definition_maps *maps)
{
    free(maps->nodes);
    free(maps->phases);
    free(maps->counters);
    *maps = (struct definition_maps){0};
}
