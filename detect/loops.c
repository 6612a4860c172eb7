/* See loops.h. */
#include "loops.h"

#include <string.h>

enum {
    ITEMS_MOST = 512,
    DEEPEST = 192, /* call paths are looked at so far from the root */
    SIBLINGS_MOST = 64,
    AROUNDS_MOST = 1024, /* different answers that are remembered */
    AROUND_TRIES = 16,
    NO_ITEM = -1
};

#define NO_NODE UINT32_MAX
#define ERA     (UINT64_C(1) << 32)

/* What can be said of the machine code. */
enum answer { UNKNOWN, NO, YES };

/* The loops around a call, innermost first: many calls have the same. */
struct around {
    uint64_t loops[LOOPS_AROUND_MOST];
    int count; /* -1: that cannot be said */
    bool used;
};

/* A token that has come since its frame was entered, or since the loop's pass began. */
struct item {
    uint32_t token;
    uint32_t depth;
    uint32_t leaf;  /* call path that it first came with */
    uint32_t times; /* that it came again */
    uint64_t passes_before;
    uint8_t preference; /* of that call path */
    uint8_t loop;       /* that it is the header of; LOOPS_NONE */
    bool fresh;         /* never seen before */
    bool had_border;    /* in this pass */
};

/* A pass that has begun. */
struct open_pass {
    uint64_t number; /* of all that were opened */
    uint8_t loop;
    int item;       /* index of the header's */
    uint32_t depth; /* of the calls in the function that has the loop */
    uint32_t header;
};

/* Of a call path, beside what is needed at each call. */
struct known {
    uint32_t depth;      /* plus one; 0: not known yet */
    uint32_t regular;    /* pass of the outermost loop in which it was last looked at */
    uint32_t regular_in; /* and when */
    uint16_t around;     /* number of what the machine code says, plus one */
    uint8_t header_of;   /* loop, plus one */
    uint8_t border_of;
};

struct loops_rest {
    struct known *known; /* by call path */
    struct loops_config config;
    struct loop loops[LOOPS_MOST];
    uint32_t serials;
    struct item items[ITEMS_MOST];
    int count;
    int active; /* index of the outermost item with a loop; NO_ITEM */
    struct open_pass open[LOOPS_NESTED];
    int open_count;
    uint64_t passes;                /* opened so far */
    uint32_t deepest;               /* that is looked at */
    uint64_t arrivals[DEEPEST + 1]; /* by depth of what was new, since `deepest` changed */
    uint32_t path[DEEPEST + 1];
    struct around arounds[AROUNDS_MOST]; /* by what they say, mixed */
    bool news;                           /* what is known of loops has changed */
    bool moved;                          /* the call has changed what is to be remembered */
};

size_t loops_bytes(uint32_t nodes)
{
    return nodes * (sizeof(struct loops_node) + sizeof(struct known)) +
           sizeof(struct loops_rest);
}

void loops_start(struct loops *loops, const struct loops_config *config, void *memory)
{
    struct loops_node *nodes = memory;
    struct known *known = (struct known *)(nodes + config->nodes);
    struct loops_rest *rest = (struct loops_rest *)(known + config->nodes);
    rest->known = known;
    rest->config = *config;
    rest->active = NO_ITEM;
    rest->deepest = DEEPEST;
    *loops = (struct loops){
        .era = ERA, .last = NO_NODE, .innermost = NO_NODE, .nodes = nodes, .rest = rest};
}

/* Counts the passes of the innermost loop that have only been noted. */
static void settle(struct loops *loops)
{
    struct loops_rest *rest = loops->rest;
    if (loops->repeats == 0)
        return;
    struct open_pass *pass = &rest->open[rest->open_count - 1];
    rest->passes += loops->repeats;
    pass->number = rest->passes;
    rest->items[pass->item].times += (uint32_t)loops->repeats;
    rest->loops[pass->loop].passes += loops->repeats;
    loops->repeats = 0;
}

