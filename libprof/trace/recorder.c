/* See recorder.h. */
#include "trace/recorder.h"

#include "arch/arch.h"
#include "counters/counters.h"
#include "trace/objects.h"
#include "trace/record.h"
#include "tree/tree.h"

#include <string.h>

struct trace_spec trace_spec;

_Static_assert(TRACE_SERIES_MOST <= TRACE_KEPT_SERIES * TRACE_SPARE,
               "each series has room for as many iterations as were asked for");

/* Scores are whole numbers in records. */
#define NOVELTY_SCALE 1e6

void trace_start(void)
{
    trace_spec_read(config.text[SETTING_TRACE], &trace_spec);
    if (!trace_is_on_async())
        return;
    if (!chunks_start((size_t)config.number[SETTING_TRACE_MEMORY]) ||
        !objects_start((size_t)config.number[SETTING_TRACE_MEMORY])) {
        message(1, "no events are kept: out of memory");
        trace_spec.choice = TRACE_NOTHING;
    }
}

/*
 * How many iterations of a series are kept.  Of a list more are, but they need not be found
 * again.
 */
static uint32_t kept_most(void)
{
    const uint64_t wanted = (uint64_t)TRACE_SPARE * trace_spec.most;
    if (trace_spec.most == 0 || wanted > TRACE_KEPT_MOST)
        return TRACE_KEPT_MOST;
    return wanted < TRACE_KEPT_LEAST ? TRACE_KEPT_LEAST : (uint32_t)wanted;
}

/* How many iterations there is room for, of all series. */
static uint32_t kept_room(void)
{
    return trace_spec.most > 0 ? TRACE_KEPT_SERIES * kept_most() : TRACE_KEPT_MOST;
}

size_t trace_recorder_bytes(void)
{
    return trace_is_on_async() ? sizeof(struct trace) + kept_room() * sizeof(struct kept) : 0;
}

bool trace_attach(struct thread *thread)
{
    if (!trace_is_on_async())
        return true;
    struct trace *trace = arena_take_async(&thread->arena, sizeof *trace);
    if (trace)
        trace->kept = arena_take_async(&thread->arena, kept_room() * sizeof *trace->kept);
    if (!trace || !trace->kept)
        return false;
    for (int i = 0; i < TRACE_SERIES_MOST; i++)
        trace->shown_as[i] = UINT32_MAX;
    thread->trace = trace;
    if (trace_spec.choice == TRACE_ALL)
        trace->records = true, trace->open = 1;
    return true;
}

void trace_name_stream(struct thread *thread)
{
    if (!thread->trace)
        return;
    thread->trace->stream.owner = EVENT_STREAM_THREADS + (uint32_t)thread->number;
    thread->trace->published = chunk_series_async((unsigned)thread->number);
    thread->trace->published_lost = chunk_lost_async((unsigned)thread->number);
    thread->trace->published_end = chunk_ended_async((unsigned)thread->number);
}

/* The kept iteration with the lowest score, of SERIES or, with -1, of any; NULL if none is. */
static struct kept *least_async(const struct trace *trace, int series)
{
    struct kept *least = NULL;
    for (uint32_t i = 0; i < trace->kept_count; i++)
        if ((series < 0 || trace->kept[i].series == (uint32_t)series) &&
            (!least || trace->kept[i].score < least->score))
            least = &trace->kept[i];
    return least;
}

static uint32_t kept_of_async(const struct trace *trace, uint32_t series)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < trace->kept_count; i++)
        count += trace->kept[i].series == series;
    return count;
}

/* The place where the outermost stretch that is open began; NULL if none is. */
static const struct stream_place *begun_async(const struct trace *trace)
{
    return trace->open ? &trace->begun[__builtin_ctz(trace->open)] : NULL;
}

/*
 * Notes that iteration NUMBER of SERIES is not kept; if FULL, since there was no memory for it.
 */
static void lose_async(struct trace *trace, uint32_t series, uint64_t number, double score,
                       bool full)
{
    struct event_lost *lost = &trace->lost[series];
    lost->count += full;
    if (lost->first == 0 || number + 1 < lost->first)
        lost->first = number + 1;
    if (number + 1 > lost->last)
        lost->last = number + 1;
    if ((uint64_t)score >= lost->score) {
        lost->score = (uint64_t)score;
        lost->best = number;
    }
    if (trace->published_lost)
        trace->published_lost[series] = *lost;
}

