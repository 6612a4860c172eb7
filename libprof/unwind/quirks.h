/*
 * Places where call-frame information says something else than the stack holds, known by what
 * the code there does.
 */
#ifndef TSPROF_QUIRKS_H
#define TSPROF_QUIRKS_H

#include "dwarf/dwarf.h"

#include <stdint.h>

/* Once per process, not in a handler. */
void quirks_start(void);

/* What is not to be believed. */
enum quirk { QUIRK_NONE, QUIRK_FP, QUIRK_ALL };

/* What is wrong with FRAME, found for PC in MODULE.  Any context. */
enum quirk quirk_at_async(const struct module_image *module, const struct cfi_frame *frame,
                          uintptr_t pc);

#endif
