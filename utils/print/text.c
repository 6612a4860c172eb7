/* Growing strings, columns and readable numbers.  See text.h. */
#include "print/text.h"

#include "base/base.h"
#include "common/printable.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define ELLIPSIS        "…"
#define DEFAULT_COLUMNS 80
#define MIN_COLUMNS     60
#define MAX_COLUMNS     200

const char *text_string(const struct text *text)
{
    return text->bytes ? text->bytes : "";
}

void text_cut(struct text *text, size_t length)
{
    text->length = length;
    if (text->bytes)
        text->bytes[length] = '\0';
}

void text_clear(struct text *text)
{
    text_cut(text, 0);
}

void text_free(struct text *text)
{
    free(text->bytes);
    *text = (struct text){0};
}

void text_add_bytes(struct text *text, const char *bytes, size_t length)
{
    if (text->capacity - text->length <= length) {
        size_t capacity = text->capacity ? text->capacity : 64;
        while (capacity - text->length <= length)
            capacity *= 2;
        text->bytes = reallocate(text->bytes, capacity, 1);
        text->capacity = capacity;
    }
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

void text_add(struct text *text, const char *string)
{
    text_add_bytes(text, string, strlen(string));
}

void text_addf(struct text *text, const char *format, ...)
{
    char *made;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&made, format, arguments);
    va_end(arguments);
    if (length < 0)
        out_of_memory();
    text_add_bytes(text, made, (size_t)length);
    free(made);
}

void text_add_repeated(struct text *text, const char *string, size_t times)
{
    while (times--)
        text_add(text, string);
}

void text_add_list(struct text *text, const char *const *names, size_t count, const char *last)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && i + 1 < count)
            text_add(text, ", ");
        else if (i > 0)
            text_addf(text, " %s ", last);
        text_add(text, names[i]);
    }
}

static bool is_continuation(unsigned char byte)
{
    return (byte & 0xc0) == 0x80;
}

void text_add_escaped(struct text *text, const char *string)
{
    while (*string) {
        size_t size = printable_bytes(string);
        if (size > 0)
            text_add_bytes(text, string, size);
        else if (*string == '\t')
            text_add(text, " ");
        else
            text_addf(text, "\\x%02x", (unsigned char)*string);
        string += size > 0 ? size : 1;
    }
}

void text_add_quoted(struct text *text, const char *string)
{
    for (; *string; string++) {
        if (*string == '\'')
            text_add(text, "'\\''");
        else
            text_add_bytes(text, string, 1);
    }
}

/* Adds STRING as $'...' has it, which can name bytes that no terminal is to see. */
static void add_with_escapes(struct text *text, const char *string)
{
    while (*string) {
        const size_t size = printable_bytes(string);
        if (size == 0)
            text_addf(text, "\\x%02x", (unsigned char)*string);
        else if (*string == '\'' || *string == '\\')
            text_addf(text, "\\%c", *string);
        else
            text_add_bytes(text, string, size);
        string += size > 0 ? size : 1;
    }
}

void text_add_shell_word(struct text *text, const char *string)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+./:,%@";
    bool shown = true;
    for (const char *at = string; *at && shown;) {
        const size_t size = printable_bytes(at);
        shown = size > 0;
        at += size;
    }
    if (shown && *string && string[strspn(string, plain)] == '\0') {
        text_add(text, string);
        return;
    }
    text_add(text, shown ? "'" : "$'");
    (shown ? text_add_quoted : add_with_escapes)(text, string);
    text_add(text, "'");
}

const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

size_t text_columns(const char *string)
{
    size_t columns = 0;
    for (; *string; string++)
        columns += !is_continuation((unsigned char)*string);
    return columns;
}

/* How many bytes the first COLUMNS columns of STRING have. */
static size_t leading_bytes(const char *string, size_t columns)
{
    size_t at = 0;
    for (; string[at]; at++)
        if (!is_continuation((unsigned char)string[at]) && columns-- == 0)
            break;
    return at;
}

void text_add_shortened(struct text *text, const char *string, size_t columns)
{
    struct text whole = {0};
    text_add_escaped(&whole, string);
    const char *safe = text_string(&whole);
    size_t all = text_columns(safe);
    if (all <= columns) {
        text_add(text, safe);
    } else if (columns > 0) {
        size_t head = (columns - 1) / 2, tail = columns - 1 - head;
        text_add_bytes(text, safe, leading_bytes(safe, head));
        text_add(text, ELLIPSIS);
        text_add(text, safe + leading_bytes(safe, all - tail));
    }
    text_free(&whole);
}

static void add_blanks(struct text *text, size_t used, size_t columns)
{
    if (used < columns)
        text_add_repeated(text, " ", columns - used);
}

void text_add_left(struct text *text, const char *string, size_t columns)
{
    text_add(text, string);
    add_blanks(text, text_columns(string), columns);
}

void text_add_right(struct text *text, const char *string, size_t columns)
{
    add_blanks(text, text_columns(string), columns);
    text_add(text, string);
}

/* Whether the byte at AT ends a word: a blank that is in no name. */
static bool is_between_words(const char *string, size_t at)
{
    static const char before[] = "(anonymous";
    const size_t length = strlen(before);
    return string[at] == ' ' &&
           (at < length || strncmp(string + at - length, before, length) != 0);
}

