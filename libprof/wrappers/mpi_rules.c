/* See mpi_rules.h. */
#include "wrappers/mpi_rules.h"

#include "library/typed.h"
#include "measure/measure.h"
#include "wrappers/mpi_file_rules.h"

#include <string.h>

enum { REMEMBERED_TYPES = 16 };

/*
 * Incremented when a datatype is freed, so that MPI is asked again when its handle comes back.
 */
static unsigned type_generation;

struct remembered_type {
    MPI_Datatype datatype;
    unsigned generation; /* 1 + type_generation when MPI was asked; 0: empty */
    int64_t bytes;
};

static __thread struct remembered_type remembered[REMEMBERED_TYPES]
    __attribute__((tls_model("initial-exec")));

static unsigned slot_of(MPI_Datatype datatype)
{
    uintptr_t handle = (uintptr_t)datatype;
    return (unsigned)((handle * UINT64_C(0x9E3779B97F4A7C15)) >> 60) % REMEMBERED_TYPES;
}

int64_t mpi_type_bytes(MPI_Datatype datatype)
{
    /*
     * Programs pass it where MPI ignores the argument; asking MPI about it would be an error.
     */
    if (datatype == MPI_DATATYPE_NULL)
        return 0;
    struct remembered_type *slot = &remembered[slot_of(datatype)];
    unsigned generation = __atomic_load_n(&type_generation, __ATOMIC_RELAXED) + 1;
    if (slot->datatype == datatype && slot->generation == generation)
        return slot->bytes;
    MPI_Count bytes = 0;
    if (PREAL(MPI_Type_size_x)(datatype, &bytes) != MPI_SUCCESS || bytes < 0)
        return 0;
    *slot = (struct remembered_type){datatype, generation, bytes};
    return bytes;
}

void mpi_type_forget(void)
{
    __atomic_add_fetch(&type_generation, 1, __ATOMIC_RELAXED);
}

/* The same for windows: MPI is asked for a window's processes once, not at each fence. */
static unsigned window_generation;

struct remembered_window {
    MPI_Win win;
    unsigned generation; /* 1 + window_generation when MPI was asked; 0: empty */
    int processes;
};

/* Programs that fence use few windows at a time. */
static __thread struct remembered_window remembered_windows[2]
    __attribute__((tls_model("initial-exec")));

static int ask_window(MPI_Win win)
{
    MPI_Group group;
    int processes = 0;
    if (PREAL(MPI_Win_get_group)(win, &group) != MPI_SUCCESS)
        return 0;
    PREAL(MPI_Group_size)(group, &processes);
    PREAL(MPI_Group_free)(&group);
    return processes;
}

static int window_processes(MPI_Win win)
{
    struct remembered_window *latest = &remembered_windows[0], *before = latest + 1;
    unsigned generation = __atomic_load_n(&window_generation, __ATOMIC_RELAXED) + 1;
    if (latest->win == win && latest->generation == generation)
        return latest->processes;
    struct remembered_window found = *before;
    if (found.win != win || found.generation != generation)
        found = (struct remembered_window){win, generation, ask_window(win)};
    *before = *latest;
    *latest = found;
    return found.processes;
}

void mpi_window_forget(void)
{
    __atomic_add_fetch(&window_generation, 1, __ATOMIC_RELAXED);
}

/* The cells that the call adds to. */
static struct node_cells cells_of(const struct counted_mpi_call *call)
{
    return measure_cells(call->thread, call->leaf);
}

/*
 * The group that a collective exchanges data with, which on an intercommunicator is the remote
 * one, and this process's rank in it, or -1.
 */
struct group {
    int size;
    int rank;
};

static struct group group_of(MPI_Comm comm)
{
    struct group group = {0, 0};
    int inter = 0;
    PREAL(MPI_Comm_test_inter)(comm, &inter);
    if (inter)
        PREAL(MPI_Comm_remote_size)(comm, &group.size);
    else
        PREAL(MPI_Comm_size)(comm, &group.size);
    PREAL(MPI_Comm_rank)(comm, &group.rank);
    /* On an intercommunicator this process is not in the group that it exchanges data with. */
    if (inter)
        group.rank = -1;
    return group;
}

