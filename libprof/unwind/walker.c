/* See walker.h. */
#include "unwind/walker.h"

#include "host/host.h"
#include "unwind/alias.h"
#include "unwind/branch.h"
#include "unwind/recipe.h"

#include <stddef.h>
#include <string.h>

/* After this many walks that have not used it, the other memory counts as no longer needed. */
enum { UNUSED_MOST = 8 };

/* How one step out of a frame ended. */
enum step { STEP_DONE, STEP_END, STEP_FAIL };

/* The part of the stack that the walk under way may read. */
struct view {
    uintptr_t low;
    uintptr_t high;
    bool foreign;   /* not the thread's own stack: bounds unknown, every page is checked */
    uintptr_t page; /* of a foreign stack: the page that was last found readable */
    uintptr_t aux;  /* the auxiliary register of the frame that a signal interrupted last */
};

/*
 * The view from an innermost frame on.  While a function returns, what it has popped is still
 * found below the stack pointer, in the red zone that the system keeps intact.
 */
static struct view view_of(const struct stack_bounds *stack, uintptr_t sp)
{
    struct view view = {.low = sp - ARCH_RED_ZONE_BYTES, .high = stack->high};
    if (sp < stack->low || sp >= stack->high) {
        view.high = UINTPTR_MAX;
        view.foreign = true;
    }
    return view;
}

/* A coroutine's stack or an alternate signal stack may end anywhere, so ask the kernel. */
static bool page_is_readable(struct view *view, uintptr_t address)
{
    uintptr_t word, page = address / ARCH_LEAST_PAGE_BYTES;
    if (page != view->page && peek_async(address, &word, sizeof word))
        view->page = page;
    return page == view->page;
}

static bool read_word(struct view *view, uintptr_t address, uintptr_t *word)
{
    if (address < view->low || address > view->high - sizeof *word || address % sizeof *word)
        return false;
    if (view->foreign && !page_is_readable(view, address))
        return false;
    *word = *(const uintptr_t *)address;
    return true;
}

/* Reads a word of a frame that the walk has left already, which lies below the view. */
static bool read_word_below(const struct view *view, uintptr_t address, uintptr_t *word)
{
    struct view whole = *view;
    whole.low = 0;
    return address < view->high && read_word(&whole, address, word);
}

/*
 * Steps from a signal frame at SP to the interrupted frame: the kernel saved its registers
 * there.
 */
static enum step step_over_signal(const struct stack_bounds *stack, struct view *view,
                                  uintptr_t sp, struct walked_frame *next)
{
    uintptr_t aux;
    if (!read_word(view, sp + ARCH_CONTEXT_PC, &next->at.pc) ||
        !read_word(view, sp + ARCH_CONTEXT_SP, &next->at.sp) ||
        !read_word(view, sp + ARCH_CONTEXT_FP, &next->at.fp) ||
        !read_word(view, sp + ARCH_CONTEXT_AUX, &aux))
        return STEP_FAIL;
    next->at.pc = alias_target_async(next->at.pc);
    next->return_word = 0;
    next->return_offset = 0;
    next->signs = false;
    next->fp_slot = next->sp_slot = NULL;
    next->opaque = true;
    /* The handler may have run on a stack of its own. */
    *view = view_of(stack, next->at.sp);
    view->aux = aux;
    return STEP_DONE;
}

static bool find_cfa(struct view *view, const struct recipe *recipe, const struct registers *at,
                     uintptr_t *cfa, uintptr_t **slot)
{
    const uintptr_t offset = (uintptr_t)(intptr_t)recipe->cfa_offset;
    *slot = NULL;
    switch (recipe->kind) {
    case RECIPE_SP:
        *cfa = at->sp + offset;
        break;
    case RECIPE_FP:
        *cfa = at->fp + offset;
        break;
    case RECIPE_MEMORY:
        *slot = (uintptr_t *)(at->fp + offset);
        if (!read_word(view, at->fp + offset, cfa))
            return false;
        break;
    default:
        return false;
    }
    /* A function that has put nothing on the stack has its caller's stack pointer. */
    return *cfa >= at->sp + (recipe->return_offset != RETURN_IN_AUX) && *cfa <= view->high;
}

