/* See phase.h. */
#include "phase.h"

#include "config.h"
#include "iteration.h"
#include "message.h"
#include "metrics.h"
#include "sampler.h"
#include "symbols.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct phase phase_table[PHASES_MOST];
uint32_t phase_count;

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static char name_memory[16384];
static size_t name_used;

static const struct anchor no_anchor = {UINTPTR_MAX, 0, UINTPTR_MAX};

static int find_phase(const char *name)
{
    uint32_t count = __atomic_load_n(&phase_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(phase_table[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* The number of phase NAME, registered if new; -1 when there are too many. */
static int register_phase(const char *name, bool keep)
{
    int found = find_phase(name);
    if (found >= 0)
        return found;
    pthread_mutex_lock(&table_lock);
    found = find_phase(name);
    size_t bytes = strlen(name) + 1;
    if (found < 0 && phase_count < PHASES_MOST && sizeof name_memory - name_used >= bytes) {
        memcpy(name_memory + name_used, name, bytes);
        phase_table[phase_count] = (struct phase){.name = name_memory + name_used,
                                                  .kept = config_keeps_phase(name, keep)};
        name_used += bytes;
        found = (int)phase_count;
        __atomic_store_n(&phase_count, phase_count + 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&table_lock);
    return found;
}

/* The series that an instance beginning now would be nested in, -1 for none. */
static int32_t enclosing_series(const struct thread *thread)
{
    for (const struct level *level = thread->level; level >= thread->levels; level--)
        if (level->kept)
            return (int32_t)level->series;
    return -1;
}

static bool is_shown(const struct thread *thread, uint32_t phase)
{
    for (uint32_t i = 0; i < thread->series_count; i++)
        if (thread->series[i].shown_as == phase)
            return true;
    return false;
}

/*
 * The phase that a new series is shown as: PHASE itself for the first; one with a name of its
 * own where the phase has been seen nested in another way, since what is nested is counted
 * twice.
 */
static int series_phase(const struct thread *thread, uint32_t phase, int32_t nested_in)
{
    int shown_as = (int)phase;
    for (int number = 1; shown_as >= 0 && is_shown(thread, (uint32_t)shown_as); number++) {
        char name[256], more[16] = "";
        if (number > 1)
            snprintf(more, sizeof more, " (%d)", number);
        if (nested_in < 0)
            snprintf(name, sizeof name, "%.100s alone%s", phase_table[phase].name, more);
        else
            snprintf(name, sizeof name, "%.100s in %.100s%s", phase_table[phase].name,
                     phase_table[thread->series[nested_in].shown_as].name, more);
        shown_as = register_phase(name, true);
    }
    return shown_as;
}

/*
 * The series of PHASE where it is nested as now, created at the first such instance; -1 when
 * there are too many or there is no memory.
 */
static int find_series(struct thread *thread, uint32_t phase)
{
    int32_t nested_in = enclosing_series(thread);
    for (uint32_t i = 0; i < thread->series_count; i++)
        if (thread->series[i].phase == phase && thread->series[i].nested_in == nested_in)
            return (int)i;
    int shown_as =
        thread->series_count < SERIES_MOST ? series_phase(thread, phase, nested_in) : -1;
    if (shown_as < 0)
        return -1;
    struct clustering_config wanted = {
        .max_clusters = config_clusters(),
        .condensed_count = METRIC_COUNT,
        .equivalence = config_equivalence(),
        .memory = {heap_allocate, heap_release, &thread->heap},
    };
    struct series *series = &thread->series[thread->series_count];
    *series =
        (struct series){.phase = phase, .shown_as = (uint32_t)shown_as, .nested_in = nested_in};
    series->clustering = clustering_create(&wanted);
    return series->clustering ? (int)thread->series_count++ : -1;
}

/* Memory for a level at its depth, kept for later instances; false when there is none. */
static bool furnish_level(struct thread *thread, struct level *level, bool kept)
{
    if (!level->walker)
        level->walker = arena_take_async(&thread->arena, sizeof *level->walker);
    if (!kept || level->own_profile)
        return level->walker;
    struct profile *profile = arena_take_async(&thread->arena, sizeof *profile);
    if (!profile || !profile_create(profile, &thread->tree, &thread->arena))
        return false;
    level->own_profile = profile;
    return level->walker;
}

/* Starts an instance on LEVEL; what the level's memory held stays. */
static void open_level(struct level *level, uint32_t phase, uint32_t root, int64_t ns)
{
    *level = (struct level){.walker = level->walker,
                            .own_profile = level->own_profile,
                            .phase = phase,
                            .root = root,
                            .first_sample = root,
                            .last_sample = root,
                            .begin_ns = ns};
}

bool phase_open_program(struct thread *thread)
{
    struct level *level = thread->level = &thread->levels[0];
    level->walker = arena_take_async(&thread->arena, sizeof *level->walker);
    if (!level->walker)
        return false;
    open_level(level, UINT32_MAX, CCT_ROOT, thread->begin_ns);
    level->profile = &thread->outside;
    walker_reset_async(level->walker, CCT_ROOT, &no_anchor);
    profile_add_async(level->profile, &thread->tree, CCT_ROOT, METRIC_visits, 1);
    return true;
}

static bool same_anchor(const struct walker *walker, uint32_t root, const struct anchor *anchor)
{
    return walker->root == root && walker->anchor.cfa == anchor->cfa &&
           walker->anchor.return_word == anchor->return_word &&
           walker->anchor.caller_cfa == anchor->caller_cfa;
}

static void set_walker(struct thread *thread, struct level *level, struct registers marker)
{
    struct anchor anchor;
    unwind_anchor_async(&thread->stack, marker, &anchor);
    /* The next iteration of a loop starts where the last one did: its last walk still serves.
     */
    if (!same_anchor(level->walker, level->root, &anchor))
        walker_reset_async(level->walker, level->root, &anchor);
}

/* When a marker was reached: not before the thread's time line, which it may have started. */
static int64_t marker_ns(const struct thread *thread, uint64_t ticks)
{
    int64_t ns = clock_to_ns_async(ticks);
    return ns > thread->last_ns ? ns : thread->last_ns;
}

void phase_begin(struct thread *thread, const char *name, bool keep, struct registers marker,
                 uint64_t ticks)
{
    int64_t now = marker_ns(thread, ticks);
    thread_computed_async(thread, now);
    struct level *outer = thread->level, *level = outer + 1;
    int phase = register_phase(name, keep);
    if (phase < 0 || level == thread->levels + LEVELS_MOST ||
        !furnish_level(thread, level, false)) {
        thread_note_async(thread, NOTE_PHASES_LOST);
        thread->ignored += phase >= 0;
        thread_worked_async(thread, clock_now_async());
        return;
    }
    bool kept = phase_table[phase].kept;
    int series = kept ? find_series(thread, (uint32_t)phase) : 0;
    if (series < 0 || !furnish_level(thread, level, kept)) {
        /* Its time still adds up: the instance is summed instead of kept. */
        thread_note_async(thread, NOTE_PHASES_LOST);
        kept = false;
        series = 0;
    }
    struct walk_result at = unwind_async(outer->walker, thread->scratch, &thread->stack, marker,
                                         &thread->tree, outer->profile);
    uint32_t root = cct_child_async(&thread->tree, at.node, NODE_PHASE, (uint64_t)phase,
                                    marker.pc, LAYOUT_FRAME, METRIC_none);
    open_level(level, (uint32_t)phase, root, now);
    level->kept = kept;
    level->series = (uint32_t)series;
    level->profile = kept ? level->own_profile : outer->profile;
    if (kept)
        profile_clear_async(level->profile);
    profile_add_async(level->profile, &thread->tree, root, METRIC_visits, 1);
    set_walker(thread, level, marker);
    thread->level = level;
    thread_worked_async(thread, clock_now_async());
}

/*
 * Gives the computation after the last sample of LEVEL's instance to the path of the first
 * sample, as if the instance were a circle: then the time before a sample has the same mean
 * wherever the sample is, and shares are right even where instances hold few samples.  What is
 * too long for chance was spent waiting, which no sample sees, and stays with the last one.
 * Without any sample the time stays with the marker's own path.
 */
static void attribute_tail(struct thread *thread, struct level *level)
{
    const int64_t waiting = 8 * sampler_period_ns();
    level_attribute_async(
        thread, level, level->pending_ns > waiting ? level->last_sample : level->first_sample);
}

/* Ends the innermost phase at NS, to which the time line has been accounted for. */
static void close_level(struct thread *thread, int64_t ns)
{
    struct level *level = thread->level;
    attribute_tail(thread, level);
    level_flush_async(thread, level);
    if (level->kept)
        iteration_close(thread, level, ns - level->begin_ns);
    thread->level--;
}

/* Remembers where PHASE was first misused in this way. */
static void note_misuse(struct phase *phase, enum phase_misuse what, struct registers marker)
{
    if (!phase->misuse[what])
        phase->misuse[what] = marker.pc;
}

void phase_complain(void)
{
    static const char *const texts[PHASE_MISUSES] = {
        [MISUSE_NOT_BEGUN] = "was ended but not begun: ignored",
        [MISUSE_ORDER] = "was ended before the phases begun inside it: they end with it",
        [MISUSE_THREAD] = "was ended by another thread than began it: ignored",
    };
    for (uint32_t i = 0; i < phase_count; i++) {
        for (int what = 0; what < PHASE_MISUSES; what++) {
            char place[512];
            if (!phase_table[i].misuse[what])
                continue;
            symbols_describe(phase_table[i].misuse[what], place, sizeof place);
            message(1, "phase \"%s\" %s, at %s", phase_table[i].name, texts[what], place);
        }
    }
}

/* Whether PHASE is open on a thread other than THREAD. */
static bool open_elsewhere(const struct thread *thread, uint32_t phase)
{
    for (const struct thread *other = thread_newest; other; other = other->next)
        for (const struct level *level = other->level; other != thread && level > other->levels;
             level--)
            if (level->phase == phase)
                return true;
    return false;
}

/* An end without its begin: say so once and leave everything as it is. */
static void refuse_end(struct thread *thread, const char *name, struct registers marker)
{
    int number = register_phase(name, false);
    thread_note_async(thread, NOTE_PHASE_MISUSED);
    if (number < 0)
        return;
    note_misuse(&phase_table[number],
                open_elsewhere(thread, (uint32_t)number) ? MISUSE_THREAD : MISUSE_NOT_BEGUN,
                marker);
}

void phase_end(struct thread *thread, const char *name, struct registers marker, uint64_t ticks)
{
    int64_t now = marker_ns(thread, ticks);
    thread_computed_async(thread, now);
    int phase = find_phase(name);
    struct level *level = thread->level;
    while (level > thread->levels && (int)level->phase != phase)
        level--;
    if (phase >= 0 && thread->ignored > 0) {
        /* What was begun too deeply ends first. */
        thread->ignored--;
    } else if (level == thread->levels) {
        refuse_end(thread, name, marker);
    } else {
        if (level != thread->level) {
            thread_note_async(thread, NOTE_PHASE_MISUSED);
            note_misuse(&phase_table[phase], MISUSE_ORDER, marker);
        }
        while (thread->level >= level)
            close_level(thread, now);
    }
    thread_worked_async(thread, clock_now_async());
}

void phase_close_all(struct thread *thread, int64_t ns)
{
    while (thread->level > thread->levels) {
        thread_note_async(thread, NOTE_PHASE_OPEN);
        close_level(thread, ns);
    }
    attribute_tail(thread, thread->level);
    level_flush_async(thread, thread->level);
    if (thread->tree.full)
        thread_note_async(thread, NOTE_PATHS_LOST);
}
