/*
 * The operands of a calculation: parts of one or several summaries, and which of their ranks
 * and call paths correspond.
 */
#ifndef TSPROF_OPERANDS_H
#define TSPROF_OPERANDS_H

#include "algebra/combine.h"
#include "file/file.h"
#include "options/options.h"
#include "print/print.h"
#include "query/query.h"

#include <stdbool.h>

struct operand {
    const struct summary *summary;
    struct selection selection;
    struct scope scope;
    const struct translation *translation;
};

/* A rank and thread of the result, and its location in each operand (NULL: not there). */
struct operand_place {
    uint32_t rank, thread;
    const struct location **in; /* by operand */
};

struct operands {
    struct summary **files; /* in the order of the command line; perhaps the same file twice */
    size_t file_count;
    struct operand *list;
    size_t count;
    struct combined *combined;
    /*
     * The system dimension: the ranks and threads of the operands, if all have the same ranks.
     * If not, a single place that stands for the sum over all locations, with `in` NULL.
     */
    bool ranks_fit;
    struct operand_place *places;
    size_t place_count;
    const struct location **in; /* memory for the `in` of all places */
};

/*
 * Reads the files in OPTIONS, one operand from each; with MINUS two operands, the second being
 * what is subtracted.  With OPENMP they have the metrics of openmp/openmp.h, without which each
 * metric is as measured.  Returns an exit_status, after a message unless that is EXIT_DONE.
 * Call operands_free in any case.
 */
int operands_read(struct operands *operands, const struct options *options, bool minus,
                  bool openmp);
void operands_free(struct operands *operands);

/* Replaces VALUES by the values of OPERAND at PLACE; MAP translates to VALUES' tree. */
void operand_fill(const struct operands *operands, size_t operand,
                  const struct operand_place *place, const struct path_map *map,
                  enum metric_sums sums, struct path_values *values);

/* Adds "FILE: iterations 0-99 of timestep, mean", unescaped. */
void operand_add_text(const struct operand *operand, struct text *text);

#endif
