/* zstd's compression for sections of summaries (doc/format.md). */
#ifndef TSPROF_ZSTD_CODEC_H
#define TSPROF_ZSTD_CODEC_H

#include <stdbool.h>
#include <stddef.h>

/* Compresses, as `sections` wants it done (sections.h). */
size_t zstd_codec_pack(void *to, size_t room, const void *from, size_t size);

/* Decompresses SIZE bytes at FROM; true if they are sound and fill TO, of ROOM bytes, exactly.
 */
bool zstd_codec_unpack(void *to, size_t room, const void *from, size_t size);

#endif
