/*
 * Short forms of the commonest records (event_format.h), for numbers as they mostly are: fields
 * of fixed width, which are written without a branch for each number and read from the same
 * table.  A number that is too large for its field makes the record a long one.
 *
 * The tag of a short record has EVENT_SHORT set.  Behind it are the times and numbers of the
 * long form, in that order, from the lowest bit of a little-endian number of 64 bits up, to
 * which the tag belongs, and then of a second one; no field lies in both.  Of each there are
 * as many bytes as the fields need.
 */
#ifndef TSPROF_EVENT_SHORT_H
#define TSPROF_EVENT_SHORT_H

#include "common/event_format.h"

enum { EVENT_SHORT = 128, EVENT_SHORT_FIELDS = 5, EVENT_SHORT_MOST = 16 };

/* Bits of each field; a tag without any has no short form. */
static const unsigned char event_short[EVENT_TAGS][EVENT_SHORT_FIELDS] = {
    [EVENT_CALL] = {17, 17, 14},
    [EVENT_SEND] = {8, 16, 16, 24},
    [EVENT_RECEIVE] = {8, 16, 16, 24},
    [EVENT_START_SEND] = {32, 8, 16, 16, 24},
    [EVENT_START_RECEIVE] = {32},
    [EVENT_START_COLLECTIVE] = {32},
    [EVENT_DONE_SEND] = {32},
    [EVENT_DONE_RECEIVE] = {32, 8, 16, 16, 24},
    [EVENT_COLLECTIVE] = {8, 16, 32, 32},
    [EVENT_PUT] = {8, 16, 32},
    [EVENT_GET] = {8, 16, 32},
    [EVENT_WINDOW] = {8, 15, 1},
    [EVENT_PARTNER] = {8, 16},
    [EVENT_ENTER] = {18, 14},
    [EVENT_LEAVE] = {18, 14},
    [EVENT_VISIT] = {18, 14},
};

#endif
