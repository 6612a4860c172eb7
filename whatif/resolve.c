/* Which calls messages, operations and links are between.  See graph.h. */
#include "whatif/graph.h"

#include <stdlib.h>

/* The call in which MOMENT lies, or the last one before it; WHATIF_NONE if there is none. */
static uint32_t call_at(const struct whatif *graph, struct recorded_moment moment)
{
    const struct graph_thread *thread = &graph->threads[moment.thread];
    uint32_t low = thread->first_call,
             high = thread->first_call + (thread->call_count ? thread->call_count - 1 : 0);
    const uint32_t first = low;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (graph->calls[middle].enter_ns <= moment.ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low > first ? low - 1 : WHATIF_NONE;
}

/* The call that is entered at MOMENT, or around it. */
static uint32_t call_of(const struct whatif *graph, struct recorded_moment moment)
{
    const uint32_t call = call_at(graph, moment);
    if (call == WHATIF_NONE || graph->calls[call].leave_ns < moment.ns)
        return WHATIF_NONE;
    return call;
}

/* The first call of CALL's thread, from CALL to LAST, in which the thread still is at NS. */
static uint32_t first_in_mpi(const struct whatif *graph, uint32_t call, uint32_t last,
                             uint64_t ns)
{
    while (call < last && graph->calls[call].leave_ns <= ns)
        call++;
    return call;
}

static int compare_moments(struct recorded_moment one, struct recorded_moment other)
{
    if (one.thread != other.thread)
        return one.thread < other.thread ? -1 : 1;
    return one.ns < other.ns ? -1 : one.ns > other.ns;
}

/* In an order in which what both ends have told of a message is at the same place. */
static int compare_ends(const void *a, const void *b)
{
    const struct recorded_end *one = a, *other = b;
    int order = compare_moments(one->send, other->send);
    if (order == 0)
        order = compare_moments(one->receive, other->receive);
    if (order == 0 && one->comm != other->comm)
        order = one->comm < other->comm ? -1 : 1;
    if (order == 0 && one->tag != other->tag)
        order = one->tag < other->tag ? -1 : 1;
    if (order == 0 && one->bytes != other->bytes)
        order = one->bytes < other->bytes ? -1 : 1;
    return order;
}

static void sort_ends(struct recorded_end *list, size_t count)
{
    if (count > 0)
        qsort(list, count, sizeof *list, compare_ends);
}

/* Who lets a message that waits for its receive go on: the first calls in which the receiver
 * can answer the request to send, and the sender the answer.  One that was done before the
 * other side came back to MPI has not needed it. */
static void find_progress(const struct whatif *graph, struct graph_message *message)
{
    const struct graph_call *calls = graph->calls;
    const uint64_t sent_ns = calls[message->send].enter_ns,
                   posted_ns = calls[message->receive].enter_ns;
    const uint64_t asked_ns = sent_ns > posted_ns ? sent_ns : posted_ns;
    message->answer = message->receive;
    message->serve = message->send;
    if (!message->is_probed &&
        calls[message->receive].thread == calls[message->arrival].thread) {
        const uint32_t answer =
            first_in_mpi(graph, message->receive, message->arrival, asked_ns);
        if (message->sent == WHATIF_NONE ||
            calls[answer].enter_ns <= calls[message->sent].leave_ns)
            message->answer = answer;
    }
    if (message->sent == WHATIF_NONE ||
        calls[message->sent].thread != calls[message->send].thread)
        return;
    const uint64_t answered_ns = calls[message->answer].enter_ns;
    const uint32_t serve = first_in_mpi(graph, message->send, message->sent,
                                        answered_ns > asked_ns ? answered_ns : asked_ns);
    if (calls[serve].enter_ns <= calls[message->arrival].leave_ns)
        message->serve = serve;
}

static bool is_behind(const struct whatif *graph, uint32_t call, uint32_t other)
{
    return graph->calls[call].thread == graph->calls[other].thread && call > other;
}

static enum call_role role_of(const struct whatif *graph, uint32_t call)
{
    const uint32_t node = path_node(graph, graph->calls[call].path);
    const uint32_t region = graph->result.nodes[node].region;
    return region == REPLAY_NONE ? ROLE_NONE : graph->world->regions[region].role;
}

static void add_message(struct whatif *graph, const struct recorded_end *arrival,
                        const struct recorded_end *sent)
{
    struct graph_message message = {.send = call_of(graph, arrival->send),
                                    .receive = call_of(graph, arrival->receive),
                                    .arrival = call_of(graph, arrival->done),
                                    .sent = sent ? call_of(graph, sent->done) : WHATIF_NONE,
                                    .bytes = arrival->bytes,
                                    .is_buffered = arrival->is_buffered};
    if (message.send == WHATIF_NONE || message.receive == WHATIF_NONE ||
        message.arrival == WHATIF_NONE ||
        graph->calls[message.send].thread == graph->calls[message.receive].thread)
        return;
    message.is_probed = is_behind(graph, message.receive, message.arrival);
    message.always_waits = role_of(graph, message.send) == ROLE_SYNCHRONOUS_SEND;
    find_progress(graph, &message);
    graph->messages[graph->message_count++] = message;
}

/* Messages to oneself are no messages: they wait for nobody else. */
static bool add_messages(struct whatif *graph, struct whatif_recorder *recorder)
{
    graph->messages = calloc(recorder->arrivals_count + 1, sizeof *graph->messages);
    if (!graph->messages)
        return false;
    sort_ends(recorder->arrivals, recorder->arrivals_count);
    sort_ends(recorder->sends, recorder->sends_count);
    size_t at = 0;
    for (size_t i = 0; i < recorder->arrivals_count; i++) {
        const struct recorded_end *arrival = &recorder->arrivals[i];
        while (at < recorder->sends_count && compare_ends(&recorder->sends[at], arrival) < 0)
            at++;
        const bool is_same =
            at < recorder->sends_count && compare_ends(&recorder->sends[at], arrival) == 0;
        add_message(graph, arrival, is_same ? &recorder->sends[at++] : NULL);
    }
    return true;
}

/* Whether all that wait for others of the operation are left after those have come. */
static bool is_possible(const struct whatif *graph, const struct operation *operation)
{
    static const bool all_meet[TSPROF_OPERATIONS] = {
        [TSPROF_BARRIER] = true,   [TSPROF_N_TO_N] = true,         [TSPROF_INIT] = true,
        [TSPROF_FINALIZE] = true,  [TSPROF_WIN_CREATE] = true,     [TSPROF_WIN_FREE] = true,
        [TSPROF_WIN_FENCE] = true, [TSPROF_FILE_OPERATION] = true,
    };
    uint64_t last_ns = 0, first_ns = UINT64_MAX;
    for (uint32_t i = 0; i < operation->member_count; i++) {
        const struct member *member = &graph->members[operation->first_member + i];
        if (member->start == WHATIF_NONE || member->end == WHATIF_NONE)
            return false;
        if (graph->calls[member->start].enter_ns > last_ns)
            last_ns = graph->calls[member->start].enter_ns;
        if (graph->calls[member->end].leave_ns < first_ns)
            first_ns = graph->calls[member->end].leave_ns;
    }
    return !all_meet[operation->kind] || last_ns <= first_ns;
}

static bool add_operations(struct whatif *graph, struct whatif_recorder *recorder)
{
    graph->operations = recorder->operations;
    graph->operation_count = recorder->operations_count;
    recorder->operations = NULL;
    graph->members = calloc(recorder->members_count + 1, sizeof *graph->members);
    if (!graph->members)
        return false;
    graph->member_count = recorder->members_count;
    for (size_t i = 0; i < recorder->members_count; i++)
        graph->members[i] = (struct member){0, call_of(graph, recorder->members[i].start),
                                            call_of(graph, recorder->members[i].end)};
    for (size_t i = 0; i < graph->operation_count; i++) {
        struct operation *operation = &graph->operations[i];
        for (uint32_t j = 0; j < operation->member_count; j++)
            graph->members[operation->first_member + j].operation = (uint32_t)i;
        operation->is_followed = is_possible(graph, operation);
    }
    return true;
}

static bool add_links(struct whatif *graph, const struct whatif_recorder *recorder)
{
    graph->links = calloc(recorder->links_count + 1, sizeof *graph->links);
    if (!graph->links)
        return false;
    for (size_t i = 0; i < recorder->links_count; i++) {
        const struct recorded_moment from = recorder->links[i].from;
        const struct link link = {.from = call_at(graph, from),
                                  .to = call_of(graph, recorder->links[i].to)};
        if (link.from == WHATIF_NONE || link.to == WHATIF_NONE ||
            graph->calls[link.from].thread == graph->calls[link.to].thread)
            continue;
        struct link *added = &graph->links[graph->link_count++];
        *added = link;
        added->after_ns = from.ns - graph->calls[link.from].enter_ns;
    }
    return true;
}

/* Tells VISIT of each thing that a call has to do with. */
typedef void need_visitor(void *context, uint32_t call, enum need_kind kind, size_t number);
static void visit_needs(const struct whatif *graph, need_visitor *visit, void *context)
{
    for (size_t i = 0; i < graph->message_count; i++) {
        const struct graph_message *message = &graph->messages[i];
        visit(context, message->send, NEED_START, i);
        visit(context, message->arrival, NEED_ARRIVAL, i);
        if (message->sent != WHATIF_NONE)
            visit(context, message->sent, NEED_SENT, i);
    }
    for (size_t i = 0; i < graph->member_count; i++)
        if (graph->operations[graph->members[i].operation].is_followed)
            visit(context, graph->members[i].end, NEED_MEMBER, i);
    for (size_t i = 0; i < graph->link_count; i++)
        visit(context, graph->links[i].to, NEED_LINK, i);
}

static void count_need(void *context, uint32_t call, enum need_kind kind, size_t number)
{
    struct whatif *graph = context;
    (void)kind;
    (void)number;
    graph->calls[call + 1].first_need++;
    graph->need_count++;
}

/* While needs are put where they belong, first_need is where the next one belongs. */
static void put_need(void *context, uint32_t call, enum need_kind kind, size_t number)
{
    struct whatif *graph = context;
    graph->needs[graph->calls[call].first_need++] = (struct need){kind, (uint32_t)number};
}

static bool add_needs(struct whatif *graph)
{
    visit_needs(graph, count_need, graph);
    graph->needs = calloc(graph->need_count + 1, sizeof *graph->needs);
    graph->is_dropped = calloc(graph->need_count + 1, sizeof *graph->is_dropped);
    if (!graph->needs || !graph->is_dropped)
        return false;
    for (size_t i = 1; i <= graph->call_count; i++)
        graph->calls[i].first_need += graph->calls[i - 1].first_need;
    visit_needs(graph, put_need, graph);
    for (size_t i = graph->call_count; i > 0; i--)
        graph->calls[i].first_need = graph->calls[i - 1].first_need;
    graph->calls[0].first_need = 0;
    return true;
}

bool graph_resolve(struct whatif *graph, struct whatif_recorder *recorder)
{
    return add_messages(graph, recorder) && add_operations(graph, recorder) &&
           add_links(graph, recorder) && graph_find_relays(graph) && add_needs(graph);
}
