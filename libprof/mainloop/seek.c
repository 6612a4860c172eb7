/* See seek.h. */
#include "mainloop/seek.h"

#include "host/config.h"
#include "counters/counters.h"
#include "iterations/iteration.h"
#include "iterations/instance.h"
#include "calls/mpi_calls.h"
#include "unwind/seen.h"
#include "iterations/series.h"
#include "mainloop/sought.h"

#include <string.h>

enum {
    PREFERENCE_NONE,
    PREFERENCE_LOCAL,
    PREFERENCE_TRANSFER,
    PREFERENCE_COMPLETION,
    PREFERENCE_COLLECTIVE,
    STRIDE_MOST = 1 << 16,
    ALIGNED_EXTRA = 256 /* more than is lost between three parts that are aligned */
};

_Static_assert((int)SEEK_SLICES >= 0, "there are series for all loops, and for slices");

uint8_t seek_preferences[CALL_COUNT];

/* Calls that a program makes as often as it has to wait. */
static bool is_poll(enum mpi_call call)
{
    switch (call) {
    case CALL_MPI_Iprobe:
    case CALL_MPI_Improbe:
    case CALL_MPI_Test:
    case CALL_MPI_Testall:
    case CALL_MPI_Testany:
    case CALL_MPI_Testsome:
    case CALL_MPI_Request_get_status:
        return true;
    default:
        return false;
    }
}

static uint8_t preference_of(enum mpi_call call)
{
    const char *group = mpi_call_group(call);
    if (is_poll(call))
        return PREFERENCE_NONE;
    if (strcmp(group, "COLL") == 0)
        return PREFERENCE_COLLECTIVE;
    if (call == CALL_MPI_Waitall)
        return PREFERENCE_COMPLETION;
    return strcmp(group, "P2P") == 0 || strcmp(group, "RMA") == 0 ? PREFERENCE_TRANSFER
                                                                  : PREFERENCE_LOCAL;
}

/* What the recogniser asks --------------------------------------------------------------------
 */

static uint32_t parent_of(const void *context, uint32_t node)
{
    const struct thread *thread = context;
    return thread->tree.nodes[node].parent;
}

static int loops_around(const void *context, uint32_t node, uint64_t *around)
{
    const struct thread *thread = context;
    const uintptr_t address = code_address(thread->tree.nodes[node].site);
    return address ? loop_code_around(&thread->seek->code, address, around) : -1;
}

/* The time in passes that were cut. */
static uint64_t worth_of(const void *context, unsigned number)
{
    struct seek *seek = ((const struct thread *)context)->seek;
    const struct sought *sought = &seek->sought[number];
    return sought->serial == loops_get(&seek->loops, number)->serial ? (uint64_t)sought->time_ns
                                                                     : 0;
}

/* Passes --------------------------------------------------------------------------------------
 */

/* Makes what was cut of a loop nothing. */
static void drop(struct thread *thread, unsigned number)
{
    iteration_catch_up_async(thread);
    series_drop_async(&thread->iterations->series[seek_series(number)]);
    thread->seek->sought[number] = (struct sought){.serial = 0};
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        thread->seek->sought[i].within &= ~(UINT32_C(1) << number);
}

/* The time since START, unless it was interrupted, which is so if it is more than MOST_NS. */
static int64_t spent_since(uint64_t start, int64_t most_ns)
{
    const int64_t ns = clock_to_ns_async(clock_ticks_async()) - clock_to_ns_async(start);
    return ns < most_ns ? ns : most_ns;
}

static void open_pass(struct thread *thread, unsigned number, int64_t ns)
{
    struct seek *seek = thread->seek;
    struct sought *sought = &seek->sought[number];
    const struct loop *loop = loops_get(&seek->loops, number);
    if (sought->serial != loop->serial) {
        drop(thread, number);
        *sought = (struct sought){.serial = loop->serial, .begin_ns = ns, .stride = 1};
    }
    for (const struct level *level = thread->level; level > thread->levels; level--)
        sought->within |= UINT32_C(1) << seek->open[level - thread->levels - 1];
    const bool kept = (sought->passes & (sought->stride - 1)) == 0;
    /* Profiles are taken from memory that the call tree needs as well. */
    instance_open_pass_async(thread, thread->tree.nodes[loop->header].parent,
                            kept ? (int)seek_series(number) : -1, thread->last_sample, ns);
    seek->open[thread->level - thread->levels - 1] = (uint8_t)number;
}

/* Whether the pass on LEVEL belongs to a series, which is created at its first pass. */
static bool has_series(struct thread *thread, const struct level *level, unsigned number)
{
    struct series *series = &thread->iterations->series[seek_series(number)];
    if (!level->kept)
        return false;
    if (!series->clustering)
        series_begin_async(thread, series, true);
    return series->clustering;
}

/*
 * Ends the innermost pass at NS.  Only that which ends because the next one begins shows that
 * there is a loop; AGAIN tells.
 */
