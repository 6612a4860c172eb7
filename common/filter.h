/*
 * Filters: which functions are left out of a measurement, in the syntax of Score-P's files.
 *
 *     SCOREP_REGION_NAMES_BEGIN         # functions, by the names that reports show
 *       EXCLUDE *                       # all, but for
 *       INCLUDE main solve?             # what a later rule takes back
 *       EXCLUDE MANGLED _ZN3foo*        # by the names of symbols
 *     SCOREP_REGION_NAMES_END
 *     SCOREP_FILE_NAMES_BEGIN           # functions, by the files that they are defined in
 *       EXCLUDE *.h [A-Z]*.inc
 *     SCOREP_FILE_NAMES_END
 *
 * Words are separated by blanks and ends of lines; `\` before a blank or a `#` makes it part of
 * a pattern.  Patterns are about what the last EXCLUDE or INCLUDE before them says.
 *
 * Reads text and nothing else.  Used by the runtime and by commands; memory from malloc, so not
 * for signal handlers.  A filter that was read does not change: any thread may ask it.
 */
#ifndef TSPROF_FILTER_H
#define TSPROF_FILTER_H

#include <stdbool.h>
#include <stddef.h>

enum { FILTER_COMPLAINTS_MOST = 10 /* of one file; that there are more is said */ };

struct filter_rule {
    const char *pattern; /* see wildcard.h */
    unsigned line;       /* of the file, from 1 on */
    bool excludes;       /* EXCLUDE; otherwise INCLUDE */
    bool of_files;       /* it is about files' names */
    bool mangled;        /* it is about names of symbols */
};

/* To be read only, from `rules` on; all zero is a filter without rules. */
struct filter {
    char *text;
    struct filter_rule *rules; /* in their order */
    size_t count, room;
};

/* What a rule may be about.  A NULL or empty name is unknown, and matches no rule. */
struct filter_function {
    const char *name;    /* as reports show it */
    const char *mangled; /* of its symbol */
    const char *file;    /* where it is defined */
    const char *uncut;   /* the symbol with what compilers add to parts and copies: f.cold */
};

/* Called with the number of a line and what is wrong there; MESSAGE is valid only meanwhile. */
typedef void (*filter_complaint)(void *context, unsigned line, const char *message);

/*
 * Reads the LENGTH bytes at TEXT, which need no end and are not kept, into FILTER.  What is
 * wrong is ignored and, unless COMPLAIN is NULL, told.  False without memory: then there are no
 * rules.  To be freed by filter_free.
 */
bool filter_read(struct filter *filter, const char *text, size_t length,
                 filter_complaint complain, void *context);
void filter_free(struct filter *filter);

/* Whether FILTER has rules about files. */
bool filter_asks_files(const struct filter *filter);

/*
 * Whether FUNCTION is left out: the last rule about its names that matches says so, or the last
 * one about its file.
 */
bool filter_excludes(const struct filter *filter, const struct filter_function *function);

/*
 * Writes a pattern to OUT (SIZE bytes) that matches NAME and nothing else (but for ends of
 * lines in it, which no pattern can have), as a file may have it.  Returns its length; what is
 * longer is cut.
 */
size_t filter_quote(char *out, size_t size, const char *name);

#endif
