/* See feed.h. */
#include "waits/feed.h"

#include "include/tsprof_pattern.h"
#include "waits/mpi_roles.h"

#include <stdlib.h>
#include <string.h>

/* What a thread does, as far as its events do not say. */
struct feed_thread {
    uint32_t region; /* of MPI, the last that was entered */
    /* Operations among neighbours that have not ended. */
    uint64_t *requests;
    size_t request_count, request_room;
    /* The one that ends next, which a persistent operation does not tell before. */
    uint64_t next_neighborhood;
};

static struct replay_region region_of(const struct trace_region *region)
{
    return (struct replay_region){.metric = metric_by_name(region->metric),
                                  .is_mpi = region->is_mpi,
                                  .may_wait = mpi_may_wait(region->name),
                                  .role = mpi_role(region->name),
                                  .is_init = strcmp(region->name, "MPI_Init") == 0 ||
                                             strcmp(region->name, "MPI_Init_thread") == 0,
                                  .is_finalize = strcmp(region->name, "MPI_Finalize") == 0,
                                  .name = region->name};
}

static void make_world(struct feed *feed)
{
    const struct trace *trace = feed->trace;
    for (size_t i = 0; i < trace->region_count; i++) {
        feed->regions[i] = region_of(&trace->regions[i]);
        feed->is_neighborhood[i] = strstr(trace->regions[i].name, "eighbor") != NULL;
    }
    for (size_t i = 0; i < trace->thread_count; i++)
        feed->processes[i] = trace->threads[i].process;
    for (size_t i = 0; i < trace->comm_count; i++)
        feed->comms[i] =
            (struct replay_comm){trace->comms[i].members, trace->comms[i].others,
                                 trace->comms[i].member_count, trace->comms[i].other_count};
    for (size_t i = 0; i < trace->grid_count; i++)
        feed->grids[i] = (struct replay_grid){trace->grids[i].sizes, trace->grids[i].dimensions,
                                              trace->grids[i].places};
    feed->world = (struct replay_world){.regions = feed->regions,
                                        .region_count = trace->region_count,
                                        .processes = feed->processes,
                                        .thread_count = trace->thread_count,
                                        .process_count = trace->process_count,
                                        .ranks = feed->ranks,
                                        .comms = feed->comms,
                                        .comm_count = trace->comm_count,
                                        .grids = feed->grids,
                                        .grid_count = trace->grid_count};
    for (size_t i = 0; i < trace->process_count; i++) {
        feed->ranks[i] = trace->processes[i].rank;
        feed->world.rank_count += trace->processes[i].rank != TRACE_NONE;
    }
}

/* All but those who take in the events. */
static void open_feed(struct feed *feed, const struct trace *trace, uint32_t master)
{
    *feed = (struct feed){.trace = trace};
    feed->regions = allocate(trace->region_count + 1, sizeof *feed->regions);
    feed->is_neighborhood = allocate(trace->region_count + 1, sizeof *feed->is_neighborhood);
    feed->processes = allocate(trace->thread_count + 1, sizeof *feed->processes);
    feed->ranks = allocate(trace->process_count + 1, sizeof *feed->ranks);
    feed->comms = allocate(trace->comm_count + 1, sizeof *feed->comms);
    feed->grids = allocate(trace->grid_count + 1, sizeof *feed->grids);
    feed->threads = allocate(trace->thread_count + 1, sizeof *feed->threads);
    for (size_t i = 0; i < trace->thread_count; i++)
        feed->threads[i].next_neighborhood = TRACE_NO_REQUEST;
    make_world(feed);
    feed->world.master = master;
    feed->world.has_master = master != TRACE_NONE;
    feed->world.has_windows = trace->has_windows;
}

void feed_end_team(const struct team *team)
{
    if (team && team->has_failed && team->first_failed != team->self)
        exit(EXIT_DATA);
    out_of_memory();
}

void feed_open(struct feed *feed, const struct trace *trace, uint32_t master)
{
    open_feed(feed, trace, master);
    feed->replay = replay_create(&feed->world);
    if (!feed->replay)
        out_of_memory();
}

void feed_open_shared(struct feed *feed, const struct trace *trace, uint32_t master,
                      const uint32_t *owners, struct team *team)
{
    open_feed(feed, trace, master);
    feed->team = team;
    feed->crew = crew_create(&feed->world, owners, team, CREW_AHEAD);
    if (!feed->crew)
        feed_end_team(feed->team);
}

