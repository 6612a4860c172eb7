/*
 * The length of packets, s of LogGPS, from what sends of messages of many lengths take: a
 * longer message takes several packets, each with an overhead, so that times go up in steps of
 * equal length.  Plain arithmetic; knows nothing of MPI.
 */
#ifndef TSPROF_NETWORK_PACKETS_H
#define TSPROF_NETWORK_PACKETS_H

#include <stddef.h>
#include <stdint.h>

#define PACKETS_NONE UINT64_MAX

/*
 * SECONDS has what sends take of lengths STEP, 2 STEP, ... COUNT STEP bytes.  Returns the
 * length of a packet, to a sixteenth of STEP, if steps explain the times much better than a
 * line does: there must be three packets at least, each of two STEPs at least.  Otherwise
 * PACKETS_NONE.
 */
uint64_t packets_find(const double *seconds, size_t count, uint64_t step);

#endif
