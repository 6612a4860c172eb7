/*
 * Remembered walks, and whether a new walk would repeat them: see walker.h.  For walker.c and
 * branch.h alone, under the rules of a walker.
 */
#ifndef TSPROF_WALK_MEMORY_H
#define TSPROF_WALK_MEMORY_H

#include "arch/arch.h"
#include "unwind/alias.h"
#include "unwind/walker.h"

/* A word that is always 0, for remembered words that refer to nothing on the stack. */
static const uintptr_t never;

/* A remembered word that never changes, for where no word has to be compared. */
static inline struct remembered_word no_word(void)
{
    return (struct remembered_word){&never, never};
}

/* A remembered word that always counts as changed, for where words cannot be compared. */
static inline struct remembered_word changing_word(void)
{
    return (struct remembered_word){&never, 1};
}

/* Whether the stack still holds what WORD says. */
static inline bool word_unchanged(const struct remembered_word *word)
{
    return *word->slot == word->word;
}

/* Where the return address that led to FRAME lies. */
static inline uintptr_t *return_slot_of(const struct walked_frame *frame)
{
    return (uintptr_t *)(frame->at.sp + (uintptr_t)(intptr_t)frame->return_offset);
}

/* How many of MEMORY's words belong to frames further out than number INDEX. */
static inline uint32_t words_before(const struct walk_memory *memory, uint32_t index)
{
    return index > 0 ? memory->frames[index - 1].words : 0;
}

/*
 * Remembers the words that lead to frame INDEX of MEMORY from the next one further in.  The
 * words of frames further in are forgotten.
 */
static inline void remember_link(struct walk_memory *memory, uint32_t index)
{
    struct walked_frame *frame = &memory->frames[index];
    uint32_t count = words_before(memory, index);
    struct remembered_word *words = memory->words;
    const uintptr_t *return_slot = return_slot_of(frame);
    words[count++] = frame->opaque ? changing_word()
                                   : (struct remembered_word){return_slot, frame->return_word};
    if (frame->sp_slot)
        words[count++] = (struct remembered_word){frame->sp_slot, frame->at.sp};
    if (frame->fp_matters && frame->fp_slot)
        words[count++] = (struct remembered_word){frame->fp_slot, frame->at.fp};
    frame->words = count;
}

/* The index of the last of COUNT words that has changed, plus one; 0 if none has. */
static inline uint32_t changed_word(const struct remembered_word *words, uint32_t count)
{
    /* Four at a time: a branch for each word would cost more than comparing it. */
    for (; count >= 4; count -= 4) {
        const struct remembered_word *w = words + count - 4;
        if ((*w[0].slot ^ w[0].word) | (*w[1].slot ^ w[1].word) | (*w[2].slot ^ w[2].word) |
            (*w[3].slot ^ w[3].word))
            break;
    }
    while (count > 0 && *words[count - 1].slot == words[count - 1].word)
        count--;
    return count;
}

/*
 * Whether the function that was to return by the alias WORD has been called again from the same
 * place: then its return address itself is there.
 */
static inline bool called_again(const struct remembered_word *word)
{
    return alias_is_async(word->word) && *word->slot == alias_target_async(word->word);
}

/*
 * How many of the INDEX + 1 outermost frames stay valid if word CHANGED - 1 has changed: those
 * out to which that word and the ones further in lead.
 */
static inline uint32_t frames_before(const struct walk_memory *memory, uint32_t index,
                                     uint32_t changed)
{
    while (index > 1 && memory->frames[index - 2].words >= changed)
        index--;
    return index;
}

/*
 * Whether the old walk from remembered frame INDEX outwards would be repeated.  If so, *STAYED
 * becomes the number of outermost frames that may never have been left since; those further in
 * were called again.  If not, *USABLE becomes the number of outermost frames that may still be
 * found, in spite of the first difference.
 */
static inline bool rest_unchanged(const struct walk_memory *memory, uint32_t index,
                                  uint32_t *usable, uint32_t *stayed)
{
    if (!word_unchanged(&memory->end)) {
        *usable = 0;
        return false;
    }
    const struct remembered_word *words = memory->words;
    uint32_t changed = changed_word(words, words_before(memory, index));
    uint32_t again = 0;
    while (changed && called_again(&words[changed - 1])) {
        again = changed;
        changed = changed_word(words, changed - 1);
    }
    *stayed = again ? frames_before(memory, index, again) : index + 1;
    if (changed)
        *usable = frames_before(memory, index, changed);
    return !changed;
}

/*
 * Looks for the frame AT in the last walk.  *USABLE is how many of that walk's outermost frames
 * may still be found; if AT is, *STAYED becomes how many of those may never have been left.
 */
static inline bool recall(const struct walk_memory *memory, const struct registers *at,
                          uint32_t *usable, uint32_t *stayed)
{
    while (*usable > 0 && memory->frames[*usable - 1].at.sp < at->sp)
        --*usable;
    if (*usable == 0)
        return false;
    const struct walked_frame *old = &memory->frames[*usable - 1];
    /* A function without a frame of its own has its caller's stack pointer. */
    if (old->at.sp == at->sp && old->at.pc != at->pc && *usable > 1 &&
        old[-1].at.sp == at->sp) {
        --*usable;
        old--;
    }
    if (old->at.sp != at->sp || old->at.pc != at->pc ||
        (old->fp_matters && old->at.fp != at->fp))
        return false;
    return rest_unchanged(memory, *usable - 1, usable, stayed);
}

/* FRAME is frame INDEX of MEMORY, but was now reached from another inner frame. */
static inline void relink(struct walk_memory *memory, uint32_t index,
                          const struct walked_frame *frame)
{
    struct walked_frame *old = &memory->frames[index];
    old->return_word = frame->return_word;
    old->fp_slot = frame->fp_slot;
    old->sp_slot = frame->sp_slot;
    old->opaque = frame->opaque;
    old->signs = frame->signs;
    old->return_offset = frame->return_offset;
    remember_link(memory, index);
}

/* Whether the walk in MEMORY began where one from AT begins. */
static inline bool begins_at(const struct walk_memory *memory, const struct registers *at)
{
    if (memory->count == 0)
        return false;
    const struct walked_frame *innermost = &memory->frames[memory->count - 1];
    return innermost->at.sp == at->sp && innermost->at.pc == at->pc;
}

/*
 * Whether one of the two innermost frames in MEMORY has the stack pointer of AT, so that little
 * of that walk is lost if one from AT replaces it.
 */
static inline bool ends_near(const struct walk_memory *memory, const struct registers *at)
{
    const struct walked_frame *end = &memory->frames[memory->count];
    return (memory->count > 0 && end[-1].at.sp == at->sp) ||
           (memory->count > 1 && end[-2].at.sp == at->sp);
}

#endif
