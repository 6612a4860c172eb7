/* Synthetic parts.  See part_maker.h. */
#include "tests/unit/utils/parts/part_maker.h"

#include "common/crc32.h"
#include "common/metrics.h"
#include "common/part_format.h"
#include "tests/unit/utils/summary_maker.h"

#include <stdio.h>
#include <string.h>

enum {
    HEADER_BYTES = 128,
    THREADS_AT = 4096,
    THREAD_BYTES = 128,
    THREADS = 256,
    DATA_AT = THREADS_AT + THREADS * THREAD_BYTES
};

static void encode_call(struct encoder *out, const char *name, const char *group)
{
    encode_string(out, name);
    encode_string(out, group);
}

static void make_facts(struct part_maker *maker, const struct maker *example, const char *key)
{
    const struct encoder *run = &example->sections[SECTION_RUN];
    const struct encoder *metrics = &example->sections[SECTION_METRICS];
    encode_bytes(&maker->facts, run->bytes, run->size);
    encode_bytes(&maker->facts, metrics->bytes, metrics->size);
    encode_string(&maker->facts, "node01");
    encode_string(&maker->facts, key);
    encode_varint(&maker->facts, 2);
    encode_call(&maker->facts, "MPI_Allreduce", "COLL");
    encode_call(&maker->facts, "MPI_Recv", "P2P");
}

static void encode_module(struct encoder *out, unsigned number, const char *path,
                          const char *build_id, uint64_t base)
{
    encode_varint(out, 1);
    encode_varint(out, number);
    encode_string(out, path);
    encode_string(out, build_id);
    encode_varint(out, base);
    encode_varint(out, base);
    encode_varint(out, base + 0x10000);
}

static void encode_phase(struct encoder *out, unsigned number, const char *name, bool kept)
{
    encode_varint(out, 2);
    encode_varint(out, number);
    encode_string(out, name);
    encode_varint(out, kept);
}

/* The call tree of the example, by enum example_node, and a path only open iterations have. */
enum { NODE_RECV = EXAMPLE_NODES, NODES };

static const struct {
    unsigned parent, kind; /* parent + 1 */
    unsigned what;         /* function: offset in module 1; MPI function, phase: number */
    const char *name;
    unsigned site; /* offset in module 1 */
} nodes[NODES] = {
    [NODE_program] = {0, 3, 0, "program", 0},
    [NODE_main] = {1, 0, 0x100, "", 0},
    [NODE_step] = {2, 2, 1, "", 0x115},
    [NODE_solve_1] = {3, 0, 0x200, "", 0x120},
    [NODE_solve_2] = {3, 0, 0x200, "", 0x121},
    [NODE_allreduce_1] = {4, 1, PART_MAKER_ALLREDUCE, "", 0x243},
    [NODE_allreduce_2] = {5, 1, PART_MAKER_ALLREDUCE, "", 0x243},
    [NODE_setup] = {2, 2, 0, "", 0x112},
    [NODE_assemble] = {8, 0, 0x300, "", 0x113},
    [NODE_stopped] = {1, 3, 0, "[stopped]", 0},
    [NODE_spin] = {10, 0, 0x400, "spin", 0},
    [NODE_spin_solve] = {11, 0, 0x200, "", 0x410},
    [NODE_RECV] = {5, 1, PART_MAKER_RECV, "", 0x260},
};

static void encode_node(struct encoder *out, unsigned number)
{
    encode_varint(out, nodes[number].parent);
    encode_varint(out, nodes[number].kind);
    if (nodes[number].kind == 0) {
        encode_varint(out, 1);
        encode_varint(out, nodes[number].what);
    }
    if (nodes[number].kind == 1 || nodes[number].kind == 2)
        encode_varint(out, nodes[number].what);
    if (nodes[number].kind == 0 || nodes[number].kind == 3)
        encode_string(out, nodes[number].name);
    encode_varint(out, nodes[number].site ? 1 : 0);
    encode_varint(out, nodes[number].site);
}

