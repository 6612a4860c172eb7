/* Which gate each message passes.  For dependencies.c. */
#ifndef TSPROF_MESSAGE_GATES_H
#define TSPROF_MESSAGE_GATES_H

#include "clocks/logical_clock.h"

struct message_gates;

struct message_gates *message_gates_create(const struct trace *trace,
                                           struct logical_clock *clock);
void message_gates_free(struct message_gates *messages);

/* The gate of the message that EVENT sends or receives, the process having been stopped
 * STRETCH times; NULL: nobody knows. */
struct gate *message_gates_sent(struct message_gates *messages, const struct trace_event *event,
                                uint32_t stretch);
struct gate *message_gates_received(struct message_gates *messages,
                                    const struct trace_event *event, uint32_t stretch);

/* PROCESS has been stopped, now STRETCH times: what others wait for and it has not sent, it has
 * sent without recording it. */
void message_gates_stopped(struct message_gates *messages, uint32_t process, uint32_t stretch);

#endif
