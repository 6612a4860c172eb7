/* See part_log_reading.h. */
#include "parts/part_log_reading.h"

#include "common/codec.h"
#include "common/crc32.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    NODE_BYTES = 6, /* fewest of a node */
    PHASES_MOST = 4096
};

/* A log that is being read. */
struct log_reader {
    struct part_reading *part;
    struct part_log_reading *log;
    struct decoder in;
    uint64_t next; /* offset of the next batch */
    struct error *error;
};

static bool damaged(const struct log_reader *reader, const char *what)
{
    return error_set(reader->error, "%s: is damaged: its log %s", reader->part->shell.path,
                     what);
}

/* Room for one more item: arrays grow whenever their count reaches a power of two. */
static void *grow(void *items, size_t count, size_t bytes)
{
    return count & (count - 1) ? items : reallocate(items, count ? 2 * count : 1, bytes);
}

static const char *read_text(struct log_reader *reader)
{
    size_t length;
    const char *text = decode_string(&reader->in, &length);
    reader->in.failed = reader->in.failed || memchr(text, '\0', length);
    return length ? memory_pool_copy(&reader->part->shell.pool, text, length) : "";
}

static bool read_module(struct log_reader *reader)
{
    struct part_log_reading *log = reader->log;
    struct part_module module = {.number = decode_varint(&reader->in)};
    module.path = read_text(reader);
    module.build_id = read_text(reader);
    module.base = decode_varint(&reader->in);
    module.low = decode_varint(&reader->in);
    module.high = decode_varint(&reader->in);
    if (module.number == 0)
        return damaged(reader, "has a module without a number");
    log->modules = grow(log->modules, log->module_count, sizeof *log->modules);
    log->modules[log->module_count++] = module;
    return true;
}

static bool read_phase(struct log_reader *reader)
{
    struct part_log_reading *log = reader->log;
    uint64_t number = decode_varint(&reader->in);
    if (number >= PHASES_MOST)
        return damaged(reader, "has more phases than there can be");
    for (; log->phase_count <= number; log->phase_count++) {
        log->phases = grow(log->phases, log->phase_count, sizeof *log->phases);
        log->phases[log->phase_count] = (struct part_phase){NULL, false};
    }
    log->phases[number].name = read_text(reader);
    log->phases[number].kept = decode_varint(&reader->in) != 0;
    return true;
}

/* The index of module NUMBER; SUMMARY_NONE for 0.  False if there is none. */
static bool find_module(const struct part_log_reading *log, uint64_t number, uint32_t *index)
{
    *index = SUMMARY_NONE;
    for (size_t i = log->module_count; number > 0 && i-- > 0;)
        if (log->modules[i].number == number) {
            *index = (uint32_t)i;
            return true;
        }
    return number == 0;
}

static bool read_place(struct log_reader *reader, struct part_place *place)
{
    uint64_t module = decode_varint(&reader->in);
    place->offset = decode_varint(&reader->in);
    return find_module(reader->log, module, &place->module);
}

/* What the node stands for. */
static bool read_what(struct log_reader *reader, struct part_node *node)
{
    uint64_t number;
    switch (node->kind) {
    case PART_NODE_FUNCTION:
        if (!read_place(reader, &node->function))
            return false;
        node->name = read_text(reader);
        return true;
    case PART_NODE_ARTIFICIAL:
        node->name = read_text(reader);
        return true;
    default:
        number = decode_varint(&reader->in);
        node->number = (uint32_t)number;
        return node->kind == PART_NODE_MPI
                   ? number < reader->part->call_count
                   : number < reader->log->phase_count && reader->log->phases[number].name;
    }
}

static bool read_node(struct log_reader *reader)
{
    struct part_log_reading *log = reader->log;
    struct part_node node = {.name = "", .function = {SUMMARY_NONE, 0}};
    uint64_t parent = decode_varint(&reader->in), kind = decode_varint(&reader->in);
    if (parent > log->node_count || (parent == 0) != (log->node_count == 0) ||
        kind >= PART_NODE_KINDS)
        return false;
    node.parent = parent ? (uint32_t)(parent - 1) : SUMMARY_NONE;
    node.depth = parent ? log->nodes[node.parent].depth + 1 : 0;
    if (node.depth > PART_DEPTH_MOST)
        return false;
    node.told = kind == PART_NODE_TOLD;
    node.kind = node.told ? PART_NODE_FUNCTION : (enum part_node_kind)kind;
    if (!read_what(reader, &node) || !read_place(reader, &node.site))
        return false;
    if (log->node_count == 0 && node.kind != PART_NODE_ARTIFICIAL)
        return false;
    log->nodes = grow(log->nodes, log->node_count, sizeof *log->nodes);
    log->nodes[log->node_count++] = node;
    return true;
}

