/* See details.h. */
#include "archive/details.h"

#include <stdlib.h>
#include <string.h>

void details_begin(struct details *details, const struct record *record)
{
    details->open = true;
    details->count = 0;
    details->node = record->numbers[0];
    details->enter_ns = record->ns;
    details->leave_ns = record->leave_ns;
}

void details_add(struct details *details, const struct record *record)
{
    if (!details->open)
        return;
    if (record->tag == EVENT_COUNTS) {
        for (unsigned i = 0; i < record->count; i++)
            details->counts[i] += record_signed(record->numbers[i]);
        return;
    }
    if (details->count == details->capacity) {
        const size_t capacity = details->capacity ? 2 * details->capacity : 16;
        void *list = realloc(details->list, capacity * sizeof *details->list);
        details->failed |= !list;
        if (!list)
            return;
        details->list = list;
        details->capacity = capacity;
    }
    struct detail *detail = &details->list[details->count++];
    detail->tag = record->tag;
    detail->count = record->count;
    memcpy(detail->numbers, record->numbers, sizeof detail->numbers);
}

static void free_epochs(struct epochs *epochs)
{
    for (size_t i = 0; i < epochs->count; i++)
        free(epochs->list[i].ranks);
    free(epochs->list);
}

void details_free(struct details *details)
{
    free(details->list);
    free(details->requests);
    free(details->told);
    free_epochs(&details->exposed);
    free_epochs(&details->accessed);
}

/* Where REQUEST is if no other one is in its way. */
static size_t usual_place(const struct details *details, uint64_t request)
{
    return request * UINT64_C(0x9E3779B97F4A7C15) % details->request_capacity;
}

/* The place of REQUEST in the set, or an empty one; NULL if the set is empty. */
static uint64_t *request_at(const struct details *details, uint64_t request)
{
    if (details->request_capacity == 0)
        return NULL;
    size_t at = usual_place(details, request);
    while (details->requests[at] && details->requests[at] != request)
        at = (at + 1) % details->request_capacity;
    return &details->requests[at];
}

static bool grow_requests(struct details *details)
{
    struct details larger = *details;
    larger.request_capacity = details->request_capacity ? 2 * details->request_capacity : 1024;
    larger.requests = calloc(larger.request_capacity, sizeof *larger.requests);
    if (!larger.requests)
        return false;
    for (size_t i = 0; i < details->request_capacity; i++)
        if (details->requests[i])
            *request_at(&larger, details->requests[i]) = details->requests[i];
    free(details->requests);
    *details = larger;
    return true;
}

static void note_request(struct details *details, uint64_t request)
{
    if (2 * details->request_count >= details->request_capacity && !grow_requests(details)) {
        details->failed = true;
        return;
    }
    uint64_t *at = request_at(details, request);
    details->request_count += *at == 0;
    *at = request;
}

/*
 * Whether REQUEST began in what is written.  It is over now, and no longer in the set, which is
 * thereby no larger than what is under way at a time.  Those behind it move up, so that there
 * is no gap between one and its usual place.
 */
static bool end_request(struct details *details, uint64_t request)
{
    uint64_t *found = request_at(details, request);
    if (!found || *found != request)
        return false;
    const size_t capacity = details->request_capacity;
    size_t gap = (size_t)(found - details->requests);
    for (size_t at = (gap + 1) % capacity; details->requests[at]; at = (at + 1) % capacity) {
        const size_t usual = usual_place(details, details->requests[at]);
        /* Distances around the end of the set. */
        if ((at - usual) % capacity < (at - gap) % capacity)
            continue;
        details->requests[gap] = details->requests[at];
        gap = at;
    }
    details->requests[gap] = 0;
    details->request_count--;
    return true;
}

/* What the numbers of a detail are written with. */
struct context {
    struct details *details;
    struct out *out;
    const struct event_maps *maps;
    const struct program_region *region;
    uint64_t enter, leave;
};

static uint32_t object_of(const struct context *context, uint64_t number)
{
    const struct own_objects *objects = context->maps->objects;
    return number < objects->count ? objects->numbers[number] : (uint32_t)TEXTS_NONE;
}

