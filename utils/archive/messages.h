/*
 * Finds out which send each receive belongs to, by MPI's rule: of messages with the same
 * communicator, tag and processes, the first that was sent goes to the first receive that was
 * posted.  Receives complete in any order, so one is matched when all that were posted before
 * it have completed or been cancelled.  It knows nothing of archives.
 *
 * Memory follows what is unmatched.
 */
#ifndef TSPROF_MESSAGES_H
#define TSPROF_MESSAGES_H

#include "archive/trace.h"

#include <stdbool.h>
#include <stdint.h>

/* A message whose two ends are known. */
struct message {
    uint64_t number; /* of the send, from 0 on */
    uint32_t from_thread, to_thread;
    uint64_t sent_ns, received_ns;
    uint64_t bytes; /* as received */
    uint32_t tag, comm;
    bool is_wanted; /* both of its ends are */
};

struct messages;
typedef void message_visitor(void *context, const struct message *message);

/* FOUND is called for each message, with CONTEXT.  TRACE must outlive the result; free with
 * messages_free. */
struct messages *messages_create(const struct trace *trace, message_visitor *found,
                                 void *context);
void messages_free(struct messages *messages);

/* Takes in the next event of the trace, whatever it is; events of a thread must come in their
 * order.  IS_WANTED: of an end of a message, whether the caller shows it.  Of a send, returns
 * its number. */
uint64_t messages_take(struct messages *messages, const struct trace_event *event,
                       bool is_wanted);

/* At the end of the trace: matches receives that others held up. */
void messages_end(struct messages *messages);

#endif
