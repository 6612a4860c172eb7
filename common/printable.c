/* See printable.h. */
#include "common/printable.h"

#include <stdbool.h>
#include <stdint.h>

/* Characters that must not be shown; the first and the last of each row. */
static const uint32_t unsuitable[][2] = {
    {0x0000, 0x001f}, {0x007f, 0x009f}, {0x061c, 0x061c},
    {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069},
};

static bool is_suitable(uint32_t code)
{
    for (size_t i = 0; i < sizeof unsuitable / sizeof unsuitable[0]; i++)
        if (code >= unsuitable[i][0] && code <= unsuitable[i][1])
            return false;
    return true;
}

/* Bytes of a character that begins with LEAD, by RFC 3629; 0 if none does. */
static size_t length_of(unsigned char lead)
{
    if (lead < 0x80)
        return 1;
    if (lead < 0xc2 || lead > 0xf4)
        return 0;
    return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/* The bytes of the character at AT and its CODE; 0 if it is not UTF-8. */
static size_t decode(const char *at, uint32_t *code)
{
    /* The smallest code of each length: an encoding that could be shorter is not UTF-8. */
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)at;
    size_t length = length_of(bytes[0]);
    *code = length > 1 ? bytes[0] & (0xffu >> (length + 1)) : bytes[0];
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (bytes[i] & 0x3f);
    }
    bool surrogate = *code >= 0xd800 && *code < 0xe000;
    return *code >= least[length] && *code <= 0x10ffff && !surrogate ? length : 0;
}

size_t utf8_bytes(const char *at)
{
    uint32_t code;
    return decode(at, &code);
}

size_t printable_bytes(const char *at)
{
    uint32_t code;
    size_t length = decode(at, &code);
    return is_suitable(code) ? length : 0;
}

void printable_make(char *text)
{
    while (*text) {
        size_t size = printable_bytes(text);
        if (size == 0)
            *text = '?';
        text += size > 0 ? size : 1;
    }
}
