/*
 * What a summary says of the program: its regions, call tree and phases (doc/format.md), as a
 * trace needs them.  Program context; memory from malloc.
 */
#ifndef TSPROF_ARCHIVE_PROGRAM_H
#define TSPROF_ARCHIVE_PROGRAM_H

#include "archive/collectives.h"
#include "common/codec.h"
#include "common/format.h"

#include <stdbool.h>
#include <stdint.h>

/* A string inside the section that was read; not zero-terminated. */
struct program_text {
    const char *start;
    size_t length;
};

struct program_region {
    struct program_text name, file, group;
    enum format_region_kind kind;
    uint32_t line;
    int collective;       /* an OTF2_CollectiveOp, or -1 */
    bool is_neighborhood; /* such an operation among neighbours */
    enum one_sided one_sided;
    bool collective_io, writes; /* functions that read or write a file */
};

struct program_node {
    uint32_t parent; /* of the root: itself */
    uint32_t region;
    uint32_t line, depth;
};

struct program_phase {
    struct program_text name;
    uint32_t region;
};

struct program {
    struct program_region *regions;
    struct program_node *nodes;
    struct program_phase *phases;
    uint32_t region_count, node_count, phase_count;
};

enum { PROGRAM_ROOT = 0 };

/*
 * Reads the sections REGIONS, CALLTREE and PHASES, into which the result points.  False if one
 * is damaged or there is no memory; program_free frees in any case.
 */
bool program_read(struct program *program, struct decoder *regions, struct decoder *calltree,
                  struct decoder *phases);
void program_free(struct program *program);

/* The regions of COUNT phases; UINT32_MAX for what is none. */
void program_regions(const struct program *program, const uint32_t *phases, uint32_t *regions,
                     size_t count);

#endif
