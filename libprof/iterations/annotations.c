/* See annotations.h. */
#include "iterations/annotations.h"

#include "host/host.h"
#include "iterations/phase.h"
#include "timeline/timeline.h"
#include "unwind/unwind.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 128, KNOWN_MOST = 256, OPEN_MOST = 64 };

static struct iteration_spec wanted;

/* The names of numbered things: attributes of loops, and handles. */
static struct known {
    uint64_t number;
    char name[NAME_BYTES];
} known[KNOWN_MOST];

static unsigned known_count;
static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;

/* A region that a thread has begun and will end without giving its name. */
struct open_region {
    uint64_t number;
    char name[NAME_BYTES];
};

static __thread struct open_region *open_regions __attribute__((tls_model("initial-exec")));
static __thread unsigned open_count __attribute__((tls_model("initial-exec")));
static pthread_key_t open_key; /* its destructor frees them when the thread ends */

static void copy_name(char to[NAME_BYTES], const char *from)
{
    size_t length = strnlen(from, NAME_BYTES - 1);
    memcpy(to, from, length);
    to[length] = '\0';
}

static bool is_wanted(enum iteration_kind kind, const char *name)
{
    for (size_t i = 0; name && *name && i < wanted.count; i++)
        if (wanted.items[i].kind == kind && iteration_name_matches(wanted.items[i].name, name))
            return true;
    return false;
}

/* A key that differs between tools, which may use the same numbers. */
static uint64_t key_of(enum iteration_kind kind, uint64_t number)
{
    return number ^ (uint64_t)kind << 56;
}

void annotations_mark(enum iteration_kind kind, bool begins, const char *name,
                      const uintptr_t *frame)
{
    uint64_t ticks = clock_ticks_async();
    char copy[NAME_BYTES];
    if (!is_wanted(kind, name) || !measurement_runs_async())
        return;
    struct thread *thread = thread_enter(frame, false);
    if (!thread)
        return;
    copy_name(copy, name);
    if (begins)
        phase_begin(thread, copy, true, unwind_caller(frame), ticks);
    else
        phase_end(thread, copy, unwind_caller(frame), ticks);
    thread_leave(thread);
}

/* Finds the name for key NUMBER; returns false if there is none. */
static bool find_known(uint64_t number, char name[NAME_BYTES])
{
    bool found = false;
    /* In a child of fork the lock may be held forever; nothing is measured there. */
    if (!measurement_runs_async())
        return false;
    pthread_mutex_lock(&known_lock);
    for (unsigned i = 0; i < known_count && !found; i++) {
        found = known[i].number == number;
        if (found)
            memcpy(name, known[i].name, NAME_BYTES);
    }
    pthread_mutex_unlock(&known_lock);
    return found;
}

static void know(uint64_t number, const char *name)
{
    unsigned i = 0;
    if (!name || !measurement_runs_async())
        return;
    pthread_mutex_lock(&known_lock);
    while (i < known_count && known[i].number != number)
        i++;
    if (i < KNOWN_MOST) {
        known[i].number = number;
        copy_name(known[i].name, name);
        known_count = i == known_count ? i + 1 : known_count;
    }
    pthread_mutex_unlock(&known_lock);
}

static void forget_open(void *regions)
{
    free(regions);
    open_regions = NULL;
    open_count = 0;
}

/* Without memory, or without a way to free it when the thread ends, regions have no names. */
static void make_open_regions(void)
{
    open_regions = calloc(OPEN_MOST, sizeof *open_regions);
    if (open_regions && pthread_setspecific(open_key, open_regions) != 0)
        forget_open(open_regions);
}

/* Remembers a region that has begun.  Regions nested too deeply are only counted. */
static void push(uint64_t number, const char *name)
{
    if (!open_regions)
        make_open_regions();
    if (open_regions && open_count < OPEN_MOST) {
        open_regions[open_count].number = number;
        copy_name(open_regions[open_count].name, name);
    }
    open_count++;
}

