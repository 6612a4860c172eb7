/* See base64.h. */
#include "print/base64.h"

#include <stdint.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Writes 1 to 3 bytes as four digits. */
static void encode_group(char out[4], const unsigned char *bytes, size_t size)
{
    uint32_t word = (uint32_t)bytes[0] << 16;
    word |= size > 1 ? (uint32_t)bytes[1] << 8 : 0;
    word |= size > 2 ? bytes[2] : 0;
    out[0] = digits[word >> 18];
    out[1] = digits[word >> 12 & 63];
    out[2] = size > 1 ? digits[word >> 6 & 63] : '=';
    out[3] = size > 2 ? digits[word & 63] : '=';
}

void base64_write(FILE *stream, const unsigned char *bytes, size_t size)
{
    char line[4096];
    size_t used = 0;
    for (size_t i = 0; i < size; i += 3) {
        encode_group(line + used, bytes + i, size - i);
        used += 4;
        if (used == sizeof line || i + 3 >= size) {
            fwrite(line, 1, used, stream);
            used = 0;
        }
    }
}
