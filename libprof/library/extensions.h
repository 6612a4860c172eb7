/* What the program calls of its MPI library that is not in the MPI standard. */
#ifndef TSPROF_EXTENSIONS_H
#define TSPROF_EXTENSIONS_H

#include <stddef.h>

/*
 * Stores the names of the functions that MPI libraries offer beside the standard, MPIX_..., and
 * that the program or a library of it refers to, in alphabetical order, separated by ", "; as
 * many as fit into SIZE bytes, then "...".  "" if there are none.  These functions are not
 * measured.  Program context; takes the loader's lock.
 */
void extensions_list(char *text, size_t size);

#endif
