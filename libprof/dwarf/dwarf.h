/*
 * Reading the unwind tables of the program's modules: finding the call-frame information for an
 * address, reading its rules, and telling what an exception finds in a function.
 *
 * Reads nothing but the modules and takes no lock.  Any context, except for lsda.h, which is
 * for program context.
 */
#ifndef TSPROF_DWARF_ROOM_H
#define TSPROF_DWARF_ROOM_H

#include "dwarf/cfi.h"
#include "dwarf/ehframe.h"
#include "dwarf/lsda.h"

#endif
