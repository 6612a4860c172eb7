/*
 * Events come in the order in which the OTF2 library's reader of all locations has them, and
 * with its times: with numbers and a clock of a location's own, in any number of chunks, by any
 * number of threads; and what is damaged gives what was before it.
 */
#include "archive/otf2_reader.h"

#include "base/base.h"
#include "tap.h"

#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LOCATIONS = 40,
    EVENTS = 1500,
    EVENTS_OF_FIRST = 60000,
    THINGS = 8,
    TICKS = 3,
    BEGIN = 900
};

static bool has_terms = true; /* locations have numbers and clocks of their own */
static char directory[] = "/tmp/tsprof-event-order.XXXXXX";
static uint64_t chance = 20261127;

/* A number below MOST, another each time. */
static uint64_t any(uint64_t most)
{
    chance = chance * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (chance >> 33) % most;
}

/* A number of any length, or with all bits set. */
static uint64_t any_length(void)
{
    const uint64_t bits = any(66);
    return bits == 65  ? UINT64_MAX
           : bits == 0 ? 0
                       : (any(UINT32_MAX) << 32 | any(UINT32_MAX)) >> (64 - bits % 65) % 64;
}

/* A reference, which may not be defined. */
static uint32_t thing(void)
{
    const uint64_t number = any(THINGS + 2);
    return number > THINGS ? UINT32_MAX : (uint32_t)number;
}

static uint32_t rank(void)
{
    return any(20) == 0 ? UINT32_MAX : (uint32_t)any(LOCATIONS);
}

static void write_metric(OTF2_EvtWriter *to, OTF2_TimeStamp time)
{
    OTF2_Type types[40];
    OTF2_MetricValue values[40];
    const uint8_t count = (uint8_t)any(40);
    for (unsigned i = 0; i < count; i++) {
        types[i] = any(2) ? OTF2_TYPE_UINT64 : OTF2_TYPE_INT64;
        values[i].unsigned_int = any_length();
    }
    OTF2_EvtWriter_Metric(to, NULL, time, thing(), count, types, values);
}

static void write_message(OTF2_EvtWriter *to, OTF2_TimeStamp time)
{
    switch (any(8)) {
    case 0:
        OTF2_EvtWriter_MpiSend(to, NULL, time, rank(), thing(), (uint32_t)any_length(),
                               any_length());
        break;
    case 1:
        OTF2_EvtWriter_MpiIsend(to, NULL, time, rank(), thing(), (uint32_t)any_length(),
                                any_length(), any_length());
        break;
    case 2:
        OTF2_EvtWriter_MpiIsendComplete(to, NULL, time, any_length());
        break;
    case 3:
        OTF2_EvtWriter_MpiIrecvRequest(to, NULL, time, any_length());
        break;
    case 4:
        OTF2_EvtWriter_MpiRecv(to, NULL, time, rank(), thing(), (uint32_t)any_length(),
                               any_length());
        break;
    case 5:
        OTF2_EvtWriter_MpiIrecv(to, NULL, time, rank(), thing(), (uint32_t)any_length(),
                                any_length(), any_length());
        break;
    case 6:
        OTF2_EvtWriter_MpiRequestCancelled(to, NULL, time, any_length());
        break;
    default:
        OTF2_EvtWriter_MpiRequestTest(to, NULL, time, any_length());
        break;
    }
}

static void write_collective(OTF2_EvtWriter *to, OTF2_TimeStamp time)
{
    const OTF2_CollectiveOp operation = (OTF2_CollectiveOp)any(20);
    switch (any(4)) {
    case 0:
        OTF2_EvtWriter_MpiCollectiveBegin(to, NULL, time);
        break;
    case 1:
        OTF2_EvtWriter_MpiCollectiveEnd(to, NULL, time, operation, thing(), rank(),
                                        any_length(), any_length());
        break;
    case 2:
        OTF2_EvtWriter_NonBlockingCollectiveRequest(to, NULL, time, any_length());
        break;
    default:
        OTF2_EvtWriter_NonBlockingCollectiveComplete(to, NULL, time, operation, thing(), rank(),
                                                     any_length(), any_length(), any_length());
        break;
    }
}

