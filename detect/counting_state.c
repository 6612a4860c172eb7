/*
 * Which places of a loop hold its counter, and how they change: see counter.h and counting.h.
 */
#include "detect/counting.h"

/*
 * Whether others may change PLACE, in the frame.  How large what lies at an address is nobody
 * knows; so all from the lowest address on that is taken may be.  Where the frame pointer
 * points to, seen from the stack pointer, is not known either.
 */
static bool is_taken(const struct counting *counting, struct effect_place place)
{
    const unsigned own = place.kind == PLACE_BY_SP ? COUNTING_BY_SP : COUNTING_BY_FP;
    const bool by_other =
        counting->is_taken[!own] && !(own == COUNTING_BY_SP && counting->is_fp_plain);
    return by_other ||
           (counting->is_taken[own] && place.offset + COUNTING_WORD > counting->taken[own]);
}

int counting_number(struct counting *counting, struct effect_place place,
                    const struct counting_state *state)
{
    if (place.kind == PLACE_REGISTER)
        return place.number;
    if (place.kind == PLACE_ELSEWHERE || counting_is_far(place.offset) ||
        (place.kind == PLACE_BY_SP && state->lost) ||
        (place.kind == PLACE_BY_FP && counting->is_fp_plain))
        return -1;
    if (place.kind == PLACE_BY_SP)
        place.offset += state->sp;
    for (unsigned i = 0; i < counting->slot_count; i++)
        if (counting_is_same(counting->slots[i], place))
            return EFFECT_REGISTERS + (int)i;
    if (counting->slot_count == COUNTING_SLOTS || is_taken(counting, place))
        return -1;
    counting->slots[counting->slot_count++] = place;
    return EFFECT_REGISTERS + (int)counting->slot_count - 1;
}

/* The words of the frame that are addressed by KIND, a set. */
static uint64_t slots_of(const struct counting *counting, uint8_t kind)
{
    uint64_t set = 0;
    for (unsigned i = 0; i < counting->slot_count; i++)
        if (counting->slots[i].kind == kind)
            set |= UINT64_C(1) << (EFFECT_REGISTERS + i);
    return set;
}

static void lose_stack(const struct counting *counting, struct counting_state *state)
{
    state->lost = true;
    state->holds &= ~slots_of(counting, PLACE_BY_SP);
}

/* Forgets the words of the frame that BYTES written at PLACE may change. */
static void forget_stored(const struct counting *counting, struct counting_state *state,
                          struct effect_place place, uint32_t bytes)
{
    if (counting_is_far(place.offset))
        return;
    if (place.kind == PLACE_BY_SP)
        place.offset += state->sp;
    for (unsigned i = 0; i < counting->slot_count; i++)
        if (counting->slots[i].kind == place.kind &&
            counting->slots[i].offset + COUNTING_WORD > place.offset &&
            counting->slots[i].offset < place.offset + (int32_t)bytes)
            state->holds &= ~(UINT64_C(1) << (EFFECT_REGISTERS + i));
}

/* Forgets what lies below the stack pointer, where functions that are called have theirs. */
static void forget_below(const struct counting *counting, struct counting_state *state)
{
    for (unsigned i = 0; i < counting->slot_count; i++)
        if (counting->slots[i].kind == PLACE_BY_SP && counting->slots[i].offset < state->sp)
            state->holds &= ~(UINT64_C(1) << (EFFECT_REGISTERS + i));
}

static void move_stack(const struct counting *counting, struct counting_state *state,
                       int32_t moved)
{
    if (state->lost)
        return;
    state->sp += counting_is_far(moved) ? 0 : moved;
    if (counting_is_far(moved) || counting_is_far(state->sp))
        lose_stack(counting, state);
}

void counting_apply(struct counting *counting, struct counting_state *state,
                    const struct effect *effect)
{
    int to = -1;
    uint32_t ahead = 0;
    if (effect->kind == EFFECT_ANY) {
        state->holds = 0;
        lose_stack(counting, state);
        return;
    }
    if (effect->kind == EFFECT_CALL) {
        state->holds &= ~(uint64_t)UINT16_MAX | (uint64_t)EFFECT_KEPT;
        forget_below(counting, state);
    }
    if (effect->kind == EFFECT_ADD) {
        const int from = counting_number(counting, effect->from, state);
        counting->loaded |= from >= EFFECT_REGISTERS ? UINT64_C(1) << from : 0;
        to = from >= 0 && state->holds >> from & 1
                 ? counting_number(counting, effect->to, state)
                 : -1;
        if (to >= 0)
            ahead = state->ahead[from] + effect->number;
    }
    state->holds &= ~(uint64_t)effect->written;
    if (effect->written >> EFFECT_FP & 1)
        state->holds &= ~slots_of(counting, PLACE_BY_FP);
    if (effect->stored_bytes > 0)
        forget_stored(counting, state, effect->stored, effect->stored_bytes);
    if (to >= 0) {
        state->holds |= UINT64_C(1) << to;
        state->ahead[to] = ahead;
    }
    if (effect->moved)
        move_stack(counting, state, effect->moved);
}

void counting_reach(struct counting *counting, uint32_t block,
                    const struct counting_state *state)
{
    struct counting_state *there = &counting->states[block];
    uint8_t *flags = &counting->flags[block];
    const bool was_reached = *flags & COUNTING_REACHED, was_lost = was_reached && there->lost;
    const uint64_t before = was_reached ? there->holds : 0;
    if (!was_reached) {
        *there = *state;
        *flags |= COUNTING_REACHED;
    } else {
        there->holds &= state->holds;
        for (uint64_t left = there->holds; left; left &= left - 1) {
            const unsigned i = (unsigned)__builtin_ctzll(left);
            if (there->ahead[i] != state->ahead[i])
                there->holds &= ~(UINT64_C(1) << i);
        }
        if (state->lost || there->sp != state->sp)
            lose_stack(counting, there);
    }
    if ((*flags & COUNTING_WAITING) ||
        (was_reached && there->holds == before && there->lost == was_lost))
        return;
    *flags |= COUNTING_WAITING;
    counting->waiting[counting->waiting_count++] = block;
}
