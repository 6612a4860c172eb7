/*
 * Names and source lines of code addresses, from symbol tables and debug information, by
 * elfutils (libdw).  Files are opened only when asked for, at the end of a measurement or for a
 * message.  Program context; uses malloc, reads files, and needs hundreds of kilobytes of
 * stack.
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
 * A module's file.  If the file has another build id now, it was replaced after it was loaded,
 * and nothing is looked up in it.
 */
struct module_file {
    const char *path;
    const char *build_id; /* hexadecimal; empty if it had none */
};

/* The file name in PATH, as a pointer into it. */
const char *symbols_file_name(const char *path);

/*
 * Whether PATH is the C library, its math library or the loader.  Source lines in there tell
 * users nothing.  Where the system's debug information is installed it is compressed, and
 * reading it would take longer than all other look-ups together.
 */
bool symbols_is_c_library(const char *path);

/* Whether PATH is a runtime of tsprof itself. */
bool symbols_is_tsprof(const char *path);

/*
 * Loads elfutils and the demangler, if not done yet: for callers whose look-ups must not change
 * what dlerror tells the program.
 */
void symbols_prepare(void);

/*
 * Looks up the function at OFFSET, an address as in the file, of the module FILE.  The strings
 * belong to the caller: symbol_free.  For functions of the C library and of tsprof no source is
 * given.
 */
void symbols_function(struct module_file file, uint64_t offset, struct symbol *symbol);
void symbol_free(struct symbol *symbol);

/*
 * Calls VISIT for each function that the symbols of the module FILE tell of: with its offset,
 * as above, what is known of it, and the name of its symbol as it is.  All of it is valid only
 * meanwhile.  Its file and line are there only if WITH_FILES says that they are wanted, which
 * takes much longer.  False if the file was truncated meanwhile.
 */
typedef void symbols_visit(void *context, uint64_t offset, const struct symbol *symbol,
                           const char *mangled);
bool symbols_each(struct module_file file, bool with_files, symbols_visit *visit,
                  void *context);

/*
 * Cuts from NAME, of a symbol, what tools have added to it: compilers split functions into
 * parts and copies like f.cold and f.isra.0, linkers add versions like f@@GLIBC_2.34; users
 * know them as f.
 */
void symbols_cut(char *name);

/* The source line at OFFSET of the module FILE, 0 if unknown. */
int symbols_line(struct module_file file, uint64_t offset);

enum symbols_reading {
    SYMBOLS_WHOLE,
    SYMBOLS_TRUNCATED, /* a file was not all there while it was read */
    SYMBOLS_BUSY       /* nothing was read, since somebody else does not end looking up */
};

/*
 * Has look-ups done by GUARD, which calls WORK(ARGUMENT) and returns what came of it; nothing
 * is found in a truncated file, now or later.  Without it a file that is truncated while it is
 * read ends the process by SIGBUS.
 */
typedef enum symbols_reading symbols_guard(void (*work)(void *argument), void *argument);
void symbols_set_guard(symbols_guard *guard);

/* Forgets all opened modules. */
void symbols_close(void);

/* The same where a look-up was left by a jump: nothing of them is touched, or freed. */
void symbols_abandon(void);

/* Why nothing could be looked up in some module or in any; NULL as long as nothing has failed.
 */
const char *symbols_problem(void);

#endif