static OTF2_CommRef comm_of(const struct context *context, uint64_t number)
{
    if (number == OBJECT_WORLD)
        return ARCHIVE_WORLD;
    if (number == OBJECT_SELF)
        return ARCHIVE_SELF;
    const uint32_t object = object_of(context, number);
    return object == TEXTS_NONE ? OTF2_UNDEFINED_COMM
                                : ARCHIVE_OBJECTS + context->maps->numbers[object].comm;
}

static OTF2_RmaWinRef window_of(const struct context *context, uint64_t number)
{
    const uint32_t object = object_of(context, number);
    return object == TEXTS_NONE ? OTF2_UNDEFINED_RMA_WIN : context->maps->numbers[object].own;
}

/* Whether the sources in communicator NUMBER are to be written now. */
static bool are_new(struct details *details, uint64_t number, size_t communicators)
{
    if (details->told_count < communicators) {
        bool *longer = realloc(details->told, communicators);
        details->failed |= !longer;
        if (!longer)
            return false;
        memset(longer + details->told_count, 0, communicators - details->told_count);
        details->told = longer;
        details->told_count = communicators;
    }
    const bool is_new = !details->told[number];
    details->told[number] = true;
    return is_new;
}

/* At the first operation on communicator NUMBER: whom the process receives from, if it has a
 * topology. */
static void tell_sources(const struct context *context, uint64_t number, uint64_t time)
{
    const struct own_objects *objects = context->maps->objects;
    if (number >= objects->source_count || !objects->sources[number].ranks ||
        comm_of(context, number) == OTF2_UNDEFINED_COMM ||
        !are_new(context->details, number, objects->source_count))
        return;
    const struct sources *sources = &objects->sources[number];
    OUT(context->out, ParameterUnsignedInt, time, ARCHIVE_SOURCES_OF, comm_of(context, number));
    for (uint32_t i = 0; i < sources->count; i++)
        if (sources->ranks[i] >= 0)
            OUT(context->out, ParameterUnsignedInt, time, ARCHIVE_SOURCE,
                (uint64_t)sources->ranks[i]);
}

/* What operations without a request have set in their numbers. */
#define IO_WITHOUT_REQUEST (UINT64_C(1) << 63)

static OTF2_IoHandleRef file_of(const struct context *context, uint64_t number)
{
    const uint32_t object = object_of(context, number);
    return object == TEXTS_NONE ? OTF2_UNDEFINED_IO_HANDLE : context->maps->numbers[object].own;
}

static OTF2_IoOperationFlag io_flags(const struct context *context)
{
    return context->region->collective_io ? OTF2_IO_OPERATION_FLAG_COLLECTIVE
                                          : OTF2_IO_OPERATION_FLAG_NONE;
}

static OTF2_IoOperationMode io_mode(bool writes)
{
    return writes ? OTF2_IO_OPERATION_MODE_WRITE : OTF2_IO_OPERATION_MODE_READ;
}

/* The number of an operation that has no request: the latest one. */
static uint64_t own_operation(const struct context *context)
{
    return IO_WITHOUT_REQUEST | context->details->files;
}

static uint32_t rank_of(uint64_t number)
{
    const int64_t rank = record_signed(number);
    return rank < 0 ? OTF2_UNDEFINED_UINT32 : (uint32_t)rank;
}

static uint32_t root_of(uint64_t number)
{
    switch (number) {
    case EVENT_NO_ROOT:
        return OTF2_UNDEFINED_UINT32;
    case EVENT_ROOT_ABSENT:
        return OTF2_COLLECTIVE_ROOT_THIS_GROUP;
    case EVENT_ROOT_SELF:
        return OTF2_COLLECTIVE_ROOT_SELF;
    default:
        return (uint32_t)number - EVENT_FIRST_ROOT;
    }
}

/* The epoch of WINDOW; NULL if there is no such window, or no memory. */
static struct epoch *epoch_of(const struct context *context, struct epochs *epochs,
                              uint64_t window)
{
    const size_t count = context->maps->objects->count;
    if (!epochs->list && count > 0) {
        epochs->list = calloc(count, sizeof *epochs->list);
        epochs->count = epochs->list ? count : 0;
        context->details->failed |= !epochs->list;
    }
    return window < epochs->count ? &epochs->list[window] : NULL;
}

static void forget_epochs(struct epochs *epochs, uint64_t window)
{
    if (window >= epochs->count)
        return;
    free(epochs->list[window].ranks);
    epochs->list[window] = (struct epoch){.ranks = NULL};
}