static void make_log(struct encoder *out)
{
    encode_module(out, 1, "/nonexistent/wave", "0123abcd", 0x400000);
    encode_module(out, 3, "/nonexistent/libmpi.so.12", "", 0x7f0000000000);
    encode_phase(out, 0, "setup", false);
    encode_phase(out, 1, "step", true);
    encode_varint(out, 3);
    encode_varint(out, 0);
    encode_varint(out, NODES);
    for (unsigned i = 0; i < NODES; i++)
        encode_node(out, i);
}

static void begin_snapshot(struct encoder *out, uint64_t saved_ns)
{
    encode_varint(out, 0);
    encode_varint(out, saved_ns);
    encode_varint(out, NODES);
    encode_varint(out, 2);
}

/* A section LOCATION from its wall time on: without whose it is. */
static void encode_numbers(struct encoder *out, const struct encoder *location)
{
    struct decoder in = {location->bytes, location->size, 0, false};
    size_t length;
    for (int i = 0; i < 4; i++)
        decode_varint(&in);
    decode_string(&in, &length);
    encode_bytes(out, location->bytes + in.at, location->size - in.at);
}

static void make_thread(struct thread_maker *thread, const struct encoder *location)
{
    make_log(&thread->log);
    thread->sequences[0] = 1;
    begin_snapshot(&thread->snapshots[0], PART_MAKER_SAVED_NS);
    encode_varint(&thread->snapshots[0], 0);
    encode_numbers(&thread->snapshots[0], location);
}

/* The example, but for maps from iterations to clusters, which are as parts have them. */
static void make_example(struct maker *example)
{
    maker_saves = true;
    maker_example(example);
    maker_saves = false;
}

void part_maker_example(struct part_maker *maker, uint32_t rank, const char *key)
{
    struct maker example;
    make_example(&example);
    *maker = (struct part_maker){.version = PART_VERSION,
                                 .location_version = format_section_version(SECTION_LOCATION),
                                 .rank = rank,
                                 .ranks = 2,
                                 .process = 4000 + rank,
                                 .flags = 1,
                                 .started = 1234,
                                 .thread_count = rank ? 2 : 1};
    make_facts(maker, &example, key);
    for (uint32_t i = 0; i < maker->thread_count; i++)
        make_thread(&maker->threads[i], &example.locations[rank + i]);
    maker_free(&example);
}

static void encode_cell(struct encoder *out, unsigned step, enum metric metric, int64_t value)
{
    encode_varint(out, step);
    encode_varint(out, metric);
    encode_signed(out, value);
}

void part_maker_open_iteration(struct part_maker *maker)
{
    struct maker example;
    struct thread_maker *thread = &maker->threads[0];
    struct encoder *out = &thread->snapshots[1];
    make_example(&example);
    thread->sequences[1] = 2;
    begin_snapshot(out, PART_MAKER_SAVED_NS + 3000000);
    encode_varint(out, 1);
    encode_varint(out, 1);
    encode_varint(out, maker->rank ? 5 : 6);
    encode_varint(out, PART_MAKER_SAVED_NS);
    encode_varint(out, 3000000);
    encode_varint(out, 4);
    encode_cell(out, NODE_step, METRIC_visits, 1);
    encode_cell(out, NODE_solve_1 - NODE_step, METRIC_computation, 1000000);
    encode_cell(out, NODE_RECV - NODE_solve_1, METRIC_mpi_point2point, 2000000);
    encode_cell(out, 0, METRIC_visits, 1);
    encode_numbers(out, &example.locations[maker->rank]);
    maker_free(&example);
}

/* Pads OUT with zeros up to SIZE bytes. */
static void pad(struct encoder *out, size_t size)
{
    static const unsigned char zeros[4096];
    while (!out->failed && out->size < size)
        encode_bytes(out, zeros,
                     size - out->size < sizeof zeros ? size - out->size : sizeof zeros);
}