static bool find_fp(struct view *view, const struct recipe *recipe, const struct registers *at,
                    uintptr_t cfa, struct walked_frame *next)
{
    uintptr_t base = recipe->fp == FP_AT_FP ? at->fp : cfa;
    switch (recipe->fp) {
    case FP_UNCHANGED:
        next->at.fp = at->fp;
        next->fp_slot = NULL;
        return true;
    case FP_BY_RETURN:
        base += (uintptr_t)(intptr_t)recipe->return_offset;
        /* fall through */
    case FP_AT_CFA:
    case FP_AT_FP:
        next->fp_slot = (uintptr_t *)(base + (uintptr_t)(intptr_t)recipe->fp_offset);
        return read_word(view, (uintptr_t)next->fp_slot, &next->at.fp);
    default:
        /* Go on: only a frame that needs the frame pointer will fail. */
        next->at.fp = 0;
        next->fp_slot = NULL;
        next->opaque = true;
        return true;
    }
}

/*
 * Reads the return address of a frame with RECIPE and CFA, as it lies on the stack or, if AUX
 * is not NULL, is in the auxiliary register: *AUX.
 */
static bool read_return(struct view *view, const struct recipe *recipe, uintptr_t cfa,
                        const uintptr_t *aux, uintptr_t *word)
{
    const uintptr_t offset = (uintptr_t)(intptr_t)recipe->return_offset;
    if (recipe->return_offset != RETURN_IN_AUX)
        return read_word(view, cfa + offset, word);
    if (aux)
        *word = *aux;
    return aux != NULL;
}

/*
 * Makes NEXT the frame of FRAME's caller, with the registers it had before the call; the walk
 * fills in its node and function.  AUX is NULL or, if it is known, the value that the auxiliary
 * register has in FRAME.  Each field is written once and in place: a copy made of
 * fields that were only just written would wait until they have reached the cache.
 */
static enum step step_out(const struct stack_bounds *stack, struct view *view,
                          const struct recipe *recipe, const struct walked_frame *frame,
                          const uintptr_t *aux, struct walked_frame *next)
{
    if (recipe->kind == RECIPE_END)
        return STEP_END;
    next->alias = 0;
    if (recipe->kind == RECIPE_SIGNAL)
        return step_over_signal(stack, view, frame->at.sp, next);
    uintptr_t cfa, return_word;
    next->opaque = recipe->return_offset == RETURN_IN_AUX;
    if (!find_cfa(view, recipe, &frame->at, &cfa, &next->sp_slot) ||
        !read_return(view, recipe, cfa, aux, &return_word) ||
        !find_fp(view, recipe, &frame->at, cfa, next))
        return STEP_FAIL;
    /*
     * The first function on a stack that was made by hand may return to 0.  On the thread's own
     * stack a 0 means that the walk went astray.
     */
    if (return_word == 0)
        return view->foreign ? STEP_END : STEP_FAIL;
    next->return_word = return_word;
    next->return_offset = recipe->return_offset;
    next->signs = recipe->signs;
    next->at.pc = alias_target_async(return_word) - 1;
    next->at.sp = cfa;
    view->low = cfa;
    return STEP_DONE;
}

static bool uses_fp(const struct recipe *recipe)
{
    return recipe->kind == RECIPE_FP || recipe->kind == RECIPE_MEMORY;
}

/* The node of a frame that is not part of the call path. */
#define NODE_NOT_SHOWN UINT32_MAX

/*
 * Whether FRAME, for which RECIPE holds, marked the phase, or lies above the one that did.  If
 * so, *END becomes the word that showed it.  AUX as for step_out.
 */
static bool at_anchor(const struct walker *walker, struct view *view,
                      const struct recipe *recipe, const struct walked_frame *frame,
                      const uintptr_t *aux, struct remembered_word *end)
{
    const struct anchor *anchor = &walker->anchor;
    if (view->foreign || anchor->cfa == UINTPTR_MAX)
        return false;
    uintptr_t cfa, *slot;
    if (!find_cfa(view, recipe, &frame->at, &cfa, &slot))
        return false;
    const uintptr_t *return_slot =
        (const uintptr_t *)(cfa + (uintptr_t)(intptr_t)recipe->return_offset);
    const bool compared = !slot && recipe->return_offset != RETURN_IN_AUX;
    uintptr_t return_word;
    /*
     * A realigned stack would need two words, and a register has none; functions with these
     * rarely mark a phase, so such a walk is never taken as repeated.
     */
    *end = slot ? changing_word() : no_word();
    if (cfa >= anchor->caller_cfa)
        return true;
    if (cfa != anchor->cfa || !read_return(view, recipe, cfa, aux, &return_word) ||
        alias_target_async(return_word) != anchor->return_word)
        return false;
    *end = compared ? (struct remembered_word){return_slot, return_word} : changing_word();
    return true;
}

