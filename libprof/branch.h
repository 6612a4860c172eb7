/*
 * Branches that are kept of walks (unwind.h): finding the one that a walk would repeat.
 */
#ifndef TSPROF_BRANCH_H
#define TSPROF_BRANCH_H

#include "recipe.h"
#include "walk_memory.h"

/* Where branches that begin AT are kept. */
static inline struct branch *branches_at(struct walker *walker, const struct registers *at)
{
    uint64_t mixed = (at->pc ^ at->sp << 20) * UINT64_C(0x9E3779B97F4A7C15);
    return &walker->branches[(mixed >> 32) % (BRANCHES / BRANCH_WAYS) * BRANCH_WAYS];
}

/* Whether the words that led out of the frames of BRANCH still hold what they held. */
static inline bool branch_unchanged(const struct branch *branch)
{
    for (uint32_t i = 1; i <= branch->count; i++) {
        const struct walked_frame *frame = &branch->frames[i];
        if (*(const uintptr_t *)(frame->at.sp - sizeof(uintptr_t)) != frame->return_word ||
            (frame->sp_slot && *frame->sp_slot != frame->at.sp) ||
            (frame->fp_slot && *frame->fp_slot != frame->at.fp))
            return false;
    }
    return true;
}

/* Whether the walk from START would repeat BRANCH and, beyond it, MEMORY. */
static inline bool is_branch(const struct branch *branch, const struct walk_memory *memory,
                             const struct registers *start)
{
    const struct walked_frame *innermost = &branch->frames[0];
    if (branch->count == 0 || innermost->at.pc != start->pc || innermost->at.sp != start->sp ||
        memory->count < branch->kept ||
        (innermost->fp_matters && innermost->at.fp != start->fp))
        return false;
    const struct walked_frame *base = &memory->frames[branch->kept - 1],
                              *reached = &branch->frames[branch->count];
    return base->node == branch->base && base->at.pc == reached->at.pc &&
           base->at.sp == reached->at.sp &&
           (!base->fp_matters || base->at.fp == reached->at.fp) && branch_unchanged(branch) &&
           (branch->kept == 1 || changed_word(memory->words, base[-1].words) == 0);
}

/*
 * The branch that the walk from START would repeat, and beyond it the latest walk; NULL if
 * there is none.
 */
static inline struct branch *find_branch(struct walker *walker, const struct registers *start)
{
    const struct walk_memory *memory = &walker->memories[walker->latest];
    struct branch *branches = branches_at(walker, start);
    const uint64_t epoch = recipe_epoch_async();
    if (memory->epoch != epoch)
        return NULL;
    for (int i = 0; i < BRANCH_WAYS; i++)
        if (branches[i].life == walker->life && branches[i].epoch == epoch &&
            is_branch(&branches[i], memory, start))
            return &branches[i];
    return NULL;
}

#endif