/* Whether a long word may be divided at AT: behind a C++ scope. */
static bool is_between_names(const char *string, size_t at)
{
    return at > 2 && string[at - 1] == ':' && string[at - 2] == ':';
}

/* The last place up to FITS that IS_PLACE; 0: none. */
static size_t last_place(const char *string, size_t fits,
                         bool (*is_place)(const char *string, size_t at))
{
    size_t at = fits;
    while (at > 0 && !is_place(string, at))
        at--;
    return at;
}

/* How many bytes of STRING fit into COLUMNS columns: up to a blank if possible, or up to a name
 * within a long word, at least one. */
static size_t line_bytes(const char *string, size_t columns)
{
    const size_t fits = leading_bytes(string, columns);
    if (!string[fits])
        return fits;
    size_t at = last_place(string, fits, is_between_words);
    if (at == 0)
        at = last_place(string, fits, is_between_names);
    if (at > 0)
        return at;
    return fits ? fits : leading_bytes(string, 1);
}

void text_add_wrapped(struct text *text, const char *string, size_t used, size_t indent,
                      size_t columns)
{
    struct text whole = {0};
    text_add_escaped(&whole, string);
    const char *at = text_string(&whole);
    for (;;) {
        size_t bytes = line_bytes(at, columns > used ? columns - used : 1);
        text_add_bytes(text, at, bytes);
        text_add(text, "\n");
        at += bytes;
        while (*at == ' ')
            at++;
        if (!*at)
            break;
        text_add_repeated(text, " ", indent);
        used = indent;
    }
    text_free(&whole);
}

struct magnitude {
    long double factor;
    const char *unit;
};

static const struct magnitude second_magnitudes[] = {
    {1e-9L, "ns"}, {1e-6L, "µs"}, {1e-3L, "ms"}, {1, "s"}, {60, "min"}, {3600, "h"}};
static const struct magnitude byte_magnitudes[] = {{1, "B"},     {1e3L, "kB"},  {1e6L, "MB"},
                                                   {1e9L, "GB"}, {1e12L, "TB"}, {1e15L, "PB"}};
static const struct magnitude count_magnitudes[] = {
    {1, ""}, {1e3L, "k"}, {1e6L, "M"}, {1e9L, "G"}, {1e12L, "T"}};

#define LENGTH_OF(array) (sizeof(array) / sizeof(array)[0])

static const struct magnitude *magnitudes_of(const char *unit, size_t *count)
{
    if (strcmp(unit, "s") == 0) {
        *count = LENGTH_OF(second_magnitudes);
        return second_magnitudes;
    }
    if (strcmp(unit, "bytes") == 0) {
        *count = LENGTH_OF(byte_magnitudes);
        return byte_magnitudes;
    }
    *count = LENGTH_OF(count_magnitudes);
    return count_magnitudes;
}

/* The largest magnitude of UNIT that is not above SIZE, which must not be negative. */
static const struct magnitude *magnitude_for(const char *unit, long double size)
{
    size_t count, chosen = 0;
    const struct magnitude *magnitudes = magnitudes_of(unit, &count);
    while (chosen + 1 < count && size >= 999.5L * magnitudes[chosen].factor)
        chosen++;
    return &magnitudes[chosen];
}

double quantity_scale(const char *unit, long double size, const char **name)
{
    const struct magnitude *magnitude = magnitude_for(unit, size);
    *name = magnitude->unit;
    return (double)magnitude->factor;
}

const char *format_quantity(char out[QUANTITY_SIZE], long double value, const char *unit)
{
    long double size = fabsl(value);
    const struct magnitude *magnitude = magnitude_for(unit, size);
    long double shown = size / magnitude->factor;
    bool whole = shown == floorl(shown) && magnitude->factor == 1;
    int decimals = whole || shown >= 99.95L ? 0 : shown >= 9.995L ? 1 : 2;
    if (value == 0) {
        snprintf(out, QUANTITY_SIZE, "0");
        return out;
    }
    const char *blank = magnitude->unit[0] ? " " : "";
    const char *sign = value < 0 ? "-" : "";
    if (shown >= 1e6L)
        snprintf(out, QUANTITY_SIZE, "%s%.2Le%s%s", sign, shown, blank, magnitude->unit);
    else
        snprintf(out, QUANTITY_SIZE, "%s%.*Lf%s%s", sign, decimals, shown, blank,
                 magnitude->unit);
    return out;
}

const char *format_percent(char out[QUANTITY_SIZE], long double part, long double whole)
{
    long double percent = whole > 0 ? 100 * part / whole : 0;
    if (whole <= 0)
        snprintf(out, QUANTITY_SIZE, "-");
    else if (percent != 0 && fabsl(percent) < 0.1L)
        snprintf(out, QUANTITY_SIZE, "%.1Lg", percent);
    else
        snprintf(out, QUANTITY_SIZE, "%.1Lf", percent);
    return out;
}

size_t terminal_columns(void)
{
    struct winsize window;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0)
        return DEFAULT_COLUMNS;
    size_t columns = window.ws_col;
    return columns < MIN_COLUMNS ? MIN_COLUMNS : columns > MAX_COLUMNS ? MAX_COLUMNS : columns;
}