void feed_free(struct feed *feed)
{
    replay_free(feed->replay);
    crew_free(feed->crew);
    free(feed->births);
    gaps_free(feed->gaps);
    for (size_t i = 0; i < feed->trace->thread_count; i++)
        free(feed->threads[i].requests);
    free(feed->threads);
    free(feed->regions);
    free(feed->is_neighborhood);
    free(feed->processes);
    free(feed->ranks);
    free(feed->comms);
    free(feed->grids);
    instances_free(&feed->instances);
}

/* Of operations among neighbours that have begun. */
static void note_request(struct feed_thread *thread, uint64_t request)
{
    if (thread->request_count == thread->request_room) {
        thread->request_room = thread->request_room ? 2 * thread->request_room : 16;
        thread->requests =
            reallocate(thread->requests, thread->request_room, sizeof *thread->requests);
    }
    thread->requests[thread->request_count++] = request;
}

/* Whether REQUEST was noted; it is no more. */
static bool take_request(struct feed_thread *thread, uint64_t request)
{
    for (size_t i = 0; i < thread->request_count; i++)
        if (thread->requests[i] == request) {
            thread->requests[i] = thread->requests[--thread->request_count];
            return true;
        }
    return false;
}

/* Who waits for whom. */
static uint32_t operation_of(struct feed *feed, const struct trace_event *event)
{
    static const enum tsprof_operation operations[] = {
        [TRACE_OTHER_OPERATION] = TSPROF_OPERATIONS,
        [TRACE_BARRIER] = TSPROF_BARRIER,
        [TRACE_ALL_TO_ALL] = TSPROF_N_TO_N,
        [TRACE_ONE_TO_ALL] = TSPROF_ONE_TO_N,
        [TRACE_ALL_TO_ONE] = TSPROF_N_TO_ONE,
        [TRACE_SCAN] = TSPROF_SCAN,
        [TRACE_FILE_OPERATION] = TSPROF_FILE_OPERATION};
    struct feed_thread *thread = &feed->threads[event->thread];
    const bool was_told = thread->next_neighborhood == event->request;
    const bool is_neighborhood =
        event->request != TRACE_NO_REQUEST
            ? take_request(thread, event->request) || was_told
            : thread->region != TRACE_NONE && feed->is_neighborhood[thread->region];
    thread->next_neighborhood = TRACE_NO_REQUEST;
    return is_neighborhood ? TSPROF_NEIGHBORS : operations[event->operation];
}

static uint32_t operation_of_window(enum trace_operation operation)
{
    return operation == TRACE_WINDOW_CREATE ? TSPROF_WIN_CREATE
           : operation == TRACE_WINDOW_FREE ? TSPROF_WIN_FREE
           : operation == TRACE_FENCE       ? TSPROF_WIN_FENCE
                                            : TSPROF_OPERATIONS;
}

/* The kind of an event of a window; REPLAY_OFF: none that matters here. */
static enum replay_kind kind_of_window(enum trace_operation operation)
{
    switch (operation) {
    case TRACE_PUT:
        return REPLAY_PUT;
    case TRACE_GET:
        return REPLAY_GET;
    case TRACE_ATOMIC:
        return REPLAY_ATOMIC;
    case TRACE_WINDOW_CREATE:
        return REPLAY_WINDOW_CREATE;
    case TRACE_WINDOW_FREE:
        return REPLAY_WINDOW_FREE;
    case TRACE_FENCE:
        return REPLAY_WINDOW_FENCE;
    case TRACE_NOTIFY_OUT:
        return REPLAY_NOTIFY_OUT;
    case TRACE_NOTIFY_IN:
        return REPLAY_NOTIFY_IN;
    case TRACE_LOCK_REQUEST:
        return REPLAY_LOCK;
    case TRACE_LOCK_RELEASE:
        return REPLAY_UNLOCK;
    case TRACE_FLUSH:
        return REPLAY_FLUSH;
    default:
        return REPLAY_OFF;
    }
}

/* PROCESS receives from SOURCE in operations among neighbours, as is known from the beginning;
 * TRACE_NONE: it receives from those that follow. */
static void add_source(struct feed *feed, uint32_t comm, uint32_t process, uint32_t source)
{
    if (feed->crew ? !crew_known_source(feed->crew, comm, process, source)
                   : !replay_source(feed->replay, comm, process, source))
        feed_end_team(feed->team);
}

/* With itself alone a process waits for nobody. */
static uint32_t comm_of(const struct feed *feed, const struct trace_event *event)
{
    return event->comm != TRACE_NONE && feed->trace->comms[event->comm].is_self ? REPLAY_NONE
                                                                                : event->comm;
}

/* When EVENT is visited; what gaps tell at the end comes after all. */
static struct replay_moment moment_of(const struct feed *feed, const struct trace_event *event)
{
    if (feed->is_over)
        return (struct replay_moment){MOMENT_END, 1, event->thread};
    return (struct replay_moment){event->at.ns, event->at.ticks, event->at.place};
}

