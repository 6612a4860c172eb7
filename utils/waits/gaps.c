/* See gaps.h. */
#include "waits/gaps.h"

#include "common/index.h"
#include "replay/hash.h"

#include <stdlib.h>
#include <string.h>

/* The samples of all gaps between two call paths count as so many of each gap. */
#define COMMON_SAMPLES 2.0

/* So many call paths of samples are told apart between two calls, those with most. */
enum { SHARES_MOST = 32 };

/* Where samples were, of those between two call paths. */
struct share {
    uint32_t context;
    uint32_t own;    /* samples of the gap that is divided */
    double weight;   /* samples */
    double position; /* sum of where in their gaps they were, from 0 to 1 */
};

struct shares {
    struct share *list;
    size_t count, room;
};

/* All gaps of a thread between two call paths. */
struct kind {
    uint32_t thread;
    uint64_t from, to; /* hashes of the call paths */
    struct shares shares;
    double samples;
};

struct sample {
    uint32_t context;
    uint64_t ns;
};

/* A function that is open, and the hash of the call path that ends in it. */
struct open {
    uint32_t region;
    bool in_mpi; /* it is MPI's, or something below it is */
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
};

/* The functions of a context, the outermost first, of which those from FIRST on lie below the
 * functions that are open throughout a gap. */
struct below {
    uint32_t *regions;
    size_t count, room, first;
};

struct gaps {
    const struct trace *trace;
    struct tracked *threads;
    struct kind *kinds;
    size_t kind_count, kind_room;
    struct index index;
    struct below base;       /* what was open throughout the gap that ends */
    struct shares parts;     /* of that gap */
    struct below begin, end; /* what was open when it began, and is when it ends */
    struct below path;       /* of a context */
    uint64_t gap_number;
    uint64_t *shown_in; /* by context: the last gap in which a sample has shown it */
};

/* Room for one more item; *ROOM is in items. */
static void *grow(void *list, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return list;
    *room = *room ? 2 * *room : 16;
    return reallocate(list, *room, size);
}

bool gaps_apply(const struct trace *trace)
{
    return trace->context_count > 0 && trace->is_of_tsprof;
}

struct gaps *gaps_create(const struct trace *trace)
{
    struct gaps *gaps = allocate(1, sizeof *gaps);
    gaps->trace = trace;
    gaps->threads = allocate(trace->thread_count + 1, sizeof *gaps->threads);
    gaps->shown_in = allocate(trace->context_count + 1, sizeof *gaps->shown_in);
    return gaps;
}

/* Forgets where threads are. */
static void rewind_threads(struct gaps *gaps)
{
    for (size_t i = 0; i < gaps->trace->thread_count; i++) {
        free(gaps->threads[i].stack);
        free(gaps->threads[i].left);
        free(gaps->threads[i].samples);
        gaps->threads[i] = (struct tracked){0};
    }
}

void gaps_free(struct gaps *gaps)
{
    if (!gaps)
        return;
    rewind_threads(gaps);
    for (size_t i = 0; i < gaps->kind_count; i++)
        free(gaps->kinds[i].shares.list);
    free(gaps->kinds);
    free(gaps->threads);
    free(gaps->parts.list);
    free(gaps->base.regions);
    free(gaps->path.regions);
    free(gaps->begin.regions);
    free(gaps->end.regions);
    free(gaps->shown_in);
    index_free(&gaps->index);
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
    thread->stack = grow(thread->stack, thread->depth, &thread->room, sizeof *thread->stack);
    thread->stack[thread->depth++] = open;
}

/* Puts the functions of CONTEXT into BELOW; the root stands for the program. */
static void find_path(const struct trace *trace, uint32_t context, struct below *below)
{
    const struct trace_context *contexts = trace->contexts;
    size_t length = 0;
    for (uint32_t at = context;
         contexts[at].parent != TRACE_NONE && contexts[at].region < trace->region_count;
         at = contexts[at].parent)
        length++;
    while (below->room < length)
        below->regions =
            grow(below->regions, below->room, &below->room, sizeof *below->regions);
    below->count = length;
    for (uint32_t at = context; length > 0; at = contexts[at].parent)
        below->regions[--length] = contexts[at].region;
}

/* Finds the functions that were open throughout THREAD's gap, which ends at END_NS: also those
 * that were left just then.  Returns how many had been left before. */
