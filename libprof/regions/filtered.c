/* See filtered.h. */
#include "regions/filtered.h"

#include "arch/arch.h"
#include "assemble/buildid.h"
#include "assemble/resolve.h"
#include "assemble/symbols.h"
#include "common/filter.h"
#include "regions/filter_file.h"
#include "regions/regions.h"
#include "unwind/unwind.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DECIDING_MARK UINT64_C(0x7a1c5d0ef83b2694)

enum {
    TABLES_BYTES = 16 << 20,
    FUNCTIONS_FIRST = 512,
    STACK_LEAST = 6144 /* to get to another stack, and what a signal may take meanwhile */
};

struct decisions *filtered_decisions;

/* Changed by whoever has claimed look-ups, but for `closing` and `unloaded`. */
static struct {
    struct filter rules;
    struct decisions *table;
    struct decisions *nothing; /* always empty: what threads see while modules may go */
    unsigned closing;          /* so many threads are about to unload modules */
    bool asks_files;
    bool decided[KNOWN_MODULES_MOST]; /* the functions that its symbols name are decided */
    uint32_t current;                 /* the one that is being decided */
    bool unloaded;                    /* some of them may be gone */
    bool full;                        /* there is no memory for more functions */
    char program[4096];
    struct arena tables; /* outgrown ones stay, for threads that read there */
} filtered;

/*
 * While the calling thread decides, a place in its stack that has DECIDING_MARK: what it calls
 * meanwhile is left out.
 */
static __thread const volatile uint64_t *deciding __attribute__((tls_model("initial-exec")));
static __thread int cancel_state __attribute__((tls_model("initial-exec"))); /* before */

static void keep_decision(uintptr_t function, bool left_out)
{
    struct decisions *decisions = filtered.table;
    if (decisions_find_async(decisions, function) != DECISION_NONE ||
        decisions_add(decisions, function, left_out))
        return;
    struct decisions *larger = decisions_enlarge(decisions, &filtered.tables);
    if (!larger) {
        __atomic_store_n(&filtered.full, true, __ATOMIC_RELAXED);
        return;
    }
    decisions_add(larger, function, left_out);
    filtered.table = larger;
}

static void show(struct decisions *decisions)
{
    __atomic_store_n(&filtered_decisions, decisions, __ATOMIC_SEQ_CST);
}

/* Has threads see the decisions, unless modules may go now: they ask for each then. */
static void show_decisions(void)
{
    if (__atomic_load_n(&filtered.closing, __ATOMIC_SEQ_CST) == 0)
        show(filtered.table);
    if (__atomic_load_n(&filtered.closing, __ATOMIC_SEQ_CST) != 0)
        show(filtered.nothing);
}

static const char *path_of(const struct known_module *module)
{
    return *module->path ? module->path : filtered.program;
}

static void decide_each(void *context, uint64_t offset, const struct symbol *symbol,
                        const char *mangled)
{
    const struct known_module *module = context;
    char *whole = strdup(mangled);
    if (whole)
        symbols_cut(whole);
    const struct filter_function function = {symbol->name, whole, symbol->file, mangled};
    keep_decision(module->base + offset, filter_excludes(&filtered.rules, &function));
    free(whole);
}

/* Decides for all functions of a module that have symbols. */
static void decide_module(const struct known_module *module)
{
    char build_id[BUILDID_TEXT];
    buildid_text(module->build_id, module->build_id_length, build_id);
    symbols_each((struct module_file){path_of(module), build_id}, filtered.asks_files,
                 decide_each, (void *)module);
    symbols_close();
}

/* Decides for a function without a symbol, by the name that reports show. */
static void decide_nameless(const struct known_module *module, uintptr_t function)
{
    char *name = resolve_nameless(path_of(module), function - module->base);
    const struct filter_function nameless = {.name = name};
    keep_decision(function, filter_excludes(&filtered.rules, &nameless));
    free(name);
}

static void decide_module_once(uint32_t number)
{
    if (filtered.decided[number])
        return;
    filtered.decided[number] = true;
    filtered.current = number;
    decide_module(known_module_get_async(number));
    filtered.current = KNOWN_MODULES_NONE;
}

