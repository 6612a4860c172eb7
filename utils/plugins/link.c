/* See link.h. */
#include "plugins/link.h"

#include "base/base.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { NS_PER_MS = 1000000 };
static const int64_t ns_per_s = 1000000000;

int64_t link_time_in(unsigned seconds)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return ((int64_t)now.tv_sec + seconds) * ns_per_s + now.tv_nsec;
}

/* Waits for EVENTS; false if the time is over. */
static bool await(int socket, short events, int64_t until_ns)
{
    struct pollfd polled = {.fd = socket, .events = events};
    const int64_t left_ns = until_ns == LINK_NEVER ? 0 : until_ns - link_time_in(0);
    if (left_ns < 0)
        return false;
    /* Who is called too early looks again. */
    const int64_t left_ms = left_ns / NS_PER_MS + 1;
    poll(&polled, 1, until_ns == LINK_NEVER ? -1 : left_ms < 1000 ? (int)left_ms : 1000);
    return true;
}

static bool may_go_on(int error)
{
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

static enum link_result send_all(int socket, const void *from, size_t size, int64_t until_ns)
{
    const unsigned char *bytes = from;
    while (size > 0) {
        const ssize_t sent = send(socket, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && !may_go_on(errno))
            return LINK_CLOSED;
        if (sent < 0 && !await(socket, POLLOUT, until_ns))
            return LINK_LATE;
        bytes += sent < 0 ? 0 : sent;
        size -= sent < 0 ? 0 : (size_t)sent;
    }
    return LINK_GOOD;
}

static enum link_result receive_all(int socket, void *to, size_t size, int64_t until_ns)
{
    unsigned char *bytes = to;
    while (size > 0) {
        const ssize_t received = recv(socket, bytes, size, MSG_DONTWAIT);
        if (received == 0 || (received < 0 && !may_go_on(errno)))
            return LINK_CLOSED;
        if (received < 0 && !await(socket, POLLIN, until_ns))
            return LINK_LATE;
        bytes += received < 0 ? 0 : received;
        size -= received < 0 ? 0 : (size_t)received;
    }
    return LINK_GOOD;
}

enum { HEAD_BYTES = 8 };

enum link_result frame_send(int socket, enum wire_frame kind, const struct encoder *body,
                            int64_t until_ns)
{
    unsigned char bytes[16];
    struct encoder head = {.bytes = bytes, .capacity = sizeof bytes};
    encode_u32(&head, body ? (uint32_t)body->size : 0);
    encode_u32(&head, kind);
    const enum link_result result = send_all(socket, bytes, HEAD_BYTES, until_ns);
    if (result != LINK_GOOD || !body)
        return result;
    return send_all(socket, body->bytes, body->size, until_ns);
}

enum link_result frame_receive(int socket, struct frame *frame, size_t most, int64_t until_ns)
{
    unsigned char head[HEAD_BYTES];
    const enum link_result result = receive_all(socket, head, sizeof head, until_ns);
    struct decoder in = {.bytes = head, .size = sizeof head};
    if (result != LINK_GOOD)
        return result;
    frame->size = decode_u32(&in);
    frame->kind = decode_u32(&in);
    if (frame->size > most)
        return LINK_TOO_LARGE;
    if (frame->size > frame->room) {
        frame->bytes = reallocate(frame->bytes, frame->size, 1);
        frame->room = frame->size;
    }
    return receive_all(socket, frame->bytes, frame->size, until_ns);
}
