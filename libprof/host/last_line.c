/* See last_line.h. */
#include "host/last_line.h"

#include "host/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    LINE_BYTES = 940, /* less than message() cuts at, with what it puts before a line */
    REMARKS_BYTES = 400,
    WORD_BYTES = 1000
};

static char remarks[REMARKS_BYTES];
static char subject[64];         /* what is in the summary */
static char summary[LINE_BYTES]; /* empty: there is none */

bool last_line_add(const char *format, ...)
{
    const size_t before = strlen(remarks);
    size_t used = before;
    if (used > 0 && used + sizeof "; " < sizeof remarks)
        used += (size_t)snprintf(remarks + used, sizeof remarks - used, "; ");
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(remarks + used, sizeof remarks - used, format, arguments);
    va_end(arguments);
    /* None is cut. */
    const bool fits = length >= 0 && (size_t)length < sizeof remarks - used;
    if (!fits)
        remarks[before] = '\0';
    return fits;
}

void last_line_set(const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(subject, sizeof subject, format, arguments);
    va_end(arguments);
    snprintf(summary, sizeof summary, "%s", name);
}

/* NAME quoted as one word for a shell, in OUT of SIZE bytes; NAME itself if it does not fit. */
static const char *shell_word(char *out, size_t size, const char *name)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./%+=:,@-";
    size_t used = 0;
    if (name[strspn(name, plain)] == '\0' || 4 * strlen(name) + 3 > size)
        return name;
    out[used++] = '\'';
    for (; *name; name++) {
        /* A quotation mark ends the quotation, stands for itself, and begins another. */
        const char *more = *name == '\'' ? "'\\''" : (const char[]){*name, '\0'};
        used += (size_t)snprintf(out + used, size - used, "%s", more);
    }
    out[used++] = '\'';
    out[used] = '\0';
    return out;
}

void last_line_say(void)
{
    static const char middle[] = " is in ", command[] = "; view it with: tsprof report ";
    char quoted[WORD_BYTES];
    const char *word = shell_word(quoted, sizeof quoted, summary);
    const size_t rest = strlen(subject) + strlen(summary) + strlen(word) + sizeof middle +
                        sizeof command + sizeof ": ";
    /* What to do next matters more than what there is. */
    if (rest + strlen(remarks) > LINE_BYTES)
        *remarks = '\0';
    if (*summary)
        message(1, "%s%s%s%s%s%s%s", subject, middle, summary, *remarks ? ": " : "", remarks,
                command, word);
    *remarks = '\0';
    *summary = '\0';
}
