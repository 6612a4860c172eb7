/* See flow.h. */
#include "detect/flow.h"

enum { NOWHERE = INSTRUCTION_NOWHERE, STEPS_MOST = 400000 /* some 1 ms */ };

bool flow_was_too_long(const struct flow *flow)
{
    return flow->steps > STEPS_MOST;
}

/* Whether the computed jump at the end of BLOCK may lead to block TO, one of those looked at.
 */
static bool may_jump(const struct flow *flow, const struct code_block *block, uint32_t to)
{
    const struct code_block *next = &flow->blocks[to];
    return flow->jumps != FLOW_IN_LOOP || !next->is_entered ||
           (block->jump > 0 && next->jumps >> (block->jump - 1) & 1);
}

/* The next block that the computed jump at the end of BLOCK may lead to; *LOOKED: see
 * flow_next. */
static uint32_t next_landing(struct flow *flow, const struct code_block *block,
                             uint32_t *looked)
{
    const uint32_t *few = flow->jumps == FLOW_LITTLE ? flow->landings : NULL;
    const uint32_t count = few ? flow->landing_count : flow->count;
    while (*looked < count) {
        const uint32_t to = few ? few[*looked] : *looked;
        ++*looked;
        flow->steps++;
        if (may_jump(flow, block, to))
            return to;
    }
    return NOWHERE;
}

uint32_t flow_next(struct flow *flow, uint32_t at, uint32_t *cursor)
{
    enum { TARGET, NEXT, JUMPS };
    const struct code_block *block = &flow->blocks[at];
    if (++flow->steps > STEPS_MOST)
        return NOWHERE;
    if (*cursor == TARGET) {
        *cursor = NEXT;
        if (block->target != NOWHERE)
            return block->target;
    }
    if (*cursor == NEXT) {
        *cursor = JUMPS;
        if (flow_goes_on(block) && at + 1 < flow->count)
            return at + 1;
    }
    if (block->way != WAY_ANYWHERE)
        return NOWHERE;
    uint32_t looked = *cursor - JUMPS;
    const uint32_t to = next_landing(flow, block, &looked);
    *cursor = looked + JUMPS;
    return to;
}

void flow_reach_begin(struct flow *flow, uint32_t at)
{
    for (uint32_t i = 0; i < flow->count; i++)
        flow->marks[i].is_reachable = false;
    flow->stack[0] = at;
    flow->waiting = 1;
}

bool flow_reach_go_on(struct flow *flow, uint64_t steps)
{
    const uint64_t before = flow->steps;
    uint32_t count = flow->waiting;
    while (count > 0 && flow->steps - before < steps) {
        const uint32_t from = flow->stack[--count];
        uint32_t cursor = 0;
        for (uint32_t to; (to = flow_next(flow, from, &cursor)) != NOWHERE;) {
            struct flow_mark *mark = &flow->marks[to];
            if (mark->is_reachable || mark->is_cut)
                continue;
            mark->is_reachable = true;
            flow->stack[count++] = to;
        }
    }
    flow->waiting = count;
    return count == 0;
}

void flow_reach(struct flow *flow, uint32_t at)
{
    flow_reach_begin(flow, at);
    flow_reach_go_on(flow, UINT64_MAX);
}
