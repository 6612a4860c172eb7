/* See code.h. */
#include "detect/code.h"

#include "arch/arch.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    NOWHERE = INSTRUCTION_NOWHERE,
    LOOPS_DEEPEST = 16,
    STEPS_MOST = 4000000 /* some 10 ms */
};

/* What is known of each byte. */
enum { INSIDE, FIRST /* of an instruction */, LEADER /* of a block */ };

/* An instruction that does not just continue with the next one. */
struct jump {
    uint32_t end, target;
    uint8_t way; /* enum way */
};

/* A basic block: consecutive instructions that are entered at the first of them only. */
struct block {
    uint32_t start;
    uint32_t target;   /* a block; a byte offset until blocks are linked */
    uint8_t way;       /* of its last instruction */
    uint8_t loop;      /* nesting depth in the loops around the call */
    bool is_entered;   /* some block jumps here */
    bool is_used;      /* reachable from the function's first block */
    bool is_reachable; /* reachable from the call, within the loop */
    bool reaches;      /* the call can be reached from here, within the loop */
    bool is_cut;       /* edges back to here are not followed any more */
};

/* At most one of each for every byte.  Elements are initialised when they are first used. */
struct code_memory {
    struct jump jumps[CODE_BYTES_MOST];
    struct block blocks[CODE_BYTES_MOST];
    uint32_t stack[CODE_BYTES_MOST];
    uint8_t kinds[CODE_BYTES_MOST];
};

struct function {
    const unsigned char *code;
    size_t size;
    struct jump *jumps;
    struct block *blocks;
    uint32_t *stack; /* blocks to be visited */
    uint8_t *kinds;  /* of bytes */
    uint32_t jump_count, block_count;
    uint64_t steps; /* steps taken; beyond STEPS_MOST no edge is followed */
};

static bool goes_on(enum way way)
{
    return way == WAY_ON || way == WAY_BRANCH;
}

/*
 * Decodes all instructions. *BACK receives whether one at or after byte AT may jump to AT or
 * before it.
 */
static bool read_all(struct function *function, size_t at, bool *back)
{
    struct instruction read;
    *back = false;
    for (size_t i = 0; i < function->size; i += read.length) {
        if (!instruction_read(function->code, function->size, i, &read))
            return false;
        function->kinds[i] = FIRST;
        if (read.way == WAY_ON)
            continue;
        const uint32_t end = (uint32_t)i + read.length;
        function->jumps[function->jump_count++] =
            (struct jump){.end = end, .target = read.target, .way = (uint8_t)read.way};
        *back = *back || (end > at && (read.target <= at || read.way == WAY_ANYWHERE));
    }
    return true;
}

/*
 * Marks the leaders of blocks.  False if a jump leads into the middle of an instruction: then
 * what was decoded is not what runs.
 */