/* The result of the outward half of a walk. */
struct walk {
    uint32_t fresh;  /* frames in the scratch: those that were not found again */
    uint32_t kept;   /* frames of the last walk that are found again */
    uint32_t stayed; /* of those, frames that may never have been left */
    uint32_t base;   /* the node that the fresh frames lie below */
    uint64_t epoch;  /* the recipe epoch */
    bool foreign;    /* it started on another stack than the thread's own */
    bool failed;
    bool remember;
    bool mixed;    /* frames of several stacks: some may have been counted on their own stack */
    bool anchored; /* it ended at the frame that marked the phase */
    struct remembered_word end; /* the word that showed that */
    uintptr_t old_word; /* what the last walk found where the outermost fresh frame returns */
};

/*
 * Whether FRAME, which ended a walk, is the thread's outermost frame, and not that of a
 * coroutine whose stack lies within the thread's own.  A coroutine's outermost frame lies
 * further in than the one of the remembered walk, or is reached without meeting the frame that
 * marked the phase.
 */
static bool is_own_root(const struct walker *walker, const struct walk_memory *memory,
                        const struct walked_frame *frame)
{
    if (walker->anchor.cfa != UINTPTR_MAX)
        return false;
    return memory->count == 0 || frame->at.sp >= memory->frames[0].at.sp;
}

/*
 * For frame TO, whose CFA is relative to the auxiliary register: follows that register from
 * frame FROM, where its value is known, and sets *ONCE to a recipe that holds for this frame
 * alone.
 */
static bool place_by_aux(struct view *view, const struct walked_frame *frames, uint32_t from,
                         uint32_t to, const struct recipe *recipe, struct recipe *once)
{
    uintptr_t aux = view->aux;
    if (from > to)
        return false;
    for (uint32_t i = from; i < to; i++) {
        int64_t offset;
        enum recipe_aux where = recipe_find_aux_async(frames[i].at.pc, &offset);
        if (where == AUX_LOST)
            return false;
        /* The words of frames that have been left lie below the view. */
        if (where == AUX_AT_CFA &&
            !read_word_below(view, frames[i + 1].at.sp + (uintptr_t)offset, &aux))
            return false;
    }
    int64_t distance = (int64_t)(aux - frames[to].at.sp) + recipe->cfa_offset;
    *once = *recipe;
    once->kind = RECIPE_SP;
    once->cfa_offset = (int32_t)distance;
    return distance == once->cfa_offset;
}

/*
 * Ends WALK at FRAME if the last walk, of which USABLE outermost frames may still be found, had
 * that frame and would go on from it in the same way.
 */
static bool join_last_walk(struct walk_memory *memory, const struct walked_frame *frame,
                           uint32_t *usable, struct walk *walk)
{
    uint32_t stayed;
    if (!recall(memory, &frame->at, usable, &stayed))
        return false;
    /* The innermost frame was not reached from another one. */
    if (walk->fresh > 0) {
        walk->old_word = memory->frames[*usable - 1].return_word;
        relink(memory, *usable - 1, frame);
    }
    walk->kept = *usable;
    walk->stayed = stayed;
    walk->base = memory->frames[*usable - 1].node;
    return true;
}

/* Fills in what RECIPE says of FRAME, which may be the ANCHORED one that ends the walk. */
static void describe_frame(struct walked_frame *frame, const struct recipe *recipe,
                           bool anchored)
{
    frame->fp_matters = uses_fp(recipe);
    frame->function = recipe->function;
    frame->rule = recipe->rule;
    frame->node = anchored || recipe->kind == RECIPE_SIGNAL ? NODE_NOT_SHOWN : 0;
}

/*
 * Steps out of FRAMES[INDEX] into the next one, as step_out, also where the CFA is relative to
 * the auxiliary register; INTERRUPTED is the frame whose value of it is known.
 */
