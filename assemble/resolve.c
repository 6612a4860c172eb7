/* See resolve.h. */
#include "assemble/resolve.h"

#include "assemble/symbols.h"
#include "common/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct region {
    char *name;
    char *file;
    const char *group;
    uint64_t offset;
    uint32_t module; /* DEFINITION_NONE if none */
    int line;
    enum format_region_kind kind;
    bool used;       /* used in the call tree or by a phase */
    uint32_t number; /* its number in the summary, if used */
};

struct tree_node {
    uint32_t parent;
    uint32_t region;
    uint32_t line;
};

struct resolver {
    const struct definitions *definitions;
    struct region *regions;
    uint32_t region_count;
    uint32_t used_count;
    struct tree_node *tree;
    uint32_t tree_count;
    struct index tree_index; /* finds nodes of `tree` */
    uint32_t *left_out_line; /* by definition node: the call site that its children inherit */
};

static const char *module_path(const struct resolver *resolver, uint32_t module)
{
    return module == DEFINITION_NONE ? "" : resolver->definitions->modules[module].path;
}

static struct module_file module_file(const struct resolver *resolver, uint32_t module)
{
    const struct definition_module *modules = resolver->definitions->modules;
    return module == DEFINITION_NONE
               ? (struct module_file){"", ""}
               : (struct module_file){modules[module].path, modules[module].build_id};
}

static uint32_t site_line(const struct resolver *resolver, struct place site)
{
    if (site.offset == 0 || site.module == DEFINITION_NONE)
        return 0;
    return (uint32_t)symbols_line(module_file(resolver, site.module), site.offset);
}

char *resolve_nameless(const char *path, uint64_t offset)
{
    char text[4096];
    if (*path)
        snprintf(text, sizeof text, "%s+%#llx", symbols_file_name(path),
                 (unsigned long long)offset);
    else
        snprintf(text, sizeof text, "[unknown code]");
    return strdup(text);
}

/* Whether all functions of the module at PATH are bindings, see resolve_is_binding. */
static bool is_binding_module(const char *path)
{
    static const char *const modules[] = {"libmpichf", "libmpifort", "libmpi_mpifh",
                                          "libmpi_usempi"};
    const char *module = symbols_file_name(path);
    for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++)
        if (strncmp(module, modules[i], strlen(modules[i])) == 0)
            return true;
    return symbols_is_tsprof(path);
}

/* Skips modules that are never shown: to look up a name takes milliseconds for each module. */
static void find_symbol(const struct resolver *resolver, struct place place,
                        struct symbol *symbol)
{
    if (is_binding_module(module_path(resolver, place.module)))
        *symbol = (struct symbol){.name = strdup(""), .file = strdup("")};
    else
        symbols_function(module_file(resolver, place.module), place.offset, symbol);
}

static struct region describe_function(const struct resolver *resolver, struct place place,
                                       const char *known_name)
{
    const char *path = module_path(resolver, place.module);
    struct symbol symbol;
    find_symbol(resolver, place, &symbol);
    if (symbol.name && !*symbol.name) {
        free(symbol.name);
        symbol.name = known_name ? strdup(known_name) : resolve_nameless(path, place.offset);
    }
    bool known = place.module != DEFINITION_NONE;
    return (struct region){.name = symbol.name,
                           .file = symbol.file,
                           .group = "",
                           .offset = known ? place.offset : 0,
                           .module = place.module,
                           .line = symbol.line,
                           .kind = REGION_FUNCTION};
}

static struct region describe(const struct resolver *resolver,
                              const struct definition_node *node)
{
    char *const *names = resolver->definitions->names;
    const char *name = node->name == DEFINITION_NONE ? NULL : names[node->name];
    if (node->kind == REGION_FUNCTION)
        return describe_function(resolver, node->function, name);
    return (struct region){
        .name = strdup(name),
        .file = strdup(""),
        .group = "",
        .module = DEFINITION_NONE,
        .kind = (enum format_region_kind)node->kind,
    };
}

static bool same_region(const struct region *a, const struct region *b)
{
    return a->kind == b->kind && a->module == b->module && strcmp(a->name, b->name) == 0 &&
           strcmp(a->file, b->file) == 0 && a->line == b->line;
}

static void region_free(struct region *region)
{
    free(region->name);
    free(region->file);
}

/*
 * Returns the number of a region equal to REGION, which is added if it is new.  Takes over
 * REGION's strings.  DEFINITION_NONE without memory.
 */
static uint32_t add_region(struct resolver *resolver, struct region region)
{
    uint32_t i = 0;
    if (!region.name || !region.file)
        i = DEFINITION_NONE;
    while (i < resolver->region_count && !same_region(&resolver->regions[i], &region))
        i++;
    if (i != resolver->region_count) {
        region_free(&region);
        return i;
    }
    resolver->regions[resolver->region_count] = region;
    return resolver->region_count++;
}

/* Whether REGION is code of the C library or the loader that starts processes and threads. */
static bool is_startup(const struct resolver *resolver, const struct region *region)
{
    return symbols_is_c_library(module_path(resolver, region->module)) ||
           strcmp(region->name, "_start") == 0;
}

