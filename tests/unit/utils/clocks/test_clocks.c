/* Clocks that are shifted and drift: afterwards every event is in a possible order, and where
 * the order was possible nothing has changed. */
#include "archive/held.h"
#include "base/base.h"
#include "clocks/dependencies.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS = 5, EVENTS_MOST = 1 << 15, NEEDS_MOST = 1 << 17, REGION = 0, LATENCY_NS = 300 };

/* An event of a series, with the time at which it really was. */
struct event {
    struct trace_event event;
    uint64_t true_ns, clock_ns, moved_ns;
};

/* That event `later` is not before event `earlier` and the latency. */
struct need {
    size_t earlier, later;
    uint64_t latency_ns;
};

/* What RANKS processes of a thread each have done. */
struct series {
    struct trace trace;
    struct trace_thread threads[RANKS];
    struct trace_process processes[RANKS];
    struct trace_region region;
    struct trace_comm comm;
    uint32_t members[RANKS];
    struct event *events;
    size_t count;
    struct need *needs;
    size_t need_count;
    uint64_t now[RANKS], orders[RANKS], random;
    struct clock_findings found[3];
    struct corrections *corrections;
    uint64_t last_ns; /* of those that were visited */
    bool is_in_order;
    size_t visited;
};

static uint64_t draw(struct series *series, uint64_t most)
{
    series->random ^= series->random << 13;
    series->random ^= series->random >> 7;
    series->random ^= series->random << 17;
    return series->random % (most + 1);
}

static void begin(struct series *series, uint64_t seed)
{
    memset(series, 0, sizeof *series);
    series->events = allocate(EVENTS_MOST, sizeof *series->events);
    series->needs = allocate(NEEDS_MOST, sizeof *series->needs);
    series->random = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    series->region = (struct trace_region){.name = "MPI_Something", .is_mpi = true};
    for (uint32_t i = 0; i < RANKS; i++) {
        series->threads[i].process = series->members[i] = i;
        series->processes[i].host = i == 0 ? "zero" : i == 1 ? "one" : "many";
        series->processes[i].rank = i;
        series->now[i] = 50000000;
    }
    series->comm = (struct trace_comm){.members = series->members, .member_count = RANKS};
    series->trace = (struct trace){.threads = series->threads,
                                   .processes = series->processes,
                                   .thread_count = RANKS,
                                   .process_count = RANKS,
                                   .regions = &series->region,
                                   .region_count = 1,
                                   .comms = &series->comm,
                                   .comm_count = 1};
}

static void end(struct series *series)
{
    corrections_free(series->corrections);
    free(series->events);
    free(series->needs);
}

/* Adds EVENT of RANK, not before LEAST_NS; where it is. */
static size_t add(struct series *series, uint32_t rank, uint64_t least_ns,
                  struct trace_event event)
{
    uint64_t *now = &series->now[rank];
    *now += 20 + draw(series, 200);
    *now = *now > least_ns ? *now : least_ns;
    event.thread = rank;
    event.order = series->orders[rank]++;
    series->events[series->count] = (struct event){.event = event, .true_ns = *now};
    return series->count++;
}

static size_t enter(struct series *series, uint32_t rank)
{
    return add(series, rank, 0,
               (struct trace_event){.kind = TRACE_ENTER, .request = TRACE_NO_REQUEST});
}

static void leave(struct series *series, uint32_t rank)
{
    add(series, rank, 0,
        (struct trace_event){.kind = TRACE_LEAVE, .request = TRACE_NO_REQUEST});
}

static void need(struct series *series, size_t earlier, size_t later, uint64_t latency_ns)
{
    series->needs[series->need_count++] = (struct need){earlier, later, latency_ns};
}

static uint64_t latency_of(const struct series *series, uint32_t from, uint32_t to)
{
    return strcmp(series->processes[from].host, series->processes[to].host) ? LATENCY_NS : 0;
}

static size_t send_one(struct series *series, uint32_t from, uint32_t to, uint32_t tag)
{
    enter(series, from);
    const size_t sent =
        add(series, from, 0,
            (struct trace_event){
                .kind = TRACE_SEND, .peer = to, .tag = tag, .request = TRACE_NO_REQUEST});
    leave(series, from);
    return sent;
}

