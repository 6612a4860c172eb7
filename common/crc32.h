/* The checksum of everything that tsprof writes.  Any context: touches nothing but its
 * arguments. */
#ifndef TSPROF_CRC32_H
#define TSPROF_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32 of IEEE 802.3, as in zlib: start with CRC = 0, feed pieces in order. */
uint32_t crc32_update(uint32_t crc, const void *bytes, size_t size);

#endif
