/*
 * Reads the container of a summary file (doc/format.md, "Layout"): its header, its section map
 * and the bytes of its sections.  Knows nothing about what the sections contain.
 */
#ifndef TSPROF_CONTAINER_H
#define TSPROF_CONTAINER_H

#include "base/base.h"
#include "common/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct section {
    uint32_t kind; /* enum format_section, or one this command does not know */
    uint32_t version;
    uint32_t location; /* FORMAT_NO_LOCATION: the section is about all of them */
    uint32_t encoding;
    uint64_t offset;
    uint64_t stored_bytes;
    uint64_t decoded_bytes; /* what container_read gives */
    uint32_t crc;
};

/* An open summary.  Sections lie inside the file; their checksums are not yet verified. */
struct container {
    const char *path; /* the caller's */
    int file;
    uint64_t bytes;
    enum format_state state;
    struct section *sections; /* owned */
    size_t section_count;
};

/* Opens PATH, which must outlive CONTAINER.  On failure nothing is left open. */
bool container_open(struct container *container, const char *path, struct error *error);
void container_close(struct container *container);

/*
 * Reads the content of SECTION and verifies its version, encoding and checksum.  *BYTES is the
 * caller's to free().
 */
bool container_read(const struct container *container, const struct section *section,
                    unsigned char **bytes, struct error *error);

/* What messages call a kind of section. */
const char *section_name(uint32_t kind);

#endif
