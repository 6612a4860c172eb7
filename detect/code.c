/* See code.h. */
#include "detect/code.h"

#include "arch/arch.h"
#include "detect/flow.h"
#include "detect/nesting.h"
#include "detect/reading.h"
#include "detect/spread.h"

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
    struct spread_mark spread[CODE_BYTES_MOST];
    uint32_t stack[CODE_BYTES_MOST];
};

enum { SMALL_BYTES = 1000, SMALL_BLOCKS = 250 };

void code_memory_touch(struct code_memory *memory)
{
    struct reading_room *room = &memory->room;
    memset(&memory->reading, 0, sizeof memory->reading);
    memset(room->kinds, 0, SMALL_BYTES);
    memset(room->jumps, 0, SMALL_BLOCKS * sizeof *room->jumps);
    memset(room->nesting, 0, SMALL_BLOCKS * sizeof *room->nesting);
    memset(room->turning, 0, SMALL_BLOCKS * sizeof *room->turning);
    memset(room->path, 0, SMALL_BLOCKS * sizeof *room->path);
    memset(room->landings, 0, SMALL_BLOCKS * sizeof *room->landings);
    memset(memory->marks, 0, SMALL_BLOCKS * sizeof *memory->marks);
    memset(memory->spread, 0, SMALL_BLOCKS * sizeof *memory->spread);
    memset(memory->stack, 0, SMALL_BLOCKS * sizeof *memory->stack);
}

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

/* The condition that nothing is avoided; those before it are that an entry is. */
enum { ANY_WAY = CODE_ENTRIES_MOST };

_Static_assert((int)ANY_WAY < (int)SPREAD_CONDITIONS, "there is a condition for each entry");

/* No way leads into the entry that it avoids, of COUNT. */
static void avoid(const struct flow *flow, struct spread_mark *marks, const uint32_t *entries,
                  unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        marks[flow_block_of(flow->blocks, flow->count, entries[i])].cut |= (uint16_t)(1u << i);
}

struct code_way code_way_between(const struct code_block *blocks, uint32_t count, uint32_t from,
                                 uint32_t to, const uint32_t *entries, unsigned entry_count,
                                 struct code_memory *memory)
{
    const struct code_way unknown = {.known = false};
    const uint32_t first = flow_block_of(blocks, count, from),
                   last = flow_block_of(blocks, count, to),
                   all = (UINT32_C(1) << entry_count) - 1;
    struct code_way way = {.known = true, .possible = true, .same = from == to};
    struct flow flow = {.blocks = blocks, .count = count, .stack = memory->stack};
    struct spread_mark *marks = memory->spread;
    if (!blocks[first].is_used || !blocks[last].is_used)
        return unknown;
    if (first == last && from < to)
        return way;
    flow.jumps = FLOW_IN_LOOP;
    spread_begin(&flow, marks);
    avoid(&flow, marks, entries, entry_count);
    spread_from(&flow, marks, first, all | 1u << ANY_WAY);
    spread_go(&flow, marks);
    if (marks[last].reached >> ANY_WAY & 1) {
        way.crossed = all & ~(uint32_t)marks[last].reached;
    } else {
        flow.jumps = FLOW_ANYWHERE;
        spread_begin(&flow, marks);
        spread_from(&flow, marks, first, 1u << ANY_WAY);
        spread_go(&flow, marks);
        way.possible = marks[last].reached >> ANY_WAY & 1;
    }
    memory->steps += flow.steps;
    return flow_was_too_long(&flow) ? unknown : way;
}

/* A question of code_unseen, in blocks. */
struct unseen {
    uint32_t first, last;
    uint32_t tops[CODE_ENTRIES_MOST];
    unsigned count; /* of these */
    uint32_t asked; /* which of them, a set */
};

/*
 * Cuts the blocks of all SITES for all ways, but that of the last, which is where they lead.
 * Entries are not asked for any more if one of the sites, from byte FROM to byte TO, lies on
 * every way by them.
 */
static void cut_sites(struct flow *flow, struct spread_mark *marks, struct unseen *unseen,
                      uint32_t from, uint32_t to, const uint32_t *sites, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const uint32_t site = flow_block_of(flow->blocks, flow->count, sites[i]);
        if ((site == unseen->first && sites[i] > from) ||
            (site == unseen->last && sites[i] < to))
            unseen->asked = 0;
        if (site == unseen->last)
            continue;
        marks[site].cut = SPREAD_ALL;
        for (unsigned top = 0; top < unseen->count; top++)
            if (site == unseen->tops[top])
                unseen->asked &= ~(UINT32_C(1) << top);
    }
}

/* Those of the entries that ways from the first block lead to, and may avoid, too. */
static uint32_t find_avoidable(struct flow *flow, struct spread_mark *marks,
                               const struct unseen *unseen)
{
    uint32_t found = 0;
    spread_from(flow, marks, unseen->first, unseen->asked | 1u << ANY_WAY);
    spread_go(flow, marks);
    for (unsigned i = 0; i < unseen->count; i++)
        if (marks[unseen->tops[i]].reached >> ANY_WAY & 1)
            found |= UINT32_C(1) << i;
    return found & unseen->asked & marks[unseen->last].reached;
}

/* Those of the ENTRIES, a set, from which ways lead to the last block. */
static uint32_t find_leading(struct flow *flow, struct spread_mark *marks,
                             const struct unseen *unseen, uint32_t entries)
{
    for (unsigned i = 0; i < unseen->count; i++)
        if (entries >> i & 1)
            spread_from(flow, marks, unseen->tops[i], UINT32_C(1) << i);
    spread_go(flow, marks);
    return entries & marks[unseen->last].reached;
}

/* Clears what was found out, and cuts the sites again. */
static void ask_again(struct flow *flow, struct spread_mark *marks)
{
    flow->waiting = 0;
    for (uint32_t i = 0; i < flow->count; i++)
        marks[i] = (struct spread_mark){.cut = marks[i].cut == SPREAD_ALL ? SPREAD_ALL : 0};
}

uint32_t code_unseen(const struct code_block *blocks, uint32_t count, uint32_t from,
                     uint32_t to, const uint32_t *entries, unsigned entry_count,
                     const uint32_t *sites, unsigned site_count, struct code_memory *memory)
{
    struct unseen unseen = {.first = flow_block_of(blocks, count, from),
                            .last = flow_block_of(blocks, count, to),
                            .count = entry_count};
    struct flow flow = {
        .blocks = blocks, .count = count, .stack = memory->stack, .jumps = FLOW_IN_LOOP};
    struct spread_mark *marks = memory->spread;
    for (unsigned i = 0; i < entry_count; i++) {
        unseen.tops[i] = flow_block_of(blocks, count, entries[i]);
        unseen.asked |= (uint32_t)(unseen.tops[i] != unseen.last) << i;
    }
    spread_begin(&flow, marks);
    avoid(&flow, marks, entries, entry_count);
    cut_sites(&flow, marks, &unseen, from, to, sites, site_count);
    uint32_t found = unseen.asked ? find_avoidable(&flow, marks, &unseen) : 0;
    if (found) {
        ask_again(&flow, marks);
        found = find_leading(&flow, marks, &unseen, found);
    }
    memory->steps += flow.steps;
    return flow_was_too_long(&flow) ? (uint32_t)((UINT64_C(1) << entry_count) - 1) : found;
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