/* Adds a partner; ONSET says that the epoch begins with this call.  False without memory. */
static bool add_partner(struct epoch *epoch, uint64_t rank, bool onset)
{
    if (onset)
        epoch->count = 0;
    if (epoch->count == epoch->capacity) {
        const uint32_t capacity = epoch->capacity ? 2 * epoch->capacity : 8;
        void *ranks = realloc(epoch->ranks, capacity * sizeof *epoch->ranks);
        if (!ranks)
            return false;
        epoch->ranks = ranks;
        epoch->capacity = capacity;
    }
    epoch->ranks[epoch->count++] = rank;
    return true;
}

static void tell_partners(const struct context *context, const struct epoch *epoch,
                          uint64_t window, OTF2_RmaSyncType type, uint64_t time)
{
    for (uint32_t i = 0; epoch && i < epoch->count; i++)
        OUT(context->out, RmaSync, time, window_of(context, window), (uint32_t)epoch->ranks[i],
            type);
}

/* A partner that the call begins an epoch with; ONSET: the first of them. */
static void write_partner(const struct context *context, const struct detail *detail,
                          bool onset)
{
    const bool posts = context->region->one_sided == ONE_SIDED_POST;
    struct details *details = context->details;
    struct epoch *epoch =
        epoch_of(context, posts ? &details->exposed : &details->accessed, detail->numbers[0]);
    if (epoch && !add_partner(epoch, rank_of(detail->numbers[1]), onset))
        details->failed = true;
    OUT(context->out, RmaSync, posts ? context->enter : context->leave,
        window_of(context, detail->numbers[0]), rank_of(detail->numbers[1]),
        posts ? OTF2_RMA_SYNC_TYPE_NOTIFY_OUT : OTF2_RMA_SYNC_TYPE_NOTIFY_IN);
}

static OTF2_LockType lock_type(const struct detail *detail)
{
    return detail->numbers[2] == EVENT_LOCK_EXCLUSIVE ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED;
}

/* What a synchronization does when it begins. */
static void window_enter(const struct context *context, const struct detail *detail)
{
    const uint64_t window = detail->numbers[0];
    const OTF2_RmaWinRef reference = window_of(context, window);
    const uint32_t rank = rank_of(detail->numbers[1]);
    switch (context->region->one_sided) {
    case ONE_SIDED_FENCE:
        OUT(context->out, RmaCollectiveBegin, context->enter);
        break;
    case ONE_SIDED_COMPLETE:
        tell_partners(context, epoch_of(context, &context->details->accessed, window), window,
                      OTF2_RMA_SYNC_TYPE_NOTIFY_OUT, context->enter);
        break;
    case ONE_SIDED_LOCK:
        OUT(context->out, RmaRequestLock, context->enter, reference, rank, 0,
            lock_type(detail));
        break;
    default:
        break;
    }
}

/* And when it ends. */
static void window_leave(const struct context *context, const struct detail *detail)
{
    const uint64_t window = detail->numbers[0];
    const OTF2_RmaWinRef reference = window_of(context, window);
    const uint32_t rank = rank_of(detail->numbers[1]);
    switch (context->region->one_sided) {
    case ONE_SIDED_FENCE:
        OUT(context->out, RmaCollectiveEnd, context->leave, OTF2_COLLECTIVE_OP_BARRIER,
            OTF2_RMA_SYNC_LEVEL_MEMORY | OTF2_RMA_SYNC_LEVEL_PROCESS, reference,
            OTF2_UNDEFINED_UINT32, 0, 0);
        break;
    case ONE_SIDED_WAIT:
        tell_partners(context, epoch_of(context, &context->details->exposed, window), window,
                      OTF2_RMA_SYNC_TYPE_NOTIFY_IN, context->leave);
        break;
    case ONE_SIDED_LOCK:
        OUT(context->out, RmaAcquireLock, context->leave, reference, rank, 0,
            lock_type(detail));
        break;
    case ONE_SIDED_UNLOCK:
        OUT(context->out, RmaReleaseLock, context->leave, reference, rank, 0);
        break;
    case ONE_SIDED_FLUSH:
        OUT(context->out, RmaSync, context->leave, reference, rank, OTF2_RMA_SYNC_TYPE_MEMORY);
        break;
    default:
        break;
    }
}

