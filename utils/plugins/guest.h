/*
 * A user's pattern: the process that it runs in, and the talk with it.  For this room; program
 * context.
 *
 *     guest_start -> guest_meet -> guest_room, guest_tell ... -> guest_finish
 *
 * A guest that crashes, is silent for too long or says something wrong is dismissed: a message
 * names it and says why, and it is not asked again.
 */
#ifndef TSPROF_GUEST_H
#define TSPROF_GUEST_H

#include "plugins/answers.h"
#include "plugins/link.h"

#include <sys/types.h>

struct guest {
    const char *file; /* as on the command line */
    unsigned timeout_s;
    bool is_dismissed;
    pid_t process; /* 0: there is none */
    int socket;
    struct batch next, sent; /* events that are collected, and that it works on */
    bool is_awaited;         /* it has not said that it is done with `sent` */
    struct frame frame;
    struct answers answers;
};

/* Starts the process of the pattern in FILE, a shared object or FILE.py[:CLASS], which must
 * outlive the guest.  To be called before files are opened that are none of its business. */
void guest_start(struct guest *guest, const char *file, unsigned timeout_s);

/* Tells it of the WORLD, and hears which events and metrics it has. */
void guest_meet(struct guest *guest, const struct replay_world *world);

/* Where events for it are put; guest_tell then sends them, once they are worth it. */
struct batch *guest_room(struct guest *guest);
void guest_tell(struct guest *guest);

/* There are no more events: takes the rest of what it publishes. */
void guest_finish(struct guest *guest);

/* Says why it is left out, and ends its process. */
void guest_dismiss(struct guest *guest, const char *why);

/* Ends the process, if there is one, and frees all that the guest has. */
void guest_free(struct guest *guest);

#endif