static void encode_header(const struct part_maker *maker, struct encoder *out)
{
    encode_bytes(out, "TSPART\r\n", 8);
    encode_u32(out, maker->version);
    encode_u32(out, maker->location_version);
    encode_u32(out, maker->rank);
    encode_u32(out, maker->ranks);
    encode_u32(out, maker->process);
    encode_u32(out, maker->flags);
    encode_u64(out, maker->started);
    encode_u64(out, DATA_AT);
    encode_u64(out, maker->facts.size);
    encode_u32(out, crc32_update(0, maker->facts.bytes, maker->facts.size));
    encode_u32(out, THREADS);
    encode_u64(out, THREADS_AT);
    encode_u64(out, 1000);                               /* ticks at 0 */
    encode_u64(out, UINT64_C(1) << 31);                  /* half a nanosecond per tick */
    encode_u64(out, 1767323045u * UINT64_C(1000000000)); /* 0 since 1970 */
    encode_u64(out, 0);
    pad(out, HEADER_BYTES - 4);
    encode_u32(out, crc32_update(0, out->bytes, HEADER_BYTES - 4));
}

static void encode_slot(struct encoder *out, const struct encoder *snapshot, uint32_t sequence,
                        uint64_t offset)
{
    struct encoder slot = {0};
    encode_u64(&slot, offset);
    encode_u64(&slot, sequence ? snapshot->size : 0);
    encode_u32(&slot, sequence);
    encode_u32(&slot, crc32_update(0, snapshot->bytes, snapshot->size));
    encode_u32(&slot, 0);
    encode_u32(&slot, crc32_update(0, slot.bytes, slot.size));
    encode_bytes(out, slot.bytes, slot.size);
    encoder_free(&slot);
}

/* The record of a thread whose log begins at OFFSET, its snapshots after it. */
static void encode_thread(const struct thread_maker *thread, uint64_t offset,
                          struct encoder *out)
{
    uint64_t first = offset + 16 + thread->log.size;
    encode_u32(out, 1);
    encode_u32(out, 77);
    encode_u64(out, 1000 + 2 * thread->since_ns);
    encode_u64(out, thread->caller);
    encode_u32(out, thread->call);
    encode_u32(out, 0);
    encode_u32(out, thread->node);
    encode_u32(out, thread->seen);
    encode_u64(out, thread->seen_ns);
    encode_u64(out, offset);
    encode_u64(out, 0);
    encode_slot(out, &thread->snapshots[0], thread->sequences[0], first);
    encode_slot(out, &thread->snapshots[1], thread->sequences[1],
                first + thread->snapshots[0].size);
}

static void encode_data(const struct thread_maker *thread, struct encoder *out)
{
    encode_u32(out, 0x474F4C54);
    encode_u32(out, (uint32_t)thread->log.size);
    encode_u32(out, crc32_update(0, thread->log.bytes, thread->log.size));
    encode_u32(out, 0);
    encode_bytes(out, thread->log.bytes, thread->log.size);
    for (int i = 0; i < 2; i++)
        encode_bytes(out, thread->snapshots[i].bytes, thread->snapshots[i].size);
}

void part_maker_write(const struct part_maker *maker, struct encoder *out)
{
    struct encoder data = {0};
    encode_header(maker, out);
    encode_u32(out, maker->ending);
    encode_u32(out, maker->lost_threads);
    pad(out, THREADS_AT);
    encode_bytes(&data, maker->facts.bytes, maker->facts.size);
    for (uint32_t i = 0; i < maker->thread_count; i++) {
        encode_thread(&maker->threads[i], DATA_AT + data.size, out);
        encode_data(&maker->threads[i], &data);
    }
    pad(out, DATA_AT);
    encode_bytes(out, data.bytes, data.size);
    encoder_free(&data);
}

void part_maker_free(struct part_maker *maker)
{
    encoder_free(&maker->facts);
    for (int i = 0; i < PART_MAKER_THREADS; i++) {
        encoder_free(&maker->threads[i].log);
        encoder_free(&maker->threads[i].snapshots[0]);
        encoder_free(&maker->threads[i].snapshots[1]);
    }
}
