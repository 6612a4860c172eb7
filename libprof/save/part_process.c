/* See part_process.h. */
#include "save/part_process.h"

#include "calls/calls.h"
#include "common/crc32.h"
#include "common/format.h"
#include "encode/encode.h"
#include "host/host.h"
#include "library/library.h"
#include "save/part.h"
#include "save/part_file.h"
#include "save/part_names.h"
#include "timeline/timeline.h"

#include <unistd.h>

enum making { MAKING_NOT_YET, MAKING_NOW, MAKING_DONE };

static struct {
    struct part_names names;
    struct encoder run; /* section RUN, encoded in part_prepare */
    int rank;
    int ranks;
    pid_t process;
    char program[4096];
    uint64_t clock; /* the host whose clock this process reads */
    bool prepared;
    enum making making;
    uint64_t facts; /* where they are in the part, their size and checksum */
    uint64_t facts_size;
    uint32_t facts_crc;
    bool live;         /* the header says that live fields are written as things happen */
    uint32_t left_out; /* threads without a record */
} own;

bool part_process_prepared_async(void)
{
    return own.prepared;
}

bool part_process_is_own_async(void)
{
    return own.prepared && getpid() == own.process;
}

bool part_process_has_rank(void)
{
    return own.prepared && own.rank >= 0;
}

uint32_t part_process_number(void)
{
    return (uint32_t)own.process;
}

uint64_t part_process_started(void)
{
    return own.names.started;
}

const char *part_process_host(void)
{
    return own.names.host;
}

bool part_process_is_spread(void)
{
    return job_processes_extent(own.ranks) == JOB_IS_SPREAD;
}

const char *part_process_program_async(void)
{
    return own.program;
}

static void prepare(void *context)
{
    (void)context;
    ssize_t length = readlink("/proc/self/exe", own.program, sizeof own.program - 1);
    own.program[length < 0 ? 0 : length] = '\0';
    own.process = getpid();
    part_names_find(&own.names, own.rank, own.ranks);
    own.clock = clock_offsets_host();
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

static bool write_header_async(void)
{
    unsigned char header[PART_HEADER_BYTES + 16];
    struct encoder out = {.bytes = header, .capacity = sizeof header};
    encode_bytes(&out, PART_MAGIC, PART_MAGIC_BYTES);
    encode_u32(&out, PART_VERSION);
    encode_u32(&out, format_section_version(SECTION_LOCATION));
    encode_u32(&out, (uint32_t)own.rank);
    encode_u32(&out, (uint32_t)own.ranks);
    encode_u32(&out, (uint32_t)own.process);
    own.live = part_file_is_mapped_async();
    encode_u32(&out, own.live ? PART_FLAG_LIVE : 0);
    encode_u64(&out, own.names.started);
    encode_u64(&out, own.facts);
    encode_u64(&out, own.facts_size);
    encode_u32(&out, own.facts_crc);
    encode_u32(&out, PART_THREADS);
    encode_u64(&out, PART_RECORDS);
    encode_u64(&out, measurement_clock.base_ticks);
    encode_u64(&out, measurement_clock.multiplier);
    encode_u64(&out, (uint64_t)measurement_clock.epoch_ns);
    encode_u64(&out, (uint64_t)measurement_clock.base_ns);
    encode_u64(&out, own.names.host_identity);
    encode_u64(&out, own.clock);
    while (out.size < PART_HEADER_CRC_AT)
        encode_u32(&out, 0);
    encode_u32(&out, crc32_update(0, header, out.size));
    return part_file_write_header_async(header);
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
    own.facts_size = sink->size;
    own.facts = part_file_extend_async(own.facts_size);
    part_sink_open_async(sink, buffer, own.facts, own.facts_size);
    encode_facts_async(&sink->encoder);
    if (!part_sink_close_async(sink))
        return false;
    own.facts_crc = sink->crc;
    return write_header_async();
}

/* Whether the header is right, also where the mapping of the live fields had to be given up. */
static bool keep_header_async(void)
{
    return own.live == part_file_is_mapped_async() || write_header_async();
}

bool part_process_open_async(struct part_sink *sink, void *buffer)
{
    enum making before = MAKING_NOT_YET;
    if (__atomic_load_n(&own.making, __ATOMIC_ACQUIRE) == MAKING_DONE)
        return part_file_check_async() && keep_header_async();
    if (!__atomic_compare_exchange_n(&own.making, &before, MAKING_NOW, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        return false;
    bool made = make_part_async(sink, buffer);
    __atomic_store_n(&own.making, MAKING_DONE, __ATOMIC_RELEASE);
    return made;
}

void part_process_leave_out_async(void)
{
    uint32_t left_out = __atomic_add_fetch(&own.left_out, 1, __ATOMIC_RELAXED);
    if (part_file_exists_async() && part_file_check_async())
        part_file_write_async(PART_ENDING_AT + 4, &left_out, sizeof left_out);
}

void part_process_complain(void)
{
    /* Only rank 0 reports it by default, since the processes mostly share the disk. */
    part_file_complain(own.rank <= 0 ? 1 : 2);
}

uint32_t part_process_left_out(void)
{
    return own.left_out;
}

bool part_process_is_opening_async(void)
{
    return __atomic_load_n(&own.making, __ATOMIC_ACQUIRE) == MAKING_NOW && own.prepared;
}

bool part_process_has_opened(void)
{
    return own.prepared && own.making == MAKING_DONE;
}

void part_process_end_async(void)
{
    own.prepared = false;
}
