/*
 * Reads traces: OTF2 archives, which tsprof writes beside a summary and Score-P in its
 * directory.  Definitions are held in memory, events are passed on one by one and in the order
 * of time.  Without OTF2 at build time, opening one fails with a message.
 */
#ifndef TSPROF_ARCHIVE_H
#define TSPROF_ARCHIVE_H

#include "archive/corrections.h"
#include "archive/messages.h"
#include "archive/trace.h"

#endif
