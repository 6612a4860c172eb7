/* See switch_code.h. */
#include "arch/aarch64/switch_code.h"

#include <string.h>

enum { CODE_BYTES = 4 };

/* The first instruction of SIZE bytes at CODE with these BITS in MASK; NULL if there is none.
 */
static const unsigned char *find(const unsigned char *code, size_t size, uint32_t mask,
                                 uint32_t bits)
{
    for (; size >= CODE_BYTES; code += CODE_BYTES, size -= CODE_BYTES) {
        uint32_t word;
        memcpy(&word, code, sizeof word);
        if ((word & mask) == bits)
            return code;
    }
    return NULL;
}

bool arch_find_stack_switch(const unsigned char *function, const unsigned char *end,
                            uintptr_t *begin_switch, uintptr_t *end_switch)
{
    /* adr x30 */
    const unsigned char *loads =
        find(function, (size_t)(end - function), 0x9f00001f, 0x1000001e);
    if (!loads)
        return false;
    *begin_switch = (uintptr_t)loads + CODE_BYTES;
    *end_switch = (uintptr_t)end;
    return true;
}

const unsigned char *arch_find_jump_to_context_async(const unsigned char *code, size_t size,
                                                     size_t *bytes)
{
    /* str xN, [x29, #8] */
    *bytes = 2 * CODE_BYTES;
    return find(code, size, 0xffffffe0, 0xf90007a0);
}
