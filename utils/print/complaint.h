/*
 * Messages of the command on stderr.
 */
#ifndef TSPROF_COMPLAINT_H
#define TSPROF_COMPLAINT_H

#include "base/base.h"

/* Prints the line "tsprof: ..." on stderr.  Control characters in the arguments are escaped. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