/* Removes the last region begun under NUMBER.  Returns false if its name is not known. */
static bool pop(uint64_t number, char name[NAME_BYTES])
{
    if (!open_regions || open_count == 0)
        return false;
    if (open_count > OPEN_MOST) {
        open_count--;
        return false;
    }
    unsigned i = open_count;
    while (i > 0 && open_regions[i - 1].number != number)
        i--;
    if (i == 0)
        return false;
    memcpy(name, open_regions[i - 1].name, NAME_BYTES);
    memmove(&open_regions[i - 1], &open_regions[i], (open_count - i) * sizeof *open_regions);
    open_count--;
    return true;
}

void annotations_push(enum iteration_kind kind, uint64_t number, const char *name,
                      const uintptr_t *frame)
{
    if (!name)
        return;
    push(key_of(kind, number), name);
    annotations_mark(kind, true, name, frame);
}

void annotations_pop(enum iteration_kind kind, uint64_t number, const uintptr_t *frame)
{
    char name[NAME_BYTES];
    /*
     * Iterations of a Caliper loop are not pushed, because their number always has the same
     * name.
     */
    if (pop(key_of(kind, number), name) || find_known(key_of(kind, number), name))
        annotations_mark(kind, false, name, frame);
}

static void mark_known(enum iteration_kind kind, bool begins, uint64_t number,
                       const uintptr_t *frame)
{
    char name[NAME_BYTES];
    if (find_known(key_of(kind, number), name))
        annotations_mark(kind, begins, name, frame);
}

static void push_known(enum iteration_kind kind, uint64_t number, uint64_t handle,
                       const uintptr_t *frame)
{
    char name[NAME_BYTES] = "";
    find_known(key_of(kind, handle), name);
    annotations_push(kind, number, name, frame);
}

#define BEGIN(name)             annotations_mark(kind, true, name, frame)
#define END(name)               annotations_mark(kind, false, name, frame)
#define KNOW(number, name)      know(key_of(kind, number), name)
#define BEGIN_KNOWN(number)     mark_known(kind, true, number, frame)
#define END_KNOWN(number)       mark_known(kind, false, number, frame)
#define PUSH(number, name)      annotations_push(kind, number, name, frame)
#define PUSH_KNOWN(number, key) push_known(kind, number, key, frame)
#define POP(number)             annotations_pop(kind, number, frame)

/* A hook leaves errno as the function itself has set it. */
#define HOOK(of_kind, type, name, symbol, params, args, before, after)                         \
    static type(*real_##name) params;                                                          \
    static type hook_##name params                                                             \
    {                                                                                          \
        const enum iteration_kind kind = ITERATION_##of_kind;                                  \
        const uintptr_t *frame = ARCH_FRAME();                                                 \
        int saved = errno;                                                                     \
        before;                                                                                \
        errno = saved;                                                                         \
        type outcome = real_##name args;                                                       \
        saved = errno;                                                                         \
        after;                                                                                 \
        errno = saved;                                                                         \
        (void)kind;                                                                            \
        (void)frame;                                                                           \
        return outcome;                                                                        \
    }
#include "iterations/annotations.def"
#undef HOOK

/* One row of the table for each hook, with the types of the functions cast away. */
#define HOOK(of_kind, type, name, symbol, params, args, before, after)                         \
    {symbol, (got_function)hook_##name, (got_function *)&real_##name, ITERATION_##of_kind},
static const struct hook {
    const char *symbol;
    got_function hook;
    got_function *real;
    enum iteration_kind kind;
} hooks[] = {
#include "iterations/annotations.def"
};
#undef HOOK

static bool asks_for(const struct iteration_spec *spec, enum iteration_kind kind)
{
    for (size_t i = 0; i < spec->count; i++)
        if (spec->items[i].kind == kind)
            return true;
    return false;
}

void annotations_renew(void)
{
    int saved = errno;
    for (size_t i = 0; i < sizeof hooks / sizeof hooks[0]; i++)
        if (asks_for(&wanted, hooks[i].kind))
            got_hook(hooks[i].symbol, hooks[i].hook, hooks[i].real);
    errno = saved;
}

void annotations_start(const struct iteration_spec *spec)
{
    if (pthread_key_create(&open_key, forget_open) != 0)
        return;
    wanted = *spec;
    annotations_renew();
}
