/* See source_place.h. */
#include "host/source_place.h"

#include "assemble/resolve.h"
#include "assemble/symbols.h"
#include "host/bus_guard.h"
#include "host/message.h"
#include "host/modmap.h"
#include "host/own_stack.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CLAIM_NS  INT64_C(200000000)
#define ABSENT_NS INT64_C(10000000000)

/* elfutils is used by one thread at a time. */
static pthread_mutex_t look_ups = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

/* Claims look-ups; false if others have them for NS. */
static bool claim(int64_t ns)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    ns += until.tv_nsec;
    until.tv_sec += ns / 1000000000;
    until.tv_nsec = ns % 1000000000;
    return pthread_mutex_clocklock(&look_ups, CLOCK_MONOTONIC, &until) == 0;
}

static int owner(void)
{
    return __atomic_load_n(&look_ups.__data.__owner, __ATOMIC_RELAXED);
}

/*
 * Claims them, too.  Whoever was waited for in vain was perhaps taken out of them by a jump,
 * and will not end them: nobody waits for that thread once more.
 */
static bool claim_once(int64_t ns)
{
    static int absent; /* a thread; 0: none */
    const int other = owner();
    const bool is_absent = other && other == __atomic_load_n(&absent, __ATOMIC_RELAXED);
    if (claim(is_absent ? 0 : ns)) {
        __atomic_store_n(&absent, 0, __ATOMIC_RELAXED);
        return true;
    }
    __atomic_store_n(&absent, other, __ATOMIC_RELAXED);
    return false;
}

static enum symbols_reading read_alone(void (*work)(void *argument), void *argument)
{
    if (!claim_once(ABSENT_NS))
        return SYMBOLS_BUSY;
    const bool whole = bus_guard_read(work, argument);
    pthread_mutex_unlock(&look_ups);
    return whole ? SYMBOLS_WHOLE : SYMBOLS_TRUNCATED;
}

void source_place_start(void)
{
    symbols_set_guard(read_alone);
}

bool source_place_claim(void)
{
    return claim_once(CLAIM_NS);
}

void source_place_release(void)
{
    pthread_mutex_unlock(&look_ups);
}

void source_place_release_all(void)
{
    /* Which is refused once it has nothing to unlock. */
    while (pthread_mutex_unlock(&look_ups) == 0)
        continue;
}

bool source_place_is_mine(void)
{
    return owner() == gettid();
}

/* The arguments of source_place. */
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
    if (symbol.name && *symbol.name && line)
        snprintf(wanted->text, wanted->size, "%s (%s:%d)", symbol.name,
                 symbol.file ? symbols_file_name(symbol.file) : "", line);
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

void source_place(uintptr_t address, char *text, size_t size)
{
    struct wanted wanted = {address, text, size};
    own_stack_call(find_module, &wanted);
    source_place_complain();
}

/* The arguments of source_place_shown. */
struct wanted_caller {
    const struct called_from *callers;
    size_t count;
    char *text;
    size_t size;
};

/* Describes CALLER in MODULE; false if it is a language binding, which is not shown. */
static bool describe_caller(const struct wanted_caller *wanted,
                            const struct called_from *caller, const struct module *module)
{
    const struct module_file file = {module->path, module->build_id};
    const uintptr_t offset = caller->function - module->base;
    struct symbol symbol;
    symbols_function(file, offset, &symbol);
    const bool named = symbol.name && *symbol.name;
    char *nameless = named ? NULL : resolve_nameless(module->path, offset);
    const char *name = named ? symbol.name : nameless ? nameless : "";
    const int line = symbols_line(file, caller->site - module->base);
    const bool shown = !resolve_is_binding(module->path, name);
    if (shown && line && symbol.file && *symbol.file)
        snprintf(wanted->text, wanted->size, "%s (%s:%d)", name, symbols_file_name(symbol.file),
                 line);
    else if (shown)
        snprintf(wanted->text, wanted->size, "%s", name);
    free(nameless);
    symbol_free(&symbol);
    return shown;
}

static void find_shown(void *context)
{
    const struct wanted_caller *wanted = context;
    struct modmap map;
    bool shown = false;
    snprintf(wanted->text, wanted->size, "unknown code");
    modmap_load(&map);
    for (size_t i = 0; i < wanted->count && !shown; i++) {
        const struct module *module = modmap_find(&map, wanted->callers[i].function);
        shown = !module || describe_caller(wanted, &wanted->callers[i], module);
    }
    modmap_free(&map);
}

void source_place_shown(const struct called_from *callers, size_t count, char *text,
                        size_t size)
{
    struct wanted_caller wanted = {callers, count, text, size};
    own_stack_call(find_shown, &wanted);
    source_place_complain();
}

static void close_files(void *context)
{
    (void)context;
    symbols_close();
}

void source_place_close(void)
{
    own_stack_call(close_files, NULL);
}

void source_place_complain(void)
{
    static bool said;
    const char *problem = said ? NULL : symbols_problem();
    if (problem)
        message(1, "%s", problem);
    said = said || problem;
}
