/*
 * Names and source lines of code addresses, from symbol tables and debug information, by
 * elfutils (libdw).  Opened privately and only when asked, at the end of a measurement or for a
 * message.  Program context; uses malloc, reads files, and needs hundreds of kilobytes of
 * the stack.
 */
#ifndef TSPROF_SYMBOLS_H
#define TSPROF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function.  Empty strings and 0 where nothing is known. */
struct symbol {
    char *name; /* demangled */
    char *file;
    int line; /* of its definition */
};

/*
 * A module by its file.  Nothing is known of a file whose build id is another: it was replaced
 * after it was loaded.
 */
struct module_file {
    const char *path;
    const char *build_id; /* hexadecimal; empty if it had none */
};

/* PATH without its directories, a part of it. */
const char *symbols_file_name(const char *path);

/*
 * Whether PATH is the C library, its mathematics or the loader.  Source lines in there tell
 * users nothing, and where the debug information of the system is installed, which is
 * compressed, reading it would take longer than all other look-ups together.
 */
bool symbols_is_c_library(const char *path);

/* Whether PATH is a runtime of tsprof itself. */
bool symbols_is_tsprof(const char *path);

/*
 * Loads what look-ups need, if that has not been done: for callers whose look-ups must not
 * change what dlerror tells the program.
 */
void symbols_prepare(void);

/*
 * Looks up the function at OFFSET, an address in the file's own terms, of the module FILE.  The
 * strings belong to the caller: symbol_free.  No source is known of functions of the C library
 * or of tsprof.
 */
void symbols_function(struct module_file file, uint64_t offset, struct symbol *symbol);
void symbol_free(struct symbol *symbol);

/* The source line at OFFSET of the module FILE, 0 if unknown. */
int symbols_line(struct module_file file, uint64_t offset);

/* Forgets all opened modules. */
void symbols_close(void);

/* Why nothing is known of any module; NULL as long as nothing has failed. */
const char *symbols_problem(void);

#endif