static void write_window(OTF2_EvtWriter *to, OTF2_TimeStamp time)
{
    switch (any(9)) {
    case 0:
        OTF2_EvtWriter_RmaWinCreate(to, NULL, time, thing());
        break;
    case 1:
        OTF2_EvtWriter_RmaWinDestroy(to, NULL, time, thing());
        break;
    case 2:
        OTF2_EvtWriter_RmaCollectiveEnd(to, NULL, time, (OTF2_CollectiveOp)any(3), any(4),
                                        thing(), rank(), any_length(), any_length());
        break;
    case 3:
        OTF2_EvtWriter_RmaRequestLock(to, NULL, time, thing(), rank(), any_length(),
                                      (OTF2_LockType)any(2));
        break;
    case 4:
        OTF2_EvtWriter_RmaReleaseLock(to, NULL, time, thing(), rank(), any_length());
        break;
    case 5:
        OTF2_EvtWriter_RmaSync(to, NULL, time, thing(), rank(), (OTF2_RmaSyncType)any(3));
        break;
    case 6:
        OTF2_EvtWriter_RmaPut(to, NULL, time, thing(), rank(), any_length(), any_length());
        break;
    case 7:
        OTF2_EvtWriter_RmaGet(to, NULL, time, thing(), rank(), any_length(), any_length());
        break;
    default:
        OTF2_EvtWriter_RmaAtomic(to, NULL, time, thing(), rank(), (OTF2_RmaAtomicType)any(4),
                                 any_length(), any_length(), any_length());
        break;
    }
}

/* Few operations on files, so that some that begin also end. */
static void write_file(OTF2_EvtWriter *to, OTF2_TimeStamp time)
{
    if (any(2))
        OTF2_EvtWriter_IoOperationBegin(to, NULL, time, thing(), (OTF2_IoOperationMode)any(2),
                                        (OTF2_IoOperationFlag)any(4), any_length(), any(2));
    else
        OTF2_EvtWriter_IoOperationComplete(to, NULL, time, thing(), any_length(), any(2));
}

/* What says nothing to traces, with attributes, and much of them. */
static void write_other(OTF2_EvtWriter *to, OTF2_TimeStamp time)
{
    OTF2_AttributeList *attributes = OTF2_AttributeList_New();
    for (uint32_t i = 0, count = (uint32_t)any(60); i < count; i++)
        OTF2_AttributeList_AddUint64(attributes, i, any_length());
    if (any(2))
        OTF2_EvtWriter_ThreadFork(to, attributes, time, OTF2_PARADIGM_OPENMP, thing());
    else
        OTF2_EvtWriter_Leave(to, attributes, time, thing());
    OTF2_AttributeList_Delete(attributes);
}

static void write_event(OTF2_EvtWriter *to, OTF2_TimeStamp time)
{
    switch (any(16)) {
    case 0:
        write_metric(to, time);
        break;
    case 1:
        write_collective(to, time);
        break;
    case 2:
        write_window(to, time);
        break;
    case 3:
        write_file(to, time);
        break;
    case 4:
        write_other(to, time);
        break;
    case 5:
        OTF2_EvtWriter_ParameterUnsignedInt(to, NULL, time, thing(), any(100));
        break;
    case 6:
        OTF2_EvtWriter_MeasurementOnOff(to, NULL, time,
                                        any(9) ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF);
        break;
    case 7:
        OTF2_EvtWriter_CallingContextSample(to, NULL, time, thing(), 3, 0);
        break;
    case 8:
        OTF2_EvtWriter_CallingContextEnter(to, NULL, time, thing(), 2);
        break;
    case 9:
        OTF2_EvtWriter_CallingContextLeave(to, NULL, time, thing());
        break;
    case 10:
    case 11:
        OTF2_EvtWriter_Enter(to, NULL, time, thing());
        break;
    case 12:
        OTF2_EvtWriter_Leave(to, NULL, time, thing());
        break;
    default:
        write_message(to, time);
        break;
    }
}

static OTF2_FlushType flush_always(void *data, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool is_final)
{
    (void)data, (void)type, (void)location, (void)caller, (void)is_final;
    return OTF2_FLUSH;
}

static OTF2_TimeStamp no_time(void *data, OTF2_FileType type, OTF2_LocationRef location)
{
    (void)data, (void)type, (void)location;
    return 0;
}

/* Locations are not numbered as they are defined. */
static OTF2_LocationRef location_of(unsigned number)
{
    return (number * 7 + 3) % LOCATIONS + (number > LOCATIONS / 2 ? 1000 : 0);
}

