/* Opens what a command that reads one summary is to read. */
#ifndef TSPROF_OPEN_SUBJECT_H
#define TSPROF_OPEN_SUBJECT_H

#include "options/options.h"
#include "parts/parts.h"

/*
 * Opens OPTIONS->file or, if the user named none, the newest summary in the current directory,
 * which becomes OPTIONS->file and is named on standard error.  Complains and returns false if
 * that fails; otherwise end with subject_close.
 */
bool open_subject(struct subject *subject, struct options *options);

#endif
