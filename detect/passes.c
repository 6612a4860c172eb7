/*
 * Two stacks: the tokens that have come in each frame on the stack, and the open passes of
 * loops.  Their ends are dropped when frames and loops are left.  See recogniser.h.
 */
#include "detect/recogniser.h"

#include <string.h>

enum { SIBLINGS_MOST = 64 };

static void end_run(struct loops_rest *rest, const struct item *item)
{
    struct loop *loop = &rest->loops[item->loop];
    const uint64_t passes = loop->passes - item->passes_before;
    if (passes == 0)
        return;
    loop->least = loop->least == 0 || passes < loop->least ? passes : loop->least;
    loop->most = passes > loop->most ? passes : loop->most;
}

void items_drop(struct loops_rest *rest, int count)
{
    for (int i = rest->count; i-- > count;)
        if (rest->items[i].loop != LOOPS_NONE)
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
        if (rest->items[i].loop != LOOPS_NONE)
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

void passes_leave(struct loops_rest *rest, uint32_t depth, uint32_t token)
{
    for (int i = 0; i < rest->open_count; i++) {
        const struct open_pass *open = &rest->open[i];
        if (depth < open->depth ||
            (depth == open->depth && site_in_loop_of(rest, open->header, token) == NO)) {
            passes_close(rest, i);
            return;
        }
    }
}

void passes_begin(struct loops_rest *rest, int index)
{
    struct item *item = &rest->items[index];
    struct loop *loop = &rest->loops[item->loop];
    int at = 0;
    while (at < rest->open_count && rest->open[at].item < index)
        at++;
    passes_close(rest, at);
    item->had_border = true;
    loop->passes++;
    if (at == LOOPS_NESTED || loop->ignored)
        return;
    rest->moved = true;
    const struct loop *around = at ? &rest->loops[rest->open[at - 1].loop] : NULL;
    loop->serial_around = around ? around->serial : 0;
    loop->beside = around && rest->open[at - 1].depth == item->depth;
    rest->open[rest->open_count++] =
        (struct open_pass){++rest->passes, item->loop, index, item->depth, item->token};
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
            passes_begin(rest, index);
    }
    if (node->border_of == 0 || node->border_of == node->header_of)
        return;
    for (int i = index; i-- > 0 && rest->items[i].depth == depth;) {
        if (rest->items[i].loop == node->border_of - 1) {
            passes_begin(rest, i);
            break;
        }
    }
}

void items_leave(struct loops_rest *rest, uint32_t depth, uint32_t token)
{
    int left = rest->count;
    for (int i = rest->count; i-- > 0 && rest->items[i].depth == depth;)
        if (rest->items[i].loop != LOOPS_NONE &&
            site_in_loop_of(rest, rest->items[i].token, token) == NO)
            left = i;
    items_drop(rest, left);
}
