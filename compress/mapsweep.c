/* Sweeps over the pages of a map.  See mapsweep.h. */
#include "compress/mapsweep.h"

#include <string.h>

enum {
    STEP_ITERATIONS = 128, /* rewritten in one step */
    JOIN_MARGIN = 64,      /* bytes */
};

void sweep_prepare(struct map_sweep *sweep)
{
    if (sweep->recoder)
        return;
    sweep->recoder = map_memory_take(sweep->memory, sizeof(*sweep->recoder));
    if (!sweep->recoder)
        return;
    struct map_writer *writer = &sweep->recoder->writer;
    writer->labels = sweep->labels;
    writer->source = (struct page_source){0};
    writer->side = 1;
    sweep->recoder->added = 0;
    sweep->recoder->joining = sweep->recoder->shrinking = false;
}

void sweep_clear(struct map_sweep *sweep)
{
    map_memory_give_back(sweep->memory, sweep->recoder, sizeof(*sweep->recoder));
    sweep->recoder = NULL;
}

void mapsweep_begin(struct map_sweep *sweep, uint32_t most_labels, bool thorough)
{
    sweep->most_labels = most_labels;
    sweep->thorough = thorough;
    labels_retire(sweep->labels);
    sweep->before = sweep->page = NULL;
    sweep->active = true;
}

static void end(struct map_sweep *sweep)
{
    writer_relabel(sweep->tail);
    labels_reuse(sweep->labels);
    sweep->active = false;
}

static struct page *aside(struct map_recoder *recoder)
{
    return (struct page *)recoder->aside;
}

static void copy_content(struct page *to, const struct page *from)
{
    struct page *next = to->next;
    uint32_t table = from->labels * (uint32_t)sizeof(uint32_t);
    memcpy(to, from, sizeof(*from) + from->used);
    memcpy((char *)to + to->size - table, (const char *)from + from->size - table, table);
    to->next = next;
}

/* Begins to rewrite the page, behind `before` or alone. */
static void start_writing(struct map_sweep *sweep, bool joining)
{
    struct map_recoder *recoder = sweep->recoder;
    struct page *target = aside(recoder);
    recoder->joining = joining;
    recoder->added = 0;
    page_start(target, joining ? sweep->before->size : sweep->page->size);
    if (joining)
        copy_content(target, sweep->before);
    writer_start(&recoder->writer, target);
    reader_start(&recoder->reader, sweep->page);
}

/* The bits of a place in PAGE at the last attempt to shrink it. */
static unsigned old_bits(const struct page *page)
{
    return bits_for(page->settled ? page->settled : page->labels);
}

/* Whether rewriting PAGE is worth the time: to save an eighth it hardly is. */
static bool would_shrink(const struct map_sweep *sweep, const struct page *page)
{
    unsigned bits = bits_for(sweep->different), old = old_bits(page);
    return sweep->thorough ? bits < old : bits * 4 <= old * 3 && bits < old;
}

/* The likely size of PAGE's content after rewriting. */
static uint32_t bytes_again(const struct map_sweep *sweep, const struct page *page)
{
    unsigned bits = bits_for(sweep->different), old = old_bits(page);
    uint32_t used = bits < old ? page->used * bits / old : page->used;
    return used + sweep->different * (uint32_t)sizeof(uint32_t) + JOIN_MARGIN;
}

static void visit(struct map_sweep *sweep, struct page *page)
{
    sweep->different = page_relabel(page, sweep->labels, 1);
    bool joins = sweep->before && bytes_again(sweep, page) <= page_room(sweep->before);
    bool shrinks = would_shrink(sweep, page);
    if (!sweep->recoder || !(joins || shrinks) ||
        sweep->labels->merged.count > sweep->most_labels) {
        sweep->before = page;
        return;
    }
    sweep->page = page;
    sweep->recoder->shrinking = shrinks;
    start_writing(sweep, joins);
}

/* Leaves the page as it is. */
static void keep(struct map_sweep *sweep)
{
    sweep->page->settled = sweep->different;
    sweep->before = sweep->page;
    sweep->page = NULL;
}

/* Replaces `before` and the page by the page that holds the content of both. */
static void join(struct map_sweep *sweep)
{
    struct page *page = sweep->page, *before = sweep->before;
    copy_content(before, aside(sweep->recoder));
    before->settled = 0;
    before->next = page->next;
    sweep->pages->count--;
    sweep->pages->bytes -= page->size;
    map_memory_give_back(sweep->memory, page, page->size);
    sweep->page = NULL;
}

static void replace(struct map_sweep *sweep)
{
    if (page_content(aside(sweep->recoder)) < page_content(sweep->page))
        copy_content(sweep->page, aside(sweep->recoder));
    keep(sweep);
}

/* The rewritten content did not fit. */
static void give_up(struct map_sweep *sweep)
{
    if (sweep->recoder->joining && sweep->recoder->shrinking)
        start_writing(sweep, false);
    else
        keep(sweep);
}

/* Adds an iteration, or all that are left of a segment; false if there is no room. */
static bool add_some(struct map_recoder *recoder)
{
    struct page_reader *reader = &recoder->reader;
    if (writer_follows(&recoder->writer, recoder->added, reader->cycle)) {
        writer_follow(&recoder->writer, reader->left);
        reader_skip(reader, reader->left);
    } else {
        if (!writer_add(&recoder->writer, reader_label(reader)))
            return false;
        reader_skip(reader, 1);
        recoder->added++;
    }
    if (reader->left == 0)
        recoder->added = 0;
    return true;
}

static void write_some(struct map_sweep *sweep)
{
    struct map_recoder *recoder = sweep->recoder;
    for (int i = 0; i < STEP_ITERATIONS; i++) {
        if (reader_more(&recoder->reader)) {
            if (add_some(recoder))
                continue;
            give_up(sweep);
        } else if (!writer_finish(&recoder->writer)) {
            give_up(sweep);
        } else if (recoder->joining) {
            join(sweep);
        } else {
            replace(sweep);
        }
        return;
    }
}

void mapsweep_step(struct map_sweep *sweep)
{
    if (sweep->page) {
        write_some(sweep);
        return;
    }
    struct page *page = sweep->before ? sweep->before->next : sweep->pages->first;
    if (!page || page == sweep->pages->last)
        end(sweep);
    else
        visit(sweep, page);
}
