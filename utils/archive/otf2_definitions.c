/* The definitions of an archive.  See otf2_reader.h. */
#include "archive/otf2_reader.h"

#include "common/archive_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes room in LIST for the thing at INDEX, in steps that double, if it came last. */
#define ROOM_FOR(list, references, index)                                                      \
    do {                                                                                       \
        if ((index) + 1 == (references).count && ((index) & ((index)-1)) == 0)                 \
            (list) = reallocate((list), 2 * (size_t)(index) + 1, sizeof *(list));              \
    } while (0)

static const char *text_of(const struct otf2_reader *reader, uint64_t string)
{
    const uint32_t index = reference_find(&reader->strings, string);
    return index == TRACE_NONE ? "" : reader->texts[index];
}

static OTF2_CallbackCode take_clock(void *data, uint64_t resolution, uint64_t begin,
                                    uint64_t length, uint64_t realtime)
{
    struct otf2_reader *reader = data;
    (void)realtime;
    reader->resolution = resolution;
    reader->begin = begin;
    if (resolution > 0)
        reader->trace->length_ns =
            (uint64_t)((unsigned __int128)length * 1000000000 / resolution);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_string(void *data, OTF2_StringRef self, const char *string)
{
    struct otf2_reader *reader = data;
    const uint32_t index = reference_add(&reader->strings, self);
    ROOM_FOR(reader->texts, reader->strings, index);
    reader->texts[index] = memory_pool_copy(&reader->trace->pool, string, strlen(string));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_node(void *data, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                                   OTF2_StringRef kind, OTF2_SystemTreeNodeRef parent)
{
    struct otf2_reader *reader = data;
    const uint32_t index = reference_add(&reader->nodes, self);
    (void)kind, (void)parent;
    ROOM_FOR(reader->node_names, reader->nodes, index);
    reader->node_names[index] = name;
    return OTF2_CALLBACK_SUCCESS;
}

/* Whether NAME is one of a process of another job, which takes part in nothing. */
static bool is_foreign(const struct otf2_reader *reader, OTF2_StringRef name)
{
    return strncmp(text_of(reader, name), ARCHIVE_NAME_FOREIGN,
                   sizeof ARCHIVE_NAME_FOREIGN - 1) == 0;
}

static OTF2_CallbackCode take_process(void *data, OTF2_LocationGroupRef self,
                                      OTF2_StringRef name, OTF2_LocationGroupType type,
                                      OTF2_SystemTreeNodeRef node,
                                      OTF2_LocationGroupRef creating)
{
    struct otf2_reader *reader = data;
    (void)type, (void)creating;
    if (is_foreign(reader, name))
        return OTF2_CALLBACK_SUCCESS;
    const uint32_t index = reference_add(&reader->processes, self);
    ROOM_FOR(reader->process_names, reader->processes, index);
    ROOM_FOR(reader->process_nodes, reader->processes, index);
    reader->process_names[index] = name;
    reader->process_nodes[index] = node;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_thread(void *data, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t events,
                                     OTF2_LocationGroupRef group)
{
    struct otf2_reader *reader = data;
    (void)type;
    if (is_foreign(reader, name))
        return OTF2_CALLBACK_SUCCESS;
    const uint32_t index = reference_add(&reader->threads, self);
    ROOM_FOR(reader->trace->threads, reader->threads, index);
    ROOM_FOR(reader->thread_names, reader->threads, index);
    ROOM_FOR(reader->thread_processes, reader->threads, index);
    reader->trace->threads[index] = (struct trace_thread){.events = events};
    reader->thread_names[index] = name;
    reader->thread_processes[index] = group;
    return OTF2_CALLBACK_SUCCESS;
}

static bool begins_with(const char *name, const char *const *beginnings)
{
    for (; *beginnings; beginnings++)
        if (strncmp(name, *beginnings, strlen(*beginnings)) == 0)
            return true;
    return false;
}

static const char *metric_of_rma(const char *name)
{
    static const char *const active[] = {"MPI_Win_fence",
                                         "MPI_Win_post",
                                         "MPI_Win_start",
                                         "MPI_Win_complete",
                                         "MPI_Win_wait",
                                         "MPI_Win_test",
                                         NULL};
    static const char *const passive[] = {"MPI_Win_lock", "MPI_Win_unlock", "MPI_Win_flush",
                                          "MPI_Win_sync", NULL};
    return begins_with(name, active)    ? "mpi_sync_rma_active"
           : begins_with(name, passive) ? "mpi_sync_rma_passive"
                                        : "mpi_rma_communication";
}

/* Not MPI_Initialized and MPI_Finalized, which ask. */
static bool is_setup(const char *name)
{
    return strcmp(name, "MPI_Init") == 0 || strcmp(name, "MPI_Init_thread") == 0 ||
           strcmp(name, "MPI_Finalize") == 0;
}

/* The metric that the time in a function of MPI belongs to. */
static const char *metric_of_mpi(const char *name, OTF2_RegionRole role)
{
    static const char *const messages[] = {"MPI_Wait",  "MPI_Test",  "MPI_Send",  "MPI_Recv",
                                           "MPI_Isend", "MPI_Irecv", "MPI_Probe", "MPI_Iprobe",
                                           "MPI_Start", NULL};
    const size_t length = strlen(name);
    switch (role) {
    case OTF2_REGION_ROLE_BARRIER:
        return "mpi_sync_collective";
    case OTF2_REGION_ROLE_COLL_ONE2ALL:
    case OTF2_REGION_ROLE_COLL_ALL2ONE:
    case OTF2_REGION_ROLE_COLL_ALL2ALL:
        return "mpi_collective";
    case OTF2_REGION_ROLE_COLL_OTHER:
        return is_setup(name) ? "mpi_setup" : "mpi_collective";
    case OTF2_REGION_ROLE_POINT2POINT:
        return "mpi_point2point";
    case OTF2_REGION_ROLE_RMA:
        return metric_of_rma(name);
    case OTF2_REGION_ROLE_FILE_IO:
    case OTF2_REGION_ROLE_FILE_IO_METADATA:
        return length > 4 && strcmp(name + length - 4, "_all") == 0 ? "mpi_io_collective"
                                                                    : "mpi_io_individual";
    default:
        return is_setup(name)                ? "mpi_setup"
               : begins_with(name, messages) ? "mpi_point2point"
                                             : "mpi_other";
    }
}

/* What functions of MPI are in when nobody knows is "MPI" for Score-P and Scalasca. */
static const char *file_of(const struct otf2_reader *reader, OTF2_StringRef file,
                           OTF2_Paradigm paradigm)
{
    const char *text = text_of(reader, file);
    return paradigm == OTF2_PARADIGM_MPI && strcmp(text, "MPI") == 0 ? "" : text;
}

static OTF2_CallbackCode take_region(void *data, OTF2_RegionRef self, OTF2_StringRef name,
                                     OTF2_StringRef canonical, OTF2_StringRef description,
                                     OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                     OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin,
                                     uint32_t end)
{
    struct otf2_reader *reader = data;
    const uint32_t index = reference_add(&reader->regions, self);
    (void)canonical, (void)description, (void)end;
    ROOM_FOR(reader->trace->regions, reader->regions, index);
    struct trace_region *region = &reader->trace->regions[index];
    *region = (struct trace_region){
        .name = text_of(reader, name),
        .file = file_of(reader, file, paradigm),
        .line = begin,
        .is_mpi = paradigm == OTF2_PARADIGM_MPI,
        .is_phase = paradigm == OTF2_PARADIGM_USER,
        .counts_itself = (flags & OTF2_REGION_FLAG_DYNAMIC) != 0,
        .metric = "computation",
    };
    region->is_phase |= region->counts_itself;
    if (region->is_mpi)
        region->metric = metric_of_mpi(region->name, role);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_group(void *data, OTF2_GroupRef self, OTF2_StringRef name,
                                    OTF2_GroupType type, OTF2_Paradigm paradigm,
                                    OTF2_GroupFlag flags, uint32_t count,
                                    const uint64_t *members)
{
    struct otf2_reader *reader = data;
    const size_t before = reader->groups.count;
    const uint32_t index = reference_add(&reader->groups, self);
    (void)name, (void)flags;
    if (reader->groups.count == before)
        return OTF2_CALLBACK_SUCCESS;
    ROOM_FOR(reader->group_list, reader->groups, index);
    struct otf2_group *group = &reader->group_list[index];
    *group = (struct otf2_group){type, paradigm, allocate(count, sizeof *members), count};
    if (count > 0)
        memcpy(group->members, members, count * sizeof *members);
    return OTF2_CALLBACK_SUCCESS;
}

static void add_comm(struct otf2_reader *reader, OTF2_CommRef self, OTF2_StringRef name,
                     OTF2_GroupRef group, OTF2_GroupRef other)
{
    const size_t before = reader->comms.count;
    const uint32_t index = reference_add(&reader->comms, self);
    if (reader->comms.count == before)
        return;
    ROOM_FOR(reader->trace->comms, reader->comms, index);
    ROOM_FOR(reader->comm_groups, reader->comms, index);
    ROOM_FOR(reader->comm_other_groups, reader->comms, index);
    ROOM_FOR(reader->comm_names, reader->comms, index);
    reader->trace->comms[index] = (struct trace_comm){0};
    reader->comm_groups[index] = group;
    reader->comm_other_groups[index] = other;
    reader->comm_names[index] = name;
}

static OTF2_CallbackCode take_comm(void *data, OTF2_CommRef self, OTF2_StringRef name,
                                   OTF2_GroupRef group, OTF2_CommRef parent,
                                   OTF2_CommFlag flags)
{
    (void)parent, (void)flags;
    add_comm(data, self, name, group, OTF2_UNDEFINED_GROUP);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_intercomm(void *data, OTF2_CommRef self, OTF2_StringRef name,
                                        OTF2_GroupRef one, OTF2_GroupRef other,
                                        OTF2_CommRef common, OTF2_CommFlag flags)
{
    (void)common, (void)flags;
    add_comm(data, self, name, one, other);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_window(void *data, OTF2_RmaWinRef self, OTF2_StringRef name,
                                     OTF2_CommRef comm, OTF2_RmaWinFlag flags)
{
    struct otf2_reader *reader = data;
    const uint32_t index = reference_add(&reader->windows, self);
    (void)name, (void)flags;
    ROOM_FOR(reader->window_comms, reader->windows, index);
    reader->window_comms[index] = comm;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_handle(void *data, OTF2_IoHandleRef self, OTF2_StringRef name,
                                     OTF2_IoFileRef file, OTF2_IoParadigmRef paradigm,
                                     OTF2_IoHandleFlag flags, OTF2_CommRef comm,
                                     OTF2_IoHandleRef parent)
{
    struct otf2_reader *reader = data;
    const uint32_t index = reference_add(&reader->handles, self);
    (void)name, (void)file, (void)paradigm, (void)flags, (void)parent;
    ROOM_FOR(reader->handle_comms, reader->handles, index);
    reader->handle_comms[index] = comm;
    return OTF2_CALLBACK_SUCCESS;
}

static enum otf2_parameter kind_of_parameter(const char *name)
{
    static const char *const names[] = {[PARAMETER_ITERATION] = "iteration",
                                        [PARAMETER_SOURCES_OF] = "TSPROF::SOURCES_OF",
                                        [PARAMETER_SOURCE] = "TSPROF::SOURCE",
                                        [PARAMETER_NEIGHBORHOOD] = "TSPROF::NEIGHBORHOOD"};
    for (size_t i = PARAMETER_ITERATION; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return (enum otf2_parameter)i;
    return PARAMETER_OTHER;
}

static OTF2_CallbackCode take_parameter(void *data, OTF2_ParameterRef self, OTF2_StringRef name,
                                        OTF2_ParameterType type)
{
    struct otf2_reader *reader = data;
    const uint32_t index = reference_add(&reader->parameters, self);
    (void)type;
    ROOM_FOR(reader->parameter_kinds, reader->parameters, index);
    reader->parameter_kinds[index] = kind_of_parameter(text_of(reader, name));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_counter(void *data, OTF2_MetricMemberRef self,
                                      OTF2_StringRef name, OTF2_StringRef description,
                                      OTF2_MetricType type, OTF2_MetricMode mode,
                                      OTF2_Type value, OTF2_Base base, int64_t exponent,
                                      OTF2_StringRef unit)
{
    struct otf2_reader *reader = data;
    const uint32_t index = reference_add(&reader->counters, self);
    (void)description, (void)type, (void)mode, (void)value, (void)base, (void)exponent;
    ROOM_FOR(reader->trace->counters, reader->counters, index);
    reader->trace->counters[index] =
        (struct trace_counter){text_of(reader, name), text_of(reader, unit)};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_class(void *data, OTF2_MetricRef self, uint8_t count,
                                    const OTF2_MetricMemberRef *members,
                                    OTF2_MetricOccurrence occurrence, OTF2_RecorderKind kind)
{
    struct otf2_reader *reader = data;
    const uint32_t index = reference_add(&reader->classes, self);
    (void)occurrence, (void)kind;
    ROOM_FOR(reader->class_list, reader->classes, index);
    struct otf2_class *class = &reader->class_list[index];
    class->count = count;
    for (unsigned i = 0; i < count; i++)
        class->members[i] = reference_find(&reader->counters, members[i]);
    return OTF2_CALLBACK_SUCCESS;
}

/* An instance is known as what its class is. */
static OTF2_CallbackCode take_instance(void *data, OTF2_MetricRef self, OTF2_MetricRef class,
                                       OTF2_LocationRef recorder, OTF2_MetricScope scope_kind,
                                       uint64_t scope)
{
    struct otf2_reader *reader = data;
    const uint32_t of = reference_find(&reader->classes, class);
    (void)recorder, (void)scope_kind, (void)scope;
    if (of == TRACE_NONE)
        return OTF2_CALLBACK_SUCCESS;
    const uint32_t index = reference_add(&reader->classes, self);
    ROOM_FOR(reader->class_list, reader->classes, index);
    reader->class_list[index] = reader->class_list[of];
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_context(void *data, OTF2_CallingContextRef self,
                                      OTF2_RegionRef region, OTF2_SourceCodeLocationRef place,
                                      OTF2_CallingContextRef parent)
{
    struct otf2_reader *reader = data;
    const uint32_t index = reference_add(&reader->contexts, self);
    (void)place;
    ROOM_FOR(reader->trace->contexts, reader->contexts, index);
    const uint32_t above = reference_find(&reader->contexts, parent);
    /* Parents come first, so no path can run in a circle. */
    reader->trace->contexts[index] = (struct trace_context){
        reference_find(&reader->regions, region), above < index ? above : TRACE_NONE};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_ErrorCode register_callbacks(struct otf2_reader *reader,
                                         OTF2_GlobalDefReader *definitions)
{
    OTF2_GlobalDefReaderCallbacks *all = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(all, take_clock);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(all, take_string);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(all, take_node);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(all, take_process);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(all, take_thread);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(all, take_region);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(all, take_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(all, take_comm);
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(all, take_intercomm);
    OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(all, take_window);
    OTF2_GlobalDefReaderCallbacks_SetIoHandleCallback(all, take_handle);
    OTF2_GlobalDefReaderCallbacks_SetParameterCallback(all, take_parameter);
    OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(all, take_counter);
    OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(all, take_class);
    OTF2_GlobalDefReaderCallbacks_SetMetricInstanceCallback(all, take_instance);
    OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(all, take_context);
    otf2_grid_callbacks(all);
    const OTF2_ErrorCode code =
        OTF2_Reader_RegisterGlobalDefCallbacks(reader->reader, definitions, all, reader);
    OTF2_GlobalDefReaderCallbacks_Delete(all);
    return code;
}

/* The rank in "MPI Rank 12"; TRACE_NONE if NAME is another. */
static uint32_t rank_in_name(const char *name)
{
    static const char before[] = "MPI Rank ";
    char *end;
    if (strncmp(name, before, sizeof before - 1) != 0)
        return TRACE_NONE;
    const unsigned long rank = strtoul(name + sizeof before - 1, &end, 10);
    return *end || rank >= TRACE_NONE ? TRACE_NONE : (uint32_t)rank;
}

static void settle_processes(struct otf2_reader *reader)
{
    struct trace *trace = reader->trace;
    trace->process_count = reader->processes.count;
    trace->processes = allocate(trace->process_count, sizeof *trace->processes);
    for (size_t i = 0; i < trace->process_count; i++) {
        const uint32_t node = reference_find(&reader->nodes, reader->process_nodes[i]);
        struct trace_process *process = &trace->processes[i];
        process->name = text_of(reader, reader->process_names[i]);
        process->host = node == TRACE_NONE ? "" : text_of(reader, reader->node_names[node]);
        process->rank = rank_in_name(process->name);
    }
}

/* Numbers threads within their processes; one without a process is in the first. */
static void settle_threads(struct otf2_reader *reader)
{
    struct trace *trace = reader->trace;
    uint32_t *counts = allocate(trace->process_count, sizeof *counts);
    trace->thread_count = reader->threads.count;
    reader->first_threads = allocate(trace->process_count, sizeof *reader->first_threads);
    for (size_t i = 0; i < trace->thread_count; i++) {
        struct trace_thread *thread = &trace->threads[i];
        const uint32_t process =
            reference_find(&reader->processes, reader->thread_processes[i]);
        thread->name = text_of(reader, reader->thread_names[i]);
        thread->process = process == TRACE_NONE ? 0 : process;
        if (counts[thread->process] == 0)
            reader->first_threads[thread->process] = (uint32_t)i;
        thread->number = counts[thread->process]++;
    }
    free(counts);
}

/* The ranks of MPI, which the members of groups are numbers in. */
static const struct otf2_group *find_ranks(const struct otf2_reader *reader)
{
    for (size_t i = 0; i < reader->groups.count; i++)
        if (reader->group_list[i].type == OTF2_GROUP_TYPE_COMM_LOCATIONS &&
            reader->group_list[i].paradigm == OTF2_PARADIGM_MPI)
            return &reader->group_list[i];
    return NULL;
}

/* The processes in a group, for free(); *COUNT is how many. */
static uint32_t *processes_in(const struct otf2_reader *reader, const struct otf2_group *ranks,
                              uint32_t reference, size_t *count)
{
    const uint32_t index = reference_find(&reader->groups, reference);
    *count = 0;
    if (index == TRACE_NONE)
        return NULL;
    const struct otf2_group *group = &reader->group_list[index];
    uint32_t *processes = allocate(group->count, sizeof *processes);
    for (*count = 0; *count < group->count; ++*count) {
        uint64_t member = group->members[*count];
        uint32_t thread = TRACE_NONE;
        if (group->type == OTF2_GROUP_TYPE_COMM_GROUP && ranks)
            member = member < ranks->count ? ranks->members[member] : OTF2_UNDEFINED_LOCATION;
        thread = reference_find(&reader->threads, member);
        processes[*count] =
            thread == TRACE_NONE ? TRACE_NONE : reader->trace->threads[thread].process;
    }
    return processes;
}

static void settle_comms(struct otf2_reader *reader)
{
    struct trace *trace = reader->trace;
    const struct otf2_group *ranks = find_ranks(reader);
    trace->comm_count = reader->comms.count;
    for (size_t i = 0; i < trace->comm_count; i++) {
        struct trace_comm *comm = &trace->comms[i];
        const uint32_t group = reference_find(&reader->groups, reader->comm_groups[i]);
        comm->name = text_of(reader, reader->comm_names[i]);
        comm->is_self =
            group != TRACE_NONE && reader->group_list[group].type == OTF2_GROUP_TYPE_COMM_SELF;
        comm->members =
            processes_in(reader, ranks, reader->comm_groups[i], &comm->member_count);
        comm->others =
            processes_in(reader, ranks, reader->comm_other_groups[i], &comm->other_count);
    }
}

/* Where names have no ranks, the group of all ranks gives them. */
static void settle_ranks(struct otf2_reader *reader)
{
    const struct otf2_group *ranks = find_ranks(reader);
    struct trace *trace = reader->trace;
    for (size_t i = 0; ranks && i < ranks->count; i++) {
        const uint32_t thread = reference_find(&reader->threads, ranks->members[i]);
        if (thread == TRACE_NONE)
            continue;
        struct trace_process *process = &trace->processes[trace->threads[thread].process];
        if (process->rank == TRACE_NONE)
            process->rank = (uint32_t)i;
    }
}

/* Of several processes with one rank, which damaged archives have, the first has it. */
static void make_ranks_unique(struct trace *trace)
{
    struct references ranks = {0};
    for (size_t i = 0; i < trace->process_count; i++) {
        struct trace_process *process = &trace->processes[i];
        const size_t before = ranks.count;
        if (process->rank == TRACE_NONE)
            continue;
        reference_add(&ranks, process->rank);
        if (ranks.count == before)
            process->rank = TRACE_NONE;
    }
    references_free(&ranks);
}

OTF2_ErrorCode otf2_read_definitions(struct otf2_reader *reader)
{
    struct trace *trace = reader->trace;
    uint64_t read = 0;
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader->reader);
    if (!definitions)
        return OTF2_ERROR_INVALID;
    OTF2_ErrorCode code = register_callbacks(reader, definitions);
    if (code == OTF2_SUCCESS)
        code = OTF2_Reader_ReadAllGlobalDefinitions(reader->reader, definitions, &read);
    OTF2_Reader_CloseGlobalDefReader(reader->reader, definitions);
    if (code != OTF2_SUCCESS)
        return code;
    trace->region_count = reader->regions.count;
    trace->counter_count = reader->counters.count;
    trace->context_count = reader->contexts.count;
    if (reader->resolution == 0 || reader->processes.count == 0)
        return OTF2_ERROR_INVALID_DATA;
    settle_processes(reader);
    settle_threads(reader);
    settle_comms(reader);
    settle_ranks(reader);
    make_ranks_unique(trace);
    otf2_settle_grids(reader);
    return OTF2_SUCCESS;
}
