/*
 * Whether a process of a job still lives: known on its own host only.
 */
#ifndef TSPROF_ALIVE_H
#define TSPROF_ALIVE_H

#include <stdint.h>

enum life {
    LIFE_UNKNOWN, /* it ran on another host, or cannot be seen from here */
    LIFE_RUNNING,
    LIFE_STOPPED, /* by a signal or a debugger */
    LIFE_ENDED
};

/*
 * Of process PROCESS on HOST that began STARTED clock ticks after the host did (field 22 of
 * /proc/PID/stat); another process may have got its number since.  One that has ended but that
 * nobody has waited for has ended.
 */
enum life process_life(const char *host, uint64_t process, uint64_t started);

#endif