static enum step step_from(const struct stack_bounds *stack, struct view *view,
                           const struct recipe *recipe, struct walked_frame *frames,
                           uint32_t interrupted, uint32_t index)
{
    struct recipe once;
    const bool by_aux = recipe->kind == RECIPE_AUX;
    if (by_aux && place_by_aux(view, frames, interrupted, index, recipe, &once))
        recipe = &once;
    const uintptr_t aux = view->aux;
    enum step step = step_out(stack, view, recipe, &frames[index],
                              interrupted == index ? &aux : NULL, &frames[index + 1]);
    if (by_aux)
        frames[index + 1].opaque = true;
    return step;
}

/* The outward half of a walk: from START to a frame of the walk in MEMORY, or to the root. */
static struct walk walk_out(struct walker *walker, struct walk_memory *memory,
                            struct walk_scratch *scratch, const struct stack_bounds *stack,
                            struct registers start, const uintptr_t *aux)
{
    struct view view = view_of(stack, start.sp);
    const enum recipe_use use = aux ? RECIPE_LEAF : RECIPE_CALLER;
    /* The frame whose auxiliary register is in view.aux; beyond all frames if there is none. */
    uint32_t interrupted = aux ? 0 : UINT32_MAX;
    const bool foreign = view.foreign;
    const uint64_t epoch = recipe_epoch_async();
    struct walk walk = {
        .base = walker->root, .foreign = foreign, .remember = !foreign, .epoch = epoch};
    view.aux = aux ? *aux : 0;
    uint32_t usable = view.foreign || memory->epoch != epoch ? 0 : memory->count;
    struct recipe unlisted;
    struct walked_frame *frame = &scratch->frames[0];
    *frame = (struct walked_frame){.at = start};
    for (; walk.fresh < UNWIND_DEEPEST; frame++) {
        if (!view.foreign && join_last_walk(memory, frame, &usable, &walk))
            return walk;
        const struct recipe *recipe =
            recipe_find_async(frame->at.pc, walk.fresh ? RECIPE_CALLER : use, &unlisted);
        /* The frame of the anchor is kept, so that the words leading to it are compared. */
        walk.anchored = at_anchor(walker, &view, recipe, frame,
                                  interrupted == walk.fresh ? &view.aux : NULL, &walk.end);
        describe_frame(frame, recipe, walk.anchored);
        walk.fresh++;
        if (walk.anchored)
            return walk;
        enum step step =
            step_from(stack, &view, recipe, scratch->frames, interrupted, walk.fresh - 1);
        if (recipe->kind == RECIPE_SIGNAL)
            interrupted = walk.fresh;
        if (step == STEP_END) {
            walk.remember = walk.remember && is_own_root(walker, memory, frame);
            return walk;
        }
        walk.mixed = walk.mixed || view.foreign != foreign;
        walk.remember = walk.remember && !view.foreign;
        if (step == STEP_FAIL)
            break;
    }
    walk.failed = true;
    walk.remember = false;
    return walk;
}

void walker_forget_async(struct walker *walker)
{
    for (uint32_t i = 0; i < 2; i++)
        walker->memories[i].count = walker->memories[i].aliased = 0;
    memset(walker->sets, 0, sizeof walker->sets);
}

void walker_reset_async(struct walker *walker, uint32_t root, const struct anchor *anchor)
{
    walker_forget_async(walker);
    walker->root = root;
    walker->anchor = *anchor;
}

/* What identifies the frame's function: its start or, if that is unknown, the pc. */
static uint64_t function_key(const struct walked_frame *frame)
{
    return code_address(frame->function) ? frame->function
                                         : code_beside(frame->function, frame->at.pc);
}

_Static_assert(VISITS_MOST > 3 * UNWIND_DEEPEST, "of every frame of three walks");

/* The node of fresh frame FRAME, called from frame OUTER (NULL: unknown), below node PARENT. */
static uint32_t frame_node(struct cct *tree, uint32_t parent, const struct walked_frame *frame,
                           const struct walked_frame *outer)
{
    uint64_t site = outer ? code_beside(outer->function, outer->at.pc) : 0;
    return cct_child_async(tree, parent, NODE_FUNCTION, function_key(frame), site, LAYOUT_FRAME,
                           METRIC_none);
}

