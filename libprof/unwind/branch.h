/*
 * Branches (see walker.h): keeping them, finding the one that a walk would repeat, and
 * repeating it.  For walker.c alone, under the rules of a walker.
 */
#ifndef TSPROF_BRANCH_H
#define TSPROF_BRANCH_H

#include "unwind/recipe.h"
#include "unwind/walk_memory.h"

#include <string.h>

#define EVERY_BYTE UINT64_C(0x0101010101010101)

_Static_assert(BRANCH_WAYS == sizeof(uint64_t), "a set's tags are the bytes of one word");
_Static_assert(3 * UNWIND_DEEPEST <= UINT16_MAX && BRANCH_WORDS <= UINT8_MAX &&
                   BRANCH_FRAMES <= UINT8_MAX,
               "a branch can say how many");
_Static_assert(sizeof(struct branch) / 64 % 2 == 1,
               "the beginnings of branches are spread over the cache");

/* Where to look for the branches that begin at given registers. */
struct branch_key {
    uint32_t set;
    uint8_t tag; /* its highest bit is set: see tags_equal */
};

/* The key of branches that begin at AT. */
static inline struct branch_key branch_key(const struct registers *at)
{
    uint64_t mixed = (at->pc ^ at->sp << 20) * UINT64_C(0x9E3779B97F4A7C15);
    return (struct branch_key){.set = (uint32_t)(mixed >> 56) % BRANCH_SETS,
                               .tag = (uint8_t)(mixed >> 28) | 0x80};
}

