/* What may gain something: see best.h. */
#ifndef TSPROF_PREDICT_CANDIDATES_H
#define TSPROF_PREDICT_CANDIDATES_H

#include "predict/question.h"
#include "predict/study.h"

/* A change that may gain as much as MOST_NS; its question's `where` is its own. */
struct candidate {
    struct question question;
    uint64_t most_ns;
};

struct candidates {
    struct candidate *list;
    size_t count, room;
};

/* Collects those on the critical path of SEARCH, the most promising first; with EACH also
 * single ranks and iterations.  Free with candidates_free. */
void candidates_find(struct study *study, struct whatif_search *search, bool each,
                     struct candidates *candidates);
void candidates_free(struct candidates *candidates);

/* Adds a wait of CALL, which may gain MOST_NS. */
void candidates_add_call(struct study *study, uint32_t call, uint64_t most_ns,
                         struct candidates *candidates);

#endif
