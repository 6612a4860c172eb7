/* See reading.h. */
#include "detect/reading.h"

#include "arch/arch.h"

#include <string.h>

enum {
    NOWHERE = INSTRUCTION_NOWHERE,
    JUMPS_MOST = 32,   /* to computed addresses, that are looked at closely */
    BYTE_STEPS = 4,    /* that decoding a byte and making blocks of it takes; */
    DECODE_STEPS = 12, /* in a piece: decoding an instruction, */
    LEADER_STEPS = 5,  /* looking at a jump */
    BLOCK_STEPS = 16,  /* looking for one among all, */
    HOLDS_STEPS = 5,   /* and for a loop among those around it */
    TURNING_STEPS = 2, /* each look for loops that are entered in the middle of their body */
    REACH_STEPS = 4,   /* steps of a piece for each that following an edge takes, */
    LOOPS_STEPS = 6    /* and looking for loops */
};

/* What is known of each byte. */
enum { INSIDE, FIRST /* of an instruction */, LEADER /* of a block */ };

/* Decodes the instruction at `at`. */
static uint64_t read_instruction(struct reading *reading)
{
    struct instruction read;
    if (!instruction_read(reading->code, reading->size, reading->at, &read)) {
        reading->is_refused = true;
        return 0;
    }
    reading->room->kinds[reading->at] = FIRST;
    reading->at += read.length;
    if (read.way != WAY_ON)
        reading->room->jumps[reading->jump_count++] = (struct reading_jump){
            .end = reading->at, .target = read.target, .way = (uint8_t)read.way};
    reading->steps += (uint64_t)read.length * BYTE_STEPS;
    return DECODE_STEPS + read.length;
}

/*
 * Marks the leaders of blocks, by jump number `at`.  If it leads into the middle of an
 * instruction what was decoded is not what runs.
 */
static uint64_t mark_leaders(struct reading *reading)
{
    const struct reading_jump *jump = &reading->room->jumps[reading->at++];
    uint8_t *kinds = reading->room->kinds;
    if (jump->end < reading->size)
        kinds[jump->end] = LEADER;
    if (jump->target == NOWHERE)
        return LEADER_STEPS;
    reading->is_refused = reading->is_refused || kinds[jump->target] == INSIDE;
    kinds[jump->target] = LEADER;
    return LEADER_STEPS;
}

/* The first leader at or after byte AT; the function's end if there is none. */
static uint32_t next_leader(const struct reading *reading, uint32_t at)
{
    const uint8_t *kinds = reading->room->kinds,
                  *leader = memchr(kinds + at, LEADER, reading->size - at);
    return leader ? (uint32_t)(leader - kinds) : reading->size;
}

/* Makes the block at byte `at`; its target is a byte offset.  Jump number `to` may end it. */
static uint64_t make_block(struct reading *reading)
{
    const struct reading_jump *jump = &reading->room->jumps[reading->to];
    const uint32_t start = reading->at;
    if (reading->count == reading->most) {
        reading->is_refused = true;
        return 0;
    }
    struct code_block *block = &reading->blocks[reading->count++];
    *block = (struct code_block){.start = start, .target = NOWHERE, .way = WAY_ON};
    reading->at = next_leader(reading, start + 1);
    if (reading->to < reading->jump_count && jump->end == reading->at) {
        block->target = jump->target;
        block->way = jump->way;
        reading->to++;
    }
    return BLOCK_STEPS;
}

/* Makes a block of the target of block `at`. */
static uint64_t find_target(struct reading *reading)
{
    struct code_block *blocks = reading->blocks, *block = &blocks[reading->at++];
    if (block->target != NOWHERE) {
        block->target = flow_block_of(blocks, reading->count, block->target);
        blocks[block->target].is_entered = true;
    }
    if (flow_goes_on(block) && reading->at < reading->count)
        blocks[reading->at].is_entered = true;
    return BLOCK_STEPS;
}

/* Lists the blocks that no other is known to lead to: a computed jump may. */
static void list_landings(struct reading *reading)
{
    for (uint32_t i = 0; i < reading->count; i++)
        if (!reading->blocks[i].is_entered)
            reading->room->landings[reading->flow.landing_count++] = i;
}

static void begin_flow(struct reading *reading)
{
    memset(reading->flow.marks, 0, reading->count * sizeof *reading->flow.marks);
    reading->flow.blocks = reading->blocks;
    reading->flow.count = reading->count;
    reading->flow.landings = reading->room->landings;
    list_landings(reading);
    flow_reach_begin(&reading->flow, 0);
}

/*
 * Marks the blocks that can be reached from the function's first.  Padding between blocks
 * cannot, but falls through to the next.
 */
static void mark_used(struct reading *reading)
{
    for (uint32_t i = 0; i < reading->count; i++)
        reading->blocks[i].is_used = i == 0 || reading->flow.marks[i].is_reachable;
}

/*
 * Where the computed jump at the end of block `at` may lead: in no loop, to what comes behind
 * it.  Block `to` is looked at, if there is such a jump.
 */
