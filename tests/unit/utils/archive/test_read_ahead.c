/* Events that another thread decodes are those that it was told of, in their order. */
#include "archive/read_ahead.h"

#include "tap.h"

#include <stdlib.h>
#include <string.h>

enum { EVENTS = 50000, DEPTH_MOST = 3 };

static struct trace trace;

/* What event NUMBER is: in up to DEPTH_MOST iterations, which change now and then. */
static struct trace_event event_of(uint64_t number, struct trace_iteration *iterations)
{
    const size_t depth = number / 700 % (DEPTH_MOST + 1);
    for (size_t i = 0; i < depth; i++)
        iterations[i] = (struct trace_iteration){(uint32_t)i, number / (300 * (i + 1))};
    return (struct trace_event){.kind = TRACE_ENTER,
                                .time_ns = number,
                                .region = (uint32_t)(number % 17),
                                .iterations = iterations,
                                .iteration_count = depth};
}

/* Tells of so many events as the trace says, and spoils what it told of. */
static bool read_events(struct trace *of, trace_visitor *visit, void *context,
                        struct error *error)
{
    struct trace_iteration iterations[DEPTH_MOST];
    for (uint64_t i = 0; i < of->length_ns; i++) {
        struct trace_event event = event_of(i, iterations);
        visit(context, &event);
        memset(iterations, 0xff, sizeof iterations);
        memset(&event, 0xff, sizeof event);
    }
    return of->length_ns != EVENTS - 1 || error_set(error, "one is missing");
}

struct seen {
    uint64_t count, different;
};

static void look(void *context, const struct trace_event *event)
{
    struct seen *seen = context;
    struct trace_iteration iterations[DEPTH_MOST];
    const struct trace_event wanted = event_of(seen->count++, iterations);
    seen->different += event->time_ns != wanted.time_ns || event->region != wanted.region ||
                       event->iteration_count != wanted.iteration_count;
    for (size_t i = 0; i < wanted.iteration_count && i < event->iteration_count; i++)
        seen->different += event->iterations[i].phase != iterations[i].phase ||
                           event->iterations[i].number != iterations[i].number;
}

static void test_events(uint64_t count)
{
    struct error error;
    struct seen seen = {0, 0};
    trace.length_ns = count;
    OK(read_ahead(&trace, read_events, look, &seen, &error), "%llu events are read",
       (unsigned long long)count);
    EQ_INT(seen.count, count, "all are visited");
    EQ_INT(seen.different, 0, "as they were told of");
}

static void test_failure(void)
{
    struct error error;
    struct seen seen = {0, 0};
    trace.length_ns = EVENTS - 1;
    OK(!read_ahead(&trace, read_events, look, &seen, &error), "what fails there fails here");
    OK(strcmp(error.text, "one is missing") == 0, "for the same reason");
    EQ_INT(seen.count, EVENTS - 1, "after all that could be read");
}

int main(void)
{
    static const uint64_t counts[] = {0, 1, 1023, 1024, 1025, 8 * 1024, EVENTS};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        test_events(counts[i]);
    test_failure();
    return tap_done();
}
