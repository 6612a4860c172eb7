/* See doubt.h. */
#include "mainloop/doubt.h"

#include "unwind/unwind.h"

/* The calls that a function makes and that lead to MPI: where they are in its code. */
struct sites {
    uintptr_t all[LOOP_CODE_SITES];
    unsigned count; /* more than LOOP_CODE_SITES: there are too many */
};

static void add_site(struct sites *sites, uintptr_t address)
{
    for (unsigned i = 0; i < sites->count && i < LOOP_CODE_SITES; i++)
        if (sites->all[i] == address)
            return;
    if (sites->count < LOOP_CODE_SITES)
        sites->all[sites->count] = address;
    sites->count++;
}

/* The ancestor of NODE, or NODE itself, that FUNCTION has called; 0: there is none. */
static uint32_t called_by(const struct cct *tree, uint32_t node, uint32_t function)
{
    /* Children have higher numbers than their parents. */
    while (node > function && tree->nodes[node].parent != function)
        node = tree->nodes[node].parent;
    return node > function ? node : 0;
}

static void find_sites(const struct cct *tree, uint32_t function, struct sites *sites)
{
    sites->count = 0;
    for (uint32_t i = function + 1; i < tree->node_count; i++) {
        const uint32_t call =
            tree->nodes[i].kind == NODE_MPI ? called_by(tree, i, function) : 0;
        if (call)
            add_site(sites, code_address(tree->nodes[call].site));
    }
}

/* Whether the call at ADDRESS is in the loop that is entered at ENTRY. */
static bool is_in(struct loop_code *code, uintptr_t address, uint64_t entry)
{
    uint64_t around[LOOPS_AROUND_MOST];
    const int count = loop_code_around(code, address, around);
    for (int i = 0; i < count; i++)
        if (around[i] == entry)
            return true;
    return false;
}

/*
 * Whether a pass of the loop entered at OUTER may begin unseen between a call and the next,
 * which is at TO, both in the loop that is entered at INNER: the same one, or one inside it.
 * Yes if there are so many calls in the function, or there is so little time, that it cannot be
 * found out.
 */
static bool may_begin_unseen(struct loop_code *code, uint64_t inner, uint64_t outer,
                             uintptr_t to, const struct sites *sites)
{
    if (sites->count > LOOP_CODE_SITES)
        return true;
    for (unsigned from = 0; from < sites->count; from++)
        if (!loop_code_has_time(code) ||
            (is_in(code, sites->all[from], inner) &&
             loop_code_may_pass_unseen(code, sites->all[from], to, (uintptr_t)outer, sites->all,
                                       sites->count)))
            return true;
    return false;
}

/* Whether the program's own count tells the passes of the loop at ENTRY around the call at TO.
 */
static bool is_counted(struct search *search, uint64_t entry, uintptr_t to)
{
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        const struct loop *loop = loops_get(&search->loops, i);
        if (loop->serial && loop->entry == entry && loop->miscounted)
            return false;
    }
    return loop_code_is_counted(search->code, to, (uintptr_t)entry);
}

/*
 * Whether passes of the loop entered at ENTRY, or of one around it, may begin unseen before the
 * call at TO: calls may all be made in a loop inside, or some in some passes only.
 */
static bool is_passed_unseen(struct search *search, uint64_t entry, uintptr_t to,
                             const struct sites *sites)
{
    uint64_t around[LOOPS_AROUND_MOST];
    const int count = loop_code_around(search->code, to, around);
    int at = 0;
    while (at < count && around[at] != entry)
        at++;
    for (int i = at; i < count; i++)
        if (may_begin_unseen(search->code, around[i > 0 ? i - 1 : 0], around[i], to, sites) &&
            !is_counted(search, around[i], to))
            return true;
    return false;
}

/* Whether an MPI call was made from NODE, or from what it has called. */
static bool leads_to_call(const struct cct *tree, uint32_t node)
{
    for (uint32_t i = node + 1; i < tree->node_count; i++)
        if (tree->nodes[i].kind == NODE_MPI && called_by(tree, i, node))
            return true;
    return false;
}

/*
 * Whether calls were made from a part of FUNCTION that lies apart, and is not read: a pass of a
 * loop may have no others.
 */
static bool has_calls_apart(const struct thread *thread, uint32_t function)
{
    const struct cct *tree = &thread->tree;
    const struct node *whole = &tree->nodes[function];
    for (uint32_t i = whole->parent + 1; i < tree->node_count; i++) {
        const struct node *part = &tree->nodes[i];
        if (part->kind == NODE_FUNCTION && part->parent == whole->parent &&
            part->site == whole->site && i != function &&
            loop_code_is_piece(thread->search->code, code_address(part->key)) &&
            leads_to_call(tree, i))
            return true;
    }
    return false;
}

static bool is_doubtful(const struct thread *thread, const struct loop *loop,
                        struct sites *sites)
{
    const unsigned most = LOOP_CODE_SITES;
    const uint32_t function = thread->tree.nodes[loop->header].parent;
    if (has_calls_apart(thread, function))
        return true;
    find_sites(&thread->tree, function, sites);
    if (sites->count <= most &&
        loop_code_is_dispatcher(thread->search->code, (uintptr_t)loop->entry, sites->all,
                                sites->count))
        return true;
    for (unsigned to = 0; to < sites->count && to < most; to++)
        if (is_passed_unseen(thread->search, loop->entry, sites->all[to], sites))
            return true;
    return false;
}

uint32_t doubt_find(const struct thread *thread)
{
    struct search *search = thread->search;
    struct sites sites;
    uint32_t doubtful = 0;
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        const struct loop *loop = loops_get(&search->loops, i);
        if (loop->serial && loop->serial == search->candidates[i].serial && loop->entry &&
            is_doubtful(thread, loop, &sites))
            doubtful |= UINT32_C(1) << i;
    }
    return doubtful;
}