static bool mark_leaders(struct function *function)
{
    uint8_t *kinds = function->kinds;
    kinds[0] = LEADER;
    for (uint32_t i = 0; i < function->jump_count; i++) {
        const struct jump *jump = &function->jumps[i];
        if (jump->end < function->size)
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
static uint32_t block_of(const struct function *function, uint32_t at)
{
    uint32_t low = 0, high = function->block_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (function->blocks[middle].start <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The first leader at or after byte AT; the function's end if there is none. */
static uint32_t next_leader(const struct function *function, uint32_t at)
{
    const uint8_t *leader = memchr(function->kinds + at, LEADER, function->size - at);
    return leader ? (uint32_t)(leader - function->kinds) : (uint32_t)function->size;
}

static void make_blocks(struct function *function)
{
    const struct jump *jump = function->jumps, *last = jump + function->jump_count;
    for (uint32_t start = 0, end; start < function->size; start = end) {
        struct block *block = &function->blocks[function->block_count++];
        *block = (struct block){.start = start, .target = NOWHERE, .way = WAY_ON};
        end = next_leader(function, start + 1);
        if (jump < last && jump->end == end) {
            block->target = jump->target;
            block->way = jump->way;
            jump++;
        }
    }
}

static void join_blocks(struct function *function)
{
    struct block *blocks = function->blocks;
    blocks[0].is_entered = true;
    for (uint32_t i = 0; i < function->block_count; i++) {
        if (blocks[i].target != NOWHERE) {
            blocks[i].target = block_of(function, blocks[i].target);
            blocks[blocks[i].target].is_entered = true;
        }
        if (goes_on(blocks[i].way) && i + 1 < function->block_count)
            blocks[i + 1].is_entered = true;
    }
}

/*
 * Calls VISIT for all blocks that may follow the one at AT, until it returns true; returns
 * whether it did.
 */
typedef bool visitor(struct function *function, uint32_t to, void *context);

static bool each_next(struct function *function, uint32_t at, visitor *visit, void *context)
{
    const struct block *block = &function->blocks[at];
    if (++function->steps > STEPS_MOST)
        return false;
    if (block->target != NOWHERE && visit(function, block->target, context))
        return true;
    if (goes_on(block->way) && at + 1 < function->block_count)
        return visit(function, at + 1, context);
    for (uint32_t to = 0; block->way == WAY_ANYWHERE && to < function->block_count; to++) {
        function->steps++;
        if (!function->blocks[to].is_entered && visit(function, to, context))
            return true;
    }
    return false;
}

/* The part of the function that is being searched: blocks at this depth of loops. */
struct part {
    uint8_t loop;
    uint32_t count; /* on the stack */
};

static bool is_way(const struct function *function, uint32_t to, const struct part *part)
{
    return function->blocks[to].loop == part->loop && !function->blocks[to].is_cut;
}

static bool reach(struct function *function, uint32_t to, void *context)
{
    struct part *part = context;
    struct block *block = &function->blocks[to];
    if (is_way(function, to, part) && !block->is_reachable) {
        block->is_reachable = true;
        function->stack[part->count++] = to;
    }
    return false;
}

static bool leads_back(struct function *function, uint32_t to, void *context)
{
    return is_way(function, to, context) && function->blocks[to].reaches;
}

static bool leads_into(struct function *function, uint32_t to, void *context)
{
    const struct part *part = context;
    if (function->blocks[to].loop == part->loop && to < function->stack[part->count])
        function->stack[part->count] = to;
    return false;
}

/* Marks what can be reached from the block at AT. */
static void reach_all(struct function *function, uint32_t at, struct part *part)
{
    for (uint32_t i = 0; i < function->block_count; i++)
        function->blocks[i].is_reachable = false;
    each_next(function, at, reach, part);
    while (part->count > 0)
        each_next(function, function->stack[--part->count], reach, part);
}

/*
 * Marks the blocks that can be reached from the function's first.  Padding between blocks
 * cannot, but falls through to the next.
 */
static void find_used(struct function *function)
{
    struct part part = {.loop = 0};
    reach_all(function, 0, &part);
    for (uint32_t i = 0; i < function->block_count; i++)
        function->blocks[i].is_used = i == 0 || function->blocks[i].is_reachable;
}

/* Marks the blocks on any path from the block at AT back to itself; false if there is none. */
static bool find_loop(struct function *function, uint32_t at, uint8_t depth)
{
    struct block *blocks = function->blocks;
    struct part part = {.loop = depth};
    bool changed = true;
    for (uint32_t i = 0; i < function->block_count; i++)
        blocks[i].reaches = false;
    reach_all(function, at, &part);
    if (!blocks[at].is_reachable)
        return false;
    blocks[at].reaches = true;
    while (changed) {
        changed = false;
        function->steps += function->block_count;
        for (uint32_t i = function->block_count; i-- > 0;) {
            if (!blocks[i].is_reachable || blocks[i].reaches)
                continue;
            blocks[i].reaches = each_next(function, i, leads_back, &part);
            changed = changed || blocks[i].reaches;
        }
    }
    for (uint32_t i = 0; i < function->block_count; i++)
        if (blocks[i].is_reachable && blocks[i].reaches)
            blocks[i].loop = (uint8_t)(depth + 1);
    return true;
}

/* The entry of the loop that was just found: the first, if there are several. */
static uint32_t find_entry(struct function *function, uint8_t loop)
{
    const struct block *blocks = function->blocks;
    struct part part = {.loop = loop};
    function->stack[0] = blocks[0].loop == loop ? 0 : (uint32_t)NOWHERE;
    for (uint32_t i = 0; i < function->block_count; i++)
        if (blocks[i].loop != loop && blocks[i].is_used)
            each_next(function, i, leads_into, &part);
    return function->stack[0];
}

/* Finds the entries of the loops around byte AT, outermost first; returns how many, or -1. */
static int find_loops(struct function *function, uint32_t at, size_t *entries)
{
    unsigned count = 0;
    make_blocks(function);
    join_blocks(function);
    find_used(function);
    const uint32_t block = block_of(function, at);
    if (!function->blocks[block].is_used)
        return -1;
    while (count < LOOPS_DEEPEST && find_loop(function, block, (uint8_t)count)) {
        const uint32_t entry = find_entry(function, (uint8_t)(count + 1));
        if (entry == NOWHERE)
            break;
        function->blocks[entry].is_cut = true;
        entries[count++] = function->blocks[entry].start;
    }
    return function->steps > STEPS_MOST ? -1 : (int)count;
}

static struct function make_function(const unsigned char *code, size_t bytes,
                                     struct code_memory *memory)
{
    memset(memory->kinds, INSIDE, bytes);
    return (struct function){.code = code,
                             .size = bytes,
                             .jumps = memory->jumps,
                             .blocks = memory->blocks,
                             .stack = memory->stack,
                             .kinds = memory->kinds};
}

int code_loops_around(const unsigned char *code, size_t bytes, size_t at, size_t *around,
                      unsigned most, struct code_memory *memory)
{
    size_t entries[LOOPS_DEEPEST];
    bool back;
    if (bytes > CODE_BYTES_MOST || at >= bytes)
        return -1;
    struct function function = make_function(code, bytes, memory);
    if (!read_all(&function, at, &back) || !mark_leaders(&function))
        return -1;
    /*
     * A loop around AT has to lead back to it from behind: most functions have none and end
     * here.
     */
    const int count = back ? find_loops(&function, (uint32_t)at, entries) : 0;
    for (int i = 0; i < count && i < (int)most; i++)
        around[i] = entries[count - 1 - i];
    return count < (int)most ? count : (int)most;
}

size_t code_memory_bytes(void)
{
    return sizeof(struct code_memory);
}