static unsigned events_of(unsigned number)
{
    return number == 0 ? EVENTS_OF_FIRST : number == 1 ? 0 : EVENTS;
}

static void write_events(OTF2_Archive *archive)
{
    OTF2_Archive_OpenEvtFiles(archive);
    for (unsigned i = 0; i < LOCATIONS; i++) {
        OTF2_EvtWriter *to = OTF2_Archive_GetEvtWriter(archive, location_of(i));
        OTF2_TimeStamp time = 1000;
        for (unsigned k = 0; k < events_of(i); k++)
            write_event(to, time += any(3));
        OTF2_Archive_CloseEvtWriter(archive, to);
    }
    OTF2_Archive_CloseEvtFiles(archive);
}

/* Own numbers of every second location are turned around; every third has a clock of its own.
 */
static void write_terms(OTF2_DefWriter *to, unsigned number)
{
    static const OTF2_MappingType types[] = {
        OTF2_MAPPING_REGION,    OTF2_MAPPING_METRIC,
        OTF2_MAPPING_COMM,      OTF2_MAPPING_PARAMETER,
        OTF2_MAPPING_RMA_WIN,   OTF2_MAPPING_CALLING_CONTEXT,
        OTF2_MAPPING_IO_HANDLE, OTF2_MAPPING_SOURCE_CODE_LOCATION};
    for (size_t i = 0; number % 2 && i < sizeof types / sizeof *types; i++) {
        OTF2_IdMap *map =
            OTF2_IdMap_Create(number % 4 == 1 ? OTF2_ID_MAP_DENSE : OTF2_ID_MAP_SPARSE, THINGS);
        for (uint64_t k = number % 4 == 1 ? 0 : 2; k < THINGS; k++)
            OTF2_IdMap_AddIdPair(map, k, THINGS - 1 - k);
        OTF2_DefWriter_WriteMappingTable(to, types[i], map);
        OTF2_IdMap_Free(map);
    }
    for (unsigned i = 0; number % 3 == 0 && i < 1 + number % 5; i++)
        OTF2_DefWriter_WriteClockOffset(to, 1200 + 400 * i, (int64_t)any(300) - 150, 0.5);
}

static void write_local_definitions(OTF2_Archive *archive)
{
    OTF2_Archive_OpenDefFiles(archive);
    for (unsigned i = 0; i < LOCATIONS; i++) {
        OTF2_DefWriter *to = OTF2_Archive_GetDefWriter(archive, location_of(i));
        if (has_terms)
            write_terms(to, i);
        OTF2_Archive_CloseDefWriter(archive, to);
    }
    OTF2_Archive_CloseDefFiles(archive);
}

