/* See plugins.h. */
#include "plugins/plugins.h"

#include "plugins/guest.h"

#include <stdlib.h>

/* A guest, and a pattern that stands for it in the analysis. */
struct plugin {
    struct guest guest;
    struct tsprof_pattern pattern;
};

struct plugins {
    struct plugin *list;
    size_t count;
};

struct plugins *plugins_start(const char *const *files, size_t count, unsigned timeout_s)
{
    struct plugins *plugins = allocate(1, sizeof *plugins);
    plugins->list = allocate(count + 1, sizeof *plugins->list);
    plugins->count = count;
    for (size_t i = 0; i < count; i++)
        guest_start(&plugins->list[i].guest, files[i], timeout_s);
    return plugins;
}

static void on_call(void *guest, const struct tsprof_call *call)
{
    batch_call(guest_room(guest), call);
    guest_tell(guest);
}

static void on_collective(void *guest, const struct tsprof_collective *collective)
{
    batch_collective(guest_room(guest), collective);
    guest_tell(guest);
}

static void on_epoch(void *guest, const struct tsprof_epoch *epoch)
{
    batch_epoch(guest_room(guest), epoch);
    guest_tell(guest);
}

static void on_locked(void *guest, const struct tsprof_locked *locked)
{
    batch_locked(guest_room(guest), locked);
    guest_tell(guest);
}

static void on_enter(void *guest, const struct tsprof_visit *visit)
{
    batch_visit(guest_room(guest), WIRE_ENTER, visit);
    guest_tell(guest);
}

static void on_leave(void *guest, const struct tsprof_visit *visit)
{
    batch_visit(guest_room(guest), WIRE_LEAVE, visit);
    guest_tell(guest);
}

static void on_severity(void *guest, const struct tsprof_finding *finding)
{
    batch_finding(guest_room(guest), finding);
    guest_tell(guest);
}

static void end(void *guest)
{
    guest_finish(guest);
}

static struct tsprof_pattern pattern_of(const struct guest *guest)
{
    const uint32_t wanted = guest->answers.subscriptions;
    return (struct tsprof_pattern){
        .version = TSPROF_PATTERN_VERSION,
        .name = guest->file,
        .on_call = wanted & 1U << WIRE_CALL ? on_call : NULL,
        .on_collective = wanted & 1U << WIRE_COLLECTIVE ? on_collective : NULL,
        .on_epoch = wanted & 1U << WIRE_EPOCH ? on_epoch : NULL,
        .on_locked = wanted & 1U << WIRE_LOCKED ? on_locked : NULL,
        .on_enter = wanted & 1U << WIRE_ENTER ? on_enter : NULL,
        .on_leave = wanted & 1U << WIRE_LEAVE ? on_leave : NULL,
        .on_severity = wanted & 1U << WIRE_SEVERITY ? on_severity : NULL,
        .end = end};
}

void plugins_listen(struct plugins *plugins, struct replay *replay,
                    const struct replay_world *world)
{
    for (size_t i = 0; i < plugins->count; i++) {
        struct plugin *plugin = &plugins->list[i];
        guest_meet(&plugin->guest, world);
        plugin->pattern = pattern_of(&plugin->guest);
        if (!plugin->guest.is_dismissed &&
            !replay_listen(replay, &plugin->pattern, &plugin->guest))
            out_of_memory();
    }
}

size_t plugins_adopt(struct plugins *plugins, struct replay *replay)
{
    size_t left_out = 0;
    for (size_t i = 0; i < plugins->count; i++) {
        struct guest *guest = &plugins->list[i].guest;
        struct error error;
        if (!guest->is_dismissed && !answers_adopt(&guest->answers, replay, &error))
            guest_dismiss(guest, error.text);
        left_out += guest->is_dismissed;
    }
    return left_out;
}

void plugins_free(struct plugins *plugins)
{
    for (size_t i = 0; i < plugins->count; i++)
        guest_free(&plugins->list[i].guest);
    free(plugins->list);
    free(plugins);
}
