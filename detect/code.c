/* See code.h. */
#include "detect/code.h"

#include "arch/arch.h"
#include "detect/flow.h"
#include "detect/nesting.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    NOWHERE = INSTRUCTION_NOWHERE,
    JUMPS_MOST = 32, /* to computed addresses, that are looked at closely */
    BYTE_STEPS = 4   /* that decoding a byte and making blocks of it takes */
};

/* What is known of each byte. */
enum { INSIDE, FIRST /* of an instruction */, LEADER /* of a block */ };

/* An instruction that does not just continue with the next one. */
struct jump {
    uint32_t end, target;
    uint8_t way; /* enum way */
};

/* At most one of each for every byte.  Elements are initialised when they are first used. */
struct code_memory {
    uint64_t steps;
    struct jump jumps[CODE_BYTES_MOST];
    uint8_t kinds[CODE_BYTES_MOST];
    struct flow_mark marks[CODE_BYTES_MOST];
    struct nesting_mark nesting[CODE_BYTES_MOST];
    uint32_t stack[CODE_BYTES_MOST], path[CODE_BYTES_MOST], landings[CODE_BYTES_MOST];
};

/* A function that is being read. */
struct reading {
    const unsigned char *code;
    size_t size;
    struct jump *jumps;
    uint8_t *kinds; /* of bytes */
    uint32_t jump_count;
};

/* Decodes all instructions. */
static bool read_all(struct reading *reading)
{
    struct instruction read;
    for (size_t i = 0; i < reading->size; i += read.length) {
        if (!instruction_read(reading->code, reading->size, i, &read))
            return false;
        reading->kinds[i] = FIRST;
        if (read.way != WAY_ON)
            reading->jumps[reading->jump_count++] =
                (struct jump){.end = (uint32_t)i + read.length,
                              .target = read.target,
                              .way = (uint8_t)read.way};
    }
    return true;
}

/*
 * Marks the leaders of blocks.  False if a jump leads into the middle of an instruction: then
 * what was decoded is not what runs.
 */
static bool mark_leaders(struct reading *reading)
{
    uint8_t *kinds = reading->kinds;
    kinds[0] = LEADER;
    for (uint32_t i = 0; i < reading->jump_count; i++) {
        const struct jump *jump = &reading->jumps[i];
        if (jump->end < reading->size)
            kinds[jump->end] = LEADER;
        if (jump->target == NOWHERE)
            continue;
        if (kinds[jump->target] == INSIDE)
            return false;
        kinds[jump->target] = LEADER;
    }
    return true;
}

/* The block that contains byte AT. */
static uint32_t block_of(const struct code_block *blocks, uint32_t count, uint32_t at)
{
    uint32_t low = 0, high = count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (blocks[middle].start <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The first leader at or after byte AT; the function's end if there is none. */
static uint32_t next_leader(const struct reading *reading, uint32_t at)
{
    const uint8_t *leader = memchr(reading->kinds + at, LEADER, reading->size - at);
    return leader ? (uint32_t)(leader - reading->kinds) : (uint32_t)reading->size;
}

/* Makes BLOCKS, MOST at most; their targets are byte offsets.  Returns how many; 0: no room. */
static uint32_t make_blocks(const struct reading *reading, struct code_block *blocks,
                            uint32_t most)
{
    const struct jump *jump = reading->jumps, *last = jump + reading->jump_count;
    uint32_t count = 0;
    for (uint32_t start = 0, end; start < reading->size; start = end) {
        if (count == most)
            return 0;
        struct code_block *block = &blocks[count++];
        *block = (struct code_block){.start = start, .target = NOWHERE, .way = WAY_ON};
        end = next_leader(reading, start + 1);
        if (jump < last && jump->end == end) {
            block->target = jump->target;
            block->way = jump->way;
            jump++;
        }
    }
    return count;
}

static void join_blocks(struct code_block *blocks, uint32_t count)
{
    blocks[0].is_entered = true;
    for (uint32_t i = 0; i < count; i++) {
        if (blocks[i].target != NOWHERE) {
            blocks[i].target = block_of(blocks, count, blocks[i].target);
            blocks[blocks[i].target].is_entered = true;
        }
        if (flow_goes_on(&blocks[i]) && i + 1 < count)
            blocks[i + 1].is_entered = true;
    }
}

static struct flow ask(const struct code_block *blocks, uint32_t count,
                       struct code_memory *memory)
{
    memset(memory->marks, 0, count * sizeof *memory->marks);
    return (struct flow){
        .blocks = blocks, .count = count, .marks = memory->marks, .stack = memory->stack};
}

/* Lists the blocks that no other is known to lead to: a computed jump may. */
static uint32_t list_landings(const struct code_block *blocks, uint32_t count,
                              uint32_t *landings)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!blocks[i].is_entered)
            landings[found++] = i;
    return found;
}