/* Forgets the functions of modules that are not there any more. */
static void forget_unloaded(void)
{
    struct dl_find_object object;
    if (!__atomic_exchange_n(&filtered.unloaded, false, __ATOMIC_ACQ_REL))
        return;
    for (uint32_t i = 0; i < known_module_count_async(); i++) {
        const struct known_module *module =
            filtered.decided[i] ? known_module_get_async(i) : NULL;
        if (!module || (_dl_find_object((void *)module->low, &object) == 0 &&
                        known_module_find_async(&object) == i))
            continue;
        decisions_forget(filtered.table, module->low, module->high);
        filtered.decided[i] = false;
    }
}

/* A function, and what is decided for it. */
struct question {
    uintptr_t function;
    enum decision decision;
};

static void decide_one(uintptr_t function)
{
    struct dl_find_object object;
    uint32_t number = KNOWN_MODULES_NONE;
    if (_dl_find_object((void *)function, &object) == 0)
        number = known_module_number_async(&object);
    if (number == KNOWN_MODULES_NONE) {
        keep_decision(function, false);
        return;
    }
    decide_module_once(number);
    if (decisions_find_async(filtered.table, function) == DECISION_NONE)
        decide_nameless(known_module_get_async(number), function);
}

/* With look-ups claimed. */
static void decide(void *context)
{
    struct question *question = context;
    forget_unloaded();
    if (decisions_find_async(filtered.table, question->function) == DECISION_NONE)
        decide_one(question->function);
    question->decision = decisions_find_async(filtered.table, question->function);
    show_decisions();
}

/*
 * Calls WORK(ARGUMENT) with look-ups claimed, on a stack that is large enough, where nothing
 * can cancel the calling thread.
 */
static bool claimed(void (*work)(void *argument), void *argument)
{
    const int saved = errno;
    volatile uint64_t mark = DECIDING_MARK;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    deciding = &mark;
    const bool mine = source_place_claim();
    if (mine) {
        own_stack_call(work, argument);
        source_place_release();
    }
    deciding = NULL;
    mark = 0;
    pthread_setcancelstate(cancel_state, NULL);
    errno = saved;
    return mine;
}

/*
 * If a signal handler of the program's has left `claimed` by a jump, which the calling thread,
 * with HERE, can tell by its stack, gives back what it had.  What elfutils was at is lost.
 */
static void recover(const struct registers *here)
{
    const bool left =
        deciding && (here->sp > (uintptr_t)deciding || *deciding != DECIDING_MARK);
    if (!left)
        return;
    bus_guard_abandon();
    if (source_place_is_mine()) {
        symbols_abandon();
        filtered.decided[filtered.current] = false;
        source_place_release_all();
    }
    deciding = NULL;
    pthread_setcancelstate(cancel_state, NULL);
}

/* Whether HERE is on the stack of THREAD's own, which may be NULL. */
static bool is_on_stack(const struct thread *thread, const struct registers *here)
{
    return thread && here->sp >= thread->stack.low && here->sp < thread->stack.high;
}

/*
 * Whether THREAD is where files can be read and memory taken: on its own stack, and not in a
 * handler, which may have interrupted whoever has the locks for that.
 */
static bool may_look(const struct thread *thread)
{
    const struct registers here = unwind_caller(ARCH_FRAME());
    if (!is_on_stack(thread, &here) || here.sp < thread->stack.low + STACK_LEAST ||
        unwind_find_last_context_async(&thread->stack, &here))
        return false;
    recover(&here);
    return !deciding;
}

bool filtered_ask(uintptr_t function)
{
    const struct decisions *decisions = __atomic_load_n(&filtered_decisions, __ATOMIC_ACQUIRE);
    struct question question = {function, decisions_find_async(decisions, function)};
    const struct thread *thread = thread_self;
    /* Nothing is told of threads that are not measured; and what has no place is kept. */
    if (question.decision == DECISION_NONE &&
        (!thread || thread->stopped || __atomic_load_n(&filtered.full, __ATOMIC_RELAXED)))
        return false;
    if (question.decision == DECISION_NONE && may_look(thread))
        claimed(decide, &question);
    return question.decision == DECISION_LEFT_OUT ||
           (question.decision == DECISION_NONE &&
            !__atomic_load_n(&filtered.full, __ATOMIC_RELAXED));
}

