/* See stall_facts.h. */
#include "encode/stall_facts.h"

#include <string.h>

/* Facts that are being written. */
struct facts {
    struct encoder *out; /* NULL: they are only counted */
    unsigned count;
};

/* Writes `stall.KIND.WHAT` and VALUE, unless that is 0. */
static void put_async(struct facts *facts, enum stall kind, const char *what, uint64_t value)
{
    const char *const parts[] = {"stall.", stall_name_async(kind), ".", what};
    const size_t count = sizeof parts / sizeof parts[0];
    size_t length = 0;
    if (value == 0)
        return;
    facts->count++;
    if (!facts->out)
        return;
    for (size_t i = 0; i < count; i++)
        length += strlen(parts[i]);
    encode_varint(facts->out, length);
    for (size_t i = 0; i < count; i++)
        encode_bytes(facts->out, parts[i], strlen(parts[i]));
    encode_varint(facts->out, value);
}

static void put_kind_async(struct facts *facts, enum stall kind,
                           const struct stall_count *count)
{
    for (unsigned bin = 0; bin < STALL_BINS; bin++) {
        const unsigned number = STALL_FIRST_BIN + bin;
        const char digits[] = {(char)('0' + number / 10), (char)('0' + number % 10), '\0'};
        put_async(facts, kind, digits, count->bins[bin]);
    }
    put_async(facts, kind, "longest_ns", (uint64_t)count->longest_ns);
}

static unsigned put_all_async(const struct stalls *stalls, struct encoder *out)
{
    struct facts facts = {.out = out};
    for (int kind = 0; kind < STALL_KINDS; kind++)
        put_kind_async(&facts, (enum stall)kind, &stalls->kinds[kind]);
    return facts.count;
}

unsigned stall_facts_count_async(const struct stalls *stalls)
{
    return put_all_async(stalls, NULL);
}

void stall_facts_encode_async(const struct stalls *stalls, struct encoder *out)
{
    put_all_async(stalls, out);
}