const struct loop *loops_get(struct loops *loops, unsigned number)
{
    settle(loops);
    return &loops->rest->loops[number];
}

static uint32_t parent_of(const struct loops *loops, uint32_t node)
{
    const struct loops_config *config = &loops->rest->config;
    return config->parent(config->context, node);
}

static uint32_t depth_of(struct loops *loops, uint32_t node)
{
    uint32_t above = 0, at = node;
    for (; at != 0 && loops->rest->known[at].depth == 0; at = parent_of(loops, at))
        above++;
    const uint32_t depth = above + (at ? loops->rest->known[at].depth - 1 : 0);
    loops->rest->known[node].depth = depth + 1;
    return depth;
}

static uint32_t ancestor(struct loops *loops, uint32_t node, uint32_t depth)
{
    for (uint32_t at = depth_of(loops, node); at > depth; at--)
        node = parent_of(loops, node);
    return node;
}

/* Depth of the innermost node that two call paths have in common. */
static uint32_t common_depth(struct loops *loops, uint32_t a, uint32_t b)
{
    uint32_t depth_a = depth_of(loops, a), depth_b = depth_of(loops, b);
    for (; depth_a > depth_b; depth_a--)
        a = parent_of(loops, a);
    for (; depth_b > depth_a; depth_b--)
        b = parent_of(loops, b);
    for (; a != b; depth_a--) {
        a = parent_of(loops, a);
        b = parent_of(loops, b);
    }
    return depth_a;
}

static bool is_same(const struct around *a, const struct around *b)
{
    return a->count == b->count &&
           (a->count <= 0 ||
            memcmp(a->loops, b->loops, (size_t)a->count * sizeof *a->loops) == 0);
}

/* Where WANTED is remembered, plus one; 0 if there is no room for it. */
static uint16_t remember_around(struct loops_rest *rest, const struct around *wanted)
{
    uint64_t hash = (uint64_t)(wanted->count + 1);
    for (int i = 0; i < wanted->count; i++)
        hash = (hash ^ wanted->loops[i]) * UINT64_C(0x9E3779B97F4A7C15);
    for (uint64_t i = 0; i < AROUND_TRIES; i++) {
        const uint64_t at = ((hash >> 32) + i) % AROUNDS_MOST;
        struct around *around = &rest->arounds[at];
        if (!around->used)
            *around = *wanted;
        if (is_same(around, wanted))
            return (uint16_t)(at + 1);
    }
    return 0;
}

/* What the machine code says of the calls of TOKEN. */
static const struct around *look_around(struct loops *loops, uint32_t token)
{
    enum { NO_ROOM = AROUNDS_MOST + 1 };
    static const struct around nothing = {.count = -1};
    struct loops_rest *rest = loops->rest;
    struct known *node = &rest->known[token];
    if (node->around == 0 && rest->config.loops_around) {
        struct around around = {.used = true};
        around.count = rest->config.loops_around(rest->config.context, token, around.loops);
        node->around = remember_around(rest, &around);
        if (node->around == 0)
            node->around = NO_ROOM;
    }
    if (node->around == 0 || node->around == NO_ROOM)
        return &nothing;
    return &rest->arounds[node->around - 1];
}

static enum answer in_loop(struct loops *loops, uint32_t token)
{
    const int count = look_around(loops, token)->count;
    return count < 0 ? UNKNOWN : count ? YES : NO;
}

/*
 * Whether SIBLING is part of the loop by which TOKEN comes again: if not of one in the same
 * function, then all that the function calls is.
 */
static enum answer in_loop_of(struct loops *loops, uint32_t token, uint32_t sibling)
{
    const struct around *inner = look_around(loops, token), *other;
    if (inner->count <= 0 || token == sibling)
        return inner->count < 0 ? UNKNOWN : YES;
    other = look_around(loops, sibling);
    for (int i = 0; i < other->count; i++)
        if (other->loops[i] == inner->loops[0])
            return YES;
    return other->count < 0 ? UNKNOWN : NO;
}