static void write_things(OTF2_GlobalDefWriter *to)
{
    static const char *const names[] = {"",    "one", "two", "MPI_Recv", "tsprof iteration",
                                        "node"};
    uint64_t members[LOCATIONS];
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        OTF2_GlobalDefWriter_WriteString(to, i, names[i]);
    for (uint32_t i = 0; i < LOCATIONS; i++)
        members[i] = i;
    OTF2_GlobalDefWriter_WriteGroup(to, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, LOCATIONS, members);
    for (uint32_t i = 0; i < THINGS; i++) {
        const OTF2_MetricMemberRef member = i;
        OTF2_GlobalDefWriter_WriteRegion(
            to, i, i % 4, i % 4, 0, i == 5 ? OTF2_REGION_ROLE_LOOP : OTF2_REGION_ROLE_FUNCTION,
            i == 3 ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER,
            i == 6 ? OTF2_REGION_FLAG_PHASE | OTF2_REGION_FLAG_DYNAMIC : OTF2_REGION_FLAG_NONE,
            0, 0, 0);
        OTF2_GlobalDefWriter_WriteComm(to, i, 0, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
        OTF2_GlobalDefWriter_WriteRmaWin(to, i, 0, THINGS - 1 - i, OTF2_RMA_WIN_FLAG_NONE);
        OTF2_GlobalDefWriter_WriteParameter(to, i, 4, OTF2_PARAMETER_TYPE_UINT64);
        OTF2_GlobalDefWriter_WriteMetricMember(to, i, 1, 0, OTF2_METRIC_TYPE_OTHER,
                                               OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_UINT64,
                                               OTF2_BASE_DECIMAL, 0, 2);
        OTF2_GlobalDefWriter_WriteMetricClass(to, i, 1, &member, OTF2_METRIC_ASYNCHRONOUS,
                                              OTF2_RECORDER_KIND_CPU);
        OTF2_GlobalDefWriter_WriteCallingContext(
            to, i, THINGS - 1 - i, OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
            i > 0 ? i - 1 : OTF2_UNDEFINED_CALLING_CONTEXT);
        OTF2_GlobalDefWriter_WriteIoHandle(to, i, 0, OTF2_UNDEFINED_IO_FILE, 0,
                                           OTF2_IO_HANDLE_FLAG_NONE, i,
                                           OTF2_UNDEFINED_IO_HANDLE);
    }
}

static void write_global_definitions(OTF2_Archive *archive)
{
    OTF2_GlobalDefWriter *to = OTF2_Archive_GetGlobalDefWriter(archive);
    uint64_t members[LOCATIONS];
    OTF2_GlobalDefWriter_WriteClockProperties(to, UINT64_C(1000000000) / TICKS, BEGIN, 200000,
                                              OTF2_UNDEFINED_TIMESTAMP);
    write_things(to);
    OTF2_GlobalDefWriter_WriteSystemTreeNode(to, 0, 5, 5, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (unsigned i = 0; i < LOCATIONS; i++) {
        OTF2_GlobalDefWriter_WriteLocationGroup(to, i, 1, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                OTF2_UNDEFINED_LOCATION_GROUP);
        OTF2_GlobalDefWriter_WriteLocation(to, location_of(i), 1, OTF2_LOCATION_TYPE_CPU_THREAD,
                                           events_of(i), i);
        members[i] = location_of(i);
    }
    OTF2_GlobalDefWriter_WriteGroup(to, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, LOCATIONS, members);
}

static void write_archive(void)
{
    static const OTF2_FlushCallbacks flush = {flush_always, no_time};
    OTF2_Archive *archive =
        OTF2_Archive_Open(directory, "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_MIN,
                          OTF2_CHUNK_SIZE_MIN, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    NEED(archive);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL);
    write_events(archive);
    write_local_definitions(archive);
    write_global_definitions(archive);
    NEED(OTF2_Archive_Close(archive) == OTF2_SUCCESS);
}

/* What was read: how many events of each kind, and a digest of all they say, in their order. */
struct seen {
    uint64_t count, kinds[TRACE_OFF + 1], digest;
};

static void add(struct seen *seen, uint64_t number)
{
    seen->digest = index_hash_number(seen->digest, number);
}

static void look(void *context, const struct trace_event *event)
{
    struct seen *seen = context;
    uint64_t value;
    memcpy(&value, &event->value, sizeof value);
    const uint64_t all[] = {event->kind,
                            event->thread,
                            event->order,
                            event->time_ns,
                            event->region,
                            event->context,
                            event->counter,
                            value,
                            event->peer,
                            event->comm,
                            event->tag,
                            event->window,
                            event->operation,
                            event->is_exclusive,
                            event->root,
                            event->bytes,
                            event->bytes_received,
                            event->request,
                            event->iteration_count};
    seen->count++;
    seen->kinds[event->kind]++;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        add(seen, all[i]);
    for (size_t i = 0; i < event->iteration_count; i++) {
        add(seen, event->iterations[i].phase);
        add(seen, event->iterations[i].number);
    }
}

/* Reads the archive with so many THREADS; whether that succeeded. */
static bool read_archive(unsigned threads, struct seen *seen, struct error *error)
{
    char path[128];
    snprintf(path, sizeof path, "%s/traces.otf2", directory);
    memset(seen, 0, sizeof *seen);
    struct trace *trace = trace_open(path, error);
    if (!trace)
        return false;
    trace_use_threads(trace, threads);
    const bool good = trace_read(trace, look, seen, error);
    trace_close(trace);
    return good;
}

/* Messages that are sent, in order: location, time and tag of each. */
struct order {
    uint64_t *list;
    size_t count, room;
    const struct trace *trace;
};

static void add_order(struct order *order, uint64_t location, uint64_t time_ns, uint64_t region)
{
    order->list = grow_list(order->list, order->count, &order->room, sizeof *order->list);
    order->list[order->count++] = location << 40 | region << 32 | (time_ns & UINT32_MAX);
}

static void look_at_order(void *context, const struct trace_event *event)
{
    struct order *order = context;
    if (event->kind == TRACE_SEND)
        add_order(order, order->trace->reader->threads.keys[event->thread], event->time_ns,
                  event->tag & 127);
}

static OTF2_CallbackCode look_at_send(OTF2_LocationRef location, OTF2_TimeStamp time,
                                      void *context, OTF2_AttributeList *attributes,
                                      uint32_t receiver, OTF2_CommRef comm, uint32_t tag,
                                      uint64_t bytes)
{
    (void)attributes, (void)receiver, (void)comm, (void)bytes;
    add_order(context, location, time > BEGIN ? (time - BEGIN) * TICKS : 0, tag & 127);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode look_at_isend(OTF2_LocationRef location, OTF2_TimeStamp time,
                                       void *context, OTF2_AttributeList *attributes,
                                       uint32_t receiver, OTF2_CommRef comm, uint32_t tag,
                                       uint64_t bytes, uint64_t request)
{
    (void)request;
    return look_at_send(location, time, context, attributes, receiver, comm, tag, bytes);
}

/* What the library's own reader of all locations says. */
static void read_by_library(struct order *order)
{
    char path[128];
    uint64_t read;
    snprintf(path, sizeof path, "%s/traces.otf2", directory);
    OTF2_Reader *reader = OTF2_Reader_Open(path);
    NEED(reader);
    OTF2_Reader_SetSerialCollectiveCallbacks(reader);
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read);
    for (unsigned i = 0; i < LOCATIONS; i++)
        OTF2_Reader_SelectLocation(reader, location_of(i));
    OTF2_Reader_OpenDefFiles(reader);
    OTF2_Reader_OpenEvtFiles(reader);
    for (unsigned i = 0; i < LOCATIONS; i++) {
        OTF2_DefReader *own = OTF2_Reader_GetDefReader(reader, location_of(i));
        OTF2_Reader_ReadAllLocalDefinitions(reader, own, &read);
        OTF2_Reader_CloseDefReader(reader, own);
        OTF2_Reader_GetEvtReader(reader, location_of(i));
    }
    OTF2_GlobalEvtReader *events = OTF2_Reader_GetGlobalEvtReader(reader);
    OTF2_GlobalEvtReaderCallbacks *callbacks = OTF2_GlobalEvtReaderCallbacks_New();
    OTF2_GlobalEvtReaderCallbacks_SetMpiSendCallback(callbacks, look_at_send);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIsendCallback(callbacks, look_at_isend);
    OTF2_Reader_RegisterGlobalEvtCallbacks(reader, events, callbacks, order);
    OTF2_GlobalEvtReaderCallbacks_Delete(callbacks);
    OK(OTF2_Reader_ReadAllGlobalEvents(reader, events, &read) == OTF2_SUCCESS,
       "the library reads the archive");
    OTF2_Reader_Close(reader);
}

static void test_order(void)
{
    struct order theirs = {.list = NULL}, ours = {.list = NULL};
    struct error error;
    char path[128];
    snprintf(path, sizeof path, "%s/traces.otf2", directory);
    read_by_library(&theirs);
    struct trace *trace = trace_open(path, &error);
    NEED(trace);
    ours.trace = trace;
    trace_use_threads(trace, 3);
    OK(trace_read(trace, look_at_order, &ours, &error), "and so do we");
    trace_close(trace);
    OK(theirs.count > 100, "there are messages: %zu", theirs.count);
    EQ_INT(ours.count, theirs.count, "we have all of them");
    NEED(ours.count == theirs.count);
    size_t same = 0;
    while (same < ours.count && ours.list[same] == theirs.list[same])
        same++;
    if (same < ours.count)
        printf("# %zu: %llx, %llx\n", same, (unsigned long long)ours.list[same],
               (unsigned long long)theirs.list[same]);
    EQ_INT(same, ours.count, "in the library's order, with its times");
    free(theirs.list);
    free(ours.list);
}

static void test_threads(struct seen *wanted)
{
    static const unsigned threads[] = {2, 3, 6};
    struct error error;
    OK(read_archive(1, wanted, &error), "is read by one thread");
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        struct seen seen;
        OK(read_archive(threads[i], &seen, &error), "is read by %u threads", threads[i]);
        EQ_INT(seen.count, wanted->count, "all events come");
        OK(memcmp(&seen, wanted, sizeof seen) == 0, "as one has them, in the same order");
    }
    for (size_t i = 0; i <= TRACE_OFF; i++)
        if (i != TRACE_SOURCES && i != TRACE_NEIGHBORHOOD)
            OK(wanted->kinds[i] > 10, "some are of kind %zu", i);
}

/* Leaves BYTES of the file of a location; 0: half of it. */
static void cut_file(unsigned number, off_t bytes)
{
    char path[128];
    struct stat status;
    snprintf(path, sizeof path, "%s/traces/%llu.evt", directory,
             (unsigned long long)location_of(number));
    NEED(stat(path, &status) == 0 && status.st_size > bytes);
    NEED(truncate(path, bytes > 0 ? bytes : status.st_size / 2) == 0);
}

/* A file that is cut gives what was before. */
static void test_cut(void)
{
    char path[128];
    struct seen one, other;
    struct error error;
    cut_file(5, 0);
    OK(!read_archive(1, &one, &error), "an archive with a file that is cut is damaged");
    OK(strstr(error.text, "damaged") != NULL, "it is told: %s", error.text);
    OK(one.count > LOCATIONS * 10, "what is before is read");
    OK(!read_archive(4, &other, &error), "with more threads");
    OK(memcmp(&one, &other, sizeof one) == 0, "it is the same");
    snprintf(path, sizeof path, "%s/traces/%llu.evt", directory,
             (unsigned long long)location_of(5));
    NEED(unlink(path) == 0);
    OK(!read_archive(1, &one, &error), "one that is not there is told of");
    EQ_INT(one.count, 0, "before anything is read");
}

/* The library may read what it has of the chunk before, for ever. */
static void test_cut_between_chunks(void)
{
    struct seen seen;
    struct error error;
    for (off_t more = 40; more >= 0; more -= 10) {
        cut_file(0, 2 * OTF2_CHUNK_SIZE_MIN + more * OTF2_CHUNK_SIZE_MIN / 100);
        OK(!read_archive(1, &seen, &error), "a file that is cut in a later chunk is damaged");
        OK(seen.count < 4 * (EVENTS_OF_FIRST + LOCATIONS * EVENTS), "and comes to an end");
    }
}

/* Times of the thread that has several chunks. */
struct times {
    uint64_t *list;
    size_t count, room;
};

static void note_time(void *context, const struct trace_event *event)
{
    struct times *times = context;
    if (event->thread != 0)
        return;
    times->list = grow_list(times->list, times->count, &times->room, sizeof *times->list);
    times->list[times->count++] = event->time_ns;
}

static uint64_t move_on(void *context, uint32_t thread, uint64_t ns)
{
    (void)context, (void)thread;
    return ns + 3 * UINT64_C(1000000);
}

static struct trace *open_noting(const char *path, struct times *times)
{
    struct error error;
    struct trace *trace = trace_open(path, &error);
    NEED(trace);
    OK(trace_read(trace, note_time, times, &error), "%s is read", path);
    return trace;
}

/* A copy has all events at their new times, those of later chunks, too. */
static void test_moved(void)
{
    enum { ROUNDED_NS = 10 }; /* a tick takes 3 */
    char path[128], copy[128], command[256];
    struct times before = {0}, after = {0};
    struct error error;
    size_t wrong = 0;
    snprintf(command, sizeof command, "rm -r %s/*", directory);
    NEED(system(command) == 0);
    has_terms = false;
    write_archive();
    snprintf(path, sizeof path, "%s/traces.otf2", directory);
    snprintf(copy, sizeof copy, "%s/moved.otf2", directory);
    struct trace *trace = open_noting(path, &before);
    OK(trace_write_moved(trace, copy, false, move_on, NULL, &error), "a copy is written");
    trace_close(trace);
    trace_close(open_noting(copy, &after));
    EQ_INT(after.count, before.count, "it has all events");
    for (size_t i = 0; i < before.count && i < after.count; i++)
        wrong += after.list[i] + ROUNDED_NS < move_on(NULL, 0, before.list[i]) ||
                 after.list[i] > move_on(NULL, 0, before.list[i]) + ROUNDED_NS;
    EQ_INT(wrong, 0, "all are moved");
    free(before.list);
    free(after.list);
}

int main(void)
{
    struct seen wanted;
    char command[128];
    NEED(mkdtemp(directory));
    write_archive();
    test_order();
    test_threads(&wanted);
    test_cut();
    test_moved();
    test_cut_between_chunks();
    snprintf(command, sizeof command, "rm -r %s", directory);
    EQ_INT(system(command), 0, "the archive is removed");
    return tap_done();
}
