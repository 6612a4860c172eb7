/*
 * Text for people: growing strings, columns on a terminal, numbers with units.
 *
 * Widths are counted in columns, one per code point.  What comes from a file or from the user
 * is added escaped, so that no name can do anything to a terminal.
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

/* The string so far, terminated; valid until the next change. */
const char *text_string(const struct text *text);
void text_clear(struct text *text);
/* Takes away what comes after the first LENGTH bytes. */
void text_cut(struct text *text, size_t length);
void text_free(struct text *text);

void text_add(struct text *text, const char *string);
void text_add_bytes(struct text *text, const char *bytes, size_t length);
void text_addf(struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void text_add_repeated(struct text *text, const char *string, size_t times);

/*
 * Adds STRING with what a terminal would obey (printable.h) and invalid UTF-8 as \xNN, tabs as
 * blanks: the only way in which names may come into what people see.
 */
void text_add_escaped(struct text *text, const char *string);

/* Adds STRING escaped in at most COLUMNS columns, with … for what is left out in the middle. */
void text_add_shortened(struct text *text, const char *string, size_t columns);

/* Adds STRING (harmless already) and blanks after or before it up to COLUMNS columns. */
void text_add_left(struct text *text, const char *string, size_t columns);
void text_add_right(struct text *text, const char *string, size_t columns);

/*
 * Adds STRING escaped in lines of at most COLUMNS columns, broken at blanks where possible;
 * each ends with a newline, and those after the first begin with INDENT blanks.  The text so
 * far in the current line counts as USED columns.
 */
void text_add_wrapped(struct text *text, const char *string, size_t used, size_t indent,
                      size_t columns);

/* What follows the last slash of PATH. */
const char *base_name(const char *path);

/* Columns that STRING takes on a terminal. */
size_t text_columns(const char *string);

/*
 * VALUE with three significant digits and UNIT ("s", "bytes", "occ" or another) scaled to fit:
 * "12.3 ms", "4.56 MB", "789".  At most 7 columns for values of usual size.
 */
#define QUANTITY_SIZE 40
const char *format_quantity(char out[QUANTITY_SIZE], long double value, const char *unit);

/* The factor, and the NAME ("ms"), of the unit that format_quantity gives to a value of SIZE.
 */
double quantity_scale(const char *unit, long double size, const char **name);

/* PART of WHOLE in per cent: "12.3", "0.04"; "-" if WHOLE is not positive. */
const char *format_percent(char out[QUANTITY_SIZE], long double part, long double whole);

/* Columns of the terminal on stdout, or 80 if it is not one. */
size_t terminal_columns(void);

#endif
