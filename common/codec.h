/*
 * Encodes and decodes the integers and strings of summary files (doc/format.md, "Conventions").
 *
 * A writer appends to a buffer from malloc that grows, or to one of fixed size that is flushed
 * whenever it is full.  A reader walks over bytes that it does not own, and never past their
 * end.  Not for signal handlers, except a writer of fixed size whose flush_async is
 * async-signal-safe.
 */
#ifndef TSPROF_CODEC_H
#define TSPROF_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Bytes being written.  There are two kinds.  One starts from all zeros and grows; `failed` is
 * set once memory runs out, and stays set.  The other starts with `bytes` of fixed `capacity`,
 * at least 16, and a `flush_async` that is called when there is no room for more: it takes what
 * is in `bytes` and sets `size` to 0.  At the end the owner calls `flush_async` once more;
 * encoder_free is not for this kind.
 */
struct encoder {
    unsigned char *bytes;
    size_t size;
    size_t capacity;
    bool failed;
    void (*flush_async)(struct encoder *out);
    void (*pause_async)(struct encoder *out); /* see encoder_pause_async; NULL: nothing */
};

/*
 * Whoever encodes much calls this every few microseconds, where the owner may leave the work
 * for a while: what is encoded must not change meanwhile.
 */
void encoder_pause_async(struct encoder *out);

void encode_u32(struct encoder *out, uint32_t value);
void encode_u64(struct encoder *out, uint64_t value);
void encode_varint(struct encoder *out, uint64_t value);
void encode_signed(struct encoder *out, int64_t value);
/* A ref to INDEX; UINT32_MAX stands for none. */
void encode_ref(struct encoder *out, uint32_t index);
/* IEEE 754 binary64, little-endian. */
void encode_double(struct encoder *out, double value);
/* TEXT may be NULL, which is written as the empty string. */
void encode_string(struct encoder *out, const char *text);
void encode_bytes(struct encoder *out, const void *bytes, size_t size);
/* Room for SIZE more bytes, which the caller fills; NULL if there is none. */
unsigned char *encode_room(struct encoder *out, size_t size);
/* Frees the bytes and makes the encoder empty again. */
void encoder_free(struct encoder *out);

/*
 * For whoever encodes very many small numbers: room for up to MOST bytes (no more than the
 * capacity of an encoder that is flushed), or NULL.  varint_put writes one number there and
 * returns where the next goes, and encode_up_to tells where that is in the end.
 */
unsigned char *encode_ahead(struct encoder *out, size_t most);

enum { VARINT_MOST = 10 /* bytes */ };

static inline unsigned char *varint_put(unsigned char *to, uint64_t value)
{
    while (value >= 0x80) {
        *to++ = (unsigned char)(value | 0x80);
        value >>= 7;
    }
    *to++ = (unsigned char)value;
    return to;
}

static inline uint64_t varint_of_signed(int64_t value)
{
    return ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0);
}

static inline void encode_up_to(struct encoder *out, const unsigned char *end)
{
    out->size = (size_t)(end - out->bytes);
}

/* Bytes being read.  `failed` is set by the first read past the end or of a bad varint. */
struct decoder {
    const unsigned char *bytes;
    size_t size;
    size_t at;
    bool failed;
};

/* Each returns 0 (an empty string) once the decoder has failed. */
uint32_t decode_u32(struct decoder *in);
uint64_t decode_u64(struct decoder *in);
uint64_t decode_varint(struct decoder *in);
int64_t decode_signed(struct decoder *in);
double decode_double(struct decoder *in);
/* A view of LENGTH bytes inside the decoder's bytes, without a terminating zero. */
const char *decode_string(struct decoder *in, size_t *length);
/* A view of SIZE bytes inside the decoder's; NULL (and failure) if there are fewer. */
const unsigned char *decode_view(struct decoder *in, size_t size);
/*
 * Reads a varint that counts items of at least ITEM_BYTES each.  Fails if the rest of the bytes
 * could not hold so many, so that a corrupt count cannot make a reader allocate more than the
 * file's size.
 */
uint64_t decode_count(struct decoder *in, size_t item_bytes);

#endif
