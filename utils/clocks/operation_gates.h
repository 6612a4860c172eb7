/* Which gates the members of each collective operation pass.  For dependencies.c. */
#ifndef TSPROF_OPERATION_GATES_H
#define TSPROF_OPERATION_GATES_H

#include "clocks/logical_clock.h"

struct operation_gates;

struct operation_gates *operation_gates_create(const struct trace *trace,
                                               struct logical_clock *clock);
void operation_gates_free(struct operation_gates *operations);

/* An operation that does not block is started by EVENT.  IS_CERTAIN: it is known who waits for
 * whom in it. */
void operation_gates_start(struct operation_gates *operations, const struct trace_event *event,
                           bool is_certain);

/* EVENT ends an operation; TO gets what it is a source of and what it passes through.
 * IS_CERTAIN is for one that blocks. */
void operation_gates_end(struct operation_gates *operations, const struct trace_event *event,
                         bool is_certain, struct clock_event *to);

/* PROCESS has been stopped; operations are counted from the first again. */
void operation_gates_stopped(struct operation_gates *operations, uint32_t process);

#endif