static size_t receive_one(struct series *series, uint32_t from, uint32_t to, uint32_t tag,
                          size_t sent)
{
    enter(series, to);
    const size_t received =
        add(series, to, series->events[sent].true_ns + 400,
            (struct trace_event){
                .kind = TRACE_RECV, .peer = from, .tag = tag, .request = TRACE_NO_REQUEST});
    leave(series, to);
    need(series, sent, received, latency_of(series, from, to));
    return received;
}

/* Whether WHO waits in KIND for WHOM to enter. */
static bool waits(enum trace_operation kind, uint32_t root, uint32_t who, uint32_t whom)
{
    return kind == TRACE_ONE_TO_ALL   ? whom == root
           : kind == TRACE_ALL_TO_ONE ? who == root
           : kind == TRACE_SCAN       ? whom <= who
                                      : true;
}

static void collective(struct series *series, enum trace_operation kind, uint32_t root)
{
    size_t entered[RANKS];
    for (uint32_t i = 0; i < RANKS; i++)
        entered[i] = enter(series, i);
    for (uint32_t i = 0; i < RANKS; i++) {
        uint64_t least_ns = 0;
        for (uint32_t j = 0; j < RANKS; j++)
            if (waits(kind, root, i, j) && series->events[entered[j]].true_ns > least_ns)
                least_ns = series->events[entered[j]].true_ns;
        const size_t left = add(series, i, least_ns,
                                (struct trace_event){.kind = TRACE_COLLECT,
                                                     .operation = kind,
                                                     .root = root,
                                                     .bytes = 8,
                                                     .bytes_received = 8,
                                                     .request = TRACE_NO_REQUEST});
        leave(series, i);
        for (uint32_t j = 0; j < RANKS; j++)
            if (i != j && waits(kind, root, i, j))
                need(series, entered[j], left, 0);
    }
}

static void random_steps(struct series *series, int steps)
{
    size_t sent[RANKS][RANKS];
    bool is_sent[RANKS][RANKS] = {{false}};
    for (int step = 0; step < steps; step++) {
        const uint32_t from = (uint32_t)draw(series, RANKS - 1);
        const uint32_t to = (from + 1 + (uint32_t)draw(series, RANKS - 2)) % RANKS;
        series->now[from] += draw(series, 20000);
        if (draw(series, 15) == 0)
            collective(series, TRACE_BARRIER + draw(series, TRACE_SCAN - TRACE_BARRIER), from);
        else if ((is_sent[from][to] = !is_sent[from][to]))
            sent[from][to] = send_one(series, from, to, 3);
        else
            receive_one(series, from, to, 3, sent[from][to]);
    }
}

/* Reads the true times off clocks that are SHIFTS_NS late and lose DRIFTS parts in a million.
 */
static void set_clocks(struct series *series, const int64_t *shifts_ns, const int64_t *drifts)
{
    for (size_t i = 0; i < series->count; i++) {
        struct event *event = &series->events[i];
        const uint32_t rank = event->event.thread;
        event->clock_ns = (uint64_t)((int64_t)event->true_ns + shifts_ns[rank] +
                                     (int64_t)event->true_ns * drifts[rank] / 1000000);
        event->event.time_ns = event->moved_ns = event->clock_ns;
    }
}

static const struct series *sorted;

static int by_clock(const void *a, const void *b)
{
    const struct event *one = &sorted->events[*(const size_t *)a];
    const struct event *other = &sorted->events[*(const size_t *)b];
    if (one->clock_ns != other->clock_ns)
        return one->clock_ns < other->clock_ns ? -1 : 1;
    if (one->event.thread != other->event.thread)
        return one->event.thread < other->event.thread ? -1 : 1;
    return one->event.order < other->event.order ? -1 : 1;
}

/* The numbers of events in the order of the archive; for free(). */
static size_t *archive_order(const struct series *series)
{
    size_t *order = allocate(series->count, sizeof *order);
    for (size_t i = 0; i < series->count; i++)
        order[i] = i;
    sorted = series;
    qsort(order, series->count, sizeof *order, by_clock);
    return order;
}

