/* See watch.h. */
#include "iterations/watch.h"

#include "calls/calls.h"
#include "common/iteration_spec.h"
#include "host/host.h"
#include "iterations/annotations.h"
#include "iterations/matching.h"
#include "iterations/pcontrol.h"
#include "iterations/phase.h"
#include "unwind/unwind.h"

/* The state of one item of TSPROF_ITERATION. */
struct watched_item {
    enum iteration_kind kind;
    int phase;     /* the phase of its iterations; -1: not registered yet */
    int call;      /* EVERY: the MPI function; -1: no such function */
    bool seen;     /* it has begun at least once */
    int64_t count; /* EVERY: calls until the next border */
    int64_t period_ns;
    int64_t next_ns; /* TIME: the next border */
    /* FUNCTION: where the return address of the current execution lies, and its value. */
    const uintptr_t *slot;
    uintptr_t word;
    bool returned; /* that execution has ended */
};

static struct {
    struct iteration_spec spec;
    struct watched_item items[ITERATION_ITEMS_MOST];
    uint8_t functions; /* set of the items of kind FUNCTION, */
    uint8_t counted;   /* EVERY */
    uint8_t timed;     /* and TIME */
    uint8_t waiting;   /* set of items whose border has to wait for something inside to end */
    bool paths;        /* some items need call paths */
    bool annotated;    /* other tools' functions are hooked */
    uint32_t modules;  /* number of known modules when they were last hooked */
    uint64_t changes;  /* how often levels have been opened or closed */
} watch;

static struct level *level_of(const struct thread *thread, unsigned item)
{
    for (struct level *level = thread->level; level > thread->levels; level--)
        if (level->named == item + 1)
            return level;
    return NULL;
}

/* Whether LEVEL is the execution of a function, which ends when that returns and not before. */
static bool is_executed(const struct level *level)
{
    return level->named && watch.items[level->named - 1].kind == ITERATION_FUNCTION;
}

/*
 * Whether a border may end the iteration LEVEL: inside there is no marked phase and no
 * execution of a function, which have ends of their own.
 */
static bool may_end(const struct thread *thread, const struct level *level)
{
    for (const struct level *inner = thread->level; inner > level; inner--)
        if (!inner->named || is_executed(inner))
            return false;
    return true;
}

static void end_level(struct thread *thread, const struct level *level, int64_t ns)
{
    phase_end_named_async(thread, level, ns);
    watch.changes++;
}

/* The innermost level that stays open when ITEM begins; NULL if ITEM has to wait. */
static const struct level *staying(const struct thread *thread, unsigned item)
{
    const struct level *own = level_of(thread, item), *level = thread->level;
    if (own)
        return may_end(thread, own) ? own - 1 : NULL;
    while (level->named > item + 1 && !is_executed(level))
        level--;
    return level;
}

static void note_waiting(unsigned item, bool waits)
{
    watch.waiting = (uint8_t)((watch.waiting & ~(1u << item)) | (unsigned)waits << item);
}

/*
 * The phase of ITEM's iterations, registered the first time; -1 if there are too many phases.
 */
static int phase_of(unsigned item)
{
    struct watched_item *watched = &watch.items[item];
    char name[ITERATION_NAME_BYTES];
    if (watched->phase < 0) {
        iteration_item_name(&watch.spec.items[item], name);
        watched->phase = phase_register(name, true);
    }
    return watched->phase;
}

bool watch_begin_async(struct thread *thread, unsigned item, int64_t ns)
{
    const struct level *stays = staying(thread, item);
    note_waiting(item, !stays);
    if (!stays)
        return false;
    if (thread->level > stays)
        end_level(thread, stays + 1, ns);
    int phase = phase_of(item);
    watch.items[item].seen = true;
    watch.changes++;
    if (phase < 0)
        thread_note_async(thread, NOTE_PHASES_LOST);
    else
        phase_begin_named_async(thread, (uint32_t)phase, item, ns);
    return true;
}

bool watch_end_async(struct thread *thread, unsigned item, int64_t ns)
{
    const struct level *own = level_of(thread, item);
    note_waiting(item, false);
    if (!own)
        return true;
    for (const struct level *inner = thread->level; inner > own; inner--)
        if (!inner->named) {
            note_waiting(item, true);
            return false;
        }
    end_level(thread, own, ns);
    return true;
}

/* The TIME item whose border comes first, and the time of that border; -1 if there is none. */
static int first_dated(int64_t *ns)
{
    int first = -1;
    for (unsigned i = 0; i < watch.spec.count; i++)
        if (watch.timed >> i & 1 && (first < 0 || watch.items[i].next_ns < *ns)) {
            first = (int)i;
            *ns = watch.items[i].next_ns;
        }
    return first;
}

