/*
 * The operators of the algebra (F. Song, F. Wolf et al., "An Algebra for Cross-Experiment
 * Performance Analysis", ICPP 2004), which make a summary from others.  doc/algebra.md
 * describes them.
 */
#ifndef TSPROF_DERIVE_H
#define TSPROF_DERIVE_H

#include "algebra/operands.h"

enum derivation {
    DERIVED_DIFFERENCE, /* the first operand minus the second */
    DERIVED_MEAN,
    DERIVED_JOIN /* each metric from the first operand that has it: the paper's merge */
};

/* The value of the result's fact `derived`: "difference" and so on. */
const char *derivation_name(enum derivation derivation);

/* Adds facts and profiles to the combined summary of OPERANDS and returns it; it lives as long
 * as OPERANDS. */
const struct summary *derive(struct operands *operands, enum derivation derivation);

#endif
