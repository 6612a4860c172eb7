/*
 * NVTX ranges as iterations: see annotations.h.
 *
 * NVTX calls functions through tables in the program, which an injected library may fill in.
 * What is told here of their layout is part of NVTX's interface for tools (nvToolsExt.h,
 * nvtxTypes.h), version 2 and 3.  Ranges that begin and end in different threads
 * (nvtxRangeStart) are no phases and left alone.
 */
#include "iterations/annotations.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

#define INLINED static inline __attribute__((always_inline))

enum { TABLE_CALLBACKS = 1 };

enum { MODULE_CORE = 1, MODULE_CORE2 = 5 };

/* Places in the tables of these modules. */
enum { CORE_PUSH_EX = 8, CORE_PUSH_A = 9, CORE_POP = 11 };
enum { CORE2_PUSH_EX = 4, CORE2_POP = 5, CORE2_REGISTER_A = 10 };

/* What a push and a pop say to a program that no tool listens to. */
enum { NO_TRACKING = -2 };

typedef void (*function)(void);

struct callbacks {
    size_t size;
    int (*get_functions)(int module, function ***table, unsigned *count);
};

enum message_type { MESSAGE_ASCII = 1, MESSAGE_REGISTERED = 3 };

struct attributes {
    uint16_t version;
    uint16_t size;
    uint32_t category, colour_type, colour, payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    const char *message; /* a registered one is what register_text has returned */
};

static const char *message_of(const struct attributes *attributes)
{
    if (!attributes || attributes->size < sizeof *attributes ||
        (attributes->message_type != MESSAGE_ASCII &&
         attributes->message_type != MESSAGE_REGISTERED))
        return NULL;
    return attributes->message;
}

/*
 * Unnamed ranges are pushed, too: a pop says nothing of which it is.  Inlined, so that the
 * hook's frame stays while it is looked at.
 */
INLINED int push(const void *domain, const char *name, const uintptr_t *frame)
{
    annotations_push(ITERATION_NVTX, (uintptr_t)domain, name ? name : "", frame);
    return NO_TRACKING;
}

INLINED int pop(const void *domain, const uintptr_t *frame)
{
    annotations_pop(ITERATION_NVTX, (uintptr_t)domain, frame);
    return NO_TRACKING;
}

static int push_a(const char *name)
{
    return push(NULL, name, __builtin_frame_address(0));
}

static int push_ex(const struct attributes *attributes)
{
    return push(NULL, message_of(attributes), __builtin_frame_address(0));
}

static int pop_core(void)
{
    return pop(NULL, __builtin_frame_address(0));
}

static int push_domain(const void *domain, const struct attributes *attributes)
{
    return push(domain, message_of(attributes), __builtin_frame_address(0));
}

static int pop_domain(const void *domain)
{
    return pop(domain, __builtin_frame_address(0));
}

/* The handle is the text: the program hands it back and nothing else. */
static const char *register_text(const void *domain, const char *text)
{
    (void)domain;
    return text ? strdup(text) : NULL;
}

struct entry {
    unsigned place;
    function hook;
};

static void fill(const struct callbacks *callbacks, int module, const struct entry *entries,
                 size_t count)
{
    function **table = NULL;
    unsigned places = 0;
    if (!callbacks->get_functions(module, &table, &places) || !table)
        return;
    for (size_t i = 0; i < count; i++)
        if (entries[i].place < places && table[entries[i].place])
            *table[entries[i].place] = entries[i].hook;
}

/* May be called before the settings are read: a program may begin with a range. */
static bool is_wanted(void)
{
    const char *text = getenv("TSPROF_ITERATION");
    struct iteration_spec spec;
    if (!text || !iteration_spec_read(text, &spec))
        return false;
    for (size_t i = 0; i < spec.count; i++)
        if (spec.items[i].kind == ITERATION_NVTX)
            return true;
    return false;
}

EXPORT int tsprof_nvtx_inject(const void *(*get_table)(uint32_t number))
{
    static const struct entry core[] = {{CORE_PUSH_EX, (function)push_ex},
                                        {CORE_PUSH_A, (function)push_a},
                                        {CORE_POP, (function)pop_core}};
    static const struct entry core2[] = {{CORE2_PUSH_EX, (function)push_domain},
                                         {CORE2_POP, (function)pop_domain},
                                         {CORE2_REGISTER_A, (function)register_text}};
    const struct callbacks *callbacks = is_wanted() ? get_table(TABLE_CALLBACKS) : NULL;
    if (!callbacks || callbacks->size < sizeof *callbacks)
        return 0;
    fill(callbacks, MODULE_CORE, core, sizeof core / sizeof core[0]);
    fill(callbacks, MODULE_CORE2, core2, sizeof core2 / sizeof core2[0]);
    return 1;
}