/* The same as an event says. */
static void learn_source(struct feed *feed, const struct trace_event *event)
{
    const uint32_t process = feed->processes[event->thread];
    if (feed->crew ? !crew_source(feed->crew, event->comm, process, event->peer,
                                  moment_of(feed, event))
                   : !replay_source(feed->replay, event->comm, process, event->peer))
        feed_end_team(feed->team);
}

/* The iteration that EVENT is in; where it is a new one, a crew remembers where that was. */
static uint32_t instance_of(struct feed *feed, const struct trace_event *event)
{
    const uint32_t instance = instances_of(&feed->instances, event);
    while (feed->crew && feed->birth_count < feed->instances.count) {
        feed->births =
            grow_list(feed->births, feed->birth_count, &feed->birth_room, sizeof *feed->births);
        feed->births[feed->birth_count++] = moment_of(feed, event);
    }
    return instance;
}

/* Puts the kind of EVENT into TO; false if the engine has no use for it. */
static bool translate(struct feed *feed, const struct trace_event *event,
                      struct replay_event *to)
{
    static const enum replay_kind kinds[] = {
        [TRACE_SEND] = REPLAY_SEND,     [TRACE_SENT] = REPLAY_SENT,
        [TRACE_POST] = REPLAY_POST,     [TRACE_RECV] = REPLAY_RECEIVE,
        [TRACE_CANCEL] = REPLAY_CANCEL, [TRACE_COLLECT] = REPLAY_COLLECT,
        [TRACE_OFF] = REPLAY_OFF,       [TRACE_COLLECT_POST] = REPLAY_POST_COLLECT,
        [TRACE_FILE] = REPLAY_FILE};
    struct feed_thread *thread = &feed->threads[event->thread];
    switch (event->kind) {
    case TRACE_SAMPLE:
    case TRACE_COUNTER:
        return false;
    case TRACE_NEIGHBORHOOD:
        thread->next_neighborhood = event->request;
        return false;
    case TRACE_SOURCES:
        learn_source(feed, event);
        return false;
    case TRACE_COLLECT:
        to->operation = operation_of(feed, event);
        to->comm = comm_of(feed, event);
        break;
    case TRACE_COLLECT_POST:
        to->comm = comm_of(feed, event);
        if (event->operation == TRACE_FILE_OPERATION)
            to->operation = TSPROF_FILE_OPERATION;
        if (thread->region != TRACE_NONE && feed->is_neighborhood[thread->region])
            note_request(thread, event->request);
        break;
    case TRACE_RMA:
    case TRACE_RMA_SYNC:
        to->kind = kind_of_window(event->operation);
        return to->kind != REPLAY_OFF;
    default:
        break;
    }
    to->kind = kinds[event->kind];
    return true;
}

/* EVENT, as TO, is taken in. */
static void take(struct feed *feed, const struct trace_event *event,
                 const struct replay_event *to)
{
    if (feed->crew ? !crew_take(feed->crew, to, moment_of(feed, event))
                   : !replay_take(feed->replay, to))
        feed_end_team(feed->team);
}

/* A function is entered or left, as most events say: only few numbers matter. */
static void give_function(struct feed *feed, const struct trace_event *event)
{
    const struct replay_event to = {.kind = event->kind == TRACE_ENTER ? REPLAY_ENTER
                                                                       : REPLAY_LEAVE,
                                    .thread = event->thread,
                                    .time_ns = event->time_ns,
                                    .instance = instance_of(feed, event),
                                    .region = event->region};
    if (event->kind == TRACE_ENTER)
        feed->threads[event->thread].region =
            feed->regions[event->region].is_mpi ? event->region : TRACE_NONE;
    take(feed, event, &to);
}

/* An event for the engine. */
static void give(void *context, const struct trace_event *event)
{
    struct feed *feed = context;
    if (event->kind == TRACE_ENTER || event->kind == TRACE_LEAVE) {
        give_function(feed, event);
        return;
    }
    struct replay_event to = {.thread = event->thread,
                              .time_ns = event->time_ns,
                              .region = event->region,
                              .peer = event->peer,
                              .comm = event->comm,
                              .tag = event->tag,
                              .window = event->window,
                              .operation = operation_of_window(event->operation),
                              .is_exclusive = event->is_exclusive,
                              .root = event->root,
                              .writes = event->writes,
                              .bytes = event->bytes,
                              .bytes_received = event->bytes_received,
                              .request = event->request};
    if (!translate(feed, event, &to))
        return;
    to.instance = instance_of(feed, event);
    take(feed, event, &to);
}

