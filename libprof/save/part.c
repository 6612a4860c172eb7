/* See part.h. */
#include "save/part.h"

#include "calls/calls.h"
#include "common/crc32.h"
#include "common/format.h"
#include "counters/counters.h"
#include "encode/encode.h"
#include "host/host.h"
#include "iterations/iterations.h"
#include "library/library.h"
#include "mainloop/mainloop.h"
#include "measure/measure.h"
#include "save/part_file.h"
#include "save/part_log.h"
#include "save/part_names.h"
#include "save/part_sink.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SNAPSHOT_LEAST = 4096 };

#define LONG_CALL_NS INT64_C(10000000)

/*
 * The next save waits this many times as long as the last one took: in CPU time, and in wall
 * time, which counts less since others may have had the processor.
 */
enum { TIMES_CPU = 500, TIMES_WALL = 40 };

/* A place in the file that one snapshot is written to. */
struct slot {
    uint64_t offset;
    uint64_t room;
};

/* What saving needs for one thread. */
struct part_thread {
    struct slot slots[2];
    uint32_t sequence; /* of the last complete snapshot */
    bool saved;        /* there is a snapshot, of SAVED_NS */
    int64_t saved_ns;
    int64_t due_ns;     /* no snapshot is written before this */
    int64_t log_due_ns; /* no sample writes to the log before this */
    struct part_log log;
    struct part_sink sink;
    unsigned char buffer[PART_SINK_BYTES];
};

enum making { MAKING_NOT_YET, MAKING_NOW, MAKING_DONE };

static struct {
    struct part_names names;
    struct encoder run; /* section RUN, encoded in part_prepare */
    int rank;
    int ranks;
    pid_t process;
    char program[4096];
    bool prepared;
    enum making making;
    uint32_t left_out; /* threads without a record */
    struct {
        size_t size;
        uint32_t crc;
    } topologies; /* in the log of the first thread */
} own;

size_t part_thread_bytes(void)
{
    return sizeof(struct part_thread);
}

static void prepare(void *context)
{
    (void)context;
    ssize_t length = readlink("/proc/self/exe", own.program, sizeof own.program - 1);
    own.program[length < 0 ? 0 : length] = '\0';
    own.process = getpid();
    part_names_find(&own.names, own.rank, own.ranks);
    encoder_free(&own.run);
    facts_encode(own.ranks, -1, &own.run);
    own.prepared = !own.run.failed;
}

void part_prepare(int rank, int ranks)
{
    if (!config.number[SETTING_PARTS] || own.making != MAKING_NOT_YET)
        return;
    own.rank = rank;
    own.ranks = ranks;
    world_ask_version();
    /*
     * On a stack of tsprof's: paths take more room than the thread that starts MPI may have
     * left.
     */
    own_stack_call(prepare, NULL);
}

static void encode_facts_async(struct encoder *out)
{
    encode_bytes(out, own.run.bytes, own.run.size);
    facts_encode_own_metrics_async(out);
    encode_string(out, own.names.host);
    encode_string(out, own.names.key);
    encode_varint(out, CALL_COUNT);
    for (int call = 0; call < CALL_COUNT; call++) {
        encode_string(out, mpi_call_name_async((enum mpi_call)call));
        encode_string(out, mpi_call_group_async((enum mpi_call)call));
    }
}

static bool write_header_async(uint64_t facts, const struct part_sink *sink)
{
    unsigned char header[PART_HEADER_BYTES + 16];
    struct encoder out = {.bytes = header, .capacity = sizeof header};
    encode_bytes(&out, PART_MAGIC, PART_MAGIC_BYTES);
    encode_u32(&out, PART_VERSION);
    encode_u32(&out, format_section_version(SECTION_LOCATION));
    encode_u32(&out, (uint32_t)own.rank);
    encode_u32(&out, (uint32_t)own.ranks);
    encode_u32(&out, (uint32_t)own.process);
    encode_u32(&out, part_file_is_mapped_async() ? PART_FLAG_LIVE : 0);
    encode_u64(&out, own.names.started);
    encode_u64(&out, facts);
    encode_u64(&out, sink->size);
    encode_u32(&out, sink->crc);
    encode_u32(&out, PART_THREADS);
    encode_u64(&out, PART_RECORDS);
    encode_u64(&out, measurement_clock.base_ticks);
    encode_u64(&out, measurement_clock.multiplier);
    encode_u64(&out, (uint64_t)measurement_clock.epoch_ns);
    encode_u64(&out, (uint64_t)measurement_clock.base_ns);
    while (out.size < PART_HEADER_CRC_AT)
        encode_u32(&out, 0);
    encode_u32(&out, crc32_update(0, header, out.size));
    return part_file_write_async(0, header, PART_HEADER_BYTES);
}

