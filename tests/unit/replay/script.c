/* See script.h. */
#include "replay/script.h"

#include <stdlib.h>
#include <string.h>

static const struct replay_region regions[SCRIPT_REGIONS] = {
    [MAIN] = {.metric = METRIC_computation},
    [WORK] = {.metric = METRIC_computation},
    [OTHER_WORK] = {.metric = METRIC_computation},
    [SEND] = {METRIC_mpi_point2point, true, true, false, false, ROLE_NONE},
    [ISEND] = {METRIC_mpi_point2point, true, true, false, false, ROLE_NONE},
    [RECV] = {METRIC_mpi_point2point, true, true, false, false, ROLE_NONE},
    [IRECV] = {METRIC_mpi_point2point, true, true, false, false, ROLE_NONE},
    [WAIT] = {METRIC_mpi_point2point, true, true, false, false, ROLE_NONE},
    [TEST] = {METRIC_mpi_point2point, true, false, false, false, ROLE_NONE},
    [BARRIER] = {METRIC_mpi_sync_collective, true, true, false, false, ROLE_NONE},
    [ALLREDUCE] = {METRIC_mpi_collective, true, true, false, false, ROLE_NONE},
    [BCAST] = {METRIC_mpi_collective, true, true, false, false, ROLE_NONE},
    [REDUCE] = {METRIC_mpi_collective, true, true, false, false, ROLE_NONE},
    [SCAN] = {METRIC_mpi_collective, true, true, false, false, ROLE_NONE},
    [INIT] = {METRIC_mpi_setup, true, true, true, false, ROLE_NONE},
    [FINALIZE] = {METRIC_mpi_setup, true, true, false, true, ROLE_NONE},
    [WIN_POST] = {METRIC_mpi_sync_rma_active, true, true, false, false, ROLE_POST},
    [WIN_START] = {METRIC_mpi_sync_rma_active, true, true, false, false, ROLE_START},
    [WIN_COMPLETE] = {METRIC_mpi_sync_rma_active, true, true, false, false, ROLE_COMPLETE},
    [WIN_WAIT] = {METRIC_mpi_sync_rma_active, true, true, false, false, ROLE_WAIT},
    [WIN_LOCK] = {METRIC_mpi_sync_rma_passive, true, true, false, false, ROLE_NONE},
    [WIN_UNLOCK] = {METRIC_mpi_sync_rma_passive, true, true, false, false, ROLE_UNLOCK},
    [WIN_FLUSH] = {METRIC_mpi_sync_rma_passive, true, true, false, false, ROLE_NONE},
    [PUT] = {METRIC_mpi_rma_communication, true, true, false, false, ROLE_NONE},
    [FENCE] = {METRIC_mpi_sync_rma_active, true, true, false, false, ROLE_NONE},
    [MPROBE] = {METRIC_mpi_point2point, true, true, false, false, ROLE_MPROBE},
    [MRECV] = {METRIC_mpi_point2point, true, true, false, false, ROLE_MRECV},
    [BSEND] = {METRIC_mpi_point2point, true, true, false, false, ROLE_BUFFERED_SEND},
    [IALLREDUCE] = {METRIC_mpi_collective, true, true, false, false, ROLE_NONE},
    [WAIT_COLLECTIVE] = {METRIC_mpi_point2point, true, true, false, false, ROLE_NONE},
};

static const uint32_t numbers[SCRIPT_PROCESSES] = {0, 1, 2, 3};

static const struct replay_comm comms[] = {
    [SCRIPT_WORLD] = {numbers, NULL, SCRIPT_PROCESSES, 0},
    [SCRIPT_BETWEEN] = {numbers, numbers + 2, 2, 2},
};

const struct replay_world script_world = {.regions = regions,
                                          .region_count = SCRIPT_REGIONS,
                                          .processes = numbers,
                                          .thread_count = SCRIPT_PROCESSES,
                                          .process_count = SCRIPT_PROCESSES,
                                          .rank_count = SCRIPT_PROCESSES,
                                          .comms = comms,
                                          .comm_count = 2};

/* An event, and what comes first of those at one time. */
struct timed {
    struct replay_event event;
    uint64_t order;
};