static void give_stay(void *context, const struct trace_event *event,
                      const struct replay_stay *seen)
{
    struct feed *feed = context;
    struct replay_stay to = *seen;
    to.instance = instance_of(feed, event);
    if (feed->crew ? !crew_stay(feed->crew, &to, moment_of(feed, event))
                   : !replay_stay(feed->replay, &to))
        feed_end_team(feed->team);
}

static void visit(void *context, const struct trace_event *event)
{
    struct feed *feed = context;
    const struct gaps_receiver receiver = {give, give_stay, feed};
    if (feed->gaps)
        gaps_take(feed->gaps, event, &receiver);
    else
        give(feed, event);
}

static void learn(void *context, const struct trace_event *event)
{
    gaps_learn(context, event);
}

/* Reads the samples of the trace, all of it once; LEARNT is whether there are some. */
static struct gaps *learn_gaps(const struct trace *trace, uint64_t *learnt)
{
    struct error ignored;
    struct trace *again = gaps_apply(trace) ? trace_open(trace->path, &ignored) : NULL;
    if (!again)
        return NULL;
    if (!trace_is_alike(again, trace)) {
        trace_close(again);
        return NULL;
    }
    struct gaps *gaps = gaps_create(trace);
    again->reads_ahead = trace->reads_ahead;
    again->decoders = trace->decoders;
    again->selected = trace->selected;
    trace_read(again, learn, gaps, &ignored);
    trace_close(again);
    *learnt = gaps_learnt(gaps);
    return gaps;
}

/* The process at PLACE of GRID; TRACE_NONE: there is none. */
static uint32_t process_at(const struct trace *trace, const struct trace_grid *grid,
                           const uint32_t *place)
{
    for (uint32_t i = 0; i < trace->process_count; i++)
        if (memcmp(&grid->places[(size_t)i * grid->dimensions], place,
                   grid->dimensions * sizeof *place) == 0)
            return i;
    return TRACE_NONE;
}

/* The neighbours of PROCESS in a grid, around its ends where it has links there. */
static void add_neighbours(struct feed *feed, const struct trace_grid *grid, uint32_t process)
{
    const size_t bytes = grid->dimensions * sizeof *grid->places;
    uint32_t *place = allocate(grid->dimensions, sizeof *place);
    memcpy(place, &grid->places[(size_t)process * grid->dimensions], bytes);
    add_source(feed, grid->comm, process, TRACE_NONE);
    for (unsigned i = 0; i < 2 * grid->dimensions; i++) {
        const uint32_t at = place[i / 2], size = grid->sizes[i / 2];
        const bool is_end = i % 2 ? at + 1 == size : at == 0;
        if (is_end && !grid->is_periodic[i / 2])
            continue;
        place[i / 2] = i % 2 ? (at + 1) % size : (at + size - 1) % size;
        const uint32_t source = process_at(feed->trace, grid, place);
        if (source != TRACE_NONE)
            add_source(feed, grid->comm, process, source);
        place[i / 2] = at;
    }
    free(place);
}

/* Who are neighbours in Cartesian topologies, of archives that say no more than these. */
static void tell_neighbours(struct feed *feed)
{
    const struct trace *trace = feed->trace;
    for (size_t i = 0; i < trace->grid_count; i++)
        for (uint32_t k = 0; k < trace->process_count; k++)
            if (trace->grids[i].places[(size_t)k * trace->grids[i].dimensions] != TRACE_NONE)
                add_neighbours(feed, &trace->grids[i], k);
}

/* Whether anything is to be read: who has no threads of an archive cannot select none. */
static bool has_any(const struct trace *trace)
{
    for (size_t i = 0; i < trace->thread_count; i++)
        if (!trace->selected || trace->selected[i])
            return true;
    return false;
}

bool feed_run(struct feed *feed, struct trace *trace, struct error *error)
{
    const struct gaps_receiver receiver = {give, give_stay, feed};
    tell_neighbours(feed);
    const bool reads = has_any(trace);
    uint64_t learnt = 0;
    feed->gaps = reads ? learn_gaps(trace, &learnt) : NULL;
    /* All of a team divide gaps, or nobody does. */
    if (feed->team && !team_sum(feed->team, &learnt, 1))
        feed_end_team(feed->team);
    if (learnt == 0) {
        gaps_free(feed->gaps);
        feed->gaps = NULL;
    }
    const bool good = !reads || trace_read(trace, visit, feed, error);
    feed->is_over = true;
    if (feed->gaps)
        gaps_end(feed->gaps, &receiver);
    if (feed->crew ? !crew_end(feed->crew) : !replay_end(feed->replay))
        feed_end_team(feed->team);
    return good;
}
