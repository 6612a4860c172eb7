/*
 * What kind of function a region is, in the words of Score-P's profiles.
 */
#ifndef TSPROF_CUBEX_ROLES_H
#define TSPROF_CUBEX_ROLES_H

#include "file/file.h"

/* Who made the region: "mpi", "user" (marked), "compiler" or "measurement". */
const char *cubex_paradigm(const struct region_entry *region);

/* What it does: "point2point", "all2all" and so on for MPI, otherwise "function" or "phase". */
const char *cubex_role(const struct region_entry *region);

#endif
