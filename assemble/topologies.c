/* See topologies.h. */
#include "assemble/topologies.h"

#include "assemble/topology_check.h"
#include "common/crc32.h"

#include <stdlib.h>
#include <string.h>

enum { UNITED_MOST = 4096, UNITED_BYTES_MOST = 16 << 20 };

/* Bytes of a message, or a copy of them. */
struct bytes {
    const unsigned char *at;
    size_t size;
};

struct united_topology {
    struct bytes shape; /* a copy */
    uint32_t hash;      /* of the shape */
    uint64_t sequence;
    uint64_t times; /* 0: it has been joined with another one */
    bool spoken;    /* its member 0 has contributed */
    char *name;     /* NULL: none yet */
    struct encoder neighbors;
    uint64_t neighbors_count; /* members whose neighbours are in `neighbors` */
};

/* What some processes know of one topology. */
struct part {
    struct bytes shape;
    uint64_t sequence;
    bool spoken; /* member 0 is among them */
    uint64_t times;
    struct bytes name;
    uint64_t neighbors_count;
    struct bytes neighbors;
};

static struct bytes decode_bytes(struct decoder *in)
{
    size_t size;
    const char *at = decode_string(in, &size);
    return (struct bytes){(const unsigned char *)at, size};
}

static struct part decode_part(struct decoder *in)
{
    struct part part = {.shape = decode_bytes(in)};
    part.sequence = decode_varint(in);
    part.spoken = decode_varint(in);
    part.times = decode_varint(in);
    part.name = decode_bytes(in);
    part.neighbors_count = decode_varint(in);
    part.neighbors = decode_bytes(in);
    return part;
}

/* A larger count is not plausible, and sums of counts below this cannot overflow. */
#define TIMES_MOST (UINT64_C(1) << 48)

/* Whether PART is valid, so that a section with it can be read. */
static bool is_part(const struct part *part)
{
    struct topology_shape shape;
    struct decoder in = {part->shape.at, part->shape.size, 0, false};
    struct decoder neighbors = {part->neighbors.at, part->neighbors.size, 0, false};
    return part->times <= TIMES_MOST && topology_shape_read(&in, &shape) &&
           topology_neighborhoods_read(&neighbors, &shape, part->neighbors_count);
}

static bool equal(struct bytes a, struct bytes b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.at, b.at, a.size) == 0);
}

static struct united_topology *find(const struct topologies *topologies,
                                    const struct part *part, uint32_t hash)
{
    for (size_t i = 0; i < topologies->count; i++) {
        struct united_topology *item = &topologies->items[i];
        if (item->hash == hash && item->sequence == part->sequence &&
            equal(item->shape, part->shape))
            return item;
    }
    return NULL;
}

/* Reserves SIZE bytes of the bound; false if they are not left. */
static bool draw(struct topologies *topologies, size_t size)
{
    if (size > UNITED_BYTES_MOST - topologies->bytes)
        return false;
    topologies->bytes += size;
    return true;
}

/* Makes room for one more item: the list grows whenever its length reaches a power of two. */
static bool grow(struct topologies *topologies)
{
    size_t count = topologies->count;
    if (count & (count - 1))
        return true;
    struct united_topology *grown =
        realloc(topologies->items, (count ? 2 * count : 1) * sizeof *grown);
    if (grown)
        topologies->items = grown;
    return grown;
}

static struct united_topology *add_item(struct topologies *topologies, const struct part *part,
                                        uint32_t hash)
{
    if (topologies->count == UNITED_MOST || !grow(topologies) ||
        !draw(topologies, part->shape.size))
        return NULL;
    unsigned char *shape = malloc(part->shape.size);
    if (!shape)
        return NULL;
    memcpy(shape, part->shape.at, part->shape.size);
    struct united_topology *item = &topologies->items[topologies->count++];
    *item = (struct united_topology){
        .shape = {shape, part->shape.size}, .hash = hash, .sequence = part->sequence};
    return item;
}

/* Adds the name and neighbours of PART to ITEM; false if there is no room for them. */
static bool enrich(struct topologies *topologies, struct united_topology *item,
                   const struct part *part)
{
    item->spoken = item->spoken || part->spoken;
    if (part->times > item->times)
        item->times = part->times;
    if (!item->name && part->name.size > 0 && draw(topologies, part->name.size))
        item->name = strndup((const char *)part->name.at, part->name.size);
    if (part->neighbors.size == 0)
        return true;
    if (!draw(topologies, part->neighbors.size))
        return false;
    encode_bytes(&item->neighbors, part->neighbors.at, part->neighbors.size);
    item->neighbors_count += part->neighbors_count;
    return !item->neighbors.failed;
}

