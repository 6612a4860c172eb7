/* Strings and numbers of JSON.  See json.h. */
#include "print/json.h"

#include "common/printable.h"
#include "print/number.h"
#include "print/text.h"

#include <stdbool.h>
#include <string.h>

/* The code point of the SIZE bytes of valid UTF-8 at AT. */
static uint32_t code_point(const unsigned char *at, size_t size)
{
    uint32_t code = size == 1 ? at[0] : at[0] & (0xffu >> (size + 1));
    for (size_t i = 1; i < size; i++)
        code = code << 6 | (at[i] & 0x3f);
    return code;
}

/* Control characters, line separators of older JavaScript, and characters that change the
 * direction of text. */
static bool is_unsafe(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069) || code == '<' || code == '>' || code == '&' ||
           code == '"' || code == '\\';
}

static void write_escaped(FILE *stream, uint32_t code)
{
    if (code == '"' || code == '\\')
        fprintf(stream, "\\%c", (char)code);
    else if (code == '\n')
        fputs("\\n", stream);
    else if (code == '\t')
        fputs("\\t", stream);
    else
        fprintf(stream, "\\u%04x", (unsigned)code);
}

void json_string(FILE *stream, const char *string)
{
    putc('"', stream);
    while (*string) {
        size_t size = utf8_bytes(string);
        uint32_t code = size ? code_point((const unsigned char *)string, size) : 0xfffd;
        if (size == 0 || is_unsafe(code))
            write_escaped(stream, code);
        else
            fwrite(string, 1, size, stream);
        string += size ? size : 1;
    }
    putc('"', stream);
}

void json_number(FILE *stream, long double value)
{
    char digits[NUMBER_SIZE];
    fputs(number_text(digits, value), stream);
}
