/*
 * zstd's compression for the summary, from its own library, which is opened when it is first
 * asked for: at the end of the measurement.  Program context.
 */
#ifndef TSPROF_ZSTD_H
#define TSPROF_ZSTD_H

#include "assemble/sections.h"

/* The library's function as `sections` takes it; NULL where there is no such library. */
sections_pack *zstd_pack(void);

#endif