static void note(void *context, const struct trace_event *event)
{
    struct series *series = context;
    series->is_in_order &= event->time_ns >= series->last_ns;
    series->last_ns = event->time_ns;
    series->visited++;
    for (size_t i = 0; i < series->count; i++)
        if (series->events[i].event.thread == event->thread &&
            series->events[i].event.order == event->order) {
            series->events[i].moved_ns = event->time_ns;
            return;
        }
}

/* Corrects the series. */
static void correct(struct series *series)
{
    size_t *order = archive_order(series);
    series->corrections = corrections_create(RANKS);
    for (enum clock_run run = CLOCK_JUMPS; run <= CLOCK_CHECK; run++) {
        struct logical_clock *clock = logical_clock_create(RANKS, run, series->corrections);
        struct dependencies *dependencies = dependencies_create(&series->trace, clock);
        for (size_t i = 0; i < series->count; i++)
            dependencies_take(dependencies, &series->events[order[i]].event);
        logical_clock_end(clock, &series->found[run]);
        dependencies_free(dependencies);
        logical_clock_free(clock);
    }
    corrections_rewind(series->corrections);
    struct held *held = held_create(series->corrections, note, series);
    series->is_in_order = true;
    for (size_t i = 0; i < series->count; i++)
        held_take(held, &series->events[order[i]].event);
    held_end(held);
    held_free(held);
    free(order);
}

/* How many needs are not met by the clocks, or as events were moved. */
static size_t unmet(const struct series *series, bool moved)
{
    size_t count = 0;
    for (size_t i = 0; i < series->need_count; i++) {
        const struct need *need = &series->needs[i];
        const struct event *one = &series->events[need->earlier];
        const struct event *other = &series->events[need->later];
        count += moved ? other->moved_ns < one->moved_ns + need->latency_ns
                       : other->clock_ns < one->clock_ns + need->latency_ns;
    }
    return count;
}

static size_t moved(const struct series *series)
{
    size_t count = 0;
    for (size_t i = 0; i < series->count; i++)
        count += series->events[i].moved_ns != series->events[i].clock_ns;
    return count;
}

/* Whether no event of a thread is before the one before it, and none is earlier than it was. */
static bool is_monotonic(const struct series *series)
{
    uint64_t last_ns[RANKS] = {0};
    for (size_t i = 0; i < series->count; i++) {
        const struct event *event = &series->events[i];
        if (event->moved_ns < last_ns[event->event.thread] || event->moved_ns < event->clock_ns)
            return false;
        last_ns[event->event.thread] = event->moved_ns;
    }
    return true;
}

static void test_random(void)
{
    size_t worst = 0, left = 0, wrong = 0, disorder = 0, found = 0, before = 0, lost = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct series series;
        int64_t shifts[RANKS], drifts[RANKS];
        begin(&series, seed);
        random_steps(&series, 150);
        for (int i = 0; i < RANKS; i++) {
            shifts[i] = (int64_t)draw(&series, 2 * 1000 * seed) - 1000 * (int64_t)seed;
            drifts[i] = (int64_t)draw(&series, 200) - 100;
        }
        set_clocks(&series, shifts, drifts);
        const size_t violated = unmet(&series, false);
        correct(&series);
        left += unmet(&series, true);
        worst = violated > worst ? violated : worst;
        wrong += !is_monotonic(&series);
        disorder += !series.is_in_order;
        lost += series.visited != series.count;
        found += series.found[CLOCK_JUMPS].before > 0;
        before += violated > 0;
        left += series.found[CLOCK_CHECK].after;
        end(&series);
    }
    OK(worst > 10, "clocks are wrong enough to break some dependencies: %zu", worst);
    EQ_INT(found, before, "the broken ones are seen");
    EQ_INT(left, 0, "none is broken afterwards");
    EQ_INT(wrong, 0, "every thread's events keep their order, and none is earlier");
    EQ_INT(disorder, 0, "events are passed on in the order of the corrected time");
    EQ_INT(lost, 0, "all of them");
}

