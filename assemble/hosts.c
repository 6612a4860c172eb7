/* See hosts.h. */
#include "hosts.h"

#include <stdlib.h>
#include <string.h>

enum { CAPACITY_FIRST = 16 };

static uint32_t hash_of(const char *name, size_t length)
{
    return crc32_update(0, name, length);
}

static const char *name_at(const struct hosts *hosts, uint32_t number, size_t *length)
{
    struct decoder in = {hosts->names.bytes, hosts->names.size, hosts->places[number], false};
    return decode_string(&in, length);
}

/* The bucket of a name, empty if it is new. */
static uint32_t *find(const struct hosts *hosts, const char *name, size_t length)
{
    uint32_t mask = 2 * hosts->capacity - 1;
    for (uint32_t at = hash_of(name, length) & mask;; at = (at + 1) & mask) {
        uint32_t *bucket = &hosts->buckets[at];
        size_t known_length;
        if (*bucket == 0)
            return bucket;
        const char *known = name_at(hosts, *bucket - 1, &known_length);
        if (known_length == length && memcmp(known, name, length) == 0)
            return bucket;
    }
}

static bool grow(struct hosts *hosts)
{
    uint32_t capacity = hosts->capacity ? 2 * hosts->capacity : CAPACITY_FIRST;
    uint32_t *places = realloc(hosts->places, capacity * sizeof *places);
    if (!places)
        return false;
    hosts->places = places;
    uint32_t *buckets = calloc(2 * (size_t)capacity, sizeof *buckets);
    if (!buckets)
        return false;
    free(hosts->buckets);
    hosts->buckets = buckets;
    hosts->capacity = capacity;
    for (uint32_t i = 0; i < hosts->count; i++) {
        size_t length;
        const char *name = name_at(hosts, i, &length);
        *find(hosts, name, length) = i + 1;
    }
    return true;
}

uint64_t hosts_add(struct hosts *hosts, const char *name, size_t length)
{
    if (hosts->count == hosts->capacity && !grow(hosts)) {
        hosts->names.failed = true;
        return 0;
    }
    uint32_t *bucket = find(hosts, name, length);
    if (*bucket)
        return *bucket - 1;
    hosts->places[hosts->count] = (uint32_t)hosts->names.size;
    encode_varint(&hosts->names, length);
    encode_bytes(&hosts->names, name, length);
    if (hosts->names.failed)
        return 0;
    *bucket = ++hosts->count;
    return *bucket - 1;
}

void hosts_encode(const struct hosts *hosts, struct encoder *out)
{
    encode_varint(out, hosts->count);
    encode_bytes(out, hosts->names.bytes, hosts->names.size);
    out->failed = out->failed || hosts->names.failed;
}

void hosts_free(struct hosts *hosts)
{
    encoder_free(&hosts->names);
    free(hosts->places);
    free(hosts->buckets);
    *hosts = (struct hosts){0};
}
