/*
 * What a process knows as sections of the summary (doc/format.md): the numbers of its threads, and
 * the facts of the run.  Used for the summary at the end and for what is saved meanwhile.
 */
#ifndef TSPROF_ENCODE_ROOM_H
#define TSPROF_ENCODE_ROOM_H

#include "encode/facts.h"
#include "encode/location.h"

#endif
