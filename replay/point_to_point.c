/*
 * Late senders, late receivers, and messages in the wrong order.
 *
 * A call waits for the message that comes last of those that end in it; so of all its waits,
 * for senders and for receivers, the longest counts.
 */
#include "replay/engine.h"

#include "replay/list.h"

enum { LATE_SENDER, WRONG_ORDER, WRONG_ORDER_DIFFERENT, WRONG_ORDER_SAME, LATE_RECEIVER };

static const struct tsprof_metric metrics[] = {
    [LATE_SENDER] = {"mpi_latesender", "mpi_point2point", "s",
                     "Waiting for a message that was sent late"},
    [WRONG_ORDER] = {"mpi_latesender_wo", "mpi_latesender", "s",
                     "Waiting for a late message while one that had been sent earlier was "
                     "received after it"},
    [WRONG_ORDER_DIFFERENT] = {"mpi_lswo_different", "mpi_latesender_wo", "s",
                               "The earlier message came from another process"},
    [WRONG_ORDER_SAME] = {"mpi_lswo_same", "mpi_latesender_wo", "s",
                          "The earlier message came from the same process"},
    [LATE_RECEIVER] = {"mpi_latereceiver", "mpi_point2point", "s",
                       "Sends that wait until the receive is posted"},
};

/* A message that has arrived. */
struct arrived {
    uint64_t order, leave_ns; /* when the call was left */
    uint32_t from;
};

/* A wait for a message, while others that were sent earlier may still arrive. */
struct late {
    struct arrived message;
    uint64_t ns;
    uint32_t path;
    struct arrived overtaken; /* the first to arrive of those; leave_ns is 0: none has yet */
};

/* How many of these are remembered: receives are told of in the order in which they were
 * posted, so that one may have arrived before another that is told of earlier. */
enum { ARRIVED = 1024 };

/* More are not kept: messages that are never received must not make the list grow. */
enum { MOST_LATE = 1024 };

/* What a process waited for, and what came last. */
struct receiver {
    struct late *list;
    size_t list_count, list_room;
    struct arrived arrived[ARRIVED];
    size_t arrived_count; /* all of them; the last ARRIVED are there */
    uint64_t latest_ns;   /* when the last of their calls was left */
};

struct state {
    struct tsprof_analysis *analysis;
    const struct tsprof_analysis_functions *functions;
    struct receiver **processes;
    size_t processes_count, processes_room;
};

static void *begin(struct tsprof_analysis *analysis,
                   const struct tsprof_analysis_functions *functions)
{
    struct state *state = calloc(1, sizeof *state);
    if (state)
        *state = (struct state){.analysis = analysis, .functions = functions};
    return state;
}

/* NULL if out of memory. */
static struct receiver *receiver_of(struct state *state, uint32_t process)
{
    while (state->processes_count <= process) {
        if (!LIST_RESERVE(state->processes)) {
            patterns_fail(state->analysis->replay);
            return NULL;
        }
        state->processes[state->processes_count++] = NULL;
    }
    if (!state->processes[process])
        state->processes[process] = calloc(1, sizeof(struct receiver));
    if (!state->processes[process])
        patterns_fail(state->analysis->replay);
    return state->processes[process];
}

/* CALL is NULL if it has been told of before. */
static void publish_order(struct state *state, const struct tsprof_call *call,
                          const struct late *late)
{
    struct tsprof_severity severity = {.metric = WRONG_ORDER,
                                       .call = call,
                                       .path = late->path,
                                       .amount = late->ns,
                                       .cause = {.path = TSPROF_NONE}};
    if (late->overtaken.leave_ns == 0)
        return;
    state->functions->publish(state->analysis, &severity);
    severity.metric =
        late->overtaken.from == late->message.from ? WRONG_ORDER_SAME : WRONG_ORDER_DIFFERENT;
    state->functions->publish(state->analysis, &severity);
}

/* Notes if LATE overtook ARRIVED, and nothing that arrived earlier. */
static void compare(struct late *late, const struct arrived *arrived)
{
    if (arrived->order < late->message.order && arrived->leave_ns > late->message.leave_ns &&
        (late->overtaken.leave_ns == 0 || arrived->leave_ns < late->overtaken.leave_ns))
        late->overtaken = *arrived;
}

/* MESSAGE has arrived in CALL: it may have been overtaken. */
static void take_arrival(struct receiver *of, const struct tsprof_call *call,
                         const struct tsprof_message *message)
{
    const struct arrived arrived = {message->order, call->leave_ns, message->from};
    for (size_t i = 0; i < of->list_count; i++)
        compare(&of->list[i], &arrived);
    of->arrived[of->arrived_count++ % ARRIVED] = arrived;
    of->latest_ns = arrived.leave_ns > of->latest_ns ? arrived.leave_ns : of->latest_ns;
}