/* Open MPI's Fortran bindings call PMPI_Comm_f2c and its like for every handle. */
static bool is_conversion(const char *name)
{
    size_t length = strlen(name);
    return strncmp(name, "PMPI_", 5) == 0 &&
           (strcmp(name + length - 4, "_f2c") == 0 || strcmp(name + length - 4, "_c2f") == 0);
}

/*
 * Whether REGION stands between a caller and the call it makes: Fortran bindings of MPI and of
 * the markers, functions that tsprof.h has put into the program, and the entry code of tsprof's
 * own functions.
 */
bool resolve_is_binding(const char *path, const char *name)
{
    return is_binding_module(path) || is_conversion(name) ||
           strncmp(name, "__tsprof_MOD_", 13) == 0 || strcmp(name, "tsprof_api") == 0 ||
           strncmp(name, "tsprof_iteration_", 17) == 0 ||
           strncmp(name, "tsprof_phase_", 13) == 0;
}

/*
 * Whether a frame is between the beginning of a stack and the program's own first function, or
 * another that is not shown.  An outermost frame has no call site.
 */
static bool is_left_out(const struct resolver *resolver, uint32_t number,
                        const uint32_t *regions, const uint32_t *nodes)
{
    const struct definition_node *node = &resolver->definitions->nodes[number];
    const struct region *found = &resolver->regions[regions[number]];
    if (node->kind != REGION_FUNCTION)
        return false;
    bool begins = node->parent == 0 || node->site.offset == 0 ||
                  (nodes[node->parent] & RESOLVED_LEFT_OUT &&
                   is_startup(resolver, &resolver->regions[regions[node->parent]]));
    return (begins && is_startup(resolver, found)) ||
           resolve_is_binding(module_path(resolver, found->module), found->name);
}

/* A node to be found in the tree. */
struct wanted_node {
    const struct tree_node *tree;
    struct tree_node node;
};

static bool is_wanted(const void *context, uint32_t number)
{
    const struct wanted_node *wanted = context;
    const struct tree_node *other = &wanted->tree[number];
    return other->parent == wanted->node.parent && other->region == wanted->node.region &&
           other->line == wanted->node.line;
}

static uint32_t add_node(struct resolver *resolver, struct tree_node node)
{
    struct wanted_node wanted = {resolver->tree, node};
    uint64_t hash = index_hash_number(INDEX_HASH, (uint64_t)node.parent << 32 | node.region);
    uint32_t *slot = index_slot(&resolver->tree_index, index_hash_number(hash, node.line),
                                is_wanted, &wanted);
    if (*slot == 0) {
        resolver->tree[resolver->tree_count] = node;
        *slot = ++resolver->tree_count;
    }
    return *slot - 1;
}

/* A node whose function, MPI function or phase is to be found. */
struct wanted_function {
    const struct definition_node *nodes;
    uint32_t number;
};

static bool is_alike(const void *context, uint32_t number)
{
    const struct wanted_function *wanted = context;
    const struct definition_node *node = &wanted->nodes[wanted->number],
                                 *other = &wanted->nodes[number];
    return other->kind == node->kind && other->name == node->name &&
           other->function.module == node->function.module &&
           other->function.offset == node->function.offset;
}

/* The first node that stands for the same function, MPI function or phase as node NUMBER. */
static uint32_t first_alike(const struct resolver *resolver, struct index *index,
                            uint32_t number)
{
    struct wanted_function wanted = {resolver->definitions->nodes, number};
    const struct definition_node *node = &wanted.nodes[number];
    uint64_t hash = index_hash_number(INDEX_HASH, (uint64_t)node->kind << 32 | node->name);
    hash = index_hash_number(hash, node->function.module);
    uint32_t *slot =
        index_slot(index, index_hash_number(hash, node->function.offset), is_alike, &wanted);
    if (*slot == 0)
        *slot = number + 1;
    return *slot - 1;
}

/* A region has the group that any of its nodes has. */
static void set_group(const struct resolver *resolver, const struct definition_node *node,
                      struct region *region)
{
    if (node->group != DEFINITION_NONE)
        region->group = resolver->definitions->names[node->group];
}

/* Finds the region of every definition node; each distinct function is looked up once. */
static bool find_regions(struct resolver *resolver, uint32_t *regions)
{
    const struct definitions *definitions = resolver->definitions;
    struct index index = {0};
    bool found = index_reserve(&index, definitions->node_count);
    for (uint32_t i = 0; found && i < definitions->node_count; i++) {
        uint32_t first = first_alike(resolver, &index, i);
        regions[i] = first < i
                         ? regions[first]
                         : add_region(resolver, describe(resolver, &definitions->nodes[i]));
        found = regions[i] != DEFINITION_NONE;
        if (found)
            set_group(resolver, &definitions->nodes[i], &resolver->regions[regions[i]]);
    }
    index_free(&index);
    return found;
}

