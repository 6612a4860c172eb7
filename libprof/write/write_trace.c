/* See write_trace.h. */
#include "write/write_trace.h"

#include "archive/recorded_thread.h"
#include "archive/writing.h"
#include "counters/counters.h"
#include "encode/encode.h"
#include "host/host.h"
#include "iterations/iterations.h"
#include "trace/trace.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4200, COPIES_MOST = 100, SPREAD_PIECE = 1 << 16 };

/* What process 0 tells the others about the archive and its clock. */
struct announcement {
    char directory[PATH_BYTES]; /* "": there will be none */
    uint64_t mark; /* names a file in it that is there meanwhile; 0: there is none */
    uint64_t host; /* whose clock it is */
    double ns_per_tick;
    int64_t epoch_ns;
    uint64_t base_ticks, base; /* when it started: a reading, and in nanoseconds */
};

/* A process's side of writing a trace. */
struct trace_writer {
    struct rank_tree *ranks;
    const struct traced_process *process;
    struct recording recording;
    struct program program;
    unsigned char *sections[3]; /* which the program's texts lie in */
    struct texts objects;
    struct own_objects own;
    struct marked_objects marked;  /* those that the chosen events are about */
    struct object_number *numbers; /* of `objects` */
    struct supply supply;          /* of which at process 0 the best were chosen */
    struct offers chosen;
    struct announcement announcement;
    struct time_line time_line;
    struct archive *archive;
    struct archive_location *locations; /* at process 0: of all */
    size_t location_count;
    struct shortage shortage; /* of memory, of all processes at process 0 */
    uint64_t missing;         /* processes whose events could not be written, likewise */
    uint64_t lost;            /* those of them whose files are not whole, likewise */
    uint64_t unseeing;        /* those that do not see the archive's directory, likewise */
    char why[160];            /* these are not */
    bool failed;
};

void program_sections_copy(struct program_sections *program,
                           const struct description *description)
{
    encode_bytes(&program->regions, description->regions.bytes, description->regions.size);
    encode_bytes(&program->calltree, description->calltree.bytes, description->calltree.size);
    encode_bytes(&program->phases, description->phases.bytes, description->phases.size);
}

void program_sections_free(struct program_sections *program)
{
    encoder_free(&program->regions);
    encoder_free(&program->calltree);
    encoder_free(&program->phases);
}

/* Receives what each child in the tree sends, in the order of their ranks. */
static void hear_children(struct trace_writer *writer,
                          bool (*take)(struct trace_writer *writer, struct decoder *in))
{
    struct rank_tree *ranks = writer->ranks;
    ranks->doing = "events";
    for (int round = 0; round < rank_tree_rounds(ranks); round++) {
        struct decoder in = {.at = 0};
        if (rank_tree_child(ranks, round) < 0)
            continue;
        unsigned char *bytes =
            rank_tree_receive(ranks, rank_tree_child(ranks, round), &in.size);
        in.bytes = bytes;
        if (in.size > 0 && !take(writer, &in))
            writer->failed = true;
        free(bytes);
    }
}

/* Sends what is in OUT to the parent, and frees it. */
static void tell_parent(struct trace_writer *writer, struct encoder *out)
{
    const int parent = rank_tree_parent(writer->ranks);
    if (parent >= 0)
        rank_tree_send(writer->ranks, parent, out->bytes, out->failed ? 0 : out->size);
    encoder_free(out);
}

/* Broadcasts OUT, which process 0 has filled; the others get a copy from malloc in *COPY. */
static struct decoder spread(struct trace_writer *writer, const struct encoder *out,
                             unsigned char **copy)
{
    uint64_t size = out->failed ? 0 : out->size;
    /* All must use pieces of one size, whether they have memory or not. */
    static unsigned char spill[SPREAD_PIECE];
    rank_tree_broadcast(writer->ranks, &size, sizeof size);
    unsigned char *bytes = malloc(size + 1);
    if (bytes && writer->ranks->rank == 0 && size > 0)
        memcpy(bytes, out->bytes, size);
    for (uint64_t at = 0; at < size; at += SPREAD_PIECE)
        rank_tree_broadcast(writer->ranks, bytes ? bytes + at : spill,
                            size - at < SPREAD_PIECE ? size - at : SPREAD_PIECE);
    *copy = bytes;
    writer->failed |= !bytes || (size == 0);
    return (struct decoder){bytes, bytes ? size : 0, 0, false};
}

