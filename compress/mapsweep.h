/*
 * Keeping a map small: a walk over its pages, a small step at a time.
 *
 * For itermap.c only.  A sweep rids pages of labels that were no roots when it began, so that
 * they may be used anew.  Where labels have become the same since the page was written, and
 * where a page and the one before it would fit into one, it writes the page again:
 *
 *     before | page | ... | the page being written
 *
 * It writes into a page aside, either before's content and then the page's, or the page's
 * alone. Only when that turns out to be smaller does it take the place of the old.  So between
 * steps the map is always whole, and a sweep needs no memory.
 */
#ifndef TSPROF_MAPSWEEP_H
#define TSPROF_MAPSWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "compress/maplabels.h"
#include "compress/mapmemory.h"
#include "compress/mappage.h"
#include "compress/mapwriter.h"

/* What writing pages again takes. */
struct map_recoder {
    struct map_writer writer;
    struct page_reader reader;
    uint64_t added; /* iterations of the reader's segment */
    bool joining;   /* `before` and the page are being made one */
    bool shrinking; /* the page alone is expected to get smaller, too */
    _Alignas(struct page) char aside[PAGE_MOST];
};

struct map_sweep {
    struct map_memory *memory;
    struct labels *labels;
    struct page_list *pages;
    struct map_writer *tail;     /* writes the last page */
    struct map_recoder *recoder; /* NULL: pages are not written again */
    struct page *before;         /* the last page done; NULL: none yet */
    struct page *page;           /* the page being written again; NULL: none */
    uint32_t different;          /* labels in the page visited last */
    uint32_t most_labels;
    bool thorough;
    bool active;
};

/* Takes the memory for writing pages again, if there is any. */
void sweep_prepare(struct map_sweep *sweep);

/*
 * Begins a sweep; none is active.  It saves every bit if it is THOROUGH, and only what is worth
 * its time otherwise.  When more than MOST_LABELS are merged meanwhile it hurries: it writes no
 * more pages again, so that it ends soon and labels may be used anew.
 */
void mapsweep_begin(struct map_sweep *sweep, uint32_t most_labels, bool thorough);

/* A step of the active sweep: a page's labels, or some hundred iterations to be written. */
void mapsweep_step(struct map_sweep *sweep);

/* Gives the memory back. */
void sweep_clear(struct map_sweep *sweep);

#endif
