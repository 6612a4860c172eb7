/* See nesting.h. */
#include "detect/nesting.h"

#include <string.h>

enum { NOWHERE = INSTRUCTION_NOWHERE, LOOPS_DEEPEST = 16, NO_LOOP = UINT32_MAX >> 1 };

/* Loops of one depth that are being found. */
struct nesting {
    struct flow *flow;
    struct nesting_mark *marks;
    uint32_t *path, length; /* from where the search began to where it is */
    uint32_t *open, opened; /* blocks whose component is not known yet */
    uint32_t visited;
    uint32_t loops; /* found so far */
};

static void visit(struct nesting *nesting, uint32_t at)
{
    struct nesting_mark *mark = &nesting->marks[at];
    mark->order = mark->low = ++nesting->visited;
    mark->cursor = 0;
    mark->leads_to_itself = false;
    nesting->path[nesting->length++] = at;
    nesting->open[nesting->opened++] = at;
}

/* The blocks that were opened from AT on are one component, a loop if there is an edge in it.
 */
static void close_component(struct nesting *nesting, uint32_t at)
{
    const bool is_loop =
        nesting->open[nesting->opened - 1] != at || nesting->marks[at].leads_to_itself;
    const uint32_t number = is_loop ? ++nesting->loops : (uint32_t)NO_LOOP;
    uint32_t block;
    do {
        block = nesting->open[--nesting->opened];
        nesting->marks[block].component = number;
    } while (block != at);
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Follows one more edge from the end of the path, or goes back. */
static void step(struct nesting *nesting)
{
    const uint32_t at = nesting->path[nesting->length - 1];
    struct nesting_mark *mark = &nesting->marks[at];
    const uint32_t to = flow_next(nesting->flow, at, &mark->cursor);
    if (to != NOWHERE) {
        const struct nesting_mark *next = &nesting->marks[to];
        mark->leads_to_itself = mark->leads_to_itself || to == at;
        if (next->region != mark->region)
            return;
        if (next->order == 0)
            visit(nesting, to);
        else if (next->component == 0)
            mark->low = smaller(mark->low, next->order);
        return;
    }
    nesting->length--;
    if (nesting->length > 0) {
        struct nesting_mark *before = &nesting->marks[nesting->path[nesting->length - 1]];
        before->low = smaller(before->low, mark->low);
    }
    if (mark->low == mark->order)
        close_component(nesting, at);
}

/* Finds the loops in all regions. */
static void find_components(struct nesting *nesting)
{
    nesting->visited = nesting->loops = 0;
    for (uint32_t i = 0; i < nesting->flow->count; i++)
        nesting->marks[i].order = nesting->marks[i].component = 0;
    for (uint32_t i = 0; i < nesting->flow->count; i++) {
        if (nesting->marks[i].region == 0 || nesting->marks[i].order > 0)
            continue;
        visit(nesting, i);
        while (nesting->length > 0)
            step(nesting);
    }
}

static bool is_in_loop(const struct nesting_mark *mark)
{
    return mark->component != 0 && mark->component != NO_LOOP;
}

static void enter(struct nesting *nesting, uint32_t at)
{
    const uint32_t loop = nesting->marks[at].component;
    nesting->marks[loop - 1].entry = smaller(nesting->marks[loop - 1].entry, at);
}

/* Finds where the loops are entered: at the function's begin, or by an edge from outside. */
static void find_entries(struct nesting *nesting)
{
    const struct nesting_mark *marks = nesting->marks;
    for (uint32_t i = 0; i < nesting->loops; i++)
        nesting->marks[i].entry = NOWHERE;
    if (is_in_loop(&marks[0]))
        enter(nesting, 0);
    for (uint32_t i = 0; i < nesting->flow->count; i++) {
        uint32_t cursor = 0, to;
        if (!nesting->flow->blocks[i].is_used)
            continue;
        while ((to = flow_next(nesting->flow, i, &cursor)) != NOWHERE)
            if (is_in_loop(&marks[to]) && marks[to].component != marks[i].component)
                enter(nesting, to);
    }
}

/* Notes the loops in BLOCKS.  They are looked into next, without the edges to their entries. */
static void descend(struct nesting *nesting, struct code_block *blocks)
{
    for (uint32_t i = 0; i < nesting->flow->count; i++) {
        struct nesting_mark *mark = &nesting->marks[i];
        mark->region = 0;
        if (!is_in_loop(mark))
            continue;
        const uint32_t entry = nesting->marks[mark->component - 1].entry;
        if (i == entry)
            blocks[i].outer = blocks[i].loop;
        else
            mark->region = mark->component;
        blocks[i].loop = entry;
    }
}

void nesting_find(struct flow *flow, struct code_block *blocks, struct nesting_mark *marks,
                  uint32_t *path)
{
    struct nesting nesting = {
        .flow = flow, .marks = marks, .path = path, .open = flow->stack, .loops = 1};
    for (uint32_t i = 0; i < flow->count; i++) {
        blocks[i].loop = blocks[i].outer = NOWHERE;
        marks[i] = (struct nesting_mark){.region = blocks[i].is_used};
    }
    for (int depth = 0; depth < LOOPS_DEEPEST && nesting.loops > 0; depth++) {
        find_components(&nesting);
        find_entries(&nesting);
        descend(&nesting, blocks);
        if (flow_was_too_long(flow))
            return;
    }
}

bool nesting_holds(const struct code_block *blocks, uint32_t loop, uint32_t at)
{
    uint32_t around = blocks[at].loop;
    while (around != loop && around != NOWHERE)
        around = blocks[around].outer;
    return around == loop;
}
