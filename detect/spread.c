/* See spread.h. */
#include "detect/spread.h"

#include <string.h>

enum { NOWHERE = INSTRUCTION_NOWHERE };

void spread_begin(struct flow *flow, struct spread_mark *marks)
{
    memset(marks, 0, flow->count * sizeof *marks);
    flow->waiting = 0;
}

static inline void wait_for(struct flow *flow, struct spread_mark *marks, uint32_t at)
{
    if (marks[at].is_waiting)
        return;
    marks[at].is_waiting = true;
    flow->stack[flow->waiting++] = at;
}

void spread_from(struct flow *flow, struct spread_mark *marks, uint32_t at, uint32_t conditions)
{
    marks[at].begins |= (uint16_t)conditions;
    wait_for(flow, marks, at);
}

/* CONDITIONS are met by a way to block TO, too. */
static inline void reach(struct flow *flow, struct spread_mark *marks, uint32_t to,
                         uint16_t conditions)
{
    const uint16_t more = (uint16_t)(conditions & ~marks[to].cut & ~marks[to].reached);
    if (more == 0)
        return;
    marks[to].reached |= more;
    wait_for(flow, marks, to);
}

/* Follows all edges from block FROM: what flow_next finds, but faster where there is no table.
 */
static void follow(struct flow *flow, struct spread_mark *marks, uint32_t from)
{
    enum { STEPS = 3 };
    const struct code_block *block = &flow->blocks[from];
    const uint16_t conditions = marks[from].reached | marks[from].begins;
    uint32_t cursor = 0, to;
    if (block->way == WAY_ANYWHERE) {
        while ((to = flow_next(flow, from, &cursor)) != NOWHERE)
            reach(flow, marks, to, conditions);
        return;
    }
    flow->steps += STEPS;
    if (block->target != NOWHERE)
        reach(flow, marks, block->target, conditions);
    if (flow_goes_on(block) && from + 1 < flow->count)
        reach(flow, marks, from + 1, conditions);
}

void spread_go(struct flow *flow, struct spread_mark *marks)
{
    while (flow->waiting > 0 && !flow_was_too_long(flow)) {
        const uint32_t from = flow->stack[--flow->waiting];
        marks[from].is_waiting = false;
        follow(flow, marks, from);
    }
}
