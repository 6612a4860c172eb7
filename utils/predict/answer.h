/* What the answer to questions consists of. */
#ifndef TSPROF_PREDICT_ANSWER_H
#define TSPROF_PREDICT_ANSWER_H

#include "predict/best.h"
#include "predict/bounds.h"
#include "predict/question.h"
#include "predict/study.h"

struct answer {
    const struct questions *questions;
    struct study *study; /* NULL: there is no trace, and only bounds */
    struct whatif_outcome measured, unchanged, changed;
    bool has_change; /* false: nothing was to be changed */
    bool has_best;
    struct best best;
    bool has_bounds;
    struct bounds bounds;
    uint64_t top;
};

/* More than this share off, and the model does not fit. */
#define ANSWER_FIT 0.01

/* Prints ANSWER on STREAM. */
void answer_print(const struct answer *answer, FILE *stream);
void answer_print_json(const struct answer *answer, FILE *stream);

/* What there is to say about how far the answer can be trusted: CALL with each sentence. */
typedef void answer_noter(void *context, const char *note);
void answer_note(const struct answer *answer, answer_noter *call, void *context);

#endif
