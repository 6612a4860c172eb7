/* See texts.h. */
#include "assemble/texts.h"

#include <stdlib.h>
#include <string.h>

enum { CAPACITY_FIRST = 16 };

const unsigned char *texts_get(const struct texts *texts, uint32_t number, size_t *length)
{
    const size_t begin = number ? texts->ends[number - 1] : 0;
    *length = texts->ends[number] - begin;
    return texts->bytes.bytes + begin;
}

/* The text to be found. */
struct wanted_text {
    const struct texts *texts;
    const void *text;
    size_t length;
};

static bool is_wanted(const void *context, uint32_t number)
{
    const struct wanted_text *wanted = context;
    size_t length;
    const unsigned char *text = texts_get(wanted->texts, number, &length);
    return length == wanted->length && memcmp(text, wanted->text, length) == 0;
}

/* Makes room for one more text. */
static bool reserve(struct texts *texts)
{
    if (texts->count == texts->capacity) {
        uint32_t capacity = texts->capacity ? 2 * texts->capacity : CAPACITY_FIRST;
        size_t *ends = realloc(texts->ends, capacity * sizeof *ends);
        if (!ends)
            return false;
        texts->ends = ends;
        texts->capacity = capacity;
    }
    return index_reserve(&texts->index, (size_t)texts->count + 1);
}

uint32_t texts_add(struct texts *texts, const void *text, size_t length)
{
    struct wanted_text wanted = {texts, text, length};
    if (!reserve(texts))
        return TEXTS_NONE;
    uint32_t *slot = index_slot(&texts->index, index_hash_bytes(INDEX_HASH, text, length),
                                is_wanted, &wanted);
    if (*slot)
        return *slot - 1;
    encode_bytes(&texts->bytes, text, length);
    if (texts->bytes.failed)
        return TEXTS_NONE;
    texts->ends[texts->count] = texts->bytes.size;
    *slot = ++texts->count;
    return *slot - 1;
}

uint32_t texts_find(const struct texts *texts, const void *text, size_t length)
{
    struct wanted_text wanted = {texts, text, length};
    if (texts->count == 0)
        return TEXTS_NONE;
    /* A slot is only written to by who adds. */
    struct index index = texts->index;
    const uint32_t *slot =
        index_slot(&index, index_hash_bytes(INDEX_HASH, text, length), is_wanted, &wanted);
    return *slot ? *slot - 1 : (uint32_t)TEXTS_NONE;
}

void texts_encode(const struct texts *texts, struct encoder *out)
{
    encode_varint(out, texts->count);
    for (uint32_t i = 0; i < texts->count; i++) {
        size_t length;
        const unsigned char *text = texts_get(texts, i, &length);
        encode_varint(out, length);
        encode_bytes(out, text, length);
    }
    out->failed = out->failed || texts->bytes.failed;
}

bool texts_merge(struct texts *texts, struct decoder *in,
                 bool (*is_valid)(const char *text, size_t length), uint32_t **map,
                 uint32_t *count)
{
    *count = (uint32_t)decode_count(in, 1);
    *map = calloc((size_t)*count + 1, sizeof **map);
    bool good = *map && !in->failed;
    for (uint32_t i = 0; good && i < *count; i++) {
        size_t length;
        const char *text = decode_string(in, &length);
        (*map)[i] = !in->failed && (!is_valid || is_valid(text, length))
                        ? texts_add(texts, text, length)
                        : (uint32_t)TEXTS_NONE;
        good = (*map)[i] != TEXTS_NONE;
    }
    return good;
}

void texts_free(struct texts *texts)
{
    encoder_free(&texts->bytes);
    free(texts->ends);
    index_free(&texts->index);
    *texts = (struct texts){0};
}
