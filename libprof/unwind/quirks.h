/*
 * Places where call-frame information does not match what is on the stack, recognised by the
 * code there.
 */
#ifndef TSPROF_QUIRKS_H
#define TSPROF_QUIRKS_H

#include "dwarf/dwarf.h"

#include <stdint.h>

/* Finds swapcontext.  Once per process, in program context. */
void quirks_start(void);

/*
 * Which part of the call-frame information is wrong: nothing, the frame pointer's rule, or all.
 */
enum quirk { QUIRK_NONE, QUIRK_FP, QUIRK_ALL };

/* What is wrong with FRAME, which was found for PC in MODULE.  Any context. */
enum quirk quirk_at_async(const struct module_image *module, const struct cfi_frame *frame,
                          uintptr_t pc);

#endif
