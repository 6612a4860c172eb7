/* See stubs.h. */
#include "unwind/stubs.h"

#include "arch/arch.h"
#include "host/host.h"

#include <stddef.h>
#include <string.h>

enum {
    BEFORE = 64, /* bytes of code looked at before an address */
    AFTER = 64   /* and from it on */
};

/* The code around an address, as far as it can be read. */
struct window {
    char bytes[BEFORE + AFTER];
    size_t begin;
    size_t end;
};

static void read_window(uintptr_t pc, struct window *window)
{
    size_t rest = ARCH_LEAST_PAGE_BYTES - pc % ARCH_LEAST_PAGE_BYTES;
    window->begin = window->end = BEFORE;
    if (peek_async(pc, window->bytes + BEFORE, AFTER))
        window->end += AFTER;
    else if (rest < AFTER && peek_async(pc, window->bytes + BEFORE, rest))
        window->end += rest;
    /* Nothing may be mapped before the start of a module's code. */
    rest = pc % ARCH_LEAST_PAGE_BYTES;
    if (peek_async(pc - BEFORE, window->bytes, BEFORE))
        window->begin -= BEFORE;
    else if (rest < BEFORE && rest > 0 &&
             peek_async(pc - rest, window->bytes + BEFORE - rest, rest))
        window->begin -= rest;
}

static bool matches(const struct window *window, size_t at, const struct stub_instruction *stub)
{
    for (; stub->length; at += stub++->length)
        if (at + stub->length > window->end || !stub_fits(stub, window->bytes + at))
            return false;
    return true;
}

/* Whether the address lies in instruction NUMBER of STUB, which then starts at *START. */
static bool matches_with(const struct window *window, const struct stub_instruction *stub,
                         unsigned number, size_t *start)
{
    size_t before = 0;
    for (unsigned i = 0; i < number; i++)
        before += stub[i].length;
    /* A return address less one lies in the last byte of a call. */
    for (size_t inside = 0; inside < stub[number].length; inside++) {
        if (BEFORE < window->begin + before + inside)
            break;
        *start = BEFORE - before - inside;
        if (matches(window, *start, stub))
            return true;
    }
    return false;
}

bool stub_find_async(uintptr_t pc, struct stub *stub)
{
    struct window window;
    size_t start;
    read_window(pc, &window);
    for (size_t i = 0; i < stub_count; i++) {
        const struct stub_instruction *each = stub_table[i];
        for (unsigned number = 0; number < STUB_INSTRUCTIONS_MOST && each[number].length;
             number++) {
            if (!matches_with(&window, each, number, &start))
                continue;
            *stub = (struct stub){.function = pc - (BEFORE - start),
                                  .depth = each[number].depth,
                                  .return_offset = (int16_t)stub_return_offset(&each[number]),
                                  .fp_offset = (int16_t)stub_fp_offset(&each[number])};
            return true;
        }
    }
    return false;
}
