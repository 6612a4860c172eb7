/*
 * The whole tsprof command within this process: what it writes is looked at instead of shown.
 *
 * Not for several threads.  Where the command runs out of memory it ends this process.
 */
#ifndef TSPROF_FUZZ_WHOLE_COMMAND_H
#define TSPROF_FUZZ_WHOLE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

/* utils/command/main.c's main. */
int tsprof_main(int argc, char **argv);

/* What a call of the command wrote to one of its outputs. */
struct output_seen {
    size_t bytes, lines;
    const char *fault; /* NULL: nothing that a terminal would obey, lines that are whole */
};

struct run_seen {
    int status;
    struct output_seen out, errors;
    char message[256]; /* the beginning of what it said on stderr */
};

enum run_output { RUN_TEXT, RUN_TABLE /* CSV: all records have as many fields as the first */ };

/* Runs `tsprof ARGUMENTS`, NULL at the end. */
struct run_seen run_command(const char *const *arguments, enum run_output output);

/*
 * A regular file with the given content that lives in memory; overwritten by the next with the
 * same NUMBER (below 4).  Returns its path, which stays the same.
 */
const char *memory_file(unsigned number, const void *bytes, size_t size);

/*
 * The path of a file that is not there, in a directory of this process's own.  Its name ends as
 * CUBE's tools expect; other formats do not mind.
 */
const char *absent_file(void);

#endif