/* The artificial node below PARENT for a walk that failed after FRESH frames. */
static uint32_t failed_node(struct cct *tree, uint32_t parent, uint32_t fresh)
{
    uint64_t what = fresh == UNWIND_DEEPEST ? ARTIFICIAL_TRUNCATED : ARTIFICIAL_FAILED;
    return cct_child_async(tree, parent, NODE_ARTIFICIAL, what, 0, LAYOUT_FRAME, METRIC_none);
}

/*
 * The last walk's frame at INDEX if it may be from the same call as a frame with call path
 * NODE, otherwise NULL.  OLD_WORD was in the return-address slot then, WORD is now: an alias
 * that is gone proves that there was another call.
 */
static const struct walked_frame *same_frame(const struct walk_memory *memory, uint32_t index,
                                             uint32_t node, uintptr_t old_word, uintptr_t word)
{
    const struct walked_frame *frame = &memory->frames[index];
    bool same = index < memory->count && frame->node == node &&
                (word == old_word || !alias_is_async(old_word));
    return same ? frame : NULL;
}

/* Counts the visits of frames that were found again, but in other calls. */
static void count_called_again(struct walk_memory *memory, const struct walk *walk,
                               struct visits *visits)
{
    for (uint32_t i = walk->stayed; i < walk->kept; i++) {
        struct walked_frame *outer = &memory->frames[i - 1];
        visits_note(visits, memory->frames[i].node, true);
        outer->return_word = alias_target_async(outer->return_word);
        memory->words[i > 1 ? memory->frames[i - 2].words : 0].word = outer->return_word;
    }
    if (memory->aliased >= walk->stayed)
        memory->aliased = walk->stayed - 1;
}

/* Counts the visits of frames FIRST to before END of MEMORY, which the last walk did not have.
 */
static void count_entered(const struct walk_memory *memory, uint32_t first, uint32_t end,
                          struct visits *visits)
{
    for (uint32_t i = first; i < end; i++)
        if (i == 0 || memory->frames[i].node != memory->frames[i - 1].node)
            visits_note(visits, memory->frames[i].node, true);
}

/* Makes WALK, whose COUNT frames are in memory number CHOICE, the latest walk. */
static void make_latest(struct walker *walker, uint32_t choice, const struct walk *walk,
                        uint32_t count)
{
    struct walk_memory *memory = &walker->memories[choice];
    walker->unused = choice == walker->latest ? walker->unused + 1 : 0;
    walker->latest = choice;
    memory->count = count;
    if (walk->kept == 0)
        memory->end = walk->anchored ? walk->end : no_word();
    memory->epoch = recipe_epoch_is_stable(walk->epoch) ? walk->epoch : 0;
    uint32_t linked = walk->kept ? walk->kept - 1 : 0;
    memory->aliased = memory->aliased < linked ? memory->aliased : linked;
}

/*
 * The memory to use for a walk from START: that of the walk which began there.  If there is
 * none, the less recent one; but while that is still needed and the new walk is near the
 * latest, the memory of the latest, of which little is lost.
 */
static uint32_t choose_memory(const struct walker *walker, const struct registers *start)
{
    const uint32_t latest = walker->latest, other = 1 - latest;
    const struct walk_memory *memories = walker->memories;
    if (walker->single || begins_at(&memories[latest], start))
        return latest;
    if (begins_at(&memories[other], start))
        return other;
    return walker->unused < UNUSED_MOST && ends_near(&memories[latest], start) ? latest : other;
}

/* How many of the KEPT outermost frames of MEMORY are also in the walk LAST. */
static uint32_t common_frames(const struct walk_memory *last, const struct walk_memory *memory,
                              uint32_t kept)
{
    uint32_t common = 0, most = kept < last->count ? kept : last->count;
    /* A node stands for its whole path: if a frame is the same, so are all further out. */
    for (uint32_t probe = most; common < most; probe = (common + most + 1) / 2) {
        const struct walked_frame *a = &last->frames[probe - 1],
                                  *b = &memory->frames[probe - 1];
        if (a->node == b->node && a->at.sp == b->at.sp)
            common = probe;
        else
            most = probe - 1;
    }
    return common;
}

