/* See code.h. */
#include "detect/code.h"

#include "arch/arch.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    NOWHERE = INSTRUCTION_NOWHERE,
    LOOPS_DEEPEST = 16,
    JUMPS_MOST = 32,    /* to computed addresses, that are looked at closely */
    STEPS_MOST = 400000 /* some 1 ms */
};

/* What is known of each byte. */
enum { INSIDE, FIRST /* of an instruction */, LEADER /* of a block */ };

/* An instruction that does not just continue with the next one. */
struct jump {
    uint32_t end, target;
    uint8_t way; /* enum way */
};

/* What a question about a function has found out of a block. */
struct mark {
    uint8_t loop;      /* nesting depth in the loops around the call */
    bool is_reachable; /* reachable from the call, within the loop */
    bool reaches;      /* the call can be reached from here, within the loop */
    bool is_cut;       /* edges back to here are not followed any more */
};

/* At most one of each for every byte.  Elements are initialised when they are first used. */
struct code_memory {
    struct jump jumps[CODE_BYTES_MOST];
    struct mark marks[CODE_BYTES_MOST];
    uint32_t stack[CODE_BYTES_MOST];
    uint8_t kinds[CODE_BYTES_MOST];
};

/* A function that is being read. */
struct reading {
    const unsigned char *code;
    size_t size;
    struct jump *jumps;
    uint8_t *kinds; /* of bytes */
    uint32_t jump_count;
};

/* A function that is being asked about. */
struct function {
    const struct code_block *blocks;
    uint32_t block_count;
    struct mark *marks;
    uint32_t *stack; /* blocks to be visited */
    uint64_t steps;  /* steps taken; beyond STEPS_MOST no edge is followed */
    enum reach { LITTLE, IN_LOOP, ANYWHERE } jumps; /* where computed jumps may lead */
};

static bool goes_on(enum way way)
{
    return way == WAY_ON || way == WAY_BRANCH;
}

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
        if (goes_on(blocks[i].way) && i + 1 < count)
            blocks[i + 1].is_entered = true;
    }
}

/*
 * Whether the computed jump at the end of block AT may lead to block TO: surely if nothing else
 * does, or by the table of a switch in the same loop.
 */
static bool may_jump(const struct function *function, uint32_t at, uint32_t to)
{
    const uint8_t jump = function->blocks[at].jump;
    return function->jumps == ANYWHERE || !function->blocks[to].is_entered ||
           (function->jumps == IN_LOOP && jump > 0 &&
            function->blocks[to].jumps >> (jump - 1) & 1);
}

/*
 * Calls VISIT for all blocks that may follow the one at AT, until it returns true; returns
 * whether it did.
 */
typedef bool visitor(struct function *function, uint32_t to, void *context);

static bool each_next(struct function *function, uint32_t at, visitor *visit, void *context)
{
    const struct code_block *block = &function->blocks[at];
    if (++function->steps > STEPS_MOST)
        return false;
    if (block->target != NOWHERE && visit(function, block->target, context))
        return true;
    for (uint32_t to = 0; block->way == WAY_ANYWHERE && to < function->block_count; to++) {
        function->steps++;
        if (may_jump(function, at, to) && visit(function, to, context))
            return true;
    }
    return goes_on(block->way) && at + 1 < function->block_count &&
           visit(function, at + 1, context);
}

/* The part of the function that is being searched: blocks at this depth of loops. */
struct part {
    uint8_t loop;
    uint32_t count; /* on the stack */
};

static bool is_way(const struct function *function, uint32_t to, const struct part *part)
{
    return function->marks[to].loop == part->loop && !function->marks[to].is_cut;
}

static bool reach(struct function *function, uint32_t to, void *context)
{
    struct part *part = context;
    struct mark *mark = &function->marks[to];
    if (is_way(function, to, part) && !mark->is_reachable) {
        mark->is_reachable = true;
        function->stack[part->count++] = to;
    }
    return false;
}

static bool leads_back(struct function *function, uint32_t to, void *context)
{
    return is_way(function, to, context) && function->marks[to].reaches;
}