/* All processes get the program's description. */
static void spread_program(struct trace_writer *writer)
{
    static const struct program_sections none;
    const struct program_sections *program = writer->process ? writer->process->program : &none;
    struct decoder regions = spread(writer, &program->regions, &writer->sections[0]);
    struct decoder calltree = spread(writer, &program->calltree, &writer->sections[1]);
    struct decoder phases = spread(writer, &program->phases, &writer->sections[2]);
    if (!writer->failed && !program_read(&writer->program, &regions, &calltree, &phases))
        writer->failed = true;
}

/* The phase in the summary whose iterations SERIES of THREAD has; UINT32_MAX: none. */
static uint32_t phase_of(const struct trace_writer *writer, const struct thread *thread,
                         uint32_t series)
{
    uint32_t phase = thread->trace->shown_as[series];
    if (phase == UINT32_MAX && series < thread->iterations->series_count)
        phase = thread->iterations->series[series].shown_as;
    return phase < phase_count ? writer->process->phases[phase] : UINT32_MAX;
}

static uint32_t stream_of(const struct thread *thread)
{
    return EVENT_STREAM_THREADS + (uint32_t)thread->number;
}

/* What there is of THREAD, which keeps events. */
static struct recorded_thread recorded(const struct trace_writer *writer,
                                       const struct thread *thread)
{
    struct recorded_thread result = {.recording = &writer->recording,
                                     .owner = stream_of(thread),
                                     .lost = thread->trace->lost,
                                     .ended_ns = thread->trace->ended_ns};
    for (uint32_t i = 0; i < TRACE_SERIES_MOST; i++) {
        result.phases[i] = phase_of(writer, thread, i);
        result.generations[i] = thread->trace->generation[i];
    }
    return result;
}

static void offer_own(struct trace_writer *writer)
{
    const struct traced_process *process = writer->process;
    const size_t most = process ? process->thread_count : 0;
    struct recorded_thread *threads = malloc((most + 1) * sizeof *threads);
    size_t count = 0;
    writer->failed |= !threads;
    for (size_t i = 0; threads && i < most; i++)
        if (process->threads[i].thread->trace)
            threads[count++] = recorded(writer, process->threads[i].thread);
    recorded_threads_offer(threads, count, &writer->program, &trace_spec, &writer->supply,
                           &writer->shortage);
    free(threads);
}

static void encode_offers(const struct trace_writer *writer, struct encoder *out)
{
    supply_encode(&writer->supply, out);
    shortage_encode(&writer->shortage, out);
}

static bool join_offers(struct trace_writer *writer, struct decoder *in)
{
    struct supply others = {.there.list = NULL};
    struct shortage shortage;
    const bool sound = supply_decode(&others, in);
    shortage_decode(&shortage, in);
    supply_join(&writer->supply, &others, &trace_spec);
    shortage_add(&writer->shortage, &shortage);
    supply_free(&others);
    return sound && !in->failed;
}

/* All processes agree on the iterations that the trace is of. */
static void choose(struct trace_writer *writer)
{
    struct encoder up = {0}, down = {0};
    unsigned char *copy = NULL;
    if (!writer->failed)
        offer_own(writer);
    hear_children(writer, join_offers);
    if (writer->ranks->rank == 0) {
        if (trace_spec.most > 0)
            offers_best(&writer->supply.there, trace_spec.most);
        offers_encode(&writer->supply.there, &down);
    } else {
        encode_offers(writer, &up);
    }
    tell_parent(writer, &up);
    struct decoder in = spread(writer, &down, &copy);
    writer->failed |= !offers_decode(&writer->chosen, &in);
    encoder_free(&down);
    free(copy);
}

/* Finds which communicators and windows the chosen events are about. */
static void mark_objects(struct trace_writer *writer)
{
    const struct traced_process *process = writer->process;
    for (size_t i = 0; process && i < process->thread_count; i++) {
        const struct thread *thread = process->threads[i].thread;
        if (!thread->trace || writer->failed)
            continue;
        const struct recorded_thread own = recorded(writer, thread);
        struct chosen_iterations chosen =
            recorded_thread_choose(&own, &writer->program, &trace_spec, &writer->chosen);
        writer->failed |=
            chosen.failed || !recording_mark_objects(&writer->recording, own.owner, chosen.list,
                                                     chosen.count, &writer->marked);
        chosen_iterations_free(&chosen);
    }
}

