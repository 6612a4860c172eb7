/*
 * Reads the log of one thread in a part (doc/parts.md, "Log"): the modules, phases and call
 * paths that the thread has met.
 */
#ifndef TSPROF_PART_LOG_READING_H
#define TSPROF_PART_LOG_READING_H

#include "parts/part_reading.h"

struct part_module {
    uint64_t number;
    const char *path, *build_id;
    uint64_t base, low, high;
};

struct part_phase {
    const char *name; /* NULL: the thread has not met it */
    bool kept;
};

/* A place in code. */
struct part_place {
    uint32_t module; /* index in the log's modules, or SUMMARY_NONE: unknown */
    uint64_t offset; /* from the module's base; the address if the module is unknown */
};

enum { PART_DEPTH_MOST = 16384 };

struct part_node {
    uint32_t parent;          /* smaller than the node's own number; SUMMARY_NONE for node 0 */
    uint32_t depth;           /* nodes above it; at most PART_DEPTH_MOST */
    enum part_node_kind kind; /* PART_NODE_FUNCTION where PART_NODE_TOLD was written */
    bool told;
    uint32_t number;  /* of an MPI function or phase */
    const char *name; /* of an artificial node, or of a function if it is known; or "" */
    struct part_place function; /* of a function */
    struct part_place site;     /* in the parent; offset 0: unknown */
};

/* Strings live as long as the part, the arrays until part_log_free. */
struct part_log_reading {
    struct part_module *modules;
    size_t module_count;
    struct part_phase *phases;
    size_t phase_count;
    struct part_node *nodes;
    size_t node_count;
    unsigned char *topologies; /* encoded as for assemble/topologies.h; NULL: none */
    size_t topology_bytes;
};

/*
 * Reads the log that begins at OFFSET (0: it is empty) up to its end, or up to the first batch
 * that is not whole.  False, and ERROR, if a batch is complete but invalid.
 */
bool part_log_read(struct part_reading *part, uint64_t offset, struct part_log_reading *log,
                   struct error *error);
void part_log_free(struct part_log_reading *log);

/* The module that was mapped last at ADDRESS, or NULL. */
const struct part_module *part_log_find(const struct part_log_reading *log, uint64_t address);

#endif
