/*
 * Two stacks: the open passes of loops, and the tokens that have come in those frames on the
 * stack whose code was not read.  Their ends are dropped when frames and loops are left.  See
 * recogniser.h.
 */
#include "detect/recogniser.h"

#include <string.h>

enum { SIBLINGS_MOST = 64, WATCHED_RUNS = 64 };

void passes_close(struct loops_rest *rest, int keep)
{
    while (rest->open_count > keep) {
        const struct open_pass *open = &rest->open[--rest->open_count];
        struct loop *loop = &rest->loops[open->loop];
        if (open->item == NO_ITEM)
            known_end_run(loop, loop->passes - open->passes_before);
    }
}

int passes_told(const struct loops_rest *rest, int count)
{
    int told = 0;
    for (int i = 0; i < count; i++)
        told += !rest->open[i].silent;
    return told;
}

int passes_above(const struct loops_rest *rest, uint32_t depth)
{
    int count = 0;
    while (count < rest->open_count && rest->open[count].depth < depth)
        count++;
    return count;
}

/*
 * A function that has a loop may be called again in such a way that the loop seems to go on, if
 * there is a loop further out.  Watching it makes walks longer; so it ends if that has not
 * happened in the loop's first runs.
 */
static const uintptr_t *watch(struct loops_rest *rest, uint8_t number)
{
    const struct loop *loop = &rest->loops[number];
    const uint32_t function = site_parent(rest, loop->header);
    return rest->config.watch && (loop->called_again || loop->runs <= WATCHED_RUNS) &&
                   site_is_in_loop(rest, function)
               ? rest->config.watch(rest->config.context, number, function)
               : NULL;
}

/* Notes which loop is around LOOP, a pass of which begins behind the first AT open ones. */
static void note_around(struct loops_rest *rest, struct loop *loop, int at, uint32_t depth)
{
    while (at > 0 && rest->open[at - 1].silent)
        at--;
    rest->moved = true;
    loop->serial_around = at ? rest->loops[rest->open[at - 1].loop].serial : 0;
    loop->beside = at && rest->open[at - 1].depth == depth;
}

void passes_begin(struct loops_rest *rest, int at, uint8_t number, uint32_t depth, int item)
{
    struct loop *loop = &rest->loops[number];
    struct open_pass before = {.passes_before = loop->passes};
    if (at < rest->open_count && rest->open[at].loop == number) {
        /* The run goes on. */
        passes_close(rest, at + 1);
        before = rest->open[at];
        rest->open_count = at;
    } else {
        loop->runs++;
    }
    loop->interrupted = false;
    passes_close(rest, at);
    loop->passes++;
    /* A pass like this one may have been missed before. */
    if (loop->looked && rest->differs > loop->looked)
        loop->missed = true;
    loop->needs = rest->differs > loop->needs ? rest->differs : loop->needs;
    /* Further in than is cut: followed all the same, since its function may be called again. */
    const bool is_deep = !loop->ignored && passes_told(rest, at) == LOOPS_NESTED;
    loop->partly = loop->partly || is_deep || at == OPEN_MOST;
    if (at == OPEN_MOST)
        return;
    if (!loop->ignored && !is_deep) {
        loop->told = true;
        note_around(rest, loop, at, depth);
    }
    const uintptr_t *word = item == NO_ITEM ? watch(rest, number) : NULL;
    rest->open[rest->open_count++] = (struct open_pass){.number = ++rest->passes,
                                                        .passes_before = before.passes_before,
                                                        .counted = before.counted,
                                                        .count = before.count,
                                                        .has_count = before.has_count,
                                                        .depth = depth,
                                                        .began = rest->began,
                                                        .word = word,
                                                        .stays = word ? *word : 0,
                                                        .item = item,
                                                        .loop = number,
                                                        .silent = loop->ignored || is_deep};
}

/* Ends the run of the loop whose header ITEM is, if it is one. */
static void end_run(struct loops_rest *rest, const struct item *item)
{
    if (item->loop != LOOPS_NONE)
        known_end_run(&rest->loops[item->loop],
                      rest->loops[item->loop].passes - item->passes_before);
}

void items_drop(struct loops_rest *rest, int count)
{
    for (int i = rest->count; i-- > count;)
        end_run(rest, &rest->items[i]);
    rest->count = rest->count < count ? rest->count : count;
    for (int i = 0; i < rest->open_count; i++)
        if (rest->open[i].item >= count)
            passes_close(rest, i);
    if (rest->active >= count) {
        rest->active = NO_ITEM;
        rest->news = true;
    }
}

void items_end_loops(struct loops_rest *rest, int first, int last)
{
    for (int i = 0; i < rest->open_count; i++)
        if (rest->open[i].item >= first)
            passes_close(rest, i);
    for (int i = first; i < last; i++)
        end_run(rest, &rest->items[i]);
}

void items_remove(struct loops_rest *rest, int first, int last)
{
    memmove(&rest->items[first], &rest->items[last],
            (size_t)(rest->count - last) * sizeof *rest->items);
    rest->count -= last - first;
    for (int i = 0; i < rest->open_count; i++)
        if (rest->open[i].item >= last)
            rest->open[i].item -= last - first;
    rest->active = NO_ITEM;
    for (int i = rest->count; i-- > 0;)
        if (rest->items[i].loop != LOOPS_NONE)
            rest->active = i;
    rest->news = true;
}

void items_begin(struct loops_rest *rest, int index)
{
    struct item *item = &rest->items[index];
    int at = passes_above(rest, item->depth);
    while (at < rest->open_count && rest->open[at].depth == item->depth &&
           rest->open[at].item < index)
        at++;
    item->had_border = true;
    passes_begin(rest, at, item->loop, item->depth, index);
}

int items_find(const struct loops_rest *rest, uint32_t depth, uint32_t token)
{
    const int least = rest->count > SIBLINGS_MOST ? rest->count - SIBLINGS_MOST : 0;
    for (int i = rest->count; i-- > least && rest->items[i].depth == depth;)
        if (rest->items[i].token == token)
            return i;
    return NO_ITEM;
}

void items_push(struct loops_rest *rest, uint32_t depth, uint32_t token, uint32_t leaf,
                unsigned preference)
{
    struct known *node = &rest->known[token];
    if (rest->count == ITEMS_MOST) {
        passes_close(rest, 0);
        items_drop(rest, 0);
    }
    const int index = rest->count++;
    struct item *item = &rest->items[index];
    rest->guessed = true;
    *item = (struct item){.token = token,
                          .depth = depth,
                          .leaf = leaf,
                          .preference = (uint8_t)preference,
                          .loop = LOOPS_NONE,
                          .fresh = node->regular_in == 0};
    if (node->regular_in == 0)
        node->regular_in = 1;
    if (node->header_of) {
        item->loop = (uint8_t)(node->header_of - 1);
        item->passes_before = rest->loops[item->loop].passes;
        if (rest->active == NO_ITEM) {
            rest->active = index;
            rest->news = true;
        }
        if (node->border_of == node->header_of)
            items_begin(rest, index);
    }
    if (node->border_of == 0 || node->border_of == node->header_of)
        return;
    for (int i = index; i-- > 0 && rest->items[i].depth == depth;) {
        if (rest->items[i].loop == node->border_of - 1) {
            items_begin(rest, i);
            break;
        }
    }
}
