/* See call_code.h. */
#include "arch/x86_64/call_code.h"

#include <string.h>

enum { CALL_RELATIVE = 0xe8, CALL_INDIRECT = 0xff };

bool arch_call_precedes(uintptr_t address, uintptr_t function)
{
    const unsigned char *end = (const unsigned char *)address;
    if (address - function >= 5 && end[-5] == CALL_RELATIVE)
        return true;
    for (int length = 2; length <= 7 && address - function >= (uintptr_t)length; length++) {
        const unsigned char *code = end - length;
        if (code[0] != CALL_INDIRECT || (code[1] >> 3 & 7) != 2)
            continue;
        static const int displacement_bytes[] = {0, 1, 4, 0};
        int mode = code[1] >> 6, base = code[1] & 7;
        bool has_sib = mode != 3 && base == 4;
        int displacement = displacement_bytes[mode];
        if (mode == 0 && (base == 5 || (has_sib && length > 2 && (code[2] & 7) == 5)))
            displacement = 4;
        if (length == 2 + has_sib + displacement)
            return true;
    }
    return false;
}

bool arch_is_call_async(const unsigned char *code, uintptr_t *target)
{
    int32_t distance;
    if (*code != CALL_RELATIVE)
        return false;
    memcpy(&distance, code + 1, sizeof distance);
    *target = (uintptr_t)code + ARCH_CALL_BYTES + (uintptr_t)(intptr_t)distance;
    return true;
}
