/*
 * Encodes PNG images (ISO/IEC 15948) of at most 256 colours in memory.
 */
#ifndef TSPROF_PNG_H
#define TSPROF_PNG_H

#include "plot/canvas.h"
#include "print/print.h"

/* Appends RASTER, as a PNG file, to BYTES. */
void png_add(struct text *bytes, const struct raster *raster);

#endif
