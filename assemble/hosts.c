/* See hosts.h. */
#include "assemble/hosts.h"

#include "common/format.h"

#include <stdlib.h>
#include <string.h>

enum { CAPACITY_FIRST = 16 };

static const unsigned char *text_at(const struct hosts *hosts, uint32_t number, size_t *length)
{
    size_t begin = number ? hosts->ends[number - 1] : 0;
    *length = hosts->ends[number] - begin;
    return hosts->texts.bytes + begin;
}

/* The description of a host to be found. */
struct wanted_host {
    const struct hosts *hosts;
    const void *text;
    size_t length;
};

static bool is_wanted(const void *context, uint32_t number)
{
    const struct wanted_host *wanted = context;
    size_t length;
    const unsigned char *text = text_at(wanted->hosts, number, &length);
    return length == wanted->length && memcmp(text, wanted->text, length) == 0;
}

/* Makes room for one more host. */
static bool reserve(struct hosts *hosts)
{
    if (hosts->count == hosts->capacity) {
        uint32_t capacity = hosts->capacity ? 2 * hosts->capacity : CAPACITY_FIRST;
        size_t *ends = realloc(hosts->ends, capacity * sizeof *ends);
        if (!ends)
            return false;
        hosts->ends = ends;
        hosts->capacity = capacity;
    }
    return index_reserve(&hosts->index, (size_t)hosts->count + 1);
}

uint32_t hosts_add(struct hosts *hosts, const void *text, size_t length)
{
    struct wanted_host wanted = {hosts, text, length};
    if (!reserve(hosts))
        return HOSTS_NONE;
    uint32_t *slot = index_slot(&hosts->index, index_hash_bytes(INDEX_HASH, text, length),
                                is_wanted, &wanted);
    if (*slot)
        return *slot - 1;
    encode_bytes(&hosts->texts, text, length);
    if (hosts->texts.failed)
        return HOSTS_NONE;
    hosts->ends[hosts->count] = hosts->texts.size;
    *slot = ++hosts->count;
    return *slot - 1;
}

void hosts_encode(const struct hosts *hosts, struct encoder *out)
{
    encode_varint(out, hosts->count);
    encode_bytes(out, hosts->texts.bytes, hosts->texts.size);
    out->failed = out->failed || hosts->texts.failed;
}

void hosts_encode_message(const struct hosts *hosts, struct encoder *out)
{
    encode_varint(out, hosts->count);
    for (uint32_t i = 0; i < hosts->count; i++) {
        size_t length;
        const unsigned char *text = text_at(hosts, i, &length);
        encode_varint(out, length);
        encode_bytes(out, text, length);
    }
    out->failed = out->failed || hosts->texts.failed;
}

/* Reads a string; false if it is not one that readers of a summary accept. */
static bool is_name(struct decoder *in)
{
    size_t length;
    const char *name = decode_string(in, &length);
    return !in->failed && !memchr(name, '\0', length);
}

/* Whether the LENGTH bytes at TEXT are exactly one host's entry of the section SYSTEM. */
static bool is_host(const char *text, size_t length)
{
    struct decoder in = {(const unsigned char *)text, length, 0, false};
    bool good = is_name(&in);
    uint64_t facts = decode_count(&in, 2);
    for (uint64_t i = 0; i < 2 * facts && good; i++)
        good = is_name(&in);
    return good && facts <= FORMAT_FACTS_MOST && !in.failed && in.at == length;
}

bool hosts_merge(struct hosts *hosts, struct decoder *in, uint32_t **map, uint32_t *count)
{
    *count = (uint32_t)decode_count(in, 1);
    *map = calloc((size_t)*count + 1, sizeof **map);
    bool good = *map && !in->failed;
    for (uint32_t i = 0; good && i < *count; i++) {
        size_t length;
        const char *text = decode_string(in, &length);
        (*map)[i] = is_host(text, length) ? hosts_add(hosts, text, length) : HOSTS_NONE;
        good = (*map)[i] != HOSTS_NONE;
    }
    return good;
}

void hosts_free(struct hosts *hosts)
{
    encoder_free(&hosts->texts);
    free(hosts->ends);
    index_free(&hosts->index);
    *hosts = (struct hosts){0};
}