/* Writes what DETAIL says of the beginning of the call. */
static void write_enter(const struct context *context, const struct detail *detail)
{
    const uint64_t *n = detail->numbers;
    struct out *out = context->out;
    const uint64_t time = context->enter;
    switch (detail->tag) {
    case EVENT_SEND:
        OUT(out, MpiSend, time, rank_of(n[1]), comm_of(context, n[0]),
            (uint32_t)record_signed(n[2]), n[3]);
        break;
    case EVENT_START_SEND:
        note_request(context->details, n[0]);
        OUT(out, MpiIsend, time, rank_of(n[2]), comm_of(context, n[1]),
            (uint32_t)record_signed(n[3]), n[4], n[0]);
        break;
    case EVENT_COLLECTIVE:
        tell_sources(context, n[0], time);
        if (context->region->collective >= 0)
            OUT(out, MpiCollectiveBegin, time);
        break;
    case EVENT_PUT:
        OUT(out, RmaPut, time, window_of(context, n[0]), rank_of(n[1]), n[2],
            ++context->details->operations);
        break;
    case EVENT_GET:
        OUT(out, RmaGet, time, window_of(context, n[0]), rank_of(n[1]), n[2],
            ++context->details->operations);
        break;
    case EVENT_ATOMIC:
        OUT(out, RmaAtomic, time, window_of(context, n[0]), rank_of(n[1]),
            n[3] ? OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE : OTF2_RMA_ATOMIC_TYPE_ACCUMULATE,
            n[2], n[3], ++context->details->operations);
        break;
    case EVENT_WINDOW:
        window_enter(context, detail);
        break;
    case EVENT_FILE:
        context->details->files++;
        OUT(out, IoOperationBegin, time, file_of(context, n[0]),
            io_mode(context->region->writes), io_flags(context), n[1] + n[2],
            own_operation(context));
        break;
    case EVENT_START_FILE:
        note_request(context->details, n[0]);
        OUT(out, IoOperationBegin, time, file_of(context, n[1]), io_mode(n[2]),
            io_flags(context) | OTF2_IO_OPERATION_FLAG_NON_BLOCKING, OTF2_UNDEFINED_UINT64,
            n[0]);
        break;
    case EVENT_FREE_FILE:
        OUT(out, IoDestroyHandle, time, file_of(context, n[0]));
        break;
    case EVENT_FREE_COMM:
        OUT(out, CommDestroy, time, comm_of(context, n[0]));
        break;
    case EVENT_FREE_WINDOW:
        OUT(out, RmaWinDestroy, time, window_of(context, n[0]));
        forget_epochs(&context->details->exposed, n[0]);
        forget_epochs(&context->details->accessed, n[0]);
        break;
    default:
        break;
    }
}

/* A receive whose beginning is not in what is written is one that has no request. */
static void write_received(const struct context *context, const uint64_t *n)
{
    struct out *out = context->out;
    if (end_request(context->details, n[0]))
        OUT(out, MpiIrecv, context->leave, rank_of(n[2]), comm_of(context, n[1]),
            (uint32_t)record_signed(n[3]), n[4], n[0]);
    else
        OUT(out, MpiRecv, context->leave, rank_of(n[2]), comm_of(context, n[1]),
            (uint32_t)record_signed(n[3]), n[4]);
}

/* The function that prepared or began the operation says which one it is; OTF2 has no kinds of
 * operations among neighbours. */
static void write_collective_done(const struct context *context, const uint64_t *n)
{
    const struct event_maps *maps = context->maps;
    const uint32_t node = n[5] < maps->node_count ? maps->nodes[n[5]] : UINT32_MAX;
    const struct program *program = maps->program;
    if (!end_request(context->details, n[0]) || node >= program->node_count)
        return;
    const struct program_region *region = &program->regions[program->nodes[node].region];
    if (region->is_neighborhood)
        OUT(context->out, ParameterUnsignedInt, context->leave, ARCHIVE_NEIGHBORHOOD, n[0]);
    if (region->collective >= 0)
        OUT(context->out, NonBlockingCollectiveComplete, context->leave,
            (OTF2_CollectiveOp)region->collective, comm_of(context, n[1]), root_of(n[2]), n[3],
            n[4], n[0]);
}

