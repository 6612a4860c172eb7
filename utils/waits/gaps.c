/* See gaps.h. */
#include "waits/gaps.h"

#include "replay/hash.h"
#include "waits/gap_samples.h"

#include <stdlib.h>

/* A function that is open, and the hash of the call path that ends in it. */
struct open {
    uint32_t region;
    bool in_mpi;  /* it is MPI's, or something below it is */
    bool is_told; /* it told when it was entered */
    uint64_t hash;
};

/* A function that was left. */
struct left {
    uint32_t region;
    uint64_t ns;
};

struct tracked {
    struct open *stack;
    size_t depth, room;
    bool in_gap;
    /* Of the gap: how many functions have been open all the time; those that were left, the
     * innermost first; its samples. */
    size_t low;
    struct left *left;
    size_t left_count, left_room;
    struct sample *samples;
    size_t sample_count, sample_room;
    uint64_t begin_ns, from;
    uint64_t last_ns; /* when its latest event was */
    /* Functions that were entered then, in the gap: the next event shows whether they told. */
    uint32_t *entered;
    size_t entered_count, entered_room;
};

struct gaps {
    const struct trace *trace;
    struct tracked *threads;
    struct gap_samples *samples;
    /* Of the gap that ends: what was open throughout, when it began, and is at its end. */
    struct functions base, begin, end;
};

bool gaps_apply(const struct trace *trace)
{
    return trace->context_count > 0 && trace->is_of_tsprof;
}

struct gaps *gaps_create(const struct trace *trace)
{
    struct gaps *gaps = allocate(1, sizeof *gaps);
    gaps->trace = trace;
    gaps->threads = allocate(trace->thread_count + 1, sizeof *gaps->threads);
    gaps->samples = gap_samples_create(trace);
    return gaps;
}

/* Forgets where threads are. */
static void rewind_threads(struct gaps *gaps)
{
    for (size_t i = 0; i < gaps->trace->thread_count; i++) {
        free(gaps->threads[i].stack);
        free(gaps->threads[i].left);
        free(gaps->threads[i].samples);
        free(gaps->threads[i].entered);
        gaps->threads[i] = (struct tracked){0};
    }
}

void gaps_free(struct gaps *gaps)
{
    if (!gaps)
        return;
    rewind_threads(gaps);
    gap_samples_free(gaps->samples);
    free(gaps->threads);
    free(gaps->base.regions);
    free(gaps->begin.regions);
    free(gaps->end.regions);
    free(gaps);
}

static uint64_t hash_of(const struct tracked *thread)
{
    return thread->depth ? thread->stack[thread->depth - 1].hash : 0;
}

static bool is_in_mpi(const struct tracked *thread)
{
    return thread->depth > 0 && thread->stack[thread->depth - 1].in_mpi;
}

static void push(const struct gaps *gaps, struct tracked *thread, uint32_t region)
{
    const struct open open = {.region = region,
                              .in_mpi =
                                  is_in_mpi(thread) || gaps->trace->regions[region].is_mpi,
                              .hash = hash_mix(hash_of(thread), region)};
    thread->stack =
        grow_list(thread->stack, thread->depth, &thread->room, sizeof *thread->stack);
    thread->stack[thread->depth++] = open;
}

/* How many functions had been left before THREAD's gap ends, at END_NS: those that are left
 * just then were open throughout. */
static size_t count_left(const struct tracked *thread, uint64_t end_ns)
{
    size_t before = thread->left_count;
    while (before > 0 && thread->left[before - 1].ns == end_ns)
        before--;
    return before;
}

/* Finds what was open throughout THREAD's gap: the first BEFORE that were left were not. */
static void find_base(struct gaps *gaps, const struct tracked *thread, size_t before)
{
    gaps->base.count = 0;
    for (size_t i = 0; i < thread->low; i++)
        functions_add(&gaps->base, thread->stack[i].region);
    for (size_t i = thread->left_count; i-- > before;)
        functions_add(&gaps->base, thread->left[i].region);
}

/* Finds what was open when THREAD's gap began, BEFORE of which was left first, and what is at
 * its end. */
static void find_ends(struct gaps *gaps, const struct tracked *thread, size_t before)
{
    gaps->begin.count = gaps->end.count = 0;
    for (size_t i = 0; i < gaps->base.count; i++)
        functions_add(&gaps->begin, gaps->base.regions[i]);
    for (size_t i = before; i-- > 0;)
        functions_add(&gaps->begin, thread->left[i].region);
    for (size_t i = 0; i < thread->depth; i++)
        functions_add(&gaps->end, thread->stack[i].region);
}

/* THREAD's gap, which EVENT ends with the call path TO; its base has been found. */
static struct gap gap_of(const struct gaps *gaps, const struct tracked *thread,
                         const struct trace_event *event, uint64_t to)
{
    return (struct gap){.thread = event->thread,
                        .from = thread->from,
                        .to = to,
                        .begin_ns = thread->begin_ns,
                        .end_ns = event->time_ns,
                        .base = &gaps->base,
                        .samples = thread->samples,
                        .sample_count = thread->sample_count};
}