struct making {
    struct timed *list;
    size_t count;
};

enum { EVENTS_MOST = 4096 };

static void add(struct making *making, struct replay_event event)
{
    if (making->count == EVENTS_MOST)
        abort();
    making->list[making->count] = (struct timed){event, making->count};
    making->count++;
}

static struct replay_event event_of(const struct script_call *call, enum replay_kind kind,
                                    uint64_t ns)
{
    return (struct replay_event){.kind = kind,
                                 .thread = call->process,
                                 .time_ns = ns,
                                 .instance = call->instance ? call->instance - 1 : REPLAY_NONE,
                                 .region = call->region,
                                 .peer = call->peer < 0 ? REPLAY_NONE : (uint32_t)call->peer,
                                 .comm = call->between ? SCRIPT_BETWEEN : SCRIPT_WORLD,
                                 .window = SCRIPT_WINDOW,
                                 .root = call->peer < 0 ? REPLAY_NONE : (uint32_t)call->peer,
                                 .operation = TSPROF_OPERATIONS,
                                 .is_exclusive = true,
                                 .bytes = call->bytes ? call->bytes : 8,
                                 .bytes_received = 8,
                                 .request = call->request ? call->request : REPLAY_NO_REQUEST};
}

/* What happens when a call is entered and left, besides that. */
static const struct {
    int enter, leave; /* kinds of events; -1: none */
    enum tsprof_operation operation;
} actions[SCRIPT_REGIONS] = {
    [MAIN] = {-1, -1, 0},
    [WORK] = {-1, -1, 0},
    [OTHER_WORK] = {-1, -1, 0},
    [SEND] = {REPLAY_SEND, -1, 0},
    [ISEND] = {REPLAY_SEND, -1, 0},
    [RECV] = {-1, REPLAY_RECEIVE, 0},
    [IRECV] = {-1, REPLAY_POST, 0},
    [WAIT] = {-1, REPLAY_RECEIVE, 0},
    [TEST] = {-1, REPLAY_RECEIVE, 0},
    [BARRIER] = {-1, REPLAY_COLLECT, TSPROF_BARRIER},
    [ALLREDUCE] = {-1, REPLAY_COLLECT, TSPROF_N_TO_N},
    [BCAST] = {-1, REPLAY_COLLECT, TSPROF_ONE_TO_N},
    [REDUCE] = {-1, REPLAY_COLLECT, TSPROF_N_TO_ONE},
    [SCAN] = {-1, REPLAY_COLLECT, TSPROF_SCAN},
    [INIT] = {-1, -1, 0},
    [FINALIZE] = {-1, -1, 0},
    [WIN_POST] = {REPLAY_NOTIFY_OUT, -1, 0},
    [WIN_START] = {-1, REPLAY_NOTIFY_IN, 0},
    [WIN_COMPLETE] = {REPLAY_NOTIFY_OUT, -1, 0},
    [WIN_WAIT] = {-1, REPLAY_NOTIFY_IN, 0},
    [WIN_LOCK] = {REPLAY_LOCK, -1, 0},
    [WIN_UNLOCK] = {-1, REPLAY_UNLOCK, 0},
    [WIN_FLUSH] = {-1, REPLAY_FLUSH, 0},
    [PUT] = {REPLAY_PUT, -1, 0},
    [FENCE] = {-1, REPLAY_WINDOW_FENCE, TSPROF_WIN_FENCE},
    [MPROBE] = {-1, -1, 0},
    [MRECV] = {-1, REPLAY_RECEIVE, 0},
    [BSEND] = {REPLAY_SEND, -1, 0},
    [IALLREDUCE] = {-1, REPLAY_POST_COLLECT, 0},
    [WAIT_COLLECTIVE] = {-1, REPLAY_COLLECT, TSPROF_N_TO_N},
};