static size_t find_base(struct gaps *gaps, const struct tracked *thread, uint64_t end_ns)
{
    struct below *base = &gaps->base;
    size_t before = thread->left_count;
    while (before > 0 && thread->left[before - 1].ns == end_ns)
        before--;
    base->count = thread->low + thread->left_count - before;
    while (base->room < base->count)
        base->regions = grow(base->regions, base->room, &base->room, sizeof *base->regions);
    for (size_t i = 0; i < thread->low; i++)
        base->regions[i] = thread->stack[i].region;
    for (size_t i = thread->low; i < base->count; i++)
        base->regions[i] = thread->left[thread->left_count - 1 - (i - thread->low)].region;
    return before;
}

/*
 * Finds what of CONTEXT's path lies below the functions that were open throughout the gap.
 * False if nothing does: it is elsewhere, or in MPI.  Loops are not in contexts.
 */
static bool find_below(const struct gaps *gaps, uint32_t context, struct below *below)
{
    const struct trace *trace = gaps->trace;
    find_path(trace, context, below);
    below->first = 0;
    for (size_t i = 0; i < gaps->base.count; i++) {
        const uint32_t region = gaps->base.regions[i];
        if (below->first < below->count && below->regions[below->first] == region)
            below->first++;
        else if (!trace->regions[region].is_phase)
            return false;
    }
    for (size_t i = below->first; i < below->count; i++)
        if (trace->regions[below->regions[i]].is_mpi)
            return false;
    return true;
}

struct sought {
    const struct gaps *gaps;
    uint32_t thread;
    uint64_t from, to;
};

static bool is_same_kind(const void *context, uint32_t number)
{
    const struct sought *sought = context;
    const struct kind *one = &sought->gaps->kinds[number];
    return one->thread == sought->thread && one->from == sought->from && one->to == sought->to;
}

static uint32_t *find_slot(struct gaps *gaps, const struct sought *sought)
{
    reserve_index(&gaps->index, gaps->kind_count + 1);
    const uint64_t hash = hash_mix(hash_mix(sought->from, sought->to), sought->thread);
    return index_slot(&gaps->index, hash, is_same_kind, sought);
}

static struct kind *add_kind(struct gaps *gaps, uint32_t thread, uint64_t from, uint64_t to)
{
    const struct sought sought = {gaps, thread, from, to};
    uint32_t *slot = find_slot(gaps, &sought);
    if (*slot == 0) {
        gaps->kinds =
            grow(gaps->kinds, gaps->kind_count, &gaps->kind_room, sizeof *gaps->kinds);
        gaps->kinds[gaps->kind_count++] =
            (struct kind){.thread = thread, .from = from, .to = to};
        *slot = (uint32_t)gaps->kind_count;
    }
    return &gaps->kinds[*slot - 1];
}

/* NULL if none of its gaps has a sample. */
static const struct kind *find_kind(struct gaps *gaps, uint32_t thread, uint64_t from,
                                    uint64_t to)
{
    const struct sought sought = {gaps, thread, from, to};
    const uint32_t number = *find_slot(gaps, &sought);
    return number ? &gaps->kinds[number - 1] : NULL;
}

static void add_share(struct shares *shares, struct share share)
{
    for (size_t i = 0; i < shares->count; i++)
        if (shares->list[i].context == share.context) {
            shares->list[i].own += share.own;
            shares->list[i].weight += share.weight;
            shares->list[i].position += share.position;
            return;
        }
    shares->list = grow(shares->list, shares->count, &shares->room, sizeof *shares->list);
    shares->list[shares->count++] = share;
}

static double position_of(const struct tracked *thread, const struct sample *sample,
                          uint64_t end_ns)
{
    return (double)(sample->ns - thread->begin_ns) / (double)(end_ns - thread->begin_ns);
}

/* Drops the samples of THREAD's gap that are not below what was open throughout. */
static void drop_others(struct gaps *gaps, struct tracked *thread)
{
    size_t kept = 0;
    for (size_t i = 0; i < thread->sample_count; i++)
        if (find_below(gaps, thread->samples[i].context, &gaps->path))
            thread->samples[kept++] = thread->samples[i];
    thread->sample_count = kept;
}

