/* See counter.h, and counting.h for its pieces. */
#include "detect/counter.h"

#include "detect/counting.h"
#include "detect/nesting.h"

#include <string.h>

/* Elements of the arrays are initialised when they are first used. */
struct counter_memory {
    uint64_t steps;
    struct counting counting;
    uint8_t flags[COUNTING_BLOCKS];
    struct counting_state states[COUNTING_BLOCKS];
    uint32_t waiting[COUNTING_BLOCKS];
};

size_t counter_memory_bytes(void)
{
    return sizeof(struct counter_memory);
}

enum { SMALL_BLOCKS = 50 };

void counter_memory_touch(struct counter_memory *memory)
{
    memset(&memory->counting, 0, sizeof memory->counting);
    memset(memory->flags, 0, SMALL_BLOCKS * sizeof *memory->flags);
    memset(memory->states, 0, SMALL_BLOCKS * sizeof *memory->states);
    memset(memory->waiting, 0, SMALL_BLOCKS * sizeof *memory->waiting);
}

void counting_read(struct counting *counting, uint32_t block)
{
    counting->reading = block;
    counting->next = counting->function.blocks[block].start;
    counting->cursor = 0;
    counting->is_reading = true;
}

uint32_t counting_end(const struct counting *counting)
{
    const struct code_function *function = &counting->function;
    return counting->reading + 1 < function->count
               ? function->blocks[counting->reading + 1].start
               : (uint32_t)function->bytes;
}

bool counting_next(struct counting *counting, struct effect *effect)
{
    const struct code_function *function = &counting->function;
    struct instruction read;
    if (counting->next >= counting_end(counting) || ++counting->read > COUNTING_INSTRUCTIONS ||
        !instruction_read(function->code, function->bytes, counting->next, &read))
        return false;
    effect_read(function->code + counting->next, effect);
    counting->next += read.length;
    return true;
}

static bool is_inside(const struct counting *counting, uint32_t block)
{
    return nesting_holds(counting->function.blocks, counting->entry, block);
}

static void begin_stage(struct counting *counting, enum counting_stage stage)
{
    counting->stage = stage;
    counting->reading = counting->cursor = 0;
    counting->is_reading = false;
}

/* There is none; or none at the call, of the candidates so far. */
static const struct code_counter none = {.place = {.kind = PLACE_ELSEWHERE}};

static void end_with(struct counting *counting, struct code_counter found)
{
    counting->found = counting->read > COUNTING_INSTRUCTIONS ? none : found;
    begin_stage(counting, COUNTING_ENDED);
}

/* Begins to follow the next candidate. */
static void begin_candidate(struct counting *counting)
{
    struct counting_state *begin = &counting->now;
    counting->looks++;
    if (counting->candidate == counting->candidate_count) {
        end_with(counting, none);
        return;
    }
    const struct effect_place place = counting->candidates[counting->candidate++];
    if (counting->is_known && !counting_is_same(place, counting->known))
        return;
    *begin = (struct counting_state){.holds = 0};
    counting->step = 0;
    counting->failed = false;
    counting->slot_count = 0;
    counting->loaded = 0;
    counting->waiting_count = 0;
    memset(counting->flags, 0, counting->function.count);
    counting->number = counting_number(counting, place, begin);
    if (counting->number < 0)
        return;
    begin->holds = UINT64_C(1) << counting->number;
    counting_reach(counting, counting->entry, begin);
    begin_stage(counting, COUNTING_FOLLOW);
}

/* The loop's entry is reached again: the candidate has to have grown by the step. */
static void come_again(struct counting *counting)
{
    const struct counting_state *state = &counting->now;
    const uint32_t step = state->ahead[counting->number];
    if (!(state->holds >> counting->number & 1) || state->lost || state->sp != 0 || step == 0 ||
        (counting->step != 0 && step != counting->step))
        counting->failed = true;
    counting->step = step;
}

/* Follows another edge behind the block that has been gone through; false: there is none. */
static bool follow_edge(struct counting *counting)
{
    const uint32_t to = flow_next(&counting->flow, counting->reading, &counting->cursor);
    if (to == COUNTING_NOWHERE || counting->failed)
        return false;
    if (to == counting->entry)
        come_again(counting);
    else if (is_inside(counting, to))
        counting_reach(counting, to, &counting->now);
    return true;
}

