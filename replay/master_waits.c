/*
 * Slow slaves and an overloaded master, as Wolf and Mohr define them (Automatic Performance
 * Analysis of MPI Applications Based on Event Traces, Euro-Par 2000): on top of late senders
 * and late receivers, to which it subscribes.
 *
 * Who is the master is known at the end only, unless the caller says so: the process that is
 * one end of nearly all messages.  Until then waits of processes for each other are kept.
 */
#include "replay/engine.h"

#include "replay/list.h"

#include <string.h>

enum { SLOW_SLAVES, SLOW_TO_SEND, SLOW_TO_RECEIVE };

static const struct tsprof_metric metrics[] = {
    [SLOW_SLAVES] = {"mpi_slow_slaves", "mpi_latesender", "s",
                     "A master's waiting for messages of its slaves"},
    [SLOW_TO_SEND] = {"mpi_overloaded_master_send", "mpi_latesender", "s",
                      "Slaves' waiting for messages of a master that is busy"},
    [SLOW_TO_RECEIVE] = {"mpi_overloaded_master_recv", "mpi_latereceiver", "s",
                         "Slaves' waiting until a master that is busy receives"},
};

enum {
    LEAST_PROCESSES = 4, /* of three in a row, the one in the middle has all messages, too */
    STAR_PERCENT = 95    /* of the messages */
};

/* From BEGIN_NS on PROCESS waited for another. */
struct kept {
    uint64_t begin_ns, ns;
    uint32_t path, process, cause; /* the last two: processes */
    bool is_sender;                /* it was the sender that was late */
};

/* The messages of a process that had two ends. */
struct ends {
    uint64_t sent, received;
};

