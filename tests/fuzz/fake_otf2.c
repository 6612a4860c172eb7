/* See fake_otf2.h. */
#include "fake_otf2.h"

#include "archive/otf2_reader.h"

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const char *const fake_strings[] = {"",
                                    "MPI Rank 0",
                                    "MPI Rank 1",
                                    "host",
                                    "other host",
                                    "main",
                                    "timestep",
                                    "iteration",
                                    "TSPROF::SOURCES_OF",
                                    "TSPROF::SOURCE",
                                    "TSPROF::NEIGHBORHOOD",
                                    "MPI_Send",
                                    "MPI_Recv",
                                    "MPI_Wait",
                                    "MPI_Barrier",
                                    "MPI_Neighbor_alltoall",
                                    "MPI_Init",
                                    "MPI_Finalize",
                                    "MPI_Win_fence",
                                    "MPI_Win_post",
                                    "MPI_Win_start",
                                    "MPI_Win_complete",
                                    "MPI_Win_wait",
                                    "MPI_Win_lock",
                                    "MPI_Win_unlock",
                                    "MPI_Mprobe",
                                    "MPI_Mrecv",
                                    "MPI_Testall",
                                    "\033[31m\n;,\"\\",
                                    "MPI Rank 4294967295"};
const size_t fake_string_count = sizeof fake_strings / sizeof *fake_strings;

static struct {
    const uint8_t *bytes;
    size_t size, at, events; /* `events`: where they begin */
} input;

void fake_otf2(const uint8_t *data, size_t size)
{
    input.bytes = data;
    input.size = size;
}

static uint8_t byte(void)
{
    return input.at < input.size ? input.bytes[input.at++] : 0;
}

/* A number that meets others, or one that nobody else has. */
static uint32_t number(void)
{
    const uint8_t from = byte();
    return from == 255 ? UINT32_MAX : from >= 250 ? UINT32_C(0x7ffffff0) + from : from % 16;
}

static uint64_t large(void)
{
    const uint32_t from = number();
    return from == UINT32_MAX ? UINT64_MAX : from;
}

/* The callbacks are where the library's own would be. */
#define DEFINITIONS(row)                                                                       \
    row(ClockProperties) row(String) row(SystemTreeNode) row(LocationGroup) row(Location)      \
        row(Region) row(Group) row(Comm) row(InterComm) row(RmaWin) row(Parameter)             \
            row(MetricMember) row(MetricClass) row(MetricInstance) row(CallingContext)         \
                row(CartDimension) row(CartTopology) row(CartCoordinate) row(IoHandle)
#define EVENTS(row)                                                                            \
    row(Enter) row(Leave) row(CallingContextEnter) row(CallingContextLeave)                    \
        row(CallingContextSample) row(MpiSend) row(MpiIsend) row(MpiIsendComplete)             \
            row(MpiRecv) row(MpiIrecv) row(MpiIrecvRequest) row(MpiRequestCancelled)           \
                row(MpiCollectiveEnd) row(NonBlockingCollectiveRequest)                        \
                    row(NonBlockingCollectiveComplete) row(RmaPut) row(RmaGet) row(RmaAtomic)  \
                        row(RmaWinCreate) row(RmaWinDestroy) row(RmaCollectiveEnd)             \
                            row(RmaSync) row(RmaRequestLock) row(RmaReleaseLock)               \
                                row(ParameterUnsignedInt) row(Metric) row(MeasurementOnOff)    \
                                    row(IoOperationBegin) row(IoOperationComplete)

#define MEMBER_OF_DEFINITIONS(name) OTF2_GlobalDefReaderCallback_##name name;
#define MEMBER_OF_EVENTS(name)      OTF2_EvtReaderCallback_##name name;
struct OTF2_GlobalDefReaderCallbacks_struct {
    DEFINITIONS(MEMBER_OF_DEFINITIONS)
};
struct OTF2_EvtReaderCallbacks_struct {
    EVENTS(MEMBER_OF_EVENTS)
};

#define SETTER_OF_DEFINITIONS(name)                                                            \
    OTF2_ErrorCode OTF2_GlobalDefReaderCallbacks_Set##name##Callback(                          \
        OTF2_GlobalDefReaderCallbacks *all, OTF2_GlobalDefReaderCallback_##name function)      \
    {                                                                                          \
        all->name = function;                                                                  \
        return OTF2_SUCCESS;                                                                   \
    }