static void learn_gap(struct gaps *gaps, const struct tracked *thread,
                      const struct trace_event *event, uint64_t to)
{
    if (event->time_ns <= thread->begin_ns || thread->sample_count == 0)
        return;
    find_base(gaps, thread, count_left(thread, event->time_ns));
    const struct gap gap = gap_of(gaps, thread, event, to);
    gap_samples_learn(gaps->samples, &gap);
}

bool gaps_learnt(struct gaps *gaps)
{
    gaps_end(gaps, NULL);
    rewind_threads(gaps);
    return gap_samples_learnt(gaps->samples);
}

/* Who is told of the parts of a gap, and with which event. */
struct telling {
    const struct trace_event *event;
    const struct gaps_receiver *receiver;
};

static void tell_part(void *context, const struct gap_part *part)
{
    const struct telling *telling = context;
    telling->receiver->stay(telling->receiver->context, telling->event,
                            &(struct replay_stay){.thread = telling->event->thread,
                                                  .until_ns = part->until_ns,
                                                  .regions = part->regions,
                                                  .region_count = part->region_count,
                                                  .visit_count = part->visit_count,
                                                  .samples = part->own});
}

/* Divides THREAD's gap, which EVENT ends with the call path TO, if any such gap had a sample.
 */
static void divide_gap(struct gaps *gaps, const struct tracked *thread,
                       const struct trace_event *event, uint64_t to, size_t before,
                       const struct gaps_receiver *receiver)
{
    struct telling telling = {event, receiver};
    if (event->time_ns <= thread->begin_ns ||
        !gap_samples_know(gaps->samples, event->thread, thread->from, to))
        return;
    find_base(gaps, thread, before);
    find_ends(gaps, thread, before);
    const struct gap gap = gap_of(gaps, thread, event, to);
    gap_samples_divide(gaps->samples, &gap, &gaps->begin, &gaps->end, tell_part, &telling);
}

/* EVENT without the iteration that it begins. */
static struct trace_event outside_of(const struct trace_event *event)
{
    struct trace_event outside = *event;
    if (event->kind == TRACE_ENTER && event->iteration_count > 0 &&
        event->iterations[event->iteration_count - 1].phase == event->region)
        outside.iteration_count--;
    return outside;
}

static void tell(struct trace_event *event, uint32_t region,
                 const struct gaps_receiver *receiver)
{
    event->region = region;
    receiver->event(receiver->context, event);
}

/* Tells RECEIVER what happened in THREAD's gap, which EVENT ends with the call path TO. */
static void tell_gap(struct gaps *gaps, struct tracked *thread, const struct trace_event *event,
                     uint64_t to, const struct gaps_receiver *receiver)
{
    struct trace_event told = outside_of(event);
    const size_t before = count_left(thread, event->time_ns);
    told.kind = TRACE_LEAVE;
    told.time_ns = thread->begin_ns;
    for (size_t i = 0; i < before; i++)
        tell(&told, thread->left[i].region, receiver);
    told.time_ns = event->time_ns;
    divide_gap(gaps, thread, &told, to, before, receiver);
    for (size_t i = before; i < thread->left_count; i++)
        tell(&told, thread->left[i].region, receiver);
    told.kind = TRACE_ENTER;
    for (size_t i = thread->low; i < thread->depth; i++)
        tell(&told, thread->stack[i].region, receiver);
}

/* The hash of the call path that EVENT ends a gap of THREAD with. */
static uint64_t end_of(const struct tracked *thread, const struct trace_event *event)
{
    const uint64_t kind = (uint64_t)event->kind << 32;
    return hash_mix(hash_of(thread), event->kind == TRACE_OFF ? kind : kind | event->region);
}

static void end_gap(struct gaps *gaps, const struct trace_event *event,
                    const struct gaps_receiver *receiver)
{
    struct tracked *thread = &gaps->threads[event->thread];
    if (!thread->in_gap)
        return;
    const uint64_t to = end_of(thread, event);
    if (receiver)
        tell_gap(gaps, thread, event, to, receiver);
    else
        learn_gap(gaps, thread, event, to);
    thread->in_gap = false;
}

/* A gap of THREAD begins with EVENT, which was the end of the call path FROM. */
static void begin_gap(struct tracked *thread, const struct trace_event *event, uint64_t from)
{
    thread->in_gap = true;
    thread->low = thread->depth;
    thread->left_count = 0;
    thread->sample_count = 0;
    thread->begin_ns = event->time_ns;
    thread->from = from;
}

/* Leaves the innermost function, if it is EVENT's. */
static bool pop(struct tracked *thread, const struct trace_event *event)
{
    if (thread->depth == 0 || thread->stack[thread->depth - 1].region != event->region)
        return false;
    thread->depth--;
    return true;
}

/* A function that is neither MPI's nor a phase is left: when is not known, unless it tells. */
static void leave_one(struct tracked *thread, const struct trace_event *event)
{
    if (!pop(thread, event) || thread->depth >= thread->low)
        return;
    thread->low = thread->depth;
    thread->left =
        grow_list(thread->left, thread->left_count, &thread->left_room, sizeof *thread->left);
    thread->left[thread->left_count++] = (struct left){event->region, event->time_ns};
}

