/* See matching.h. */
#include "iterations/matching.h"

#include "assemble/buildid.h"
#include "assemble/resolve.h"
#include "assemble/symbols.h"
#include "calls/calls.h"
#include "host/host.h"
#include "unwind/unwind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A function whose name has been looked up. */
struct known_function {
    uint64_t key;
    char *name;    /* as reports show it; empty: it has none; NULL: this place is free */
    uint8_t items; /* the set of items that name it */
    bool binding;  /* not shown in call paths */
};

enum { FUNCTIONS_FIRST = 256 };

static struct {
    struct iteration_spec spec;
    struct node_mark *marks;          /* by node */
    struct known_function *functions; /* open addressing */
    size_t function_count, function_room;
    char program[4096];
    bool opened; /* files have been opened for a lookup */
} matching;

static void prepare_look_ups(void *unused)
{
    (void)unused;
    symbols_prepare();
}

bool matching_start(const struct iteration_spec *spec, const struct cct *tree)
{
    struct arena arena;
    /* Arenas hand out memory in units of 64 bytes. */
    const size_t bytes = (tree->node_capacity * sizeof *matching.marks + 63) / 64 * 64;
    matching.spec = *spec;
    own_stack_call(prepare_look_ups, NULL);
    ssize_t length = readlink("/proc/self/exe", matching.program, sizeof matching.program - 1);
    matching.program[length > 0 ? length : 0] = '\0';
    matching.functions = calloc(FUNCTIONS_FIRST, sizeof *matching.functions);
    matching.function_room = FUNCTIONS_FIRST;
    if (!matching.functions || arena_create_async(&arena, bytes) != 0)
        return false;
    matching.marks = arena_take_async(&arena, bytes);
    return matching.marks;
}

static struct known_function *find_place(uint64_t key)
{
    size_t at = (key * UINT64_C(0x9E3779B97F4A7C15)) >> 32;
    for (;; at++) {
        struct known_function *place = &matching.functions[at % matching.function_room];
        if (!place->name || place->key == key)
            return place;
    }
}

