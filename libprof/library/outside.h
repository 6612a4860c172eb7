/*
 * Functions that no wrapper measures, those outside the MPI standard, named MPIX_..., and some
 * of Fortran bindings: those that the program and its libraries refer to, so that a summary can
 * say so.  Program context.
 */
#ifndef TSPROF_OUTSIDE_H
#define TSPROF_OUTSIDE_H

/*
 * Looks for them in the files of the modules that are loaded now, but for those of the MPI
 * library.  Of BINDINGS each is what fnmatch takes for names of functions of Fortran bindings,
 * without the P of profiling names; NULL after the last.  For the start of the measurement: it
 * may change what dlerror tells.
 */
void outside_find(const char *const *bindings);

/*
 * Their names, separated by blanks, in no order; "" if there are none.  "..." is in the place
 * of those for which there is no room.
 */
const char *outside_names(void);

#endif
