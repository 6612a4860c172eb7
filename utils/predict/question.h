/* Questions as they are asked: words, and what they mean.  See doc/whatif.md. */
#ifndef TSPROF_QUESTION_H
#define TSPROF_QUESTION_H

#include "base/base.h"
#include "print/print.h"

#include <stddef.h>
#include <stdint.h>

enum question_kind {
    ASK_ZERO_WAIT,
    ASK_BALANCE,
    ASK_BALANCE_BYTES,
    ASK_SCALE,
    ASK_ZERO,
    ASK_NETWORK,
    ASK_BOUND,
    ASK_BEST,
    QUESTION_KINDS
};

struct question {
    enum question_kind kind;
    char *where;          /* a call path, a region, iterations; NULL: none is named */
    const char *argument; /* as it was written, for messages */
    double factor;        /* of scale */
    uint32_t rank;        /* of zero-wait; UINT32_MAX: all */
    uint64_t ordinal;     /* likewise: which call; UINT64_MAX: all */
};

struct questions {
    struct question *list;
    size_t count;
};

/* Reads the WORDS; free with questions_free.  False, and ERROR, if they are none, or if they
 * contradict each other. */
bool questions_read(const char *const *words, size_t count, struct questions *questions,
                    struct error *error);
void questions_free(struct questions *questions);

/* The first of KIND; NULL if there is none. */
const struct question *questions_find(const struct questions *questions,
                                      enum question_kind kind);

/* Adds the question as it would be asked. */
void question_add_text(const struct question *question, struct text *text);

#endif
