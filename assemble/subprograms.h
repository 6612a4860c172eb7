/*
 * Which subprogram of a unit of debug information has the code at an address: all are gathered
 * once for each unit, since C++ ones have tens of thousands of entries.  Program context.
 */
#ifndef TSPROF_SUBPROGRAMS_H
#define TSPROF_SUBPROGRAMS_H

#include "assemble/elfutils.h"

#include <stdint.h>

struct unit;

/*
 * Finds the innermost subprogram of UNIT whose code holds PC, an address as in the debug
 * information; false if there is none, or no memory.  KNOWN, NULL at first, are the units that
 * were asked about before.
 */
bool subprograms_find(struct unit **known, Dwarf_Die *unit, Dwarf_Addr pc, Dwarf_Die *found);

void subprograms_free(struct unit **known);

#endif
