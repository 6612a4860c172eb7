/* See utf8.h. */
#include "utf8.h"

#include <stdbool.h>
#include <string.h>

/* Bytes of the character that begins with LEAD, by RFC 3629; 0 where none does. */
static size_t character_bytes(unsigned char lead)
{
    if (lead < 0x80)
        return 1;
    if (lead >= 0xC2 && lead <= 0xDF)
        return 2;
    if (lead >= 0xE0 && lead <= 0xEF)
        return 3;
    return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

static bool continues(unsigned char byte)
{
    return (byte & 0xC0) == 0x80;
}

/* Whether the first byte after LEAD is one that may follow it. */
static bool may_follow(unsigned char lead, unsigned char next)
{
    switch (lead) {
    case 0xE0:
        return next >= 0xA0;
    case 0xED:
        return next < 0xA0;
    case 0xF0:
        return next >= 0x90;
    case 0xF4:
        return next < 0x90;
    default:
        return true;
    }
}

static bool is_utf8(const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    for (size_t at = 0; at < length;) {
        size_t size = character_bytes(bytes[at]);
        if (size == 0 || size > length - at)
            return false;
        if (size > 1 && !may_follow(bytes[at], bytes[at + 1]))
            return false;
        for (size_t i = 1; i < size; i++)
            if (!continues(bytes[at + i]))
                return false;
        at += size;
    }
    return true;
}

void utf8_copy(char *to, size_t size, const char *from)
{
    size_t length = strnlen(from, size);
    if (length == size)
        for (length--; length > 0 && continues((unsigned char)from[length]);)
            length--;
    memcpy(to, from, length);
    to[length] = '\0';
    if (is_utf8(to, length))
        return;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)to[i] >= 0x80)
            to[i] = '?';
}