static bool read_nodes(struct log_reader *reader)
{
    uint64_t first = decode_varint(&reader->in);
    uint64_t count = decode_count(&reader->in, NODE_BYTES);
    if (first != reader->log->node_count || first + count >= SUMMARY_NONE)
        return damaged(reader, "lacks call paths");
    for (uint64_t i = 0; i < count; i++)
        if (!read_node(reader) && !reader->in.failed)
            return damaged(reader, "has an invalid call path");
    return true;
}

static bool read_topologies(struct log_reader *reader)
{
    size_t length;
    const char *bytes = decode_string(&reader->in, &length);
    struct part_log_reading *log = reader->log;
    free(log->topologies);
    log->topologies = allocate(length, 1);
    log->topology_bytes = length;
    memcpy(log->topologies, bytes, length);
    return true;
}

static bool read_record(struct log_reader *reader)
{
    switch (decode_varint(&reader->in)) {
    case PART_RECORD_MODULE:
        return read_module(reader);
    case PART_RECORD_PHASE:
        return read_phase(reader);
    case PART_RECORD_NODES:
        return read_nodes(reader);
    case PART_RECORD_TOPOLOGIES:
        return read_topologies(reader);
    case PART_RECORD_CONTINUES:
        reader->next = decode_varint(&reader->in);
        return true;
    default:
        return damaged(reader, "has a record of an unknown kind");
    }
}

/* Reads the content of batch NUMBER at OFFSET, *SIZE bytes; NULL if the log ends here. */
static unsigned char *read_batch(const struct part_reading *part, uint64_t offset,
                                 uint32_t number, size_t *size)
{
    unsigned char *header = part_read_bytes(part, offset, PART_BATCH_BYTES);
    struct decoder in = {header, header ? PART_BATCH_BYTES : 0, 0, false};
    uint32_t magic = decode_u32(&in), bytes = decode_u32(&in), crc = decode_u32(&in);
    bool there = decode_u32(&in) == number && magic == PART_BATCH_MAGIC && !in.failed;
    free(header);
    if (!there)
        return NULL;
    unsigned char *content = part_read_bytes(part, offset + PART_BATCH_BYTES, bytes);
    *size = bytes;
    if (content && crc32_update(0, content, bytes) == crc)
        return content;
    free(content);
    return NULL;
}

bool part_log_read(struct part_reading *part, uint64_t offset, struct part_log_reading *log,
                   struct error *error)
{
    struct log_reader reader = {.part = part, .log = log, .next = offset, .error = error};
    *log = (struct part_log_reading){0};
    bool good = true;
    unsigned char *content;
    /* Batches are numbered, so a log that refers back to an earlier batch ends there. */
    for (uint32_t number = 0; good && reader.next > 0; number++) {
        size_t size;
        content = read_batch(part, reader.next, number, &size);
        if (!content)
            break;
        reader.in = (struct decoder){content, size, 0, false};
        reader.next += PART_BATCH_BYTES + size;
        while (good && reader.in.at < size && !reader.in.failed)
            good = read_record(&reader);
        if (good && reader.in.failed)
            good = damaged(&reader, "has a batch that ends too early");
        free(content);
    }
    if (!good)
        part_log_free(log);
    return good;
}

void part_log_free(struct part_log_reading *log)
{
    free(log->modules);
    free(log->phases);
    free(log->nodes);
    free(log->topologies);
    *log = (struct part_log_reading){0};
}

const struct part_module *part_log_find(const struct part_log_reading *log, uint64_t address)
{
    for (size_t i = log->module_count; i-- > 0;)
        if (address >= log->modules[i].low && address < log->modules[i].high)
            return &log->modules[i];
    return NULL;
}
