/*
 * Encoding of integers and strings in summary files (doc/format.md, "Conventions").
 *
 * A writer appends to a growing buffer from malloc, or to one of fixed size that is emptied
 * whenever it is full; a reader walks over bytes it does not own and never past their end.
 * Not for signal handlers, but for a writer of the second kind whose flush is.
 */
#ifndef TSPROF_CODEC_H
#define TSPROF_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Bytes being written.  Start from all zeros; `failed` is set once memory is out and stays.
 * Or start with `bytes` of fixed `capacity`, at least 16, and a `flush` that takes what is in
 * them when there is no room for more, and sets `size` to 0.  At the end the owner calls it
 * once more; encoder_free is not for this kind.
 */
struct encoder {
    unsigned char *bytes;
    size_t size;
    size_t capacity;
    bool failed;
    void (*flush)(struct encoder *out);
};

void encode_u32(struct encoder *out, uint32_t value);
void encode_u64(struct encoder *out, uint64_t value);
void encode_varint(struct encoder *out, uint64_t value);
void encode_signed(struct encoder *out, int64_t value);
/* IEEE 754 binary64, little-endian. */
void encode_double(struct encoder *out, double value);
/* TEXT may be NULL, which is written as the empty string. */
void encode_string(struct encoder *out, const char *text);
void encode_bytes(struct encoder *out, const void *bytes, size_t size);
/* Room for SIZE more bytes, which the caller fills; NULL if there is none. */
unsigned char *encode_room(struct encoder *out, size_t size);
/* Frees the bytes and makes the encoder empty again. */
void encoder_free(struct encoder *out);

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
/* A view of LENGTH bytes inside the decoder's own, not terminated. */
const char *decode_string(struct decoder *in, size_t *length);
/*
 * A varint that counts things of which each takes at least ITEM_BYTES: fails when the rest
 * could not hold them, so that a lying count cannot make a reader allocate more than the file's
 * size.
 */
uint64_t decode_count(struct decoder *in, size_t item_bytes);

#endif
