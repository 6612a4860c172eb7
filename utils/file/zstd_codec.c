/* See zstd_codec.h. */
#include "file/zstd_codec.h"

#include "assemble/sections.h"

#include <zstd.h>

size_t zstd_codec_pack(void *to, size_t room, const void *from, size_t size)
{
    size_t result = ZSTD_compress(to, room, from, size, SECTIONS_LEVEL);
    return ZSTD_isError(result) ? 0 : result;
}

bool zstd_codec_unpack(void *to, size_t room, const void *from, size_t size)
{
    return ZSTD_decompress(to, room, from, size) == room;
}
