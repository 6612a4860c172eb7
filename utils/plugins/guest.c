/* See guest.h. */
#include "plugins/guest.h"

#include "plugins/child.h"
#include "print/print.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As many bytes of events are sent at once, and so many may come back in a frame. */
enum { BATCH_BYTES = 1 << 16, FRAME_MOST = 1 << 24 };

static void close_down(struct guest *guest)
{
    if (guest->process == 0)
        return;
    close(guest->socket);
    child_end(guest->process);
    guest->process = 0;
}

void guest_dismiss(struct guest *guest, const char *why)
{
    complain("waits: the pattern %s is left out: %s", guest->file, why);
    guest->is_dismissed = true;
    close_down(guest);
}

void guest_free(struct guest *guest)
{
    close_down(guest);
    batch_free(&guest->next);
    batch_free(&guest->sent);
    free(guest->frame.bytes);
    answers_free(&guest->answers);
}

void guest_start(struct guest *guest, const char *file, unsigned timeout_s)
{
    struct error error;
    *guest = (struct guest){.file = file, .timeout_s = timeout_s};
    guest->process = child_start(file, &guest->socket, &error);
    if (guest->process == 0)
        guest_dismiss(guest, error.text);
}

/* Why there was no frame. */
static bool fail(struct guest *guest, enum link_result result, struct error *error)
{
    if (result == LINK_LATE)
        return error_set(error, "it has not answered for %u s (--timeout)", guest->timeout_s);
    if (result == LINK_TOO_LARGE)
        return error_set(error, "it answers what no pattern answers");
    child_explain(&guest->process, error);
    if (guest->process == 0)
        close(guest->socket);
    return false;
}

/* What it says is wrong with it. */
static bool take_complaint(struct decoder *in, struct error *error)
{
    size_t length;
    const char *text = decode_string(in, &length);
    return error_set(error, "%.*s", length > 1000 ? 1000 : (int)length, text);
}

/* Receives a frame of KIND, and whatever is published before it. */
static bool hear(struct guest *guest, enum wire_frame kind, int64_t until_ns,
                 struct error *error)
{
    for (;;) {
        const enum link_result result =
            frame_receive(guest->socket, &guest->frame, FRAME_MOST, until_ns);
        struct decoder in = {.bytes = guest->frame.bytes, .size = guest->frame.size};
        if (result != LINK_GOOD)
            return fail(guest, result, error);
        if (guest->frame.kind == kind)
            return true;
        if (guest->frame.kind == WIRE_FAILED)
            return take_complaint(&in, error);
        if (guest->frame.kind != WIRE_FOUND || kind != WIRE_DONE)
            return error_set(error, "it answers what no pattern answers");
        if (!answers_found(&guest->answers, &in, &guest->sent, error))
            return false;
    }
}

/* Who has left may have said why before. */
static bool say(struct guest *guest, enum wire_frame kind, const struct encoder *body,
                struct error *error)
{
    const int64_t until_ns = link_time_in(guest->timeout_s);
    const enum link_result result = frame_send(guest->socket, kind, body, until_ns);
    if (result == LINK_CLOSED)
        return hear(guest, WIRE_FAILED, until_ns, error) &&
               take_complaint(
                   &(struct decoder){.bytes = guest->frame.bytes, .size = guest->frame.size},
                   error);
    return result == LINK_GOOD || fail(guest, result, error);
}

static bool hear_of_last_batch(struct guest *guest, struct error *error)
{
    if (!guest->is_awaited)
        return true;
    guest->is_awaited = false;
    return hear(guest, WIRE_DONE, link_time_in(guest->timeout_s), error);
}

/* It works on one batch while the next is collected. */
static bool send_batch(struct guest *guest, struct error *error)
{
    if (!hear_of_last_batch(guest, error))
        return false;
    const struct batch sent = guest->next;
    guest->next = guest->sent;
    guest->sent = sent;
    batch_clear(&guest->next);
    answers_expect(&guest->answers, sent.call_count);
    guest->is_awaited = true;
    return say(guest, WIRE_EVENTS, &sent.bytes, error);
}

static bool meet(struct guest *guest, const struct encoder *world, struct error *error)
{
    if (!say(guest, WIRE_WORLD, world, error) ||
        !hear(guest, WIRE_HELLO, link_time_in(guest->timeout_s), error))
        return false;
    struct decoder in = {.bytes = guest->frame.bytes, .size = guest->frame.size};
    return answers_hello(&guest->answers, &in, error);
}

void guest_meet(struct guest *guest, const struct replay_world *world)
{
    struct encoder out = {0};
    struct error error;
    if (guest->is_dismissed)
        return;
    encode_u32(&out, TSPROF_PATTERN_VERSION);
    encode_u32(&out, (uint32_t)world->region_count);
    for (size_t i = 0; i < world->region_count; i++)
        encode_string(&out, world->regions[i].name);
    encode_u32(&out, (uint32_t)world->process_count);
    for (uint32_t i = 0; i < world->process_count; i++)
        encode_u32(&out, world->ranks ? world->ranks[i] : i);
    if (out.failed)
        out_of_memory();
    if (!meet(guest, &out, &error))
        guest_dismiss(guest, error.text);
    encoder_free(&out);
}

struct batch *guest_room(struct guest *guest)
{
    return &guest->next;
}

void guest_tell(struct guest *guest)
{
    struct error error;
    if (guest->is_dismissed)
        batch_clear(&guest->next);
    else if (guest->next.bytes.size >= BATCH_BYTES && !send_batch(guest, &error))
        guest_dismiss(guest, error.text);
}

static bool finish(struct guest *guest, struct error *error)
{
    if (guest->next.bytes.size > 0 && !send_batch(guest, error))
        return false;
    if (!hear_of_last_batch(guest, error))
        return false;
    batch_clear(&guest->sent);
    answers_expect(&guest->answers, 0);
    return say(guest, WIRE_END, NULL, error) &&
           hear(guest, WIRE_DONE, link_time_in(guest->timeout_s), error);
}

void guest_finish(struct guest *guest)
{
    struct error error;
    if (guest->is_dismissed)
        return;
    if (finish(guest, &error))
        close_down(guest);
    else
        guest_dismiss(guest, error.text);
}