static void let_go_async(struct trace *trace, struct kept *kept)
{
    const struct stream_place *begun = begun_async(trace);
    stream_let_go_async(&trace->stream, &kept->stretch,
                        begun ? begun->sequence : trace->stream.sequence - 1);
    *kept = trace->kept[--trace->kept_count];
}

static bool is_after(const struct kept *kept, const struct stream_place *place)
{
    const struct stream_place *last = &kept->stretch.last;
    return last->sequence > place->sequence ||
           (last->sequence == place->sequence && last->offset > place->offset);
}

/* Forgets what was written since PLACE, what is kept of it included if ALL. */
static void forget_since_async(struct trace *trace, const struct stream_place *place, bool all)
{
    bool kept = false;
    for (uint32_t i = trace->kept_count; i-- > 0;)
        if (is_after(&trace->kept[i], place)) {
            kept = true;
            if (all) {
                lose_async(trace, trace->kept[i].series, trace->kept[i].number,
                           trace->kept[i].score, true);
                let_go_async(trace, &trace->kept[i]);
            }
        }
    if (all || !kept)
        stream_rewind_async(&trace->stream, place);
    else
        stream_tidy_async(&trace->stream, place);
}

/* Finds room for a record: while there is no memory the least important iteration goes. */
static bool find_room_async(struct trace *trace)
{
    while (!stream_has_room_async(&trace->stream)) {
        /* Of those that are listed the last ones are the least important. */
        struct kept *least = trace_spec.choice == TRACE_LISTED ? NULL : least_async(trace, -1);
        if (!least)
            return false;
        lose_async(trace, least->series, least->number, least->score, true);
        let_go_async(trace, least);
    }
    return true;
}

void record_long_async(struct stream *stream, unsigned tag, unsigned count, uint64_t first,
                       uint64_t second, uint64_t third, uint64_t fourth, uint64_t fifth)
{
    record_append_async(stream, tag, (const uint64_t[]){first, second, third, fourth, fifth},
                        count);
}

/* With TRACE_ALL, what was recorded so far stays, and nothing follows. */
static void end_recording_async(struct trace *trace)
{
    /* 0 would mean that it has not ended. */
    trace->ended_ns = trace->stream.last_ns > 0 ? trace->stream.last_ns : 1;
    if (trace->published_end)
        *trace->published_end = trace->ended_ns;
}

bool trace_find_room_async(struct trace *trace)
{
    if (!trace->records)
        return false;
    if (find_room_async(trace))
        return true;
    trace->records = false;
    if (trace_spec.choice == TRACE_ALL)
        end_recording_async(trace);
    else
        forget_since_async(trace, begun_async(trace), true);
    /* How important those are is known when they end. */
    trace->forgone |= trace->open;
    trace->open = 0;
    return false;
}

/*
 * Whether an iteration of the innermost level is inside another one.  Passes of loops do not
 * count: which of them are iterations is not known yet.
 */
static bool is_nested_async(const struct thread *thread)
{
    for (const struct level *level = thread->level - 1; level > thread->levels; level--)
        if (level->kept && !level->is_pass)
            return true;
    return false;
}

static bool is_chosen_async(const struct thread *thread, uint64_t iteration, const char *name)
{
    if (trace_spec.phase ? name && !trace_spec_means_async(&trace_spec, name)
                         : is_nested_async(thread))
        return false;
    return trace_spec.choice == TRACE_SLOWEST || trace_spec.choice == TRACE_NEW ||
           (trace_spec.choice == TRACE_LISTED &&
            trace_spec_lists_async(&trace_spec, iteration));
}

void trace_begin_iteration_async(struct thread *thread, uint64_t iteration, const char *name)
{
    struct trace *trace = thread->trace;
    const struct level *level = thread->level;
    const bool chosen = is_chosen_async(thread, iteration, name);
    const ptrdiff_t depth = level - thread->levels;
    trace->forgone &= ~(UINT32_C(1) << depth);
    trace->number[depth] = iteration;
    if (!chosen && !trace->records)
        return;
    if (!find_room_async(trace)) {
        /* What is open is given up with its next event. */
        trace->forgone |= (uint32_t)chosen << depth;
        return;
    }
    if (chosen) {
        trace->begun[depth] = stream_place_async(&trace->stream);
        trace->open |= UINT32_C(1) << depth;
        trace->records = true;
    }
    RECORD(thread, EVENT_BEGIN, record_time_async(&trace->stream, level->begin_ns),
           level->series, trace->generation[level->series], iteration,
           level->is_pass ? level->base : level->root,
           (uint64_t)level->is_pass | (uint64_t)chosen << 1);
}