/*
 * Finds the nodes for WALK, which went from FRAMES, innermost first, to the frames of memory
 * number CHOICE; remembers it there if possible, and counts the visits of frames that the last
 * walk did not have.
 */
static struct walk_result count_walk(struct walker *walker, uint32_t choice,
                                     const struct walk *walk, struct walked_frame *frames,
                                     struct cct *tree, struct visits *visits)
{
    const struct walk_memory *last = &walker->memories[walker->latest];
    struct walk_memory *memory = &walker->memories[choice];
    uint32_t node = walk->base, kept = walk->kept;
    const struct walked_frame *outer = kept ? &memory->frames[kept - 1] : NULL;
    bool fp_matters = outer && outer->fp_matters && !outer->fp_slot;
    /* Frames that were not in the last walk have been entered since. */
    uint32_t common = memory == last ? kept : common_frames(last, memory, kept);
    if (walk->remember)
        count_entered(memory, common, kept, visits);
    /* Whether all frames further out may be from the same calls as in the last walk. */
    bool there = walk->remember && walk->stayed == kept && common == kept;
    if (walk->stayed < kept)
        count_called_again(memory, walk, visits);
    uintptr_t old_word = walk->old_word;
    const bool counted = !walk->failed && (walk->remember || !walk->mixed);
    if (walk->failed)
        node = failed_node(tree, node, walk->fresh);
    for (uint32_t i = walk->fresh; i-- > 0;) {
        struct walked_frame *frame = &frames[i];
        bool remember = walk->remember && kept < UNWIND_DEEPEST;
        bool shown = frame->node != NODE_NOT_SHOWN;
        if (shown)
            node = frame_node(tree, node, frame, outer);
        const struct walked_frame *same =
            there
                ? same_frame(last, kept, node, old_word, outer ? outer->return_word : old_word)
                : NULL;
        if (shown && !same && counted)
            visits_note(visits, node, remember);
        /* If a frame has moved, whatever is inside it was called anew. */
        there = same && same->at.sp == frame->at.sp;
        bool matters = frame->fp_matters || fp_matters;
        fp_matters = matters && !frame->fp_slot;
        outer = frame;
        if (remember) {
            struct walked_frame *copy = &memory->frames[kept];
            old_word = copy->return_word;
            *copy = *frame;
            copy->node = node;
            copy->fp_matters = matters;
            remember_link(memory, kept++);
        }
    }
    if (walk->remember)
        make_latest(walker, choice, walk, kept);
    const struct walked_frame *innermost = walk->fresh ? &frames[0] : &memory->frames[kept - 1];
    return (struct walk_result){.node = node,
                                .steps = walk->fresh,
                                .foreign = walk->foreign,
                                .failed = walk->failed,
                                .remembered = walk->remember && memory->epoch,
                                .visited = visits->count > 0,
                                .site = code_beside(innermost->function, innermost->at.pc)};
}

/* Keeps the inner end of WALK, now the latest walk, if it can be a branch. */
static void keep_branch(struct walker *walker, const struct walk *walk)
{
    const struct walk_memory *memory = &walker->memories[walker->latest];
    if (walk->remember && !walker->single && walk->fresh > 0 &&
        walk->kept + walk->fresh == memory->count && memory->epoch != 0 &&
        (walk->kept > 0 || walk->anchored))
        branch_keep(walker, memory, walk->kept);
}

static struct walk_result walk_and_count(struct walker *walker, struct walk_scratch *scratch,
                                         const struct stack_bounds *stack,
                                         struct registers start, const uintptr_t *aux,
                                         struct cct *tree)
{
    start.pc = alias_target_async(start.pc);
    const uint32_t choice = choose_memory(walker, &start);
    struct walk walk = walk_out(walker, &walker->memories[choice], scratch, stack, start, aux);
    struct walk_result result =
        count_walk(walker, choice, &walk, scratch->frames, tree, &scratch->visits);
    if (!aux)
        keep_branch(walker, &walk);
    return result;
}

/* Whether the walk from START would be the same as the latest: most are. */
static inline bool is_latest(const struct walker *walker, const struct registers *start)
{
    const struct walk_memory *memory = &walker->memories[walker->latest];
    if (!begins_at(memory, start) || memory->epoch != recipe_epoch_async() ||
        !word_unchanged(&memory->end))
        return false;
    const struct walked_frame *innermost = &memory->frames[memory->count - 1];
    if (innermost->fp_matters && innermost->at.fp != start->fp)
        return false;
    return memory->count == 1 || changed_word(memory->words, innermost[-1].words) == 0;
}