/* Doubles the size of the table, or leaves it as it is if there is no memory. */
static void make_room(void)
{
    struct known_function *old = matching.functions;
    size_t room = matching.function_room;
    struct known_function *more = calloc(2 * room, sizeof *more);
    if (!more)
        return;
    matching.functions = more;
    matching.function_room = 2 * room;
    for (size_t i = 0; i < room; i++)
        if (old[i].name)
            *find_place(old[i].key) = old[i];
    free(old);
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

/*
 * A code key to look up, and the result.  Lookups run on a stack that is large enough for them.
 */
struct wanted {
    uint64_t key;
    char *name; /* of the function there; to be freed by the caller */
    int line;
};

static const char *module_path(uint64_t key)
{
    const struct known_module *module = known_module_get_async(code_module(key));
    return module && *module->path ? module->path : matching.program;
}

static uint64_t module_offset(uint64_t key)
{
    return code_address(key) - known_module_get_async(code_module(key))->base;
}

static struct module_file module_file(uint64_t key, char build_id[BUILDID_TEXT])
{
    const struct known_module *module = known_module_get_async(code_module(key));
    buildid_text(module->build_id, module->build_id_length, build_id);
    return (struct module_file){module_path(key), build_id};
}

static void look_up_function(void *context)
{
    struct wanted *wanted = context;
    char build_id[BUILDID_TEXT];
    struct symbol symbol;
    symbols_function(module_file(wanted->key, build_id), module_offset(wanted->key), &symbol);
    wanted->name = symbol.name;
    symbol.name = NULL;
    symbol_free(&symbol);
}

static void look_up_line(void *context)
{
    struct wanted *wanted = context;
    char build_id[BUILDID_TEXT];
    wanted->line = symbols_line(module_file(wanted->key, build_id), module_offset(wanted->key));
}

static void look_up(void (*what)(void *), struct wanted *wanted)
{
    if (!known_module_get_async(code_module(wanted->key)) || !code_address(wanted->key))
        return;
    matching.opened = true;
    own_stack_call(what, wanted);
}

/* Fills FUNCTION, a free place, with the function of KEY, if there is memory for its name. */
static void describe(uint64_t key, struct known_function *function)
{
    struct wanted wanted = {.key = key};
    look_up(look_up_function, &wanted);
    if (wanted.name && !*wanted.name) {
        free(wanted.name);
        wanted.name = resolve_nameless(module_path(key), module_offset(key));
    }
    if (!wanted.name && !(wanted.name = strdup("")))
        return;
    *function =
        (struct known_function){.key = key,
                                .name = wanted.name,
                                .items = items_meaning(wanted.name),
                                .binding = resolve_is_binding(module_path(key), wanted.name)};
}

/* The function of KEY, looked up if it is new; a free place if there is no memory for it. */
static const struct known_function *find_function(uint64_t key)
{
    struct known_function *place = find_place(key);
    if (place->name)
        return place;
    if (2 * matching.function_count >= matching.function_room) {
        make_room();
        place = find_place(key);
    }
    /* One place stays free, so that every search ends. */
    if (matching.function_count + 1 < matching.function_room) {
        describe(key, place);
        matching.function_count += place->name != NULL;
    }
    return place;
}

/* The source line that NODE was called from; 0 if unknown. */
static int line_of(const struct node *node)
{
    struct wanted wanted = {.key = node->site};
    look_up(look_up_line, &wanted);
    return wanted.line;
}

/*
 * The name of the innermost function around NODE that reports show; NULL if there is none.
 * Sets *CALLER to its node and *CALL to the node below that.
 */
static const char *shown_caller(const struct cct *tree, uint32_t node, uint32_t *caller,
                                uint32_t *call)
{
    for (*call = node; node != CCT_ROOT; *call = node) {
        node = tree->nodes[node].parent;
        if (tree->nodes[node].kind != NODE_FUNCTION)
            continue;
        const struct known_function *function = find_function(tree->nodes[node].key);
        if (function->name && !function->binding) {
            *caller = node;
            return function->name;
        }
    }
    return NULL;
}

static bool is_name(struct iteration_text text, const char *name)
{
    return text.length == strlen(name) && strncmp(text.start, name, text.length) == 0;
}

static bool is_call(const struct cct *tree, uint32_t node, const struct iteration_item *item)
{
    uint32_t caller, call;
    if (!is_name(item->name, mpi_call_name_async((enum mpi_call)tree->nodes[node].key)))
        return false;
    if (item->function.length == 0)
        return true;
    const char *name = shown_caller(tree, node, &caller, &call);
    return name && iteration_name_matches(item->function, name) &&
           (item->line == 0 || line_of(&tree->nodes[call]) == item->line);
}

/*
 * Whether REGION, at the beginning of a path, is the program itself, as reports may write it.
 */
static bool is_beginning(struct iteration_text region, const struct iteration_text *left)
{
    return left->length == 0 && is_name(region, cct_artificial_name_async(ARTIFICIAL_ROOT));
}

static bool is_path(const struct cct *tree, uint32_t node, const struct iteration_item *item)
{
    struct iteration_text left = item->name, region;
    uint32_t call;
    iteration_path_last(&left, &region);
    if (!is_name(region, mpi_call_name_async((enum mpi_call)tree->nodes[node].key)))
        return false;
    while (iteration_path_last(&left, &region)) {
        const char *name = shown_caller(tree, node, &node, &call);
        if (!name || !iteration_name_matches(region, name))
            return is_beginning(region, &left);
    }
    return true;
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
        mark->inside |= find_function(node->key)->items;
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
    int saved = errno;
    while (!matching.marks[node].known)
        learn(tree, first_unknown(tree, node));
    if (matching.opened)
        symbols_close();
    matching.opened = false;
    errno = saved;
    return &matching.marks[node];
}
