/*
 * The sections of a summary while it is written (doc/format.md, "Layout"): turns contents into
 * the bytes that are stored, compressed where that helps, and into entries of the section map.
 *
 * A writer adds its sections, whose bytes are put one after the other into `stored`.  Once it
 * is known where those begin in the file, the entries can be encoded.  Several writers can
 * share a file, each with its own bytes and entries.  Program context; memory from malloc.
 */
#ifndef TSPROF_SECTIONS_H
#define TSPROF_SECTIONS_H

#include "common/codec.h"
#include "common/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Compresses SIZE bytes at FROM into one zstd frame of at most ROOM bytes at TO.  Returns its
 * size; 0 if that is not possible.
 */
typedef size_t sections_pack(void *to, size_t room, const void *from, size_t size);

/* The zstd level for packing; bench/results/summary.md says why. */
enum { SECTIONS_LEVEL = 9 };

/* Start from all zeros but for `pack`. */
struct sections {
    sections_pack *pack; /* NULL: all is stored as it is */
    struct encoder stored;
    struct section_entry *entries;
    size_t count;
    bool failed; /* out of memory */
};

/*
 * Adds a section with CONTENT, which is freed.  LOCATION is the location's number among those
 * of this writer, or FORMAT_NO_LOCATION for other sections.
 */
void sections_add(struct sections *sections, enum format_section kind, uint32_t location,
                  struct encoder *content);

/*
 * Appends the entries of the section map, for stored bytes that begin at OFFSET of the file and
 * locations that are numbered from FIRST_LOCATION on.
 */
void sections_encode_map(const struct sections *sections, uint64_t offset,
                         uint32_t first_location, struct encoder *out);

/* Frees everything; `pack` stays. */
void sections_free(struct sections *sections);

/* The header of a summary. */
struct summary_header {
    enum format_state state;
    uint64_t size; /* of the whole file */
    uint64_t mark; /* tells the file from others, while several processes write it */
    uint32_t entries;
};

void summary_header_encode(const struct summary_header *header, struct encoder *out);

#endif
