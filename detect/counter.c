/* See counter.h. */
#include "detect/counter.h"

#include "detect/flow.h"
#include "detect/nesting.h"

#include <string.h>

enum {
    NOWHERE = INSTRUCTION_NOWHERE,
    BLOCKS_MOST = 4096,
    SLOTS_MOST = 24, /* words of the frame that are followed */
    PLACES = EFFECT_REGISTERS + SLOTS_MOST,
    CANDIDATES_MOST = 32,
    INSTRUCTIONS_MOST = 100000, /* read for one answer: some 2 ms */
    READ_STEPS = 8,             /* that reading one of them takes */
    FAR = 1 << 20,              /* no frame is larger, in bytes */
    WORD = 4                    /* bytes that are followed of each */
};

/*
 * What is known where the function has come to a block: which places hold the counter as it was
 * at the loop's entry, plus how much.
 */
struct state {
    uint64_t holds;              /* places, a set: registers, then words of the frame */
    uint32_t ahead[PLACES];      /* of these */
    int32_t sp;                  /* how far the stack pointer has moved since the entry */
    bool reached, waiting, lost; /* lost: it is not known where the stack pointer is */
};

struct counter_memory {
    uint64_t steps;
    struct state states[BLOCKS_MOST];
    uint32_t waiting[BLOCKS_MOST];
};

/* A loop that is being looked at. */
struct asking {
    const struct code_function *function;
    uint32_t entry; /* its block */
    struct state *states;
    uint32_t *waiting; /* blocks to be gone through */
    uint32_t waiting_count;
    struct flow flow;
    struct effect_place slots[SLOTS_MOST]; /* offsets from the stack pointer at the entry */
    unsigned slot_count;
    uint64_t loaded;  /* words of the frame that the loop has loaded from, a set of places */
    bool is_taken[2]; /* memory is whose address is taken, by the kinds below */
    int32_t taken[2]; /* the lowest of it */
    bool is_fp_plain; /* the frame pointer is a register like others */
    struct effect_place candidates[CANDIDATES_MOST];
    unsigned candidate_count;
    uint32_t read; /* instructions */
    uint32_t step; /* of the candidate: 0 as long as none is known */
    bool failed;
};

size_t counter_memory_bytes(void)
{
    return sizeof(struct counter_memory);
}

/* Reads the instruction at *AT of the block that ends at END, and goes on to the next one. */
static bool next_effect(struct asking *asking, uint32_t *at, uint32_t end,
                        struct effect *effect)
{
    const struct code_function *function = asking->function;
    struct instruction read;
    if (*at >= end || ++asking->read > INSTRUCTIONS_MOST ||
        !instruction_read(function->code, function->bytes, *at, &read))
        return false;
    effect_read(function->code + *at, effect);
    *at += read.length;
    return true;
}

static uint32_t end_of(const struct code_function *function, uint32_t block)
{
    return block + 1 < function->count ? function->blocks[block + 1].start
                                       : (uint32_t)function->bytes;
}

static bool is_same_place(struct effect_place a, struct effect_place b)
{
    return a.kind == b.kind && a.number == b.number && a.offset == b.offset;
}

/* The two ways to address the frame. */
enum { BY_SP, BY_FP };

/*
 * Whether others may change PLACE, in the frame.  How large what lies at an address is nobody
 * knows; so all from the lowest address on that is taken may be.  Where the frame pointer
 * points to, seen from the stack pointer, is not known either.
 */
static bool is_taken(const struct asking *asking, struct effect_place place)
{
    const unsigned own = place.kind == PLACE_BY_SP ? BY_SP : BY_FP;
    const bool by_other = asking->is_taken[!own] && !(own == BY_SP && asking->is_fp_plain);
    return by_other || (asking->is_taken[own] && place.offset + WORD > asking->taken[own]);
}

/* Whether that leads out of any frame, from anywhere in it. */
static bool is_far(int32_t offset)
{
    return offset > FAR || offset < -FAR;
}

