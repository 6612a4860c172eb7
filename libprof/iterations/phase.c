/* See phase.h. */
#include "iterations/phase.h"

#include "host/host.h"
#include "iterations/follow.h"
#include "iterations/instance.h"
#include "iterations/iteration.h"
#include "iterations/series.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct phase phase_table[PHASES_MOST];
uint32_t phase_count;

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static char name_memory[16384];
static size_t name_used;

int phase_find_async(const char *name)
{
    uint32_t count = __atomic_load_n(&phase_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(phase_table[i].name, name) == 0)
            return (int)i;
    return -1;
}

static int add_phase(const char *name, bool keep, bool proposed)
{
    pthread_mutex_lock(&table_lock);
    int found = phase_find_async(name);
    size_t bytes = strlen(name) + 1;
    if (found < 0 && phase_count < PHASES_MOST && sizeof name_memory - name_used >= bytes) {
        memcpy(name_memory + name_used, name, bytes);
        phase_table[phase_count] = (struct phase){.name = name_memory + name_used,
                                                  .kept = config_keeps_phase(name, keep),
                                                  .proposed = proposed};
        name_used += bytes;
        found = (int)phase_count;
        __atomic_store_n(&phase_count, phase_count + 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&table_lock);
    return found;
}

int phase_register(const char *name, bool keep)
{
    int found = phase_find_async(name);
    if (found < 0)
        found = add_phase(name, keep, false);
    if (found >= 0 && phase_table[found].proposed)
        phase_table[found].proposed = false;
    return found;
}

int phase_propose(const char *name)
{
    int found = phase_find_async(name);
    return found < 0 ? add_phase(name, true, true) : found;
}

/*
 * The time TICKS at which a marker was reached, but not before the end of the thread's time
 * line: the marker may be what has started it.
 */
static int64_t marker_ns(const struct thread *thread, uint64_t ticks)
{
    int64_t ns = clock_to_ns_async(ticks);
    return ns > thread->last_ns ? ns : thread->last_ns;
}

/* Whether THREAD, which marks an iteration, leads the other threads. */
static bool leads(struct thread *thread)
{
    if (!borders_lead_async(thread))
        return false;
    thread->next_border = BORDERS_NEVER;
    return true;
}

static void enter_border(const struct thread *thread, const struct level *level, int64_t ns,
                         bool begins)
{
    if (!level->kept || borders_leader_async() != thread)
        return;
    borders_enter_async(
        &(struct border){.ns = ns,
                         .iteration = iteration_count_async(thread, level->series),
                         .series = level->series,
                         .begins = begins});
}

/* The series for an instance of PHASE that begins now; -1 if the instance is only summed. */
static int choose_series(struct thread *thread, uint32_t phase)
{
    if (!phase_table[phase].kept)
        return -1;
    if (!leads(thread) && thread->next_border != BORDERS_NEVER &&
        !follow_is_occupied_async(thread))
        follow_leave_async(thread);
    int series = instance_reserve_async(thread, true) ? series_find_async(thread, phase) : -1;
    /* Without one the time still adds up: the instance is summed instead of kept. */
    if (series < 0)
        thread_note_async(thread, NOTE_PHASES_LOST);
    return series;
}

/* Brings the time line to NOW, the time of a marker.  Markers put an end to the loop search. */
static void come_to_marker(struct thread *thread, int64_t now)
{
    thread->stay_ns = now;
    timeline_come(thread, now);
    timeline_marked(thread);
}

void phase_begin(struct thread *thread, const char *name, bool keep, struct registers marker,
                 uint64_t ticks)
{
    int64_t now = marker_ns(thread, ticks);
    come_to_marker(thread, now);
    int phase = phase_register(name, keep);
    if (phase < 0 || !instance_reserve_async(thread, false)) {
        thread_note_async(thread, NOTE_PHASES_LOST);
        thread->ignored += phase >= 0;
        thread_marked_async(thread, now);
        return;
    }
    int series = choose_series(thread, (uint32_t)phase);
    struct level *outer = thread->level;
    struct walk_result at = level_walk(thread, outer, marker);
    level_count_visits_async(thread, outer, &at);
    uint32_t root = cct_child_async(&thread->tree, at.node, NODE_PHASE, (uint64_t)phase,
                                    at.site, LAYOUT_FRAME, METRIC_none);
    struct anchor anchor;
    unwind_anchor_async(&thread->stack, marker, &anchor);
    struct level *level =
        instance_open_async(thread, (uint32_t)phase, root, series, &anchor, now);
    if (level)
        enter_border(thread, level, now, true);
    thread_marked_async(thread, now);
}

/* Ends the innermost phase at NS, to which the time line has been accounted for. */
static void close_innermost(struct thread *thread, int64_t ns)
{
    enter_border(thread, thread->level, ns, false);
    instance_close_async(thread, ns);
}

bool phase_is_ready_async(const struct thread *thread, const struct level *around,
                          uint32_t phase)
{
    return !phase_table[phase].kept || series_is_known_async(thread, around, phase);
}

struct level *phase_begin_named_async(struct thread *thread, uint32_t phase, unsigned number,
                                      int64_t ns)
{
    if (!instance_reserve_async(thread, false)) {
        thread_note_async(thread, NOTE_PHASES_LOST);
        return NULL;
    }
    int series = choose_series(thread, phase);
    const struct level *outer = thread->level;
    uint32_t root = cct_child_async(&thread->tree, outer->root, NODE_PHASE, phase, 0,
                                    LAYOUT_FRAME, METRIC_none);
    const struct anchor anchor = outer->walker->anchor;
    struct level *level = instance_open_async(thread, phase, root, series, &anchor, ns);
    if (!level)
        return NULL;
    level->named = (uint8_t)(number + 1);
    enter_border(thread, level, ns, true);
    return level;
}

void phase_end_named_async(struct thread *thread, const struct level *level, int64_t ns)
{
    while (thread->level >= level)
        close_innermost(thread, ns);
}

/* Remembers where PHASE was first misused in the way WHAT. */
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
        [MISUSE_THREAD] = "was ended by a thread that did not begin it: ignored",
    };
    for (uint32_t i = 0; i < phase_count; i++) {
        for (int what = 0; what < PHASE_MISUSES; what++) {
            char place[512];
            if (!phase_table[i].misuse[what])
                continue;
            source_place(phase_table[i].misuse[what], place, sizeof place);
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

/* An end without a begin: notes so and changes nothing else. */
static void refuse_end(struct thread *thread, const char *name, struct registers marker)
{
    int number = phase_register(name, false);
    thread_note_async(thread, NOTE_PHASE_MISUSED);
    if (number < 0)
        return;
    note_misuse(&phase_table[number],
                open_elsewhere(thread, (uint32_t)number) ? MISUSE_THREAD : MISUSE_NOT_BEGUN,
                marker);
}

/*
 * The innermost level of PHASE that THREAD itself has begun.  If there is none, or PHASE is -1,
 * the level around all that it has begun.
 */
static struct level *find_open(struct thread *thread, int phase)
{
    struct level *own = thread->levels + thread->followed, *level = thread->level;
    while (level > own && (phase < 0 || level->phase != (uint32_t)phase))
        level--;
    return level;
}

/* Whether a marker has begun a phase inside LEVEL that is still open. */
static bool holds_marked(const struct thread *thread, const struct level *level)
{
    const struct level *inner = thread->level;
    while (inner > level && inner->named)
        inner--;
    return inner > level;
}

bool phase_is_open(struct thread *thread, const char *name)
{
    int phase = phase_find_async(name);
    return phase >= 0 && find_open(thread, phase) > thread->levels + thread->followed;
}

void phase_end(struct thread *thread, const char *name, struct registers marker, uint64_t ticks)
{
    int64_t now = marker_ns(thread, ticks);
    come_to_marker(thread, now);
    int phase = phase_find_async(name);
    struct level *own = thread->levels + thread->followed, *level = find_open(thread, phase);
    if (phase >= 0 && thread->ignored > 0) {
        /* Phases too deep to have a level are the innermost ones, so they end first. */
        thread->ignored--;
    } else if (level == own) {
        refuse_end(thread, name, marker);
    } else {
        if (holds_marked(thread, level)) {
            thread_note_async(thread, NOTE_PHASE_MISUSED);
            note_misuse(&phase_table[phase], MISUSE_ORDER, marker);
        }
        while (thread->level >= level)
            close_innermost(thread, now);
    }
    thread_marked_async(thread, now);
}

void phase_close_own(struct thread *thread, int64_t ns)
{
    for (; follow_is_occupied_async(thread); close_innermost(thread, ns))
        if (!thread->level->named)
            thread_note_async(thread, NOTE_PHASE_OPEN);
    thread->ignored = 0;
}

void phase_close_all(struct thread *thread, int64_t ns)
{
    phase_close_own(thread, ns);
    for (; thread->followed > 0; thread->followed--)
        instance_close_async(thread, ns);
    iteration_flush_queue_async(thread);
    instance_settle_async(thread);
    if (thread->tree.full)
        thread_note_async(thread, NOTE_PATHS_LOST);
}