/*
 * All ranks in COMM have waited for each other.  This is the best time for the work that tsprof
 * has put off: the others do theirs now as well, so that none has to wait for another because
 * of it.
 */
static void synchronized(const struct counted_mpi_call *call, MPI_Comm comm)
{
    if (__builtin_expect(!call->thread->awaits_all, 1) || call->later)
        return;
    struct group group = group_of(comm);
    /* A group of one has not waited for anybody. */
    if (group.size > 1 || group.rank < 0)
        measure_synchronized(call->thread);
}

static bool is_root(struct group group, int root)
{
    /* Not just root == rank: MPI_PROC_NULL may equal the -1 of an intercommunicator. */
    return root == MPI_ROOT || (root >= 0 && root == group.rank);
}

/*
 * On an intercommunicator only the root of its own group takes part; others pass MPI_PROC_NULL.
 */
static bool takes_part(int root)
{
    return root != MPI_PROC_NULL;
}

/*
 * Bytes that a member sends or receives in a rooted collective: 0 where MPI ignores its
 * arguments.
 */
static int64_t member_bytes(int root, bool in_place, int64_t count, MPI_Datatype datatype)
{
    if (!takes_part(root) || root == MPI_ROOT || in_place)
        return 0;
    return count * mpi_type_bytes(datatype);
}

int64_t count_at(struct count_array array, int index)
{
    if (array.item_bytes == sizeof(int))
        return ((const int *)array.items)[index];
    int64_t wide;
    memcpy(&wide, (const char *)array.items + (size_t)index * sizeof wide, sizeof wide);
    return wide;
}

/* The sum over the group without rank EXCEPT; -1: over all. */
static int64_t count_sum(struct count_array array, struct group group, int except)
{
    int64_t sum = 0;
    for (int i = 0; i < group.size; i++)
        sum += i == except ? 0 : count_at(array, i);
    return sum;
}

static void count_sent(const struct counted_mpi_call *call, int64_t bytes)
{
    struct node_cells cells = cells_of(call);
    node_cells_add(cells, bytes ? METRIC_comms_send : METRIC_syncs_send, 1);
    node_cells_add(cells, METRIC_bytes_sent, bytes);
}

/* The event of a message that leaves. */
static void trace_sent(const struct counted_mpi_call *call, int64_t bytes)
{
    if (!trace_records_async(call->thread))
        return;
    const struct call_about *about = &call->about;
    if (call->request)
        trace_request_message_async(call->thread, EVENT_START_SEND, call->request,
                                    about->object, about->peer, about->tag, bytes);
    else
        trace_message_async(call->thread, EVENT_SEND, about->object, about->peer, about->tag,
                            bytes);
}

void rule_sent(const struct counted_mpi_call *call, int64_t bytes)
{
    count_sent(call, bytes);
    trace_sent(call, bytes);
}

void rule_ready(const struct counted_mpi_call *call, MPI_Request request, int count)
{
    struct request_operation operation;
    if (__builtin_expect(!call->thread->trace, 1) || count < 0 ||
        !requests_ready(request_key(request), (uint32_t)count, &operation))
        return;
    const struct counted_mpi_call leaving = {
        .thread = call->thread,
        .leaf = call->leaf,
        .about = {operation.object, operation.peer, operation.tag},
        .request = operation.request};
    trace_sent(&leaving, operation.out);
}

static void count_received(const struct counted_mpi_call *call, int64_t bytes)
{
    struct node_cells cells = cells_of(call);
    node_cells_add(cells, bytes ? METRIC_comms_recv : METRIC_syncs_recv, 1);
    node_cells_add(cells, METRIC_bytes_rcvd, bytes);
}

