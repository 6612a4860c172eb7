/* See job_trace.h. */
#include "events/job_trace.h"

#include "archive/writing.h"
#include "events/job_choice.h"
#include "print/print.h"

#include <stdlib.h>
#include <string.h>

/* An archive that is being made. */
struct scribe {
    const struct job_trace *trace;
    const struct job_facts *facts;
    struct trace_spec spec;
    struct program program;
    struct supply supply; /* it offers those that were chosen */
    struct texts objects;
    struct object_number *numbers;
    uint32_t object_count; /* those that `numbers` has */
    struct archive *archive;
    struct archive_location *locations;
    size_t location_count, location_room;
    struct job_trace_written *written;
};

void job_trace_add(struct job_trace *trace, const struct eventful_process *process)
{
    trace->processes =
        grow_list(trace->processes, trace->count, &trace->room, sizeof *trace->processes);
    trace->processes[trace->count++] = *process;
}

void job_trace_free(struct job_trace *trace)
{
    for (size_t i = 0; i < trace->count; i++) {
        free(trace->processes[i].path);
        free(trace->processes[i].threads);
    }
    free(trace->processes);
    *trace = (struct job_trace){.processes = NULL};
}

/* Which communicators and windows the events in FILE are about that are written. */
static struct marked_objects mark_objects(const struct scribe *scribe,
                                          const struct eventful_process *process,
                                          const struct event_file *file)
{
    struct marked_objects marked = {NULL, 0};
    for (size_t i = 0; i < process->thread_count; i++) {
        const struct recorded_thread thread = job_recorded_thread(file, &process->threads[i]);
        struct chosen_iterations chosen = recorded_thread_choose(
            &thread, &scribe->program, &scribe->spec, &scribe->supply.there);
        if (chosen.failed || !recording_mark_objects(thread.recording, thread.owner,
                                                     chosen.list, chosen.count, &marked))
            out_of_memory();
        chosen_iterations_free(&chosen);
    }
    return marked;
}

static struct own_objects read_objects(struct scribe *scribe,
                                       const struct eventful_process *process,
                                       const struct event_file *file)
{
    struct marked_objects marked = mark_objects(scribe, process, file);
    struct own_objects own;
    if (!own_objects_read(&own, &scribe->objects, &file->recording, &marked))
        out_of_memory();
    free(marked.is);
    return own;
}

/* All processes number communicators and windows alike. */
static void unite_objects(struct scribe *scribe)
{
    for (size_t i = 0; i < scribe->trace->count; i++) {
        const struct eventful_process *process = &scribe->trace->processes[i];
        struct event_file file;
        if (event_file_open(&file, process->path, &process->owner)) {
            struct own_objects own = read_objects(scribe, process, &file);
            own_objects_free(&own);
        }
        event_file_close(&file);
    }
    scribe->object_count = scribe->objects.count;
    scribe->numbers = objects_number(&scribe->objects);
    if (!scribe->numbers)
        out_of_memory();
}

static double ns_per_tick(const struct event_clock *clock)
{
    return (double)clock->multiplier / 4294967296.0;
}

/*
 * Processes of one host have one clock, so their times are in its ticks, by what the first
 * takes a tick for.  Of other hosts it is known at which time of day their time lines begin.
 */
static struct time_line place_times(const struct scribe *scribe,
                                    const struct eventful_process *process)
{
    const struct eventful_process *first = &scribe->trace->processes[0];
    const double tick_ns = ns_per_tick(&first->clock), own_ns = ns_per_tick(&process->clock);
    struct time_line line = {(uint64_t)((double)process->clock.first_tick * tick_ns), 0};
    if (process->host != first->host)
        line.base = (uint64_t)((double)first->clock.first_tick * tick_ns) +
                    (uint64_t)(process->clock.epoch_ns - first->clock.epoch_ns);
    else if (own_ns > 0)
        line.drift = tick_ns / own_ns - 1;
    return line;
}

static void add_location(struct scribe *scribe, const struct archive_location *location)
{
    scribe->locations = grow_list(scribe->locations, scribe->location_count,
                                  &scribe->location_room, sizeof *scribe->locations);
    scribe->locations[scribe->location_count++] = *location;
    scribe->written->calls += location->written.calls;
}

static void write_thread(struct scribe *scribe, const struct eventful_process *process,
                         const struct eventful_thread *thread, const struct event_file *file,
                         const struct own_objects *objects)
{
    const struct job_facts *facts = scribe->facts;
    const struct recorded_thread own = job_recorded_thread(file, thread);
    uint32_t regions[EVENT_FILE_SERIES], node_count = 0;
    uint32_t *nodes = facts->nodes(facts->context, thread->location, &node_count);
    struct chosen_iterations chosen =
        recorded_thread_choose(&own, &scribe->program, &scribe->spec, &scribe->supply.there);
    if (chosen.failed)
        out_of_memory();
    program_regions(&scribe->program, own.phases, regions, EVENT_FILE_SERIES);
    const struct event_maps maps = {.program = &scribe->program,
                                    .nodes = nodes,
                                    .node_count = nodes ? node_count : 0,
                                    .regions = regions,
                                    .series_count = EVENT_FILE_SERIES,
                                    .objects = objects,
                                    .numbers = scribe->numbers,
                                    .time_line = place_times(scribe, process),
                                    .counters = process->counters,
                                    .ends_unknown = true};
    const struct archive_location location = {
        .rank = process->rank,
        .thread = thread->thread,
        .host = process->host,
        .written = archive_write_thread(scribe->archive, process->rank, thread->thread,
                                        &file->recording, own.owner, &maps, chosen.list,
                                        chosen.count)};
    add_location(scribe, &location);
    chosen_iterations_free(&chosen);
    free(nodes);
}

