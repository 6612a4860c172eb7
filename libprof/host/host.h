/*
 * Living in somebody else's process: memory of tsprof's own, messages, signals that the program
 * does not use, modules and places in its code, settings, the clock.
 *
 * Nothing here knows what is measured.  Program context, unless a header says otherwise.
 */
#ifndef TSPROF_HOST_ROOM_H
#define TSPROF_HOST_ROOM_H

#include "host/arena.h"
#include "host/bus_guard.h"
#include "host/claims.h"
#include "host/clock.h"
#include "host/config.h"
#include "host/coroutine.h"
#include "host/descriptors.h"
#include "host/got.h"
#include "host/job_processes.h"
#include "host/last_line.h"
#include "host/message.h"
#include "host/modmap.h"
#include "host/other_libc.h"
#include "host/own_stack.h"
#include "host/peek.h"
#include "host/processor.h"
#include "host/quiet.h"
#include "host/raw_file.h"
#include "host/seccomp_filter.h"
#include "host/secure.h"
#include "host/source_place.h"

#endif
