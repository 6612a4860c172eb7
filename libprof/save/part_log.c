/* See part_log.h. */
#include "save/part_log.h"

#include "assemble/buildid.h"
#include "iterations/iterations.h"
#include "save/part_file.h"

#include <string.h>
#include <sys/auxv.h>

enum {
    EXTENT_BYTES = 16384,
    NODES_AT_ONCE = 32,                     /* between two pauses */
    CONTINUES_BYTES = PART_BATCH_BYTES + 11 /* a batch that says where the log continues */
};

_Static_assert((int)NODE_FUNCTION == (int)PART_NODE_FUNCTION &&
                   (int)NODE_MPI == (int)PART_NODE_MPI &&
                   (int)NODE_PHASE == (int)PART_NODE_PHASE &&
                   (int)NODE_ARTIFICIAL == (int)PART_NODE_ARTIFICIAL,
               "kinds of nodes are written as they are");

/* What the next batch is to hold: all that is new, or one of the two special records. */
struct news {
    const struct part_log *log;
    const struct thread *thread;
    const char *program;
    uint64_t modules[KNOWN_MODULES_MOST / 64]; /* fixed here: other threads may add more */
    uint32_t phases;                           /* phases below this are written */
    bool any;
    uint64_t next;          /* if not 0, the batch says only that the log continues here */
    const void *topologies; /* if not NULL, the batch holds only these */
    size_t topologies_bytes;
};

/* Finds all that THREAD has met and LOG does not hold. */
static void find_news_async(struct news *news)
{
    const struct part_log *log = news->log;
    news->phases = __atomic_load_n(&phase_count, __ATOMIC_ACQUIRE);
    news->any = log->phases < news->phases || log->nodes < news->thread->tree.node_count;
    for (uint32_t i = 1; i < KNOWN_MODULES_MOST; i++) {
        uint64_t bit = UINT64_C(1) << (i % 64);
        if (log->modules[i / 64] & bit || !known_module_get_async(i))
            continue;
        news->modules[i / 64] |= bit;
        news->any = true;
    }
}

static void encode_module_async(const char *program, uint32_t number,
                                const struct known_module *module, struct encoder *out)
{
    char build_id[BUILDID_TEXT];
    buildid_text(module->build_id, module->build_id_length, build_id);
    encode_varint(out, PART_RECORD_MODULE);
    encode_varint(out, number);
    encode_string(out, *module->path ? module->path : program);
    encode_string(out, build_id);
    encode_varint(out, module->base);
    encode_varint(out, module->low);
    encode_varint(out, module->high);
}

static void encode_phase_async(uint32_t number, struct encoder *out)
{
    encode_varint(out, PART_RECORD_PHASE);
    encode_varint(out, number);
    encode_string(out, phase_table[number].name);
    encode_varint(out, phase_table[number].kept);
}

static void encode_place_async(uint64_t key, struct encoder *out)
{
    const struct known_module *module = known_module_get_async(code_module(key));
    encode_varint(out, module ? code_module(key) : KNOWN_MODULES_NONE);
    encode_varint(out, code_address(key) - (module ? module->base : 0));
}

static void encode_node_async(const struct node *node, bool is_root, struct encoder *out)
{
    encode_varint(out, is_root ? 0 : node->parent + UINT64_C(1));
    encode_varint(out, node->told && node->kind == NODE_FUNCTION ? PART_NODE_TOLD : node->kind);
    switch ((enum node_kind)node->kind) {
    case NODE_FUNCTION:
        encode_place_async(node->key, out);
        /* The entry point is known from the kernel, even if the program is stripped. */
        encode_string(out, code_address(node->key) == getauxval(AT_ENTRY) ? "_start" : "");
        break;
    case NODE_MPI:
    case NODE_PHASE:
        encode_varint(out, node->key);
        break;
    case NODE_ARTIFICIAL:
        encode_string(out, cct_artificial_name_async((enum artificial)node->key));
        break;
    }
    if (node->site)
        encode_place_async(node->site, out);
    else
        encode_bytes(out, "\0", 2);
}

