/*
 * NVTX ranges as iterations: see annotations.h.
 *
 * NVTX calls functions through tables in the program, which an injected library may fill in.
 * Their layout, as far as it is needed here, is part of NVTX's interface for tools, versions 2
 * and 3 (nvToolsExt.h, nvtxTypes.h).  Ranges that may end in another thread than they began in
 * (nvtxRangeStart) cannot be phases and are left alone.
 */
#include "iterations/annotations.h"

#include "arch/arch.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

#define INLINED static inline __attribute__((always_inline))

enum { TABLE_CALLBACKS = 1 };

enum { MODULE_CORE = 1, MODULE_CORE2 = 5 };

/* Indices into the tables of these modules. */
enum { CORE_PUSH_EX = 8, CORE_PUSH_A = 9, CORE_POP = 11 };
enum { CORE2_PUSH_EX = 4, CORE2_POP = 5, CORE2_REGISTER_A = 10 };

/* What push and pop return to a program when no tool is there. */
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
    const char *message; /* if registered, what register_text has returned */
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
 * Unnamed ranges are pushed as well, because a pop does not say which range it ends.  Inlined,
 * so that the frame of the hook exists as long as FRAME is used.
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
    return push(NULL, name, ARCH_FRAME());
}

static int push_ex(const struct attributes *attributes)
{
    return push(NULL, message_of(attributes), ARCH_FRAME());
}

static int pop_core(void)
{
    return pop(NULL, ARCH_FRAME());
}

static int push_domain(const void *domain, const struct attributes *attributes)
{
    return push(domain, message_of(attributes), ARCH_FRAME());
}

static int pop_domain(const void *domain)
{
    return pop(domain, ARCH_FRAME());
}

/*
 * The handle that the program gets is the text itself: all it does with it is to pass it back.
 */
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

/* Reads the variable itself, because a range may begin before the settings have been read. */
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
