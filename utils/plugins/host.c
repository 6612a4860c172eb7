/* See host.h. */
#include "plugins/host.h"

#include "plugins/child.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* So much is published before it is sent. */
enum { FOUND_BYTES = 1 << 15 };

/* Who does not listen any more is the analysis that has ended. */
static void say(enum wire_frame kind, const struct encoder *body)
{
    if (frame_send(CHILD_SOCKET, kind, body, LINK_NEVER) != LINK_GOOD)
        _exit(EXIT_FAILURE);
}

void host_fail(const char *format, ...)
{
    char text[1000];
    struct encoder out = {0};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    encode_string(&out, text);
    say(WIRE_FAILED, &out);
    _exit(EXIT_FAILURE);
}

static void send_found(struct host *host)
{
    if (host->found.failed)
        out_of_memory();
    if (host->found.size > 0)
        say(WIRE_FOUND, &host->found);
    host->found.size = 0;
}

/* The pattern knows the host by this name only. */
static struct host *host_of(const struct tsprof_analysis *analysis)
{
    return (struct host *)(uintptr_t)analysis;
}

/* Which call of the batch it is. */
static uint32_t number_of(const struct host *host, const struct tsprof_call *call)
{
    for (size_t i = 0; i < host->call_count; i++)
        if (call == &host->calls[i])
            return (uint32_t)(host->calls_before + i);
    return call ? WIRE_OTHER_CALL : TSPROF_NONE;
}

static void publish(struct tsprof_analysis *analysis, const struct tsprof_severity *severity)
{
    struct host *host = host_of(analysis);
    encode_u32(&host->found, severity->metric);
    encode_u32(&host->found, number_of(host, severity->call));
    encode_u32(&host->found, severity->path);
    encode_u64(&host->found, severity->amount);
    if (host->found.size >= FOUND_BYTES)
        send_found(host);
}

static const char *region_name(const struct tsprof_analysis *analysis, uint32_t region)
{
    const struct host *host = host_of(analysis);
    return region < host->region_count ? host->regions[region] : "";
}

static uint32_t rank(const struct tsprof_analysis *analysis, uint32_t process)
{
    const struct host *host = host_of(analysis);
    return process < host->process_count ? host->ranks[process] : TSPROF_NONE;
}

static const struct tsprof_analysis_functions functions = {.version = TSPROF_PATTERN_VERSION,
                                                           .publish = publish,
                                                           .region_name = region_name,
                                                           .rank = rank};

/* The analysis is another process of the same program, which sends what it should. */
static struct decoder hear(struct host *host)
{
    if (frame_receive(CHILD_SOCKET, &host->frame, UINT32_MAX, LINK_NEVER) != LINK_GOOD)
        _exit(EXIT_FAILURE);
    return (struct decoder){.bytes = host->frame.bytes, .size = host->frame.size};
}

static void hear_of_world(struct host *host)
{
    static struct memory_pool names;
    struct decoder in = hear(host);
    decode_u32(&in);
    host->region_count = decode_u32(&in);
    host->regions = allocate(host->region_count + 1, sizeof *host->regions);
    for (size_t i = 0; i < host->region_count; i++) {
        size_t length;
        const char *name = decode_string(&in, &length);
        host->regions[i] = memory_pool_copy(&names, name, length);
    }
    host->process_count = decode_u32(&in);
    host->ranks = allocate(host->process_count + 1, sizeof *host->ranks);
    for (size_t i = 0; i < host->process_count; i++)
        host->ranks[i] = decode_u32(&in);
}

static const struct tsprof_pattern *load(const char *path)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object)
        host_fail("%s", dlerror());
    const struct tsprof_pattern *pattern = dlsym(object, "tsprof_pattern");
    if (!pattern)
        host_fail("it has no symbol tsprof_pattern");
    /* In another version everything else may be elsewhere. */
    if (pattern->version != TSPROF_PATTERN_VERSION)
        host_fail("it is written for version %u of the interface, and this tsprof has version "
                  "%d",
                  pattern->version, TSPROF_PATTERN_VERSION);
    return pattern;
}

static uint32_t subscriptions_of(const struct tsprof_pattern *pattern)
{
    return (pattern->on_call ? 1U << WIRE_CALL : 0) |
           (pattern->on_collective ? 1U << WIRE_COLLECTIVE : 0) |
           (pattern->on_epoch ? 1U << WIRE_EPOCH : 0) |
           (pattern->on_locked ? 1U << WIRE_LOCKED : 0) |
           (pattern->on_enter ? 1U << WIRE_ENTER : 0) |
           (pattern->on_leave ? 1U << WIRE_LEAVE : 0) |
           (pattern->on_severity ? 1U << WIRE_SEVERITY : 0);
}

static void introduce(const struct tsprof_pattern *pattern)
{
    struct encoder out = {0};
    encode_u32(&out, TSPROF_PATTERN_VERSION);
    encode_string(&out, pattern->name);
    encode_u32(&out, subscriptions_of(pattern));
    encode_u32(&out, (uint32_t)pattern->metric_count);
    for (size_t i = 0; i < pattern->metric_count; i++) {
        encode_string(&out, pattern->metrics[i].name);
        encode_string(&out, pattern->metrics[i].parent);
        encode_string(&out, pattern->metrics[i].unit);
        encode_string(&out, pattern->metrics[i].text);
    }
    if (out.failed)
        out_of_memory();
    say(WIRE_HELLO, &out);
    encoder_free(&out);
}

/* Tells the pattern of all that comes. */
static void serve(struct host *host)
{
    for (;;) {
        struct decoder in = hear(host);
        host->calls_before = 0;
        host->call_count = 0;
        if (host->frame.kind == WIRE_EVENTS)
            host_tell(host, &in);
        else if (host->pattern->end)
            host->pattern->end(host->state);
        send_found(host);
        say(WIRE_DONE, NULL);
        if (host->frame.kind != WIRE_EVENTS)
            return;
    }
}

void host_run(const char *path)
{
    struct host host = {0};
    hear_of_world(&host);
    host.pattern = load(path);
    if (host.pattern->begin)
        host.state = host.pattern->begin((struct tsprof_analysis *)&host, &functions);
    introduce(host.pattern);
    serve(&host);
    _exit(EXIT_SUCCESS);
}