#define SETTER_OF_EVENTS(name)                                                                 \
    OTF2_ErrorCode OTF2_EvtReaderCallbacks_Set##name##Callback(                                \
        OTF2_EvtReaderCallbacks *all, OTF2_EvtReaderCallback_##name function)                  \
    {                                                                                          \
        all->name = function;                                                                  \
        return OTF2_SUCCESS;                                                                   \
    }
DEFINITIONS(SETTER_OF_DEFINITIONS)
EVENTS(SETTER_OF_EVENTS)

OTF2_GlobalDefReaderCallbacks *OTF2_GlobalDefReaderCallbacks_New(void)
{
    return calloc(1, sizeof(OTF2_GlobalDefReaderCallbacks));
}

void OTF2_GlobalDefReaderCallbacks_Delete(OTF2_GlobalDefReaderCallbacks *all)
{
    free(all);
}

OTF2_EvtReaderCallbacks *OTF2_EvtReaderCallbacks_New(void)
{
    return calloc(1, sizeof(OTF2_EvtReaderCallbacks));
}

void OTF2_EvtReaderCallbacks_Delete(OTF2_EvtReaderCallbacks *all)
{
    free(all);
}

/* An archive that is open. */
struct OTF2_Reader_struct {
    OTF2_GlobalDefReaderCallbacks definitions;
    void *data;
    OTF2_LockingCallbacks locking;
    void *locking_data;
};

/* One location of it; all have the same input, and tell of their own events. */
struct OTF2_EvtReader_struct {
    OTF2_EvtReaderCallbacks events;
    void *data;
    OTF2_LocationRef location;
    size_t at;
    uint64_t time;
    bool is_own; /* the event that is being read */
};

OTF2_Reader *OTF2_Reader_Open(const char *path)
{
    (void)path;
    input.at = 1;
    return calloc(1, sizeof(OTF2_Reader));
}