static void test_identity(void)
{
    size_t changed = 0, jumps = 0, given_up = 0;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        static const int64_t none[RANKS];
        struct series series;
        begin(&series, seed);
        random_steps(&series, 200);
        set_clocks(&series, none, none);
        correct(&series);
        changed += moved(&series);
        jumps += corrections_count(series.corrections);
        given_up += series.found[CLOCK_CHECK].moved_ns;
        end(&series);
    }
    EQ_INT(changed, 0, "where the order is possible no event is moved");
    EQ_INT(jumps, 0, "and there is nothing to correct");
    EQ_INT(given_up, 0, "nor does the check find any move");
}

/* One message from a clock that is a millisecond ahead: as little as needed, and in a ramp. */
static void test_one_message(void)
{
    static const int64_t shifts[RANKS] = {1000000}, none[RANKS];
    struct series series;
    begin(&series, 1);
    const size_t sent = send_one(&series, 0, 1, 0);
    series.now[1] = series.now[0] - 10000;
    const size_t received = receive_one(&series, 0, 1, 0, sent);
    series.now[1] += 1000000000;
    const size_t later = enter(&series, 1);
    set_clocks(&series, shifts, none);
    correct(&series);
    const struct event *list = series.events;
    EQ_INT(list[received].moved_ns, list[sent].moved_ns + LATENCY_NS,
           "the receive is moved to the first moment that is possible");
    EQ_INT(list[sent].moved_ns, list[sent].clock_ns, "the send stays");
    const uint64_t jump = list[received].moved_ns - list[received].clock_ns;
    const uint64_t before = list[received - 1].moved_ns - list[received - 1].clock_ns;
    OK(before > jump - jump / 16 && before <= jump,
       "its call is moved by nearly as much: %d of %d ns", (int)before, (int)jump);
    EQ_INT(list[later].moved_ns, list[later].clock_ns, "a second later all is as it was");
    EQ_INT(series.found[CLOCK_CHECK].largest_ns, jump, "the largest move is known");
    end(&series);
}

/* Before the jump the process has sent what another one received at once. */
static void test_limit(void)
{
    static const int64_t shifts[RANKS] = {1000000}, none[RANKS];
    struct series series;
    begin(&series, 1);
    const size_t early = send_one(&series, 1, 2, 0);
    const size_t taken = receive_one(&series, 1, 2, 0, early);
    series.now[0] = series.now[1];
    const size_t sent = send_one(&series, 0, 1, 0);
    const size_t received = receive_one(&series, 0, 1, 0, sent);
    set_clocks(&series, shifts, none);
    correct(&series);
    const struct event *list = series.events;
    OK(list[received].moved_ns > list[received].clock_ns, "the receive is moved");
    EQ_INT(list[taken].moved_ns, list[taken].clock_ns, "who had received before is not");
    OK(list[early].moved_ns + LATENCY_NS <= list[taken].moved_ns,
       "what was sent before is moved up to where it was received");
    EQ_INT(unmet(&series, true), 0, "nothing is broken");
    end(&series);
}

/* Messages that were sent or received while recording paused have one end. */
static void test_pauses(void)
{
    static const int64_t none[RANKS];
    struct series series;
    begin(&series, 1);
    send_one(&series, 0, 1, 0); /* received in the pause */
    enter(&series, 2);
    add(&series, 2, 0, /* sent before the recording */
        (struct trace_event){
            .kind = TRACE_RECV, .peer = 0, .tag = 5, .request = TRACE_NO_REQUEST});
    for (uint32_t i = 0; i < RANKS; i++)
        add(&series, i, 0,
            (struct trace_event){.kind = TRACE_OFF, .request = TRACE_NO_REQUEST});
    series.now[0] += 1000000000;
    const size_t sent = send_one(&series, 0, 2, 5);
    receive_one(&series, 0, 2, 5, sent);
    const size_t again = send_one(&series, 0, 1, 0);
    receive_one(&series, 0, 1, 0, again);
    set_clocks(&series, none, none);
    correct(&series);
    EQ_INT(moved(&series), 0, "what has one end moves nothing");
    EQ_INT(series.found[CLOCK_JUMPS].dependencies, 2, "and is no message");
    end(&series);
}

