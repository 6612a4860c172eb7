/*
 * Everything that knows the processor.  There is a folder for each; all of them declare the same,
 * and nobody outside asks which one it is.
 *
 * At the bottom of the house: knows nothing of tsprof, has no state but the table of aliases,
 * takes no lock, allocates nothing.  Functions named *_async may be called in a signal handler,
 * as all inline ones may.
 */
#ifndef TSPROF_ARCH_H
#define TSPROF_ARCH_H

#if defined(__x86_64__)
#include "arch/x86_64/alias_table.h"
#include "arch/x86_64/call_code.h"
#include "arch/x86_64/entry.h"
#include "arch/x86_64/floating.h"
#include "arch/x86_64/instruction.h"
#include "arch/x86_64/jump.h"
#include "arch/x86_64/registers.h"
#include "arch/x86_64/signal_return.h"
#include "arch/x86_64/stub_table.h"
#include "arch/x86_64/switch_code.h"
#include "arch/x86_64/ticks.h"
#else
#error "tsprof has not been taught this processor: it needs a folder beside arch/x86_64"
#endif

#endif
