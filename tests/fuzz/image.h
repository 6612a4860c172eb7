/*
 * An image: what the sections of a summary hold, and no container around it.  Fuzzers change
 * images, since in a summary itself every change would be found out by a checksum.
 *
 *     state of the summary                               1 byte
 *     then for each section: kind                        1 byte
 *                            location + 1, 0 for none    1 byte
 *                            size of the content         varint, cut to what there is
 *                            content
 *
 * Any bytes are an image.
 */
#ifndef TSPROF_FUZZ_IMAGE_H
#define TSPROF_FUZZ_IMAGE_H

#include "assemble/sections.h"
#include "common/codec.h"

#include <stddef.h>
#include <stdint.h>

enum { IMAGE_SECTIONS = 48 /* more are ignored */ };

struct image_section {
    uint8_t kind, location;
    size_t size;
    const uint8_t *content; /* into the image's bytes */
};

struct image {
    uint8_t state;
    size_t count;
    struct image_section sections[IMAGE_SECTIONS];
};

void image_parse(struct image *image, const uint8_t *data, size_t size);

/* The bytes of IMAGE in DATA, at most MOST; returns their number, 0 if there are more. */
size_t image_store(const struct image *image, uint8_t *data, size_t most);

/*
 * The summary that IMAGE describes, with right sizes and checksums, in FILE, which is empty.
 * Sections are compressed by PACK, or stored as they are if that is NULL.
 */
void image_build(const struct image *image, sections_pack *pack, struct encoder *file);

/* The image of what MAKER holds in DATA, at most MOST bytes; 0 if there are more. */
struct maker;
size_t image_of_maker(const struct maker *maker, uint8_t *data, size_t most);

/*
 * Changes an image of SIZE bytes with room for MOST and returns its new size: numbers and texts
 * within sections, whole sections, and sometimes single bytes of content, by BYTES.
 */
size_t image_mutate(uint8_t *data, size_t size, size_t most, uint64_t seed,
                    size_t (*bytes)(uint8_t *data, size_t size, size_t most));

#endif
