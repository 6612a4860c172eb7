/*
 * Classifies regions in the terms of Score-P's profiles.
 */
#ifndef TSPROF_CUBEX_ROLES_H
#define TSPROF_CUBEX_ROLES_H

#include "file/file.h"

/* The region's origin: "mpi", "user" (marked in the source), "compiler" or "measurement". */
const char *cubex_paradigm(const struct region_entry *region);

/* The region's role: for MPI "point2point", "all2all" and so on, otherwise "function" or
 * "phase". */
const char *cubex_role(const struct region_entry *region);

#endif
