/*
 * Reading the unwind tables of the program's modules: where call-frame information is, what it
 * says of an address, and what exceptions find there.
 *
 * Reads nothing but the modules, takes no lock: any context, but for lsda.h.
 */
#ifndef TSPROF_DWARF_ROOM_H
#define TSPROF_DWARF_ROOM_H

#include "dwarf/cfi.h"
#include "dwarf/ehframe.h"
#include "dwarf/lsda.h"

#endif
