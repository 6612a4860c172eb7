/*
 * What a calculation with summaries comes to, told on a terminal: totals by metric, and the
 * call paths that differ most.
 */
#ifndef TSPROF_DERIVED_TEXT_H
#define TSPROF_DERIVED_TEXT_H

#include "algebra/derive.h"
#include "print/print.h"

/*
 * Adds the tables to TEXT, in lines of COLUMNS columns, of a difference or a mean.  OPTIONS
 * choose the metrics whose call paths are listed (--metric; else computation and mpi) and how
 * many (--top).
 */
void derived_add_text(struct text *text, const struct operands *operands,
                      enum derivation derivation, const struct options *options,
                      size_t columns);

#endif
