/* Allocations that fail, for tests that are linked with --wrap of malloc, calloc and realloc.
 */
#ifndef TSPROF_FAILING_H
#define TSPROF_FAILING_H

#include <stdbool.h>

/* The allocation after COUNT others of this thread fails; below 0: none does. */
void failing_after(long count);
/* Whether it has. */
bool failing_has_failed(void);

#endif
