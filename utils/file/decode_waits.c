/* See decode_waits.h. */
#include "file/decode_waits.h"

/* The least size of items in a file, in bytes. */
enum { PAIR_BYTES = 8, REASON_BYTES = 3, LONG_BYTES = 10 };

static uint32_t read_location(struct reader *reader, uint64_t index)
{
    return reader_index(reader, index, reader->summary->location_count,
                        "is of a location that is not there");
}

static uint32_t read_cause(struct reader *reader, uint64_t index)
{
    return reader_ref(reader, index, reader->summary->location_count,
                      "waits for a location that is not there");
}

static uint32_t read_metric(struct reader *reader, uint64_t index)
{
    return reader_index(reader, index, reader->summary->metric_count,
                        "is of a metric that is not there");
}

static uint32_t read_node(struct reader *reader, uint64_t index)
{
    return reader_index(reader, index, reader->summary->node_count,
                        "is of a call path that is not there");
}

static void read_reasons(struct reader *reader, uint64_t index, struct wait_pair *pair)
{
    uint64_t left = pair->ns;
    pair->reason_count = reader_count(reader, REASON_BYTES);
    pair->reasons = reader_items(reader, pair->reason_count, sizeof *pair->reasons);
    for (size_t i = 0; i < pair->reason_count && reader_is_good(reader); i++) {
        struct wait_reason *reason = &pair->reasons[i];
        reason->node = read_node(reader, index);
        reason->is_indirect = reader_index(reader, index, 2, "is neither direct nor indirect");
        reason->ns = decode_varint(&reader->in);
        if (reason->ns == 0 || reason->ns > left)
            reader_fault(reader, index, "has reasons that are not a part of it");
        left -= reader->faulty ? 0 : reason->ns;
    }
}

static void read_pair(struct reader *reader, size_t index)
{
    struct wait_pair *pair = &reader->summary->waits.pairs[index];
    pair->location = read_location(reader, index);
    pair->metric = read_metric(reader, index);
    pair->node = read_node(reader, index);
    pair->cause = read_cause(reader, index);
    pair->count = decode_varint(&reader->in);
    pair->ns = (uint64_t)reader_duration(reader, index);
    pair->longest_ns = decode_varint(&reader->in);
    if (pair->count == 0 || pair->longest_ns == 0 || pair->longest_ns > pair->ns ||
        (pair->ns - 1) / pair->count >= pair->longest_ns)
        reader_fault(reader, index, "has waits that do not add up");
    if (index > 0 && wait_pair_compare(pair - 1, pair) >= 0)
        reader_fault(reader, index, "is out of order");
    read_reasons(reader, index, pair);
}

static void read_long(struct reader *reader, size_t index)
{
    struct long_wait *wait = &reader->summary->waits.longest[index];
    wait->location = read_location(reader, index);
    wait->metric = read_metric(reader, index);
    wait->node = read_node(reader, index);
    wait->phase = reader_ref(reader, index, reader->summary->phase_count,
                             "is of a phase that is not there");
    wait->iteration = decode_varint(&reader->in);
    wait->begin_ns = decode_varint(&reader->in);
    wait->ns = (uint64_t)reader_duration(reader, index);
    wait->cause = read_cause(reader, index);
    wait->cause_node = read_node(reader, index);
    wait->cause_ns = decode_varint(&reader->in);
    if (wait->ns == 0)
        reader_fault(reader, index, "has no length");
}

void decode_waits(struct reader *reader)
{
    struct wait_table *waits = &reader->summary->waits;
    waits->pair_count = reader_count(reader, PAIR_BYTES);
    waits->pairs = reader_items(reader, waits->pair_count, sizeof *waits->pairs);
    for (size_t i = 0; i < waits->pair_count && reader_is_good(reader); i++)
        read_pair(reader, i);
    waits->longest_count = reader_is_good(reader) ? reader_count(reader, LONG_BYTES) : 0;
    waits->longest = reader_items(reader, waits->longest_count, sizeof *waits->longest);
    for (size_t i = 0; i < waits->longest_count && reader_is_good(reader); i++)
        read_long(reader, i);
}