static void end_run(struct loops_rest *rest, const struct item *item)
{
    struct loop *loop = &rest->loops[item->loop];
    const uint64_t passes = loop->passes - item->passes_before;
    if (passes == 0)
        return;
    loop->least = loop->least == 0 || passes < loop->least ? passes : loop->least;
    loop->most = passes > loop->most ? passes : loop->most;
}

/* The passes from number KEEP on are over. */
static void close_from(struct loops_rest *rest, int keep)
{
    rest->open_count = keep < rest->open_count ? keep : rest->open_count;
}

/* The items from number COUNT on are gone, and with them what is open of their loops. */
static void drop_items(struct loops_rest *rest, int count)
{
    for (int i = rest->count; i-- > count;)
        if (rest->items[i].loop != LOOPS_NONE)
            end_run(rest, &rest->items[i]);
    rest->count = rest->count < count ? rest->count : count;
    for (int i = 0; i < rest->open_count; i++)
        if (rest->open[i].item >= count)
            close_from(rest, i);
    if (rest->active >= count) {
        rest->active = NO_ITEM;
        rest->news = true;
    }
}

/* Ends the passes of loops that are left by a call of TOKEN at DEPTH. */
static void leave_loops(struct loops *loops, uint32_t depth, uint32_t token)
{
    struct loops_rest *rest = loops->rest;
    for (int i = 0; i < rest->open_count; i++) {
        const struct open_pass *open = &rest->open[i];
        if (depth < open->depth ||
            (depth == open->depth && in_loop_of(loops, open->header, token) == NO)) {
            close_from(rest, i);
            return;
        }
    }
}

/* The item of TOKEN among those of its frame, which are the last ones; NO_ITEM. */
static int find_item(const struct loops_rest *rest, uint32_t depth, uint32_t token)
{
    const int least = rest->count > SIBLINGS_MOST ? rest->count - SIBLINGS_MOST : 0;
    for (int i = rest->count; i-- > least && rest->items[i].depth == depth;)
        if (rest->items[i].token == token)
            return i;
    return NO_ITEM;
}

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

static void forget(struct loops *loops, uint8_t number)
{
    const struct loop *loop = &loops->rest->loops[number];
    loops->rest->known[loop->header].header_of = 0;
    if (loops->rest->known[loop->border].border_of == number + 1)
        loops->rest->known[loop->border].border_of = 0;
}

/* Room for one more loop: that of the one worth least, if need be. */
static uint8_t find_room(struct loops *loops)
{
    struct loops_rest *rest = loops->rest;
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
        forget(loops, least);
    return least;
}

static void set_border(struct loops *loops, uint8_t number, const struct item *item)
{
    struct loop *loop = &loops->rest->loops[number];
    if (loop->border != NO_NODE)
        loops->rest->known[loop->border].border_of = 0;
    loop->border = item->token;
    loop->leaf = item->leaf;
    loops->rest->known[item->token].border_of = (uint8_t)(number + 1);
}

/*
 * Where the passes of a loop with the header ITEM are to begin: at a call that came once in the
 * first of them and is in no inner loop, preferably one that all processes have, preferably
 * early.
 */
static const struct item *choose_border(struct loops *loops, const struct item *item)
{
    const struct loops_rest *rest = loops->rest;
    const struct item *best = item;
    for (const struct item *other = item + 1; other < rest->items + rest->count; other++)
        if (other->depth == item->depth && other->times == 0 && other->loop == LOOPS_NONE &&
            loops->rest->known[other->token].border_of == 0 &&
            other->preference > best->preference &&
            in_loop_of(loops, other->token, item->token) != NO)
            best = other;
    return best;
}