static void add_call(struct making *making, const struct script_call *call)
{
    const int enter = actions[call->region].enter;
    int leave = actions[call->region].leave;
    if (call->ends_send)
        leave = REPLAY_SENT;
    add(making, event_of(call, REPLAY_ENTER, call->enter));
    if (enter >= 0)
        add(making, event_of(call, (enum replay_kind)enter, call->enter));
    if (leave >= 0) {
        struct replay_event event = event_of(call, (enum replay_kind)leave, call->leave);
        event.operation = actions[call->region].operation;
        add(making, event);
    }
    add(making, event_of(call, REPLAY_LEAVE, call->leave));
}

static void add_region(struct making *making, uint32_t process, enum script_region region,
                       enum replay_kind kind, uint64_t ns)
{
    add(making,
        event_of(&(struct script_call){.process = process, .region = region}, kind, ns));
}

static int compare(const void *a, const void *b)
{
    const struct timed *one = a, *other = b;
    if (one->event.time_ns != other->event.time_ns)
        return one->event.time_ns < other->event.time_ns ? -1 : 1;
    return one->order < other->order ? -1 : one->order > other->order;
}

int script_master = NOBODY;

static const struct replay_world *world_of_threads(void)
{
    static const uint32_t processes[SCRIPT_PROCESSES] = {0, 1, 2, 2};
    static const struct replay_comm all = {numbers, NULL, SCRIPT_PROCESSES - 1, 0};
    static struct replay_world world;
    world = script_world;
    world.processes = processes;
    world.process_count = world.rank_count = SCRIPT_PROCESSES - 1;
    world.comms = &all;
    world.comm_count = 1;
    return &world;
}

/* The result of a replay refers to its world. */
static const struct replay_world *world_of(const struct script *script)
{
    static struct replay_world worlds[SCRIPT_PROCESSES];
    if (script->has_threads)
        return world_of_threads();
    if (script_master == NOBODY)
        return &script_world;
    worlds[script_master] = script_world;
    worlds[script_master].has_master = true;
    worlds[script_master].master = (uint32_t)script_master;
    return &worlds[script_master];
}

struct replay *script_run(const struct script *script)
{
    return script_run_with(script, NULL, NULL);
}

struct replay *script_run_with(const struct script *script,
                               void (*prepare)(void *context, struct replay *replay),
                               void *context)
{
    struct making making = {.list = calloc(EVENTS_MOST, sizeof *making.list)};
    struct replay *replay = replay_create(world_of(script));
    if (!making.list || !replay)
        abort();
    if (prepare)
        prepare(context, replay);
    for (uint32_t i = 0; i < script->processes; i++)
        add_region(&making, i, MAIN, REPLAY_ENTER, 0);
    for (size_t i = 0; i < script->stay_count; i++) {
        const struct script_stay *stay = &script->stays[i];
        add_region(&making, stay->process, stay->region, REPLAY_ENTER, stay->enter);
        add_region(&making, stay->process, stay->region, REPLAY_LEAVE, stay->leave);
    }
    for (size_t i = 0; i < script->call_count; i++)
        add_call(&making, &script->calls[i]);
    for (uint32_t i = 0; i < script->processes; i++)
        add_region(&making, i, MAIN, REPLAY_LEAVE,
                   script->ends ? script->ends[i] : script->end);
    qsort(making.list, making.count, sizeof *making.list, compare);
    for (size_t i = 0; i < making.count; i++)
        replay_take(replay, &making.list[i].event);
    replay_end(replay);
    free(making.list);
    return replay;
}

int64_t script_value(const struct replay *replay, const char *metric, int process,
                     enum script_region region)
{
    struct replay_result result;
    int64_t sum = 0;
    replay_result(replay, &result);
    for (size_t i = 0; i < result.path_count; i++) {
        const struct path *path = &result.paths[i];
        const uint32_t of = result.nodes[path->node].region;
        if ((process >= 0 && path->thread != (uint32_t)process) ||
            (region != SCRIPT_REGIONS && of != (uint32_t)region))
            continue;
        if (of != REPLAY_NONE && strcmp(metric_table[regions[of].metric].name, metric) == 0)
            sum += path->time_ns;
        for (uint32_t at = path->first_value; at != REPLAY_NONE; at = result.values[at].next)
            if (strcmp(result.metrics[result.values[at].metric].name, metric) == 0)
                sum += result.values[at].value;
    }
    return sum;
}
