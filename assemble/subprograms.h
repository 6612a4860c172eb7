/*
 * Finds the subprogram of a compilation unit that has the code at an address.  All of a unit's
 * subprograms are gathered once, since units in C++ have tens of thousands of entries.  Program
 * context; memory from malloc.
 */
#ifndef TSPROF_SUBPROGRAMS_H
#define TSPROF_SUBPROGRAMS_H

#include "assemble/elfutils.h"

#include <stdint.h>

struct unit;

/*
 * Finds the innermost subprogram of UNIT whose code holds PC, an address as in the debug
 * information; false if there is none, or no memory.  KNOWN is the caller's cache of units,
 * NULL at first; to be freed with subprograms_free.
 */
bool subprograms_find(struct unit **known, Dwarf_Die *unit, Dwarf_Addr pc, Dwarf_Die *found);

void subprograms_free(struct unit **known);

#endif
