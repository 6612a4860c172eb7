/* See kept.h. */
#include "unwind/kept.h"

#include "dwarf/dwarf.h"
#include "unwind/alias.h"
#include "unwind/recipe.h"

#include <dlfcn.h>
#include <string.h>

enum { STEPS_MOST = 64 };

/* Takes over where VALUE, the caller's register INDEX, is saved. */
static void note_saved(struct kept_rule *rule, unsigned index, const struct cfi_value *value,
                       enum cfi_base same)
{
    if (value->base == CFI_CFA && value->loaded && value->offset >= INT16_MIN &&
        value->offset < 0)
        rule->saved[index] = (int16_t)value->offset;
    else if (value->base != same || value->loaded || value->offset != 0)
        rule->lost |= (uint8_t)(1u << index);
}

static void learn(struct kept_rule *rule, uintptr_t pc)
{
    struct dl_find_object object;
    struct cfi_frame frame;
    *rule = (struct kept_rule){.pc = pc};
    if (_dl_find_object((void *)pc, &object) != 0)
        return;
    const struct module_image module = {.low = (uintptr_t)object.dlfo_map_start,
                                        .high = (uintptr_t)object.dlfo_map_end,
                                        .header = object.dlfo_eh_frame};
    if (cfi_find_async(&module, pc, &frame) != CFI_FRAME || frame.signal || frame.cfa.loaded ||
        (frame.cfa.base != CFI_SP && frame.cfa.base != CFI_FP) ||
        frame.cfa.offset != (int32_t)frame.cfa.offset)
        return;
    const struct cfi_value *back = &frame.return_address;
    if (back->base != CFI_CFA || !back->loaded || !arch_returns_from(back->offset))
        return;
    rule->known = true;
    rule->return_offset = (int32_t)back->offset;
    rule->by_fp = frame.cfa.base == CFI_FP;
    rule->cfa_offset = (int32_t)frame.cfa.offset;
    note_saved(rule, 0, &frame.aux, CFI_AUX);
    note_saved(rule, 1, &frame.fp, CFI_FP);
    for (unsigned i = 0; i < ARCH_KEPT_OTHERS; i++)
        note_saved(rule, 2 + i, &frame.kept[i], CFI_SAME);
}

static const struct kept_rule *find_rule(struct kept_rules *rules, uintptr_t pc)
{
    const uint64_t epoch = recipe_epoch_async();
    if (rules->epoch != epoch) {
        memset(rules->rules, 0, sizeof rules->rules);
        rules->epoch = epoch;
    }
    struct kept_rule *rule =
        &rules->rules[(pc * UINT64_C(0x9E3779B97F4A7C15) >> 32) % KEPT_RULES];
    if (rule->pc != pc)
        learn(rule, pc);
    return rule;
}

/*
 * Goes from the frame AT, with what is KEPT there, out to that with the stack pointer SP.  What
 * is found of the registers in *LOST, a set, is wrong.
 */
static bool step_out_to(struct registers at, uintptr_t sp, uintptr_t kept[ARCH_KEPT],
                        struct kept_rules *rules, unsigned *lost)
{
    for (int steps = 0; at.sp < sp && steps < STEPS_MOST; steps++) {
        const struct kept_rule *rule = find_rule(rules, at.pc);
        if (!rule->known || (rule->by_fp && *lost & 2))
            return false;
        const uintptr_t cfa =
            (rule->by_fp ? kept[1] : at.sp) + (uintptr_t)(intptr_t)rule->cfa_offset;
        if (cfa <= at.sp || cfa > sp)
            return false;
        for (unsigned i = 0; i < ARCH_KEPT; i++) {
            const uintptr_t slot = cfa + (uintptr_t)(intptr_t)rule->saved[i];
            if (rule->saved[i] == 0)
                continue;
            /* Nothing below a frame is read, whatever the call-frame information says. */
            if (slot < at.sp)
                return false;
            kept[i] = *(const uintptr_t *)slot;
        }
        *lost |= rule->lost;
        const uintptr_t slot = cfa + (uintptr_t)(intptr_t)rule->return_offset;
        if (slot < at.sp)
            return false;
        at.pc = alias_target_async(*(const uintptr_t *)slot) - 1;
        at.sp = cfa;
    }
    return at.sp == sp;
}

/* Reads memory at PLACE of the frame AT, which ends at END. */
static bool read_frame(const struct walked_frame *at, uintptr_t end, struct effect_place place,
                       uint32_t *value)
{
    const uintptr_t address =
        (place.kind == PLACE_BY_FP ? at->at.fp : at->at.sp) + (uintptr_t)(intptr_t)place.offset;
    if ((place.kind == PLACE_BY_FP && !at->fp_matters) || address < at->at.sp ||
        address + sizeof *value > end)
        return false;
    memcpy(value, (const void *)address, sizeof *value);
    return true;
}

bool kept_read(const struct walker *walker, uint32_t node, struct effect_place place,
               struct kept_rules *rules, uint32_t *value)
{
    const struct walk_memory *memory = &walker->memories[walker->latest];
    uint32_t index = 0;
    struct registers here;
    uintptr_t kept[ARCH_KEPT];
    unsigned lost = 0;
    while (index < memory->count && memory->frames[index].node != node)
        index++;
    if (index == memory->count)
        return false;
    const struct walked_frame *frame = &memory->frames[index];
    if (place.kind != PLACE_REGISTER)
        return index > 0 && read_frame(frame, memory->frames[index - 1].at.sp, place, value);
    arch_read_kept(&here, kept);
    const unsigned number = arch_kept_index(place.number);
    if (!step_out_to(here, frame->at.sp, kept, rules, &lost) || lost >> number & 1)
        return false;
    *value = (uint32_t)kept[number];
    return true;
}
