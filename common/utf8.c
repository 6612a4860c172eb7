/* See utf8.h. */
#include "common/utf8.h"

#include "common/printable.h"

#include <stdbool.h>
#include <string.h>

static bool continues(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

static bool is_utf8(const char *text)
{
    while (*text) {
        size_t size = utf8_bytes(text);
        if (size == 0)
            return false;
        text += size;
    }
    return true;
}

void utf8_copy(char *to, size_t size, const char *from)
{
    size_t length = strnlen(from, size);
    if (length == size)
        for (length--; length > 0 && continues(from[length]);)
            length--;
    memcpy(to, from, length);
    to[length] = '\0';
    if (is_utf8(to))
        return;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)to[i] >= 0x80)
            to[i] = '?';
}