/* OPERATION, which is no send, begins. */
static void trace_start_of(struct thread *thread, const struct request_operation *operation)
{
    if (operation->kind == REQUEST_COLLECTIVE)
        trace_request_async(thread, EVENT_START_COLLECTIVE, operation->request);
    else if (operation->kind == REQUEST_RECEIVE || operation->kind == REQUEST_RECEIVE_IN)
        trace_request_async(thread, EVENT_START_RECEIVE, operation->request);
    else if (operation->kind == REQUEST_READ || operation->kind == REQUEST_WRITE)
        RECORD(thread, EVENT_START_FILE, operation->request, operation->object,
               operation->kind == REQUEST_WRITE);
}

int64_t mpi_status_bytes(const MPI_Status *status)
{
    int few = 0;
    MPI_Count bytes = 0;
    if (PREAL(MPI_Get_count)(status, MPI_BYTE, &few) == MPI_SUCCESS && few >= 0)
        return few;
    if (PREAL(MPI_Get_elements_x)(status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes >= 0)
        return bytes;
    return 0;
}

void rule_send(const struct counted_mpi_call *call, int64_t count, MPI_Datatype datatype,
               int dest)
{
    if (dest == MPI_PROC_NULL)
        return;
    int64_t bytes = count * mpi_type_bytes(datatype);
    if (call->later)
        *call->later = (struct request_operation){.kind = REQUEST_SEND, .out = bytes};
    else
        rule_sent(call, bytes);
}

void rule_receive(const struct counted_mpi_call *call, const MPI_Status *status)
{
    if (status->MPI_SOURCE == MPI_PROC_NULL)
        return;
    const int64_t bytes = mpi_status_bytes(status);
    count_received(call, bytes);
    if (trace_records_async(call->thread))
        trace_message_async(call->thread, EVENT_RECEIVE, call->about.object, status->MPI_SOURCE,
                            status->MPI_TAG, bytes);
}

void rule_receive_later(const struct counted_mpi_call *call, int source)
{
    /* Nothing comes from MPI_PROC_NULL, and MPICH's status for it is not reliable. */
    if (source != MPI_PROC_NULL)
        call->later->kind = REQUEST_RECEIVE;
}

void rule_receive_bytes_later(const struct counted_mpi_call *call, int64_t count,
                              MPI_Datatype datatype, int source)
{
    if (source != MPI_PROC_NULL)
        *call->later = (struct request_operation){.kind = REQUEST_RECEIVE_IN,
                                                  .in = count * mpi_type_bytes(datatype)};
}

void rule_send_receive(const struct counted_mpi_call *call, int64_t sendcount,
                       MPI_Datatype sendtype, int dest, int64_t recvcount,
                       MPI_Datatype recvtype, int source)
{
#ifdef MPICH_VERSION
    /* If something is sent, MPICH's status holds what another operation has left there. */
    bool told = dest == MPI_PROC_NULL;
#else
    bool told = true;
#endif
    if (told)
        rule_receive_later(call, source);
    else
        rule_receive_bytes_later(call, recvcount, recvtype, source);
    const struct counted_mpi_call now = {
        .thread = call->thread, .leaf = call->leaf, .about = call->about};
    rule_send(&now, sendcount, sendtype, dest);
}

/* Whether MPI returns this handle for all operations that are complete from the start. */
static bool is_of_many(MPI_Request handle)
{
#ifdef OPEN_MPI
    return handle == (MPI_Request)mpi_objects[OBJECT_ompi_request_empty];
#else
    /* The highest bits of a built-in request, as these are, say so. */
    return (unsigned)handle >> 30 == 1;
#endif
}

static void trace_collective_done(struct thread *thread,
                                  const struct request_operation *operation)
{
    if (trace_records_async(thread))
        RECORD(thread, EVENT_DONE_COLLECTIVE, operation->request, operation->object,
               (uint64_t)operation->peer, (uint64_t)operation->out, (uint64_t)operation->in,
               operation->leaf);
}

void rule_trace_request(const struct counted_mpi_call *call, bool starts)
{
    struct request_operation *operation = call->later;
    const bool records = starts && trace_records_async(call->thread);
    operation->object = call->about.object;
    operation->leaf = call->leaf;
    operation->peer = call->about.peer;
    operation->tag = call->about.tag;
    if (call->request && operation->kind == REQUEST_NOTHING) {
        operation->kind = REQUEST_SENT;
        operation->request = call->request;
    } else if (operation->kind != REQUEST_NOTHING) {
        operation->request = trace_new_request_async(call->thread);
        if (records)
            trace_start_of(call->thread, operation);
    }
}

/*
 * Operations that were complete when they began have one request for all of them.  So they are
 * over in the trace; in the profile a collective counts where the request is completed.
 */
static void complete_at_once(const struct counted_mpi_call *call)
{
    struct request_operation *operation = call->later;
    if (operation->kind == REQUEST_SENT) {
        if (trace_records_async(call->thread))
            trace_request_async(call->thread, EVENT_DONE_SEND, operation->request);
        operation->kind = REQUEST_NOTHING;
    } else if (operation->kind == REQUEST_COLLECTIVE && operation->request) {
        trace_collective_done(call->thread, operation);
        operation->request = 0;
    }
}

void rule_note_request(const struct counted_mpi_call *call, MPI_Request handle, bool persistent)
{
    if (is_of_many(handle))
        complete_at_once(call);
    enum request_life life = persistent           ? REQUEST_PERSISTENT
                             : is_of_many(handle) ? REQUEST_SHARED
                                                  : REQUEST_ONCE;
    if (!requests_note(request_key(handle), call->later, life))
        thread_note_async(call->thread, NOTE_REQUESTS_LOST);
}

/* Whether the program has cancelled the operation, which then has received nothing. */
static bool was_cancelled(const MPI_Status *status)
{
    int cancelled = 0;
    PREAL(MPI_Test_cancelled)(status, &cancelled);
    return cancelled;
}

static void completed_collective(const struct counted_mpi_call *call,
                                 const struct request_operation *operation)
{
    struct node_cells cells = cells_of(call);
    node_cells_add(cells, METRIC_syncs_coll, operation->syncs);
    node_cells_add(cells, METRIC_comms_coll, operation->comms);
    node_cells_add(cells, METRIC_bytes_coll_out, operation->out);
    node_cells_add(cells, METRIC_bytes_coll_in, operation->in);
    if (operation->request)
        trace_collective_done(call->thread, operation);
}

/* The event of a collective that is over. */
static void trace_collective(const struct counted_mpi_call *call, int64_t out, int64_t in)
{
    if (trace_records_async(call->thread))
        RECORD(call->thread, EVENT_COLLECTIVE, call->about.object, (uint64_t)call->about.peer,
               (uint64_t)out, (uint64_t)in);
}

/* A message has been received for a request. */
static void completed_receive(const struct counted_mpi_call *call,
                              const struct request_operation *operation, int source, int tag,
                              int64_t bytes)
{
    count_received(call, bytes);
    if (trace_records_async(call->thread))
        trace_request_message_async(call->thread, EVENT_DONE_RECEIVE, operation->request,
                                    operation->object, source, tag, bytes);
}

static void cancelled(const struct counted_mpi_call *call,
                      const struct request_operation *operation)
{
    if (trace_records_async(call->thread))
        trace_request_async(call->thread, EVENT_CANCELLED, operation->request);
}

void rule_started(struct counted_mpi_call *call, const struct request_operation *operation)
{
    call->about = (struct call_about){operation->object, operation->peer, operation->tag};
    call->request = operation->request;
    if (operation->kind == REQUEST_SEND && operation->partitions > 0)
        count_sent(call, operation->out);
    else if (operation->kind == REQUEST_SEND)
        rule_sent(call, operation->out);
    else if (operation->request && trace_records_async(call->thread))
        trace_start_of(call->thread, operation);
}

void rule_completed(const struct counted_mpi_call *call,
                    const struct request_operation *operation, const MPI_Status *status)
{
    switch (operation->kind) {
    case REQUEST_RECEIVE:
        /* The empty status, which has no source, means that the request was not active. */
        if (status->MPI_SOURCE == MPI_ANY_SOURCE)
            break;
        if (was_cancelled(status))
            cancelled(call, operation);
        else if (status->MPI_SOURCE != MPI_PROC_NULL)
            completed_receive(call, operation, status->MPI_SOURCE, status->MPI_TAG,
                              mpi_status_bytes(status));
        break;
    case REQUEST_RECEIVE_IN:
        if (was_cancelled(status))
            cancelled(call, operation);
        else
            completed_receive(call, operation, operation->peer, operation->tag, operation->in);
        break;
    case REQUEST_COLLECTIVE:
        completed_collective(call, operation);
        break;
    case REQUEST_READ:
    case REQUEST_WRITE:
        rule_file_completed(call, operation, mpi_status_bytes(status));
        break;
    case REQUEST_SEND: /* was counted when it was started */
    case REQUEST_SENT:
        if (trace_records_async(call->thread))
            trace_request_async(call->thread, EVENT_DONE_SEND, operation->request);
        break;
    case REQUEST_NOTHING:
        break;
    }
}

void rule_barrier(const struct counted_mpi_call *call, MPI_Comm comm)
{
    if (call->later)
        *call->later = (struct request_operation){.kind = REQUEST_COLLECTIVE, .syncs = 1};
    else {
        node_cells_add(cells_of(call), METRIC_syncs_coll, 1);
        trace_collective(call, 0, 0);
    }
    synchronized(call, comm);
}

void rule_collective(const struct counted_mpi_call *call, int64_t out, int64_t in)
{
    if (call->later) {
        *call->later = (struct request_operation){
            .kind = REQUEST_COLLECTIVE, .comms = 1, .out = out, .in = in};
        return;
    }
    struct node_cells cells = cells_of(call);
    node_cells_add(cells, METRIC_comms_coll, 1);
    node_cells_add(cells, METRIC_bytes_coll_out, out);
    node_cells_add(cells, METRIC_bytes_coll_in, in);
    trace_collective(call, out, in);
}

void rule_bcast(const struct counted_mpi_call *call, int64_t count, MPI_Datatype datatype,
                int root, MPI_Comm comm)
{
    struct group group = group_of(comm);
    int64_t bytes = takes_part(root) ? count * mpi_type_bytes(datatype) : 0;
    rule_collective(call, is_root(group, root) ? group.size * bytes : 0,
                    root == MPI_ROOT ? 0 : bytes);
}

void rule_gather(const struct counted_mpi_call *call, const void *sendbuf, int64_t sendcount,
                 MPI_Datatype sendtype, int64_t recvcount, MPI_Datatype recvtype, int root,
                 MPI_Comm comm)
{
    struct group group = group_of(comm);
    bool in_place = sendbuf == MPI_IN_PLACE;
    int64_t out = member_bytes(root, in_place, sendcount, sendtype), in = 0;
    if (is_root(group, root))
        in = (group.size - in_place) * recvcount * mpi_type_bytes(recvtype);
    rule_collective(call, out, in);
}

void rule_gatherv(const struct counted_mpi_call *call, const void *sendbuf, int64_t sendcount,
                  MPI_Datatype sendtype, struct count_array recvcounts, MPI_Datatype recvtype,
                  int root, MPI_Comm comm)
{
    struct group group = group_of(comm);
    bool in_place = sendbuf == MPI_IN_PLACE;
    int64_t out = member_bytes(root, in_place, sendcount, sendtype), in = 0;
    if (is_root(group, root))
        in =
            count_sum(recvcounts, group, in_place ? group.rank : -1) * mpi_type_bytes(recvtype);
    rule_collective(call, out, in);
}

void rule_scatter(const struct counted_mpi_call *call, int64_t sendcount, MPI_Datatype sendtype,
                  const void *recvbuf, int64_t recvcount, MPI_Datatype recvtype, int root,
                  MPI_Comm comm)
{
    struct group group = group_of(comm);
    bool in_place = recvbuf == MPI_IN_PLACE;
    int64_t out = 0, in = 0;
    if (is_root(group, root))
        out = (group.size - in_place) * sendcount * mpi_type_bytes(sendtype);
    in = member_bytes(root, in_place, recvcount, recvtype);
    rule_collective(call, out, in);
}

void rule_scatterv(const struct counted_mpi_call *call, struct count_array sendcounts,
                   MPI_Datatype sendtype, const void *recvbuf, int64_t recvcount,
                   MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    struct group group = group_of(comm);
    bool in_place = recvbuf == MPI_IN_PLACE;
    int64_t out = 0, in = 0;
    if (is_root(group, root))
        out =
            count_sum(sendcounts, group, in_place ? group.rank : -1) * mpi_type_bytes(sendtype);
    in = member_bytes(root, in_place, recvcount, recvtype);
    rule_collective(call, out, in);
}

void rule_allgather(const struct counted_mpi_call *call, const void *sendbuf, int64_t sendcount,
                    MPI_Datatype sendtype, int64_t recvcount, MPI_Datatype recvtype,
                    MPI_Comm comm)
{
    struct group group = group_of(comm);
    bool in_place = sendbuf == MPI_IN_PLACE;
    int64_t received = recvcount * mpi_type_bytes(recvtype);
    int64_t sent = in_place ? received : sendcount * mpi_type_bytes(sendtype);
    rule_collective(call, (group.size - in_place) * sent, (group.size - in_place) * received);
    synchronized(call, comm);
}

void rule_allgatherv(const struct counted_mpi_call *call, const void *sendbuf,
                     int64_t sendcount, MPI_Datatype sendtype, struct count_array recvcounts,
                     MPI_Datatype recvtype, MPI_Comm comm)
{
    struct group group = group_of(comm);
    bool in_place = sendbuf == MPI_IN_PLACE;
    int64_t size = mpi_type_bytes(recvtype);
    int64_t sent = in_place ? count_at(recvcounts, group.rank) * size
                            : sendcount * mpi_type_bytes(sendtype);
    rule_collective(call, (group.size - in_place) * sent,
                    count_sum(recvcounts, group, in_place ? group.rank : -1) * size);
    synchronized(call, comm);
}

void rule_alltoallv(const struct counted_mpi_call *call, const void *sendbuf,
                    struct count_array sendcounts, MPI_Datatype sendtype,
                    struct count_array recvcounts, MPI_Datatype recvtype, MPI_Comm comm)
{
    struct group group = group_of(comm);
    bool in_place = sendbuf == MPI_IN_PLACE;
    int except = in_place ? group.rank : -1;
    int64_t in = count_sum(recvcounts, group, except) * mpi_type_bytes(recvtype);
    int64_t out =
        in_place ? in : count_sum(sendcounts, group, except) * mpi_type_bytes(sendtype);
    rule_collective(call, out, in);
    synchronized(call, comm);
}

static int64_t typed_sum(struct count_array counts, const MPI_Datatype *types,
                         struct group group, int except)
{
    int64_t bytes = 0;
    for (int i = 0; i < group.size; i++) {
        int64_t count = i == except ? 0 : count_at(counts, i);
        bytes += count ? count * mpi_type_bytes(types[i]) : 0;
    }
    return bytes;
}

void rule_alltoallw(const struct counted_mpi_call *call, const void *sendbuf,
                    struct count_array sendcounts, const MPI_Datatype *sendtypes,
                    struct count_array recvcounts, const MPI_Datatype *recvtypes, MPI_Comm comm)
{
    struct group group = group_of(comm);
    bool in_place = sendbuf == MPI_IN_PLACE;
    int except = in_place ? group.rank : -1;
    int64_t in = typed_sum(recvcounts, recvtypes, group, except);
    int64_t out = in_place ? in : typed_sum(sendcounts, sendtypes, group, except);
    rule_collective(call, out, in);
    synchronized(call, comm);
}

void rule_reduce(const struct counted_mpi_call *call, const void *sendbuf, int64_t count,
                 MPI_Datatype datatype, int root, MPI_Comm comm)
{
    struct group group = group_of(comm);
    bool in_place = sendbuf == MPI_IN_PLACE;
    int64_t bytes = takes_part(root) ? count * mpi_type_bytes(datatype) : 0;
    rule_collective(call, root == MPI_ROOT || in_place ? 0 : bytes,
                    is_root(group, root) ? (group.size - in_place) * bytes : 0);
}

void rule_allreduce(const struct counted_mpi_call *call, const void *sendbuf, int64_t count,
                    MPI_Datatype datatype, MPI_Comm comm)
{
    struct group group = group_of(comm);
    int64_t bytes = (group.size - (sendbuf == MPI_IN_PLACE)) * count * mpi_type_bytes(datatype);
    rule_collective(call, bytes, bytes);
    synchronized(call, comm);
}

void rule_reduce_scatter(const struct counted_mpi_call *call, const void *sendbuf,
                         struct count_array recvcounts, MPI_Datatype datatype, MPI_Comm comm)
{
    int size = 0, rank = 0;
    PREAL(MPI_Comm_size)(comm, &size);
    PREAL(MPI_Comm_rank)(comm, &rank);
    /* The counts describe the local group, also on an intercommunicator. */
    struct group own = {size, rank};
    bool in_place = sendbuf == MPI_IN_PLACE;
    int64_t type_bytes = mpi_type_bytes(datatype);
    rule_collective(call, count_sum(recvcounts, own, in_place ? rank : -1) * type_bytes,
                    (group_of(comm).size - in_place) * count_at(recvcounts, rank) * type_bytes);
    synchronized(call, comm);
}

void rule_reduce_scatter_block(const struct counted_mpi_call *call, const void *sendbuf,
                               int64_t recvcount, MPI_Datatype datatype, MPI_Comm comm)
{
    /* Every process sends a vector with one block for each process of its local group. */
    int size = 0;
    PREAL(MPI_Comm_size)(comm, &size);
    bool in_place = sendbuf == MPI_IN_PLACE;
    int64_t bytes = recvcount * mpi_type_bytes(datatype);
    rule_collective(call, (size - in_place) * bytes, (group_of(comm).size - in_place) * bytes);
    synchronized(call, comm);
}

void rule_scan(const struct counted_mpi_call *call, int64_t count, MPI_Datatype datatype,
               MPI_Comm comm, bool others)
{
    struct group group = group_of(comm);
    int64_t bytes = count * mpi_type_bytes(datatype);
    rule_collective(call, (group.size - group.rank - others) * bytes,
                    (group.rank + 1 - others) * bytes);
}

void rule_put(const struct counted_mpi_call *call, int64_t count, MPI_Datatype datatype,
              int target)
{
    if (target == MPI_PROC_NULL)
        return;
    const int64_t bytes = count * mpi_type_bytes(datatype);
    struct node_cells cells = cells_of(call);
    node_cells_add(cells, METRIC_comms_put, 1);
    node_cells_add(cells, METRIC_bytes_put, bytes);
    if (trace_records_async(call->thread))
        RECORD(call->thread, EVENT_PUT, call->about.object, record_signed_async(target),
               (uint64_t)bytes);
}

void rule_get(const struct counted_mpi_call *call, int64_t count, MPI_Datatype datatype,
              int target)
{
    if (target == MPI_PROC_NULL)
        return;
    const int64_t bytes = count * mpi_type_bytes(datatype);
    struct node_cells cells = cells_of(call);
    node_cells_add(cells, METRIC_comms_get, 1);
    node_cells_add(cells, METRIC_bytes_get, bytes);
    if (trace_records_async(call->thread))
        RECORD(call->thread, EVENT_GET, call->about.object, record_signed_async(target),
               (uint64_t)bytes);
}

void rule_atomic(const struct counted_mpi_call *call, int64_t out, int64_t in, int target)
{
    if (target == MPI_PROC_NULL)
        return;
    struct node_cells cells = cells_of(call);
    node_cells_add(cells, METRIC_comms_atomic, 1);
    node_cells_add(cells, METRIC_bytes_put, out);
    node_cells_add(cells, METRIC_bytes_get, in);
    if (trace_records_async(call->thread))
        RECORD(call->thread, EVENT_ATOMIC, call->about.object, record_signed_async(target),
               (uint64_t)out, (uint64_t)in);
}

void rule_rma_fence(const struct counted_mpi_call *call, MPI_Win win)
{
    struct node_cells cells = cells_of(call);
    node_cells_add(cells, METRIC_syncs_rma, 1);
    node_cells_add(cells, METRIC_pairs_rma, window_processes(win));
    rule_rma_end(call, MPI_ANY_SOURCE);
}

/* A partner in an epoch, for mpi_window_ranks. */
static void trace_partner(const void *context, int rank)
{
    const struct counted_mpi_call *call = context;
    RECORD(call->thread, EVENT_PARTNER, call->about.object, record_signed_async(rank));
}

void rule_rma_epoch(const struct counted_mpi_call *call, MPI_Group group, MPI_Win win)
{
    int size = 0;
    PREAL(MPI_Group_size)(group, &size);
    struct node_cells cells = cells_of(call);
    node_cells_add(cells, METRIC_syncs_rma, 1);
    node_cells_add(cells, METRIC_pairs_rma, size);
    if (trace_records_async(call->thread))
        mpi_window_ranks(win, group, trace_partner, call);
}

/* The event of a synchronization with RANK, by a lock of TYPE if it is one. */
static void trace_window(const struct counted_mpi_call *call, int rank, enum event_lock type)
{
    if (trace_records_async(call->thread))
        RECORD(call->thread, EVENT_WINDOW, call->about.object,
               record_signed_async(rank == MPI_ANY_SOURCE ? -1 : rank), type);
}

static void count_sync(const struct counted_mpi_call *call, int rank, enum event_lock type)
{
    if (rank == MPI_PROC_NULL)
        return;
    node_cells_add(cells_of(call), METRIC_syncs_rma, 1);
    trace_window(call, rank, type);
}

void rule_rma_sync(const struct counted_mpi_call *call, int rank)
{
    count_sync(call, rank, EVENT_LOCK_SHARED);
}

void rule_rma_lock(const struct counted_mpi_call *call, int lock_type, int rank)
{
    count_sync(call, rank,
               lock_type == MPI_LOCK_EXCLUSIVE ? EVENT_LOCK_EXCLUSIVE : EVENT_LOCK_SHARED);
}

void rule_rma_end(const struct counted_mpi_call *call, int rank)
{
    trace_window(call, rank, EVENT_LOCK_SHARED);
}

void rule_comm(const struct counted_mpi_call *call, MPI_Comm comm)
{
    if (__builtin_expect(!call->thread->trace, 1) || comm == MPI_COMM_NULL)
        return;
    const uint32_t number = mpi_comm_number(comm);
    if (trace_records_async(call->thread))
        RECORD(call->thread, EVENT_NEW_COMM, number);
}

void rule_window(const struct counted_mpi_call *call, MPI_Win win)
{
    if (__builtin_expect(!call->thread->trace, 1))
        return;
    const uint32_t number = mpi_window_number(win);
    if (trace_records_async(call->thread))
        RECORD(call->thread, EVENT_NEW_WINDOW, number);
}

void rule_message(const struct counted_mpi_call *call, MPI_Comm comm, const MPI_Message *note)
{
    if (__builtin_expect(call->thread->trace != NULL, 0) && *note != MPI_MESSAGE_NULL)
        mpi_message_note(*note, mpi_comm_number(comm));
}
