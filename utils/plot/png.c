/* PNG with a palette.  See png.h. */
#include "plot/png.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void put_u32(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> (24 - 8 * i));
}

static void add_chunk(struct text *out, const char type[4], const unsigned char *data,
                      size_t size)
{
    unsigned char word[4];
    uLong crc = crc32(crc32(0, Z_NULL, 0), (const Bytef *)type, 4);
    put_u32(word, (uint32_t)size);
    text_add_bytes(out, (const char *)word, 4);
    text_add_bytes(out, type, 4);
    if (size > 0) {
        crc = crc32(crc, data, (uInt)size);
        text_add_bytes(out, (const char *)data, size);
    }
    put_u32(word, (uint32_t)crc);
    text_add_bytes(out, (const char *)word, 4);
}

static void add_header(struct text *out, const struct raster *raster)
{
    /* 8 bits a pixel, by palette; the only methods there are; not interlaced. */
    unsigned char header[13] = {0, 0, 0, 0, 0, 0, 0, 0, 8, 3, 0, 0, 0};
    put_u32(header, (uint32_t)raster->columns);
    put_u32(header + 4, (uint32_t)raster->rows);
    add_chunk(out, "IHDR", header, sizeof header);
}

static void add_palette(struct text *out, const struct palette *palette)
{
    unsigned char colors[3 * PALETTE_SIZE];
    for (size_t i = 0; i < PALETTE_SIZE; i++) {
        colors[3 * i] = (unsigned char)(palette->colors[i] >> 16);
        colors[3 * i + 1] = (unsigned char)(palette->colors[i] >> 8);
        colors[3 * i + 2] = (unsigned char)palette->colors[i];
    }
    add_chunk(out, "PLTE", colors, sizeof colors);
}

/* Every row begins with its filter: as the row above, or none for the first. */
static void add_pixels(struct text *out, const struct raster *raster)
{
    enum { NONE, UP = 2 };
    size_t line = raster->columns + 1, size = line * raster->rows;
    unsigned char *lines = allocate(size, 1);
    for (size_t y = 0; y < raster->rows; y++) {
        const uint8_t *row = raster->pixels + y * raster->columns;
        unsigned char *at = lines + y * line;
        bool same = y > 0 && memcmp(row, row - raster->columns, raster->columns) == 0;
        /* With the filter UP a row like the one above is all zeros. */
        *at++ = same ? UP : NONE;
        if (!same)
            memcpy(at, row, raster->columns);
    }
    uLongf packed_size = compressBound(size);
    unsigned char *packed = allocate(packed_size, 1);
    if (compress2(packed, &packed_size, lines, size, Z_BEST_COMPRESSION) != Z_OK)
        out_of_memory();
    add_chunk(out, "IDAT", packed, packed_size);
    free(packed);
    free(lines);
}

void png_add(struct text *bytes, const struct raster *raster)
{
    text_add_bytes(bytes, "\211PNG\r\n\032\n", 8);
    add_header(bytes, raster);
    add_palette(bytes, raster->palette);
    add_pixels(bytes, raster);
    add_chunk(bytes, "IEND", NULL, 0);
}