static void close_pass(struct thread *thread, bool again, int64_t ns)
{
    struct seek *seek = thread->seek;
    struct level *level = thread->level;
    const unsigned number = seek->open[level - thread->levels - 1];
    struct sought *sought = &seek->sought[number];
    const int64_t wall_ns = ns - level->begin_ns;
    const struct series *series = &thread->iterations->series[seek_series(number)];
    if (!again && sought->passes == 0) {
        instance_absorb_async(thread);
        return;
    }
    sought->passes++;
    sought->time_ns += wall_ns;
    if (!has_series(thread, level, number)) {
        sought->skipped++;
        instance_absorb_async(thread);
        return;
    }
    if (sought->skipped > 0) {
        iteration_catch_up_async(thread);
        clustering_skip(series->clustering, sought->skipped);
        sought->skipped = 0;
    }
    instance_close_async(thread, ns);
}

/* Counts the passes without a profile that seek_skip has only noted. */
static void settle_skipped(struct thread *thread)
{
    struct seek *seek = thread->seek;
    if (seek->skipped > 0) {
        struct level *level = thread->level;
        struct sought *sought = &seek->sought[seek->open[level - thread->levels - 1]];
        sought->passes += seek->skipped;
        sought->skipped += seek->skipped;
        sought->time_ns += seek->skipped_ns - level->begin_ns;
        level->begin_ns = seek->skipped_ns;
    }
    seek->skips = seek->skipped = 0;
}

/* How many passes without a profile follow the innermost one, if those of its loop have none.
 */
static uint64_t skips_after(const struct thread *thread)
{
    const struct seek *seek = thread->seek;
    const struct level *level = thread->level;
    if (level == thread->levels || level->kept)
        return 0;
    const struct sought *sought = &seek->sought[seek->open[level - thread->levels - 1]];
    return sought->stride - 1 - (sought->passes & (sought->stride - 1));
}

static bool begins(const struct loops_verdict *verdict, unsigned number)
{
    for (unsigned i = 0; i < verdict->count; i++)
        if (verdict->open[i] == number)
            return true;
    return false;
}

/* Charges LOOPS, a set, with what has been done since START. */
static void charge(struct seek *seek, uint32_t loops, uint64_t start)
{
    const int64_t spent_ns = spent_since(start, SEEK_CUT_MOST_NS),
                  count = __builtin_popcount(loops);
    seek->cutting_ns += spent_ns;
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        if (loops >> i & 1)
            seek->sought[i].cost_ns += spent_ns / count;
}

static void cut(struct thread *thread, const struct loops_verdict *verdict, int64_t ns)
{
    struct seek *seek = thread->seek;
    const uint64_t start = clock_ticks_async();
    uint32_t loops = 0;
    for (unsigned i = (unsigned)(thread->level - thread->levels); i-- > verdict->keep;) {
        loops |= UINT32_C(1) << seek->open[i];
        close_pass(thread, begins(verdict, seek->open[i]), ns);
    }
    for (unsigned i = 0; i < verdict->count; i++) {
        loops |= UINT32_C(1) << verdict->open[i];
        open_pass(thread, verdict->open[i], ns);
    }
    charge(seek, loops, start);
}

/* Drops the profiles of a loop that is not cut any more. */
static void let_go(struct thread *thread, unsigned number)
{
    struct series *series = &thread->iterations->series[seek_series(number)];
    if (!series->clustering)
        return;
    iteration_catch_up_async(thread);
    series_drop_async(series);
}

/*
 * An inner loop of short passes is let go once it is clear that there is one around it: it
 * would not be shown.
 */
static void ignore_short(struct thread *thread, int64_t ns)
{
    struct seek *seek = thread->seek;
    const unsigned open = (unsigned)(thread->level - thread->levels);
    if (open < 2)
        return;
    const unsigned number = seek->open[open - 1];
    if (seek->sought[number].stride < SEEK_SHORT ||
        seek->sought[seek->open[open - 2]].passes < SEEK_SURE)
        return;
    close_pass(thread, true, ns);
    loops_ignore(&seek->loops);
    let_go(thread, number);
}

/*
 * The loop that it is worth to save on: one that costs an eighth of all, of these the one that
 * is furthest inside; LOOPS_NONE if there is none.
 */
static unsigned costly(const struct seek *seek)
{
    const int64_t all_ns = seek->cutting_ns + seek->looking_ns;
    unsigned best = LOOPS_NONE;
    int inside = -1;
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        const struct sought *sought = &seek->sought[i];
        const int around = __builtin_popcount(sought->within);
        if (8 * sought->cost_ns < all_ns || around < inside ||
            (around == inside && sought->cost_ns < seek->sought[best].cost_ns))
            continue;
        best = i;
        inside = around;
    }
    return best;
}