/* Sets the tag of way number WAY of SET. */
static inline void put_tag(struct branch_set *set, uint32_t way, uint8_t tag)
{
    const uint32_t bits = 8 * way;
    set->tags = (set->tags & ~(UINT64_C(0xff) << bits)) | (uint64_t)tag << bits;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/*
 * Keeps the frames of MEMORY, the latest walk, from number KEPT on as a branch that leads to
 * frame KEPT - 1; does nothing if they are too many or cannot be compared.
 */
static inline void branch_keep(struct walker *walker, const struct walk_memory *memory,
                               uint32_t kept)
{
    const uint32_t first = kept > 0 ? kept - 1 : 0, innermost = memory->count - 1,
                   first_word = words_before(memory, first),
                   words = words_before(memory, innermost) - first_word;
    if (memory->count - kept > BRANCH_FRAMES || words > BRANCH_WORDS)
        return;
    for (uint32_t i = first; i < innermost; i++)
        if (memory->frames[i].opaque)
            return;
    const struct branch_key key = branch_key(&memory->frames[innermost].at);
    struct branch_set *set = &walker->sets[key.set];
    const uint32_t way = set->next;
    struct branch *branch = &walker->branches[key.set][way];
    /* Hide the branch until it is complete: the program may leave this function by a jump. */
    put_tag(set, way, 0);
    const struct walked_frame *reached = &memory->frames[first];
    *branch = (struct branch){.epoch = memory->epoch,
                              .start = memory->frames[innermost].at,
                              .reached_pc = reached->at.pc,
                              .reached_sp = reached->at.sp,
                              .reached_node = reached->node,
                              .kept = (uint16_t)kept,
                              .first_word = (uint16_t)first_word,
                              .words = (uint8_t)words,
                              .count = (uint8_t)(memory->count - kept),
                              .fp_matters = memory->frames[innermost].fp_matters,
                              .reached_fp_matters = reached->fp_matters,
                              .reached_words = reached->words,
                              .reached_return_offset = reached->return_offset,
                              .reached_signs = reached->signs,
                              .reached_fp = reached->at.fp,
                              .reached_fp_slot = reached->fp_slot,
                              .reached_sp_slot = reached->sp_slot,
                              .end = memory->end};
    memcpy(branch->word, memory->words + first_word, words * sizeof *branch->word);
    memcpy(branch->frames, memory->frames + kept, branch->count * sizeof *branch->frames);
    put_tag(set, way, key.tag);
    set->next = (way + 1) % BRANCH_WAYS;
    set->latest = way;
}

/*
 * Whether MEMORY still has the frame that BRANCH leads to, and nothing further out has changed.
 */
static inline bool branch_meets(const struct branch *branch, const struct walk_memory *memory)
{
    if (memory->count < branch->kept || !word_unchanged(&memory->end))
        return false;
    const struct walked_frame *base = &memory->frames[branch->kept - 1];
    return base->at.pc == branch->reached_pc && base->at.sp == branch->reached_sp &&
           base->node == branch->reached_node &&
           base->fp_matters == branch->reached_fp_matters &&
           (!base->fp_matters || base->at.fp == branch->reached_fp) &&
           words_before(memory, branch->kept - 1) == branch->first_word &&
           changed_word(memory->words, branch->first_word) == 0;
}

/* Whether the walk from START would repeat BRANCH and, beyond it, MEMORY. */
static inline bool is_branch(const struct branch *branch, const struct walk_memory *memory,
                             const struct registers *start)
{
    if (branch->start.pc != start->pc || branch->start.sp != start->sp ||
        branch->epoch != memory->epoch || (branch->fp_matters && branch->start.fp != start->fp))
        return false;
    return (branch->kept > 0 ? branch_meets(branch, memory) : word_unchanged(&branch->end)) &&
           changed_word(branch->word, branch->words) == 0;
}

/*
 * Returns the highest bit of each byte of TAGS that equals TAG.  The byte above such a one may
 * be marked as well if it differs from TAG in the lowest bit alone, so the branch itself must
 * be compared.  A way without a branch is never marked, since TAG has its highest bit set.
 */
static inline uint64_t tags_equal(uint64_t tags, uint8_t tag)
{
    const uint64_t differ = tags ^ tag * EVERY_BYTE;
    return (differ - EVERY_BYTE) & ~differ & EVERY_BYTE << 7;
}

/*
 * The branch that the walk from START would repeat before it goes on like the latest walk; NULL
 * if there is none.
 */
static inline const struct branch *find_branch(struct walker *walker,
                                               const struct registers *start)
{
    const struct walk_memory *memory = &walker->memories[walker->latest];
    const struct branch_key key = branch_key(start);
    struct branch_set *set = &walker->sets[key.set];
    if (memory->epoch != recipe_epoch_async())
        return NULL;
    /* Begin with the way after the latest. */
    const uint32_t first = (set->latest + 1) % BRANCH_WAYS;
    const uint64_t tags = set->tags >> 8 * first | set->tags << (64 - 8 * first) % 64;
    for (uint64_t found = tags_equal(tags, key.tag); found; found &= found - 1) {
        const uint32_t way = (first + (uint32_t)__builtin_ctzll(found) / 8) % BRANCH_WAYS;
        const struct branch *branch = &walker->branches[key.set][way];
        if (is_branch(branch, memory, start)) {
            set->latest = way;
            return branch;
        }
    }
    return NULL;
}

/*
 * How many frames of BRANCH, from the outermost on, have the same call paths as the frames in
 * their place in MEMORY, and may be the same calls: they need not have been entered since.
 */
static inline uint32_t branch_stayed(const struct branch *branch,
                                     const struct walk_memory *memory)
{
    const struct walked_frame *before = memory->frames + branch->kept;
    const uint32_t there = memory->count - branch->kept;
    uint32_t same = 0;
    /* An alias that is gone proves that there was another call. */
    if (branch->kept > 0 && alias_is_async(before[-1].return_word) &&
        before[-1].return_word != branch->word[0].word)
        return 0;
    while (same < branch->count && same < there &&
           before[same].node == branch->frames[same].node) {
        const bool moved = before[same].at.sp != branch->frames[same].at.sp,
                   called = alias_is_async(before[same].return_word) &&
                            before[same].return_word != branch->frames[same].return_word;
        same++;
        /* If a frame has moved, whatever is inside it was called anew. */
        if (moved || called)
            break;
    }
    return same;
}

/*
 * Updates FRAME, which BRANCH leads to: it is reached from the branch now, by a call, through
 * the branch's first word.
 */
static inline void branch_link(const struct branch *branch, struct walked_frame *frame)
{
    frame->return_word = branch->word[0].word;
    frame->fp_slot = branch->reached_fp_slot;
    frame->sp_slot = branch->reached_sp_slot;
    frame->opaque = false;
    frame->signs = branch->reached_signs;
    frame->return_offset = branch->reached_return_offset;
    frame->words = branch->reached_words;
}

/* Makes the walk from START, which repeats BRANCH, the latest one, and notes its VISITS. */
static inline struct walk_result branch_repeat(struct walker *walker,
                                               const struct branch *branch,
                                               const struct registers *start,
                                               struct visits *visits)
{
    struct walk_memory *memory = &walker->memories[walker->latest];
    const uint32_t kept = branch->kept, count = branch->count, linked = kept > 0 ? kept - 1 : 0;
    for (uint32_t i = branch_stayed(branch, memory); i < count; i++)
        visits_note(visits, branch->frames[i].node, true);
    if (kept > 0)
        branch_link(branch, &memory->frames[kept - 1]);
    else
        memory->end = branch->end;
    for (uint32_t i = 0; i < branch->words; i++)
        memory->words[branch->first_word + i] = branch->word[i];
    for (uint32_t i = 0; i < count; i++)
        memory->frames[kept + i] = branch->frames[i];
    memory->count = kept + count;
    memory->aliased = memory->aliased < linked ? memory->aliased : linked;
    walker->unused++;
    struct walked_frame *innermost = &memory->frames[memory->count - 1];
    innermost->at.fp = start->fp;
    return (struct walk_result){.node = innermost->node,
                                .remembered = true,
                                .visited = visits->count > 0,
                                .site = code_beside(innermost->function, start->pc)};
}

#endif
