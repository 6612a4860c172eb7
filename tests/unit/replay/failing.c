/* See failing.h. */
#include "replay/failing.h"

#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

static _Thread_local long left = -1;
static _Thread_local bool has_failed;

void failing_after(long count)
{
    left = count;
    has_failed = false;
}

bool failing_has_failed(void)
{
    return has_failed;
}

static bool fails(void)
{
    const bool now = left == 0;
    left -= left >= 0;
    has_failed |= now;
    return now;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return fails() ? NULL : __real_realloc(memory, size);
}