/*
 * Whether the walk from START would be the same as the latest except for the place in the
 * innermost function, which has not been left but calls from elsewhere now.  If so, updates the
 * latest walk.
 */
static inline bool is_beside_latest(struct walker *walker, const struct registers *start)
{
    struct walk_memory *memory = &walker->memories[walker->latest];
    if (memory->count < 2 || memory->epoch != recipe_epoch_async())
        return false;
    struct walked_frame *innermost = &memory->frames[memory->count - 1];
    if (innermost->at.sp != start->sp ||
        (innermost->fp_matters && innermost->at.fp != start->fp))
        return false;
    struct recipe unlisted;
    const struct recipe *recipe = recipe_find_async(start->pc, RECIPE_CALLER, &unlisted);
    if (recipe->function != innermost->function || code_address(recipe->function) == 0 ||
        recipe->rule != innermost->rule ||
        recipe->return_offset != innermost[-1].return_offset ||
        (recipe->kind != RECIPE_SP && recipe->kind != RECIPE_FP) ||
        !word_unchanged(&memory->end) || changed_word(memory->words, innermost[-1].words) != 0)
        return false;
    innermost->at.pc = start->pc;
    innermost->at.fp = start->fp;
    return true;
}

struct walk_result unwind_async(struct walker *walker, struct walk_scratch *scratch,
                                const struct stack_bounds *stack, const struct registers *start,
                                struct cct *tree)
{
    if (is_latest(walker, start) || is_beside_latest(walker, start)) {
        const struct walk_memory *memory = &walker->memories[walker->latest];
        const struct walked_frame *innermost = &memory->frames[memory->count - 1];
        return (struct walk_result){.node = innermost->node,
                                    .remembered = true,
                                    .site = code_beside(innermost->function, start->pc)};
    }
    scratch->visits.count = 0;
    const struct branch *branch = find_branch(walker, start);
    if (branch)
        return branch_repeat(walker, branch, start, &scratch->visits);
    return walk_and_count(walker, scratch, stack, *start, NULL, tree);
}

struct walk_result unwind_sample_async(struct walker *walker, struct walk_scratch *scratch,
                                       const struct stack_bounds *stack,
                                       const struct registers *start, uintptr_t aux,
                                       struct cct *tree)
{
    scratch->visits.count = 0;
    return walk_and_count(walker, scratch, stack, *start, &aux, tree);
}

uint32_t unwind_put_aliases(struct walker *walker)
{
    struct walk_memory *memory = &walker->memories[walker->latest];
    uint32_t missing = 0;
    if (memory->aliased + 1 >= memory->count)
        return 0;
    if (!alias_allowed_async())
        return 1;
    for (uint32_t index = memory->count - 1; index-- > memory->aliased;) {
        struct walked_frame *frame = &memory->frames[index];
        uintptr_t *slot = return_slot_of(frame);
        /*
         * Stop at a signal frame: the function that it interrupted may not have saved its
         * return address yet.
         */
        if (frame->opaque)
            return missing + 1;
        if (alias_is_async(frame->return_word))
            continue;
        if (frame->signs) {
            missing++;
            continue;
        }
        if (frame->alias == 0 || alias_target_async(frame->alias) != frame->return_word)
            frame->alias = alias_find(frame->return_word);
        missing += frame->alias == 0;
        if (frame->alias && *slot == frame->return_word) {
            *slot = frame->return_word = frame->alias;
            memory->words[index ? memory->frames[index - 1].words : 0].word = frame->alias;
        }
    }
    memory->aliased = memory->count - 1;
    return missing;
}

const uintptr_t *unwind_put_alias(struct walker *walker, uint32_t index, uintptr_t *word)
{
    struct walk_memory *memory = &walker->memories[walker->latest];
    if (index == 0 || index >= memory->count)
        return NULL;
    struct walked_frame *outer = &memory->frames[index - 1];
    uintptr_t *slot = return_slot_of(outer);
    if (outer->opaque || *slot != outer->return_word)
        return NULL;
    if (!alias_is_async(outer->return_word) && !outer->signs && alias_allowed_async()) {
        uintptr_t alias = alias_find(outer->return_word);
        if (alias) {
            *slot = outer->return_word = outer->alias = alias;
            memory->words[index > 1 ? memory->frames[index - 2].words : 0].word = alias;
        }
    }
    *word = *slot;
    return slot;
}

