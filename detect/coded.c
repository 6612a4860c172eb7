/*
 * Loops that the machine code has: what the way from one call of a function to the next means
 * for those around them.  See recogniser.h.
 */
#include "detect/recogniser.h"

/* The call that begins most passes of LOOP is its border (R. Boyer and J Moore's vote). */
static void vote(struct loop *loop, uint32_t token, uint32_t leaf)
{
    if (loop->border != NO_NODE && loop->leaf == leaf) {
        loop->votes++;
    } else if (loop->votes > 0) {
        loop->votes--;
    } else {
        loop->border = token;
        loop->leaf = leaf;
        loop->votes = 1;
    }
}

static void begin(struct loops_rest *rest, int at, uint8_t number, uint32_t depth,
                  uint32_t leaf)
{
    const struct counted counted = counted_begin(rest, at, number, rest->path[depth]);
    vote(&rest->loops[number], rest->path[depth], leaf);
    passes_begin(rest, at, number, depth, NO_ITEM);
    counted_keep(rest, number, &counted);
}

/* Begins passes of the known loops around the call at DEPTH, from loop COUNT - 1 inwards. */
static void enter(struct loops_rest *rest, uint32_t depth, int count, uint32_t leaf)
{
    const uint32_t token = rest->path[depth], function = site_parent(rest, token);
    if (rest->known[function].loops == 0)
        return;
    const struct around *around = site_around(rest, token);
    for (int i = count < around->count ? count : around->count; i-- > 0;) {
        const uint8_t number = known_find(rest, function, around->loops[i]);
        if (number != LOOPS_NONE)
            begin(rest, rest->open_count, number, depth, leaf);
    }
}

/* Loop NUMBER's place in AROUND; -1: it is not there. */
static int place_in(const struct loops_rest *rest, uint8_t number, const struct around *around)
{
    for (int i = around->count; i-- > 0;)
        if (around->loops[i] == rest->loops[number].entry)
            return i;
    return -1;
}

/*
 * A loop that calls one function after the other from one place, as from a table, has one loop
 * around it or more: whether TOKEN, called after FROM, begins another round.
 */
static bool begins_round(struct loops_rest *rest, uint32_t from, uint32_t token)
{
    uint32_t *round = &rest->known[site_parent(rest, token)].round;
    if (*round == 0 || !site_way(rest, *round, token).same)
        *round = from;
    return token == *round;
}

/*
 * The outermost loop around the call of TOKEN of which another pass has begun on the way from
 * FROM; -1: none.  Whether that is only a guess goes to *GUESSED.
 */
static int passed(struct loops_rest *rest, const struct around *around, uint32_t from,
                  uint32_t token, bool *guessed)
{
    const struct code_way way = site_way(rest, from, token);
    int again = way.known ? around->count - 1 : -1;
    while (again >= 0 &&
           !(way.crossed >> again & 1 && site_is_in(rest, from, around->loops[again])))
        again--;
    /* Whether the loop may have been left and entered again, in another pass of one around it.
     */
    rest->left = again >= 0 && way.unseen >> (again + 1) != 0;
    if (again >= 0 && rest->jumped && !rest->left &&
        counted_stays(rest, token, around->loops[again]))
        again = -1;
    *guessed = way.same && from != token && again >= 0 && again + 1 < around->count &&
               begins_round(rest, from, token) &&
               !known_is_certain(rest, site_parent(rest, token), around->loops[again + 1]);
    if (*guessed || !way.known)
        return again + *guessed;
    const int found = counted_find(rest, around, again, from, token, &way);
    rest->left = found >= 0 && way.unseen >> (found + 1) != 0;
    return found;
}

/* The number of the loop at ENTRY around the call of TOKEN, which is added if it is new. */
static uint8_t find_or_add(struct loops_rest *rest, uint32_t token, uint64_t entry, int around)
{
    const uint32_t function = site_parent(rest, token);
    uint8_t number = known_find(rest, function, entry);
    if (number == LOOPS_NONE && (number = known_add(rest, token, entry, around)) != LOOPS_NONE)
        rest->known[function].loops |= (uint16_t)(1u << number);
    return number;
}

void coded_go_on(struct loops_rest *rest, uint32_t from, uint32_t depth, uint32_t leaf)
{
    const uint32_t token = rest->path[depth];
    const struct around *around = site_around(rest, token);
    bool guessed;
    const int again = passed(rest, around, from, token, &guessed);
    int at = passes_above(rest, depth), inner = around->count;
    while (at < rest->open_count && rest->open[at].depth == depth) {
        const int place = place_in(rest, rest->open[at].loop, around);
        if (place < 0 || place <= again)
            break;
        inner = place;
        at++;
    }
    if (again < 0) {
        passes_close(rest, at);
        /* Loops that the function has come into since. */
        for (; inner > 0 && site_is_in(rest, from, around->loops[inner - 1]); inner--)
            continue;
        enter(rest, depth, inner, leaf);
        return;
    }
    const uint8_t number = find_or_add(rest, token, around->loops[again], at);
    if (number == LOOPS_NONE) {
        passes_close(rest, at);
    } else {
        struct loop *loop = &rest->loops[number];
        rest->news = rest->news || (!guessed && !loop->certain);
        loop->certain = loop->certain || !guessed;
        begin(rest, at, number, depth, leaf);
    }
    enter(rest, depth, again, leaf);
}

void coded_enter(struct loops_rest *rest, uint32_t depth, uint32_t leaf)
{
    enter(rest, depth, LOOPS_AROUND_MOST, leaf);
}