/* The gap of thread NUMBER ends at END_NS with the call path TO. */
static void learn_gap(struct gaps *gaps, uint32_t number, uint64_t to, uint64_t end_ns)
{
    struct tracked *thread = &gaps->threads[number];
    if (end_ns <= thread->begin_ns)
        return;
    find_base(gaps, thread, end_ns);
    drop_others(gaps, thread);
    if (thread->sample_count == 0)
        return;
    struct kind *kind = add_kind(gaps, number, thread->from, to);
    for (size_t i = 0; i < thread->sample_count; i++)
        add_share(&kind->shares,
                  (struct share){thread->samples[i].context, 0, 1,
                                 position_of(thread, &thread->samples[i], end_ns)});
    kind->samples += (double)thread->sample_count;
}

static int compare_weights(const void *a, const void *b)
{
    const struct share *one = a, *other = b;
    if (one->weight != other->weight)
        return one->weight > other->weight ? -1 : 1;
    return one->context < other->context ? -1 : one->context > other->context;
}

void gaps_learnt(struct gaps *gaps)
{
    gaps_end(gaps, NULL);
    rewind_threads(gaps);
    for (size_t i = 0; i < gaps->kind_count; i++) {
        struct shares *shares = &gaps->kinds[i].shares;
        qsort(shares->list, shares->count, sizeof *shares->list, compare_weights);
        for (; shares->count > SHARES_MOST; shares->count--)
            gaps->kinds[i].samples -= shares->list[shares->count - 1].weight;
    }
}

static int compare_positions(const void *a, const void *b)
{
    const struct share *one = a, *other = b;
    const double first = one->position / one->weight, second = other->position / other->weight;
    if (first != second)
        return first < second ? -1 : 1;
    return one->context < other->context ? -1 : one->context > other->context;
}

/* Finds the `parts` of THREAD's gap, whose samples have been chosen; returns the sum of their
 * weights. */
static double find_parts(struct gaps *gaps, const struct tracked *thread,
                         const struct kind *kind, uint64_t end_ns)
{
    const double factor = COMMON_SAMPLES / kind->samples;
    gaps->parts.count = 0;
    for (size_t i = 0; i < kind->shares.count; i++) {
        const struct share *share = &kind->shares.list[i];
        add_share(&gaps->parts, (struct share){share->context, 0, share->weight * factor,
                                               share->position * factor});
    }
    for (size_t i = 0; i < thread->sample_count; i++)
        add_share(&gaps->parts,
                  (struct share){thread->samples[i].context, 1, 1,
                                 position_of(thread, &thread->samples[i], end_ns)});
    qsort(gaps->parts.list, gaps->parts.count, sizeof *gaps->parts.list, compare_positions);
    return COMMON_SAMPLES + (double)thread->sample_count;
}

/* How many functions of `path`, from the outermost on, are among REGIONS, which may have loops
 * between them. */
static size_t count_common(const struct gaps *gaps, const struct below *regions)
{
    const struct below *path = &gaps->path;
    size_t same = 0;
    for (size_t i = 0; i < regions->count && same < path->count; i++)
        if (path->regions[same] == regions->regions[i])
            same++;
        else if (!gaps->trace->regions[regions->regions[i]].is_phase)
            break;
    return same;
}

static void add_region(struct below *below, uint32_t region)
{
    below->regions = grow(below->regions, below->count, &below->room, sizeof *below->regions);
    below->regions[below->count++] = region;
}

/* Finds what was open when THREAD's gap began, BEFORE of which was left first, and what is at
 * its end: all of that is told of when it is entered. */
static void find_ends(struct gaps *gaps, const struct tracked *thread, size_t before)
{
    gaps->begin.count = gaps->end.count = 0;
    for (size_t i = 0; i < gaps->base.count; i++)
        add_region(&gaps->begin, gaps->base.regions[i]);
    for (size_t i = before; i-- > 0;)
        add_region(&gaps->begin, thread->left[i].region);
    for (size_t i = 0; i < thread->depth; i++)
        add_region(&gaps->end, thread->stack[i].region);
}

/*
 * How many functions, the innermost of CONTEXT's `path`, samples of the gap have shown for the
 * first time: each has been visited in the gap, at least once.
 */