static bool merge_objects(struct trace_writer *writer, struct decoder *in)
{
    uint32_t *map = NULL, count = 0;
    const bool sound = texts_merge(&writer->objects, in, NULL, &map, &count);
    free(map);
    return sound;
}

/* All processes number communicators and windows alike. */
static void unite_objects(struct trace_writer *writer)
{
    struct encoder up = {0}, down = {0};
    unsigned char *copy = NULL;
    mark_objects(writer);
    if (!own_objects_read(&writer->own, &writer->objects, &writer->recording, &writer->marked))
        writer->failed = true;
    own_objects_free(&writer->own);
    hear_children(writer, merge_objects);
    texts_encode(&writer->objects, writer->ranks->rank == 0 ? &down : &up);
    tell_parent(writer, &up);
    struct decoder in = spread(writer, &down, &copy);
    texts_free(&writer->objects);
    writer->failed |=
        !merge_objects(writer, &in) ||
        !own_objects_read(&writer->own, &writer->objects, &writer->recording, &writer->marked);
    writer->numbers = objects_number(&writer->objects);
    writer->failed |= !writer->numbers;
    encoder_free(&down);
    free(copy);
}

/* The archive of the summary NAME, for the COPYth try: NAME.otf2, NAME.1.otf2 ... */
static void name_archive(const char *name, int copy, char directory[PATH_BYTES])
{
    static const char ending[] = ".tsprof";
    size_t length = strlen(name);
    if (length >= sizeof ending && strcmp(name + length - (sizeof ending - 1), ending) == 0)
        length -= sizeof ending - 1;
    if (copy > 0)
        snprintf(directory, PATH_BYTES, "%.*s.%d.otf2", (int)length, name, copy);
    else
        snprintf(directory, PATH_BYTES, "%.*s.otf2", (int)length, name);
}

static void say(const char *text)
{
    message(1, "%s", text);
}

/* At process 0: what is not in the trace that was asked for. */
static void tell_shortage(const struct trace_writer *writer)
{
    shortage_tell(&writer->shortage, &writer->supply, &trace_spec, (size_t)writer->ranks->size,
                  say);
}

/* Process 0 creates the archive, unless the summary could not be written either. */
static void create(struct trace_writer *writer)
{
    struct announcement *announcement = &writer->announcement;
    const char *summary = writer->process ? writer->process->summary : "", *why = NULL;
    if (trace_spec.choice != TRACE_ALL && writer->chosen.count == 0) {
        message(1,
                "no trace is written: no iteration that TSPROF_TRACE=%s chooses has been kept "
                "by all processes that have its phase",
                config.text[SETTING_TRACE]);
        tell_shortage(writer);
        return;
    }
    for (int copy = 0; !writer->archive && *summary && copy < COPIES_MOST; copy++) {
        name_archive(summary, copy, announcement->directory);
        if (access(announcement->directory, F_OK) != 0)
            break;
    }
    if (*summary)
        writer->archive = archive_open(config.text[SETTING_OTF2], announcement->directory, 0,
                                       (uint32_t)writer->ranks->size, &why);
    if (!writer->archive)
        message(1, "no trace is written: %s%s%s", announcement->directory,
                *announcement->directory ? ": " : "", why ? why : "there is no summary");
    if (!writer->archive)
        announcement->directory[0] = '\0';
}

/* The file in the archive by which others see that its directory is theirs, too. */
static void name_mark(const struct announcement *announcement, char name[PATH_BYTES + 64])
{
    snprintf(name, PATH_BYTES + 64, "%s/.tsprof.%016llx", announcement->directory,
             (unsigned long long)announcement->mark);
}

static void leave_mark(struct announcement *announcement)
{
    char name[PATH_BYTES + 64];
    announcement->mark = (uint64_t)measurement_clock.epoch_ns ^
                         (uint64_t)clock_monotonic_ns_async() << 20 ^ (uint64_t)getpid();
    name_mark(announcement, name);
    int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0)
        announcement->mark = 0;
    else
        close(file);
}

static void take_mark(const struct announcement *announcement)
{
    char name[PATH_BYTES + 64];
    name_mark(announcement, name);
    unlink(name);
}

static bool sees_mark(const struct announcement *announcement)
{
    char name[PATH_BYTES + 64];
    name_mark(announcement, name);
    return announcement->mark == 0 || access(name, F_OK) == 0;
}

