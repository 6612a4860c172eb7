/* How much memory the process has had.  May be called in any context; leaves errno as it was.
 */
#ifndef TSPROF_RESIDENT_H
#define TSPROF_RESIDENT_H

#include <stdint.h>

/*
 * The most that was resident at once, in bytes, of the program with tsprof in it; 0: unknown.
 * It includes what the process had been before it became the program, such as a launcher's
 * child.
 */
uint64_t resident_most_bytes_async(void);

#endif
