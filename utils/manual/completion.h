/* What the completions of all shells share.  For completion_bash.c and completion_zsh.c. */
#ifndef TSPROF_COMPLETION_H
#define TSPROF_COMPLETION_H

#include "options/options.h"

#include <stdbool.h>
#include <string.h>

/* Whether the argument of the option is a file. */
static inline bool takes_file(const struct option_row *row)
{
    return row->words && strcmp(row->words, OPTION_FILES) == 0;
}

#endif
