/*
 * What a function that has a loop does to its frame, and what may be the loop's counters: see
 * counter.h and counting.h.
 */
#include "detect/counting.h"
#include "detect/nesting.h"

static void take_address(struct counting *counting, unsigned kind, int32_t offset)
{
    if (!counting->is_taken[kind] || offset < counting->taken[kind])
        counting->taken[kind] = offset;
    counting->is_taken[kind] = true;
}

/* Whether EFFECT gives the frame pointer a value that no frame pointer has. */
static bool spoils_fp(const struct effect *effect)
{
    const bool from_sp = effect->kind == EFFECT_ADD && effect->from.kind == PLACE_REGISTER &&
                         effect->from.number == EFFECT_SP;
    /* What is popped was the caller's. */
    return (effect->written >> EFFECT_FP & 1) && !from_sp && effect->moved == 0 &&
           effect->kind != EFFECT_ANY;
}

static void add_candidate(struct counting *counting, struct effect_place place)
{
    if (place.kind == PLACE_ELSEWHERE ||
        (place.kind == PLACE_REGISTER && place.number == EFFECT_SP))
        return;
    for (unsigned i = 0; i < counting->candidate_count; i++)
        if (counting_is_same(counting->candidates[i], place))
            return;
    if (counting->candidate_count < COUNTING_CANDIDATES)
        counting->candidates[counting->candidate_count++] = place;
}

/* Whether it does nothing: what pads code, and comparisons. */
static bool is_idle(const struct effect *effect)
{
    return effect->kind == EFFECT_OTHER && effect->written == 0 && effect->stored_bytes == 0 &&
           effect->moved == 0 && effect->taken.kind == PLACE_ELSEWHERE;
}

static void scan_effect(struct counting *counting, struct counting_scan *scan,
                        const struct effect *effect)
{
    const struct effect_place *taken = &effect->taken;
    scan->acts = scan->acts || !is_idle(effect);
    scan->calls = effect->kind == EFFECT_CALL || (scan->calls && is_idle(effect));
    counting->is_fp_plain = counting->is_fp_plain || spoils_fp(effect);
    if (taken->kind == PLACE_BY_FP)
        take_address(counting, COUNTING_BY_FP, taken->offset);
    if (taken->kind == PLACE_BY_SP) {
        const int32_t offset = counting_is_far(taken->offset) ? -COUNTING_FAR : taken->offset,
                      since = offset + scan->sp;
        scan->lowest = scan->is_taken && scan->lowest < offset ? scan->lowest : offset;
        scan->since = scan->is_taken && scan->since < since ? scan->since : since;
        scan->is_taken = true;
    }
    scan->sp += counting_is_far(effect->moved) ? 0 : effect->moved;
    scan->sp = counting_is_far(scan->sp) ? 0 : scan->sp;
}

/* Whether BLOCK may go on in the function. */
static bool stays(const struct code_block *block)
{
    return block->way != WAY_END &&
           (block->way != WAY_JUMP || block->target != COUNTING_NOWHERE);
}

/*
 * Takes over what SCAN has found in BLOCK.  In the loop the stack pointer is at a block's begin
 * where it is at the loop's entry, but between blocks that push and those that pop: *PUSHED is
 * how much lower it may be.  Outside, it is there at the begin or at the end, such as that of
 * the function's first block, unless the function is left there: the lower address counts.
 */
static void end_scan(struct counting *counting, const struct counting_scan *scan,
                     const struct code_block *block, bool inside, int32_t *pushed)
{
    if (inside && scan->sp < 0)
        *pushed += *pushed < COUNTING_FAR ? -scan->sp : 0;
    if (!scan->is_taken)
        return;
    take_address(counting, COUNTING_BY_SP, scan->lowest);
    if (inside || !stays(block) || scan->sp > 0)
        take_address(counting, COUNTING_BY_SP, scan->since);
    if (!inside && stays(block))
        take_address(counting, COUNTING_BY_SP, scan->since - scan->sp);
}

/*
 * Whether BLOCK, which is outside the loop, leads into it in such a way that what the loop's
 * places hold is not known: elsewhere than at its entry, or from code to which only exceptions
 * lead, which may come from any call.  A call at its end does not return, if the loop's middle
 * is what lies behind it.  SCAN is what the block does.
 */
static bool intrudes(struct counting *counting, uint32_t block,
                     const struct counting_scan *scan)
{
    const struct code_block *blocks = counting->function.blocks;
    uint32_t cursor = 0, to;
    const bool ends =
        blocks[block].way == WAY_ON && (blocks[block].is_used ? scan->calls : !scan->acts);
    while ((to = flow_next(&counting->flow, block, &cursor)) != COUNTING_NOWHERE)
        if (nesting_holds(blocks, counting->entry, to) && !ends &&
            (to != counting->entry || !blocks[block].is_used))
            return true;
    return false;
}

/* What is loaded, changed and stored again lies in the frame. */
static void add_candidates(struct counting *counting, const struct effect *effect)
{
    if (effect->kind != EFFECT_ADD)
        return;
    if (effect->number != 0 || effect->to.kind != PLACE_REGISTER)
        add_candidate(counting, effect->to);
    if (effect->number != 0)
        add_candidate(counting, effect->from);
}

static void begin_block(struct counting *counting, uint32_t block)
{
    counting_read(counting, block);
    counting->scan = (struct counting_scan){.sp = 0};
}

/* The block that is being read has been; returns whether it was the last. */
static bool end_block(struct counting *counting, bool inside)
{
    const uint32_t block = counting->reading;
    counting->looks++;
    if (!inside && intrudes(counting, block, &counting->scan)) {
        counting->failed = true;
        return true;
    }
    end_scan(counting, &counting->scan, &counting->function.blocks[block], inside,
             &counting->pushed);
    counting->is_reading = false;
    return block + 1 == counting->function.count;
}

bool counting_look(struct counting *counting)
{
    struct effect effect;
    if (!counting->is_reading)
        begin_block(counting, counting->reading);
    const bool inside =
        nesting_holds(counting->function.blocks, counting->entry, counting->reading);
    if (counting_next(counting, &effect)) {
        scan_effect(counting, &counting->scan, &effect);
        if (inside)
            add_candidates(counting, &effect);
        return false;
    }
    if (!end_block(counting, inside)) {
        counting->reading++;
        return false;
    }
    counting->taken[COUNTING_BY_SP] -= counting->pushed;
    counting->failed = counting->failed || counting->read > COUNTING_INSTRUCTIONS ||
                       flow_was_too_long(&counting->flow);
    return true;
}
