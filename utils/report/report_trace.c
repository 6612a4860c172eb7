/* What the trace beside the summary holds, in short.  See report.h. */
#include "archive/archive.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Reading so many events takes a second or two; of larger traces it is said what their
 * definitions say. */
#define MOST_EVENTS UINT64_C(10000000)
#define MOST_RANGES 12
#define EVENLY      1.1L /* nobody has more than so many times the mean */

/* An iteration that was seen on some thread. */
struct seen {
    uint32_t phase;
    uint64_t number;
};

struct trace_counts {
    const struct trace *trace;
    struct seen *seen;
    size_t seen_count, seen_room;
    uint64_t messages, bytes;
    uint64_t *received; /* messages by process */
};

static void count_event(void *context, const struct trace_event *event)
{
    struct trace_counts *counts = context;
    if (event->kind == TRACE_SEND) {
        counts->messages++;
        counts->bytes += event->bytes;
    }
    if (event->kind == TRACE_RECV)
        counts->received[counts->trace->threads[event->thread].process]++;
    if (event->kind != TRACE_ENTER || event->iteration_count != 1 ||
        event->iterations[0].phase != event->region)
        return;
    if (counts->seen_count == counts->seen_room) {
        counts->seen_room = counts->seen_room ? 2 * counts->seen_room : 64;
        counts->seen = reallocate(counts->seen, counts->seen_room, sizeof *counts->seen);
    }
    counts->seen[counts->seen_count++] =
        (struct seen){event->region, event->iterations[0].number};
}

static int compare_seen(const void *a, const void *b)
{
    const struct seen *left = a, *right = b;
    if (left->phase != right->phase)
        return left->phase < right->phase ? -1 : 1;
    return (left->number > right->number) - (left->number < right->number);
}

/* Sorts what was seen, and keeps each once. */
static void sort_seen(struct trace_counts *counts)
{
    size_t kept = 0;
    if (counts->seen_count > 1)
        qsort(counts->seen, counts->seen_count, sizeof *counts->seen, compare_seen);
    for (size_t i = 0; i < counts->seen_count; i++)
        if (kept == 0 || compare_seen(&counts->seen[kept - 1], &counts->seen[i]) != 0)
            counts->seen[kept++] = counts->seen[i];
    counts->seen_count = kept;
}

/* Adds ", 3 iterations of timestep: 3,7-8" for the phase that begins at FIRST; returns where
 * the next one begins. */
static size_t add_phase(struct text *line, const struct trace_counts *counts, size_t first)
{
    const struct seen *seen = counts->seen;
    size_t end = first, ranges = 0;
    while (end < counts->seen_count && seen[end].phase == seen[first].phase)
        end++;
    text_addf(line, ", %zu iteration%s of %s: ", end - first, end - first == 1 ? "" : "s",
              counts->trace->regions[seen[first].phase].name);
    for (size_t i = first; i < end; ranges++) {
        size_t last = i;
        while (last + 1 < end && seen[last + 1].number == seen[last].number + 1)
            last++;
        if (ranges == MOST_RANGES) {
            text_addf(line, " and %zu more", end - i);
            break;
        }
        text_addf(line, "%s%" PRIu64, ranges ? "," : "", seen[i].number);
        if (last > i)
            text_addf(line, "-%" PRIu64, seen[last].number);
        i = last + 1;
    }
    return end;
}

/* Adds ", most WHAT on rank 3 (1.2 k)" of COUNTS, which are by process, unless they are nearly
 * the same on all. */
static void add_most(struct text *line, const struct trace *trace, const uint64_t *counts,
                     const char *what)
{
    size_t most = 0, ranks = 0;
    long double sum = 0;
    char shown[QUANTITY_SIZE];
    for (size_t i = 0; i < trace->process_count; i++) {
        most = counts[i] > counts[most] ? i : most;
        sum += (long double)counts[i];
        ranks += trace->processes[i].rank != TRACE_NONE;
    }
    if (trace->processes[most].rank == TRACE_NONE ||
        (long double)counts[most] * (long double)ranks <= EVENLY * sum)
        return;
    text_addf(line, ", most%s on rank %" PRIu32 " (%s)", what, trace->processes[most].rank,
              format_quantity(shown, (long double)counts[most], ""));
}

/* Adds the name of the archive's directory, or of the anchor where that is not in one. */
static void add_name(struct text *line, const struct trace *trace)
{
    const char *end = strrchr(trace->path, '/');
    struct text directory = {0};
    if (end)
        text_add_bytes(&directory, trace->path, (size_t)(end - trace->path));
    text_add(line, directory.length ? base_name(text_string(&directory)) : trace->path);
    text_free(&directory);
}

/* Adds how many events there are, as the archive says; returns that. */
static uint64_t add_events(struct text *line, const struct trace *trace)
{
    uint64_t *counts = allocate(trace->process_count, sizeof *counts), sum = 0;
    char shown[QUANTITY_SIZE];
    for (size_t i = 0; i < trace->thread_count; i++) {
        counts[trace->threads[i].process] += trace->threads[i].events;
        sum += trace->threads[i].events;
    }
    add_name(line, trace);
    text_addf(line, ": %s event%s of %zu thread%s",
              format_quantity(shown, (long double)sum, ""), sum == 1 ? "" : "s",
              trace->thread_count, trace->thread_count == 1 ? "" : "s");
    add_most(line, trace, counts, "");
    free(counts);
    return sum;
}

static void add_messages(struct text *line, const struct trace_counts *counts)
{
    char shown[QUANTITY_SIZE], bytes[QUANTITY_SIZE];
    if (counts->messages == 0) {
        text_add(line, "; no messages");
        return;
    }
    text_addf(line, "; %s message%s with %s",
              format_quantity(shown, (long double)counts->messages, ""),
              counts->messages == 1 ? "" : "s",
              format_quantity(bytes, (long double)counts->bytes, "bytes"));
    add_most(line, counts->trace, counts->received, " received");
}

/* Adds what reading all events tells.  False, and ERROR, if that fails. */
static bool add_read(struct text *line, struct trace *trace, struct error *error)
{
    struct trace_counts counts = {.trace = trace};
    counts.received = allocate(trace->process_count, sizeof *counts.received);
    const bool good = trace_read(trace, count_event, &counts, error);
    if (good) {
        sort_seen(&counts);
        for (size_t i = 0; i < counts.seen_count;)
            i = add_phase(line, &counts, i);
        add_messages(line, &counts);
    }
    free(counts.seen);
    free(counts.received);
    return good;
}

void report_trace(struct report *report)
{
    struct text line = {0};
    struct error error;
    if (report->live || report->summary->derived || !trace_is_beside(report->summary->path))
        return;
    report_title(report, "Trace");
    text_add(&report->text, "\n");
    struct trace *trace = trace_open(report->summary->path, &error);
    bool good = trace;
    if (good && add_events(&line, trace) <= MOST_EVENTS)
        good = add_read(&line, trace, &error);
    if (!good) {
        text_clear(&line);
        text_add(&line, error.text);
    }
    text_add(&line, ".");
    text_add(&report->text, "  ");
    text_add_wrapped(&report->text, text_string(&line), 2, 4, report->columns);
    text_free(&line);
    trace_close(trace);
}
