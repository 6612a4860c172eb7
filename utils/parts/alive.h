/*
 * Finds out whether a process of a job is still alive.  Possible on its own host only.
 */
#ifndef TSPROF_ALIVE_H
#define TSPROF_ALIVE_H

#include <stdint.h>

enum life {
    LIFE_UNKNOWN, /* it ran on another host or in a container, or /proc does not show it */
    LIFE_RUNNING,
    LIFE_STOPPED, /* by a signal or a debugger */
    LIFE_ENDED
};

/*
 * The state of process PROCESS on the host whose name is HOST, and IDENTITY, if that is not 0,
 * what common/host_identity.h says of it.  STARTED is when it began, in clock ticks since the
 * host booted (field 22 of /proc/PID/stat), since another process may have its number now.  A
 * zombie has ended.
 */
enum life process_life(const char *host, uint64_t identity, uint64_t process, uint64_t started);

#endif