/* A loop with the header ITEM, which has just come again for the first time. */
static void find_loop(struct loops *loops, struct item *item)
{
    struct loops_rest *rest = loops->rest;
    int around = 0;
    while (around < rest->open_count && &rest->items[rest->open[around].item] < item)
        around++;
    uint8_t number = around < LOOPS_NESTED ? find_room(loops) : (uint8_t)LOOPS_NONE;
    if (number == LOOPS_NONE)
        return;
    rest->loops[number] =
        (struct loop){.serial = ++rest->serials, .header = item->token, .border = NO_NODE};
    set_border(loops, number, choose_border(loops, item));
    rest->loops[number].certain = in_loop(loops, item->token) == YES;
    loops->rest->known[item->token].header_of = (uint8_t)(number + 1);
    item->loop = number;
    rest->news = true;
}

/* A pass of the loop whose header is item INDEX begins. */
static void begin_pass(struct loops *loops, int index)
{
    struct loops_rest *rest = loops->rest;
    struct item *item = &rest->items[index];
    struct loop *loop = &rest->loops[item->loop];
    int at = 0;
    while (at < rest->open_count && rest->open[at].item < index)
        at++;
    close_from(rest, at);
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

static void push(struct loops *loops, uint32_t depth, uint32_t token, uint32_t leaf,
                 unsigned preference)
{
    struct loops_rest *rest = loops->rest;
    struct known *node = &rest->known[token];
    if (rest->count == ITEMS_MOST) {
        close_from(rest, 0);
        drop_items(rest, 0);
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
            begin_pass(loops, index);
    }
    if (node->border_of == 0 || node->border_of == node->header_of)
        return;
    for (int i = index; i-- > 0 && rest->items[i].depth == depth;) {
        if (rest->items[i].loop == node->border_of - 1) {
            begin_pass(loops, i);
            break;
        }
    }
}

/* Loops beside TOKEN, in the same function, that do not have it have been left. */
static void leave_items(struct loops *loops, uint32_t depth, uint32_t token)
{
    struct loops_rest *rest = loops->rest;
    int left = rest->count;
    for (int i = rest->count; i-- > 0 && rest->items[i].depth == depth;)
        if (rest->items[i].loop != LOOPS_NONE &&
            in_loop_of(loops, rest->items[i].token, token) == NO)
            left = i;
    drop_items(rest, left);
}

/* The outermost loop in items from FIRST on, at DEPTH; NO_ITEM. */
static int loop_beside(const struct loops_rest *rest, int first, uint32_t depth)
{
    for (int i = first; i < rest->count; i++)
        if (rest->items[i].loop != LOOPS_NONE && rest->items[i].depth == depth)
            return i;
    return NO_ITEM;
}

/* Removes items FIRST to LAST - 1, no loop of which has an open pass. */
static void remove_items(struct loops_rest *rest, int first, int last)
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

/* Loops of items FIRST to LAST - 1 are left. */
static void drop_inner(struct loops_rest *rest, int first, int last)
{
    for (int i = 0; i < rest->open_count; i++)
        if (rest->open[i].item >= first)
            close_from(rest, i);
    for (int i = first; i < last; i++)
        if (rest->items[i].loop != LOOPS_NONE)
            end_run(rest, &rest->items[i]);
}

/*
 * Whether item INDEX, which has come again, is only a part of a loop that is known by another
 * header: one that comes now and then.
 */
static bool is_part(struct loops *loops, int index)
{
    struct loops_rest *rest = loops->rest;
    const struct item item = rest->items[index];
    int beside = loop_beside(rest, index + 1, item.depth);
    if (beside == NO_ITEM || in_loop_of(loops, rest->items[beside].token, item.token) != YES)
        return false;
    drop_items(rest, beside + 1);
    remove_items(rest, index, index + 1);
    return true;
}

/*
 * Where the code says nothing: a loop beside ITEM, the header of a new one, that has come again
 * and again without it, has been left.
 */
static void leave_beside(struct loops *loops, int *index)
{
    struct loops_rest *rest = loops->rest;
    const struct item *item = &rest->items[*index];
    int first = *index;
    for (int i = *index; item->fresh && i-- > 0 && rest->items[i].depth == item->depth;)
        if (rest->items[i].loop != LOOPS_NONE && rest->items[i].times >= 2 &&
            in_loop_of(loops, rest->items[i].token, item->token) == UNKNOWN)
            first = i;
    if (first == *index)
        return;
    drop_inner(rest, first, *index);
    remove_items(rest, first, *index);
    *index = first;
}

/*
 * Where the machine code has one loop around item *INDEX, which has come again without being a
 * header, and around an item further out, which is one but did not come: that one comes only
 * now and then, and the loop is known by the other from now on.
 */
static void take_over(struct loops *loops, int *index)
{
    struct loops_rest *rest = loops->rest;
    struct item *item = &rest->items[*index];
    int first = *index;
    for (int i = *index; i-- > 0 && rest->items[i].depth == item->depth;)
        if (rest->items[i].loop != LOOPS_NONE && in_loop(loops, item->token) == YES &&
            in_loop_of(loops, rest->items[i].token, item->token) == YES &&
            in_loop_of(loops, item->token, rest->items[i].token) == YES)
            first = i;
    if (first == *index)
        return;
    struct item *header = &rest->items[first];
    loops->rest->known[header->token].header_of = 0;
    item->loop = header->loop;
    item->passes_before = header->passes_before;
    item->times = header->times;
    rest->loops[item->loop].header = item->token;
    set_border(loops, item->loop, item);
    loops->rest->known[item->token].header_of = (uint8_t)(item->loop + 1);
    header->loop = LOOPS_NONE;
    drop_inner(rest, first, *index);
    remove_items(rest, first, *index);
    *index = first;
}

/* Item INDEX has come again. */
static void come_again(struct loops *loops, int index, uint32_t leaf, unsigned preference)
{
    struct loops_rest *rest = loops->rest;
    struct item *item = &rest->items[index];
    const uint32_t depth = item->depth, token = item->token;
    if (item->loop == LOOPS_NONE) {
        if (is_part(loops, index)) {
            if (find_item(rest, depth, token) == NO_ITEM)
                push(loops, depth, token, leaf, preference);
            return;
        }
        leave_beside(loops, &index);
        take_over(loops, &index);
        item = &rest->items[index];
        if (item->loop == LOOPS_NONE)
            find_loop(loops, item);
    }
    drop_items(rest, index + 1);
    item->times++;
    if (item->loop == LOOPS_NONE)
        return;
    if (rest->active == NO_ITEM || index < rest->active) {
        rest->active = index;
        rest->news = true;
    }
    struct loop *loop = &rest->loops[item->loop];
    const bool had_border = item->had_border;
    /* What was chosen came only by chance. */
    if (loop->border != token && !had_border && item->times == 2 && loop->passes < 2) {
        item->leaf = leaf;
        set_border(loops, item->loop, item);
    }
    if (loop->border == token) {
        loop->leaf = loop->passes == 0 ? leaf : loop->leaf;
        begin_pass(loops, index);
    } else
        rest->moved = rest->moved || !loop->ignored;
    item->had_border = loop->border == token;
}

/* Whether LEAF comes in every pass of the outermost loop, or more often. */
static bool is_regular(struct loops *loops, uint32_t leaf)
{
    const struct loops_rest *rest = loops->rest;
    struct known *node = &loops->rest->known[leaf];
    const uint32_t era = (uint32_t)(loops->era >> 32), pass = rest->items[rest->active].times;
    const bool regular = node->regular_in == era && pass - node->regular <= 1;
    node->regular_in = era;
    node->regular = pass;
    return regular;
}

/* Whether two calls of a function are known not to be in any loop together. */
static bool is_apart(struct loops *loops, uint32_t token, uint32_t sibling)
{
    const struct around *one = look_around(loops, token), *other = look_around(loops, sibling);
    for (int i = 0; i < one->count; i++)
        for (int j = 0; j < other->count; j++)
            if (one->loops[i] == other->loops[j])
                return false;
    return one->count >= 0 && other->count >= 0;
}

/*
 * The depth of the innermost frame that has stayed, COMMON or less.  A function that has left
 * and been called again from the same place looks as if it had stayed; but what it calls cannot
 * come again from where the machine code has no loop, nor after a call that is in no loop with
 * it.  Then it is the first function further out that may have one.
 */
static uint32_t correct(struct loops *loops, uint32_t leaf, uint32_t common)
{
    const struct loops_rest *rest = loops->rest;
    uint32_t token = ancestor(loops, leaf, common + 1), depth = common + 1;
    int count = rest->count, item = NO_ITEM;
    while (count > 0 && rest->items[count - 1].depth > depth)
        count--;
    for (int i = count; i-- > 0 && item == NO_ITEM && rest->items[i].depth == depth;)
        item = rest->items[i].token == token ? i : NO_ITEM;
    if (item == NO_ITEM)
        return common;
    bool anew = false;
    for (int i = item + 1; i < count && !anew; i++)
        anew = is_apart(loops, token, rest->items[i].token);
    while (depth > 1 && (anew || in_loop(loops, token) == NO)) {
        token = parent_of(loops, token);
        depth--;
        anew = false;
    }
    return in_loop(loops, token) == NO ? common : depth - 1;
}

/* Finds the loops that LEAF means something for, after a call path that shares COMMON nodes. */
static void follow_path(struct loops *loops, uint32_t leaf, uint32_t common, uint32_t deepest,
                        unsigned preference)
{
    struct loops_rest *rest = loops->rest;
    int count = rest->count;
    common = correct(loops, leaf, common);
    while (count > 0 && rest->items[count - 1].depth > common + 1)
        count--;
    leave_loops(loops, common + 1, ancestor(loops, leaf, common + 1));
    drop_items(rest, count);
    uint32_t depth = rest->count ? rest->items[rest->count - 1].depth : 1;
    uint32_t at = ancestor(loops, leaf, deepest);
    for (uint32_t i = deepest; i >= depth; i--, at = parent_of(loops, at))
        rest->path[i] = at;
    for (; depth <= deepest; depth++) {
        const uint32_t token = rest->path[depth];
        if (depth == common + 1)
            leave_items(loops, depth, token);
        int item = depth > common + 1 ? NO_ITEM : find_item(rest, depth, token);
        if (item == NO_ITEM)
            push(loops, depth, token, leaf, preference);
        else if (depth == common + 1)
            come_again(loops, item, leaf, preference);
        else
            drop_items(rest, item + 1);
    }
}

/* What has become of the passes that were open when so many had been, PASSES of them in all. */
static struct loops_verdict compare(const struct loops_rest *rest, uint64_t passes)
{
    struct loops_verdict verdict = {.keep = 0};
    for (int i = 0; i < rest->open_count; i++) {
        if (rest->open[i].number <= passes)
            verdict.keep++;
        else
            verdict.open[verdict.count++] = rest->open[i].loop;
    }
    return verdict;
}

/* The border of the innermost open pass, if nothing new has come since; NO_NODE. */
static uint32_t innermost_border(const struct loops_rest *rest)
{
    if (rest->open_count == 0)
        return NO_NODE;
    const struct open_pass *open = &rest->open[rest->open_count - 1];
    return open->item == rest->count - 1 && rest->loops[open->loop].border == open->header
               ? open->header
               : NO_NODE;
}

void loops_ignore(struct loops *loops)
{
    struct loops_rest *rest = loops->rest;
    settle(loops);
    rest->loops[rest->open[rest->open_count - 1].loop].ignored = true;
    close_from(rest, rest->open_count - 1);
    loops->innermost = innermost_border(rest);
    loops->era += ERA;
}

/* The depth below which half of the calls that meant something differed from those before. */
static uint32_t half_depth(const struct loops_rest *rest)
{
    uint64_t all = 0, deeper = 0;
    uint32_t depth = rest->deepest;
    for (uint32_t i = 0; i <= DEEPEST; i++)
        all += rest->arrivals[i];
    while (depth > 0 && 2 * deeper <= all)
        deeper += rest->arrivals[depth--];
    return depth;
}

unsigned loops_lessen(struct loops *loops, unsigned kept)
{
    struct loops_rest *rest = loops->rest;
    const uint32_t least = kept == LOOPS_NONE ? 0 : depth_of(loops, rest->loops[kept].header);
    settle(loops);
    rest->deepest = half_depth(rest);
    rest->deepest = rest->deepest > least ? rest->deepest : least;
    memset(rest->arrivals, 0, sizeof rest->arrivals);
    int keep = rest->count;
    while (keep > 0 && rest->items[keep - 1].depth > rest->deepest)
        keep--;
    drop_items(rest, keep);
    for (int i = 0; i < LOOPS_MOST; i++)
        if (rest->loops[i].serial && depth_of(loops, rest->loops[i].header) > rest->deepest)
            rest->loops[i].ignored = true;
    if (loops->last != NO_NODE)
        loops->last = ancestor(loops, loops->last, rest->deepest);
    loops->innermost = innermost_border(rest);
    loops->era += ERA;
    return (unsigned)rest->open_count;
}

/* What LEAF is taken for, which is deeper than is looked. */
static uint32_t token_above(struct loops *loops, uint32_t leaf)
{
    struct loops_node *node = &loops->nodes[leaf];
    if (node->inside >> 32 != loops->era >> 32)
        node->inside = loops->era | ancestor(loops, leaf, loops->rest->deepest);
    return (uint32_t)node->inside;
}

/* Nothing changes. */
static struct loops_verdict go_on(const struct loops *loops)
{
    return (struct loops_verdict){.keep = (uint8_t)loops->rest->open_count};
}

/* What loops_repeat has taken. */
static struct loops_verdict next_pass(struct loops *loops)
{
    const struct loops_rest *rest = loops->rest;
    settle(loops);
    return (struct loops_verdict){.keep = (uint8_t)(rest->open_count - 1),
                                  .count = 1,
                                  .open = {rest->open[rest->open_count - 1].loop}};
}

/*
 * Remembers what LEAF meant after BEFORE, where OPEN passes were open, so that it need not be
 * looked at when it comes there again.
 */
static void remember(struct loops *loops, uint32_t before, uint32_t leaf, int open,
                     const struct loops_verdict *verdict)
{
    struct loops_rest *rest = loops->rest;
    struct loops_node *node = &loops->nodes[leaf];
    if (rest->news)
        loops->era += ERA;
    else if (verdict->count == 1 && verdict->keep == open - 1 && loops->innermost == leaf)
        node->again = loops->era | before;
    else if (rest->active != NO_ITEM && !rest->moved && verdict->keep == open &&
             is_regular(loops, leaf)) {
        node->quiet[1] = node->quiet[0];
        node->quiet[0] = loops->era | before;
    }
}

struct loops_verdict loops_arrive(struct loops *loops, uint32_t leaf, unsigned preference)
{
    struct loops_rest *rest = loops->rest;
    const uint32_t before = loops->last;
    uint32_t token = leaf, depth = depth_of(loops, leaf), common = 0;
    if (depth > rest->deepest) {
        token = token_above(loops, leaf);
        depth = rest->deepest;
        if (token == before || loops_pass(loops, token))
            return go_on(loops);
    }
    if (loops_repeat(loops, token))
        return next_pass(loops);
    settle(loops);
    const uint64_t passes = rest->passes;
    const int open = rest->open_count;
    loops->last = token;
    if (before == token)
        common = depth - 1;
    else if (before != NO_NODE)
        common = common_depth(loops, before, token);
    rest->arrivals[common < rest->deepest ? common + 1 : rest->deepest]++;
    rest->news = rest->moved = false;
    if (common < depth)
        follow_path(loops, leaf, common, depth, preference);
    const struct loops_verdict verdict = compare(rest, passes);
    loops->innermost = innermost_border(rest);
    remember(loops, before, token, open, &verdict);
    return verdict;
}
