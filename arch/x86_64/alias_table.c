/* See alias_table.h. */
#include "arch/x86_64/alias_table.h"

/*
 * One piece of call-frame information describes all jumps: the stack pointer is the caller's,
 * and the return address is the word that the jump at the program counter reads.  An expression
 * computes it from the jump's own displacement, so that it needs no relocation:
 *
 *     *(pc + 7 + *(uint32_t *)(pc + 3))
 *
 * Unwinders look up return addresses minus one, hence the bytes before the first jump.
 */
__asm__(".pushsection .text\n"
        ".balign 64\n"
        ".type tsprof_return_alias, @function\n"
        "tsprof_return_alias:\n"
        ".cfi_startproc\n"
        ".cfi_def_cfa_offset 0\n"
        /* DW_CFA_val_expression of column 16: breg16 3, deref_size 4, breg16 7, plus, deref */
        ".cfi_escape 0x16, 0x10, 8, 0x80, 3, 0x94, 4, 0x80, 7, 0x22, 0x06\n"
        ".fill 16, 1, 0xcc\n"
        ".globl alias_code\n"
        ".hidden alias_code\n"
        "alias_code:\n"
        ".set alias_offset, 0\n"
        ".rept 4096\n"
        "notrack jmp *alias_targets + alias_offset(%rip)\n"
        ".balign 16, 0xcc\n"
        ".set alias_offset, alias_offset + 8\n"
        ".endr\n"
        ".cfi_endproc\n"
        ".size tsprof_return_alias, . - tsprof_return_alias\n"
        ".popsection\n");

_Static_assert(ALIAS_COUNT == 4096 && ALIAS_BYTES == 16, "as the table is written");

uintptr_t alias_targets[ALIAS_COUNT];
