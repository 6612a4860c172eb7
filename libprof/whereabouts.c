/* See whereabouts.h. */
#include "whereabouts.h"

#include "message.h"
#include "modmap.h"
#include "own_stack.h"
#include "symbols.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* What whereabouts was called with. */
struct wanted {
    uintptr_t address;
    char *text;
    size_t size;
};

static void describe(const struct wanted *wanted, const struct module *module)
{
    const struct module_file file = {module->path, module->build_id};
    const uintptr_t offset = wanted->address - module->base;
    struct symbol symbol;
    symbols_function(file, offset, &symbol);
    int line = symbols_line(file, offset);
    const char *slash = symbol.file ? strrchr(symbol.file, '/') : NULL;
    if (symbol.name && *symbol.name && line)
        snprintf(wanted->text, wanted->size, "%s (%s:%d)", symbol.name,
                 slash ? slash + 1 : symbol.file, line);
    else
        snprintf(wanted->text, wanted->size, "%s+%#lx%s%s", module->path, (unsigned long)offset,
                 symbol.name && *symbol.name ? " in " : "", symbol.name ? symbol.name : "");
    symbol_free(&symbol);
    symbols_close();
}

static void find_module(void *context)
{
    const struct wanted *wanted = context;
    struct modmap map;
    modmap_load(&map);
    const struct module *module = modmap_find(&map, wanted->address);
    if (module)
        describe(wanted, module);
    else
        snprintf(wanted->text, wanted->size, "%#lx", (unsigned long)wanted->address);
    modmap_free(&map);
}

void whereabouts(uintptr_t address, char *text, size_t size)
{
    struct wanted wanted = {address, text, size};
    own_stack_call(find_module, &wanted);
    whereabouts_complain();
}

void whereabouts_complain(void)
{
    static bool said;
    const char *problem = said ? NULL : symbols_problem();
    if (problem)
        message(1, "%s", problem);
    said = said || problem;
}
