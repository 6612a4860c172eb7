/*
 * A summary as a CUBE 4 profile, the format of Score-P and Scalasca: doc/cube.md says what
 * becomes what.
 */
#ifndef TSPROF_CUBEX_H
#define TSPROF_CUBEX_H

#include "export/export.h"

/* All of the summary in one file. */
#define EXPORT_CUBEX "profile"
bool export_has_cubex(const char *what);
export_write export_cubex;

#endif
