/* See operation_gates.h. */
#include "clocks/operation_gates.h"

#include "base/base.h"

#include <stdlib.h>

enum { BUCKETS = 4096 };

/* How many operations of a communicator a process has taken part in. */
struct sequence {
    uint32_t comm, process;
    uint32_t stretch; /* since it was stopped for so many times */
    uint64_t count;
};

/* An operation in which not all members have taken part yet. */
struct operation {
    uint32_t comm, stretch;
    uint64_t ordinal;
    enum trace_operation kind; /* TRACE_OTHER_OPERATION: nobody knows who waits for whom */
    uint32_t root;             /* a process */
    size_t missing;            /* members */
    struct gate *gate;
    struct gate **gates; /* of scans, by rank */
    struct operation *next;
};

/* One that was started and has not ended, or that had to ask for its number behind one. */
struct started {
    uint64_t request;
    bool is_certain, has_ended;
    struct trace_event event; /* that ended it */
};

struct started_list {
    struct started *list;
    size_t count, room;
};

struct operation_gates {
    const struct trace *trace;
    struct logical_clock *clock;
    struct sequence *sequences;
    size_t sequence_count, sequence_room;
    struct index index;
    struct operation *buckets[BUCKETS];
    struct started_list *started; /* by process */
    uint32_t *stretches;          /* by process */
    bool *is_complete;            /* by communicator: all members are known, and several */
};

static bool is_complete(const struct trace_comm *comm)
{
    for (size_t i = 0; i < comm->member_count; i++)
        if (comm->members[i] == TRACE_NONE)
            return false;
    return !comm->is_self && comm->other_count == 0 && comm->member_count > 1;
}

struct operation_gates *operation_gates_create(const struct trace *trace,
                                               struct logical_clock *clock)
{
    struct operation_gates *operations = allocate(1, sizeof *operations);
    *operations = (struct operation_gates){.trace = trace, .clock = clock};
    operations->started = allocate(trace->process_count + 1, sizeof *operations->started);
    operations->stretches = allocate(trace->process_count + 1, sizeof *operations->stretches);
    operations->is_complete = allocate(trace->comm_count + 1, sizeof(bool));
    for (size_t i = 0; i < trace->comm_count; i++)
        operations->is_complete[i] = is_complete(&trace->comms[i]);
    return operations;
}

static void free_operation(struct operation *operation)
{
    free(operation->gates);
    free(operation);
}

void operation_gates_free(struct operation_gates *operations)
{
    for (size_t i = 0; i < BUCKETS; i++)
        while (operations->buckets[i]) {
            struct operation *next = operations->buckets[i]->next;
            free_operation(operations->buckets[i]);
            operations->buckets[i] = next;
        }
    for (size_t i = 0; i < operations->trace->process_count; i++)
        free(operations->started[i].list);
    free(operations->started);
    free(operations->stretches);
    free(operations->is_complete);
    free(operations->sequences);
    index_free(&operations->index);
    free(operations);
}

struct sought {
    const struct operation_gates *operations;
    uint32_t comm, process;
};

static bool is_same(const void *context, uint32_t number)
{
    const struct sought *sought = context;
    const struct sequence *sequence = &sought->operations->sequences[number];
    return sequence->comm == sought->comm && sequence->process == sought->process;
}

static struct sequence *find_sequence(struct operation_gates *operations, uint32_t comm,
                                      uint32_t process)
{
    const struct sought sought = {operations, comm, process};
    const uint64_t hash = index_hash_number(INDEX_HASH, (uint64_t)comm << 32 | process);
    reserve_index(&operations->index, operations->sequence_count + 1);
    uint32_t *slot = index_slot(&operations->index, hash, is_same, &sought);
    if (*slot == 0) {
        operations->sequences =
            grow_list(operations->sequences, operations->sequence_count,
                      &operations->sequence_room, sizeof *operations->sequences);
        operations->sequences[operations->sequence_count++] =
            (struct sequence){.comm = comm, .process = process};
        *slot = (uint32_t)operations->sequence_count;
    }
    return &operations->sequences[*slot - 1];
}

