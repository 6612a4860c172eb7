/* The codec: what is written is read back; what is damaged fails cleanly. */
#include "common/codec.h"
#include "common/crc32.h"

#include "tap.h"

#include <math.h>
#include <string.h>

static struct decoder reading(const struct encoder *from)
{
    return (struct decoder){from->bytes, from->size, 0, false};
}

static void test_integers_come_back(void)
{
    static const uint64_t values[] = {
        0,          1,          127,       128,        16383,           16384,
        UINT32_MAX, UINT64_MAX, INT64_MAX, 1ull << 63, (1ull << 63) - 1};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct encoder out = {0};
        encode_varint(&out, values[i]);
        encode_signed(&out, (int64_t)values[i]);
        encode_signed(&out, -(int64_t)(values[i] >> 1));
        encode_u64(&out, values[i]);
        encode_u32(&out, (uint32_t)values[i]);
        struct decoder in = reading(&out);
        bool same = decode_varint(&in) == values[i];
        same &= decode_signed(&in) == (int64_t)values[i];
        same &= decode_signed(&in) == -(int64_t)(values[i] >> 1);
        same &= decode_u64(&in) == values[i];
        same &= decode_u32(&in) == (uint32_t)values[i];
        OK(same && !in.failed && in.at == in.size, "%llu comes back in every form",
           (unsigned long long)values[i]);
        encoder_free(&out);
    }
}

static void test_doubles_come_back(void)
{
    static const double values[] = {0, -0.0, 1.5, -1e300, 5e-324, INFINITY};
    static const unsigned char one_and_a_half[] = {0, 0, 0, 0, 0, 0, 0xf8, 0x3f};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct encoder out = {0};
        encode_double(&out, values[i]);
        struct decoder in = reading(&out);
        double value = decode_double(&in);
        OK(memcmp(&value, &values[i], sizeof value) == 0 && out.size == 8 && in.at == 8,
           "%g comes back", values[i]);
        OK(values[i] != 1.5 || memcmp(out.bytes, one_and_a_half, 8) == 0,
           "in little-endian bytes");
        encoder_free(&out);
    }
}

static void test_bytes_are_as_the_format_says(void)
{
    static const unsigned char expected[] = {0xac, 0x02, 0,    1, 2,   3,  0x04,
                                             0x03, 0x02, 0x01, 2, 'h', 'i'};
    struct encoder out = {0};
    encode_varint(&out, 300);
    encode_signed(&out, 0);
    encode_signed(&out, -1);
    encode_signed(&out, 1);
    encode_signed(&out, -2);
    encode_u32(&out, 0x01020304);
    encode_string(&out, "hi");
    /* 300 is ac 02; 0, -1, 1, -2 are 0 to 3; then little-endian; then a length and bytes. */
    OK(out.size == sizeof expected && memcmp(out.bytes, expected, out.size) == 0,
       "300, 0, -1, 1, -2, 0x01020304, \"hi\" have the documented bytes");
    encoder_free(&out);
}

static void test_strings_come_back(void)
{
    struct encoder out = {0};
    size_t length;
    char long_text[1000];
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    encode_string(&out, "");
    encode_string(&out, NULL);
    encode_string(&out, long_text);
    struct decoder in = reading(&out);
    decode_string(&in, &length);
    EQ_INT(length, 0, "an empty string");
    decode_string(&in, &length);
    EQ_INT(length, 0, "no string is an empty string");
    const char *text = decode_string(&in, &length);
    OK(length == strlen(long_text) && memcmp(text, long_text, length) == 0, "a long string");
    OK(!in.failed && in.at == in.size, "and nothing is left");
    encoder_free(&out);
}

static void test_reading_past_the_end_fails_and_stays_failed(void)
{
    static const unsigned char bytes[] = {1, 2, 3};
    struct decoder in = {bytes, sizeof bytes, 0, false};
    EQ_INT(decode_u32(&in), 0, "four bytes of three are 0");
    OK(in.failed, "and a failure");
    EQ_INT(decode_varint(&in), 0, "after which nothing is read");
    struct decoder empty = {NULL, 0, 0, false};
    size_t length = 1;
    decode_varint(&empty);
    decode_string(&empty, &length);
    OK(empty.failed && length == 0, "nothing can be read from nothing");
}

static void test_bad_varints_fail(void)
{
    static const unsigned char open_end[] = {0x80};
    static const unsigned char too_long[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                             0xff, 0xff, 0xff, 0x81, 0x00};
    static const unsigned char too_large[] = {0xff, 0xff, 0xff, 0xff, 0xff,
                                              0xff, 0xff, 0xff, 0xff, 0x02};
    static const unsigned char largest[] = {0xff, 0xff, 0xff, 0xff, 0xff,
                                            0xff, 0xff, 0xff, 0xff, 0x01};
    struct decoder in = {open_end, sizeof open_end, 0, false};
    decode_varint(&in);
    OK(in.failed, "a varint without an end");
    in = (struct decoder){too_long, sizeof too_long, 0, false};
    decode_varint(&in);
    OK(in.failed, "a varint of eleven bytes");
    in = (struct decoder){too_large, sizeof too_large, 0, false};
    decode_varint(&in);
    OK(in.failed, "a varint of 2^64");
    in = (struct decoder){largest, sizeof largest, 0, false};
    OK(decode_varint(&in) == UINT64_MAX && !in.failed, "the largest varint is no failure");
}

