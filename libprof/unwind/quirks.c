/* See quirks.h. */
#include "unwind/quirks.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

enum { CALL_BYTES = 5, CALL_CODE = 0xe8 };

/* Where swapcontext is between two stacks. */
static struct {
    uintptr_t begin;
    uintptr_t end;
} stack_switch;

/*
 * swapcontext goes on to speak of the stack that it came from when it has already loaded the
 * other's stack pointer, until it pushes where to go there.
 */
void quirks_start(void)
{
    /* mov 0xa0(%rdx), %rsp */
    static const unsigned char first[] = {0x48, 0x8b, 0xa2, 0xa0, 0, 0, 0};
    /* mov 0xa8(%rdx), %rcx; push %rcx */
    static const unsigned char last[] = {0x48, 0x8b, 0x8a, 0xa8, 0, 0, 0, 0x51};
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
    const unsigned char *end = (const unsigned char *)entry.end;
    const unsigned char *loads =
        memmem(function, (size_t)(end - function), first, sizeof first);
    const unsigned char *pushes =
        loads ? memmem(loads, (size_t)(end - loads), last, sizeof last) : NULL;
    if (!pushes)
        return;
    stack_switch.begin = (uintptr_t)loads + sizeof first;
    stack_switch.end = (uintptr_t)pushes + sizeof last;
}

/* Whether CODE is a call of a function of its own module. */
static bool is_call(const struct module_image *module, const unsigned char *code)
{
    int32_t distance;
    struct frame_entry callee;
    if (*code != CALL_CODE)
        return false;
    memcpy(&distance, code + 1, sizeof distance);
    uintptr_t target = (uintptr_t)code + CALL_BYTES + (uintptr_t)(intptr_t)distance;
    return target >= module->low && target < module->high &&
           ehframe_find_async(module, target, &callee) && callee.start == target;
}

/*
 * Whoever throws an exception first writes the registers of the frame that catches it over
 * those that its own frame has saved, and then takes them from there.  In between its caller's
 * frame pointer is somebody else's.  All this happens after the last calls but one before the
 * stack pointer is set: the one writes, the other is for debuggers.
 */
static bool is_installing(const struct module_image *module, const struct cfi_frame *frame,
                          uintptr_t pc)
{
    /* mov %rcx, %rsp; pop %rcx; jmp *%rcx */
    static const unsigned char sets[] = {0x48, 0x89, 0xcc, 0x59, 0xff, 0xe1};
    const unsigned char *begin = (const unsigned char *)frame->function;
    const unsigned char *at = memmem(begin, frame->end - frame->function, sets, sizeof sets);
    int calls = 0;
    if (!at || pc >= (uintptr_t)at + sizeof sets)
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
