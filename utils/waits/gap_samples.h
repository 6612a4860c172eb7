/*
 * Where the samples of gaps (gaps.h) are, by the two call paths that a gap is between; and how
 * a gap is divided by them.  For gaps.c.
 */
#ifndef TSPROF_GAP_SAMPLES_H
#define TSPROF_GAP_SAMPLES_H

#include "archive/archive.h"

struct sample {
    uint32_t context;
    uint64_t ns;
};

/* Functions on a call path, the outermost first. */
struct functions {
    uint32_t *regions;
    size_t count, room;
};

void functions_add(struct functions *functions, uint32_t region);

/* A gap that has ended, and what was open in it. */
struct gap {
    uint32_t thread;
    uint64_t from, to; /* hashes of the call paths that it is between */
    uint64_t begin_ns, end_ns;
    const struct functions *base; /* open throughout */
    const struct sample *samples;
    size_t sample_count;
};

struct gap_samples;

/* TRACE must outlive the result. */
struct gap_samples *gap_samples_create(const struct trace *trace);
void gap_samples_free(struct gap_samples *samples);

void gap_samples_learn(struct gap_samples *samples, const struct gap *gap);
/* No more gaps are learnt.  False if none had a sample. */
bool gap_samples_learnt(struct gap_samples *samples);

/* Whether a gap of THREAD between these call paths had a sample. */
bool gap_samples_know(struct gap_samples *samples, uint32_t thread, uint64_t from, uint64_t to);

/* A part of a gap: up to UNTIL_NS the thread was in the functions REGIONS, below those that are
 * open throughout, as OWN of the gap's samples and those of others say. */
struct gap_part {
    uint64_t until_ns;
    uint32_t own;
    const uint32_t *regions;
    size_t region_count;
    size_t visit_count; /* so many, the innermost, samples of the gap show for the first time */
};

/* Calls VISIT for each part of a gap that gap_samples_know knows, in the order of time.  BEGIN
 * and END are what was open when it began and is when it ends: whoever enters that is told of
 * anyway, and it is not visited once more. */
typedef void gap_visitor(void *context, const struct gap_part *part);
void gap_samples_divide(struct gap_samples *samples, const struct gap *gap,
                        const struct functions *begin, const struct functions *end,
                        gap_visitor *visit, void *context);

#endif
