/* See turning.h. */
#include "detect/turning.h"

#include "arch/arch.h"
#include "detect/flow.h"
#include "detect/nesting.h"

enum {
    NOWHERE = INSTRUCTION_NOWHERE,
    CALLS_MOST = 16,
    BYTES_MOST = 1024, /* of a block that is read, so that a look is short */
    DECODE_LOOKS = 6   /* at blocks, that decoding an instruction takes */
};

/* The last calls of a block of functions that the code names, by callee. */
struct calls {
    uint32_t callees[CALLS_MOST];
    uint32_t count; /* of all */
};

void turning_begin(struct turning *turning, const unsigned char *code, uint32_t size,
                   struct code_block *blocks, uint32_t count, struct turning_mark *marks)
{
    *turning = (struct turning){
        .code = code, .size = size, .blocks = blocks, .count = count, .marks = marks};
}

static void note_edge(struct turning *turning, uint32_t from, uint32_t to)
{
    struct turning_mark *mark = &turning->marks[to];
    if (mark->count < 2)
        mark->from[mark->count] = from;
    mark->count++;
}

static void note_edges(struct turning *turning, uint32_t at)
{
    const struct code_block *block = &turning->blocks[at];
    if (!block->is_used)
        return;
    if (block->target != NOWHERE)
        note_edge(turning, at, block->target);
    if (flow_goes_on(block) && at + 1 < turning->count)
        note_edge(turning, at, at + 1);
}

/* Whether the loop at block LOOP is the innermost one around the block at AT. */
static bool is_right_in(const struct turning *turning, uint32_t loop, uint32_t at)
{
    return turning->blocks[at].loop == loop;
}

/* Whether the block at AT, in the loop at block LOOP, ends with the choice to leave it. */
static bool may_leave(const struct turning *turning, uint32_t loop, uint32_t at)
{
    const struct code_block *block = &turning->blocks[at];
    return block->way == WAY_BRANCH && at + 1 < turning->count &&
           (block->target == NOWHERE || nesting_holds(turning->blocks, loop, block->target) !=
                                            nesting_holds(turning->blocks, loop, at + 1));
}

/* Whether the block at AT leads nowhere but to block TO. */
static bool leads_only_to(const struct turning *turning, uint32_t at, uint32_t to)
{
    const struct code_block *block = &turning->blocks[at];
    return block->way == WAY_JUMP ? block->target == to : block->way == WAY_ON && at + 1 == to;
}

/* Finds the calls of the block at AT; false if it is too long for that. */
static bool find_calls(struct turning *turning, uint32_t at, struct calls *calls)
{
    const uint32_t end =
        at + 1 < turning->count ? turning->blocks[at + 1].start : turning->size;
    struct instruction read;
    calls->count = 0;
    if (end - turning->blocks[at].start > BYTES_MOST)
        return false;
    for (uint32_t byte = turning->blocks[at].start;
         byte < end && instruction_read(turning->code, turning->size, byte, &read);
         byte += read.length) {
        turning->looks += DECODE_LOOKS;
        if (read.callee != NOWHERE)
            calls->callees[calls->count++ % CALLS_MOST] = read.callee;
    }
    return true;
}

/* Whether there are calls in the block at AT, and that at BEFORE ends with the same. */
static bool makes_same_calls(struct turning *turning, uint32_t at, uint32_t before)
{
    struct calls again, first;
    if (!find_calls(turning, at, &again) || again.count == 0 || again.count > CALLS_MOST ||
        !find_calls(turning, before, &first) || again.count > first.count)
        return false;
    for (uint32_t i = 1; i <= again.count; i++)
        if (again.callees[again.count - i] != first.callees[(first.count - i) % CALLS_MOST])
            return false;
    return true;
}

/* The block where the passes of the loop at block LOOP begin, if it is another; or NOWHERE. */
static uint32_t find_again(struct turning *turning, uint32_t loop)
{
    const struct turning_mark *mark = &turning->marks[loop];
    if (mark->count != 2)
        return NOWHERE;
    const bool is_second = nesting_holds(turning->blocks, loop, mark->from[1]);
    const uint32_t again = mark->from[is_second], first = mark->from[!is_second];
    if (again == loop || !is_right_in(turning, loop, again) ||
        nesting_holds(turning->blocks, loop, first) || !leads_only_to(turning, again, loop) ||
        !leads_only_to(turning, first, loop) || turning->marks[again].count != 1)
        return NOWHERE;
    const uint32_t last = turning->marks[again].from[0];
    if (!is_right_in(turning, loop, last) || !may_leave(turning, loop, last))
        return NOWHERE;
    return makes_same_calls(turning, again, first) ? again : NOWHERE;
}

/* Has the loop at block LOOP entered at AGAIN. */
static void turn(struct turning *turning, uint32_t loop, uint32_t again)
{
    struct code_block *blocks = turning->blocks;
    for (uint32_t i = 0; i < turning->count; i++) {
        turning->looks++;
        if (blocks[i].loop == loop)
            blocks[i].loop = again;
        if (i != loop && blocks[i].outer == loop)
            blocks[i].outer = again;
    }
    blocks[again].outer = blocks[loop].outer;
    blocks[loop].outer = NOWHERE;
}

/* Does what the stage does with the block that it has come to. */
static void look_at(struct turning *turning)
{
    const uint32_t at = turning->at;
    if (turning->stage == TURNING_BEGIN) {
        turning->marks[at].count = 0;
    } else if (turning->stage == TURNING_EDGES) {
        note_edges(turning, at);
    } else if (turning->blocks[at].loop == at) {
        const uint32_t again = find_again(turning, at);
        if (again != NOWHERE)
            turn(turning, at, again);
    }
}

bool turning_go_on(struct turning *turning, uint64_t looks)
{
    const uint64_t end = turning->looks + looks;
    while (turning->stage != TURNING_ENDED && turning->looks < end) {
        turning->looks++;
        look_at(turning);
        if (++turning->at == turning->count) {
            turning->at = 0;
            turning->stage++;
        }
    }
    return turning->stage == TURNING_ENDED;
}