/* Begins to go through a block that waits for it; false: none does. */
static bool begin_block(struct counting *counting)
{
    if (counting->waiting_count == 0 || counting->failed)
        return false;
    const uint32_t block = counting->waiting[--counting->waiting_count];
    counting->flags[block] &= (uint8_t)~COUNTING_WAITING;
    counting->now = counting->states[block];
    counting_read(counting, block);
    return true;
}

/*
 * Whether the candidate is a counter has been found out.  If it is, where it is at the call is
 * looked for, if the call is reached.
 */
static void end_candidate(struct counting *counting)
{
    const bool is_counter =
        !counting->failed && counting->step != 0 && !flow_was_too_long(&counting->flow);
    if (!is_counter || !(counting->flags[counting->block] & COUNTING_REACHED)) {
        begin_stage(counting, COUNTING_CANDIDATE);
        return;
    }
    begin_stage(counting, COUNTING_PLACE);
    counting->now = counting->states[counting->block];
    counting_read(counting, counting->block);
}

static void follow(struct counting *counting)
{
    struct effect effect;
    if (!counting->is_reading) {
        counting->looks++;
        if (!begin_block(counting))
            end_candidate(counting);
    } else if (counting_next(counting, &effect)) {
        counting_apply(counting, &counting->now, &effect);
    } else {
        counting->failed = counting->failed || counting->next < counting_end(counting);
        counting->looks++;
        counting->is_reading = follow_edge(counting);
    }
}

/*
 * A place from which the counter can be read at the call.  What the loop stores in its frame
 * and never loads is an argument of a call, and belongs to the function called.
 */
static struct code_counter find_place(const struct counting *counting)
{
    const struct counting_state *state = &counting->now;
    struct code_counter found = {.place = {.kind = PLACE_ELSEWHERE}, .step = counting->step};
    const uint64_t usable = state->holds & ((uint64_t)EFFECT_KEPT | counting->loaded);
    if (usable == 0)
        return found;
    const unsigned number = (unsigned)__builtin_ctzll(usable);
    found.ahead = state->ahead[number];
    if (number < EFFECT_REGISTERS)
        found.place = (struct effect_place){.kind = PLACE_REGISTER, .number = (uint8_t)number};
    else
        found.place = counting->slots[number - EFFECT_REGISTERS];
    if (found.place.kind == PLACE_BY_SP)
        found.place.offset -= state->sp;
    return found;
}

/* Goes through the call's block up to the call, and finds the counter there. */
static void go_to_call(struct counting *counting)
{
    struct effect effect;
    if (counting_next(counting, &effect) && counting->next <= counting->at) {
        counting_apply(counting, &counting->now, &effect);
        return;
    }
    struct code_counter found = find_place(counting);
    found.origin = counting->candidates[counting->candidate - 1];
    if (found.place.kind == PLACE_ELSEWHERE) {
        begin_stage(counting, COUNTING_CANDIDATE);
    } else if (counting->entry == 0) {
        /* Of what the function is called with nothing is known. */
        end_with(counting, found);
    } else {
        counting->found = found;
        begin_stage(counting, COUNTING_FIRST);
    }
}

/* Whether EFFECT changes what is at PLACE, or where that is. */
static bool changes(const struct effect *effect, struct effect_place place)
{
    if (effect->kind == EFFECT_ANY || (effect->moved && place.kind == PLACE_BY_SP) ||
        (place.kind == PLACE_BY_FP && effect->written >> EFFECT_FP & 1))
        return true;
    if (place.kind == PLACE_REGISTER)
        return effect->written >> place.number & 1 ||
               (effect->kind == EFFECT_CALL && !(EFFECT_KEPT >> place.number & 1));
    return effect->stored_bytes > 0 && effect->stored.kind == place.kind &&
           effect->stored.offset < place.offset + COUNTING_WORD &&
           effect->stored.offset + (int32_t)effect->stored_bytes > place.offset;
}

/* Whether the block that is being read ends with a known number in the counter's origin. */
static void note_set(struct counting *counting, const struct effect *effect)
{
    const struct effect_place place = counting->found.origin;
    if (effect->kind == EFFECT_SET && counting_is_same(effect->to, place)) {
        counting->sets = true;
        counting->number_set = effect->number;
    } else if (changes(effect, place)) {
        counting->sets = false;
    }
}

/* The first block in the loop that BLOCK may go on with; COUNTING_NOWHERE: there is none. */
static uint32_t way_in(struct counting *counting, uint32_t block)
{
    uint32_t cursor = 0, to;
    counting->looks++;
    if (!counting->function.blocks[block].is_used || is_inside(counting, block))
        return COUNTING_NOWHERE;
    do
        to = flow_next(&counting->flow, block, &cursor);
    while (to != COUNTING_NOWHERE && !is_inside(counting, to));
    return to;
}

