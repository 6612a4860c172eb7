/*
 * Branches that are kept of walks (unwind.h): finding the one that a walk would repeat.
 */
#ifndef TSPROF_BRANCH_H
#define TSPROF_BRANCH_H

#include "recipe.h"
#include "walk_memory.h"

/* What branches that begin AT are found by. */
struct branch_key {
    uint32_t set;
    uint32_t tag;
};

static inline struct branch_key branch_key(const struct registers *at)
{
    uint64_t mixed = (at->pc ^ at->sp << 20) * UINT64_C(0x9E3779B97F4A7C15);
    return (struct branch_key){.set = (uint32_t)(mixed >> 60) % BRANCH_SETS,
                               .tag = (uint32_t)(mixed >> 28) | 1};
}

/* Room for one more branch that begins AT. */
static inline struct branch *branch_room(struct walker *walker, const struct registers *at)
{
    const struct branch_key key = branch_key(at);
    struct branch_set *set = &walker->sets[key.set];
    uint32_t way = set->next;
    set->next = (uint8_t)((way + 1) % BRANCH_WAYS);
    set->latest = (uint8_t)way;
    set->tags[way] = key.tag;
    return &walker->branches[key.set][way];
}

/* Whether the words that led from the frame inside to FRAME still hold what they held. */
static inline bool link_unchanged(const struct walked_frame *frame, bool fp_matters)
{
    return *(const uintptr_t *)(frame->at.sp - sizeof(uintptr_t)) == frame->return_word &&
           (!frame->sp_slot || *frame->sp_slot == frame->at.sp) &&
           (!fp_matters || !frame->fp_slot || *frame->fp_slot == frame->at.fp);
}

/* Whether those that led to the frames of BRANCH do. */
static inline bool branch_unchanged(const struct branch *branch)
{
    for (uint32_t i = 1; i < branch->count; i++)
        if (!link_unchanged(&branch->frames[i], branch->frames[i].fp_matters))
            return false;
    return true;
}

/* Whether the frame that BRANCH led to is still the same in MEMORY, and the rest further out.
 */
static inline bool branch_meets(const struct branch *branch, const struct walk_memory *memory)
{
    if (memory->count < branch->kept || !word_unchanged(&memory->end))
        return false;
    const struct walked_frame *base = &memory->frames[branch->kept - 1],
                              *reached = &branch->frames[branch->count];
    return base->node == branch->base && base->at.pc == reached->at.pc &&
           base->at.sp == reached->at.sp &&
           (!base->fp_matters || base->at.fp == reached->at.fp) &&
           link_unchanged(reached, base->fp_matters) && branch_unchanged(branch) &&
           (branch->kept == 1 || changed_word(memory->words, base[-1].words) == 0);
}

/* Whether the walk from START would repeat BRANCH and, beyond it, MEMORY. */
static inline bool is_branch(const struct branch *branch, const struct walk_memory *memory,
                             const struct registers *start)
{
    const struct walked_frame *innermost = &branch->frames[0];
    if (innermost->at.pc != start->pc || innermost->at.sp != start->sp ||
        (innermost->fp_matters && innermost->at.fp != start->fp))
        return false;
    if (branch->kept > 0)
        return branch_meets(branch, memory);
    return word_unchanged(&branch->end) && branch_unchanged(branch);
}

/*
 * The branch that the walk from START would repeat, and beyond it the latest walk; NULL if
 * there is none.
 */
static inline struct branch *find_branch(struct walker *walker, const struct registers *start)
{
    const struct walk_memory *memory = &walker->memories[walker->latest];
    const struct branch_key key = branch_key(start);
    struct branch_set *set = &walker->sets[key.set];
    const uint64_t epoch = recipe_epoch_async();
    if (memory->epoch != epoch)
        return NULL;
    for (uint32_t i = 1; i <= BRANCH_WAYS; i++) {
        uint32_t way = (set->latest + i) % BRANCH_WAYS;
        struct branch *branch = &walker->branches[key.set][way];
        if (set->tags[way] == key.tag && branch->epoch == epoch &&
            is_branch(branch, memory, start)) {
            set->latest = (uint8_t)way;
            return branch;
        }
    }
    return NULL;
}

#endif
