/*
 * What the commands of the algebra calculate with: parts of one or several summaries, and
 * how their ranks and call paths belong together.
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

/* A rank and thread of the result, and where it is in each operand (NULL: nowhere). */
struct operand_place {
    uint32_t rank, thread;
    const struct location **in; /* by operand */
};

struct operands {
    struct summary **files; /* as often as they are named; */
    size_t file_count;
    struct operand *list;
    size_t count;
    struct combined *combined;
    /*
     * The system dimension: if all operands have the same ranks, their ranks and threads; if
     * not, one place that stands for all locations of each, whose `in` are NULL.
     */
    bool ranks_fit;
    struct operand_place *places;
    size_t place_count;
    const struct location **in; /* room for those of all places */
};

/*
 * Reads OPTIONS' files, one operand from each; or, if MINUS, two operands, whose second is what
 * OPTIONS say is subtracted.  An exit_status, after a message if that is not EXIT_DONE; end
 * with operands_free in any case.
 */
int operands_read(struct operands *operands, const struct options *options, bool minus);
void operands_free(struct operands *operands);

/* Replaces what VALUES holds by the values that OPERAND has at PLACE; MAP leads to VALUES'
 * tree. */
void operand_fill(const struct operands *operands, size_t operand,
                  const struct operand_place *place, const struct path_map *map,
                  enum metric_sums sums, struct path_values *values);

/* Adds "FILE: iterations 0-99 of timestep, mean", unescaped. */
void operand_add_text(const struct operand *operand, struct text *text);

#endif
