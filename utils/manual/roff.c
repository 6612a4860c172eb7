/* See roff.h. */
#include "manual/roff.h"

#include <ctype.h>
#include <string.h>

/* Of the pages as they are now: by hand, so that the same sources give the same pages. */
#define PAGES_DATE "2026-11-23"

void roff_title(FILE *out, const char *name, int section)
{
    fprintf(out, ".TH ");
    for (; *name; name++)
        fputc(toupper((unsigned char)*name), out);
    fprintf(out, " %d %s \"tsprof %s\" \"tsprof manual\"\n", section, PAGES_DATE,
            PACKAGE_VERSION);
}

void roff_part(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\\')
            fputs("\\e", out);
        else if (text[i] == '-')
            fputs("\\-", out);
        else if (text[i] == '\'')
            fputs("\\(aq", out);
        else if (text[i] == '`')
            fputs("\\(ga", out);
        else
            fputc(text[i], out);
    }
}

void roff_words(FILE *out, const char *text)
{
    roff_part(out, text, strlen(text));
}

void roff_line(FILE *out, const char *text)
{
    /* A full stop at the beginning would make it a macro. */
    fputs(*text == '.' ? "\\&" : "", out);
    roff_words(out, text);
    fputc('\n', out);
}

void roff_term(FILE *out, const char *text, size_t length)
{
    fputs(".TP\n\\fB", out);
    roff_part(out, text, length);
    fputs("\\fR\n", out);
}