static void encode_news_async(const struct news *news, struct encoder *out)
{
    const struct part_log *log = news->log;
    if (news->next) {
        encode_varint(out, PART_RECORD_CONTINUES);
        encode_varint(out, news->next);
        return;
    }
    if (news->topologies) {
        encode_varint(out, PART_RECORD_TOPOLOGIES);
        encode_varint(out, news->topologies_bytes);
        encode_bytes(out, news->topologies, news->topologies_bytes);
        return;
    }
    for (uint32_t i = 1; i < KNOWN_MODULES_MOST; i++)
        if (news->modules[i / 64] >> (i % 64) & 1)
            encode_module_async(news->program, i, known_module_get_async(i), out);
    for (uint32_t i = log->phases; i < news->phases; i++)
        encode_phase_async(i, out);
    const struct cct *tree = &news->thread->tree;
    if (log->nodes == tree->node_count)
        return;
    encode_varint(out, PART_RECORD_NODES);
    encode_varint(out, log->nodes);
    encode_varint(out, tree->node_count - log->nodes);
    for (uint32_t i = log->nodes; i < tree->node_count; i++) {
        encode_node_async(&tree->nodes[i], i == CCT_ROOT, out);
        if (i % NODES_AT_ONCE == 0)
            encoder_pause_async(out);
    }
}

/*
 * Writes the next batch, of SIZE bytes, for which there is room.  Its header comes last and
 * makes it valid.
 */
static bool write_batch_async(struct part_log *log, const struct news *news, uint64_t size,
                              struct part_sink *sink, void *buffer)
{
    unsigned char header[PART_BATCH_BYTES + 4];
    struct encoder out = {.bytes = header, .capacity = sizeof header};
    part_sink_open_async(sink, buffer, log->at + PART_BATCH_BYTES, size);
    encode_news_async(news, &sink->encoder);
    if (!part_sink_close_async(sink))
        return false;
    encode_u32(&out, PART_BATCH_MAGIC);
    encode_u32(&out, (uint32_t)sink->size);
    encode_u32(&out, sink->crc);
    encode_u32(&out, log->batches);
    if (!part_file_write_async(log->at, header, PART_BATCH_BYTES))
        return false;
    log->at += PART_BATCH_BYTES + sink->size;
    log->batches++;
    return true;
}

/* Continues the log in a new extent with room for a batch of SIZE bytes. */
static bool move_on_async(struct part_log *log, uint64_t size, struct part_sink *sink,
                          void *buffer)
{
    uint64_t bytes = size + PART_BATCH_BYTES + CONTINUES_BYTES;
    bytes = bytes < EXTENT_BYTES ? EXTENT_BYTES : bytes;
    uint64_t next = part_file_extend_async(bytes);
    const struct news news = {.next = next};
    if (log->first && !write_batch_async(log, &news, CONTINUES_BYTES, sink, buffer))
        return false;
    log->first = log->first ? log->first : next;
    log->at = next;
    log->end = next + bytes;
    return true;
}

/*
 * Writes NEWS as one batch, in a new extent if the current one is full.  Encodes it twice:
 * first to learn its size.
 */
static bool write_news_async(struct part_log *log, const struct news *news,
                             struct part_sink *sink, void *buffer)
{
    part_sink_open_async(sink, buffer, 0, 0);
    encode_news_async(news, &sink->encoder);
    part_sink_close_async(sink);
    const uint64_t size = sink->size;
    if (log->end - log->at < size + PART_BATCH_BYTES + CONTINUES_BYTES &&
        !move_on_async(log, size, sink, buffer))
        return false;
    return write_batch_async(log, news, size, sink, buffer);
}

bool part_log_update_async(struct part_log *log, const struct thread *thread,
                           const char *program, struct part_sink *sink, void *buffer)
{
    struct news news = {.log = log, .thread = thread, .program = program};
    find_news_async(&news);
    if (!news.any)
        return true;
    if (!write_news_async(log, &news, sink, buffer))
        return false;
    /* Last, so that what a jump interrupts above is done again. */
    for (unsigned i = 0; i < KNOWN_MODULES_MOST / 64; i++)
        log->modules[i] |= news.modules[i];
    log->phases = news.phases;
    log->nodes = thread->tree.node_count;
    return true;
}

bool part_log_topologies(struct part_log *log, const void *bytes, size_t size,
                         struct part_sink *sink, void *buffer)
{
    const struct news news = {.topologies = bytes, .topologies_bytes = size};
    return write_news_async(log, &news, sink, buffer);
}