static void build_tree(struct resolver *resolver, const uint32_t *regions, uint32_t *nodes)
{
    const struct definitions *definitions = resolver->definitions;
    for (uint32_t i = 0; i < definitions->node_count; i++) {
        const struct definition_node *node = &definitions->nodes[i];
        struct tree_node wanted = {.parent = DEFINITION_NONE, .region = regions[i]};
        if (i > 0) {
            uint32_t parent = nodes[node->parent];
            wanted.parent = parent & ~RESOLVED_LEFT_OUT;
            wanted.line = parent & RESOLVED_LEFT_OUT ? resolver->left_out_line[node->parent]
                                                     : site_line(resolver, node->site);
            if (is_left_out(resolver, i, regions, nodes)) {
                resolver->left_out_line[i] = wanted.line;
                nodes[i] = wanted.parent | RESOLVED_LEFT_OUT;
                continue;
            }
        }
        nodes[i] = add_node(resolver, wanted);
    }
}

static void encode_modules(const struct definitions *definitions, struct encoder *out)
{
    encode_varint(out, definitions->module_count);
    for (uint32_t i = 0; i < definitions->module_count; i++) {
        encode_string(out, definitions->modules[i].path);
        encode_string(out, definitions->modules[i].build_id);
    }
}

/* Drops the regions that only left-out frames used. */
static void drop_unused_regions(struct resolver *resolver)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < resolver->tree_count; i++)
        resolver->regions[resolver->tree[i].region].used = true;
    for (uint32_t i = 0; i < resolver->region_count; i++) {
        struct region *region = &resolver->regions[i];
        region->number = kept;
        kept += region->used;
    }
    for (uint32_t i = 0; i < resolver->tree_count; i++)
        resolver->tree[i].region = resolver->regions[resolver->tree[i].region].number;
    resolver->used_count = kept;
}

static void encode_regions(const struct resolver *resolver, struct encoder *out)
{
    encode_varint(out, resolver->used_count);
    for (uint32_t i = 0; i < resolver->region_count; i++) {
        const struct region *region = &resolver->regions[i];
        if (!region->used)
            continue;
        encode_string(out, region->name);
        encode_varint(out, region->kind);
        encode_string(out, region->file);
        encode_varint(out, (uint64_t)region->line);
        encode_varint(out, region->module == DEFINITION_NONE ? 0 : region->module + 1);
        encode_varint(out, region->offset);
        encode_string(out, region->group);
    }
}

static void encode_calltree(const struct resolver *resolver, struct encoder *out)
{
    encode_varint(out, resolver->tree_count);
    for (uint32_t i = 0; i < resolver->tree_count; i++) {
        const struct tree_node *node = &resolver->tree[i];
        encode_varint(out, i == 0 ? 0 : node->parent + 1);
        encode_varint(out, node->region);
        encode_varint(out, node->line);
    }
}

/*
 * Finds the regions of phases, which are in the summary even if no call path has reached them.
 */
static void find_phase_regions(struct resolver *resolver, uint32_t *regions)
{
    for (uint32_t i = 0; i < resolver->definitions->phase_count; i++) {
        struct definition_node node = {.kind = REGION_PHASE,
                                       .name = resolver->definitions->phases[i].name,
                                       .group = DEFINITION_NONE};
        regions[i] = add_region(resolver, describe(resolver, &node));
        if (regions[i] != DEFINITION_NONE)
            resolver->regions[regions[i]].used = true;
    }
}

static void encode_phases(const struct resolver *resolver, const uint32_t *regions,
                          struct encoder *out)
{
    const struct definitions *definitions = resolver->definitions;
    encode_varint(out, definitions->phase_count);
    for (uint32_t i = 0; i < definitions->phase_count; i++) {
        out->failed = out->failed || regions[i] == DEFINITION_NONE;
        if (out->failed)
            return;
        encode_string(out, definitions->names[definitions->phases[i].name]);
        encode_varint(out, resolver->regions[regions[i]].number);
        encode_varint(out, definitions->phases[i].kept);
    }
}

bool resolve(const struct definitions *definitions, struct description *description,
             uint32_t *nodes)
{
    uint32_t count = definitions->node_count;
    struct resolver resolver = {
        .definitions = definitions,
        .regions = calloc(count + definitions->phase_count, sizeof *resolver.regions),
        .tree = calloc(count, sizeof *resolver.tree),
        .left_out_line = calloc(count, sizeof *resolver.left_out_line),
    };
    uint32_t *regions = calloc(count + definitions->phase_count, sizeof *regions);
    *description = (struct description){0};
    bool done = resolver.regions && resolver.tree && resolver.left_out_line && regions &&
                index_reserve(&resolver.tree_index, count) && find_regions(&resolver, regions);
    if (done) {
        build_tree(&resolver, regions, nodes);
        find_phase_regions(&resolver, regions + count);
        drop_unused_regions(&resolver);
        encode_phases(&resolver, regions + count, &description->phases);
        encode_modules(definitions, &description->modules);
        encode_regions(&resolver, &description->regions);
        encode_calltree(&resolver, &description->calltree);
    }
    for (uint32_t i = 0; i < resolver.region_count; i++)
        region_free(&resolver.regions[i]);
    free(resolver.regions);
    free(resolver.tree);
    index_free(&resolver.tree_index);
    free(resolver.left_out_line);
    free(regions);
    return done;
}