/*
 * How new the iteration of LEVEL is, by the totals of its metrics.  One that is not RECORDED
 * does not make the next of its kind less new.
 */
static double novelty_async(struct thread *thread, const struct level *level, bool recorded)
{
    const unsigned count = METRIC_COUNT + counters_count;
    struct novelty *known = &thread->trace->novelty;
    double totals[METRIC_MOST] = {0};
    struct floating floating;
    floating_begin(&floating);
    for (uint32_t i = 0; i < level->profile->touched_count; i++) {
        const uint32_t node = level->profile->touched[i];
        const struct layout_info *layout = &layout_table[thread->tree.nodes[node].layout];
        const int64_t *cells = level->profile->values + thread->tree.nodes[node].cell;
        for (unsigned cell = 0; cell < layout->cells; cell++)
            totals[layout->metric_of[cell]] += (double)cells[cell];
    }
    /* volatile, or else the compiler could move the calculation behind floating_end. */
    volatile double novelty = novelty_of_async(known, totals, count);
    if (recorded)
        novelty_learn_async(known, totals, count, novelty);
    floating_end(&floating);
    return NOVELTY_SCALE * novelty;
}

/* The series of which most iterations are kept; of equal ones SERIES if it is one of them. */
static uint32_t largest_async(const struct trace *trace, uint32_t series)
{
    uint32_t counts[TRACE_SERIES_MOST] = {0}, largest = series;
    for (uint32_t i = 0; i < trace->kept_count; i++)
        counts[trace->kept[i].series]++;
    for (uint32_t i = 0; i < TRACE_SERIES_MOST; i++)
        if (counts[i] > counts[largest])
            largest = i;
    return largest;
}

/*
 * The iteration that gives way to KEPT; KEPT itself if it is the least important.  Where there
 * is no room left series share it, whatever their scores: which of them are shown is not known
 * yet.  As there are no more series than TRACE_KEPT_SERIES * TRACE_SPARE, each has room for as
 * many as were asked for, up to TRACE_KEPT_SERIES * TRACE_KEPT_MOST / TRACE_SERIES_MOST.
 */
static const struct kept *weakest_async(const struct trace *trace, const struct kept *kept)
{
    const uint32_t own = kept->series, from = kept_of_async(trace, own) >= kept_most()
                                                  ? own
                                                  : largest_async(trace, own);
    const struct kept *least = least_async(trace, (int)from);
    return from != own || least->score < kept->score ? least : kept;
}

/* Keeps what KEPT says, unless it is the one that gives way; then returns false. */
static bool keep_async(struct trace *trace, const struct kept *kept)
{
    const bool full = trace->kept_count == kept_room(),
               enough = full || kept_of_async(trace, kept->series) >= kept_most();
    if (trace_spec.choice != TRACE_LISTED && enough) {
        const struct kept *goes = weakest_async(trace, kept);
        lose_async(trace, goes->series, goes->number, goes->score, false);
        if (goes == kept)
            return false;
        let_go_async(trace, &trace->kept[goes - trace->kept]);
    }
    stream_keep_async(&trace->stream, &kept->stretch);
    if (trace->kept_count < kept_room())
        trace->kept[trace->kept_count++] = *kept;
    return true;
}

/* How important the iteration of THREAD's innermost level is, which ends at NS. */
static double score_async(struct thread *thread, int64_t ns, bool recorded)
{
    return trace_spec.choice == TRACE_NEW ? novelty_async(thread, thread->level, recorded)
                                          : (double)(ns - thread->level->begin_ns);
}

