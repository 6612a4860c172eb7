/* Which loops are known, and which is forgotten where there is no room.  See recogniser.h. */
#include "detect/recogniser.h"

void known_end_run(struct loop *loop, uint64_t passes)
{
    if (passes == 0)
        return;
    loop->least = loop->least == 0 || passes < loop->least ? passes : loop->least;
    loop->most = passes > loop->most ? passes : loop->most;
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

/* Where it is, or can be, kept how often the loop at ENTRY in FUNCTION was forgotten. */
static struct forgotten *find_forgotten(struct loops_rest *rest, uint32_t function,
                                        uint64_t entry)
{
    const uint64_t hash = (entry ^ (uint64_t)function << 40) * UINT64_C(0x9E3779B97F4A7C15);
    return &rest->forgotten[(hash >> 32) % FORGOTTEN_MOST];
}

static bool is_of(const struct forgotten *forgotten, uint32_t function, uint64_t entry)
{
    return forgotten->entry == entry && forgotten->function == function;
}

/* Notes that the loop at ENTRY in FUNCTION is forgotten. */
static void note_forgotten(struct loops_rest *rest, uint32_t function, uint64_t entry)
{
    struct forgotten *forgotten = find_forgotten(rest, function, entry);
    if (is_of(forgotten, function, entry))
        forgotten->times++;
    else
        *forgotten = (struct forgotten){.entry = entry, .function = function, .times = 1};
}

/*
 * Whether the loop at ENTRY in FUNCTION, which is not known, is left unknown: it was forgotten
 * before.  To learn of a loop costs much, and others would be forgotten in turn; so it is added
 * when it has come twice as often as the last time.
 */
static bool is_left_out(struct loops_rest *rest, uint32_t function, uint64_t entry)
{
    struct forgotten *forgotten = find_forgotten(rest, function, entry);
    if (!entry || !is_of(forgotten, function, entry))
        return false;
    forgotten->times++;
    /* How often it comes is counted, so the call is not quiet. */
    rest->counted = true;
    return (forgotten->times & (forgotten->times - 1)) != 0;
}

static void forget(struct loops_rest *rest, uint8_t number)
{
    const struct loop *loop = &rest->loops[number];
    rest->refused = rest->refused || loop->told;
    if (loop->entry) {
        const uint32_t function = site_parent(rest, loop->header);
        rest->known[function].loops &= (uint16_t) ~(1u << number);
        if (loop->told)
            note_forgotten(rest, function, loop->entry);
        return;
    }
    rest->known[loop->header].header_of = 0;
    if (rest->known[loop->border].border_of == number + 1)
        rest->known[loop->border].border_of = 0;
}

/* Finds room that no loop has; LOOPS_NONE if there is none. */
static uint8_t find_free(const struct loops_rest *rest)
{
    uint8_t number = 0;
    while (number < LOOPS_MOST && rest->loops[number].serial > 0)
        number++;
    return number < LOOPS_MOST ? number : (uint8_t)LOOPS_NONE;
}

/* Finds room for one more loop: that of the loop worth least, if need be. */
static uint8_t find_room(struct loops_rest *rest)
{
    uint64_t least_worth = 0;
    uint8_t least = find_free(rest);
    if (least != LOOPS_NONE)
        return least;
    for (uint8_t i = 0; i < LOOPS_MOST; i++) {
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

uint8_t known_add(struct loops_rest *rest, uint32_t token, uint64_t entry, int around)
{
    /* What is further in than loops are cut is not worth that another one is forgotten. */
    const uint8_t number = is_left_out(rest, site_parent(rest, token), entry)
                               ? (uint8_t)LOOPS_NONE
                           : passes_told(rest, around) < LOOPS_NESTED ? find_room(rest)
                                                                      : find_free(rest);
    if (number == LOOPS_NONE) {
        rest->refused = true;
        return number;
    }
    /* Where others were forgotten or refused, this may be one of them. */
    rest->loops[number] = (struct loop){.serial = ++rest->serials,
                                        .header = token,
                                        .entry = entry,
                                        .border = NO_NODE,
                                        .partly = rest->refused};
    late_add(rest, number);
    rest->loops[number].ignored =
        rest->config.is_wanted &&
        !rest->config.is_wanted(rest->config.context, &rest->loops[number]);
    rest->news = true;
    return number;
}

uint8_t known_find(const struct loops_rest *rest, uint32_t function, uint64_t entry)
{
    for (unsigned left = rest->known[function].loops; left; left &= left - 1) {
        const unsigned number = (unsigned)__builtin_ctz(left);
        if (rest->loops[number].entry == entry)
            return (uint8_t)number;
    }
    return LOOPS_NONE;
}

bool known_is_certain(const struct loops_rest *rest, uint32_t function, uint64_t entry)
{
    const uint8_t number = known_find(rest, function, entry);
    return number != LOOPS_NONE && rest->loops[number].certain;
}
