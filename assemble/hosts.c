/* See hosts.h. */
#include "assemble/hosts.h"

#include "common/crc32.h"
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

/* The bucket of a text, empty if it is new. */
static uint32_t *find(const struct hosts *hosts, const void *text, size_t length)
{
    uint32_t mask = 2 * hosts->capacity - 1;
    for (uint32_t at = crc32_update(0, text, length) & mask;; at = (at + 1) & mask) {
        uint32_t *bucket = &hosts->buckets[at];
        size_t known_length;
        if (*bucket == 0)
            return bucket;
        const unsigned char *known = text_at(hosts, *bucket - 1, &known_length);
        if (known_length == length && memcmp(known, text, length) == 0)
            return bucket;
    }
}

static bool grow(struct hosts *hosts)
{
    uint32_t capacity = hosts->capacity ? 2 * hosts->capacity : CAPACITY_FIRST;
    size_t *ends = realloc(hosts->ends, capacity * sizeof *ends);
    if (!ends)
        return false;
    hosts->ends = ends;
    uint32_t *buckets = calloc(2 * (size_t)capacity, sizeof *buckets);
    if (!buckets)
        return false;
    free(hosts->buckets);
    hosts->buckets = buckets;
    hosts->capacity = capacity;
    for (uint32_t i = 0; i < hosts->count; i++) {
        size_t length;
        const unsigned char *text = text_at(hosts, i, &length);
        *find(hosts, text, length) = i + 1;
    }
    return true;
}

uint32_t hosts_add(struct hosts *hosts, const void *text, size_t length)
{
    if (hosts->count == hosts->capacity && !grow(hosts))
        return HOSTS_NONE;
    uint32_t *bucket = find(hosts, text, length);
    if (*bucket)
        return *bucket - 1;
    encode_bytes(&hosts->texts, text, length);
    if (hosts->texts.failed)
        return HOSTS_NONE;
    hosts->ends[hosts->count] = hosts->texts.size;
    *bucket = ++hosts->count;
    return *bucket - 1;
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

/* Reads a string; false if it is none that readers take. */
static bool is_name(struct decoder *in)
{
    size_t length;
    const char *name = decode_string(in, &length);
    return !in->failed && !memchr(name, '\0', length);
}

/* Whether LENGTH bytes at TEXT are what the summary says of one host, and nothing else. */
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
    free(hosts->buckets);
    *hosts = (struct hosts){0};
}
