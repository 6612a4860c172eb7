/*
 * The numbers of one rank of a synthetic run, in which all promises of doc/format.md hold.
 */
#ifndef TSPROF_RANK_NUMBERS_H
#define TSPROF_RANK_NUMBERS_H

#include "common/codec.h"
#include "tree.h"

/* Appends section LOCATION of RANK to OUT. */
void rank_numbers_encode(const struct synthetic *synthetic, const struct summary *summary,
                         const struct work *work, unsigned rank, struct encoder *out);

#endif
