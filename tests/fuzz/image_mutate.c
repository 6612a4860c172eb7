/* Changing images in ways that lead somewhere.  See image.h. */
#include "image.h"

#include "common/format.h"

#include <stdbool.h>
#include <string.h>

enum { CONTENT_MOST = 1 << 16 };

/* One change under way. */
struct mutation {
    uint64_t random;
    struct image image;
    size_t (*bytes)(uint8_t *data, size_t size, size_t most);
    /* New content for one of the sections. */
    size_t size;
    uint8_t content[CONTENT_MOST];
};

static uint64_t draw(struct mutation *mutation)
{
    uint64_t z = mutation->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static size_t below(struct mutation *mutation, size_t limit)
{
    return limit ? (size_t)(draw(mutation) % limit) : 0;
}

/* Puts SIZE bytes in the place of the COUNT bytes at AT; as many as there is room for. */
static void replace(struct mutation *mutation, size_t at, size_t count, const uint8_t *bytes,
                    size_t size)
{
    size_t kept = mutation->size - count;
    size = size < CONTENT_MOST - kept ? size : CONTENT_MOST - kept;
    memmove(mutation->content + at + size, mutation->content + at + count, kept - at);
    if (size > 0)
        memcpy(mutation->content + at, bytes, size);
    mutation->size = kept + size;
}

/* Where a number begins: where the byte before is the last of another one, if there are any. */
static size_t find_number(struct mutation *mutation, uint64_t *value, size_t *length)
{
    size_t at = below(mutation, mutation->size);
    while (at > 0 && mutation->content[at - 1] & 0x80)
        at--;
    struct decoder in = {mutation->content, mutation->size, at, false};
    *value = decode_varint(&in);
    *length = in.at - at;
    return at;
}

/* A number near VALUE, or near where something else begins. */
static uint64_t other_number(struct mutation *mutation, uint64_t value)
{
    unsigned bits = (unsigned)below(mutation, 64);
    switch (below(mutation, 6)) {
    case 0:
        return value + 1;
    case 1:
        return value - 1;
    case 2:
        return below(mutation, 8);
    case 3:
        return (UINT64_C(1) << bits) - below(mutation, 2);
    case 4:
        return draw(mutation) >> bits;
    default:
        return value << below(mutation, 8);
    }
}

static void change_number(struct mutation *mutation)
{
    uint64_t value;
    size_t length, at = find_number(mutation, &value, &length);
    struct encoder number = {0};
    encode_varint(&number, other_number(mutation, value));
    replace(mutation, at, length, number.bytes, number.size);
    encoder_free(&number);
}

/* Texts that programs stumble over. */
static const char *const texts[] = {
    "",
    "time",
    "computation",
    "mpi",
    "overhead",
    "visits",
    "\x1b[2J",
    "\xc2\x9b"
    "31m",
    "\xe2\x80\xae",
    "a,\"b\"\r\n",
    "%s%n%d",
    "setting.CLUSTERS",
    "../../x",
    "\xff\xfe",
    "counter.x",
    "a;b",
    "<b>&amp;</b>",
    "\t\v\b",
};

/* Takes what begins somewhere for a text, and makes it another one. */
static void change_text(struct mutation *mutation)
{
    static uint8_t filler[CONTENT_MOST];
    uint64_t value;
    size_t length, at = find_number(mutation, &value, &length);
    size_t left = mutation->size - at - length;
    size_t old = value < left ? (size_t)value : left;
    const char *text = texts[below(mutation, sizeof texts / sizeof texts[0])];
    size_t size = strlen(text);
    if (below(mutation, 8) == 0) {
        memset(filler, 'a' + (int)below(mutation, 26), sizeof filler);
        text = (const char *)filler;
        size = below(mutation, 3000);
    }
    struct encoder encoded = {0};
    encode_varint(&encoded, size);
    encode_bytes(&encoded, text, size);
    replace(mutation, at, length + old, encoded.bytes, encoded.size);
    encoder_free(&encoded);
}

static void repeat_some(struct mutation *mutation)
{
    static uint8_t copy[CONTENT_MOST];
    size_t from = below(mutation, mutation->size);
    size_t size = 1 + below(mutation, 1 + (mutation->size - from) / 2);
    size = size < mutation->size - from ? size : mutation->size - from;
    memcpy(copy, mutation->content + from, size);
    for (size_t times = 1 + below(mutation, 4); times > 0; times--)
        replace(mutation, from, 0, copy, size);
}

static void remove_some(struct mutation *mutation)
{
    size_t from = below(mutation, mutation->size);
    replace(mutation, from, 1 + below(mutation, (mutation->size - from + 1) / 2), NULL, 0);
}

/* A part of another section of the same kind or of any. */
static void insert_some(struct mutation *mutation)
{
    const struct image_section *other =
        &mutation->image.sections[below(mutation, mutation->image.count)];
    size_t from = below(mutation, other->size);
    size_t size = below(mutation, other->size - from + 1);
    size_t at = below(mutation, mutation->size + 1);
    size_t count = below(mutation, 2) ? 0 : below(mutation, mutation->size - at + 1);
    replace(mutation, at, count, other->content + from, size);
}

static void change_bytes(struct mutation *mutation)
{
    mutation->size = mutation->bytes(mutation->content, mutation->size, CONTENT_MOST);
}

static void (*const changes[])(struct mutation *) = {
    change_number, change_number, change_number, change_text, change_text,
    repeat_some,   remove_some,   insert_some,   change_bytes};

static void change_content(struct mutation *mutation)
{
    struct image_section *section =
        &mutation->image.sections[below(mutation, mutation->image.count)];
    mutation->size = section->size < CONTENT_MOST ? section->size : CONTENT_MOST;
    if (mutation->size > 0)
        memcpy(mutation->content, section->content, mutation->size);
    for (size_t left = 1 + below(mutation, 3); left > 0; left--)
        if (mutation->size > 0)
            changes[below(mutation, sizeof changes / sizeof changes[0])](mutation);
        else
            change_bytes(mutation);
    section->content = mutation->content;
    section->size = mutation->size;
}

/* The sections themselves: one is not there, or there twice, or another one. */
static void change_sections(struct mutation *mutation)
{
    struct image *image = &mutation->image;
    size_t which = below(mutation, image->count);
    struct image_section *section = &image->sections[which];
    switch (below(mutation, 4)) {
    case 0:
        memmove(section, section + 1, (--image->count - which) * sizeof *section);
        break;
    case 1:
        if (image->count < IMAGE_SECTIONS)
            image->sections[image->count++] = *section;
        break;
    case 2:
        section->kind = (uint8_t)below(mutation, SECTION_END + 1);
        break;
    default:
        section->location = (uint8_t)below(mutation, image->count);
        break;
    }
}

size_t image_mutate(uint8_t *data, size_t size, size_t most, uint64_t seed,
                    size_t (*bytes)(uint8_t *data, size_t size, size_t most))
{
    static struct mutation mutation;
    mutation.random = seed;
    mutation.bytes = bytes;
    image_parse(&mutation.image, data, size);
    if (mutation.image.count == 0)
        return bytes(data, size, most);
    if (below(&mutation, 12) == 0)
        change_sections(&mutation);
    else
        change_content(&mutation);
    if (below(&mutation, 64) == 0)
        mutation.image.state = (uint8_t)below(&mutation, 4);
    size_t changed = image_store(&mutation.image, data, most);
    return changed > 0 ? changed : size;
}
