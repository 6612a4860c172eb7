/* See encode_waits.h. */
#include "file/encode_waits.h"

static void encode_pair(const struct wait_pair *pair, struct encoder *out)
{
    encode_varint(out, pair->location);
    encode_varint(out, pair->metric);
    encode_varint(out, pair->node);
    encode_ref(out, pair->cause);
    encode_varint(out, pair->count);
    encode_varint(out, pair->ns);
    encode_varint(out, pair->longest_ns);
    encode_varint(out, pair->reason_count);
    for (size_t i = 0; i < pair->reason_count; i++) {
        encode_varint(out, pair->reasons[i].node);
        encode_varint(out, pair->reasons[i].is_indirect);
        encode_varint(out, pair->reasons[i].ns);
    }
}

static void encode_long(const struct long_wait *wait, struct encoder *out)
{
    encode_varint(out, wait->location);
    encode_varint(out, wait->metric);
    encode_varint(out, wait->node);
    encode_ref(out, wait->phase);
    encode_varint(out, wait->iteration);
    encode_varint(out, wait->begin_ns);
    encode_varint(out, wait->ns);
    encode_ref(out, wait->cause);
    encode_varint(out, wait->cause_node);
    encode_varint(out, wait->cause_ns);
}

bool waits_exist(const struct summary *summary)
{
    return summary->waits.pair_count > 0 || summary->waits.longest_count > 0;
}

void encode_waits(const struct summary *summary, struct encoder *out)
{
    const struct wait_table *waits = &summary->waits;
    encode_varint(out, waits->pair_count);
    for (size_t i = 0; i < waits->pair_count; i++)
        encode_pair(&waits->pairs[i], out);
    encode_varint(out, waits->longest_count);
    for (size_t i = 0; i < waits->longest_count; i++)
        encode_long(&waits->longest[i], out);
}
