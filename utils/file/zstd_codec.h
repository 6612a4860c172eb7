/* zstd's compression for sections of summaries (doc/format.md). */
#ifndef TSPROF_ZSTD_CODEC_H
#define TSPROF_ZSTD_CODEC_H

#include <stdbool.h>
#include <stddef.h>

/* Compresses SIZE bytes; as the functions of assemble/sections.h expect it. */
size_t zstd_codec_pack(void *to, size_t room, const void *from, size_t size);

/* Decompresses SIZE bytes at FROM.  True if they are sound and give exactly ROOM bytes. */
bool zstd_codec_unpack(void *to, size_t room, const void *from, size_t size);

#endif