void trace_end_iteration_async(struct thread *thread, int64_t ns)
{
    struct trace *trace = thread->trace;
    const struct level *level = thread->level;
    const ptrdiff_t depth = level - thread->levels;
    const uint32_t bit = UINT32_C(1) << depth;
    const bool chosen = (trace->open | trace->forgone) & bit;
    const double score = chosen ? score_async(thread, ns, trace->open & bit) : 0;
    RECORD(thread, EVENT_END, record_time_async(&trace->stream, ns), level->series,
           trace->generation[level->series], (uint64_t)score);
    /* The record may have been what there was no memory for. */
    if (trace->forgone & bit)
        lose_async(trace, level->series, trace->number[depth], score, true);
    trace->forgone &= ~bit;
    if (!(trace->open & bit))
        return;
    const struct kept it = {{trace->begun[depth], stream_place_async(&trace->stream)},
                            level->series,
                            trace->number[depth],
                            score};
    const bool kept = keep_async(trace, &it);
    trace->open &= ~bit;
    trace->records = trace->open != 0;
    if (!kept && !trace->records)
        forget_since_async(trace, &it.stretch.first, false);
    else if (kept && !trace->records)
        stream_tidy_async(&trace->stream, &it.stretch.first);
}

/* What stands for the series of a phase that has none. */
static uint64_t series_of_level(const struct thread *thread)
{
    return TRACE_SERIES_MOST + (uint64_t)(thread->level - thread->levels);
}

void trace_begin_phase_async(struct thread *thread)
{
    const struct level *level = thread->level;
    if (trace_records_async(thread))
        RECORD(thread, EVENT_BEGIN, record_time_async(&thread->trace->stream, level->begin_ns),
               series_of_level(thread), 0, 0, level->root, EVENT_SUMMED);
}

void trace_end_phase_async(struct thread *thread, int64_t ns)
{
    if (trace_records_async(thread))
        RECORD(thread, EVENT_END, record_time_async(&thread->trace->stream, ns),
               series_of_level(thread), 0, 0);
}

void trace_counts_async(struct thread *thread)
{
    struct trace *trace = thread->trace;
    struct stream *stream = &trace->stream;
    /* A tag, their number, and at most ten bytes for each. */
    const ptrdiff_t most = 2 + 10 * (ptrdiff_t)counters_count;
    /* Without room they are in the next record. */
    if (stream->end - stream->at < most && !stream_extend_async(stream))
        return;
    unsigned char *at = stream->at;
    *at++ = EVENT_COUNTS;
    *at++ = (unsigned char)counters_count;
    for (unsigned i = 0; i < counters_count; i++) {
        const int64_t counted = thread->counts->counted[i];
        at = record_varint_async(at, record_signed_async(counted - trace->counted[i]));
        trace->counted[i] = counted;
    }
    stream_wrote_async(stream, at);
}

void trace_undo_iteration_async(struct thread *thread)
{
    struct trace *trace = thread->trace;
    const ptrdiff_t number = thread->level - thread->levels;
    const uint32_t bit = UINT32_C(1) << number;
    trace->forgone &= ~bit;
    if (!trace->records)
        return;
    if (trace->open == bit)
        forget_since_async(trace, &trace->begun[number], false);
    else
        RECORD(thread, EVENT_UNDO, thread->level->series,
               trace->generation[thread->level->series]);
    if (!(trace->open & bit))
        return;
    trace->open &= ~bit;
    trace->records = trace->open != 0;
}

void trace_drop_series_async(struct thread *thread, uint32_t series)
{
    struct trace *trace = thread->trace;
    if (!trace)
        return;
    trace->generation[series]++;
    if (trace->published)
        trace->published[series].generation = trace->generation[series];
    trace->lost[series] = (struct event_lost){.count = 0};
    if (trace->published_lost)
        trace->published_lost[series] = trace->lost[series];
    for (uint32_t i = trace->kept_count; i-- > 0;)
        if (trace->kept[i].series == series)
            let_go_async(trace, &trace->kept[i]);
}

void trace_show_series(struct thread *thread, uint32_t series, uint32_t phase)
{
    if (thread->trace)
        thread->trace->shown_as[series] = phase;
}

void trace_propose_none_async(const struct thread *thread)
{
    if (!thread->trace || !thread->trace->published)
        return;
    for (int i = 0; i < TRACE_SERIES_MOST; i++)
        thread->trace->published[i].shown_as = 0;
}

void trace_propose_series_async(const struct thread *thread, uint32_t series, uint32_t phase)
{
    if (thread->trace && thread->trace->published)
        thread->trace->published[series].shown_as = phase + 1;
}
