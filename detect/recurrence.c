/*
 * Decides, where the machine code was not read, what it means that a token comes again in its
 * frame: it is the header of a loop, known or new.  See recogniser.h.
 */
#include "detect/recogniser.h"

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
            rest->known[other->token].border_of == 0 && other->preference > best->preference)
            best = other;
    return best;
}

/* Adds a loop with the header ITEM, which has just come again for the first time. */
static void find_loop(struct loops_rest *rest, struct item *item)
{
    int around = 0;
    while (around < rest->open_count &&
           (rest->open[around].item == NO_ITEM || &rest->items[rest->open[around].item] < item))
        around++;
    const uint8_t number = known_add(rest, item->token, 0, around);
    if (number == LOOPS_NONE)
        return;
    set_border(rest, number, choose_border(rest, item));
    rest->known[item->token].header_of = (uint8_t)(number + 1);
    item->loop = number;
}

/*
 * If item *INDEX is the header of a new loop, a loop beside it that has come again and again
 * without it has been left.
 */
static void leave_beside(struct loops_rest *rest, int *index)
{
    const struct item *item = &rest->items[*index];
    int first = *index;
    for (int i = *index; item->fresh && i-- > 0 && rest->items[i].depth == item->depth;)
        if (rest->items[i].loop != LOOPS_NONE && rest->items[i].times >= 2)
            first = i;
    if (first == *index)
        return;
    items_end_loops(rest, first, *index);
    items_remove(rest, first, *index);
    *index = first;
}

void recurrence_arrive(struct loops_rest *rest, int index, uint32_t leaf)
{
    struct item *item = &rest->items[index];
    const uint32_t token = item->token;
    rest->guessed = true;
    if (item->loop == LOOPS_NONE) {
        leave_beside(rest, &index);
        item = &rest->items[index];
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
        items_begin(rest, index);
    } else
        rest->moved = rest->moved || !loop->ignored;
    item->had_border = loop->border == token;
}