/* Which operation of COMM this is for PROCESS, from 0 on. */
static uint64_t next_ordinal(struct operation_gates *operations, uint32_t comm,
                             uint32_t process)
{
    struct sequence *sequence = find_sequence(operations, comm, process);
    if (sequence->stretch != operations->stretches[process]) {
        sequence->stretch = operations->stretches[process];
        sequence->count = 0;
    }
    return sequence->count++;
}

static size_t rank_of(const struct trace_comm *comm, uint32_t process)
{
    size_t rank = 0;
    while (rank < comm->member_count && comm->members[rank] != process)
        rank++;
    return rank;
}

/* In scans a rank passes a gate of its own, which the one below it opens into. */
static void make_scan(struct operation_gates *operations, struct operation *operation,
                      size_t members)
{
    operation->gates = allocate(members, sizeof *operation->gates);
    for (size_t i = members; i-- > 0;) {
        operation->gates[i] = gate_create(operations->clock, i > 0 ? 2 : 1, 1, 0);
        if (i + 1 < members)
            gate_chain(operation->gates[i], operation->gates[i + 1]);
    }
}

static void make_gates(struct operation_gates *operations, struct operation *operation)
{
    const struct trace_comm *comm = &operations->trace->comms[operation->comm];
    const size_t members = comm->member_count;
    struct logical_clock *clock = operations->clock;
    if ((operation->kind == TRACE_ONE_TO_ALL || operation->kind == TRACE_ALL_TO_ONE) &&
        rank_of(comm, operation->root) == members)
        operation->kind = TRACE_OTHER_OPERATION;
    if (operation->kind == TRACE_BARRIER || operation->kind == TRACE_ALL_TO_ALL)
        operation->gate = gate_create(clock, members, members, 0);
    else if (operation->kind == TRACE_ONE_TO_ALL)
        operation->gate = gate_create(clock, 1, members - 1, 0);
    else if (operation->kind == TRACE_ALL_TO_ONE)
        operation->gate = gate_create(clock, members - 1, 1, 0);
    else if (operation->kind == TRACE_SCAN)
        make_scan(operations, operation, members);
}

static struct operation **bucket_of(struct operation_gates *operations, uint32_t comm,
                                    uint32_t stretch, uint64_t ordinal)
{
    uint64_t hash = index_hash_number(INDEX_HASH, (uint64_t)comm << 32 | stretch);
    hash = index_hash_number(hash, ordinal);
    return &operations->buckets[hash % BUCKETS];
}

/* The operation that EVENT ends for PROCESS. */
static struct operation **find_operation(struct operation_gates *operations,
                                         const struct trace_event *event, uint32_t process,
                                         bool is_certain)
{
    const uint64_t ordinal = next_ordinal(operations, event->comm, process);
    const uint32_t stretch = operations->stretches[process];
    struct operation **bucket = bucket_of(operations, event->comm, stretch, ordinal);
    struct operation **at = bucket;
    while (*at && ((*at)->comm != event->comm || (*at)->stretch != stretch ||
                   (*at)->ordinal != ordinal))
        at = &(*at)->next;
    if (*at)
        return at;
    struct operation *operation = allocate(1, sizeof *operation);
    *operation =
        (struct operation){.comm = event->comm,
                           .stretch = stretch,
                           .ordinal = ordinal,
                           .kind = is_certain ? event->operation : TRACE_OTHER_OPERATION,
                           .root = event->root,
                           .missing = operations->trace->comms[event->comm].member_count,
                           .next = *bucket};
    make_gates(operations, operation);
    *bucket = operation;
    return bucket;
}

/* What PROCESS passes in OPERATION, as a source and itself; NULL: nothing. */
static void gates_of(const struct operation_gates *operations,
                     const struct operation *operation, uint32_t process, struct gate **source,
                     struct gate **through)
{
    const bool is_root = process == operation->root;
    struct gate *gate = operation->gate;
    if (operation->gates) {
        const struct trace_comm *comm = &operations->trace->comms[operation->comm];
        const size_t rank = rank_of(comm, process);
        gate = rank < comm->member_count ? operation->gates[rank] : NULL;
    }
    *source = operation->kind == TRACE_ONE_TO_ALL && !is_root  ? NULL
              : operation->kind == TRACE_ALL_TO_ONE && is_root ? NULL
                                                               : gate;
    *through = operation->kind == TRACE_ONE_TO_ALL && is_root    ? NULL
               : operation->kind == TRACE_ALL_TO_ONE && !is_root ? NULL
                                                                 : gate;
}