/* The clock of process 0, which all times in the archive are in. */
static void describe_clock(struct announcement *announcement)
{
    announcement->host = clock_offsets_host();
    announcement->ns_per_tick = clock_ns_per_tick();
    announcement->epoch_ns = measurement_clock.epoch_ns;
    announcement->base_ticks = measurement_clock.counts ? measurement_clock.base_ticks
                                                        : (uint64_t)measurement_clock.base_ns;
    announcement->base =
        measurement_clock.counts
            ? (uint64_t)((double)announcement->base_ticks * announcement->ns_per_tick)
            : announcement->base_ticks;
}

/* A reading of this process's clock, in nanoseconds since its start. */
static double own_ns(uint64_t ticks)
{
    const double passed = measurement_clock.counts
                              ? (double)(int64_t)(ticks - measurement_clock.base_ticks)
                              : (double)(int64_t)(ticks - (uint64_t)measurement_clock.base_ns);
    return measurement_clock.counts ? passed * 1e9 / clock_hertz() : passed;
}

/* A reading of process 0's clock, in nanoseconds since its start. */
static double first_ns(const struct announcement *first, uint64_t ticks)
{
    return (double)(int64_t)(ticks - first->base_ticks) * first->ns_per_tick;
}

/* The times of another host, by the line through the moments in PAIRS. */
static struct time_line line_through(const struct announcement *first,
                                     const struct clock_pairs *pairs)
{
    const struct clock_pair *from = &pairs->list[0], *to = &pairs->list[pairs->count - 1];
    const double own = own_ns(to->own_ticks) - own_ns(from->own_ticks);
    const double others = first_ns(first, to->first_ticks) - first_ns(first, from->first_ticks);
    const double drift = own > 0 ? others / own - 1 : 0;
    const double begin = own_ns(from->own_ticks);
    return (struct time_line){
        .base = first->base +
                (uint64_t)(int64_t)(first_ns(first, from->first_ticks) - begin - begin * drift),
        .drift = drift};
}

/*
 * Processes of one host have one clock; so their times are in its ticks, by what process 0
 * takes a tick for.  Clocks of other hosts have been compared with that of process 0, or else
 * their times of day are at which they have begun.
 */
static void place_times(struct trace_writer *writer)
{
    const struct announcement *first = &writer->announcement;
    const struct clock_pairs pairs = clock_offsets_end(writer->ranks);
    struct announcement own = {.host = 0};
    describe_clock(&own);
    if (own.host != first->host) {
        writer->time_line.base = first->base + (uint64_t)(own.epoch_ns - first->epoch_ns);
        if (pairs.count > 0)
            writer->time_line = line_through(first, &pairs);
        return;
    }
    writer->time_line.base = own.base_ticks;
    if (!measurement_clock.counts)
        return;
    writer->time_line.base = (uint64_t)((double)own.base_ticks * first->ns_per_tick);
    writer->time_line.drift = clock_hertz() / 1e9 * first->ns_per_tick - 1;
}

/* All processes open the archive that process 0 creates. */
static void open_archive(struct trace_writer *writer)
{
    struct announcement *announcement = &writer->announcement;
    if (writer->ranks->rank == 0) {
        describe_clock(announcement);
        if (writer->failed)
            message(1, "no trace is written: out of memory");
        else
            create(writer);
        if (writer->archive)
            leave_mark(announcement);
    }
    rank_tree_broadcast(writer->ranks, announcement, sizeof *announcement);
    const char *why = NULL;
    place_times(writer);
    writer->unseeing = *announcement->directory && !sees_mark(announcement);
    if (writer->ranks->rank > 0 && *announcement->directory && !writer->failed &&
        !writer->unseeing)
        writer->archive =
            archive_open(config.text[SETTING_OTF2], announcement->directory,
                         (uint32_t)writer->ranks->rank, (uint32_t)writer->ranks->size, &why);
    if (why && !writer->archive)
        message(2, "no events are written: %s: %s", announcement->directory, why);
}

/* The numbers in the archive for the nodes of a thread: frames left out are their parents. */
static uint32_t *node_numbers(const struct traced_thread *traced)
{
    const uint32_t count = traced->thread->tree.node_count;
    uint32_t *numbers = malloc((count + 1) * sizeof *numbers);
    for (uint32_t i = 0; numbers && i < count; i++)
        numbers[i] =
            traced->nodes[i] == UINT32_MAX ? UINT32_MAX : traced->nodes[i] & ~RESOLVED_LEFT_OUT;
    return numbers;
}