static void add_part(struct topologies *topologies, const struct part *part)
{
    uint32_t hash = crc32_update(0, part->shape.at, part->shape.size);
    struct united_topology *item = find(topologies, part, hash);
    if (!item)
        item = add_item(topologies, part, hash);
    bool whole = item && enrich(topologies, item, part);
    /* Counted only where member 0 is: each topology has one. */
    if (!whole && part->spoken)
        topologies->left_out++;
}

bool topologies_add(struct topologies *topologies, struct decoder *in)
{
    uint64_t count = decode_count(in, 7);
    for (uint64_t i = 0; i < count && !in->failed; i++) {
        struct part part = decode_part(in);
        if (in->failed || !is_part(&part))
            return false;
        if (part.times > 0)
            add_part(topologies, &part);
    }
    uint64_t lost = decode_varint(in);
    if (lost > topologies->lost)
        topologies->lost = lost;
    topologies->left_out += decode_varint(in);
    return !in->failed;
}

static void encode_part(struct encoder *out, struct bytes part)
{
    encode_varint(out, part.size);
    encode_bytes(out, part.at, part.size);
}

void topologies_encode_message(const struct topologies *topologies, struct encoder *out)
{
    encode_varint(out, topologies->count);
    for (size_t i = 0; i < topologies->count; i++) {
        const struct united_topology *item = &topologies->items[i];
        encode_part(out, item->shape);
        encode_varint(out, item->sequence);
        encode_varint(out, item->spoken);
        encode_varint(out, item->times);
        encode_string(out, item->name);
        encode_varint(out, item->neighbors_count);
        encode_part(out, (struct bytes){item->neighbors.bytes, item->neighbors.size});
        out->failed = out->failed || item->neighbors.failed;
    }
    encode_varint(out, topologies->lost);
    encode_varint(out, topologies->left_out);
}

static bool alike(const struct united_topology *a, const struct united_topology *b)
{
    const char *a_name = a->name ? a->name : "", *b_name = b->name ? b->name : "";
    return a->hash == b->hash && equal(a->shape, b->shape) && strcmp(a_name, b_name) == 0 &&
           a->neighbors_count == b->neighbors_count &&
           equal((struct bytes){a->neighbors.bytes, a->neighbors.size},
                 (struct bytes){b->neighbors.bytes, b->neighbors.size});
}

/*
 * Joins topologies that differ only in when they were created, and drops those whose member 0
 * had to be left out; returns how many are left.
 */
static size_t fold(struct topologies *topologies)
{
    size_t left = 0;
    for (size_t i = 0; i < topologies->count; i++) {
        struct united_topology *item = &topologies->items[i];
        if (topologies->left_out > 0 && !item->spoken)
            item->times = 0;
        if (item->times == 0)
            continue;
        size_t j = 0;
        while (j < i && !(topologies->items[j].times && alike(&topologies->items[j], item)))
            j++;
        left += j == i;
        if (j == i)
            continue;
        topologies->items[j].times += item->times;
        item->times = 0;
    }
    return left;
}

void topologies_encode(struct topologies *topologies, struct encoder *out)
{
    encode_varint(out, fold(topologies));
    for (size_t i = 0; i < topologies->count; i++) {
        const struct united_topology *item = &topologies->items[i];
        if (item->times == 0)
            continue;
        encode_string(out, item->name);
        encode_varint(out, item->times);
        encode_bytes(out, item->shape.at, item->shape.size);
        encode_varint(out, item->neighbors_count);
        encode_bytes(out, item->neighbors.bytes, item->neighbors.size);
        out->failed = out->failed || item->neighbors.failed;
    }
    encode_varint(out, topologies->lost + topologies->left_out);
}

void topologies_free(struct topologies *topologies)
{
    for (size_t i = 0; i < topologies->count; i++) {
        free((void *)topologies->items[i].shape.at);
        free(topologies->items[i].name);
        encoder_free(&topologies->items[i].neighbors);
    }
    free(topologies->items);
    *topologies = (struct topologies){0};
}
