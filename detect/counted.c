/*
 * Passes that calls do not tell: of a loop all of whose calls may come from a loop inside it,
 * or some of whose passes make no calls.  Where the program counts the passes itself, its count
 * does.  See recogniser.h.
 */
#include "detect/recogniser.h"

enum {
    ALWAYS = 32, /* of so many passes of a loop the count is read in each */
    UNSEEN_MOST = 1 << 30
};

static struct loops_count ask(struct loops_rest *rest, uint32_t token, uint64_t entry)
{
    const struct loops_count count =
        rest->config.count ? rest->config.count(rest->config.context, token, entry)
                           : (struct loops_count){.known = false};
    /* To be asked again, so the call is not quiet. */
    rest->counted = rest->counted || count.late;
    return count;
}

/*
 * How many passes COUNT is beyond what it was BEFORE; below 0 if the loop was left and entered
 * again.  False if it is no count.
 */
static bool passes_since(const struct loops_count *count, uint32_t before, int64_t *passes)
{
    const int64_t grown = (int32_t)(count->is - before), step = (int32_t)count->step;
    if (step == 0 || grown % step != 0)
        return false;
    *passes = grown / step;
    return true;
}

static struct open_pass *find_open(struct loops_rest *rest, uint8_t number)
{
    for (int i = rest->open_count; i-- > 0;)
        if (rest->open[i].loop == number)
            return &rest->open[i];
    return NULL;
}

/* Whether a pass of loop NUMBER, which is known, has begun unseen. */
static bool has_begun(struct loops_rest *rest, uint8_t number, const struct loops_count *count)
{
    struct loop *loop = &rest->loops[number];
    struct open_pass *open = find_open(rest, number);
    int64_t passes;
    if (!open)
        return false;
    if (!open->has_count) {
        open->has_count = true;
        open->count = count->is;
        open->counted = loop->passes;
        return false;
    }
    if (!passes_since(count, open->count, &passes)) {
        loop->miscounted = true;
        return false;
    }
    return passes < 0 || (uint64_t)passes > loop->passes - open->counted;
}

/* Whether a count is to be read now that was *ASKED for so often and has told nothing new. */
static bool is_asked(struct loops_rest *rest, uint32_t *asked)
{
    ++*asked;
    rest->counted = rest->counted || *asked <= ALWAYS;
    return *asked <= ALWAYS || rest->sampling || *asked % COUNTED_SOMETIMES == 0;
}

/* Where the last count of the loop at ENTRY in FUNCTION is, or can be, kept. */
static struct last_count *find_last(struct loops_rest *rest, uint32_t function, uint64_t entry)
{
    const uint64_t hash = (entry ^ (uint64_t)function << 40) * UINT64_C(0x9E3779B97F4A7C15);
    return &rest->counts[(hash >> 32) % COUNTS_MOST];
}

static bool is_of(const struct last_count *last, uint32_t function, uint64_t entry)
{
    return last->entry == entry && last->function == function;
}

/*
 * Whether a pass of the loop at ENTRY, which is not known yet, has begun unseen.  What the
 * count was when the function was called before, or the loop entered, does no harm: the pass
 * that it is in is told in any case.
 */
static bool is_new(struct loops_rest *rest, uint32_t function, uint64_t entry,
                   const struct loops_count *count)
{
    struct last_count *last = find_last(rest, function, entry);
    int64_t passes = 0;
    if (is_of(last, function, entry)) {
        if (passes_since(count, last->is, &passes) && passes > 0)
            return true;
    } else {
        *last = (struct last_count){.entry = entry, .function = function};
        rest->known[function].counting = rest->counted = true;
    }
    last->is = passes < 0 || last->asked == 0 ? count->is : last->is;
    return false;
}

/*
 * Whether the count of the loop at ENTRY, which has NUMBER if it is known, is to be read where
 * a pass may have begun unseen.
 */
static bool is_to_be_asked(struct loops_rest *rest, uint32_t function, uint64_t entry,
                           uint8_t number)
{
    struct last_count *last;
    struct loop *loop;
    if (number == LOOPS_NONE) {
        last = find_last(rest, function, entry);
        return !is_of(last, function, entry) || is_asked(rest, &last->asked);
    }
    loop = &rest->loops[number];
    if (loop->ignored || loop->miscounted)
        return false;
    if (!loop->counted)
        return is_asked(rest, &loop->asked);
    /* What sometimes begins a pass is never quiet. */
    rest->counted = true;
    return !loop->spared || ++loop->asked % COUNTED_SOMETIMES == 0;
}

/* What was asked of the same loop has had no answer: as if it had not been. */
static void take_back(struct loops_rest *rest, uint32_t function, uint64_t entry,
                      uint8_t number)
{
    struct last_count *last = find_last(rest, function, entry);
    uint32_t *asked = number != LOOPS_NONE           ? &rest->loops[number].asked
                      : is_of(last, function, entry) ? &last->asked
                                                     : NULL;
    if (asked && *asked > 0)
        --*asked;
}

int counted_find(struct loops_rest *rest, const struct around *around, int inner, uint32_t from,
                 uint32_t token, const struct code_way *way)
{
    const uint32_t function = site_parent(rest, token);
    for (int i = around->count; way->unseen && i-- > inner + 1;) {
        const uint64_t entry = around->loops[i];
        if (!(way->unseen >> i & 1) || !site_is_in(rest, from, entry))
            continue;
        const uint8_t number = known_find(rest, function, entry);
        if (!is_to_be_asked(rest, function, entry, number))
            continue;
        const struct loops_count count = ask(rest, token, entry);
        if (count.late)
            take_back(rest, function, entry, number);
        if (!count.known || !(number != LOOPS_NONE ? has_begun(rest, number, &count)
                                                   : is_new(rest, function, entry, &count)))
            continue;
        rest->told = true;
        return i;
    }
    return inner;
}

