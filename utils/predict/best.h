/*
 * The changes that gain most (paper 003's function F1): waits that are taken out, by call path,
 * rank and call, and regions and iterations that are balanced.
 */
#ifndef TSPROF_PREDICT_BEST_H
#define TSPROF_PREDICT_BEST_H

#include "predict/question.h"
#include "predict/study.h"

/* A change, and the time that the run takes with it. */
struct choice {
    struct question question;
    uint64_t ns;
    uint64_t most_ns; /* what of the critical path it is about */
};

enum { SEQUENCE_MOST = 10, DOMINO_MOST = 32 };

struct best {
    uint64_t base_ns;       /* without any of them */
    struct choice *choices; /* single ones, the best first */
    size_t choice_count;
    size_t tried, left_out;                /* of those that could gain something */
    struct choice sequence[SEQUENCE_MOST]; /* each on top of those before */
    size_t sequence_length;
    struct whatif_crossing domino[DOMINO_MOST]; /* the last first */
    size_t domino_length;
    uint64_t domino_ns; /* without the wait of the first call of the path */
};

/* On top of CHANGES; free with best_free.  False if that run never ends. */
bool best_find(struct study *study, const struct whatif_changes *changes, struct best *best);

/* Single changes only, on top of none, and of those the few most promising ones. */
bool best_find_quickly(struct study *study, struct best *best);
void best_free(struct best *best);

#endif
