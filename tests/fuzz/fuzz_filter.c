/*
 * Fuzz target: a file for TSPROF_FILTER.
 *
 * Each byte of the input is a word of such files, or itself.  Rules lie in the text and in the
 * lines that they name, what is complained of can be shown, and a name that is quoted is a
 * pattern that matches it, and not what is longer.
 */
#include "common/filter.h"
#include "common/printable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { TEXT_BYTES = 1024, NAME_BYTES = 64 };

static const char *const pieces[] = {"SCOREP_REGION_NAMES_BEGIN\n",
                                     "SCOREP_REGION_NAMES_END\n",
                                     "SCOREP_FILE_NAMES_BEGIN ",
                                     "SCOREP_FILE_NAMES_END ",
                                     "EXCLUDE ",
                                     "INCLUDE\n",
                                     "MANGLED ",
                                     "*",
                                     "[a-z]",
                                     "[!]]"};

enum { PIECES = sizeof pieces / sizeof pieces[0] };

static void fail(const char *what)
{
    fprintf(stderr, "fuzz_filter: %s\n", what);
    abort();
}

static size_t compose(const uint8_t *data, size_t size, char text[TEXT_BYTES])
{
    size_t used = 0;
    for (size_t i = 0; i < size; i++) {
        const size_t length = data[i] < PIECES ? strlen(pieces[data[i]]) : 1;
        if (used + length > TEXT_BYTES)
            break;
        memcpy(text + used, data[i] < PIECES ? pieces[data[i]] : (const char *)&data[i],
               length);
        used += length;
    }
    return used;
}

static void hear(void *context, unsigned line, const char *message)
{
    unsigned *heard = context;
    if (line == 0 || ++*heard > FILTER_COMPLAINTS_MOST + 1)
        fail("a complaint about no line, or too many");
    for (const char *at = message; *at;) {
        const size_t bytes = printable_bytes(at);
        if (bytes == 0)
            fail("a complaint that cannot be shown");
        at += bytes;
    }
}

static void check_rules(const struct filter *filter, const char *text, size_t length)
{
    unsigned lines = 1;
    for (size_t i = 0; i < length; i++)
        lines += text[i] == '\n';
    for (size_t i = 0; i < filter->count; i++) {
        const struct filter_rule *rule = &filter->rules[i];
        if (!*rule->pattern || strlen(rule->pattern) > length || rule->line == 0 ||
            rule->line > lines || (i > 0 && rule->line < rule[-1].line))
            fail("a rule that is not in the text");
    }
    filter_excludes(filter,
                    &(struct filter_function){"main", "_Z4mainv", "a/b.c", "_Z4mainv.cold"});
}

/* Ends of lines cannot be quoted, and a name has no zeros. */
static bool is_name(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (data[i] == 0 || data[i] == '\n' || data[i] == '\r')
            return false;
    return size > 0 && size < NAME_BYTES;
}

static void check_quote(const uint8_t *data, size_t size)
{
    char name[NAME_BYTES + 1] = "", quoted[2 * NAME_BYTES], text[256];
    struct filter filter;
    if (!is_name(data, size))
        return;
    memcpy(name, data, size);
    filter_quote(quoted, sizeof quoted, name);
    const int length = snprintf(text, sizeof text, "SCOREP_REGION_NAMES_BEGIN EXCLUDE %s\n%s",
                                quoted, "SCOREP_REGION_NAMES_END");
    unsigned heard = 0;
    if (!filter_read(&filter, text, (size_t)length, hear, &heard))
        return;
    if (heard || filter.count != 1 ||
        !filter_excludes(&filter, &(struct filter_function){.name = name}))
        fail("a quoted name does not match itself");
    name[size] = 'x';
    if (filter_excludes(&filter, &(struct filter_function){.name = name}))
        fail("a quoted name matches another");
    filter_free(&filter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Of its own length, so that a sanitizer sees what lies behind it. */
    char composed[TEXT_BYTES];
    const size_t length = compose(data, size, composed);
    char *text = malloc(length + (length == 0));
    struct filter filter;
    unsigned heard = 0;
    if (!text)
        return 0;
    memcpy(text, composed, length);
    if (filter_read(&filter, text, length, hear, &heard))
        check_rules(&filter, text, length);
    filter_free(&filter);
    free(text);
    check_quote(data, size);
    return 0;
}

size_t fuzz_seed(size_t number, uint8_t *data, size_t most)
{
    static const char *const seeds[] = {"\001\004f\\ g #c\n\005h", "\002\004\006\007/x\003",
                                        "\004\006_Z\010\011*\\", "operator[] (int)#"};
    if (number >= sizeof seeds / sizeof *seeds || most < 32)
        return 0;
    const size_t length = strlen(seeds[number]);
    memcpy(data, seeds[number], length);
    return length;
}
