/*
 * Keeps a map small by sweeps: walks over its pages, a small step at a time.
 *
 * For itermap.c only.  A sweep replaces, in all pages, labels that were not roots when it
 * began, so that these can be reused.  It also rewrites a page in which labels have become the
 * same since it was written, and joins a page with the one before it where both fit into one:
 *
 *     before | page | ... | the page being written
 *
 * The new page is built aside, from both pages or from the page alone, and takes the place of
 * the old only if it turns out smaller.  So between steps the map is always complete, and a
 * sweep needs no memory beyond that of sweep_prepare.
 */
#ifndef TSPROF_MAPSWEEP_H
#define TSPROF_MAPSWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "compress/maplabels.h"
#include "compress/mapmemory.h"
#include "compress/mappage.h"
#include "compress/mapwriter.h"

/* What is needed to rewrite pages. */
struct map_recoder {
    struct map_writer writer;
    struct page_reader reader;
    uint64_t added; /* iterations written of the reader's segment */
    bool joining;   /* `before` and the page are being joined */
    bool shrinking; /* the page alone is expected to shrink as well */
    _Alignas(struct page) char aside[PAGE_MOST];
};

struct map_sweep {
    struct map_memory *memory;
    struct labels *labels;
    struct page_list *pages;
    struct map_writer *tail;     /* writes the last page */
    struct map_recoder *recoder; /* NULL: pages are not rewritten */
    struct page *before;         /* the last page done; NULL: none yet */
    struct page *page;           /* the page being rewritten; NULL: none */
    uint32_t different;          /* distinct labels in the page visited last */
    uint32_t most_labels;
    bool thorough;
    bool active;
};

/* Takes the memory for rewriting pages.  Without it sweeps only replace labels. */
void sweep_prepare(struct map_sweep *sweep);

/*
 * Begins a sweep; none may be active.  If THOROUGH it saves every bit, otherwise only what is
 * worth the time.  If more than MOST_LABELS labels are merged meanwhile it stops rewriting
 * pages, so that it ends soon and labels can be reused.
 */
void mapsweep_begin(struct map_sweep *sweep, uint32_t most_labels, bool thorough);

/*
 * Makes one step of the active sweep: replaces a page's labels, or rewrites some hundred
 * iterations.
 */
void mapsweep_step(struct map_sweep *sweep);

/* Gives the memory back. */
void sweep_clear(struct map_sweep *sweep);

#endif
