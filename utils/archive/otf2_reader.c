/* Opens and closes archives.  See trace.h. */
#include "archive/otf2_reader.h"

#include "archive/held.h"
#include "archive/read_ahead.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* What OTF2 said last; it would print that by itself. */
static char said[512];
/* Several threads may read, and fail. */
static pthread_mutex_t said_lock = PTHREAD_MUTEX_INITIALIZER;

static OTF2_ErrorCode note_error(void *data, const char *file, uint64_t line,
                                 const char *function, OTF2_ErrorCode code, const char *format,
                                 va_list arguments)
{
    (void)data, (void)file, (void)line, (void)function;
    pthread_mutex_lock(&said_lock);
    if (!said[0])
        vsnprintf(said, sizeof said, format, arguments);
    /* A line of it, which is the end of a sentence of ours. */
    size_t length = strcspn(said, "\n");
    while (length > 0 && strchr(".! ", said[length - 1]))
        length--;
    said[length] = '\0';
    pthread_mutex_unlock(&said_lock);
    return code;
}

static bool fail(const struct trace *trace, struct error *error)
{
    return error_set(error, "%s: cannot be read as a trace, it is damaged or not complete%s%s",
                     trace->path, said[0] ? ": " : "", said);
}

struct sought {
    const struct references *references;
    uint64_t key;
};

static bool is_same(const void *context, uint32_t number)
{
    const struct sought *sought = context;
    return sought->references->keys[number] == sought->key;
}

uint32_t reference_find(const struct references *references, uint64_t reference)
{
    const struct sought sought = {references, reference};
    /* Most archives number from 0 on. */
    if (reference < references->count && references->keys[reference] == reference)
        return (uint32_t)reference;
    if (references->count == 0)
        return TRACE_NONE;
    const uint32_t *slot = index_slot(
        &references->index, index_hash_number(INDEX_HASH, reference), is_same, &sought);
    return *slot ? *slot - 1 : TRACE_NONE;
}

uint32_t reference_add(struct references *references, uint64_t reference)
{
    const struct sought sought = {references, reference};
    reserve_index(&references->index, references->count + 1);
    uint32_t *slot = index_slot(&references->index, index_hash_number(INDEX_HASH, reference),
                                is_same, &sought);
    if (*slot)
        return *slot - 1;
    if (references->count == references->room) {
        references->room = references->room ? 2 * references->room : 64;
        references->keys =
            reallocate(references->keys, references->room, sizeof *references->keys);
    }
    references->keys[references->count++] = reference;
    *slot = (uint32_t)references->count;
    return *slot - 1;
}

void references_free(struct references *references)
{
    index_free(&references->index);
    free(references->keys);
}

/* A file is open for each thread of the trace. */
static void allow_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/* The value of the archive's property NAME, in the trace's pool; "" if it has none. */
static const char *property(struct otf2_reader *reader, const char *name)
{
    char *value = NULL;
    const bool has = OTF2_Reader_GetProperty(reader->reader, name, &value) == OTF2_SUCCESS;
    const char *kept =
        has && value ? memory_pool_copy(&reader->trace->pool, value, strlen(value)) : "";
    free(value);
    return kept;
}

static void read_origin(struct otf2_reader *reader)
{
    static const char tsprof[] = "tsprof ";
    char *creator = NULL;
    if (OTF2_Reader_GetCreator(reader->reader, &creator) == OTF2_SUCCESS && creator)
        reader->trace->is_of_tsprof = strncmp(creator, tsprof, sizeof tsprof - 1) == 0;
    free(creator);
    reader->trace->program = property(reader, "TSPROF::PROGRAM");
    reader->trace->has_one_clock = otf2_is_moved(reader->trace->path);
    said[0] = '\0';
}

struct trace *trace_open(const char *path, struct error *error)
{
    char *anchor = trace_find(path, error);
    if (!anchor)
        return NULL;
    struct trace *trace = allocate(1, sizeof *trace);
    struct otf2_reader *reader = allocate(1, sizeof *reader);
    *trace = (struct trace){.reader = reader, .program = ""};
    trace->path = memory_pool_copy(&trace->pool, anchor, strlen(anchor));
    free(anchor);
    reader->trace = trace;
    reader->grids = otf2_grids_create();
    said[0] = '\0';
    OTF2_Error_RegisterCallback(note_error, NULL);
    allow_files();
    OTF2_ErrorCode code = OTF2_SUCCESS;
    reader->reader = OTF2_Reader_Open(trace->path);
    if (reader->reader) {
        read_origin(reader);
        code = OTF2_Reader_SetSerialCollectiveCallbacks(reader->reader);
        if (code == OTF2_SUCCESS)
            code = otf2_read_definitions(reader);
        trace->has_windows = reader->windows.count > 0;
        if (code == OTF2_SUCCESS && trace->thread_count > 0)
            return trace;
    }
    fail(trace, error);
    trace_close(trace);
    return NULL;
}

static void free_states(struct otf2_reader *reader)
{
    for (size_t i = 0; reader->states && i < reader->trace->thread_count; i++) {
        free(reader->states[i].iterations);
        free(reader->states[i].iteration_depths);
        free(reader->states[i].instances);
    }
    free(reader->states);
}

static void free_reader(struct otf2_reader *reader)
{
    struct references *all[] = {&reader->strings,  &reader->nodes,      &reader->processes,
                                &reader->threads,  &reader->regions,    &reader->groups,
                                &reader->comms,    &reader->counters,   &reader->classes,
                                &reader->contexts, &reader->parameters, &reader->windows,
                                &reader->handles};
    void *lists[] = {
        reader->texts,           reader->node_names,        reader->class_list,
        reader->parameter_kinds, reader->window_comms,      reader->thread_processes,
        reader->process_names,   reader->process_nodes,     reader->thread_names,
        reader->comm_groups,     reader->comm_other_groups, reader->comm_names,
        reader->first_threads,   reader->handle_comms};
    for (size_t i = 0; i < reader->groups.count; i++)
        free(reader->group_list[i].members);
    free(reader->group_list);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        references_free(all[i]);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        free(lists[i]);
    free_states(reader);
    free(reader->file_operations.list);
    otf2_grids_free(reader->grids);
    held_free(reader->held);
    if (reader->reader)
        OTF2_Reader_Close(reader->reader);
    free(reader);
}

void trace_close(struct trace *trace)
{
    if (!trace)
        return;
    free_reader(trace->reader);
    corrections_free(trace->corrections);
    for (size_t i = 0; i < trace->comm_count; i++) {
        free(trace->comms[i].members);
        free(trace->comms[i].others);
    }
    free(trace->processes);
    free(trace->threads);
    free(trace->regions);
    free(trace->counters);
    free(trace->contexts);
    free(trace->comms);
    memory_pool_free(&trace->pool);
    free(trace);
}

static bool read_events(struct trace *trace, trace_visitor *visit, void *context,
                        struct error *error)
{
    struct otf2_reader *reader = trace->reader;
    said[0] = '\0';
    reader->visit = visit;
    reader->context = context;
    reader->states = allocate(trace->thread_count, sizeof *reader->states);
    if (trace->corrections)
        reader->held = held_create(trace->corrections, visit, context);
    const OTF2_ErrorCode code = otf2_read_events(reader);
    otf2_flush(reader);
    return (code == OTF2_SUCCESS && !reader->has_impossible_times) || fail(trace, error);
}

bool trace_read(struct trace *trace, trace_visitor *visit, void *context, struct error *error)
{
    return trace->reads_ahead ? read_ahead(trace, read_events, visit, context, error)
                              : read_events(trace, visit, context, error);
}
