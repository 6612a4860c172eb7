/*
 * The call paths and phases of a part's threads in terms that hold for all parts of a job
 * (definitions.h).
 */
#ifndef TSPROF_PART_DEFINE_H
#define TSPROF_PART_DEFINE_H

#include "assemble/definitions.h"
#include "parts/part_log_reading.h"

#include <stdbool.h>

/* Start with the first two; end with part_define_end. */
struct part_definer {
    struct definitions *definitions;
    const struct part_reading *part;
    struct part_log_reading opener; /* of the thread that initialised MPI, once it is known */
    uint32_t *opener_numbers;       /* of its nodes; NULL: not known */
};

struct place part_define_place(struct part_definer *definer, const struct part_log_reading *log,
                               struct part_place place);

/*
 * Defines the nodes of LOG that are in USED (as long as its call tree), and what is above them,
 * and gives all numbers, DEFINITION_NONE for those that are not defined; the caller's to free.
 * Further threads' call paths have their places on the opener (part_placement.h).
 */
uint32_t *part_define_nodes(struct part_definer *definer, const struct part_log_reading *log,
                            bool *used);

/* The same for phases. */
uint32_t *part_define_phases(struct part_definer *definer, const struct part_log_reading *log);

/* Takes over the log of the thread that initialised MPI, and the numbers of its nodes. */
void part_define_opener(struct part_definer *definer, struct part_log_reading *log,
                        uint32_t *numbers);

void part_define_end(struct part_definer *definer);

#endif