static bool leads_into(struct function *function, uint32_t to, void *context)
{
    const struct part *part = context;
    if (function->marks[to].loop == part->loop && to < function->stack[part->count])
        function->stack[part->count] = to;
    return false;
}

/* Marks what can be reached from the block at AT. */
static void reach_all(struct function *function, uint32_t at, struct part *part)
{
    for (uint32_t i = 0; i < function->block_count; i++)
        function->marks[i].is_reachable = false;
    each_next(function, at, reach, part);
    while (part->count > 0)
        each_next(function, function->stack[--part->count], reach, part);
}

/* Marks the blocks on any path from the block at AT back to itself; false if there is none. */
static bool find_loop(struct function *function, uint32_t at, uint8_t depth)
{
    struct mark *marks = function->marks;
    struct part part = {.loop = depth};
    bool changed = true;
    for (uint32_t i = 0; i < function->block_count; i++)
        marks[i].reaches = false;
    reach_all(function, at, &part);
    if (!marks[at].is_reachable)
        return false;
    marks[at].reaches = true;
    while (changed) {
        changed = false;
        function->steps += function->block_count;
        for (uint32_t i = function->block_count; i-- > 0;) {
            if (!marks[i].is_reachable || marks[i].reaches)
                continue;
            marks[i].reaches = each_next(function, i, leads_back, &part);
            changed = changed || marks[i].reaches;
        }
    }
    for (uint32_t i = 0; i < function->block_count; i++)
        if (marks[i].is_reachable && marks[i].reaches)
            marks[i].loop = (uint8_t)(depth + 1);
    return true;
}

/* The entry of the loop that was just found: the first, if there are several. */
static uint32_t find_entry(struct function *function, uint8_t loop)
{
    const struct mark *marks = function->marks;
    struct part part = {.loop = loop};
    function->stack[0] = marks[0].loop == loop ? 0 : (uint32_t)NOWHERE;
    for (uint32_t i = 0; i < function->block_count; i++)
        if (marks[i].loop != loop && function->blocks[i].is_used)
            each_next(function, i, leads_into, &part);
    return function->stack[0];
}

static struct function ask(const struct code_block *blocks, uint32_t count,
                           struct code_memory *memory)
{
    memset(memory->marks, 0, count * sizeof *memory->marks);
    return (struct function){
        .blocks = blocks, .block_count = count, .marks = memory->marks, .stack = memory->stack};
}

/* Finds the loops around BLOCK, outermost first, and their ENTRIES; returns how many. */
static unsigned nest(struct function *function, uint32_t block, uint32_t *entries)
{
    unsigned found = 0;
    while (found < LOOPS_DEEPEST && find_loop(function, block, (uint8_t)found)) {
        const uint32_t entry = find_entry(function, (uint8_t)(found + 1));
        if (entry == NOWHERE)
            break;
        function->marks[entry].is_cut = true;
        entries[found++] = entry;
    }
    return found;
}

int code_loops_around(const struct code_block *blocks, uint32_t count, uint32_t at,
                      uint32_t *around, unsigned most, struct code_memory *memory)
{
    uint32_t entries[LOOPS_DEEPEST];
    struct function function = ask(blocks, count, memory);
    const uint32_t block = block_of(blocks, count, at);
    if (!blocks[block].is_used)
        return -1;
    const unsigned found = nest(&function, block, entries);
    if (function.steps > STEPS_MOST)
        return -1;
    for (unsigned i = 0; i < found && i < most; i++)
        around[i] = blocks[entries[found - 1 - i]].start;
    return (int)(found < most ? found : most);
}

/*
 * Marks the blocks that can be reached from the function's first.  Padding between blocks
 * cannot, but falls through to the next.
 */
static void find_used(struct function *function, struct code_block *blocks)
{
    struct part part = {.loop = 0};
    reach_all(function, 0, &part);
    for (uint32_t i = 0; i < function->block_count; i++)
        blocks[i].is_used = i == 0 || function->marks[i].is_reachable;
}