/*
 * Marks the blocks that can be reached from the function's first.  Padding between blocks
 * cannot, but falls through to the next.
 */
static void find_used(struct flow *flow, struct code_block *blocks)
{
    flow_reach(flow, 0);
    for (uint32_t i = 0; i < flow->count; i++)
        blocks[i].is_used = i == 0 || flow->marks[i].is_reachable;
}

/* Finds out where computed jumps may lead: in no loop, to what comes behind them. */
static void look_at_jumps(struct code_block *blocks, uint32_t count)
{
    uint8_t jumps = 0;
    for (uint32_t at = 0; at < count && jumps < JUMPS_MOST; at++) {
        if (blocks[at].way != WAY_ANYWHERE || !blocks[at].is_used)
            continue;
        const uint32_t loop = blocks[at].loop;
        for (uint32_t i = 0; i < count; i++)
            if (loop != NOWHERE ? nesting_holds(blocks, loop, i) : i > at)
                blocks[i].jumps |= UINT32_C(1) << jumps;
        blocks[at].jump = ++jumps;
    }
}

uint32_t code_read(const unsigned char *code, size_t bytes, struct code_block *blocks,
                   uint32_t most, struct code_memory *memory)
{
    struct reading reading = {
        .code = code, .size = bytes, .jumps = memory->jumps, .kinds = memory->kinds};
    if (bytes == 0 || bytes > CODE_BYTES_MOST)
        return 0;
    memset(memory->kinds, INSIDE, bytes);
    memory->steps += bytes * BYTE_STEPS;
    if (!read_all(&reading) || !mark_leaders(&reading))
        return 0;
    const uint32_t count = make_blocks(&reading, blocks, most);
    if (count == 0)
        return 0;
    join_blocks(blocks, count);
    struct flow flow = ask(blocks, count, memory);
    flow.landings = memory->landings;
    flow.landing_count = list_landings(blocks, count, memory->landings);
    find_used(&flow, blocks);
    nesting_find(&flow, blocks, memory->nesting, memory->path);
    look_at_jumps(blocks, count);
    memory->steps += flow.steps;
    return flow_was_too_long(&flow) ? 0 : count;
}

int code_loops_around(const struct code_block *blocks, uint32_t count, uint32_t at,
                      uint32_t *around, unsigned most)
{
    const struct code_block *block = &blocks[block_of(blocks, count, at)];
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
    const uint32_t first = block_of(blocks, count, from), last = block_of(blocks, count, to);
    struct code_way way = {.known = true, .possible = true, .same = from == to};
    struct flow flow = ask(blocks, count, memory);
    if (!blocks[first].is_used || !blocks[last].is_used)
        return unknown;
    if (first == last && from < to)
        return way;
    flow.jumps = FLOW_IN_LOOP;
    if (leads(&flow, first, last, NOWHERE)) {
        for (unsigned i = 0; i < entry_count; i++)
            if (!leads(&flow, first, last, block_of(blocks, count, entries[i])))
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
    const uint32_t first = block_of(flow->blocks, flow->count, from),
                   last = block_of(flow->blocks, flow->count, to);
    for (unsigned i = 0; i < count; i++) {
        const uint32_t site = block_of(flow->blocks, flow->count, sites[i]);
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
    const uint32_t first = block_of(blocks, count, from), last = block_of(blocks, count, to),
                   top = block_of(blocks, count, entry);
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
        const uint32_t site = block_of(flow->blocks, flow->count, sites[i]);
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
                block_of(flow->blocks, flow->count, sites[i]) ==
                    block_of(flow->blocks, flow->count, sites[j]) &&
                nesting_holds(flow->blocks, loop,
                              block_of(flow->blocks, flow->count, sites[i])))
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
        const uint32_t site = block_of(blocks, flow->count, sites[i]);
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
    const bool is = is_dispatcher(&flow, block_of(blocks, count, entry), sites, site_count);
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