static size_t count_visited(struct gaps *gaps, uint32_t context)
{
    const size_t begin = count_common(gaps, &gaps->begin), end = count_common(gaps, &gaps->end);
    const size_t open = begin > end ? begin : end;
    const size_t first = open > gaps->path.first ? open : gaps->path.first;
    size_t count = 0;
    while (first + count < gaps->path.count && gaps->shown_in[context] != gaps->gap_number) {
        gaps->shown_in[context] = gaps->gap_number;
        context = gaps->trace->contexts[context].parent;
        count++;
    }
    return count;
}

/* Tells RECEIVER of PART of the gap that EVENT ends, which is up to UNTIL_NS. */
static void tell_part(struct gaps *gaps, const struct trace_event *event,
                      const struct share *part, uint64_t until_ns,
                      const struct gaps_receiver *receiver)
{
    if (!find_below(gaps, part->context, &gaps->path))
        return;
    const struct below *path = &gaps->path;
    struct replay_stretch stretch = {.thread = event->thread,
                                     .until_ns = until_ns,
                                     .regions = path->regions + path->first,
                                     .region_count = path->count - path->first,
                                     .samples = part->own};
    if (part->own > 0)
        stretch.visit_count = count_visited(gaps, part->context);
    receiver->stretch(receiver->context, event, &stretch);
}

/* Divides THREAD's gap, which EVENT ends with the call path TO. */
static void divide_gap(struct gaps *gaps, struct tracked *thread,
                       const struct trace_event *event, uint64_t to,
                       const struct gaps_receiver *receiver)
{
    if (event->time_ns <= thread->begin_ns)
        return;
    const struct kind *kind = find_kind(gaps, event->thread, thread->from, to);
    if (!kind)
        return;
    drop_others(gaps, thread);
    const double whole = find_parts(gaps, thread, kind, event->time_ns);
    const double length = (double)(event->time_ns - thread->begin_ns);
    double passed = 0;
    gaps->gap_number++;
    for (size_t i = 0; i < gaps->parts.count; i++) {
        passed += gaps->parts.list[i].weight;
        tell_part(gaps, event, &gaps->parts.list[i],
                  i + 1 == gaps->parts.count
                      ? event->time_ns
                      : thread->begin_ns + (uint64_t)(length * passed / whole),
                  receiver);
    }
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
    const size_t before = find_base(gaps, thread, event->time_ns);
    told.kind = TRACE_LEAVE;
    told.time_ns = thread->begin_ns;
    for (size_t i = 0; i < before; i++)
        tell(&told, thread->left[i].region, receiver);
    told.time_ns = event->time_ns;
    find_ends(gaps, thread, before);
    divide_gap(gaps, thread, &told, to, receiver);
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
        learn_gap(gaps, event->thread, to, event->time_ns);
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

/* A function that is neither MPI's nor a phase is entered or left. */
static void move(const struct gaps *gaps, struct tracked *thread,
                 const struct trace_event *event)
{
    if (event->kind == TRACE_ENTER) {
        push(gaps, thread, event->region);
    } else if (pop(thread, event) && thread->depth < thread->low) {
        thread->low = thread->depth;
        thread->left =
            grow(thread->left, thread->left_count, &thread->left_room, sizeof *thread->left);
        thread->left[thread->left_count++] = (struct left){event->region, event->time_ns};
    }
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
    thread->samples = grow(thread->samples, thread->sample_count, &thread->sample_room,
                           sizeof *thread->samples);
    thread->samples[thread->sample_count++] = (struct sample){event->context, event->time_ns};
}

/* RECEIVER is NULL while the gaps' samples are learnt. */
static void follow(struct gaps *gaps, const struct trace_event *event,
                   const struct gaps_receiver *receiver)
{
    struct tracked *thread = &gaps->threads[event->thread];
    thread->last_ns = event->time_ns;
    const struct trace_region *region = event->kind == TRACE_ENTER || event->kind == TRACE_LEAVE
                                            ? &gaps->trace->regions[event->region]
                                            : NULL;
    if (event->kind == TRACE_OFF || (region && (region->is_mpi || region->is_phase)))
        meet_border(gaps, event, receiver);
    else if (region && thread->in_gap)
        move(gaps, thread, event);
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
    for (uint32_t i = 0; i < gaps->trace->thread_count; i++)
        end_gap(gaps,
                &(struct trace_event){
                    .kind = TRACE_OFF, .thread = i, .time_ns = gaps->threads[i].last_ns},
                receiver);
}