static void take_address(struct asking *asking, unsigned kind, int32_t offset)
{
    if (!asking->is_taken[kind] || offset < asking->taken[kind])
        asking->taken[kind] = offset;
    asking->is_taken[kind] = true;
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

/* The number of PLACE among those that are followed, where the stack pointer has moved by SP;
 * -1: it is not followed. */
static int number_of(struct asking *asking, struct effect_place place,
                     const struct state *state)
{
    if (place.kind == PLACE_REGISTER)
        return place.number;
    if (place.kind == PLACE_ELSEWHERE || is_far(place.offset) ||
        (place.kind == PLACE_BY_SP && state->lost) ||
        (place.kind == PLACE_BY_FP && asking->is_fp_plain))
        return -1;
    if (place.kind == PLACE_BY_SP)
        place.offset += state->sp;
    for (unsigned i = 0; i < asking->slot_count; i++)
        if (is_same_place(asking->slots[i], place))
            return EFFECT_REGISTERS + (int)i;
    if (asking->slot_count == SLOTS_MOST || is_taken(asking, place))
        return -1;
    asking->slots[asking->slot_count++] = place;
    return EFFECT_REGISTERS + (int)asking->slot_count - 1;
}

/* The words of the frame that are addressed by KIND, a set. */
static uint64_t slots_of(const struct asking *asking, uint8_t kind)
{
    uint64_t set = 0;
    for (unsigned i = 0; i < asking->slot_count; i++)
        if (asking->slots[i].kind == kind)
            set |= UINT64_C(1) << (EFFECT_REGISTERS + i);
    return set;
}

static void lose_stack(const struct asking *asking, struct state *state)
{
    state->lost = true;
    state->holds &= ~slots_of(asking, PLACE_BY_SP);
}

/* Forgets the words of the frame that BYTES written at PLACE may change. */
static void forget_stored(const struct asking *asking, struct state *state,
                          struct effect_place place, uint32_t bytes)
{
    if (is_far(place.offset))
        return;
    if (place.kind == PLACE_BY_SP)
        place.offset += state->sp;
    for (unsigned i = 0; i < asking->slot_count; i++)
        if (asking->slots[i].kind == place.kind &&
            asking->slots[i].offset + WORD > place.offset &&
            asking->slots[i].offset < place.offset + (int32_t)bytes)
            state->holds &= ~(UINT64_C(1) << (EFFECT_REGISTERS + i));
}

/* Forgets what lies below the stack pointer, where functions that are called have theirs. */
static void forget_below(const struct asking *asking, struct state *state)
{
    for (unsigned i = 0; i < asking->slot_count; i++)
        if (asking->slots[i].kind == PLACE_BY_SP && asking->slots[i].offset < state->sp)
            state->holds &= ~(UINT64_C(1) << (EFFECT_REGISTERS + i));
}

static void move_stack(const struct asking *asking, struct state *state, int32_t moved)
{
    if (state->lost)
        return;
    state->sp += is_far(moved) ? 0 : moved;
    if (is_far(moved) || is_far(state->sp))
        lose_stack(asking, state);
}

/* What EFFECT does to what is known. */
static void apply(struct asking *asking, struct state *state, const struct effect *effect)
{
    int to = -1;
    uint32_t ahead = 0;
    if (effect->kind == EFFECT_ANY) {
        state->holds = 0;
        lose_stack(asking, state);
        return;
    }
    if (effect->kind == EFFECT_CALL) {
        state->holds &= ~(uint64_t)UINT16_MAX | (uint64_t)EFFECT_KEPT;
        forget_below(asking, state);
    }
    if (effect->kind == EFFECT_ADD) {
        const int from = number_of(asking, effect->from, state);
        asking->loaded |= from >= EFFECT_REGISTERS ? UINT64_C(1) << from : 0;
        to = from >= 0 && state->holds >> from & 1 ? number_of(asking, effect->to, state) : -1;
        if (to >= 0)
            ahead = state->ahead[from] + effect->number;
    }
    state->holds &= ~(uint64_t)effect->written;
    if (effect->written >> EFFECT_FP & 1)
        state->holds &= ~slots_of(asking, PLACE_BY_FP);
    if (effect->stored_bytes > 0)
        forget_stored(asking, state, effect->stored, effect->stored_bytes);
    if (to >= 0) {
        state->holds |= UINT64_C(1) << to;
        state->ahead[to] = ahead;
    }
    if (effect->moved)
        move_stack(asking, state, effect->moved);
}

/* Goes through the block at BLOCK up to the instruction that holds byte AT. */
static void go_through(struct asking *asking, uint32_t block, uint32_t at, struct state *state)
{
    const uint32_t end = end_of(asking->function, block);
    uint32_t next = asking->function->blocks[block].start;
    struct effect effect;
    while (next_effect(asking, &next, end, &effect)) {
        if (next > at)
            return;
        apply(asking, state, &effect);
    }
    asking->failed = asking->failed || next < end;
}

/* What is known at BLOCK if it is reached from where STATE is known, too. */
static void reach(struct asking *asking, uint32_t block, const struct state *state)
{
    struct state *there = &asking->states[block];
    const bool was_reached = there->reached, was_lost = was_reached && there->lost;
    const uint64_t before = was_reached ? there->holds : 0;
    if (!was_reached) {
        const bool waiting = there->waiting;
        *there = *state;
        there->reached = true;
        there->waiting = waiting;
    } else {
        there->holds &= state->holds;
        for (uint64_t left = there->holds; left; left &= left - 1) {
            const unsigned i = (unsigned)__builtin_ctzll(left);
            if (there->ahead[i] != state->ahead[i])
                there->holds &= ~(UINT64_C(1) << i);
        }
        if (state->lost || there->sp != state->sp)
            lose_stack(asking, there);
    }
    if (there->waiting || (was_reached && there->holds == before && there->lost == was_lost))
        return;
    there->waiting = true;
    asking->waiting[asking->waiting_count++] = block;
}

/* The loop's entry is reached again: the candidate has to have grown by the step. */
static void come_again(struct asking *asking, int candidate, const struct state *state)
{
    const uint32_t step = state->ahead[candidate];
    if (!(state->holds >> candidate & 1) || state->lost || state->sp != 0 || step == 0 ||
        (asking->step != 0 && step != asking->step))
        asking->failed = true;
    asking->step = step;
}

static void go_on(struct asking *asking, uint32_t block, int candidate)
{
    struct state state = asking->states[block];
    uint32_t cursor = 0, to;
    go_through(asking, block, UINT32_MAX, &state);
    while (!asking->failed && (to = flow_next(&asking->flow, block, &cursor)) != NOWHERE) {
        if (to == asking->entry)
            come_again(asking, candidate, &state);
        else if (nesting_holds(asking->function->blocks, asking->entry, to))
            reach(asking, to, &state);
    }
}

/* Whether CANDIDATE is a counter; then the states tell where it is. */
static bool is_counter(struct asking *asking, struct effect_place candidate)
{
    struct state begin = {.reached = true};
    asking->step = 0;
    asking->failed = false;
    asking->slot_count = 0;
    asking->loaded = 0;
    asking->waiting_count = 0;
    for (uint32_t i = 0; i < asking->function->count; i++)
        asking->states[i].reached = asking->states[i].waiting = asking->states[i].lost = false;
    const int number = number_of(asking, candidate, &begin);
    if (number < 0)
        return false;
    begin.holds = UINT64_C(1) << number;
    reach(asking, asking->entry, &begin);
    while (asking->waiting_count > 0 && !asking->failed) {
        const uint32_t block = asking->waiting[--asking->waiting_count];
        asking->states[block].waiting = false;
        go_on(asking, block, number);
    }
    return !asking->failed && asking->step != 0 && !flow_was_too_long(&asking->flow);
}

/*
 * A place from which the counter can be read at the call at AT, in BLOCK.  What the loop stores
 * in its frame and never loads is an argument of a call, and belongs to the function called.
 */
static struct code_counter find_place(struct asking *asking, uint32_t block, uint32_t at)
{
    struct code_counter found = {.place = {.kind = PLACE_ELSEWHERE}, .step = asking->step};
    struct state state = asking->states[block];
    if (!state.reached)
        return found;
    go_through(asking, block, at, &state);
    const uint64_t usable = state.holds & ((uint64_t)EFFECT_KEPT | asking->loaded);
    if (usable == 0)
        return found;
    const unsigned number = (unsigned)__builtin_ctzll(usable);
    found.ahead = state.ahead[number];
    if (number < EFFECT_REGISTERS)
        found.place = (struct effect_place){.kind = PLACE_REGISTER, .number = (uint8_t)number};
    else
        found.place = asking->slots[number - EFFECT_REGISTERS];
    if (found.place.kind == PLACE_BY_SP)
        found.place.offset -= state.sp;
    return found;
}

static void add_candidate(struct asking *asking, struct effect_place place)
{
    if (place.kind == PLACE_ELSEWHERE ||
        (place.kind == PLACE_REGISTER && place.number == EFFECT_SP))
        return;
    for (unsigned i = 0; i < asking->candidate_count; i++)
        if (is_same_place(asking->candidates[i], place))
            return;
    if (asking->candidate_count < CANDIDATES_MOST)
        asking->candidates[asking->candidate_count++] = place;
}

/* What a block of the function does to the frame, from its begin to its end. */
struct scan {
    int32_t sp; /* how far the stack pointer has moved since the begin */
    bool is_taken;
    int32_t lowest; /* address taken by the stack pointer, seen from where that is then, */
    int32_t since;  /* and from where it was at the begin */
    bool acts;      /* it is not only padding */
    bool calls;     /* the last thing that it does is a call */
};

/* Whether it does nothing: what pads code, and comparisons. */
static bool is_idle(const struct effect *effect)
{
    return effect->kind == EFFECT_OTHER && effect->written == 0 && effect->stored_bytes == 0 &&
           effect->moved == 0 && effect->taken.kind == PLACE_ELSEWHERE;
}

static void scan_effect(struct asking *asking, struct scan *scan, const struct effect *effect)
{
    const struct effect_place *taken = &effect->taken;
    scan->acts = scan->acts || !is_idle(effect);
    scan->calls = effect->kind == EFFECT_CALL || (scan->calls && is_idle(effect));
    asking->is_fp_plain = asking->is_fp_plain || spoils_fp(effect);
    if (taken->kind == PLACE_BY_FP)
        take_address(asking, BY_FP, taken->offset);
    if (taken->kind == PLACE_BY_SP) {
        const int32_t offset = is_far(taken->offset) ? -FAR : taken->offset,
                      since = offset + scan->sp;
        scan->lowest = scan->is_taken && scan->lowest < offset ? scan->lowest : offset;
        scan->since = scan->is_taken && scan->since < since ? scan->since : since;
        scan->is_taken = true;
    }
    scan->sp += is_far(effect->moved) ? 0 : effect->moved;
    scan->sp = is_far(scan->sp) ? 0 : scan->sp;
}

/* Whether BLOCK may go on in the function. */
static bool stays(const struct code_block *block)
{
    return block->way != WAY_END && (block->way != WAY_JUMP || block->target != NOWHERE);
}

/*
 * Takes over what SCAN has found in BLOCK.  In the loop the stack pointer is at a block's begin
 * where it is at the loop's entry, but between blocks that push and those that pop: *PUSHED is
 * how much lower it may be.  Outside, it is there at the begin or at the end, such as that of
 * the function's first block, unless the function is left there: the lower address counts.
 */
static void end_scan(struct asking *asking, const struct scan *scan,
                     const struct code_block *block, bool inside, int32_t *pushed)
{
    if (inside && scan->sp < 0)
        *pushed += *pushed < FAR ? -scan->sp : 0;
    if (!scan->is_taken)
        return;
    take_address(asking, BY_SP, scan->lowest);
    if (inside || !stays(block) || scan->sp > 0)
        take_address(asking, BY_SP, scan->since);
    if (!inside && stays(block))
        take_address(asking, BY_SP, scan->since - scan->sp);
}

/*
 * Whether BLOCK, which is outside the loop, leads into it in such a way that what the loop's
 * places hold is not known: elsewhere than at its entry, or from code to which only exceptions
 * lead, which may come from any call.  A call at its end does not return, if the loop's middle
 * is what lies behind it.  SCAN is what the block does.
 */
static bool intrudes(struct asking *asking, uint32_t block, const struct scan *scan)
{
    const struct code_block *blocks = asking->function->blocks;
    uint32_t cursor = 0, to;
    const bool ends =
        blocks[block].way == WAY_ON && (blocks[block].is_used ? scan->calls : !scan->acts);
    while ((to = flow_next(&asking->flow, block, &cursor)) != NOWHERE)
        if (nesting_holds(blocks, asking->entry, to) && !ends &&
            (to != asking->entry || !blocks[block].is_used))
            return true;
    return false;
}

/* What is loaded, changed and stored again lies in the frame. */
static void add_candidates(struct asking *asking, const struct effect *effect)
{
    if (effect->kind != EFFECT_ADD)
        return;
    if (effect->number != 0 || effect->to.kind != PLACE_REGISTER)
        add_candidate(asking, effect->to);
    if (effect->number != 0)
        add_candidate(asking, effect->from);
}

/*
 * Lists what may be counters, and memory of the frame whose address is taken.  False if there
 * is no telling what the loop's places hold.
 */
static bool look_around(struct asking *asking)
{
    const struct code_function *function = asking->function;
    int32_t pushed = 0;
    for (uint32_t block = 0; block < function->count; block++) {
        const bool inside = nesting_holds(function->blocks, asking->entry, block);
        uint32_t next = function->blocks[block].start;
        struct scan scan = {.sp = 0};
        struct effect effect;
        while (next_effect(asking, &next, end_of(function, block), &effect)) {
            scan_effect(asking, &scan, &effect);
            if (inside)
                add_candidates(asking, &effect);
        }
        if (!inside && intrudes(asking, block, &scan))
            return false;
        end_scan(asking, &scan, &function->blocks[block], inside, &pushed);
    }
    asking->taken[BY_SP] -= pushed;
    return asking->read <= INSTRUCTIONS_MOST && !flow_was_too_long(&asking->flow);
}

/* Whether BLOCK, which leads into the loop, ends with a known number in PLACE. */
static bool sets(struct asking *asking, uint32_t block, struct effect_place place,
                 uint32_t *number)
{
    uint32_t next = asking->function->blocks[block].start;
    bool known = false;
    struct effect effect;
    while (next_effect(asking, &next, end_of(asking->function, block), &effect)) {
        if (effect.kind == EFFECT_SET && is_same_place(effect.to, place)) {
            known = true;
            *number = effect.number;
        } else if (effect.kind == EFFECT_ANY || (effect.moved && place.kind == PLACE_BY_SP) ||
                   (place.kind == PLACE_BY_FP && effect.written >> EFFECT_FP & 1) ||
                   (place.kind == PLACE_REGISTER
                        ? effect.written >> place.number & 1
                        : effect.stored_bytes > 0 && effect.stored.kind == place.kind &&
                              effect.stored.offset < place.offset + WORD &&
                              effect.stored.offset + (int32_t)effect.stored_bytes >
                                  place.offset) ||
                   (effect.kind == EFFECT_CALL && place.kind == PLACE_REGISTER &&
                    !(EFFECT_KEPT >> place.number & 1))) {
            known = false;
        }
    }
    return known;
}

/* Finds out whether the loop always begins with the same number in PLACE. */
static void find_first(struct asking *asking, struct effect_place place,
                       struct code_counter *counter)
{
    const struct code_block *blocks = asking->function->blocks;
    bool known = false;
    /* Of what the function is called with nothing is known. */
    if (asking->entry == 0)
        return;
    for (uint32_t block = 0; block < asking->function->count; block++) {
        uint32_t cursor = 0, to, number = 0;
        if (!blocks[block].is_used || nesting_holds(blocks, asking->entry, block))
            continue;
        while ((to = flow_next(&asking->flow, block, &cursor)) != NOWHERE) {
            if (!nesting_holds(blocks, asking->entry, to))
                continue;
            if (to != asking->entry || !sets(asking, block, place, &number) ||
                (known && number != counter->first))
                return;
            known = true;
            counter->first = number;
            break;
        }
    }
    counter->starts = known && !flow_was_too_long(&asking->flow);
}

/* Finds the counter for the call at AT, in BLOCK. */
static struct code_counter find(struct asking *asking, uint32_t block, uint32_t at,
                                const struct code_counter *known)
{
    const struct code_counter none = {.place = {.kind = PLACE_ELSEWHERE}};
    if (!look_around(asking))
        return none;
    for (unsigned i = 0; i < asking->candidate_count; i++) {
        if ((known && !is_same_place(asking->candidates[i], known->origin)) ||
            !is_counter(asking, asking->candidates[i]))
            continue;
        struct code_counter found = find_place(asking, block, at);
        found.origin = asking->candidates[i];
        if (found.place.kind == PLACE_ELSEWHERE)
            continue;
        find_first(asking, found.origin, &found);
        return asking->read > INSTRUCTIONS_MOST ? none : found;
    }
    return none;
}

struct code_counter counter_find(const struct code_function *function, uint32_t entry,
                                 uint32_t at, const struct code_counter *known,
                                 struct counter_memory *memory)
{
    const struct code_counter none = {.place = {.kind = PLACE_ELSEWHERE}};
    if (function->count == 0 || function->count > BLOCKS_MOST)
        return none;
    struct asking asking = {
        .function = function,
        .entry = flow_block_of(function->blocks, function->count, entry),
        .states = memory->states,
        .waiting = memory->waiting,
        .flow = {.blocks = function->blocks, .count = function->count, .jumps = FLOW_IN_LOOP}};
    const uint32_t block = flow_block_of(function->blocks, function->count, at);
    if (!function->blocks[block].is_used ||
        !nesting_holds(function->blocks, asking.entry, block))
        return none;
    const struct code_counter found = find(&asking, block, at, known);
    memory->steps += asking.read * READ_STEPS + asking.flow.steps;
    return found;
}

uint64_t counter_steps(const struct counter_memory *memory)
{
    return memory->steps;
}