/* A message to oneself that never was sent, while others wait for each other: what one event
 * opens may be what its own thread waits for. */
static void test_own_message(void)
{
    static const int64_t none[RANKS];
    struct series series;
    begin(&series, 1);
    const struct {
        uint32_t process, peer;
        enum trace_kind kind;
    } rows[] = {{1, 0, TRACE_RECV},
                {0, 0, TRACE_RECV},
                {0, 1, TRACE_RECV},
                {1, 0, TRACE_SEND},
                {0, 0, TRACE_OFF}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        series.now[rows[i].process] = 60000000 + 1000000 * i;
        add(&series, rows[i].process, 0,
            (struct trace_event){
                .kind = rows[i].kind, .peer = rows[i].peer, .request = TRACE_NO_REQUEST});
    }
    set_clocks(&series, none, none);
    correct(&series);
    EQ_INT(series.found[CLOCK_CHECK].after, 0, "threads that wait for each other go on");
    end(&series);
}

/* RANK starts an operation that does not block, in a call of its own. */
static void start(struct series *series, uint32_t rank)
{
    enter(series, rank);
    add(series, rank, 0, (struct trace_event){.kind = TRACE_COLLECT_POST, .request = 7});
    leave(series, rank);
}

/* It is complete. */
static void complete(struct series *series, uint32_t rank)
{
    enter(series, rank);
    add(series, rank, 0,
        (struct trace_event){.kind = TRACE_COLLECT,
                             .operation = TRACE_ALL_TO_ALL,
                             .bytes = 8,
                             .bytes_received = 8,
                             .request = 7});
    leave(series, rank);
}

/* An operation that never ends does not keep others from being compared. */
static void test_never_ended(void)
{
    static const int64_t none[RANKS];
    struct series series;
    begin(&series, 1);
    start(&series, 0);
    for (uint64_t n = 0; n < 1100; n++)
        collective(&series, TRACE_BARRIER, 0);
    set_clocks(&series, none, none);
    correct(&series);
    EQ_INT(series.found[CLOCK_JUMPS].given_up, 0, "nobody waits for it until the trace ends");
    end(&series);
}

/* An operation that ends behind one that was started earlier has its number behind it. */
static void test_started(void)
{
    static const int64_t none[RANKS];
    struct series series;
    begin(&series, 1);
    for (uint32_t i = 0; i < RANKS; i++)
        start(&series, i);
    for (uint32_t i = 0; i < RANKS; i++)
        series.now[i] = 60000000 + i * 1000000;
    collective(&series, TRACE_ONE_TO_ALL, 0);
    for (uint32_t i = 0; i < RANKS; i++)
        complete(&series, i);
    for (uint32_t i = 0; i < RANKS; i++)
        series.now[i] = 90000000 + i * 1000000;
    collective(&series, TRACE_BARRIER, 0);
    set_clocks(&series, none, none);
    correct(&series);
    EQ_INT(moved(&series), 0, "operations that overlap are not taken for each other");
    EQ_INT(series.found[CLOCK_JUMPS].dependencies, 2 * RANKS,
           "those that do not depend on what is certain");
    end(&series);
}

/* What MPI_Start starts may be an operation among neighbours, which some leave before others
 * come. */
static void test_started_again(void)
{
    static const int64_t none[RANKS];
    struct series series;
    begin(&series, 1);
    series.region.name = "MPI_Start";
    for (uint32_t i = 0; i < RANKS; i++) {
        series.now[i] = 60000000 + i * 1000000;
        start(&series, i);
        complete(&series, i);
    }
    set_clocks(&series, none, none);
    correct(&series);
    EQ_INT(moved(&series), 0, "nobody is taken to have waited for all in it");
    end(&series);
}

int main(void)
{
    test_random();
    test_identity();
    test_one_message();
    test_limit();
    test_pauses();
    test_own_message();
    test_never_ended();
    test_started();
    test_started_again();
    return tap_done();
}
