/*
 * Patterns that users wrote (include/tsprof_pattern.h, tsprof_pattern.py), searched by `tsprof
 * waits --pattern`.  Each runs in a process of its own, is told of events by a socket, and
 * answers with what it publishes.  One that crashes, is silent or answers nonsense is named in
 * a message and left out, as if it had not been given.
 *
 *     plugins = plugins_start(files, count, timeout_s);     before anything is opened
 *     plugins_listen(plugins, replay, &world);              before the first event
 *     ...                                                   events, up to replay_end
 *     left_out = plugins_adopt(plugins, replay);
 *     plugins_free(plugins);
 *
 * Program context.
 */
#ifndef TSPROF_PLUGINS_H
#define TSPROF_PLUGINS_H

#include "replay/replay.h"

#include <stddef.h>

struct plugins;

/* Starts a process for each of the COUNT patterns in FILES, which must outlive it; one that
 * does not answer for TIMEOUT_S seconds is given up.  Never NULL. */
struct plugins *plugins_start(const char *const *files, size_t count, unsigned timeout_s);

/* Has REPLAY, of WORLD, tell them of events.  Must outlive REPLAY. */
void plugins_listen(struct plugins *plugins, struct replay *replay,
                    const struct replay_world *world);

/* After replay_end: adds what they have found to the result, in the order of FILES, whose texts
 * belong to PLUGINS.  How many were left out. */
size_t plugins_adopt(struct plugins *plugins, struct replay *replay);

void plugins_free(struct plugins *plugins);

#endif
