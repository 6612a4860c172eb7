/*
 * Shows the result of a calculation on a terminal: totals by metric, and the call paths with
 * the largest values or differences.
 */
#ifndef TSPROF_DERIVED_TEXT_H
#define TSPROF_DERIVED_TEXT_H

#include "algebra/derive.h"
#include "print/print.h"

/*
 * Adds the tables of a difference or a mean to TEXT, in lines of at most COLUMNS columns.
 * OPTIONS choose the metrics whose call paths are listed (--metric; default: computation and
 * mpi) and how many of them (--top).
 */
void derived_add_text(struct text *text, const struct operands *operands,
                      enum derivation derivation, const struct options *options,
                      size_t columns);

#endif
