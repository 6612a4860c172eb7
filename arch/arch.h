/*
 * What depends on the processor.  There is one folder for each processor; all of them declare
 * the same names, and no code outside asks which one is in use.
 *
 * This is the lowest layer: it knows nothing of tsprof, has no state but the table of aliases,
 * takes no lock and allocates nothing.  Functions named *_async, and all inline functions, may
 * be called in a signal handler.
 *
 * What a folder defines, under the comments that x86_64 has for them:
 *
 *   alias_table    ALIAS_COUNT, ALIAS_BYTES, alias_code, alias_targets
 *   call_code      ARCH_CALL_BYTES, arch_call_precedes, arch_is_call_async
 *   effect         effect_read with struct effect, struct effect_place, enum effect_register,
 *                  EFFECT_KEPT
 *   entry          ARCH_ENTRY, ARCH_ENTRY_ASK
 *   floating       struct floating with floating_begin and floating_end; struct floating_state
 *                  with floating_save_async and floating_restore_async
 *   instruction    instruction_read with struct instruction, enum way, INSTRUCTION_NOWHERE
 *   jump           arch_jump_target_async, arch_has_shadow_stack, arch_return_from_signal
 *   model          arch_model
 *   registers      struct registers; ARCH_DWARF_RESULTS, _AUX, _FP, _SP, _KEPT and _PC;
 *                  ARCH_KEPT, ARCH_KEPT_OTHERS, arch_read_kept, arch_kept_index;
 *                  ARCH_FRAME_OFFSET, ARCH_RED_ZONE_BYTES, ARCH_LEAST_PAGE_BYTES; ARCH_CONTEXT
 *                  with _PC, _SP, _FP and _AUX; arch_interrupted, arch_interrupted_aux,
 *                  arch_context_return, arch_returns_from, arch_code_address,
 *                  arch_constant_register; ARCH_FRAME, ARCH_FRAME_ADDRESS, arch_frame_address,
 *                  arch_return_address, arch_caller
 *   relocation     arch_fills_function_word
 *   signal_return  arch_signal_return, ARCH_SIGNAL_RETURN_OFFSET, arch_signal_return_code
 *   stack_switch   arch_stack_prepare_async, arch_stack_switch_async
 *   stub_table     stub_table with struct stub_instruction, stub_count; stub_fits,
 *                  stub_return_offset, stub_fp_offset
 *   switch_code    arch_find_stack_switch, arch_find_jump_to_context_async
 *   syscall_entry  ARCH_AUDIT, ARCH_FILE_CALLS, ARCH_SYSCALL_ENTRY
 *   ticks          ARCH_TICKS_NAME, ARCH_TICKS_SOURCE, arch_ticks_async, arch_ticks_are_steady
 *
 * What others take for granted of every processor: words of 64 bits, the lowest byte first; a
 * stack that grows downwards, with the return address of each frame that has called another on
 * it (unwind/recipe.h, unwind/walker.c, dwarf/cfi.c); and code that may be searched byte by
 * byte for calls (unwind/quirks.c) and for stubs (unwind/stubs.c).
 *
 * Nothing is taken for granted about the order in which other threads and processes see what
 * one writes: whatever is published has an __atomic store with __ATOMIC_RELEASE behind it.
 */
#ifndef TSPROF_ARCH_H
#define TSPROF_ARCH_H

#if defined(__x86_64__)
#include "arch/x86_64/alias_table.h"
#include "arch/x86_64/call_code.h"
#include "arch/x86_64/effect.h"
#include "arch/x86_64/entry.h"
#include "arch/x86_64/floating.h"
#include "arch/x86_64/instruction.h"
#include "arch/x86_64/jump.h"
#include "arch/x86_64/model.h"
#include "arch/x86_64/registers.h"
#include "arch/x86_64/relocation.h"
#include "arch/x86_64/signal_return.h"
#include "arch/x86_64/stack_switch.h"
#include "arch/x86_64/stub_table.h"
#include "arch/x86_64/switch_code.h"
#include "arch/x86_64/syscall_entry.h"
#include "arch/x86_64/ticks.h"
#elif defined(__aarch64__)
#include "arch/aarch64/alias_table.h"
#include "arch/aarch64/call_code.h"
#include "arch/aarch64/effect.h"
#include "arch/aarch64/entry.h"
#include "arch/aarch64/floating.h"
#include "arch/aarch64/instruction.h"
#include "arch/aarch64/jump.h"
#include "arch/aarch64/model.h"
#include "arch/aarch64/registers.h"
#include "arch/aarch64/relocation.h"
#include "arch/aarch64/signal_return.h"
#include "arch/aarch64/stack_switch.h"
#include "arch/aarch64/stub_table.h"
#include "arch/aarch64/switch_code.h"
#include "arch/aarch64/syscall_entry.h"
#include "arch/aarch64/ticks.h"
#else
#error "tsprof does not support this processor: a port is a folder beside arch/x86_64"
#endif

#endif