struct state {
    struct tsprof_analysis *analysis;
    const struct tsprof_analysis_functions *functions;
    struct ends *processes;
    size_t processes_count, processes_room;
    struct kept *waits;
    size_t waits_count, waits_room;
    bool failed; /* out of memory: nothing is published */
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
static struct ends *ends_of(struct state *state, uint32_t process)
{
    while (state->processes_count <= process) {
        if (!LIST_RESERVE(state->processes)) {
            state->failed = true;
            return NULL;
        }
        state->processes[state->processes_count++] = (struct ends){0, 0};
    }
    return &state->processes[process];
}

static void on_call(void *context, const struct tsprof_call *call)
{
    struct state *state = context;
    for (const struct tsprof_message *at = call->arrived; state && at; at = at->next_arrived) {
        if (at->from == at->to || !ends_of(state, at->from > at->to ? at->from : at->to))
            continue;
        state->processes[at->from].sent++;
        state->processes[at->to].received++;
    }
}

static bool is_same(const struct tsprof_point *a, const struct tsprof_point *b)
{
    return a->thread == b->thread && a->path == b->path && a->time_ns == b->time_ns;
}

/* The process that FINDING's call waited for; TSPROF_NONE: itself, or not known. */
static uint32_t cause_of(const struct tsprof_finding *finding, bool is_sender)
{
    const struct tsprof_call *call = finding->call;
    const struct tsprof_message *at = is_sender ? call->arrived : call->sent;
    while (at && !is_same(is_sender ? &at->send : &at->receive, &finding->cause))
        at = is_sender ? at->next_arrived : at->next_sent;
    const uint32_t process = !at ? TSPROF_NONE : is_sender ? at->from : at->to;
    return process == call->process ? TSPROF_NONE : process;
}

static void on_severity(void *context, const struct tsprof_finding *finding)
{
    struct state *state = context;
    const bool is_sender = strcmp(finding->metric, "mpi_latesender") == 0;
    if (!state || !finding->call ||
        (!is_sender && strcmp(finding->metric, "mpi_latereceiver") != 0))
        return;
    const uint32_t cause = cause_of(finding, is_sender);
    if (cause == TSPROF_NONE)
        return;
    if (!LIST_RESERVE(state->waits)) {
        state->failed = true;
        return;
    }
    state->waits[state->waits_count++] = (struct kept){.begin_ns = finding->call->enter.time_ns,
                                                       .ns = finding->amount,
                                                       .path = finding->path,
                                                       .process = finding->call->process,
                                                       .cause = cause,
                                                       .is_sender = is_sender};
}

/* The process at one end of nearly all messages, where all that have messages send and receive
 * some; TSPROF_NONE: there is none. */
static uint32_t find_master(const struct state *state)
{
    uint64_t messages = 0, most = 0;
    uint32_t master = TSPROF_NONE, count = 0;
    for (uint32_t i = 0; i < state->processes_count; i++) {
        const struct ends *ends = &state->processes[i];
        if (ends->sent == 0 && ends->received == 0)
            continue;
        if (ends->sent == 0 || ends->received == 0)
            return TSPROF_NONE;
        count++;
        messages += ends->sent;
        if (ends->sent + ends->received > most) {
            most = ends->sent + ends->received;
            master = i;
        }
    }
    return count >= LEAST_PROCESSES && 100 * most >= STAR_PERCENT * messages ? master
                                                                             : TSPROF_NONE;
}

/* Where several share the analysis, each has counted the messages that its own have received:
 * adds them up. */
static void count_all(struct state *state)
{
    const struct replay *replay = state->analysis->replay;
    const size_t count = replay->world->process_count;
    if (!replay->share)
        return;
    if (count > 0)
        ends_of(state, (uint32_t)count - 1);
    uint64_t *numbers = calloc(2 * count + 1, sizeof *numbers);
    for (size_t i = 0; numbers && i < state->processes_count; i++) {
        numbers[2 * i] = state->processes[i].sent;
        numbers[2 * i + 1] = state->processes[i].received;
    }
    if (!numbers || state->failed)
        patterns_fail(state->analysis->replay);
    state->failed |= !numbers || !team_sum(replay->share->team, numbers, 2 * count);
    for (size_t i = 0; !state->failed && i < state->processes_count; i++)
        state->processes[i] = (struct ends){numbers[2 * i], numbers[2 * i + 1]};
    free(numbers);
}

static uint32_t choose_master(const struct state *state)
{
    const struct replay_world *world = state->analysis->replay->world;
    return state->failed ? TSPROF_NONE : world->has_master ? world->master : find_master(state);
}

/* Times in which the master waits for its slaves: apart, and in order. */
struct idle {
    struct stretch {
        uint64_t begin_ns, end_ns, before_ns; /* the sum of those before it */
    } * list;
    size_t count;
};

static int compare_stretches(const void *a, const void *b)
{
    const struct stretch *left = a, *right = b;
    return (left->begin_ns > right->begin_ns) - (left->begin_ns < right->begin_ns);
}

/* Joins what overlaps, as waits of several threads do. */
static void join_stretches(struct idle *idle)
{
    size_t kept = 0;
    for (size_t i = 0; i < idle->count; i++) {
        const struct stretch one = idle->list[i];
        struct stretch *last = kept ? &idle->list[kept - 1] : NULL;
        if (last && one.begin_ns <= last->end_ns)
            last->end_ns = one.end_ns > last->end_ns ? one.end_ns : last->end_ns;
        else
            idle->list[kept++] = one;
    }
    idle->count = kept;
    for (size_t i = 1; i < kept; i++)
        idle->list[i].before_ns =
            idle->list[i - 1].before_ns + idle->list[i - 1].end_ns - idle->list[i - 1].begin_ns;
}

static bool find_idle(const struct state *state, uint32_t master, struct idle *idle)
{
    *idle = (struct idle){malloc((state->waits_count + 1) * sizeof *idle->list), 0};
    for (size_t i = 0; idle->list && i < state->waits_count; i++) {
        const struct kept *wait = &state->waits[i];
        if (wait->process == master && wait->is_sender)
            idle->list[idle->count++] =
                (struct stretch){wait->begin_ns, wait->begin_ns + wait->ns, 0};
    }
    if (!idle->list) {
        patterns_fail(state->analysis->replay);
        return false;
    }
    /* Only the one that has the master's events knows of any. */
    if (state->analysis->replay->share)
        idle->list = team_gather(state->analysis->replay->share->team, idle->list,
                                 sizeof *idle->list, &idle->count);
    if (!idle->list)
        return false;
    qsort(idle->list, idle->count, sizeof *idle->list, compare_stretches);
    join_stretches(idle);
    return true;
}

/* How long the master has waited until TIME_NS. */
static uint64_t idle_until(const struct idle *idle, uint64_t time_ns)
{
    size_t low = 0, high = idle->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (idle->list[middle].begin_ns < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return 0;
    const struct stretch *last = &idle->list[low - 1];
    return last->before_ns + (time_ns < last->end_ns ? time_ns : last->end_ns) - last->begin_ns;
}

static void publish_wait(const struct state *state, uint32_t master, const struct idle *idle,
                         const struct kept *wait)
{
    struct tsprof_severity severity = {
        .path = wait->path, .amount = wait->ns, .cause = {.path = TSPROF_NONE}};
    if (wait->process == master) {
        if (!wait->is_sender)
            return;
        severity.metric = SLOW_SLAVES;
    } else {
        if (wait->cause != master)
            return;
        severity.metric = wait->is_sender ? SLOW_TO_SEND : SLOW_TO_RECEIVE;
        severity.amount -=
            idle_until(idle, wait->begin_ns + wait->ns) - idle_until(idle, wait->begin_ns);
    }
    if (severity.amount > 0)
        state->functions->publish(state->analysis, &severity);
}

static void end(void *context)
{
    struct state *state = context;
    struct idle idle = {NULL, 0};
    if (!state)
        return;
    if (state->failed)
        patterns_fail(state->analysis->replay);
    count_all(state);
    const uint32_t master = choose_master(state);
    if (master != TSPROF_NONE && find_idle(state, master, &idle))
        for (size_t i = 0; i < state->waits_count; i++)
            publish_wait(state, master, &idle, &state->waits[i]);
    free(idle.list);
    free(state->processes);
    free(state->waits);
    free(state);
}

const struct tsprof_pattern master_pattern = {
    .version = TSPROF_PATTERN_VERSION,
    .name = "master and slaves",
    .metrics = metrics,
    .metric_count = sizeof metrics / sizeof *metrics,
    .begin = begin,
    .on_call = on_call,
    .on_severity = on_severity,
    .end = end,
};
