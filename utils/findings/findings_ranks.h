/*
 * What the searches for unequal ranks share: how much more each rank has than the others, block
 * by block, and the spans of blocks in which it stands out.  For findings_ranks.c and the
 * searches that it calls; doc/report.md tells the rules.
 *
 * A rank is an index in the selection, a block one of the look's.
 */
#ifndef TSPROF_FINDINGS_RANKS_H
#define TSPROF_FINDINGS_RANKS_H

#include "findings/findings_look.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RANKS_TIME_SHARE 0.05 /* of an iteration, the least difference that is reported */

/* Successive blocks in which a rank stands out. */
struct span {
    size_t rank;
    size_t first, end;
    double excess; /* mean per iteration */
    bool always;   /* all blocks, since it stands out in most of them */
    bool reported; /* in a finding */
};

struct ranks {
    const struct look *look;
    struct collection *collection;
    size_t ranks, blocks;
    double *excess; /* [rank * blocks + block]: more than the middle of the others; NaN */
    double *least;  /* by block: what it takes to stand out */
    double *middle; /* by block: the middle rank's */
    double *row;    /* scratch, by rank */
    struct span *spans;
    size_t span_count;
};

/* What RANK has in BLOCK, and how much more that is than others have; NaN if it has none. */
double ranks_value(const struct ranks *ranks, size_t rank, size_t block);
double ranks_excess(const struct ranks *ranks, size_t rank, size_t block);

/* The number of RANK in the summary. */
uint32_t ranks_number(const struct ranks *ranks, size_t rank);

/* The mean of RANK over blocks FIRST to before END, by iterations; NaN without any. */
double ranks_mean(const struct ranks *ranks, size_t rank, size_t first, size_t end);

/* The mean over all ranks of ranks_mean; 0 if none has any. */
double ranks_mean_of_all(const struct ranks *ranks, size_t first, size_t end);

/* The rank whose mean over the blocks is in the middle; its mean is *VALUE. */
size_t ranks_middle(struct ranks *ranks, size_t first, size_t end, double *value);

/* All iterations of the look. */
struct range ranks_iterations(const struct ranks *ranks);

/* As collection_add; the finding is of the look's work metric. */
struct finding *ranks_add_finding(struct ranks *ranks, enum finding_kind kind);

/* Adds a part, or prolongs the last one if it is of the same rank and these come next. */
void finding_add_part(struct finding *finding, uint32_t rank, uint64_t first, uint64_t last);
/* Adds the distinct ranks of the finding's parts, in ascending order. */
void finding_add_ranks_of_parts(struct finding *finding, const struct ranks *ranks);

/* findings_spans.c */

/* Adds the spans of RANK, from the largest on. */
void spans_find(struct ranks *ranks, size_t rank);
/*
 * The iteration in which SPAN begins (BEGINS) or ends, somewhere about the first of BLOCK:
 * where the rank begins, or ceases, to have half of its excess.
 */
uint64_t span_border(const struct ranks *ranks, const struct span *span, size_t block,
                     bool begins);
/* The iterations of SPAN. */
struct range span_range(const struct ranks *ranks, const struct span *span);

/*
 * Whether rank MORE has more than rank LESS in blocks FIRST to before END although it is not
 * known when they had no processor: where it is nearly known what MORE had, that is more, by a
 * part of EXCESS, than LESS may have had; otherwise, or if it is not known of LESS and both
 * lacked processors alike, three quarters of what MORE had rather are more than three quarters
 * of what LESS had.
 */
bool ranks_differ(const struct ranks *ranks, size_t more, size_t less, size_t first, size_t end,
                  double excess);

/* The searches, a file each, in the order in which findings_ranks.c calls them.  They add what
 * they find to the collection. */

/* findings_moving_rank.c: spans of several ranks that follow each other. */
void find_moving_rank(struct ranks *ranks);
/* findings_slow_ranks.c: the spans that are not reported yet. */
void find_slow_ranks(struct ranks *ranks);
/* findings_turns.c: ranks that have most in turn. */
void find_turns(struct ranks *ranks);
/* findings_imbalance.c: work that is always distributed in the same unequal way, without one
 * rank that stands out; and imbalance that grows. */
void find_imbalance(struct ranks *ranks);
void find_growing_imbalance(struct ranks *ranks);
/* findings_idle_ranks.c: ranks with much less to do than others. */
void find_idle_ranks(struct ranks *ranks);

#endif
