/* See code.h. */
#include "detect/code.h"

#include "arch/arch.h"
#include "detect/flow.h"
#include "detect/nesting.h"
#include "detect/reading.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { NOWHERE = INSTRUCTION_NOWHERE };

/* Elements are initialised when they are first used. */
struct code_memory {
    uint64_t steps;
    struct reading reading;
    struct reading_room room;
    struct flow_mark marks[CODE_BYTES_MOST];
    uint32_t stack[CODE_BYTES_MOST];
};

static struct flow ask(const struct code_block *blocks, uint32_t count,
                       struct code_memory *memory)
{
    memset(memory->marks, 0, count * sizeof *memory->marks);
    return (struct flow){
        .blocks = blocks, .count = count, .marks = memory->marks, .stack = memory->stack};
}

bool code_read_begin(const unsigned char *code, size_t bytes, struct code_block *blocks,
                     uint32_t most, struct code_memory *memory)
{
    if (bytes == 0 || bytes > CODE_BYTES_MOST)
        return false;
    reading_begin(&memory->reading, code, bytes, blocks, most, &memory->room, memory->marks,
                  memory->stack);
    return true;
}

bool code_read_go_on(struct code_memory *memory, uint64_t steps, uint32_t *count)
{
    const uint64_t before = reading_steps(&memory->reading);
    const bool is_all = reading_go_on(&memory->reading, steps);
    memory->steps += reading_steps(&memory->reading) - before;
    if (is_all)
        *count = reading_blocks(&memory->reading);
    return is_all;
}

uint32_t code_read(const unsigned char *code, size_t bytes, struct code_block *blocks,
                   uint32_t most, struct code_memory *memory)
{
    uint32_t count = 0;
    if (code_read_begin(code, bytes, blocks, most, memory))
        code_read_go_on(memory, UINT64_MAX, &count);
    return count;
}

int code_loops_around(const struct code_block *blocks, uint32_t count, uint32_t at,
                      uint32_t *around, unsigned most)
{
    const struct code_block *block = &blocks[flow_block_of(blocks, count, at)];
    unsigned found = 0;
    if (!block->is_used)
        return -1;
    for (uint32_t loop = block->loop; loop != NOWHERE && found < most;
         loop = blocks[loop].outer)
        around[found++] = blocks[loop].start;
    return (int)found;
}

/* Whether a way leads from the end of block FROM into block TO, but not into block AVOIDED. */
static bool leads(struct flow *flow, uint32_t from, uint32_t to, uint32_t avoided)
{
    if (avoided != NOWHERE)
        flow->marks[avoided].is_cut = true;
    flow_reach(flow, from);
    if (avoided != NOWHERE)
        flow->marks[avoided].is_cut = false;
    return flow->marks[to].is_reachable;
}

struct code_way code_way_between(const struct code_block *blocks, uint32_t count, uint32_t from,
                                 uint32_t to, const uint32_t *entries, unsigned entry_count,
                                 struct code_memory *memory)
{
    const struct code_way unknown = {.known = false};
    const uint32_t first = flow_block_of(blocks, count, from),
                   last = flow_block_of(blocks, count, to);
    struct code_way way = {.known = true, .possible = true, .same = from == to};
    struct flow flow = ask(blocks, count, memory);
    if (!blocks[first].is_used || !blocks[last].is_used)
        return unknown;
    if (first == last && from < to)
        return way;
    flow.jumps = FLOW_IN_LOOP;
    if (leads(&flow, first, last, NOWHERE)) {
        for (unsigned i = 0; i < entry_count; i++)
            if (!leads(&flow, first, last, flow_block_of(blocks, count, entries[i])))
                way.crossed |= 1u << i;
    } else {
        flow.jumps = FLOW_ANYWHERE;
        way.possible = leads(&flow, first, last, NOWHERE);
    }
    memory->steps += flow.steps;
    return flow_was_too_long(&flow) ? unknown : way;
}

/*
 * Cuts the blocks of all SITES but those of FIRST and LAST.  False if one of them lies on every
 * way from FROM, in block FIRST, by block TOP to TO, in block LAST.
 */