/* The index of the outermost frame of the last walk whose call path is NODE; or their number.
 */
static uint32_t find_frame(const struct walk_memory *memory, uint32_t node)
{
    uint32_t index = 0;
    while (index < memory->count && memory->frames[index].node != node)
        index++;
    return index;
}

const uintptr_t *unwind_put_alias_at(struct walker *walker, uint32_t node, uintptr_t *word)
{
    return unwind_put_alias(walker, find_frame(&walker->memories[walker->latest], node), word);
}

const uintptr_t *unwind_return_slot(const struct walker *walker, uint32_t node)
{
    const struct walk_memory *memory = &walker->memories[walker->latest];
    const uint32_t index = find_frame(memory, node);
    return index > 0 && index < memory->count && !memory->frames[index - 1].opaque
               ? return_slot_of(&memory->frames[index - 1])
               : NULL;
}

uintptr_t unwind_find_context_async(const struct stack_bounds *stack,
                                    const struct registers *start, uintptr_t frame)
{
    struct view view = view_of(stack, start->sp);
    struct walked_frame inner = {.at = *start}, outer;
    struct recipe unlisted;
    const uintptr_t *aux = NULL;
    uintptr_t context = 0;
    bool reached = false;
    for (int i = 0; i < UNWIND_DEEPEST; i++) {
        const struct recipe *recipe = recipe_find_async(inner.at.pc, RECIPE_CALLER, &unlisted);
        if (reached)
            return recipe->kind == RECIPE_SIGNAL ? context : 0;
        if (recipe->kind == RECIPE_SIGNAL)
            context = inner.at.sp + ARCH_CONTEXT;
        if (step_out(stack, &view, recipe, &inner, aux, &outer) != STEP_DONE)
            return 0;
        aux = recipe->kind == RECIPE_SIGNAL ? &view.aux : NULL;
        reached = recipe->kind != RECIPE_SIGNAL &&
                  frame == outer.at.sp + (uintptr_t)ARCH_FRAME_OFFSET;
        inner = outer;
    }
    return 0;
}

uintptr_t unwind_find_last_context_async(const struct stack_bounds *stack,
                                         const struct registers *start)
{
    struct view view = view_of(stack, start->sp);
    struct walked_frame inner = {.at = *start}, outer;
    struct recipe unlisted;
    const uintptr_t *aux = NULL;
    uintptr_t context = 0;
    for (int i = 0; i < UNWIND_DEEPEST; i++) {
        const struct recipe *recipe = recipe_find_async(inner.at.pc, RECIPE_CALLER, &unlisted);
        if (recipe->kind == RECIPE_SIGNAL)
            context = inner.at.sp + ARCH_CONTEXT;
        if (step_out(stack, &view, recipe, &inner, aux, &outer) != STEP_DONE)
            break;
        aux = recipe->kind == RECIPE_SIGNAL ? &view.aux : NULL;
        inner = outer;
    }
    return context;
}

void unwind_anchor_async(const struct stack_bounds *stack, struct registers start,
                         struct anchor *anchor)
{
    struct view view = view_of(stack, start.sp);
    struct walked_frame frame = {.at = start}, caller, second;
    struct recipe unlisted;
    *anchor = (struct anchor){UINTPTR_MAX, 0, UINTPTR_MAX};
    if (view.foreign)
        return;
    const struct recipe *recipe = recipe_find_async(frame.at.pc, RECIPE_CALLER, &unlisted);
    if (step_out(stack, &view, recipe, &frame, NULL, &caller) != STEP_DONE || view.foreign)
        return;
    anchor->cfa = caller.at.sp;
    anchor->return_word = alias_target_async(caller.return_word);
    recipe = recipe_find_async(caller.at.pc, RECIPE_CALLER, &unlisted);
    if (step_out(stack, &view, recipe, &caller, NULL, &second) == STEP_DONE && !view.foreign)
        anchor->caller_cfa = second.at.sp;
}