/* Finds out where computed jumps may lead: in no loop, to what comes behind them. */
static void look_at_jumps(struct function *function, struct code_block *blocks)
{
    uint32_t entries[LOOPS_DEEPEST];
    uint8_t jumps = 0;
    for (uint32_t at = 0; at < function->block_count && jumps < JUMPS_MOST; at++) {
        if (blocks[at].way != WAY_ANYWHERE || !blocks[at].is_used)
            continue;
        const unsigned loops = nest(function, at, entries);
        for (uint32_t i = 0; i < function->block_count; i++) {
            struct mark *mark = &function->marks[i];
            if (loops > 0 ? mark->loop == loops : i > at)
                blocks[i].jumps |= UINT32_C(1) << jumps;
            mark->loop = 0;
            mark->is_cut = false;
        }
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
    if (!read_all(&reading) || !mark_leaders(&reading))
        return 0;
    const uint32_t count = make_blocks(&reading, blocks, most);
    if (count == 0)
        return 0;
    join_blocks(blocks, count);
    struct function function = ask(blocks, count, memory);
    find_used(&function, blocks);
    look_at_jumps(&function, blocks);
    return function.steps > STEPS_MOST ? 0 : count;
}

/* Whether a way leads from the end of block FROM into block TO, but not into block AVOIDED. */
static bool leads(struct function *function, uint32_t from, uint32_t to, uint32_t avoided)
{
    struct part part = {.loop = 0};
    if (avoided != NOWHERE)
        function->marks[avoided].is_cut = true;
    reach_all(function, from, &part);
    if (avoided != NOWHERE)
        function->marks[avoided].is_cut = false;
    return function->marks[to].is_reachable;
}

struct code_way code_way_between(const struct code_block *blocks, uint32_t count, uint32_t from,
                                 uint32_t to, const uint32_t *entries, unsigned entry_count,
                                 struct code_memory *memory)
{
    const struct code_way unknown = {.known = false};
    const uint32_t first = block_of(blocks, count, from), last = block_of(blocks, count, to);
    struct code_way way = {.known = true, .possible = true, .same = from == to};
    struct function function = ask(blocks, count, memory);
    if (!blocks[first].is_used || !blocks[last].is_used)
        return unknown;
    if (first == last && from < to)
        return way;
    function.jumps = IN_LOOP;
    if (leads(&function, first, last, NOWHERE)) {
        for (unsigned i = 0; i < entry_count; i++)
            if (!leads(&function, first, last, block_of(blocks, count, entries[i])))
                way.crossed |= 1u << i;
    } else {
        function.jumps = ANYWHERE;
        way.possible = leads(&function, first, last, NOWHERE);
    }
    return function.steps > STEPS_MOST ? unknown : way;
}

/*
 * Cuts the blocks of all SITES but those of FIRST and LAST.  False if one of them lies on every
 * way from FROM, in block FIRST, by block TOP to TO, in block LAST.
 */
static bool cut_sites(struct function *function, uint32_t from, uint32_t to, uint32_t top,
                      const uint32_t *sites, unsigned count)
{
    const uint32_t first = block_of(function->blocks, function->block_count, from),
                   last = block_of(function->blocks, function->block_count, to);
    for (unsigned i = 0; i < count; i++) {
        const uint32_t site = block_of(function->blocks, function->block_count, sites[i]);
        if ((site == first && sites[i] > from) || (site == last && sites[i] < to) ||
            (site == top && site != last))
            return false;
        function->marks[site].is_cut = site != last;
    }
    return true;
}

bool code_may_pass_unseen(const struct code_block *blocks, uint32_t count, uint32_t from,
                          uint32_t to, uint32_t entry, const uint32_t *sites,
                          unsigned site_count, struct code_memory *memory)
{
    const uint32_t first = block_of(blocks, count, from), last = block_of(blocks, count, to),
                   top = block_of(blocks, count, entry);
    struct function function = ask(blocks, count, memory);
    function.jumps = IN_LOOP;
    return top != last && cut_sites(&function, from, to, top, sites, site_count) &&
           leads(&function, first, last, top) && leads(&function, first, top, NOWHERE) &&
           leads(&function, top, last, NOWHERE) && function.steps <= STEPS_MOST;
}

size_t code_memory_bytes(void)
{
    return sizeof(struct code_memory);
}
