/* See call_code.h. */
#include "arch/aarch64/call_code.h"

#include <string.h>

static uint32_t word_at(uintptr_t address)
{
    uint32_t word;
    memcpy(&word, (const void *)address, sizeof word);
    return word;
}

/* bl */
static bool is_direct(uint32_t word)
{
    return word >> 26 == 0x25;
}

/* blr, and blraa and its kin, which authenticate the address first */
static bool is_indirect(uint32_t word)
{
    return (word & 0xfffffc1f) == 0xd63f0000 || (word & 0xfefff800) == 0xd63f0800;
}

bool arch_call_precedes(uintptr_t address, uintptr_t function)
{
    if (address % ARCH_CALL_BYTES != 0 || address - function < ARCH_CALL_BYTES)
        return false;
    const uint32_t word = word_at(address - ARCH_CALL_BYTES);
    return is_direct(word) || is_indirect(word);
}

bool arch_is_call_async(const unsigned char *code, uintptr_t *target)
{
    const uintptr_t address = (uintptr_t)code;
    if (address % ARCH_CALL_BYTES != 0 || !is_direct(word_at(address)))
        return false;
    /* A distance in instructions, in 26 bits with a sign. */
    const int32_t distance = (int32_t)(word_at(address) << 6) >> 6;
    *target = address + (uintptr_t)((intptr_t)distance * ARCH_CALL_BYTES);
    return true;
}
