/* See events.h. */
#include "archive/events.h"

#include "archive/call_stack.h"
#include "archive/details.h"

#include <stdlib.h>

/* Where the writer is. */
struct scribe {
    struct details details; /* of the call that was read last, which is not written yet */
    /* Likewise of iterations in which nothing has happened yet, the outermost first. */
    struct record begun[CALL_STACK_LOOPS];
    unsigned begun_count;
    struct call_stack stack;
    const struct event_maps *maps;
    const struct recorded_iteration *const *chosen; /* the next one and those after it */
    size_t chosen_left;
    unsigned inside;                 /* how many chosen iterations are open */
    uint64_t ends[CALL_STACK_LOOPS]; /* where they end, the outermost first */
    struct out out;
};

static uint32_t node_of(const struct scribe *scribe, uint64_t own)
{
    const struct event_maps *maps = scribe->maps;
    const uint32_t node = own < maps->node_count ? maps->nodes[own] : UINT32_MAX;
    return node < maps->program->node_count ? node : (uint32_t)PROGRAM_ROOT;
}

static bool is_known(const struct scribe *scribe, uint64_t own)
{
    const struct event_maps *maps = scribe->maps;
    return own < maps->node_count && maps->nodes[own] != UINT32_MAX;
}

static void switch_measurement(struct scribe *scribe, int64_t ns, bool on)
{
    struct out *out = &scribe->out;
    const uint64_t time = out_time(out, ns);
    if (!on)
        call_stack_leave_all(&scribe->stack, out, ns);
    OUT(out, MeasurementOnOff, time, on ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF);
}

static uint32_t region_of(const struct scribe *scribe, const struct record *record)
{
    const uint64_t series = record->numbers[0];
    return series < scribe->maps->series_count ? scribe->maps->regions[series]
                                               : OTF2_UNDEFINED_REGION;
}

/* An iteration begins: the functions around it are entered, and what it is itself. */
static void begin(struct scribe *scribe, const struct record *record)
{
    const uint32_t node = node_of(scribe, record->numbers[3]),
                   region = region_of(scribe, record);
    const uint64_t flags = record->numbers[4], series = record->numbers[0];
    /* A loop that is not shown has no name. */
    if ((flags & EVENT_PASS) && region == OTF2_UNDEFINED_REGION)
        return;
    if (flags & EVENT_PASS)
        call_stack_begin_loop(&scribe->stack, &scribe->out, record->ns, node, region, series);
    else
        call_stack_go(&scribe->stack, &scribe->out, record->ns, node);
    call_stack_name(&scribe->stack, series);
    if (flags & EVENT_SUMMED)
        return;
    OUT(&scribe->out, ParameterUnsignedInt, out_time(&scribe->out, record->ns),
        ARCHIVE_ITERATION, record->numbers[2]);
    scribe->out.written.iterations++;
}

/* Writes that the iterations begin of which that was read last. */
static void finish_begun(struct scribe *scribe)
{
    for (unsigned i = 0; i < scribe->begun_count; i++)
        begin(scribe, &scribe->begun[i]);
    scribe->begun_count = 0;
}

static void begin_later(struct scribe *scribe, const struct record *record)
{
    if (scribe->begun_count == CALL_STACK_LOOPS)
        finish_begun(scribe);
    scribe->begun[scribe->begun_count++] = *record;
}

static void end(struct scribe *scribe, const struct record *record)
{
    call_stack_end(&scribe->stack, &scribe->out, record->ns, record->numbers[0]);
}

/* What has begun as an iteration is none: of an empty one nothing is written. */
static void undo(struct scribe *scribe, const struct record *record)
{
    const unsigned count = scribe->begun_count;
    if (count > 0 && scribe->begun[count - 1].numbers[0] == record->numbers[0]) {
        scribe->begun_count--;
        return;
    }
    finish_begun(scribe);
    end(scribe, record);
}

/* Writes the call that was read last, with what is known about it. */
static void finish_call(struct scribe *scribe)
{
    struct details *details = &scribe->details;
    if (!details->open)
        return;
    const struct program *program = scribe->maps->program;
    const uint32_t node = node_of(scribe, details->node);
    call_stack_go(&scribe->stack, &scribe->out, details->enter_ns, program->nodes[node].parent);
    details_write(details, &scribe->out, scribe->maps, node);
    call_stack_seen(&scribe->stack, details->leave_ns);
    scribe->out.written.calls++;
}