/* Publishes the waits after which nothing that they overtook can arrive any more: all messages
 * before number OLDEST have. */
static void publish_known(struct state *state, struct receiver *of, uint64_t oldest)
{
    size_t kept = 0;
    for (size_t i = 0; i < of->list_count; i++)
        if (oldest < of->list[i].message.order)
            of->list[kept++] = of->list[i];
        else
            publish_order(state, NULL, &of->list[i]);
    of->list_count = kept;
}

/* Finds out whether CALL, which waited NS for MESSAGE, had it overtake another. */
static void judge_order(struct state *state, struct receiver *of,
                        const struct tsprof_call *call, const struct tsprof_message *message,
                        uint64_t ns)
{
    struct late late = {.message = {message->order, call->leave_ns, message->from},
                        .ns = ns,
                        .path = call->enter.path};
    const size_t count = of->arrived_count < ARRIVED ? of->arrived_count : ARRIVED;
    /* Most often nothing has arrived later. */
    for (size_t i = 0; of->latest_ns > call->leave_ns && i < count; i++)
        compare(&late, &of->arrived[i]);
    if (message->oldest >= message->order || of->list_count >= MOST_LATE)
        publish_order(state, call, &late);
    else if (LIST_RESERVE(of->list))
        of->list[of->list_count++] = late;
    else
        patterns_fail(state->analysis->replay);
}

static void end(void *context)
{
    struct state *state = context;
    for (size_t i = 0; state && i < state->processes_count; i++) {
        if (!state->processes[i])
            continue;
        for (size_t k = 0; k < state->processes[i]->list_count; k++)
            publish_order(state, NULL, &state->processes[i]->list[k]);
        free(state->processes[i]->list);
        free(state->processes[i]);
    }
    if (state)
        free(state->processes);
    free(state);
}

/* How long CALL waited until TIME_NS. */
static uint64_t wait_until(const struct tsprof_call *call, uint64_t time_ns)
{
    const uint64_t until = time_ns < call->leave_ns ? time_ns : call->leave_ns;
    return until > call->enter.time_ns ? until - call->enter.time_ns : 0;
}

/* The message that CALL waited longest for; NULL: it did not wait. */
static const struct tsprof_message *find_latest(const struct tsprof_call *call,
                                                bool *is_arriving, uint64_t *ns)
{
    const struct tsprof_message *latest = NULL;
    *ns = 0;
    for (const struct tsprof_message *at = call->arrived; at; at = at->next_arrived)
        if (wait_until(call, at->send.time_ns) > *ns) {
            *ns = wait_until(call, at->send.time_ns);
            *is_arriving = true;
            latest = at;
        }
    for (const struct tsprof_message *at = call->sent; at; at = at->next_sent)
        if (!at->is_buffered && at->receive.time_ns < call->leave_ns &&
            wait_until(call, at->receive.time_ns) > *ns) {
            *ns = wait_until(call, at->receive.time_ns);
            *is_arriving = false;
            latest = at;
        }
    return latest;
}

static void on_call(void *context, const struct tsprof_call *call)
{
    struct state *state = context;
    bool is_arriving = false;
    uint64_t ns = 0;
    if (!state || (!call->arrived && !call->sent))
        return;
    const struct tsprof_message *latest =
        call->blocks ? find_latest(call, &is_arriving, &ns) : NULL;
    if (latest)
        state->functions->publish(
            state->analysis,
            &(struct tsprof_severity){.metric = is_arriving ? LATE_SENDER : LATE_RECEIVER,
                                      .call = call,
                                      .amount = ns,
                                      .cause = is_arriving ? latest->send : latest->receive});
    struct receiver *of = call->arrived ? receiver_of(state, call->process) : NULL;
    for (const struct tsprof_message *at = call->arrived; of && at; at = at->next_arrived)
        take_arrival(of, call, at);
    if (of)
        publish_known(state, of, call->arrived->oldest);
    if (of && latest && is_arriving)
        judge_order(state, of, call, latest, ns);
}

const struct tsprof_pattern point_to_point_pattern = {
    .version = TSPROF_PATTERN_VERSION,
    .name = "point-to-point",
    .metrics = metrics,
    .metric_count = sizeof metrics / sizeof *metrics,
    .begin = begin,
    .on_call = on_call,
    .end = end,
};
