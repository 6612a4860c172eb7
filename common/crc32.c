/*
 * See crc32.h.  Eight bytes at a time, with a table for each: "slicing-by-8" (Kounavis and
 * Berry, A Systematic Approach to Building High Performance Software-based CRC Generators,
 * 2005).
 */
#include "common/crc32.h"

#include <endian.h>
#include <string.h>

enum { SLICES = 8 };

/*
 * The CRC of a byte is the exclusive or of the CRCs of its bits.  So the preprocessor makes a
 * table of 256 entries from eight numbers, and no code has to fill it at run time.
 */
#define BIT(byte, bit, value) ((byte) >> (bit)&1 ? UINT32_C(value) : 0)
#define ENTRY(byte, a, b, c, d, e, f, g, h)                                                    \
    BIT(byte, 0, a) ^ BIT(byte, 1, b) ^ BIT(byte, 2, c) ^ BIT(byte, 3, d) ^ BIT(byte, 4, e) ^  \
        BIT(byte, 5, f) ^ BIT(byte, 6, g) ^ BIT(byte, 7, h)
#define ENTRIES_4(byte, ...)                                                                   \
    ENTRY(byte, __VA_ARGS__), ENTRY((byte) + 1, __VA_ARGS__), ENTRY((byte) + 2, __VA_ARGS__),  \
        ENTRY((byte) + 3, __VA_ARGS__)
#define ENTRIES_16(byte, ...)                                                                  \
    ENTRIES_4(byte, __VA_ARGS__), ENTRIES_4((byte) + 4, __VA_ARGS__),                          \
        ENTRIES_4((byte) + 8, __VA_ARGS__), ENTRIES_4((byte) + 12, __VA_ARGS__)
#define ENTRIES_64(byte, ...)                                                                  \
    ENTRIES_16(byte, __VA_ARGS__), ENTRIES_16((byte) + 16, __VA_ARGS__),                       \
        ENTRIES_16((byte) + 32, __VA_ARGS__), ENTRIES_16((byte) + 48, __VA_ARGS__)
#define TABLE(...)                                                                             \
    {                                                                                          \
        ENTRIES_64(0, __VA_ARGS__), ENTRIES_64(64, __VA_ARGS__), ENTRIES_64(128, __VA_ARGS__), \
            ENTRIES_64(192, __VA_ARGS__)                                                       \
    }

/*
 * [N][byte]: the contribution of a byte that is followed by N more bytes in a group of eight.
 */
static const uint32_t tables[SLICES][256] = {
    /* clang-format off */
    TABLE(0x77073096, 0xEE0E612C, 0x076DC419, 0x0EDB8832, 0x1DB71064, 0x3B6E20C8, 0x76DC4190, 0xEDB88320),
    TABLE(0x191B3141, 0x32366282, 0x646CC504, 0xC8D98A08, 0x4AC21251, 0x958424A2, 0xF0794F05, 0x3B83984B),
    TABLE(0x01C26A37, 0x0384D46E, 0x0709A8DC, 0x0E1351B8, 0x1C26A370, 0x384D46E0, 0x709A8DC0, 0xE1351B80),
    TABLE(0xB8BC6765, 0xAA09C88B, 0x8F629757, 0xC5B428EF, 0x5019579F, 0xA032AF3E, 0x9B14583D, 0xED59B63B),
    TABLE(0x3D6029B0, 0x7AC05360, 0xF580A6C0, 0x30704BC1, 0x60E09782, 0xC1C12F04, 0x58F35849, 0xB1E6B092),
    TABLE(0xCB5CD3A5, 0x4DC8A10B, 0x9B914216, 0xEC53826D, 0x03D6029B, 0x07AC0536, 0x0F580A6C, 0x1EB014D8),
    TABLE(0xA6770BB4, 0x979F1129, 0xF44F2413, 0x33EF4E67, 0x67DE9CCE, 0xCFBD399C, 0x440B7579, 0x8816EAF2),
    TABLE(0xCCAA009E, 0x4225077D, 0x844A0EFA, 0xD3E51BB5, 0x7CBB312B, 0xF9766256, 0x299DC2ED, 0x533B85DA),
    /* clang-format on */
};

static uint32_t little_endian(const unsigned char *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return le32toh(word);
}

/* The contribution of the four bytes of WORD if MORE bytes follow them. */
static uint32_t slice(uint32_t word, int more)
{
    return tables[more + 3][word & 0xff] ^ tables[more + 2][word >> 8 & 0xff] ^
           tables[more + 1][word >> 16 & 0xff] ^ tables[more][word >> 24];
}

uint32_t crc32_update(uint32_t crc, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    crc = ~crc;
    for (; size >= SLICES; size -= SLICES, at += SLICES)
        crc = slice(crc ^ little_endian(at), 4) ^ slice(little_endian(at + 4), 0);
    for (; size > 0; size--, at++)
        crc = crc >> 8 ^ tables[0][(crc ^ *at) & 0xff];
    return ~crc;
}
