/*
 * Makes new summaries from others: their difference, mean and union (doc/algebra.md), or the
 * same run clustered off line.  For commands, and for exports that subtract one summary from
 * another.
 */
#ifndef TSPROF_ALGEBRA_ROOM_H
#define TSPROF_ALGEBRA_ROOM_H

#include "algebra/combine.h"
#include "algebra/derive.h"
#include "algebra/derived_text.h"
#include "algebra/recluster.h"

#endif