/* What a module's dynamic section has under TAG; 0 if it has nothing. */
static uintptr_t dynamic_value(const struct link_map *map, ElfW(Sxword) tag)
{
    for (const ElfW(Dyn) *each = map->l_ld; each && each->d_tag != DT_NULL; each++)
        if (each->d_tag == tag)
            return each->d_un.d_ptr;
    return 0;
}

/* The same, where it is an address; the loader has added the load base mostly. */
static const void *dynamic_table(const struct link_map *map, ElfW(Sxword) tag)
{
    const uintptr_t address = dynamic_value(map, tag);
    if (!address)
        return NULL;
    return (const void *)(address < map->l_addr ? map->l_addr + address : address);
}

/* Whether the words in the table TAG, of the size SIZE_TAG, lead to functions that listen. */
static bool leads_to_listeners(const struct link_map *map, ElfW(Sxword) tag,
                               ElfW(Sxword) size_tag)
{
    const ElfW(Sym) *symbols = dynamic_table(map, DT_SYMTAB);
    const char *names = dynamic_table(map, DT_STRTAB);
    const ElfW(Rela) *words = dynamic_table(map, tag);
    const size_t count = dynamic_value(map, size_tag) / sizeof *words;
    for (size_t i = 0; symbols && names && words && i < count; i++)
        if (arch_fills_function_word(words[i].r_info) &&
            strcmp(names + symbols[ELF64_R_SYM(words[i].r_info)].st_name,
                   "__cyg_profile_func_enter") == 0)
            return true;
    return false;
}

/* Whether the module has functions that tell: it then calls others for that. */
static bool tells(const struct link_map *map)
{
    return leads_to_listeners(map, DT_JMPREL, DT_PLTRELSZ) ||
           leads_to_listeners(map, DT_RELA, DT_RELASZ);
}

static void decide_all(void *unused)
{
    struct modmap map;
    struct dl_find_object object;
    (void)unused;
    modmap_load(&map);
    for (size_t i = 0; i < map.count; i++) {
        if (_dl_find_object((void *)map.modules[i].low, &object) != 0 ||
            !tells(object.dlfo_link_map))
            continue;
        const uint32_t number = known_module_number_async(&object);
        if (number != KNOWN_MODULES_NONE)
            decide_module_once(number);
    }
    modmap_free(&map);
    show_decisions();
}

static void prepare(void *unused)
{
    (void)unused;
    symbols_prepare();
}

void regions_filter_start(struct thread *thread)
{
    const int saved = errno;
    if (filter_file_load(&filtered.rules)) {
        const ssize_t length =
            readlink("/proc/self/exe", filtered.program, sizeof filtered.program - 1);
        filtered.program[length > 0 ? length : 0] = '\0';
        filtered.asks_files = filter_asks_files(&filtered.rules);
        own_stack_call(prepare, NULL);
        if (arena_create_async(&filtered.tables, TABLES_BYTES) == 0) {
            memory_add_arena_async(thread, &filtered.tables);
            filtered.nothing = decisions_create(&filtered.tables, 1);
            filtered.table = decisions_create(&filtered.tables, FUNCTIONS_FIRST);
        }
        if (!filtered.table || !filtered.nothing)
            thread_note_async(thread, NOTE_FILTER_LOST);
        else if (!claimed(decide_all, NULL))
            show(filtered.nothing);
    }
    errno = saved;
}

void regions_filter_complain(void)
{
    filter_file_complain();
}

static void forget(void *unused)
{
    (void)unused;
    forget_unloaded();
    show_decisions();
}

void regions_filter_unloading(void)
{
    __atomic_add_fetch(&filtered.closing, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&filtered_decisions, __ATOMIC_SEQ_CST))
        show(filtered.nothing);
}

void regions_filter_unloaded(void)
{
    __atomic_store_n(&filtered.unloaded, true, __ATOMIC_RELEASE);
    __atomic_sub_fetch(&filtered.closing, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&filtered_decisions, __ATOMIC_ACQUIRE)) {
        const struct registers here = unwind_caller(ARCH_FRAME());
        if (is_on_stack(thread_self, &here))
            recover(&here);
        claimed(forget, NULL);
    }
}