static void sample(struct scribe *scribe, const struct record *record)
{
    if (scribe->maps->ends_unknown && !is_known(scribe, record->numbers[0]))
        return;
    const uint32_t node = node_of(scribe, record->numbers[0]);
    call_stack_meet(&scribe->stack, &scribe->out, record->ns, node);
    OUT(&scribe->out, CallingContextSample, out_time(&scribe->out, record->ns), node,
        OTF2_UNDEFINED_UINT32, ARCHIVE_SAMPLES);
    scribe->out.written.samples++;
}

/* A function that tells of itself: when it was entered and left is known exactly. */
static void function(struct scribe *scribe, const struct record *record)
{
    const uint32_t node = node_of(scribe, record->numbers[0]);
    if (node == PROGRAM_ROOT)
        return;
    if (record->tag != EVENT_LEAVE)
        call_stack_enter(&scribe->stack, &scribe->out, record->ns, node);
    if (record->tag != EVENT_ENTER)
        call_stack_leave(&scribe->stack, &scribe->out, record->ns, node);
}

static void take(struct scribe *scribe, const struct record *record)
{
    if (record_is_detail(record)) {
        details_add(&scribe->details, record);
        return;
    }
    finish_call(scribe);
    if (record->tag == EVENT_UNDO) {
        undo(scribe, record);
        return;
    }
    if (record->tag == EVENT_BEGIN) {
        begin_later(scribe, record);
        return;
    }
    finish_begun(scribe);
    switch (record->tag) {
    case EVENT_END:
        end(scribe, record);
        break;
    case EVENT_CALL:
        details_begin(&scribe->details, record);
        break;
    case EVENT_SAMPLE:
        sample(scribe, record);
        break;
    case EVENT_ENTER:
    case EVENT_LEAVE:
    case EVENT_VISIT:
        function(scribe, record);
        break;
    default:
        break;
    }
}

/* Whether a chosen iteration begins with RECORD. */
static bool enters(struct scribe *scribe, const struct record *record)
{
    while (scribe->chosen_left > 0 && (*scribe->chosen)->first < record->at) {
        scribe->chosen++;
        scribe->chosen_left--;
    }
    return scribe->chosen_left > 0 && (*scribe->chosen)->first == record->at &&
           scribe->inside < CALL_STACK_LOOPS;
}

static void leave_if_over(struct scribe *scribe, const struct record *record)
{
    if (scribe->inside == 0 || scribe->ends[scribe->inside - 1] != record->at)
        return;
    if (--scribe->inside == 0)
        switch_measurement(scribe, record->ns, false);
}

/* Whether the events end with RECORD because what it is about is not known. */
static bool ends_with(const struct scribe *scribe, const struct record *record)
{
    return scribe->maps->ends_unknown && record_enters(record) &&
           !is_known(scribe, record->numbers[record_node(record)]);
}

static void write_chosen(struct scribe *scribe, struct stream_reader *reader)
{
    struct record record;
    while (recording_next(reader, &record)) {
        if (enters(scribe, &record)) {
            if (scribe->inside == 0)
                switch_measurement(scribe, record.ns, true);
            scribe->ends[scribe->inside++] = (*scribe->chosen)->last;
        }
        if (scribe->inside == 0)
            continue;
        if (ends_with(scribe, &record))
            break;
        take(scribe, &record);
        leave_if_over(scribe, &record);
    }
    if (scribe->inside == 0)
        return;
    finish_call(scribe);
    finish_begun(scribe);
    switch_measurement(scribe, reader->ns, false);
}

static void write_all(struct scribe *scribe, struct stream_reader *reader)
{
    struct record record;
    while (recording_next(reader, &record) && !ends_with(scribe, &record))
        take(scribe, &record);
    finish_call(scribe);
    finish_begun(scribe);
    call_stack_leave_all(&scribe->stack, &scribe->out, reader->ns);
}

struct written events_write(const struct otf2 *otf2, OTF2_EvtWriter *writer,
                            const struct recording *recording, uint32_t owner,
                            const struct event_maps *maps,
                            const struct recorded_iteration *const *chosen, size_t chosen_count)
{
    struct stream_reader reader = recording_stream(recording, owner);
    struct scribe scribe = {
        .maps = maps,
        .chosen = chosen,
        .chosen_left = chosen_count,
        .out = {otf2, writer, &maps->time_line, .written.first = UINT64_MAX}};
    call_stack_begin(&scribe.stack, maps->program);
    if (chosen)
        write_chosen(&scribe, &reader);
    else
        write_all(&scribe, &reader);
    details_free(&scribe.details);
    scribe.out.written.failed |= call_stack_free(&scribe.stack);
    uint64_t events = 0;
    otf2->EvtWriter_GetNumberOfEvents(writer, &events);
    scribe.out.written.events = events;
    return scribe.out.written;
}