static struct written write_thread(struct trace_writer *writer,
                                   const struct traced_thread *traced)
{
    const struct thread *thread = traced->thread;
    const struct recorded_thread own = recorded(writer, thread);
    uint32_t regions[TRACE_SERIES_MOST], *nodes = node_numbers(traced);
    struct chosen_iterations chosen =
        recorded_thread_choose(&own, &writer->program, &trace_spec, &writer->chosen);
    struct written written = {.first = UINT64_MAX, .failed = true};
    program_regions(&writer->program, own.phases, regions, TRACE_SERIES_MOST);
    const struct event_maps maps = {.program = &writer->program,
                                    .nodes = nodes,
                                    .node_count = thread->tree.node_count,
                                    .regions = regions,
                                    .series_count = TRACE_SERIES_MOST,
                                    .objects = &writer->own,
                                    .numbers = writer->numbers,
                                    .time_line = writer->time_line,
                                    .counters = thread->counts ? counters_count : 0};
    if (nodes && !chosen.failed)
        written = archive_write_thread(writer->archive, (uint32_t)writer->ranks->rank,
                                       (uint32_t)thread->number, &writer->recording, own.owner,
                                       &maps, chosen.list, chosen.count);
    chosen_iterations_free(&chosen);
    free(nodes);
    return written;
}

static void add_location(struct trace_writer *writer, const struct archive_location *location)
{
    void *longer =
        realloc(writer->locations, (writer->location_count + 1) * sizeof *writer->locations);
    writer->failed |= !longer;
    if (!longer)
        return;
    writer->locations = longer;
    writer->locations[writer->location_count++] = *location;
}

/* Writes the events of all threads of this process. */
static void write_own(struct trace_writer *writer)
{
    const struct traced_process *process = writer->process;
    for (size_t i = process ? process->thread_count : 0; i-- > 0;) {
        struct archive_location location = {.rank = (uint32_t)writer->ranks->rank,
                                            .thread =
                                                (uint32_t)process->threads[i].thread->number,
                                            .host = process->host,
                                            .written = {.first = UINT64_MAX, .failed = true}};
        if (writer->archive)
            location.written = write_thread(writer, &process->threads[i]);
        writer->missing |= location.written.failed;
        add_location(writer, &location);
    }
    writer->missing |= !process;
}

static void encode_locations(const struct trace_writer *writer, struct encoder *out)
{
    encode_varint(out, writer->missing);
    encode_varint(out, writer->lost);
    encode_varint(out, writer->unseeing);
    encode_string(out, writer->why);
    encode_varint(out, writer->location_count);
    for (size_t i = 0; i < writer->location_count; i++)
        encode_bytes(out, &writer->locations[i], sizeof *writer->locations);
}

static bool take_locations(struct trace_writer *writer, struct decoder *in)
{
    writer->missing += decode_varint(in);
    writer->lost += decode_varint(in);
    writer->unseeing += decode_varint(in);
    size_t length;
    const char *why = decode_string(in, &length);
    if (!*writer->why)
        snprintf(writer->why, sizeof writer->why, "%.*s", (int)length, why ? why : "");
    const uint64_t count = decode_count(in, sizeof(struct archive_location));
    for (uint64_t i = 0; i < count; i++) {
        struct archive_location location;
        memcpy(&location, in->bytes + in->at, sizeof location);
        in->at += sizeof location;
        add_location(writer, &location);
    }
    return !in->failed;
}

/* This process's files of the archive are not whole. */
static void give_up_files(struct trace_writer *writer)
{
    writer->missing = writer->lost = 1;
    snprintf(writer->why, sizeof writer->why, "%s", archive_error());
}

/* At process 0: says what there is. */
static void announce(const struct trace_writer *writer)
{
    char text[sizeof writer->announcement.directory + 100];
    uint64_t calls = 0;
    for (size_t i = 0; i < writer->location_count; i++)
        calls += writer->locations[i].written.calls;
    const char *many = calls == 1 ? "" : "s";
    tell_shortage(writer);
    if (writer->missing > 0)
        message(1, "the events of %llu of %d processes could not be written",
                (unsigned long long)writer->missing, writer->ranks->size);
    if (trace_spec.choice == TRACE_ALL)
        snprintf(text, sizeof text, "the events of %llu MPI call%s in %s",
                 (unsigned long long)calls, many, writer->announcement.directory);
    else
        snprintf(text, sizeof text, "the events of %zu iteration%s, %llu MPI call%s, in %s",
                 writer->chosen.count, writer->chosen.count == 1 ? "" : "s",
                 (unsigned long long)calls, many, writer->announcement.directory);
    /* What loops there are may leave no room. */
    if (!last_line_add("%s", text))
        message(1, "%s", text);
}

