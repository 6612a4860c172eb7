/*
 * Translates the call paths and phases of a part's threads into definitions that all parts of a
 * job share (assemble/definitions.h).
 */
#ifndef TSPROF_PART_DEFINE_H
#define TSPROF_PART_DEFINE_H

#include "assemble/definitions.h"
#include "parts/part_log_reading.h"

#include <stdbool.h>

/* Set the first two members to start; end with part_define_end. */
struct part_definer {
    struct definitions *definitions;
    const struct part_reading *part;
    struct part_log_reading opener; /* the log of the thread that initialised MPI */
    uint32_t *opener_numbers; /* definitions of its nodes; NULL: the thread is not known yet */
};

struct place part_define_place(struct part_definer *definer, const struct part_log_reading *log,
                               struct part_place place);

/*
 * Defines those nodes of LOG for which USED is true, and the nodes above them.  Returns the
 * number of the definition of each node of LOG, DEFINITION_NONE if it has none; the caller's to
 * free().  Call paths of further threads are placed below those of the opener
 * (part_place_thread.h).
 */
uint32_t *part_define_nodes(struct part_definer *definer, const struct part_log_reading *log,
                            bool *used);

/* The same for phases. */
uint32_t *part_define_phases(struct part_definer *definer, const struct part_log_reading *log);

/* Takes ownership of the log of the thread that initialised MPI, and of the numbers of its
 * nodes. */
void part_define_opener(struct part_definer *definer, struct part_log_reading *log,
                        uint32_t *numbers);

void part_define_end(struct part_definer *definer);

#endif
