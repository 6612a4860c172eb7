/* See function_names.h. */
#include "iterations/function_names.h"

#include "assemble/buildid.h"
#include "assemble/resolve.h"
#include "assemble/symbols.h"
#include "host/host.h"
#include "unwind/unwind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A function whose name has been looked up. */
struct known_function {
    uint64_t key;
    char *name;   /* as reports show it; empty: it has none; NULL: this place is free */
    bool binding; /* not shown in call paths */
};

enum { FUNCTIONS_FIRST = 256 };

static struct {
    struct known_function *functions; /* open addressing */
    size_t function_count, function_room;
    char program[4096];
    bool opened; /* files have been opened for a lookup */
} names;

static void prepare_look_ups(void *unused)
{
    (void)unused;
    symbols_prepare();
}

bool function_names_start(void)
{
    own_stack_call(prepare_look_ups, NULL);
    ssize_t length = readlink("/proc/self/exe", names.program, sizeof names.program - 1);
    names.program[length > 0 ? length : 0] = '\0';
    names.functions = calloc(FUNCTIONS_FIRST, sizeof *names.functions);
    names.function_room = FUNCTIONS_FIRST;
    return names.functions;
}

void function_names_close(void)
{
    const int saved = errno;
    if (names.opened)
        symbols_close();
    names.opened = false;
    errno = saved;
}

static struct known_function *find_place(uint64_t key)
{
    size_t at = (key * UINT64_C(0x9E3779B97F4A7C15)) >> 32;
    for (;; at++) {
        struct known_function *place = &names.functions[at % names.function_room];
        if (!place->name || place->key == key)
            return place;
    }
}

/* Doubles the size of the table, or leaves it as it is if there is no memory. */
static void make_room(void)
{
    struct known_function *old = names.functions;
    size_t room = names.function_room;
    struct known_function *more = calloc(2 * room, sizeof *more);
    if (!more)
        return;
    names.functions = more;
    names.function_room = 2 * room;
    for (size_t i = 0; i < room; i++)
        if (old[i].name)
            *find_place(old[i].key) = old[i];
    free(old);
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
    return module && *module->path ? module->path : names.program;
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
    names.opened = true;
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
                                .binding = resolve_is_binding(module_path(key), wanted.name)};
}

/* The function of KEY, looked up if it is new; a free place if there is no memory for it. */
static const struct known_function *find_function(uint64_t key)
{
    struct known_function *place = find_place(key);
    if (place->name)
        return place;
    if (2 * names.function_count >= names.function_room) {
        make_room();
        place = find_place(key);
    }
    /* One place stays free, so that every search ends. */
    if (names.function_count + 1 < names.function_room) {
        describe(key, place);
        names.function_count += place->name != NULL;
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

const char *function_names_of(const struct node *node)
{
    const struct known_function *function = find_function(node->key);
    return function->name ? function->name : "";
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

bool function_names_match_caller(const struct cct *tree, uint32_t node,
                                 struct iteration_text wanted, int line)
{
    uint32_t caller, call;
    const char *name = shown_caller(tree, node, &caller, &call);
    return name && iteration_name_matches(wanted, name) &&
           (line == 0 || line_of(&tree->nodes[call]) == line);
}

/* Whether REGION, at the beginning of a path, is the program itself, as reports may write it.
 */
static bool is_beginning(struct iteration_text region, struct iteration_text left)
{
    const char *root = cct_artificial_name_async(ARTIFICIAL_ROOT);
    return left.length == 0 && region.length == strlen(root) &&
           strncmp(region.start, root, region.length) == 0;
}

bool function_names_match_path(const struct cct *tree, uint32_t node,
                               struct iteration_text path)
{
    struct iteration_text region;
    uint32_t call;
    while (iteration_path_last(&path, &region)) {
        const struct iteration_text whole = region;
        const int line = iteration_take_line(&region);
        const char *name = shown_caller(tree, node, &node, &call);
        if (!name || !iteration_name_matches(region, name) ||
            (line && line_of(&tree->nodes[call]) != line))
            return is_beginning(whole, path);
    }
    return true;
}
