/*
 * Text for people: growing strings, columns on a terminal, numbers with units.
 *
 * Widths are in terminal columns, one per code point.  Add whatever comes from a file or from
 * the user with an escaping function, so that no name can control the terminal.
 */
#ifndef TSPROF_TEXT_H
#define TSPROF_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* A growing string.  Start from all zeros; free with text_free. */
struct text {
    char *bytes;
    size_t length, capacity;
};

/* The string so far, NUL-terminated; valid until the next change. */
const char *text_string(const struct text *text);
void text_clear(struct text *text);
/* Cuts the string to its first LENGTH bytes. */
void text_cut(struct text *text, size_t length);
void text_free(struct text *text);

void text_add(struct text *text, const char *string);
void text_add_bytes(struct text *text, const char *bytes, size_t length);
void text_addf(struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void text_add_repeated(struct text *text, const char *string, size_t times);

/* Adds COUNT names: "a", "a LAST b", "a, b LAST c". */
void text_add_list(struct text *text, const char *const *names, size_t count, const char *last);

/*
 * Adds STRING with control characters (printable.h) and invalid UTF-8 as \xNN and tabs as
 * blanks.  Names may reach a terminal in no other way.
 */
void text_add_escaped(struct text *text, const char *string);

/* Adds STRING as it stands between single quotes in a shell. */
void text_add_quoted(struct text *text, const char *string);

/*
 * Adds STRING as a word of a shell: quoted, if it needs to be, so that nothing has to be
 * escaped for the terminal.
 */
void text_add_shell_word(struct text *text, const char *string);

/* Adds STRING, escaped, in at most COLUMNS columns; … replaces its middle if it is longer. */
void text_add_shortened(struct text *text, const char *string, size_t columns);

/* Adds STRING, which must be escaped already, padded to COLUMNS columns: with blanks after it
 * (left) or before it (right). */
void text_add_left(struct text *text, const char *string, size_t columns);
void text_add_right(struct text *text, const char *string, size_t columns);

/*
 * Adds STRING, escaped, in lines of at most COLUMNS columns, broken at blanks where possible.
 * Each line ends with a newline; lines after the first begin with INDENT blanks.  USED columns
 * of the current line are taken already.
 */
void text_add_wrapped(struct text *text, const char *string, size_t used, size_t indent,
                      size_t columns);

/* The part of PATH after its last slash. */
const char *base_name(const char *path);

/* How many columns STRING takes on a terminal. */
size_t text_columns(const char *string);

/*
 * Formats VALUE in OUT with three significant digits and UNIT ("s", "bytes", "occ" or another)
 * with a fitting prefix, or in minutes or hours: "12.3 ms", "4.56 MB", "789", "28.3 min".  At
 * most 8 columns for values of usual size.  Returns OUT.
 */
#define QUANTITY_SIZE 40
const char *format_quantity(char out[QUANTITY_SIZE], long double value, const char *unit);

/* The unit that format_quantity would use for a value of SIZE: its factor, and its NAME ("ms").
 */
double quantity_scale(const char *unit, long double size, const char **name);

/* Formats PART of WHOLE in per cent: "12.3", "0.04"; "-" if WHOLE is not positive. */
const char *format_percent(char out[QUANTITY_SIZE], long double part, long double whole);

/* The columns of the terminal that stdout is, or 80 if it is no terminal. */
size_t terminal_columns(void);

#endif
