/* Sends and receives find each other as MPI says, in whatever order receives complete. */
#include "archive/messages.h"

#include "base/base.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

#define RANKS 4

/* A trace of RANKS processes with a thread each, and what was matched. */
struct matching {
    struct trace trace;
    struct trace_thread threads[RANKS];
    struct trace_process processes[RANKS];
    struct messages *messages;
    struct message found[4096];
    size_t count;
    uint64_t now;
};

static void note(void *context, const struct message *message)
{
    struct matching *matching = context;
    matching->found[matching->count++] = *message;
}

static void begin(struct matching *matching)
{
    memset(matching, 0, sizeof *matching);
    for (uint32_t i = 0; i < RANKS; i++)
        matching->threads[i].process = i;
    matching->trace.threads = matching->threads;
    matching->trace.processes = matching->processes;
    matching->trace.thread_count = matching->trace.process_count = RANKS;
    matching->messages = messages_create(&matching->trace, note, matching);
}

static void end(struct matching *matching)
{
    messages_free(matching->messages);
}

static uint64_t take(struct matching *matching, enum trace_kind kind, uint32_t at,
                     uint32_t peer, uint32_t tag, uint64_t bytes, uint64_t request)
{
    const struct trace_event event = {.kind = kind,
                                      .thread = at,
                                      .time_ns = ++matching->now,
                                      .peer = peer,
                                      .tag = tag,
                                      .bytes = bytes,
                                      .request = request};
    return messages_take(matching->messages, &event, true);
}

static uint64_t send_one(struct matching *matching, uint32_t from, uint32_t to, uint32_t tag,
                         uint64_t bytes)
{
    return take(matching, TRACE_SEND, from, to, tag, bytes, TRACE_NO_REQUEST);
}

static void receive_one(struct matching *matching, uint32_t at, uint32_t from, uint32_t tag,
                        uint64_t bytes, uint64_t request)
{
    take(matching, TRACE_RECV, at, from, tag, bytes, request);
}

static void post(struct matching *matching, uint32_t at, uint64_t request)
{
    take(matching, TRACE_POST, at, 0, 0, 0, request);
}

/* The bytes of the message that a send became; 0: it was not received. */
static uint64_t received_of(const struct matching *matching, uint64_t send)
{
    for (size_t i = 0; i < matching->count; i++)
        if (matching->found[i].number == send)
            return matching->found[i].bytes;
    return 0;
}

static void test_in_the_order_of_sending(void)
{
    struct matching matching;
    begin(&matching);
    const uint64_t first = send_one(&matching, 0, 1, 7, 10);
    const uint64_t second = send_one(&matching, 0, 1, 7, 20);
    const uint64_t other_tag = send_one(&matching, 0, 1, 8, 30);
    const uint64_t other_rank = send_one(&matching, 2, 1, 7, 40);
    receive_one(&matching, 1, 2, 7, 40, TRACE_NO_REQUEST);
    receive_one(&matching, 1, 0, 8, 30, TRACE_NO_REQUEST);
    receive_one(&matching, 1, 0, 7, 10, TRACE_NO_REQUEST);
    receive_one(&matching, 1, 0, 7, 20, TRACE_NO_REQUEST);
    EQ_INT(matching.count, 4, "all of them");
    OK(received_of(&matching, first) == 10 && received_of(&matching, second) == 20,
       "two with the same tag");
    OK(received_of(&matching, other_tag) == 30, "another tag");
    OK(received_of(&matching, other_rank) == 40, "another sender");
    OK(matching.found[0].from_thread == 2 && matching.found[0].to_thread == 1 &&
           matching.found[0].sent_ns == 4 && matching.found[0].received_ns == 5 &&
           matching.found[0].is_wanted,
       "whose ends are told");
    end(&matching);
}

static void test_in_the_order_of_posting(void)
{
    struct matching matching;
    begin(&matching);
    post(&matching, 1, 1);
    post(&matching, 1, 2);
    post(&matching, 1, 3);
    const uint64_t first = send_one(&matching, 0, 1, 7, 10);
    const uint64_t second = send_one(&matching, 0, 1, 7, 20);
    receive_one(&matching, 1, 0, 7, 20, 2);
    EQ_INT(matching.count, 0, "one that completes early waits for those posted before it");
    receive_one(&matching, 1, 0, 7, 10, 1);
    OK(received_of(&matching, first) == 10 && received_of(&matching, second) == 20,
       "and gets what was sent for it");
    end(&matching);
}

static void test_cancelled_receives_hold_nothing_up(void)
{
    struct matching matching;
    begin(&matching);
    post(&matching, 1, 1);
    post(&matching, 1, 2);
    const uint64_t only = send_one(&matching, 0, 1, 7, 20);
    receive_one(&matching, 1, 0, 7, 20, 2);
    take(&matching, TRACE_CANCEL, 1, 0, 0, 0, 1);
    EQ_INT(received_of(&matching, only), 20, "once it is cancelled");
    end(&matching);
}

static void test_a_receive_that_never_completes(void)
{
    struct matching matching;
    begin(&matching);
    post(&matching, 1, 1);
    for (uint64_t i = 0; i < 4000; i++) {
        post(&matching, 1, i + 2);
        send_one(&matching, 0, 1, 7, i + 1);
        receive_one(&matching, 1, 0, 7, i + 1, i + 2);
    }
    messages_end(matching.messages);
    bool right = matching.count == 4000;
    for (uint64_t i = 0; i < 4000 && right; i++)
        right = matching.found[i].number + 1 == matching.found[i].bytes;
    OK(right, "at the end, the others have theirs");
    end(&matching);
}

static void test_a_clock_that_is_late(void)
{
    struct matching matching;
    begin(&matching);
    receive_one(&matching, 1, 0, 7, 10, TRACE_NO_REQUEST);
    const uint64_t only = send_one(&matching, 0, 1, 7, 10);
    EQ_INT(received_of(&matching, only), 10, "what is received before it is sent");
    end(&matching);
}

static void test_what_was_received_unrecorded(void)
{
    struct matching matching;
    begin(&matching);
    const uint64_t lost = send_one(&matching, 0, 1, 7, 10);
    take(&matching, TRACE_OFF, 1, 0, 0, 0, TRACE_NO_REQUEST);
    const uint64_t next = send_one(&matching, 0, 1, 7, 20);
    receive_one(&matching, 1, 0, 7, 20, TRACE_NO_REQUEST);
    OK(received_of(&matching, lost) == 0 && received_of(&matching, next) == 20,
       "does not take the place of what comes after the pause");
    end(&matching);
}

static void test_ends_without_a_partner(void)
{
    struct matching matching;
    begin(&matching);
    take(&matching, TRACE_SEND, 0, TRACE_NONE, 7, 10, TRACE_NO_REQUEST);
    take(&matching, TRACE_RECV, 1, TRACE_NONE, 7, 10, TRACE_NO_REQUEST);
    send_one(&matching, 3, 2, 7, 10);
    messages_end(matching.messages);
    EQ_INT(matching.count, 0, "are no messages");
    end(&matching);
}

int main(void)
{
    test_in_the_order_of_sending();
    test_in_the_order_of_posting();
    test_cancelled_receives_hold_nothing_up();
    test_a_receive_that_never_completes();
    test_a_clock_that_is_late();
    test_what_was_received_unrecorded();
    test_ends_without_a_partner();
    return tap_done();
}
