/* The file that TSPROF_FILTER names.  For this room alone; program context. */
#ifndef TSPROF_FILTER_FILE_H
#define TSPROF_FILTER_FILE_H

#include "common/filter.h"

#include <stdbool.h>

/* Reads the file into FILTER; false if there is none, or it has no rules.  Says nothing. */
bool filter_file_load(struct filter *filter);

/* Says what cannot be used of the file, as config_complain does of other settings. */
void filter_file_complain(void);

#endif
