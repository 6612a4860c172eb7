/* What patterns answer: taken if it can be, refused if not, cut off at any byte and harmed at
 * any: never followed anywhere. */
#include "plugins/answers.h"
#include "plugins/link.h"
#include "tap.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct encoder hello(uint32_t version, uint32_t metrics)
{
    struct encoder out = {0};
    encode_u32(&out, version);
    encode_string(&out, "test");
    encode_u32(&out, 1);
    encode_u32(&out, metrics);
    for (uint32_t i = 0; i < metrics && i < 2; i++) {
        encode_string(&out, i ? "second" : "first");
        encode_string(&out, i ? "first" : "");
        encode_string(&out, "s");
        encode_string(&out, "Something");
    }
    return out;
}

/* What comes of the first SIZE bytes of OUT as HELLO. */
static bool takes(const struct encoder *out, size_t size)
{
    struct answers answers = {0};
    struct error error;
    struct decoder in = {.bytes = out->bytes, .size = size};
    const bool good = answers_hello(&answers, &in, &error);
    answers_free(&answers);
    return good;
}

static void test_hello(void)
{
    struct encoder out = hello(TSPROF_PATTERN_VERSION, 2);
    unsigned taken = 0;
    OK(takes(&out, out.size), "two metrics");
    for (size_t size = 0; size < out.size; size++)
        taken += takes(&out, size);
    EQ_INT(taken, 0, "nothing that is cut off is taken");
    for (size_t at = 0; at < out.size; at++) {
        out.bytes[at] ^= 0xFF;
        taken += takes(&out, out.size);
        out.bytes[at] ^= 0xFF;
    }
    OK(taken < out.size, "any byte may be another");
    encoder_free(&out);
    out = hello(TSPROF_PATTERN_VERSION + 1, 2);
    OK(!takes(&out, out.size), "another version");
    encoder_free(&out);
    out = hello(TSPROF_PATTERN_VERSION, 0);
    OK(!takes(&out, out.size), "no metrics");
    encoder_free(&out);
    out = hello(TSPROF_PATTERN_VERSION, UINT32_MAX);
    OK(!takes(&out, out.size), "more metrics than there can be");
    encoder_free(&out);
}

/* What comes of AMOUNT of METRIC of CALL, published TIMES times, where calls take 100 ns. */
static bool publishes(uint32_t metric, uint32_t call, uint64_t amount, unsigned times)
{
    struct told_call calls[] = {{3, 100}, {4, 100}};
    const struct batch batch = {.calls = calls, .call_count = 2};
    struct encoder out = hello(TSPROF_PATTERN_VERSION, 2);
    struct answers answers = {0};
    struct error error;
    NEED(answers_hello(&answers, &(struct decoder){.bytes = out.bytes, .size = out.size},
                       &error));
    out.size = 0;
    for (unsigned i = 0; i < times; i++) {
        encode_u32(&out, metric);
        encode_u32(&out, call);
        encode_u32(&out, 9);
        encode_u64(&out, amount);
    }
    answers_expect(&answers, 2);
    struct decoder in = {.bytes = out.bytes, .size = out.size};
    const bool good = answers_found(&answers, &in, &batch, &error);
    if (good)
        OK(answers.found_count == 1 && answers.found[0].amount == amount * times &&
               answers.found[0].path == (call == TSPROF_NONE ? 9 : calls[call].path),
           "%u times are one sum", times);
    encoder_free(&out);
    answers_free(&answers);
    return good;
}

static void test_found(void)
{
    OK(publishes(0, 1, 100, 1), "as much as the call takes");
    OK(publishes(1, 0, 50, 2), "in two parts");
    OK(publishes(1, TSPROF_NONE, 1000, 3), "for a path");
    OK(!publishes(0, 1, 101, 1), "more than the call takes");
    OK(!publishes(0, 1, 60, 2), "more in two parts");
    OK(!publishes(2, 1, 1, 1), "a metric that there is not");
    OK(!publishes(0, 2, 1, 1), "a call that there is not");
    OK(!publishes(0, WIRE_OTHER_CALL, 1, 1), "a call of which it is not told");
    OK(!publishes(0, TSPROF_NONE, UINT64_MAX / 2, 3), "more than there are numbers");
}

static void test_link(void)
{
    int ends[2];
    struct frame frame = {0};
    struct encoder body = {0};
    NEED(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    encode_string(&body, "text");
    EQ_INT(frame_send(ends[0], WIRE_FAILED, &body, LINK_NEVER), LINK_GOOD, "sent");
    EQ_INT(frame_receive(ends[1], &frame, 100, LINK_NEVER), LINK_GOOD, "received");
    OK(frame.kind == WIRE_FAILED && frame.size == body.size &&
           memcmp(frame.bytes, body.bytes, body.size) == 0,
       "what was sent");
    EQ_INT(frame_receive(ends[1], &frame, 100, link_time_in(0)), LINK_LATE, "nothing comes");
    frame_send(ends[0], WIRE_FAILED, &body, LINK_NEVER);
    EQ_INT(frame_receive(ends[1], &frame, 3, LINK_NEVER), LINK_TOO_LARGE, "too large");
    close(ends[0]);
    while (frame_receive(ends[1], &frame, UINT32_MAX, LINK_NEVER) == LINK_GOOD)
        continue;
    EQ_INT(frame_receive(ends[1], &frame, 100, LINK_NEVER), LINK_CLOSED, "closed");
    EQ_INT(frame_send(ends[1], WIRE_DONE, NULL, LINK_NEVER), LINK_CLOSED, "no signal either");
    close(ends[1]);
    encoder_free(&body);
    free(frame.bytes);
}

int main(void)
{
    test_hello();
    test_found();
    test_link();
    return tap_done();
}
