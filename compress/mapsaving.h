/*
 * Writes a map from iterations to clusters as it is in memory (doc/parts.md, "Map"), which
 * takes as long as the map is large, and not as there are iterations.
 *
 * For itermap.c only.  Async-signal-safe if the encoder's flush is.
 */
#ifndef TSPROF_MAPSAVING_H
#define TSPROF_MAPSAVING_H

#include "common/codec.h"
#include "compress/itermap.h"
#include "compress/maplabels.h"
#include "compress/mappage.h"
#include "compress/mapwriter.h"

struct map_saving {
    const struct labels *labels;
    const struct itermap_names *names;
    struct encoder *out;
};

/* Appends the iterations of PAGE. */
void mapsaving_page(const struct map_saving *saving, const struct page *page);

/* Appends those that wait in WRITER, and after them WAITING ones that are unmapped. */
void mapsaving_tail(const struct map_saving *saving, const struct map_writer *writer,
                    uint64_t waiting);

/* Appends the end of the map. */
void mapsaving_end(const struct map_saving *saving);

#endif
