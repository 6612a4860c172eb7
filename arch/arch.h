/*
 * Everything that depends on the processor.  There is one folder for each processor; all of
 * them declare the same names, and no code outside asks which one is in use.
 *
 * This is the lowest layer: it knows nothing of tsprof, has no state but the table of aliases,
 * takes no lock and allocates nothing.  Functions named *_async, and all inline functions, may
 * be called in a signal handler.
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
#include "arch/x86_64/relocation.h"
#include "arch/x86_64/signal_return.h"
#include "arch/x86_64/stub_table.h"
#include "arch/x86_64/switch_code.h"
#include "arch/x86_64/ticks.h"
#else
#error "tsprof does not support this processor: a port is a folder beside arch/x86_64"
#endif

#endif