/* Looks less deep at the calls from now on. */
static void look_less(struct thread *thread, int64_t ns)
{
    struct seek *seek = thread->seek;
    const unsigned keep = loops_lessen(&seek->loops, sought_longest(seek, ns));
    while (thread->level - thread->levels > keep)
        close_pass(thread, false, ns);
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        if (loops_get(&seek->loops, i)->ignored)
            let_go(thread, i);
}

/* Does something about the costs if they have become too high. */
static void save_cost(struct thread *thread, int64_t ns)
{
    struct seek *seek = thread->seek;
    if (seek->cutting_ns + seek->looking_ns <=
        seek->free_ns + (ns - seek->measure_ns) / SEEK_SHARE)
        return;
    const unsigned number = costly(seek);
    if (number != LOOPS_NONE && seek->sought[number].stride < STRIDE_MOST)
        seek->sought[number].stride *= 2;
    else
        look_less(thread, ns);
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        seek->sought[i].cost_ns = 0;
    seek->cutting_ns = seek->looking_ns = 0;
    seek->free_ns = SEEK_AGAIN_NS;
    seek->measure_ns = ns;
}

/* What a call means; some are timed. */
static struct loops_verdict look(struct seek *seek, uint32_t leaf, unsigned preference)
{
    if (seek->looks++ % SEEK_TIMED != 0)
        return loops_arrive(&seek->loops, leaf, preference);
    const uint64_t start = clock_ticks_async();
    const struct loops_verdict verdict = loops_arrive(&seek->loops, leaf, preference);
    seek->looking_ns += SEEK_TIMED * spent_since(start, SEEK_LOOK_MOST_NS);
    return verdict;
}

bool seek_takes_other(struct thread *thread)
{
    struct seek *seek = thread->seek;
    const uint64_t calls = (uint64_t)thread->cost.calls;
    if (2 * ++seek->others <= calls)
        return false;
    seek->failing = !seek->failing;
    seek->others = seek->others < calls ? calls - seek->others : 0;
    return true;
}

void seek_arrive(struct thread *thread, uint32_t leaf, unsigned preference, int64_t ns)
{
    struct seek *seek = thread->seek;
    settle_skipped(thread);
    const unsigned open = (unsigned)(thread->level - thread->levels);
    const struct loops_verdict verdict = look(seek, leaf, preference);
    if (verdict.count > 0 || verdict.keep < open) {
        cut(thread, &verdict, ns);
        ignore_short(thread, ns);
    }
    save_cost(thread, ns);
    seek->skips = skips_after(thread);
}

/* Beginning and end ---------------------------------------------------------------------------
 */

static bool is_wanted(void)
{
    return strcmp(config.text[SETTING_ITERATION], "auto") == 0 &&
           *config.text[SETTING_PHASES] == '\0';
}

void seek_start(struct thread *thread)
{
    const struct loops_config loops = {.nodes = thread->tree.node_capacity,
                                       .parent = parent_of,
                                       .loops_around = loops_around,
                                       .worth = worth_of,
                                       .context = thread};
    struct arena arena;
    if (!is_wanted() || thread->seek ||
        arena_create(&arena, sizeof(struct seek) + loops_bytes(loops.nodes) +
                                 code_memory_bytes() + ALIGNED_EXTRA) != 0)
        return;
    struct seek *seek = arena_take_async(&arena, sizeof *seek);
    for (int call = 0; call < CALL_COUNT; call++)
        seek_preferences[call] = preference_of((enum mpi_call)call);
    loops_start(&seek->loops, &loops, arena_take_async(&arena, loops_bytes(loops.nodes)));
    seek->code.memory = arena_take_async(&arena, code_memory_bytes());
    seek->arena = arena;
    seek->begin_ns = seek->measure_ns = thread->last_ns;
    seek->before_ns = clock_now_async() - thread->begin_ns;
    seek->free_ns = SEEK_FREE_NS;
    thread->seek = seek;
    memory_add_arena(thread, &seek->arena);
    memory_add_arena(thread, &seek->slices.arena);
    slices_start(thread, clock_now_async());
    thread->seeking = thread->watched = true;
}

void seek_give_up(struct thread *thread)
{
    if (!thread->seeking)
        return;
    settle_skipped(thread);
    thread->seeking = thread->watched = false;
    while (thread->level->sought)
        instance_absorb_async(thread);
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        drop(thread, i);
    slices_drop(thread);
}

void seek_stop(struct thread *thread, int64_t ns)
{
    if (!thread->seeking)
        return;
    if (timeline_is_marked_async()) {
        seek_give_up(thread);
        return;
    }
    settle_skipped(thread);
    thread->seeking = thread->watched = false;
    while (thread->level->sought)
        close_pass(thread, false, ns);
    slices_stop(thread);
    iteration_catch_up_async(thread);
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        struct sought *sought = &thread->seek->sought[i];
        struct clustering *clustering = thread->iterations->series[seek_series(i)].clustering;
        if (sought->skipped > 0 && clustering)
            clustering_skip(clustering, sought->skipped);
        sought->skipped = 0;
    }
}
