/* See nesting.h. */
#include "detect/nesting.h"

enum { NOWHERE = INSTRUCTION_NOWHERE, LOOPS_DEEPEST = 16, NO_LOOP = UINT32_MAX >> 1 };

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

/* Finds the loops in the regions that block AT is in; false: there is more to do there. */
static bool find_component(struct nesting *nesting, uint32_t at)
{
    if (nesting->length > 0)
        step(nesting);
    else if (nesting->marks[at].region != 0 && nesting->marks[at].order == 0)
        visit(nesting, at);
    return nesting->length == 0;
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

/* Finds which loops are entered at the end of block AT, and at the function's begin. */
static void find_entries(struct nesting *nesting, uint32_t at)
{
    const struct nesting_mark *marks = nesting->marks;
    uint32_t cursor = 0, to;
    if (at == 0 && is_in_loop(&marks[0]))
        enter(nesting, 0);
    if (!nesting->flow->blocks[at].is_used)
        return;
    while ((to = flow_next(nesting->flow, at, &cursor)) != NOWHERE)
        if (is_in_loop(&marks[to]) && marks[to].component != marks[at].component)
            enter(nesting, to);
}

/* Notes the loop that holds block AT, which is looked into next, without edges to its entry. */
static void descend(struct nesting *nesting, uint32_t at)
{
    struct nesting_mark *mark = &nesting->marks[at];
    struct code_block *block = &nesting->blocks[at];
    mark->region = 0;
    if (!is_in_loop(mark))
        return;
    const uint32_t entry = nesting->marks[mark->component - 1].entry;
    if (at == entry)
        block->outer = block->loop;
    else
        mark->region = mark->component;
    block->loop = entry;
}

/* Does what the stage does with block AT; false: there is more to do there. */
static bool look_at(struct nesting *nesting, uint32_t at)
{
    struct nesting_mark *mark = &nesting->marks[at];
    switch (nesting->stage) {
    case NESTING_BEGIN:
        nesting->blocks[at].loop = nesting->blocks[at].outer = NOWHERE;
        *mark = (struct nesting_mark){.region = nesting->blocks[at].is_used, .entry = NOWHERE};
        return true;
    case NESTING_COMPONENTS:
        return find_component(nesting, at);
    case NESTING_ENTRIES:
        find_entries(nesting, at);
        return true;
    case NESTING_DESCENT:
        descend(nesting, at);
        return true;
    case NESTING_AGAIN:
        mark->order = mark->component = 0;
        mark->entry = NOWHERE;
        return true;
    case NESTING_ENDED:
        break;
    }
    return true;
}

/* The next stage, when one has come to the function's last block. */
static void next_stage(struct nesting *nesting)
{
    const bool is_last = nesting->stage == NESTING_DESCENT &&
                         (++nesting->depth == LOOPS_DEEPEST || nesting->loops == 0 ||
                          flow_was_too_long(nesting->flow));
    nesting->at = 0;
    if (is_last)
        nesting->stage = NESTING_ENDED;
    else if (nesting->stage == NESTING_AGAIN)
        nesting->stage = NESTING_COMPONENTS;
    else
        nesting->stage++;
    if (nesting->stage == NESTING_COMPONENTS)
        nesting->visited = nesting->loops = 0;
}

void nesting_begin(struct nesting *nesting, struct flow *flow, struct code_block *blocks,
                   struct nesting_mark *marks, uint32_t *path)
{
    *nesting = (struct nesting){
        .flow = flow, .blocks = blocks, .marks = marks, .path = path, .open = flow->stack};
}

uint64_t nesting_steps(const struct nesting *nesting)
{
    return nesting->looks + nesting->flow->steps;
}

bool nesting_go_on(struct nesting *nesting, uint64_t steps)
{
    const uint64_t before = nesting_steps(nesting);
    while (nesting->stage != NESTING_ENDED && nesting_steps(nesting) - before < steps) {
        nesting->looks++;
        if (look_at(nesting, nesting->at) && ++nesting->at == nesting->flow->count)
            next_stage(nesting);
    }
    return nesting->stage == NESTING_ENDED;
}

bool nesting_holds(const struct code_block *blocks, uint32_t loop, uint32_t at)
{
    uint32_t around = blocks[at].loop;
    while (around != loop && around != NOWHERE)
        around = blocks[around].outer;
    return around == loop;
}