/* A gap ends with EVENT, and perhaps another one begins. */
static void meet_border(struct gaps *gaps, const struct trace_event *event,
                        const struct gaps_receiver *receiver)
{
    struct tracked *thread = &gaps->threads[event->thread];
    const uint64_t from = end_of(thread, event);
    end_gap(gaps, event, receiver);
    if (receiver)
        receiver->event(receiver->context, event);
    if (event->kind == TRACE_OFF) {
        thread->depth = 0;
        return;
    }
    if (event->kind == TRACE_ENTER)
        push(gaps, thread, event->region);
    else
        pop(thread, event);
    if (!is_in_mpi(thread))
        begin_gap(thread, event, from);
}

static void note_sample(struct tracked *thread, const struct trace_event *event)
{
    if (!thread->in_gap || event->context == TRACE_NONE)
        return;
    thread->samples = grow_list(thread->samples, thread->sample_count, &thread->sample_room,
                                sizeof *thread->samples);
    thread->samples[thread->sample_count++] = (struct sample){event->context, event->time_ns};
}

/* A function that tells is entered, when the thread's latest event was; EVENT came later. */
static void enter_told(struct gaps *gaps, const struct trace_event *event, uint32_t region,
                       const struct gaps_receiver *receiver)
{
    struct tracked *thread = &gaps->threads[event->thread];
    struct trace_event told = outside_of(event);
    told.kind = TRACE_ENTER;
    told.region = region;
    told.time_ns = thread->last_ns;
    meet_border(gaps, &told, receiver);
    thread->stack[thread->depth - 1].is_told = true;
}

/*
 * Whether one that was entered has told is known with the next event: functions that do not are
 * entered just before what is called in them, at its time; so of several the last may have
 * told.  It may be left at once.
 */
static void settle_entered(struct gaps *gaps, const struct trace_event *event,
                           const struct gaps_receiver *receiver)
{
    struct tracked *thread = &gaps->threads[event->thread];
    const bool has_told = event->time_ns > thread->last_ns || event->kind == TRACE_LEAVE;
    for (size_t i = 0; i < thread->entered_count; i++)
        if (has_told && i + 1 == thread->entered_count)
            enter_told(gaps, event, thread->entered[i], receiver);
        else
            push(gaps, thread, thread->entered[i]);
    thread->entered_count = 0;
}

/* One is entered in a gap. */
static void note_entered(struct tracked *thread, uint32_t region)
{
    thread->entered = grow_list(thread->entered, thread->entered_count, &thread->entered_room,
                                sizeof *thread->entered);
    thread->entered[thread->entered_count++] = region;
}

static bool tells(const struct tracked *thread, const struct trace_event *event)
{
    return event->kind == TRACE_LEAVE && thread->depth > 0 &&
           thread->stack[thread->depth - 1].region == event->region &&
           thread->stack[thread->depth - 1].is_told;
}

/* RECEIVER is NULL while the gaps' samples are learnt. */
static void follow(struct gaps *gaps, const struct trace_event *event,
                   const struct gaps_receiver *receiver)
{
    struct tracked *thread = &gaps->threads[event->thread];
    const struct trace_region *region = event->kind == TRACE_ENTER || event->kind == TRACE_LEAVE
                                            ? &gaps->trace->regions[event->region]
                                            : NULL;
    const bool is_border =
        event->kind == TRACE_OFF || (region && (region->is_mpi || region->is_phase));
    const bool is_entered = region && event->kind == TRACE_ENTER && !is_border;
    if (thread->entered_count > 0 && !(is_entered && event->time_ns == thread->last_ns))
        settle_entered(gaps, event, receiver);
    thread->last_ns = event->time_ns;
    if (is_border || (thread->in_gap && region && tells(thread, event)))
        meet_border(gaps, event, receiver);
    else if (is_entered && thread->in_gap)
        note_entered(thread, event->region);
    else if (region && thread->in_gap)
        leave_one(thread, event);
    else if (event->kind == TRACE_SAMPLE)
        note_sample(thread, event);
    else if (region) {
        /* Outside of gaps: before the first, or called by MPI. */
        if (event->kind == TRACE_ENTER)
            push(gaps, thread, event->region);
        else
            pop(thread, event);
        if (receiver)
            receiver->event(receiver->context, event);
    } else if (receiver)
        receiver->event(receiver->context, event);
}

void gaps_learn(struct gaps *gaps, const struct trace_event *event)
{
    follow(gaps, event, NULL);
}

void gaps_take(struct gaps *gaps, const struct trace_event *event,
               const struct gaps_receiver *receiver)
{
    follow(gaps, event, receiver);
}

void gaps_end(struct gaps *gaps, const struct gaps_receiver *receiver)
{
    for (uint32_t i = 0; i < gaps->trace->thread_count; i++) {
        const struct trace_event end = {
            .kind = TRACE_OFF, .thread = i, .time_ns = gaps->threads[i].last_ns};
        settle_entered(gaps, &end, receiver);
        end_gap(gaps, &end, receiver);
    }
}
