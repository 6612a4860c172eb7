/* See codec.h. */
#include "common/codec.h"

#include <stdlib.h>
#include <string.h>

static bool reserve(struct encoder *out, size_t more)
{
    if (out->failed)
        return false;
    if (out->capacity - out->size >= more)
        return true;
    if (out->flush_async) {
        out->flush_async(out);
        return !out->failed;
    }
    size_t capacity = out->capacity ? out->capacity : 256;
    while (capacity - out->size < more)
        capacity *= 2;
    unsigned char *bytes = realloc(out->bytes, capacity);
    if (!bytes) {
        out->failed = true;
        return false;
    }
    out->bytes = bytes;
    out->capacity = capacity;
    return true;
}

static void put_little_endian(struct encoder *out, uint64_t value, size_t size)
{
    if (!reserve(out, size))
        return;
    for (size_t i = 0; i < size; i++)
        out->bytes[out->size++] = (unsigned char)(value >> (8 * i));
}

void encoder_pause_async(struct encoder *out)
{
    if (out->pause_async)
        out->pause_async(out);
}

void encode_u32(struct encoder *out, uint32_t value)
{
    put_little_endian(out, value, 4);
}

void encode_u64(struct encoder *out, uint64_t value)
{
    put_little_endian(out, value, 8);
}

void encode_varint(struct encoder *out, uint64_t value)
{
    if (reserve(out, VARINT_MOST))
        encode_up_to(out, varint_put(out->bytes + out->size, value));
}

void encode_ref(struct encoder *out, uint32_t index)
{
    encode_varint(out, index == UINT32_MAX ? 0 : index + UINT64_C(1));
}

void encode_signed(struct encoder *out, int64_t value)
{
    encode_varint(out, varint_of_signed(value));
}

void encode_double(struct encoder *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    encode_u64(out, bits);
}

void encode_bytes(struct encoder *out, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    while (size > 0) {
        size_t piece = out->flush_async && size > out->capacity ? out->capacity : size;
        if (!reserve(out, piece))
            return;
        memcpy(out->bytes + out->size, at, piece);
        out->size += piece;
        at += piece;
        size -= piece;
    }
}

unsigned char *encode_ahead(struct encoder *out, size_t most)
{
    return reserve(out, most) ? out->bytes + out->size : NULL;
}

unsigned char *encode_room(struct encoder *out, size_t size)
{
    if (!reserve(out, size))
        return NULL;
    out->size += size;
    return out->bytes + out->size - size;
}

void encode_string(struct encoder *out, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    encode_varint(out, length);
    encode_bytes(out, text, length);
}

void encoder_free(struct encoder *out)
{
    free(out->bytes);
    *out = (struct encoder){0};
}

/* The next SIZE bytes, or NULL (and failure) when there are fewer. */
static const unsigned char *take(struct decoder *in, size_t size)
{
    if (in->failed || in->size - in->at < size) {
        in->failed = true;
        return NULL;
    }
    const unsigned char *bytes = in->bytes + in->at;
    in->at += size;
    return bytes;
}

static uint64_t get_little_endian(struct decoder *in, size_t size)
{
    const unsigned char *bytes = take(in, size);
    uint64_t value = 0;
    for (size_t i = 0; bytes && i < size; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

uint32_t decode_u32(struct decoder *in)
{
    return (uint32_t)get_little_endian(in, 4);
}

uint64_t decode_u64(struct decoder *in)
{
    return get_little_endian(in, 8);
}

uint64_t decode_varint(struct decoder *in)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        const unsigned char *byte = take(in, 1);
        if (!byte)
            return 0;
        uint64_t group = *byte & 0x7f;
        if (shift == 63 && group > 1)
            break;
        value |= group << shift;
        if (!(*byte & 0x80))
            return value;
    }
    in->failed = true;
    return 0;
}

int64_t decode_signed(struct decoder *in)
{
    uint64_t zigzag = decode_varint(in);
    return (int64_t)((zigzag >> 1) ^ (zigzag & 1 ? UINT64_MAX : 0));
}

double decode_double(struct decoder *in)
{
    uint64_t bits = decode_u64(in);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

const char *decode_string(struct decoder *in, size_t *length)
{
    uint64_t size = decode_varint(in);
    const unsigned char *bytes = size > in->size ? take(in, SIZE_MAX) : take(in, (size_t)size);
    *length = bytes ? (size_t)size : 0;
    return bytes ? (const char *)bytes : "";
}

const unsigned char *decode_view(struct decoder *in, size_t size)
{
    return take(in, size);
}

uint64_t decode_count(struct decoder *in, size_t item_bytes)
{
    uint64_t count = decode_varint(in);
    if (count > (in->size - in->at) / item_bytes)
        in->failed = true;
    return in->failed ? 0 : count;
}
