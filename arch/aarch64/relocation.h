/* Relocations, as far as calls between modules need them. */
#ifndef TSPROF_ARCH_RELOCATION_H
#define TSPROF_ARCH_RELOCATION_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Whether the relocation with this r_info fills a word through which a module calls or
 * addresses a function of another one.
 */
static inline bool arch_fills_function_word(uint64_t info)
{
    const unsigned type = ELF64_R_TYPE(info);
    return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
}

#endif
