/* See stubs.h. */
#include "unwind/stubs.h"

#include "host/peek.h"

#include <stddef.h>
#include <string.h>

enum {
    INSTRUCTIONS_MOST = 18,
    FIXED_MOST = 8,
    BEFORE = 64, /* bytes of code looked at before an address */
    AFTER = 64,  /* and from it on */
    LEAST_PAGE_BYTES = 4096
};

struct instruction {
    uint8_t depth;          /* CFA less stack pointer where it starts */
    uint8_t length;         /* 0: there are no more */
    uint8_t fixed;          /* as many of its bytes are always the same */
    bool fp_saved;          /* the caller's frame pointer is at CFA - 16 */
    char bytes[FIXED_MOST]; /* these */
};

/* An instruction of LENGTH bytes that begins with BYTES, a string. */
#define I(depth, length, bytes)                                                                \
    {                                                                                          \
        depth, length, sizeof bytes - 1, false, bytes                                          \
    }
/* The same where the frame pointer was pushed. */
#define F(depth, length, bytes)                                                                \
    {                                                                                          \
        depth, length, sizeof bytes - 1, true, bytes                                           \
    }

#define ENDBR          I(8, 4, "\xf3\x0f\x1e\xfa")
#define PUSH_NUMBER    I(8, 5, "\x68")
#define PUSH_ENTRY     I(16, 6, "\xff\x35")
#define JUMP           I(16, 5, "\xe9")
#define JUMP_BND       I(16, 6, "\xf2\xe9")
#define JUMP_ENTRY     I(8, 6, "\xff\x25")
#define JUMP_ENTRY_BND I(8, 7, "\xf2\xff\x25")
#define NOP2           I(8, 2, "\x66\x90")
#define NOP5           I(8, 5, "\x0f\x1f\x44\0\0")
#define NOP6           I(8, 6, "\x66\x0f\x1f\x44\0\0")
#define NOP7           I(8, 7, "\x0f\x1f\x80\0\0\0\0")
#define SUB_8          I(8, 4, "\x48\x83\xec\x08")
#define ADD_8          I(16, 4, "\x48\x83\xc4\x08")
#define RET            I(8, 1, "\xc3")
/* mov hook(%rip), %rax; test %rax, %rax; je; call or jmp *%rax */
#define LOAD_HOOK(depth)                                                                       \
    I(depth, 7, "\x48\x8b\x05"), I(depth, 3, "\x48\x85\xc0"), I(depth, 2, "\x74")
#define CALL_HOOK LOAD_HOOK(16), I(16, 2, "\xff\xd0")
#define TAIL_HOOK LOAD_HOOK(8), I(8, 2, "\xff\xe0")

static const struct instruction stubs[][INSTRUCTIONS_MOST] = {
    /* A function bound at its first call, and what binds it. */
    {JUMP_ENTRY, PUSH_NUMBER, JUMP},
    {PUSH_ENTRY, I(24, 6, "\xff\x25"), I(24, 4, "\x0f\x1f\x40\0")},
    /* The same where jumps may only land on landing pads. */
    {ENDBR, PUSH_NUMBER, JUMP_BND},
    {ENDBR, PUSH_NUMBER, JUMP, I(16, 2, "\x66\x90")},
    {PUSH_ENTRY, I(24, 7, "\xf2\xff\x25")},
    {ENDBR, JUMP_ENTRY_BND, NOP5},
    {ENDBR, JUMP_ENTRY, NOP6},
    /* One bound at the start. */
    {JUMP_ENTRY, NOP2},
    /* _init and _fini */
    {SUB_8, CALL_HOOK, ADD_8, RET},
    {ENDBR, SUB_8, CALL_HOOK, ADD_8, RET},
    {SUB_8, ADD_8, RET},
    {ENDBR, SUB_8, ADD_8, RET},
    /* deregister_tm_clones: lea; lea; cmp; je */
    {I(8, 7, "\x48\x8d\x3d"), I(8, 7, "\x48\x8d\x05"), I(8, 3, "\x48\x39\xf8"), I(8, 2, "\x74"),
     TAIL_HOOK, NOP7, RET},
    /* register_tm_clones: lea; lea; half of the difference; je */
    {I(8, 7, "\x48\x8d\x3d"), I(8, 7, "\x48\x8d\x35"), I(8, 3, "\x48\x29\xfe"),
     I(8, 3, "\x48\x89\xf0"), I(8, 4, "\x48\xc1\xee\x3f"), I(8, 4, "\x48\xc1\xf8\x03"),
     I(8, 3, "\x48\x01\xc6"), I(8, 3, "\x48\xd1\xfe"), I(8, 2, "\x74"), TAIL_HOOK, NOP6, RET},
    /*
     * __do_global_dtors_aux, which destroys what C++ has constructed: cmpb; jne; push %rbp;
     * cmpq; mov %rsp, %rbp; je; mov; call; call; movb; pop %rbp; ret
     */
    {ENDBR, I(8, 7, "\x80\x3d"), I(8, 2, "\x75"), I(8, 1, "\x55"), F(16, 8, "\x48\x83\x3d"),
     F(16, 3, "\x48\x89\xe5"), F(16, 2, "\x74"), F(16, 7, "\x48\x8b\x3d"), F(16, 5, "\xe8"),
     F(16, 5, "\xe8"), F(16, 7, "\xc6\x05"), F(16, 1, "\x5d"), RET},
};

/* The code around an address, as far as it can be read. */
struct window {
    char bytes[BEFORE + AFTER];
    size_t begin;
    size_t end;
};

static void read_window(uintptr_t pc, struct window *window)
{
    size_t rest = LEAST_PAGE_BYTES - pc % LEAST_PAGE_BYTES;
    window->begin = window->end = BEFORE;
    if (peek_async(pc, window->bytes + BEFORE, AFTER))
        window->end += AFTER;
    else if (rest < AFTER && peek_async(pc, window->bytes + BEFORE, rest))
        window->end += rest;
    /* Where a module's code begins there may be nothing before it. */
    rest = pc % LEAST_PAGE_BYTES;
    if (peek_async(pc - BEFORE, window->bytes, BEFORE))
        window->begin -= BEFORE;
    else if (rest < BEFORE && rest > 0 &&
             peek_async(pc - rest, window->bytes + BEFORE - rest, rest))
        window->begin -= rest;
}

static bool matches(const struct window *window, size_t at, const struct instruction *stub)
{
    for (; stub->length; at += stub++->length)
        if (at + stub->length > window->end ||
            memcmp(window->bytes + at, stub->bytes, stub->fixed) != 0)
            return false;
    return true;
}

/* Whether the address lies in instruction NUMBER of STUB, which then starts at *START. */
static bool matches_with(const struct window *window, const struct instruction *stub,
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
    for (size_t i = 0; i < sizeof stubs / sizeof stubs[0]; i++) {
        const struct instruction *each = stubs[i];
        for (unsigned number = 0; number < INSTRUCTIONS_MOST && each[number].length; number++) {
            if (!matches_with(&window, each, number, &start))
                continue;
            *stub = (struct stub){.function = pc - (BEFORE - start),
                                  .depth = each[number].depth,
                                  .fp_saved = each[number].fp_saved};
            return true;
        }
    }
    return false;
}
