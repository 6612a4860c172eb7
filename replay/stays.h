/*
 * How long a thread was on which call path between two times.  For the search for causes.
 */
#ifndef TSPROF_REPLAY_STAYS_H
#define TSPROF_REPLAY_STAYS_H

#include "replay/engine.h"

/* Calls VISIT for each path that THREAD was on between BEGIN_NS and END_NS, in the order of
 * time; NS is how long. */
typedef void stay_visitor(void *context, uint32_t path, uint64_t ns);
void stays_visit(const struct thread_state *thread, uint64_t begin_ns, uint64_t end_ns,
                 stay_visitor *visit, void *context);

/* Where THREAD was at NS; NULL: nothing is known of it yet. */
const struct stay *stays_at(const struct thread_state *thread, uint64_t ns);

/* When THREAD was first and last seen. */
uint64_t stays_begin(const struct thread_state *thread);
uint64_t stays_end(const struct thread_state *thread);

#endif