/* Tells the time line when the next border comes. */
static void await_next(struct thread *thread)
{
    int64_t ns;
    thread->border_due_ns = first_dated(&ns) < 0 ? INT64_MAX : ns;
}

/* A border that has to wait for something inside is not reported until that has ended. */
static bool next_async(struct thread *thread, int64_t ns, int64_t *border_ns)
{
    const int item = watch.timed && thread->watched ? first_dated(border_ns) : -1;
    return item >= 0 && *border_ns <= ns && staying(thread, (unsigned)item);
}

static enum border_readiness readiness_async(const struct thread *thread)
{
    int64_t border_ns;
    const int item = first_dated(&border_ns), phase = watch.items[item].phase;
    return phase >= 0 && phase_is_ready_async(thread, staying(thread, (unsigned)item),
                                              (uint32_t)phase)
               ? BORDER_READY
               : BORDER_NEVER;
}

static void cross_async(struct thread *thread, int64_t until_ns)
{
    int64_t border_ns;
    const int item = first_dated(&border_ns);
    (void)until_ns;
    if (item >= 0 && watch_begin_async(thread, (unsigned)item, thread->last_ns))
        watch.items[item].next_ns += watch.items[item].period_ns;
    await_next(thread);
}

/*
 * Notes which executions of watched functions have ended: those whose return address is now
 * beyond the stack pointer, or has been overwritten.  Must come before the stack is walked,
 * since a walk may replace return addresses by aliases again.
 */
static void note_returns(struct thread *thread)
{
    const uintptr_t sp = thread->entry_frame;
    if (!watch.functions || thread != thread_self)
        return;
    /* On another stack, such as a coroutine's, the stack pointer says nothing. */
    if (sp < thread->stack.low || sp >= thread->stack.high)
        return;
    for (const struct level *level = thread->level; level > thread->levels; level--) {
        struct watched_item *item = is_executed(level) ? &watch.items[level->named - 1] : NULL;
        if (item && item->slot && (sp > (uintptr_t)item->slot || *item->slot != item->word))
            item->returned = true;
    }
}

const struct border_source watch_source = {.entered = note_returns,
                                           .next_async = next_async,
                                           .readiness_async = readiness_async,
                                           .cross_async = cross_async,
                                           .moves = true};

/*
 * The outermost frame of the function that item NUMBER names, as its index in the walk, which
 * counts from the outermost frame.
 */
static uint32_t find_frame(const struct thread *thread, const struct arrival *arrival,
                           unsigned number)
{
    const struct walk_memory *memory = &arrival->walker->memories[arrival->walker->latest];
    uint32_t index = 0;
    while (index < arrival->frames &&
           !(matching_mark(&thread->tree, memory->frames[index].node)->inside >> number & 1))
        index++;
    return index;
}

/*
 * Begins an iteration for an execution of the function that item NUMBER names.  Two calls of it
 * from the same place look alike on the stack, so its return address is replaced by an alias,
 * which is gone once the function has returned.
 */
static void begin_execution(struct thread *thread, struct arrival *arrival, unsigned number)
{
    struct watched_item *item = &watch.items[number];
    item->slot = NULL;
    item->returned = false;
    if (arrival->frames > 0)
        item->slot =
            unwind_put_alias(arrival->walker, find_frame(thread, arrival, number), &item->word);
    if (item->slot && !alias_is_async(item->word))
        thread_note_async(thread, NOTE_EXECUTIONS_JOINED);
    watch_begin_async(thread, number, arrival->begin_ns);
}

static void look_at_functions(struct thread *thread, struct arrival *arrival,
                              const struct walk_result *walk)
{
    const bool unwound = walk->site != 0;
    /* Inner functions end first, whatever their order in TSPROF_ITERATION. */
    for (const struct level *level = thread->level; level > thread->levels; level--) {
        const unsigned number = level->named - 1u;
        if (is_executed(level) && !walk->foreign &&
            (watch.items[number].returned || (unwound && !(arrival->inside >> number & 1))) &&
            !watch_end_async(thread, number, arrival->begin_ns))
            break;
    }
    /*
     * A function that was already executing when a marker began the phase around it is left
     * out.
     */
    const uint8_t missed = matching_mark(&thread->tree, thread->level->root)->inside;
    for (unsigned i = 0; unwound && i < watch.spec.count; i++)
        if ((arrival->inside & ~missed) >> i & 1 && !level_of(thread, i))
            begin_execution(thread, arrival, i);
}

static void look_at_waiting(struct thread *thread, const struct arrival *arrival)
{
    for (unsigned i = 0; i < watch.spec.count; i++)
        if (watch.waiting >> i & 1 && watch.items[i].kind != ITERATION_FUNCTION)
            watch_begin_async(thread, i, arrival->begin_ns);
}

