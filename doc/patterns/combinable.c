/*
 * combinable.c: messages that should have been one.  See README.md beside it.
 *
 *     cc -shared -fPIC -o combinable.so combinable.c
 *     tsprof waits app.otf2 -o waits.tsprof --pattern ./combinable.so
 *
 * A message counts if it has 1 to 1024 bytes, and so has the one that the same process sent to
 * the same other process before it, at most 100 microseconds earlier.
 */
#include <tsprof_pattern.h>

#include <stdlib.h>

#define SMALL_BYTES 1024
#define SOON_NS     100000

enum { MESSAGES, TIME };

static const struct tsprof_metric metrics[] = {
    [MESSAGES] = {"combinable_messages", "comms_send", "occ",
                  "Small messages sent soon after another to the same process"},
    [TIME] = {"combinable_time", "mpi_point2point", "s",
              "Time of the calls that both start and end such a send"},
};

struct small {
    uint32_t from, to, path;
    uint64_t order, sent_ns;
    uint64_t call_ns; /* how long the call took; 0: another one ended the send */
};

struct state {
    struct tsprof_analysis *analysis;
    const struct tsprof_analysis_functions *functions;
    struct small *list;
    size_t count, room;
};

static void *begin(struct tsprof_analysis *analysis,
                   const struct tsprof_analysis_functions *functions)
{
    struct state *state = calloc(1, sizeof *state);
    if (!state)
        abort();
    state->analysis = analysis;
    state->functions = functions;
    return state;
}

static void add(struct state *state, struct small small)
{
    if (state->count == state->room) {
        state->room = state->room ? 2 * state->room : 1024;
        state->list = realloc(state->list, state->room * sizeof *state->list);
        if (!state->list)
            abort();
    }
    state->list[state->count++] = small;
}

/* Calls come when all is known of them, so not in the order of time. */
static void on_call(void *context, const struct tsprof_call *call)
{
    for (const struct tsprof_message *at = call->sent; at; at = at->next_sent) {
        struct small small = {at->from, at->to, at->send.path, at->order, at->send.time_ns, 0};
        if (at->bytes == 0 || at->bytes > SMALL_BYTES)
            continue;
        if (call->enter.path == at->send.path && call->enter.time_ns == at->send.time_ns)
            small.call_ns = call->leave_ns - call->enter.time_ns;
        add(context, small);
    }
}

static int compare(const void *a, const void *b)
{
    const struct small *one = a, *other = b;
    if (one->from != other->from)
        return one->from < other->from ? -1 : 1;
    if (one->to != other->to)
        return one->to < other->to ? -1 : 1;
    return one->order < other->order ? -1 : one->order > other->order;
}

static void publish(const struct state *state, unsigned metric, uint32_t path, uint64_t amount)
{
    const struct tsprof_severity severity = {
        .metric = metric, .path = path, .amount = amount, .cause = {.path = TSPROF_NONE}};
    state->functions->publish(state->analysis, &severity);
}

static void end(void *context)
{
    struct state *state = context;
    qsort(state->list, state->count, sizeof *state->list, compare);
    for (size_t i = 1; i < state->count; i++) {
        const struct small *before = &state->list[i - 1], *small = &state->list[i];
        if (before->from != small->from || before->to != small->to ||
            small->sent_ns - before->sent_ns > SOON_NS)
            continue;
        publish(state, MESSAGES, small->path, 1);
        publish(state, TIME, small->path, small->call_ns);
    }
    free(state->list);
    free(state);
}

const struct tsprof_pattern tsprof_pattern = {
    .version = TSPROF_PATTERN_VERSION,
    .name = "combinable",
    .metrics = metrics,
    .metric_count = sizeof metrics / sizeof *metrics,
    .begin = begin,
    .on_call = on_call,
    .end = end,
};