bool counted_stays(struct loops_rest *rest, uint32_t token, uint64_t entry)
{
    const uint8_t number = known_find(rest, site_parent(rest, token), entry);
    struct loop *loop = number == LOOPS_NONE ? NULL : &rest->loops[number];
    const struct open_pass *open = loop ? find_open(rest, number) : NULL;
    int64_t passes;
    if (loop && (loop->ignored || loop->miscounted || !open || !open->has_count))
        return false;
    const struct loops_count count = ask(rest, token, entry);
    if (!count.known || (!loop && !count.starts) ||
        !passes_since(&count, loop ? open->count : count.first, &passes) ||
        passes != (loop ? (int64_t)(loop->passes - open->counted) : 0))
        return false;
    if (loop)
        is_asked(rest, &loop->asked);
    return true;
}

/* Passes that were not seen before the first one of loop NUMBER that is known of. */
static int64_t unseen_before(struct loops_rest *rest, uint8_t number, uint32_t token,
                             const struct loops_count *count)
{
    const struct loop *loop = &rest->loops[number];
    const struct last_count *last = find_last(rest, site_parent(rest, token), loop->entry);
    int64_t passes = 0;
    if (count->starts) {
        if (!passes_since(count, count->first, &passes))
            return 0;
    } else if (!is_of(last, site_parent(rest, token), loop->entry) ||
               !passes_since(count, last->is, &passes)) {
        return 0;
    }
    return passes - 1;
}

/* Of the pass that begins, the count says how many were not seen since it was read last. */
static int64_t unseen_since(const struct loops_rest *rest, struct loop *loop,
                            const struct open_pass *open, const struct loops_count *count)
{
    const int64_t seen = (int64_t)(loop->passes - open->counted + 1);
    int64_t passes;
    if (!open->has_count || rest->left)
        return 0;
    if (passes_since(count, open->count, &passes) && (passes < 0 || passes >= seen))
        return passes - seen;
    loop->miscounted = true;
    return 0;
}

/*
 * Passes that were not seen since LOOP's first one, which began when it was not known yet how
 * it is counted.  Of a later run nothing can be told.
 */
static int64_t unseen_late(const struct loop *loop, const struct loops_count *count)
{
    int64_t passes;
    if (loop->runs != 1 || !count->starts || !passes_since(count, count->first, &passes))
        return 0;
    return passes - 1 - (int64_t)loop->passes;
}

/*
 * Whether the count of LOOP is to be read now: also where it is entered, since passes that make
 * no calls may come before the first one that does.
 */
static bool is_due(const struct loops_rest *rest, struct loop *loop)
{
    if (!loop->entry || loop->ignored || loop->miscounted)
        return false;
    if (loop->counted && (!loop->spared || rest->sampling || rest->told))
        return true;
    loop->begins++;
    return loop->begins < ALWAYS || loop->begins % COUNTED_SOMETIMES == 0;
}

bool counted_is_due(const struct loops_rest *rest, const struct open_pass *open)
{
    const struct loop *loop = &rest->loops[open->loop];
    return open->has_count && !loop->miscounted &&
           ((loop->counted && !loop->spared) || loop->begins < ALWAYS);
}

/* A pass of LOOP begins for which it is not known yet how it is counted. */
static struct counted begin_late(struct loop *loop)
{
    loop->begins -= loop->begins > 0;
    loop->count_late = loop->count_late || loop->passes == 0;
    return (struct counted){.known = false};
}

struct counted counted_begin(struct loops_rest *rest, int at, uint8_t number, uint32_t token)
{
    const struct counted nothing = {.known = false};
    struct loop *loop = &rest->loops[number];
    const bool goes_on = at < rest->open_count && rest->open[at].loop == number;
    int64_t unseen = 0;
    if (!rest->config.count || !is_due(rest, loop))
        return nothing;
    const struct loops_count count = ask(rest, token, loop->entry);
    if (count.late)
        return begin_late(loop);
    if (!count.known)
        return nothing;
    if (goes_on && loop->count_late && loop->runs == 1) {
        unseen = unseen_late(loop, &count);
        /* They may have come before the first one, which has another number then. */
        loop->missed = loop->missed || unseen > 0;
    } else if (goes_on) {
        unseen = unseen_since(rest, loop, &rest->open[at], &count);
    } else if (loop->passes == 0) {
        unseen = unseen_before(rest, number, token, &count);
    } else if (loop->interrupted || !count.starts ||
               !passes_since(&count, count.first, &unseen)) {
        /* Of a run that was interrupted some passes have been counted already. */
        unseen = 0;
    }
    if (loop->miscounted || unseen > UNSEEN_MOST)
        return nothing;
    return (struct counted){
        .known = true, .count = count.is, .unseen = unseen > 0 ? (uint64_t)unseen : 0};
}

void counted_keep(struct loops_rest *rest, uint8_t number, const struct counted *counted)
{
    struct loop *loop = &rest->loops[number];
    struct open_pass *open = find_open(rest, number);
    if (!counted->known)
        return;
    loop->count_late = false;
    loop->passes += counted->unseen;
    /* From now on its count is read whenever a pass of it begins. */
    if (!loop->counted && (counted->unseen > 0 || rest->told))
        loop->counted = rest->news = true;
    if (!open)
        return;
    open->has_count = true;
    open->count = counted->count;
    open->counted = loop->passes;
    open->unseen = counted->unseen;
}