static uint64_t look_at_jump(struct reading *reading)
{
    struct code_block *blocks = reading->blocks, *block = &blocks[reading->at],
                      *to = &blocks[reading->to];
    if (block->way != WAY_ANYWHERE || !block->is_used) {
        reading->at++;
        return LEADER_STEPS;
    }
    if (block->loop != NOWHERE ? nesting_holds(blocks, block->loop, reading->to)
                               : reading->to > reading->at)
        to->jumps |= UINT32_C(1) << reading->computed;
    if (++reading->to == reading->count) {
        block->jump = ++reading->computed;
        reading->at++;
        reading->to = 0;
    }
    return HOLDS_STEPS;
}

void reading_begin(struct reading *reading, const unsigned char *code, size_t bytes,
                   struct code_block *blocks, uint32_t most, struct reading_room *room,
                   struct flow_mark *marks, uint32_t *stack)
{
    *reading = (struct reading){.code = code,
                                .size = (uint32_t)bytes,
                                .blocks = blocks,
                                .most = most,
                                .room = room,
                                .flow = {.marks = marks, .stack = stack}};
    memset(room->kinds, INSIDE, bytes);
}

/* Goes on to the next stage, and begins it. */
static void next_stage(struct reading *reading)
{
    reading->stage++;
    reading->at = reading->to = 0;
    switch (reading->stage) {
    case READING_LEADERS:
        reading->room->kinds[0] = LEADER;
        break;
    case READING_TARGETS:
        reading->blocks[0].is_entered = true;
        break;
    case READING_USED:
        begin_flow(reading);
        break;
    case READING_LOOPS:
        mark_used(reading);
        nesting_begin(&reading->nesting, &reading->flow, reading->blocks,
                      reading->room->nesting, reading->room->path);
        break;
    case READING_TURNING:
        turning_begin(&reading->turning, reading->code, reading->size, reading->blocks,
                      reading->count, reading->room->turning);
        break;
    default:
        break;
    }
}

static uint64_t go_on_with_used(struct reading *reading, uint64_t steps, bool *is_last)
{
    const uint64_t before = reading->flow.steps;
    *is_last = flow_reach_go_on(&reading->flow, steps / REACH_STEPS + 1);
    return (reading->flow.steps - before) * REACH_STEPS;
}

static uint64_t go_on_with_loops(struct reading *reading, uint64_t steps, bool *is_last)
{
    const uint64_t before = nesting_steps(&reading->nesting);
    *is_last = nesting_go_on(&reading->nesting, steps / LOOPS_STEPS + 1);
    return (nesting_steps(&reading->nesting) - before) * LOOPS_STEPS;
}

static uint64_t go_on_with_turning(struct reading *reading, uint64_t steps, bool *is_last)
{
    const uint64_t before = reading->turning.looks;
    *is_last =
        reading->computed > 0 || turning_go_on(&reading->turning, steps / TURNING_STEPS + 1);
    const uint64_t took = (reading->turning.looks - before) * TURNING_STEPS;
    reading->steps += took;
    return took;
}

/* Does a part of the stage, of STEPS at most where that can be told.  Returns how many it took.
 */
static uint64_t do_part(struct reading *reading, uint64_t steps)
{
    bool is_last = false;
    uint64_t took = 0;
    switch (reading->stage) {
    case READING_INSTRUCTIONS:
        took = read_instruction(reading);
        is_last = reading->at >= reading->size;
        break;
    case READING_LEADERS:
        took = reading->jump_count > 0 ? mark_leaders(reading) : 0;
        is_last = reading->at >= reading->jump_count;
        break;
    case READING_BLOCKS:
        took = make_block(reading);
        is_last = reading->at == reading->size;
        break;
    case READING_TARGETS:
        took = find_target(reading);
        is_last = reading->at == reading->count;
        break;
    case READING_USED:
        took = go_on_with_used(reading, steps, &is_last);
        break;
    case READING_LOOPS:
        took = go_on_with_loops(reading, steps, &is_last);
        break;
    case READING_JUMPS:
        took = look_at_jump(reading);
        is_last = reading->at == reading->count || reading->computed == JUMPS_MOST;
        break;
    case READING_TURNING:
        took = go_on_with_turning(reading, steps, &is_last);
        break;
    case READING_ENDED:
        break;
    }
    if (is_last && !reading->is_refused)
        next_stage(reading);
    return took;
}

bool reading_go_on(struct reading *reading, uint64_t steps)
{
    uint64_t took = 0;
    while (took < steps && reading->stage != READING_ENDED && !reading->is_refused)
        took += do_part(reading, steps - took);
    return reading->stage == READING_ENDED || reading->is_refused;
}

uint64_t reading_steps(const struct reading *reading)
{
    return reading->steps + reading->flow.steps;
}

uint32_t reading_blocks(const struct reading *reading)
{
    return reading->is_refused || flow_was_too_long(&reading->flow) ? 0 : reading->count;
}
