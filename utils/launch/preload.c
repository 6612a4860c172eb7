/* See preload.h. */
#include "launch/preload.h"

#include "launch/elf_needed.h"
#include "print/print.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

/* How names of libraries begin, without their directories. */
static const char *const runtimes[] = {"libtsprof"};
static const char *const address_sanitizers[] = {"libasan.so", "libclang_rt.asan"};

/* Whether an item of LENGTH bytes is one of COUNT libraries. */
static bool is_one_of(const char *const *starts, size_t count, const char *item, size_t length)
{
    const char *slash = memrchr(item, '/', length);
    const char *name = slash ? slash + 1 : item;
    const size_t rest = length - (size_t)(name - item);
    for (size_t i = 0; i < count; i++)
        if (rest >= strlen(starts[i]) && memcmp(name, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

static bool is_runtime(const char *item, size_t length)
{
    return is_one_of(runtimes, LENGTH(runtimes), item, length);
}

static bool is_address_sanitizer(const char *item, size_t length)
{
    return is_one_of(address_sanitizers, LENGTH(address_sanitizers), item, length);
}

static void add_item(struct text *list, const char *item, size_t length)
{
    if (list->length)
        text_add(list, ":");
    text_add_bytes(list, item, length);
}

static bool note_sanitizer(void *context, const char *name)
{
    struct text *found = context;
    if (is_address_sanitizer(name, strlen(name)))
        text_add(found, name);
    return found->length == 0;
}

void preload_runtime(const char *runtime, const char *program)
{
    const char *item = getenv("LD_PRELOAD");
    struct text first = {0}, kept = {0};
    bool there = false;
    for (size_t length; item && *item; item += length + (item[length] != '\0')) {
        length = strcspn(item, ": ");
        const bool same = length == strlen(runtime) && memcmp(item, runtime, length) == 0;
        if (length == 0 || (!same && is_runtime(item, length)))
            continue;
        add_item(is_address_sanitizer(item, length) ? &first : &kept, item, length);
        there = there || same;
    }
    if (program && first.length == 0)
        elf_needed(program, note_sanitizer, &first);
    if (!there)
        add_item(&first, runtime, strlen(runtime));
    if (kept.length)
        add_item(&first, text_string(&kept), kept.length);
    setenv("LD_PRELOAD", text_string(&first), 1);
    text_free(&first);
    text_free(&kept);
}