static void test_counts_that_cannot_be_true_fail(void)
{
    struct encoder out = {0};
    encode_varint(&out, 4);
    encode_bytes(&out, "12345678", 8);
    struct decoder in = reading(&out);
    EQ_INT(decode_count(&in, 2), 4, "four things of two bytes fit eight");
    in = reading(&out);
    OK(decode_count(&in, 3) == 0 && in.failed, "four of three bytes do not");
    encoder_free(&out);
    encode_varint(&out, UINT64_MAX);
    in = reading(&out);
    OK(decode_count(&in, 1) == 0 && in.failed, "nor do 2^64 - 1 fit nothing");
    in = reading(&out);
    size_t length;
    decode_string(&in, &length);
    OK(in.failed && length == 0, "nor does a string of that length");
    encoder_free(&out);
}

/* Bit by bit, as the polynomial says. */
static uint32_t plain_crc(const unsigned char *bytes, size_t size)
{
    uint32_t crc = UINT32_MAX;
    for (size_t bit = 0; bit < 8 * size; bit++) {
        if (bit % 8 == 0)
            crc ^= bytes[bit / 8];
        crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xEDB88320) : 0);
    }
    return ~crc;
}

static void test_the_checksum_is_that_of_zlib(void)
{
    const char *text = "123456789";
    OK(crc32_update(0, text, 9) == 0xCBF43926u, "the check value of CRC-32");
    OK(crc32_update(crc32_update(0, text, 4), text + 4, 5) == 0xCBF43926u, "also in pieces");
    EQ_INT(crc32_update(0, NULL, 0), 0, "of nothing it is 0");
    unsigned char bytes[300];
    bool same = true;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * i * 7 + i / 3);
    for (size_t begin = 0; begin < 17; begin++)
        for (size_t size = 0; size <= sizeof bytes - begin; size++)
            same &= crc32_update(0, bytes + begin, size) == plain_crc(bytes + begin, size);
    OK(same, "of any length from anywhere");
}

/* What an encoder with a buffer of fixed size has let go. */
static struct {
    unsigned char bytes[4096];
    size_t size;
    size_t times;
} flushed;

static void flush(struct encoder *out)
{
    memcpy(flushed.bytes + flushed.size, out->bytes, out->size);
    flushed.size += out->size;
    flushed.times++;
    out->size = 0;
}

static void encode_everything(struct encoder *out)
{
    static const char text[] = "a text that is longer than the buffer is, by a good deal";
    for (unsigned i = 0; i < 20; i++) {
        encode_varint(out, UINT64_MAX >> i);
        encode_signed(out, -(int64_t)i);
        encode_string(out, text + i);
        encode_u32(out, i);
        encode_double(out, 1.0 / (i + 1));
    }
}

static void test_fixed_buffer(void)
{
    for (size_t capacity = 16; capacity <= 64; capacity += 7) {
        unsigned char buffer[64];
        struct encoder grows = {0};
        struct encoder fixed = {.bytes = buffer, .capacity = capacity, .flush_async = flush};
        flushed.size = flushed.times = 0;
        encode_everything(&grows);
        encode_everything(&fixed);
        flush(&fixed);
        OK(!fixed.failed && flushed.size == grows.size &&
               memcmp(flushed.bytes, grows.bytes, grows.size) == 0,
           "through a buffer of %zu bytes come the same ones", capacity);
        OK(flushed.times > grows.size / capacity, "piece by piece");
        encoder_free(&grows);
    }
}

static void refuse(struct encoder *out)
{
    out->failed = true;
    out->size = 0;
}

static void test_flush_that_fails(void)
{
    unsigned char buffer[16];
    struct encoder out = {.bytes = buffer, .capacity = sizeof buffer, .flush_async = refuse};
    encode_everything(&out);
    OK(out.failed, "who cannot be rid of bytes has failed");
    EQ_INT(out.size, 0, "and writes none");
}

int main(void)
{
    test_integers_come_back();
    test_doubles_come_back();
    test_bytes_are_as_the_format_says();
    test_strings_come_back();
    test_reading_past_the_end_fails_and_stays_failed();
    test_bad_varints_fail();
    test_counts_that_cannot_be_true_fail();
    test_the_checksum_is_that_of_zlib();
    test_fixed_buffer();
    test_flush_that_fails();
    return tap_done();
}
