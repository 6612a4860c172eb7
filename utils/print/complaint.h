/*
 * Messages of the command on stderr.
 */
#ifndef TSPROF_COMPLAINT_H
#define TSPROF_COMPLAINT_H

#include "base/base.h"

/* Prints "tsprof: ..." as a line on stderr, harmless on a terminal whatever the arguments hold.
 */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
