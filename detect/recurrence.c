/*
 * Decides what it means that a token comes again in its frame: it is the header of a loop,
 * known or new, or of one that was known by another header.  See recogniser.h.
 */
#include "detect/recogniser.h"

static bool is_in_use(const struct loops_rest *rest, uint8_t loop)
{
    for (int i = 0; i < rest->count; i++)
        if (rest->items[i].loop == loop)
            return true;
    for (int i = 0; i < rest->open_count; i++)
        if (rest->open[i].loop == loop)
            return true;
    return false;
}

static uint64_t worth_of(const struct loops_rest *rest, unsigned number)
{
    return rest->config.worth ? rest->config.worth(rest->config.context, number)
                              : rest->loops[number].passes;
}

static void forget(struct loops_rest *rest, uint8_t number)
{
    const struct loop *loop = &rest->loops[number];
    rest->known[loop->header].header_of = 0;
    if (rest->known[loop->border].border_of == number + 1)
        rest->known[loop->border].border_of = 0;
}

/* Finds room for one more loop: that of the loop worth least, if need be. */
static uint8_t find_room(struct loops_rest *rest)
{
    uint64_t least_worth = 0;
    uint8_t least = LOOPS_NONE;
    for (uint8_t i = 0; i < LOOPS_MOST; i++) {
        if (rest->loops[i].serial == 0)
            return i;
        if (is_in_use(rest, i))
            continue;
        const uint64_t worth = worth_of(rest, i);
        if (least == LOOPS_NONE || worth < least_worth) {
            least = i;
            least_worth = worth;
        }
    }
    if (least != LOOPS_NONE)
        forget(rest, least);
    return least;
}

static void set_border(struct loops_rest *rest, uint8_t number, const struct item *item)
{
    struct loop *loop = &rest->loops[number];
    if (loop->border != NO_NODE)
        rest->known[loop->border].border_of = 0;
    loop->border = item->token;
    loop->leaf = item->leaf;
    rest->known[item->token].border_of = (uint8_t)(number + 1);
}

/*
 * Where the passes of a loop with the header ITEM are to begin: at a call that came once in the
 * first of them and is in no inner loop, preferably one that all processes have, preferably
 * early.
 */
static const struct item *choose_border(struct loops_rest *rest, const struct item *item)
{
    const struct item *best = item;
    for (const struct item *other = item + 1; other < rest->items + rest->count; other++)
        if (other->depth == item->depth && other->times == 0 && other->loop == LOOPS_NONE &&
            rest->known[other->token].border_of == 0 && other->preference > best->preference &&
            site_in_loop_of(rest, other->token, item->token) != NO)
            best = other;
    return best;
}

/* Adds a loop with the header ITEM, which has just come again for the first time. */
static void find_loop(struct loops_rest *rest, struct item *item)
{
    int around = 0;
    while (around < rest->open_count && &rest->items[rest->open[around].item] < item)
        around++;
    uint8_t number = around < LOOPS_NESTED ? find_room(rest) : (uint8_t)LOOPS_NONE;
    if (number == LOOPS_NONE)
        return;
    rest->loops[number] =
        (struct loop){.serial = ++rest->serials, .header = item->token, .border = NO_NODE};
    set_border(rest, number, choose_border(rest, item));
    rest->loops[number].certain = site_in_loop(rest, item->token) == YES;
    rest->known[item->token].header_of = (uint8_t)(number + 1);
    item->loop = number;
    rest->news = true;
}

/* The item of the outermost loop in items from FIRST on, at DEPTH; NO_ITEM if there is none. */
static int loop_beside(const struct loops_rest *rest, int first, uint32_t depth)
{
    for (int i = first; i < rest->count; i++)
        if (rest->items[i].loop != LOOPS_NONE && rest->items[i].depth == depth)
            return i;
    return NO_ITEM;
}

/*
 * Whether item INDEX, which has come again, is only a part of a loop that is known by another
 * header, and one that comes only now and then.
 */
static bool is_part(struct loops_rest *rest, int index)
{
    const struct item item = rest->items[index];
    int beside = loop_beside(rest, index + 1, item.depth);
    if (beside == NO_ITEM ||
        site_in_loop_of(rest, rest->items[beside].token, item.token) != YES)
        return false;
    items_drop(rest, beside + 1);
    items_remove(rest, index, index + 1);
    return true;
}

/*
 * Where the machine code says nothing: if item *INDEX is the header of a new loop, a loop
 * beside it that has come again and again without it has been left.
 */
static void leave_beside(struct loops_rest *rest, int *index)
{
    const struct item *item = &rest->items[*index];
    int first = *index;
    for (int i = *index; item->fresh && i-- > 0 && rest->items[i].depth == item->depth;)
        if (rest->items[i].loop != LOOPS_NONE && rest->items[i].times >= 2 &&
            site_in_loop_of(rest, rest->items[i].token, item->token) == UNKNOWN)
            first = i;
    if (first == *index)
        return;
    items_end_loops(rest, first, *index);
    items_remove(rest, first, *index);
    *index = first;
}

/*
 * Where the machine code has the same loop around item *INDEX, which has come again but is no
 * header, and around an earlier item, which is a header but has not come: the earlier one comes
 * only now and then, and the loop is known by item *INDEX from now on.
 */
static void take_over(struct loops_rest *rest, int *index)
{
    struct item *item = &rest->items[*index];
    int first = *index;
    for (int i = *index; i-- > 0 && rest->items[i].depth == item->depth;)
        if (rest->items[i].loop != LOOPS_NONE && site_in_loop(rest, item->token) == YES &&
            site_in_loop_of(rest, rest->items[i].token, item->token) == YES &&
            site_in_loop_of(rest, item->token, rest->items[i].token) == YES)
            first = i;
    if (first == *index)
        return;
    struct item *header = &rest->items[first];
    rest->known[header->token].header_of = 0;
    item->loop = header->loop;
    item->passes_before = header->passes_before;
    item->times = header->times;
    rest->loops[item->loop].header = item->token;
    set_border(rest, item->loop, item);
    rest->known[item->token].header_of = (uint8_t)(item->loop + 1);
    header->loop = LOOPS_NONE;
    items_end_loops(rest, first, *index);
    items_remove(rest, first, *index);
    *index = first;
}

void recurrence_arrive(struct loops_rest *rest, int index, uint32_t leaf, unsigned preference)
{
    struct item *item = &rest->items[index];
    const uint32_t depth = item->depth, token = item->token;
    if (item->loop == LOOPS_NONE) {
        if (is_part(rest, index)) {
            if (items_find(rest, depth, token) == NO_ITEM)
                items_push(rest, depth, token, leaf, preference);
            return;
        }
        leave_beside(rest, &index);
        take_over(rest, &index);
        item = &rest->items[index];
        if (item->loop == LOOPS_NONE)
            find_loop(rest, item);
    }
    items_drop(rest, index + 1);
    item->times++;
    if (item->loop == LOOPS_NONE)
        return;
    if (rest->active == NO_ITEM || index < rest->active) {
        rest->active = index;
        rest->news = true;
    }
    struct loop *loop = &rest->loops[item->loop];
    const bool had_border = item->had_border;
    /* The call that was chosen as border had come only by chance. */
    if (loop->border != token && !had_border && item->times == 2 && loop->passes < 2) {
        item->leaf = leaf;
        set_border(rest, item->loop, item);
    }
    if (loop->border == token) {
        loop->leaf = loop->passes == 0 ? leaf : loop->leaf;
        passes_begin(rest, index);
    } else
        rest->moved = rest->moved || !loop->ignored;
    item->had_border = loop->border == token;
}
