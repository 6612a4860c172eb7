/*
 * What a run would have taken if something about it were different: a trace becomes the graph
 * of whatif/, questions become changes of it, and the answer is printed.  The engine is whatif/
 * at the top; this room knows names, files and formats.
 */
#ifndef TSPROF_PREDICT_H
#define TSPROF_PREDICT_H

#include "base/base.h"
#include "predict/gains.h"

#include <stdio.h>

/* What the command line says. */
struct prediction {
    const char *path;         /* of the trace, or of a summary without one */
    const char *const *words; /* of the questions */
    size_t word_count;
    const char
        *network_file; /* of the network that the run has used; NULL: as the trace tells */
    const char *trace; /* to write the predicted run to; NULL: nowhere */
    bool replaces;     /* `trace` may be there already */
    bool is_json;
    uint64_t top; /* rows of a list at most */
};

/* Prints the answer on STREAM.  An exit_status; ERROR where it is not EXIT_DONE: EXIT_USAGE if
 * the questions are at fault, EXIT_DATA if a file is.  Of a trace that cannot be read to its
 * end what could be read is answered for all the same. */
enum exit_status predict(const struct prediction *prediction, FILE *stream,
                         struct error *error);

#endif