/* The process takes part in what EVENT ends.  TO is NULL if its place in time is not certain.
 */
static void take_part(struct operation_gates *operations, const struct trace_event *event,
                      bool is_certain, struct clock_event *to)
{
    const uint32_t process = operations->trace->threads[event->thread].process;
    struct operation **at = find_operation(operations, event, process, is_certain);
    struct operation *operation = *at;
    const bool is_barrier = operation->kind == TRACE_BARRIER;
    struct gate *source, *through;
    gates_of(operations, operation, process, &source, &through);
    if (through && (!to || (!is_barrier && event->bytes_received == 0))) {
        gate_no_use(operations->clock, through);
        through = NULL;
    }
    if (source && (!to || (!is_barrier && event->bytes == 0))) {
        gate_no_source(operations->clock, source);
        source = NULL;
    }
    if (to) {
        to->source = source;
        to->through = through;
    }
    if (--operation->missing == 0) {
        *at = operation->next;
        free_operation(operation);
    }
}

static struct started *add_started(struct started_list *list, uint64_t request, bool is_certain)
{
    list->list = grow_list(list->list, list->count, &list->room, sizeof *list->list);
    struct started *started = &list->list[list->count++];
    *started = (struct started){.request = request, .is_certain = is_certain};
    return started;
}

/* So many operations of a process that have not ended are remembered: others that began later
 * wait for them, and one whose request was freed never ends. */
enum { STARTED_MOST = 1024 };

static void remove_at(struct started_list *list, size_t at)
{
    list->count--;
    for (size_t i = at; i < list->count; i++)
        list->list[i] = list->list[i + 1];
}

static struct started *find_started(struct started_list *list, uint64_t request)
{
    for (size_t i = 0; i < list->count && request != TRACE_NO_REQUEST; i++)
        if (!list->list[i].has_ended && list->list[i].request == request)
            return &list->list[i];
    return NULL;
}

/* Those that have ended behind one that has ended now get their numbers. */
static void drain(struct operation_gates *operations, struct started_list *list)
{
    while (list->count > 0 && list->list[0].has_ended) {
        const struct started started = list->list[0];
        remove_at(list, 0);
        take_part(operations, &started.event, started.is_certain, NULL);
    }
}

/* The oldest operation is taken for one that never ends. */
static void forget_oldest(struct operation_gates *operations, struct started_list *list)
{
    remove_at(list, 0);
    drain(operations, list);
}

void operation_gates_start(struct operation_gates *operations, const struct trace_event *event,
                           bool is_certain)
{
    const uint32_t process = operations->trace->threads[event->thread].process;
    struct started_list *list = &operations->started[process];
    if (list->count == STARTED_MOST)
        forget_oldest(operations, list);
    add_started(list, event->request, is_certain);
}

void operation_gates_end(struct operation_gates *operations, const struct trace_event *event,
                         bool is_certain, struct clock_event *to)
{
    const uint32_t process = operations->trace->threads[event->thread].process;
    struct started_list *list = &operations->started[process];
    struct started *started = find_started(list, event->request);
    if (event->comm >= operations->trace->comm_count || !operations->is_complete[event->comm]) {
        if (started)
            remove_at(list, (size_t)(started - list->list));
        drain(operations, list);
        return;
    }
    if (!started && list->count >= STARTED_MOST)
        forget_oldest(operations, list);
    if (!started && list->count > 0)
        started = add_started(list, TRACE_NO_REQUEST, is_certain);
    if (started && started != list->list) {
        started->has_ended = true;
        started->event = *event;
        return;
    }
    if (started) {
        is_certain = started->is_certain;
        remove_at(list, 0);
    }
    take_part(operations, event, is_certain, to);
    drain(operations, list);
}

void operation_gates_stopped(struct operation_gates *operations, uint32_t process)
{
    operations->stretches[process]++;
    operations->started[process].count = 0;
}