OTF2_ErrorCode OTF2_Reader_SetLockingCallbacks(OTF2_Reader *reader,
                                               const OTF2_LockingCallbacks *callbacks,
                                               void *data)
{
    reader->locking = *callbacks;
    reader->locking_data = data;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_Close(OTF2_Reader *reader)
{
    if (reader->locking.otf2_release)
        reader->locking.otf2_release(reader->locking_data);
    free(reader);
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_GetCreator(OTF2_Reader *reader, char **creator)
{
    (void)reader;
    *creator = strdup(input.size > 0 && input.bytes[0] % 2 ? "tsprof 1" : "another");
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_GetProperty(OTF2_Reader *reader, const char *name, char **value)
{
    (void)reader, (void)name;
    *value = strdup(fake_strings[5]);
    return OTF2_SUCCESS;
}

/* Handles that nothing is behind. */
static char something;

OTF2_GlobalDefReader *OTF2_Reader_GetGlobalDefReader(OTF2_Reader *reader)
{
    (void)reader;
    return (void *)&something;
}

OTF2_DefReader *OTF2_Reader_GetDefReader(OTF2_Reader *reader, OTF2_LocationRef location)
{
    (void)reader, (void)location;
    return NULL;
}

OTF2_EvtReader *OTF2_Reader_GetEvtReader(OTF2_Reader *reader, OTF2_LocationRef location)
{
    (void)reader;
    OTF2_EvtReader *events = calloc(1, sizeof *events);
    if (events) {
        events->location = location;
        events->at = input.events;
    }
    return events;
}

OTF2_ErrorCode OTF2_Reader_CloseEvtReader(OTF2_Reader *reader, OTF2_EvtReader *events)
{
    (void)reader;
    free(events);
    return OTF2_SUCCESS;
}

#define SUCCEEDS(name, ...)                                                                    \
    OTF2_ErrorCode name(__VA_ARGS__)                                                           \
    {                                                                                          \
        return OTF2_SUCCESS;                                                                   \
    }
#pragma GCC diagnostic ignored "-Wunused-parameter"
SUCCEEDS(OTF2_Reader_SetSerialCollectiveCallbacks, OTF2_Reader *reader)
SUCCEEDS(OTF2_Reader_SelectLocation, OTF2_Reader *reader, OTF2_LocationRef location)
SUCCEEDS(OTF2_Reader_OpenDefFiles, OTF2_Reader *reader)
SUCCEEDS(OTF2_Reader_CloseDefFiles, OTF2_Reader *reader)
SUCCEEDS(OTF2_Reader_OpenEvtFiles, OTF2_Reader *reader)
SUCCEEDS(OTF2_Reader_CloseEvtFiles, OTF2_Reader *reader)
SUCCEEDS(OTF2_Reader_CloseDefReader, OTF2_Reader *reader, OTF2_DefReader *definitions)
SUCCEEDS(OTF2_Reader_CloseGlobalDefReader, OTF2_Reader *reader, OTF2_GlobalDefReader *all)
SUCCEEDS(OTF2_Reader_ReadAllLocalDefinitions, OTF2_Reader *reader, OTF2_DefReader *definitions,
         uint64_t *read)

OTF2_ErrorCallback OTF2_Error_RegisterCallback(OTF2_ErrorCallback callback, void *data)
{
    (void)data;
    return callback;
}

OTF2_ErrorCode OTF2_Reader_RegisterGlobalDefCallbacks(OTF2_Reader *reader,
                                                      OTF2_GlobalDefReader *all,
                                                      const OTF2_GlobalDefReaderCallbacks *from,
                                                      void *data)
{
    (void)all;
    reader->definitions = *from;
    reader->data = data;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_RegisterEvtCallbacks(OTF2_Reader *reader, OTF2_EvtReader *events,
                                                const OTF2_EvtReaderCallbacks *from, void *data)
{
    (void)reader;
    events->events = *from;
    events->data = data;
    return OTF2_SUCCESS;
}

/* Definitions */

enum { LIST_MOST = 16 };

/* Up to LIST_MOST numbers; how many there are. */
static unsigned take_list(uint64_t *list)
{
    const unsigned count = byte() % (LIST_MOST + 1);
    for (unsigned i = 0; i < count; i++)
        list[i] = large();
    return count;
}

static void define_group(const OTF2_Reader *reader)
{
    static const OTF2_GroupType types[] = {OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                           OTF2_GROUP_TYPE_COMM_GROUP,
                                           OTF2_GROUP_TYPE_COMM_SELF, OTF2_GROUP_TYPE_UNKNOWN};
    uint64_t list[LIST_MOST];
    const uint32_t self = number();
    const OTF2_GroupType type = types[byte() % 4];
    const unsigned count = take_list(list);
    reader->definitions.Group(reader->data, self, number(), type, OTF2_PARADIGM_MPI,
                              OTF2_GROUP_FLAG_NONE, count, list);
}

static void define_region(const OTF2_Reader *reader)
{
    static const OTF2_Paradigm paradigms[] = {OTF2_PARADIGM_MPI, OTF2_PARADIGM_USER,
                                              OTF2_PARADIGM_SAMPLING};
    const uint32_t self = number(), name = byte();
    const OTF2_RegionRole role = byte() % 40;
    const OTF2_Paradigm paradigm = paradigms[byte() % 3];
    const OTF2_RegionFlag flags = byte() % 4 ? OTF2_REGION_FLAG_NONE : OTF2_REGION_FLAG_DYNAMIC;
    reader->definitions.Region(reader->data, self, name, name, name, role, paradigm, flags,
                               name, number(), 0);
}

static void define_topology(const OTF2_Reader *reader)
{
    uint64_t list[LIST_MOST];
    OTF2_CartDimensionRef dimensions[LIST_MOST];
    const uint32_t self = number(), comm = number();
    const unsigned count = take_list(list);
    for (unsigned i = 0; i < count; i++)
        dimensions[i] = (OTF2_CartDimensionRef)list[i];
    reader->definitions.CartTopology(reader->data, self, 0, comm, (uint8_t)count, dimensions);
}

static void define_coordinate(const OTF2_Reader *reader)
{
    uint64_t list[LIST_MOST];
    uint32_t place[LIST_MOST];
    const uint32_t topology = number(), rank = number();
    const unsigned count = take_list(list);
    for (unsigned i = 0; i < count; i++)
        place[i] = (uint32_t)list[i];
    reader->definitions.CartCoordinate(reader->data, topology, rank, (uint8_t)count, place);
}

static void define_class(const OTF2_Reader *reader)
{
    uint64_t list[LIST_MOST];
    OTF2_MetricMemberRef members[LIST_MOST];
    const uint32_t self = number();
    const unsigned count = take_list(list);
    for (unsigned i = 0; i < count; i++)
        members[i] = (OTF2_MetricMemberRef)list[i];
    reader->definitions.MetricClass(reader->data, self, (uint8_t)count, members,
                                    OTF2_METRIC_SYNCHRONOUS, OTF2_RECORDER_KIND_CPU);
}

/* Of these each number is one byte. */
static void define_simple(const OTF2_Reader *reader, enum fake_definition kind)
{
    const OTF2_GlobalDefReaderCallbacks *to = &reader->definitions;
    void *data = reader->data;
    const uint32_t self = number(), one = number(), other = number();
    switch (kind) {
    case FAKE_CLOCK:
        to->ClockProperties(data, self == 0 ? 1000000000 : self, one, other, 0);
        break;
    case FAKE_STRING:
        to->String(data, self == UINT32_MAX ? one : self * 16 + one,
                   fake_strings[(self * 16 + one) % fake_string_count]);
        break;
    case FAKE_NODE:
        to->SystemTreeNode(data, self, one, 0, other);
        break;
    case FAKE_PROCESS:
        to->LocationGroup(data, self, one, OTF2_LOCATION_GROUP_TYPE_PROCESS, other,
                          OTF2_UNDEFINED_LOCATION_GROUP);
        break;
    case FAKE_THREAD:
        to->Location(data, self, one, OTF2_LOCATION_TYPE_CPU_THREAD, 0, other);
        break;
    case FAKE_COMM:
        to->Comm(data, self, one, other, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
        break;
    case FAKE_INTERCOMM:
        to->InterComm(data, self, 0, one, other, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
        break;
    case FAKE_WINDOW:
        to->RmaWin(data, self, one, other, OTF2_RMA_WIN_FLAG_NONE);
        break;
    case FAKE_HANDLE:
        to->IoHandle(data, self, one, 0, 0, OTF2_IO_HANDLE_FLAG_NONE, other,
                     OTF2_UNDEFINED_IO_HANDLE);
        break;
    case FAKE_PARAMETER:
        to->Parameter(data, self, one, OTF2_PARAMETER_TYPE_UINT64);
        break;
    case FAKE_COUNTER:
        to->MetricMember(data, self, one, 0, OTF2_METRIC_TYPE_PAPI,
                         OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_INT64, OTF2_BASE_DECIMAL, 0,
                         other);
        break;
    case FAKE_INSTANCE:
        to->MetricInstance(data, self, one, other, OTF2_SCOPE_LOCATION, 0);
        break;
    case FAKE_CONTEXT:
        to->CallingContext(data, self, one, OTF2_UNDEFINED_SOURCE_CODE_LOCATION, other);
        break;
    default:
        to->CartDimension(data, self, one, other,
                          byte() % 2 ? OTF2_CART_PERIODIC_TRUE : OTF2_CART_PERIODIC_FALSE);
        break;
    }
}

static void define(const OTF2_Reader *reader, enum fake_definition kind)
{
    static void (*const with_lists[FAKE_DEFINITIONS])(const OTF2_Reader *) = {
        [FAKE_GROUP] = define_group,           [FAKE_REGION] = define_region,
        [FAKE_TOPOLOGY] = define_topology,     [FAKE_CLASS] = define_class,
        [FAKE_COORDINATE] = define_coordinate,
    };
    if (with_lists[kind])
        with_lists[kind](reader);
    else
        define_simple(reader, kind);
}

OTF2_ErrorCode OTF2_Reader_ReadAllGlobalDefinitions(OTF2_Reader *reader,
                                                    OTF2_GlobalDefReader *all, uint64_t *read)
{
    enum fake_definition kind;
    (void)all;
    *read = 0;
    while ((kind = (enum fake_definition)(byte() % FAKE_DEFINITIONS)) != FAKE_EVENTS)
        define(reader, kind);
    input.events = input.at;
    return OTF2_SUCCESS;
}

/* Events */

/* One of the events that tell of a request. */
static void tell_request(const OTF2_EvtReader *reader, uint64_t time)
{
    const OTF2_EvtReaderCallbacks *to = &reader->events;
    OTF2_CallbackCode (*const kinds[])(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void *,
                                       OTF2_AttributeList *, uint64_t) = {
        to->MpiIsendComplete, to->MpiIrecvRequest, to->MpiRequestCancelled,
        to->NonBlockingCollectiveRequest};
    const unsigned kind = byte() % 4;
    const uint64_t request = large();
    if (reader->is_own)
        kinds[kind](reader->location, time, 0, reader->data, NULL, request);
}

static void tell_metric(const OTF2_EvtReader *reader, uint64_t time)
{
    OTF2_Type types[LIST_MOST];
    OTF2_MetricValue values[LIST_MOST];
    const uint32_t metric = number();
    const unsigned count = byte() % (LIST_MOST + 1);
    for (unsigned i = 0; i < count; i++) {
        types[i] = i % 2 ? OTF2_TYPE_INT64 : OTF2_TYPE_DOUBLE;
        values[i].unsigned_int = large();
    }
    if (reader->is_own)
        reader->events.Metric(reader->location, time, 0, reader->data, NULL, metric,
                              (uint8_t)count, types, values);
}

static void tell_of_window(const OTF2_EvtReader *reader, enum fake_event kind, uint64_t time)
{
    static const OTF2_RmaSyncType types[] = {
        OTF2_RMA_SYNC_TYPE_MEMORY, OTF2_RMA_SYNC_TYPE_NOTIFY_IN, OTF2_RMA_SYNC_TYPE_NOTIFY_OUT};
    const OTF2_EvtReaderCallbacks *to = &reader->events;
    void *data = reader->data;
    const uint32_t window = number(), remote = number();
    const uint64_t bytes = large();
    switch (kind) {
    case FAKE_PUT:
        if (reader->is_own)
            to->RmaPut(reader->location, time, 0, data, NULL, window, remote, bytes, 0);
        break;
    case FAKE_GET:
        if (reader->is_own)
            to->RmaGet(reader->location, time, 0, data, NULL, window, remote, bytes, 0);
        break;
    case FAKE_ATOMIC:
        if (reader->is_own)
            to->RmaAtomic(reader->location, time, 0, data, NULL, window, remote,
                          OTF2_RMA_ATOMIC_TYPE_ACCUMULATE, bytes, bytes, 0);
        break;
    case FAKE_WINDOW_CREATE:
        if (reader->is_own)
            to->RmaWinCreate(reader->location, time, 0, data, NULL, window);
        break;
    case FAKE_WINDOW_FREE:
        if (reader->is_own)
            to->RmaWinDestroy(reader->location, time, 0, data, NULL, window);
        break;
    case FAKE_WINDOW_COLLECTIVE:
        if (reader->is_own)
            to->RmaCollectiveEnd(reader->location, time, 0, data, NULL,
                                 OTF2_COLLECTIVE_OP_BARRIER, OTF2_RMA_SYNC_LEVEL_NONE, window,
                                 remote, 0, 0);
        break;
    case FAKE_SYNC:
        if (reader->is_own)
            to->RmaSync(reader->location, time, 0, data, NULL, window, remote,
                        types[bytes % 3]);
        break;
    case FAKE_LOCK:
        if (reader->is_own)
            to->RmaRequestLock(reader->location, time, 0, data, NULL, window, remote, 0,
                               bytes % 2 ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED);
        break;
    default:
        if (reader->is_own)
            to->RmaReleaseLock(reader->location, time, 0, data, NULL, window, remote, 0);
        break;
    }
}

static void tell_of_messages(const OTF2_EvtReader *reader, enum fake_event kind, uint64_t time)
{
    const OTF2_EvtReaderCallbacks *to = &reader->events;
    void *data = reader->data;
    const uint32_t rank = number(), comm = number(), tag = byte() % 2;
    const uint64_t bytes = large();
    const bool is_collective = kind == FAKE_COLLECTIVE || kind == FAKE_NONBLOCKING,
               has_request =
                   kind == FAKE_ISEND || kind == FAKE_IRECV || kind == FAKE_NONBLOCKING;
    const uint8_t operation = is_collective ? byte() % 24 : 0;
    const uint64_t request = has_request ? large() : 0;
    switch (kind) {
    case FAKE_SEND:
        if (reader->is_own)
            to->MpiSend(reader->location, time, 0, data, NULL, rank, comm, tag, bytes);
        break;
    case FAKE_ISEND:
        if (reader->is_own)
            to->MpiIsend(reader->location, time, 0, data, NULL, rank, comm, tag, bytes,
                         request);
        break;
    case FAKE_RECV:
        if (reader->is_own)
            to->MpiRecv(reader->location, time, 0, data, NULL, rank, comm, tag, bytes);
        break;
    case FAKE_IRECV:
        if (reader->is_own)
            to->MpiIrecv(reader->location, time, 0, data, NULL, rank, comm, tag, bytes,
                         request);
        break;
    case FAKE_COLLECTIVE:
        if (reader->is_own)
            to->MpiCollectiveEnd(reader->location, time, 0, data, NULL, operation, comm, rank,
                                 bytes, bytes);
        break;
    default:
        if (reader->is_own)
            to->NonBlockingCollectiveComplete(reader->location, time, 0, data, NULL, operation,
                                              comm, rank, bytes, bytes, request);
        break;
    }
}

static void tell_of_functions(const OTF2_EvtReader *reader, enum fake_event kind, uint64_t time)
{
    const OTF2_EvtReaderCallbacks *to = &reader->events;
    void *data = reader->data;
    const uint32_t which = number();
    const uint8_t flags = kind == FAKE_FILE_BEGIN ? byte() % 4 : 0;
    const bool has_number =
        kind == FAKE_FILE_BEGIN || kind == FAKE_FILE_END || kind == FAKE_NUMBER;
    const uint64_t number_of = has_number ? large() : 0;
    switch (kind) {
    case FAKE_ENTER:
        if (reader->is_own)
            to->Enter(reader->location, time, 0, data, NULL, which);
        break;
    case FAKE_LEAVE:
        if (reader->is_own)
            to->Leave(reader->location, time, 0, data, NULL, which);
        break;
    case FAKE_CONTEXT_ENTER:
        if (reader->is_own)
            to->CallingContextEnter(reader->location, time, 0, data, NULL, which, 0);
        break;
    case FAKE_CONTEXT_LEAVE:
        if (reader->is_own)
            to->CallingContextLeave(reader->location, time, 0, data, NULL, which);
        break;
    case FAKE_SAMPLE:
        if (reader->is_own)
            to->CallingContextSample(reader->location, time, 0, data, NULL, which, 0, 0);
        break;
    case FAKE_FILE_BEGIN:
        if (reader->is_own)
            to->IoOperationBegin(reader->location, time, 0, data, NULL, which,
                                 OTF2_IO_OPERATION_MODE_WRITE, flags, 8, number_of);
        break;
    case FAKE_FILE_END:
        if (reader->is_own)
            to->IoOperationComplete(reader->location, time, 0, data, NULL, which, 8, number_of);
        break;
    case FAKE_NUMBER:
        if (reader->is_own)
            to->ParameterUnsignedInt(reader->location, time, 0, data, NULL, which, number_of);
        break;
    default:
        if (reader->is_own)
            to->MeasurementOnOff(reader->location, time, 0, data, NULL,
                                 which % 2 ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF);
        break;
    }
}

static bool is_of_window(enum fake_event kind)
{
    return kind >= FAKE_PUT && kind <= FAKE_UNLOCK;
}

static bool is_of_messages(enum fake_event kind)
{
    return (kind >= FAKE_SEND && kind <= FAKE_IRECV) || kind == FAKE_COLLECTIVE ||
           kind == FAKE_NONBLOCKING;
}

static void tell(OTF2_EvtReader *reader)
{
    const enum fake_event kind = (enum fake_event)(byte() % FAKE_EVENT_KINDS);
    const uint64_t location = large(), later = byte();
    reader->is_own = location == reader->location;
    reader->time += later == 255 ? UINT64_C(1) << 56 : later;
    if (kind == FAKE_REQUEST)
        tell_request(reader, reader->time);
    else if (kind == FAKE_METRIC)
        tell_metric(reader, reader->time);
    else if (is_of_window(kind))
        tell_of_window(reader, kind, reader->time);
    else if (is_of_messages(kind))
        tell_of_messages(reader, kind, reader->time);
    else
        tell_of_functions(reader, kind, reader->time);
}

OTF2_ErrorCode OTF2_EvtReader_ReadEvents(OTF2_EvtReader *reader, uint64_t wanted,
                                         uint64_t *read)
{
    input.at = reader->at;
    for (*read = 0; *read < wanted && input.at < input.size;) {
        tell(reader);
        *read += reader->is_own;
    }
    reader->at = input.at;
    return OTF2_SUCCESS;
}

/* Nothing lies beside what is not there. */
bool otf2_is_moved(const char *anchor)
{
    (void)anchor;
    return false;
}