static bool cut_sites(struct flow *flow, uint32_t from, uint32_t to, uint32_t top,
                      const uint32_t *sites, unsigned count)
{
    const uint32_t first = flow_block_of(flow->blocks, flow->count, from),
                   last = flow_block_of(flow->blocks, flow->count, to);
    for (unsigned i = 0; i < count; i++) {
        const uint32_t site = flow_block_of(flow->blocks, flow->count, sites[i]);
        if ((site == first && sites[i] > from) || (site == last && sites[i] < to) ||
            (site == top && site != last))
            return false;
        flow->marks[site].is_cut = site != last;
    }
    return true;
}

bool code_may_pass_unseen(const struct code_block *blocks, uint32_t count, uint32_t from,
                          uint32_t to, uint32_t entry, const uint32_t *sites,
                          unsigned site_count, struct code_memory *memory)
{
    const uint32_t first = flow_block_of(blocks, count, from),
                   last = flow_block_of(blocks, count, to),
                   top = flow_block_of(blocks, count, entry);
    struct flow flow = ask(blocks, count, memory);
    flow.jumps = FLOW_IN_LOOP;
    const bool may = top != last && cut_sites(&flow, from, to, top, sites, site_count) &&
                     leads(&flow, first, last, top) && leads(&flow, first, top, NOWHERE) &&
                     leads(&flow, top, last, NOWHERE);
    memory->steps += flow.steps;
    return may && !flow_was_too_long(&flow);
}

/* Whether one of the SITES in the loop at block LOOP can be reached from the end of block FROM.
 */
static bool leads_to_site(struct flow *flow, uint32_t loop, uint32_t from,
                          const uint32_t *sites, unsigned count)
{
    flow_reach(flow, from);
    for (unsigned i = 0; i < count; i++) {
        const uint32_t site = flow_block_of(flow->blocks, flow->count, sites[i]);
        if (flow->marks[site].is_reachable && nesting_holds(flow->blocks, loop, site))
            return true;
    }
    return false;
}

/* Whether two of the SITES are in one block of the loop at block LOOP. */
static bool share_block(const struct flow *flow, uint32_t loop, const uint32_t *sites,
                        unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j < i; j++)
            if (sites[i] != sites[j] &&
                flow_block_of(flow->blocks, flow->count, sites[i]) ==
                    flow_block_of(flow->blocks, flow->count, sites[j]) &&
                nesting_holds(flow->blocks, loop,
                              flow_block_of(flow->blocks, flow->count, sites[i])))
                return true;
    return false;
}

/* What code_is_dispatcher tells, of the loop at block LOOP, with a flow that nothing was asked
 * of yet. */
static bool is_dispatcher(struct flow *flow, uint32_t loop, const uint32_t *sites,
                          unsigned site_count)
{
    const struct code_block *blocks = flow->blocks;
    unsigned inside = 0;
    flow->jumps = FLOW_IN_LOOP;
    flow->marks[loop].is_cut = true;
    for (unsigned i = 0; i < site_count; i++) {
        const uint32_t site = flow_block_of(blocks, flow->count, sites[i]);
        if (!nesting_holds(blocks, loop, site))
            continue;
        inside++;
        if (site == loop || leads_to_site(flow, loop, site, sites, site_count))
            return false;
    }
    if (inside < 2 || share_block(flow, loop, sites, site_count))
        return false;
    /* Not without a computed jump. */
    for (uint32_t i = 0; i < flow->count; i++)
        flow->marks[i].is_cut = flow->marks[i].is_cut || blocks[i].way == WAY_ANYWHERE;
    return (blocks[loop].way == WAY_ANYWHERE ||
            !leads_to_site(flow, loop, loop, sites, site_count)) &&
           !flow_was_too_long(flow);
}

bool code_is_dispatcher(const struct code_block *blocks, uint32_t count, uint32_t entry,
                        const uint32_t *sites, unsigned site_count, struct code_memory *memory)
{
    struct flow flow = ask(blocks, count, memory);
    const bool is =
        is_dispatcher(&flow, flow_block_of(blocks, count, entry), sites, site_count);
    memory->steps += flow.steps;
    return is;
}

size_t code_memory_bytes(void)
{
    return sizeof(struct code_memory);
}

uint64_t code_steps(const struct code_memory *memory)
{
    return memory->steps;
}