static void end_first(struct counting *counting, bool starts)
{
    counting->found.starts = starts;
    end_with(counting, counting->found);
}

/* Whether the loop begins as it does from others from the block that has been read, too. */
static bool is_same_first(struct counting *counting)
{
    if (!counting->sets ||
        (counting->has_first && counting->number_set != counting->found.first))
        return false;
    counting->has_first = true;
    counting->found.first = counting->number_set;
    return true;
}

/* Looks at one more block, or instruction of it, of those that may lead into the loop. */
static void look_at_first(struct counting *counting)
{
    struct effect effect;
    if (counting->is_reading) {
        if (counting_next(counting, &effect)) {
            note_set(counting, &effect);
            return;
        }
        if (!is_same_first(counting)) {
            end_first(counting, false);
            return;
        }
        counting->is_reading = false;
        counting->reading++;
    }
    if (counting->reading == counting->function.count) {
        end_first(counting, counting->has_first && !flow_was_too_long(&counting->flow));
        return;
    }
    const uint32_t to = way_in(counting, counting->reading);
    if (to == COUNTING_NOWHERE) {
        counting->reading++;
    } else if (to != counting->entry) {
        end_first(counting, false);
    } else {
        counting->sets = false;
        counting_read(counting, counting->reading);
    }
}

/* Does what the stage does next. */
static void do_part(struct counting *counting)
{
    switch (counting->stage) {
    case COUNTING_LOOK:
        if (!counting_look(counting))
            break;
        if (counting->failed)
            end_with(counting, none);
        else
            begin_stage(counting, COUNTING_CANDIDATE);
        break;
    case COUNTING_CANDIDATE:
        begin_candidate(counting);
        break;
    case COUNTING_FOLLOW:
        follow(counting);
        break;
    case COUNTING_PLACE:
        go_to_call(counting);
        break;
    case COUNTING_FIRST:
        look_at_first(counting);
        break;
    case COUNTING_ENDED:
        break;
    }
}

void counter_begin(const struct code_function *function, uint32_t entry, uint32_t at,
                   const struct code_counter *known, struct counter_memory *memory)
{
    struct counting *counting = &memory->counting;
    *counting = (struct counting){
        .function = *function,
        .at = at,
        .is_known = known,
        .flow = {.blocks = function->blocks, .count = function->count, .jumps = FLOW_IN_LOOP},
        .found = none,
        .flags = memory->flags,
        .states = memory->states,
        .waiting = memory->waiting};
    if (known)
        counting->known = known->origin;
    counting->stage = COUNTING_ENDED;
    if (function->count == 0 || function->count > COUNTING_BLOCKS)
        return;
    counting->entry = flow_block_of(function->blocks, function->count, entry);
    counting->block = flow_block_of(function->blocks, function->count, at);
    if (function->blocks[counting->block].is_used && is_inside(counting, counting->block))
        counting->stage = COUNTING_LOOK;
}

static uint64_t steps_of(const struct counting *counting)
{
    return (uint64_t)counting->read * COUNTING_READ_STEPS + counting->looks +
           counting->flow.steps;
}

/* How far it has come, in steps of a piece. */
static uint64_t way_come(const struct counting *counting)
{
    return (uint64_t)counting->read * COUNTING_READ_PIECE +
           (counting->looks + counting->flow.steps) * COUNTING_LOOK_PIECE;
}

bool counter_go_on(struct counter_memory *memory, uint64_t steps, struct code_counter *found)
{
    struct counting *counting = &memory->counting;
    const uint64_t before = steps_of(counting), begin = way_come(counting);
    while (counting->stage != COUNTING_ENDED && way_come(counting) - begin < steps)
        do_part(counting);
    memory->steps += steps_of(counting) - before;
    *found = counting->found;
    return counting->stage == COUNTING_ENDED;
}

struct code_counter counter_find(const struct code_function *function, uint32_t entry,
                                 uint32_t at, const struct code_counter *known,
                                 struct counter_memory *memory)
{
    struct code_counter found;
    counter_begin(function, entry, at, known, memory);
    counter_go_on(memory, UINT64_MAX, &found);
    return found;
}

uint64_t counter_steps(const struct counter_memory *memory)
{
    return memory->steps;
}
