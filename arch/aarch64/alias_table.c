/* See alias_table.h. */
#include "arch/aarch64/alias_table.h"

/*
 * A jump may use x16, which belongs to nobody where a function has just returned.  It is a
 * return, since those alone may lead to any place where the processor checks indirect jumps
 * (BTI).
 *
 * Behind each is the distance from there to the jump's target word.  One piece of call-frame
 * information describes all jumps: the stack pointer is the caller's, and the return address is
 * the word at that distance.  x30 still holds the alias that was returned to:
 *
 *     *(x30 + 12 + *(uint32_t *)(x30 + 12))
 *
 * Unwinders look up return addresses minus one, hence the bytes before the first jump.
 */
__asm__(".pushsection .text\n"
        ".balign 64\n"
        ".type tsprof_return_alias, %function\n"
        "tsprof_return_alias:\n"
        ".cfi_startproc\n"
        /* DW_CFA_val_expression of x30: breg30 12, deref_size 4, breg30 12, plus, deref */
        ".cfi_escape 0x16, 30, 8, 0x8e, 12, 0x94, 4, 0x8e, 12, 0x22, 0x06\n"
        ".fill 4, 4, 0xd4200000\n"
        ".globl alias_code\n"
        ".hidden alias_code\n"
        "alias_code:\n"
        ".set alias_offset, 0\n"
        ".rept 4096\n"
        "adrp x16, alias_targets + alias_offset\n"
        "ldr x16, [x16, :lo12:alias_targets + alias_offset]\n"
        "ret x16\n"
        ".long alias_targets + alias_offset - .\n"
        ".set alias_offset, alias_offset + 8\n"
        ".endr\n"
        ".cfi_endproc\n"
        ".size tsprof_return_alias, . - tsprof_return_alias\n"
        ".popsection\n");

_Static_assert(ALIAS_COUNT == 4096 && ALIAS_BYTES == 16, "as the table is written");

uintptr_t alias_targets[ALIAS_COUNT];
