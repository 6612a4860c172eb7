/*
 * The loop that TSPROF_ITERATION names as the main one: which of the loops that are recognised
 * it is.  Where none is named, all of them may be.
 *
 * For the thread whose calls are examined, in program context, but for named_is_set_async.
 */
#ifndef TSPROF_NAMED_H
#define TSPROF_NAMED_H

#include "common/iteration_spec.h"
#include "detect/loops.h"
#include "tree/tree.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Prepares for what TSPROF_ITERATION says; false if it does not ask for the main loop, or there
 * is no memory.
 */
bool named_start(void);

/* Whether it names a loop.  Any context. */
bool named_is_set_async(void);

/*
 * Whether the named loop, or any if none is named, may be LOOP of TREE.  Looks up names when a
 * function is met for the first time: milliseconds.  Preserves errno.
 */
bool named_is(const struct cct *tree, const struct loop *loop);

#endif