static bool make_part_async(struct part_sink *sink, void *buffer)
{
    const struct part_places places = {{own.names.directory, own.names.fallback},
                                       own.names.file};
    if (!part_file_create_async(&places))
        return false;
    part_sink_open_async(sink, buffer, 0, 0);
    encode_facts_async(&sink->encoder);
    part_sink_close_async(sink);
    const uint64_t size = sink->size, facts = part_file_extend_async(size);
    part_sink_open_async(sink, buffer, facts, size);
    encode_facts_async(&sink->encoder);
    return part_sink_close_async(sink) && write_header_async(facts, sink);
}

/*
 * Whether there is a part to write to.  The first thread that comes creates it, with SINK and
 * BUFFER; others that come meanwhile get false, and save later.
 */
static bool have_part_async(struct part_sink *sink, void *buffer)
{
    enum making before = MAKING_NOT_YET;
    if (__atomic_load_n(&own.making, __ATOMIC_ACQUIRE) == MAKING_DONE)
        return part_file_check_async();
    if (!__atomic_compare_exchange_n(&own.making, &before, MAKING_NOW, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        return false;
    bool made = make_part_async(sink, buffer);
    __atomic_store_n(&own.making, MAKING_DONE, __ATOMIC_RELEASE);
    return made;
}

/*
 * Counts a thread that is not saved, in the part too, so that readers know that data are
 * missing.
 */
static void leave_out_async(void)
{
    uint32_t left_out = __atomic_add_fetch(&own.left_out, 1, __ATOMIC_RELAXED);
    if (part_file_exists_async() && part_file_check_async())
        part_file_write_async(PART_ENDING_AT + 4, &left_out, sizeof left_out);
}

/* The saving state of THREAD, allocated at its first save; NULL if there is no memory. */
static struct part_thread *furnish_async(struct thread *thread)
{
    if (!thread->part && budget_draw_async(sizeof *thread->part)) {
        thread->part = arena_take_async(&thread->arena, sizeof *thread->part);
        if (!thread->part)
            budget_return_async(sizeof *thread->part);
    }
    return thread->part;
}

/* Makes THREAD's live fields those in the part, where other processes can see them. */
static void publish_async(struct thread *thread)
{
    struct live *live = part_file_live_async((unsigned)thread->number);
    if (thread->live != live) {
        *live = thread->unpublished;
        thread->live = live;
    }
    live->os_id = (uint32_t)thread->os_id;
    live->log = thread->part->log.first;
    __atomic_store_n(&live->used, 1, __ATOMIC_RELEASE);
}

static uint64_t record_of(const struct thread *thread)
{
    return PART_RECORDS + (uint64_t)thread->number * PART_RECORD_BYTES;
}

static bool write_live_async(const struct thread *thread)
{
    return part_file_is_mapped_async() ||
           part_file_write_async(record_of(thread), thread->live, sizeof *thread->live);
}

/* Adds the computation that is pending on LEVEL. */
static void add_pending_async(const struct thread *thread, const struct level *level,
                              struct snapshot_profile *sum)
{
    sum->pending[sum->pending_count++] = (struct pending){
        .node = level->last_sample,
        .computation_ns = level->pending_ns,
        .counters = thread->counts ? thread->counts->pending[level - thread->levels] : NULL,
    };
}

/* What the open levels hold, outside of iterations and in them. */
struct open_levels {
    struct snapshot_profile outside; /* of levels outside of every iteration */
    struct snapshot_profile inside;  /* of open iterations */
    const struct level *first;       /* the outermost open iteration; NULL: none */
    unsigned iterations;
};

static void list_open_async(const struct thread *thread, struct open_levels *open)
{
    open->outside.pending_count = open->inside.pending_count = open->inside.profile_count = 0;
    open->outside.profile_count = open->iterations = 0;
    open->first = NULL;
    for (const struct level *level = thread->levels; level <= thread->level; level++) {
        if (level->is_pass) {
            if (level->kept)
                open->outside.profiles[open->outside.profile_count++] = level->profile;
        } else if (level->kept) {
            open->first = open->first ? open->first : level;
            open->inside.profiles[open->inside.profile_count++] = level->profile;
            open->iterations++;
        }
        add_pending_async(thread, level, open->first ? &open->inside : &open->outside);
    }
}

static void encode_open_async(const struct thread *thread, const struct open_levels *open,
                              struct encoder *out)
{
    encode_varint(out, open->iterations);
    for (const struct level *level = thread->levels; level <= thread->level; level++) {
        if (!level->kept || level->is_pass)
            continue;
        encode_varint(out, thread->iterations->series[level->series].shown_as);
        encode_varint(out, iteration_count_async(thread, level->series));
        encode_varint(out, (uint64_t)level->begin_ns);
    }
    if (!open->first)
        return;
    encode_varint(out, (uint64_t)(thread->last_ns - open->first->begin_ns));
    snapshot_profile_encode_async(&thread->tree, &open->inside, out);
}

static void encode_snapshot_async(const struct thread *thread, struct encoder *out)
{
    struct open_levels open;
    struct proposal proposed;
    list_open_async(thread, &open);
    found_propose_async(thread, &proposed);
    encode_varint(out, thread->stopped);
    encode_varint(out, (uint64_t)thread->last_ns);
    encode_varint(out, thread->part->log.nodes);
    encode_varint(out, thread->part->log.phases);
    encode_open_async(thread, &open, out);
    location_encode_own_async(thread, open.first ? open.first->begin_ns : thread->last_ns,
                              &open.outside, &proposed, out);
}

/* Writes a snapshot into SLOT; false if it did not fit. */
static bool write_snapshot_async(struct thread *thread, const struct slot *slot)
{
    struct part_thread *part = thread->part;
    part_sink_open_async(&part->sink, part->buffer, slot->offset, slot->room);
    encode_snapshot_async(thread, &part->sink.encoder);
    return part_sink_close_async(&part->sink);
}

/* Writes the header of a slot, which makes its snapshot valid. */
static bool write_slot_async(const struct thread *thread, unsigned number, uint32_t sequence)
{
    const struct part_thread *part = thread->part;
    unsigned char header[PART_SLOT_BYTES + 8];
    struct encoder out = {.bytes = header, .capacity = sizeof header};
    encode_u64(&out, part->slots[number].offset);
    encode_u64(&out, part->sink.size);
    encode_u32(&out, sequence);
    encode_u32(&out, part->sink.crc);
    encode_u32(&out, 0);
    encode_u32(&out, crc32_update(0, header, out.size));
    return part_file_write_async(record_of(thread) + PART_SLOTS + number * PART_SLOT_BYTES,
                                 header, PART_SLOT_BYTES);
}

/*
 * Writes a snapshot over the one before the last, so that the last one stays valid until this
 * one is complete.
 */
static bool save_snapshot_async(struct thread *thread)
{
    struct part_thread *part = thread->part;
    const uint32_t sequence = part->sequence + 1;
    const unsigned number = sequence % 2;
    struct slot *slot = &part->slots[number];
    while (!write_snapshot_async(thread, slot)) {
        if (part->sink.encoder.failed)
            return false;
        /* With half as much again, so that a growing snapshot is seldom moved. */
        uint64_t room = part->sink.size + part->sink.size / 2;
        room = room < SNAPSHOT_LEAST ? SNAPSHOT_LEAST : room;
        *slot = (struct slot){part_file_extend_async(room), room};
    }
    if (!write_slot_async(thread, number, sequence))
        return false;
    part->sequence = sequence;
    return true;
}

/*
 * Moves what the thread has queued and counted apart into its profiles, which changes no sum.
 */
static void settle_async(struct thread *thread)
{
    iteration_flush_queue_async(thread);
    for (struct level *level = thread->levels; level <= thread->level; level++)
        level_flush_async(thread, level);
}

static bool save_async(struct thread *thread)
{
    if (!own.prepared || getpid() != own.process)
        return false;
    struct part_thread *part = thread->number < PART_THREADS ? furnish_async(thread) : NULL;
    if (!part) {
        leave_out_async();
        return false;
    }
    if (!have_part_async(&part->sink, part->buffer))
        return false;
    settle_async(thread);
    if (!part_log_update_async(&part->log, thread, own.program, &part->sink, part->buffer))
        return false;
    publish_async(thread);
    if (!write_live_async(thread))
        return false;
    /* A thread that waits in MPI has nothing new to save. */
    if (part->saved && part->saved_ns == thread->last_ns && !thread->stopped)
        return true;
    part->saved = save_snapshot_async(thread);
    thread->cost.saves += part->saved;
    part->saved_ns = thread->last_ns;
    return part->saved;
}

static int64_t cpu_ns_async(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

void part_save_async(struct thread *thread)
{
    int error = errno;
    /* The first save creates the file, so its time does not predict that of the next. */
    bool first = !thread->part || !thread->part->saved;
    /* A thread that has ended is saved by another, whose time this is. */
    struct cost *cost = thread_self ? &thread_self->cost : &thread->cost;
    int64_t begin = clock_now_async(), cpu = cpu_ns_async(), handler_ns = cost->handler_ns;
    bool saved = save_async(thread);
    int64_t now = clock_now_async(), wait = PART_INTERVAL_NS;
    cpu = cpu_ns_async() - cpu;
    /* Interrupts during the save have been accounted for already. */
    cost->saving_ns += now - begin - (cost->handler_ns - handler_ns);
    if (!first)
        wait = larger(wait, larger(cpu * TIMES_CPU, (now - begin) * TIMES_WALL));
    bool again = saved || part_file_must_complain_async() ||
                 (__atomic_load_n(&own.making, __ATOMIC_ACQUIRE) == MAKING_NOW && own.prepared);
    thread->save_due_ns = again ? now + wait : INT64_MAX;
    if (thread->part)
        thread->part->due_ns = thread->save_due_ns;
    errno = error;
}

/*
 * Writes the process's topologies into the log of THREAD, its first thread, if they have
 * changed.  Program context.  AT_END a thread may have been interrupted while it held them, and
 * fewer than before are then no change.
 */
static void save_topologies(struct thread *thread, bool at_end)
{
    struct encoder out = {0};
    struct part_thread *part = thread->part;
    if (!part || !part->saved || !part_file_check_async())
        return;
    topology_encode(&out);
    uint32_t crc = crc32_update(0, out.bytes, out.size);
    bool news = at_end ? out.size > own.topologies.size
                       : out.size != own.topologies.size || crc != own.topologies.crc;
    if (!out.failed && news &&
        part_log_topologies(&part->log, out.bytes, out.size, &part->sink, part->buffer)) {
        own.topologies.size = out.size;
        own.topologies.crc = crc;
    }
    encoder_free(&out);
}

/* Saves a thread that has ended, if it did something after its last save. */
static void save_resting(struct thread *thread)
{
    if (!thread->part || thread->part->saved_ns < thread->last_ns)
        part_save_async(thread);
}

/* Only rank 0 reports a failure by default, since the processes mostly share the disk. */
static void complain_of_file(void)
{
    part_file_complain(own.rank <= 0 ? 1 : 2);
}

static void save_and_look_around(void *context)
{
    struct thread *thread = context;
    /* First, so that found_prepare and the save see the same clusters. */
    iteration_flush_queue_async(thread);
    found_prepare(thread);
    /* The handler may have saved the thread already, and left only the rest to be done. */
    if (!thread->part || thread->last_ns >= thread->part->due_ns)
        part_save_async(thread);
    else
        thread->save_due_ns = thread->part->due_ns;
    if (thread->number == 0)
        save_topologies(thread, false);
    threads_visit_resting(save_resting);
    complain_of_file();
}

void part_save_leaving(struct thread *thread)
{
    int error = errno;
    if (thread_has_stack_async(thread))
        save_and_look_around(thread);
    else
        own_stack_call(save_and_look_around, thread);
    thread_worked_async(thread, clock_now_async());
    errno = error;
}

void part_save_sampled_async(struct thread *thread, int64_t ns)
{
    if (!thread_has_stack_async(thread) || (thread->part && ns < thread->part->due_ns))
        return;
    part_save_async(thread);
    /* Topologies and ended threads cannot be saved here: the next event does that. */
    if (thread->number == 0 && thread->save_due_ns != INT64_MAX)
        thread->save_due_ns = thread->last_ns;
}

/*
 * Whether NODE of THREAD is in the log, or will be before anybody sees it.  Writes it there if
 * the log was not written within the last LONG_CALL_NS; NS is the time now.
 */
static bool is_known_async(struct thread *thread, uint32_t node, int64_t ns)
{
    struct part_thread *part = thread->part;
    if (thread->live == &thread->unpublished || node < part->log.nodes)
        return true;
    if (ns < part->log_due_ns || !thread_has_stack_async(thread) || !part_file_check_async())
        return false;
    part->log_due_ns = ns + LONG_CALL_NS;
    return part_log_update_async(&part->log, thread, own.program, &part->sink, part->buffer);
}

void part_note_sample_async(struct thread *thread, uint32_t node, int64_t ns)
{
    if (is_known_async(thread, node, ns))
        live_seen_async(thread->live, PART_SEEN_IN_PROGRAM, node, ns);
}

/*
 * Finds the call path of the MPI call under way, once, when the call has been running for
 * LONG_CALL_NS.
 */
static void find_call_async(struct thread *thread, int64_t ns)
{
    const struct live *live = thread->live;
    int64_t since_ns = clock_to_ns_async(live->since_ticks);
    if (live->call == 0 || ns - since_ns < LONG_CALL_NS || (int64_t)live->seen_ns >= since_ns ||
        borders_due_async(thread->next_border))
        return;
    uint32_t node = measure_find_async(thread, (enum mpi_call)(live->call - 1));
    if (is_known_async(thread, node, ns))
        live_seen_async(thread->live, PART_SEEN_IN_MPI, node, ns);
}

void part_look_in_mpi_async(struct thread *thread, int64_t ns)
{
    int error = errno;
    find_call_async(thread, ns);
    if (ns >= thread->save_due_ns)
        part_save_sampled_async(thread, ns);
    errno = error;
}

static const char readme[] =
    "What tsprof had measured of a job that ended before it could write its summary.\n"
    "To make one from it: tsprof merge DIRECTORY\n";

static void complain(enum part_ending ending)
{
    static const char *const texts[] = {
        [PART_NOT_WRITTEN] = "the summary is not whole",
        [PART_UNFINISHED] = "a process ended without MPI_Finalize",
        [PART_ABORTED] = "MPI_Abort was called",
    };
    const char *directory = part_file_directory();
    /* The first process to write the README reports it for all. */
    int level = part_file_write_beside("README", readme) ? 1 : 2;
    message(level, "%s: what was measured is in %s; to make a summary of it: tsprof merge %s",
            texts[ending], directory, directory);
}

static bool save_last(struct thread *thread)
{
    bool saved = save_async(thread);
    if (saved && thread->number == 0)
        save_topologies(thread, true);
    return saved;
}

bool part_finish(enum part_ending ending)
{
    unsigned char bytes[16];
    struct encoder out = {.bytes = bytes, .capacity = sizeof bytes};
    bool whole = true;
    if (!own.prepared)
        return false;
    for (struct thread *each = thread_newest; each; each = each->next)
        if (!each->stuck && each->number < PART_THREADS)
            whole = save_last(each) && whole;
    encode_u32(&out, ending);
    encode_u32(&out, own.left_out);
    whole = whole && part_file_check_async() &&
            part_file_write_async(PART_ENDING_AT, bytes, out.size);
    complain_of_file();
    if (whole)
        complain(ending);
    return whole;
}

void part_remove(void)
{
    if (own.prepared && own.making == MAKING_DONE) {
        complain_of_file();
        part_file_remove();
    }
    own.prepared = false;
}

void part_forget_async(void)
{
    own.prepared = false;
    part_file_forget_async();
}