/* At process 0: an archive with files that are missing or not whole is none. */
static void discard(const struct trace_writer *writer)
{
    archive_remove(writer->announcement.directory);
    if (writer->unseeing > 0)
        message(1, "no trace is written: %llu of %d processes do not see %s",
                (unsigned long long)writer->unseeing, writer->ranks->size,
                writer->announcement.directory);
    else
        message(1, "no trace is written: %s: %s", writer->announcement.directory, writer->why);
}

/* Process 0 describes the archive, once the others have written their events. */
static void conclude(struct trace_writer *writer)
{
    struct encoder up = {0};
    const struct traced_process *process = writer->process;
    if (writer->ranks->rank > 0 && writer->archive && !archive_close(writer->archive, NULL))
        give_up_files(writer);
    hear_children(writer, take_locations);
    encode_locations(writer, &up);
    tell_parent(writer, &up);
    if (writer->ranks->rank > 0 || !writer->archive)
        return;
    const char *names[COUNTERS_MOST];
    char name[256];
    run_program(name, sizeof name);
    for (unsigned i = 0; i < counters_count; i++)
        names[i] = counters_name_async(i);
    const struct archive_contents contents = {.program = &writer->program,
                                              .objects = &writer->objects,
                                              .numbers = writer->numbers,
                                              .hosts = &process->hosts->texts,
                                              .locations = writer->locations,
                                              .location_count = writer->location_count,
                                              .ranks = (uint32_t)writer->ranks->size,
                                              .counters = names,
                                              .counter_count = counters_count,
                                              .name = name,
                                              .sample_ns = (uint64_t)sample_rate.period_ns};
    take_mark(&writer->announcement);
    if (!archive_close(writer->archive, &contents))
        give_up_files(writer);
    if (writer->lost == 0 && writer->unseeing == 0)
        announce(writer);
    else
        discard(writer);
}

static void free_writer(struct trace_writer *writer)
{
    recording_free(&writer->recording);
    program_free(&writer->program);
    for (int i = 0; i < 3; i++)
        free(writer->sections[i]);
    texts_free(&writer->objects);
    own_objects_free(&writer->own);
    free(writer->numbers);
    free(writer->marked.is);
    supply_free(&writer->supply);
    offers_free(&writer->chosen);
    free(writer->locations);
}

/* Whether all processes keep events: the setting may not have reached every host, nor every
 * process memory. */
static bool all_keep_events(struct rank_tree *ranks)
{
    uint64_t keeping = trace_is_on_async();
    rank_tree_sum(ranks, &keeping, NULL, 1);
    if (keeping > 0 && keeping < (uint64_t)ranks->size && ranks->rank == 0)
        message(1,
                "no trace is written: %d of %d processes keep events; is TSPROF_TRACE set for "
                "all of them?",
                (int)keeping, ranks->size);
    return keeping == (uint64_t)ranks->size;
}

bool write_trace(struct rank_tree *ranks, const struct traced_process *process)
{
    struct trace_writer writer = {.ranks = ranks, .process = process};
    struct quiet quiet;
    if (!all_keep_events(ranks))
        return true;
    /* Its events would be about processes that are not in the archive. */
    if (ranks->size == 1 && world_look_up().size > 1) {
        message(1, "no trace is written, as each process writes a summary of its own");
        return true;
    }
    if (!recording_read(&writer.recording, chunks_count_async() ? chunk_at_async(0) : NULL,
                        chunks_count_async()))
        writer.failed = true;
    spread_program(&writer);
    choose(&writer);
    unite_objects(&writer);
    quiet_begin(&quiet);
    open_archive(&writer);
    write_own(&writer);
    conclude(&writer);
    rank_tree_broadcast(ranks, &writer.unseeing, sizeof writer.unseeing);
    quiet_end(&quiet);
    free_writer(&writer);
    return writer.unseeing == 0;
}
