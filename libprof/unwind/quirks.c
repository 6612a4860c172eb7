/* See quirks.h. */
#include "unwind/quirks.h"

#include "arch/arch.h"
#include "host/host.h"

#include <dlfcn.h>
#include <stddef.h>

/* Where swapcontext is between two stacks. */
static struct {
    uintptr_t begin;
    uintptr_t end;
} stack_switch;

/*
 * swapcontext's call-frame information still describes the old stack when the code has already
 * loaded the new stack's pointer, until it pushes the address to continue at there.
 */
void quirks_start(void)
{
    const unsigned char *function = dlsym(RTLD_DEFAULT, "swapcontext");
    struct dl_find_object object;
    struct frame_entry entry;
    if (!function || _dl_find_object((void *)function, &object) != 0)
        return;
    const struct module_image module = {.low = (uintptr_t)object.dlfo_map_start,
                                        .high = (uintptr_t)object.dlfo_map_end,
                                        .header = object.dlfo_eh_frame};
    if (!module.header || !ehframe_find_async(&module, (uintptr_t)function, &entry))
        return;
    arch_find_stack_switch(function, (const unsigned char *)entry.end, &stack_switch.begin,
                           &stack_switch.end);
}

/* Whether CODE is a call of a function of its own module. */
static bool is_call(const struct module_image *module, const unsigned char *code)
{
    uintptr_t target;
    struct frame_entry callee;
    if (!arch_is_call_async(code, &target))
        return false;
    return target >= module->low && target < module->high &&
           ehframe_find_async(module, target, &callee) && callee.start == target;
}

/*
 * Whether PC is where a function that throws an exception replaces its own saved registers.  It
 * overwrites them with the registers of the frame that catches, and then loads them; in
 * between, the frame pointer that it has saved is not its caller's.  All this happens from the
 * last call but one before it sets the stack pointer: that call writes the registers, the last
 * one is for debuggers.
 */
static bool is_installing(const struct module_image *module, const struct cfi_frame *frame,
                          uintptr_t pc)
{
    const unsigned char *begin = (const unsigned char *)frame->function;
    size_t bytes;
    const unsigned char *at =
        arch_find_jump_to_context_async(begin, frame->end - frame->function, &bytes);
    int calls = 0;
    if (!at || pc >= (uintptr_t)at + bytes)
        return false;
    while (calls < 2 && at > begin)
        calls += is_call(module, --at);
    return calls == 2 && pc >= (uintptr_t)at;
}

enum quirk quirk_at_async(const struct module_image *module, const struct cfi_frame *frame,
                          uintptr_t pc)
{
    if (pc >= stack_switch.begin && pc < stack_switch.end)
        return QUIRK_ALL;
    return frame->throws && is_installing(module, frame, pc) ? QUIRK_FP : QUIRK_NONE;
}