/* A rank without events has a location, too, since groups have it as a member. */
static void write_nothing(struct scribe *scribe, uint32_t rank)
{
    const struct recording recording = {NULL, NULL, 0};
    const struct event_maps maps = {.program = &scribe->program};
    const struct archive_location location = {
        .rank = rank,
        .written = archive_write_thread(scribe->archive, rank, 0, &recording,
                                        EVENT_STREAM_THREADS, &maps, NULL, 0)};
    add_location(scribe, &location);
}

static void write_process(struct scribe *scribe, const struct eventful_process *process)
{
    struct event_file file;
    const size_t before = scribe->location_count;
    if (event_file_open(&file, process->path, &process->owner)) {
        struct own_objects objects = read_objects(scribe, process, &file);
        /* Those that came only now, of a job that still runs, have no number. */
        for (uint32_t i = 0; i < objects.count; i++)
            if (objects.numbers[i] != TEXTS_NONE && objects.numbers[i] >= scribe->object_count)
                objects.numbers[i] = TEXTS_NONE;
        for (size_t i = 0; i < process->thread_count; i++)
            write_thread(scribe, process, &process->threads[i], &file, &objects);
        own_objects_free(&objects);
        scribe->written->processes++;
    }
    event_file_close(&file);
    if (scribe->location_count == before || scribe->locations[before].thread != 0)
        write_nothing(scribe, process->rank);
}

static void write_events(struct scribe *scribe)
{
    size_t next = 0;
    for (uint32_t rank = 0; rank < scribe->facts->ranks; rank++)
        if (next < scribe->trace->count && scribe->trace->processes[next].rank == rank)
            write_process(scribe, &scribe->trace->processes[next++]);
        else
            write_nothing(scribe, rank);
}

/* The names of hosts, in the form of the section SYSTEM, without facts. */
static struct texts list_hosts(const struct job_facts *facts)
{
    struct texts hosts = {.count = 0};
    for (size_t i = 0; i < facts->host_count; i++) {
        struct encoder text = {0};
        encode_string(&text, facts->hosts[i]);
        encode_varint(&text, 0);
        if (text.failed || texts_add(&hosts, text.bytes, text.size) == TEXTS_NONE)
            out_of_memory();
        encoder_free(&text);
    }
    return hosts;
}

static bool conclude(struct scribe *scribe)
{
    const struct job_facts *facts = scribe->facts;
    struct texts hosts = list_hosts(facts);
    /* Others may have come from a file that has changed since; nothing refers to them. */
    scribe->objects.count = scribe->object_count;
    const struct archive_contents contents = {.program = &scribe->program,
                                              .objects = &scribe->objects,
                                              .numbers = scribe->numbers,
                                              .hosts = &hosts,
                                              .locations = scribe->locations,
                                              .location_count = scribe->location_count,
                                              .ranks = facts->ranks,
                                              .counters = facts->counters,
                                              .counter_count = facts->counter_count,
                                              .name = facts->program,
                                              .sample_ns = facts->sample_ns};
    const bool whole = archive_close(scribe->archive, &contents);
    texts_free(&hosts);
    return whole;
}

static struct decoder read_section(const struct encoder *section)
{
    return (struct decoder){section->bytes, section->size, 0, false};
}

static void say(const char *text)
{
    complain("%s", text);
}

static bool prepare(struct scribe *scribe, struct error *error)
{
    const struct job_facts *facts = scribe->facts;
    struct decoder regions = read_section(facts->regions),
                   calltree = read_section(facts->calltree),
                   phases = read_section(facts->phases);
    if (!trace_spec_read(facts->choice, &scribe->spec) || scribe->spec.choice == TRACE_NOTHING)
        return error_set(error, "the parts do not say which iterations were to be traced");
    if (!program_read(&scribe->program, &regions, &calltree, &phases))
        out_of_memory();
    struct shortage shortage = {.processes = 0};
    scribe->supply = job_choose(scribe->trace, &scribe->program, &scribe->spec, &shortage);
    shortage_tell(&shortage, &scribe->supply, &scribe->spec, facts->ranks, say);
    scribe->written->all = scribe->spec.choice == TRACE_ALL;
    scribe->written->iterations = scribe->supply.there.count;
    return scribe->written->all || scribe->written->iterations > 0 ||
           error_set(error,
                     "no iteration that TSPROF_TRACE=%s chooses has been kept by all processes "
                     "that have its phase",
                     facts->choice);
}

static bool create(struct scribe *scribe, const char *directory, struct error *error)
{
    const char *library = getenv("TSPROF_OTF2"), *why = NULL;
    scribe->archive = archive_open(library ? library : "", directory, 0, 1, &why);
    return scribe->archive || error_set(error, "%s: %s", directory, why);
}

static void free_scribe(struct scribe *scribe)
{
    program_free(&scribe->program);
    supply_free(&scribe->supply);
    texts_free(&scribe->objects);
    free(scribe->numbers);
    free(scribe->locations);
}

bool job_trace_write(const struct job_trace *trace, const struct job_facts *facts,
                     const char *directory, bool replaces, struct job_trace_written *written,
                     struct error *error)
{
    struct scribe scribe = {.trace = trace, .facts = facts, .written = written};
    *written = (struct job_trace_written){.calls = 0};
    bool good = prepare(&scribe, error);
    if (good) {
        unite_objects(&scribe);
        if (replaces)
            archive_remove(directory);
        good = create(&scribe, directory, error);
    }
    if (good) {
        write_events(&scribe);
        good = conclude(&scribe) ||
               error_set(error, "%s: cannot be written: %s", directory, archive_error());
        if (!good)
            archive_remove(directory);
    }
    free_scribe(&scribe);
    return good;
}
