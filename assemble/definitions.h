/*
 * What the numbers of a summary refer to (modules, names, phases, counters and the call tree),
 * in terms that hold in every process.  Each process describes its own
 * (libprof/write/describe.h); two descriptions are united by merging one into the other.
 * Functions are still addresses here: module and offset.
 *
 * Program context only; memory from malloc.  Once memory runs out `failed` is set and stays
 * set.
 */
#ifndef TSPROF_DEFINITIONS_H
#define TSPROF_DEFINITIONS_H

#include "common/codec.h"
#include "common/index.h"

#include <stdbool.h>
#include <stdint.h>

enum { DEFINITION_NONE = UINT32_MAX };

/* An address as module and offset; module DEFINITION_NONE: the offset is the address itself. */
struct place {
    uint32_t module;
    uint64_t offset;
};

struct definition_module {
    char *path;
    char *build_id;
};

struct definition_phase {
    uint32_t name;
    bool kept;
};

struct definition_node {
    uint32_t parent;       /* smaller than the node's own number; root: DEFINITION_NONE */
    uint32_t kind;         /* enum format_region_kind */
    uint32_t name;         /* DEFINITION_NONE: a function, named by its symbol */
    uint32_t group;        /* name of the region's group, see format.md; or DEFINITION_NONE */
    struct place function; /* of a function */
    struct place site;     /* where the parent called it; offset 0: unknown */
};

struct definitions {
    struct definition_module *modules;
    uint32_t module_count;
    char **names;
    uint32_t name_count;
    struct definition_phase *phases;
    uint32_t phase_count;
    uint32_t *counters; /* names */
    uint32_t counter_count;
    struct definition_node *nodes;
    uint32_t node_count;
    struct index node_index;
    bool failed;
};

void definitions_free(struct definitions *definitions);

/*
 * Each returns the number of an item, which is added if it is new; DEFINITION_NONE if out of
 * memory.  A node without a group gets that of NODE, by which it is not told from others.
 */
uint32_t definitions_module(struct definitions *definitions, const char *path,
                            const char *build_id);
uint32_t definitions_name(struct definitions *definitions, const char *name);
uint32_t definitions_phase(struct definitions *definitions, const char *name, bool kept);
uint32_t definitions_counter(struct definitions *definitions, const char *name);
uint32_t definitions_node(struct definitions *definitions, const struct definition_node *node);

/*
 * Appends DEFINITIONS in a form that definitions_merge reads, for processes of one run with the
 * same version of tsprof.
 */
void definitions_encode(const struct definitions *definitions, struct encoder *out);

/*
 * Maps of a merged description, as arrays from malloc with their lengths: the new numbers of
 * its nodes, phases and counters. definitions_merge, below, fills them; definition_maps_free
 * frees them.
 */
struct definition_maps {
    uint32_t *nodes;
    uint32_t node_count;
    uint32_t *phases;
    uint32_t phase_count;
    uint32_t *counters;
    uint32_t counter_count;
};

void definitions_merge(struct definitions *definitions, struct decoder *in,
                       struct definition_maps *maps);
void definition_maps_free(struct definition_maps *maps);

#endif
