/*
 * zstd's compression for the summary, from libzstd, which is opened when this is first called,
 * at the end of the measurement.  Program context.
 */
#ifndef TSPROF_ZSTD_H
#define TSPROF_ZSTD_H

#include "assemble/sections.h"

/* The compression function for `sections`; NULL if libzstd cannot be found. */
sections_pack *zstd_pack(void);

#endif