/* Writes what DETAIL says of the end of the call. */
static void write_leave(const struct context *context, const struct detail *detail)
{
    const uint64_t *n = detail->numbers;
    struct out *out = context->out;
    const uint64_t time = context->leave;
    switch (detail->tag) {
    case EVENT_RECEIVE:
        OUT(out, MpiRecv, time, rank_of(n[1]), comm_of(context, n[0]),
            (uint32_t)record_signed(n[2]), n[3]);
        break;
    case EVENT_START_RECEIVE:
        note_request(context->details, n[0]);
        OUT(out, MpiIrecvRequest, time, n[0]);
        break;
    case EVENT_START_COLLECTIVE:
        note_request(context->details, n[0]);
        OUT(out, NonBlockingCollectiveRequest, time, n[0]);
        break;
    case EVENT_DONE_SEND:
        if (end_request(context->details, n[0]))
            OUT(out, MpiIsendComplete, time, n[0]);
        break;
    case EVENT_DONE_RECEIVE:
        write_received(context, n);
        break;
    case EVENT_DONE_COLLECTIVE:
        tell_sources(context, n[1], time);
        write_collective_done(context, n);
        break;
    case EVENT_CANCELLED:
        if (end_request(context->details, n[0]))
            OUT(out, MpiRequestCancelled, time, n[0]);
        break;
    case EVENT_COLLECTIVE:
        if (context->region->collective >= 0)
            OUT(out, MpiCollectiveEnd, time, (OTF2_CollectiveOp)context->region->collective,
                comm_of(context, n[0]), root_of(n[1]), n[2], n[3]);
        break;
    case EVENT_WINDOW:
        window_leave(context, detail);
        break;
    case EVENT_FILE:
        OUT(out, IoOperationComplete, time, file_of(context, n[0]), n[1] + n[2],
            own_operation(context));
        break;
    case EVENT_DONE_FILE:
        if (end_request(context->details, n[0]))
            OUT(out, IoOperationComplete, time, file_of(context, n[1]), n[2], n[0]);
        break;
    case EVENT_NEW_FILE:
        OUT(out, IoCreateHandle, time, file_of(context, n[0]), OTF2_IO_ACCESS_MODE_READ_WRITE,
            OTF2_IO_CREATION_FLAG_NONE, OTF2_IO_STATUS_FLAG_NONE);
        break;
    case EVENT_NEW_COMM:
        OUT(out, CommCreate, time, comm_of(context, n[0]));
        break;
    case EVENT_NEW_WINDOW:
        OUT(out, RmaWinCreate, time, window_of(context, n[0]));
        break;
    default:
        break;
    }
}

/* The counters as they were at the end of the call. */
static void write_counters(const struct context *context)
{
    static const OTF2_Type types[RECORD_NUMBERS_MOST] = {[0 ... RECORD_NUMBERS_MOST - 1] =
                                                             OTF2_TYPE_INT64};
    OTF2_MetricValue values[RECORD_NUMBERS_MOST];
    const unsigned count = context->maps->counters;
    for (unsigned i = 0; i < count; i++)
        values[i].signed_int = context->details->counts[i];
    if (count > 0)
        OUT(context->out, Metric, context->leave, ARCHIVE_COUNTERS, (uint8_t)count, types,
            values);
}

void details_write(struct details *details, struct out *out, const struct event_maps *maps,
                   uint32_t node)
{
    const uint32_t region = maps->program->nodes[node].region;
    struct context context = {.details = details,
                              .out = out,
                              .maps = maps,
                              .region = &maps->program->regions[region],
                              .enter = out_time(out, details->enter_ns)};
    const bool posts = context.region->one_sided == ONE_SIDED_POST;
    OUT(out, Enter, context.enter, region);
    for (size_t i = 0; i < details->count; i++) {
        if (details->list[i].tag == EVENT_PARTNER && posts)
            write_partner(&context, &details->list[i], i == 0);
        write_enter(&context, &details->list[i]);
    }
    context.leave = out_time(out, details->leave_ns);
    for (size_t i = 0; i < details->count; i++) {
        if (details->list[i].tag == EVENT_PARTNER && !posts)
            write_partner(&context, &details->list[i], i == 0);
        write_leave(&context, &details->list[i]);
    }
    write_counters(&context);
    OUT(out, Leave, out->latest, region);
    details->open = false;
    details->count = 0;
    out->written.failed |= details->failed;
}
