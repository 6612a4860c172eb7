/*
 * Summaries made of others: the operators of the algebra (F. Song, F. Wolf et al., "An Algebra
 * for Cross-Experiment Performance Analysis", ICPP 2004).  doc/algebra.md says what they do.
 */
#ifndef TSPROF_DERIVE_H
#define TSPROF_DERIVE_H

#include "algebra/operands.h"

enum derivation {
    DERIVED_DIFFERENCE, /* the first operand less the second */
    DERIVED_MEAN,
    DERIVED_JOIN /* each metric from the first operand that has it: the paper's merge */
};

/* "difference" and so on: the fact `derived` of the result. */
const char *derivation_name(enum derivation derivation);

/* Completes the combined summary of OPERANDS by facts and profiles.  It lives as long as they
 * do.
 */
const struct summary *derive(struct operands *operands, enum derivation derivation);

#endif