/* Whether CALL is the function that ITEM counts, and the call of it that is a border. */
static bool is_due(struct watched_item *item, int call, int64_t every)
{
    if (item->call != call)
        return false;
    if (item->count-- > 0)
        return false;
    item->count = every - 1;
    return true;
}

static void look_at_borders(struct thread *thread, const struct arrival *arrival)
{
    for (unsigned i = 0; i < watch.spec.count; i++)
        if (arrival->begins >> i & 1 ||
            (watch.counted >> i & 1 &&
             is_due(&watch.items[i], arrival->call, watch.spec.items[i].number)))
            watch_begin_async(thread, i, arrival->begin_ns);
}

/* There are new modules, which may call or define other tools' functions: hooks those. */
static void renew_annotations(void)
{
    watch.modules = known_module_count_async();
    annotations_renew();
}

bool watch_arrival(struct thread *thread, int call, uint32_t leaf,
                   const struct walk_result *walk, int64_t begin_ns)
{
    const uint64_t changes = watch.changes;
    if (watch.annotated && known_module_count_async() != watch.modules)
        renew_annotations();
    struct walker *walker = thread->level->walker;
    struct arrival arrival = {.call = call, .begin_ns = begin_ns, .walker = walker};
    if (watch.paths) {
        const struct node_mark *mark = matching_mark(&thread->tree, leaf);
        arrival.inside = mark->inside;
        arrival.begins = mark->begins;
    }
    if (walk->remembered)
        arrival.frames = walker->memories[walker->latest].count;
    if (watch.functions)
        look_at_functions(thread, &arrival, walk);
    if (watch.waiting)
        look_at_waiting(thread, &arrival);
    if (arrival.begins || watch.counted)
        look_at_borders(thread, &arrival);
    return watch.changes != changes;
}

/* Sets up item NUMBER; NOW is the time of the first TIME border. */
static void prepare(unsigned number, int64_t now)
{
    const struct iteration_item *item = &watch.spec.items[number];
    struct watched_item *watched = &watch.items[number];
    *watched = (struct watched_item){.kind = item->kind, .phase = -1, .call = -1};
    switch (item->kind) {
    case ITERATION_FUNCTION:
        watch.functions |= (uint8_t)(1 << number);
        watch.paths = true;
        break;
    case ITERATION_CALL:
    case ITERATION_PATH:
        watch.paths = true;
        break;
    case ITERATION_EVERY:
        watched->call = mpi_call_named(item->name.start, item->name.length);
        watch.counted |= (uint8_t)(1 << number);
        break;
    case ITERATION_TIME:
        watched->period_ns = item->number;
        watched->next_ns = now;
        watch.timed |= (uint8_t)(1 << number);
        phase_of(number);
        break;
    case ITERATION_PCONTROL:
        pcontrol_add_level((int)item->number);
        break;
    case ITERATION_CALIPER:
    case ITERATION_NVTX:
    case ITERATION_SCOREP:
    case ITERATION_LIKWID:
        watch.annotated = true;
        break;
    case ITERATION_AUTO:
    case ITERATION_LOOP:
    case ITERATION_MARKERS:
    case ITERATION_KINDS:
        break;
    }
}

void watch_start(struct thread *thread)
{
    iteration_spec_read(config.text[SETTING_ITERATION], &watch.spec);
    for (unsigned i = 0; i < watch.spec.count; i++)
        prepare(i, clock_now_async());
    if (watch.paths && !matching_start(&watch.spec, &thread->tree)) {
        message(1, "TSPROF_ITERATION: no memory to look for what it names");
        return;
    }
    if (watch.annotated) {
        watch.modules = known_module_count_async();
        annotations_start(&watch.spec);
    }
    thread->watched = watch.paths || watch.counted || watch.timed || watch.annotated;
    await_next(thread);
}

void watch_complain(void)
{
    for (unsigned i = 0; i < watch.spec.count; i++) {
        const struct iteration_item *item = &watch.spec.items[i];
        const int length = (int)item->name.length;
        const bool has_call = item->kind == ITERATION_CALL || item->kind == ITERATION_EVERY;
        if (watch.items[i].seen || item->kind == ITERATION_TIME)
            continue;
        if (has_call && mpi_call_named(item->name.start, item->name.length) < 0)
            message(1, "TSPROF_ITERATION: there is no MPI function %.*s", length,
                    item->name.start);
        else if (has_call || item->kind == ITERATION_PATH)
            message(1, "TSPROF_ITERATION: %.*s was not called%s", length, item->name.start,
                    item->function.length ? " from the place it names" : "");
        else if (item->kind == ITERATION_FUNCTION)
            message(1,
                    "TSPROF_ITERATION: no MPI function was called in function %.*s, so no "
                    "iteration was seen; see doc/iterations.md",
                    length, item->name.start);
    }
}
